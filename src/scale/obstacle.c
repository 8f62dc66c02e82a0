/* obstacle.c - what keeps a pod off a node while nodes are emptied.
 *
 * The yard answers yes or no, and fast.  Here the filters of the profile are gone through in their
 * order until the one is found that says no: those about one node are asked themselves, in the
 * state below the yard; of those that the yard works out by itself the reason is read off it. */
#include "scale/obstacle.h"

#include "model/amount.h"
#include "place/attached.h"
#include "place/place.h"
#include "place/ports.h"
#include "place/rules.h"
#include "scale/yard_parts.h"

struct looking {
    struct stow_deck *deck;
    struct stow_yard *yard;
    stow_pod_id pod;
    uint32_t class, node;
    struct stow_arena *arena;
    struct stow_obstacle *ret;
};

static const struct stow_yard_class *class_of(const struct looking *l)
{
    return &l->yard->class[l->class];
}

/* ---- room -------------------------------------------------------------------------------- */

static int look_at_room(struct looking *l)
{
    const struct stow_yard_class *class = class_of(l);
    const struct stow_snapshot *s = l->yard->s;

    for (uint32_t i = 0; i < class->dims; i++) {
        const uint32_t dim = class->dim[i];
        const stow_resource_id resource = dim < l->yard->resource_dims ? l->yard->resource[dim] : 0;

        if (dim >= l->yard->resource_dims || l->yard->free[dim][l->node] >= class->need[dim])
            continue;
        l->ret->text = resource == STOW_RESOURCE_PODS
                           ? "Too many pods"
                           : stow_arena_printf(l->arena, "Insufficient %.*s",
                                               STOW_FMT(stow_text(s, s->resource[resource])));
        l->ret->resource = resource;
        l->ret->wanted = class->need[dim];
        l->ret->free = l->yard->free[dim][l->node] < 0 ? 0 : l->yard->free[dim][l->node];
        return l->ret->text ? 1 : STOW_ENOMEM;
    }
    return 0;
}

static bool lacks_volumes(const struct looking *l)
{
    const struct stow_yard_class *class = class_of(l);

    for (uint32_t i = 0; i < class->dims; i++)
        if (class->dim[i] >= l->yard->resource_dims &&
            l->yard->free[class->dim[i]][l->node] < class->need[class->dim[i]])
            return true;
    return !stow_yard_claim_taken(l->yard, class) &&
           !stow_yard_volumes_allow(l->yard, class, l->node);
}

static bool clashes(const struct looking *l)
{
    return class_of(l)->clash != STOW_NONE && l->yard->taken[class_of(l)->clash][l->node];
}

/* ---- rules over several pods ------------------------------------------------------------- */

/* Why the emptiest domain is there at all. */
static const char *still_there(const struct looking *l, uint32_t node)
{
    const struct stow_yard *yard = l->yard;

    return node < yard->real && yard->drained && yard->drained[node]
               ? ", which is still there while it is emptied (see --spread-on-removal)"
               : "";
}

static const char *say_spread(const struct looking *l, const struct stow_spread_refusal *why)
{
    const struct stow_str key = stow_text(l->yard->s, why->key);
    const char *here = stow_deck_name(l->deck, l->node), *pods = why->count == 1 ? "" : "s";

    if (why->no_label)
        return stow_arena_printf(l->arena, "node %s has no label %.*s", here, STOW_FMT(key));
    if (why->node == STOW_NONE)
        return stow_arena_printf(l->arena,
                                 "maxSkew %d over %.*s: %u matching pod%s with %s, and %u domains "
                                 "of the %d that minDomains asks for",
                                 why->max_skew, STOW_FMT(key), why->count, pods, here, why->domains,
                                 why->min_domains);
    return stow_arena_printf(l->arena,
                             "maxSkew %d over %.*s: %u matching pod%s with %s, %u with %s%s",
                             why->max_skew, STOW_FMT(key), why->count, pods, here, why->least,
                             stow_deck_name(l->deck, why->node), still_there(l, why->node));
}

static int look_at_spread(struct looking *l)
{
    struct stow_spread_refusal why;

    if (!stow_yard_spread_refuses(l->yard, l->class, l->node, &why))
        return 0;
    l->ret->text = "node(s) didn't match pod topology spread constraints";
    l->ret->words = say_spread(l, &why);
    return l->ret->words ? 1 : STOW_ENOMEM;
}

/* ---- one filter -------------------------------------------------------------------------- */

/* A filter about one node only, in the state below the yard. */
static int ask(struct looking *l, const struct stow_profile_filter *filter)
{
    const struct stow_state *state = l->yard->state;
    const struct stow_subject subject = stow_subject_of(l->yard->s, l->pod);
    const stow_node_id node = stow_yard_template(l->yard, l->node);
    struct stow_reasons why = {.arena = l->arena};
    const void *prep = NULL;
    uint8_t fits = 1;
    const int code = stow_prepare_filter(filter, state, &subject, l->arena, &prep);

    if (code < 0 || code == STOW_PREPARED_SKIP)
        return code < 0 ? code : 0;
    if (code == STOW_PREPARED)
        filter->rule->check(filter->self, prep, state, &subject, &node, 1, &fits);
    if (code == STOW_PREPARED && fits)
        return 0;
    filter->rule->explain(filter->self, prep, state, &subject, node, &why);
    l->ret->text = why.count ? why.reason[0].text : filter->rule->summary;
    l->ret->detail = why.count ? why.reason[0].detail : NULL;
    return 1;
}

static int say(struct looking *l, bool refused, const char *text)
{
    if (refused)
        l->ret->text = text;
    return refused;
}

/* Host ports and disks share their columns: a pod has both rarely, and then ports are named. */
static bool has_ports(const struct looking *l)
{
    const struct stow_snapshot *s = l->yard->s;

    return stow_ports_any(s, stow_spec(s, s->pod[l->pod].spec));
}

/* Filters about one node only have been asked when the yard was made. */
static bool passes(const struct looking *l)
{
    const struct stow_yard *yard = l->yard;
    const struct stow_yard_class *class = class_of(l);

    return l->node < yard->real ? class->on_real[l->node]
                                : class->on_group[yard->group_of[l->node - yard->real]];
}

static int look(struct looking *l, const struct stow_profile_filter *filter)
{
    const struct stow_filter *rule = filter->rule;
    int code;

    if (rule == &stow_filter_node_resources_fit)
        return look_at_room(l);
    if (rule == &stow_filter_topology_spread)
        return look_at_spread(l);
    if (rule == &stow_filter_inter_pod_affinity) {
        const char *text = stow_yard_affinity_refuses(l->yard, l->class, l->node);

        return say(l, text != NULL, text);
    }
    if (rule == &stow_filter_node_ports)
        return say(l, clashes(l) && has_ports(l),
                   "node(s) didn't have free ports for the requested pod ports");
    code = rule->scope == STOW_SCOPE_CLUSTER || passes(l) ? 0 : ask(l, filter);
    if (code != 0)
        return code;
    if (rule == &stow_filter_node_volume_limits)
        return say(l, lacks_volumes(l), STOW_REASON_VOLUME_LIMIT);
    if (rule == &stow_filter_volume_restrictions && clashes(l) && !has_ports(l))
        return say(l, true, "node(s) had no available disk");
    return rule == &stow_filter_volume_restrictions
               ? say(l, stow_yard_claim_taken(l->yard, class_of(l)), STOW_REASON_SOLE_CLAIM)
               : 0;
}

static int look_at_all(struct looking *l)
{
    const struct stow_profile *profile = l->yard->profile;

    for (uint32_t i = 0; i < profile->filters; i++) {
        int code;

        *l->ret = (struct stow_obstacle){
            .filter = i, .rule = profile->filter[i].rule->name, .resource = STOW_NONE};
        code = look(l, &profile->filter[i]);
        if (code != 0)
            return code;
    }
    return 0;
}

int stow_deck_obstacle(struct stow_deck *deck, stow_pod_id pod, uint32_t node,
                       struct stow_arena *arena, struct stow_obstacle *ret)
{
    struct looking l = {deck, deck->yard, pod, deck->yard->class_of[pod], node, arena, ret};
    const uint32_t at = deck->at[pod];
    int code;

    if (at != STOW_NONE)
        stow_yard_shift(deck->yard, l.class, at, -1);
    code = look_at_all(&l);
    if (at != STOW_NONE)
        stow_yard_shift(deck->yard, l.class, at, 1);
    return deck->yard->failed ? STOW_ENOMEM : code;
}

/* ---- the closest ------------------------------------------------------------------------- */

#define WHOLE 1000000 /* all that is wanted; and a step from one filter to the next */

/* The part of what is wanted that the node has, of what it lacks most. */
static int64_t part_free(const struct stow_yard *yard, const struct stow_yard_class *class,
                         uint32_t node)
{
    int64_t least = WHOLE;

    for (uint32_t i = 0; i < class->dims; i++) {
        const int64_t need = class->need[class->dim[i]], free = yard->free[class->dim[i]][node];
        const int64_t part = free <= 0 ? 0 : (int64_t)((stow_i128)free * WHOLE / need);

        least = free < need && part < least ? part : least;
    }
    return least;
}

/* The more, the later the filter that refuses. */
static int64_t closeness(const struct looking *l)
{
    struct stow_yard_class *class = &l->yard->class[l->class];
    int64_t part;

    if (!passes(l))
        return 0;
    part = part_free(l->yard, class, l->node);
    if (part < WHOLE)
        return 1 + part;
    if (clashes(l) || !stow_yard_volumes_allow(l->yard, class, l->node))
        return 2 * WHOLE;
    return stow_yard_spread_allows(l->yard, class, l->node) ? 4 * WHOLE : 3 * WHOLE;
}

uint32_t stow_deck_closest(struct stow_deck *deck, stow_pod_id pod)
{
    struct looking l = {
        .deck = deck, .yard = deck->yard, .pod = pod, .class = deck->yard->class_of[pod]};
    const uint32_t at = deck->at[pod];
    uint32_t best = STOW_NONE;
    int64_t most = -1;

    stow_yard_shift(deck->yard, l.class, at, -1);
    for (l.node = 0; l.node < deck->yard->nodes; l.node++) {
        const bool open = !deck->gone[l.node] && !deck->shut[l.node] && l.node != at &&
                          !(l.node < deck->yard->real && deck->closed[l.node]);
        const int64_t close = open ? closeness(&l) : -1;

        if (close <= most)
            continue;
        most = close;
        best = l.node;
    }
    stow_yard_shift(deck->yard, l.class, at, 1);
    return best;
}

const char *stow_deck_name(const struct stow_deck *deck, uint32_t node)
{
    const struct stow_yard *yard = deck->yard;

    return node < yard->real ? yard->s->node[node].name
                             : yard->s->group[yard->group_of[node - yard->real]].name;
}

const char *stow_obstacle_text(const struct stow_obstacle *o, const struct stow_snapshot *s,
                               const char *node, struct stow_arena *arena)
{
    char wanted[STOW_AMOUNT_TEXT], free[STOW_AMOUNT_TEXT];

    if (o->words)
        return stow_arena_text(arena, stow_str_of(o->words));
    if (o->resource != STOW_NONE)
        return stow_arena_printf(arena, "%s: wants %s, free %s on %s", o->text,
                                 stow_amount_short(s, o->resource, o->wanted, wanted),
                                 stow_amount_short(s, o->resource, o->free, free), node);
    if (o->detail)
        return stow_arena_printf(arena, "%s on %s: %s", o->text, node, o->detail);
    return stow_arena_printf(arena, "%s on %s", o->text, node);
}
