/* fastpath.h - which group of pods upstream would estimate without simulating it. */
#ifndef STOW_SCALE_RULES_FASTPATH_H
#define STOW_SCALE_RULES_FASTPATH_H

#include "scale/rules/equivalence.h"

/* Of `group` (indices into e->group, in the order of the estimate) the position of the one that
 * gains most from the fast path on copies of `node`; STOW_NONE: none may take it. */
uint32_t stow_fastpath_choose(const struct stow_snapshot *s, const struct stow_equivalence *e,
                              const struct stow_node *node, const uint32_t *group, uint32_t count);

#endif
