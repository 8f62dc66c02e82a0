/* obey.h - whether a plan keeps to the limits that only `optimal` plans by. */
#ifndef STOW_SCALE_OBEY_H
#define STOW_SCALE_OBEY_H

#include "scale/session.h"

/* Fills plan->breaks of a finished plan: "over the budget", "too much spot", ...; < 0: out of
 * memory. */
int stow_plan_obey(struct stow_session *session);

#endif
