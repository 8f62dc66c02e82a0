/* why.c - every node that stays, and why.
 *
 * What holds a node in any case is known before anything is searched: pods that must not move,
 * annotations, sizes of groups, no price.  Of the others the answer is found by trying: once all
 * steps are taken, the node is emptied by itself, all its pods at once.  A pod that finds no place,
 * by itself or after the others, has a reason on every other node; those that say the same are one,
 * and the node that comes closest stands for them.  Of all reasons the one that is closest to
 * fitting comes first: the filter that is asked last, then the smallest part that is missing. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/obstacle.h"
#include "model/prices/commitments.h"
#include "model/volumes/devices.h"
#include "place/rules.h"

/* Reasons of a node while they are found. */
struct whys {
    struct stow_kept_reason *item;
    uint32_t count, cap;
};

#define NAMED 4 /* nodes: who wants to know more asks `place --explain` */

/* Nodes that refuse a pod in the same words; those that come closest are kept. */
struct refusal {
    struct stow_obstacle closest[NAMED];
    uint32_t node[NAMED], named, nodes;
};

struct explaining {
    struct stow_consolidating *c;
    struct stow_arena *arena;
    bool all; /* every reason is wanted, not only the first */
    struct whys why;
    struct refusal *refusal; /* of one pod */
    uint32_t refusals, refusal_cap;
    struct stow_arena scratch; /* what is asked about one pod */
    struct stow_seat *seat;    /* the pods of a node */
    uint32_t seats, seat_cap;
};

static void explaining_done(struct explaining *e)
{
    free(e->why.item);
    free(e->refusal);
    free(e->seat);
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
    if (a->resource == STOW_NONE && b->resource == STOW_NONE)
        return a->over < b->over;
    if (a->resource == STOW_NONE || b->resource == STOW_NONE)
        return a->resource != STOW_NONE;
    return (stow_i128)a->free * b->wanted > (stow_i128)b->free * a->wanted;
}

/* A node that refuses, in its place among those that are kept. */
static void keep_closest(struct refusal *to, const struct stow_obstacle *o, uint32_t node)
{
    uint32_t at = to->named;

    while (at > 0 && is_closer(o, &to->closest[at - 1]))
        at--;
    to->nodes++;
    if (at == NAMED)
        return;
    to->named += to->named < NAMED;
    memmove(&to->closest[at + 1], &to->closest[at], (to->named - at - 1) * sizeof(*o));
    memmove(&to->node[at + 1], &to->node[at], (to->named - at - 1) * sizeof(node));
    to->closest[at] = *o;
    to->node[at] = node;
}

static int note_refusal(struct explaining *e, const struct stow_obstacle *o, uint32_t node)
{
    struct refusal *to = NULL;

    for (uint32_t i = 0; i < e->refusals && !to; i++)
        if (is_about_same(&e->refusal[i].closest[0], o))
            to = &e->refusal[i];
    if (!to) {
        to = STOW_PUSH(&e->refusal, &e->refusals, &e->refusal_cap);
        if (!to)
            return STOW_ENOMEM;
        to->named = to->nodes = 0;
    }
    keep_closest(to, o, node);
    return STOW_OK;
}

static int closest_first(const void *a, const void *b)
{
    const struct refusal *x = a, *y = b;

    if (is_closer(x->closest, y->closest) != is_closer(y->closest, x->closest))
        return is_closer(x->closest, y->closest) ? -1 : 1;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return strcmp(x->closest[0].text, y->closest[0].text);
}

/* Where all is asked for, each thing that the node lacks is a refusal of its own. */
static int ask_node(struct explaining *e, stow_pod_id pod, uint32_t node)
{
    struct stow_deck *deck = &e->c->deck;
    struct stow_obstacle o = {
        .rule = "node-ready", .text = "the node is not ready, or upcoming", .resource = STOW_NONE};
    const bool real = node < e->c->s->nodes;
    int code = 1;

    if (real && e->c->reserved[node])
        o = (struct stow_obstacle){.rule = stow_filter_dynamic_resources.name,
                                   .text = STOW_DEVICES_NOT_SIMULATED,
                                   .detail = e->c->reserved[node],
                                   .resource = STOW_NONE};
    else if (real && stow_pools_refuse(e->c, node))
        o = (struct stow_obstacle){
            .rule = "node-pool", .text = stow_pools_refuse(e->c, node), .resource = STOW_NONE};
    if (!(node < deck->yard->real && deck->closed[node]))
        code = stow_deck_obstacle(deck, pod, node, &e->scratch, &o);
    if (code <= 0 || !e->all)
        return code > 0 ? note_refusal(e, &o, node) : code;
    for (const struct stow_obstacle *lack = &o; lack; lack = lack->more) {
        struct stow_obstacle alone = *lack;

        alone.more = NULL;
        STOW_TRY(note_refusal(e, &alone, node));
    }
    return STOW_OK;
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

/* "Insufficient cpu: wants 1.50, free 1.10 on n3; 0.50 on n2"; NULL: out of memory. */
static const char *say_refusal(const struct explaining *e, const struct refusal *r)
{
    const char *text =
        stow_obstacle_text(&r->closest[0], e->c->s, name_of(e, r->node[0]), e->arena);

    for (uint32_t i = 1; i < r->named && text; i++) {
        const char *next =
            stow_obstacle_brief(&r->closest[i], e->c->s, name_of(e, r->node[i]), e->arena);

        text = next ? stow_arena_printf(e->arena, "%s; %s", text, next) : NULL;
    }
    return text && r->nodes > r->named ? stow_arena_printf(e->arena, "%s; …", text) : text;
}

/* `when`: after that, "" if there is nothing to say about it. */
static int say_refusals(struct explaining *e, stow_pod_id pod, const char *when)
{
    STOW_TRY(ask_nodes(e, pod));
    for (uint32_t i = 0; i < e->refusals && (e->all || i == 0); i++) {
        const struct refusal *r = &e->refusal[i];
        struct stow_kept_reason why =
            stow_obstacle_reason(r->closest, e->c->s, name_of(e, r->node[0]), pod, e->arena);

        why.nodes = r->nodes;
        why.text = say_refusal(e, r);
        if (why.text && when[0])
            why.text = stow_arena_printf(e->arena, "%s%s", why.text, when);
        STOW_TRY(add_why(e, &why));
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
                                 price, c->s->group[stow_group_listed(c->s, group)].name,
                                 stow_weight_text(c, c->group_price[group], cheapest));
    if (c->options->counts_nodes || (group != STOW_NONE && c->group_price[group] < c->price[node]))
        return STOW_OK; /* one for one is no fewer; or it is cheaper, and others are in the way */
    return say(e, pod, "price", text);
}

/* ---- a node emptied by itself ------------------------------------------------------------ */

/* Its pods are evicted, large ones first among the seats. */
static int evict_pods(struct explaining *e, stow_node_id node)
{
    struct stow_deck *deck = &e->c->deck;
    STOW_AUTO(stow_pod_list_done) struct stow_pod_list pods = {0};

    STOW_TRY(stow_deck_gather(deck, node, &pods));
    stow_deck_sort(deck, &pods);
    STOW_TRY(stow_vec_reserve(&e->seat, &e->seat_cap, pods.count + 1, sizeof(*e->seat)));
    e->seats = pods.count;
    stow_deck_drain(deck, node, stow_drain_of(e->c));
    for (uint32_t i = 0; i < pods.count; i++) {
        e->seat[i] = (struct stow_seat){.pod = pods.pod[i], .to = STOW_NONE};
        stow_deck_evict(deck, pods.pod[i]);
    }
    return STOW_OK;
}

/* A pod that found no place when the first `seated` others had theirs. */
static int say_lost(struct explaining *e, stow_node_id node, uint32_t number, uint32_t seated)
{
    const stow_pod_id pod = e->seat[number].pod;
    const char *when = "";

    if (seated)
        when = stow_arena_printf(e->arena, ", once %u other pod%s of this node ha%s moved", seated,
                                 seated == 1 ? "" : "s", seated == 1 ? "s" : "ve");
    if (!when)
        return STOW_ENOMEM;
    STOW_TRY(say_refusals(e, pod, when));
    return e->all ? say_groups(e, node, pod) : STOW_OK;
}

/* Pods that find no place even if they come first, and, if there are none, those that find none
 * after the others.  `*ret` is whether all found one. */
static int seat_pods(struct explaining *e, stow_node_id node, bool *ret)
{
    struct stow_deck *deck = &e->c->deck;
    const uint32_t mark = stow_deck_mark(deck);
    const uint32_t seated = stow_deck_seat_plainly(deck, e->seat, e->seats, false);
    bool found = false;

    *ret = seated == e->seats;
    if (*ret)
        return STOW_OK;
    stow_deck_rollback(deck, mark);
    for (uint32_t i = seated; i < e->seats && (e->all || !found); i++) {
        if (stow_deck_find(deck, e->seat[i].pod) != STOW_NONE)
            continue;
        found = true;
        STOW_TRY(say_lost(e, node, i, 0));
    }
    if (found)
        return STOW_OK;
    for (uint32_t i = 0; i < seated; i++)
        stow_deck_move(deck, e->seat[i].pod, e->seat[i].to);
    for (uint32_t i = seated; i < e->seats && (e->all || i == seated); i++)
        STOW_TRY(say_lost(e, node, i, seated));
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

/* Without the node, the rules of some pod do not hold. */
static int say_broken(struct explaining *e)
{
    struct stow_deck *deck = &e->c->deck;
    const stow_pod_id pod = stow_deck_broken(deck);
    struct stow_kept_reason why;
    struct stow_obstacle o;
    int code;

    if (pod == STOW_NONE)
        return STOW_OK;
    code = stow_deck_obstacle(deck, pod, deck->at[pod], e->arena, &o);
    if (code <= 0)
        return code;
    why = stow_obstacle_reason(&o, e->c->s, name_of(e, deck->at[pod]), pod, e->arena);
    why.text = why.text ? stow_arena_printf(e->arena, "without this node: %s", why.text) : NULL;
    return add_why(e, &why);
}

/* Its group must not shrink any more. */
static int say_smallest(struct explaining *e, stow_node_id node)
{
    const struct stow_consolidating *c = e->c;
    const stow_group_id group = c->s->node[node].group;

    if (group == STOW_NONE || c->s->group[group].implied ||
        c->session.size[group] > c->s->group[group].min_nodes)
        return STOW_OK;
    return say(e, STOW_NONE, "min-nodes",
               stow_arena_printf(e->arena, "group %s has no more than its minNodes, %u",
                                 c->s->group[group].name, c->s->group[group].min_nodes));
}

/* Nor must those that share its commitment. */
static int say_committed(struct explaining *e, stow_node_id node)
{
    return stow_commitment_spare(e->c, node) > 0
               ? STOW_OK
               : say(e, STOW_NONE, "price", stow_commitment_why(e->c, node));
}

/* Budgets allow fewer of its pods at once than it has. */
static int say_budgets(struct explaining *e)
{
    const struct stow_consolidating *c = e->c;

    for (uint32_t i = 0; i < e->seats; i++) {
        const stow_pod_id pod = e->seat[i].pod;
        const uint32_t budget = c->movable.budget[pod];
        uint32_t before = 0, count = 0;

        for (uint32_t k = 0; k < e->seats; k++) {
            const bool same = c->movable.budget[e->seat[k].pod] == budget;

            before += same && k < i;
            count += same;
        }
        if (budget == STOW_NONE || before || count <= c->movable.allowed[budget])
            continue;
        STOW_TRY(say(e, pod, "pod-disruption-budget",
                     stow_arena_printf(e->arena,
                                       "PodDisruptionBudget %s/%s allows %u disruption%s at once, "
                                       "%u of its pods are here, and no smaller steps were found",
                                       stow_text(c->s, c->s->pod[pod].namespace).ptr,
                                       c->s->budget[budget].name, c->movable.allowed[budget],
                                       c->movable.allowed[budget] == 1 ? "" : "s", count)));
    }
    return STOW_OK;
}

static uint32_t count_running(const struct explaining *e)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < e->seats; i++)
        running += !e->c->deck.pending[e->seat[i].pod];
    return running;
}

/* All its pods have found places: what else keeps it. */
static int say_rest(struct explaining *e, stow_node_id node)
{
    STOW_TRY(say_price(e, node, count_running(e)));
    STOW_TRY(say_budgets(e));
    stow_deck_shut(&e->c->deck, node);
    return !e->why.count || e->all ? say_broken(e) : STOW_OK;
}

static int try_alone(struct explaining *e, stow_node_id node)
{
    bool all = false;

    STOW_TRY(say_smallest(e, node));
    STOW_TRY(say_committed(e, node));
    if (e->why.count && !e->all)
        return STOW_OK;
    STOW_TRY(evict_pods(e, node));
    STOW_TRY(seat_pods(e, node, &all));
    if (all)
        STOW_TRY(say_rest(e, node));
    return e->c->deck.failed ? STOW_ENOMEM : STOW_OK;
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

/* Why a step that would have removed it was left out: where nothing else is known, and beside it
 * if it is about the options, the limits of the step or the rules of its pool. */
static int say_step(struct explaining *e, stow_node_id node)
{
    static const char *const beside[] = {"min-saving", "disruption-price", "limit", "node-pool"};
    const struct stow_kept_reason *held = &e->c->held[node];
    bool wanted = !e->why.count;

    for (uint32_t i = 0; held->text && e->all && i < sizeof(beside) / sizeof(*beside); i++)
        wanted |= strcmp(held->rule, beside[i]) == 0;
    for (uint32_t i = 0; held->text && i < e->why.count; i++)
        wanted &= strcmp(e->why.item[i].rule, held->rule) != 0;
    return held->text && wanted ? add_why(e, held) : STOW_OK;
}

static int find_whys(struct explaining *e, stow_node_id node)
{
    struct stow_consolidating *c = e->c;
    const bool late = stow_clock_is_past(c->deadline);

    e->why.count = 0;
    if (c->kept[node])
        return e->all ? say_held(e, node) : say(e, STOW_NONE, c->movable.rule[node], c->kept[node]);
    if (!late)
        STOW_TRY(try_alone(e, node));
    stow_deck_rollback(&c->deck, c->deck.base);
    STOW_TRY(say_step(e, node));
    if (e->why.count)
        return STOW_OK;
    if (late)
        return say(e, STOW_NONE, "time-limit",
                   c->ret->stopped ? "nothing better was found before the search was stopped"
                                   : "nothing better was found within --time-limit");
    return say(e, STOW_NONE, "steps", "no order of moves was found that empties it");
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
    return stow_arena_printf(e->arena, "%spod %s/%s: %s%s%s",
                             e->c->deck.pending[why->pod] ? "pending " : "",
                             stow_text(e->c->s, pod->namespace).ptr, pod->name,
                             why->nodes ? why->rule : "", why->nodes ? ": " : "", why->text);
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
