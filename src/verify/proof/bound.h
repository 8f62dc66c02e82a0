/* bound.h - what the files that check the proof share. */
#ifndef STOW_VERIFY_PROOF_BOUND_H
#define STOW_VERIFY_PROOF_BOUND_H

#include "verify/hold/hold.h"
#include "verify/proof/berths.h"
#include "verify/proof/shares.h"

/* Pods of one class and priority: in all, and those that the plan places. */
struct stow_levy {
    int32_t priority;
    uint32_t class, count, placed;
};

/* An ancestor of a leaf: at most `at` nodes of the group and those that it stands for, or of these
 * existing nodes, or more. */
struct stow_proof_branch {
    stow_group_id group;
    struct stow_told_range nodes; /* of told.name; none where it is about a group */
    int64_t at;
    bool is_le;
};

struct stow_proving {
    struct stow_audit *a;
    struct stow_berths berths;
    struct stow_hold_work *work;
    struct stow_proof_share **share; /* per class; NULL: it has one price */
    struct stow_levy *levy;          /* by priority */
    uint32_t levies, levy_cap;
    struct stow_proof_branch path[STOW_TAPE_MAX_DEPTH];
    uint32_t depth;
    double deadline;
    stow_group_id *leader; /* per group: which one stands for it in splits; itself, mostly */
    bool *leads;           /* per group: it stands for others */

    /* of the leaf at hand */
    stow_i128 *allowed;      /* per group: price + sum of a * w */
    stow_i128 *node_allowed; /* per real node: what keeping it costs, and its w */
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

/* bound_lift.c: the value of the tree, lifted by the rule that is told; says what is wrong. */
int stow_bound_lift(struct stow_proving *p, stow_i128 *value);

static inline int64_t stow_bound_clamp(stow_i128 value)
{
    return value > INT64_MAX / 4    ? INT64_MAX / 4
           : value < -INT64_MAX / 4 ? -INT64_MAX / 4
                                    : (int64_t)value;
}

/* bound_sets.c: fills leader and leads. */
int stow_proof_sets(struct stow_proving *p);

/* resources.c */
int stow_audit_resources(struct stow_proving *p, struct stow_err *err);

/* Sum over the pods to place of what each is worth: per class and priority `worth(class)`, of each
 * priority as many as are placed, the smallest ones.  `worth` has one entry per levy; `all` (may be
 * NULL) what all of its pods are worth together, where that is more. */
stow_i128 stow_levy_sum(const struct stow_proving *p, const stow_i128 *worth, const stow_i128 *all);

#endif
