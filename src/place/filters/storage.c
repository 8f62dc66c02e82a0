/* storage.c - the storage that a pod says it needs must be free on the node.
 *
 * Ultron's rule (a pod may state its storage by an annotation), with the account
 * that Ultron does not keep: what the pods on the node have taken, stated or
 * requested, is subtracted from the node's allocatable ephemeral storage. */
#include "place/storage.h"
#include "place/rules.h"

struct prep {
    int64_t wanted;
};

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct prep *p = prep;

    (void)self, (void)arena;
    p->wanted = stow_pod_storage(state->s, pod->pod);
    return p->wanted > 0 ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static const int64_t *taken_of(const struct stow_state *state)
{
    return state->storage ? state->storage
                          : state->requested + (size_t)STOW_RESOURCE_EPHEMERAL * state->nodes;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const int64_t *total = state->s->allocatable + (size_t)STOW_RESOURCE_EPHEMERAL * state->nodes;
    const int64_t *taken = taken_of(state);
    const int64_t wanted = ((const struct prep *)prep)->wanted;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= wanted <= total[nodes[i]] - taken[nodes[i]];
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    int64_t wanted = ((const struct prep *)prep)->wanted;
    int64_t total = stow_state_allocatable(state, STOW_RESOURCE_EPHEMERAL, node);
    struct stow_reason *r = stow_reason_add(ret, "Insufficient storage", NULL);

    (void)self, (void)pod;
    ret->verdict = wanted > total ? STOW_UNRESOLVABLE : STOW_UNSCHEDULABLE;
    if (!r)
        return;
    r->resource = STOW_RESOURCE_EPHEMERAL;
    r->wanted = wanted;
    r->used = taken_of(state)[node];
    r->free = total - r->used;
    r->capacity = total;
}

const struct stow_filter_rule stow_filter_storage = {
    .name = "storage",
    .summary = "room for the storage that the pod states or requests",
    .scope = STOW_SCOPE_LOCAL,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
