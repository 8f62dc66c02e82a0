/* kinds.c - groups whose new nodes no pod can tell apart.
 *
 * A wide NodePool is thousands of groups, and most of them differ in name and price only: machines
 * of the same size, in several zones, spot and on-demand.  What would be packed onto nodes of one
 * is packed onto nodes of the other, so it is worked out once for all of them.
 *
 * Two groups are of one kind when everything that the yard asks of a new node is equal: its room,
 * its size, which classes its static filters admit, its domains as far as something is counted
 * there, its volumes, and the daemons that count.  Groups are sorted by a hash of all that and
 * compared with the first that has the same one; where hashes are equal by chance, a group is a
 * kind of its own, which is only slower. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/attached.h"
#include "scale/yard/rules.h"

/* A number of the description of a group, into all that came before. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

/* Where pods on a new node count; own domains come into being with the node. */
static uint32_t domain_on(const struct stow_overlay *o, stow_node_id fresh)
{
    return o->own_domains ? 0 : o->base->topology->of[fresh];
}

static bool counts_on(const struct stow_overlay *o, stow_node_id fresh)
{
    return !o->base->counted || o->base->counted[fresh];
}

static uint64_t hash_node(const struct stow_yard *yard, const struct stow_yard_group *g)
{
    uint64_t hash = g->daemons;

    for (uint32_t d = 0; d < yard->dims; d++)
        hash = mix(hash, (uint64_t)g->room[d]);
    for (uint32_t i = 0; i < yard->overlays; i++)
        hash = mix(hash, domain_on(&yard->overlay[i], g->fresh));
    return hash;
}

static bool same_room(const struct stow_yard *yard, const struct stow_yard_group *a,
                      const struct stow_yard_group *b)
{
    const stow_resource_id sizes[] = {STOW_RESOURCE_CPU, STOW_RESOURCE_MEMORY};

    for (uint32_t i = 0; i < 2; i++)
        if (stow_state_allocatable(yard->state, sizes[i], a->fresh) !=
            stow_state_allocatable(yard->state, sizes[i], b->fresh))
            return false;
    return memcmp(a->room, b->room, yard->dims * sizeof(*a->room)) == 0;
}

static bool same_domains(const struct stow_yard *yard, stow_node_id a, stow_node_id b)
{
    for (uint32_t i = 0; i < yard->overlays; i++) {
        const struct stow_overlay *o = &yard->overlay[i];

        if (domain_on(o, a) != domain_on(o, b) || counts_on(o, a) != counts_on(o, b))
            return false;
    }
    for (uint32_t i = 0; i < yard->volumes; i++)
        if (stow_is_attached(yard->state, yard->volume[i].mount, a) !=
            stow_is_attached(yard->state, yard->volume[i].mount, b))
            return false;
    return true;
}

static bool same_daemons(const struct stow_yard_group *a, const struct stow_yard_group *b)
{
    if (a->daemons != b->daemons)
        return false;
    for (uint32_t i = 0; i < a->daemons; i++)
        if (a->daemon[i].feedings != b->daemon[i].feedings ||
            (a->daemon[i].feedings &&
             memcmp(a->daemon[i].feeds, b->daemon[i].feeds,
                    a->daemon[i].feedings * sizeof(*a->daemon[i].feeds)) != 0))
            return false;
    return true;
}

static bool are_alike(const struct stow_yard *yard, stow_group_id a, stow_group_id b)
{
    const struct stow_yard_group *x = &yard->group[a], *y = &yard->group[b];

    if (!same_room(yard, x, y) || !same_domains(yard, x->fresh, y->fresh) || !same_daemons(x, y))
        return false;
    for (uint32_t i = 0; i < yard->classes; i++)
        if (yard->class[i].on_group[a] != yard->class[i].on_group[b])
            return false;
    return true;
}

/* A group and the hash of what pods see of it. */
struct hashed {
    uint64_t hash;
    stow_group_id group;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Class by class, because what a class says of all groups is one row. */
static void hash_groups(const struct stow_yard *yard, struct hashed *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        list[i].hash = hash_node(yard, &yard->group[list[i].group]);
    for (uint32_t c = 0; c < yard->classes; c++)
        for (uint32_t i = 0; i < count; i++)
            list[i].hash = mix(list[i].hash, yard->class[c].on_group[list[i].group]);
}

static int find_kinds(struct stow_yard *yard, stow_group_id *kind)
{
    const uint32_t groups = yard->s->groups;
    STOW_AUTO(stow_free_local) struct hashed *list = malloc((groups + 1) * sizeof(*list));
    uint32_t count = 0, first = 0;

    if (!list || !kind)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < groups; g++) {
        kind[g] = g;
        if (yard->group[g].fresh != STOW_NONE)
            list[count++] = (struct hashed){.group = g};
    }
    hash_groups(yard, list, count);
    if (count)
        qsort(list, count, sizeof(*list), by_hash);
    for (uint32_t i = 1; i < count; i++) {
        first = list[i].hash == list[first].hash ? first : i;
        if (i != first && are_alike(yard, list[first].group, list[i].group))
            kind[list[i].group] = list[first].group;
    }
    yard->kind = kind;
    return STOW_OK;
}

int stow_yard_find_kinds(struct stow_yard *yard)
{
    const size_t size = ((size_t)yard->s->groups + 1) * sizeof(*yard->kind);

    return yard->kind ? STOW_OK : find_kinds(yard, stow_arena_alloc(&yard->arena, size));
}
