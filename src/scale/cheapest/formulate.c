/* formulate.c - what is to be bought as a problem for the solver.
 *
 * Classes of pods become classes, groups that may grow become kinds; nodes that are there (real
 * ones, and those bought so far) with the same free room that the same pods may go to become one
 * kind of which there are as many.  What looks at several nodes at once (spreading, affinity
 * between pods) has no place in the problem: who places the pods of the answer asks the yard. */
#include "scale/cheapest/formulate.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/vec.h"
#include "optimal/levels.h"
#include "place/counts/tally.h"

struct formulating {
    struct stow_session *session;
    const struct stow_yard *yard;
    const struct stow_formulate_options *options;
    struct stow_formulation *ret;
    struct stow_problem_class *class;
    struct stow_problem_kind *kind;
    struct stow_problem_row *row;
    uint32_t words; /* of a bit set over the classes */
    uint32_t kinds, rows;
};

static void *take(struct formulating *f, size_t count, size_t size)
{
    return stow_arena_zalloc(&f->ret->arena, (count + 1) * size);
}

/* A node without a host name is not a domain of host names: nothing is repelled there. */
static bool all_have_hosts(const struct stow_yard *yard, const struct stow_overlay *overlay)
{
    for (uint32_t node = 0; node < yard->real; node++)
        if (!overlay->base->topology->of[node])
            return false;
    return true;
}

bool stow_class_is_alone(const struct stow_yard *yard, uint32_t class)
{
    const struct stow_yard_class *c = &yard->class[class];

    for (uint32_t i = 0; i < c->takings; i++)
        if (c->takes[i] == c->clash)
            return true;
    for (uint32_t i = 0; i < c->shuns; i++)
        for (uint32_t j = 0; j < c->feedings && yard->overlay[c->shun[i]].own_domains; j++)
            if (c->feeds[j] == c->shun[i] && all_have_hosts(yard, &yard->overlay[c->shun[i]]))
                return true;
    return false;
}

/* ---- classes ----------------------------------------------------------------------------- */

/* The priority of a part as its place among all: twice the number of lower ones, so that what comes
 * late has a place of its own below the others. */
static int find_ranks(const struct formulating *f, int32_t *ret)
{
    const uint32_t parts = f->options->parts;
    STOW_AUTO(stow_free_local) int32_t *level = malloc(((size_t)parts + 1) * sizeof(*level));
    uint32_t levels;

    if (!level)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < parts; i++)
        ret[i] = level[i] = f->yard->class[f->options->part[i].class].priority;
    levels = stow_levels_make(level, parts);
    for (uint32_t i = 0; i < parts; i++)
        ret[i] = (int32_t)(2 * (levels - 1 - stow_level_of(level, levels, ret[i])) +
                           !f->options->part[i].late);
    return STOW_OK;
}

static bool any_late(const struct formulating *f)
{
    for (uint32_t i = 0; i < f->options->parts; i++)
        if (f->options->part[i].late)
            return true;
    return false;
}

static int add_classes(struct formulating *f)
{
    const uint32_t count = f->options->parts;
    int32_t *rank = any_late(f) ? take(f, count, sizeof(*rank)) : NULL;

    if (any_late(f) && (!rank || find_ranks(f, rank) < 0))
        return STOW_ENOMEM;
    f->class = take(f, count, sizeof(*f->class));
    f->ret->class = take(f, count, sizeof(*f->ret->class));
    if (!f->class || !f->ret->class)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_part *part = &f->options->part[i];
        const struct stow_yard_class *class = &f->yard->class[part->class];

        f->class[i] = (struct stow_problem_class){
            .need = class->need,
            .count = part->count,
            .priority = f->options->flat ? 0
                        : rank           ? rank[i]
                                         : class->priority,
            .most = stow_class_is_alone(f->yard, part->class) ? 1 : part->most,
            .cap = part->cap,
        };
        f->ret->class[i] = (struct stow_class_source){part->class, part->topology, part->domain};
    }
    return STOW_OK;
}

static void set(uint64_t *bits, uint32_t at)
{
    bits[at / 64] |= UINT64_C(1) << (at % 64);
}

/* ---- groups ------------------------------------------------------------------------------ */

static uint32_t room_of(const struct formulating *f, stow_group_id group)
{
    const uint32_t room = stow_session_room(f->session, group), size = f->session->size[group];
    const uint32_t *most = f->options->most;

    if (!most || (most[group] > size && most[group] - size > room))
        return room;
    if (f->session->scale->s->group[group].scaling == STOW_SCALING_ZERO_OR_MAX &&
        most[group] < size + room)
        return 0; /* a part of a block cannot be had */
    return most[group] > size ? most[group] - size : 0;
}

/* A group that is shut takes no pods now, but what it lacks of its minNodes needs its share of the
 * limits. */
static int add_group(struct formulating *f, stow_group_id group)
{
    const bool shut = f->options->shut && f->options->shut[group];
    const struct stow_group *g = &f->session->scale->s->group[group];
    const uint32_t size = f->session->size[group];
    uint64_t *allowed = take(f, f->words, sizeof(*allowed));
    const bool at_once = g->scaling == STOW_SCALING_ZERO_OR_MAX;
    const uint32_t least = g->min_nodes > size ? (at_once ? g->max_nodes : g->min_nodes) - size : 0;
    bool any = least > 0;

    if (!allowed)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < f->options->parts && !shut; i++) {
        const struct stow_part *part = &f->options->part[i];

        if ((part->on_group && !part->on_group[group]) ||
            !stow_weights_allow(f->options->weights, part->class, group) ||
            !stow_yard_fresh_room(f->yard, part->class, group))
            continue;
        set(allowed, i);
        any = true;
    }
    if (!any)
        return STOW_OK;
    f->ret->kind[f->kinds] = (struct stow_kind_source){.group = group};
    f->kind[f->kinds++] = (struct stow_problem_kind){
        .capacity = f->yard->group[group].room,
        .price = f->options->price[group],
        .least = least,
        .most = shut ? least : room_of(f, group),
        .at_once = at_once,
        .allowed = allowed,
    };
    return STOW_OK;
}

/* ---- real nodes -------------------------------------------------------------------------- */

static bool may_go(const struct formulating *f, const struct stow_part *part, uint32_t node)
{
    const struct stow_yard_class *class = &f->yard->class[part->class];
    const bool *narrowed = node < f->yard->real ? part->on_real : part->on_group;
    const uint32_t at = node < f->yard->real ? node : f->yard->group_of[node - f->yard->real];

    if ((narrowed && !narrowed[at]) || !stow_yard_room(f->yard, part->class, node))
        return false;
    if (node >= f->yard->real && !stow_weights_allow(f->options->weights, part->class, at))
        return false;
    return class->clash == STOW_NONE || !f->yard->taken[class->clash][node];
}

/* Room, price and the classes that may go there: nodes that agree in them are one kind. */
struct real_key {
    int64_t *room; /* dims, then the price; the bits follow */
    uint64_t *bits;
    size_t bytes;
};

static bool describe(const struct formulating *f, uint32_t node, const struct real_key *key)
{
    const stow_nano price =
        f->options->real_price && node < f->yard->real ? f->options->real_price[node] : 0;
    bool any = price != 0;

    memset(key->room, 0, key->bytes);
    for (uint32_t i = 0; i < f->options->parts; i++)
        if (may_go(f, &f->options->part[i], node)) {
            set(key->bits, i);
            any = true;
        }
    for (uint32_t d = 0; d < f->yard->dims; d++)
        key->room[d] = f->yard->free[d][node];
    key->room[f->yard->dims] = price;
    return any;
}

/* Counts the nodes of each kind first (`count`), then lists them. */
static int sort_real(struct formulating *f, struct stow_intern *keys, uint32_t *number)
{
    const size_t words = (size_t)f->yard->dims + 1 + f->words;
    STOW_AUTO(stow_free_local) int64_t *memory = calloc(words, sizeof(*memory));

    if (!memory)
        return STOW_ENOMEM;

    const struct real_key key = {memory, (uint64_t *)memory + f->yard->dims + 1,
                                 words * sizeof(*memory)};

    for (uint32_t node = 0; node < f->yard->nodes; node++) {
        const bool closed = f->options->closed && node < f->yard->real && f->options->closed[node];

        number[node] = 0;
        if (closed || !describe(f, node, &key))
            continue;
        number[node] = stow_intern_blob(keys, memory, key.bytes);
        if (number[node] == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static int add_real_kinds(struct formulating *f, const struct stow_intern *keys,
                          const uint32_t *number)
{
    const uint32_t first = f->kinds, count = keys->entries ? keys->entries - 1 : 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_str key = stow_intern_get(keys, i + 1);
        int64_t *room = stow_arena_copy(&f->ret->arena, key.ptr, key.len);
        uint32_t *nodes = take(f, f->yard->nodes, sizeof(*nodes));
        struct stow_kind_source *source = &f->ret->kind[first + i];

        if (!room || !nodes)
            return STOW_ENOMEM;
        *source = (struct stow_kind_source){.group = STOW_NONE, .node = nodes};
        for (uint32_t node = 0; node < f->yard->nodes; node++)
            if (number[node] == i + 1)
                nodes[source->nodes++] = node;
        f->kind[f->kinds++] = (struct stow_problem_kind){
            .capacity = room,
            .price = room[f->yard->dims],
            .most = source->nodes,
            .allowed = (const uint64_t *)room + f->yard->dims + 1,
        };
    }
    return STOW_OK;
}

static int add_real(struct formulating *f)
{
    struct stow_intern keys = {0};
    STOW_AUTO(stow_free_local)
    uint32_t *number = malloc((f->yard->nodes + 1) * sizeof(*number));
    int code = number ? sort_real(f, &keys, number) : STOW_ENOMEM;

    if (code >= 0)
        code = add_real_kinds(f, &keys, number);
    stow_intern_done(&keys);
    return code;
}

/* ---- limits ------------------------------------------------------------------------------ */

/* Milli-cores per core, bytes per GiB: what a price of this limit is for. */
static int64_t priced_unit(const struct stow_snapshot *s, stow_sym resource)
{
    const stow_resource_id id = resource == STOW_NONE ? STOW_NONE : stow_resource_find(s, resource);

    if (id == STOW_RESOURCE_CPU)
        return 1000;
    return id != STOW_NONE && stow_resource_in_bytes(s, id) ? INT64_C(1) << 30 : 1;
}

static int add_row(struct formulating *f, const struct stow_problem_row *row,
                   const int64_t *per_group)
{
    int64_t *amount = take(f, f->kinds, sizeof(*amount));

    if (!amount)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < f->kinds; i++)
        if (f->ret->kind[i].group != STOW_NONE)
            amount[i] = per_group[f->ret->kind[i].group];
    f->row[f->rows] = *row;
    f->row[f->rows].amount = amount;
    if (row->limit < 0)
        f->row[f->rows].limit = 0;
    f->rows++;
    return STOW_OK;
}

/* Limits of some groups stay out of the proof, but for those of NodePools and of commitments. */
static int add_rows(struct formulating *f)
{
    const struct stow_session *session = f->session;

    f->row = take(f, session->limits + 1, sizeof(*f->row));
    if (!f->row)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < session->limits; i++) {
        const struct stow_limit *limit = &session->limit[i];
        const struct stow_problem_row row = {
            .limit = limit->left,
            .in_proof = !limit->of || limit->of_pool || limit->of_size || limit->commitment,
            .unit = priced_unit(session->scale->s, limit->resource),
        };

        STOW_TRY(add_row(f, &row, limit->per_node));
    }
    if (f->options->budget == STOW_MONEY_UNKNOWN)
        return STOW_OK;

    const int64_t left = f->options->budget - stow_session_spent(session);

    return add_row(
        f, &(struct stow_problem_row){.limit = left, .in_proof = true, .unit = STOW_NANO_PER_UNIT},
        session->scale->paid);
}

/* ---- all of it --------------------------------------------------------------------------- */

static int fill(struct formulating *f)
{
    const struct stow_snapshot *s = f->session->scale->s;
    struct stow_problem *problem = &f->ret->problem;

    f->words = (f->options->parts + 63) / 64;
    f->kind = take(f, s->groups + f->yard->nodes, sizeof(*f->kind));
    f->ret->kind = take(f, s->groups + f->yard->nodes, sizeof(*f->ret->kind));
    if (!f->kind || !f->ret->kind)
        return STOW_ENOMEM;
    STOW_TRY(add_classes(f));
    for (stow_group_id g = 0; g < s->groups; g++)
        if (stow_is_for_sale(f->options->price, g))
            STOW_TRY(add_group(f, g));
    STOW_TRY(add_real(f));
    STOW_TRY(add_rows(f));
    *problem = (struct stow_problem){
        .dims = f->yard->dims,
        .classes = f->options->parts,
        .kinds = f->kinds,
        .rows = f->rows,
        .families = f->options->families,
        .class = f->class,
        .kind = f->kind,
        .row = f->row,
        .family = f->options->family,
    };
    return STOW_OK;
}

int stow_formulate(struct stow_session *session, const struct stow_formulate_options *options,
                   struct stow_formulation *ret)
{
    struct formulating f = {
        .session = session, .yard = session->yard, .options = options, .ret = ret};

    memset(ret, 0, sizeof(*ret));
    for (uint32_t i = 0; i < options->parts; i++)
        STOW_TRY(stow_yard_ask_real(session->yard, options->part[i].class));
    return fill(&f);
}

void stow_formulation_done(struct stow_formulation *formulation)
{
    stow_arena_done(&formulation->arena);
    memset(formulation, 0, sizeof(*formulation));
}
