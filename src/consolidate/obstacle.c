/* obstacle.c - what keeps a pod off a node while nodes are emptied.
 *
 * The yard answers yes or no, and fast.  Here the filters of the profile are gone through in their
 * order until the one is found that says no: those about one node are asked themselves, in the
 * state below the yard; of those that the yard works out by itself the reason is read off it. */
#include "consolidate/obstacle.h"

#include "model/values/amount.h"
#include "place/counts/attached.h"
#include "place/filters/ports.h"
#include "place/place.h"
#include "place/rules.h"
#include "scale/yard/rules.h"

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

static int name_lack(const struct looking *l, uint32_t dim, struct stow_obstacle *ret)
{
    const struct stow_snapshot *s = l->yard->s;
    const int64_t free = l->yard->free[dim][l->node];

    ret->resource = l->yard->resource[dim];
    ret->wanted = class_of(l)->need[dim];
    ret->free = free < 0 ? 0 : free;
    ret->text = ret->resource == STOW_RESOURCE_PODS
                    ? "Too many pods"
                    : stow_arena_printf(l->arena, "Insufficient %.*s",
                                        STOW_FMT(stow_text(s, s->resource[ret->resource])));
    return ret->text ? 1 : STOW_ENOMEM;
}

/* All that the node has too little of. */
static int look_at_room(struct looking *l)
{
    const struct stow_yard_class *class = class_of(l);
    const struct stow_obstacle blank = *l->ret;
    struct stow_obstacle *last = NULL;

    for (uint32_t i = 0; i < class->dims; i++) {
        const uint32_t dim = class->dim[i];
        struct stow_obstacle *lack;

        if (dim >= l->yard->resource_dims || l->yard->free[dim][l->node] >= class->need[dim])
            continue;
        lack = last ? stow_arena_copy(l->arena, &blank, sizeof(blank)) : l->ret;
        if (!lack || name_lack(l, dim, lack) < 0)
            return STOW_ENOMEM;
        if (last)
            last->more = lack;
        last = lack;
    }
    return last != NULL;
}

/* Volumes of a driver's dimension that the pod would bring to the node. */
static int64_t new_volumes(const struct looking *l, uint32_t dim)
{
    const struct stow_yard_class *class = class_of(l);
    int64_t more = class->need[dim];

    for (uint32_t i = 0; i < class->uses; i++)
        more += class->use[i].dim == dim && !l->yard->volume[class->use[i].volume].at[l->node];
    return more;
}

static int look_at_volumes(struct looking *l)
{
    const struct stow_yard *yard = l->yard;

    for (uint32_t dim = yard->resource_dims; dim < yard->dims; dim++) {
        const uint32_t driver = yard->driver[dim - yard->resource_dims];
        const int64_t more = new_volumes(l, dim), free = yard->free[dim][l->node];
        const stow_node_id like = stow_yard_template(yard, l->node);
        const int32_t limit =
            yard->state->attached.limit[(size_t)driver * yard->state->nodes + like];

        if (more <= 0 || free >= more)
            continue;
        l->ret->text = STOW_REASON_VOLUME_LIMIT;
        l->ret->detail =
            stow_arena_printf(l->arena, "%lld more of %.*s, has %lld of %d", (long long)more,
                              STOW_FMT(stow_text(yard->s, yard->s->mounts->driver[driver])),
                              (long long)(limit - free), limit);
        return l->ret->detail ? 1 : STOW_ENOMEM;
    }
    return 0;
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
               ? ", which is still there while it is emptied (--spread-on-removal strict)"
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
    l->ret->brief = why.no_label ? stow_deck_name(l->deck, l->node)
                                 : stow_arena_printf(l->arena, "%u matching pod%s with %s",
                                                     why.count, why.count == 1 ? "" : "s",
                                                     stow_deck_name(l->deck, l->node));
    l->ret->over = why.over;
    return l->ret->words && l->ret->brief ? 1 : STOW_ENOMEM;
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
    return l->arena->failed ? STOW_ENOMEM : 1;
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
    const struct stow_filter_rule *rule = filter->rule;
    int code;

    if (rule == &stow_filter_node_resources_fit)
        return look_at_room(l);
    if (rule == &stow_filter_topology_spread)
        return look_at_spread(l);
    if (rule == &stow_filter_inter_pod_affinity) {
        struct stow_affinity_refusal why = {0};
        const bool refused = stow_yard_affinity_refuses(l->yard, l->class, l->node, &why);

        return say(l, refused, why.text);
    }
    if (rule == &stow_filter_node_ports)
        return say(l, clashes(l) && has_ports(l),
                   "node(s) didn't have free ports for the requested pod ports");
    code = rule->scope == STOW_SCOPE_CLUSTER || passes(l) ? 0 : ask(l, filter);
    if (code != 0)
        return code;
    if (rule == &stow_filter_node_volume_limits)
        return look_at_volumes(l);
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

#define WHOLE INT64_C(1000000) /* all that is wanted; and a step from one filter to the next */

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
    const struct stow_yard_class *class = class_of(l);
    int64_t part, over;

    if (!passes(l))
        return 0;
    part = part_free(l->yard, class, l->node);
    if (part < WHOLE)
        return 1 + part;
    if (clashes(l) || !stow_yard_volumes_allow(l->yard, class, l->node))
        return 2 * WHOLE;
    over = stow_yard_spread_excess(l->yard, l->class, l->node);
    return over <= 0 ? 4 * WHOLE : 3 * WHOLE - (over < WHOLE ? over : WHOLE - 1);
}

uint32_t stow_deck_closest(struct stow_deck *deck, stow_pod_id pod)
{
    struct looking l = {
        .deck = deck, .yard = deck->yard, .pod = pod, .class = deck->yard->class_of[pod]};
    const uint32_t at = deck->at[pod];
    uint32_t best = STOW_NONE;
    int64_t most = -1;

    if (at != STOW_NONE)
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
    if (at != STOW_NONE)
        stow_yard_shift(deck->yard, l.class, at, 1);
    return best;
}

const char *stow_deck_name(const struct stow_deck *deck, uint32_t node)
{
    const struct stow_yard *yard = deck->yard;

    return node < yard->real ? yard->s->node[node].name
                             : yard->s->group[yard->group_of[node - yard->real]].name;
}

/* "Insufficient cpu: wants 2.00, free 1.41; Insufficient memory: ... on n2" */
static const char *say_lacks(const struct stow_obstacle *o, const struct stow_snapshot *s,
                             const char *node, struct stow_arena *arena)
{
    const char *text = "";

    for (; o && text; o = o->more) {
        char wanted[STOW_AMOUNT_TEXT], free[STOW_AMOUNT_TEXT];

        text = stow_arena_printf(arena, "%s%s%s: wants %s, free %s", text, text[0] ? "; " : "",
                                 o->text, stow_amount_short(s, o->resource, o->wanted, wanted),
                                 stow_amount_short(s, o->resource, o->free, free));
    }
    return text ? stow_arena_printf(arena, "%s on %s", text, node) : NULL;
}

const char *stow_obstacle_text(const struct stow_obstacle *o, const struct stow_snapshot *s,
                               const char *node, struct stow_arena *arena)
{
    if (o->words)
        return stow_arena_text(arena, stow_str_of(o->words));
    if (o->resource != STOW_NONE)
        return say_lacks(o, s, node, arena);
    if (o->detail)
        return stow_arena_printf(arena, "%s on %s: %s", o->text, node, o->detail);
    return stow_arena_printf(arena, "%s on %s", o->text, node);
}

const char *stow_obstacle_brief(const struct stow_obstacle *o, const struct stow_snapshot *s,
                                const char *node, struct stow_arena *arena)
{
    char free[STOW_AMOUNT_TEXT];

    if (o->brief)
        return stow_arena_text(arena, stow_str_of(o->brief));
    if (o->resource != STOW_NONE)
        return stow_arena_printf(arena, "%s on %s",
                                 stow_amount_short(s, o->resource, o->free, free), node);
    if (o->detail)
        return stow_arena_printf(arena, "%s: %s", node, o->detail);
    return node;
}

struct stow_kept_reason stow_obstacle_reason(const struct stow_obstacle *o,
                                             const struct stow_snapshot *s, const char *node,
                                             stow_pod_id pod, struct stow_arena *arena)
{
    return (struct stow_kept_reason){
        .pod = pod,
        .rule = o->rule,
        .text = stow_obstacle_text(o, s, node, arena),
        .nodes = 1,
        .node = node,
        .resource = o->resource,
        .wanted = o->wanted,
        .free = o->free,
    };
}
