/* blocks.h - kinds of which all nodes are bought, or none. */
#ifndef STOW_OPTIMAL_PROOF_BLOCKS_H
#define STOW_OPTIMAL_PROOF_BLOCKS_H

#include "optimal/master/master.h"
#include "optimal/plans/draft.h"

/* Whether a task leaves open if a kind is bought: it is a block, and neither 0 nor all is said. */
static inline bool stow_block_is_open(const struct stow_task *task, uint32_t kind)
{
    return task->m->at_once[kind] && task->least[kind] < task->most[kind];
}

/* Opens every block of a task again. */
void stow_blocks_open(struct stow_task *task);

/* Settles the open blocks: all of a block of which at least this part is wanted (nodes per kind),
 * none of the others; none, too, where limits leave no room for it beside those wanted more. */
void stow_blocks_settle(struct stow_task *task, const double *wanted, double part);

/* As a plan has them. */
void stow_blocks_follow(struct stow_task *task, const struct stow_draft *plan,
                        const struct stow_pool *pool);

/* One block the other way round; false: limits leave no room for it. */
bool stow_block_flip(struct stow_task *task, uint32_t kind);

/* Whether two tasks of one model settle all blocks alike. */
bool stow_blocks_same(const struct stow_task *a, const struct stow_task *b);

/* How many nodes of each kind the linear program has. */
void stow_master_nodes(const struct stow_master *master, double *nodes);

#endif
