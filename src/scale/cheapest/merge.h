/* merge.h - fewer nodes for the same price. */
#ifndef STOW_SCALE_CHEAPEST_MERGE_H
#define STOW_SCALE_CHEAPEST_MERGE_H

#include "scale/cheapest/realize.h"

/* The sketch with nodes put together: as long as one node of a group weighs no more than several of
 * the sketch and could hold their pods, it takes their place.  What looks at several pods is left
 * to realizing.  `ret_fewer`: how many nodes it saves; 0: none, and `ret` is empty.  < 0: out of
 * memory. */
int stow_sketch_merge(const struct stow_session *session,
                      const struct stow_formulate_options *options,
                      const struct stow_sketch *sketch, struct stow_sketch *ret,
                      uint32_t *ret_fewer);

#endif
