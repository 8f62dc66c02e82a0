/* market.c - what Karpenter's rule may buy: pools in the order of their weights, limits,
 * and what a planned node is launched as.
 *
 * A limit is charged with the most that a planned node may still become, once, when it is planned.
 * A group's own maximum is held by every planned node that may become one of it, as upstream holds
 * reservations, and given back as soon as it no longer may.  So whatever is launched in the end
 * keeps every limit. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/pods/requests.h"
#include "scale/karpenter/karpenter_internal.h"

#define MIN_VALUES_MAX 50 /* that the API server accepts */

/* ---- pools --------------------------------------------------------------------------------- */

/* A group that can be bought from, and where it belongs. */
struct ranked {
    const struct stow_yard *yard;
    const struct stow_node_pool *pool; /* NULL: of none; those of equal priority are one */
    int32_t weight, template;
    stow_group_id group;
};

/* The heaviest first; of equals the name later in the alphabet. */
static int compare_pools(const struct ranked *x, const struct ranked *y)
{
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->template != y->template)
        return x->template > y->template ? -1 : 1;
    return strcmp(y->pool ? y->pool->name : "", x->pool ? x->pool->name : "");
}

static int compare_rooms(const struct ranked *x, const struct ranked *y)
{
    const int64_t *a = x->yard->group[x->group].room, *b = y->yard->group[y->group].room;

    for (uint32_t d = 0; d < x->yard->dims; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    const int pools = compare_pools(x, y), rooms = pools ? pools : compare_rooms(x, y);

    return rooms ? rooms : (x->group > y->group) - (x->group < y->group);
}

/* Why nothing of the group can be bought, however much is left; NULL: it can. */
static const char *why_not(const struct stow_karpenter *k, stow_group_id group)
{
    const struct stow_group *g = &k->scale->s->group[group];

    if (!k->scale->price[group].known)
        return STOW_NO_PRICE;
    if (g->scaling == STOW_SCALING_ZERO_OR_MAX && (g->max_nodes != 1 || k->session->size[group]))
        return "scales from zero to its maximum at once, karpenter adds one node at a time";
    return NULL;
}

static struct ranked rank(const struct stow_karpenter *k, stow_group_id group)
{
    const struct stow_group *g = &k->scale->s->group[group];
    const struct stow_node_pool *pool = stow_group_pool(k->scale->s, group);

    return (struct ranked){
        .yard = k->yard,
        .pool = pool,
        .weight = pool ? pool->weight : g->pool_priority,
        .template = pool ? 0 : g->template_priority,
        .group = group,
    };
}

static uint32_t list_groups(struct stow_karpenter *k, struct ranked *list)
{
    const struct stow_snapshot *s = k->scale->s;
    uint32_t count = 0;

    for (stow_group_id g = 0; g < s->groups; g++) {
        if (!k->session->grows[g] || s->group[g].commitment) /* it knows list prices only */
            continue;
        k->session->refused[g] = why_not(k, g);
        k->capped |= s->group[g].max_nodes != STOW_NONE;
        if (!k->session->refused[g])
            list[count++] = rank(k, g);
    }
    qsort(list, count, sizeof(*list), compare);
    return count;
}

/* What a pool asks for with minValues. */
static void ask_variety(const struct stow_karpenter *k, const struct stow_node_pool *pool,
                        struct stow_kpool *ret)
{
    if (pool)
        ret->asks =
            STOW_LIST(k->scale->s, pool->requirements, struct stow_pool_requirement, &ret->asked);
    for (uint32_t i = 0; i < ret->asked; i++)
        ret->wants_variety |= ret->asks[i].min_values > 0;
}

/* Pools start at a new word. */
static void cut_pools(struct stow_karpenter *k, const struct ranked *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct stow_kpool *last = k->pools ? &k->pool[k->pools - 1] : NULL;

        if (!last || compare_pools(&list[i - 1], &list[i])) {
            k->slots = (k->slots + STOW_SLOT_BITS - 1) / STOW_SLOT_BITS * STOW_SLOT_BITS;
            last = &k->pool[k->pools++];
            *last = (struct stow_kpool){.first = k->slots};
            ask_variety(k, list[i].pool, last);
        }
        k->group[k->slots] = list[i].group;
        k->shape[k->slots] =
            i && !compare_rooms(&list[i - 1], &list[i]) ? k->shape[k->slots - 1] : i;
        k->slot_of[list[i].group] = k->slots++;
        last->count++;
        last->words = (last->count + STOW_SLOT_BITS - 1) / STOW_SLOT_BITS;
    }
    k->slots = (k->slots + STOW_SLOT_BITS - 1) / STOW_SLOT_BITS * STOW_SLOT_BITS;
}

/* ---- machines ------------------------------------------------------------------------------ */

static bool has_any(const struct stow_snapshot *s, stow_blob amounts, const char *name)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);
    const stow_sym resource = stow_intern_find(&s->text, stow_str_of(name));
    stow_i128 nano;

    return resource != STOW_INTERN_FAILED && stow_exact_find(list, count, resource, &nano) &&
           nano > 0;
}

/* What the provider leaves alone while something plainer will do. */
static bool is_exotic(const struct stow_snapshot *s, const struct stow_node *fresh)
{
    static const char *const devices[] = {"nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi",
                                          "aws.amazon.com/neuron", NULL};
    const stow_sym type = stow_label_value(s, fresh->labels, STOW_SYM_INSTANCE_TYPE);

    if (type != STOW_NONE && stow_str_contains(stow_text(s, type), STOW_STR(".metal")))
        return true;
    for (uint32_t i = 0; devices[i]; i++)
        if (has_any(s, fresh->capacity, devices[i]) || has_any(s, fresh->allocatable, devices[i]))
            return true;
    return false;
}

static int measure(struct stow_karpenter *k)
{
    const struct stow_yard *yard = k->yard;
    uint32_t words = 1;

    k->room = stow_arena_alloc(&k->arena, yard->dims * sizeof(*k->room));
    k->exotic = stow_arena_zalloc(&k->arena, k->slots + 1);
    k->held = stow_arena_zalloc(&k->arena, (k->slots + 1) * sizeof(*k->held));
    for (uint32_t i = 0; i < k->pools; i++)
        words = k->pool[i].words > words ? k->pool[i].words : words;
    k->words = stow_arena_zalloc(&k->arena, words * sizeof(*k->words));
    if (!k->room || !k->exotic || !k->held || !k->words)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < yard->dims; d++) {
        k->room[d] = stow_arena_zalloc(&k->arena, (k->slots + 1) * sizeof(**k->room));
        if (!k->room[d])
            return STOW_ENOMEM;
        for (uint32_t i = 0; i < k->slots; i++)
            if (k->group[i] != STOW_NONE)
                k->room[d][i] = yard->group[k->group[i]].room[d];
    }
    for (uint32_t i = 0; i < k->slots; i++)
        if (k->group[i] != STOW_NONE)
            k->exotic[i] =
                is_exotic(yard->s, &yard->s->node[k->scale->extension.fresh[k->group[i]]]);
    return STOW_OK;
}

static int open_limits(struct stow_karpenter *k)
{
    const struct stow_session *session = k->session;

    k->left = stow_arena_alloc(&k->arena, (session->limits + 1) * sizeof(*k->left));
    for (uint32_t i = 0; k->left && i < session->limits; i++)
        k->left[i] = session->limit[i].left;
    return k->left ? STOW_OK : STOW_ENOMEM;
}

int stow_karpenter_open_market(struct stow_karpenter *k)
{
    const uint32_t groups = k->scale->s->groups;
    STOW_AUTO(stow_free_local)
    struct ranked *list = malloc(((size_t)groups + 1) * sizeof(*list));
    uint32_t count, most;

    if (!list)
        return STOW_ENOMEM;
    count = list_groups(k, list);
    most = STOW_SLOT_BITS;
    for (uint32_t i = 0; i < count; i++)
        most += i && compare_pools(&list[i - 1], &list[i]) ? STOW_SLOT_BITS + 1 : 1;
    k->pool = stow_arena_zalloc(&k->arena, (count + 1) * sizeof(*k->pool));
    k->group = stow_arena_alloc(&k->arena, most * sizeof(*k->group));
    k->shape = stow_arena_zalloc(&k->arena, most * sizeof(*k->shape));
    k->slot_of = stow_arena_alloc(&k->arena, (groups + 1) * sizeof(*k->slot_of));
    if (!k->pool || !k->group || !k->shape || !k->slot_of)
        return STOW_ENOMEM;
    memset(k->group, 0xff, most * sizeof(*k->group));
    memset(k->slot_of, 0xff, (groups + 1) * sizeof(*k->slot_of));
    cut_pools(k, list, count);
    STOW_TRY(measure(k));
    return open_limits(k);
}

/* ---- variety ------------------------------------------------------------------------------- */

/* How many values of a label the groups of a set have, up to `enough`. */
static uint32_t count_values(const struct stow_karpenter *k, const struct stow_kpool *pool,
                             const uint64_t *words, stow_sym key, uint32_t enough)
{
    const struct stow_snapshot *s = k->yard->s;
    stow_sym seen[MIN_VALUES_MAX];
    uint32_t count = 0;

    STOW_EACH_SLOT (slot, pool, words) {
        const stow_sym value =
            stow_label_value(s, s->node[k->yard->group[k->group[slot]].fresh].labels, key);
        uint32_t at = 0;

        while (at < count && seen[at] != value)
            at++;
        if (at == count && value != STOW_NONE)
            seen[count++] = value;
        if (count == enough)
            return count;
    }
    return count;
}

bool stow_karpenter_is_varied(const struct stow_karpenter *k, uint32_t pool, const uint64_t *words)
{
    const struct stow_kpool *of = &k->pool[pool];

    for (uint32_t i = 0; i < of->asked && of->wants_variety; i++) {
        const uint32_t least = of->asks[i].min_values > MIN_VALUES_MAX
                                   ? MIN_VALUES_MAX
                                   : (uint32_t)of->asks[i].min_values;

        if (least && count_values(k, of, words, of->asks[i].key, least) < least)
            return false;
    }
    return true;
}

/* ---- new nodes ----------------------------------------------------------------------------- */

static bool is_within_limits(const struct stow_karpenter *k, uint32_t slot)
{
    const stow_group_id group = k->group[slot];
    const struct stow_session *session = k->session;

    for (uint32_t i = 0; i < session->limits; i++)
        if (session->limit[i].per_node[group] > 0 && session->limit[i].per_node[group] > k->left[i])
            return false;
    return stow_session_room(session, group) > k->held[slot];
}

static bool holds_one(const struct stow_karpenter *k, const struct stow_yard_class *class,
                      uint32_t slot)
{
    for (uint32_t i = 0; i < class->dims; i++)
        if (k->room[class->dim[i]][slot] < class->need[class->dim[i]])
            return false;
    return true;
}

bool stow_karpenter_offer(struct stow_karpenter *k, const struct stow_kask *ask, uint32_t pool)
{
    const struct stow_kpool *from = &k->pool[pool];
    const struct stow_yard_class *class = &k->yard->class[ask->class];
    const bool limited = k->session->limits || k->capped;

    memcpy(k->words, ask->slots + from->first / STOW_SLOT_BITS, from->words * sizeof(*k->words));
    STOW_EACH_SLOT (slot, from, k->words)
        if (!holds_one(k, class, slot) || (limited && !is_within_limits(k, slot)))
            stow_karpenter_drop(from, k->words, slot);
    return stow_karpenter_any(from, k->words) && stow_karpenter_is_varied(k, pool, k->words);
}

static int64_t most_of(const struct stow_karpenter *k, const struct stow_kplanned *p,
                       const struct stow_limit *limit)
{
    const struct stow_kpool *pool = &k->pool[p->pool];
    int64_t most = 0;

    STOW_EACH_SLOT (slot, pool, p->alive) {
        const int64_t each = limit->per_node[k->group[slot]];

        most = each > most ? each : most;
    }
    return most;
}

void stow_karpenter_charge(struct stow_karpenter *k, const struct stow_kplanned *p)
{
    for (uint32_t i = 0; i < k->session->limits; i++)
        k->left[i] -= most_of(k, p, &k->session->limit[i]);
    if (k->capped)
        STOW_EACH_SLOT (slot, &k->pool[p->pool], p->alive)
            k->held[slot]++;
}

void stow_karpenter_narrow(struct stow_karpenter *k, struct stow_kplanned *p, const uint64_t *to)
{
    const struct stow_kpool *pool = &k->pool[p->pool];

    for (uint32_t w = 0; w < pool->words; w++)
        p->alive[w] &= ~to[w]; /* what is lost */
    if (k->capped)
        STOW_EACH_SLOT (slot, pool, p->alive)
            k->held[slot]--;
    memcpy(p->alive, to, pool->words * sizeof(*to));
}

/* ---- launching ----------------------------------------------------------------------------- */

static enum stow_capacity_type capacity_of(const struct stow_karpenter *k, uint32_t slot)
{
    return k->scale->money[k->scale->extension.fresh[k->group[slot]]].capacity_type;
}

/* Reservations first, then spot, then the rest. */
static uint32_t precedence(const struct stow_karpenter *k, uint32_t slot)
{
    const enum stow_capacity_type type = capacity_of(k, slot);

    return type == STOW_CAPACITY_RESERVED ? 0 : type == STOW_CAPACITY_SPOT ? 1 : 2;
}

static stow_nano price_of(const struct stow_karpenter *k, uint32_t slot)
{
    return k->scale->price[k->group[slot]].price;
}

static bool has_plain(const struct stow_karpenter *k, const struct stow_kplanned *p)
{
    STOW_EACH_SLOT (slot, &k->pool[p->pool], p->alive)
        if (!k->exotic[slot])
            return true;
    return false;
}

/* What spot may cost at most: the cheapest that is on demand. */
static stow_nano spot_limit(const struct stow_karpenter *k, const struct stow_kplanned *p,
                            bool plain)
{
    stow_nano least = INT64_MAX;

    STOW_EACH_SLOT (slot, &k->pool[p->pool], p->alive)
        if (precedence(k, slot) == 2 && !(plain && k->exotic[slot]) && price_of(k, slot) < least)
            least = price_of(k, slot);
    return least;
}

static bool is_better(const struct stow_karpenter *k, uint32_t slot, uint32_t than)
{
    const uint32_t mine = precedence(k, slot), other = precedence(k, than);

    if (mine != other)
        return mine < other;
    if (price_of(k, slot) != price_of(k, than))
        return price_of(k, slot) < price_of(k, than);
    return k->group[slot] < k->group[than];
}

stow_group_id stow_karpenter_launch(const struct stow_karpenter *k, const struct stow_kplanned *p)
{
    const bool filters = !k->pool[p->pool].wants_variety, plain = filters && has_plain(k, p);
    const stow_nano most = filters ? spot_limit(k, p, plain) : INT64_MAX;
    uint32_t best = STOW_NONE;

    STOW_EACH_SLOT (slot, &k->pool[p->pool], p->alive) {
        if ((plain && k->exotic[slot]) || (precedence(k, slot) == 1 && price_of(k, slot) > most))
            continue;
        if (best == STOW_NONE || is_better(k, slot, best))
            best = slot;
    }
    return k->group[best];
}
