/* estimate.c - first fit, decreasing, over classes of pods.
 *
 * Problem: what would this group need to take the pending pods?  The autoscaler packs
 * pod by pod, asking the scheduler's filters about every node it made up so far, and
 * takes seconds for 50,000 pods.
 *
 * Rule (the autoscaler's, without its chance): runs of equal pods by the share of a
 * node they ask for (cpu + memory), largest first, ties in order of their first pod.
 * For each run,
 *
 *   a. pods go to nodes that this estimate has made already: in order of creation,
 *      wrapping round, starting after the node that took a pod in this step last
 *      (at first: at the newest).  The first pod that fits nowhere ends the step;
 *   b. the others go to the last node; when it is full (and not empty) the limiter is
 *      asked for a new one.  A pod that not even a fresh node takes ends the run; a
 *      refusal ends step b for good.  A pod with a spread constraint over hosts that
 *      only spreading keeps off the last node may go to any other node.
 *
 * Upstream walks the nodes of step a in the order of a hash table; where its
 * outcomes vary, ours is one of them.
 *
 * Idea: nodes of a class of plain pods only ever get fuller.  So step b fills nodes by
 * division, many at a time; step a looks at columns of free room, and remembers up to
 * which node a class has found none.
 *
 * Cost: runs times nodes comparisons in step a, vectorised; nothing per pod in b. */
#include "scale/rules/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "scale/rules/fastpath.h"

#define LOOK 16 /* runs, after which the clock is looked at */

int stow_estimator_init(struct stow_estimator *e, struct stow_yard *yard,
                        const struct stow_run *run, uint32_t runs)
{
    const size_t classes = (size_t)yard->classes + 1, some = (size_t)runs + 1;

    *e = (struct stow_estimator){.yard = yard, .run = run, .runs = runs, .fast_run = STOW_NONE};
    e->score = malloc(classes * sizeof(*e->score));
    e->ranks = calloc((size_t)yard->s->groups + 1, sizeof(*e->ranks));
    e->full_up_to = malloc(classes * sizeof(*e->full_up_to));
    e->can = malloc(classes);
    e->tmp = malloc((classes + some) * sizeof(*e->tmp));
    e->ret.order = malloc(some * sizeof(*e->ret.order));
    e->ret.taken = malloc(some * sizeof(*e->ret.taken));
    if (e->score && e->ranks && e->full_up_to && e->can && e->tmp && e->ret.order && e->ret.taken)
        return STOW_OK;
    stow_estimator_done(e);
    return STOW_ENOMEM;
}

void stow_estimator_done(struct stow_estimator *e)
{
    for (stow_group_id g = 0; e->ranks && g < e->yard->s->groups; g++)
        free(e->ranks[g].of);
    free(e->score);
    free(e->ranks);
    free(e->tmp);
    free(e->full_up_to);
    free(e->can);
    free(e->alike);
    free(e->list);
    free(e->ret.order);
    free(e->ret.taken);
    memset(e, 0, sizeof(*e));
}

/* ---- the order of runs ------------------------------------------------------------------- */

double stow_estimate_share(const struct stow_cpu_and_memory *need,
                           const struct stow_cpu_and_memory *room)
{
    double sum = 0;

    if (room->cpu > 0)
        sum += (double)need->cpu / (double)room->cpu;
    if (room->memory > 0)
        sum += (double)need->memory / (double)room->memory;
    return sum;
}

static double share(const struct stow_yard *yard, uint32_t class, stow_node_id fresh)
{
    const struct stow_cpu_and_memory room = {
        stow_state_allocatable(yard->state, STOW_RESOURCE_CPU, fresh),
        stow_state_allocatable(yard->state, STOW_RESOURCE_MEMORY, fresh)};
    struct stow_cpu_and_memory need = {0};

    for (uint32_t d = 1; d < yard->dims; d++) {
        if (yard->resource[d] == STOW_RESOURCE_CPU)
            need.cpu = yard->class[class].need[d];
        if (yard->resource[d] == STOW_RESOURCE_MEMORY)
            need.memory = yard->class[class].need[d];
    }
    return stow_estimate_share(&need, &room);
}

static int by_score(const void *a, const void *b, void *scores)
{
    const double x = ((const double *)scores)[*(const uint32_t *)a];
    const double y = ((const double *)scores)[*(const uint32_t *)b];

    return (x < y) - (x > y);
}

/* Ranks of classes on the empty node of a group: the same whenever it is asked. */
static int rank_classes(struct stow_estimator *e, stow_group_id group)
{
    const uint32_t classes = e->yard->classes;
    struct stow_class_ranks *ranks = &e->ranks[group];

    if (ranks->of)
        return STOW_OK;
    ranks->of = malloc(((size_t)classes + 1) * sizeof(*ranks->of));
    if (!ranks->of)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < classes; i++) {
        e->score[i] = share(e->yard, i, e->yard->group[group].fresh);
        e->tmp[i] = i;
    }
    qsort_r(e->tmp, classes, sizeof(*e->tmp), by_score, e->score);
    for (uint32_t i = 0; i < classes; i++) {
        ranks->count += i == 0 || e->score[e->tmp[i]] < e->score[e->tmp[i - 1]];
        ranks->of[e->tmp[i]] = ranks->count - 1;
    }
    return STOW_OK;
}

/* Runs by rank, in their own order within one; the one for the fast path last. */
static int order_runs(struct stow_estimator *e, stow_group_id group)
{
    const struct stow_class_ranks *ranks = &e->ranks[group];
    uint32_t *start = e->tmp, at = 0;

    STOW_TRY(rank_classes(e, group));
    memset(start, 0, (ranks->count + 1) * sizeof(*start));
    for (uint32_t i = 0; i < e->runs; i++)
        start[ranks->of[e->run[i].class]]++;
    for (uint32_t i = 0; i < ranks->count; i++) {
        uint32_t count = start[i];

        start[i] = at;
        at += count;
    }
    for (uint32_t i = 0; i < e->runs; i++)
        e->ret.order[start[ranks->of[e->run[i].class]]++] = i;
    return STOW_OK;
}

/* Chooses the run for the fast path among those that can be packed, and puts it last. */
static int choose_fast(struct stow_estimator *e, stow_group_id group)
{
    const struct stow_yard *yard = e->yard;
    uint32_t *order = e->ret.order, *list = e->tmp, count = 0, kept = 0, at;

    if (!e->alike && !(e->alike = malloc((e->runs + 1) * sizeof(*e->alike))))
        return STOW_ENOMEM;

    const struct stow_equivalence runs = {
        .group = e->alike, .groups = e->runs, .pod = (stow_pod_id *)e->pod};

    for (uint32_t i = 0; i < e->runs; i++) {
        e->alike[i] = (struct stow_alike){e->run[i].first, e->run[i].pods};
        if (e->can[e->run[order[i]].class] && e->run[order[i]].pods)
            list[count++] = order[i];
    }
    at =
        stow_fastpath_choose(yard->s, &runs, &yard->s->node[yard->group[group].fresh], list, count);
    e->fast_run = at < count ? list[at] : STOW_NONE;
    for (uint32_t i = 0; i < e->runs && at < count; i++)
        if (order[i] != e->fast_run)
            order[kept++] = order[i];
    if (at < count)
        order[kept] = e->fast_run;
    return STOW_OK;
}

/* ---- packing ----------------------------------------------------------------------------- */

struct packing {
    struct stow_estimator *e;
    struct stow_yard *yard;
    stow_group_id group;
    struct stow_limiter limiter;
    uint32_t first; /* new nodes of this estimate from here on */
    uint32_t mark;
    bool refused;   /* no more nodes */
    uint32_t class; /* of the run at hand */
    uint32_t left;  /* its pods that are not packed */
};

/* Room for a class never comes back: no rule of it looks for company or for balance. */
static bool only_fills(const struct stow_yard_class *class)
{
    return !class->spreads && !class->attracts;
}

/* The next new node from `from` to `to` that takes a pod of the class; `to`: none. */
static uint32_t search(struct packing *p, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to; at++) {
        at = stow_yard_next_room(p->yard, p->class, at, to);
        if (at >= to || p->yard->class[p->class].plain || stow_yard_fits(p->yard, p->class, at))
            return at < to ? at : to;
    }
    return to;
}

/* New nodes before this one are known to have no room for the class. */
static uint32_t find_from(const struct packing *p)
{
    const uint32_t known = p->e->full_up_to[p->class];

    return only_fills(&p->yard->class[p->class]) && known > p->first ? known : p->first;
}

/* Where the search of step a starts: after the last node it found; at first, at the newest. */
static uint32_t find_start(const struct packing *p, uint32_t from)
{
    const uint32_t end = p->yard->nodes;
    uint32_t start = p->e->cursor == STOW_NONE ? end - 1 : p->e->cursor + 1;

    if (start >= end)
        start = from;
    return start < from ? from : start;
}

/* Step a for one pod: a node that takes it, or STOW_NONE. */
static uint32_t find_made(struct packing *p)
{
    const uint32_t end = p->yard->nodes, from = find_from(p);
    uint32_t start, node;

    if (from == end)
        return STOW_NONE;
    start = find_start(p, from);
    node = search(p, start, end);
    if (node < end)
        return node;
    node = search(p, from, start);
    if (node < start)
        return node;
    p->e->full_up_to[p->class] = end;
    return STOW_NONE;
}

static void pack_made(struct packing *p)
{
    while (p->left) {
        uint32_t node = find_made(p);

        if (node == STOW_NONE)
            return;
        stow_yard_place(p->yard, p->class, node, 1);
        p->e->cursor = node;
        p->left--;
    }
}

/* One pod to each node of the list, in turn; those that are full then leave the list. */
static uint32_t deal(struct packing *p, uint32_t *list, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count && p->left; i++) {
        stow_yard_place(p->yard, p->class, list[i], 1);
        p->e->cursor = list[i];
        p->left--;
    }
    for (uint32_t i = 0; i < count && p->left; i++)
        if (stow_yard_room(p->yard, p->class, list[i]))
            list[kept++] = list[i];
    return kept;
}

/* Step a for plain pods: the nodes with room, from the cursor on, are found once, and pods go round
 * among them until none has room. */
static int pack_made_plain(struct packing *p)
{
    const uint32_t end = p->yard->nodes, from = find_from(p), start = find_start(p, from);
    uint32_t count;

    if (from == end)
        return STOW_OK;
    if (p->left == 1) {
        pack_made(p);
        return STOW_OK;
    }
    if (stow_vec_reserve(&p->e->list, &p->e->list_cap, end - p->first, sizeof(*p->e->list)) < 0)
        return STOW_ENOMEM;
    count = stow_yard_with_room(p->yard, p->class, start, end, p->e->list);
    count += stow_yard_with_room(p->yard, p->class, from, start, p->e->list + count);
    while (count && p->left && !p->yard->failed)
        count = deal(p, p->e->list, count);
    if (p->left)
        p->e->full_up_to[p->class] = end;
    return STOW_OK;
}

/* Pods of a plain class into one node, as many as fit. */
static void fill_node(struct packing *p, uint32_t node)
{
    uint32_t room = stow_yard_room(p->yard, p->class, node);
    uint32_t count = room < p->left ? room : p->left;

    stow_yard_place(p->yard, p->class, node, count);
    p->left -= count;
}

static bool last_is_empty(const struct packing *p)
{
    return p->yard->free[0][p->yard->nodes - 1] == p->yard->group[p->group].room[0];
}

static bool has_last(const struct packing *p)
{
    return p->yard->nodes > p->first;
}

/* The limiter allows another node, and there is memory for it. */
static bool add_node(struct packing *p)
{
    if (!stow_limiter_allow(&p->limiter, 0)) {
        p->refused = p->e->ret.limited = true;
        return false;
    }
    return stow_yard_add_node(p->yard, p->group) != STOW_NONE;
}

static void pack_plain(struct packing *p)
{
    if (has_last(p))
        fill_node(p, p->yard->nodes - 1);
    while (p->left && !p->yard->failed) {
        const uint32_t before = p->left;

        if ((has_last(p) && last_is_empty(p)) || !add_node(p))
            return;
        fill_node(p, p->yard->nodes - 1);
        if (p->left == before)
            return;
    }
}

/* Any other node for a pod that only spreading keeps off the last one: new ones first. */
static uint32_t find_other(struct packing *p)
{
    struct stow_yard *yard = p->yard;

    const uint32_t node = search(p, p->first, yard->nodes - 1);

    if (node + 1 < yard->nodes)
        return node;
    if (stow_yard_ask_real(yard, p->class) < 0) {
        yard->failed = true;
        return STOW_NONE;
    }
    for (uint32_t i = 0; i < p->first; i++)
        if (stow_yard_fits(yard, p->class, i))
            return i;
    return STOW_NONE;
}

static bool pack_last(struct packing *p)
{
    struct stow_yard *yard = p->yard;
    uint32_t node = yard->nodes - 1;

    if (!has_last(p))
        return false;
    if (!stow_yard_fits(yard, p->class, node)) {
        if (!yard->class[p->class].host_spread || !stow_yard_only_spread(yard, p->class, node))
            return false;
        node = find_other(p);
        if (node == STOW_NONE)
            return false;
    }
    stow_yard_place(yard, p->class, node, 1);
    return true;
}

static void pack_ruled(struct packing *p)
{
    for (; p->left && !p->yard->failed; p->left--) {
        if (pack_last(p))
            continue;
        if ((has_last(p) && last_is_empty(p)) || !add_node(p))
            return;
        if (!stow_yard_fits(p->yard, p->class, p->yard->nodes - 1))
            return;
        stow_yard_place(p->yard, p->class, p->yard->nodes - 1, 1);
    }
}

/* Upstream's fast path: one node is packed, the others are taken to hold as many. */
static void pack_fast(struct packing *p)
{
    uint32_t held = p->left, node;

    if (!p->left || !add_node(p))
        return;
    node = p->yard->nodes - 1;
    while (p->left && stow_yard_fits(p->yard, p->class, node)) {
        stow_yard_place(p->yard, p->class, node, 1);
        p->left--;
    }
    held -= p->left;
    while (held && p->left && !p->yard->failed && add_node(p)) {
        const uint32_t count = held < p->left ? held : p->left;

        stow_yard_place(p->yard, p->class, p->yard->nodes - 1, count);
        p->left -= count;
    }
}

static void pack_run(struct packing *p, uint32_t number)
{
    const struct stow_run *run = &p->e->run[number];

    p->class = run->class;
    p->left = run->pods;
    if (!p->e->can[p->class])
        return;
    if (p->yard->class[p->class].plain)
        p->yard->failed |= pack_made_plain(p) < 0;
    else
        pack_made(p);
    if (p->refused || p->yard->failed)
        return;
    if (p->e->fastpath && number == p->e->fast_run)
        pack_fast(p);
    else if (p->yard->class[p->class].plain)
        pack_plain(p);
    else
        pack_ruled(p);
}

/* ---- the answer -------------------------------------------------------------------------- */

/* Which classes pass on a fresh node before anything is packed. */
static int ask_fresh(struct packing *p)
{
    struct stow_yard *yard = p->yard;
    uint32_t mark = stow_yard_mark(yard), node = stow_yard_add_node(yard, p->group);

    if (node == STOW_NONE)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard->classes; i++)
        p->e->can[i] = stow_yard_fits(yard, i, node);
    stow_yard_rollback(yard, mark);
    return STOW_OK;
}

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Nodes that existed before and took a pod in the retry. */
static int count_old(const struct packing *p, uint32_t *ret)
{
    const struct stow_yard *yard = p->yard;
    STOW_AUTO(stow_free_local) uint32_t *old = NULL;
    uint32_t count = 0, cap = 0, distinct = 0;

    for (uint32_t i = p->mark; i < yard->logged; i++) {
        const struct stow_yard_entry *entry = &yard->log[i];

        if (entry->class == STOW_NONE || entry->node >= p->first)
            continue;

        uint32_t *made = STOW_PUSH(&old, &count, &cap);

        if (!made)
            return STOW_ENOMEM;
        *made = entry->node;
    }
    if (count)
        qsort(old, count, sizeof(*old), compare_nodes);
    for (uint32_t i = 0; i < count; i++)
        distinct += i == 0 || old[i] != old[i - 1];
    *ret = distinct;
    return STOW_OK;
}

/* New nodes with a pod: an empty one can only be the last that was added for a run that then found
 * no place on it, and later runs may have filled it. */
static uint32_t count_new(const struct packing *p)
{
    const struct stow_yard *yard = p->yard;
    uint32_t count = 0;

    for (uint32_t node = p->first; node < yard->nodes; node++)
        count += yard->free[0][node] != yard->group[p->group].room[0];
    return count;
}

int stow_estimate(struct stow_estimator *e, stow_group_id group, stow_node_limit limit)
{
    struct stow_yard *yard = e->yard;
    struct packing p = {
        .e = e,
        .yard = yard,
        .group = group,
        .limiter = {.nodes = limit},
        .first = yard->nodes,
        .mark = stow_yard_mark(yard),
    };
    uint32_t old = 0;

    e->ret.nodes = e->ret.pods = 0;
    e->ret.limited = false;
    e->cursor = STOW_NONE;
    memset(e->ret.taken, 0, e->runs * sizeof(*e->ret.taken));
    memset(e->full_up_to, 0, yard->classes * sizeof(*e->full_up_to));
    STOW_TRY(order_runs(e, group));
    STOW_TRY(ask_fresh(&p));
    if (e->fastpath)
        STOW_TRY(choose_fast(e, group));
    stow_limiter_start(&p.limiter);
    for (uint32_t i = 0; i < e->runs && !yard->failed; i++) {
        const uint32_t number = e->ret.order[i];

        if (i % LOOK == 0 && stow_clock_is_past(e->deadline))
            break;

        pack_run(&p, number);
        if (e->can[e->run[number].class])
            e->ret.taken[number] = e->run[number].pods - p.left;
        e->ret.pods += e->ret.taken[number];
    }
    if (yard->failed)
        return STOW_ENOMEM;
    if (e->upstream)
        STOW_TRY(count_old(&p, &old));
    e->ret.nodes = count_new(&p) + old;
    return STOW_OK;
}
