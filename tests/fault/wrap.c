/* wrap.c - malloc and its brothers, with one failure on demand. */
#include <stddef.h>
#include <stdlib.h>

#include "tests/fault/fault.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__real__ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap__ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);

static uint64_t left, seen;
static bool fired;

void fault_arm(uint64_t n)
{
    left = n;
    seen = 0;
    fired = false;
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
