/* dives.h - several dives side by side, each with a way of its own. */
#ifndef STOW_OPTIMAL_PLANS_DIVES_H
#define STOW_OPTIMAL_PLANS_DIVES_H

#include "optimal/plans/dive.h"
#include "optimal/workers.h"

/* How closely a dive looks. */
struct stow_fineness {
    uint32_t effort, rounds, portion;
};

struct stow_dives {
    const struct stow_task *const *stage; /* per way: what is to be placed, within which limits */
    const struct stow_generator *gen;     /* its columns are where they start */
    struct stow_pool *pool;               /* gets the patterns of the plan, and worthy ones */
    struct stow_workers *workers;
    double artificial, deadline;
};

/* The best plan of as many dives as there are ways, the first of equals; 1: none came to an end,
 * and what the best of them has so far leaves pods out.  The same for any number of threads. */
int stow_dives_run(const struct stow_dives *in, const struct stow_fineness *way, uint32_t ways,
                   struct stow_draft *ret);

#endif
