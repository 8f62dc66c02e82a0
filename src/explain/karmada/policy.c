/* policy.c - `-o propagation-policy`: policies with which Karmada makes this division.
 *
 * Karmada hands replicas out by static weights with Webster's method since 1.16, by rounding down
 * before.  Both have this in common: when the weights add up to the number of replicas, each
 * cluster gets its weight.  So the counts themselves are the weights.  Nothing else has a say then:
 * not capacity, not what was there before, not spread constraints, and the clusters that may be
 * chosen are named.
 *
 * The policy is a new object for this one workload.  What was written into the policy that
 * selected it so far (priority, failover, what depends on it, ...) is kept; of its placement, what
 * decides which clusters are tolerated. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "explain/karmada/karmada_internal.h"

#define POLICY_NAME_MAX 63 /* Karmada writes it into labels */
#define HASH_TEXT       9  /* a dash and eight digits */

/* ---- the policy so far ------------------------------------------------------------------- */

/* A policy by its name; the namespace is empty for one of the whole cluster. */
static const struct stow_propagation_policy *find_policy(const struct stow_snapshot *s,
                                                         struct stow_str namespace,
                                                         struct stow_str name)
{
    for (uint32_t i = 0; name.len && i < s->propagations; i++) {
        const struct stow_propagation_policy *p = &s->propagation[i];

        if (stow_str_is(name, p->name) && stow_str_eq(stow_text(s, p->namespace), namespace))
            return p;
    }
    return NULL;
}

/* The policy that a binding was made of: Karmada notes it in annotations, older ones in labels. */
static const struct stow_propagation_policy *noted_policy(const struct stow_snapshot *s,
                                                          const struct stow_value *notes)
{
    const struct stow_propagation_policy *found =
        find_policy(s, stow_karmada_get_text(notes, "propagationpolicy.karmada.io/namespace"),
                    stow_karmada_get_text(notes, "propagationpolicy.karmada.io/name"));

    return found ? found
                 : find_policy(
                       s, STOW_STR(""),
                       stow_karmada_get_text(notes, "clusterpropagationpolicy.karmada.io/name"));
}

/* Whether a policy selects an object by its name. */
static bool names_object(const struct stow_snapshot *s, const struct stow_propagation_policy *p,
                         const struct stow_binding *b)
{
    const stow_sym namespace = b->object_namespace ? b->object_namespace : b->namespace;
    uint32_t count;
    const struct stow_resource_selector *list =
        STOW_LIST(s, p->selectors, struct stow_resource_selector, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].name == b->object && list[i].kind == b->kind &&
            list[i].api_version == b->api_version &&
            (!list[i].namespace || list[i].namespace == namespace))
            return true;
    return false;
}

static const struct stow_propagation_policy *naming_policy(const struct stow_snapshot *s,
                                                           const struct stow_binding *b)
{
    for (uint32_t i = 0; i < s->propagations; i++)
        if (names_object(s, &s->propagation[i], b))
            return &s->propagation[i];
    return NULL;
}

/* The policy behind a binding, and the binding itself as it was given; both may be NULL. */
static int find_origin(struct stow_karmada_work *w, const struct stow_binding *b,
                       const struct stow_propagation_policy **ret_policy, struct stow_value **ret,
                       struct stow_err *err)
{
    *ret = NULL;
    *ret_policy = b->policy == STOW_NONE ? NULL : &w->s->propagation[b->policy];
    if (!b->source.len)
        return STOW_OK;
    STOW_TRY(stow_karmada_parse(w->doc, b->source, ret, err));

    const struct stow_value *meta = stow_karmada_get(*ret, "metadata");

    *ret_policy = noted_policy(w->s, stow_karmada_get(meta, "annotations"));
    if (!*ret_policy)
        *ret_policy = noted_policy(w->s, stow_karmada_get(meta, "labels"));
    if (!*ret_policy)
        *ret_policy = naming_policy(w->s, b);
    return STOW_OK;
}

int stow_karmada_placement(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                           const struct stow_value **ret, struct stow_err *err)
{
    const struct stow_propagation_policy *policy;
    struct stow_value *object;

    STOW_TRY(find_origin(w, item->binding, &policy, &object, err));
    if (!object && policy)
        STOW_TRY(stow_karmada_parse(w->doc, policy->source, &object, err));
    *ret = stow_karmada_get(stow_karmada_get(object, "spec"), "placement");
    return STOW_OK;
}

/* ---- the object -------------------------------------------------------------------------- */

static uint32_t hash_text(struct stow_str text)
{
    uint32_t hash = 0x811C9DC5U;

    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 0x01000193U;
    return hash;
}

/* A shorter name that no other one is likely to have. */
static void shorten(struct stow_buf *name)
{
    const uint32_t hash = hash_text(stow_buf_str(name));

    name->len = POLICY_NAME_MAX - HASH_TEXT;
    while (name->len && !isalnum((unsigned char)name->ptr[name->len - 1]))
        name->len--;
    stow_buf_printf(name, "-%08" PRIx32, hash);
}

/* As Karmada makes names of objects into names of bindings. */
static char name_letter(char c)
{
    return (char)(c == ':' ? '.' : tolower((unsigned char)c));
}

/* "<name>-<kind>" in small letters; long ones end in a hash. */
static int write_name(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_buf *to, struct stow_err *err)
{
    stow_buf_add(to, stow_text(w->s, item->binding->object));
    stow_buf_char(to, '-');
    stow_buf_add(to, stow_text(w->s, item->binding->kind));
    for (size_t i = 0; !to->failed && i < to->len; i++)
        to->ptr[i] = name_letter(to->ptr[i]);

    const bool fits = to->len <= POLICY_NAME_MAX;

    if (!to->failed && !fits)
        shorten(to);
    if (to->failed)
        return stow_fail_memory(err);
    return fits ? STOW_OK
                : stow_karmada_warn(w, item, err,
                                    "its policy is named %.*s: Karmada takes no more than %d "
                                    "characters",
                                    STOW_FMT(stow_buf_str(to)), POLICY_NAME_MAX);
}

/* What the server or a tool wrote is not for a new object. */
static bool belongs_to_object(struct stow_str key)
{
    return stow_str_is(key, "kubectl.kubernetes.io/last-applied-configuration") ||
           stow_str_is(key, "propagationpolicy.karmada.io/permanent-id") ||
           stow_str_is(key, "clusterpropagationpolicy.karmada.io/permanent-id");
}

static void keep_notes(struct stow_doc *doc, struct stow_value *to, const struct stow_value *meta,
                       const char *key)
{
    const struct stow_value *from = stow_karmada_get(meta, key);
    struct stow_value *made = stow_doc_object(doc);

    if (!from || from->kind != STOW_VALUE_OBJECT)
        return;
    for (const struct stow_value_member *at = from->as.list.first; at; at = at->next)
        if (!belongs_to_object(at->key))
            stow_value_set_str(doc, made, at->key, at->value);
    if (made->members)
        stow_value_set(doc, to, key, made);
}

static int set_metadata(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                        struct stow_value *to, const struct stow_value *former,
                        struct stow_err *err)
{
    const struct stow_str namespace = stow_karmada_namespace(w->s, item->binding);
    const struct stow_value *before = stow_karmada_get(former, "metadata");
    struct stow_value *meta = stow_doc_object(w->doc);
    STOW_AUTO(stow_buf_done) struct stow_buf name = {0};

    STOW_TRY(write_name(w, item, &name, err));
    stow_value_set(w->doc, meta, "name", stow_doc_str(w->doc, stow_buf_str(&name)));
    if (namespace.len)
        stow_value_set(w->doc, meta, "namespace", stow_doc_str(w->doc, namespace));
    keep_notes(w->doc, meta, before, "labels");
    keep_notes(w->doc, meta, before, "annotations");
    stow_value_set(w->doc, to, "metadata", meta);
    return STOW_OK;
}

static struct stow_value *spec_value(struct stow_karmada_work *w,
                                     const struct stow_karmada_item *item,
                                     struct stow_value *placement, const struct stow_value *former)
{
    const struct stow_value *before = stow_karmada_get(former, "spec");
    struct stow_value *spec = stow_doc_object(w->doc), *selectors = stow_doc_array(w->doc);

    stow_value_push(w->doc, selectors, stow_karmada_reference(w, item->binding));
    stow_value_set(w->doc, spec, "resourceSelectors", selectors);
    stow_value_set(w->doc, spec, "placement", placement);
    if (!before || before->kind != STOW_VALUE_OBJECT)
        return spec;
    for (const struct stow_value_member *at = before->as.list.first; at; at = at->next)
        if (!stow_str_is(at->key, "placement") && !stow_str_is(at->key, "resourceSelectors"))
            stow_value_set_str(w->doc, spec, at->key, at->value);
    return spec;
}

/* What keeps the new policy from having its effect. */
static int warn_of_former(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                          const struct stow_propagation_policy *policy, const struct stow_value *v,
                          struct stow_err *err)
{
    const struct stow_str name = stow_karmada_get_text(stow_karmada_get(v, "metadata"), "name");
    const struct stow_str scheduler =
        stow_karmada_get_text(stow_karmada_get(v, "spec"), "schedulerName");

    if (scheduler.len && !stow_str_is(scheduler, "default-scheduler"))
        STOW_TRY(stow_karmada_warn(w, item, err,
                                   "its schedulerName is %.*s: Karmada's own scheduler leaves it "
                                   "alone",
                                   STOW_FMT(scheduler)));
    if (!policy || (stow_str_is(name, policy->name) &&
                    policy->cluster_wide == (stow_karmada_namespace(w->s, item->binding).len == 0)))
        return STOW_OK;
    return stow_karmada_warn(
        w, item, err, "%s %s also selects it: while it does, Karmada does not apply %.*s",
        policy->cluster_wide ? "ClusterPropagationPolicy" : "PropagationPolicy", policy->name,
        STOW_FMT(name));
}

/* Karmada keeps the placement in an annotation of the binding as well, which has a limit.  1: left
 * out. */
static int check_size(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      const struct stow_value *placement, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (w->doc->failed)
        return stow_fail_memory(err);
    stow_karmada_compact(&text, placement);
    if (text.failed)
        return stow_fail_memory(err);
    if (text.len + sizeof(STOW_KARMADA_APPLIED_PLACEMENT) <= STOW_KARMADA_ANNOTATIONS_MAX)
        return STOW_OK;
    STOW_TRY(stow_karmada_leave_out(w, item, err,
                                    "its placement takes %zu bytes, and Karmada keeps it in an "
                                    "annotation of at most %d",
                                    text.len, STOW_KARMADA_ANNOTATIONS_MAX));
    return 1;
}

int stow_karmada_push_policy(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                             struct stow_value *placement, struct stow_err *err)
{
    const bool namespaced = stow_karmada_namespace(w->s, item->binding).len > 0;
    const struct stow_propagation_policy *policy;
    struct stow_value *v = stow_doc_object(w->doc), *binding, *former = NULL;
    int code = check_size(w, item, placement, err);

    if (code != STOW_OK)
        return code;
    STOW_TRY(find_origin(w, item->binding, &policy, &binding, err));
    if (policy)
        STOW_TRY(stow_karmada_parse(w->doc, policy->source, &former, err));
    stow_value_set(w->doc, v, "apiVersion", stow_doc_text(w->doc, "policy.karmada.io/v1alpha1"));
    stow_value_set(
        w->doc, v, "kind",
        stow_doc_text(w->doc, namespaced ? "PropagationPolicy" : "ClusterPropagationPolicy"));
    STOW_TRY(set_metadata(w, item, v, former, err));
    stow_value_set(w->doc, v, "spec", spec_value(w, item, placement, former));
    STOW_TRY(stow_karmada_push(w, item, v, err));
    return warn_of_former(w, item, policy, v, err);
}

/* ---- weights ----------------------------------------------------------------------------- */

/* Larger counts first, then by name. */
static int compare_counts(const void *a, const void *b, void *ctx)
{
    const struct stow_target *x = a, *y = b;

    if (x->replicas != y->replicas)
        return x->replicas > y->replicas ? -1 : 1;
    return stow_str_cmp(stow_text(ctx, x->cluster), stow_text(ctx, y->cluster));
}

static struct stow_value *names_value(struct stow_karmada_work *w, const struct stow_target *target,
                                      uint32_t targets)
{
    struct stow_value *v = stow_doc_object(w->doc), *names = stow_doc_array(w->doc);

    for (uint32_t i = 0; i < targets; i++)
        stow_value_push(w->doc, names, stow_doc_str(w->doc, stow_text(w->s, target[i].cluster)));
    stow_value_set(w->doc, v, "clusterNames", names);
    return v;
}

static struct stow_value *weights_value(struct stow_karmada_work *w,
                                        const struct stow_target *target, uint32_t targets)
{
    struct stow_value *list = stow_doc_array(w->doc), *v = stow_doc_object(w->doc);

    for (uint32_t i = 0; i < targets; i++) {
        struct stow_value *rule = stow_doc_object(w->doc);

        stow_value_set(w->doc, rule, "targetCluster", names_value(w, &target[i], 1));
        stow_value_set(w->doc, rule, "weight", stow_doc_int(w->doc, target[i].replicas));
        stow_value_push(w->doc, list, rule);
    }
    stow_value_set(w->doc, v, "staticWeightList", list);
    return v;
}

static struct stow_value *scheduling_value(struct stow_karmada_work *w,
                                           const struct stow_karmada_item *item,
                                           struct stow_target *target, uint32_t targets)
{
    struct stow_value *v = stow_doc_object(w->doc);

    if (item->strategy == STOW_DIVIDE_DUPLICATED) {
        stow_value_set(w->doc, v, "replicaSchedulingType", stow_doc_text(w->doc, "Duplicated"));
        return v;
    }
    qsort_r(target, targets, sizeof(*target), compare_counts, (void *)w->s);
    stow_value_set(w->doc, v, "replicaSchedulingType", stow_doc_text(w->doc, "Divided"));
    stow_value_set(w->doc, v, "replicaDivisionPreference", stow_doc_text(w->doc, "Weighted"));
    stow_value_set(w->doc, v, "weightPreference", weights_value(w, target, targets));
    return v;
}

static struct stow_value *placement_value(struct stow_karmada_work *w,
                                          const struct stow_karmada_item *item,
                                          const struct stow_value *before,
                                          struct stow_target *target)
{
    struct stow_value *v = stow_doc_object(w->doc);
    uint32_t targets = 0;

    for (uint32_t i = 0; i < item->targets; i++)
        if (item->target[i].replicas > 0 || item->strategy == STOW_DIVIDE_DUPLICATED)
            target[targets++] = item->target[i];
    stow_value_set(w->doc, v, "clusterAffinity", names_value(w, target, targets));
    stow_karmada_keep(w->doc, v, before, "clusterTolerations");
    stow_karmada_keep(w->doc, v, before, "workloadAffinity");
    stow_value_set(w->doc, v, "replicaScheduling", scheduling_value(w, item, target, targets));
    return v;
}

/* ---- what weights cannot say ------------------------------------------------------------- */

/* Why Karmada would not put anything on a cluster; NULL: it would. */
static const char *cluster_defect(const struct stow_snapshot *s, const struct stow_binding *b,
                                  stow_sym name)
{
    const stow_cluster_id id = stow_cluster_find(s, name);
    uint32_t count;
    const stow_sym *evicted = STOW_LIST(s, b->evicted, stow_sym, &count);

    if (id == STOW_NONE)
        return "is not among the clusters";
    if (s->cluster[id].flags & STOW_CLUSTER_DELETED)
        return "is being deleted";
    for (uint32_t i = 0; i < count; i++)
        if (evicted[i] == name)
            return "is being left by it (gracefulEvictionTasks)";
    return NULL;
}

/* Why the counts cannot be weights; NULL: they can. */
static const char *counts_defect(const struct stow_snapshot *s,
                                 const struct stow_karmada_item *item)
{
    const struct stow_binding *b = item->binding;
    const bool duplicated = item->strategy == STOW_DIVIDE_DUPLICATED;
    int64_t sum = 0;

    if (!b->api_version || !b->kind || !b->object)
        return "its binding does not say which object it binds";
    if (!duplicated && stow_karmada_templates(s, b) > 1)
        return "it has several pod templates, which weights do not divide";
    if (!duplicated && b->replicas == 0)
        return "it has no replicas, so weights cannot say where later ones go";
    if (item->targets == 0)
        return "it goes to no cluster";
    for (uint32_t i = 0; i < item->targets; i++) {
        if (duplicated && item->target[i].replicas != b->replicas && item->target[i].replicas)
            return "its clusters do not all have as many replicas as it has";
        sum += item->target[i].replicas;
    }
    return duplicated || sum == b->replicas ? NULL : "its clusters do not have all of its replicas";
}

/* Leaves out an item with a target on which Karmada would put nothing: 1. */
static int check_clusters(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                          struct stow_err *err)
{
    for (uint32_t i = 0; i < item->targets; i++) {
        const stow_sym cluster = item->target[i].cluster;
        const char *defect = cluster_defect(w->s, item->binding, cluster);

        if (!defect)
            continue;
        STOW_TRY(stow_karmada_leave_out(w, item, err, "cluster %s %s", stow_text(w->s, cluster).ptr,
                                        defect));
        return 1;
    }
    return STOW_OK;
}

/* Leaves out an item that is not divided, or not by counts: 1. */
static int check_counts(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                        struct stow_err *err)
{
    const char *defect = counts_defect(w->s, item);
    int code;

    if (item->decided && item->outcome != STOW_DIVIDE_SUCCESS)
        code = stow_karmada_leave_out(w, item, err, "%s: %s",
                                      stow_divide_outcome_name(item->outcome), item->message);
    else if (item->unplaced > 0)
        code = stow_karmada_leave_out(w, item, err,
                                      "%" PRId64 " of its %" PRId32 " replicas have no place",
                                      item->unplaced, item->binding->replicas);
    else if (defect)
        code = stow_karmada_leave_out(w, item, err, "%s", defect);
    else
        return check_clusters(w, item, err);
    return code < 0 ? code : 1;
}

static int write_item(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_err *err)
{
    const struct stow_value *before;
    int code = check_counts(w, item, err);

    if (code != STOW_OK)
        return code;

    STOW_AUTO(stow_free_local)
    struct stow_target *target = calloc((size_t)item->targets + 1, sizeof(*target));

    if (!target)
        return stow_fail_memory(err);
    STOW_TRY(stow_karmada_placement(w, item, &before, err));
    code = stow_karmada_push_policy(w, item, placement_value(w, item, before, target), err);
    if (code == STOW_OK && item->strategy != STOW_DIVIDE_DUPLICATED &&
        stow_karmada_get(before, "spreadConstraints"))
        return stow_karmada_warn(w, item, err,
                                 "its spread constraints are kept by the counts and not written: "
                                 "Karmada ignores them with weights");
    return code;
}

static int write(struct stow_karmada_work *w, struct stow_err *err)
{
    for (uint32_t i = 0; i < w->in->items; i++)
        STOW_TRY(write_item(w, &w->in->item[i], err));
    return STOW_OK;
}

/* ---- what Karmada would see -------------------------------------------------------------- */

/* What a policy that was read back says of each cluster, by symbol. */
struct seen {
    const struct stow_snapshot *back;
    int64_t *weight;
    bool *allowed;
    uint32_t rules;
};

static void seen_done(struct seen *seen)
{
    free(seen->weight);
    free(seen->allowed);
}

static int look(struct seen *seen, const struct stow_propagation *p, struct stow_err *err)
{
    const struct stow_snapshot *back = seen->back;
    uint32_t names;
    const stow_sym *name = STOW_LIST(back, p->affinity.names, stow_sym, &names);
    const struct stow_weight_rule *rule =
        STOW_LIST(back, p->weights, struct stow_weight_rule, &seen->rules);

    seen->weight = calloc((size_t)back->text.entries + 1, sizeof(*seen->weight));
    seen->allowed = calloc((size_t)back->text.entries + 1, sizeof(*seen->allowed));
    if (!seen->weight || !seen->allowed)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < names; i++)
        seen->allowed[name[i]] = true;
    for (uint32_t i = 0; i < seen->rules; i++) {
        name = STOW_LIST(back, rule[i].target.names, stow_sym, &names);
        for (uint32_t n = 0; n < names; n++)
            if (rule[i].weight > seen->weight[name[n]])
                seen->weight[name[n]] = rule[i].weight;
    }
    return STOW_OK;
}

/* Each target has its weight, and all weights are of targets. */
static int compare_weights(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                           const struct seen *seen, struct stow_err *err)
{
    const bool duplicated = item->strategy == STOW_DIVIDE_DUPLICATED;
    uint32_t given = 0;
    int64_t sum = 0;

    for (uint32_t i = 0; i < item->targets; i++) {
        const struct stow_str cluster = stow_text(w->s, item->target[i].cluster);
        const stow_sym symbol = stow_intern_find(&seen->back->text, cluster);
        const bool known = symbol != STOW_INTERN_FAILED;
        const int64_t weight = known ? seen->weight[symbol] : 0;

        if (weight != (duplicated ? 0 : item->target[i].replicas) ||
            (known && seen->allowed[symbol]) != (duplicated || weight > 0))
            return stow_fail(err, STOW_EWRONG, "cluster %.*s has weight %" PRId64 " for %" PRId32,
                             STOW_FMT(cluster), weight, item->target[i].replicas);
        given += weight > 0;
        sum += weight;
    }
    if (!duplicated && (sum != item->binding->replicas || given != seen->rules))
        return stow_fail(err, STOW_EWRONG,
                         "%" PRIu32 " weights add up to %" PRId64 "; expected %" PRId32,
                         seen->rules, sum, item->binding->replicas);
    return STOW_OK;
}

static bool same_text(const struct stow_karmada_work *w, stow_sym ours,
                      const struct stow_snapshot *back, stow_sym theirs)
{
    return stow_str_eq(stow_text(w->s, ours), stow_text(back, theirs));
}

/* One policy, for exactly this object. */
static int check_selector(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                          const struct stow_snapshot *back, struct stow_err *err)
{
    const struct stow_binding *b = item->binding;
    uint32_t count = 0;
    const struct stow_resource_selector *list =
        back->propagations == 1
            ? STOW_LIST(back, back->propagation[0].selectors, struct stow_resource_selector, &count)
            : NULL;

    if (count == 1 && same_text(w, b->api_version, back, list->api_version) &&
        same_text(w, b->kind, back, list->kind) && same_text(w, b->object, back, list->name) &&
        stow_str_eq(stow_karmada_namespace(w->s, b), stow_text(back, list->namespace)) &&
        strlen(back->propagation[0].name) <= POLICY_NAME_MAX)
        return STOW_OK;
    return stow_fail(err, STOW_EWRONG, "the policy of %s is not for it alone",
                     stow_text(w->s, b->object).ptr);
}

int stow_karmada_read_policy(const struct stow_karmada_work *w,
                             const struct stow_karmada_item *item,
                             const struct stow_value *document, struct stow_snapshot **ret,
                             struct stow_err *err)
{
    STOW_TRY(stow_karmada_read_back(document, ret, err));
    return check_selector(w, item, *ret, err);
}

static int compare(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                   const struct stow_snapshot *back, struct stow_err *err)
{
    const uint32_t type = item->strategy == STOW_DIVIDE_DUPLICATED ? STOW_SCHEDULING_DUPLICATED
                                                                   : STOW_SCHEDULING_DIVIDED;
    const struct stow_propagation *p = stow_propagation_get(back, back->propagation[0].placement);
    STOW_AUTO(seen_done) struct seen seen = {.back = back};

    if (p->type != type || p->terms || p->spread || p->flags & STOW_PROPAGATION_DYNAMIC)
        return stow_fail(err, STOW_EWRONG, "its placement is not by weights");
    STOW_TRY(look(&seen, p, err));
    return compare_weights(w, item, &seen, err);
}

static int check(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                 const struct stow_value *document, struct stow_err *err)
{
    struct stow_snapshot *back = NULL;
    int code = stow_karmada_read_policy(w, item, document, &back, err);

    if (code >= 0)
        code = compare(w, item, back, err);
    stow_snapshot_unref(back);
    return code;
}

const struct stow_karmada_writer stow_karmada_policy = {
    .name = "propagation-policy",
    .write = write,
    .check = check,
};
