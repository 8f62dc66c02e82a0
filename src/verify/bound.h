/* bound.h - what the files that check the proof share. */
#ifndef STOW_VERIFY_BOUND_H
#define STOW_VERIFY_BOUND_H

#include "verify/berths.h"
#include "verify/hold.h"
#include "verify/shares.h"

/* Pods of one class and priority: in all, and those that the plan places. */
struct stow_levy {
    int32_t priority;
    uint32_t class, count, placed;
};

/* An ancestor of a leaf: at most `at` nodes of the group, or more. */
struct stow_branch {
    stow_group_id group;
    int64_t at;
    bool is_le;
};

struct stow_proving {
    struct stow_audit *a;
    struct stow_berths berths;
    struct stow_hold_work *work;
    struct stow_share **share; /* per class; NULL: it has one price */
    struct stow_levy *levy;    /* by priority */
    uint32_t levies, levy_cap;
    struct stow_branch path[STOW_TAPE_MAX_DEPTH];
    uint32_t depth;
    double deadline;

    /* of the leaf at hand */
    stow_i128 *allowed;      /* per group: price + sum of a * w */
    stow_i128 *node_allowed; /* per real node: its w */
    stow_i128 paid;          /* sum of A * w */
    int64_t *limit;          /* per berth: the smallest of what its nodes are allowed */
    bool *has_limit;
    int64_t *need, *worth; /* of the items of one question */
    int64_t *room;         /* of its dimensions, which are some of all: */
    uint32_t *dim;
    uint32_t *most, *order;
};

/* bound_limits.c: fills allowed, node_allowed and paid; false: some limit is wrong, and that is
 * said. */
bool stow_leaf_limits(struct stow_proving *p, const struct stow_told_tree *leaf);

/* resources.c */
int stow_audit_resources(struct stow_proving *p, struct stow_err *err);

/* Sum over the pods to place of what each is worth: per class and priority `worth(class)`, of each
 * priority as many as are placed, the smallest ones.  `worth` has one entry per levy; `all` (may be
 * NULL) what all of its pods are worth together, where that is more. */
stow_i128 stow_levy_sum(const struct stow_proving *p, const stow_i128 *worth, const stow_i128 *all);

#endif
