/* pools.h - whether a consolidation obeys the rules of NodePools. */
#ifndef STOW_VERIFY_CONSOLIDATION_POOLS_H
#define STOW_VERIFY_CONSOLIDATION_POOLS_H

#include "verify/audit.h"

/* What the rules of its pool say against the removal of a node, budgets aside; NULL: nothing. */
const char *stow_audit_pool_keeps(const struct stow_audit *a, stow_node_id node);

/* Whether no pod may move to a node: it is not initialized, or a pod came or left within
 * consolidateAfter. */
bool stow_audit_pool_refuses(const struct stow_audit *a, stow_node_id node);

/* No step removes more nodes of a pool than its budgets allow.  `there` and `came`: per node of
 * a->all, it is there as the nodes of the step go; it came with this step. */
void stow_audit_pool_budgets(struct stow_audit *a, const struct stow_told_change *step,
                             const bool *there, const bool *came);

/* Steps that belong together: the last pays, the others prepare it.  How things were before the
 * first of them, and what is there now; per pod, and per node of a->all. */
struct stow_audit_unit {
    const stow_node_id *at;
    const bool *there, *is_there;
    const stow_nano *price; /* as the plan counts: STOW_MONEY_UNKNOWN */
    stow_i128 saving;
};

/* consolidationPolicy Balanced approves of them; `token`: of the last. */
void stow_audit_pool_balance(struct stow_audit *a, const struct stow_audit_unit *u, uint32_t token);

/* Whether the budgets of its pool let no node like this one go now. */
bool stow_audit_pool_allows_none(const struct stow_audit *a, stow_node_id node);

#endif
