/* scale.h - what the options of `stowage scale` say, in the words of src/scale. */
#ifndef STOW_API_SCALE_H
#define STOW_API_SCALE_H

#include "api/cluster.h"
#include "place/profiles/profile.h"
#include "scale/policy.h"
#include "scale/scale.h"

/* Options of `optimal`, for the verbs that solve. */
/* clang-format off */
#define STOW_CALL_OPTIMAL                                                                         \
    {.name = "time-limit", .argument = "TIME", .fallback = "10s",                                \
     .help = "optimal: search at most this long"},                                               \
    {.name = "gap", .argument = "FRACTION", .fallback = "0.0001",                                \
     .help = "optimal: stop when the plan is proven to be this close to the cheapest"},          \
    {.name = "threads", .argument = "N", .fallback = "0",                                        \
     .help = "optimal: number of threads; 0: one per processor; the result is the same"}

/* What plans may cost and weigh, for the verbs that make or check them. */
#define STOW_CALL_WEIGHTS                                                                         \
    {.name = "budget", .argument = "MONEY", .help = "limit on the cost of new nodes per hour"},  \
    {.name = "priority-price", .argument = "MONEY",                                              \
     .help = "cost per node and hour of each step down the priorities of groups; without "       \
             "it, groups of high priority are used first"},                                      \
    {.name = "risk", .help = "add the cost of interruptions to spot nodes"},                     \
    {.name = "hours-lost", .argument = "HOURS", .fallback = "0.5",                               \
     .help = "with --risk, the work lost at each interruption"},                                 \
    {.name = "max-spot-share", .argument = "FRACTION",                                           \
     .help = "at most this share of a workload's pods on spot nodes"},                           \
    {.name = "min-durable", .argument = "N", .fallback = "0",                                    \
     .help = "at least this many pods of a workload, or all, on nodes that are not spot"}
/* clang-format on */

/* Everything the options name, and what they were read from.  Zeroed is valid. */
struct stow_call_scaling {
    struct stow_call_cluster cluster;
    struct stow_profiles profiles; /* count 0: kube-scheduler's filters */
    struct stow_scale_policy policy;
    struct stow_priorities *priorities; /* of --priorities or of the ConfigMap; may be NULL */
    struct stow_scale_options options;
    struct stow_arena arena; /* lists of `options` */
};

/* Reads cluster, policy, priorities and limits; `moves`: pods that run may get other nodes.  `ret`
 * is valid for done in any case. */
int stow_call_scaling_open(struct stow_call *call, bool moves, struct stow_call_scaling *ret,
                           struct stow_err *err);
void stow_call_scaling_done(struct stow_call_scaling *scaling);

#endif
