/* open.c - what a consolidation begins with: a view of the cluster in which the pods
 * that may move wait for a node, what keeps nodes, and a deck with every pod where it runs. */
#include <stdlib.h>
#include <string.h>

#include "consolidate/consolidate_internal.h"

/* ---- the view ---------------------------------------------------------------------------- */

static void viewing_done(struct stow_viewing *v)
{
    free(v->node);
    free(v->home);
    free(v->hidden);
    free(v->pinned);
    free(v->pending);
}

/* Pods that do not move, but whose rules a move of others may break. */
static bool has_rules(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    const struct stow_pod_spec *spec = stow_spec(s, pod->spec);

    return spec->affinity_required || spec->spread;
}

static bool look_at_pods(struct stow_consolidating *c, struct stow_viewing *v)
{
    const struct stow_snapshot *s = c->s;
    const size_t pods = (size_t)s->pods + 1;

    v->node = malloc(pods * sizeof(*v->node));
    v->home = malloc(pods * sizeof(*v->home));
    v->hidden = calloc(pods, sizeof(*v->hidden));
    v->pinned = calloc(pods, sizeof(*v->pinned));
    v->pending = calloc(pods, sizeof(*v->pending));
    if (!v->node || !v->home || !v->hidden || !v->pinned || !v->pending)
        return false;
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const enum stow_keep_reason hold = c->movable.hold[i];

        v->node[i] = v->home[i] = s->pod[i].node;
        v->hidden[i] = hold == STOW_HOLD_ABSENT;
        v->pinned[i] = hold != STOW_HOLD_NONE && hold != STOW_HOLD_ABSENT &&
                       hold != STOW_HOLD_RESIDENT && has_rules(s, &s->pod[i]);
        if (hold == STOW_HOLD_NONE || v->pinned[i])
            v->node[i] = STOW_NONE;
    }
    return true;
}

/* ---- what nodes are to it ---------------------------------------------------------------- */

static bool allocate(struct stow_consolidating *c, uint32_t real)
{
    const size_t nodes = (size_t)real + 1;

    c->held = calloc(nodes, sizeof(*c->held));
    c->closed = calloc(nodes, sizeof(*c->closed));
    c->may_go = calloc(nodes, sizeof(*c->may_go));
    c->price = calloc(nodes, sizeof(*c->price));
    c->group_price = malloc((c->s->groups + 1) * sizeof(*c->group_price));
    return c->held && c->closed && c->may_go && c->price && c->group_price;
}

/* Groups that are at their smallest size keep what they have. */
static int keep_smallest(struct stow_consolidating *c)
{
    for (stow_node_id i = 0; i < c->s->nodes; i++) {
        const stow_group_id group = c->s->node[i].group;
        const struct stow_group *g = group == STOW_NONE ? NULL : &c->s->group[group];

        if (c->kept[i] || !g || g->implied || c->session.size[group] > g->min_nodes)
            continue;
        c->movable.rule[i] = "min-nodes";
        c->kept[i] = stow_arena_printf(&c->ret->arena, "group %s has no more than its minNodes, %u",
                                       g->name, g->min_nodes);
        if (!c->kept[i])
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* ---- preparing --------------------------------------------------------------------------- */

static int find_movable(struct stow_consolidating *c, stow_time now, struct stow_err *err)
{
    STOW_TRY(stow_movable_find(c->s, now, &c->movable, err));
    c->kept = malloc((c->s->nodes + 1) * sizeof(*c->kept));
    c->reserved = calloc((size_t)c->s->nodes + 1, sizeof(*c->reserved));
    if (!c->kept || !c->reserved)
        return stow_fail_memory(err);
    if (c->s->nodes)
        memcpy((void *)c->kept, (const void *)c->movable.kept, c->s->nodes * sizeof(*c->kept));
    return stow_consolidate_keep_pools(c, now) < 0 ? stow_fail_memory(err) : STOW_OK;
}

static int open_deck(struct stow_consolidating *c, const struct stow_viewing *v)
{
    STOW_TRY(stow_session_open(&c->session, c->scale, c->ground, &c->plan));
    c->open = true;
    if (!allocate(c, c->scale->extension.real))
        return STOW_ENOMEM;
    STOW_TRY(keep_smallest(c));
    stow_consolidate_keep_unpriced(c);
    STOW_TRY(stow_deck_open(&c->deck, &c->session, v));
    c->deck.closed = c->closed;
    c->deck.may_go = c->may_go;
    c->deck.price = c->price;
    c->deck.group_price = c->group_price;
    STOW_TRY(stow_consolidate_price(c));
    return stow_consolidate_limits(c);
}

int stow_consolidate_open(struct stow_consolidating *c, const struct stow_scale_input *input,
                          struct stow_err *err)
{
    STOW_AUTO(viewing_done) struct stow_viewing v = {0};
    struct stow_scale_input view = *input;

    STOW_TRY(find_movable(c, input->bill->now, err));
    if (!look_at_pods(c, &v))
        return stow_fail_memory(err);
    STOW_TRY(stow_consolidate_await(c, input, &v, err));
    STOW_TRY(stow_detach(c->s, v.node, v.hidden, &c->view, err));
    view.s = &c->view.s;
    STOW_TRY(stow_scale_new(&view, &c->scaling, &c->scale, err));
    c->ret->currency = c->scale->bill.currency;
    STOW_TRY(stow_scale_ground(c->scale, STOW_GROUND_OPEN, &c->ground, err));
    return open_deck(c, &v) < 0 ? stow_fail_memory(err) : STOW_OK;
}
