/* shared.c - classes of pods whose rule over domains is in the bound.
 *
 * Problem: cutting a class into a number of pods per zone (parts.c) makes good plans and no bound:
 * other plans cut it otherwise.
 *
 * Idea: the parts are a family (optimal/proof/family.h): the solver takes their counts for plans,
 * and for the bound the cheapest of all ways that the rule allows.  That is right where the rule is
 * about the class alone: no other pending pods and no pods of daemons count for it, and wherever
 * its pods can go they are in a domain and count.  All other classes stay whole, and their rules
 * out of the bound.
 *
 * What a family knows: per domain the pods that count already, whether a node of it is there (a
 * domain that a purchase would bring may stay away), and if anything there takes a pod. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "optimal/proof/family.h"
#include "place/counts/tally.h"
#include "scale/cheapest/zones.h"

struct sharing {
    struct stow_session *session;
    const struct stow_yard *yard;
    const struct stow_weights *weights;
    const struct stow_record *like; /* a plan whose share-out is kept; NULL: none */
    struct stow_arena *arena;
    struct stow_parts *ret;
    /* of the class at hand */
    const struct stow_overlay *overlay;
    struct stow_zones zones;
    bool *takes;    /* per domain: some node there could take a pod */
    uint32_t *held; /* per domain: pods that count already */
};

/* ---- whether the rule is about the class alone ------------------------------------------- */

static bool feeds(const struct stow_yard_class *class, uint32_t overlay)
{
    for (uint32_t i = 0; i < class->feedings; i++)
        if (class->feeds[i] == overlay)
            return true;
    return false;
}

static bool is_fed_by_others(const struct sharing *s)
{
    const struct stow_yard *yard = s->yard;
    const uint32_t overlay = (uint32_t)(s->overlay - yard->overlay);

    for (uint32_t i = 0; i < yard->classes; i++)
        if (i != s->zones.class && yard->class[i].pods && feeds(&yard->class[i], overlay))
            return true;
    for (stow_group_id g = 0; g < yard->s->groups; g++)
        for (uint32_t i = 0; i < yard->group[g].daemons; i++)
            if (feeds(&yard->group[g].daemon[i], overlay))
                return true;
    return !feeds(&yard->class[s->zones.class], overlay);
}

/* Repelling is a rule of the class itself, not of others. */
static bool is_own(const struct sharing *s)
{
    const struct stow_yard_class *class = &s->yard->class[s->zones.class];

    for (uint32_t i = 0; i < class->own_shuns; i++)
        if (s->yard->overlay + class->shun[i] == s->overlay)
            return true;
    return !s->zones.apart;
}

static bool is_for_sale(const struct sharing *s, stow_group_id g)
{
    return stow_is_for_sale(s->weights->price, g) &&
           stow_weights_allow(s->weights, s->zones.class, g) &&
           stow_session_room(s->session, g) > 0 &&
           stow_yard_fresh_room(s->yard, s->zones.class, g) > 0;
}

/* Notes a node that could take a pod; false: the pod would not count there. */
static bool note(struct sharing *s, stow_node_id node)
{
    const struct stow_counter *counter = s->overlay->base;
    const uint32_t domain = s->zones.topology->of[node];

    if (!domain)
        return !s->zones.apart; /* spreading and affinity refuse such a node */
    s->takes[domain] = true;
    return !counter->counted || counter->counted[node];
}

static bool find_takers(struct sharing *s)
{
    const struct stow_yard *yard = s->yard;
    const struct stow_yard_class *class = &yard->class[s->zones.class];

    for (stow_group_id g = 0; g < yard->s->groups; g++)
        if (is_for_sale(s, g) && !note(s, yard->group[g].fresh))
            return false;
    for (uint32_t node = 0; node < yard->real; node++)
        if (class->on_real[node] && stow_yard_room(yard, s->zones.class, node) && !note(s, node))
            return false;
    return true;
}

/* ---- the family -------------------------------------------------------------------------- */

static bool any_held(const struct sharing *s)
{
    for (uint32_t d = 1; d < s->zones.topology->domains; d++)
        if (s->held[d])
            return true;
    return false;
}

/* How many of the class may be in a domain at most; 0: none. */
static uint32_t cap_of(const struct sharing *s, uint32_t domain)
{
    const uint32_t pods = s->yard->class[s->zones.class].pods;

    if (!s->takes[domain] || (s->zones.apart && s->held[domain]))
        return 0;
    if (s->zones.together && any_held(s) && !s->held[domain])
        return 0;
    return s->zones.apart ? 1 : pods;
}

static bool is_there(const struct sharing *s, uint32_t domain)
{
    const struct stow_counter *counter = s->overlay->base;

    for (uint32_t node = 0; node < s->yard->real; node++)
        if (s->zones.topology->of[node] == domain && (!counter->counted || counter->counted[node]))
            return true;
    return false;
}

/* Fills in what is known of the domains that take pods; their parts follow one another. */
static int describe(struct sharing *s, struct stow_problem_family *f, struct stow_part *part)
{
    const uint32_t domains = s->zones.topology->domains;
    int64_t *held = stow_arena_zalloc(s->arena, domains * sizeof(*held));
    bool *exists = stow_arena_zalloc(s->arena, domains * sizeof(*exists));

    if (!held || !exists)
        return STOW_ENOMEM;
    for (uint32_t d = 1; d < domains; d++) {
        const uint32_t cap = cap_of(s, d);
        const bool there = f->max_skew && is_there(s, d);

        if (!cap) {
            if (there && s->held[d] < f->level_most)
                f->level_most = s->held[d];
            continue;
        }
        STOW_TRY(stow_zone_part(s->session, &s->zones, d, s->arena, &part[f->classes]));
        part[f->classes].cap = cap;
        part[f->classes].topology = s->zones.topology;
        part[f->classes].domain = d;
        held[f->classes] = s->held[d];
        exists[f->classes++] = there;
    }
    f->held = held;
    f->exists = exists;
    return STOW_OK;
}

/* Whether the plan's way is one that the rule allows. */
static bool can_be(const struct stow_problem_family *f, const struct stow_part *part)
{
    const int64_t price[STOW_FAMILY_MAX] = {0};
    uint32_t cap[STOW_FAMILY_MAX], share[STOW_FAMILY_MAX], given = 0;

    for (uint32_t i = 0; i < f->classes; i++) {
        cap[i] = part[i].cap;
        given += part[i].count;
    }
    return f->classes > 1 && given == f->count && stow_family_least(f, price, cap, share) >= 0;
}

static int add_parts(struct stow_parts *to, const struct stow_part *part, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct stow_part *made = STOW_PUSH(&to->part, &to->parts, &to->cap);

        if (!made)
            return STOW_ENOMEM;
        *made = part[i];
    }
    return STOW_OK;
}

/* 1: the class is a family now. */
static int share(struct sharing *s)
{
    const uint32_t pods = s->yard->class[s->zones.class].pods;
    struct stow_problem_family f = {.first = s->ret->parts,
                                    .count = pods,
                                    .together = s->zones.together && !any_held(s),
                                    .max_skew = s->zones.max_skew,
                                    .level_most = INT64_MAX};
    struct stow_part part[STOW_FAMILY_MAX] = {0};
    struct stow_problem_family *made;

    if (!find_takers(s) || stow_zones_give(&s->zones, s->like, pods))
        return 0;
    STOW_TRY(describe(s, &f, part));
    if (!can_be(&f, part))
        return 0;
    made = STOW_PUSH(&s->ret->family, &s->ret->families, &s->ret->family_cap);
    if (!made)
        return STOW_ENOMEM;
    *made = f;
    STOW_TRY(add_parts(s->ret, part, f.classes));
    return 1;
}

/* The same for a class with a rule over domains; 0: it stays whole. */
static int share_class(struct sharing *s, uint32_t class)
{
    s->zones = (struct stow_zones){.yard = s->yard, .class = class};
    s->overlay = stow_zone_rule(s->yard, class, &s->zones);
    if (!s->overlay || s->overlay->base->topology->domains > STOW_FAMILY_MAX ||
        (s->zones.max_skew && !s->zones.self) ||
        (s->zones.together && s->yard->class[class].attracts > 1) || is_fed_by_others(s) ||
        !is_own(s))
        return 0;

    const uint32_t domains = s->overlay->base->topology->domains;

    STOW_TRY(stow_zones_open(s->session, s->weights, s->overlay, s->arena, &s->zones));
    s->takes = stow_arena_zalloc(s->arena, domains * sizeof(*s->takes));
    s->held = stow_arena_copy(s->arena, s->zones.count, domains * sizeof(*s->held));
    return s->takes && s->held ? share(s) : STOW_ENOMEM;
}

/* Whether a class has no other rule than the one of its family. */
static bool is_all(const struct stow_yard *yard, const struct stow_zones *z)
{
    const struct stow_yard_class *class = &yard->class[z->class];

    return class->spreads + class->attracts + class->shuns == 1 && z->min_domains <= 1;
}

int stow_parts_shared(struct stow_session *session, const struct stow_weights *weights,
                      const struct stow_record *like, struct stow_arena *arena,
                      struct stow_parts *ret)
{
    struct sharing s = {.session = session,
                        .yard = session->yard,
                        .weights = weights,
                        .like = like,
                        .arena = arena,
                        .ret = ret};

    for (uint32_t i = 0; i < session->yard->classes; i++) {
        const struct stow_part whole = {.class = i, .count = session->yard->class[i].pods};
        const int shared = whole.count ? share_class(&s, i) : 0;

        if (shared < 0)
            return shared;
        if (!shared && whole.count)
            STOW_TRY(add_parts(ret, &whole, 1));
        ret->loose |= shared ? !is_all(session->yard, &s.zones) : !session->yard->class[i].plain;
    }
    return STOW_OK;
}
