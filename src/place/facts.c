/* facts.c - what labels and annotations say about nodes and pods, beyond the scheduler's own. */
#include "place/facts.h"

#include <stdlib.h>

#include "model/build.h"
#include "model/requests.h"

stow_sym stow_fact(const struct stow_snapshot *s, stow_blob keys, stow_blob labels,
                   stow_blob annotations)
{
    uint32_t count;
    const stow_sym *key = STOW_LIST(s, keys, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_sym value = stow_label_value(s, labels, key[i]);

        if (value == STOW_NONE)
            value = stow_label_value(s, annotations, key[i]);
        if (value != STOW_NONE)
            return value;
    }
    return STOW_NONE;
}

static int64_t total_of(const struct stow_snapshot *s, stow_node_id node, stow_resource_id resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, s->node[node].capacity, struct stow_exact, &count);
    stow_i128 nano;

    return stow_exact_find(list, count, s->resource[resource], &nano)
               ? stow_resource_units(resource, nano)
               : s->allocatable[(size_t)resource * s->nodes + node];
}

struct stow_node_facts *stow_node_facts_new(const struct stow_snapshot *s,
                                            const struct stow_node_money *money)
{
    const struct stow_bill_options nothing = {0};
    struct stow_node_facts *facts = calloc(s->nodes + 1, sizeof(*facts));

    for (stow_node_id i = 0; facts && i < s->nodes; i++) {
        const struct stow_node *node = &s->node[i];
        enum stow_capacity_type type =
            money ? money[i].capacity_type : stow_node_offer(s, node, &nothing).capacity_type;

        facts[i] = (struct stow_node_facts){
            .disk_type = stow_fact(s, s->keys.disk_type, node->labels, node->annotations),
            .network_type = stow_fact(s, s->keys.network_type, node->labels, node->annotations),
            .spot = type == STOW_CAPACITY_SPOT,
            .total_cpu = total_of(s, i, STOW_RESOURCE_CPU),
            .total_memory = total_of(s, i, STOW_RESOURCE_MEMORY),
        };
    }
    return facts;
}

bool stow_pod_is_high(const struct stow_snapshot *s, const struct stow_pod *pod,
                      struct stow_importance rule)
{
    stow_sym value = stow_fact(s, s->keys.priority, pod->labels, pod->annotations);

    if (value == STOW_NONE)
        return rule.by_value && pod->priority >= rule.threshold;
    return stow_str_is(stow_text(s, value), "PriorityHigh") ||
           stow_str_is(stow_text(s, value), "true");
}
