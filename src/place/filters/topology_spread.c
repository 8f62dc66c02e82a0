/* topology_spread.c - constraints with DoNotSchedule: a domain may hold at most maxSkew
 * matching pods more than the emptiest one.
 *
 *     count(domain) + (1 if the pod matches itself) - min <= maxSkew
 *
 * min is the smallest count of a domain that exists, 0 while there are fewer domains than
 * minDomains.  A node without the key fails, whatever is done about pods. */
#include <string.h>

#include "base/kernel.h"
#include "place/counts/gate.h"
#include "place/counts/spread.h"
#include "place/rules.h"
#include "place/state.h"

struct spread_prep {
    const struct stow_spread_plan *plan;
    struct stow_gate *gate;
    uint32_t gates;
    int64_t *limit; /* per rule: the largest count that lets the pod in */
};

STOW_KERNEL static uint32_t least(const uint32_t *count, const uint32_t *hide, uint32_t domains)
{
    uint32_t min = INT32_MAX;

    for (uint32_t i = 0; i < domains; i++) {
        uint32_t seen = count[i] | hide[i];

        min = seen < min ? seen : min;
    }
    return min;
}

static uint32_t smallest(const struct stow_spread_rule *rule)
{
    const struct stow_counter *counter = rule->counter;

    if (rule->reach->domains < (uint32_t)rule->min_domains)
        return 0;
    if (!counter->crowded && counter->busy_count < rule->reach->domains)
        return 0; /* some domain has no pod */
    return least(counter->count, rule->reach->hide, rule->topology->domains);
}

static int close_gates(struct spread_prep *p, uint32_t i, struct stow_arena *arena)
{
    const struct stow_spread_rule *rule = &p->plan->rule[i];
    struct stow_gate *gate = stow_gate_for(p->gate, &p->gates, rule->topology, arena);

    if (!gate)
        return STOW_ENOMEM;
    p->limit[i] = (int64_t)rule->max_skew + smallest(rule) - rule->self;
    gate->open[0] = 0;
    if (p->limit[i] < UINT32_MAX)
        stow_gate_at_most(gate, rule->counter, (uint32_t)p->limit[i]);
    return STOW_OK;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct spread_prep *p = prep;

    STOW_TRY(stow_spread_plan(self, state, pod, true, &p->plan));
    if (!p->plan)
        return STOW_PREPARED_SKIP;
    p->gate = stow_arena_alloc(arena, p->plan->rules * sizeof(*p->gate));
    p->limit = stow_arena_alloc(arena, p->plan->rules * sizeof(*p->limit));
    if (!p->gate || !p->limit)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->plan->rules; i++)
        STOW_TRY(close_gates(p, i, arena));
    return STOW_PREPARED;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct spread_prep *p = prep;

    (void)self, (void)pod;
    stow_gates_check(p->gate, p->gates, state->nodes, nodes, count, fits);
}

static bool outlook(const void *prep, struct stow_outlook *to)
{
    const struct spread_prep *p = prep;

    for (uint32_t i = 0; i < p->plan->rules; i++) {
        stow_outlook_topology(to, p->plan->rule[i].topology);
        stow_outlook_counter(to, p->plan->rule[i].counter);
    }
    return true;
}

/* ---- why ---------------------------------------------------------------------------------- */

/* Names of new nodes start with "~", which is for us only. */
static const char *value_on(const struct stow_snapshot *s, const struct stow_topology *t,
                            stow_node_id node)
{
    const stow_sym value = stow_label_value(s, s->node[node].labels, t->key);

    const char *text = value == STOW_NONE ? "" : stow_text(s, value).ptr;

    return text + strspn(text, "~");
}

/* A node of the emptiest domain, or STOW_NONE. */
static stow_node_id emptiest(const struct stow_state *state, const struct stow_spread_rule *rule,
                             uint32_t min)
{
    for (stow_node_id i = 0; i < state->nodes; i++) {
        const uint32_t domain = rule->topology->of[i];

        if (domain && !rule->reach->hide[domain] && rule->counter->count[domain] == min)
            return i;
    }
    return STOW_NONE;
}

/* "topology.kubernetes.io/zone: 2 matching pods in a, 0 in b, maxSkew 1" */
static const char *skew_words(const struct stow_state *state, const struct stow_spread_rule *rule,
                              stow_node_id node, struct stow_arena *arena)
{
    const struct stow_snapshot *s = state->s;
    const char *key = stow_text(s, rule->topology->key).ptr;
    const uint32_t domain = rule->topology->of[node], min = smallest(rule);
    const stow_node_id low = emptiest(state, rule, min);

    if (!domain)
        return stow_arena_printf(arena, "no label %s", key);
    if (rule->reach->domains < (uint32_t)rule->min_domains)
        return stow_arena_printf(arena, "%s: %u matching in %s; %u of %d minDomains, maxSkew %d",
                                 key, rule->counter->count[domain],
                                 value_on(s, rule->topology, node), rule->reach->domains,
                                 rule->min_domains, rule->max_skew);
    return stow_arena_printf(arena, "%s: %u matching in %s, %u in %s, maxSkew %d", key,
                             rule->counter->count[domain], value_on(s, rule->topology, node), min,
                             low == STOW_NONE ? "the emptiest" : value_on(s, rule->topology, low),
                             rule->max_skew);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct spread_prep *p = prep;

    (void)self, (void)pod;
    ret->verdict = STOW_FITS;
    ret->count = 0;
    for (uint32_t i = 0; i < p->plan->rules; i++) {
        const struct stow_spread_rule *rule = &p->plan->rule[i];
        uint32_t domain = rule->topology->of[node], used = rule->counter->count[domain];

        if (domain && used <= p->limit[i])
            continue;
        ret->verdict = domain ? STOW_UNSCHEDULABLE : STOW_UNRESOLVABLE;
        ret->reason[ret->count++] = (struct stow_reason){
            .text = domain ? "node(s) didn't match pod topology spread constraints"
                           : "node(s) didn't match pod topology spread constraints (missing "
                             "required label)",
            .resource = STOW_NONE,
            .wanted = rule->self,
            .used = used,
            .free = domain ? p->limit[i] - used : 0,
            .capacity = p->limit[i],
            .detail = ret->arena ? skew_words(state, rule, node, ret->arena) : NULL,
        };
        return;
    }
}

const struct stow_filter_rule stow_filter_topology_spread = {
    .name = "topology-spread",
    .plugin = "PodTopologySpread",
    .summary = "topologySpreadConstraints with DoNotSchedule",
    .scope = STOW_SCOPE_CLUSTER,
    .self_size = sizeof(struct stow_spread_options),
    .prep_size = sizeof(struct spread_prep),
    .options = stow_spread_option_table,
    .check_options = stow_spread_check_options,
    .prepare = prepare,
    .check = check,
    .explain = explain,
    .outlook = outlook,
};
