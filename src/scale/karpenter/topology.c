/* topology.c - spreading and (anti-)affinity between pods, as Karpenter's rule sees them.
 *
 * A planned node has no zone yet: it is a set of groups, in several zones perhaps.  A pod with a
 * rule over zones narrows it.  Spreading picks the one zone with the fewest pods that the skew
 * allows, affinity those that have a pod it wants, anti-affinity those that have none.  The zones
 * that count for spreading are those that real nodes or groups have.  For host names every planned
 * node is a domain of its own, and there could always be one more: the emptiest has none.
 *
 * A pod counts where it is for sure: on a node, or on a planned one that has a single domain
 * left. Anti-affinity is careful, and counts a pod wherever it may come to be.
 *
 * Which pods count for which rule is the yard's knowledge (yard/class.c); the counts are our own,
 * since a node of the yard has a group. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/karpenter/karpenter_internal.h"
#include "scale/yard/rules.h"

int stow_karpenter_open_topology(struct stow_karpenter *k)
{
    const struct stow_yard *yard = k->yard;

    k->count = stow_arena_zalloc(&k->arena, (yard->overlays + 1) * sizeof(*k->count));
    k->reach = stow_arena_zalloc(&k->arena, (yard->classes + 1) * sizeof(*k->reach));
    if (!k->count || !k->reach)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard->overlays; i++) {
        const size_t domains =
            (size_t)yard->overlay[i].base->topology->domains + k->nodes - yard->real + 1;

        k->count[i].sure = stow_arena_zalloc(&k->arena, domains * sizeof(uint32_t));
        k->count[i].maybe = stow_arena_zalloc(&k->arena, domains * sizeof(uint32_t));
        if (!k->count[i].sure || !k->count[i].maybe)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* ---- domains ------------------------------------------------------------------------------- */

static uint32_t domain_of_slot(const struct stow_karpenter *k, const struct stow_overlay *o,
                               uint32_t slot)
{
    return o->base->topology->of[k->yard->group[k->group[slot]].fresh];
}

/* Host names of nodes that a pass before has launched come after all others. */
static uint32_t domain_of(const struct stow_karpenter *k, const struct stow_overlay *o,
                          uint32_t node)
{
    const struct stow_topology *t = o->base->topology;

    if (o->own_domains && node >= k->yard->real)
        return t->domains + (node - k->yard->real);
    return t->of[stow_yard_template(k->yard, node)];
}

static bool counts_on(const struct stow_overlay *o, stow_node_id node)
{
    return !o->base->counted || o->base->counted[node];
}

static uint32_t base_of(const struct stow_overlay *o, uint32_t domain)
{
    return domain < o->base->topology->domains ? o->base->count[domain] : 0;
}

static uint32_t sure_in(const struct stow_karpenter *k, uint32_t overlay, uint32_t domain)
{
    return base_of(&k->yard->overlay[overlay], domain) + k->count[overlay].sure[domain];
}

static uint32_t maybe_in(const struct stow_karpenter *k, uint32_t overlay, uint32_t domain)
{
    return base_of(&k->yard->overlay[overlay], domain) + k->count[overlay].maybe[domain];
}

static uint32_t on_planned(const struct stow_karpenter *k, uint32_t overlay, uint32_t planned)
{
    const struct stow_kcount *count = &k->count[overlay];

    return planned != STOW_NONE && planned < count->hosts ? count->host[planned] : 0;
}

/* Domains that pods of a class could have; NULL: out of memory. */
static const uint8_t *reach_of(struct stow_karpenter *k, uint32_t class, uint32_t rule)
{
    const struct stow_yard_class *c = &k->yard->class[class];
    const struct stow_overlay *o = &k->yard->overlay[c->spread[rule].overlay];
    const struct stow_topology *t = o->base->topology;
    uint8_t *made;

    if (!k->reach[class])
        k->reach[class] = stow_arena_zalloc(&k->arena, c->spreads * sizeof(**k->reach));
    if (!k->reach[class])
        return NULL;
    if (k->reach[class][rule])
        return k->reach[class][rule];
    made = stow_arena_zalloc(&k->arena, t->domains + 1);
    if (!made)
        return NULL;
    for (uint32_t d = 1; d < t->domains; d++)
        made[d] = o->reached && o->reached[d];
    for (uint32_t i = 0; i < k->slots; i++)
        if (k->group[i] != STOW_NONE && c->on_group[k->group[i]])
            made[domain_of_slot(k, o, i)] = 1;
    made[0] = 0;
    k->reach[class][rule] = made;
    return made;
}

/* How many pods the emptiest domain has. */
static uint32_t least_of(struct stow_karpenter *k, uint32_t class, uint32_t rule)
{
    const struct stow_yard_spread *spread = &k->yard->class[class].spread[rule];
    const struct stow_overlay *o = &k->yard->overlay[spread->overlay];
    const uint8_t *reach;
    uint32_t least = UINT32_MAX, domains = 0;

    if (o->own_domains)
        return 0;
    reach = reach_of(k, class, rule);
    for (uint32_t d = 1; reach && d < o->base->topology->domains; d++) {
        if (!reach[d])
            continue;
        domains++;
        if (sure_in(k, spread->overlay, d) < least)
            least = sure_in(k, spread->overlay, d);
    }
    return domains < (uint32_t)spread->min_domains || !domains ? 0 : least;
}

/* ---- planned nodes -------------------------------------------------------------------------- */

/* The groups of one domain only. */
static void keep_domain(const struct stow_karpenter *k, const struct stow_overlay *o,
                        const struct stow_kpool *pool, uint64_t *words, uint32_t domain)
{
    STOW_EACH_SLOT (slot, pool, words)
        if (domain_of_slot(k, o, slot) != domain)
            stow_karpenter_drop(pool, words, slot);
}

/* To the domain with the fewest pods, of those that the skew allows; of equals the first. */
static void spread_by(struct stow_karpenter *k, uint32_t class, uint32_t rule, uint32_t planned,
                      const struct stow_kpool *pool, uint64_t *words)
{
    const struct stow_yard_spread *spread = &k->yard->class[class].spread[rule];
    const struct stow_overlay *o = &k->yard->overlay[spread->overlay];
    const int64_t most =
        (int64_t)spread->max_skew + least_of(k, class, rule) - (spread->self ? 1 : 0);
    uint32_t best = 0;

    if (o->own_domains) {
        if (on_planned(k, spread->overlay, planned) > most)
            memset(words, 0, pool->words * sizeof(*words));
        return;
    }
    STOW_EACH_SLOT (slot, pool, words) {
        const uint32_t domain = domain_of_slot(k, o, slot);
        const uint32_t count = sure_in(k, spread->overlay, domain);

        if (!domain || count > most || domain == best)
            continue;
        if (!best || count < sure_in(k, spread->overlay, best) ||
            (count == sure_in(k, spread->overlay, best) && domain < best))
            best = domain;
    }
    keep_domain(k, o, pool, words, best ? best : STOW_NONE);
}

/* Whether no pod that a class wants to be near is anywhere. */
static bool is_alone(const struct stow_karpenter *k, const struct stow_yard_class *class)
{
    for (uint32_t i = 0; i < class->attracts; i++)
        if (k->yard->overlay[class->attract[i]].base->entries + k->count[class->attract[i]].entries)
            return false;
    return true;
}

static void stay_near(const struct stow_karpenter *k, const struct stow_yard_class *class,
                      uint32_t planned, const struct stow_kpool *pool, uint64_t *words)
{
    const bool first = class->self && is_alone(k, class);

    for (uint32_t i = 0; i < class->attracts; i++) {
        const struct stow_overlay *o = &k->yard->overlay[class->attract[i]];
        uint32_t start = STOW_NONE;

        if (o->own_domains) {
            if (!first && !on_planned(k, class->attract[i], planned))
                memset(words, 0, pool->words * sizeof(*words));
            continue;
        }
        STOW_EACH_SLOT (slot, pool, words) {
            const uint32_t domain = domain_of_slot(k, o, slot);

            start = first && domain && domain < start ? domain : start;
            if (!domain || (!first && !sure_in(k, class->attract[i], domain)))
                stow_karpenter_drop(pool, words, slot);
        }
        if (first)
            keep_domain(k, o, pool, words, start);
    }
}

static void stay_away(const struct stow_karpenter *k, const struct stow_yard_class *class,
                      uint32_t planned, const struct stow_kpool *pool, uint64_t *words)
{
    for (uint32_t i = 0; i < class->shuns; i++) {
        const struct stow_overlay *o = &k->yard->overlay[class->shun[i]];

        if (o->own_domains && on_planned(k, class->shun[i], planned))
            memset(words, 0, pool->words * sizeof(*words));
        if (o->own_domains)
            continue;
        STOW_EACH_SLOT (slot, pool, words)
            if (domain_of_slot(k, o, slot) &&
                maybe_in(k, class->shun[i], domain_of_slot(k, o, slot)))
                stow_karpenter_drop(pool, words, slot);
    }
}

bool stow_karpenter_spread(struct stow_karpenter *k, uint32_t class, uint32_t planned,
                           uint32_t pool, uint64_t *words)
{
    const struct stow_yard_class *c = &k->yard->class[class];
    const struct stow_kpool *of = &k->pool[pool];

    stay_away(k, c, planned, of, words);
    stay_near(k, c, planned, of, words);
    for (uint32_t i = 0; i < c->spreads; i++)
        spread_by(k, class, i, planned, of, words);
    return stow_karpenter_any(of, words);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool is_near(const struct stow_karpenter *k, const struct stow_yard_class *class,
                    uint32_t node)
{
    const bool first = class->self && is_alone(k, class);

    for (uint32_t i = 0; i < class->attracts; i++) {
        const uint32_t domain = domain_of(k, &k->yard->overlay[class->attract[i]], node);

        if (!domain || (!first && !sure_in(k, class->attract[i], domain)))
            return false;
    }
    return true;
}

static bool is_away(const struct stow_karpenter *k, const struct stow_yard_class *class,
                    uint32_t node)
{
    for (uint32_t i = 0; i < class->shuns; i++) {
        const uint32_t domain = domain_of(k, &k->yard->overlay[class->shun[i]], node);

        if (domain && maybe_in(k, class->shun[i], domain))
            return false;
    }
    return true;
}

bool stow_karpenter_allows(struct stow_karpenter *k, uint32_t class, uint32_t node)
{
    const struct stow_yard_class *c = &k->yard->class[class];

    for (uint32_t i = 0; i < c->spreads; i++) {
        const struct stow_yard_spread *spread = &c->spread[i];
        const uint32_t domain = domain_of(k, &k->yard->overlay[spread->overlay], node);
        const int64_t most =
            (int64_t)spread->max_skew + least_of(k, class, i) - (spread->self ? 1 : 0);

        if (!domain || sure_in(k, spread->overlay, domain) > most)
            return false;
    }
    return is_near(k, c, node) && is_away(k, c, node);
}

/* ---- counting ------------------------------------------------------------------------------- */

static int count_host(struct stow_kcount *count, uint32_t planned)
{
    const uint32_t had = count->hosts;

    if (planned >= had) {
        if (stow_vec_reserve(&count->host, &count->hosts, planned + 1, sizeof(*count->host)) < 0)
            return STOW_ENOMEM;
        memset(count->host + had, 0, (count->hosts - had) * sizeof(*count->host));
    }
    count->host[planned]++;
    count->entries++;
    return STOW_OK;
}

/* Each domain that is left is one where it may be; the only one is where it is. */
static void count_domains(struct stow_karpenter *k, uint32_t overlay, const struct stow_kplanned *p)
{
    const struct stow_overlay *o = &k->yard->overlay[overlay];
    struct stow_kcount *count = &k->count[overlay];
    const struct stow_kpool *pool = &k->pool[p->pool];
    uint32_t only = 0;
    bool several = false;

    STOW_EACH_SLOT (slot, pool, p->alive) {
        const uint32_t domain = domain_of_slot(k, o, slot);

        if (!domain || domain == only || !counts_on(o, k->yard->group[k->group[slot]].fresh))
            continue;
        several |= only != 0;
        only = domain;
        count->maybe[domain]++; /* more than once perhaps: it is asked whether there is any */
    }
    if (only && !several) {
        count->sure[only]++;
        count->entries++;
    }
}

int stow_karpenter_count(struct stow_karpenter *k, uint32_t class, uint32_t planned)
{
    const struct stow_yard_class *c = &k->yard->class[class];

    for (uint32_t i = 0; i < c->feedings; i++)
        if (!k->yard->overlay[c->feeds[i]].own_domains)
            count_domains(k, c->feeds[i], &k->planned[planned]);
        else if (count_host(&k->count[c->feeds[i]], planned) < 0)
            return STOW_ENOMEM;
    return STOW_OK;
}

void stow_karpenter_count_on(struct stow_karpenter *k, uint32_t class, uint32_t node)
{
    const struct stow_yard_class *c = &k->yard->class[class];

    for (uint32_t i = 0; i < c->feedings; i++) {
        const struct stow_overlay *o = &k->yard->overlay[c->feeds[i]];
        const uint32_t domain = domain_of(k, o, node);

        if (!domain || !counts_on(o, stow_yard_template(k->yard, node)))
            continue;
        k->count[c->feeds[i]].sure[domain]++;
        k->count[c->feeds[i]].maybe[domain]++;
        k->count[c->feeds[i]].entries++;
    }
}
