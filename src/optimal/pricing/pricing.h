/* pricing.h - one round of pricing over all kinds. */
#ifndef STOW_OPTIMAL_PRICING_PRICING_H
#define STOW_OPTIMAL_PRICING_PRICING_H

#include "optimal/pricing/search.h"
#include "optimal/task.h"
#include "optimal/workers.h"

#define STOW_EFFORTS      5
#define STOW_EFFORT_PROOF 2 /* from here on there are proofs, and rounds take their time */

/* What pricing found for a kind. */
struct stow_priced_pattern {
    double worth;           /* no pattern is worth more; a whole number */
    double value;           /* of the best pattern met; 0: none was made */
    struct stow_term *term; /* of all patterns, one after the other */
    uint32_t *end;          /* of each of them */
    uint32_t terms, term_cap, patterns, end_cap;
};

struct stow_pricer {
    const struct stow_model *m;
    struct stow_workers *workers; /* borrowed; NULL: the caller's thread alone */
    uint32_t threads;
    struct stow_sack *sack, *cuts; /* per thread */
    struct stow_beam *beam;        /* per thread */
    struct stow_sack_state *state; /* per kind */
    uint64_t *at_upper;            /* memory of the states */
    double *numbers;
    int32_t *basis;
    struct stow_priced_pattern *offer; /* per kind */
    double *goal;                      /* per kind, of a proof */
    uint32_t *order;    /* of proofs: those that took longest first, so that threads end together */
    uint32_t *lead;     /* the classes by the kind on which each promises most */
    uint32_t *lead_end; /* per kind: where its classes end */
    bool late;          /* the last round was not finished in time: not all offers hold */
};

/* A round: prices, what each kind costs at them, how hard to look. */
struct stow_pricing_round {
    const struct stow_task *stage;
    const double *y;    /* per class */
    const double *cost; /* per kind: worth finding are patterns above */
    double tolerance;   /* relative: a pattern within it of the cost is not worth finding */
    uint32_t effort;    /* below STOW_EFFORTS */
    uint32_t patterns;  /* to take from one search at most */
    double good;        /* of what a node can be worth: a rounded pattern needs no search */
    double deadline;    /* of stow_clock(); 0: none */
    bool whole;         /* every kind is looked at, also when the search is stopped */
};

int stow_pricer_init(struct stow_pricer *pricer, const struct stow_model *m,
                     struct stow_workers *workers);
void stow_pricer_done(struct stow_pricer *pricer);

/* Looks for patterns: fills pricer->offer for every kind. */
void stow_pricer_find(struct stow_pricer *pricer, const struct stow_pricing_round *round);

/* Adds a pattern for every class, which it has much of, to the offer of the kind that promises most
 * for it.  After stow_pricer_find. */
void stow_pricer_vary(struct stow_pricer *pricer, const struct stow_pricing_round *round);

/* Brings the worth of every kind down to pricer->goal, or to the best pattern there is, as far as
 * the effort goes.  Better patterns are added to the offers.  After stow_pricer_find. */
void stow_pricer_prove(struct stow_pricer *pricer, const struct stow_pricing_round *round);

/* The kind whose worth is farthest above its cost and its patterns limits the bound: from now on
 * more effort is made for it.  False: it is at the limit already. */
bool stow_pricer_promote(struct stow_pricer *pricer, const double *cost, uint32_t effort);

#endif
