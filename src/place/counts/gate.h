/* gate.h - filters over domains: which domains of a topology let a pod in. */
#ifndef STOW_PLACE_COUNTS_GATE_H
#define STOW_PLACE_COUNTS_GATE_H

#include "place/counts/tally.h"

struct stow_gate {
    const struct stow_topology *topology;
    uint8_t *open; /* per domain: 1 or 0 */
};

/* A gate for a topology, the one that is among `gates` already or a new one with all domains open.
 * NULL: out of memory. */
struct stow_gate *stow_gate_for(struct stow_gate *gates, uint32_t *count,
                                const struct stow_topology *topology, struct stow_arena *arena);

/* Closes every domain with more pods than `most`, or with none at all.  Domain 0 is left alone. */
void stow_gate_at_most(struct stow_gate *gate, const struct stow_counter *counter, uint32_t most);
void stow_gate_some(struct stow_gate *gate, const struct stow_counter *counter);

/* fits[i] &= whether all gates are open for nodes[i]; `all` is the number of nodes there are. */
void stow_gates_check(const struct stow_gate *gates, uint32_t count, uint32_t all,
                      const stow_node_id *nodes, uint32_t nodes_count, uint8_t *fits);

#endif
