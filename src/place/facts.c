/* facts.c - what labels and annotations say about nodes and pods, beyond the scheduler's own. */
#include "place/facts.h"

#include <stdlib.h>

#include "model/build.h"
#include "model/pods/requests.h"

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

/* What makes nodes alike to rules that look at nothing that changes; no padding. */
struct kind_key {
    stow_nano price, median, on_demand;
    int64_t rate, total_cpu, total_memory;
    stow_sym disk_type, network_type;
    uint32_t spot, reserved;
};

static struct kind_key key_of(const struct stow_node_facts *f, const struct stow_node_money *money)
{
    struct kind_key key = {
        .total_cpu = f->total_cpu,
        .total_memory = f->total_memory,
        .disk_type = f->disk_type,
        .network_type = f->network_type,
        .spot = f->spot,
    };

    if (money) {
        key.price = money->price;
        key.median = money->median;
        key.on_demand = money->on_demand;
        key.rate = money->rate;
    }
    return key;
}

/* Numbers the kinds in the order of their first nodes. */
static int number_kinds(struct stow_node_facts *facts, const struct stow_node_money *money,
                        uint32_t nodes, stow_node_id *kind_node, uint32_t *ret_kinds)
{
    struct stow_intern table = {0};
    uint32_t kinds = 0, first = 0;

    for (stow_node_id i = 0; i < nodes; i++) {
        struct kind_key key = key_of(&facts[i], money ? &money[i] : NULL);
        stow_blob handle = stow_intern_blob(&table, &key, sizeof(key));

        if (handle == STOW_INTERN_FAILED) {
            stow_intern_done(&table);
            return STOW_ENOMEM;
        }
        if (i == 0)
            first = handle;
        facts[i].kind = handle - first; /* handles are given out one after another */
        if (facts[i].kind == kinds)
            kind_node[kinds++] = i;
    }
    stow_intern_done(&table);
    *ret_kinds = kinds;
    return STOW_OK;
}

static void fill_facts(const struct stow_snapshot *s, const struct stow_node_money *money,
                       struct stow_node_facts *facts)
{
    const struct stow_bill_options nothing = {0};

    for (stow_node_id i = 0; i < s->nodes; i++) {
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
}

struct stow_node_facts *stow_node_facts_new(const struct stow_snapshot *s,
                                            const struct stow_node_money *money,
                                            const stow_node_id **ret_kind_node, uint32_t *ret_kinds)
{
    struct stow_node_facts *facts = calloc(s->nodes + 1, sizeof(*facts));
    stow_node_id *kind_node = calloc(s->nodes + 1, sizeof(*kind_node));

    if (facts && kind_node) {
        fill_facts(s, money, facts);
        if (number_kinds(facts, money, s->nodes, kind_node, ret_kinds) >= 0) {
            *ret_kind_node = kind_node;
            return facts;
        }
    }
    free(facts);
    free(kind_node);
    return NULL;
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
