/* realize.h - from how many pods of a class go to which sort of node to nodes with pods on them,
 * with every rule held. */
#ifndef STOW_SCALE_REALIZE_H
#define STOW_SCALE_REALIZE_H

#include "scale/formulate.h"

/* A node of a sketch: to be bought, or of the yard. */
struct stow_sketch_node {
    stow_group_id group; /* STOW_NONE: it is there */
    uint32_t there;
};

/* Pods of a class that are meant for a node of the sketch. */
struct stow_sketch_load {
    uint32_t node, class, count;
    uint32_t nodes; /* in order: so many nodes of the sketch are there when these pods come */
};

struct stow_sketch {
    struct stow_sketch_node *node;
    struct stow_sketch_load *load; /* by node, or in the order in which pods come */
    uint32_t nodes, node_cap, loads, load_cap;
    bool in_order; /* nodes are bought as pods need them, not all at once */
};

void stow_sketch_done(struct stow_sketch *sketch);

/* One more node (`there` of the yard, or one of a group), and pods for the node added last. */
int stow_sketch_add_node(struct stow_sketch *sketch, stow_group_id group, uint32_t there);
int stow_sketch_add_load(struct stow_sketch *sketch, uint32_t class, uint32_t count);

/* The nodes and pods of a packing.  < 0: out of memory. */
int stow_sketch_of(const struct stow_formulation *formulation, const struct stow_packing *packing,
                   struct stow_sketch *ret);

/* All that a session has bought and put, in order. */
int stow_sketch_of_session(const struct stow_session *session, struct stow_sketch *ret);

/* To what a session has already, buys the nodes and puts the pods, each where it is meant to be if
 * the rules over several pods allow it there, else on another node, else on a node bought for it.
 * Nodes that end up empty are not bought, but for what the groups' minNodes ask.  Pods that find no
 * place are left. */
int stow_realize(struct stow_session *session, const struct stow_sketch *sketch,
                 const struct stow_formulate_options *options);

#endif
