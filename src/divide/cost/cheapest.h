/* cheapest.h - the cheapest division of one workload over places, spread constraints included.
 *
 *     struct stow_cheap_answer answer;
 *     int found = stow_cheapest(&problem, &arena, &answer, err);   1: found, 0: there is none
 *     ... answer.replicas[place], answer.cost ...
 *
 * A place is a cluster.  What it charges are steps: this many replicas at this price each, then
 * this many at the next.  Nothing here knows Kubernetes. */
#ifndef STOW_DIVIDE_COST_CHEAPEST_H
#define STOW_DIVIDE_COST_CHEAPEST_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "base/int128.h"
#include "model/values/money.h"

/* Prices may be below 0: what staying saves. */
struct stow_cheap_step {
    int64_t capacity;
    stow_nano price;
};

struct stow_cheap_place {
    uint32_t step, steps; /* its steps, prices ascending */
    uint32_t region;      /* below `regions`; looked at only when regions are constrained */
    bool forced;          /* must be chosen */
    int64_t least, most;  /* replicas when it is chosen; least from 1 up */
};

#define STOW_CHEAP_NO_MAX UINT32_MAX

struct stow_cheap_problem {
    const struct stow_cheap_place *place; /* in the order that decides between equally cheap */
    const struct stow_cheap_step *step;
    uint32_t places, regions;
    int64_t replicas;
    uint32_t place_min, place_max;   /* how many places are chosen */
    uint32_t region_min, region_max; /* of how many regions */
    bool ties;           /* of equally cheap divisions the one whose replicas come earliest */
    uint64_t states_max; /* how large a table may be made to settle the rest; 0: none */
};

struct stow_cheap_answer {
    int64_t *replicas; /* per place; in the arena */
    stow_i128 cost;    /* in nano-units */
    stow_i128 bound;   /* nothing is cheaper; the same as the cost when `exact` */
    int64_t room;      /* the most that an allowed choice of places holds, or all of `replicas` */
    bool exact;
};

/* A table for replicas x places: a second at most. */
#define STOW_CHEAP_STATES (UINT64_C(1) << 24)

int stow_cheapest(const struct stow_cheap_problem *problem, struct stow_arena *arena,
                  struct stow_cheap_answer *ret, struct stow_err *err);

#endif
