/* lp.h - linear programs: minimise cost over columns, rows between bounds, columns from 0 up.
 *
 * The one place that knows which solver is behind it.  Doubles, and therefore never the last word:
 * what is claimed about a plan is computed again in integers. */
#ifndef STOW_OPTIMAL_MASTER_LP_H
#define STOW_OPTIMAL_MASTER_LP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STOW_LP_INFINITY 1e30

struct stow_lp;

/* A batch of columns: the entries of column i are row[start[i]..start[i + 1]). */
struct stow_lp_columns {
    uint32_t count;
    const int *start, *row;
    const double *value, *cost, *upper; /* upper NULL: no limit */
};

/* Rows first, columns later.  NULL: out of memory. */
struct stow_lp *stow_lp_new(uint32_t rows, const double *lower, const double *upper);
void stow_lp_free(struct stow_lp *lp);

/* All of these: < 0 when out of memory. */
int stow_lp_add(struct stow_lp *lp, const struct stow_lp_columns *columns);
int stow_lp_remove(struct stow_lp *lp, const int *column, uint32_t count);
int stow_lp_set_upper(struct stow_lp *lp, uint32_t column, double upper);
int stow_lp_set_cost(struct stow_lp *lp, uint32_t column, double cost);
int stow_lp_set_row(struct stow_lp *lp, uint32_t row, double lower, double upper);

/* Goes on from the last basis, and from none where that fails.  1: optimal, 0: infeasible, given up
 * or not ended within `seconds` (0: no limit). */
int stow_lp_solve(struct stow_lp *lp, double seconds);

/* Of the last solve that returned 1; owned by the lp, valid until it changes. */
double stow_lp_objective(const struct stow_lp *lp);
const double *stow_lp_primal(const struct stow_lp *lp);  /* per column */
const double *stow_lp_dual(const struct stow_lp *lp);    /* per row */
const double *stow_lp_reduced(const struct stow_lp *lp); /* per column */

#ifdef __cplusplus
}
#endif
#endif
