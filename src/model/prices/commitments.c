/* commitments.c - nodes that are paid for whether they run or not.
 *
 * Problem: the first N nodes of a type in a region cost a fee that is owed anyway, the next ones
 * their price.  So a group has two prices, while every strategy, the solver, its proof and the
 * sums of all of them know one price per group.
 *
 * Idea: a group that may grow and whose nodes come under a commitment is there twice when the
 * snapshot is finished: NAME as it was, and `NAME (committed)`, whose nodes cost nothing more than
 * the group's fee per node.  They are two groups for whoever plans.  What holds over several groups
 * are limits like others (scale/session.c): the committed parts of all groups of a type and region
 * together have what existing nodes leave of the commitment, and a group and its committed part
 * together have at most maxNodes.  Both are rows of the proof.
 *
 * Why not a price that depends on the number of nodes: it would be in every sum.  Why not shares of
 * the commitment, fixed per group: pods decide in which zone a node is of use.
 *
 * Invariants.  Committed nodes are on-demand.  What a group lacks of its minNodes is taken from the
 * commitment first, in order of names.  Groups that scale from zero to all of their nodes at once
 * are not split: their nodes are bought at their price. */
#include "model/prices/commitments.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/finish.h"
#include "model/nodes/capacity_type.h"
#include "model/nodes/zones.h"
#include "model/prices/market.h"

/* ---- what is committed ------------------------------------------------------------------- */

static int compare(const struct stow_snapshot *s, const struct stow_commitment *a,
                   const struct stow_commitment *b)
{
    int order = stow_str_cmp(stow_text(s, a->instance_type), stow_text(s, b->instance_type));

    if (!order)
        order = stow_str_cmp(stow_text(s, a->region), stow_text(s, b->region));
    return order ? order : (a->price < b->price) - (a->price > b->price);
}

/* There are few: each goes to its place among those before it. */
static void insert(struct stow_snapshot *s, struct stow_commitment made)
{
    uint32_t at = s->commitments;

    for (; at && compare(s, &made, &s->commitment[at - 1]) < 0; at--)
        s->commitment[at] = s->commitment[at - 1];
    if (at && compare(s, &made, &s->commitment[at - 1]) == 0) {
        memmove(s->commitment + at, s->commitment + at + 1,
                (s->commitments - at) * sizeof(*s->commitment));
        s->commitment[at - 1].nodes += made.nodes;
        return;
    }
    s->commitment[at] = made;
    s->commitments++;
}

static bool is_same(const struct stow_commitment *a, const struct stow_commitment *b)
{
    return a->instance_type == b->instance_type && a->region == b->region;
}

static int list_commitments(struct stow_snapshot *s)
{
    const struct stow_book *book = &s->book;

    s->commitment = stow_arena_zalloc(&s->arena, (book->commitments + 1) * sizeof(*s->commitment));
    if (!s->commitment)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < book->commitments; i++) {
        const struct stow_commitment_row *row = &book->commitment[i];
        const struct stow_commitment made = {
            .instance_type =
                stow_intern_text(&s->text, stow_intern_get(&book->text, row->instance_type)),
            .region = stow_intern_text(&s->text, stow_intern_get(&book->text, row->region)),
            .nodes = row->nodes,
            .price = row->price,
        };

        if (made.instance_type == STOW_INTERN_FAILED || made.region == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        insert(s, made);
    }
    for (uint32_t i = 0; i < s->commitments; i++)
        s->commitment[i].first =
            i && is_same(&s->commitment[i], &s->commitment[i - 1]) ? s->commitment[i - 1].first : i;
    return STOW_OK;
}

/* ---- which nodes come under it ----------------------------------------------------------- */

static struct stow_str label_of(const struct stow_snapshot *s, const struct stow_node *node,
                                stow_sym key, stow_sym older)
{
    stow_sym value = stow_label_value(s, node->labels, key);

    if (value == STOW_NONE)
        value = stow_label_value(s, node->labels, older);
    return value == STOW_NONE ? STOW_STR("") : stow_text(s, value);
}

/* By its label, else by its zone's name, else by --region. */
static struct stow_str region_of(const struct stow_snapshot *s, const struct stow_node *node)
{
    const struct stow_str id = stow_text(s, node->provider_id);
    struct stow_str zone = label_of(s, node, STOW_SYM_ZONE, STOW_SYM_ZONE_BETA);
    struct stow_str region = label_of(s, node, STOW_SYM_REGION, STOW_SYM_REGION_BETA);

    zone = zone.len ? zone : stow_provider_zone(id);
    region = region.len ? region : stow_zone_region(stow_provider_of(id), zone);
    return region.len ? region : stow_text(s, s->given_region);
}

uint32_t stow_commitment_find(const struct stow_snapshot *s, const struct stow_node *node)
{
    if (!s->commitments || stow_node_capacity_type(s, node) != STOW_CAPACITY_ON_DEMAND)
        return STOW_NONE;

    const struct stow_str type =
        label_of(s, node, STOW_SYM_INSTANCE_TYPE, STOW_SYM_INSTANCE_TYPE_BETA);
    const struct stow_str region = region_of(s, node);

    for (uint32_t i = 0; i < s->commitments; i++)
        if (stow_str_eq(stow_text(s, s->commitment[i].instance_type), type) &&
            stow_str_eq(stow_text(s, s->commitment[i].region), region))
            return i;
    return STOW_NONE;
}

uint32_t stow_committed_nodes(const struct stow_snapshot *s, uint32_t first)
{
    uint64_t nodes = 0;

    for (uint32_t i = first; i < s->commitments && s->commitment[i].first == first; i++)
        nodes += s->commitment[i].nodes;
    return nodes < STOW_NONE ? (uint32_t)nodes : STOW_NONE - 1;
}

uint32_t stow_committed_left(const struct stow_snapshot *s, uint32_t first)
{
    uint32_t left = stow_committed_nodes(s, first);

    for (uint32_t i = 0; i < s->nodes && left; i++)
        left -=
            !stow_node_is_fresh(s, &s->node[i]) && stow_commitment_find(s, &s->node[i]) == first;
    for (uint32_t i = 0; i < s->upcomings && left; i++)
        left -= stow_commitment_find(s, &s->upcoming[i]) == first;
    return left;
}

bool stow_node_is_fresh(const struct stow_snapshot *s, const struct stow_node *node)
{
    return s->fresh && s->group[node->group].has_fresh &&
           s->fresh[node->group].symbol == node->symbol;
}

/* ---- groups that are there twice --------------------------------------------------------- */

/* The commitment that new nodes of a group come under; STOW_NONE: none. */
static uint32_t commitment_of(const struct stow_snapshot *s, stow_group_id g)
{
    const struct stow_group *group = &s->group[g];

    if (group->implied || !group->has_fresh || group->scaling == STOW_SCALING_ZERO_OR_MAX)
        return STOW_NONE;
    return stow_commitment_find(s, &s->fresh[g]);
}

/* Old and new places of groups while the list grows. */
struct splitting {
    struct stow_snapshot *s;
    uint32_t *left;  /* per commitment, by the first: what minNodes have not taken */
    uint32_t *under; /* per group: 1 + its commitment if it gets a committed part; else 0 */
    uint32_t *moved; /* per group: its new place; its committed part follows somewhere after it */
    struct stow_group *group;
    stow_group_id *from; /* per new place */
    uint32_t groups;
};

static void splitting_done(struct splitting *p)
{
    free(p->left);
    free(p->under);
    free(p->moved);
    free(p->group);
    free(p->from);
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void add_part(struct splitting *p, stow_group_id g, const char *name)
{
    struct stow_group *listed = &p->s->group[g];
    const uint32_t first = p->under[g] - 1;
    const uint32_t left = stow_committed_left(p->s, first), current = listed->current_nodes;
    const uint32_t lacks = listed->min_nodes > current ? listed->min_nodes - current : 0;
    const uint32_t taken = lower(lacks, p->left[first]);
    struct stow_group *part = &p->group[p->groups];

    p->left[first] -= taken;
    listed->min_nodes -= taken;
    *part = *listed;
    part->name = name;
    part->commitment = p->under[g];
    part->listed = g;
    part->exists = true;
    part->current_nodes = 0;
    part->min_nodes = taken;
    part->max_nodes = left;
    if (listed->max_nodes != STOW_NONE)
        part->max_nodes =
            lower(left, listed->max_nodes > current ? listed->max_nodes - current : 0);
    p->from[p->groups++] = g;
}

static int add_parts(struct splitting *p)
{
    const struct stow_snapshot *s = p->s;

    for (stow_group_id g = 0; g < s->groups; g++) {
        const char *name =
            p->under[g] ? stow_arena_printf(&p->s->arena, "%s (committed)", s->group[g].name) : "";

        if (!name)
            return STOW_ENOMEM;
        if (p->under[g])
            add_part(p, g, name);
    }
    return STOW_OK;
}

static int compare_groups(const void *a, const void *b)
{
    return strcmp(((const struct stow_group *)a)->name, ((const struct stow_group *)b)->name);
}

/* Whatever names a group by its place, in order of names again.  A part knows the group that it was
 * made of by its old place. */
static void renumber(struct splitting *p)
{
    struct stow_snapshot *s = p->s;

    qsort(p->group, p->groups, sizeof(*p->group), compare_groups);
    for (uint32_t i = 0; i < p->groups; i++) {
        p->from[i] = p->group[i].listed;
        if (!p->group[i].commitment)
            p->moved[p->group[i].listed] = i;
    }
    for (uint32_t i = 0; i < p->groups; i++)
        p->group[i].listed = p->moved[p->from[i]];
    for (uint32_t i = 0; i < s->nodes; i++)
        s->node[i].group = p->moved[s->node[i].group];
    for (uint32_t i = 0; i < s->upcomings; i++)
        s->upcoming[i].group = p->moved[s->upcoming[i].group];
    for (uint32_t i = 0; i < s->group_defaults; i++)
        s->group_default[i].group = p->moved[s->group_default[i].group];
    for (uint32_t i = 0; i < s->residents; i++)
        s->resident[i].group = p->moved[s->resident[i].group];
}

/* The committed part's node is its group's under another name. */
static int copy_fresh(struct splitting *p, uint32_t at, struct stow_node *ret)
{
    struct stow_snapshot *s = p->s;
    const struct stow_node *from = &s->fresh[p->from[at]];

    *ret = *from;
    ret->group = at;
    if (!p->group[at].commitment)
        return STOW_OK;

    const char *name = stow_arena_printf(&s->arena, "~%s", p->group[at].name);

    STOW_TRY(stow_copy_fresh(s, from, name, ret));
    ret->group = at;
    return STOW_OK;
}

static int move_columns(struct splitting *p)
{
    struct stow_snapshot *s = p->s;
    struct stow_node *fresh = calloc(p->groups + 1, sizeof(*fresh));
    int64_t *overhead = calloc((size_t)s->resources * p->groups + 1, sizeof(*overhead));
    int code = fresh && overhead ? STOW_OK : STOW_ENOMEM;

    for (uint32_t i = 0; i < p->groups && code >= 0; i++) {
        code = copy_fresh(p, i, &fresh[i]);
        for (stow_resource_id r = 0; r < s->resources; r++)
            overhead[(size_t)r * p->groups + i] = s->overhead[(size_t)r * s->groups + p->from[i]];
    }
    if (code < 0) {
        free(fresh);
        free(overhead);
        return code;
    }
    free(s->fresh);
    free(s->overhead);
    s->fresh = fresh;
    s->overhead = overhead;
    return STOW_OK;
}

/* What runs on every node of a group runs on committed ones, too. */
static int copy_residents(struct splitting *p, uint32_t part)
{
    struct stow_snapshot *s = p->s;
    const uint32_t before = s->residents;
    struct stow_group *to = &p->group[part];

    to->residents = STOW_NONE;
    for (uint32_t i = 0; i < before; i++) {
        if (s->resident[i].group != to->listed)
            continue;

        struct stow_resident *made = STOW_PUSH(&s->resident, &s->residents, &s->resident_cap);

        if (!made)
            return STOW_ENOMEM;
        *made = s->resident[i];
        made->group = part;
        made->next = to->residents;
        to->residents = s->residents - 1;
    }
    return STOW_OK;
}

static int split(struct splitting *p)
{
    struct stow_snapshot *s = p->s;

    for (stow_group_id g = 0; g < s->groups; g++) {
        p->group[g] = s->group[g];
        p->group[g].listed = g;
    }
    p->groups = s->groups;
    STOW_TRY(add_parts(p));
    for (stow_group_id g = 0; g < s->groups; g++)
        p->group[g].min_nodes = s->group[g].min_nodes;
    renumber(p);
    for (uint32_t i = 0; i < p->groups; i++)
        if (p->group[i].commitment)
            STOW_TRY(copy_residents(p, i));
    STOW_TRY(move_columns(p));
    free(s->group);
    s->group = stow_take(&p->group);
    s->group_cap = s->groups = p->groups;
    return STOW_OK;
}

/* Where nothing is known of a region, its name may be wrong. */
static int warn_of_regions(struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->commitments; i++) {
        const struct stow_str region = stow_text(s, s->commitment[i].region);
        bool known = stow_market_find(STOW_STR(""), region) != NULL;

        for (uint32_t n = 0; n < s->nodes && !known; n++)
            known = stow_str_eq(region_of(s, &s->node[n]), region);
        for (stow_group_id g = 0; g < s->groups && !known; g++)
            known = s->group[g].has_fresh && stow_str_eq(region_of(s, &s->fresh[g]), region);
        if (!known)
            STOW_TRY(
                stow_snapshot_warn(s,
                                   "a commitment names region '%.*s', but no node, group or price "
                                   "of the catalogue is in that region; check the spelling",
                                   STOW_FMT(region)));
    }
    return STOW_OK;
}

/* Which groups get a committed part; false: out of memory. */
static bool find_groups(struct splitting *p, bool *ret_any)
{
    const struct stow_snapshot *s = p->s;
    const size_t most = (size_t)s->groups * 2 + 1;

    p->left = calloc((size_t)s->commitments + 1, sizeof(*p->left));
    p->under = calloc(most, sizeof(*p->under));
    p->moved = calloc(most, sizeof(*p->moved));
    p->group = calloc(most, sizeof(*p->group));
    p->from = calloc(most, sizeof(*p->from));
    if (!p->left || !p->under || !p->moved || !p->group || !p->from)
        return false;
    for (uint32_t i = 0; i < s->commitments; i++)
        p->left[i] = stow_committed_left(s, i);
    *ret_any = false;
    for (stow_group_id g = 0; g < s->groups; g++) {
        const uint32_t first = commitment_of(s, g);

        p->under[g] = first != STOW_NONE && p->left[first] ? first + 1 : 0;
        *ret_any |= p->under[g] > 0;
    }
    return true;
}

int stow_split_committed(struct stow_snapshot *s)
{
    STOW_AUTO(splitting_done) struct splitting p = {.s = s};
    bool any;

    if (!s->book.commitments)
        return STOW_OK;
    STOW_TRY(list_commitments(s));
    STOW_TRY(warn_of_regions(s));
    if (!find_groups(&p, &any))
        return STOW_ENOMEM;
    return any ? split(&p) : STOW_OK;
}
