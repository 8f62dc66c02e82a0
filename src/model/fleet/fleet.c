/* fleet.c - clusters against affinities, and bindings for workloads that come without one.
 *
 * In a running Karmada the detector makes a ResourceBinding for each workload that
 * a policy selects.  Input written by hand has Deployments, policies and clusters
 * only; then the same is done here: a PropagationPolicy of the namespace before a
 * ClusterPropagationPolicy, then the greater priority, then the closer selector
 * (by name, by labels, by kind), then the smaller name.  A workload that no policy
 * selects may go anywhere, and its replicas are divided as cheaply as possible, so that
 * plain Deployments can be divided over plain clusters. */
#include "model/fleet/fleet.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/finish.h"
#include "model/pods/requests.h"
#include "model/values/few.h"
#include "model/values/match.h"

/* ---- matching ---------------------------------------------------------------------------- */

stow_cluster_id stow_cluster_find(const struct stow_snapshot *s, stow_sym name)
{
    struct stow_str text = stow_text(s, name);
    uint32_t low = 0, high = s->clusters;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = stow_str_cmp(stow_str_of(s->cluster[middle].name), text);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return STOW_NONE;
}

static bool lists(const struct stow_snapshot *s, stow_blob names, stow_sym name)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, names, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i] == name)
            return true;
    return false;
}

static bool overlaps(const struct stow_snapshot *s, stow_blob zones, stow_blob values)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, zones, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (lists(s, values, list[i]))
            return true;
    return false;
}

/* A cluster may be in several zones, so a requirement is about the list. */
static bool zones_hold(const struct stow_snapshot *s, const struct stow_requirement *r,
                       stow_blob zones)
{
    switch ((enum stow_operator)r->op) {
    case STOW_OP_IN:
        return overlaps(s, zones, r->values);
    case STOW_OP_NOT_IN:
        return !overlaps(s, zones, r->values);
    case STOW_OP_EXISTS:
        return zones != 0;
    case STOW_OP_NOT_EXISTS:
        return zones == 0;
    case STOW_OP_GT:
    case STOW_OP_LT:
    case STOW_OP_UNKNOWN:
        break;
    }
    return false;
}

static bool all_zones_hold(const struct stow_snapshot *s, stow_blob requirements, stow_blob zones)
{
    uint32_t count;
    const struct stow_requirement *list =
        STOW_LIST(s, requirements, struct stow_requirement, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!zones_hold(s, &list[i], zones))
            return false;
    return true;
}

bool stow_affinity_matches(const struct stow_snapshot *s, const struct stow_cluster_affinity *a,
                           const struct stow_cluster *cluster)
{
    if (a->exclude && lists(s, a->exclude, cluster->symbol))
        return false;
    if (a->labels && !stow_selector_matches(s, a->labels, cluster->labels))
        return false;
    if (a->zones && !all_zones_hold(s, a->zones, cluster->zones))
        return false;
    if (a->fields && !stow_selector_matches(s, a->fields, cluster->fields))
        return false;
    return !a->names || lists(s, a->names, cluster->symbol);
}

const struct stow_propagation *stow_propagation_get(const struct stow_snapshot *s,
                                                    stow_blob placement)
{
    static const struct stow_propagation none;
    uint32_t count;
    const struct stow_propagation *list = STOW_LIST(s, placement, struct stow_propagation, &count);

    return count ? list : &none;
}

/* ---- which policy ------------------------------------------------------------------------ */

struct kind_name {
    const char *api_version, *kind;
};

/* The kinds whose replicas Karmada divides. */
static const struct kind_name kinds[STOW_WORKLOAD_KINDS] = {
    [STOW_DEPLOYMENT] = {"apps/v1", "Deployment"},
    [STOW_STATEFUL_SET] = {"apps/v1", "StatefulSet"},
    [STOW_REPLICA_SET] = {"apps/v1", "ReplicaSet"},
    [STOW_JOB] = {"batch/v1", "Job"},
};

/* How closely a selector takes a workload: 0 not at all, 3 by its name. */
static int closeness(const struct stow_snapshot *s, const struct stow_resource_selector *selector,
                     const struct stow_workload *w)
{
    const struct kind_name *kind = &kinds[w->kind];

    if (!stow_str_is(stow_text(s, selector->api_version), kind->api_version) ||
        !stow_str_is(stow_text(s, selector->kind), kind->kind) ||
        (selector->namespace && selector->namespace != w->namespace))
        return 0;
    if (selector->name)
        return selector->name == w->symbol ? 3 : 0;
    if (selector->labels)
        return stow_selector_matches(s, selector->labels, w->labels) ? 2 : 0;
    return 1;
}

static int policy_closeness(const struct stow_snapshot *s, const struct stow_propagation_policy *p,
                            const struct stow_workload *w)
{
    uint32_t count;
    const struct stow_resource_selector *list =
        STOW_LIST(s, p->selectors, struct stow_resource_selector, &count);
    int best = 0;

    for (uint32_t i = 0; i < count; i++) {
        int one = closeness(s, &list[i], w);

        best = one > best ? one : best;
    }
    return best;
}

/* Policies are in order of names, so the first of equals has the smaller one. */
static uint32_t choose_policy(const struct stow_snapshot *s, const struct stow_workload *w)
{
    uint32_t best = STOW_NONE;
    int best_closeness = 0;

    for (uint32_t i = 0; i < s->propagations; i++) {
        const struct stow_propagation_policy *p = &s->propagation[i];
        const struct stow_propagation_policy *q = best == STOW_NONE ? NULL : &s->propagation[best];
        int close = policy_closeness(s, p, w);

        if (!close || (!p->cluster_wide && p->namespace != w->namespace))
            continue;
        if (q && p->cluster_wide != q->cluster_wide ? !q->cluster_wide
            : q && p->priority != q->priority       ? p->priority < q->priority
                                                    : q && close <= best_closeness)
            continue;
        best = i;
        best_closeness = close;
    }
    return best;
}

/* ---- what a replica needs ---------------------------------------------------------------- */

/* Requests of a container, and its limits where it states no request. */
static int merge_limits(struct stow_snapshot *s, const struct stow_container *c, stow_blob *ret)
{
    uint32_t requests, limits;
    const struct stow_exact *request = STOW_LIST(s, c->requests, struct stow_exact, &requests);
    const struct stow_exact *limit = STOW_LIST(s, c->limits, struct stow_exact, &limits);
    STOW_AUTO(stow_free_local)
    struct stow_exact *list = calloc(requests + limits + 1, sizeof(*list));
    uint32_t made = requests;
    stow_i128 ignored;

    if (!list)
        return STOW_ENOMEM;
    if (requests)
        memcpy(list, request, requests * sizeof(*list));
    for (uint32_t i = 0; i < limits; i++)
        if (!stow_exact_find(request, requests, limit[i].resource, &ignored))
            list[made++] = limit[i];
    stow_exact_sort(list, made);
    *ret = stow_intern_blob(&s->blob, list, made * sizeof(*list));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int with_limits(struct stow_snapshot *s, struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_container *list =
        STOW_LIST(s, spec->containers, struct stow_container, &count);
    STOW_AUTO(stow_free_local) struct stow_container *copy = calloc(count + 1, sizeof(*copy));

    if (!copy)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = list[i];
        STOW_TRY(merge_limits(s, &list[i], &copy[i].requests));
    }
    spec->containers = stow_intern_blob(&s->blob, copy, count * sizeof(*copy));
    return spec->containers == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static void collect_done(struct stow_collect *list)
{
    free(list->items);
}

static int fill_requirements(struct stow_snapshot *s, stow_spec_id template,
                             struct stow_binding *made)
{
    STOW_AUTO(collect_done) struct stow_collect amounts = {0};

    if (template == STOW_NONE)
        return STOW_OK;

    struct stow_pod_spec spec = *stow_spec(s, template);

    STOW_TRY(with_limits(s, &spec));
    STOW_TRY(stow_requests_exact(s, &spec, (struct stow_request_rules){0}, &amounts));
    made->requests =
        stow_intern_blob(&s->blob, amounts.items, amounts.count * sizeof(struct stow_exact));
    if (made->requests == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    made->claim =
        (struct stow_node_claim){spec.node_selector, spec.node_required, spec.tolerations};
    made->priority_class = spec.priority_class;
    if (made->requests || spec.node_selector || spec.node_required != STOW_SELECTOR_NULL ||
        spec.tolerations)
        made->flags |= STOW_BINDING_HAS_REQUIREMENTS;
    return STOW_OK;
}

/* ---- implied bindings -------------------------------------------------------------------- */

/* "<name>-<kind>" in small letters, ':' as '.'. */
static const char *binding_name(struct stow_snapshot *s, const struct stow_workload *w)
{
    const char *text = stow_arena_printf(&s->arena, "%s-%s", w->name, kinds[w->kind].kind);
    char *at = (char *)text;

    for (; at && *at; at++)
        *at = (char)(*at == ':' ? '.' : tolower((unsigned char)*at));
    return text;
}

static int fill_names(struct stow_snapshot *s, const struct stow_workload *w,
                      struct stow_binding *made)
{
    made->name = binding_name(s, w);
    if (!made->name)
        return STOW_ENOMEM;
    made->symbol = stow_intern_text(&s->text, stow_str_of(made->name));
    made->namespace = w->namespace;
    made->api_version = stow_intern_text(&s->text, stow_str_of(kinds[w->kind].api_version));
    made->kind = stow_intern_text(&s->text, stow_str_of(kinds[w->kind].kind));
    made->object = w->symbol;
    made->object_namespace = w->namespace;
    made->object_uid = w->uid;
    return made->symbol == STOW_INTERN_FAILED || made->api_version == STOW_INTERN_FAILED ||
                   made->kind == STOW_INTERN_FAILED
               ? STOW_ENOMEM
               : STOW_OK;
}

/* The placement of a workload that no policy selects. */
static stow_blob anywhere(struct stow_snapshot *s)
{
    const struct stow_propagation cheap = {
        .type = STOW_SCHEDULING_DIVIDED,
        .preference = STOW_PREFERENCE_COST_OPTIMIZED,
        .type_word = stow_intern_text(&s->text, STOW_STR("Divided")),
        .preference_word = stow_intern_text(&s->text, STOW_STR("CostOptimized")),
    };

    if (cheap.type_word == STOW_INTERN_FAILED || cheap.preference_word == STOW_INTERN_FAILED)
        return STOW_INTERN_FAILED;
    return stow_intern_blob(&s->blob, &cheap, sizeof(cheap));
}

static int imply_binding(struct stow_snapshot *s, uint32_t workload)
{
    const struct stow_workload *w = &s->workload[workload];
    uint32_t policy = choose_policy(s, w);
    struct stow_binding made = {
        .replicas = (int32_t)w->replicas,
        .priority = w->priority,
        .claim = {.node_required = STOW_SELECTOR_NULL},
        .reschedule_triggered = STOW_TIME_ALWAYS,
        .last_scheduled = STOW_TIME_ALWAYS,
        .flags = STOW_BINDING_IMPLIED | STOW_BINDING_MANAGED,
        .workload = workload,
        .policy = policy,
    };

    if (policy != STOW_NONE) {
        made.placement = s->propagation[policy].placement;
        made.scheduler = s->propagation[policy].scheduler;
    } else {
        made.placement = anywhere(s);
    }
    if (made.placement == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    STOW_TRY(fill_names(s, w, &made));
    STOW_TRY(fill_requirements(s, w->template_spec, &made));

    struct stow_binding *kept = STOW_PUSH(&s->binding, &s->bindings, &s->binding_cap);

    if (!kept)
        return STOW_ENOMEM;
    *kept = made;
    return STOW_OK;
}

/* Objects that have a binding already, as "kind/namespace/name". */
static int note_bound(const struct stow_snapshot *s, struct stow_intern *bound,
                      struct stow_buf *key)
{
    for (uint32_t i = 0; i < s->bindings; i++) {
        const struct stow_binding *b = &s->binding[i];

        key->len = 0;
        stow_buf_printf(key, "%s/%s/%s", stow_text(s, b->kind).ptr,
                        stow_text(s, b->object_namespace ? b->object_namespace : b->namespace).ptr,
                        stow_text(s, b->object).ptr);
        if (key->failed || stow_intern_text(bound, stow_buf_str(key)) == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static bool is_bound(const struct stow_snapshot *s, const struct stow_intern *bound,
                     const char *kind, stow_sym namespace, const char *name, struct stow_buf *key)
{
    key->len = 0;
    stow_buf_printf(key, "%s/%s/%s", kind, stow_text(s, namespace).ptr, name);
    return key->failed || stow_intern_find(bound, stow_buf_str(key)) != STOW_INTERN_FAILED;
}

/* A workload of a kind that gets no binding here; what an operator would make goes by the
 * operator's object, once. */
static void leave_out(const struct stow_snapshot *s, const struct stow_workload *w,
                      const struct stow_intern *bound, struct stow_buf *key, struct stow_few *few)
{
    uint32_t count = 0;
    const struct stow_owner *owner =
        w->implied ? STOW_LIST(s, w->owner, struct stow_owner, &count) : NULL;
    const char *kind = stow_text(s, count ? owner->kind : w->kind_name).ptr;
    const char *name = count ? stow_text(s, owner->name).ptr : w->name;

    if ((count ? w > s->workload && w[-1].implied && w[-1].owner == w->owner : w->owner != 0) ||
        w->ended || is_bound(s, bound, kind, w->namespace, name, key))
        return;
    stow_few_add(few, "%s '%s/%s'", kind, stow_text(s, w->namespace).ptr, name);
}

static int warn_of_left_out(struct stow_snapshot *s, struct stow_few *few)
{
    if (few->text.failed)
        return STOW_ENOMEM;
    if (!few->count || s->nodes) /* with nodes there is more to ask than how to divide */
        return STOW_OK;

    const struct stow_str names = stow_few_text(few);

    return names.ptr ? stow_snapshot_warn(s,
                                          "workloads of kinds that need a ResourceBinding to be "
                                          "divided are left out: %u (%.*s)",
                                          few->count, STOW_FMT(names))
                     : STOW_ENOMEM;
}

int stow_finish_fleet(struct stow_snapshot *s)
{
    STOW_AUTO(stow_intern_done) struct stow_intern bound = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf key = {0};
    STOW_AUTO(stow_few_done) struct stow_few others = {0};

    if (!s->clusters)
        return STOW_OK;
    STOW_TRY(note_bound(s, &bound, &key));
    for (uint32_t i = 0; i < s->workloads; i++) {
        const struct stow_workload *w = &s->workload[i];

        if (!kinds[w->kind].kind || w->implied)
            leave_out(s, w, &bound, &key, &others);
        else if (!w->owner && !w->ended &&
                 !is_bound(s, &bound, kinds[w->kind].kind, w->namespace, w->name, &key))
            STOW_TRY(imply_binding(s, i));
    }
    STOW_TRY(warn_of_left_out(s, &others));
    return key.failed ? STOW_ENOMEM : stow_order_bindings(s);
}
