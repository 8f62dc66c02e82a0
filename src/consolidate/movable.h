/* movable.h - which running pods may move, and which nodes may go.
 *
 * A pod may move when it is recreated elsewhere (it has a controller other than a
 * DaemonSet or a Node), no annotation forbids it, and its PodDisruptionBudget allows a
 * disruption at all; and it has no claims for devices: where these would be allocated again is not
 * simulated.  A node may go when all of its pods may move (those of DaemonSets and static
 * ones go with it), no annotation forbids it, it does not run the control plane, and it
 * is known what it costs. */
#ifndef STOW_CONSOLIDATE_MOVABLE_H
#define STOW_CONSOLIDATE_MOVABLE_H

#include "price/bill/bill.h"

enum stow_keep_reason {
    STOW_HOLD_NONE,     /* it may move */
    STOW_HOLD_ABSENT,   /* it is on no node, or has ended */
    STOW_HOLD_RESIDENT, /* a daemon's or static: goes with its node */
    STOW_HOLD_ALONE,    /* no controller: it would not be recreated */
    STOW_HOLD_DO_NOT_DISRUPT,
    STOW_HOLD_NOT_SAFE,
    STOW_HOLD_TERMINATING,
    STOW_HOLD_BUDGET,  /* its budget allows nothing now */
    STOW_HOLD_BUDGETS, /* it has several, which the eviction API refuses */
    STOW_HOLD_ASIDE,   /* the question is not about it */
    STOW_HOLD_DEVICES, /* it has claims for devices, which would be allocated again */
};

struct stow_movable {
    uint8_t *hold;     /* per pod: enum stow_keep_reason */
    uint32_t *budget;  /* per pod: the one it is under; STOW_NONE: none, or several */
    uint32_t *allowed; /* per budget: pods that may be disrupted at once */
    const char **kept; /* per node: why it has to stay; NULL: it may go */
    const char **rule; /* per node: of which rule that is, where it is not about one of its pods */
    stow_time now;
    struct stow_arena arena;
};

/* What nodes cost is left aside.  `ret` is valid for done in any case. */
int stow_movable_find(const struct stow_snapshot *s, stow_time now, struct stow_movable *ret,
                      struct stow_err *err);
void stow_movable_done(struct stow_movable *movable);

/* What holds a pod where it is, and the rule of that name; NULL: nothing does.  The text lies in
 * the arena of `movable`; it is "out of memory" when that is so. */
const char *stow_hold_text(const struct stow_snapshot *s, struct stow_movable *movable,
                           stow_pod_id pod, const char **ret_rule);

/* How many pods a budget lets go at once, from its status or, without one, as Kubernetes works it
 * out from the pods given. */
uint32_t stow_budget_allows(const struct stow_snapshot *s, const struct stow_budget *budget);

#endif
