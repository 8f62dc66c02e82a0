/* members.h - what members of a fleet say themselves: room on their nodes, replicas that wait. */
#ifndef STOW_DIVIDE_MEMBERS_MEMBERS_H
#define STOW_DIVIDE_MEMBERS_MEMBERS_H

#include "model/snapshot.h"

/* Replicas that fit what is free on a node; 0 where selector, affinity, taints or a cordon keep
 * them away.  The claim and the requests are of the same snapshot as the node. */
int64_t stow_node_replicas(const struct stow_snapshot *s, stow_node_id node,
                           const struct stow_node_claim *claim, stow_blob requests);

/* The sum over all nodes: the accurate estimator. */
int64_t stow_nodes_replicas(const struct stow_snapshot *s, const struct stow_node_claim *claim,
                            stow_blob requests);

/* What the descheduler leaves of `assigned` replicas: less those that cannot be scheduled, but all
 * that are ready.  `ready` -1: not known. */
int32_t stow_deschedule(int32_t assigned, int32_t ready, int32_t unschedulable);

#endif
