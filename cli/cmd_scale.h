/* cmd_scale.h - what the options of `stowage scale` say, in the words of src/scale. */
#ifndef STOW_CLI_CMD_SCALE_H
#define STOW_CLI_CMD_SCALE_H

#include "cli/cluster.h"
#include "place/profile.h"
#include "scale/policy.h"
#include "scale/scale.h"

/* Options of `optimal`, for the verbs that solve. */
/* clang-format off */
#define STOW_CLI_OPTIMAL                                                                         \
    {.name = "time-limit", .argument = "TIME", .fallback = "10s",                                \
     .help = "optimal: the best plan and bound found in this time"},                             \
    {.name = "gap", .argument = "FRACTION", .fallback = "0.0001",                                \
     .help = "optimal: stop when the plan is proven to be this close to the cheapest"},          \
    {.name = "threads", .argument = "N", .fallback = "0",                                        \
     .help = "optimal: 0 is as many as there are processors; the answer is the same"}

/* What plans may cost and weigh, for the verbs that make or check them. */
#define STOW_CLI_WEIGHTS                                                                         \
    {.name = "budget", .argument = "MONEY", .help = "new nodes cost at most this per hour"},     \
    {.name = "priority-price", .argument = "MONEY",                                              \
     .help = "a step down the priorities of groups weighs this per node and hour; otherwise "    \
             "groups of high priority are used first"},                                          \
    {.name = "risk", .help = "spot nodes weigh what their interruptions cost, too"},             \
    {.name = "hours-lost", .argument = "HOURS", .fallback = "0.5",                               \
     .help = "with --risk, work lost at each interruption"},                                     \
    {.name = "max-spot-share", .argument = "FRACTION",                                           \
     .help = "at most this part of a workload's pods on spot nodes"},                            \
    {.name = "min-durable", .argument = "N", .fallback = "0",                                    \
     .help = "at least this many pods of a workload, or all, on nodes that are not spot"}
/* clang-format on */

/* Everything the options name, and what they were read from.  Zeroed is valid. */
struct stow_cli_scaling {
    struct stow_cli_cluster cluster;
    struct stow_profiles profiles; /* count 0: kube-scheduler's filters */
    struct stow_scale_policy policy;
    struct stow_priorities *priorities; /* of --priorities or of the ConfigMap; may be NULL */
    struct stow_scale_options options;
    struct stow_arena arena; /* lists of `options` */
};

/* Reads cluster, policy, priorities and limits.  `ret` is valid for done in any case. */
int stow_cli_scaling_open(struct stow_cli *cli, struct stow_cli_scaling *ret, struct stow_err *err);
void stow_cli_scaling_done(struct stow_cli_scaling *scaling);

#endif
