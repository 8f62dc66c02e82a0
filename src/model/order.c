/* order.c - objects sorted by name, so that nothing depends on the order of the input.
 *
 * What the API server prints is sorted already, so a first pass that only looks
 * settles most inputs.  An object given twice: the last one wins, with a warning. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/finish.h"

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

/* Copies the pods in the order of the keys, the last of equal names; returns how many were
 * dropped. */
static uint32_t copy_in_order(struct stow_snapshot *s, const struct pod_key *keys,
                              struct stow_pod *sorted)
{
    uint32_t made = 0;

    for (uint32_t i = 0; i < s->pods; i++) {
        made += made == 0 || compare_names(&keys[i - 1], &keys[i]) != 0;
        sorted[made - 1] = s->pod[keys[i].at];
    }
    return s->pods - made;
}

int stow_order_pods(struct stow_snapshot *s)
{
    struct pod_key *keys = pod_keys(s);

    if (!keys)
        return STOW_ENOMEM;
    if (strictly_sorted(keys, s->pods)) {
        free(keys);
        return STOW_OK;
    }
    qsort(keys, s->pods, sizeof(*keys), compare_pods);

    struct stow_pod *sorted = malloc((size_t)s->pods * sizeof(*sorted));

    if (!sorted) {
        free(keys);
        return STOW_ENOMEM;
    }

    uint32_t twice = copy_in_order(s, keys, sorted);

    free(keys);
    free(s->pod);
    s->pod = sorted;
    s->pod_cap = s->pods;
    s->pods -= twice;
    if (twice)
        return stow_snapshot_warn(s, "pods given more than once: %u; the last one counts", twice);
    return STOW_OK;
}

/* ---- everything else: few, and keyed by texts --------------------------------------------- */

struct key {
    struct stow_str namespace, name;
    uint32_t kind, at;
};

static int compare_texts(const struct key *x, const struct key *y)
{
    int order = stow_str_cmp(x->namespace, y->namespace);

    if (order == 0)
        order = stow_str_cmp(x->name, y->name);
    return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
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
};

/* Writes the items in the order of the keys, the last of equal ones; returns how many. */
static uint32_t arrange(const struct list *l, const struct key *keys, char *sorted)
{
    uint32_t made = 0;

    for (uint32_t i = 0; i < *l->count; i++) {
        made += made == 0 || compare_texts(&keys[i - 1], &keys[i]) != 0;
        memcpy(sorted + (made - 1) * l->size, (char *)l->items + keys[i].at * l->size, l->size);
    }
    return made;
}

static int order_list(struct stow_snapshot *s, const struct list *l)
{
    uint32_t count = *l->count;
    STOW_AUTO(stow_free_local) struct key *keys = calloc(count + 1, sizeof(*keys));
    STOW_AUTO(stow_free_local) char *sorted = malloc((count + 1) * l->size);

    if (!keys || !sorted)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = l->key(s, (char *)l->items + i * l->size);
        keys[i].at = i;
    }
    qsort(keys, count, sizeof(*keys), compare_keys);
    *l->count = arrange(l, keys, sorted);
    if (count)
        memcpy(l->items, sorted, *l->count * l->size);
    if (*l->count < count)
        return stow_snapshot_warn(s, "%s given more than once: %u; the last one counts", l->what,
                                  count - *l->count);
    return STOW_OK;
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

static struct key workload_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_workload *w = item;

    return (struct key){stow_text(s, w->namespace), stow_text(s, w->symbol), w->kind, 0};
}

static struct key namespace_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_namespace *)item)->name)};
}

static struct key priority_class_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_priority_class *)item)->name)};
}

static struct key service_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_service *service = item;

    return (struct key){stow_text(s, service->namespace), stow_text(s, service->name), 0, 0};
}

static struct key volume_key(const struct stow_snapshot *s, const void *item)
{
    return (struct key){.name = stow_text(s, ((const struct stow_volume *)item)->name)};
}

static struct key claim_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_claim *claim = item;

    return (struct key){stow_text(s, claim->namespace), stow_text(s, claim->name), 0, 0};
}

static struct key budget_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_budget *budget = item;

    return (struct key){stow_text(s, budget->namespace), stow_text(s, budget->symbol), 0, 0};
}

static struct key cluster_key(const struct stow_snapshot *s, const void *item)
{
    (void)s;
    return (struct key){.name = stow_str_of(((const struct stow_cluster *)item)->name)};
}

static struct key propagation_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_propagation_policy *p = item;

    return (struct key){stow_text(s, p->namespace), stow_text(s, p->symbol), p->cluster_wide, 0};
}

static struct key binding_key(const struct stow_snapshot *s, const void *item)
{
    const struct stow_binding *b = item;

    return (struct key){stow_text(s, b->namespace), stow_text(s, b->symbol), 0, 0};
}

int stow_order_bindings(struct stow_snapshot *s)
{
    return order_list(
        s, &(struct list){s->binding, &s->bindings, sizeof(*s->binding), "bindings", binding_key});
}

int stow_order_nodes(struct stow_snapshot *s)
{
    return order_list(s, &(struct list){s->node, &s->nodes, sizeof(*s->node), "nodes", node_key});
}

int stow_order_others(struct stow_snapshot *s)
{
    const struct list lists[] = {
        {s->group, &s->groups, sizeof(*s->group), "node groups", group_key},
        {s->workload, &s->workloads, sizeof(*s->workload), "workloads", workload_key},
        {s->namespace, &s->namespaces, sizeof(*s->namespace), "namespaces", namespace_key},
        {s->priority_class, &s->priority_classes, sizeof(*s->priority_class), "priority classes",
         priority_class_key},
        {s->service, &s->services, sizeof(*s->service), "services", service_key},
        {s->volume, &s->volumes, sizeof(*s->volume), "persistent volumes", volume_key},
        {s->claim, &s->claims, sizeof(*s->claim), "persistent volume claims", claim_key},
        {s->budget, &s->budgets, sizeof(*s->budget), "pod disruption budgets", budget_key},
        {s->cluster, &s->clusters, sizeof(*s->cluster), "clusters", cluster_key},
        {s->propagation, &s->propagations, sizeof(*s->propagation), "propagation policies",
         propagation_key},
        {s->binding, &s->bindings, sizeof(*s->binding), "bindings", binding_key},
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        STOW_TRY(order_list(s, &lists[i]));
    return STOW_OK;
}
