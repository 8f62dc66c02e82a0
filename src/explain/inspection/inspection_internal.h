/* inspection_internal.h - what the data and the tables of an inspection are both made from. */
#ifndef STOW_EXPLAIN_INSPECTION_INSPECTION_INTERNAL_H
#define STOW_EXPLAIN_INSPECTION_INSPECTION_INTERNAL_H

#include "price/bill/bill.h"

/* Nodes by waste, then price, largest first, then name; unknown after known.  NULL: no memory. */
stow_node_id *stow_worst_nodes(const struct stow_snapshot *s, const struct stow_bill *bill);

/* Sums over nodes: what they offer, what of it is requested, and what pending pods ask for. */
struct stow_resource_sum {
    int64_t allocatable, requested, free, pending;
};

/* One per resource; NULL: no memory.  `group` STOW_NONE: all nodes. */
struct stow_resource_sum *stow_resource_sums(const struct stow_snapshot *s, stow_group_id group);

/* Whether anybody offers or asks for the resource. */
bool stow_resource_in_use(const struct stow_resource_sum *sum);

#endif
