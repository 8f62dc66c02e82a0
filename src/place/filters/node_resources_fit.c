/* node_resources_fit.c - what the pod asks for must be free on the node.
 *
 * Free is allocatable less what the pods there ask for, and a slot for one more
 * pod.  The amounts that count for a pod are worked out once; asking is then a
 * pass over two columns per amount, without a branch.
 *
 * A node is Unschedulable when it is only full, UnschedulableAndUnresolvable when
 * some amount is more than the node has even when it is empty; too many pods can
 * always be helped. */
#include <float.h>

#include "place/filters/fit.h"
#include "place/profiles/names.h"
#include "place/rules.h"

#define REASON_PODS "Too many pods"
#define REASON_SIDECAR \
    "Pod has a restartable init container and the SidecarContainers feature is disabled"

struct self {
    struct stow_name_list ignored, ignored_groups;
    struct stow_name_list devices; /* resources that a DeviceClass stands behind */
    bool no_sidecars;
};

/* One amount that counts. */
struct amount {
    stow_resource_id resource;
    bool device; /* does not count on a node that has none of it */
    int64_t wanted;
};

struct prep {
    struct amount *amount;
    uint32_t amounts;
    bool refused; /* for its sidecars */
    bool hot;     /* cpu and memory are all that counts */
    int64_t cpu, memory;
};

/* ---- options ----------------------------------------------------------------------------- */

static int read_ignored(struct stow_cursor *c, void *self)
{
    return stow_option_names(c, &((struct self *)self)->ignored);
}

static int read_ignored_groups(struct stow_cursor *c, void *self)
{
    return stow_option_names(c, &((struct self *)self)->ignored_groups);
}

static int read_devices(struct stow_cursor *c, void *self)
{
    return stow_option_names(c, &((struct self *)self)->devices);
}

static int read_sidecars(struct stow_cursor *c, void *self)
{
    bool yes;

    STOW_TRY(stow_cursor_bool(c, &yes));
    ((struct self *)self)->no_sidecars = !yes;
    return STOW_OK;
}

static const struct stow_rule_option options[] = {
    {"ignoredResources", read_ignored, "extended resources that are ignored"},
    {"ignoredResourceGroups", read_ignored_groups,
     "domains (example.com) whose extended resources are ignored"},
    {"deviceResources", read_devices,
     "resources that device drivers hand out: a node that lists none of one passes"},
    {"sidecarContainers", read_sidecars, "false: refuse pods that have sidecars"},
    {0},
};

/* ---- preparing --------------------------------------------------------------------------- */

static bool is_extended(struct stow_str name)
{
    return stow_str_contains(name, STOW_STR("/")) &&
           !stow_str_contains(name, STOW_STR("kubernetes.io/"));
}

static bool is_ignored(const struct self *self, struct stow_str name)
{
    struct stow_str rest;

    return is_extended(name) &&
           (stow_names_have(&self->ignored, name) ||
            stow_names_have(&self->ignored_groups, stow_str_cut(name, '/', &rest)));
}

static bool has_sidecar(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_container *c = STOW_LIST(s, spec->containers, struct stow_container, &count);

    for (uint32_t i = 0; i < count; i++)
        if (c[i].flags & STOW_CONTAINER_SIDECAR)
            return true;
    return false;
}

static void find_hot(struct prep *p)
{
    p->hot = true;
    for (uint32_t i = 0; i < p->amounts; i++) {
        const struct amount *a = &p->amount[i];

        if (a->resource == STOW_RESOURCE_CPU)
            p->cpu = a->wanted;
        else if (a->resource == STOW_RESOURCE_MEMORY)
            p->memory = a->wanted;
        else
            p->hot = false;
    }
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct self *o = self;
    struct prep *p = prep;
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(state->s, pod->demand->requests, struct stow_amount, &count);

    p->refused = o->no_sidecars && has_sidecar(state->s, pod->spec);
    if (p->refused)
        return STOW_PREPARED_NEVER;
    p->amount = stow_arena_alloc(arena, (count + 1) * sizeof(*p->amount));
    if (!p->amount)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_str name = stow_text(state->s, state->s->resource[list[i].resource]);

        if (list[i].value == 0 || list[i].resource == STOW_RESOURCE_PODS || is_ignored(o, name))
            continue;
        p->amount[p->amounts++] =
            (struct amount){list[i].resource, stow_names_have(&o->devices, name), list[i].value};
    }
    find_hot(p);
    return STOW_PREPARED;
}

/* ---- asking ------------------------------------------------------------------------------ */

static void check_pods(const struct stow_state *state, const stow_node_id *nodes, uint32_t count,
                       uint8_t *restrict fits)
{
    const int64_t *slots = state->s->allocatable + (size_t)STOW_RESOURCE_PODS * state->nodes;
    const uint32_t *taken = state->pods_on;

    for (uint32_t i = 0; i < count; i++)
        fits[i] &= (int64_t)taken[nodes[i]] < slots[nodes[i]];
}

static void check_amount(const struct stow_state *state, const struct amount *a,
                         const stow_node_id *nodes, uint32_t count, uint8_t *restrict fits)
{
    const int64_t *total = state->s->allocatable + (size_t)a->resource * state->nodes;
    const int64_t *taken = state->requested + (size_t)a->resource * state->nodes;
    const int64_t wanted = a->wanted;
    const uint8_t device = a->device;

    for (uint32_t i = 0; i < count; i++) {
        int64_t has = total[nodes[i]];

        fits[i] &= (uint8_t)(wanted <= has - taken[nodes[i]]) | (uint8_t)(device & (has == 0));
    }
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct prep *p = prep;

    (void)self, (void)pod;
    if (p->refused) {
        memset(fits, 0, count);
        return;
    }
    if (p->hot) {
        stow_hot_fits((struct stow_hot_view){state->hot, state->stage}, nodes, count, p->cpu,
                      p->memory, fits);
        return;
    }
    check_pods(state, nodes, count, fits);
    for (uint32_t i = 0; i < p->amounts; i++)
        check_amount(state, &p->amount[i], nodes, count, fits);
}

/* A pod that asks for nothing of a resource does not mind that there is less than nothing. */
static bool formulate(const void *prep, struct stow_formula *to)
{
    const struct prep *p = prep;

    if (!p->hot || to->has_need)
        return false;
    to->has_need = true;
    to->need[0] = p->cpu ? (double)p->cpu : -DBL_MAX;
    to->need[1] = p->memory ? (double)p->memory : -DBL_MAX;
    return true;
}

/* ---- explaining -------------------------------------------------------------------------- */

static const char *insufficient(const struct stow_snapshot *s, stow_resource_id resource,
                                struct stow_arena *arena)
{
    static const char *const fixed[STOW_RESOURCE_FIXED] = {
        [STOW_RESOURCE_CPU] = "Insufficient cpu",
        [STOW_RESOURCE_MEMORY] = "Insufficient memory",
        [STOW_RESOURCE_EPHEMERAL] = "Insufficient ephemeral-storage",
    };
    const char *text = NULL;

    if (resource < STOW_RESOURCE_FIXED)
        return fixed[resource];
    if (arena)
        text = stow_arena_printf(arena, "Insufficient %.*s",
                                 STOW_FMT(stow_text(s, s->resource[resource])));
    return text ? text : "Insufficient resource";
}

static void add_amount(const struct stow_state *state, const struct amount *a, stow_node_id node,
                       struct stow_reasons *ret)
{
    int64_t has = stow_state_allocatable(state, a->resource, node);
    int64_t taken = stow_state_requested(state, a->resource, node);

    if (a->wanted <= has - taken || (a->device && has == 0))
        return;
    if (a->wanted > has)
        ret->verdict = STOW_UNRESOLVABLE;

    struct stow_reason *r =
        stow_reason_add(ret, insufficient(state->s, a->resource, ret->arena), NULL);

    if (!r)
        return;
    r->resource = a->resource;
    r->wanted = a->wanted;
    r->free = has - taken;
    r->used = taken;
    r->capacity = has;
}

static void add_pods(const struct stow_state *state, stow_node_id node, struct stow_reasons *ret)
{
    int64_t slots = stow_state_allocatable(state, STOW_RESOURCE_PODS, node);
    int64_t taken = state->pods_on[node];
    struct stow_reason *r = taken < slots ? NULL : stow_reason_add(ret, REASON_PODS, NULL);

    if (!r)
        return;
    r->resource = STOW_RESOURCE_PODS;
    r->wanted = 1;
    r->free = slots - taken;
    r->used = taken;
    r->capacity = slots;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct prep *p = prep;

    (void)self, (void)pod;
    if (p->refused) {
        ret->verdict = STOW_UNRESOLVABLE;
        stow_reason_add(ret, REASON_SIDECAR, NULL);
        return;
    }
    ret->verdict = STOW_UNSCHEDULABLE;
    add_pods(state, node, ret);
    for (uint32_t i = 0; i < p->amounts; i++)
        add_amount(state, &p->amount[i], node, ret);
}

const struct stow_filter_rule stow_filter_node_resources_fit = {
    .name = "node-resources-fit",
    .plugin = "NodeResourcesFit",
    .summary = "room for the pod's requests, and for one more pod",
    .scope = STOW_SCOPE_LOCAL,
    .self_size = sizeof(struct self),
    .prep_size = sizeof(struct prep),
    .options = options,
    .prepare = prepare,
    .check = check,
    .explain = explain,
    .formulate = formulate,
};

/* ---- of a profile ------------------------------------------------------------------------ */

void stow_fit_ignore(struct stow_profile *profile, const struct stow_name_list *names)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule == &stow_filter_node_resources_fit)
            ((struct self *)profile->filter[i].self)->ignored = *names;
}

bool stow_fit_ignores(const struct stow_profile *profile, struct stow_str resource)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule == &stow_filter_node_resources_fit &&
            is_ignored(profile->filter[i].self, resource))
            return true;
    return false;
}
