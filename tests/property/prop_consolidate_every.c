/* prop_consolidate_every.c - in tiny clusters nothing better is possible than what consolidation
 * says, whatever the limits are.
 *
 * The reference tries every row of steps there is: nodes that a step adds, every place of every
 * pod, nodes that it removes.  It knows requests, anti-affinity on nodes, budgets and limits, and
 * nothing of how the searches go about it.  Pending pods are somewhere, too, and wherever they are
 * is no move. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "tests/property/consolidate_world.h"

#define REAL  4
#define FEW   5            /* pods */
#define SLOTS (REAL + FEW) /* with those that are bought, each for some pod */
#define TABLE (1U << 22)

struct spot {
    uint8_t at[FEW];
    uint8_t group[SLOTS]; /* of the node in a slot; GROUPS: there is none */
};

struct reference {
    const struct world *w;
    uint32_t most;                  /* moves */
    int64_t initial, *best;         /* per number of moves */
    uint64_t *seen;                 /* states, and the moves that lead there */
    struct spot *list[FEW * 2 + 1]; /* per number of moves: states */
    uint32_t count[FEW * 2 + 1], cap[FEW * 2 + 1];
    struct spot from, to; /* the step at hand */
    uint32_t moves, made; /* in all before it, and in it */
    uint32_t states;
};

/* Four bits per pod and two per slot; then there is room for moves. */
static uint64_t key_of(const struct world *w, const struct spot *s)
{
    uint64_t key = 1;

    for (uint32_t i = 0; i < w->pods; i++)
        key = key << 4 | s->at[i];
    for (uint32_t i = 0; i < SLOTS; i++)
        key = key << 2 | (s->group[i] == GROUPS ? 3 : s->group[i]);
    return key << 8;
}

/* Where the state is noted, or would be. */
static uint64_t *find(const struct reference *r, uint64_t key)
{
    struct chance c = {key};
    uint32_t at = chance_below(&c, TABLE);

    while (r->seen[at] && r->seen[at] >> 8 != key >> 8)
        at = (at + 1) % TABLE;
    return &r->seen[at];
}

static uint32_t nodes_of(const struct spot *s, uint32_t group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SLOTS; i++)
        count += s->group[i] != GROUPS && (group == GROUPS || s->group[i] == group);
    return count;
}

static int64_t cost_of(const struct world *w, const struct spot *s)
{
    int64_t cost = 0;

    for (uint32_t i = 0; i < SLOTS; i++)
        cost += s->group[i] == GROUPS ? 0 : w->group[s->group[i]].price;
    return cost;
}

static void reach(struct reference *r, const struct spot *s)
{
    const uint32_t moves = r->moves + r->made;
    const uint64_t key = key_of(r->w, s);
    uint64_t *seen = find(r, key);

    if (*seen && moves >= (*seen & 0xFF))
        return;
    if (!*seen && ++r->states > TABLE / 2)
        abort();
    *seen = key | moves;
    if (r->count[moves] == r->cap[moves]) {
        r->cap[moves] = 2 * r->cap[moves] + 64;
        r->list[moves] = realloc(r->list[moves], r->cap[moves] * sizeof(**r->list));
        if (!r->list[moves])
            abort();
    }
    r->list[moves][r->count[moves]++] = *s;
    if (cost_of(r->w, s) < r->best[moves])
        r->best[moves] = cost_of(r->w, s);
}

/* Every choice of nodes that are empty goes. */
static void remove_from(struct reference *r, uint32_t slot)
{
    const struct world *w = r->w;
    const uint8_t group = r->to.group[slot];
    bool empty = true;

    if (slot == w->nodes) {
        if (w->options.surge.kind == STOW_ALLOW_ANY || cost_of(w, &r->to) <= r->initial)
            reach(r, &r->to);
        return;
    }
    remove_from(r, slot + 1);
    for (uint32_t i = 0; i < w->pods; i++)
        empty &= r->to.at[i] != slot;
    if (!empty || group == GROUPS || nodes_of(&r->to, group) <= w->group[group].min)
        return;
    r->to.group[slot] = GROUPS;
    remove_from(r, slot + 1);
    r->to.group[slot] = group;
}

/* Whether all pods may be where they are, and those that move at once. */
static bool holds(const struct reference *r)
{
    const struct world *w = r->w;
    int64_t cpu[SLOTS] = {0}, memory[SLOTS] = {0};
    uint32_t moved[APPS] = {0}, on[APPS][SLOTS] = {{0}};

    for (uint32_t i = 0; i < w->pods; i++) {
        const uint32_t app = w->pod[i].app, slot = r->to.at[i];
        const struct group *group = &w->group[r->to.group[slot]];

        cpu[slot] += w->app[app].cpu;
        memory[slot] += w->app[app].memory;
        moved[app] += slot != r->from.at[i] && !w->pod[i].pending;
        if (cpu[slot] > group->cpu || memory[slot] > group->memory ||
            (w->app[app].anti && on[app][slot]++) ||
            (w->app[app].budget && moved[app] > w->app[app].amount))
            return false;
    }
    for (uint32_t i = w->nodes; i < SLOTS; i++)
        if (r->to.group[i] != GROUPS && !cpu[i] && r->from.group[i] == GROUPS)
            return false; /* it can as well be bought later */
    return true;
}

/* Every place of every pod from this one on. */
static void move_from(struct reference *r, uint32_t pod)
{
    const struct stow_allowance *most = &r->w->options.moves;
    const bool runs = pod < r->w->pods && !r->w->pod[pod].pending;

    if (pod >= r->w->pods || pod >= FEW) {
        if (holds(r))
            remove_from(r, 0);
        return;
    }
    move_from(r, pod + 1);
    if (runs && ((most->kind == STOW_ALLOW_COUNT && r->made == most->amount) ||
                 r->moves + r->made == r->most))
        return;
    r->made += runs;
    for (uint8_t slot = 0; slot < SLOTS; slot++) {
        if (slot == r->from.at[pod] || r->to.group[slot] == GROUPS)
            continue;
        r->to.at[pod] = slot;
        move_from(r, pod + 1);
    }
    r->to.at[pod] = r->from.at[pod];
    r->made -= runs;
}

/* Nodes that are bought stay: those that cost more than all before save nothing. */
static bool is_within(const struct reference *r)
{
    const struct stow_allowance *surge = &r->w->options.surge;
    int64_t spent = 0;

    for (uint32_t i = r->w->nodes; i < SLOTS; i++)
        spent += r->to.group[i] == GROUPS ? 0 : r->w->group[r->to.group[i]].price;
    if (spent >= r->initial)
        return false;
    if (surge->kind == STOW_ALLOW_MONEY && cost_of(r->w, &r->to) > r->initial + surge->amount)
        return false;
    return surge->kind != STOW_ALLOW_COUNT ||
           nodes_of(&r->to, GROUPS) <= r->w->nodes + surge->amount;
}

/* Every choice of new nodes, from this slot on. */
static void add_from(struct reference *r, uint8_t least)
{
    uint32_t slot = r->w->nodes;

    move_from(r, 0);
    while (slot < SLOTS && r->to.group[slot] != GROUPS)
        slot++;
    for (uint8_t group = least; slot < SLOTS && group < r->w->groups; group++) {
        r->to.group[slot] = group;
        if (is_within(r))
            add_from(r, group);
        r->to.group[slot] = GROUPS;
    }
}

/* Without limits of a step everything is one step. */
static bool is_one_step(const struct world *w)
{
    for (uint32_t i = 0; i < w->apps; i++)
        if (w->app[i].budget)
            return false;
    return w->options.surge.kind == STOW_ALLOW_ANY && w->options.moves.kind == STOW_ALLOW_ANY;
}

static void try_all(struct reference *r)
{
    r->seen = calloc(TABLE, sizeof(*r->seen));
    if (!r->seen)
        abort();
    memset(&r->to, 0, sizeof(r->to));
    for (uint32_t i = 0; i < r->w->pods; i++)
        r->to.at[i] = (uint8_t)r->w->pod[i].on;
    for (uint32_t i = 0; i < SLOTS; i++)
        r->to.group[i] = (uint8_t)(i < r->w->nodes ? r->w->node[i].group : GROUPS);
    r->initial = cost_of(r->w, &r->to);
    for (uint32_t i = 0; i <= r->most; i++)
        r->best[i] = r->initial;
    reach(r, &r->to);
    for (r->moves = 0; r->moves <= r->most; r->moves++)
        for (uint32_t i = 0; i < r->count[r->moves]; i++) {
            if ((r->moves || i) && is_one_step(r->w))
                break;
            r->from = r->to = r->list[r->moves][i];
            if ((*find(r, key_of(r->w, &r->from)) & 0xFF) == r->moves)
                add_from(r, 0);
        }
    for (uint32_t i = 1; i <= r->most; i++)
        r->best[i] = r->best[i - 1] < r->best[i] ? r->best[i - 1] : r->best[i];
    for (uint32_t i = 0; i <= r->most; i++)
        free(r->list[i]);
    free(r->seen);
}

/* ---- tiny clusters ----------------------------------------------------------------------- */

static void make_apps(struct world *w, struct chance *c)
{
    w->apps = 1 + chance_below(c, 3);
    for (uint32_t i = 0; i < w->apps; i++)
        w->app[i] = (struct app){
            .cpu = 500 * (int64_t)(1 + chance_below(c, 4)),
            .memory = 1024 * (int64_t)(1 + chance_below(c, 3)),
            .anti = chance_one_in(c, 5),
            .near = APPS,
            .zone = 3,
            .budget = chance_one_in(c, 6) ? MAX_PODS : NO_BUDGET,
            .amount = 1 + chance_below(c, 2),
        };
}

/* A pod somewhere, if there is room. */
static void make_pod(struct world *w, struct chance *c)
{
    const uint32_t app = chance_below(c, w->apps), on = chance_below(c, w->nodes);
    const struct group *group = &w->group[w->node[on].group];
    int64_t cpu = group->cpu - w->app[app].cpu, memory = group->memory - w->app[app].memory;
    struct pod *pod = &w->pod[w->pods];

    for (uint32_t i = 0; i < w->pods; i++) {
        if (w->pod[i].on != on)
            continue;
        cpu -= w->app[w->pod[i].app].cpu;
        memory -= w->app[w->pod[i].app].memory;
        if (w->app[app].anti && w->pod[i].app == app)
            return;
    }
    if (cpu < 0 || memory < 0)
        return;
    *pod = (struct pod){.app = app, .on = on};
    snprintf(pod->name, sizeof(pod->name), "a%u-%u", app, w->pods++);
    w->app[app].pods++;
}

static void make_world(struct world *w, struct chance *c)
{
    memset(w, 0, sizeof(*w));
    w->groups = 1 + chance_below(c, 2);
    for (uint32_t i = 0; i < w->groups; i++) {
        const int64_t cpu = 2 + chance_below(c, 4);

        w->group[i] = (struct group){
            .cpu = 1000 * cpu,
            .memory = 4096 << chance_below(c, 2),
            .price = 10000000 * (chance_one_in(c, 2) ? 10 * cpu + chance_below(c, 8) - 4
                                                     : 8 + chance_below(c, 50)),
            .min = chance_one_in(c, 8),
        };
    }
    w->nodes = 2 + chance_below(c, REAL - 1);
    for (uint32_t i = 0; i < w->nodes; i++) {
        w->node[i] = (struct node){.group = chance_below(c, w->groups), .there = true};
        snprintf(w->node[i].name, sizeof(w->node[i].name), "n%u", i);
    }
    make_apps(w, c);
    for (uint32_t tries = 3 + chance_below(c, 6); tries && w->pods < FEW; tries--)
        make_pod(w, c);
    for (uint32_t i = 0; i < w->apps; i++)
        if (w->app[i].pods <= w->app[i].amount)
            w->app[i].budget = NO_BUDGET;
    w->options.scale.time_limit = 20;
    w->options.scale.threads = 1;
}

static struct stow_allowance count_or_none(struct chance *c, uint32_t none, uint32_t most)
{
    if (chance_one_in(c, none))
        return (struct stow_allowance){STOW_ALLOW_ANY, 0};
    return (struct stow_allowance){STOW_ALLOW_COUNT, chance_below(c, most)};
}

/* Limits of the step, so that the reference ends: few pods, or one step. */
static void limit(struct world *w, struct chance *c)
{
    w->options.moves = count_or_none(c, 3, 2);
    w->options.moves.amount++;
    w->options.surge = count_or_none(c, 4, 3);
    if (chance_one_in(c, 5))
        w->options.surge =
            (struct stow_allowance){STOW_ALLOW_MONEY, 50000000 * (int64_t)chance_below(c, 10)};
    if (w->options.moves.kind == STOW_ALLOW_ANY && chance_one_in(c, 2))
        w->options.surge.kind = STOW_ALLOW_ANY;
}

/* One pod is pending, of few: places that cost no move are many, and the reference tries all. */
static void make_pending(struct world *w, bool limited)
{
    w->pods = w->pods < FEW ? w->pods : FEW - 1;
    if (w->pods)
        w->pod[0].pending = true;
    for (uint32_t i = 0; i < w->apps; i++)
        if (!limited || (w->pods && w->pod[0].app == i))
            w->app[i].budget = NO_BUDGET; /* a pod that does not run counts as disrupted */
}

/* ---- properties -------------------------------------------------------------------------- */

static uint32_t count_pending(const struct world *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->pods; i++)
        count += w->pod[i].pending;
    return count;
}

/* With so many moves nothing is cheaper, and nothing as cheap moves fewer pods. */
static bool is_best(struct world *w, const struct stow_snapshot *s, uint32_t moves,
                    const struct reference *r)
{
    struct stow_consolidation k = {0};
    uint32_t fewest = moves;
    bool good;

    w->options.moves_all = (struct stow_allowance){STOW_ALLOW_COUNT, moves};
    good = world_consolidate(w, s, false, &k);
    if (good && k.awaiteds < count_pending(w)) {
        stow_consolidation_done(&k); /* one has taken the room of another */
        return true;
    }
    while (fewest && r->best[fewest - 1] == r->best[moves])
        fewest--;
    if (good && k.after.amount != r->best[moves])
        good = property_fails("%" PRId64 " with %u moves, %" PRId64 " is possible", k.after.amount,
                              moves, r->best[moves]);
    if (good && k.moved != fewest)
        good = property_fails("%u pods move, %u need to", k.moved, fewest);
    stow_consolidation_done(&k);
    return good;
}

/* Every row of the frontier is one of the best, and none is missing. */
static bool is_frontier(struct world *w, const struct stow_snapshot *s, const struct reference *r)
{
    struct stow_consolidation k = {0};
    uint32_t row = 0;
    bool good;

    w->options.moves_all.kind = STOW_ALLOW_ANY;
    w->options.frontier = true;
    good = world_consolidate(w, s, false, &k);
    for (uint32_t m = 0; m <= r->most && good && k.awaiteds == count_pending(w); m++) {
        if (r->best[m] == (m ? r->best[m - 1] : r->initial))
            continue;
        good = (row < k.points && k.point[row].moved == m &&
                k.point[row].saving == r->initial - r->best[m]) ||
               property_fails("no row of the frontier moves %u pods for %" PRId64, m, r->best[m]);
        row++;
    }
    w->options.frontier = false;
    stow_consolidation_done(&k);
    return good;
}

static bool nothing_is_better(uint64_t seed, bool limited, bool awaits)
{
    struct chance c = {seed};
    struct world *w = malloc(sizeof(*w));
    int64_t best[FEW * 2 + 1];
    struct reference r = {.w = w, .best = best};
    struct stow_snapshot *s;
    bool good;

    if (!w)
        abort();
    make_world(w, &c);
    if (limited)
        limit(w, &c);
    if (awaits)
        make_pending(w, limited);
    r.most = limited ? 1 + chance_below(&c, FEW) : w->pods;
    s = world_load(w);
    try_all(&r);
    good = s && is_best(w, s, chance_below(&c, r.most + 1), &r) && is_best(w, s, r.most, &r) &&
           is_frontier(w, s, &r);
    stow_snapshot_unref(s);
    free(w);
    return good;
}

static bool nothing_is_better_without_limits(uint64_t seed)
{
    return nothing_is_better(seed, false, false);
}

static bool nothing_is_better_within_limits(uint64_t seed)
{
    return nothing_is_better(seed, true, false);
}

static bool nothing_is_better_with_pending_pods(uint64_t seed)
{
    return nothing_is_better(seed, seed % 2, true);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"nothing-is-better-without-limits", nothing_is_better_without_limits, 300},
        {"nothing-is-better-within-limits", nothing_is_better_within_limits, 300},
        {"nothing-is-better-with-pending-pods", nothing_is_better_with_pending_pods, 300},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
