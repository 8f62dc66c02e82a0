/* rules.c - spreading and affinity when some of the nodes do not exist yet.
 *
 * place's tally counts matching pods per domain on the nodes that are there.  A new
 * node is in the domain that its group's template names (the zone), or, for host
 * names, in a domain of its own that comes into being with it.  So an overlay keeps,
 * per counter, what the yard's pods add: per domain of the topology and, after
 * those, per new node.  A count is the sum of the two.
 *
 * The smallest count of a spread constraint goes over the domains that exist: those
 * of real nodes (`reached`), and those of the new nodes there are at the moment.  It is
 * asked for before every pod, and every pod changes a count, so an overlay of spreading
 * keeps how many domains have how many pods: a pod moves its domain by one, and the
 * smallest is the first count that a domain has.  Nodes that come are entered when it is
 * asked for next, so that nothing is paid for nodes that are only tried. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/yard/rules.h"

static uint32_t domain_of(const struct stow_yard *yard, const struct stow_overlay *o, uint32_t node)
{
    const struct stow_topology *t = o->base->topology;

    if (o->own_domains && node >= yard->real)
        return t->domains + (node - yard->real);
    return t->of[stow_yard_template(yard, node)];
}

static bool counts_here(const struct stow_yard *yard, const struct stow_overlay *o, uint32_t node)
{
    return !o->base->counted || o->base->counted[stow_yard_template(yard, node)];
}

static uint32_t count_in(const struct stow_overlay *o, uint32_t domain)
{
    const uint32_t there = domain < o->base->topology->domains ? o->base->count[domain] : 0;

    return there + (domain < o->cap ? o->extra[domain] : 0);
}

/* ---- counting ---------------------------------------------------------------------------- */

static bool make_room(uint32_t **count, uint32_t *cap, uint32_t domain)
{
    const uint32_t had = *cap;

    if (domain < had)
        return true;
    if (stow_vec_reserve(count, cap, domain + 1, sizeof(**count)) < 0)
        return false;
    memset(*count + had, 0, (*cap - had) * sizeof(**count));
    return true;
}

/* ---- domains by what they have -------------------------------------------------------------- */

static bool is_listed(const struct stow_overlay *o)
{
    return o->listed_at == o->version;
}

static void enter(struct stow_yard *yard, struct stow_overlay *o, uint32_t count)
{
    if (yard->failed || !make_room(&o->with, &o->with_cap, count)) {
        yard->failed = true; /* counts are void then, and no size of anything */
        return;
    }
    o->with[count]++;
    o->domains++;
    o->least = count < o->least ? count : o->least;
}

static void leave(struct stow_overlay *o, uint32_t count)
{
    if (count >= o->with_cap)
        return; /* there was no memory to enter it */
    o->with[count]--;
    o->domains--;
}

/* Whether the domain of a node that counts is among them. */
static bool has_entered(const struct stow_yard *yard, const struct stow_overlay *o, uint32_t node,
                        uint32_t domain)
{
    if (o->own_domains && node >= yard->real)
        return node < o->listed;
    return o->reached[domain] || o->news[domain];
}

static void list_real(struct stow_yard *yard, struct stow_overlay *o)
{
    const uint32_t domains = o->base->topology->domains;

    if (o->with)
        memset(o->with, 0, o->with_cap * sizeof(*o->with));
    memset(o->news, 0, (domains + 1) * sizeof(*o->news));
    o->domains = 0;
    o->least = UINT32_MAX;
    for (uint32_t i = 1; i < domains; i++)
        if (o->reached[i])
            enter(yard, o, count_in(o, i));
    o->listed = yard->real;
    o->listed_at = o->version;
}

/* All domains there are at the moment. */
static void list_domains(struct stow_yard *yard, struct stow_overlay *o)
{
    if (!is_listed(o))
        list_real(yard, o);
    for (; o->listed < yard->nodes; o->listed++) {
        const uint32_t domain = domain_of(yard, o, o->listed);

        if (!domain || !counts_here(yard, o, o->listed))
            continue;
        if (o->own_domains || (o->news[domain]++ == 0 && !o->reached[domain]))
            enter(yard, o, count_in(o, domain));
    }
    yard->listed = yard->listed < yard->nodes ? yard->nodes : yard->listed;
}

void stow_yard_leave_domains(struct stow_yard *yard, uint32_t node)
{
    if (node >= yard->listed)
        return;
    yard->listed = node;
    for (uint32_t i = 0; i < yard->overlays; i++) {
        struct stow_overlay *o = &yard->overlay[i];
        uint32_t domain;

        if (!o->reached || !is_listed(o) || node >= o->listed)
            continue;
        o->listed = node;
        domain = domain_of(yard, o, node);
        if (!domain || !counts_here(yard, o, node))
            continue;
        if (o->own_domains || (--o->news[domain] == 0 && !o->reached[domain]))
            leave(o, count_in(o, domain));
    }
}

/* ---- counting pods ------------------------------------------------------------------------------
 */

/* Pods of a domain come or go, and with them its place among the others. */
static void change_count(struct stow_yard *yard, struct stow_overlay *o, uint32_t node,
                         uint32_t domain, int64_t change)
{
    const bool moves = o->reached && is_listed(o) && has_entered(yard, o, node, domain);
    const uint32_t before = count_in(o, domain);

    o->extra[domain] = (uint32_t)(o->extra[domain] + change);
    o->entries += (uint64_t)change;
    o->listed_at += is_listed(o);
    o->version++;
    if (!moves)
        return;
    enter(yard, o, count_in(o, domain));
    leave(o, before);
}

void stow_yard_count(struct stow_yard *yard, const struct stow_yard_class *class, uint32_t node,
                     int64_t change)
{
    for (uint32_t i = 0; i < class->feedings; i++) {
        struct stow_overlay *o = &yard->overlay[class->feeds[i]];
        uint32_t domain = domain_of(yard, o, node);

        if (!domain || !counts_here(yard, o, node) || stow_yard_hides(yard, o, node))
            continue;
        if (!make_room(&o->extra, &o->cap, domain)) {
            yard->failed = true;
            return;
        }
        change_count(yard, o, node, domain, change);
    }
}

void stow_yard_count_own(struct stow_yard *yard, struct stow_yard_class *class, uint32_t node,
                         int64_t change)
{
    for (uint32_t i = 0; i < class->spreads; i++) {
        struct stow_yard_spread *rule = &class->spread[i];
        const uint32_t domain = domain_of(yard, &yard->overlay[rule->overlay], node);

        if (!rule->watched || !domain)
            continue;
        if (!make_room(&rule->mine, &rule->mine_cap, domain)) {
            yard->failed = true;
            return;
        }
        rule->mine[domain] = (uint32_t)(rule->mine[domain] + change);
    }
}

/* ---- spreading --------------------------------------------------------------------------- */

int stow_yard_reach(struct stow_yard *yard, struct stow_overlay *o)
{
    const struct stow_topology *t = o->base->topology;

    if (o->reached)
        return STOW_OK;
    o->reached = stow_arena_zalloc(&yard->arena, t->domains + 1);
    o->news = stow_arena_zalloc(&yard->arena, (t->domains + 1) * sizeof(*o->news));
    if (!o->reached || !o->news)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard->real; i++) {
        uint32_t domain = t->of[i];

        if (!domain || o->reached[domain] || !counts_here(yard, o, i))
            continue;
        o->reached[domain] = 1;
        o->reach++;
    }
    return STOW_OK;
}

static uint32_t smallest(struct stow_yard *yard, const struct stow_yard_spread *rule)
{
    struct stow_overlay *o = &yard->overlay[rule->overlay];

    list_domains(yard, o);
    if (o->domains < (uint32_t)rule->min_domains)
        return 0;
    if (!o->domains)
        return INT32_MAX;
    while (o->least < o->with_cap && !o->with[o->least])
        o->least++;
    return o->least;
}

bool stow_yard_spread_allows(struct stow_yard *yard, struct stow_yard_class *class, uint32_t node)
{
    for (uint32_t i = 0; i < class->spreads; i++) {
        struct stow_yard_spread *rule = &class->spread[i];
        const struct stow_overlay *o = &yard->overlay[rule->overlay];
        uint32_t domain = domain_of(yard, o, node);
        int64_t limit = (int64_t)rule->max_skew + smallest(yard, rule) - rule->self;

        if (!domain || count_in(o, domain) > limit)
            return false;
    }
    return true;
}

/* Pods too many by one constraint, with the one more. */
static int64_t excess(struct stow_yard *yard, struct stow_yard_spread *rule, uint32_t node)
{
    const struct stow_overlay *o = &yard->overlay[rule->overlay];
    const uint32_t domain = domain_of(yard, o, node);

    if (!domain)
        return INT32_MAX;
    return (int64_t)count_in(o, domain) + rule->self - rule->max_skew - smallest(yard, rule);
}

int64_t stow_yard_spread_excess(struct stow_yard *yard, uint32_t class, uint32_t node)
{
    struct stow_yard_class *c = &yard->class[class];
    int64_t most = 0;

    for (uint32_t i = 0; i < c->spreads; i++) {
        const int64_t over = excess(yard, &c->spread[i], node);

        most = over > most ? over : most;
    }
    return most;
}

/* A node of a domain that has no more than `least`: one that is being emptied, if there is one. */
static uint32_t find_emptiest(const struct stow_yard *yard, const struct stow_overlay *o,
                              uint32_t least)
{
    uint32_t found = STOW_NONE;

    for (uint32_t node = 0; node < yard->nodes; node++) {
        const uint32_t domain = domain_of(yard, o, node);
        const bool there = domain && counts_here(yard, o, node) &&
                           !stow_yard_hides(yard, o, node) &&
                           (node >= yard->real || o->reached[domain]);

        if (!there || count_in(o, domain) > least)
            continue;
        if (node < yard->real && yard->drained && yard->drained[node])
            return node;
        found = found == STOW_NONE ? node : found;
    }
    return found;
}

bool stow_yard_spread_refuses(struct stow_yard *yard, uint32_t class, uint32_t node,
                              struct stow_spread_refusal *ret)
{
    struct stow_yard_class *c = &yard->class[class];

    for (uint32_t i = 0; i < c->spreads; i++) {
        struct stow_yard_spread *rule = &c->spread[i];
        struct stow_overlay *o = &yard->overlay[rule->overlay];
        const uint32_t domain = domain_of(yard, o, node), least = smallest(yard, rule);

        if (excess(yard, rule, node) <= 0)
            continue;
        *ret = (struct stow_spread_refusal){
            .key = o->base->topology->key,
            .max_skew = rule->max_skew,
            .no_label = !domain,
            .count = domain ? count_in(o, domain) : 0,
            .least = least,
            .domains = o->domains,
            .min_domains = rule->min_domains,
            .over = excess(yard, rule, node),
        };
        ret->node =
            ret->domains < (uint32_t)rule->min_domains ? STOW_NONE : find_emptiest(yard, o, least);
        return true;
    }
    return false;
}

/* Pods that a class wants to be near. */
static uint64_t company_of(const struct stow_yard *yard, const struct stow_yard_class *class)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < class->attracts; i++)
        sum += yard->overlay[class->attract[i]].entries;
    return sum;
}

/* Pods that the constraints of a class count; 0: more domains may be as good as more pods. */
static uint64_t counted_by(const struct stow_yard *yard, const struct stow_yard_class *class)
{
    uint64_t sum = 1;

    for (uint32_t i = 0; i < class->spreads; i++) {
        if (class->spread[i].min_domains > 1)
            return 0;
        sum += yard->overlay[class->spread[i].overlay].entries;
    }
    return sum;
}

void stow_yard_note_refusal(struct stow_yard *yard, uint32_t class, uint32_t end,
                            struct stow_yard_refusal *ret)
{
    const struct stow_yard_class *c = &yard->class[class];

    /* volumes that others bring make room, too; who minds others' constraints waits for theirs */
    if (c->spreads > STOW_REFUSAL_RULES || c->minds || c->uses || c->soles) {
        ret->end = 0;
        return;
    }
    ret->end = end;
    ret->company = company_of(yard, c);
    ret->counted = counted_by(yard, c);
    for (uint32_t i = 0; i < c->spreads; i++)
        ret->least[i] = smallest(yard, &c->spread[i]);
}

uint32_t stow_yard_refused(struct stow_yard *yard, uint32_t class,
                           const struct stow_yard_refusal *refusal)
{
    const struct stow_yard_class *c = &yard->class[class];

    if (!refusal->end || refusal->company != company_of(yard, c))
        return 0;
    if (refusal->counted && refusal->counted == counted_by(yard, c))
        return refusal->end; /* no pod came: nodes that did make nothing easier */
    for (uint32_t i = 0; i < c->spreads; i++)
        if (smallest(yard, &c->spread[i]) > refusal->least[i])
            return 0;
    return refusal->end;
}

/* With `more` pods in a domain, what pods of the rule's class that are there ask for holds. */
static bool stays_even(struct stow_yard *yard, struct stow_yard_spread *rule, uint32_t domain,
                       uint32_t more)
{
    const struct stow_overlay *o = &yard->overlay[rule->overlay];

    if (domain >= rule->mine_cap || !rule->mine[domain])
        return true;
    return (int64_t)count_in(o, domain) + more <= (int64_t)rule->max_skew + smallest(yard, rule);
}

bool stow_yard_disturbs(struct stow_yard *yard, uint32_t class, uint32_t node)
{
    const struct stow_yard_class *c = &yard->class[class];

    for (uint32_t i = 0; i < c->minds; i++) {
        struct stow_yard_spread *rule = &yard->class[c->mind[i].class].spread[c->mind[i].rule];
        const struct stow_overlay *o = &yard->overlay[rule->overlay];

        if (counts_here(yard, o, node) && !stays_even(yard, rule, domain_of(yard, o, node), 1))
            return true;
    }
    return false;
}

bool stow_yard_is_even(struct stow_yard *yard)
{
    for (uint32_t i = 0; i < yard->classes; i++)
        for (uint32_t r = 0; r < yard->class[i].spreads; r++) {
            struct stow_yard_spread *rule = &yard->class[i].spread[r];

            for (uint32_t d = 1; d < rule->mine_cap; d++)
                if (!stays_even(yard, rule, d, 0))
                    return false;
        }
    return true;
}

/* ---- affinity ---------------------------------------------------------------------------- */

static bool nobody_counts(const struct stow_yard *yard, const struct stow_yard_class *class)
{
    for (uint32_t i = 0; i < class->attracts; i++) {
        const struct stow_overlay *o = &yard->overlay[class->attract[i]];

        if (o->base->entries + o->entries)
            return false;
    }
    return true;
}

/* The first of its terms that finds no pod; class->attracts: each finds one. */
static uint32_t missed_by(const struct stow_yard *yard, const struct stow_yard_class *class,
                          uint32_t node)
{
    const bool first = class->attracts && class->self && nobody_counts(yard, class);
    uint32_t i = 0;

    for (; i < class->attracts; i++) {
        const struct stow_overlay *o = &yard->overlay[class->attract[i]];
        uint32_t domain = domain_of(yard, o, node);

        if (!domain || (!first && !count_in(o, domain)))
            break;
    }
    return i;
}

/* The first of its terms, or of others', that repels it; class->shuns: none does. */
static uint32_t repelled_by(const struct stow_yard *yard, const struct stow_yard_class *class,
                            uint32_t node)
{
    uint32_t i = 0;

    for (; i < class->shuns; i++) {
        const struct stow_overlay *o = &yard->overlay[class->shun[i]];
        uint32_t domain = domain_of(yard, o, node);

        if (domain && count_in(o, domain))
            break;
    }
    return i;
}

bool stow_yard_affinity_allows(const struct stow_yard *yard, const struct stow_yard_class *class,
                               uint32_t node)
{
    return missed_by(yard, class, node) == class->attracts &&
           repelled_by(yard, class, node) == class->shuns;
}

bool stow_yard_affinity_refuses(const struct stow_yard *yard, uint32_t class, uint32_t node,
                                struct stow_affinity_refusal *ret)
{
    const struct stow_yard_class *c = &yard->class[class];
    const uint32_t missed = missed_by(yard, c, node), term = repelled_by(yard, c, node);
    const bool misses = missed < c->attracts;

    if (!misses && term == c->shuns)
        return false;
    *ret = (struct stow_affinity_refusal){
        .text = misses                ? "node(s) didn't match pod affinity rules"
                : term < c->own_shuns ? "node(s) didn't match pod anti-affinity rules"
                                      : "node(s) didn't satisfy existing pods anti-affinity rules",
        .key = yard->overlay[misses ? c->attract[missed] : c->shun[term]].base->topology->key,
        .misses = misses,
    };
    return true;
}
