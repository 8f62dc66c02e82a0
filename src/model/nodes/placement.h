/* placement.h - where scaling-advisor says a node is. */
#ifndef STOW_MODEL_NODES_PLACEMENT_H
#define STOW_MODEL_NODES_PLACEMENT_H

#include "model/snapshot.h"

#define STOW_POOL_LABEL     "sa.gardener.cloud/node-pool-name"
#define STOW_TEMPLATE_LABEL "sa.gardener.cloud/node-template-name"

/* Nodes with equal placements are replicas of each other. */
struct stow_node_placement {
    stow_sym pool, template, instance_type, region, zone;
};

/* Read from the node's labels.  NULL, or the label that it lacks of the seven that upstream asks
 * for (architecture and host name are not part of the placement). */
const char *stow_placement_of(const struct stow_snapshot *s, const struct stow_node *node,
                              struct stow_node_placement *ret);

#endif
