/* frontier.h - of partial patterns, those that no other one makes superfluous. */
#ifndef STOW_OPTIMAL_PRICING_FRONTIER_H
#define STOW_OPTIMAL_PRICING_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include "optimal/problem.h"

#define STOW_FRONTIER_STAIRS 64
#define STOW_FRONTIER_RECENT 32

/* What is left of two resources. */
struct stow_tread {
    double first, second;
};

/* The first one rising, the second one falling. */
struct stow_stair {
    struct stow_tread *tread;
    uint32_t count, cap;
};

/* Zeroed is valid; kept by its thread. */
struct stow_frontier {
    uint32_t dims, stairs;
    uint64_t above[STOW_FRONTIER_STAIRS]; /* bit per other stair that has as many units */
    uint64_t taken;                       /* bit per stair that holds something */
    uint32_t step[STOW_SCARCE_MAX];       /* stair of a remainder: sum of step * left */
    struct stow_stair stair[STOW_FRONTIER_STAIRS];
    /* without stairs: the last ones that were admitted, those not taken with less than nothing */
    double recent[STOW_SCARCE_MAX][STOW_FRONTIER_RECENT];
    uint32_t admitted;
};

void stow_frontier_done(struct stow_frontier *f);

/* For nodes with so much of each resource, the most plentiful ones first. */
void stow_frontier_open(struct stow_frontier *f, uint32_t dims, const double *cap);

void stow_frontier_clear(struct stow_frontier *f);

/* Called in the order of falling value: whether no remainder before has as much of everything. */
bool stow_frontier_admit(struct stow_frontier *f, const double *left);

#endif
