/* plan.h - what to buy, where the pending pods go, what is left and why. */
#ifndef STOW_SCALE_PLAN_H
#define STOW_SCALE_PLAN_H

#include "base/arena.h"
#include "model/snapshot.h"
#include "optimal/phases.h"
#include "price/bill/bill.h"
#include "scale/rules/chain.h"
#include "scale/rules/nru.h"

/* A list of pods inside stow_plan.pod. */
struct stow_pod_range {
    uint32_t first, count;
};

/* A node to buy.  It is called GROUP-NUMBER, NUMBER counting on from the group's size; names that
 * are taken are skipped. */
struct stow_plan_node {
    const char *name;
    stow_group_id group;
    stow_nano price; /* all that it costs per hour, fee included; STOW_MONEY_UNKNOWN */
    stow_nano waste; /* the part of the price that no pod requests; STOW_MONEY_UNKNOWN */
    struct stow_pod_range pods;
    const char *source; /* of the price: "catalogue", "imported", ...; NULL: there is none */
};

/* Pending pods that go to a node that is there already, or on its way (then it has no id). */
struct stow_plan_existing {
    const char *name;
    bool upcoming;
    uint32_t node; /* of the snapshot; those on their way after them */
    struct stow_pod_range pods;
};

struct stow_plan_group {
    stow_group_id group;
    uint32_t from, to; /* nodes; upcoming ones are in `from` */
};

/* What a group has to say for a reason. */
struct stow_plan_where {
    stow_group_id group;
    const char *detail;        /* NULL: there is no more to say, or it is the amounts */
    stow_resource_id resource; /* STOW_NONE: it is not about one */
    int64_t wanted, free;      /* of an empty node, */
    int64_t used, capacity;    /* on which pods of DaemonSets run */
};

struct stow_plan_reason {
    const char *text;   /* "Insufficient cpu", "max node group size reached", ... */
    uint32_t groups;    /* how many groups say so; 0: it is not about groups */
    const char *filter; /* that refuses it; NULL: none does */
    const struct stow_plan_where *where; /* per group that says so, in order of names */
};

struct stow_unplaced {
    stow_pod_id pod;
    bool awaits;      /* of a single round: some group could take it, so the next round may */
    bool choice_fits; /* of a single round: the group that was chosen could, but for its limits */
    bool fits;        /* a node has room for it, but the rules keep it only beside a new node */
    uint32_t reasons;
    const struct stow_plan_reason *reason; /* shared by pods that are alike */
};

/* ---- how it came about, for explanations ------------------------------------------------- */

/* Some of the pods of a run: `count` like this one. */
struct stow_taken_pods {
    stow_pod_id pod;
    uint32_t count;
};

/* What a group offers in one round. */
struct stow_round_option {
    stow_group_id group;
    uint32_t nodes, pods; /* 0 nodes: no option, and `why` says why */
    const struct stow_taken_pods *taken;
    uint32_t takens;
    const char *why;
};

/* One more node of a group, as NRU sees it. */
struct stow_round_placement {
    stow_group_id group;
    uint32_t pods, side_pods; /* on the new node, on others */
    double nru;               /* of all of them */
    double nru_capacity;      /* of the node's allocatable */
    stow_nano price;
    double score;    /* NRU per price; least-waste: NRU wasted */
    int64_t value;   /* main, pr158: the integer that is compared */
    const char *why; /* it is out of the running: no price, no pod on the new node */
};

struct stow_round {
    uint32_t number; /* from 1 */
    /* of a chain */
    uint32_t options;
    const struct stow_round_option *option; /* per group that could grow, in order of names */
    const struct stow_candidate *candidate; /* those with nodes and pods, in order of names */
    const stow_group_id *candidate_group;
    uint32_t candidates;
    struct stow_chain_result chain;
    /* of nru */
    const struct stow_round_placement *placement; /* per candidate */
    uint32_t placements, winner, runner_up;       /* UINT32_MAX: none */
    int32_t pool_priority, template_priority;
    /* of both: what the round bought */
    uint32_t boughts;
    const struct stow_plan_group *bought;
};

/* ---- the proof of `optimal` -------------------------------------------------------------- */

enum stow_proof_limit_kind {
    STOW_PROOF_MAX_NODES,
    STOW_PROOF_MIN_NODES,
    STOW_PROOF_NODES_TOTAL,
    STOW_PROOF_QUOTA,
    STOW_PROOF_POOL,
    STOW_PROOF_COMMITMENT,
    STOW_PROOF_BUDGET,
    STOW_PROOF_NODE,
    STOW_PROOF_AT_MOST,
    STOW_PROOF_AT_LEAST,
};

/* A limit that has a price: sum of a * nodes <= amount. */
struct stow_plan_limit {
    enum stow_proof_limit_kind kind;
    stow_group_id group;      /* of one group */
    struct stow_str resource; /* of a quota, and of a pool's limits */
    const char *pool;         /* whose limit it is; NULL: of no pool */
    const char *commitment;   /* "TYPE in REGION", of committed nodes; NULL: of no commitment */
    const uint32_t *node;     /* existing nodes with the same room, one each */
    uint32_t nodes;
    int64_t amount;  /* nodes; of a quota, milli-cores, bytes or devices; of the budget, money */
    stow_nano price; /* per node, core, GiB, device or unit of the currency */
    int64_t unit;    /* of a quota and of the budget: so much of the amount has that price */
};

/* A leaf with its prices, or a split. */
struct stow_plan_branch {
    bool is_split;
    stow_group_id
        group; /* of a split: at most `at` new nodes of its set (le), or more (gt); or, ... */
    const uint32_t *node; /* ... where it is STOW_NONE, of these existing nodes */
    uint32_t nodes;
    uint32_t at, le, gt;
    const stow_nano *price; /* of a leaf: per slot of the classes */
    const struct stow_plan_limit *limit;
    uint32_t limits;
    stow_nano bound;
};

/* In splits, and in limits that follow from them, a group stands for itself and for others. */
struct stow_plan_set {
    stow_group_id group;
    const stow_group_id *other;
    uint32_t others;
};

struct stow_plan_class {
    const stow_pod_id *pod;
    uint32_t pods;
    uint32_t slot;             /* of its price in leaves; of a family, of its first one: */
    const char *topology;      /* the key over whose domains a rule shares it out; NULL: none */
    const char *const *domain; /* a price for each of these */
    uint32_t domains;
    stow_nano price; /* what one more of them costs at the margin; STOW_MONEY_UNKNOWN: no room */
};

struct stow_plan_proof {
    const struct stow_plan_class *class; /* pods that something could take, each once */
    uint32_t classes;
    const struct stow_plan_branch *branch; /* the first is the root */
    uint32_t branches;
    const struct stow_plan_set
        *set; /* of groups that splits name; the others stand for themselves */
    uint32_t sets;
    bool in_order;    /* for plans with every pod on the first groups of the order that take it */
    const char *lift; /* "common-divisor", "reachable"; NULL: none */
    stow_nano lift_unit, tree_bound;
    const stow_nano *resource_price; /* per resource: per core, GiB, device and pod slot; NULL */
    stow_nano resource_bound;
};

/* The next cheapest groups that could hold the same nodes. */
#define STOW_FALLBACKS 2
struct stow_plan_fallback {
    stow_group_id group[STOW_FALLBACKS];
    uint32_t count;
};

struct stow_plan {
    const char *strategy; /* as it was asked for: "price,least-waste", "greedy:price", "nru" */
    const char *rules;    /* the rule set that ran: "current", "document"; NULL: it has none */
    const struct stow_snapshot *s;
    struct stow_str currency;
    struct stow_money_sum cost;  /* per hour, of the new nodes; unknown if there are none because
                                    groups that would take pods have no price */
    struct stow_money_sum waste; /* likewise */
    uint32_t open_claims; /* pods that it places whose volumes may be elsewhere (open_claim.h) */
    struct stow_guesses guesses; /* of the new nodes */
    const char *breaks;          /* limits that it does not keep to, in a few words; NULL: none */
    double milliseconds;         /* what deciding took; not part of the answer's bytes */

    /* of `optimal` */
    struct stow_phases phases; /* likewise */
    bool has_bound, as_many;   /* the bound is for plans that place as many pods, not all */
    bool searched;             /* by a strategy that goes on until the plan is proven */
    bool settled;              /* ended by the gap, not by time */
    bool stopped;              /* from outside, before that */
    bool unsolved;             /* a linear program was not */
    bool is_weighed;           /* risk or priorities have a price: bound and gap are for `weight` */
    const char *relaxed;       /* rules that the bound leaves out, in a few words; NULL: none */
    const stow_group_id *unpriced; /* groups without a price that could take pending pods, where
                                      something costs money, or pods that are left: the bound is
                                      for the others only */
    uint32_t unpriceds;
    stow_nano weight, bound;
    double gap;
    struct stow_plan_proof proof;
    const char *const *real_name; /* per node of the snapshot, then those on their way */
    const struct stow_plan_fallback *fallback; /* per entry of `group`; NULL: not asked for */

    struct stow_plan_node *node;
    uint32_t nodes;
    struct stow_plan_existing *existing;
    struct stow_plan_group *group; /* those that change, in order of names */
    uint32_t existings, groups;
    struct stow_unplaced *unplaced; /* in order of namespace and name */
    stow_pod_id *pod;               /* what the ranges point into */
    uint32_t unplaceds, pods, placed;
    bool daemons_help;        /* pods are left that a node bought for its daemons might help */
    bool lacks_price;         /* pods are left because a group that would take them has none */
    const stow_pod_id *order; /* the pods placed, in an order in which every filter accepts each
                                 with all nodes there; NULL: any order will do */

    uint32_t rounds;
    struct stow_round *round;      /* only when asked for */
    enum stow_nru_rules nru_rules; /* of nru: how the placements of rounds are compared */
    enum stow_nru_scorer nru_scorer;

    uint32_t warnings;
    const char **warning;
    struct stow_arena arena; /* everything above */
};

void stow_plan_done(struct stow_plan *plan);

#endif
