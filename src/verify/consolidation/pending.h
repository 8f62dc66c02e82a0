/* pending.h - the room that a consolidation keeps for pods that are pending. */
#ifndef STOW_VERIFY_CONSOLIDATION_PENDING_H
#define STOW_VERIFY_CONSOLIDATION_PENDING_H

#include "verify/audit.h"

/* Puts them where the plan says, before the first step; `there` per node of a->all, `at` per pod:
 * where it is.  Says what is wrong, and which pods are missing. */
int stow_audit_awaits(struct stow_audit *a, const bool *there, stow_node_id *at,
                      struct stow_err *err);

/* Those whose room is elsewhere after the step are on no node while it lasts ... */
void stow_audit_leave_rooms(struct stow_audit *a, const struct stow_told_change *step,
                            stow_node_id *at);
/* ... and have room when its nodes are gone. */
int stow_audit_rooms(struct stow_audit *a, const struct stow_told_change *step, const bool *there,
                     stow_node_id *at, struct stow_err *err);

/* A node of the input or one that the plan adds; STOW_NONE: neither. */
stow_node_id stow_audit_any_node(const struct stow_audit *a, struct stow_str name);

/* Whether pods may be sent there at all. */
bool stow_audit_is_open(const struct stow_audit *a, const bool *there, stow_node_id node);

#endif
