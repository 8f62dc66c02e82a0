/* dive.h - whole plans from the linear program, by fixing and generating again. */
#ifndef STOW_OPTIMAL_PLANS_DIVE_H
#define STOW_OPTIMAL_PLANS_DIVE_H

#include "optimal/master/columns.h"
#include "optimal/plans/draft.h"

struct stow_dive {
    const struct stow_task *stage; /* what is to be placed, within which limits */
    struct stow_pool *pool;
    struct stow_pricer *pricer;
    const uint32_t *seed; /* patterns to start from */
    uint32_t seeds;
    uint32_t effort;   /* of the column generation in between */
    uint32_t rounds;   /* of it, per step */
    uint32_t portion;  /* a step fixes one of this many parts of what is to go */
    double artificial; /* price of a pod left out, in the linear program */
    double cutoff;     /* give up when the cost of what is fixed exceeds it; 0: never */
    double deadline;
};

/* Adds the nodes of a plan to `draft`; pods that find no place are left out.  1: given up. */
int stow_dive_run(const struct stow_dive *dive, struct stow_draft *draft);

#endif
