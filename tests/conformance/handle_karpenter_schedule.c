/* handle_karpenter_schedule.c - the order of pools, and which of them take a pod that is alone
 * (family karpenter, group schedule).
 *
 * Karpenter tries a pod with all its preferences as if they had to hold, and gives them up one by
 * one; Stowage does not plan so, but the parts are the product's: how requirements are combined,
 * which types and offerings a pool admits, minValues, tolerations, requests and volumes. */
#include <stdlib.h>
#include <string.h>

#include "model/karpenter/pool_choice.h"
#include "model/karpenter/pool_labels.h"
#include "model/pods/requests.h"
#include "model/values/match.h"
#include "model/values/syntax.h"
#include "model/volumes/volumes.h"
#include "tests/conformance/karpenter.h"
#include "tests/conformance/names.h"

#define MOST_POOLS 16

struct scene {
    struct stow_conf_case *c;
    struct stow_arena *arena;
    const struct stow_snapshot *s;
    const struct stow_conf_type *type;
    uint32_t types;
    bool some_prefer; /* a pool has a PreferNoSchedule taint */
};

/* What a pod asks for in one attempt. */
struct attempt {
    const struct stow_node_term *required, *preferred; /* NULL: none */
    const struct stow_pod_spec *spec;
    stow_sym namespace;
    bool tolerate_prefer;
};

static int add_requirements(const struct scene *x, stow_blob list, struct stow_value_sets *to)
{
    uint32_t count, values;
    const struct stow_requirement *r = STOW_LIST(x->s, list, struct stow_requirement, &count);

    for (uint32_t i = 0; i < count; i++) {
        const stow_sym *value = STOW_LIST(x->s, r[i].values, stow_sym, &values);
        struct stow_str *text = stow_arena_alloc(x->arena, (values + 1) * sizeof(*text));
        struct stow_value_set set;

        if (!text)
            return STOW_ENOMEM;
        for (uint32_t v = 0; v < values; v++)
            text[v] = stow_text(x->s, value[v]);
        STOW_TRY(stow_value_set_of(x->arena, (enum stow_pool_operator)r[i].op,
                                   stow_label_normal(stow_text(x->s, r[i].key)), text, values,
                                   &set));
        STOW_TRY(stow_value_sets_add(x->arena, to, &set));
    }
    return STOW_OK;
}

static int pod_sets(const struct scene *x, const struct attempt *a, struct stow_value_sets *ret)
{
    STOW_TRY(stow_value_sets_of_pool(x->arena, x->s, 0, a->spec->node_selector, ret));
    if (a->required)
        STOW_TRY(add_requirements(x, a->required->expressions, ret));
    return a->preferred ? add_requirements(x, a->preferred->expressions, ret) : STOW_OK;
}

/* ---- pods that Karpenter does not look at ------------------------------------------------ */

static bool is_fine(struct stow_str key)
{
    const struct stow_str normal = stow_label_normal(key);

    return stow_is_label_key(normal) && !stow_label_is_restricted(normal);
}

static bool is_ignored(const struct scene *x, const struct stow_pod_spec *spec)
{
    uint32_t labels, terms, count;
    const struct stow_label *label =
        STOW_LIST(x->s, spec->node_selector, struct stow_label, &labels);
    const struct stow_node_term *term =
        STOW_LIST(x->s, spec->node_required, struct stow_node_term, &terms);

    for (uint32_t i = 0; i < labels; i++)
        if (!is_fine(stow_text(x->s, label[i].key)))
            return true;
    for (uint32_t t = 0; t < terms; t++) {
        const struct stow_requirement *r =
            STOW_LIST(x->s, term[t].expressions, struct stow_requirement, &count);

        if (term[t].fields)
            return true;
        for (uint32_t i = 0; i < count; i++)
            if (!is_fine(stow_text(x->s, r[i].key)))
                return true;
    }
    return false;
}

/* Whether the first attempt asks for a node of no pool. */
static int wants_no_pool(const struct scene *x, const struct attempt *a)
{
    struct stow_value_sets own = {0};

    STOW_TRY(pod_sets(x, a, &own));

    const struct stow_value_set *set = stow_value_sets_find(&own, STOW_STR(STOW_NODEPOOL_LABEL));

    return set && stow_conf_set_operator(set) == STOW_POOL_NOT_EXISTS;
}

/* ---- taints ------------------------------------------------------------------------------ */

static bool tolerated(const struct scene *x, const struct stow_taint *taint, stow_blob tolerations)
{
    uint32_t count;
    const struct stow_toleration *list =
        STOW_LIST(x->s, tolerations, struct stow_toleration, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_tolerates(&list[i], taint))
            return true;
    return false;
}

static bool takes_taints(const struct scene *x, stow_blob taints, stow_blob tolerations,
                         bool tolerate_prefer)
{
    uint32_t count;
    const struct stow_taint *taint = STOW_LIST(x->s, taints, struct stow_taint, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!(tolerate_prefer && taint[i].effect == STOW_EFFECT_PREFER_NO_SCHEDULE) &&
            !tolerated(x, &taint[i], tolerations))
            return false;
    return true;
}

/* ---- sizes ------------------------------------------------------------------------------- */

static int64_t has_of(const struct stow_snapshot *s, const struct stow_conf_type *type,
                      stow_sym resource, bool all)
{
    const int64_t gib = INT64_C(1) << 30, mib = INT64_C(1) << 20;

    switch (resource) {
    case STOW_SYM_CPU:
        return all ? type->capacity_cpu : type->cpu;
    case STOW_SYM_MEMORY:
        return (all ? type->capacity_memory : type->memory) * mib;
    case STOW_SYM_EPHEMERAL:
        return (all ? 20 : 17) * gib;
    case STOW_SYM_PODS:
        return type->pods;
    default:
        return stow_str_eq(stow_text(s, resource), type->device) ? type->devices : 0;
    }
}

static void add_need(const struct scene *x, stow_spec_id spec, int64_t *need)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(x->s, x->s->demand[spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        need[list[i].resource] += list[i].value;
    need[STOW_RESOURCE_PODS]++;
}

/* A DaemonSet of which a node of this pool and type would have a pod. */
static int daemon_runs(const struct scene *x, const struct stow_workload *w,
                       const struct stow_node_pool *pool, const struct stow_value_sets *sets,
                       const struct stow_conf_type *type)
{
    const struct stow_pod_spec *spec = stow_spec(x->s, w->template_spec);
    struct stow_value_sets own = {0};
    const struct attempt a = {.spec = spec};

    if (w->kind != STOW_DAEMON_SET || !takes_taints(x, pool->taints, spec->tolerations, true))
        return 0;
    STOW_TRY(pod_sets(x, &a, &own));
    return stow_conf_sets_compatible(sets, &own, stow_label_is_well_known, NULL) &&
           stow_conf_sets_intersect(&type->labels, &own, NULL);
}

static bool within_limits(const struct scene *x, const struct stow_node_pool *pool,
                          const struct stow_conf_type *type)
{
    uint32_t count;
    const struct stow_exact *limit = STOW_LIST(x->s, pool->limits, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        const bool cpu = limit[i].resource == STOW_SYM_CPU;
        const int64_t most = stow_resource_units(cpu ? STOW_RESOURCE_CPU : STOW_RESOURCE_FIXED,
                                                 stow_exact_nano(&limit[i]));

        if (stow_str_is(stow_text(x->s, limit[i].resource), "nodes")
                ? most < 1
                : has_of(x->s, type, limit[i].resource, true) > most)
            return false;
    }
    return true;
}

static int fits(const struct scene *x, stow_spec_id pod, const struct stow_node_pool *pool,
                const struct stow_value_sets *sets, const struct stow_conf_type *type)
{
    int64_t *need = stow_arena_zalloc(x->arena, (x->s->resources + 1) * sizeof(*need));

    if (!need)
        return STOW_ENOMEM;
    add_need(x, pod, need);
    for (uint32_t i = 0; i < x->s->workloads; i++) {
        const int runs = daemon_runs(x, &x->s->workload[i], pool, sets, type);

        STOW_TRY(runs);
        if (runs)
            add_need(x, x->s->workload[i].template_spec, need);
    }
    for (stow_resource_id r = 0; r < x->s->resources; r++)
        if (need[r] > 0 && need[r] > has_of(x->s, type, x->s->resource[r], false))
            return 0;
    return within_limits(x, pool, type);
}

/* ---- one pod on one pool ----------------------------------------------------------------- */

static bool is_offered(const struct stow_value_sets *sets, const struct stow_conf_type *type)
{
    for (size_t i = 0; i < type->on_demand.len; i++)
        if (stow_pool_takes_offering(sets, stow_conf_zone(type->on_demand.ptr[i]),
                                     STOW_STR("on-demand")))
            return true;
    for (size_t i = 0; i < type->spot.len; i++)
        if (stow_pool_takes_offering(sets, stow_conf_zone(type->spot.ptr[i]), STOW_STR("spot")))
            return true;
    return false;
}

/* Whether some types are left for the merged requirements, and enough for minValues. */
static int has_types(const struct scene *x, stow_spec_id pod, const struct stow_node_pool *pool,
                     const struct stow_value_sets *base, const struct stow_value_sets *merged)
{
    const struct stow_value_sets **left =
        stow_arena_alloc(x->arena, (x->types + 1) * sizeof(void *));
    const struct stow_value_set *refused;
    uint32_t count = 0;

    for (uint32_t i = 0; left && i < x->types; i++) {
        const struct stow_conf_type *type = &x->type[i];
        const bool admitted =
            stow_pool_takes_type(merged, &type->labels, STOW_CLASS_EC2, &refused) &&
            is_offered(merged, type);
        const int fit = admitted ? fits(x, pod, pool, base, type) : 0;

        STOW_TRY(fit);
        if (fit)
            left[count++] = &type->labels;
    }
    if (!left)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < merged->count; i++)
        if (stow_pool_values(&merged->set[i], left, count, x->arena) < merged->set[i].min_values)
            return 0;
    return count > 0;
}

static int merge_all(const struct scene *x, struct stow_value_sets *to,
                     const struct stow_value_sets *more)
{
    for (uint32_t i = 0; i < more->count; i++)
        STOW_TRY(stow_value_sets_add(x->arena, to, &more->set[i]));
    return STOW_OK;
}

/* The first bound volume of the pod that names nodes; NULL: it has none. */
static const struct stow_volume *volume_of(const struct scene *x, const struct attempt *a)
{
    uint32_t count;
    const stow_sym *claim = STOW_LIST(x->s, a->spec->claims, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_volume *volume = stow_claim_volume(x->s, a->namespace, claim[i]);

        if (volume && volume->node_required != STOW_SELECTOR_NULL)
            return volume;
    }
    return NULL;
}

/* With the alternatives of its volume, one after another. */
static int try_volumes(const struct scene *x, const struct attempt *a, stow_spec_id pod,
                       const struct stow_node_pool *pool, const struct stow_value_sets *base,
                       const struct stow_value_sets *merged)
{
    const struct stow_volume *volume = volume_of(x, a);
    uint32_t terms = 0;
    const struct stow_node_term *term =
        STOW_LIST(x->s, volume ? volume->node_required : 0, struct stow_node_term, &terms);

    if (!volume)
        return has_types(x, pod, pool, base, merged);
    for (uint32_t t = 0; t < terms; t++) {
        struct stow_value_sets own = {0}, all = {0};

        STOW_TRY(add_requirements(x, term[t].expressions, &own));
        if (!stow_conf_sets_compatible(merged, &own, stow_label_is_well_known, NULL))
            continue;
        STOW_TRY(merge_all(x, &all, merged));
        STOW_TRY(merge_all(x, &all, &own));

        const int found = has_types(x, pod, pool, base, &all);

        if (found)
            return found;
    }
    return 0;
}

static int add_one(const struct scene *x, struct stow_value_sets *to, const char *key,
                   const char *value)
{
    struct stow_str *kept = stow_arena_alloc(x->arena, sizeof(*kept));

    if (!kept)
        return STOW_ENOMEM;
    *kept = stow_str_of(value);

    const struct stow_value_set set = stow_value_set_one(stow_str_of(key), kept);

    return stow_value_sets_add(x->arena, to, &set);
}

/* All that a node of the pool has. */
static int pool_sets(const struct scene *x, const struct stow_node_pool *pool,
                     struct stow_value_sets *ret)
{
    STOW_TRY(stow_value_sets_of_pool(x->arena, x->s, pool->requirements, pool->labels, ret));
    STOW_TRY(add_one(x, ret, STOW_NODEPOOL_LABEL, pool->name));
    STOW_TRY(
        add_one(x, ret, "karpenter.k8s.aws/ec2nodeclass", stow_text(x->s, pool->class.name).ptr));
    STOW_TRY(add_one(x, ret, "karpenter.sh/registered", "true"));
    STOW_TRY(add_one(x, ret, "karpenter.sh/initialized", "true"));
    return STOW_OK;
}

static int try_once(const struct scene *x, const struct attempt *a, stow_spec_id pod,
                    const struct stow_node_pool *pool)
{
    struct stow_value_sets base = {0}, merged = {0}, own = {0};

    if (!takes_taints(x, pool->taints, a->spec->tolerations, a->tolerate_prefer))
        return 0;
    STOW_TRY(pool_sets(x, pool, &base));
    STOW_TRY(pod_sets(x, a, &own));
    if (!stow_conf_sets_compatible(&base, &own, stow_label_is_well_known, NULL))
        return 0;
    STOW_TRY(merge_all(x, &merged, &base));
    STOW_TRY(merge_all(x, &merged, &own));
    return try_volumes(x, a, pod, pool, &base, &merged);
}

static int compare_weights(const void *a, const void *b)
{
    const struct stow_node_term *x = a, *y = b;

    return (x->weight < y->weight) - (x->weight > y->weight);
}

/* The attempts, each with one thing less: required terms but the last, preferences from the
 * heaviest on, and last a toleration for PreferNoSchedule. */
static int takes_pod(const struct scene *x, const struct stow_pod *pod,
                     const struct stow_node_pool *pool)
{
    const struct stow_pod_spec *spec = stow_spec(x->s, pod->spec);
    uint32_t terms, preferences, r = 0, p = 0;
    const struct stow_node_term *required =
        STOW_LIST(x->s, spec->node_required, struct stow_node_term, &terms);
    const struct stow_node_term *list =
        STOW_LIST(x->s, spec->node_preferred, struct stow_node_term, &preferences);
    struct stow_node_term *preferred =
        stow_arena_alloc(x->arena, (preferences + 1) * sizeof(*preferred));
    struct attempt a = {.spec = spec, .namespace = pod->namespace};

    if (!preferred)
        return STOW_ENOMEM;
    if (pool->replicas >= 0 || is_ignored(x, spec))
        return 0;
    memcpy(preferred, list, preferences * sizeof(*preferred));
    qsort(preferred, preferences, sizeof(*preferred), compare_weights);
    for (;;) {
        a.required = r < terms ? &required[r] : NULL;
        a.preferred = p < preferences ? &preferred[p] : NULL;

        const int none = r == 0 && p == 0 ? wants_no_pool(x, &a) : 0;

        if (none)
            return none < 0 ? none : 0;

        const int found = try_once(x, &a, pod->spec, pool);

        if (found || a.tolerate_prefer)
            return found;
        if (r + 1 < terms)
            r++;
        else if (p < preferences)
            p++;
        else if (x->some_prefer)
            a.tolerate_prefer = true;
        else
            return 0;
    }
}

/* ---- the case ---------------------------------------------------------------------------- */

/* Heavier first; of equal weight the later name. */
static int compare_pools(const void *a, const void *b)
{
    const struct stow_node_pool *x = *(const struct stow_node_pool *const *)a;
    const struct stow_node_pool *y = *(const struct stow_node_pool *const *)b;

    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : strcmp(y->name, x->name);
}

static bool prefers(const struct stow_snapshot *s, stow_blob taints)
{
    uint32_t count;
    const struct stow_taint *taint = STOW_LIST(s, taints, struct stow_taint, &count);

    for (uint32_t i = 0; i < count; i++)
        if (taint[i].effect == STOW_EFFECT_PREFER_NO_SCHEDULE)
            return true;
    return false;
}

static int compare_pods(const struct scene *x, const struct stow_node_pool *const *pool,
                        uint32_t pools, struct stow_err *err)
{
    const struct stow_view expected = stow_view_get(stow_conf_get(x->c, "expected"), "pods");

    for (stow_pod_id i = 0; i < x->s->pods; i++) {
        const struct stow_view own = stow_view_get(expected, x->s->pod[i].name);
        struct stow_str taken[MOST_POOLS];
        uint32_t count = 0;

        for (uint32_t p = 0; p < pools && stow_view_given(own); p++) {
            const int takes = takes_pod(x, &x->s->pod[i], pool[p]);

            if (takes < 0)
                return stow_fail_memory(err);
            if (takes)
                taken[count++] = stow_str_of(pool[p]->name);
        }
        if (stow_view_given(own))
            stow_conf_same_names(x->c, x->s->pod[i].name, stow_view_get(own, "pools"), taken,
                                 count);
    }
    return STOW_OK;
}

static int compare_case(struct scene *x, struct stow_err *err)
{
    const struct stow_node_pool *pool[MOST_POOLS] = {NULL};
    struct stow_str name[MOST_POOLS];
    const uint32_t pools = x->s->node_pools < MOST_POOLS ? x->s->node_pools : MOST_POOLS;

    for (uint32_t i = 0; i < pools; i++) {
        pool[i] = &x->s->node_pool[i];
        x->some_prefer |= prefers(x->s, pool[i]->taints);
    }
    qsort(pool, pools, sizeof(void *), compare_pools);
    for (uint32_t i = 0; i < pools; i++)
        name[i] = stow_str_of(pool[i]->name);
    stow_conf_same_names(x->c, "poolOrder",
                         stow_view_get(stow_conf_get(x->c, "expected"), "poolOrder"), name, pools);
    return compare_pods(x, pool, pools, err);
}

static int run_schedule(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_conf_type *type;
    struct stow_snapshot *s = NULL;
    uint32_t types;

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":");
    stow_buf_add(&text, stow_view_raw(stow_conf_get(c, "objects")));
    stow_buf_char(&text, '}');
    if (text.failed)
        return stow_fail_memory(err);
    STOW_TRY(stow_conf_types(c, &type, &types, err));
    STOW_TRY(
        stow_snapshot_load_text("objects.json", text.ptr, text.len, &stow_conf_as_given, &s, err));

    struct scene x = {.c = c, .arena = c->scratch, .s = s, .type = type, .types = types};
    int code = compare_case(&x, err);

    stow_snapshot_unref(s);
    return code;
}

const struct stow_conf_handler stow_conf_karpenter_schedule[] = {
    {"schedule", "karpenter", run_schedule},
    {NULL, NULL, NULL},
};
