/* pull.h - pods go to nodes that are there where they can. */
#ifndef STOW_SCALE_CHEAPEST_PULL_H
#define STOW_SCALE_CHEAPEST_PULL_H

#include "scale/cheapest/realize.h"

/* The sketch with pods moved from new nodes to nodes of the yard that have room for them, in order.
 * `ret_moved`: how many; 0: `ret` is empty.  Rules over several pods are left to realizing.  The
 * session has put nothing.  < 0: out of memory. */
int stow_sketch_pull(struct stow_session *session, const struct stow_formulate_options *options,
                     const struct stow_sketch *sketch, struct stow_sketch *ret,
                     uint32_t *ret_moved);

#endif
