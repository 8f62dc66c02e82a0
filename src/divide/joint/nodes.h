/* nodes.h - the nodes of a member, those that are alike as one. */
#ifndef STOW_DIVIDE_JOINT_NODES_H
#define STOW_DIVIDE_JOINT_NODES_H

#include "divide/cost/price.h"

/* Nodes of one price with the same size and the same room are a class, as are the nodes that a
 * group could still buy. */
struct stow_node_classes {
    uint32_t *of; /* per node, then per group; STOW_NONE: there is no room */
    uint32_t count;
    int64_t *free; /* [class * resources + resource], of all its nodes */
};

/* `resource` are texts of the fleet, the last one is pods. */
struct stow_node_question {
    const struct stow_member *member;
    const struct stow_snapshot *fleet;
    const stow_sym *resource;
    uint32_t resources;
};

int stow_node_classes_find(const struct stow_node_question *q, struct stow_arena *arena,
                           struct stow_node_classes *ret, struct stow_err *err);

#endif
