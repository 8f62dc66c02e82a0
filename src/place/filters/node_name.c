/* node_name.c - a pod that names its node goes nowhere else. */
#include "place/rules.h"

struct prep {
    stow_sym name;
};

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    (void)self, (void)state, (void)arena;
    ((struct prep *)prep)->name = pod->pod->node_name;
    return pod->pod->node_name ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const stow_sym name = ((const struct prep *)prep)->name;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= state->s->node[nodes[i]].symbol == name;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const stow_sym name = ((const struct prep *)prep)->name;

    (void)self, (void)pod, (void)node;
    ret->verdict = STOW_UNRESOLVABLE;
    stow_reason_add(ret, "node(s) didn't match the requested node name",
                    stow_text(state->s, name).ptr);
}

const struct stow_filter_rule stow_filter_node_name = {
    .name = "node-name",
    .plugin = "NodeName",
    .summary = "the node that spec.nodeName names",
    .scope = STOW_SCOPE_STATIC,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
