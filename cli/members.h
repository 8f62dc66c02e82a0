/* members.h - `--cluster NAME=FILES`: members of a fleet by their own objects.
 *
 *     STOW_TRY(stow_cli_cluster_load(cli, &annotations, &fleet, err));
 *     STOW_TRY(stow_cli_members_load(cli, &fleet, &roster, err));     the fleet may grow by them
 *     ... stow_divide_costs_new(fleet.snapshot, ...) ...
 *     STOW_TRY(stow_cli_members_price(cli, &fleet, &roster, costs, err));
 *     ... stow_roster_done(&roster) ... */
#ifndef STOW_CLI_MEMBERS_H
#define STOW_CLI_MEMBERS_H

#include "cli/cluster.h"
#include "divide/roster.h"

/* clang-format off */
#define STOW_CLI_MEMBERS                                                                         \
    {.name = "cluster", .argument = "NAME=FILES", .repeats = true,                               \
     .help = "nodes, pods and groups of this cluster: room and prices come from its nodes; "     \
             "files and folders, separated by commas, as -f takes them"},                        \
    {.name = "provisionable",                                                                    \
     .help = "nodes that the clusters' groups could still buy count as room, at their price"}
/* clang-format on */

/* Reads the members that the options name and lets them join the fleet; what the reader warns of
 * goes to stderr.  `ret` is zeroed, and valid for stow_roster_done in any case. */
int stow_cli_members_load(struct stow_cli *cli, const struct stow_cli_cluster *fleet,
                          struct stow_roster *ret, struct stow_err *err);

/* Their prices, by the options that the fleet was loaded with and --provisionable. */
int stow_cli_members_price(struct stow_cli *cli, const struct stow_cli_cluster *fleet,
                           struct stow_roster *roster, struct stow_divide_costs *costs,
                           struct stow_err *err);

#endif
