/* master.h - the linear program over the patterns known.
 *
 *     minimise   sum of price * x(pattern) + leave_price * s(class)
 *     such that  sum of count * x + s(class) + a(class) >= demand          per class
 *                least <= sum of x(patterns of a kind) <= most             per limited kind
 *                sum of amount(kind) * x <= limit                          per row
 *                sum of s(class of a level) <= allowance                   per level
 *
 * a(class) keeps it feasible at a price far above all others.
 *
 * Where families share their pods out (family.h), the demand of a class is a column n(class):
 *
 *                sum of n(classes of a family) >= its pods
 *                n(class) - L <= maxSkew - held,   L - n(class) <= held where the domain is there
 *
 * L is the smallest count of the family.  That is a little different from the rule where pods that
 * are there are spread badly; the prices are what matters, and bounds are worked out again from
 * them.
 *
 * Exchanges (optional): a place for a pod may be used by one that asks for no more of anything and
 * may be wherever the other may.  Such columns, +1 in one class and -1 in the other, keep the price
 * of the smaller below that of the larger.  True prices are like that but for pods of which there
 * are few, and prices kept in order settle many times sooner.  They can be taken out at the end. */
#ifndef STOW_OPTIMAL_MASTER_MASTER_H
#define STOW_OPTIMAL_MASTER_MASTER_H

#include "optimal/master/lp.h"
#include "optimal/master/pool.h"
#include "optimal/task.h"

struct stow_master {
    const struct stow_task *stage;
    struct stow_pool *pool;
    struct stow_lp *lp;
    uint32_t rows;
    uint32_t *kind_row, *row_row, *level_row; /* UINT32_MAX: has none */
    uint32_t *family_row; /* the first of its rows: all pods, then two per class with maxSkew */
    bool *is_shared;      /* per class: it is of a family that shares */
    uint32_t fixed;       /* columns before the first pattern */
    uint32_t exchange, exchanges; /* the first of those columns, and how many */
    uint32_t *pattern;            /* per pattern column */
    uint32_t patterns, pattern_cap;
    double artificial; /* price of a(class) */
    double *discount;  /* per kind, nano-units: its columns cost that much less than its nodes */

    /* After a solve.  Nano-units, y rounded down and w up to whole numbers, none below 0. */
    double objective;
    double *y;      /* per class */
    double *w_row;  /* per row */
    double *w_kind; /* per kind: most less least, may be below 0 */
    double missing; /* pods on a(class) */

    /* scratch of adding columns */
    int *start, *index;
    double *value, *cost;
    uint32_t start_cap, index_cap, value_cap, cost_cap;
};

int stow_master_init(struct stow_master *t, const struct stow_task *stage, struct stow_pool *pool,
                     double artificial);
void stow_master_done(struct stow_master *t);

/* Adds the columns of exchanges, before any pattern; takes them out of use. */
int stow_master_add_exchanges(struct stow_master *t);
int stow_master_drop_exchanges(struct stow_master *t);

/* Adds columns for patterns of the pool that are not columns yet. */
int stow_master_add(struct stow_master *t, const uint32_t *pattern, uint32_t count);

/* After the task has changed: takes over its demand and limits.  Rows stay what they were. */
int stow_master_restate(struct stow_master *t);
/* Removes the columns of the marked patterns, by their places; the others move up. */
int stow_master_remove(struct stow_master *t, const bool *out);

/* Changes the discount of a kind. */
int stow_master_discount(struct stow_master *t, uint32_t kind, double discount);

/* Multiplies the price of what is missing. */
int stow_master_raise(struct stow_master *t, double times);

/* What the nodes of a kind come to in the solution, nano-units. */
double stow_master_spent(const struct stow_master *t, uint32_t kind);

/* 1 solved, 0 not (or not in time), < 0 out of memory. */
int stow_master_solve(struct stow_master *t, double deadline);

/* The value of each pattern column after a solve. */
const double *stow_master_x(const struct stow_master *t);

/* What a node of a kind has to be worth at the current prices, without its own limit. */
double stow_master_row_cost(const struct stow_task *stage, const double *w_row, uint32_t kind);

#endif
