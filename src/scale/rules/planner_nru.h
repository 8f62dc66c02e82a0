/* planner_nru.h - the planner `nru`, for its tests (others call stow_plan_nru, scale/session.h). */
#ifndef STOW_SCALE_RULES_PLANNER_NRU_H
#define STOW_SCALE_RULES_PLANNER_NRU_H

#include "scale/session.h"

/* The same plan, the slow and obvious way: every pod is tried on every node in every simulation,
 * and nothing is remembered from one round to the next. */
int stow_plan_nru_slowly(struct stow_session *session, struct stow_err *err);

/* Whether all pending pods find a place when nodes of these groups are put in at once: a plan that
 * was found one node at a time need not (hard spreading). */
int stow_plan_nru_holds(struct stow_session *session, const stow_group_id *group, uint32_t count,
                        bool *ret, struct stow_err *err);

#endif
