/* planner_multi.h - scaling-advisor's strategy multi-node-single-sim, for comparison. */
#ifndef STOW_SCALE_RULES_PLANNER_MULTI_H
#define STOW_SCALE_RULES_PLANNER_MULTI_H

#include "scale/session.h"

int stow_plan_multi(struct stow_session *session, struct stow_err *err);

#endif
