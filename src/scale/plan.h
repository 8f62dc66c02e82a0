/* plan.h - what to buy, where the pending pods go, what is left and why. */
#ifndef STOW_SCALE_PLAN_H
#define STOW_SCALE_PLAN_H

#include "base/arena.h"
#include "model/snapshot.h"
#include "scale/chain.h"
#include "scale/nru.h"

/* A list of pods inside stow_plan.pod. */
struct stow_pod_range {
    uint32_t first, count;
};

/* A node to buy.  It is called GROUP-NUMBER, NUMBER counting on from the group's size. */
struct stow_plan_node {
    const char *name;
    stow_group_id group;
    stow_nano price; /* all that it costs per hour, fee included; STOW_MONEY_UNKNOWN */
    stow_nano waste; /* the part of the price that nobody asked for; STOW_MONEY_UNKNOWN */
    struct stow_pod_range pods;
};

/* Pending pods that go to a node that is there already, or on its way (then it has no id). */
struct stow_plan_existing {
    const char *name;
    bool upcoming;
    uint32_t node; /* of the snapshot; those on their way behind them */
    struct stow_pod_range pods;
};

struct stow_plan_group {
    stow_group_id group;
    uint32_t from, to; /* nodes; upcoming ones are in `from` */
};

struct stow_plan_reason {
    const char *text; /* "Insufficient cpu", "max node group size reached", ... */
    uint32_t groups;  /* how many groups say so; 0: it is not about groups */
};

struct stow_unplaced {
    stow_pod_id pod;
    bool awaits;      /* of a single round: some group could take it, so the next round may */
    bool choice_fits; /* of a single round: the group that was chosen could, but for its limits */
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

struct stow_plan {
    const char *strategy; /* as it was asked for: "price,least-waste", "greedy:price", "nru" */
    const char *rules;    /* the rule set that ran: "current", "document"; NULL: it has none */
    const struct stow_snapshot *s;
    struct stow_str currency;
    stow_nano cost;      /* per hour, of the new nodes whose price is known */
    stow_nano waste;     /* likewise */
    double milliseconds; /* what deciding took; not part of the answer's bytes */

    struct stow_plan_node *node;
    uint32_t nodes;
    uint32_t unpriced; /* of them, those whose price is not known: not in `cost` */
    struct stow_plan_existing *existing;
    struct stow_plan_group *group; /* those that change, in order of names */
    uint32_t existings, groups;
    struct stow_unplaced *unplaced; /* in order of namespace and name */
    stow_pod_id *pod;               /* what the ranges point into */
    uint32_t unplaceds, pods, placed;

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
