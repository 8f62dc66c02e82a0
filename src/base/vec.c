/* vec.c - growing arrays. */
#include "base/vec.h"

#include <stowage/error.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int stow_vec_reserve(void *items, uint32_t *cap, uint32_t need, size_t size)
{
    void *now;

    if (need <= *cap)
        return STOW_OK;

    uint32_t grown = *cap ? *cap : 8;

    while (grown < need)
        grown = grown > UINT32_MAX / 2 ? UINT32_MAX : grown * 2;
    memcpy(&now, items, sizeof(now));
    now = reallocarray(now, grown, size);
    if (!now)
        return STOW_ENOMEM;
    memcpy(items, &now, sizeof(now));
    *cap = grown;
    return STOW_OK;
}

void *stow_vec_push(void *items, uint32_t *count, uint32_t *cap, size_t size)
{
    char *now;

    assert(*count <= *cap && size > 0);
    if (*count == UINT32_MAX || stow_vec_reserve(items, cap, *count + 1, size) < 0)
        return NULL;
    memcpy(&now, items, sizeof(now));
    now += (size_t)*count * size;
    memset(now, 0, size);
    ++*count;
    return now;
}

void stow_free_local(void *pointer_to_pointer)
{
    void *held;

    memcpy(&held, pointer_to_pointer, sizeof(held));
    free(held);
}
