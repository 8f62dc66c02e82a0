/* proof.c - the bound of a consolidation, by its proof.
 *
 * It is the proof of a plan that buys (bound.c) in another scene: all pods that may move wait for a
 * node; a node that may go costs what it costs, and there is one of it; the others are there and
 * are paid for in any case.  Whatever the steps of a consolidation lead to is such a choice of
 * nodes, so none costs less than the tree comes to, and what the nodes cost that stay.
 *
 * To keep that true for how things are, rules are wider here in four places: a pod may be where it
 * runs, though filters refuse it there or the node is overbooked; pods of a class that share a node
 * may share one; limits and sizes of groups count as if the nodes that may go were gone; and no
 * group has to be bought for.
 *
 * A pending pod for which room is kept has to be somewhere, too, and may be anywhere.
 *
 * Which nodes stay is said (`fixed`), and each must have a reason that this program finds, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/pods/detach.h"
#include "verify/consolidation/pools.h"
#include "verify/movable.h"

#define NODE STOW_NANO_PER_UNIT /* where nodes are counted, one of them */

struct staging {
    struct stow_audit *a;
    bool *mobile;            /* per pod: it may move, or room is kept for it */
    const stow_nano *weight; /* per real node */
    bool *held;              /* per real node: a pod on it may not move */
    bool *fixed, *shut;      /* per real node */
    stow_nano *price;        /* per real node */
    stow_node_id *home;      /* per pod */
    stow_i128 certain;       /* what the fixed nodes cost */
    /* what differs from the cluster as it is */
    struct stow_snapshot s;
    struct stow_detached view;
    stow_pod_id *pending;
    struct stow_group *group;
    bool *grows;
    stow_nano *group_price;
    bool *hidden;
    stow_node_id *at;
};

static void staging_done(struct staging *g)
{
    free(g->mobile);
    free(g->held);
    free(g->fixed);
    free(g->shut);
    free(g->price);
    free(g->home);
    free(g->pending);
    free(g->group);
    free(g->grows);
    free(g->group_price);
    free(g->hidden);
    free(g->at);
    stow_detached_done(&g->view);
}

static bool allocate(struct staging *g)
{
    const struct stow_audit *a = g->a;
    const size_t nodes = (size_t)a->real + 1, pods = (size_t)a->bare.s.pods + 1;
    const size_t groups = (size_t)a->s->groups + 1;

    g->mobile = calloc(pods, sizeof(*g->mobile));
    g->held = calloc(nodes, sizeof(*g->held));
    g->fixed = calloc(nodes, sizeof(*g->fixed));
    g->shut = calloc(nodes, sizeof(*g->shut));
    g->price = calloc(nodes, sizeof(*g->price));
    g->home = calloc(pods, sizeof(*g->home));
    g->pending = calloc(pods, sizeof(*g->pending));
    g->group = calloc(groups, sizeof(*g->group));
    g->grows = calloc(groups, sizeof(*g->grows));
    g->group_price = calloc(groups, sizeof(*g->group_price));
    g->hidden = calloc(pods, sizeof(*g->hidden));
    g->at = calloc(pods, sizeof(*g->at));
    return g->mobile && g->held && g->fixed && g->shut && g->price && g->home && g->pending &&
           g->group && g->grows && g->group_price && g->hidden && g->at;
}

/* ---- nodes that stay --------------------------------------------------------------------- */

static void find_held(struct staging *g)
{
    const struct stow_snapshot *s = g->a->s;

    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].node != STOW_NONE && stow_pod_counts(&s->pod[i]) && !g->mobile[i] &&
            !stow_audit_is_resident(g->a, i))
            g->held[s->pod[i].node] = true;
}

/* Whether something keeps a node: its pods, what is said of it, its group, its pool, or that
 * nothing is saved without it.  Where its place of a commitment could pass to another kind of node,
 * something is. */
static bool has_to_stay(const struct staging *g, stow_node_id node)
{
    const struct stow_audit *a = g->a;
    const stow_group_id id = a->s->node[node].group;
    const struct stow_group *group = id == STOW_NONE ? NULL : &a->s->group[id];

    return g->held[node] || stow_audit_is_kept(a, node) || stow_audit_pool_keeps(a, node) ||
           stow_audit_pool_allows_none(a, node) ||
           (g->weight[node] == 0 && !stow_audit_place_could_pass(a, node)) ||
           g->weight[node] == STOW_MONEY_UNKNOWN ||
           (group && !group->implied && group->current_nodes <= group->min_nodes);
}

static void find_fixed(struct staging *g)
{
    struct stow_audit *a = g->a;

    for (uint32_t i = 0; i < a->told.fixed.count; i++) {
        const struct stow_told_text *name = &a->told.name[a->told.fixed.first + i];
        const stow_node_id node = stow_audit_node(a, name->text);

        if (node >= a->s->nodes || g->fixed[node])
            stow_audit_wrong(a, STOW_VERIFY_BOUND, name->token,
                             "node %.*s is not in the input, or is named twice",
                             STOW_FMT(name->text));
        else if (!has_to_stay(g, node))
            stow_audit_wrong(a, STOW_VERIFY_BOUND, name->token,
                             "the proof says that node %.*s stays in any case, and it could go",
                             STOW_FMT(name->text));
        else
            g->fixed[node] = true;
    }
    for (stow_node_id i = 0; i < a->real; i++) {
        const bool coming = i >= a->s->nodes;

        g->fixed[i] |= coming;
        g->shut[i] = coming ||
                     (a->s->node[i].flags & (STOW_NODE_NOT_READY | STOW_NODE_TERMINATING)) ||
                     stow_audit_pool_refuses(a, i);
        if (coming || g->weight[i] == STOW_MONEY_UNKNOWN)
            continue;
        if (g->fixed[i])
            g->certain += g->weight[i];
        else
            g->price[i] = g->weight[i];
    }
}

/* ---- the scene --------------------------------------------------------------------------- */

/* Groups without the nodes that may go.  One that is all there or not at all is not bought from. */
static void lower_groups(struct staging *g)
{
    const struct stow_audit *a = g->a;

    for (stow_group_id i = 0; i < a->s->groups; i++) {
        g->group[i] = a->s->group[i];
        g->grows[i] = a->grows[i] && a->s->group[i].scaling != STOW_SCALING_ZERO_OR_MAX;
        g->group_price[i] = a->told.counts_nodes ? NODE : a->price[i];
    }
    for (stow_node_id i = 0; i < a->s->nodes; i++) {
        const stow_group_id group = a->s->node[i].group;

        if (!g->fixed[i] && group != STOW_NONE && g->group[group].current_nodes > 0)
            g->group[group].current_nodes--;
    }
    g->s = *a->s;
    g->s.group = g->group;
}

/* Pods that may move wait. */
static int lift_pods(struct staging *g, struct stow_err *err)
{
    const struct stow_snapshot *bare = &g->a->bare.s; /* its last pods are those of daemons */

    for (stow_pod_id i = 0; i < bare->pods; i++) {
        const bool waits = i < g->a->s->pods && g->mobile[i];

        g->home[i] = bare->pod[i].node;
        g->at[i] = waits ? STOW_NONE : bare->pod[i].node;
    }
    for (uint32_t i = 0; i < g->a->told.awaits; i++)
        g->home[g->a->pod[g->a->told.await[i].pod]] =
            stow_audit_node(g->a, g->a->told.await[i].node.text);
    return stow_detach(bare, g->at, g->hidden, &g->view, err);
}

/* What the tree comes to, asked in the scene. */
static int ask_tree(struct staging *g, stow_nano *ret, struct stow_err *err)
{
    const struct stow_standing standing = {g->price, g->fixed, g->shut, g->home};
    struct stow_audit scene = *g->a;
    int code;

    scene.s = &g->s;
    scene.bare.s = g->view.s;
    scene.standing = &standing;
    scene.grows = g->grows;
    scene.price = scene.weight = g->group_price;
    scene.pending = g->pending;
    scene.node_of = g->home; /* every one has a node */
    scene.pendings = 0;
    for (stow_pod_id i = 0; i < g->a->s->pods; i++)
        if (g->mobile[i])
            g->pending[scene.pendings++] = i;
    code = stow_audit_tree(&scene, ret, err);
    g->a->arena = scene.arena;
    g->a->failed = scene.failed;
    return code;
}

/* ---- all of it --------------------------------------------------------------------------- */

#define AMOUNT_TEXT (STOW_MONEY_TEXT + 16)

/* "0.38 per hour", "2 nodes". */
static const char *text_of(const struct stow_audit *a, stow_nano amount, char text[AMOUNT_TEXT])
{
    char money[STOW_MONEY_TEXT];

    if (a->told.counts_nodes)
        snprintf(text, AMOUNT_TEXT, "%lld node%s", (long long)(amount / NODE),
                 amount / NODE == 1 ? "" : "s");
    else
        snprintf(text, AMOUNT_TEXT, "%s per hour", stow_money_short(amount, money));
    return text;
}

static void compare(struct stow_audit *a, stow_nano proved)
{
    char is[AMOUNT_TEXT], said[AMOUNT_TEXT];

    a->out->proved = proved;
    if (a->told.bound.amount > proved)
        stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.bound.token,
                         "the proof comes to %s, and the bound says %s", text_of(a, proved, is),
                         text_of(a, a->told.bound.amount, said));
    stow_audit_holds(
        a, STOW_VERIFY_BOUND, "no choice of nodes for these pods %s %s: %u %s, %u kind%s of nodes",
        a->told.counts_nodes ? "has fewer than" : "costs less than",
        text_of(a, a->told.bound.amount, is), a->out->leaves,
        a->out->leaves == 1 ? "leaf" : "leaves", a->out->kinds, a->out->kinds == 1 ? "" : "s");
}

/* With what the fixed nodes cost; what is committed is owed in any case. */
static stow_nano whole_bound(const struct staging *g, stow_nano tree)
{
    const struct stow_audit *a = g->a;
    const stow_i128 owed = a->told.counts_nodes ? 0 : stow_audit_owed(a);
    const stow_i128 least = a->told.counts_nodes ? 0 : stow_audit_fees(a);
    const stow_i128 bound = g->certain + tree + owed;

    return (stow_nano)(bound > least ? bound : least);
}

int stow_audit_standing(struct stow_audit *a, const bool *mobile, const stow_nano *weight,
                        struct stow_err *err)
{
    STOW_AUTO(staging_done) struct staging g = {.a = a, .weight = weight};
    stow_nano tree;

    if (!a->told.has_proof) {
        stow_audit_unsettled(a, STOW_VERIFY_BOUND, a->told.bound_token,
                             "not settled: there is a bound, and no proof of it");
        return STOW_OK;
    }
    if (!allocate(&g))
        return stow_fail_memory(err);
    memcpy(g.mobile, mobile, a->s->pods * sizeof(*mobile));
    for (uint32_t i = 0; i < a->told.awaits; i++)
        g.mobile[a->pod[a->told.await[i].pod]] = true;
    find_held(&g);
    find_fixed(&g);
    if (!stow_audit_fine(a, STOW_VERIFY_BOUND))
        return STOW_OK;
    lower_groups(&g);
    STOW_TRY(lift_pods(&g, err));
    STOW_TRY(ask_tree(&g, &tree, err));
    if (stow_audit_fine(a, STOW_VERIFY_BOUND))
        compare(a, whole_bound(&g, tree));
    return STOW_OK;
}
