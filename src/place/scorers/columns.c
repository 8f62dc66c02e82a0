/* columns.c - the resources that a rule weighs, as columns over all nodes. */
#include "place/scorers/columns.h"

#include <stdlib.h>

#include "model/pods/requests.h"

stow_resource_id stow_columns_resource(const struct stow_snapshot *s, const char *name)
{
    stow_sym sym = stow_intern_find(&s->text, stow_str_of(name));
    stow_resource_id id = sym == STOW_INTERN_FAILED ? STOW_NONE : stow_resource_find(s, sym);

    return id == STOW_RESOURCE_PODS ? STOW_NONE : id;
}

int64_t stow_demand_of(const struct stow_subject *pod, stow_resource_id resource)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(pod->s, pod->demand->requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == resource)
            return list[i].value;
    return 0;
}

static int64_t request_of(const struct stow_collect *asked, const struct stow_subject *pod,
                          stow_resource_id resource)
{
    stow_i128 nano;

    return stow_exact_find(asked->items, asked->count, pod->s->resource[resource], &nano)
               ? stow_resource_units(resource, nano)
               : 0;
}

static const int64_t *used_of(const struct stow_state *state, enum stow_basis basis,
                              stow_resource_id resource)
{
    if (basis == STOW_BASIS_NONZERO && resource == STOW_RESOURCE_CPU)
        return state->nonzero_cpu;
    if (basis == STOW_BASIS_NONZERO && resource == STOW_RESOURCE_MEMORY)
        return state->nonzero_memory;
    return state->requested + (size_t)resource * state->nodes;
}

static bool all_small(const struct stow_columns *columns, const struct stow_state *state)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (state->largest[columns->item[i].resource] >= STOW_SMALL)
            return false;
    return true;
}

static int fill(const struct stow_weighted_list *list, enum stow_basis basis,
                const struct stow_state *state, const struct stow_subject *pod,
                const struct stow_collect *asked, struct stow_columns *ret)
{
    for (uint32_t i = 0; i < list->count; i++) {
        stow_resource_id id = stow_columns_resource(state->s, list->item[i].name);
        int64_t request = id == STOW_NONE ? 0 : request_of(asked, pod, id);

        if (id == STOW_NONE || (id >= STOW_RESOURCE_FIXED && request == 0))
            continue;
        ret->item[ret->count++] = (struct stow_resource_column){
            .name = list->item[i].name,
            .resource = id,
            .allocatable = state->s->allocatable + (size_t)id * state->nodes,
            .used = used_of(state, basis, id),
            .request = request,
            .weight = list->item[i].weight,
        };
    }
    ret->small = all_small(ret, state);
    if (ret->count == 2 && ret->item[0].resource == STOW_RESOURCE_CPU &&
        ret->item[1].resource == STOW_RESOURCE_MEMORY && state->hot_exact)
        ret->hot = (struct stow_hot_view){state->hot, state->stage};
    return STOW_OK;
}

int stow_columns_build(const struct stow_weighted_list *list, enum stow_basis basis,
                       const struct stow_state *state, const struct stow_subject *pod,
                       struct stow_arena *arena, struct stow_columns *ret)
{
    const struct stow_request_rules rules = {.defaults = basis == STOW_BASIS_NONZERO,
                                             .skip_pod_level = basis == STOW_BASIS_NONZERO};
    struct stow_collect asked = {0};
    int code = stow_requests_exact(pod->s, pod->spec, rules, &asked);

    *ret = (struct stow_columns){
        .item = stow_arena_zalloc(arena, (list->count + 1) * sizeof(struct stow_resource_column))};
    if (code >= 0)
        code = ret->item ? fill(list, basis, state, pod, &asked, ret) : STOW_ENOMEM;
    free(asked.items);
    return code;
}
