/* commitments.h - nodes that are paid for whether they run or not (`commitments` of a PriceBook).
 */
#ifndef STOW_MODEL_PRICES_COMMITMENTS_H
#define STOW_MODEL_PRICES_COMMITMENTS_H

#include "model/snapshot.h"

/* What is committed at one price.  In order of type, region and price, the highest first: those of
 * one type and region stand together, and are called by the place of the first. */
struct stow_commitment {
    stow_sym instance_type, region;
    uint32_t nodes;
    stow_nano price; /* of each, per hour */
    uint32_t first;
};

/* Which commitment a node comes under: the first of its type and region; STOW_NONE: none. */
uint32_t stow_commitment_find(const struct stow_snapshot *s, const struct stow_node *node);

/* How many nodes are committed of the type and region of `first`. */
uint32_t stow_committed_nodes(const struct stow_snapshot *s, uint32_t first);

/* How many of them are not taken by nodes that are there or on their way. */
uint32_t stow_committed_left(const struct stow_snapshot *s, uint32_t first);

/* Whether a node of an extended snapshot is one that a group could add. */
bool stow_node_is_fresh(const struct stow_snapshot *s, const struct stow_node *node);

/* The group that a user knows: a committed part goes by the name of its group. */
static inline stow_group_id stow_group_listed(const struct stow_snapshot *s, stow_group_id group)
{
    return s->group[group].commitment ? s->group[group].listed : group;
}

/* The last step of a snapshot: groups whose nodes are committed are there twice (commitments.c). */
int stow_split_committed(struct stow_snapshot *s);

#endif
