/* berths.c - what one node can hold, worked out from the input alone.
 *
 * Every filter over single nodes is asked about every class of pending pods on every existing node
 * and on an empty node of every group.  What is left is arithmetic: needs per dimension against
 * what is allocatable and not yet requested.  A dimension that a pod does not ask for never limits
 * it, so room below 0 counts as 0 there and refuses only those that ask.
 *
 * Where running nodes are consolidated (a->standing) pods that run may be where they are: there is
 * room for all of them there, and no filter refuses them. */
#include "verify/proof/berths.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/attached.h"
#include "place/counts/roll.h"
#include "place/counts/tally.h"
#include "place/filters/disks.h"
#include "place/filters/fit.h"
#include "place/rules.h"
#include "verify/proof/sorts.h"

struct making {
    struct stow_audit *a;
    struct stow_berths *b;
    struct stow_state state; /* of the bare cluster */
    bool made;
    struct stow_sorts sorts;
    int64_t *plenty; /* per dimension of a driver: what all pods together ask for */
    int64_t *need;   /* [sort * dims + dim] */
    int64_t *room;   /* [node * dims + dim] */
    uint64_t *may;   /* [node * words + ...]: bit per sort */
    uint32_t words;
    bool *left;        /* per sort: the plan leaves pods of it */
    uint32_t *first;   /* per sort: of the first groups that take it; UINT32_MAX: none does */
    bool *there;       /* per sort: some node that is there does */
    uint64_t *home;    /* like may: where pods of the sort run; NULL: it does not matter */
    uint64_t *alone;   /* per class: labels, see alone.c */
    uint64_t *carries; /* per node: which of these labels it has */
    struct stow_arena scratch;
};

static void making_done(struct making *m)
{
    if (m->made)
        stow_state_done(&m->state);
    stow_sorts_done(&m->sorts);
    free(m->plenty);
    free(m->need);
    free(m->room);
    free(m->may);
    free(m->left);
    free(m->first);
    free(m->there);
    free(m->home);
    free(m->alone);
    free(m->carries);
    stow_arena_done(&m->scratch);
}

/* ---- dimensions -------------------------------------------------------------------------- */

int64_t stow_berths_need(const struct stow_audit *a, const struct stow_berths *b, stow_pod_id pod,
                         uint32_t dim)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(a->s, a->s->demand[a->s->pod[pod].spec].requests, struct stow_amount, &count);

    if (dim == 0)
        return 1;
    if (dim >= b->resource_dims)
        return stow_private_volumes(a->s, &a->s->pod[pod], b->driver[dim - b->resource_dims]);
    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == b->resource[dim])
            return list[i].value;
    return 0;
}

/* Volumes that only one pod uses are like a resource, where nodes have a limit of them. */
static int find_drivers(struct making *m, uint32_t drivers)
{
    const struct stow_audit *a = m->a;
    struct stow_berths *b = m->b;
    const bool limited = stow_profile_has(a->profile, &stow_filter_node_volume_limits);

    b->driver = stow_arena_alloc(&b->arena, (drivers + 1) * sizeof(*b->driver));
    m->plenty = calloc((size_t)drivers + 1, sizeof(*m->plenty));
    if (!b->driver || !m->plenty)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < drivers && limited; d++) {
        int64_t sum = 0;

        for (uint32_t i = 0; i < a->pendings; i++)
            sum += stow_private_volumes(a->s, &a->s->pod[a->pending[i]], d);
        if (!sum)
            continue;
        b->driver[b->dims - b->resource_dims] = d;
        m->plenty[b->dims - b->resource_dims] = sum;
        b->resource[b->dims++] = STOW_NONE;
    }
    return STOW_OK;
}

/* What a node has left of a driver's volumes; without a limit, what all pods together ask for. */
static int64_t volume_room(const struct making *m, uint32_t dim, stow_node_id node)
{
    const uint32_t driver = m->b->driver[dim - m->b->resource_dims];
    const size_t cell = (size_t)driver * m->state.nodes + node;

    if (m->state.attached.limit[cell] < 0)
        return m->plenty[dim - m->b->resource_dims];
    return (int64_t)m->state.attached.limit[cell] - m->state.attached.used[cell];
}

/* What a node has left of a dimension. */
static int64_t room_of(const struct making *m, uint32_t dim, stow_node_id node)
{
    const struct stow_snapshot *s = &m->a->bare.s;

    if (dim >= m->b->resource_dims)
        return volume_room(m, dim, node);

    const size_t cell = (size_t)m->b->resource[dim] * s->nodes + node;

    return s->allocatable[cell] - (dim == 0 ? (int64_t)s->pods_on[node] : s->requested[cell]);
}

static int find_dims(struct making *m)
{
    const struct stow_snapshot *s = m->a->s;
    STOW_AUTO(stow_free_local) bool *asked = calloc(s->resources + 1, sizeof(*asked));
    struct stow_berths *b = m->b;

    const uint32_t drivers = s->mounts ? s->mounts->drivers : 0;

    b->resource = stow_arena_alloc(&b->arena, (s->resources + drivers + 1) * sizeof(*b->resource));
    if (!asked || !b->resource)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < m->sorts.count; i++) {
        uint32_t count;
        const struct stow_amount *list = STOW_LIST(
            s, s->demand[s->pod[m->sorts.pod[i]].spec].requests, struct stow_amount, &count);

        for (uint32_t j = 0; j < count; j++)
            asked[list[j].resource] |= list[j].value > 0;
    }
    b->resource[b->dims++] = STOW_RESOURCE_PODS;
    for (stow_resource_id r = 0; r < s->resources; r++)
        if (asked[r] && r != STOW_RESOURCE_PODS &&
            !stow_fit_ignores(m->a->profile, stow_text(s, s->resource[r])))
            b->resource[b->dims++] = r;
    b->resource_dims = b->dims;
    return find_drivers(m, drivers);
}

/* Where pods run there is room for them. */
static int keep_room(struct making *m)
{
    const struct stow_audit *a = m->a;
    const uint32_t dims = m->b->dims;
    STOW_AUTO(stow_free_local)
    int64_t *taken = calloc((size_t)a->real * dims + 1, sizeof(*taken));

    m->words = m->sorts.count / 64 + 1;
    m->home = calloc((size_t)a->real * m->words + 1, sizeof(*m->home));
    if (!taken || !m->home)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < a->pendings; i++) {
        const uint32_t sort = m->sorts.of[a->pending[i]];
        const size_t node = a->standing->home[a->pending[i]];

        m->home[node * m->words + sort / 64] |= UINT64_C(1) << (sort % 64);
        for (uint32_t d = 0; d < dims; d++)
            taken[node * dims + d] += m->need[(size_t)sort * dims + d];
    }
    for (size_t i = 0; i < (size_t)a->real * dims; i++)
        m->room[i] = m->room[i] < taken[i] ? taken[i] : m->room[i];
    return STOW_OK;
}

static int measure(struct making *m)
{
    const struct stow_snapshot *s = &m->a->bare.s;
    const uint32_t dims = m->b->dims;

    m->need = calloc((size_t)m->sorts.count * dims + 1, sizeof(*m->need));
    m->room = calloc((size_t)s->nodes * dims + 1, sizeof(*m->room));
    if (!m->need || !m->room)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < m->sorts.count; i++)
        for (uint32_t d = 0; d < dims; d++)
            m->need[(size_t)i * dims + d] = stow_berths_need(m->a, m->b, m->sorts.pod[i], d);
    for (stow_node_id i = 0; i < s->nodes; i++)
        for (uint32_t d = 0; d < dims; d++) {
            const int64_t room = room_of(m, d, i);

            m->room[(size_t)i * dims + d] = room > 0 ? room : 0;
        }
    return m->a->standing ? keep_room(m) : STOW_OK;
}

/* ---- which pods may be where ------------------------------------------------------------ */

static bool has_room(const struct making *m, uint32_t sort, stow_node_id node)
{
    const uint32_t dims = m->b->dims;

    for (uint32_t d = 0; d < dims; d++)
        if (m->need[(size_t)sort * dims + d] > m->room[(size_t)node * dims + d])
            return false;
    return true;
}

/* Nodes that count: those that are there, and the fresh ones of groups for sale. */
static bool counts(const struct making *m, stow_node_id node)
{
    const struct stow_audit *a = m->a;

    if (node < a->real)
        return true;

    const stow_group_id group = a->bare.s.node[node].group;

    return a->grows[group] && a->price[group] != STOW_MONEY_UNKNOWN;
}

/* A node that is there, or one of a group that is not at its maxNodes. */
static bool can_be_had(const struct stow_audit *a, stow_node_id node)
{
    const struct stow_group *group =
        node < a->real ? NULL : &a->s->group[a->bare.s.node[node].group];

    return !group || group->max_nodes == STOW_NONE || group->current_nodes < group->max_nodes;
}

/* Disks are asked about by a filter over several nodes; what pods that run have is settled. */
static void ask_disks(const struct making *m, uint32_t sort, uint8_t *fits)
{
    const struct stow_snapshot *s = m->state.s;
    const struct stow_pod_spec *spec = stow_spec(s, s->pod[m->sorts.pod[sort]].spec);

    if (!spec->disks || !stow_profile_has(m->a->profile, &stow_filter_volume_restrictions))
        return;
    for (stow_node_id i = 0; i < s->nodes; i++)
        for (stow_pod_id pod = m->state.first_on[i]; pod != STOW_NONE && fits[i];
             pod = m->state.next_on[pod])
            fits[i] = !stow_disks_conflict(s, spec, stow_spec(s, s->pod[pod].spec));
}

/* Nothing new comes to a node that is not ready, and pods stay where they run. */
static void ask_standing(const struct making *m, uint32_t sort, uint8_t *fits)
{
    for (stow_node_id i = 0; m->home && i < m->a->real; i++)
        fits[i] = (fits[i] && !m->a->standing->shut[i]) ||
                  (m->home[(size_t)i * m->words + sort / 64] >> (sort % 64) & 1);
}

static int ask_sort(struct making *m, uint32_t sort, const stow_node_id *nodes, uint8_t *fits)
{
    const uint32_t count = m->a->bare.s.nodes;
    struct stow_asker asker;

    stow_arena_reset(&m->scratch);
    if (stow_asker_init(&asker, &m->state, m->a->profile, m->sorts.pod[sort], &m->scratch) < 0)
        return STOW_ENOMEM;
    memset(fits, 1, count);
    stow_asker_check(&asker, nodes, count, false, fits);
    ask_disks(m, sort, fits);
    ask_standing(m, sort, fits);
    for (stow_node_id i = 0; i < count; i++) {
        if (!fits[i] || !has_room(m, sort, i))
            continue;
        if (counts(m, i))
            m->may[(size_t)i * m->words + sort / 64] |= UINT64_C(1) << (sort % 64);
        else if (m->a->grows[m->a->bare.s.node[i].group] && can_be_had(m->a, i)) {
            m->b->unpriced[m->a->bare.s.node[i].group] = true;
            m->b->unpriced_left[m->a->bare.s.node[i].group] |= m->left[sort];
        }
    }
    return STOW_OK;
}

static int ask_all(struct making *m)
{
    const uint32_t count = m->a->bare.s.nodes;
    STOW_AUTO(stow_free_local) stow_node_id *nodes = malloc(((size_t)count + 1) * sizeof(*nodes));
    STOW_AUTO(stow_free_local) uint8_t *fits = malloc((size_t)count + 1);

    m->words = m->sorts.count / 64 + 1;
    m->may = calloc((size_t)count * m->words + 1, sizeof(*m->may));
    m->left = calloc((size_t)m->sorts.count + 1, sizeof(*m->left));
    m->b->unpriced =
        stow_arena_zalloc(&m->b->arena, (m->a->s->groups + 1) * sizeof(*m->b->unpriced));
    m->b->unpriced_left =
        stow_arena_zalloc(&m->b->arena, (m->a->s->groups + 1) * sizeof(*m->b->unpriced_left));
    if (!nodes || !fits || !m->may || !m->left || !m->b->unpriced || !m->b->unpriced_left)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < m->a->pendings; i++)
        m->left[m->sorts.of[m->a->pending[i]]] |= m->a->node_of[m->a->pending[i]] == STOW_NONE;
    for (stow_node_id i = 0; i < count; i++)
        nodes[i] = i;
    for (uint32_t i = 0; i < m->sorts.count; i++)
        STOW_TRY(ask_sort(m, i, nodes, fits));
    return STOW_OK;
}

static bool may_stand(const struct making *m, uint32_t sort, stow_node_id node)
{
    return m->may[(size_t)node * m->words + sort / 64] >> (sort % 64) & 1;
}

/* ---- groups in order --------------------------------------------------------------------- */

/* The first groups of the order that take each sort, and who fits where nodes are there. */
static void find_first(struct making *m)
{
    const struct stow_audit *a = m->a;

    for (uint32_t i = 0; i < m->sorts.count; i++) {
        m->first[i] = UINT32_MAX;
        for (stow_node_id node = 0; node < a->bare.s.nodes; node++) {
            if (!may_stand(m, i, node))
                continue;
            if (node < a->real)
                m->there[i] = true;
            else if (can_be_had(a, node) && m->b->tier[a->bare.s.node[node].group] < m->first[i])
                m->first[i] = m->b->tier[a->bare.s.node[node].group];
        }
    }
}

/* A bound may be for plans that have every pod on the first groups of the order that take it: then
 * no others count for it. */
static int find_order(struct making *m)
{
    const struct stow_audit *a = m->a;

    if (!a->told.bound_order.text.ptr)
        return STOW_OK;
    m->b->tier = stow_arena_zalloc(&m->b->arena, (a->s->groups + 1) * sizeof(*m->b->tier));
    m->first = calloc((size_t)m->sorts.count + 1, sizeof(*m->first));
    m->there = calloc((size_t)m->sorts.count + 1, sizeof(*m->there));
    m->b->home = stow_arena_zalloc(&m->b->arena, ((size_t)a->s->pods + 1) * sizeof(*m->b->home));
    if (!m->b->tier || !m->first || !m->there || !m->b->home)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < a->s->groups; g++)
        m->b->tier[g] = a->grows[g] ? stow_audit_steps_down(a, g) : 0;
    find_first(m);
    for (uint32_t i = 0; i < a->pendings; i++) {
        const uint32_t sort = m->sorts.of[a->pending[i]];

        m->b->home[a->pending[i]] = m->there[sort] ? 0 : m->first[sort];
    }
    return STOW_OK;
}

/* A node of other groups than those. */
static bool is_below_home(const struct making *m, uint32_t sort, stow_node_id node)
{
    const struct stow_audit *a = m->a;

    return m->b->tier && node >= a->real &&
           m->b->tier[a->bare.s.node[node].group] != m->first[sort];
}

static int find_taken(struct making *m)
{
    const struct stow_audit *a = m->a;
    STOW_AUTO(stow_free_local) bool *sort = calloc((size_t)m->sorts.count + 1, sizeof(*sort));

    m->b->takes = stow_arena_zalloc(&m->b->arena, (a->s->groups + 1) * sizeof(*m->b->takes));
    m->b->taken = stow_arena_zalloc(&m->b->arena, ((size_t)a->s->pods + 1) * sizeof(*m->b->taken));
    if (!sort || !m->b->takes || !m->b->taken)
        return STOW_ENOMEM;
    for (stow_node_id node = 0; node < a->bare.s.nodes; node++)
        for (uint32_t i = 0; i < m->sorts.count; i++) {
            if (!may_stand(m, i, node))
                continue;
            sort[i] |= can_be_had(a, node);
            if (node >= a->real && !is_below_home(m, i, node))
                m->b->takes[a->bare.s.node[node].group] = true;
        }
    for (uint32_t i = 0; i < a->pendings; i++)
        m->b->taken[a->pending[i]] = sort[m->sorts.of[a->pending[i]]];
    return STOW_OK;
}

/* ---- classes and items ------------------------------------------------------------------- */

static void check_classes(struct making *m, uint8_t *seen)
{
    struct stow_audit *a = m->a;

    for (uint32_t c = 0; c < a->told.classes; c++)
        for (uint32_t i = 0; i < a->told.class[c].pods.count; i++) {
            const uint32_t at = a->told.class[c].pods.first + i;
            const struct stow_told_text *text = &a->told.pod[at];

            if (seen[a->pod[at]]++)
                stow_audit_wrong(a, STOW_VERIFY_BOUND, text->token,
                                 "pod %.*s is in the classes twice", STOW_FMT(text->text));
            else if (!m->b->taken[a->pod[at]])
                stow_audit_wrong(
                    a, STOW_VERIFY_BOUND, text->token,
                    "pod %.*s is in the classes, and no node or group could take it alone",
                    STOW_FMT(text->text));
        }
    for (uint32_t i = 0; i < a->pendings; i++)
        if (m->b->taken[a->pending[i]] && !seen[a->pending[i]])
            stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.proof_token,
                             "pod %s is in no class, and a node or group could take it alone",
                             stow_audit_pod_name(a, a->pending[i]));
}

/* The topology keys that classes have prices by. */
static int find_keys(struct making *m)
{
    struct stow_audit *a = m->a;
    struct stow_berths *b = m->b;

    b->key = stow_arena_alloc(&b->arena, ((size_t)a->told.classes + 1) * sizeof(*b->key));
    b->class_key =
        stow_arena_alloc(&b->arena, ((size_t)a->told.classes + 1) * sizeof(*b->class_key));
    if (!b->key || !b->class_key)
        return STOW_ENOMEM;
    for (uint32_t c = 0; c < a->told.classes; c++) {
        const struct stow_told_text *told = &a->told.class[c].key;
        const stow_sym key = told->text.ptr ? stow_intern_find(&a->s->text, told->text) : STOW_NONE;
        uint32_t at = 0;

        b->class_key[c] = STOW_NONE;
        if (!told->text.ptr)
            continue;
        if (key == STOW_INTERN_FAILED || key == STOW_NONE) {
            stow_audit_wrong(a, STOW_VERIFY_BOUND, told->token, "no node has the label %.*s",
                             STOW_FMT(told->text));
            continue;
        }
        while (at < b->keys && b->key[at] != key)
            at++;
        if (at == b->keys)
            b->key[b->keys++] = key;
        b->class_key[c] = at;
    }
    return STOW_OK;
}

/* The items of a class stand together. */
static int add_items(struct making *m, uint32_t class)
{
    const struct stow_audit *a = m->a;
    struct stow_berths *b = m->b;
    const uint32_t first = b->items;

    for (uint32_t i = 0; i < a->told.class[class].pods.count; i++) {
        const uint32_t sort = m->sorts.of[a->pod[a->told.class[class].pods.first + i]];
        uint32_t at = first;

        while (at < b->items && b->item[at].sort != sort)
            at++;
        if (at == b->items) {
            struct stow_item *made = STOW_PUSH(&b->item, &b->items, &b->item_cap);
            int64_t *need = stow_arena_copy(&b->arena, m->need + (size_t)sort * b->dims,
                                            b->dims * sizeof(*need));

            if (!made || !need)
                return STOW_ENOMEM;
            *made = (struct stow_item){.class = class, .sort = sort, .need = need};
        }
        b->item[at].count++;
    }
    return STOW_OK;
}

/* Whether two pods of a class share a node as it is: then others may. */
static bool share_node(const struct stow_audit *a, const struct stow_told_class *class)
{
    const stow_pod_id *pod = a->pod + class->pods.first;

    for (uint32_t i = 0; a->standing && i < class->pods.count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (a->standing->home[pod[i]] == a->standing->home[pod[j]])
                return true;
    return false;
}

static int find_alone(struct making *m)
{
    struct stow_audit *a = m->a;
    struct stow_alone alone = {.tally = m->state.tally};
    const struct stow_snapshot *s = &a->bare.s;

    m->alone = calloc((size_t)a->told.classes + 1, sizeof(*m->alone));
    m->carries = calloc((size_t)s->nodes + 1, sizeof(*m->carries));
    /* terms may ask for the labels of namespaces, which the roll knows */
    if (!m->alone || !m->carries || stow_roll_take(m->state.tally, &m->state) < 0)
        return STOW_ENOMEM;
    for (uint32_t c = 0; c < a->told.classes; c++)
        if (!share_node(a, &a->told.class[c]))
            STOW_TRY(stow_alone_class(a, &alone, &a->told.class[c], &m -> alone[c]));
    for (stow_node_id i = 0; i < s->nodes; i++)
        for (uint32_t k = 0; k < alone.keys; k++)
            if (stow_label_value(s, s->node[i].labels, alone.key[k]) != STOW_NONE)
                m->carries[i] |= UINT64_C(1) << k;
    return STOW_OK;
}

/* ---- berths ------------------------------------------------------------------------------ */

/* How many of an item could be on an empty node of this room. */
static uint32_t most_of(const struct making *m, const struct stow_item *item, stow_node_id node)
{
    const uint32_t dims = m->b->dims;
    const uint64_t alone = m->alone[item->class];
    int64_t most = item->count;

    if (!may_stand(m, item->sort, node) || is_below_home(m, item->sort, node))
        return 0;
    if (alone == STOW_ALONE_ANYWHERE || (alone & m->carries[node]))
        most = 1;
    for (uint32_t d = 0; d < dims; d++)
        if (item->need[d] > 0 && m->room[(size_t)node * dims + d] / item->need[d] < most)
            most = m->room[(size_t)node * dims + d] / item->need[d];
    return (uint32_t)most;
}

/* The berth of a node, known or new. */
static int berth_of(struct making *m, struct stow_intern *keys, stow_node_id node, int64_t *key,
                    uint32_t *ret)
{
    struct stow_berths *b = m->b;
    const struct stow_snapshot *s = &m->a->bare.s;
    const size_t bytes = b->dims * sizeof(*key) + ((size_t)b->items + b->keys) * sizeof(uint32_t);
    uint32_t *most = (uint32_t *)(key + b->dims), *zone = most + b->items;
    bool any = false;

    memcpy(key, m->room + (size_t)node * b->dims, b->dims * sizeof(*key));
    for (uint32_t i = 0; i < b->items; i++) {
        most[i] = most_of(m, &b->item[i], node);
        any |= most[i] > 0;
    }
    for (uint32_t k = 0; k < b->keys; k++)
        zone[k] = stow_label_value(s, s->node[node].labels, b->key[k]);
    *ret = STOW_NONE;
    if (!any)
        return STOW_OK;

    const uint32_t handle = stow_intern_blob(keys, key, bytes);

    if (handle == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    *ret = handle - 1;
    if (handle <= b->berths)
        return STOW_OK;

    struct stow_berth *made = STOW_PUSH(&b->berth, &b->berths, &b->berth_cap);
    int64_t *kept = stow_arena_copy(&b->arena, key, bytes);

    if (!made || !kept)
        return STOW_ENOMEM;
    most = (uint32_t *)(kept + b->dims);
    *made = (struct stow_berth){kept, most, most + b->items, s->node[node].name};
    return STOW_OK;
}

static int add_berths(struct making *m, struct stow_intern *keys)
{
    const struct stow_audit *a = m->a;
    struct stow_berths *b = m->b;
    STOW_AUTO(stow_free_local)
    int64_t *key =
        malloc((b->dims + 1) * sizeof(*key) + ((size_t)b->items + b->keys + 1) * sizeof(uint32_t));

    b->of_group = stow_arena_alloc(&b->arena, (a->s->groups + 1) * sizeof(*b->of_group));
    b->of_node = stow_arena_alloc(&b->arena, ((size_t)a->real + 1) * sizeof(*b->of_node));
    if (!key || !b->of_group || !b->of_node)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < a->s->groups; g++) {
        b->of_group[g] = STOW_NONE;
        if (a->grows[g] && a->price[g] != STOW_MONEY_UNKNOWN)
            STOW_TRY(berth_of(m, keys, a->bare.fresh[g], key, &b->of_group[g]));
    }
    for (stow_node_id i = 0; i < a->real; i++)
        STOW_TRY(berth_of(m, keys, i, key, &b->of_node[i]));
    return STOW_OK;
}

static int make_berths(struct making *m)
{
    struct stow_intern keys = {0};
    const int code = add_berths(m, &keys);

    stow_intern_done(&keys);
    return code;
}

/* Needs, room, and which pods may be where. */
static int look(struct making *m)
{
    STOW_TRY(stow_sorts_make(m->a, &m->sorts));
    STOW_TRY(find_dims(m));
    STOW_TRY(measure(m));
    STOW_TRY(ask_all(m));
    STOW_TRY(find_order(m));
    return find_taken(m);
}

static int make(struct making *m)
{
    struct stow_audit *a = m->a;
    STOW_AUTO(stow_free_local) uint8_t *seen = calloc((size_t)a->s->pods + 1, sizeof(*seen));

    if (!seen)
        return STOW_ENOMEM;
    STOW_TRY(look(m));
    if (a->told.has_proof)
        check_classes(m, seen);
    if (!a->told.has_proof || !stow_audit_fine(a, STOW_VERIFY_BOUND))
        return STOW_OK;
    for (uint32_t c = 0; c < a->told.classes; c++)
        STOW_TRY(add_items(m, c));
    STOW_TRY(find_keys(m));
    STOW_TRY(find_alone(m));
    return make_berths(m);
}

int stow_berths_make(struct stow_audit *a, struct stow_berths *ret, struct stow_err *err)
{
    STOW_AUTO(making_done) struct making m = {.a = a, .b = ret};

    *ret = (struct stow_berths){0};
    STOW_TRY(stow_state_init(&m.state, &a->bare.s, NULL, err));
    m.made = true;
    return make(&m) < 0 ? stow_fail_memory(err) : STOW_OK;
}

void stow_berths_done(struct stow_berths *b)
{
    free(b->item);
    free(b->berth);
    stow_arena_done(&b->arena);
    memset(b, 0, sizeof(*b));
}
