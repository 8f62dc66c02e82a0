/* capacity_type.h - whether a node is on-demand, spot or reserved. */
#ifndef STOW_MODEL_NODES_CAPACITY_TYPE_H
#define STOW_MODEL_NODES_CAPACITY_TYPE_H

#include "model/snapshot.h"

/* What its labels and annotations say, else what its group says, else on-demand. */
enum stow_capacity_type stow_node_capacity_type(const struct stow_snapshot *s,
                                                const struct stow_node *node);

#endif
