/* cmd_scale.h - what the options of `stowage scale` say, in the words of src/scale. */
#ifndef STOW_CLI_CMD_SCALE_H
#define STOW_CLI_CMD_SCALE_H

#include "cli/cluster.h"
#include "place/profile.h"
#include "scale/policy.h"
#include "scale/scale.h"

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
