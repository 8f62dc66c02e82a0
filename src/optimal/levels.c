/* levels.c - levels of priority: the distinct priorities of pods, the highest first. */
#include "optimal/levels.h"

#include <assert.h>
#include <stdlib.h>

static int highest_first(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x < y) - (x > y);
}

uint32_t stow_levels_make(int32_t *list, uint32_t count)
{
    uint32_t levels = 0;

    qsort(list, count, sizeof(*list), highest_first);
    for (uint32_t i = 0; i < count; i++)
        if (levels == 0 || list[i] != list[levels - 1])
            list[levels++] = list[i];
    return levels;
}

uint32_t stow_level_of(const int32_t *level, uint32_t levels, int32_t priority)
{
    uint32_t at = 0;

    while (at + 1 < levels && level[at] != priority)
        at++;
    assert(at < levels && level[at] == priority);
    return at;
}
