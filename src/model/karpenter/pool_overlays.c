/* pool_overlays.c - NodeOverlays put on the groups of NodePools.
 *
 * The heaviest overlay that fits a group says what becomes of its price, and the heaviest for each
 * resource says how much of it there is; adjustments do not add up.  Of two with the same weight
 * that say something of the same group the second, by name from the end of the alphabet, is in
 * conflict: nothing of it holds anywhere, and a warning names it. */
#include "model/karpenter/pool_overlays.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/karpenter/overlay.h"
#include "model/karpenter/requirement.h"
#include "model/pods/requests.h"

struct laid {
    const struct stow_node_overlay *overlay;
    struct stow_value_sets sets;
    bool in_conflict;
};

struct overlaying {
    struct stow_snapshot *s;
    struct stow_arena arena;
    struct laid *laid; /* heaviest first */
    uint32_t count;
    struct stow_collect amount;
};

static int compare_laid(const void *a, const void *b)
{
    const struct stow_node_overlay *x = ((const struct laid *)a)->overlay;
    const struct stow_node_overlay *y = ((const struct laid *)b)->overlay;

    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : strcmp(y->name, x->name);
}

static int open_all(struct overlaying *o)
{
    struct stow_snapshot *s = o->s;

    o->laid = stow_arena_zalloc(&o->arena, (s->overlays + 1) * sizeof(*o->laid));
    if (!o->laid)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->overlays; i++) {
        struct laid *laid = &o->laid[o->count];

        if (s->overlay[i].rejected)
            continue;
        laid->overlay = &s->overlay[i];
        STOW_TRY(stow_value_sets_of_pool(&o->arena, s, s->overlay[i].requirements, 0, &laid->sets));
        o->count++;
    }
    qsort(o->laid, o->count, sizeof(*o->laid), compare_laid);
    return STOW_OK;
}

/* Every label that is asked for is there and admitted; what may be missing may be missing. */
static bool fits(const struct overlaying *o, const struct laid *laid, const struct stow_group *g)
{
    for (uint32_t i = 0; i < laid->sets.count; i++) {
        const struct stow_value_set *set = &laid->sets.set[i];
        const stow_sym key = stow_intern_find(&o->s->text, set->key);
        const stow_sym value =
            key == STOW_INTERN_FAILED ? STOW_NONE : stow_label_value(o->s, g->node.labels, key);

        if (value == STOW_NONE ? !stow_value_set_may_lack(set)
                               : !stow_value_set_has(set, stow_text(o->s, value)))
            return false;
    }
    return true;
}

static bool changes_price(const struct stow_node_overlay *o)
{
    return o->price || o->adjustment;
}

static bool share_resource(const struct stow_snapshot *s, const struct stow_node_overlay *a,
                           const struct stow_node_overlay *b)
{
    uint32_t count, others;
    const struct stow_exact *of_a = STOW_LIST(s, a->capacity, struct stow_exact, &count);
    const struct stow_exact *of_b = STOW_LIST(s, b->capacity, struct stow_exact, &others);
    stow_i128 nano;

    for (uint32_t i = 0; i < count; i++)
        if (stow_exact_find(of_b, others, of_a[i].resource, &nano))
            return true;
    return false;
}

static bool say_the_same(const struct stow_snapshot *s, const struct stow_node_overlay *a,
                         const struct stow_node_overlay *b)
{
    return (changes_price(a) && changes_price(b)) || share_resource(s, a, b);
}

/* Whether an overlay before it has its weight and says something of a group that it fits. */
static bool conflicts(const struct overlaying *o, uint32_t at)
{
    const struct laid *own = &o->laid[at];

    for (uint32_t i = 0; i < at; i++) {
        const struct laid *other = &o->laid[i];

        if (other->in_conflict || other->overlay->weight != own->overlay->weight ||
            !say_the_same(o->s, own->overlay, other->overlay))
            continue;
        for (stow_group_id g = 0; g < o->s->groups; g++)
            if (stow_group_pool(o->s, g) && fits(o, own, &o->s->group[g]) &&
                fits(o, other, &o->s->group[g]))
                return true;
    }
    return false;
}

static int find_conflicts(struct overlaying *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        o->laid[i].in_conflict = conflicts(o, i);
        if (o->laid[i].in_conflict)
            STOW_TRY(stow_snapshot_warn(o->s,
                                        "NodeOverlay '%s' is in conflict with another of the same "
                                        "weight, so nothing of it applies; give them different "
                                        "weights",
                                        o->laid[i].overlay->name));
    }
    return STOW_OK;
}

/* ---- amounts ----------------------------------------------------------------------------- */

static int take_amounts(struct overlaying *o, stow_blob from)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(o->s, from, struct stow_exact, &count);

    o->amount.count = 0;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(stow_exact_add(&o->amount, list[i].resource, stow_exact_nano(&list[i])));
    return STOW_OK;
}

/* The amount of a resource is set; huge pages are taken off the memory that pods can use. */
static int set_amount(struct overlaying *o, const struct stow_exact *to, bool usable)
{
    const stow_i128 wanted = stow_exact_nano(to);
    stow_i128 has = 0, memory = 0;

    stow_exact_find(o->amount.items, o->amount.count, to->resource, &has);
    STOW_TRY(stow_exact_add(&o->amount, to->resource, wanted - has));
    if (!usable || !stow_str_starts(stow_text(o->s, to->resource), STOW_STR("hugepages-")))
        return STOW_OK;
    stow_exact_find(o->amount.items, o->amount.count, STOW_SYM_MEMORY, &memory);
    return stow_exact_add(&o->amount, STOW_SYM_MEMORY, -(wanted < memory ? wanted : memory));
}

static int close_amounts(struct overlaying *o, stow_blob *ret)
{
    stow_exact_sort(o->amount.items, o->amount.count);
    *ret =
        stow_intern_blob(&o->s->blob, o->amount.items, o->amount.count * sizeof(struct stow_exact));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* From the lightest to the heaviest, so that the heaviest has the last word. */
static int lay_amounts(struct overlaying *o, const struct stow_group *g, bool usable,
                       stow_blob *amounts)
{
    STOW_TRY(take_amounts(o, *amounts));
    for (uint32_t i = o->count; i-- > 0;) {
        uint32_t count;
        const struct stow_exact *list =
            STOW_LIST(o->s, o->laid[i].overlay->capacity, struct stow_exact, &count);

        for (uint32_t r = 0; r < count && !o->laid[i].in_conflict && fits(o, &o->laid[i], g); r++)
            STOW_TRY(set_amount(o, &list[r], usable));
    }
    return close_amounts(o, amounts);
}

/* ---- all --------------------------------------------------------------------------------- */

/* A price is the group's own; an adjustment waits until the price is known. */
static void lay_price(struct overlaying *o, struct stow_group *g)
{
    for (uint32_t i = 0; i < o->count; i++) {
        const struct stow_node_overlay *overlay = o->laid[i].overlay;
        struct stow_price_change change;

        if (o->laid[i].in_conflict || !changes_price(overlay) || !fits(o, &o->laid[i], g))
            continue;
        if (overlay->price && stow_price_change_parse(stow_text(o->s, overlay->price), &change))
            g->price = change.amount;
        else
            o->s->origin[g->origin].price_change = overlay->adjustment;
        return;
    }
}

static bool any_capacity(const struct overlaying *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (o->laid[i].overlay->capacity)
            return true;
    return false;
}

static int lay_all(struct overlaying *o)
{
    STOW_TRY(open_all(o));
    STOW_TRY(find_conflicts(o));
    for (stow_group_id i = 0; i < o->s->groups; i++) {
        struct stow_group *g = &o->s->group[i];

        if (!stow_group_pool(o->s, i))
            continue;
        lay_price(o, g);
        if (!any_capacity(o))
            continue;
        STOW_TRY(lay_amounts(o, g, false, &g->node.capacity));
        STOW_TRY(lay_amounts(o, g, true, &g->node.allocatable));
    }
    return STOW_OK;
}

int stow_apply_overlays(struct stow_snapshot *s)
{
    struct overlaying o = {.s = s};
    int code = s->overlays && s->node_pools ? lay_all(&o) : STOW_OK;

    stow_arena_done(&o.arena);
    free(o.amount.items);
    return code;
}
