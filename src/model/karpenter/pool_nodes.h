/* pool_nodes.h - which nodes and NodeClaims are those of a NodePool's groups. */
#ifndef STOW_MODEL_KARPENTER_POOL_NODES_H
#define STOW_MODEL_KARPENTER_POOL_NODES_H

#include "model/karpenter/pool.h"

/* The group of a node by the labels that its pool put on it: POOL/TYPE/ZONE/CAPACITY, or
 * the variant of it whose labels the node has, among the first `groups` groups, which are sorted by
 * name.  STOW_NONE: there is none. */
stow_group_id stow_pool_group_of(const struct stow_snapshot *s, stow_blob labels, uint32_t groups);

/* An implied group of nodes that a pool made, but no longer would: they count in its limits. */
int stow_pool_adopt(struct stow_snapshot *s, const struct stow_node *node);

/* A step of finishing: claims that have no node yet are nodes that are coming; current_nodes are
 * known. */
int stow_count_machine_claims(struct stow_snapshot *s);

#endif
