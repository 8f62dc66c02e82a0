/* pod_order.h - in which order an estimate takes groups of pods. */
#ifndef TESTS_CONFORMANCE_POD_ORDER_H
#define TESTS_CONFORMANCE_POD_ORDER_H

#include "scale/rules/equivalence.h"

/* Sorts `group` (indices into e->group) by the share of the node that the first pod of each
 * takes (stow_estimate_share), largest first; equal ones keep their order
 * (upstream leaves it open).  < 0: out of memory. */
int stow_conf_pod_order(const struct stow_snapshot *s, const struct stow_equivalence *e,
                        const struct stow_node *node, uint32_t *group, uint32_t count);

#endif
