/* pools.h - what the rules of NodePools say about nodes that could go. */
#ifndef STOW_CONSOLIDATE_POOLS_H
#define STOW_CONSOLIDATE_POOLS_H

#include "base/int128.h"
#include "model/snapshot.h"

struct stow_consolidating;

/* What is known of pools; without NodePools all are NULL. */
struct stow_pool_facts {
    stow_time now;
    uint32_t *of;          /* per node: its pool; STOW_NONE: it has none */
    bool *is_empty;        /* per node: no pod on it has to move, in the beginning */
    bool *counted;         /* per node: it is one of those that budgets count */
    stow_time *last_event; /* per node: the last that came, as far as pods tell */
    uint32_t *nodes;       /* per pool: that count, in the beginning; ... */
    uint32_t *disrupting;  /* ... and of these, about to go or not ready */
    uint32_t *present;     /* per pool: that count as the step at hand begins */
    int64_t *eviction;     /* per pod: what its eviction costs (disruption.h), 0 if none has to be;
                              NULL:     no pool is Balanced */
};

/* Where everybody is when a step begins. */
struct stow_step_start {
    const uint32_t *at; /* per pod: its node; STOW_NONE: where it was in the beginning */
    const bool *gone;   /* per real node */
    uint32_t news;      /* new nodes that are there */
};

/* What a step changes, with those that prepare it. */
struct stow_step_change {
    const uint32_t *remove;
    uint32_t removes;
    stow_i128 saving;
};

/* Nodes that these rules keep, unless something else does. */
int stow_consolidate_keep_pools(struct stow_consolidating *c, stow_time now);
void stow_consolidate_pools_done(struct stow_consolidating *c);

/* A step begins with the deck as it is, but for new nodes from `there` on: budgets count what is
 * left then. */
void stow_pools_begin_step(struct stow_consolidating *c, uint32_t there);

/* Whether a node may go in one step with those; `*ret_why` (may be NULL): why not, NULL: out of
 * memory. */
bool stow_pools_let_go(struct stow_consolidating *c, const uint32_t *gone, uint32_t gones,
                       uint32_t node, const char **ret_why);

/* balance.c: whether pools with consolidationPolicy Balanced approve of a change; `*ret_why` (may
 * be NULL): why not ("would save ..."), NULL: out of memory. */
bool stow_balance_approves(struct stow_consolidating *c, const struct stow_step_start *now,
                           const struct stow_step_change *change, const char **ret_why);

/* Why Karpenter moves no pods to a node; NULL: it may. */
const char *stow_pools_refuse(const struct stow_consolidating *c, stow_node_id node);

/* Whether budgets limit any step, or it is weighed. */
bool stow_pools_limit(const struct stow_consolidating *c);

#endif
