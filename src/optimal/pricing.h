/* pricing.h - one round of pricing over all kinds. */
#ifndef STOW_OPTIMAL_PRICING_H
#define STOW_OPTIMAL_PRICING_H

#include "optimal/knapsack.h"
#include "optimal/task.h"
#include "optimal/workers.h"

/* What pricing found for a kind. */
struct stow_offer {
    double worth;           /* no pattern is worth more; a whole number */
    double value;           /* of the best pattern below; 0: none was made */
    bool heavy;             /* tables were used */
    bool settled;           /* nothing is worth more than max(cost, value), up to the tolerance */
    struct stow_term *term; /* of all patterns, one after the other */
    uint32_t patterns, end[STOW_SACK_PATTERNS];
};

struct stow_pricer {
    const struct stow_model *m;
    struct stow_workers *workers; /* borrowed; NULL: the caller's thread alone */
    uint32_t threads;
    struct stow_sack *sack, *cuts; /* per thread */
    struct stow_beam *beam;        /* per thread */
    uint32_t *count;               /* per thread and class */
    uint64_t *spare;               /* per thread: bits per class */
    struct stow_sack_state *state; /* per kind */
    uint64_t *at_upper;
    struct stow_offer *offer; /* per kind */
    struct stow_term *term;   /* room for the offers: [kind * classes * STOW_SACK_PATTERNS] */
    uint64_t searched;        /* kinds that went into a search, for the curious */
};

/* A round: prices, what each kind costs at them, how hard to look. */
struct stow_pricing_round {
    const struct stow_task *stage;
    const double *y;    /* per class */
    const double *cost; /* per kind: worth finding are patterns above */
    double tolerance;   /* relative: a pattern within it of the cost is not worth finding */
    uint32_t width;     /* of the search per kind; 0: rounding only */
    uint32_t cells;     /* of the tables; 0: none */
    bool split;         /* case by case where nothing else helps */
    const bool *only;   /* per kind: the others get a short search; NULL: all are alike */
};

int stow_pricer_init(struct stow_pricer *pricer, const struct stow_model *m,
                     struct stow_workers *workers);
void stow_pricer_done(struct stow_pricer *pricer);

/* Fills pricer->offer for every kind. */
void stow_pricer_run(struct stow_pricer *pricer, const struct stow_pricing_round *round);

#endif
