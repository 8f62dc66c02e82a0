/* movable.h - which pods may move and which nodes may go, worked out again from the documents. */
#ifndef STOW_VERIFY_MOVABLE_H
#define STOW_VERIFY_MOVABLE_H

#include "verify/audit.h"

/* Why a pod must stay where it is, in a few words; NULL: it may move.  Budgets aside. */
const char *stow_audit_stays(const struct stow_audit *a, stow_pod_id id);

/* A pod of a daemon, or a static one: it goes with its node. */
bool stow_audit_is_resident(const struct stow_audit *a, stow_pod_id pod);

/* A pod with claims for devices: where they could be allocated again is not known. */
bool stow_audit_has_devices(const struct stow_audit *a, stow_pod_id pod);

/* Why a node that is there must be kept, prices aside; NULL: it may go once its pods have gone. */
const char *stow_audit_is_kept(const struct stow_audit *a, stow_node_id id);

/* Whether a budget is about a pod, and how many of its pods may be disrupted at once. */
bool stow_audit_budget_covers(const struct stow_audit *a, uint32_t number, stow_pod_id id);
int64_t stow_audit_budget_allows(const struct stow_audit *a, uint32_t number);

#endif
