/* cheapest_internal.h - the search for the cheapest division while it runs. */
#ifndef STOW_DIVIDE_COST_CHEAPEST_INTERNAL_H
#define STOW_DIVIDE_COST_CHEAPEST_INTERNAL_H

#include "divide/cost/cheapest.h"

#define STOW_CHEAP_INFINITY (STOW_I128_MAX / 4)

/* Counting chosen places or regions: up to `size`; beyond it everything is alike when there is no
 * maximum, else forbidden. */
struct stow_cheap_axis {
    uint32_t min, size;
    bool saturates;
};

/* The count after `more`, -1: too many. */
static inline int64_t stow_cheap_next(const struct stow_cheap_axis *axis, uint32_t at,
                                      uint32_t more)
{
    uint64_t to = (uint64_t)at + more;

    if (to <= axis->size)
        return (int64_t)to;
    return axis->saturates ? (int64_t)axis->size : -1;
}

/* Arenas align to 8 bytes, 128-bit numbers want 16. */
static inline void *stow_cheap_alloc(struct stow_arena *arena, size_t count, size_t size)
{
    char *made = stow_arena_alloc(arena, count * size + 32);

    return made ? made + (16 - (uintptr_t)made % 16) % 16 : NULL;
}

/* A step among those of all places.  Keys are prices with the order of places after the comma. */
struct stow_cheap_rung {
    stow_i128 key;
    uint32_t place;
    int64_t from, to; /* the replicas of its place that it is for */
};

/* The places of a region in the order of selecting, and what the region adds when alone. */
struct stow_cheap_range {
    uint32_t first, count, forced;
    uint32_t best; /* places of it that are chosen when their number is free */
    stow_i128 worth;
};

struct stow_cheap_work {
    const struct stow_cheap_problem *p;
    struct stow_arena *arena;
    struct stow_cheap_axis places, regions; /* how many may be chosen */
    bool by_region;                         /* regions are constrained */
    int64_t scale;                          /* key = price * scale + order */
    struct stow_cheap_rung *rung;           /* by place, then step; as in the problem */
    uint32_t rungs;
    uint32_t *first; /* per place: its first rung; one more at the end */
    uint32_t *cheap; /* rungs by key */
    bool *dropped;   /* per place: no cheapest division needs it */
    int64_t *most;   /* per place, at most the replicas */

    bool *chosen;     /* per place: of the last selection */
    int64_t *wants;   /* per place: replicas at the price asked for */
    stow_i128 *worth; /* per place: its part of the relaxed cost */
    uint32_t *order;  /* places for selecting */
    stow_i128 *table; /* [region + 1][regions chosen][places chosen], where both are limited */
    uint32_t *taken;  /* likewise: places of the region */
    struct stow_cheap_range *range; /* per region: its part of `order` */

    bool *held; /* per region, while a choice is filled */

    int64_t *best; /* replicas of the cheapest division so far */
    stow_i128 cost, bound;
    stow_i128 price; /* of a replica, at which the bound was found */
};

/* cheapest_select.c: marks the allowed choice of places with the smallest sum of `worth`; false:
 * there is no allowed choice. */
bool stow_cheap_select(struct stow_cheap_work *w, stow_i128 *ret_sum);

/* What room is needed for it. */
int stow_cheap_select_init(struct stow_cheap_work *w, struct stow_err *err);

/* cheapest_table.c: settles the choice among what is not dropped, when the table is not too large.
 * 1: w->best is the cheapest; 0: too large. */
int stow_cheap_table(struct stow_cheap_work *w, struct stow_err *err);

/* Cost in keys of `replicas` on a place. */
stow_i128 stow_cheap_cost(const struct stow_cheap_work *w, uint32_t place, int64_t replicas);

#endif
