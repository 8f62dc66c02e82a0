/* prospect.h - what can still be added to a partly filled node, at most. */
#ifndef STOW_OPTIMAL_PRICING_PROSPECT_H
#define STOW_OPTIMAL_PRICING_PROSPECT_H

#include "optimal/pricing/knapsack.h"

/* Levels are places in the sack's order: at level i the items order[i], order[i + 1], ... are still
 * to come.  Zeroed is valid; kept by its thread. */
struct stow_prospect {
    const struct stow_sack *s;
    double lambda[STOW_SCARCE_MAX][STOW_MULTIPLIERS];
    double *rest;  /* [level * STOW_MULTIPLIERS + multipliers] */
    double *total; /* [level * dims + dim]: all that the items to come could take */
    size_t rest_cap, total_cap;
    double margin;         /* of rounding */
    struct stow_sack tail; /* the relaxation of what is left */
};

void stow_prospect_done(struct stow_prospect *p);

/* For a relaxed sack in order; starts from the sack's own multipliers and those known. */
int stow_prospect_open(struct stow_prospect *p, const struct stow_sack *s,
                       const struct stow_multipliers *known);

/* The most that the items from `level` on can add to a node of which so much is left; no closer
 * than `enough` if it is not above that. */
double stow_prospect_of(const struct stow_prospect *p, uint32_t level, const double *left,
                        double enough);

/* Adds the multipliers that suit this remainder best to those known; returns their place. */
uint32_t stow_prospect_learn(struct stow_prospect *p, struct stow_multipliers *known,
                             uint32_t level, const double *left);

/* The bound of the multipliers at one place alone. */
double stow_prospect_by(const struct stow_prospect *p, uint32_t place, uint32_t level,
                        const double *left);

#endif
