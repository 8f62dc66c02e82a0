/* knapsack.h - what one node can be worth at given prices per class.
 *
 *     maximise sum of y(k) q(k)   over whole q(k) from 0 to u(k)   such that   sum of need q <= cap
 *
 * Tools, from cheap to expensive: multipliers bound it (any multipliers do), its linear relaxation
 * finds the best multipliers, tables count some resources in whole units (counted.c), a search
 * finds patterns or shows that none is worth more than a threshold (search.c).  Prices y are whole
 * numbers of nano-units held in doubles, so values of patterns are exact; bounds carry a margin for
 * rounding (knapsack.c). */
#ifndef STOW_OPTIMAL_PRICING_KNAPSACK_H
#define STOW_OPTIMAL_PRICING_KNAPSACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "optimal/problem.h"

#define STOW_SACK_TABLES   3
#define STOW_SACK_PATTERNS 16
#define STOW_MULTIPLIERS   32

#define STOW_SHEET_DIMS 3

/* Up to three resources counted in units; they and the others are priced (counted.c). */
struct stow_price_sheet {
    uint32_t dims;
    uint32_t counted[STOW_SHEET_DIMS]; /* which */
    uint32_t units[STOW_SHEET_DIMS];   /* how many the node has */
    size_t stride[STOW_SHEET_DIMS];
    int64_t unit[STOW_SHEET_DIMS]; /* 1: counted exactly, and not priced */
    double per_unit[STOW_SHEET_DIMS];
    double lambda[STOW_SCARCE_MAX]; /* 0 for what is counted exactly */
    double *reduced;                /* per item: y - lambda * need */
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
    uint32_t dims_max; /* that there is memory for */
    uint32_t *class;   /* of each item */
    double *y, *u;
    double *need; /* [dim * max + item] */
    double cap[STOW_SCARCE_MAX];

    /* found by the relaxation */
    double lambda[STOW_SCARCE_MAX];
    double *reduced; /* y - lambda * need */
    double *x;
    double bound; /* on every pattern, margin included */

    /* decided by stow_sack_order: large items first */
    uint32_t *order;
    uint32_t small; /* level from which on no item is large */

    struct stow_price_sheet table[STOW_SACK_TABLES];
    uint32_t tables; /* 0: not asked for; they hold from level `small` on */

    /* found by rounding and searching: counts per item and their value, the best first */
    uint32_t *count; /* [pattern * max + item] */
    double value;    /* of the first */
    uint32_t patterns;

    /* scratch */
    uint32_t *trial;
    double *left; /* per dim, of rounding */
    double *key;
    double *inverse, *work; /* [dim * dims] and twice that, of the relaxation */
    uint32_t *item_of;      /* per class, of the last stow_sack_load; UINT32_MAX: none */
    uint32_t classes;
};

/* Multipliers met before: what is left of a node is worth no more than the least of their bounds
 * (prospect.c).  Those that shut out nothing when they were learned, then those that did longest
 * ago, give their place to the next. */
struct stow_multipliers {
    uint32_t count;
    uint64_t uses, used[STOW_MULTIPLIERS]; /* lessons of use; which of them each was, 0: none */
    double *lambda;                        /* [place * dims] */
};

/* What is kept per kind from one round to the next. */
struct stow_sack_state {
    uint32_t dims;
    double *lambda;
    int32_t *basis;       /* a class, or -1 - dim for a slack */
    uint64_t *at_upper;   /* bit per class */
    double *table_lambda; /* [sheet * dims], of counted.c */
    struct stow_multipliers known;
    bool warm, table_warm[STOW_SACK_TABLES];
    uint32_t level; /* so much more effort is made for it: it limited a bound */
    uint32_t hard;  /* this many times more a proof begins with tables, without which it failed */
    double took;    /* seconds of its last proof */
    uint32_t useful, age; /* bit per sheet that was any good; times since that was found out */
};

/* The numbers that the state of a kind with one scarce resource holds. */
#define STOW_SACK_STATE_NUMBERS (1 + STOW_SACK_TABLES + STOW_MULTIPLIERS)

/* In the memory given: this many numbers per resource, an integer per resource, a bit per class. */
void stow_sack_state_open(struct stow_sack_state *state, uint32_t dims, double *numbers,
                          int32_t *basis, uint64_t *at_upper);

int stow_sack_init(struct stow_sack *sack, uint32_t classes, uint32_t dims);
void stow_sack_done(struct stow_sack *sack);

/* What a knapsack is made from: everything per class. */
struct stow_sack_input {
    uint32_t classes, dims;
    const uint32_t *dim;             /* the resources that can run out here; NULL: all `dims` */
    const double *need_by_dim;       /* [dim * classes + class] */
    const int64_t *capacity;         /* per resource */
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

/* Leaves out what no pattern worth more than `above` can hold; the sack must be relaxed. */
void stow_sack_trim(struct stow_sack *sack, double above);

/* Keeps this many items only, those that the multipliers rate best; true: some were left out. */
bool stow_sack_focus(struct stow_sack *sack, uint32_t items);

/* A pattern from the relaxation: whole parts, then what fits, most expensive first (round.c). */
void stow_sack_round(struct stow_sack *sack);

/* The same with this many copies of an item in any case, one at least, which must fit; relaxes what
 * is left itself. */
void stow_sack_round_with(struct stow_sack *sack, uint32_t item, double copies);

/* For qsort_r: items by the doubles of `context`, the largest first. */
int stow_sack_by_key(const void *a, const void *b, void *context);

/* Large items first. */
void stow_sack_order(struct stow_sack *sack);

/* Counts some resources exactly (counted.c) for the levels from `small` on; the sack must be
 * relaxed and in order.  < 0: out of memory. */
int stow_sack_tighten(struct stow_sack *sack, struct stow_sack_state *state, struct stow_sack *cuts,
                      uint32_t cells);

#define STOW_SACK_CUTS 40 /* classes of the sack `cuts`, which has one more dim */

/* The cell of a row that belongs to what is left. */
static inline size_t stow_sheet_cell(const struct stow_price_sheet *t, const double *left)
{
    size_t cell = 0;

    /* a quarter more: rounding of the product must not lose a whole unit */
    for (uint32_t i = 0; i < t->dims; i++)
        cell += t->stride[i] * (uint32_t)((left[t->counted[i]] + 0.25) * t->per_unit[i]);
    return cell;
}

#endif
