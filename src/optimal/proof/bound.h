/* bound.h - a true lower bound from any prices. */
#ifndef STOW_OPTIMAL_PROOF_BOUND_H
#define STOW_OPTIMAL_PROOF_BOUND_H

#include "base/int128.h"
#include "optimal/task.h"

/* Prices and what every kind can be worth at them: whole numbers in doubles. */
struct stow_prices {
    const double *y;     /* per class */
    const double *w_row; /* per row */
    const double *worth; /* per kind: no pattern is worth more; a whole number */
};

/* A leaf of the proof: prices that satisfy its condition, and the bound they give. */
struct stow_leaf {
    int64_t *y;      /* per class */
    int64_t *w_row;  /* per row */
    int64_t *w_most; /* per kind: price of the limit `most`, 0 where there is none */
    int64_t *w_least;
    int64_t bound;
};

int stow_leaf_init(struct stow_leaf *leaf, const struct stow_model *m);
void stow_leaf_done(struct stow_leaf *leaf);

/* The bound these prices give after scaling, as a double: for steering.  < 0: out of memory. */
int stow_bound_estimate(const struct stow_task *stage, const struct stow_prices *prices,
                        double *ret_bound, double *ret_scale);

/* The same in integers: scales, rounds down, sums exactly.  A bound above `most` is as good as one
 * at it (where there is no plan, it could be anything): then prices are scaled down until it is
 * not far above. */
int stow_bound_certify(const struct stow_task *stage, const struct stow_prices *prices,
                       int64_t most, struct stow_leaf *ret);

/* Where a row leaves no room for the nodes that must be bought there is no plan, and a price of
 * that row alone proves it: the bound is `most` or a little more.  1: so it is; 0: there is no such
 * row. */
int stow_bound_by_row(const struct stow_task *stage, int64_t most, struct stow_leaf *ret);

/* Takes over the prices of another leaf, which come to `bound` here; scaled down likewise. */
int stow_leaf_take(const struct stow_task *stage, const struct stow_leaf *from, stow_i128 bound,
                   int64_t most, struct stow_leaf *to);

#endif
