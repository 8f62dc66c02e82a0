/* least.h - whether limits leave room for what groups lack of their minNodes. */
#ifndef STOW_SCALE_LEAST_H
#define STOW_SCALE_LEAST_H

#include "scale/session.h"

/* How many nodes must be bought of a group whatever pods there are: what it lacks of its minNodes,
 * or up to its maximum if it scales at once; 0 for a group that nothing can be bought from. */
uint32_t stow_least(const struct stow_session *session, stow_group_id group);

/* Fails with STOW_EINVAL, naming the group and the limit, when no plan can give every group its
 * minNodes.  `budget` may be STOW_MONEY_UNKNOWN: none. */
int stow_least_check(const struct stow_session *session, stow_nano budget, struct stow_err *err);

#endif
