/* planner_multi.h - scaling-advisor's strategy multi-node-single-sim, for comparison. */
#ifndef TESTS_CONFORMANCE_PLANNER_MULTI_H
#define TESTS_CONFORMANCE_PLANNER_MULTI_H

#include "scale/session.h"

int stow_conf_plan_multi(struct stow_session *session, struct stow_err *err);

#endif
