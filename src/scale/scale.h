/* scale.h - which node groups should grow, and by how much. */
#ifndef STOW_SCALE_SCALE_H
#define STOW_SCALE_SCALE_H

#include "base/listener.h"
#include "price/bill/bill.h"
#include "scale/plan.h"
#include "scale/rules/priority.h"
#include "scale/rules/similar.h"

/* A strategy as asked for. */
enum stow_strategy_kind {
    STOW_STRATEGY_CHAIN,     /* one decision of the chain */
    STOW_STRATEGY_GREEDY,    /* the chain until nothing is pending */
    STOW_STRATEGY_NRU,       /* one node at a time by NRU per price */
    STOW_STRATEGY_OPTIMAL,   /* the cheapest mix, with a bound that proves how cheap */
    STOW_STRATEGY_KARPENTER, /* Karpenter's own rule of packing */
};

struct stow_strategy {
    enum stow_strategy_kind kind;
    const char *text; /* as given */
    struct stow_chain chain;
};

/* "price", "least-waste,price", "greedy:price", "nru".  `text` is borrowed. */
int stow_strategy_parse(const char *text, struct stow_strategy *ret, struct stow_err *err);

/* --quota RESOURCE=AMOUNT: limits the capacity of existing and new nodes together. */
struct stow_quota {
    stow_sym resource; /* STOW_NONE: "nodes" */
    struct stow_str name;
    int64_t amount; /* milli-cores, bytes, devices, nodes */
};

enum stow_price_source {
    STOW_PRICES_BOOK, /* the group's price, else the books', else (on GCE) the price model */
    STOW_PRICES_GCE,  /* the autoscaler's GCE price model for every group that states no price */
    STOW_PRICES_NONE, /* not asked for: whoever plans counts something else */
};

struct stow_scale_options {
    uint32_t max_nodes_total;       /* 0: no limit */
    uint32_t max_nodes_per_scaleup; /* 1000 */
    const struct stow_quota *quota;
    uint32_t quotas;
    bool balance_similar, all_or_nothing, fastpath, strict_upstream;
    bool unlimited_estimates; /* limits cut decisions, but options are made without them */
    bool as_nodes_come;       /* pods stay where a rule that buys node by node put them, though
                                 spreading may refuse some with all nodes there: for comparing with
                                 upstream */
    struct stow_similar_options similar;
    enum stow_price_rules price_rules;
    enum stow_price_source prices;
    enum stow_nru_rules nru_rules;
    enum stow_nru_scorer nru_scorer;
    const struct stow_nru_named *nru_weight; /* in place of and beside the rule set's own */
    uint32_t nru_weights;
    const struct stow_priorities *priorities; /* NULL: none given */
    uint64_t seed;
    bool explain; /* keep the rounds */

    /* of `optimal` */
    bool has_budget, has_priority_price, has_spot_share;
    stow_nano budget;         /* new nodes cost at most this per hour */
    stow_nano priority_price; /* of a step down the priorities of groups; else they come in order */
    bool risk;                /* a spot node weighs what its interruptions cost, too */
    int64_t hours_lost;       /* of work per interruption, in 10^-9 */
    int64_t max_spot_share;   /* of a workload's pods on spot nodes, in 10^-9 */
    uint32_t min_durable;     /* of a workload's pods on other nodes, at least; or all */
    double time_limit, gap;   /* seconds; relative */
    bool all_timed; /* the limit holds for other strategies as well: who is not ready by then has no
                       plan (STOW_ETIME) */
    uint32_t threads;                     /* 0: as many as there are processors */
    const struct stow_listener *listener; /* of `optimal`; NULL: nobody */
};

/* Everything a plan is made from; all borrowed. */
struct stow_scale_input {
    const struct stow_snapshot *s;
    const struct stow_books *books;
    const struct stow_bill_options *bill;
    const struct stow_profiles *profiles; /* whose filters hold; NULL: kube-scheduler's */
};

struct stow_scale;

/* Prepares once (classes of pods, what fits where, prices); any number of strategies can then be
 * asked.  Bad groups (no cpu, allocatable above capacity, currencies that differ) are errors here,
 * naming the object and the field. */
int stow_scale_new(const struct stow_scale_input *input, const struct stow_scale_options *options,
                   struct stow_scale **ret, struct stow_err *err);
void stow_scale_free(struct stow_scale *scale);

/* Plans that others have made for the same question. */
struct stow_known_plans {
    const struct stow_plan *plan;
    uint32_t count;
};

/* The plan of a strategy.  `ret` is to be freed with stow_plan_done.  `optimal` is never more
 * expensive than a plan that is known, and does not make it again; NULL: none is. */
int stow_scale_plan(struct stow_scale *scale, const struct stow_strategy *strategy,
                    const struct stow_known_plans *known, struct stow_plan *ret,
                    struct stow_err *err);

/* Marks plans, of several for the same pods, that have fewer pods on groups of the highest priority
 * (then of the next) than another that places as many. */
void stow_plans_obey_order(struct stow_plan *plan, uint32_t plans);

#endif
