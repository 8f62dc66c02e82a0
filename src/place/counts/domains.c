/* domains.c - nodes by the values of a label, and which of them count.
 *
 * Rules over several nodes ask for "the zone of this node" once per node and
 * decision.  Looking a label up is a search through the node's labels; here it is
 * done once per label key, and the values become small dense numbers, so that a
 * count per domain is an array and a node's count is two loads.  Number 0 is for
 * nodes without the label: tables over domains have an entry for them too, and
 * loops need no branch.
 *
 * Nodes never change while pods are placed, so nothing here is ever updated. */
#include "place/counts/domains.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/values/match.h"

int stow_slots_reserve(void *items, uint32_t *cap, uint32_t number)
{
    const uint32_t had = *cap;

    if (number < had)
        return STOW_OK;
    if (stow_vec_reserve(items, cap, number + 1, sizeof(void *)) < 0)
        return STOW_ENOMEM;

    char *bytes;

    memcpy(&bytes, items, sizeof(bytes)); /* whatever the pointers point to */
    memset(bytes + had * sizeof(void *), 0, (*cap - had) * sizeof(void *));
    return STOW_OK;
}

static void number_nodes(struct stow_topology *t, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++)
        t->of[i] = i + 1;
    t->domains = nodes + 1;
}

/* Numbers in the order in which nodes show the values. */
static int number_values(const struct stow_snapshot *s, struct stow_topology *t)
{
    uint32_t *number = calloc((size_t)s->text.entries + 1, sizeof(*number));

    if (!number)
        return STOW_ENOMEM;
    t->domains = 1;
    for (uint32_t i = 0; i < s->nodes; i++) {
        stow_sym value = stow_label_value(s, s->node[i].labels, t->key);

        if (value == STOW_NONE) {
            t->missing++;
            continue;
        }
        if (!number[value])
            number[value] = t->domains++;
        t->of[i] = number[value];
    }
    t->empty = number[0];
    free(number);
    return STOW_OK;
}

/* What makes it fast to look at all nodes in their order. */
static int shape_of(struct stow_domains *d, struct stow_topology *t)
{
    const uint32_t nodes = d->s->nodes;

    t->straight = true;
    for (uint32_t i = 0; i < nodes; i++)
        t->straight &= t->of[i] == i + 1;
    if (t->domains > STOW_NARROW_MAX)
        return STOW_OK;
    t->narrow = stow_arena_alloc(&d->arena, nodes + 1);
    if (!t->narrow)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < nodes; i++)
        t->narrow[i] = (uint8_t)t->of[i];
    return STOW_OK;
}

const struct stow_topology *stow_domains_topology(struct stow_domains *d, stow_sym key)
{
    uint32_t number = stow_intern_blob(&d->topology_key, &key, sizeof(key));

    if (number == STOW_INTERN_FAILED ||
        stow_slots_reserve(&d->topology, &d->topology_cap, number) < 0)
        return NULL;
    if (d->topology[number])
        return d->topology[number];

    struct stow_topology *t = stow_arena_zalloc(&d->arena, sizeof(*t));

    if (!t)
        return NULL;
    t->key = key;
    t->number = number;
    t->of = stow_arena_zalloc(&d->arena, (d->s->nodes + 1) * sizeof(*t->of));
    if (!t->of)
        return NULL;
    if (key == STOW_TOPOLOGY_NODES)
        number_nodes(t, d->s->nodes);
    else if (number_values(d->s, t) < 0)
        return NULL;
    if (shape_of(d, t) < 0)
        return NULL;
    return d->topology[number] = t;
}

/* ---- sets of nodes ----------------------------------------------------------------------- */

static bool meets(const struct stow_snapshot *s, const struct stow_node_need *need,
                  const struct stow_node *node)
{
    if (!stow_labels_include(s, node->labels, need->selector))
        return false;
    if (need->required != STOW_SELECTOR_NULL && !stow_node_terms_match(s, need->required, node))
        return false;
    return need->tolerations == STOW_NONE || !stow_untolerated(s, node->taints, need->tolerations);
}

static bool carries_all(const struct stow_snapshot *s, const struct stow_node *node,
                        const stow_sym *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (stow_label_value(s, node->labels, keys[i]) == STOW_NONE)
            return false;
    return true;
}

static const struct stow_node_set *make_set(struct stow_domains *d,
                                            const struct stow_node_need *need, const stow_sym *keys,
                                            uint32_t count, uint32_t number)
{
    const struct stow_snapshot *s = d->s;
    struct stow_node_set *set = stow_arena_zalloc(&d->arena, sizeof(*set));
    uint8_t *has = stow_arena_zalloc(&d->arena, s->nodes + 1);
    uint32_t members = 0;

    if (!set || !has)
        return NULL;
    for (uint32_t i = 0; i < s->nodes; i++) {
        has[i] = meets(s, need, &s->node[i]) && carries_all(s, &s->node[i], keys, count);
        members += has[i];
    }
    set->number = number;
    set->has = members == s->nodes ? NULL : has;
    return d->set[number] = set;
}

const struct stow_node_set *stow_domains_set(struct stow_domains *d,
                                             const struct stow_node_need *need,
                                             const stow_sym *keys, uint32_t count)
{
    uint32_t words = (uint32_t)(sizeof(*need) / sizeof(uint32_t)) + count;
    uint32_t *key = malloc(words * sizeof(*key));

    if (!key)
        return NULL;
    memcpy(key, need, sizeof(*need));
    for (uint32_t i = 0; i < count; i++)
        key[words - count + i] = keys[i];

    uint32_t number = stow_intern_blob(&d->set_key, key, words * sizeof(*key));

    free(key);
    if (number == STOW_INTERN_FAILED || stow_slots_reserve(&d->set, &d->set_cap, number) < 0)
        return NULL;
    return d->set[number] ? d->set[number] : make_set(d, need, keys, count, number);
}

/* ---- domains that a set reaches ---------------------------------------------------------- */

static const struct stow_reach *make_reach(struct stow_domains *d, const struct stow_topology *t,
                                           const struct stow_node_set *set, uint32_t number)
{
    struct stow_reach *reach = stow_arena_zalloc(&d->arena, sizeof(*reach));
    uint32_t *hide = stow_arena_alloc(&d->arena, t->domains * sizeof(*hide));

    if (!reach || !hide)
        return NULL;
    for (uint32_t i = 0; i < t->domains; i++)
        hide[i] = INT32_MAX;
    for (uint32_t i = 0; i < d->s->nodes; i++) {
        uint32_t domain = t->of[i];

        if (!domain || !hide[domain] || (set->has && !set->has[i]))
            continue;
        hide[domain] = 0;
        reach->domains++;
    }
    reach->hide = hide;
    return d->reach[number] = reach;
}

const struct stow_reach *stow_domains_reach(struct stow_domains *d, const struct stow_topology *t,
                                            const struct stow_node_set *set)
{
    const uint32_t key[] = {t->number, set->number};
    uint32_t number = stow_intern_blob(&d->reach_key, key, sizeof(key));

    if (number == STOW_INTERN_FAILED || stow_slots_reserve(&d->reach, &d->reach_cap, number) < 0)
        return NULL;
    return d->reach[number] ? d->reach[number] : make_reach(d, t, set, number);
}

void stow_domains_done(struct stow_domains *d)
{
    stow_intern_done(&d->topology_key);
    stow_intern_done(&d->set_key);
    stow_intern_done(&d->reach_key);
    free(d->topology);
    free(d->set);
    free(d->reach);
    stow_arena_done(&d->arena);
    memset(d, 0, sizeof(*d));
}
