/* answer.h - the bindings of a fleet divided, each by itself or together, with what that costs.
 *
 *     struct stow_fleet_options options = {.costs = costs, .disruption = STOW_MONEY_UNKNOWN};
 *     STOW_TRY(stow_fleet_divide(s, &options, &answer, err));
 *     ... answer.workload[i].target, answer.cost, answer.warning ...
 *     stow_fleet_answer_done(&answer);
 *
 * Each by itself is how Karmada decides: every binding sees the fleet as it is given, not what the
 * one before it has just taken.  Where all of them together want more than there is, a warning says
 * so; dividing together (`joint`) cannot want more. */
#ifndef STOW_DIVIDE_ANSWER_ANSWER_H
#define STOW_DIVIDE_ANSWER_ANSWER_H

#include "divide/joint/fleet.h"

struct stow_fleet_options {
    struct stow_divide_options each; /* costs and estimates are filled in */
    const struct stow_divide_costs *costs;
    const bool *wanted;   /* by binding id; NULL: all */
    bool joint;           /* what divides by capacity or cost is divided together */
    stow_nano disruption; /* of `joint`, as in stow_joint_options */
    bool keep;            /* how each decision came about stays in the answer */
    bool spread_costs;    /* what each spread constraint costs, and what could be saved */
};

/* A cluster's part of a workload. */
struct stow_fleet_target {
    stow_sym name;
    stow_cluster_id cluster; /* STOW_NONE: no such cluster is given */
    int64_t replicas, held;
    stow_nano cost; /* of all its replicas, per hour; STOW_MONEY_UNKNOWN */
};

/* The cheapest division of a workload, all of it from scratch, with all constraints and without
 * one. */
struct stow_spread_cost {
    struct stow_spread_constraint constraint;
    bool possible, possible_without;
    stow_nano with, without; /* per hour; STOW_MONEY_UNKNOWN */
};

struct stow_fleet_workload {
    const struct stow_binding *binding;
    struct stow_division made;        /* without traces unless `keep`; of `joint`, as it ended */
    struct stow_price_list *price;    /* by cluster id, unknown ones as assumed; of `keep` */
    struct stow_fleet_target *target; /* by name; then those that have none any more */
    uint32_t targets, emptied;
    struct stow_money_sum cost; /* of its replicas */
    int64_t moved;              /* replicas that are no longer where they were */
    int64_t unplaced;
    uint32_t overfull; /* clusters with more than fits, where the strategy does not look */
    uint32_t broken;   /* spread constraints on clusters and regions that are not kept */
    bool joint;        /* divided together with others */
    struct stow_spread_cost *spread; /* of `spread_costs` */
    uint32_t spreads;
    bool possible_anew; /* of `spread_costs`, where there is room to choose: the cheapest */
    stow_nano anew;     /* division, all of it from scratch; STOW_MONEY_UNKNOWN */
    bool unsure;        /* ... of the clusters with a price: one without could take replicas */
};

struct stow_fleet_answer {
    const struct stow_snapshot *s;
    const struct stow_divide_costs *costs;
    struct stow_fleet_workload *workload; /* in order of bindings */
    uint32_t workloads;
    struct stow_money_sum cost; /* sums over them */
    int64_t replicas, moved, unplaced;
    uint32_t overfull; /* clusters with more than fits, of one workload or of all together */
    uint32_t karmada;  /* minor version whose rules held */
    bool jointly;
    stow_nano disruption;
    struct stow_joint_division joint;
    const char **warning; /* "default/web: ..." */
    uint32_t warnings, warning_cap;
    struct stow_arena arena;
};

/* `ret` is to be freed with done; on failure it is empty. */
int stow_fleet_divide(const struct stow_snapshot *s, const struct stow_fleet_options *options,
                      struct stow_fleet_answer *ret, struct stow_err *err);
void stow_fleet_answer_done(struct stow_fleet_answer *answer);

/* "namespace/name" of what a binding binds, or its name alone when it has no namespace. */
void stow_binding_workload(const struct stow_snapshot *s, const struct stow_binding *binding,
                           struct stow_buf *to);

/* What a joint division and one by one cost, as far as it is known: STOW_MONEY_UNKNOWN where
 * replicas without a price may be among them. */
struct stow_joint_figures {
    struct stow_money_sum price, one_by_one;
    stow_nano weighed, one_by_one_weighed; /* with the price of moves */
    stow_nano bound; /* of `weighed`; only if every cluster that could take replicas has a price */
};

struct stow_joint_figures stow_joint_figures(const struct stow_joint_division *joint);

/* Whether a cluster (STOW_NONE: any) without a price could have taken replicas that were divided
 * together. */
bool stow_joint_lacks_price(const struct stow_joint_division *joint, stow_cluster_id cluster);

/* Room that is short: what one more core, GiB, device or pod there would save per hour, by the
 * prices that prove the bound. */
struct stow_scarce {
    stow_cluster_id cluster;
    stow_sym resource;
    stow_nano price;
};

/* In order of clusters, in the arena; those worth nothing are left out. */
int stow_joint_scarce(const struct stow_fleet_answer *answer, struct stow_arena *arena,
                      struct stow_scarce **ret, uint32_t *ret_count, struct stow_err *err);

#endif
