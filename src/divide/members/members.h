/* members.h - what members of a fleet say themselves: room on their nodes, replicas that wait. */
#ifndef STOW_DIVIDE_MEMBERS_MEMBERS_H
#define STOW_DIVIDE_MEMBERS_MEMBERS_H

#include "model/snapshot.h"

/* Replicas that fit what is free on a node; 0 where selector, affinity, taints or a cordon keep
 * them away.  The claim and the requests are of the same snapshot as the node. */
int64_t stow_node_replicas(const struct stow_snapshot *s, stow_node_id node,
                           const struct stow_node_claim *claim, stow_blob requests);

#endif
