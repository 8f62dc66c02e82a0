/* rival.h - what other strategies plan, as sketches to be measured beside the solver's. */
#ifndef STOW_SCALE_CHEAPEST_RIVAL_H
#define STOW_SCALE_CHEAPEST_RIVAL_H

#include "scale/cheapest/realize.h"
#include "scale/weigh.h"

/* Names of strategies worth asking, the quick ones first, NULL at the end. */
extern const char *const stow_rivals[];

/* What `plan` of another strategy comes to for a session that has the pending pods all open.
 * < 0: out of memory. */
int stow_sketch_of_plan(const struct stow_session *session, const struct stow_weights *weights,
                        const struct stow_plan *plan, struct stow_sketch *ret);

#endif
