/* company.h - pods whose rules speak of other pods, asked where they are. */
#ifndef STOW_VERIFY_COMPANY_H
#define STOW_VERIFY_COMPANY_H

#include "verify/scene.h"

struct stow_spread_rule;

/* The smallest count of a domain that has a node which counts. */
uint32_t stow_company_smallest(const struct stow_spread_rule *rule);

/* Whether spreading and affinity of a pod that is on a node of the scene hold there: 1; 0: not;
 * < 0: out of memory. */
int stow_company_holds(struct stow_scene *scene, stow_pod_id pod, stow_node_id node);

/* Whether some pod of the scene repels pods like this one, wherever they are: 1, 0, or out of
 * memory. */
int stow_company_shuns(struct stow_scene *scene, stow_pod_id pod);

#endif
