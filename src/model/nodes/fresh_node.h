/* fresh_node.h - what a new node of a group has beside what its document says. */
#ifndef STOW_MODEL_NODES_FRESH_NODE_H
#define STOW_MODEL_NODES_FRESH_NODE_H

#include "model/nodes/zone_labels.h"

/* Facts that all nodes of a group may have in common. */
enum stow_fact {
    STOW_FACT_OS,
    STOW_FACT_ARCH,
    STOW_FACT_TYPE,
    STOW_FACT_ZONE,
    STOW_FACT_REGION,
    STOW_FACT_POOL, /* the label that names the pool (groups.c) */
    STOW_FACT_COUNT
};

/* What the nodes of a group that are there say of it. */
struct stow_group_nodes {
    uint32_t nodes;
    stow_node_id model;                      /* the one to model new ones on, or STOW_NONE */
    struct stow_label fact[STOW_FACT_COUNT]; /* what all have; value STOW_NONE: not all the same */
    struct stow_str provider;                /* of all their provider ids; empty: not the same */
};

/* What all nodes that are there say. */
struct stow_known_nodes {
    struct stow_group_nodes *group; /* by group id; model is STOW_NONE at first */
    bool beta[STOW_FACT_POOL];      /* some node has the beta form of the label */
    struct stow_zone_labels zone;   /* sorted before it is asked */
};

/* Adds a node to what is known; < 0: out of memory. */
int stow_known_nodes_add(const struct stow_snapshot *s, stow_node_id id,
                         struct stow_known_nodes *to);

/* Completes `node`, which is the group's template or modelled on one of its nodes, and notes what
 * was added in s->group_default.  Fails with the place of the template when its size is not known.
 */
int stow_fresh_complete(struct stow_snapshot *s, stow_group_id group,
                        const struct stow_known_nodes *known, struct stow_node *node,
                        struct stow_err *err);

/* Fails with the place that a mark names. */
int stow_fail_marked(const struct stow_snapshot *s, const struct stow_mark *mark,
                     struct stow_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Of a template that states no capacity at all: that of its instance type. */
int stow_fresh_size(struct stow_snapshot *s, stow_group_id group,
                    const struct stow_known_nodes *known, struct stow_node *node);

#endif
