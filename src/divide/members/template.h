/* template.h - how many replicas fit where pods mind one another. */
#ifndef STOW_DIVIDE_MEMBERS_TEMPLATE_H
#define STOW_DIVIDE_MEMBERS_TEMPLATE_H

#include "divide/cost/price.h"
#include "divide/members/translate.h"

/* Lowers the offers of nodes, then of groups, to what kube-scheduler's filters let through for a
 * template (asked->template is one): ports of the host, affinity and anti-affinity, spread,
 * volumes. */
int stow_template_limit(const struct stow_member *member, const struct stow_asked *asked,
                        struct stow_node_offer *offer, struct stow_err *err);

#endif
