/* prop_consolidate.c - every step of a consolidation can be taken, and saves what it says.
 *
 * Random clusters are consolidated.  Then the steps are carried out one by one on the documents
 * themselves: nodes are added, pods get another nodeName, nodes are struck out; and at each turn
 * the reference of placing (place_reference.h) is asked whether pods may be where they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>
#include <stowage/snapshot.h>

#include "tests/property/consolidate_world.h"
#include "tests/property/place_reference.h"

/* ---- what is allowed --------------------------------------------------------------------- */

static uint32_t allowed(const struct app *app)
{
    const uint32_t share = (app->amount * 23 * app->pods + 99) / 100;

    switch (app->budget) {
    case MIN_PODS:
        return app->pods > app->amount ? app->pods - app->amount : 0;
    case MAX_PODS:
        return app->amount < app->pods ? app->amount : app->pods;
    case MIN_SHARE:
        return app->pods - share;
    case MAX_SHARE:
        return share;
    case STATUS:
        return app->amount - 1;
    default:
        return PODS;
    }
}

static bool may_move(const struct app *app)
{
    return !app->alone && !app->fixed && allowed(app) > 0;
}

static uint32_t count_nodes(const struct world *w, uint32_t group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        count += w->node[i].there && (group == GROUPS || w->node[i].group == group);
    return count;
}

static int64_t cost_of(const struct world *w)
{
    int64_t cost = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        cost += w->node[i].there ? world_weight(w, w->node[i].group) : 0;
    return cost;
}

static uint32_t count_unpriced(const struct world *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        count += w->node[i].there && !world_weight(w, w->node[i].group);
    return count;
}

/* ---- asking the reference ---------------------------------------------------------------- */

static const struct ref_profile kube = {.filter = {
                                            [REF_NODE_UNSCHEDULABLE] = true,
                                            [REF_NODE_NAME] = true,
                                            [REF_TAINTS] = true,
                                            [REF_NODE_AFFINITY] = true,
                                            [REF_NODE_PORTS] = true,
                                            [REF_FIT] = true,
                                            [REF_VOLUME_ZONE] = true,
                                            [REF_SPREAD] = true,
                                            [REF_POD_AFFINITY] = true,
                                        }};

/* The cluster as it is now, opened for questions. */
struct asking {
    struct stow_snapshot *s;
    struct ref_cluster *c;
};

static bool open_asking(struct asking *a, const struct world *w)
{
    a->s = world_load(w);
    a->c = malloc(sizeof(*a->c));
    if (!a->c)
        abort();
    return a->s && (ref_open(a->c, a->s, NULL) || property_fails("too large"));
}

static void close_asking(struct asking *a)
{
    stow_snapshot_unref(a->s);
    free(a->c);
}

/* The filter that refuses a pod where it is; -1: none. */
static int refused_by(struct asking *a, const struct pod *pod, const struct world *w)
{
    const stow_node_id node = stow_node_find(a->s, stow_str_of(w->node[pod->on].name));
    int filter = 0;

    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        if (strcmp(a->s->pod[i].name, pod->name) != 0)
            continue;
        ref_remove(a->c, i);
        filter = ref_dropped_by(a->c, &kube, i, node);
        ref_place(a->c, i, node);
    }
    return filter;
}

static bool look_at_wrongs(struct world *w)
{
    struct asking a;
    bool good = open_asking(&a, w);

    for (uint32_t i = 0; i < w->pods && good; i++)
        w->pod[i].was_wrong = refused_by(&a, &w->pod[i], w) != -1;
    close_asking(&a);
    return good;
}

static bool all_hold(const struct world *w, uint32_t step)
{
    struct asking a;
    bool good = open_asking(&a, w);

    for (uint32_t i = 0; i < w->pods && good; i++) {
        const int filter = w->pod[i].was_wrong ? -1 : refused_by(&a, &w->pod[i], w);

        if (filter != -1)
            good = property_fails("after step %u, %s refuses pod %s on node %s", step,
                                  filter < 0 ? "?" : ref_filter_name[filter], w->pod[i].name,
                                  w->node[w->pod[i].on].name);
    }
    close_asking(&a);
    return good;
}

/* ---- limits of steps --------------------------------------------------------------------- */

/* So many, or a share of them, rounded up; -1: no limit. */
static int64_t allowance(const struct stow_allowance *a, uint32_t all)
{
    if (a->kind == STOW_ALLOW_COUNT)
        return a->amount;
    return a->kind == STOW_ALLOW_SHARE ? (a->amount * all + 999999999) / 1000000000 : -1;
}

/* What there was in the beginning, and what there may be. */
struct pace {
    uint32_t nodes;
    int64_t cost, more_nodes, moves;
};

static struct pace pace_of(const struct world *w, const struct stow_snapshot *s)
{
    uint32_t pods = 0; /* with those of daemons */

    for (uint32_t i = 0; i < s->pods; i++)
        pods += s->pod[i].node != STOW_NONE;
    return (struct pace){count_nodes(w, GROUPS), cost_of(w),
                         allowance(&w->options.surge, count_nodes(w, GROUPS)),
                         allowance(&w->options.moves, pods)};
}

/* While the nodes of a step are there, and none has gone yet. */
static bool is_within(const struct world *w, const struct pace *p, const struct stow_step *step)
{
    const struct stow_allowance *surge = &w->options.surge;

    if (step->adds && p->more_nodes >= 0 && count_nodes(w, GROUPS) > p->nodes + p->more_nodes)
        return property_fails("%u nodes at a time", count_nodes(w, GROUPS));
    if (step->adds && surge->kind == STOW_ALLOW_MONEY && cost_of(w) > p->cost + surge->amount)
        return property_fails("it costs %" PRId64 " at a time", cost_of(w));
    return p->moves < 0 || step->moves <= p->moves ||
           property_fails("%u pods move, %" PRId64 " may", step->moves, p->moves);
}

static bool is_no_dearer(const struct world *w, const struct pace *p)
{
    return w->options.surge.kind == STOW_ALLOW_ANY || cost_of(w) <= p->cost ||
           property_fails("after a step it costs %" PRId64 ", %" PRId64 " before the first",
                          cost_of(w), p->cost);
}

/* ---- carrying it out --------------------------------------------------------------------- */

static bool add_nodes(struct world *w, const struct stow_consolidation *k,
                      const struct stow_step *step, int64_t *saving)
{
    for (uint32_t i = 0; i < step->adds; i++) {
        const uint32_t group = (uint32_t)(k->s->group[step->add[i].group].name[1] - '0');
        struct node *node = &w->node[w->nodes];

        if (w->nodes == NODES || world_node(w, step->add[i].name) != NODES)
            return property_fails("node %s is added twice", step->add[i].name);
        *node = (struct node){.group = group, .there = true};
        snprintf(node->name, sizeof(node->name), "%s", step->add[i].name);
        w->nodes++;
        *saving -= world_weight(w, group);
        if (!world_weight(w, group) || step->add[i].price != world_weight(w, group))
            return property_fails("node %s has the wrong price", node->name);
        if (w->group[group].max && count_nodes(w, group) > w->group[group].max)
            return property_fails("group g%u has too many nodes", group);
        if (w->options.scale.max_nodes_total &&
            count_nodes(w, GROUPS) > w->options.scale.max_nodes_total)
            return property_fails("there are too many nodes");
    }
    return true;
}

/* It is where it should be, and may leave. */
static bool may_leave(struct world *w, const struct pod *pod, const struct stow_step_move *move)
{
    if (!may_move(&w->app[pod->app]))
        return property_fails("pod %s must not move", pod->name);
    if (strcmp(w->node[pod->on].name, move->from) != 0 || world_node(w, move->to) == NODES)
        return property_fails("pod %s is not on %s, or %s is nowhere", pod->name, move->from,
                              move->to);
    return true;
}

static struct pod *pod_of(struct world *w, const struct stow_consolidation *k,
                          const struct stow_step_move *move)
{
    return &w->pod[world_pod(w, k->s->pod[move->pod].name)];
}

static bool move_pod(struct world *w, const struct stow_consolidation *k,
                     const struct stow_step_move *move)
{
    struct pod *pod = pod_of(w, k, move);
    struct asking a;
    int filter;
    bool good;

    pod->on = world_node(w, move->to);
    pod->was_wrong = false;
    good = open_asking(&a, w);
    filter = good ? refused_by(&a, pod, w) : 0;
    close_asking(&a);
    return filter == -1 ||
           property_fails("%s refuses pod %s when it comes to %s",
                          filter < 0 ? "?" : ref_filter_name[filter], pod->name, move->to);
}

/* Nodes that go are cordoned, and all pods that move are on none. */
static bool evict_pods(struct world *w, const struct stow_consolidation *k,
                       const struct stow_step *step)
{
    for (uint32_t i = 0; i < step->removes; i++)
        w->node[world_node(w, k->s->node[step->remove[i]].name)].drains = true;
    for (uint32_t i = 0; i < step->moves; i++) {
        struct pod *pod = pod_of(w, k, &step->move[i]);

        if (pod->on == NODES || !may_leave(w, pod, &step->move[i]))
            return property_fails("pod %s must not move", pod->name);
        if (step->move[i].waits && (!w->options.waits || !w->node[pod->on].drains))
            return property_fails("pod %s must not wait", pod->name);
        pod->on = NODES;
    }
    return true;
}

/* Those that do not wait, or those that have waited, one after the other. */
static bool place_pods(struct world *w, const struct stow_consolidation *k,
                       const struct stow_step *step, bool waiting)
{
    for (uint32_t i = 0; i < step->moves; i++)
        if (step->move[i].waits == waiting && !move_pod(w, k, &step->move[i]))
            return false;
    return true;
}

static bool remove_nodes(struct world *w, const struct stow_consolidation *k,
                         const struct stow_step *step, int64_t *saving)
{
    for (uint32_t i = 0; i < step->removes; i++) {
        const uint32_t number = world_node(w, k->s->node[step->remove[i]].name);
        struct node *node = &w->node[number];

        if (number == NODES || node->fixed || !world_weight(w, node->group))
            return property_fails("node %s must not go", k->s->node[step->remove[i]].name);
        for (uint32_t p = 0; p < w->pods; p++)
            if (w->pod[p].on == number)
                return property_fails("pod %s is still on %s", w->pod[p].name, node->name);
        node->there = false;
        *saving += world_weight(w, node->group);
        if (count_nodes(w, node->group) < w->group[node->group].min)
            return property_fails("group g%u has too few nodes", node->group);
    }
    return true;
}

static bool keeps_budgets(const struct world *w, const struct stow_consolidation *k,
                          const struct stow_step *step)
{
    for (uint32_t i = 0; i < w->apps; i++) {
        uint32_t moved = 0;

        for (uint32_t m = 0; m < step->moves; m++)
            moved += w->pod[world_pod(w, k->s->pod[step->move[m].pod].name)].app == i;
        if (moved > allowed(&w->app[i]))
            return property_fails("%u pods of app a%u move at once, %u may", moved, i,
                                  allowed(&w->app[i]));
    }
    return true;
}

/* Room for pending pods is elsewhere after the step. */
static void leave_rooms(struct world *w, const struct stow_consolidation *k,
                        const struct stow_step *step)
{
    for (uint32_t i = 0; i < step->rooms; i++)
        pod_of(w, k, &step->room[i])->on = NODES;
}

/* In which order they come is left open: what counts is that all are where they may be. */
static bool take_rooms(struct world *w, const struct stow_consolidation *k,
                       const struct stow_step *step)
{
    for (uint32_t i = 0; i < step->rooms; i++) {
        struct pod *pod = pod_of(w, k, &step->room[i]);

        pod->on = world_node(w, step->room[i].to);
        pod->was_wrong = false;
        if (pod->on == NODES)
            return property_fails("room for pod %s is nowhere", pod->name);
    }
    return true;
}

static bool take_step(struct world *w, const struct stow_consolidation *k, uint32_t number,
                      const struct pace *p, int64_t *pending)
{
    const struct stow_step *step = &k->step[number];
    int64_t saving = 0;

    if (!keeps_budgets(w, k, step) || !add_nodes(w, k, step, &saving) || !is_within(w, p, step))
        return property_fails("step %u", number + 1);
    leave_rooms(w, k, step);
    if (!evict_pods(w, k, step) || !place_pods(w, k, step, false) ||
        !remove_nodes(w, k, step, &saving) || !place_pods(w, k, step, true) ||
        !take_rooms(w, k, step))
        return property_fails("step %u", number + 1);
    if (!all_hold(w, number + 1) || !is_no_dearer(w, p))
        return property_fails("step %u", number + 1);
    if (saving != step->saving)
        return property_fails("step %u saves %" PRId64, number + 1, saving);
    *pending += saving;
    if (step->prepares)
        return (step->prepares > number + 1 && step->prepares <= k->steps) ||
               property_fails("step %u prepares nothing", number + 1);
    if (*pending < w->options.min_saving || *pending <= 0)
        return property_fails("step %u saves too little", number + 1);
    *pending = 0;
    return true;
}

static bool carry_out(struct world *w, const struct stow_consolidation *k)
{
    const int64_t before = cost_of(w);
    const uint32_t nodes = count_nodes(w, GROUPS);
    const struct pace pace = pace_of(w, k->s);
    uint32_t removed = 0;
    int64_t pending = 0;

    if (k->before.amount != before || k->before.unknown != count_unpriced(w))
        return property_fails("cost before is %" PRId64 ", not %" PRId64, before, k->before.amount);
    if (!look_at_wrongs(w))
        return false;
    for (uint32_t i = 0; i < k->steps; i++) {
        removed += k->step[i].removes;
        if (!take_step(w, k, i, &pace, &pending))
            return false;
    }
    if (k->after.amount != cost_of(w) || k->after.amount != before - k->saving || k->saving < 0)
        return property_fails("cost after is %" PRId64 ", not %" PRId64, cost_of(w),
                              k->after.amount);
    if (k->nodes_before != nodes || k->nodes_after != count_nodes(w, GROUPS))
        return property_fails("%u nodes of %u are left", k->nodes_after, k->nodes_before);
    if (k->kepts + removed != nodes)
        return property_fails("%u nodes stay, %u go, of %u", k->kepts, removed, nodes);
    return k->bound == STOW_MONEY_UNKNOWN || k->bound <= k->after.amount ||
           property_fails("bound %" PRId64 " is above %" PRId64, k->bound, k->after.amount);
}

/* ---- properties -------------------------------------------------------------------------- */

/* Pending pods count as if they ran where they have room; those that have none take no part. */
static void take_in(struct world *w, const struct stow_consolidation *k)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < k->awaiteds; i++) {
        struct pod *pod = &w->pod[world_pod(w, k->s->pod[k->awaited[i].pod].name)];

        pod->pending = false;
        pod->on = world_node(w, k->s->node[k->awaited[i].node].name);
    }
    for (uint32_t i = 0; i < w->pods; i++)
        if (!w->pod[i].pending)
            w->pod[kept++] = w->pod[i];
    w->pods = kept;
}

static bool steps_hold_of(struct world *w)
{
    struct stow_consolidation k[2] = {{0}, {0}};
    struct stow_snapshot *s = world_load(w);
    bool good = s && world_consolidate(w, s, false, &k[0]) && world_consolidate(w, s, true, &k[1]);

    if (good && k[0].bound != STOW_MONEY_UNKNOWN && k[0].bound > k[1].after.amount)
        good = property_fails("the bound is above what the plain search finds");
    if (good && !w->options.disruption_price && k[0].after.amount > k[1].after.amount)
        good = property_fails("%" PRId64 ", and the plain search finds %" PRId64, k[0].after.amount,
                              k[1].after.amount);
    if (good)
        take_in(w, &k[0]);
    good = good && carry_out(w, &k[0]);
    for (int i = 0; i < 2; i++)
        stow_consolidation_done(&k[i]);
    stow_snapshot_unref(s);
    return good;
}

static bool steps_hold(uint64_t seed, bool plain)
{
    struct world *w = malloc(sizeof(*w));
    const bool good = w && world_open(w, seed, plain) && steps_hold_of(w);

    free(w);
    return good;
}

/* Nodes without a price stay, and nothing is bought that has none. */
static bool steps_hold_without_some_prices(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    bool good = w && world_open(w, seed, seed % 2);

    if (good)
        world_forget(w, seed);
    good = good && steps_hold_of(w);
    free(w);
    return good;
}

/* Pods that are pending and fit have room after every step. */
static bool steps_hold_with_pending_pods(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    bool good = w && world_open(w, seed, seed % 2);

    if (good)
        world_await(w, seed);
    good = good && steps_hold_of(w);
    free(w);
    return good;
}

/* Every node counts as one, priced or not. */
static bool steps_hold_where_nodes_count(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    bool good = w && world_open(w, seed, seed % 2);

    if (good) {
        world_forget(w, seed);
        world_count_nodes(w, seed);
    }
    good = good && steps_hold_of(w);
    free(w);
    return good;
}

/* Small steps; what the limits cost is what it says. */
static bool small_steps_hold(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    struct chance c = {seed * 7 + 3};
    struct stow_consolidation k[2] = {{0}, {0}};
    struct stow_snapshot *s = NULL;
    bool good = w && world_open(w, seed, seed % 3 == 0) && (s = world_load(w)) != NULL;

    if (good)
        good = world_consolidate(w, s, false, &k[0]);
    if (good) {
        w->options.surge =
            (struct stow_allowance[]){{STOW_ALLOW_COUNT, chance_below(&c, 3)},
                                      {STOW_ALLOW_SHARE, 100000000},
                                      {STOW_ALLOW_MONEY, chance_below(&c, 8) * INT64_C(100000000)},
                                      {STOW_ALLOW_ANY, 0}}[chance_below(&c, 4)];
        w->options.moves = (struct stow_allowance[]){{STOW_ALLOW_COUNT, 1 + chance_below(&c, 5)},
                                                     {STOW_ALLOW_SHARE, 100000000},
                                                     {STOW_ALLOW_ANY, 0}}[chance_below(&c, 3)];
        w->options.frontier = chance_one_in(&c, 8);
        good = world_consolidate(w, s, false, &k[1]) && carry_out(w, &k[1]);
    }
    if (good && k[1].limits.any && k[1].limits.after.amount > k[1].after.amount)
        good = property_fails("without limits it costs more");
    if (good && k[0].bound != STOW_MONEY_UNKNOWN && k[0].bound > k[1].after.amount)
        good = property_fails("the bound is above what small steps reach");
    for (int i = 0; i < 2; i++)
        stow_consolidation_done(&k[i]);
    stow_snapshot_unref(s);
    free(w);
    return good;
}

/* No more pods move than all steps together may, and what moves has to earn its price. */
static bool few_moves_hold(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    struct chance c = {seed * 5 + 1};
    struct stow_consolidation k = {0};
    struct stow_snapshot *s = NULL;
    const uint32_t most = chance_below(&c, 8);
    bool good = w && world_open(w, seed, seed % 2) && (s = world_load(w)) != NULL;

    if (good) {
        w->options.moves_all = (struct stow_allowance){STOW_ALLOW_COUNT, most};
        if (chance_one_in(&c, 2))
            w->options.surge = (struct stow_allowance){STOW_ALLOW_COUNT, chance_below(&c, 3)};
        if (chance_one_in(&c, 3))
            w->options.disruption_price = chance_below(&c, 4) * INT64_C(30000000);
        good = world_consolidate(w, s, false, &k) && carry_out(w, &k);
    }
    if (good && k.moved > most)
        good = property_fails("more pods move than may");
    if (good && k.saving < (stow_nano)k.moved * w->options.disruption_price)
        good = property_fails("moves do not earn their price");
    stow_consolidation_done(&k);
    stow_snapshot_unref(s);
    free(w);
    return good;
}

/* ---- the fewest nodes, by trying them all ------------------------------------------------ */

#define TINY_PODS  7
#define TINY_NODES 5

/* Nodes in use so far, and what is free on them. */
struct packing {
    const struct world *w;
    uint32_t group[TINY_PODS];
    int64_t cpu[TINY_PODS], memory[TINY_PODS], volumes[TINY_PODS];
    uint32_t nodes;
    int64_t weight, best; /* what the nodes in use weigh, and the least that was found */
};

static bool may_use(const struct packing *p, uint32_t group, const struct app *app)
{
    return app->zone == 3 || app->zone == p->w->group[group].zone;
}

static void try_pod(struct packing *p, uint32_t number);

static void put_and_go_on(struct packing *p, uint32_t node, uint32_t number)
{
    const struct app *app = &p->w->app[p->w->pod[number].app];
    const int64_t volumes = app->mounting == OWN_VOLUME;

    if (!may_use(p, p->group[node], app) || p->cpu[node] < app->cpu ||
        p->memory[node] < app->memory || p->volumes[node] < volumes)
        return;
    p->cpu[node] -= app->cpu;
    p->memory[node] -= app->memory;
    p->volumes[node] -= volumes;
    try_pod(p, number + 1);
    p->cpu[node] += app->cpu;
    p->memory[node] += app->memory;
    p->volumes[node] += volumes;
}

/* A node that is there holds what a new one of its group does. */
static void try_pod(struct packing *p, uint32_t number)
{
    if (p->weight >= p->best)
        return;
    if (number == p->w->pods) {
        p->best = p->weight;
        return;
    }
    for (uint32_t i = 0; i < p->nodes; i++)
        put_and_go_on(p, i, number);
    for (uint32_t g = 0; g < p->w->groups && p->nodes < TINY_PODS; g++) {
        p->group[p->nodes] = g;
        p->cpu[p->nodes] = p->w->group[g].cpu;
        p->volumes[p->nodes] = p->w->group[g].volumes ? p->w->group[g].volumes : TINY_PODS;
        p->memory[p->nodes++] = p->w->group[g].memory;
        p->weight += world_weight(p->w, g);
        put_and_go_on(p, p->nodes - 1, number);
        p->weight -= world_weight(p->w, g);
        p->nodes--;
    }
}

/* Groups without limits, no daemons, no rules: only room counts. */
static void make_tiny(struct world *w)
{
    w->nodes = w->nodes < TINY_NODES ? w->nodes : TINY_NODES;
    for (uint32_t g = 0; g < w->groups; g++) { /* who has no nodes does not know a limit */
        bool any = false;

        for (uint32_t i = 0; i < w->nodes; i++)
            any |= w->node[i].group == g;
        w->group[g].volumes *= any;
    }
    w->daemons = false;
    w->options.scale.max_nodes_total = 0;
    for (uint32_t i = 0; i < w->groups; i++)
        w->group[i].min = w->group[i].max = 0;
    for (uint32_t i = 0; i < w->nodes; i++)
        w->node[i].fixed = w->node[i].cordoned = false;
    for (uint32_t i = 0; i < w->apps; i++) {
        w->app[i].alone = w->app[i].fixed = false;
        w->app[i].budget = NO_BUDGET;
    }
    uint32_t kept = 0;

    for (uint32_t i = 0; i < w->pods && kept < TINY_PODS; i++)
        if (w->pod[i].on < w->nodes)
            w->pod[kept++] = w->pod[i];
    w->pods = kept;
    w->options.min_saving = w->options.disruption_price = 0;
}

/* A node that is there holds more than fits, or what must not be there: pods at random. */
static bool is_overfull(const struct world *w)
{
    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct group *g = &w->group[w->node[i].group];
        int64_t cpu = 0, memory = 0, volumes = 0;

        for (uint32_t n = 0; n < w->pods; n++) {
            const struct app *app = &w->app[w->pod[n].app];

            if (w->pod[n].on != i)
                continue;
            cpu += app->cpu;
            memory += app->memory;
            volumes += app->mounting == OWN_VOLUME;
            if (app->zone != 3 && app->zone != g->zone)
                return true;
        }
        if (cpu > g->cpu || memory > g->memory || (g->volumes && volumes > g->volumes))
            return true;
    }
    return false;
}

/* The bound is not above the least there could be, and the answer not below; and it is the least.
 * (A group that has nodes already can be bought from: it has no limit.) */
static bool is_least(struct world *w)
{
    struct stow_consolidation k = {0};
    struct stow_snapshot *s = world_load(w);
    bool good = s && world_consolidate(w, s, false, &k);
    struct packing p = {.w = w, .best = cost_of(w) + 1};

    if (good)
        try_pod(&p, 0);
    if (good && is_overfull(w) && p.best > k.after.amount)
        p.best = k.after.amount;
    if (good && k.bound == STOW_MONEY_UNKNOWN)
        good = property_fails("there is no bound");
    if (good && k.bound > p.best)
        good = property_fails("the bound %" PRId64 " is above %" PRId64, k.bound, p.best);
    if (good && k.after.amount != p.best)
        good =
            property_fails("it weighs %" PRId64 ", the least is %" PRId64, k.after.amount, p.best);
    good = good && carry_out(w, &k);
    stow_consolidation_done(&k);
    stow_snapshot_unref(s);
    return good;
}

static bool the_fewest_nodes_are_as_few_as_that(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    bool good = w && world_open(w, seed, true);

    if (good) {
        make_tiny(w);
        world_forget(w, seed);
        world_count_nodes(w, seed);
        w->options.min_saving = w->options.disruption_price = 0;
    }
    good = good && is_least(w);
    free(w);
    return good;
}

static bool the_cheapest_is_as_cheap_as_that(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    bool good = w && world_open(w, seed, true);

    if (good)
        make_tiny(w);
    good = good && is_least(w);
    free(w);
    return good;
}

static bool plain_steps_hold(uint64_t seed)
{
    return steps_hold(seed, true);
}

static bool all_steps_hold(uint64_t seed)
{
    return steps_hold(seed, false);
}

/* Whatever was found and written when the time is over can be taken. */
static bool steps_short_of_time_hold(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    struct stow_consolidation k = {0};
    struct stow_snapshot *s = NULL;
    bool good = w && world_open(w, seed, seed % 2) && (s = world_load(w)) != NULL;

    if (good)
        w->options.scale.time_limit = 1e-5 * (double)(1 + seed % 100);
    good = good && world_consolidate(w, s, false, &k) && carry_out(w, &k);
    stow_consolidation_done(&k);
    stow_snapshot_unref(s);
    free(w);
    return good;
}

static bool buys(const struct stow_consolidation *k)
{
    for (uint32_t i = 0; i < k->steps; i++)
        if (k->step[i].adds)
            return true;
    return false;
}

/* Where the steps lead, nothing more is to be saved in the same way.  (Once nodes have been bought
 * one after the other, there may be: those of the first step are not thought over in the next.) */
static bool nothing_is_left_to_save(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    struct stow_consolidation k = {0}, again = {0};
    struct stow_snapshot *s = NULL, *then = NULL;
    bool good = w && world_open(w, seed, seed % 2);

    for (uint32_t i = 0; good && i < w->groups; i++)
        w->group[i].min = 0; /* a node that was bought would let go of another */
    good = good && (s = world_load(w)) && world_consolidate(w, s, true, &k) && carry_out(w, &k) &&
           (then = world_load(w)) != NULL;
    good = good && world_consolidate(w, then, true, &again);
    if (good && again.steps && !buys(&k))
        good = property_fails("%u more steps save %" PRId64, again.steps, again.saving);
    stow_consolidation_done(&k);
    stow_consolidation_done(&again);
    stow_snapshot_unref(s);
    stow_snapshot_unref(then);
    free(w);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"plain-steps-hold", plain_steps_hold, 100},
        {"all-steps-hold", all_steps_hold, 200},
        {"small-steps-hold", small_steps_hold, 120},
        {"few-moves-hold", few_moves_hold, 120},
        {"steps-short-of-time-hold", steps_short_of_time_hold, 60},
        {"nothing-is-left-to-save", nothing_is_left_to_save, 300},
        {"steps-hold-without-some-prices", steps_hold_without_some_prices, 100},
        {"steps-hold-with-pending-pods", steps_hold_with_pending_pods, 100},
        {"steps-hold-where-nodes-count", steps_hold_where_nodes_count, 100},
        {"the-cheapest-is-as-cheap-as-that", the_cheapest_is_as_cheap_as_that, 150},
        {"the-fewest-nodes-are-as-few-as-that", the_fewest_nodes_are_as_few_as_that, 200},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
