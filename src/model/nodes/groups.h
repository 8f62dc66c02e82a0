/* groups.h - the labels and annotations that name a node's pool. */
#ifndef STOW_MODEL_NODES_GROUPS_H
#define STOW_MODEL_NODES_GROUPS_H

#include "model/snapshot.h"

/* The first of the labels by which provisioners name their pools; value STOW_NONE: there is none.
 */
struct stow_label stow_pool_label(const struct stow_snapshot *s, stow_blob labels);

/* Whether an annotation may name the pool of a node that has no such label. */
bool stow_names_pool(struct stow_str annotation);

/* Whether a label of a node names its group. */
bool stow_label_names_pool(struct stow_str key);

#endif
