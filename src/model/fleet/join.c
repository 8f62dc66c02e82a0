/* join.c - clusters of a fleet that are given by their own objects.
 *
 * In a running Karmada an agent looks at the nodes and pods of each member and writes what it sees
 * into the status of its Cluster.  The same is done here for members whose nodes and pods
 * are given: sums of what nodes have, of what pods on them and pods that wait ask for; provider,
 * region and zones, where the nodes agree on them.  What a Cluster object states itself counts.
 *
 * A workload without a ResourceBinding has no record of where it runs.  If a member has
 * one of the same kind, namespace and name, it runs there, with as many replicas as that
 * one asks for. */
#include "model/fleet/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/fork.h"

/* ---- what nodes have, and what pods ask for ---------------------------------------------- */

static void collect_done(struct stow_collect *list)
{
    free(list->items);
}

static int64_t sum_of(const int64_t *column, uint32_t count)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        if (__builtin_add_overflow(sum, column[i], &sum))
            return INT64_MAX;
    return sum;
}

static int64_t pods_on_nodes(const struct stow_snapshot *m)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < m->nodes; i++)
        sum += m->pods_on[i];
    return sum;
}

/* Sums per resource id into a list of the fleet; sums of 0 are left out. */
static int write_amounts(struct stow_snapshot *fleet, const struct stow_snapshot *m,
                         const int64_t *sum, stow_blob *ret)
{
    STOW_AUTO(collect_done) struct stow_collect list = {0};

    for (stow_resource_id r = 0; r < m->resources; r++) {
        const stow_i128 unit = r == STOW_RESOURCE_CPU ? 1000000 : 1000000000;
        const stow_sym symbol = stow_intern_text(&fleet->text, stow_text(m, m->resource[r]));

        if (symbol == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        if (sum[r] == 0)
            continue;

        struct stow_exact *kept = STOW_COLLECT(&list, struct stow_exact);

        if (!kept)
            return STOW_ENOMEM;
        *kept = stow_exact_of(symbol, sum[r] * unit);
    }
    if (list.count)
        stow_exact_sort(list.items, list.count);
    *ret = stow_intern_blob(&fleet->blob, list.items, list.count * sizeof(struct stow_exact));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* What pods without a node ask for, by resource id. */
static void add_waiting(const struct stow_snapshot *m, int64_t *sum)
{
    for (stow_pod_id i = 0; i < m->pods; i++) {
        uint32_t count;
        const struct stow_amount *list;

        if (!stow_pod_pending(&m->pod[i]))
            continue;
        list = STOW_LIST(m, m->demand[m->pod[i].spec].requests, struct stow_amount, &count);
        for (uint32_t k = 0; k < count; k++)
            if (__builtin_add_overflow(sum[list[k].resource], list[k].value,
                                       &sum[list[k].resource]))
                sum[list[k].resource] = INT64_MAX;
        sum[STOW_RESOURCE_PODS]++;
    }
}

static int summarise(struct stow_snapshot *fleet, const struct stow_snapshot *m,
                     struct stow_cluster *ret)
{
    STOW_AUTO(stow_free_local) int64_t *sum = calloc((size_t)3 * m->resources + 1, sizeof(*sum));
    int64_t *allocated = sum ? sum + m->resources : NULL;
    int64_t *allocating = sum ? allocated + m->resources : NULL;

    if (!sum)
        return STOW_ENOMEM;
    for (size_t r = 0; r < m->resources; r++) {
        sum[r] = sum_of(m->allocatable + r * m->nodes, m->nodes);
        allocated[r] = sum_of(m->requested + r * m->nodes, m->nodes);
    }
    allocated[STOW_RESOURCE_PODS] = pods_on_nodes(m);
    add_waiting(m, allocating);
    STOW_TRY(write_amounts(fleet, m, sum, &ret->allocatable));
    STOW_TRY(write_amounts(fleet, m, allocated, &ret->allocated));
    STOW_TRY(write_amounts(fleet, m, allocating, &ret->allocating));
    ret->flags |= STOW_CLUSTER_HAS_SUMMARY;
    return STOW_OK;
}

static void count_nodes(const struct stow_snapshot *m, struct stow_cluster *ret)
{
    ret->nodes = ret->ready_nodes = 0;
    for (uint32_t i = 0; i < m->nodes; i++) {
        ret->nodes++;
        ret->ready_nodes += !(m->node[i].flags & STOW_NODE_NOT_READY);
    }
}

/* ---- where it is ------------------------------------------------------------------------ */

static struct stow_str provider_of(const struct stow_snapshot *m, const struct stow_node *node)
{
    struct stow_str id = stow_text(m, node->provider_id);
    const char *colon = id.len ? memmem(id.ptr, id.len, "://", 3) : NULL;

    return (struct stow_str){id.ptr, colon ? (size_t)(colon - id.ptr) : 0};
}

static struct stow_str label_of(const struct stow_snapshot *m, const struct stow_node *node,
                                stow_sym key, stow_sym older)
{
    stow_sym value = stow_label_value(m, node->labels, key);

    if (value == STOW_NONE)
        value = stow_label_value(m, node->labels, older);
    return value == STOW_NONE ? (struct stow_str){"", 0} : stow_text(m, value);
}

static struct stow_str region_of(const struct stow_snapshot *m, const struct stow_node *node)
{
    return label_of(m, node, STOW_SYM_REGION, STOW_SYM_REGION_BETA);
}

/* What all nodes that say something say; 0 when they do not agree. */
static stow_sym agreed(struct stow_snapshot *fleet, const struct stow_snapshot *m,
                       struct stow_str (*say)(const struct stow_snapshot *m,
                                              const struct stow_node *node))
{
    struct stow_str all = {"", 0};

    for (uint32_t i = 0; i < m->nodes + m->groups; i++) {
        const bool fresh = i >= m->nodes;

        if (fresh && !m->group[i - m->nodes].has_fresh)
            continue;

        struct stow_str one = say(m, fresh ? &m->fresh[i - m->nodes] : &m->node[i]);

        if (one.len && all.len && !stow_str_eq(one, all))
            return 0;
        all = one.len ? one : all;
    }
    return stow_intern_text(&fleet->text, all);
}

static int compare_texts(const void *a, const void *b)
{
    return stow_str_cmp(*(const struct stow_str *)a, *(const struct stow_str *)b);
}

static int list_zones(struct stow_snapshot *fleet, const struct stow_snapshot *m, stow_blob *ret)
{
    STOW_AUTO(stow_free_local)
    struct stow_str *zone = calloc((size_t)m->nodes + 1, sizeof(*zone));
    STOW_AUTO(stow_free_local) stow_sym *made = calloc((size_t)m->nodes + 1, sizeof(*made));
    uint32_t count = 0;

    if (!zone || !made)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < m->nodes; i++)
        zone[i] = label_of(m, &m->node[i], STOW_SYM_ZONE, STOW_SYM_ZONE_BETA);
    qsort(zone, m->nodes, sizeof(*zone), compare_texts);
    for (uint32_t i = 0; i < m->nodes; i++) {
        if (!zone[i].len || (i && stow_str_eq(zone[i], zone[i - 1])))
            continue;
        made[count] = stow_intern_text(&fleet->text, zone[i]);
        if (made[count++] == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    }
    *ret = stow_intern_blob(&fleet->blob, made, count * sizeof(*made));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* Provider and region as labels, which field selectors are matched with. */
static int write_fields(struct stow_snapshot *fleet, struct stow_cluster *c)
{
    struct stow_label field[2];
    uint32_t count = 0;

    if (c->provider)
        field[count++] =
            (struct stow_label){stow_intern_text(&fleet->text, STOW_STR("provider")), c->provider};
    if (c->region)
        field[count++] =
            (struct stow_label){stow_intern_text(&fleet->text, STOW_STR("region")), c->region};
    for (uint32_t i = 0; i < count; i++)
        if (field[i].key == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    stow_labels_sort(field, count);
    c->fields = stow_intern_blob(&fleet->blob, field, count * sizeof(*field));
    return c->fields == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int locate(struct stow_snapshot *fleet, const struct stow_snapshot *m,
                  struct stow_cluster *c)
{
    if (!c->provider)
        c->provider = agreed(fleet, m, provider_of);
    if (!c->region)
        c->region = agreed(fleet, m, region_of);
    if (c->provider == STOW_INTERN_FAILED || c->region == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (!c->zones)
        STOW_TRY(list_zones(fleet, m, &c->zones));
    return write_fields(fleet, c);
}

/* ---- clusters ---------------------------------------------------------------------------- */

static int fill_cluster(struct stow_snapshot *fleet, const struct stow_snapshot *m,
                        struct stow_cluster *c)
{
    STOW_TRY(locate(fleet, m, c));
    if (!c->apis)
        c->flags |= STOW_CLUSTER_ANY_API;
    if (c->nodes < 0)
        count_nodes(m, c);
    return c->flags & STOW_CLUSTER_HAS_SUMMARY ? STOW_OK : summarise(fleet, m, c);
}

static int add_cluster(struct stow_snapshot *fleet, const struct stow_joining *member)
{
    struct stow_cluster made = {
        .symbol = stow_intern_text(&fleet->text, stow_str_of(member->name)),
        .nodes = -1,
        .ready_nodes = -1,
    };

    if (made.symbol == STOW_INTERN_FAILED || fill_cluster(fleet, member->s, &made) < 0)
        return STOW_ENOMEM;
    made.name = stow_text(fleet, made.symbol).ptr;

    struct stow_cluster *kept = STOW_PUSH(&fleet->cluster, &fleet->clusters, &fleet->cluster_cap);

    if (!kept)
        return STOW_ENOMEM;
    *kept = made;
    return STOW_OK;
}

static int compare_clusters(const void *a, const void *b)
{
    return strcmp(((const struct stow_cluster *)a)->name, ((const struct stow_cluster *)b)->name);
}

static int fill_given(struct stow_snapshot *fleet, const struct stow_joining *member,
                      struct stow_err *err)
{
    stow_sym symbol = stow_intern_find(&fleet->text, stow_str_of(member->name));
    stow_cluster_id id =
        symbol == STOW_INTERN_FAILED ? STOW_NONE : stow_cluster_find(fleet, symbol);

    if (id == STOW_NONE)
        return stow_fail(err, STOW_EINVAL, "there is no Cluster '%s' among the objects given",
                         member->name);
    return fill_cluster(fleet, member->s, &fleet->cluster[id]) < 0 ? stow_fail_memory(err)
                                                                   : STOW_OK;
}

static int join_clusters(struct stow_snapshot *fleet, const struct stow_joining *member,
                         uint32_t members, struct stow_err *err)
{
    const bool given = fleet->clusters > 0;

    for (uint32_t i = 0; i < members; i++) {
        if (given)
            STOW_TRY(fill_given(fleet, &member[i], err));
        else if (add_cluster(fleet, &member[i]) < 0)
            return stow_fail_memory(err);
    }
    if (!given && fleet->clusters)
        qsort(fleet->cluster, fleet->clusters, sizeof(*fleet->cluster), compare_clusters);
    return STOW_OK;
}

/* ---- what is in place -------------------------------------------------------------------- */

/* Targets of the implied bindings, while members are gone through. */
struct placing {
    struct stow_snapshot *fleet;
    struct stow_collect *target; /* per binding: of stow_target */
    struct stow_buf key;
};

static void placing_done(struct placing *p)
{
    for (uint32_t i = 0; p->target && i < p->fleet->bindings; i++)
        free(p->target[i].items);
    free(p->target);
    stow_buf_done(&p->key);
}

static struct stow_str key_of(struct placing *p, const struct stow_snapshot *s,
                              const struct stow_workload *w)
{
    p->key.len = 0;
    stow_buf_printf(&p->key, "%d/%s/%s", (int)w->kind, stow_text(s, w->namespace).ptr, w->name);
    return stow_buf_str(&p->key);
}

/* The workloads of a member by name; the number of one is the handle less 1. */
static int list_workloads(struct placing *p, const struct stow_snapshot *m,
                          struct stow_intern *names, uint32_t *at)
{
    for (uint32_t i = 0; i < m->workloads; i++) {
        stow_sym made = stow_intern_text(names, key_of(p, m, &m->workload[i]));

        if (p->key.failed || made == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        at[made] = i;
    }
    return STOW_OK;
}

static int place_binding(struct placing *p, uint32_t binding, stow_sym cluster, uint32_t replicas)
{
    struct stow_target *kept = STOW_COLLECT(&p->target[binding], struct stow_target);

    if (!kept)
        return STOW_ENOMEM;
    *kept = (struct stow_target){cluster, replicas > INT32_MAX ? INT32_MAX : (int32_t)replicas};
    return STOW_OK;
}

static int look_into(struct placing *p, const struct stow_joining *member)
{
    const struct stow_snapshot *fleet = p->fleet, *m = member->s;
    const stow_sym cluster = stow_intern_find(&fleet->text, stow_str_of(member->name));
    STOW_AUTO(stow_intern_done) struct stow_intern names = {0};
    STOW_AUTO(stow_free_local) uint32_t *at = calloc((size_t)m->workloads + 2, sizeof(*at));

    if (!at || list_workloads(p, m, &names, at) < 0)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < fleet->bindings; i++) {
        const struct stow_binding *b = &fleet->binding[i];
        stow_sym found;

        if (!(b->flags & STOW_BINDING_IMPLIED))
            continue;
        found = stow_intern_find(&names, key_of(p, fleet, &fleet->workload[b->workload]));
        if (p->key.failed)
            return STOW_ENOMEM;
        if (found != STOW_INTERN_FAILED && m->workload[at[found]].replicas > 0)
            STOW_TRY(place_binding(p, i, cluster, m->workload[at[found]].replicas));
    }
    return STOW_OK;
}

static int write_places(struct placing *p)
{
    struct stow_snapshot *fleet = p->fleet;

    for (uint32_t i = 0; i < fleet->bindings; i++) {
        const struct stow_collect *list = &p->target[i];
        stow_blob made;

        if (!list->count)
            continue;
        made =
            stow_intern_blob(&fleet->blob, list->items, list->count * sizeof(struct stow_target));
        if (made == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        fleet->binding[i].clusters = made;
    }
    return STOW_OK;
}

static int join_places(struct stow_snapshot *fleet, const struct stow_joining *member,
                       uint32_t members)
{
    STOW_AUTO(placing_done)
    struct placing p = {.fleet = fleet,
                        .target = calloc((size_t)fleet->bindings + 1, sizeof(*p.target))};

    if (!p.target)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < members; i++)
        STOW_TRY(look_into(&p, &member[i]));
    return write_places(&p);
}

int stow_fleet_join(struct stow_snapshot *fleet, const struct stow_joining *member,
                    uint32_t members, struct stow_err *err)
{
    if (stow_fork_own(fleet) < 0)
        return stow_fail_memory(err);
    STOW_TRY(join_clusters(fleet, member, members, err));
    if (stow_finish_fleet(fleet) < 0 || join_places(fleet, member, members) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}
