/* tree.h - branching on the number of nodes of a kind. */
#ifndef STOW_OPTIMAL_PLANS_TREE_H
#define STOW_OPTIMAL_PLANS_TREE_H

#include "optimal/master/columns.h"
#include "optimal/plans/draft.h"
#include "optimal/proof/lift.h"

/* One branch: the stage's limits with some made narrower. */
struct stow_branch {
    uint32_t *least, *most; /* per kind */
    struct stow_leaf leaf;  /* its bound, and why */
    bool is_split, solved, closed;
    uint32_t kind, at, le, gt; /* of a split */
    uint32_t fractional;       /* the kind to split next, UINT32_MAX: all are whole */
    double *nodes;             /* per kind: how many the linear program has */
    double value;              /* of the linear program */
    bool refined;              /* its bound is as good as column generation makes it */
};

struct stow_tree {
    const struct stow_task *stage; /* of the root */
    struct stow_pool *pool;
    struct stow_pricer *pricer;
    const struct stow_lift *lift;
    double artificial, deadline;
    bool blocks_only;           /* only blocks are split */
    bool refines;               /* branches are open as long as more effort could be made */
    struct stow_branch *branch; /* the first is the root */
    uint32_t branches, branch_cap;
    uint32_t rounds;
};

int stow_tree_init(struct stow_tree *tree, const struct stow_task *stage);
void stow_tree_done(struct stow_tree *tree);

/* A copy of a task with the limits of a branch; < 0: out of memory. */
int stow_branch_task(const struct stow_branch *branch, const struct stow_task *whole,
                     struct stow_task *ret);

/* The open branch with the smallest bound; UINT32_MAX: none is open. */
uint32_t stow_tree_next(const struct stow_tree *tree);

/* Takes over the bound of the root from a finished column generation. */
int stow_tree_root(struct stow_tree *tree, struct stow_generator *gen);

/* Whether the bound of a branch is so far below its linear program that more effort is worth more
 * than a split; and makes that effort, once. */
bool stow_tree_is_rough(const struct stow_tree *tree, uint32_t number, int64_t cost);
int stow_tree_refine(struct stow_tree *tree, uint32_t number, int64_t cost);

/* Solves the two halves of a branch.  `cost`: of the best plan, a branch whose lifted bound reaches
 * it is closed. */
int stow_tree_split(struct stow_tree *tree, uint32_t number, int64_t cost);

/* The smallest bound of all leaves. */
int64_t stow_tree_bound(const struct stow_tree *tree);

/* Closes the branches that cannot lead below a cost. */
void stow_tree_close(struct stow_tree *tree, int64_t cost);

#endif
