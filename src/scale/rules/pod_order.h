/* pod_order.h - in which order an estimate takes groups of pods. */
#ifndef STOW_SCALE_RULES_POD_ORDER_H
#define STOW_SCALE_RULES_POD_ORDER_H

#include "scale/rules/equivalence.h"

/* How much of a node the first pod of a group takes: the fraction of its allocatable cpu plus that
 * of its memory, in doubles as upstream.  A node without a resource counts nothing for it. */
double stow_pod_order_score(const struct stow_snapshot *s, stow_pod_id pod,
                            const struct stow_node *node);

/* Sorts `group` (indices into e->group) by that score, largest first; equal ones keep their order
 * (upstream leaves it open).  < 0: out of memory. */
int stow_pod_order(const struct stow_snapshot *s, const struct stow_equivalence *e,
                   const struct stow_node *node, uint32_t *group, uint32_t count);

#endif
