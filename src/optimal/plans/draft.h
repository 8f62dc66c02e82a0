/* draft.h - a plan in the making: patterns of the pool and how often each is used. */
#ifndef STOW_OPTIMAL_PLANS_DRAFT_H
#define STOW_OPTIMAL_PLANS_DRAFT_H

#include "optimal/master/pool.h"
#include "optimal/task.h"

struct stow_draft_pattern {
    uint32_t pattern, times;
};

/* Zeroed is an empty draft. */
struct stow_draft {
    struct stow_draft_pattern *use;
    uint32_t uses, use_cap;
};

void stow_draft_done(struct stow_draft *draft);
int stow_draft_add(struct stow_draft *draft, uint32_t pattern, uint32_t times);
int stow_draft_copy(struct stow_draft *to, const struct stow_draft *from);

/* How good a draft is: pods left out by level, then the price, then the number of nodes, then the
 * kinds of the nodes in order. */
struct stow_score {
    uint64_t left[64]; /* per level; levels beyond share the last */
    int64_t cost;
    uint64_t nodes;
    uint64_t order; /* sum of the kinds' numbers in the problem */
};

void stow_draft_score(const struct stow_draft *draft, const struct stow_pool *pool,
                      const struct stow_task *stage, struct stow_score *ret);
int stow_score_compare(const struct stow_score *a, const struct stow_score *b); /* < 0: a better */

/* Takes `times` nodes with a pattern from a stage: demand, limits, rows. */
void stow_task_take(struct stow_task *stage, const struct stow_pool *pool, uint32_t pattern,
                    uint32_t times);
/* How often a kind may still be used, as far as its limit and the rows say. */
uint32_t stow_task_room(const struct stow_task *stage, uint32_t kind);

/* The best kind that holds a pattern and has room, the cheapest, the first of equals; `kind` (may
 * be STOW_MODEL_NONE) when none is better. */
uint32_t stow_task_best_kind(const struct stow_task *stage, const struct stow_term *term,
                             uint32_t terms, uint32_t kind);

#endif
