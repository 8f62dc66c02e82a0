/* fewest.h - as few pods left out as limits allow. */
#ifndef STOW_OPTIMAL_PLANS_FEWEST_H
#define STOW_OPTIMAL_PLANS_FEWEST_H

#include "optimal/plans/draft.h"
#include "optimal/pricing/pricing.h"

struct stow_fewest {
    const struct stow_task *stage; /* the whole problem, with every row */
    struct stow_pool *pool;
    struct stow_pricer *pricer;
    struct stow_workers *workers; /* may be NULL */
    double artificial, deadline;
};

/* Makes `draft`, a plan of the stage, leave out fewer pods: of the highest priority first, then of
 * the next, and whatever that costs.  < 0: out of memory. */
int stow_fewest_run(const struct stow_fewest *fewest, struct stow_draft *draft);

#endif
