/* allocation.h - what the three strategies of NodeResourcesFit share: their resources, and shares
 * of them in whole percent. */
#ifndef STOW_PLACE_SCORERS_ALLOCATION_H
#define STOW_PLACE_SCORERS_ALLOCATION_H

#include "place/scorers/columns.h"

/* The options of least-allocated and most-allocated, and the start of the others'. */
struct stow_allocation {
    struct stow_weighted_list resources;
};

void stow_allocation_defaults(void *self);
int stow_allocation_read_resources(struct stow_cursor *c, void *self);

/* The list, or cpu and memory when it is empty, as upstream fills it in. */
const struct stow_weighted_list *stow_allocation_resources(const struct stow_weighted_list *list);

/* Upstream's validation: weights from 1 to 100. */
int stow_allocation_check(const void *self, struct stow_err *err);

/* Into `prep`, a struct stow_columns. */
int stow_allocation_prepare(const void *self, const struct stow_state *state,
                            const struct stow_subject *pod, void *prep, struct stow_arena *arena);

enum stow_allocation_share {
    STOW_SHARE_FREE, /* what is left with the pod on the node; 0 when it does not fit */
    STOW_SHARE_USED, /* what is taken with the pod on the node, at most all of it */
};

/* The mean of the shares, by weight, each rounded down to whole percent, rounded down; resources
 * that a node does not have are left out, 0 when it has none. */
void stow_allocation_score(const struct stow_columns *columns, enum stow_allocation_share share,
                           const stow_node_id *nodes, uint32_t count, double *raw);

/* One share: 0..100; -1: the node has none of it. */
int64_t stow_allocation_percent(const struct stow_resource_column *column,
                                enum stow_allocation_share share, stow_node_id node);

/* The shares of one node as components. */
void stow_allocation_explain(const struct stow_columns *columns, enum stow_allocation_share share,
                             stow_node_id node,
                             void (*part)(void *ctx, const char *name, double value, double weight,
                                          const char *flag),
                             void *ctx);

#endif
