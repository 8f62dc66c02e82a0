/* consolidate_why.c - every node that stays, and why.
 *
 * What holds a node in any case is known before anything is searched: pods that must not move,
 * annotations, sizes of groups, no price.  Of the others the answer is found by trying: once all
 * steps are taken, the node is emptied by itself, large pods first.  A pod that finds no place has
 * a reason on every other node; those that say the same are one, and the node that comes closest
 * stands for them.  Of all reasons the one that is closest to fitting comes first: the filter that
 * is asked last, then the smallest part that is missing. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/obstacle.h"

/* Reasons of a node while they are found. */
struct whys {
    struct stow_kept_reason *item;
    uint32_t count, cap;
};

/* Nodes that refuse a pod in the same words. */
struct refusal {
    struct stow_obstacle closest;
    uint32_t node, nodes;
};

struct explaining {
    struct stow_consolidating *c;
    struct stow_arena *arena;
    bool all; /* every reason is wanted, not only the first */
    struct whys why;
    struct refusal *refusal; /* of one pod */
    uint32_t refusals, refusal_cap;
    struct stow_arena scratch; /* what is asked about one pod */
};

static void explaining_done(struct explaining *e)
{
    free(e->why.item);
    free(e->refusal);
    stow_arena_done(&e->scratch);
}

static const char *name_of(const struct explaining *e, uint32_t node)
{
    const struct stow_consolidating *c = e->c;
    const uint32_t real = c->deck.yard->real;

    return node < real ? c->deck.s->node[node].name : c->name[node - real];
}

static int add_why(struct explaining *e, const struct stow_kept_reason *why)
{
    struct stow_kept_reason *made = STOW_PUSH(&e->why.item, &e->why.count, &e->why.cap);

    if (!made || !why->text)
        return STOW_ENOMEM;
    *made = *why;
    return STOW_OK;
}

/* A reason that is not about amounts. */
static int say(struct explaining *e, stow_pod_id pod, const char *rule, const char *text)
{
    return add_why(e, &(struct stow_kept_reason){
                          .pod = pod, .rule = rule, .text = text, .resource = STOW_NONE});
}

/* ---- pods that find no place ------------------------------------------------------------- */

static bool is_about_same(const struct stow_obstacle *a, const struct stow_obstacle *b)
{
    return a->filter == b->filter && strcmp(a->text, b->text) == 0;
}

/* Less of what is wanted is missing. */
static bool is_closer(const struct stow_obstacle *a, const struct stow_obstacle *b)
{
    if (a->filter != b->filter)
        return a->filter > b->filter;
    if (a->resource == STOW_NONE || b->resource == STOW_NONE)
        return a->resource != STOW_NONE && b->resource == STOW_NONE;
    return (stow_i128)a->free * b->wanted > (stow_i128)b->free * a->wanted;
}

static int note_refusal(struct explaining *e, const struct stow_obstacle *o, uint32_t node)
{
    struct refusal *to = NULL;

    for (uint32_t i = 0; i < e->refusals && !to; i++)
        if (is_about_same(&e->refusal[i].closest, o))
            to = &e->refusal[i];
    if (!to) {
        to = STOW_PUSH(&e->refusal, &e->refusals, &e->refusal_cap);
        if (!to)
            return STOW_ENOMEM;
        *to = (struct refusal){*o, node, 0};
    }
    to->nodes++;
    if (is_closer(o, &to->closest)) {
        to->closest = *o;
        to->node = node;
    }
    return STOW_OK;
}

static int closest_first(const void *a, const void *b)
{
    const struct refusal *x = a, *y = b;

    if (is_closer(&x->closest, &y->closest) != is_closer(&y->closest, &x->closest))
        return is_closer(&x->closest, &y->closest) ? -1 : 1;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return strcmp(x->closest.text, y->closest.text);
}

static int ask_node(struct explaining *e, stow_pod_id pod, uint32_t node)
{
    struct stow_deck *deck = &e->c->deck;
    struct stow_obstacle o = {.rule = "node-ready",
                              .text = "the node is not ready, or on its way",
                              .resource = STOW_NONE};
    int code = 1;

    if (!(node < deck->yard->real && deck->closed[node]))
        code = stow_deck_obstacle(deck, pod, node, &e->scratch, &o);
    return code > 0 ? note_refusal(e, &o, node) : code;
}

/* Why a pod may go to none of the nodes there are; where one reason will do, to the closest. */
static int ask_nodes(struct explaining *e, stow_pod_id pod)
{
    const struct stow_deck *deck = &e->c->deck;
    const uint32_t closest = e->all ? STOW_NONE : stow_deck_closest(&e->c->deck, pod);

    e->refusals = 0;
    stow_arena_reset(&e->scratch);
    if (closest != STOW_NONE)
        return ask_node(e, pod, closest);
    for (uint32_t node = 0; node < deck->yard->nodes; node++)
        if (!deck->gone[node] && !deck->shut[node] && node != deck->at[pod])
            STOW_TRY(ask_node(e, pod, node));
    if (e->refusals > 1)
        qsort(e->refusal, e->refusals, sizeof(*e->refusal), closest_first);
    return STOW_OK;
}

static int say_refusals(struct explaining *e, stow_pod_id pod)
{
    STOW_TRY(ask_nodes(e, pod));
    for (uint32_t i = 0; i < e->refusals && (e->all || i == 0); i++) {
        const struct refusal *r = &e->refusal[i];
        const char *node = name_of(e, r->node);

        STOW_TRY(add_why(e, &(struct stow_kept_reason){
                                .pod = pod,
                                .rule = r->closest.rule,
                                .text = stow_obstacle_text(&r->closest, e->c->s, node, e->arena),
                                .nodes = r->nodes,
                                .node = node,
                                .resource = r->closest.resource,
                                .wanted = r->closest.wanted,
                                .free = r->closest.free,
                            }));
    }
    if (!e->refusals)
        return say(e, pod, "nodes", "there is no other node");
    return STOW_OK;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* The cheapest group that could take the pod on a node of its own; STOW_NONE: none could. */
static stow_group_id cheapest_for(const struct explaining *e, stow_pod_id pod)
{
    const struct stow_consolidating *c = e->c;
    stow_group_id best = STOW_NONE;

    for (stow_group_id g = 0; g < c->s->groups; g++)
        if (c->group_price[g] != STOW_MONEY_UNKNOWN &&
            stow_yard_fresh_room(c->deck.yard, c->deck.yard->class_of[pod], g) &&
            stow_session_may_add(&c->session, g, NULL) &&
            (best == STOW_NONE || c->group_price[g] < c->group_price[best]))
            best = g;
    return best;
}

static int say_groups(struct explaining *e, stow_node_id node, stow_pod_id pod)
{
    const struct stow_consolidating *c = e->c;
    const stow_group_id group = cheapest_for(e, pod);
    char price[STOW_WEIGHT_TEXT], cheapest[STOW_WEIGHT_TEXT];
    const char *text;

    stow_weight_text(c, c->price[node], price);
    if (group == STOW_NONE)
        text = stow_arena_printf(e->arena, "no group that nodes can be bought from takes it");
    else
        text = stow_arena_printf(e->arena,
                                 "no cheaper group: needs a price below %s, and the cheapest that "
                                 "takes it, %s, costs %s",
                                 price, c->s->group[group].name,
                                 stow_weight_text(c, c->group_price[group], cheapest));
    if (c->options->counts_nodes || (group != STOW_NONE && c->group_price[group] < c->price[node]))
        return STOW_OK; /* one for one is no fewer; or it is cheaper, and others are in the way */
    return say(e, pod, "price", text);
}

/* ---- a node emptied by itself ------------------------------------------------------------ */

/* Each pod goes where it fits; `*ret` is whether all did. */
static int empty_out(struct explaining *e, stow_node_id node, const struct stow_pod_list *pods,
                     bool *ret)
{
    struct stow_deck *deck = &e->c->deck;

    *ret = true;
    for (uint32_t i = 0; i < pods->count && (*ret || e->all); i++) {
        const uint32_t to = stow_deck_find(deck, pods->pod[i]);

        if (to != STOW_NONE) {
            stow_deck_move(deck, pods->pod[i], to);
            continue;
        }
        *ret = false;
        STOW_TRY(say_refusals(e, pods->pod[i]));
        if (e->all)
            STOW_TRY(say_groups(e, node, pods->pod[i]));
    }
    return STOW_OK;
}

/* Its pods fit elsewhere: what it saves is too little. */
static int say_price(struct explaining *e, stow_node_id node, uint32_t pods)
{
    const struct stow_consolidating *c = e->c;
    const struct stow_consolidate_options *o = c->options;
    char price[STOW_WEIGHT_TEXT], least[STOW_MONEY_TEXT];
    const char *is = o->counts_nodes ? "is" : "costs";

    stow_weight_text(c, c->price[node], price);
    if (c->price[node] < o->min_saving)
        return say(e, STOW_NONE, "min-saving",
                   stow_arena_printf(e->arena, "it %s %s, less than --min-saving %s", is, price,
                                     stow_option_text(c, o->min_saving, least)));
    if ((stow_i128)c->price[node] <= (stow_i128)o->disruption_price * pods)
        return say(e, STOW_NONE, "disruption-price",
                   stow_arena_printf(e->arena,
                                     "it %s %s, and %u pod%s would have to move at "
                                     "--disruption-price %s",
                                     is, price, pods, pods == 1 ? "" : "s",
                                     stow_option_text(c, o->disruption_price, least)));
    return STOW_OK;
}

/* With the node gone, somebody's rules do not hold. */
static int say_broken(struct explaining *e)
{
    struct stow_deck *deck = &e->c->deck;
    const stow_pod_id pod = stow_deck_broken(deck);
    struct stow_obstacle o;
    int code;

    if (pod == STOW_NONE)
        return STOW_OK;
    code = stow_deck_obstacle(deck, pod, deck->at[pod], e->arena, &o);
    if (code <= 0)
        return code;
    return add_why(e, &(struct stow_kept_reason){
                          .pod = pod,
                          .rule = o.rule,
                          .text = stow_arena_printf(
                              e->arena, "without this node: %s",
                              stow_obstacle_text(&o, e->c->s, name_of(e, deck->at[pod]), e->arena)),
                          .nodes = 1,
                          .node = name_of(e, deck->at[pod]),
                          .resource = STOW_NONE,
                      });
}

static int try_alone(struct explaining *e, stow_node_id node)
{
    struct stow_deck *deck = &e->c->deck;
    STOW_AUTO(stow_pod_list_done) struct stow_pod_list pods = {0};
    bool all = false;

    STOW_TRY(stow_deck_gather(deck, node, &pods));
    stow_deck_sort(deck, &pods);
    stow_deck_drain(deck, node, stow_drain_of(e->c->options));
    STOW_TRY(empty_out(e, node, &pods, &all));
    if (all) {
        STOW_TRY(say_price(e, node, pods.count));
        stow_deck_shut(deck, node);
        if (!e->why.count || e->all)
            STOW_TRY(say_broken(e));
    }
    return deck->failed ? STOW_ENOMEM : STOW_OK;
}

/* ---- one node ---------------------------------------------------------------------------- */

/* All pods that hold it, and the node's own reason. */
static int say_held(struct explaining *e, stow_node_id node)
{
    struct stow_consolidating *c = e->c;
    const char *own = c->kept[node];
    bool said = false;

    for (stow_pod_id i = 0; i < c->s->pods; i++) {
        const char *rule = NULL;
        const char *text =
            c->s->pod[i].node == node ? stow_hold_text(c->s, &c->movable, i, &rule) : NULL;

        if (!text)
            continue;
        said |= strcmp(text, own) == 0;
        STOW_TRY(say(e, i, rule, stow_arena_text(e->arena, stow_str_of(text))));
    }
    if (said)
        return STOW_OK;
    return say(e, STOW_NONE, c->movable.rule[node], stow_arena_text(e->arena, stow_str_of(own)));
}

static int find_whys(struct explaining *e, stow_node_id node)
{
    struct stow_consolidating *c = e->c;
    const bool late = stow_clock_seconds() > c->deadline;

    e->why.count = 0;
    if (c->kept[node])
        return e->all ? say_held(e, node) : say(e, STOW_NONE, c->movable.rule[node], c->kept[node]);
    if (!late)
        STOW_TRY(try_alone(e, node));
    stow_deck_rollback(&c->deck, c->deck.base);
    if (c->held[node] && (!e->why.count || e->all))
        STOW_TRY(say(e, STOW_NONE, "steps", c->held[node]));
    if (e->why.count)
        return STOW_OK;
    return say(e, STOW_NONE, "time-limit",
               late ? "nothing better was found within --time-limit" : "nothing cheaper was found");
}

/* The first reason, with its pod if it is about other nodes. */
static const char *in_short(const struct explaining *e, stow_node_id node)
{
    const struct stow_kept_reason *why = &e->why.item[0];
    const struct stow_pod *pod = why->pod == STOW_NONE ? NULL : &e->c->s->pod[why->pod];

    if (e->c->kept[node])
        return stow_arena_text(e->arena, stow_str_of(e->c->kept[node]));
    if (!pod)
        return why->text;
    return stow_arena_printf(e->arena, "pod %s/%s: %s%s%s", stow_text(e->c->s, pod->namespace).ptr,
                             pod->name, why->nodes ? why->rule : "", why->nodes ? ": " : "",
                             why->text);
}

static bool is_asked(const struct stow_consolidating *c, stow_node_id node)
{
    return c->options->explain && (!c->options->explain_node || c->ret->explained == node);
}

static int explain(struct explaining *e, stow_node_id node, struct stow_kept_node *ret)
{
    const struct stow_kept_reason *kept = NULL;

    e->all = is_asked(e->c, node);
    STOW_TRY(find_whys(e, node));
    if (e->all)
        kept = stow_arena_copy(e->arena, e->why.item, e->why.count * sizeof(*kept));
    *ret = (struct stow_kept_node){node, in_short(e, node), kept, e->all ? e->why.count : 0};
    return ret->reason && (kept || !e->all) ? STOW_OK : STOW_ENOMEM;
}

int stow_consolidate_why(struct stow_consolidating *c)
{
    struct stow_consolidation *ret = c->ret;
    STOW_AUTO(explaining_done) struct explaining e = {.c = c, .arena = &ret->arena};

    ret->kept = stow_arena_alloc(&ret->arena, (c->s->nodes + 1) * sizeof(*ret->kept));
    if (!ret->kept)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < c->s->nodes; i++)
        if (!c->deck.gone[i])
            STOW_TRY(explain(&e, i, &ret->kept[ret->kepts++]));
    return STOW_OK;
}
