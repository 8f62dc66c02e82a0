/* gate.c - filters over domains.
 *
 * A rule over several nodes that filters says the same of all nodes of a domain.
 * So it is asked about domains, which for zones are three, and nodes are looked up
 * in the answer: one byte per domain, one load per node and topology, however many
 * terms the pod has. */
#include "place/gate.h"

#include <string.h>

struct stow_gate *stow_gate_for(struct stow_gate *gates, uint32_t *count,
                                const struct stow_topology *topology, struct stow_arena *arena)
{
    for (uint32_t i = 0; i < *count; i++)
        if (gates[i].topology == topology)
            return &gates[i];

    struct stow_gate *made = &gates[*count];

    made->topology = topology;
    made->open = stow_arena_alloc(arena, topology->domains);
    if (!made->open)
        return NULL;
    memset(made->open, 1, topology->domains);
    ++*count;
    return made;
}

void stow_gate_at_most(struct stow_gate *gate, const uint32_t *number, uint32_t most)
{
    uint8_t *restrict open = gate->open;

    for (uint32_t i = 0; i < gate->topology->domains; i++)
        open[i] &= number[i] <= most;
}

void stow_gate_at_least(struct stow_gate *gate, const uint32_t *number, uint32_t least)
{
    uint8_t *restrict open = gate->open;

    for (uint32_t i = 0; i < gate->topology->domains; i++)
        open[i] &= number[i] >= least;
}

void stow_gates_check(const struct stow_gate *gates, uint32_t count, const stow_node_id *nodes,
                      uint32_t nodes_count, uint8_t *fits)
{
    for (uint32_t g = 0; g < count; g++) {
        const uint32_t *of = gates[g].topology->of;
        const uint8_t *open = gates[g].open;

        for (uint32_t i = 0; i < nodes_count; i++)
            fits[i] &= open[of[nodes[i]]];
    }
}
