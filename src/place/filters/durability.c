/* durability.c - important pods stay off nodes that can be taken away.
 *
 * The hard form of Ultron's workload priority: a pod of high priority goes to
 * durable nodes only, others go anywhere. */
#include "place/facts.h"
#include "place/rules.h"

static int read_threshold(struct stow_cursor *c, void *self)
{
    struct stow_importance *importance = self;
    int64_t value;

    STOW_TRY(stow_cursor_int(c, INT32_MIN, INT32_MAX, &value));
    importance->by_value = true;
    importance->threshold = (int32_t)value;
    return STOW_OK;
}

static const struct stow_rule_option options[] = {
    {"priorityThreshold", read_threshold,
     "pods that state no priority of their own are high from this value of their class on"},
    {0},
};

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct stow_importance *importance = self;

    (void)prep, (void)arena;
    return stow_pod_is_high(state->s, pod->pod, *importance) ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    (void)self, (void)prep, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= !state->facts[nodes[i]].spot;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    (void)self, (void)prep, (void)state, (void)pod, (void)node;
    ret->verdict = STOW_UNRESOLVABLE;
    stow_reason_add(ret, "node(s) were not durable", "the pod has high priority, the node is spot");
}

const struct stow_filter_rule stow_filter_durability = {
    .name = "durability",
    .summary = "pods of high priority on durable nodes only",
    .scope = STOW_SCOPE_STATIC,
    .self_size = sizeof(struct stow_importance),
    .options = options,
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
