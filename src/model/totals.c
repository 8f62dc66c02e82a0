/* totals.c - resource ids, what each spec asks for, and the columns per node. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/pods/requests.h"

/* ---- resource ids ------------------------------------------------------------------------ */

static void mark_names(const struct stow_snapshot *s, stow_blob amounts, bool *seen)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++)
        seen[list[i].resource] = true;
}

static void mark_spec_names(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                            bool *seen)
{
    uint32_t count;
    const struct stow_container *list =
        STOW_LIST(s, spec->containers, struct stow_container, &count);

    mark_names(s, spec->overhead, seen);
    mark_names(s, spec->pod_requests, seen);
    for (uint32_t i = 0; i < count; i++) {
        mark_names(s, list[i].requests, seen);
        mark_names(s, list[i].limits, seen);
    }
}

static int compare_texts(const void *a, const void *b, void *snapshot)
{
    return stow_str_cmp(stow_text(snapshot, *(const stow_sym *)a),
                        stow_text(snapshot, *(const stow_sym *)b));
}

/* The fixed four, then every scalar that any object names, sorted by name. */
static int number_resources(struct stow_snapshot *s, const bool *seen)
{
    uint32_t cap = 0;
    static const stow_sym fixed[] = {STOW_SYM_CPU, STOW_SYM_MEMORY, STOW_SYM_EPHEMERAL,
                                     STOW_SYM_PODS};

    if (stow_vec_reserve(&s->resource, &cap, STOW_RESOURCE_FIXED, sizeof(*s->resource)) < 0)
        return STOW_ENOMEM;
    memcpy(s->resource, fixed, sizeof(fixed));
    s->resources = STOW_RESOURCE_FIXED;
    for (stow_sym sym = 0; sym < s->text.entries; sym++) {
        if (!seen[sym] || !stow_resource_is_scalar(stow_text(s, sym)))
            continue;

        stow_sym *slot = STOW_PUSH(&s->resource, &s->resources, &cap);

        if (!slot)
            return STOW_ENOMEM;
        *slot = sym;
    }
    qsort_r(s->resource + STOW_RESOURCE_FIXED, s->resources - STOW_RESOURCE_FIXED,
            sizeof(*s->resource), compare_texts, s);
    return STOW_OK;
}

static int find_resources(struct stow_snapshot *s)
{
    STOW_AUTO(stow_free_local) bool *seen = calloc(s->text.entries, sizeof(*seen));

    if (!seen)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->nodes; i++) {
        mark_names(s, s->node[i].allocatable, seen);
        mark_names(s, s->node[i].capacity, seen);
    }
    for (uint32_t i = 0; i < s->groups; i++) {
        mark_names(s, s->fresh[i].allocatable, seen);
        mark_names(s, s->fresh[i].capacity, seen);
        mark_names(s, s->group[i].daemon_overhead, seen);
    }
    for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
        mark_spec_names(s, stow_spec(s, i), seen);
    return number_resources(s, seen);
}

/* ---- demands ----------------------------------------------------------------------------- */

stow_resource_id stow_resource_find(const struct stow_snapshot *s, stow_sym sym)
{
    for (uint32_t i = 0; i < s->resources; i++)
        if (s->resource[i] == sym)
            return i;
    return STOW_NONE;
}

int64_t stow_resource_units(stow_resource_id resource, stow_i128 nano)
{
    return resource == STOW_RESOURCE_CPU ? stow_nano_milli(nano, NULL)
                                         : stow_nano_value(nano, NULL);
}

void stow_resource_amounts(const struct stow_snapshot *s, stow_blob exact, int64_t *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, exact, struct stow_exact, &count);

    memset(ret, 0, s->resources * sizeof(*ret));
    for (uint32_t i = 0; i < count; i++) {
        stow_resource_id r = stow_resource_find(s, list[i].resource);

        if (r != STOW_NONE)
            ret[r] = stow_resource_units(r, stow_exact_nano(&list[i]));
    }
}

int64_t stow_resource_amount(const struct stow_snapshot *s, stow_blob exact,
                             stow_resource_id resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, exact, struct stow_exact, &count);
    stow_i128 nano;

    return stow_exact_find(list, count, s->resource[resource], &nano)
               ? stow_resource_units(resource, nano)
               : 0;
}

/* Exact amounts as amounts in units, by resource id; names that are not counted are dropped. */
static int to_amounts(const struct stow_snapshot *s, const struct stow_collect *exact,
                      struct stow_collect *ret)
{
    ret->count = 0;
    for (stow_resource_id r = 0; r < s->resources; r++) {
        stow_i128 nano;

        if (!stow_exact_find(exact->items, exact->count, s->resource[r], &nano))
            continue;

        struct stow_amount *amount = STOW_COLLECT(ret, struct stow_amount);

        if (!amount)
            return STOW_ENOMEM;
        amount->resource = r;
        amount->value = stow_resource_units(r, nano);
    }
    return STOW_OK;
}

static int64_t units_of(const struct stow_collect *exact, stow_sym sym, stow_resource_id resource)
{
    stow_i128 nano;

    return stow_exact_find(exact->items, exact->count, sym, &nano)
               ? stow_resource_units(resource, nano)
               : 0;
}

struct demand_scratch {
    struct stow_collect plain, filled, amounts;
};

static void demand_scratch_done(struct demand_scratch *d)
{
    free(d->plain.items);
    free(d->filled.items);
    free(d->amounts.items);
}

/* With pod-level requests, defaults count only for what the whole effective request lacks. */
static int nonzero(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                   struct demand_scratch *d, struct stow_demand *ret)
{
    stow_i128 ignored;
    const struct stow_exact *plain = d->plain.items;
    const struct stow_collect *cpu = &d->filled, *memory = &d->filled;

    STOW_TRY(
        stow_requests_exact(s, spec, (struct stow_request_rules){.defaults = true}, &d->filled));
    if (stow_requests_pod_level(s, spec)) {
        if (stow_exact_find(plain, d->plain.count, STOW_SYM_CPU, &ignored))
            cpu = &d->plain;
        if (stow_exact_find(plain, d->plain.count, STOW_SYM_MEMORY, &ignored))
            memory = &d->plain;
    }
    ret->nonzero_cpu = units_of(cpu, STOW_SYM_CPU, STOW_RESOURCE_CPU);
    ret->nonzero_memory = units_of(memory, STOW_SYM_MEMORY, STOW_RESOURCE_MEMORY);
    return STOW_OK;
}

static int compute_demand(struct stow_snapshot *s, const struct stow_pod_spec *spec,
                          struct demand_scratch *d, struct stow_demand *ret)
{
    STOW_TRY(stow_requests_exact(s, spec, (struct stow_request_rules){0}, &d->plain));
    STOW_TRY(to_amounts(s, &d->plain, &d->amounts));
    ret->requests =
        stow_intern_blob(&s->blob, d->amounts.items, d->amounts.count * sizeof(struct stow_amount));
    if (ret->requests == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    return nonzero(s, spec, d, ret);
}

static int compute_demands(struct stow_snapshot *s)
{
    STOW_AUTO(demand_scratch_done) struct demand_scratch scratch = {0};

    s->demand = calloc(stow_spec_end(s), sizeof(*s->demand));
    if (!s->demand)
        return STOW_ENOMEM;
    for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
        STOW_TRY(compute_demand(s, stow_spec(s, i), &scratch, &s->demand[i]));
    return STOW_OK;
}

/* ---- columns ----------------------------------------------------------------------------- */

static void fill_allocatable(struct stow_snapshot *s, stow_node_id node)
{
    uint32_t count;
    const struct stow_exact *list =
        STOW_LIST(s, s->node[node].allocatable, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_resource_id r = stow_resource_find(s, list[i].resource);

        if (r != STOW_NONE)
            s->allocatable[(size_t)r * s->nodes + node] =
                stow_resource_units(r, stow_exact_nano(&list[i]));
    }
}

void stow_add_pod(struct stow_snapshot *s, const struct stow_pod *pod)
{
    const struct stow_demand *d = &s->demand[pod->spec];
    uint32_t count;
    const struct stow_amount *list = STOW_LIST(s, d->requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        stow_add_clamped(&s->requested[(size_t)list[i].resource * s->nodes + pod->node],
                         list[i].value);
    stow_add_clamped(&s->requested[(size_t)STOW_RESOURCE_PODS * s->nodes + pod->node], 1);
    stow_add_clamped(&s->nonzero_cpu[pod->node], d->nonzero_cpu);
    stow_add_clamped(&s->nonzero_memory[pod->node], d->nonzero_memory);
    s->pods_on[pod->node]++;
}

static int fill_columns(struct stow_snapshot *s)
{
    size_t cells = (size_t)s->resources * s->nodes + 1;

    s->allocatable = calloc(cells, sizeof(*s->allocatable));
    s->requested = calloc(cells, sizeof(*s->requested));
    s->nonzero_cpu = calloc(s->nodes + 1, sizeof(*s->nonzero_cpu));
    s->nonzero_memory = calloc(s->nodes + 1, sizeof(*s->nonzero_memory));
    s->pods_on = calloc(s->nodes + 1, sizeof(*s->pods_on));
    if (!s->allocatable || !s->requested || !s->nonzero_cpu || !s->nonzero_memory || !s->pods_on)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < s->nodes; i++)
        fill_allocatable(s, i);
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].node != STOW_NONE && stow_pod_counts(&s->pod[i]))
            stow_add_pod(s, &s->pod[i]);
    return STOW_OK;
}

int stow_add_up(struct stow_snapshot *s)
{
    STOW_TRY(find_resources(s));
    STOW_TRY(compute_demands(s));
    return fill_columns(s);
}
