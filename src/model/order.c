/* order.c - objects sorted by name, so that nothing depends on the order of the input.
 *
 * What the API server prints is sorted already, so a first pass that only looks
 * settles most inputs.
 *
 * An object given twice counts once.  Dumps of a cluster hold an object in several
 * files, taken one after the other: of two that state a resourceVersion (or, without
 * one, a generation) the newer counts.  Otherwise the last one does, so that a file
 * given later can change an object.  What differs in nothing that is kept is not
 * worth a warning. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/karpenter/pool.h"

/* ---- objects given twice ------------------------------------------------------------------ */

/* One list of the snapshot, while it is put in order. */
struct twice {
    const struct stow_version *all;             /* s->version */
    bool (*same)(const void *a, const void *b); /* NULL: never */
    uint32_t *version;             /* of each item: place in `all` + 1, 0: not stated */
    uint32_t by_version, by_order; /* how many were dropped so */
};

static void twice_done(struct twice *t)
{
    free(t->version);
}

/* Versions are kept in one row for all lists; here by item. */
static int find_versions(const struct stow_snapshot *s, const uint32_t *count, struct twice *t)
{
    const uint32_t list = (uint32_t)((const char *)count - (const char *)s);

    t->all = s->version;
    t->version = calloc((size_t)*count + 1, sizeof(*t->version));
    if (!t->version)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->versions; i++)
        if (s->version[i].list == list && s->version[i].at < *count)
            t->version[s->version[i].at] = i + 1;
    return STOW_OK;
}

/* < 0, 0, > 0: item `a` is older than, as new as, newer than `b`; 0 when that is not known. */
static int compare_versions(const struct twice *t, uint32_t a, uint32_t b)
{
    if (!t->version[a] || !t->version[b])
        return 0;

    const struct stow_version *x = &t->all[t->version[a] - 1], *y = &t->all[t->version[b] - 1];

    if (x->resource && y->resource)
        return (x->resource > y->resource) - (x->resource < y->resource);
    return x->generation && y->generation
               ? (x->generation > y->generation) - (x->generation < y->generation)
               : 0;
}

/* Whether item `later` takes the place of item `at`, which has the same name. */
static bool replaces(struct twice *t, const char *items, size_t size, uint32_t at, uint32_t later)
{
    const int order = compare_versions(t, later, at);

    if (t->same && t->same(items + at * size, items + later * size))
        return order >= 0;
    t->by_version += order != 0;
    t->by_order += order == 0;
    return order >= 0;
}

static int warn_twice(struct stow_snapshot *s, const struct twice *t, const char *what)
{
    if (t->by_version)
        STOW_TRY(stow_snapshot_warn(
            s, "%s given more than once: %u; the one with the newest resourceVersion counts", what,
            t->by_version));
    return t->by_order ? stow_snapshot_warn(s, "%s given more than once: %u; the last one counts",
                                            what, t->by_order)
                       : STOW_OK;
}

#define SAME(field) (x->field == y->field)

static bool same_pod(const void *a, const void *b)
{
    const struct stow_pod *x = a, *y = b;

    return SAME(created) && SAME(node_name) && SAME(nominated) && SAME(spec) && SAME(labels) &&
           SAME(annotations) && SAME(owner) && SAME(priority) && SAME(phase) && SAME(flags) &&
           SAME(volumes) && SAME(intake);
}

static bool same_node(const void *a, const void *b)
{
    const struct stow_node *x = a, *y = b;

    return SAME(created) && SAME(labels) && SAME(annotations) && SAME(taints) && SAME(images) &&
           SAME(capacity) && SAME(allocatable) && SAME(provider_id) && SAME(flags);
}

static bool same_workload(const void *a, const void *b)
{
    const struct stow_workload *x = a, *y = b;

    return SAME(uid) && SAME(owner) && SAME(labels) && SAME(selector) && SAME(template_labels) &&
           SAME(template_annotations) && SAME(template_spec) && SAME(created) && SAME(replicas) &&
           SAME(priority) && SAME(template_flags) && SAME(template_intake) && SAME(template_of) &&
           SAME(ended) && SAME(idle);
}

static bool same_namespace(const void *a, const void *b)
{
    const struct stow_namespace *x = a, *y = b;

    return SAME(labels) && SAME(deleted);
}

static bool same_priority_class(const void *a, const void *b)
{
    const struct stow_priority_class *x = a, *y = b;

    return SAME(value) && SAME(global_default) && SAME(never);
}

static bool same_limit_range(const void *a, const void *b)
{
    const struct stow_limit_range *x = a, *y = b;

    return SAME(items);
}

static bool same_runtime_class(const void *a, const void *b)
{
    const struct stow_runtime_class *x = a, *y = b;

    return SAME(overhead) && SAME(node_selector) && SAME(tolerations) && SAME(has_overhead);
}

static bool same_service(const void *a, const void *b)
{
    const struct stow_service *x = a, *y = b;

    return SAME(selector);
}

static bool same_volume(const void *a, const void *b)
{
    const struct stow_volume *x = a, *y = b;

    return SAME(labels) && SAME(node_required) && SAME(driver) && SAME(handle) && SAME(class) &&
           SAME(claimed) && SAME(claim_namespace) && SAME(claim_name) && SAME(capacity) &&
           SAME(modes) && SAME(unavailable) && SAME(block);
}

static bool same_claim(const void *a, const void *b)
{
    const struct stow_claim *x = a, *y = b;

    return SAME(volume) && SAME(class) && SAME(selected) && SAME(modes) && SAME(waiting) &&
           SAME(deleted) && SAME(lost) && SAME(request) && SAME(selector) && SAME(block);
}

static bool same_storage_class(const void *a, const void *b)
{
    const struct stow_storage_class *x = a, *y = b;

    return SAME(driver) && SAME(allowed) && SAME(is_default) && SAME(for_first) && SAME(created);
}

static bool same_csi_driver(const void *a, const void *b)
{
    const struct stow_csi_driver *x = a, *y = b;

    return SAME(capacity);
}

static bool same_csi_node(const void *a, const void *b)
{
    const struct stow_csi_node *x = a, *y = b;

    return SAME(limits);
}

static bool same_attachment(const void *a, const void *b)
{
    const struct stow_attachment *x = a, *y = b;

    return SAME(driver) && SAME(volume) && SAME(node);
}

static bool same_device_claim(const void *a, const void *b)
{
    const struct stow_device_claim *x = a, *y = b;

    return SAME(requests) && SAME(node_required) && SAME(users) && SAME(allocated) && SAME(deleted);
}

static bool same_device_template(const void *a, const void *b)
{
    const struct stow_device_template *x = a, *y = b;

    return SAME(requests);
}

/* Nothing but the name is kept. */
static bool same_device_class(const void *a, const void *b)
{
    (void)a, (void)b;
    return true;
}

static bool same_budget(const void *a, const void *b)
{
    const struct stow_budget *x = a, *y = b;

    return SAME(selector) && SAME(allowed) && SAME(min_available) && SAME(max_unavailable) &&
           SAME(min_percent) && SAME(max_percent);
}

static bool same_time(const struct stow_pool_time *x, const struct stow_pool_time *y)
{
    return x->text == y->text;
}

static bool same_kubelet(const struct stow_kubelet *x, const struct stow_kubelet *y)
{
    return SAME(max_pods) && SAME(pods_per_core) && SAME(kube_reserved) && SAME(system_reserved) &&
           SAME(eviction_hard);
}

static bool same_template(const struct stow_node_pool *x, const struct stow_node_pool *y)
{
    return SAME(labels) && SAME(annotations) && SAME(taints) && SAME(startup_taints) &&
           SAME(requirements) && SAME(class.group) && SAME(class.kind) && SAME(class.name) &&
           same_time(&x->expire_after, &y->expire_after) &&
           same_time(&x->termination_grace, &y->termination_grace) &&
           same_kubelet(&x->kubelet, &y->kubelet);
}

static bool same_pool(const void *a, const void *b)
{
    const struct stow_node_pool *x = a, *y = b;

    return SAME(own_annotations) && SAME(policy) && SAME(budgets) && SAME(limits) && SAME(weight) &&
           SAME(replicas) && SAME(deleted) && SAME(not_ready) &&
           same_time(&x->consolidate_after, &y->consolidate_after) && same_template(x, y);
}

static bool same_node_class(const void *a, const void *b)
{
    const struct stow_node_class *x = a, *y = b;

    return SAME(family) && SAME(disks) && SAME(zones) && SAME(reservations) && SAME(raid0) &&
           SAME(gpu_taint) && SAME(deleted) && SAME(not_ready) &&
           same_kubelet(&x->kubelet, &y->kubelet);
}

static bool same_node_claim(const void *a, const void *b)
{
    const struct stow_machine_claim *x = a, *y = b;

    return SAME(labels) && SAME(annotations) && SAME(requirements) && SAME(requests) &&
           SAME(capacity) && SAME(allocatable) && SAME(node_name) && SAME(provider_id) &&
           SAME(flags) && SAME(last_pod_event) && SAME(initialized);
}

static bool same_overlay(const void *a, const void *b)
{
    const struct stow_node_overlay *x = a, *y = b;

    return SAME(requirements) && SAME(price) && SAME(adjustment) && SAME(capacity) &&
           SAME(weight) && SAME(rejected);
}

/* ---- names of namespaces as ranks, so that sorting pods compares integers first ----------- */

struct rank {
    struct stow_str text;
    stow_sym sym;
};

static int compare_ranks(const void *a, const void *b)
{
    return stow_str_cmp(((const struct rank *)a)->text, ((const struct rank *)b)->text);
}

/* ret[sym] = position of the namespace among all namespaces of pods, by name. */
static uint32_t *rank_namespaces(const struct stow_snapshot *s)
{
    uint32_t *by_symbol = calloc(s->text.entries, sizeof(*by_symbol));
    uint32_t count = 0;

    if (!by_symbol)
        return NULL;
    for (uint32_t i = 0; i < s->pods; i++)
        if (!by_symbol[s->pod[i].namespace])
            by_symbol[s->pod[i].namespace] = ++count;

    struct rank *list = calloc(count ? count : 1, sizeof(*list));

    if (!list) {
        free(by_symbol);
        return NULL;
    }
    for (stow_sym sym = 0; sym < s->text.entries; sym++)
        if (by_symbol[sym])
            list[by_symbol[sym] - 1] = (struct rank){stow_text(s, sym), sym};
    qsort(list, count, sizeof(*list), compare_ranks);
    for (uint32_t i = 0; i < count; i++)
        by_symbol[list[i].sym] = i;
    free(list);
    return by_symbol;
}

/* ---- pods -------------------------------------------------------------------------------- */

struct pod_key {
    uint32_t rank, at;
    const char *name;
};

static int compare_names(const struct pod_key *a, const struct pod_key *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int compare_pods(const void *a, const void *b)
{
    const struct pod_key *x = a, *y = b;
    int order = compare_names(x, y);

    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static struct pod_key *pod_keys(const struct stow_snapshot *s)
{
    uint32_t *rank = rank_namespaces(s);
    struct pod_key *keys = calloc(s->pods ? s->pods : 1, sizeof(*keys));

    if (rank && keys)
        for (uint32_t i = 0; i < s->pods; i++)
            keys[i] = (struct pod_key){rank[s->pod[i].namespace], i, s->pod[i].name};
    free(rank);
    if (!rank) {
        free(keys);
        return NULL;
    }
    return keys;
}

static bool strictly_sorted(const struct pod_key *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (compare_names(&keys[i - 1], &keys[i]) >= 0)
            return false;
    return true;
}

/* Copies the pods in the order of the keys, one of equal names; returns how many. */
static uint32_t copy_in_order(struct stow_snapshot *s, const struct pod_key *keys, struct twice *t,
                              struct stow_pod *sorted)
{
    uint32_t made = 0, at = 0;

    for (uint32_t i = 0; i < s->pods; i++) {
        const bool new = i == 0 || compare_names(&keys[i - 1], &keys[i]) != 0;

        made += new;
        if (new || replaces(t, (const char *)s->pod, sizeof(*s->pod), at, keys[i].at))
            at = keys[i].at;
        sorted[made - 1] = s->pod[at];
    }
    return made;
}

int stow_order_pods(struct stow_snapshot *s)
{
    STOW_AUTO(stow_free_local) struct pod_key *keys = pod_keys(s);
    STOW_AUTO(twice_done) struct twice t = {.same = same_pod};

    if (!keys)
        return STOW_ENOMEM;
    if (strictly_sorted(keys, s->pods))
        return STOW_OK;
    qsort(keys, s->pods, sizeof(*keys), compare_pods);
    STOW_TRY(find_versions(s, &s->pods, &t));

    struct stow_pod *sorted = malloc((size_t)s->pods * sizeof(*sorted));

    if (!sorted)
        return STOW_ENOMEM;
    s->pod_cap = s->pods;
    s->pods = copy_in_order(s, keys, &t, sorted);
    free(s->pod);
    s->pod = sorted;
    return warn_twice(s, &t, "pods");
}

/* ---- everything else: few, and keyed by texts --------------------------------------------- */

struct key {
    struct stow_str namespace, name;
    uint32_t kind, at;
    struct stow_str kind_name;
};

static int compare_texts(const struct key *x, const struct key *y)
{
    int order = stow_str_cmp(x->namespace, y->namespace);

    if (order == 0)
        order = stow_str_cmp(x->name, y->name);
    if (order == 0)
        order = (x->kind > y->kind) - (x->kind < y->kind);
    return order ? order : stow_str_cmp(x->kind_name, y->kind_name);
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = compare_texts(x, y);

    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* One list of the snapshot and how its objects are named. */
struct list {
    void *items;
    uint32_t *count;
    size_t size;
    const char *what;
    struct key (*key)(const struct stow_snapshot *s, const void *item);
    bool (*same)(const void *a, const void *b);
};

/* Writes the items in the order of the keys, one of equal ones; returns how many. */
static uint32_t arrange(const struct list *l, const struct key *keys, struct twice *t, char *sorted)
{
    const char *items = l->items;
    uint32_t made = 0, at = 0;

    for (uint32_t i = 0; i < *l->count; i++) {
        const bool new = i == 0 || compare_texts(&keys[i - 1], &keys[i]) != 0;

        made += new;
        if (new || replaces(t, items, l->size, at, keys[i].at))
            at = keys[i].at;
        memcpy(sorted + (made - 1) * l->size, items + at * l->size, l->size);
    }
    return made;
}

static int order_list(struct stow_snapshot *s, const struct list *l)
{
    uint32_t count = *l->count;
    STOW_AUTO(stow_free_local) struct key *keys = calloc(count + 1, sizeof(*keys));
    STOW_AUTO(stow_free_local) char *sorted = malloc((count + 1) * l->size);
    STOW_AUTO(twice_done) struct twice t = {.same = l->same};

    if (!keys || !sorted)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = l->key(s, (char *)l->items + i * l->size);
        keys[i].at = i;
    }
    qsort(keys, count, sizeof(*keys), compare_keys);
    STOW_TRY(find_versions(s, l->count, &t));
    *l->count = arrange(l, keys, &t, sorted);
    if (count)
        memcpy(l->items, sorted, *l->count * l->size);
    return warn_twice(s, &t, l->what);
}

static struct key node_key(const struct stow_snapshot *s, const void *item)
{
    (void)s;
    return (struct key){.name = stow_str_of(((const struct stow_node *)item)->name)};
}

static struct key group_key(const struct stow_snapshot *s, const void *item)
{
    (void)s;
    return (struct key){.name = stow_str_of(((const struct stow_group *)item)->name)};
}

/* What an operator would make stands beside the real one, after it. */
static struct key workload_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_workload *w = item;

    return (struct key){.namespace = stow_text(s, w->namespace),
                        .name = stow_text(s, w->symbol),
                        .kind = w->kind + (w->implied ? STOW_WORKLOAD_KINDS : 0),
                        .kind_name = stow_text(s, w->kind_name)};
}

static struct key namespace_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_namespace *)item)->name)};
}

static struct key priority_class_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_priority_class *)item)->name)};
}

static struct key limit_range_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_limit_range *l = item;

    return (struct key){.namespace = stow_text(s, l->namespace), .name = stow_text(s, l->name)};
}

static struct key runtime_class_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_runtime_class *)item)->name)};
}

static struct key service_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_service *service = item;

    return (struct key){.namespace = stow_text(s, service->namespace),
                        .name = stow_text(s, service->name)};
}

static struct key volume_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_volume *)item)->name)};
}

static struct key claim_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_claim *claim = item;

    return (struct key){.namespace = stow_text(s, claim->namespace),
                        .name = stow_text(s, claim->name)};
}

static struct key storage_class_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_storage_class *)item)->name)};
}

static struct key csi_node_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_csi_node *)item)->name)};
}

static struct key csi_driver_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_csi_driver *)item)->name)};
}

static struct key attachment_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_attachment *)item)->name)};
}

static struct key device_claim_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_device_claim *claim = item;

    return (struct key){.namespace = stow_text(s, claim->namespace),
                        .name = stow_text(s, claim->name)};
}

static struct key device_template_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_device_template *t = item;

    return (struct key){.namespace = stow_text(s, t->namespace), .name = stow_text(s, t->name)};
}

static struct key device_class_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_device_class *)item)->name)};
}

static struct key budget_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_budget *budget = item;

    return (struct key){.namespace = stow_text(s, budget->namespace),
                        .name = stow_text(s, budget->symbol)};
}

static struct key pool_key(const struct stow_snapshot *s, const void *item)
{
    (void)s;
    return (struct key){.name = stow_str_of(((const struct stow_node_pool *)item)->name)};
}

static struct key node_class_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_node_class *class = item;

    (void)s;
    return (struct key){.name = stow_str_of(class->name), .kind = class->form};
}

static struct key node_claim_key(const struct stow_snapshot *s, const void *item)
{
    (void)s;
    return (struct key){.name = stow_str_of(((const struct stow_machine_claim *)item)->name)};
}

static struct key overlay_key(const struct stow_snapshot *s, const void *item)
{
    (void)s;
    return (struct key){.name = stow_str_of(((const struct stow_node_overlay *)item)->name)};
}

static struct key cluster_key(const struct stow_snapshot *s, const void *item)
{
    (void)s;
    return (struct key){.name = stow_str_of(((const struct stow_cluster *)item)->name)};
}

static struct key propagation_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_propagation_policy *p = item;

    return (struct key){.namespace = stow_text(s, p->namespace),
                        .name = stow_text(s, p->symbol),
                        .kind = p->cluster_wide};
}

static struct key binding_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_binding *b = item;

    return (struct key){.namespace = stow_text(s, b->namespace), .name = stow_text(s, b->symbol)};
}

int stow_order_bindings(struct stow_snapshot *s)
{
    return order_list(s, &(struct list){s->binding, &s->bindings, sizeof(*s->binding), "bindings",
                                        binding_key, NULL});
}

/* Once more, with the groups of pools. */
int stow_order_groups(struct stow_snapshot *s)
{
    return order_list(
        s, &(struct list){s->group, &s->groups, sizeof(*s->group), "node groups", group_key, NULL});
}

int stow_order_nodes(struct stow_snapshot *s)
{
    return order_list(
        s, &(struct list){s->node, &s->nodes, sizeof(*s->node), "nodes", node_key, same_node});
}

int stow_order_others(struct stow_snapshot *s)
{
    const struct list lists[] = {
        {s->group, &s->groups, sizeof(*s->group), "node groups", group_key, NULL},
        {s->workload, &s->workloads, sizeof(*s->workload), "workloads", workload_key,
         same_workload},
        {s->namespace, &s->namespaces, sizeof(*s->namespace), "namespaces", namespace_key,
         same_namespace},
        {s->priority_class, &s->priority_classes, sizeof(*s->priority_class), "priority classes",
         priority_class_key, same_priority_class},
        {s->limit_range, &s->limit_ranges, sizeof(*s->limit_range), "limit ranges", limit_range_key,
         same_limit_range},
        {s->runtime_class, &s->runtime_classes, sizeof(*s->runtime_class), "runtime classes",
         runtime_class_key, same_runtime_class},
        {s->service, &s->services, sizeof(*s->service), "services", service_key, same_service},
        {s->volume, &s->volumes, sizeof(*s->volume), "persistent volumes", volume_key, same_volume},
        {s->claim, &s->claims, sizeof(*s->claim), "persistent volume claims", claim_key,
         same_claim},
        {s->storage_class, &s->storage_classes, sizeof(*s->storage_class), "storage classes",
         storage_class_key, same_storage_class},
        {s->csi_node, &s->csi_nodes, sizeof(*s->csi_node), "CSI nodes", csi_node_key,
         same_csi_node},
        {s->csi_driver, &s->csi_drivers, sizeof(*s->csi_driver), "CSI drivers", csi_driver_key,
         same_csi_driver},
        {s->attachment, &s->attachments, sizeof(*s->attachment), "volume attachments",
         attachment_key, same_attachment},
        {s->device_claim, &s->device_claims, sizeof(*s->device_claim), "resource claims",
         device_claim_key, same_device_claim},
        {s->device_template, &s->device_templates, sizeof(*s->device_template),
         "resource claim templates", device_template_key, same_device_template},
        {s->device_class, &s->device_classes, sizeof(*s->device_class), "device classes",
         device_class_key, same_device_class},
        {s->budget, &s->budgets, sizeof(*s->budget), "pod disruption budgets", budget_key,
         same_budget},
        {s->node_pool, &s->node_pools, sizeof(*s->node_pool), "NodePools", pool_key, same_pool},
        {s->node_class, &s->node_classes, sizeof(*s->node_class), "node classes", node_class_key,
         same_node_class},
        {s->node_claim, &s->node_claims, sizeof(*s->node_claim), "NodeClaims", node_claim_key,
         same_node_claim},
        {s->overlay, &s->overlays, sizeof(*s->overlay), "NodeOverlays", overlay_key, same_overlay},
        {s->cluster, &s->clusters, sizeof(*s->cluster), "clusters", cluster_key, NULL},
        {s->propagation, &s->propagations, sizeof(*s->propagation), "propagation policies",
         propagation_key, NULL},
        {s->binding, &s->bindings, sizeof(*s->binding), "bindings", binding_key, NULL},
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        STOW_TRY(order_list(s, &lists[i]));
    return STOW_OK;
}
