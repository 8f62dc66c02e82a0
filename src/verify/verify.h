/* verify.h - the second opinion: does a plan hold, and is its bound proved?
 *
 *     struct stow_verdicts verdicts;
 *     STOW_TRY(stow_verify(&input, &options, &tape, &verdicts, err));
 *     ... stow_verdicts_code(&verdicts): STOW_OK, STOW_EWRONG or STOW_ETIME
 *     stow_verdicts_done(&verdicts);
 *
 * Nothing here has seen the solver: the plan is read as the text that was handed out, prices are
 * asked for again, pods are put on nodes one by one under the filters of `place`, and the proof is
 * checked in whole numbers.  What makes a proof: bound.c. */
#ifndef STOW_VERIFY_VERIFY_H
#define STOW_VERIFY_VERIFY_H

#include "model/snapshot.h"
#include "model/values/allowance.h"
#include "place/profiles/profile.h"
#include "price/bill/bill.h"
#include "read/text/tape.h"

/* --quota RESOURCE=AMOUNT. */
struct stow_verify_quota {
    stow_sym resource; /* STOW_NONE: nodes */
    struct stow_str name;
    int64_t amount; /* milli-cores, bytes, devices, nodes */
};

/* What a consolidation makes small. */
enum stow_verify_minimise {
    STOW_VERIFY_AS_TOLD, /* what the plan says */
    STOW_VERIFY_LEAST_COST,
    STOW_VERIFY_FEWEST_NODES,
};

/* The options under which the plan was made. */
struct stow_verify_options {
    bool gce_prices;          /* --price-model gce */
    uint32_t max_nodes_total; /* 0: no limit */
    const struct stow_verify_quota *quota;
    uint32_t quotas;
    stow_nano budget;         /* STOW_MONEY_UNKNOWN: none */
    stow_nano priority_price; /* STOW_MONEY_UNKNOWN: none */
    bool risk;
    int64_t hours_lost;       /* for `risk`, in 10^-9 */
    stow_nano max_spot_share; /* in 10^-9; STOW_MONEY_UNKNOWN: none */
    uint32_t min_durable;
    stow_nano min_saving, disruption_price; /* of a consolidation; of nodes, where it counts them */
    enum stow_verify_minimise minimise;     /* of a consolidation */
    struct stow_allowance surge, moves;     /* of its steps, beside what the plan says itself */
    struct stow_allowance moves_all;        /* of all of them, likewise */
    double seconds;                         /* of wall time for the proof; 0: no limit */
};

/* Everything a plan is checked against. */
struct stow_verify_input {
    const struct stow_snapshot *s;
    const struct stow_books *books;
    const struct stow_bill_options *bill;
    const struct stow_profiles *profiles; /* whose filters hold; NULL: kube-scheduler's */
};

/* What is looked at, in this order. */
enum stow_verify_part {
    STOW_VERIFY_PODS,      /* every pending pod exactly once */
    STOW_VERIFY_FILTERS,   /* every pod may be where it is */
    STOW_VERIFY_LIMITS,    /* sizes of groups, quotas, totals, budget, shares */
    STOW_VERIFY_COST,      /* prices and sums */
    STOW_VERIFY_LEFT_OUT,  /* pods that are left could not go anywhere, or not beside the others */
    STOW_VERIFY_BOUND,     /* the pattern bound */
    STOW_VERIFY_RESOURCES, /* the resource prices */
    STOW_VERIFY_PARTS,
};

enum stow_verify_state {
    STOW_VERIFY_NOTHING, /* the plan claims nothing of the kind */
    STOW_VERIFY_HOLDS,
    STOW_VERIFY_UNSETTLED, /* out of time */
    STOW_VERIFY_WRONG,
};

struct stow_finding {
    enum stow_verify_part part;
    bool unsettled;
    uint32_t line, col; /* in the plan; 0: nowhere in particular */
    const char *text;
};

struct stow_verdicts {
    enum stow_verify_state state[STOW_VERIFY_PARTS];
    const char *said[STOW_VERIFY_PARTS]; /* what holds, in one line; NULL: nothing to say */
    struct stow_finding *finding;        /* what is wrong, in order of parts; at most 100 */
    uint32_t findings, finding_cap;
    uint32_t more; /* findings beyond */

    const char *kind, *strategy;
    struct stow_str currency;
    bool counts_nodes;            /* of a consolidation: amounts are nodes, 10^9 each */
    struct stow_money_sum before; /* of a consolidation: what its nodes cost now */
    struct stow_money_sum cost;   /* worked out again */
    stow_nano weighed;            /* likewise; STOW_MONEY_UNKNOWN: no weights are used */
    stow_nano bound;              /* as claimed; STOW_MONEY_UNKNOWN: none */
    stow_nano proved;             /* what the proof comes to; STOW_MONEY_UNKNOWN: none */
    stow_nano resources_bound;    /* of the resource prices, as claimed; STOW_MONEY_UNKNOWN */
    double gap;                   /* (weighed) cost / bound - 1; < 0: none */
    bool as_many;                 /* the bound is for plans that place as many pods */
    bool priced_only; /* ... of groups with a price: how far from the cheapest is unknown */
    uint32_t pods, placed, nodes;
    uint32_t leaves, kinds, searched; /* of the proof: leaves, types of nodes, searches */
    struct stow_arena arena;
};

/* Whether a plan moves pods that run (it is a Consolidation): its cluster is loaded with
 * `moves_pods`. */
int stow_verify_moves_pods(const struct stow_tape *tape, bool *ret, struct stow_err *err);

/* < 0: the plan cannot be read (STOW_EPARSE with its place), or out of memory.  Whether it holds is
 * in `ret`, which is to be freed in any case. */
int stow_verify(const struct stow_verify_input *input, const struct stow_verify_options *options,
                const struct stow_tape *plan, struct stow_verdicts *ret, struct stow_err *err);
void stow_verdicts_done(struct stow_verdicts *verdicts);

/* STOW_OK, STOW_EWRONG or STOW_ETIME. */
int stow_verdicts_code(const struct stow_verdicts *verdicts);

#endif
