/* closed_zones.c - plans that buy in some zones only.
 *
 * Problem: pods that are spread over zones are spread over those that have nodes.  A zone where
 * nothing has been bought does not count, so buying in two zones of three is allowed, and cheaper
 * where the third is expensive.  A share-out (parts.c) assumes that every zone with something for
 * sale counts.
 *
 * Idea: close zones and plan with what is left.  Zones that have nodes stay open: they count in any
 * case.  With few others every set of them is tried; with many, each alone and all but one. */
#include "place/counts/domains.h"
#include "place/counts/tally.h"
#include "scale/cheapest/cheapest_internal.h"
#include "scale/cheapest/zones.h"

#define EVERY_SET 4 /* zones: 15 sets of them */

/* What the first class that is spread over zones is spread over; NULL: none is. */
static const struct stow_topology *find_topology(const struct stow_yard *yard)
{
    for (uint32_t i = 0; i < yard->classes; i++) {
        struct stow_zones zones = {.yard = yard, .class = i};
        const struct stow_overlay *rule = stow_zone_rule(yard, i, &zones);

        if (rule && zones.max_skew)
            return rule->base->topology;
    }
    return NULL;
}

/* The zones without nodes in which something is for sale, by their numbers; how many. */
static int list_zones(struct stow_planning *p, const struct stow_topology *topology,
                      uint32_t **ret_zone)
{
    const struct stow_yard *yard = p->yard;
    bool *sells = stow_arena_zalloc(&p->arena, topology->domains * sizeof(*sells));
    uint32_t *zone = stow_arena_zalloc(&p->arena, topology->domains * sizeof(*zone));
    int zones = 0;

    if (!sells || !zone)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < yard->s->groups; g++)
        if (yard->group[g].fresh != STOW_NONE && stow_is_for_sale(p->weights.price, g))
            sells[topology->of[yard->group[g].fresh]] = true;
    for (uint32_t node = 0; node < yard->real; node++)
        sells[topology->of[node]] = false;
    for (uint32_t d = 1; d < topology->domains; d++)
        if (sells[d])
            zone[zones++] = d;
    *ret_zone = zone;
    return zones;
}

/* Closes the groups of all zones but some: those of the bits, where there are few; else one, or all
 * but one. */
static bool is_closed(uint32_t set, uint32_t zones, uint32_t zone)
{
    if (zones <= EVERY_SET)
        return !(set >> zone & 1);
    return set < zones ? zone != set : zone == set - zones;
}

static int close_groups(struct stow_planning *p, const struct stow_topology *topology,
                        const uint32_t *zone, uint32_t zones, uint32_t set, bool **ret)
{
    const struct stow_yard *yard = p->yard;
    bool *closed = stow_arena_zalloc(&p->arena, ((size_t)yard->s->groups + 1) * sizeof(*closed));

    if (!closed)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < yard->s->groups; g++)
        for (uint32_t i = 0; i < zones && yard->group[g].fresh != STOW_NONE; i++)
            if (topology->of[yard->group[g].fresh] == zone[i])
                closed[g] = is_closed(set, zones, i);
    *ret = closed;
    return STOW_OK;
}

int stow_zone_sets_make(struct stow_planning *p, struct stow_zone_sets *ret)
{
    const struct stow_topology *topology = find_topology(p->yard);
    uint32_t *zone = NULL;
    int zones = topology ? list_zones(p, topology, &zone) : 0;

    *ret = (struct stow_zone_sets){0};
    if (zones < 0)
        return zones;
    const uint32_t count = (uint32_t)zones, few = count <= EVERY_SET;
    const bool real = p->yard->real > 0;
    const uint32_t sets = few ? (1U << count) - 1 : 2 * count; /* all of them are not a set */

    if (count + real < 2)
        return STOW_OK;
    ret->set = stow_arena_zalloc(&p->arena, sets * sizeof(*ret->set));
    if (!ret->set)
        return STOW_ENOMEM;
    for (uint32_t i = few && !real; i < sets; i++) {
        STOW_TRY(close_groups(p, topology, zone, count, i, &ret->set[ret->count].closed));
        ret->count++;
    }
    return STOW_OK;
}

uint32_t stow_zone_sets_open(const struct stow_zone_sets *sets)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < sets->count; i++)
        open += !sets->set[i].settled;
    return open;
}
