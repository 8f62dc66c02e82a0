/* node_unschedulable.c - a cordoned node takes only pods that tolerate the taint that stands
 * for it, whether or not the node carries that taint. */
#include "place/filters/tolerate.h"
#include "place/rules.h"

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct stow_taint cordoned = stow_cordon_taint(state->s);

    (void)self, (void)prep, (void)arena;
    if (!state->any_cordoned)
        return STOW_PREPARED_SKIP;
    return stow_tolerated(state->s, pod->spec->tolerations, &cordoned, false) ? STOW_PREPARED_SKIP
                                                                              : STOW_PREPARED;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    (void)self, (void)prep, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= !(state->s->node[nodes[i]].flags & STOW_NODE_UNSCHEDULABLE);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    (void)self, (void)prep, (void)state, (void)pod, (void)node;
    ret->verdict = STOW_UNRESOLVABLE;
    stow_reason_add(ret, "node(s) were unschedulable", NULL);
}

const struct stow_filter_rule stow_filter_node_unschedulable = {
    .name = "node-unschedulable",
    .plugin = "NodeUnschedulable",
    .summary = "cordoned nodes, unless the pod tolerates that",
    .scope = STOW_SCOPE_STATIC,
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
