/* gate.c - filters over domains.
 *
 * A rule over several nodes that filters says the same of all nodes of a domain.
 * So it is asked about domains, which for zones are three, and nodes are looked up
 * in the answer: one byte per domain, one load per node and topology, however many
 * terms the pod has. */
#include "place/counts/gate.h"

#include <string.h>

#include "base/kernel.h"

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

STOW_KERNEL static void close_fuller(uint8_t *restrict open, const uint32_t *restrict number,
                                     uint32_t count, uint32_t most)
{
    for (uint32_t i = 1; i < count; i++)
        open[i] &= number[i] <= most;
}

STOW_KERNEL static void close_empty(uint8_t *restrict open, const uint32_t *restrict number,
                                    uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        open[i] &= number[i] != 0;
}

void stow_gate_at_most(struct stow_gate *gate, const struct stow_counter *counter, uint32_t most)
{
    if (counter->crowded) {
        close_fuller(gate->open, counter->count, gate->topology->domains, most);
        return;
    }
    for (uint32_t i = 0; i < counter->busy_count; i++)
        gate->open[counter->busy[i]] &= counter->count[counter->busy[i]] <= most;
}

void stow_gate_some(struct stow_gate *gate, const struct stow_counter *counter)
{
    close_empty(gate->open, counter->count, gate->topology->domains);
}

/* ---- nodes ------------------------------------------------------------------------------- */

/* Most often a pod can go to any node, and the list is 0, 1, 2, ...: then whole columns can be
 * compared at once. */
STOW_KERNEL static bool is_everyone(const stow_node_id *nodes, uint32_t count)
{
    uint32_t differ = 0;

    for (uint32_t i = 0; i < count; i++)
        differ |= nodes[i] ^ i;
    return differ == 0;
}

STOW_KERNEL static void check_straight(uint8_t *restrict fits, const uint8_t *restrict open,
                                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= open[i + 1];
}

STOW_KERNEL static void drop_domain(uint8_t *restrict fits, const uint8_t *restrict of,
                                    uint8_t domain, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= of[i] != domain;
}

static void check_everyone(const struct stow_gate *gate, uint32_t count, uint8_t *fits)
{
    const struct stow_topology *t = gate->topology;

    if (t->straight) {
        check_straight(fits, gate->open, count);
    } else if (t->narrow) {
        for (uint32_t i = 0; i < t->domains; i++)
            if (!gate->open[i])
                drop_domain(fits, t->narrow, (uint8_t)i, count);
    } else {
        for (uint32_t i = 0; i < count; i++)
            fits[i] &= gate->open[t->of[i]];
    }
}

void stow_gates_check(const struct stow_gate *gates, uint32_t count, uint32_t all,
                      const stow_node_id *nodes, uint32_t nodes_count, uint8_t *fits)
{
    const bool everyone = nodes_count == all && is_everyone(nodes, nodes_count);

    for (uint32_t g = 0; g < count; g++) {
        const uint32_t *of = gates[g].topology->of;
        const uint8_t *open = gates[g].open;

        if (everyone)
            check_everyone(&gates[g], nodes_count, fits);
        for (uint32_t i = 0; i < nodes_count && !everyone; i++)
            fits[i] &= open[of[nodes[i]]];
    }
}
