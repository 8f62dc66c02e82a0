/* sketch.h - what a plan is meant to be, before every rule has been asked. */
#ifndef STOW_SCALE_CHEAPEST_SKETCH_H
#define STOW_SCALE_CHEAPEST_SKETCH_H

#include "scale/cheapest/formulate.h"

/* A node of a sketch: to be bought, or of the yard. */
struct stow_sketch_node {
    stow_group_id group; /* STOW_NONE: it is there */
    uint32_t there;
};

/* Pods of a class that are meant for a node of the sketch. */
struct stow_sketch_load {
    uint32_t node, class, count;
};

struct stow_sketch {
    struct stow_sketch_node *node;
    struct stow_sketch_load *load; /* in the order in which pods come */
    uint32_t nodes, node_cap, loads, load_cap;
    bool there_first; /* pods that are refused try nodes that are there before new ones */
    bool closed;      /* nothing is bought for pods that it leaves */
    bool tried;       /* pod by pod: what others ask for holds in the end, if not in between */
};

void stow_sketch_done(struct stow_sketch *sketch);

/* One more node (`there` of the yard, or one of a group), and pods for the node added last. */
int stow_sketch_add_node(struct stow_sketch *sketch, stow_group_id group, uint32_t there);
int stow_sketch_add_load(struct stow_sketch *sketch, uint32_t class, uint32_t count);

/* The nodes and pods of a packing.  < 0: out of memory. */
int stow_sketch_of(const struct stow_formulation *formulation, const struct stow_packing *packing,
                   struct stow_sketch *ret);

/* The other way round: the sketch as a packing of the problem.  1: it is none, because of a group
 * or a class that the problem does not have; whether it keeps to the limits is not asked. */
int stow_sketch_pack(const struct stow_formulation *formulation, const struct stow_yard *yard,
                     const struct stow_sketch *sketch, struct stow_packing *ret);

/* Loads in an order in which pods wait for each other as little as may be: those with the
 * strictest spread constraints first. */
int stow_sketch_sort(const struct stow_yard *yard, struct stow_sketch *sketch);

/* A copy with the loads of each node together. */
int stow_sketch_by_node(const struct stow_sketch *sketch, struct stow_sketch *ret);

#endif
