/* wrap.c - malloc and its brothers, with one failure on demand, and a clock that counts.
 *
 * A search in rounds of so many seconds ends differently on a busy machine: answers could not be
 * compared.  Here every look at the clock takes TICK nanoseconds, and nothing else takes time. */
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "tests/fault/fault.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__real__ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap__ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);

#define TICK    20000
#define BILLION 1000000000

static uint64_t left, seen, ticks;
static bool fired;

void fault_arm(uint64_t n)
{
    left = n;
    seen = 0;
    fired = false;
    ticks = 0;
}

uint64_t fault_seen(void)
{
    return seen;
}

bool fault_fired(void)
{
    return fired;
}

static bool fails(void)
{
    seen++;
    if (left == 0 || --left > 0)
        return false;
    fired = true;
    return true;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
    const uint64_t now = BILLION + ++ticks * TICK; /* 0 would mean none */

    (void)clock;
    ret->tv_sec = (time_t)(now / BILLION);
    ret->tv_nsec = (long)(now % BILLION);
    return 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    return fails() ? NULL : __real_reallocarray(old, count, size);
}

/* operator new(size_t, const std::nothrow_t &) */
void *__wrap__ZnwmRKSt9nothrow_t(size_t size, const void *nothrow)
{
    return fails() ? NULL : __real__ZnwmRKSt9nothrow_t(size, nothrow);
}
/* NOLINTEND(bugprone-reserved-identifier) */
