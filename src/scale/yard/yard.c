/* yard.c - a cluster with nodes that do not exist yet, while pods are put on them.
 *
 * Problem: "how many nodes of this group would these pods need" is asked for hundreds
 * of groups and thousands of pods, over nodes that come into being with the
 * question.  Building a cluster for each and asking every filter about every node
 * is what makes autoscalers slow.
 *
 * Idea: what decides is worked out once.  Pods that filters see alike are a class;
 * the nodes of a group differ in nothing but their host name, so one *fresh* node
 * per group stands for all of them, and the filters of `place` that look at nothing
 * else are asked about it once per class (class.c).  What is left is
 * arithmetic: room per resource in columns over the nodes, and, for the few classes
 * that need it, counts per domain (rules.c), host ports and disks per node, and
 * volumes (volumes.c).
 *
 * Everything that happens is in a log, and can be undone back to a mark: an estimate
 * is made, read off, and rolled back.
 *
 * Invariant, checked by property tests against the judge on real clusters: fits()
 * says what the filters of the profile would say if the new nodes existed.
 *
 * Cost: fits() of a plain class, one comparison per resource it asks for. */
#include "scale/yard/yard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "base/vec.h"
#include "place/counts/attached.h"
#include "place/filters/fit.h"
#include "scale/yard/rules.h"

/* ---- making it --------------------------------------------------------------------------- */

static int find_groups(struct stow_yard *yard)
{
    const struct stow_snapshot *s = yard->s;

    yard->group = stow_arena_zalloc(&yard->arena, (s->groups + 1) * sizeof(*yard->group));
    if (!yard->group)
        return STOW_ENOMEM;
    for (stow_group_id i = 0; i < s->groups; i++)
        yard->group[i].fresh = STOW_NONE;
    for (stow_node_id i = yard->real; i < s->nodes; i++)
        yard->group[s->node[i].group].fresh = i;
    return STOW_OK;
}

/* Pod slots, then every resource that some pod asks for. */
static int find_dimensions(struct stow_yard *yard, const stow_pod_id *pods, uint32_t count)
{
    const struct stow_snapshot *s = yard->s;
    STOW_AUTO(stow_free_local) bool *asked = calloc(s->resources + 1, sizeof(*asked));

    yard->resource = stow_arena_alloc(&yard->arena, (s->resources + 1) * sizeof(*yard->resource));
    if (!asked || !yard->resource)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t amounts;
        const struct stow_amount *list =
            STOW_LIST(s, s->demand[s->pod[pods[i]].spec].requests, struct stow_amount, &amounts);

        for (uint32_t j = 0; j < amounts; j++)
            asked[list[j].resource] |= list[j].value > 0;
    }
    yard->resource[yard->dims++] = STOW_RESOURCE_PODS;
    for (stow_resource_id r = 0; r < s->resources; r++)
        if (asked[r] && r != STOW_RESOURCE_PODS &&
            !stow_fit_ignores(yard->profile, stow_text(s, s->resource[r])))
            yard->resource[yard->dims++] = r;
    return STOW_OK;
}

static int64_t room_of(const struct stow_yard *yard, uint32_t dim, stow_node_id node)
{
    const stow_resource_id r = yard->resource[dim];

    if (dim >= yard->resource_dims)
        return stow_yard_volume_room(yard, dim, node);
    if (r == STOW_RESOURCE_PODS)
        return stow_state_allocatable(yard->state, r, node) - (int64_t)yard->state->pods_on[node];
    return stow_state_allocatable(yard->state, r, node) -
           stow_state_requested(yard->state, r, node);
}

static int measure_groups(struct stow_yard *yard)
{
    for (stow_group_id g = 0; g < yard->s->groups; g++) {
        struct stow_yard_group *group = &yard->group[g];

        if (group->fresh == STOW_NONE)
            continue;
        group->room = stow_arena_alloc(&yard->arena, yard->dims * sizeof(*group->room));
        if (!group->room)
            return STOW_ENOMEM;
        for (uint32_t d = 0; d < yard->dims; d++)
            group->room[d] = room_of(yard, d, group->fresh);
    }
    return STOW_OK;
}

/* Room for nodes in every column that has one entry per node. */
static int reserve_nodes(struct stow_yard *yard, uint32_t need)
{
    uint32_t cap = yard->node_cap ? yard->node_cap : 64;

    if (need <= yard->node_cap)
        return STOW_OK;
    if (need > STOW_YARD_NODES_MAX)
        return STOW_ENOMEM;
    while (cap < need)
        cap *= 2;

    bool fine = true;

    for (uint32_t d = 0; d < yard->dims; d++) {
        uint32_t had = yard->node_cap;

        fine &= stow_vec_reserve(&yard->free[d], &had, cap, sizeof(**yard->free)) >= 0;
    }
    for (uint32_t p = 0; p < yard->clashes; p++) {
        uint32_t had = yard->node_cap;

        fine &= stow_vec_reserve(&yard->taken[p], &had, cap, sizeof(**yard->taken)) >= 0;
    }
    for (uint32_t v = 0; v < yard->volumes; v++) {
        uint32_t had = yard->node_cap;

        fine &= stow_vec_reserve(&yard->volume[v].at, &had, cap, sizeof(*yard->volume->at)) >= 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t had = yard->node_cap;

        fine &= stow_vec_reserve(i ? &yard->nonzero_cpu : &yard->nonzero_memory, &had, cap,
                                 sizeof(*yard->nonzero_cpu)) >= 0;
    }

    uint32_t had = yard->node_cap;

    fine &= stow_vec_reserve(&yard->group_of, &had, cap, sizeof(*yard->group_of)) >= 0;
    if (!fine)
        return STOW_ENOMEM;
    yard->node_cap = cap;
    return STOW_OK;
}

static int fill_real(struct stow_yard *yard)
{
    yard->free = stow_arena_zalloc(&yard->arena, (yard->dims + 1) * sizeof(*yard->free));
    if (!yard->free || reserve_nodes(yard, yard->real + 64) < 0)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < yard->dims; d++)
        for (uint32_t i = 0; i < yard->real; i++)
            yard->free[d][i] = room_of(yard, d, i);
    for (uint32_t i = 0; i < yard->real; i++) {
        yard->nonzero_cpu[i] = yard->state->nonzero_cpu[i];
        yard->nonzero_memory[i] = yard->state->nonzero_memory[i];
    }
    yard->nodes = yard->real;
    return STOW_OK;
}

static int fill(struct stow_yard *yard, const stow_pod_id *pods, uint32_t count)
{
    STOW_TRY(find_groups(yard));
    STOW_TRY(find_dimensions(yard, pods, count));
    STOW_TRY(stow_yard_find_drivers(yard, pods, count));
    STOW_TRY(measure_groups(yard));
    STOW_TRY(fill_real(yard));
    STOW_TRY(stow_yard_sort_pods(yard, pods, count));
    STOW_TRY(stow_yard_find_volumes(yard));
    return stow_yard_ask_rules(yard);
}

int stow_yard_new(const struct stow_state *state, uint32_t real, const struct stow_profile *profile,
                  const stow_pod_id *pods, uint32_t count, struct stow_yard **ret,
                  struct stow_err *err)
{
    struct stow_yard *yard = calloc(1, sizeof(*yard));

    if (!yard)
        return stow_fail_memory(err);
    yard->s = state->s;
    yard->state = state;
    yard->profile = profile;
    yard->real = real;
    if (fill(yard, pods, count) < 0) {
        stow_yard_free(yard);
        return stow_fail_memory(err);
    }
    *ret = yard;
    return STOW_OK;
}

void stow_yard_free(struct stow_yard *yard)
{
    if (!yard)
        return;
    for (uint32_t d = 0; d < yard->dims && yard->free; d++)
        free(yard->free[d]);
    for (uint32_t p = 0; p < yard->clashes; p++)
        free(yard->taken[p]);
    for (uint32_t v = 0; v < yard->volumes; v++)
        free(yard->volume[v].at);
    free(yard->volume);
    for (uint32_t i = 0; i < yard->overlays; i++) {
        free(yard->overlay[i].extra);
        free(yard->overlay[i].with);
    }
    for (uint32_t i = 0; i < yard->classes; i++) {
        for (uint32_t r = 0; r < yard->class[i].spreads; r++)
            free(yard->class[i].spread[r].mine);
        free(yard->class[i].mind);
    }
    free((void *)yard->taken);
    free(yard->overlay);
    free(yard->nonzero_cpu);
    free(yard->nonzero_memory);
    free(yard->group_of);
    free(yard->class);
    free(yard->class_of);
    free(yard->log);
    stow_arena_done(&yard->arena);
    free(yard);
}

/* ---- changing it ------------------------------------------------------------------------- */

static bool note(struct stow_yard *yard, uint32_t node, uint32_t class, uint32_t count)
{
    struct stow_yard_entry *entry = STOW_PUSH(&yard->log, &yard->logged, &yard->log_cap);

    if (!entry) {
        yard->failed = true;
        return false;
    }
    *entry = (struct stow_yard_entry){node, class, count};
    return true;
}

uint32_t stow_yard_add_node(struct stow_yard *yard, stow_group_id group)
{
    const struct stow_yard_group *g = &yard->group[group];
    const uint32_t node = yard->nodes;

    assert(group < yard->s->groups && g->fresh != STOW_NONE);
    if (reserve_nodes(yard, node + 1) < 0 || !note(yard, node, STOW_NONE, 0)) {
        yard->failed = true;
        return STOW_NONE;
    }
    for (uint32_t d = 0; d < yard->dims; d++)
        yard->free[d][node] = g->room[d];
    for (uint32_t p = 0; p < yard->clashes; p++)
        yard->taken[p][node] = 0;
    for (uint32_t v = 0; v < yard->volumes; v++)
        yard->volume[v].at[node] = stow_is_attached(yard->state, yard->volume[v].mount, g->fresh);
    yard->nonzero_cpu[node] = yard->state->nonzero_cpu[g->fresh];
    yard->nonzero_memory[node] = yard->state->nonzero_memory[g->fresh];
    yard->group_of[node - yard->real] = group;
    yard->nodes++;
    for (uint32_t i = 0; i < g->daemons; i++)
        stow_yard_count(yard, &g->daemon[i], node, 1);
    return node;
}

static void remove_node(struct stow_yard *yard, uint32_t node)
{
    const struct stow_yard_group *g = &yard->group[yard->group_of[node - yard->real]];

    assert(node >= yard->real && node == yard->nodes - 1); /* the newest goes first */
    for (uint32_t i = 0; i < g->daemons; i++)
        stow_yard_count(yard, &g->daemon[i], node, -1);
    stow_yard_leave_domains(yard, node);
    yard->nodes--;
}

void stow_yard_shift(struct stow_yard *yard, uint32_t number, uint32_t node, int64_t count)
{
    struct stow_yard_class *class = &yard->class[number];

    assert(number < yard->classes && node < yard->nodes);
    for (uint32_t i = 0; i < class->dims; i++)
        yard->free[class->dim[i]][node] -= class->need[class->dim[i]] * count;
    yard->nonzero_cpu[node] += class->nonzero_cpu * count;
    yard->nonzero_memory[node] += class->nonzero_memory * count;
    for (uint32_t i = 0; i < class->takings; i++)
        yard->taken[class->takes[i]][node] = (uint32_t)(yard->taken[class->takes[i]][node] + count);
    if (class->uses || class->soles)
        stow_yard_use_volumes(yard, class, node, count);
    if (class->feedings)
        stow_yard_count(yard, class, node, count);
    if (class->spreads)
        stow_yard_count_own(yard, class, node, count);
}

void stow_yard_place(struct stow_yard *yard, uint32_t class, uint32_t node, uint32_t count)
{
    if (count && note(yard, node, class, count))
        stow_yard_shift(yard, class, node, count);
}

void stow_yard_rollback(struct stow_yard *yard, uint32_t mark)
{
    assert(mark <= yard->logged);
    while (yard->logged > mark) {
        const struct stow_yard_entry *e = &yard->log[--yard->logged];

        if (e->class == STOW_NONE) {
            remove_node(yard, e->node);
        } else {
            stow_yard_shift(yard, e->class, e->node, -(int64_t)e->count);
        }
    }
}

/* ---- asking ------------------------------------------------------------------------------ */

static bool is_open(const struct stow_yard *yard, const struct stow_yard_class *class,
                    uint32_t node)
{
    if (node >= yard->real)
        return class->on_group[yard->group_of[node - yard->real]];
    return class->on_real && class->on_real[node];
}

static bool has_room(const struct stow_yard *yard, const struct stow_yard_class *class,
                     uint32_t node)
{
    for (uint32_t i = 0; i < class->dims; i++)
        if (yard->free[class->dim[i]][node] < class->need[class->dim[i]])
            return false;
    return class->clash == STOW_NONE || !yard->taken[class->clash][node];
}

bool stow_yard_fits(struct stow_yard *yard, uint32_t class, uint32_t node)
{
    struct stow_yard_class *c = &yard->class[class];

    assert(class < yard->classes && node < yard->nodes);
    if (!is_open(yard, c, node) || !has_room(yard, c, node))
        return false;
    return c->plain ||
           (stow_yard_volumes_allow(yard, c, node) && stow_yard_spread_allows(yard, c, node) &&
            stow_yard_affinity_allows(yard, c, node));
}

bool stow_yard_holds(const struct stow_yard *yard, uint32_t class, uint32_t node)
{
    const struct stow_yard_class *c = &yard->class[class];

    return has_room(yard, c, node) && (c->plain || stow_yard_volumes_allow(yard, c, node));
}

bool stow_yard_keeps_apart(const struct stow_yard *yard, uint32_t class, uint32_t node)
{
    const struct stow_yard_class *c = &yard->class[class];

    return c->plain || ((c->clash == STOW_NONE || !yard->taken[c->clash][node]) &&
                        stow_yard_volumes_allow(yard, c, node));
}

bool stow_yard_has_order(const struct stow_yard *yard)
{
    for (uint32_t i = 0; i < yard->classes; i++)
        if (yard->class[i].spreads || yard->class[i].attracts)
            return true;
    return false;
}

bool stow_yard_only_spread(struct stow_yard *yard, uint32_t class, uint32_t node)
{
    struct stow_yard_class *c = &yard->class[class];

    return is_open(yard, c, node) && has_room(yard, c, node) &&
           stow_yard_volumes_allow(yard, c, node) && !stow_yard_spread_allows(yard, c, node);
}

/* How often a class goes into what is free in each dimension. */
static uint32_t times(const struct stow_yard_class *class, const int64_t *const *column,
                      uint32_t node)
{
    int64_t most = UINT32_MAX;

    for (uint32_t i = 0; i < class->dims; i++) {
        const uint32_t d = class->dim[i];
        const int64_t fit = column[d][node] < 0 ? 0 : column[d][node] / class->need[d];

        most = fit < most ? fit : most;
    }
    return (uint32_t)most;
}

uint32_t stow_yard_room(const struct stow_yard *yard, uint32_t class, uint32_t node)
{
    const struct stow_yard_class *c = &yard->class[class];

    return is_open(yard, c, node) ? times(c, (const int64_t *const *)yard->free, node) : 0;
}

uint32_t stow_yard_fresh_room(const struct stow_yard *yard, uint32_t class, stow_group_id group)
{
    const struct stow_yard_class *c = &yard->class[class];
    const struct stow_yard_group *g = &yard->group[group];
    int64_t most = UINT32_MAX;

    if (g->fresh == STOW_NONE || !c->on_group[group])
        return 0;
    for (uint32_t i = 0; i < c->dims; i++) {
        const uint32_t d = c->dim[i];
        const int64_t fit = g->room[d] < 0 ? 0 : g->room[d] / c->need[d];

        most = fit < most ? fit : most;
    }
    return (uint32_t)most;
}

/* ---- searching --------------------------------------------------------------------------- */

#define BLOCK 256

/* Which of up to BLOCK nodes have at least `need`. */
STOW_KERNEL static void at_least(const int64_t *free, int64_t need, uint32_t count, uint8_t *fits)
{
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= free[i] >= need;
}

/* The same over all that the class asks for, of up to BLOCK nodes. */
static void find_room(const struct stow_yard *yard, const struct stow_yard_class *class,
                      uint32_t from, uint32_t count, uint8_t *fits)
{
    memset(fits, 1, count);
    for (uint32_t i = 0; i < class->dims; i++)
        at_least(yard->free[class->dim[i]] + from, class->need[class->dim[i]], count, fits);
}

uint32_t stow_yard_with_room(const struct stow_yard *yard, uint32_t class, uint32_t from,
                             uint32_t to, uint32_t *ret)
{
    const struct stow_yard_class *c = &yard->class[class];
    uint8_t fits[BLOCK];
    uint32_t found = 0;

    for (uint32_t at = from; at < to; at += BLOCK) {
        const uint32_t count = to - at < BLOCK ? to - at : BLOCK;

        find_room(yard, c, at, count, fits);
        for (uint32_t i = 0; i < count; i++) {
            ret[found] = at + i;
            found += fits[i];
        }
    }
    return found;
}

uint32_t stow_yard_next_room(const struct stow_yard *yard, uint32_t class, uint32_t from,
                             uint32_t to)
{
    const struct stow_yard_class *c = &yard->class[class];
    uint8_t fits[BLOCK];

    if (from < to && has_room(yard, c, from)) /* as a rule the first does */
        return from;
    from += from < to;
    for (uint32_t at = from; at < to; at += BLOCK) {
        const uint32_t count = to - at < BLOCK ? to - at : BLOCK;
        const uint8_t *hit;

        find_room(yard, c, at, count, fits);
        hit = memchr(fits, 1, count);
        if (hit)
            return at + (uint32_t)(hit - fits);
    }
    return to;
}

/* ---- scoring ----------------------------------------------------------------------------- */

static int64_t percent(int64_t used, int64_t all)
{
    if (all <= 0)
        return -1;
    return used >= all ? 100 : (int64_t)((stow_i128)used * 100 / all);
}

int64_t stow_yard_most_allocated(const struct stow_yard *yard, uint32_t class, uint32_t node)
{
    const struct stow_yard_class *c = &yard->class[class];
    const stow_node_id template = stow_yard_template(yard, node);
    const int64_t share[] = {
        percent(yard->nonzero_cpu[node] + c->nonzero_cpu,
                stow_state_allocatable(yard->state, STOW_RESOURCE_CPU, template)),
        percent(yard->nonzero_memory[node] + c->nonzero_memory,
                stow_state_allocatable(yard->state, STOW_RESOURCE_MEMORY, template)),
    };

    if (share[0] < 0 || share[1] < 0)
        return share[0] < 0 ? (share[1] < 0 ? 0 : share[1]) : share[0];
    return (share[0] + share[1]) / 2;
}
