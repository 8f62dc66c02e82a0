/* template.c - how many replicas fit where pods mind one another.
 *
 * Without such rules each node can be asked by itself, and the replicas that fit are a
 * quotient.  With them it matters who is there already: a port of the host is free
 * or not, a zone has one of them or none, the fullest zone may be ahead of the emptiest by
 * a few only.  So replicas are put on the nodes one after the other, with the filters that
 * place.h decides by, each where it is cheapest, until none fits.
 *
 * Is that the most?  Where a replica takes its place from one node or domain only, any order of
 * nodes ends with the same number; and spread ends when the emptiest domain is full and the others
 * are ahead of it by all that is allowed, whichever was first.  Rules that are mixed may end
 * with fewer than would fit; never with more.
 *
 * Nodes that a group could buy are not there to be tried.  A template that repels itself on a host
 * has one replica on each; one that repels itself in a wider domain, one in the group. */
#include "divide/members/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/values/match.h"
#include "place/engine/engine.h"
#include "place/filters/disks.h"
#include "place/filters/ports.h"

/* More replicas than this are not tried: they are room enough for anybody. */
#define REPLICAS_MAX 100000

/* ---- nodes ------------------------------------------------------------------------------- */

/* The member with replicas that wait, and what decides about them. */
struct trial {
    struct stow_snapshot s; /* the member, but for its pods */
    struct stow_state state;
    struct stow_profiles kube;
    struct stow_profile filters; /* of `kube`, without its scorers */
    struct stow_profiles profiles;
    struct stow_node_money *money;
    struct stow_engine *engine;
};

static void trial_done(struct trial *t)
{
    stow_engine_free(t->engine);
    stow_state_done(&t->state);
    stow_profiles_done(&t->kube);
    free(t->s.pod);
    free(t->money);
}

/* Pods of the member, then `count` that wait. */
static int add_replicas(struct trial *t, const struct stow_snapshot *member,
                        const struct stow_asked *asked, uint32_t count)
{
    const struct stow_pod waiting = {
        .name = "~replica",
        .namespace = asked->namespace,
        .node = STOW_NONE,
        .spec = asked->template,
        .labels = asked->labels,
    };

    t->s = *member;
    t->s.pods = member->pods + count;
    t->s.pod = calloc((size_t)t->s.pods + 1, sizeof(*t->s.pod));
    if (!t->s.pod)
        return STOW_ENOMEM;
    if (member->pods)
        memcpy(t->s.pod, member->pod, member->pods * sizeof(*member->pod));
    for (uint32_t i = 0; i < count; i++)
        t->s.pod[member->pods + i] = waiting;
    return STOW_OK;
}

/* What a replica costs on a node is what the node costs it. */
static int add_prices(struct trial *t, const struct stow_node_offer *offer)
{
    t->money = calloc((size_t)t->s.nodes + 1, sizeof(*t->money));
    for (stow_node_id i = 0; t->money && i < t->s.nodes; i++)
        t->money[i] = (struct stow_node_money){
            .price = offer[i].price,
            .median = STOW_MONEY_UNKNOWN,
            .on_demand = STOW_MONEY_UNKNOWN,
            .rate = -1,
        };
    return t->money ? STOW_OK : STOW_ENOMEM;
}

static int open_engine(struct trial *t, struct stow_err *err)
{
    STOW_TRY(stow_state_init(&t->state, &t->s, t->money, err));
    STOW_TRY(stow_profiles_builtin("kube-default", &t->kube, err));
    t->filters = t->kube.profile[0];
    t->filters.scorers = 0;
    t->filters.scheduler_name = NULL;
    t->filters.tie[0] = STOW_TIE_PRICE;
    t->filters.tie[1] = STOW_TIE_NAME;
    t->filters.ties = 2;
    t->profiles = (struct stow_profiles){.profile = &t->filters, .count = 1};
    return stow_engine_new(&t->state, &t->profiles, &t->engine, err);
}

/* Puts replicas on nodes while one fits; counts them per node. */
static int fill(struct trial *t, uint32_t first, int64_t *count, struct stow_err *err)
{
    for (stow_pod_id i = first; i < t->s.pods; i++) {
        struct stow_choice choice;

        STOW_TRY(stow_engine_decide(t->engine, i, &choice, err));
        if (choice.node == STOW_NONE)
            break;
        stow_engine_place(t->engine, i, choice.node);
        count[choice.node]++;
    }
    return STOW_OK;
}

static int limit_nodes(const struct stow_member *member, const struct stow_asked *asked,
                       struct stow_node_offer *offer, struct stow_err *err)
{
    const struct stow_snapshot *s = member->s;
    STOW_AUTO(trial_done) struct trial t = {0};
    STOW_AUTO(stow_free_local) int64_t *count = calloc((size_t)s->nodes + 1, sizeof(*count));
    int64_t most = 0;

    for (stow_node_id i = 0; i < s->nodes && most < REPLICAS_MAX; i++)
        most += offer[i].capacity;
    most = most < REPLICAS_MAX ? most : REPLICAS_MAX;
    if (most == 0)
        return STOW_OK;
    if (!count || add_replicas(&t, s, asked, (uint32_t)most) < 0 || add_prices(&t, offer) < 0)
        return stow_fail_memory(err);
    STOW_TRY(open_engine(&t, err));
    STOW_TRY(fill(&t, s->pods, count, err));
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (count[i] < offer[i].capacity)
            offer[i].capacity = count[i];
    return STOW_OK;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* A term of anti-affinity that pods of the template match themselves. */
static bool repels_itself(const struct stow_snapshot *s, const struct stow_pod_term *term,
                          const struct stow_asked *asked)
{
    uint32_t count;
    const stow_sym *namespace = STOW_LIST(s, term->namespaces, stow_sym, &count);
    bool here = count == 0 && term->namespace_selector == STOW_SELECTOR_NULL;

    for (uint32_t i = 0; i < count; i++)
        here |= namespace[i] == asked->namespace;
    here |= term->namespace_selector == 0; /* all namespaces */
    return here && stow_selector_matches(s, term->selector, asked->labels);
}

enum reach { REPELS_NONE, REPELS_ON_HOST, REPELS_WIDELY };

static enum reach reach_of(const struct stow_snapshot *s, const struct stow_asked *asked)
{
    const struct stow_pod_spec *spec = stow_spec(s, asked->template);
    uint32_t count;
    const struct stow_pod_term *term =
        STOW_LIST(s, spec->anti_required, struct stow_pod_term, &count);
    enum reach reach = stow_ports_conflict(s, spec, spec) || stow_disks_conflict(s, spec, spec)
                           ? REPELS_ON_HOST
                           : REPELS_NONE;

    for (uint32_t i = 0; i < count; i++) {
        if (!repels_itself(s, &term[i], asked))
            continue;
        if (term[i].topology_key != STOW_SYM_HOSTNAME)
            return REPELS_WIDELY;
        reach = REPELS_ON_HOST;
    }
    return reach;
}

/* One replica pays for all of a node. */
static void limit_groups(const struct stow_member *member, const struct stow_asked *asked,
                         struct stow_node_offer *offer)
{
    const struct stow_snapshot *s = member->s;
    const enum reach reach = reach_of(s, asked);

    for (stow_group_id i = 0; i < s->groups && reach != REPELS_NONE; i++) {
        struct stow_node_offer *o = &offer[s->nodes + i];

        if (o->capacity == 0)
            continue;
        o->capacity = reach == REPELS_WIDELY ? 1 : stow_group_free_size(s, i);
        o->price = member->group_price ? member->group_price[i] : STOW_MONEY_UNKNOWN;
    }
}

int stow_template_limit(const struct stow_member *member, const struct stow_asked *asked,
                        struct stow_node_offer *offer, struct stow_err *err)
{
    limit_groups(member, asked, offer);
    return limit_nodes(member, asked, offer, err);
}
