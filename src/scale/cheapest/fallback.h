/* fallback.h - where the same nodes could be had when a group is sold out. */
#ifndef STOW_SCALE_CHEAPEST_FALLBACK_H
#define STOW_SCALE_CHEAPEST_FALLBACK_H

#include "scale/session.h"

/* Fills plan->fallback of a finished plan: per group that grows, the next cheapest groups (by what
 * their nodes weigh, then by name) of which one node could hold the pods of any of its new nodes,
 * and of which as many can be had within the limits. */
int stow_plan_fallbacks(struct stow_session *session, struct stow_err *err);

#endif
