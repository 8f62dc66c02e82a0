/* improve.h - a better plan from a plan: take some nodes out and pack their pods again. */
#ifndef STOW_OPTIMAL_PLANS_IMPROVE_H
#define STOW_OPTIMAL_PLANS_IMPROVE_H

#include "optimal/plans/dive.h"

struct stow_improve {
    const struct stow_task *stage; /* the whole problem */
    struct stow_pool *pool;        /* of the draft */
    struct stow_workers *workers;  /* several attempts at a time; may be NULL */
    const double *y;               /* prices per class: what nodes are worth */
    double artificial, deadline;
};

/* One round of attempts, numbered so that each is different; 1 when `draft` got better, 0 when not,
 * < 0 out of memory.  The same for any number of threads. */
int stow_improve_run(const struct stow_improve *in, struct stow_draft *draft, uint64_t round);

#endif
