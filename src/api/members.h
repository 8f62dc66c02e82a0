/* members.h - `--cluster NAME=FILES`: members of a fleet by their own objects.
 *
 *     STOW_TRY(stow_call_cluster_load(call, &annotations, &fleet, err));
 *     STOW_TRY(stow_call_members_load(call, &fleet, &roster, err));     the fleet may grow by them
 *     ... stow_divide_costs_new(fleet.snapshot, ...) ...
 *     STOW_TRY(stow_call_members_price(call, &fleet, &roster, costs, err));
 *     ... stow_roster_done(&roster) ... */
#ifndef STOW_CALL_MEMBERS_H
#define STOW_CALL_MEMBERS_H

#include "api/cluster.h"
#include "divide/members/roster.h"

/* clang-format off */
#define STOW_CALL_MEMBERS                                                                         \
    {.name = "cluster", .argument = "NAME=FILES", .repeats = true,                               \
     .help = "nodes, pods and groups of this cluster, which give its capacity and prices; "      \
             "files and folders, separated by commas, as in -f"},                                \
    {.name = "provisionable",                                                                    \
     .help = "also count nodes that the groups of the clusters could buy, at their price"}
/* clang-format on */

/* Reads the members that the options name and lets them join the fleet; what the reader warns of
 * goes to stderr.  `ret` is zeroed, and valid for stow_roster_done in any case. */
int stow_call_members_load(struct stow_call *call, const struct stow_call_cluster *fleet,
                           struct stow_roster *ret, struct stow_err *err);

/* Their prices, by the options that the fleet was loaded with and --provisionable. */
int stow_call_members_price(struct stow_call *call, const struct stow_call_cluster *fleet,
                            struct stow_roster *roster, struct stow_divide_costs *costs,
                            struct stow_err *err);

#endif
