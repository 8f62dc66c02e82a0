/* lift.h - a plan's cost is a sum of prices: the next such sum above a bound is a bound. */
#ifndef STOW_OPTIMAL_PROOF_LIFT_H
#define STOW_OPTIMAL_PROOF_LIFT_H

#include "optimal/problem.h"

enum stow_lift_rule { STOW_LIFT_NONE, STOW_LIFT_COMMON_DIVISOR, STOW_LIFT_REACHABLE };

struct stow_lift {
    int64_t unit;       /* greatest common divisor of the prices that can appear; 0: all are 0 */
    uint64_t *sums;     /* bit per multiple of the unit: can be reached; NULL: not computed */
    uint64_t sums_most; /* multiples that have a bit */
};

/* Prices of the kinds that can take a pod or must be bought.  `most`: no cost above it matters
 * (the cost of a plan).  Sums are computed where they are few enough; < 0: out of memory. */
int stow_lift_init(struct stow_lift *lift, const struct stow_problem *problem, int64_t most);
void stow_lift_done(struct stow_lift *lift);

/* The least cost >= bound that a plan can have; says by which rule (may be NULL). */
int64_t stow_lift_up(const struct stow_lift *lift, int64_t bound, enum stow_lift_rule *ret_rule);

#endif
