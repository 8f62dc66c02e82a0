/* network_type.c - a pod that names a network type goes to nodes that state the same. */
#include "place/filters/typed.h"
#include "place/rules.h"

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    (void)arena;
    return stow_typed_prepare(self, pod, state->s->keys.network_type, prep);
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const stow_sym wanted = ((const struct stow_typed_prep *)prep)->wanted;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= state->facts[nodes[i]].network_type == wanted;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    (void)self, (void)pod;
    stow_typed_explain(prep, state->s, "node(s) had another network type",
                       state->facts[node].network_type, ret);
}

const struct stow_filter_rule stow_filter_network_type = {
    .name = "network-type",
    .summary = "the network type that the pod names",
    .scope = STOW_SCOPE_STATIC,
    .self_size = sizeof(struct stow_typed),
    .prep_size = sizeof(struct stow_typed_prep),
    .options = stow_typed_options,
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
