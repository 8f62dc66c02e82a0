/* cmd_place.h - what the ways of `stowage place` share: the cluster, the profiles, and the cluster
 * made ready for one of them. */
#ifndef STOW_CLI_CMD_PLACE_H
#define STOW_CLI_CMD_PLACE_H

#include "cli/cluster.h"
#include "place/place.h"

#define STOW_PLACE_DEFAULT "kube-default" /* what the cluster's own scheduler would do */

/* What decides: a shipped profile, a Policy, or the profiles of a scheduler's configuration. */
struct stow_cli_contender {
    const char *name;
    struct stow_profiles profiles;
};

#define STOW_CONTENDERS_MAX 32

struct stow_cli_placing {
    struct stow_cli *cli;
    struct stow_cli_cluster cluster;
    struct stow_keys keys; /* of the snapshot, before a profile brought its own */
    struct stow_cli_contender contender[STOW_CONTENDERS_MAX];
    uint32_t contenders;
};

/* The cluster with prices as one contender wants it. */
struct stow_cli_turn {
    struct stow_bill bill;
    struct stow_node_money *money;
    struct stow_state state;
};

/* The contender that --policy and --profile name. */
int stow_cli_contender_open(struct stow_cli_placing *p, struct stow_err *err);

/* Those of --compare, in the order of the answer. */
int stow_cli_contenders_open(struct stow_cli_placing *p, struct stow_err *err);

/* Reads the cluster, with all that the contenders want kept of it. */
int stow_cli_placing_load(struct stow_cli_placing *p, struct stow_err *err);
void stow_cli_placing_done(struct stow_cli_placing *p);

/* Ends with stow_cli_turn_done in any case; one at a time. */
int stow_cli_turn_open(struct stow_cli_placing *p, const struct stow_cli_contender *contender,
                       struct stow_cli_turn *ret, struct stow_err *err);
void stow_cli_turn_done(struct stow_cli_turn *turn);

/* The other ways: `--compare` and `--how-many`. */
int stow_cli_place_compare(struct stow_cli *cli, struct stow_err *err);
int stow_cli_place_how_many(struct stow_cli *cli, struct stow_err *err);

#endif
