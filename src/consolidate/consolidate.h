/* consolidate.h - which running nodes can be removed, or replaced by cheaper ones, and in which
 * order that can be done. */
#ifndef STOW_CONSOLIDATE_CONSOLIDATE_H
#define STOW_CONSOLIDATE_CONSOLIDATE_H

#include "consolidate/movable.h"
#include "model/values/allowance.h"
#include "scale/scale.h"

struct stow_consolidate_options {
    struct stow_scale_options scale; /* limits of nodes, quotas; time_limit, gap and threads of the
                                        solver */
    bool counts_nodes;               /* a node weighs STOW_NODE_WEIGHT, whatever it costs; amounts
                                        of money below and in the answer are weights then */
    stow_nano min_saving;            /* per hour: a step that saves less is left out */
    stow_nano disruption_price;      /* per hour: what the move of one pod must earn */
    bool greedy_only;                /* without the solver: no bound, and maybe less saved */
    bool explain;                    /* list all that keeps each node, or ... */
    const char *explain_node;        /* ... only the node of this name; NULL: all */
    struct stow_allowance surge;     /* at any time: nodes, or cost, above what there is before the
                                        first step; after each step it then costs no more than that */
    struct stow_allowance moves;     /* pods that a step moves; no money */
    struct stow_allowance moves_all; /* pods that all steps together move; no money */
    bool frontier;                   /* look for plans that save less and move fewer pods, too */
    bool waits; /* pods that move may stay pending until the nodes that a step removes are gone;
                   else each fits elsewhere while they are still there */
};

#define STOW_NODE_WEIGHT STOW_NANO_PER_UNIT /* of a node, where nodes are counted */

struct stow_step_node {
    const char *name;
    stow_group_id group;
    stow_nano price; /* all that it costs per hour */
};

struct stow_step_move {
    stow_pod_id pod;
    const char *from, *to; /* names of nodes */
    bool waits;            /* it is pending until the nodes that its step removes are gone */
    uint32_t node;         /* `to` as the search numbers nodes */
};

/* Nodes are added, those to be removed are cordoned, then pods move (in this order each finds
 * room), then nodes are removed, then pods that have waited for that find their place. */
struct stow_step {
    const struct stow_step_node *add;
    const struct stow_step_move *move;
    const struct stow_step_move *room; /* of pending pods: it is kept elsewhere after the step */
    const stow_node_id *remove;
    const stow_nano *price; /* of those that are removed */
    stow_nano saving;       /* what it removes less what it adds */
    uint32_t adds, moves, rooms, removes;
    uint32_t prepares; /* it does not pay for itself: the number (from 1) of the later step with
                          which it does; else 0 */
};

/* Which nodes a plan replaces, and by what: a group for each new node. */
struct stow_exchange {
    const stow_node_id *remove;
    const stow_group_id *add;
    uint32_t removes, adds;
};

/* What the steps are held to. */
struct stow_step_limits {
    bool any;                    /* there are some of single steps */
    uint32_t nodes;              /* more than before, at any time; STOW_NONE: no limit */
    stow_nano cost;              /* likewise, per hour; STOW_MONEY_UNKNOWN: no limit */
    uint32_t moves;              /* in one step; STOW_NONE: no limit */
    uint32_t moves_all;          /* in all steps; STOW_NONE: no limit */
    struct stow_money_sum after; /* of the best plan without them */
    uint32_t nodes_after, moved;
    struct stow_exchange exchange; /* of that plan; */
    bool same;                     /* or it saves and moves as much as the answer */
};

/* One plan of several: so much is saved, and this many pods move. */
struct stow_frontier_point {
    stow_nano saving;
    uint32_t moved, steps, nodes_after;
    uint32_t largest;              /* pods that one step moves */
    bool chosen;                   /* it is the answer, or the beginning of its steps */
    uint32_t course;               /* as the search numbers them */
    struct stow_exchange exchange; /* unless it is chosen */
};

/* One thing that keeps a node, or a pod on it. */
struct stow_kept_reason {
    stow_pod_id pod;  /* STOW_NONE: it is about the node */
    const char *rule; /* a filter ("node-resources-fit"), or one of ours: "controller",
                         "annotation", "pod-disruption-budget", "price", ... */
    const char *text; /* all of it in words, without the pod */
    uint32_t nodes;   /* this many nodes refuse the pod for this; 0: not about other nodes */
    const char *node; /* the one that comes closest; NULL */
    stow_resource_id resource; /* of which the pod wants more than that node has; STOW_NONE */
    int64_t wanted, free;
};

struct stow_kept_node {
    stow_node_id node;
    const char *reason;                 /* in a few words */
    const struct stow_kept_reason *why; /* all that was found out, where it is asked for */
    uint32_t whys;
};

/* A pending pod, and the node on which it has room before the first step. */
struct stow_awaited {
    stow_pod_id pod;
    stow_node_id node;
};

struct stow_consolidation {
    const struct stow_snapshot *s;
    bool counts_nodes, waits; /* as they were asked for */
    struct stow_str currency;
    struct stow_money_sum before, after; /* per hour; nodes without a price are in both */
    stow_nano fees;                      /* in both: what is committed, in use or not */
    stow_nano saving;                    /* the difference, which is known in any case */
    uint32_t nodes_before, nodes_after;
    struct stow_guesses guesses; /* of the nodes that are there and of new ones */
    stow_nano bound;    /* no choice of nodes costs less than this; STOW_MONEY_UNKNOWN: not known,
                           or prices that matter are not, or what DaemonSets take of a new node */
    const char *method; /* how that was found out; NULL */
    struct stow_plan_proof proof; /* of the bound: nodes are those of the snapshot, ... */
    const stow_node_id *fixed;    /* ... of which these stay in any case */
    stow_nano certain;            /* what those cost */
    bool late;                    /* the search ended by the time limit, or because it was */
    bool stopped;                 /* from outside */
    bool held_by_pools;           /* NodePools keep nodes, for now or in any case */
    uint32_t moved;               /* pods */
    struct stow_step_limits limits;
    const struct stow_frontier_point *point; /* where they are asked for: fewest moves first, each
                                                saves more than the one before */
    uint32_t points, fixeds;
    struct stow_step *step;
    uint32_t steps, step_cap;
    stow_node_id explained;      /* the only node whose reasons are all listed; STOW_NONE */
    struct stow_kept_node *kept; /* every node that stays, in order of names */
    uint32_t kepts;
    const struct stow_awaited *awaited; /* in an order in which each fits */
    uint32_t awaiteds;
    const char **warning;
    uint32_t warnings, warning_cap;
    struct stow_arena arena; /* what steps and warnings consist of */
};

/* The pods that run, and the groups that nodes could be bought from.  Pods that are pending and fit
 * have room after each step, where that is cheapest.  `ret` is to be freed with done, in any case.
 */
int stow_consolidate(const struct stow_scale_input *input,
                     const struct stow_consolidate_options *options, struct stow_consolidation *ret,
                     struct stow_err *err);
void stow_consolidation_done(struct stow_consolidation *consolidation);

#endif
