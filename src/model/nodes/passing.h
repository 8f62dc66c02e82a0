/* passing.h - taints that come and go with a node's start, condition or removal. */
#ifndef STOW_MODEL_NODES_PASSING_H
#define STOW_MODEL_NODES_PASSING_H

#include "base/str.h"

/* Whether a node has such a taint for a while only: a new node of its group, once it is ready, does
 * not have it. */
bool stow_taint_passes(struct stow_str key);

#endif
