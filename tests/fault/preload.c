/* preload.c - LD_PRELOAD: the n-th allocation of a whole process fails, whoever asks.
 *
 *     STOW_FAULT_AT=n    which one (from 1); absent: none
 *     STOW_FAULT_FD=f    a byte is written there when it happens
 *
 * glibc's own names for the real functions spare us dlsym, which allocates. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <unistd.h>

/* NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name):
 * glibc chose these names, and hides its parameters behind underscores */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_uint_fast64_t count;
static uint64_t at;
static int report = -1;

/* Allocations before this ran (the loader's) are not ours to fail. */
__attribute__((constructor)) static void start(void)
{
    const char *n = getenv("STOW_FAULT_AT"), *fd = getenv("STOW_FAULT_FD");

    at = n ? strtoull(n, NULL, 10) : 0;
    report = fd ? (int)strtol(fd, NULL, 10) : -1;
    atomic_store(&count, 0);
}

static bool fails(void)
{
    if (at == 0 || atomic_fetch_add(&count, 1) + 1 != at)
        return false;
    if (report >= 0 && write(report, "!", 1) < 0)
        report = -1;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return fails() ? NULL : __libc_calloc(items, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t items, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(items, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

void *memalign(size_t align, size_t size)
{
    return fails() ? NULL : __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

int posix_memalign(void **ret, size_t align, size_t size)
{
    void *made = memalign(align, size);

    if (!made)
        return ENOMEM;
    *ret = made;
    return 0;
}
/* NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
