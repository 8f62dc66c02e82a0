/* fleet.h - all bindings of a fleet divided at once.
 *
 *     struct stow_joint_options options = {.costs = costs, .disruption = STOW_MONEY_UNKNOWN};
 *     STOW_TRY(stow_divide_jointly(divider, &options, &made, err));
 *     ... made.binding[i].target, made.answer.cost, made.answer.bound ...
 *     stow_joint_division_done(&made); */
#ifndef STOW_DIVIDE_JOINT_FLEET_H
#define STOW_DIVIDE_JOINT_FLEET_H

#include "divide/cost/price.h"
#include "divide/joint/joint.h"

struct stow_joint_options {
    const struct stow_divide_costs *costs;
    /* What moving a replica must save per hour; STOW_MONEY_UNKNOWN: what is in place stays, unless
     * the binding is Fresh. */
    stow_nano disruption;
    bool fresh;       /* all of them */
    bool all;         /* whatever their placements say; else only those placed CostOptimized */
    const bool *in;   /* by binding id: which ones instead; NULL: as `all` says */
    uint32_t karmada; /* as in stow_divide_options */
};

/* A cluster's part of a workload. */
struct stow_joint_target {
    stow_cluster_id cluster;
    int64_t replicas, held;
    stow_nano price; /* of all of them, per hour; STOW_MONEY_UNKNOWN */
};

/* Why a binding is not divided. */
enum stow_joint_skip {
    STOW_JOINT_IN,
    STOW_JOINT_OTHER_STRATEGY,
    STOW_JOINT_NO_REPLICAS, /* nothing to divide: no replicas, or several templates */
    STOW_JOINT_NO_CLUSTER,  /* no cluster passes the filters */
};

struct stow_joint_binding {
    enum stow_joint_skip skip;
    struct stow_joint_target *target; /* by name */
    uint32_t targets;
    int64_t left_out;
    bool anew; /* what is in place breaks the constraints and could not stay */
};

struct stow_joint_division {
    struct stow_joint_binding *binding; /* by binding id */
    uint32_t workloads;                 /* that were divided */
    int64_t unpriced;                   /* replicas on clusters without a price; */
    int64_t unpriced_apart;             /* the same, one by one; what each of */
    stow_nano unpriced_weight;          /* them counts in the costs of `answer` */
    struct stow_joint_problem problem;  /* what `answer` is about */
    stow_sym *resource;                 /* names of its resources: units as in capacity.h */
    struct stow_joint_answer answer;
    struct stow_arena arena;
};

int stow_divide_jointly(struct stow_divider *divider, const struct stow_joint_options *options,
                        struct stow_joint_division *ret, struct stow_err *err);
void stow_joint_division_done(struct stow_joint_division *division);

#endif
