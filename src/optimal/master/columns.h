/* columns.h - column generation: patterns on demand, and a bound with every round. */
#ifndef STOW_OPTIMAL_MASTER_COLUMNS_H
#define STOW_OPTIMAL_MASTER_COLUMNS_H

#include "optimal/master/master.h"
#include "optimal/phases.h"
#include "optimal/pricing/pricing.h"
#include "optimal/proof/bound.h"

/* When to stop; nothing but `deadline` depends on the clock. */
struct stow_generate_limits {
    double gap; /* (value - bound) / value */
    uint32_t rounds;
    uint32_t effort;     /* of the search per kind and round, at first */
    uint32_t effort_max; /* and after rounds that found nothing; below STOW_EFFORTS */
    double cutoff;       /* stop as soon as the bound exceeds this (nano-units); 0: never */
    double deadline;     /* of stow_clock(); 0: none */
    double progress;     /* stop when a round lowers the value by less, relatively; 0: never */
    bool plans_only;     /* no bound is wanted */
};

struct stow_generator {
    const struct stow_task *stage;
    struct stow_pool *pool;
    struct stow_pricer *pricer; /* borrowed */
    struct stow_master master;
    struct stow_phases *phases; /* may be NULL */
    bool *is_column;            /* per pattern of the pool */
    uint32_t is_column_cap;
    uint32_t *fresh, *offered; /* patterns of this round: new columns, and all */
    uint32_t news, fresh_cap, offers, offered_cap;

    /* the best prices so far and what they prove */
    double *best_y, *best_w, *best_worth;
    double bound; /* nano-units; -INFINITY: none yet */

    /* prices of this round */
    double *y, *w_row, *cost;
    double ease, eased; /* of the value: what discounts may take off the bound; nano-units so far */
    uint32_t improved_at; /* round of the best bound */
    double window;        /* value of the linear program some rounds ago; 0: not known */
    uint32_t effort;      /* that was needed */
    uint32_t rounds;
    bool converged; /* no pattern is missing, as far as pricing can tell */
    bool late;      /* the deadline ended it */
    bool failed;    /* the linear program was not solved */
};

int stow_generator_init(struct stow_generator *gen, const struct stow_task *stage,
                        struct stow_pool *pool, struct stow_pricer *pricer, double artificial);
void stow_generator_done(struct stow_generator *gen);

/* Makes columns of patterns; those that are columns are passed over. */
int stow_generator_add(struct stow_generator *gen, const uint32_t *pattern, uint32_t count);

/* Prices to start from, nano-units: the centre of the first rounds. */
int stow_generator_start(struct stow_generator *gen, const double *y);

/* Takes the marked columns out, by their places in the master; they may come back. */
int stow_generator_remove(struct stow_generator *gen, const bool *out);

/* Another problem from now on: what was proved does not hold for it. */
void stow_generator_forget(struct stow_generator *gen);

int stow_generate(struct stow_generator *gen, const struct stow_generate_limits *limits);

#endif
