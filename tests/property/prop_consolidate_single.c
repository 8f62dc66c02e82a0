/* prop_consolidate_single.c - no node of a small cluster is left that one legal step removes, and
 * letting pods wait never saves less.
 *
 * Where the steps of a consolidation lead, each node is emptied in every way there is: all its pods
 * are evicted at once and placed one after the other, in every order and on every node, by the
 * reference of placing (place_reference.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "tests/property/consolidate_world.h"
#include "tests/property/place_reference.h"

#define FEW_NODES 5
#define FEW_PODS  4 /* on a node that is tried: there are 4! orders of them */

static const struct ref_profile kube = {.filter = {
                                            [REF_NODE_UNSCHEDULABLE] = true,
                                            [REF_NODE_NAME] = true,
                                            [REF_TAINTS] = true,
                                            [REF_NODE_AFFINITY] = true,
                                            [REF_NODE_PORTS] = true,
                                            [REF_FIT] = true,
                                            [REF_SPREAD] = true,
                                            [REF_POD_AFFINITY] = true,
                                        }};

/* ---- asking the reference ---------------------------------------------------------------- */

struct asking {
    struct stow_snapshot *s;
    struct ref_cluster *c;
    stow_pod_id pod[PODS];    /* per pod of the world */
    stow_node_id node[NODES]; /* per node; STOW_NONE: it is not there */
};

static void open_asking(struct asking *a, const struct world *w)
{
    a->s = world_load(w);
    a->c = malloc(sizeof(*a->c));
    if (!a->s || !a->c || !ref_open(a->c, a->s, NULL))
        abort();
    for (uint32_t i = 0; i < w->nodes; i++)
        a->node[i] =
            w->node[i].there ? stow_node_find(a->s, stow_str_of(w->node[i].name)) : STOW_NONE;
    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        const uint32_t number = world_pod(w, a->s->pod[i].name);

        if (number < PODS)
            a->pod[number] = i;
    }
}

static void close_asking(struct asking *a)
{
    stow_snapshot_unref(a->s);
    free(a->c);
}

/* The first pod that may not be where it is; PODS: there is none. */
static uint32_t find_wrong(const struct world *w)
{
    struct asking a;
    uint32_t wrong = PODS;

    open_asking(&a, w);
    for (uint32_t i = 0; i < w->pods && wrong == PODS; i++) {
        const stow_node_id node = a.node[w->pod[i].on];

        ref_remove(a.c, a.pod[i]);
        if (ref_dropped_by(a.c, &kube, a.pod[i], node) != -1)
            wrong = i;
        ref_place(a.c, a.pod[i], node);
    }
    close_asking(&a);
    return wrong;
}

/* ---- small clusters ---------------------------------------------------------------------- */

static void strike_out(struct world *w, uint32_t pod)
{
    w->app[w->pod[pod].app].pods--;
    memmove(&w->pod[pod], &w->pod[pod + 1], (w->pods - pod - 1) * sizeof(*w->pod));
    w->pods--;
}

/* Few nodes, many constraints, and no pod where it must not be. */
static bool open_small(struct world *w, uint64_t seed)
{
    struct chance c = {seed + 17};

    if (!world_open(w, seed, false))
        return false;
    w->nodes = w->nodes < FEW_NODES ? w->nodes : FEW_NODES;
    for (uint32_t i = 0; i < w->nodes; i++)
        w->node[i].group %= w->groups;
    for (uint32_t i = 0; i < w->groups; i++)
        w->group[i].volumes = w->group[i].min = 0; /* a new node would let go of another */
    for (uint32_t i = 0; i < w->apps; i++) {
        w->app[i].mounting = NO_VOLUME;
        w->app[i].host_spread |= chance_one_in(&c, 2);
        if (w->app[i].budget != MAX_PODS)
            w->app[i].budget = NO_BUDGET;
    }
    for (uint32_t i = w->pods; i-- > 0;)
        if (w->pod[i].on >= w->nodes)
            strike_out(w, i);
    for (uint32_t wrong = find_wrong(w); wrong != PODS; wrong = find_wrong(w))
        strike_out(w, wrong);
    for (uint32_t i = 0; i < w->apps; i++)
        if (!w->app[i].pods)
            w->app[i].budget = NO_BUDGET;
    return true;
}

/* What the steps do; that each can be taken is another property. */
static void carry_out(struct world *w, const struct stow_consolidation *k)
{
    for (uint32_t i = 0; i < k->steps; i++) {
        const struct stow_step *step = &k->step[i];

        for (uint32_t n = 0; n < step->adds; n++) {
            struct node *node = &w->node[w->nodes++];

            *node = (struct node){
                .group = (uint32_t)(k->s->group[step->add[n].group].name[1] - '0'), .there = true};
            snprintf(node->name, sizeof(node->name), "%s", step->add[n].name);
        }
        for (uint32_t n = 0; n < step->moves; n++)
            w->pod[world_pod(w, k->s->pod[step->move[n].pod].name)].on =
                world_node(w, step->move[n].to);
        for (uint32_t n = 0; n < step->removes; n++)
            w->node[world_node(w, k->s->node[step->remove[n]].name)].there = false;
    }
}

/* ---- every way to empty a node ----------------------------------------------------------- */

struct emptying {
    struct world *w;
    uint32_t node;
    uint32_t pod[FEW_PODS], pods; /* on it */
    bool placed[FEW_PODS];
    struct asking a;
};

static uint32_t count_app(const struct emptying *e, uint32_t app)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < e->pods; i++)
        count += e->w->pod[e->pod[i]].app == app;
    return count;
}

static bool may_leave(const struct emptying *e, uint32_t pod)
{
    const struct app *app = &e->w->app[e->w->pod[pod].app];

    return !app->alone && !app->fixed &&
           (app->budget == NO_BUDGET || count_app(e, e->w->pod[pod].app) <= app->amount);
}

/* Whether it may be removed at all, its pods aside. */
static bool may_go(const struct emptying *e)
{
    const struct node *node = &e->w->node[e->node];
    const int64_t weight = world_weight(e->w, node->group);
    uint32_t size = 0;

    for (uint32_t i = 0; i < e->w->nodes; i++)
        size += e->w->node[i].there && e->w->node[i].group == node->group;
    return node->there && !node->fixed && size > e->w->group[node->group].min && weight > 0 &&
           weight >= e->w->options.min_saving &&
           weight > e->w->options.disruption_price * (int64_t)e->pods;
}

/* All pods are placed: do rules hold without the node? */
static bool holds_without(const struct emptying *e)
{
    struct world *w = e->w;
    const bool there = w->node[e->node].there;
    uint32_t wrong;

    w->node[e->node].there = false;
    wrong = find_wrong(w);
    w->node[e->node].there = there;
    return wrong == PODS;
}

static bool place_rest(struct emptying *e, uint32_t placed);

static bool try_place(struct emptying *e, uint32_t placed, uint32_t number, uint32_t node)
{
    const uint32_t pod = e->pod[number];
    bool good;

    if (e->a.node[node] == STOW_NONE || node == e->node ||
        ref_dropped_by(e->a.c, &kube, e->a.pod[pod], e->a.node[node]) != -1)
        return false;
    ref_place(e->a.c, e->a.pod[pod], e->a.node[node]);
    e->w->pod[pod].on = node;
    e->placed[number] = true;
    good = place_rest(e, placed + 1);
    e->placed[number] = false;
    e->w->pod[pod].on = NODES;
    ref_remove(e->a.c, e->a.pod[pod]);
    return good;
}

static bool place_rest(struct emptying *e, uint32_t placed)
{
    if (placed == e->pods)
        return holds_without(e);
    for (uint32_t i = 0; i < e->pods; i++)
        for (uint32_t node = 0; node < e->w->nodes && !e->placed[i]; node++)
            if (try_place(e, placed, i, node))
                return true;
    return false;
}

/* `gone`: its pods wait until it is. */
static bool can_empty(struct emptying *e, bool gone)
{
    struct node *node = &e->w->node[e->node];
    bool good;

    for (uint32_t i = 0; i < e->pods; i++)
        e->w->pod[e->pod[i]].on = NODES;
    node->drains = true;
    node->there = !gone;
    open_asking(&e->a, e->w);
    good = place_rest(e, 0);
    close_asking(&e->a);
    node->drains = false;
    node->there = true;
    for (uint32_t i = 0; i < e->pods; i++)
        e->w->pod[e->pod[i]].on = e->node;
    return good;
}

static bool is_left(struct world *w, uint32_t node)
{
    struct emptying e = {.w = w, .node = node};

    for (uint32_t i = 0; i < w->pods; i++) {
        if (w->pod[i].on != node)
            continue;
        if (e.pods == FEW_PODS)
            return false;
        e.pod[e.pods++] = i;
    }
    for (uint32_t i = 0; i < e.pods; i++)
        if (!may_leave(&e, e.pod[i]))
            return false;
    return may_go(&e) && (can_empty(&e, false) || (w->options.waits && can_empty(&e, true)));
}

/* ---- properties -------------------------------------------------------------------------- */

static bool no_single_step_is_left(uint64_t seed)
{
    struct world *w = calloc(1, sizeof(*w));
    struct stow_consolidation k = {0};
    struct stow_snapshot *s = NULL;
    bool good =
        w && open_small(w, seed) && (s = world_load(w)) && world_consolidate(w, s, seed % 2, &k);

    if (good)
        carry_out(w, &k);
    for (uint32_t i = 0; good && i < w->nodes && i < FEW_NODES; i++)
        if (w->node[i].there && is_left(w, i))
            good = property_fails("%s can go%s", w->node[i].name,
                                  w->options.waits ? ", pods may wait" : "");
    stow_consolidation_done(&k);
    stow_snapshot_unref(s);
    free(w);
    return good;
}

/* What is paid in the end, and what the moves must earn. */
static int64_t weight_of(const struct world *w, const struct stow_consolidation *k)
{
    return k->after.amount + w->options.disruption_price * (int64_t)k->moved;
}

static bool waiting_is_never_worse(uint64_t seed)
{
    struct world *w = calloc(1, sizeof(*w));
    struct stow_consolidation k[2] = {{0}, {0}};
    struct stow_snapshot *s = NULL;
    bool good = w && open_small(w, seed) && (s = world_load(w));

    for (int waits = 0; good && waits < 2; waits++) {
        w->options.waits = waits;
        good = world_consolidate(w, s, seed % 3 == 0, &k[waits]);
    }
    if (good && weight_of(w, &k[1]) > weight_of(w, &k[0]))
        good = property_fails("%" PRId64 " where pods may wait, %" PRId64 " where they may not",
                              weight_of(w, &k[1]), weight_of(w, &k[0]));
    for (int i = 0; i < 2; i++)
        stow_consolidation_done(&k[i]);
    stow_snapshot_unref(s);
    free(w);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"no-single-step-is-left", no_single_step_is_left, 300},
        {"waiting-is-never-worse", waiting_is_never_worse, 200},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
