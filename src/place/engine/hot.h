/* hot.h - cpu, memory and pod slots of a node in one cache line, and the loops over them.
 *
 * Classes of pods meet the same few changed nodes again and again.  What nearly
 * every rule asks of a node (allocatable, requested, requested with defaults, of
 * cpu and memory; free pod slots) therefore stands together, 64 bytes a node: the
 * nodes of the last few hundred decisions stay in the first cache, where the same
 * facts spread over seven columns would not.  The eighth word is how evenly the
 * node is used before the pod comes, which balanced-allocation would else divide
 * out again for every class. */
#ifndef STOW_PLACE_ENGINE_HOT_H
#define STOW_PLACE_ENGINE_HOT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/snapshot.h"

struct stow_hot {
    int64_t cpu, memory;                 /* allocatable */
    int64_t cpu_used, memory_used;       /* requested */
    int64_t cpu_nonzero, memory_nonzero; /* requested, with defaults for containers that ask none */
    int64_t slots;                       /* free pod slots, may be below 0 */
    double balance;                      /* bal(requested) of scorers/balanced_allocation.c */
} __attribute__((aligned(64)));

/* The same as columns, one entry per node of a list. */
struct stow_hot_columns {
    int64_t *cpu, *memory, *cpu_used, *memory_used, *cpu_nonzero, *memory_nonzero, *slots;
    double *balance;
};

/* Room for `count` entries in one piece of memory; NULL in .cpu when there is none. */
struct stow_hot_columns stow_hot_columns_new(size_t count);
void stow_hot_columns_free(struct stow_hot_columns *columns);
void stow_hot_columns_write(const struct stow_hot_columns *columns, size_t at,
                            const struct stow_hot *node);

/* The columns from an entry on. */
struct stow_hot_columns stow_hot_columns_from(const struct stow_hot_columns *columns, size_t at);

/* Several rules are asked about the same nodes one after another: who has their columns already
 * says so (stow_stage_set), and the loops use them; for other nodes the loops lay them out
 * themselves, STOW_STAGE at a time. */
#define STOW_STAGE 1024

struct stow_stage {
    const stow_node_id *nodes; /* whose columns `given` are; NULL: none */
    uint32_t count;
    struct stow_hot_columns given, own;
};

/* Until the nodes change or others stand at the same address: then it must be cleared. */
static inline void stow_stage_set(struct stow_stage *stage, const stow_node_id *nodes,
                                  uint32_t count, struct stow_hot_columns columns)
{
    stage->nodes = nodes;
    stage->count = count;
    stage->given = columns;
}

/* The same of at most STOW_STAGE nodes whose columns are not collected yet. */
void stow_stage_fill(struct stow_stage *stage, const struct stow_hot *hot,
                     const stow_node_id *nodes, uint32_t count);

static inline void stow_stage_clear(struct stow_stage *stage)
{
    stage->nodes = NULL;
}

/* Whether the loops below are exact for these nodes: every node has cpu and memory, all below 2^46.
 */
bool stow_hot_exact(const struct stow_hot *hot, uint32_t nodes);

/* Brings `balance` up to date after the amounts were written. */
void stow_hot_settle(struct stow_hot *node);

/* What the loops look at. */
struct stow_hot_view {
    const struct stow_hot *hot;
    struct stow_stage *stage;
};

/* fits[] &= room for a pod that asks for this much. */
void stow_hot_fits(struct stow_hot_view view, const stow_node_id *nodes, uint32_t count,
                   int64_t cpu, int64_t memory, uint8_t *fits);

/* LeastAllocated over cpu and memory with whole weights. */
void stow_hot_least(struct stow_hot_view view, const stow_node_id *nodes, uint32_t count,
                    const int64_t request[2], const double weight[2], double *raw);

/* BalancedAllocation over cpu and memory; delta: the 1.36 formula. */
void stow_hot_balance(struct stow_hot_view view, const stow_node_id *nodes, uint32_t count,
                      const int64_t request[2], bool delta, double *raw);

#endif
