/* blocks.c - kinds of which all nodes are bought, or none.
 *
 * Problem.  Some groups grow from nothing to their maximum at once.  A linear program buys a third
 * of such a block, and so would a dive.
 *
 * Idea.  A bound may look at parts of blocks; the tree (tree.c) splits them into none and all.  A
 * plan may not: it is searched with every block settled, at 0 or at its number of nodes, which are
 * limits like any others.  How they are settled comes from the linear program of the root or of a
 * branch, and from the best plan so far. */
#include "optimal/proof/blocks.h"

#include <string.h>

#define SOME 1e-6 /* nodes: less is rounding */

static void settle(struct stow_task *task, uint32_t kind, bool all)
{
    task->least[kind] = task->most[kind] = all ? task->m->most[kind] : 0;
}

void stow_blocks_open(struct stow_task *task)
{
    for (uint32_t g = 0; g < task->m->kinds; g++)
        if (task->m->at_once[g]) {
            task->least[g] = task->m->least[g];
            task->most[g] = task->m->most[g];
        }
    stow_task_reserve(task);
}

/* The open block of which the largest part is wanted; STOW_MODEL_NONE: none is open. */
static uint32_t find_most_wanted(const struct stow_task *task, const double *wanted)
{
    uint32_t best = STOW_MODEL_NONE;

    for (uint32_t g = 0; g < task->m->kinds; g++)
        if (stow_block_is_open(task, g) &&
            (best == STOW_MODEL_NONE ||
             wanted[g] * task->m->most[best] > wanted[best] * task->m->most[g]))
            best = g;
    return best;
}

void stow_blocks_settle(struct stow_task *task, const double *wanted, double part)
{
    for (;;) {
        const uint32_t g = find_most_wanted(task, wanted);

        if (g == STOW_MODEL_NONE)
            break;
        settle(task, g, wanted[g] > SOME && wanted[g] >= part * task->m->most[g]);
        if (!stow_task_reserve(task))
            settle(task, g, false);
    }
    stow_task_reserve(task);
}

void stow_blocks_follow(struct stow_task *task, const struct stow_draft *plan,
                        const struct stow_pool *pool)
{
    for (uint32_t g = 0; g < task->m->kinds; g++)
        if (task->m->at_once[g])
            settle(task, g, task->m->least[g] > 0);
    for (uint32_t i = 0; i < plan->uses; i++) {
        const uint32_t kind = pool->pattern[plan->use[i].pattern].kind;

        if (task->m->at_once[kind])
            settle(task, kind, true);
    }
    stow_task_reserve(task);
}

bool stow_block_flip(struct stow_task *task, uint32_t kind)
{
    settle(task, kind, task->most[kind] == 0);
    return task->least[kind] >= task->m->least[kind] && stow_task_reserve(task);
}

bool stow_blocks_same(const struct stow_task *a, const struct stow_task *b)
{
    for (uint32_t g = 0; g < a->m->kinds; g++)
        if (a->m->at_once[g] && (a->least[g] != b->least[g] || a->most[g] != b->most[g]))
            return false;
    return true;
}

void stow_master_nodes(const struct stow_master *master, double *nodes)
{
    const double *x = stow_master_x(master);

    memset(nodes, 0, master->stage->m->kinds * sizeof(*nodes));
    for (uint32_t c = 0; c < master->patterns; c++)
        nodes[master->pool->pattern[master->pattern[c]].kind] += x[c];
}
