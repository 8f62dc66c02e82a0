/* knapsack.h - what one node can be worth at given prices per class.
 *
 *     maximise sum of y(k) q(k)   over whole q(k) from 0 to u(k)   such that   sum of need q <= cap
 *
 * Three tools, from cheap to dear: multipliers bound it (any multipliers do), its linear relaxation
 * finds the best multipliers, a search finds patterns or shows that none is worth more than a
 * threshold.  Prices y are whole numbers of nano-units held in doubles, so values of patterns are
 * exact; bounds carry a margin for rounding (knapsack.c). */
#ifndef STOW_OPTIMAL_KNAPSACK_H
#define STOW_OPTIMAL_KNAPSACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "optimal/problem.h"

#define STOW_SACK_TABLES   3
#define STOW_SACK_PATTERNS 8

#define STOW_SHEET_DIMS 3

/* Up to three resources counted in units; they and the others are priced (counted.c). */
struct stow_sheet {
    uint32_t dims;
    uint32_t counted[STOW_SHEET_DIMS]; /* which */
    uint32_t units[STOW_SHEET_DIMS];   /* how many the node has */
    size_t stride[STOW_SHEET_DIMS];
    int64_t unit[STOW_SHEET_DIMS]; /* 1: counted exactly, and not priced */
    double per_unit[STOW_SHEET_DIMS];
    double lambda[STOW_PROBLEM_DIMS_MAX]; /* 0 for what is counted exactly */
    double *reduced;                      /* per item: y - lambda * need */
    double *offset; /* [level]: value of all items from here on that need none of the counted */
    double **row;   /* [level]: best value of items from here on, for what is left in units */
    double *cell;   /* the rows, grown when needed */
    size_t cell_cap;
    double bound;
    bool used; /* evaluated for the items at hand */
};

/* The items of one knapsack, in scratch memory of one thread; `max` items at most. */
struct stow_sack {
    uint32_t max, dims, n;
    uint32_t *class; /* of each item */
    double *y, *u;
    double *need; /* [dim * max + item] */
    double cap[STOW_PROBLEM_DIMS_MAX];

    /* found by the relaxation */
    double lambda[STOW_PROBLEM_DIMS_MAX];
    double *reduced; /* y - lambda * need */
    double *x;
    double bound; /* on every pattern, margin included */

    struct stow_sheet table[STOW_SACK_TABLES];
    uint32_t tables;

    /* found by rounding and searching: counts per item and their value, the best first */
    uint32_t *count; /* [pattern * max + item] */
    double value;    /* of the first */
    uint32_t patterns;

    /* scratch of the search (search.c) */
    uint32_t *order, *trial;
    double *left;  /* per dim, of rounding */
    double *total; /* [level * dims + dim]: all that items from this level on could take */
    double *key;
    uint32_t *item_of; /* per class, of the last stow_sack_load; UINT32_MAX: none */
    uint32_t classes;
};

/* What is kept per kind from one round to the next. */
struct stow_sack_state {
    double lambda[STOW_PROBLEM_DIMS_MAX];
    int32_t basis[STOW_PROBLEM_DIMS_MAX]; /* a class, or -1 - dim for a slack */
    uint64_t *at_upper;                   /* bit per class */
    double table_lambda[STOW_SACK_TABLES][STOW_PROBLEM_DIMS_MAX]; /* of counted.c */
    bool warm, table_warm[STOW_SACK_TABLES];
    uint32_t useful, age; /* bit per sheet that was any good; times since that was found out */
};

int stow_sack_init(struct stow_sack *sack, uint32_t classes, uint32_t dims);
void stow_sack_done(struct stow_sack *sack);

/* What a knapsack is made from: everything per class. */
struct stow_sack_input {
    uint32_t classes, dims;
    const double *need_by_dim; /* [dim * classes + class] */
    const int64_t *capacity;
    const uint32_t *copies, *demand; /* u is the smaller of both */
    const double *y;
};

/* lambda * cap + sum of u * max(0, y - lambda * need), a true bound for every lambda >= 0. */
double stow_sack_check(const struct stow_sack_input *in, const double *lambda);

/* Takes the items that are worth something and fit. */
void stow_sack_load(struct stow_sack *sack, const struct stow_sack_input *in);

/* The mere simplex: multipliers and solution of the items at hand. */
void stow_sack_solve(struct stow_sack *sack);

/* Solves the relaxation, going on from `state`; fills lambda, reduced, x, bound. */
void stow_sack_relax(struct stow_sack *sack, struct stow_sack_state *state);

/* A pattern from the relaxation: whole parts, then what fits, dearest first. */
void stow_sack_round(struct stow_sack *sack);

/* Tightens `bound` by counting some resources exactly (counted.c), and prepares the search; the
 * sack must be relaxed.  < 0: out of memory. */
int stow_sack_tighten(struct stow_sack *sack, struct stow_sack_state *state, struct stow_sack *cuts,
                      double enough, uint32_t cells);

#define STOW_SACK_CUTS 40 /* classes of the sack `cuts`, which has one more dim */

/* ---- searching ---------------------------------------------------------------------------------
 */

struct stow_extension {
    uint32_t parent, copies;
};

struct stow_partial {
    double value, bound;
    struct stow_extension step;
};

/* Scratch of the search, kept by its thread; zeroed is valid. */
struct stow_beam {
    struct stow_partial *label;
    double *left;
    uint32_t *slot, *pick;
    struct stow_extension *history; /* [level * width + label] */
    uint32_t width, levels, dims, slots;
};

void stow_beam_done(struct stow_beam *beam);

/* After tightening: looks for patterns worth more than `above` and more than `value` (which must be
 * valid), keeps the best in count and value.  1: nothing is worth more than the larger of `above`
 * and `value`; 0: nothing is worth more than `bound`, which may have come down; < 0: out of memory.
 */
int stow_sack_search(struct stow_sack *sack, struct stow_beam *beam, double above, uint32_t width);

/* ---- splitting (split.c) -----------------------------------------------------------------------
 */

struct stow_split {
    const struct stow_sack_input *in;
    struct stow_sack *sack, *cuts;
    struct stow_beam *beam;
    struct stow_sack_state state; /* with room for at_upper */
    uint32_t cells, width;
    uint32_t *count; /* per class: the best pattern found */
    double value;
    double worth; /* in: what is known already */
};

/* Case by case.  1: nothing is worth more than the larger of `enough` and `value`; 0: nothing is
 * worth more than `worth`; < 0: out of memory. */
int stow_sack_split(struct stow_split *io, double enough);

/* The cell of a row that belongs to what is left. */
static inline size_t stow_sheet_cell(const struct stow_sheet *t, const double *left)
{
    size_t cell = 0;

    /* a quarter more: rounding of the product must not lose a whole unit */
    for (uint32_t i = 0; i < t->dims; i++)
        cell += t->stride[i] * (size_t)((left[t->counted[i]] + 0.25) * t->per_unit[i]);
    return cell;
}

#endif
