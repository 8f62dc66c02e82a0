/* disruption.h - how many nodes of a NodePool may be disrupted now. */
#ifndef STOW_MODEL_KARPENTER_DISRUPTION_H
#define STOW_MODEL_KARPENTER_DISRUPTION_H

#include "base/int128.h"
#include "model/karpenter/pool.h"

enum stow_disruption_reason {
    STOW_DISRUPTION_EMPTY,
    STOW_DISRUPTION_UNDERUTILIZED,
    STOW_DISRUPTION_DRIFTED,
    STOW_DISRUPTION_REASONS,
};

/* Their names, as budgets write them. */
extern const char *const stow_disruption_reason_name[STOW_DISRUPTION_REASONS];

#define STOW_DO_NOT_DISRUPT "karpenter.sh/do-not-disrupt"

/* What the eviction of a pod costs more or less than that of another one; the first wins. */
#define STOW_DISRUPTION_COST   "karpenter.sh/disruption-cost"
#define STOW_POD_DELETION_COST "controller.kubernetes.io/pod-deletion-cost"

#define STOW_DISRUPTION_ANY INT32_MAX /* no budget limits it */

/* At one moment, for one reason. */
struct stow_disruption {
    int64_t allowed, remaining;            /* STOW_DISRUPTION_ANY: no limit */
    const struct stow_pool_budget *budget; /* that decides; NULL: none */
};

/* `nodes`: of the pool, initialized and not terminating; `disrupting`: of these, about to go or not
 * ready. */
struct stow_disruption stow_disruption_of(const struct stow_snapshot *s, stow_blob budgets,
                                          uint32_t nodes, uint32_t disrupting,
                                          enum stow_disruption_reason reason, stow_time now);

/* Whether an annotation of a pod forbids to disrupt it now: "true", or a duration from its start
 * on.  Nothing is known of the start: it does.  What is neither counts for nothing. */
bool stow_disruption_forbids(const struct stow_snapshot *s, const struct stow_pod *pod,
                             stow_time now);

/* The cost of evicting a pod, and of removing a node beside its pods, is counted in parts of what
 * it costs to evict a pod that says nothing about it. */
#define STOW_EVICTION (INT64_C(1) << 27)

/* Of one pod: more with its annotations and its priority, at most ten times as much; 0 and less:
 * its node is empty even with it. */
int64_t stow_disruption_cost(const struct stow_snapshot *s, const struct stow_pod *pod);

/* Whether consolidationPolicy Balanced approves: the share that is saved of what the nodes of the
 * pool cost is at least half the share of their disruption. */
struct stow_balance {
    stow_i128 saving, cost;    /* per hour */
    stow_i128 disrupted, most; /* in parts of STOW_EVICTION */
};
bool stow_disruption_is_balanced(const struct stow_balance *balance);

/* The NodeClaim of a node; NULL: it is not among the objects. */
const struct stow_machine_claim *stow_disruption_claim(const struct stow_snapshot *s,
                                                       stow_node_id node);

/* Whether Karpenter counts the node: its label says that it is initialized. */
bool stow_disruption_is_ready_for(const struct stow_snapshot *s, stow_node_id node);

/* When a pod came to the node or left it for the last time: as its claim says, else since when it
 * is initialized, else `known`. */
stow_time stow_disruption_last_event(const struct stow_machine_claim *claim, stow_time known);

#endif
