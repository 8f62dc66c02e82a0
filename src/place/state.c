/* state.c - a cluster while pods are being placed on it. */
#include "place/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "place/counts/attached.h"
#include "place/counts/tally.h"
#include "place/facts.h"
#include "place/storage.h"

/* Brings the account of storage up to date, where there is one. */
static void take_storage(struct stow_state *state, stow_pod_id pod, stow_node_id node)
{
    if (state->storage)
        stow_add_clamped(&state->storage[node], stow_pod_storage(state->s, &state->s->pod[pod]));
}

static void link_pod(struct stow_state *state, stow_pod_id pod, stow_node_id node)
{
    stow_attach_pod(state, pod, node);
    state->node_of[pod] = node;
    state->next_on[pod] = state->first_on[node];
    state->first_on[node] = pod;
    take_storage(state, pod, node);
}

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *made = calloc(count + 1, size);

    if (made && count)
        memcpy(made, from, count * size);
    return made;
}

static bool allocate(struct stow_state *state)
{
    const struct stow_snapshot *s = state->s;
    size_t nodes = s->nodes, cells = nodes * s->resources;

    state->requested = copy_of(s->requested, cells, sizeof(*s->requested));
    state->nonzero_cpu = copy_of(s->nonzero_cpu, nodes, sizeof(*s->nonzero_cpu));
    state->nonzero_memory = copy_of(s->nonzero_memory, nodes, sizeof(*s->nonzero_memory));
    state->pods_on = copy_of(s->pods_on, nodes, sizeof(*s->pods_on));
    state->stage = calloc(1, sizeof(*state->stage));
    if (state->stage)
        state->stage->own = stow_hot_columns_new(STOW_STAGE);
    state->taints = calloc(nodes + 1, sizeof(*state->taints));
    state->largest = calloc(s->resources + 1, sizeof(*state->largest));
    state->hot = aligned_alloc(64, (nodes + 1) * sizeof(*state->hot));
    state->node_of = malloc((s->pods + 1) * sizeof(*state->node_of));
    state->next_on = malloc((s->pods + 1) * sizeof(*state->next_on));
    state->first_on = malloc((nodes + 1) * sizeof(*state->first_on));
    state->facts = stow_node_facts_new(s, state->money, &state->kind_node, &state->kinds);
    state->tally = stow_tally_new(s);
    return state->tally && state->facts && state->hot && state->stage && state->stage->own.cpu &&
           state->taints && state->largest && state->requested && state->nonzero_cpu &&
           state->nonzero_memory && state->pods_on && state->node_of && state->next_on &&
           state->first_on;
}

/* Copies what stands in columns to the node's own line. */
static void warm(struct stow_state *state, stow_node_id node)
{
    struct stow_hot *h = &state->hot[node];

    h->cpu_used = stow_state_requested(state, STOW_RESOURCE_CPU, node);
    h->memory_used = stow_state_requested(state, STOW_RESOURCE_MEMORY, node);
    h->cpu_nonzero = state->nonzero_cpu[node];
    h->memory_nonzero = state->nonzero_memory[node];
    h->slots =
        stow_state_allocatable(state, STOW_RESOURCE_PODS, node) - (int64_t)state->pods_on[node];
    stow_hot_settle(h);
}

static void fill_hot(struct stow_state *state)
{
    for (stow_node_id i = 0; i < state->nodes; i++) {
        state->hot[i] = (struct stow_hot){
            .cpu = stow_state_allocatable(state, STOW_RESOURCE_CPU, i),
            .memory = stow_state_allocatable(state, STOW_RESOURCE_MEMORY, i),
        };
        warm(state, i);
    }
    state->hot_exact = stow_hot_exact(state->hot, state->nodes);
}

/* What is true of all nodes together, so that rules need not find out for every class. */
static void look_over(struct stow_state *state)
{
    const struct stow_snapshot *s = state->s;

    for (stow_node_id i = 0; i < s->nodes; i++) {
        const struct stow_node *node = &s->node[i];

        state->taints[i] = node->taints;
        state->any_taints |= node->taints != 0;
        state->any_cordoned |= (node->flags & STOW_NODE_UNSCHEDULABLE) != 0;
        state->any_images |= node->images != 0;
    }
    for (stow_resource_id r = 0; r < s->resources; r++)
        for (stow_node_id i = 0; i < s->nodes; i++)
            if (stow_state_allocatable(state, r, i) > state->largest[r])
                state->largest[r] = stow_state_allocatable(state, r, i);
}

int stow_state_init(struct stow_state *state, const struct stow_snapshot *s,
                    const struct stow_node_money *money, struct stow_err *err)
{
    memset(state, 0, sizeof(*state));
    state->s = s;
    state->money = money;
    state->nodes = s->nodes;
    state->resources = s->resources;
    state->epoch = 1;
    if (!allocate(state)) {
        stow_state_done(state);
        return stow_fail_memory(err);
    }
    if (stow_storage_stated(s) && !(state->storage = calloc(s->nodes + 1, sizeof(int64_t)))) {
        stow_state_done(state);
        return stow_fail_memory(err);
    }
    if (stow_attached_init(state) < 0) {
        stow_state_done(state);
        return stow_fail_memory(err);
    }
    fill_hot(state);
    look_over(state);
    memset(state->first_on, 0xFF, (s->nodes + 1) * sizeof(*state->first_on));
    memset(state->node_of, 0xFF, (s->pods + 1) * sizeof(*state->node_of));
    for (stow_pod_id i = s->pods; i > 0; i--) { /* so that the lists are in order of ids */
        if (s->pod[i - 1].node != STOW_NONE && stow_pod_counts(&s->pod[i - 1]))
            link_pod(state, i - 1, s->pod[i - 1].node);
        if (s->pod[i - 1].flags & STOW_POD_FRESH)
            state->node_of[i - 1] = STOW_NONE; /* what counts over several nodes goes by this */
    }
    return STOW_OK;
}

void stow_state_done(struct stow_state *state)
{
    stow_tally_free(state->tally);
    stow_attached_done(state);
    free((void *)state->facts);
    free((void *)state->kind_node);
    free(state->requested);
    free(state->nonzero_cpu);
    free(state->nonzero_memory);
    free(state->pods_on);
    free(state->hot);
    if (state->stage)
        stow_hot_columns_free(&state->stage->own);
    free(state->stage);
    free(state->taints);
    free(state->largest);
    free(state->storage);
    free(state->node_of);
    free(state->first_on);
    free(state->next_on);
    memset(state, 0, sizeof(*state));
}

/* Pods whose terms may concern others. */
static bool carries_terms(const struct stow_pod_spec *spec)
{
    return spec->affinity_required || spec->affinity_preferred || spec->anti_required ||
           spec->anti_preferred;
}

void stow_state_place(struct stow_state *state, stow_pod_id pod, stow_node_id node)
{
    const struct stow_demand *d = &state->s->demand[state->s->pod[pod].spec];
    uint32_t count;
    const struct stow_amount *list = STOW_LIST(state->s, d->requests, struct stow_amount, &count);

    assert(node < state->nodes && pod < state->s->pods);
    for (uint32_t i = 0; i < count; i++)
        stow_add_clamped(&state->requested[(size_t)list[i].resource * state->nodes + node],
                         list[i].value);
    stow_add_clamped(&state->requested[(size_t)STOW_RESOURCE_PODS * state->nodes + node], 1);
    stow_add_clamped(&state->nonzero_cpu[node], d->nonzero_cpu);
    stow_add_clamped(&state->nonzero_memory[node], d->nonzero_memory);
    state->pods_on[node]++;
    warm(state, node);
    state->epoch += carries_terms(stow_spec(state->s, state->s->pod[pod].spec));
    link_pod(state, pod, node);
    stow_tally_place(state->tally, state, pod, node);
}
