/* ask.c - what pods ask of nodes, attempt by attempt.
 *
 * Upstream takes preferences as hard, and of the required terms of node affinity the first alone.
 * Only when no node, planned node or pool will do is one thing dropped, and everything is tried
 * again: the first required term while more than one is left, then preferred terms, the heaviest
 * first, then taints with the effect PreferNoSchedule.  Every such state of a class of pods is an
 * attempt, with the set of groups and of nodes that its labels and taints leave.
 *
 * Preferences between pods, and spread constraints that schedule anyway, are not looked at: as if
 * they had been dropped already. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/values/match.h"
#include "scale/karpenter/karpenter_internal.h"
#include "scale/yard/rules.h"

#define INITIALIZED "karpenter.sh/initialized"
#define NODEPOOL    "karpenter.sh/nodepool"

/* What a class asks for, and how far it has been relaxed. */
struct asking {
    struct stow_karpenter *k;
    const struct stow_snapshot *s;
    uint32_t class;
    const struct stow_pod_spec *spec;
    const struct stow_node_term *required;
    uint32_t *preferred; /* numbers of terms, heaviest first */
    const struct stow_node_term *preference_list;
    uint32_t requireds, preferreds;
    bool tainted; /* some node prefers that its pods are elsewhere */
    uint32_t term, preference;
    bool tolerates;
};

/* ---- one attempt --------------------------------------------------------------------------- */

static bool prefers_not(const struct stow_snapshot *s, stow_blob taints, stow_blob tolerations)
{
    uint32_t count, others;
    const struct stow_taint *list = STOW_LIST(s, taints, struct stow_taint, &count);
    const struct stow_toleration *with = STOW_LIST(s, tolerations, struct stow_toleration, &others);

    for (uint32_t i = 0; i < count; i++) {
        bool tolerated = list[i].effect != STOW_EFFECT_PREFER_NO_SCHEDULE;

        for (uint32_t t = 0; t < others && !tolerated; t++)
            tolerated = stow_tolerates(&with[t], &list[i]);
        if (!tolerated)
            return true;
    }
    return false;
}

static bool accepts(const struct asking *a, const struct stow_node *node)
{
    if (a->requireds > 1 && !stow_node_term_matches(a->s, &a->required[a->term], node))
        return false;
    if (a->preference < a->preferreds &&
        !stow_node_term_matches(a->s, &a->preference_list[a->preferred[a->preference]], node))
        return false;
    return !a->tainted || a->tolerates || !prefers_not(a->s, node->taints, a->spec->tolerations);
}

static bool is_simple(const struct asking *a)
{
    return a->requireds <= 1 && !a->preferreds && !a->tainted;
}

static int fill_slots(const struct asking *a, struct stow_kask *ask)
{
    const struct stow_karpenter *k = a->k;
    const uint8_t *on = k->yard->class[a->class].on_group;
    const bool simple = is_simple(a);

    ask->slots =
        stow_arena_zalloc(&a->k->arena, (k->slots / STOW_SLOT_BITS + 1) * sizeof(*ask->slots));
    if (!ask->slots)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < k->slots; i++) {
        const stow_group_id group = k->group[i];

        if (group != STOW_NONE && on[group] &&
            (simple || accepts(a, &a->s->node[k->scale->extension.fresh[group]])))
            ask->slots[i / STOW_SLOT_BITS] |= UINT64_C(1) << i % STOW_SLOT_BITS;
    }
    return STOW_OK;
}

/* Nodes of a pass before are like the fresh ones of their groups. */
static bool is_open(const struct asking *a, uint32_t node)
{
    const struct stow_yard *yard = a->k->yard;
    const struct stow_yard_class *class = &yard->class[a->class];

    return node < yard->real ? class->on_real[node]
                             : class->on_group[yard->group_of[node - yard->real]];
}

static int fill_nodes(const struct asking *a, struct stow_kask *ask)
{
    const struct stow_yard *yard = a->k->yard;
    const bool simple = is_simple(a);
    uint8_t *made;

    ask->nodes = yard->class[a->class].on_real;
    if (simple && a->k->nodes == yard->real)
        return STOW_OK;
    made = stow_arena_alloc(&a->k->arena, a->k->nodes + 1);
    if (!made)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < a->k->nodes; i++)
        made[i] = is_open(a, i) && (simple || accepts(a, &a->s->node[stow_yard_template(yard, i)]));
    ask->nodes = made;
    return STOW_OK;
}

static int add_ask(const struct asking *a)
{
    struct stow_karpenter *k = a->k;
    struct stow_kask *ask = STOW_PUSH(&k->ask, &k->asks, &k->ask_cap);

    if (!ask)
        return STOW_ENOMEM;
    ask->class = a->class;
    k->class[a->class].count++;
    ask->shut = stow_arena_zalloc(&k->arena, (k->pools + 1) * sizeof(*ask->shut));
    if (!ask->shut)
        return STOW_ENOMEM;
    STOW_TRY(fill_slots(a, ask));
    return fill_nodes(a, ask);
}

/* ---- all attempts -------------------------------------------------------------------------- */

/* Drops one thing; false: there is nothing left. */
static bool relax(struct asking *a)
{
    if (a->term + 1 < a->requireds)
        a->term++;
    else if (a->preference < a->preferreds)
        a->preference++;
    else if (a->tainted && !a->tolerates)
        a->tolerates = true;
    else
        return false;
    return true;
}

static int compare_weights(const void *a, const void *b, void *of)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct stow_node_term *list = of;

    if (list[x].weight != list[y].weight)
        return list[x].weight > list[y].weight ? -1 : 1;
    return (x > y) - (x < y);
}

static int list_preferred(struct asking *a, struct stow_arena *scratch)
{
    a->preference_list =
        STOW_LIST(a->s, a->spec->node_preferred, struct stow_node_term, &a->preferreds);
    a->preferred = stow_arena_alloc(scratch, (a->preferreds + 1) * sizeof(*a->preferred));
    if (!a->preferred)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < a->preferreds; i++)
        a->preferred[i] = i;
    qsort_r(a->preferred, a->preferreds, sizeof(*a->preferred), compare_weights,
            (void *)a->preference_list);
    return STOW_OK;
}

/* Nodes that are there, and those that could be bought. */
static bool meets_taints(const struct asking *a)
{
    for (uint32_t i = 0; i < a->s->nodes; i++)
        if (a->s->node[i].taints && prefers_not(a->s, a->s->node[i].taints, a->spec->tolerations))
            return true;
    return false;
}

static int ask_class(struct stow_karpenter *k, uint32_t class, struct stow_arena *scratch)
{
    const struct stow_snapshot *s = k->yard->s;
    struct asking a = {
        .k = k,
        .s = s,
        .class = class,
        .spec = stow_spec(s, s->pod[k->yard->class[class].pod].spec),
    };

    if (k->yard->real)
        STOW_TRY(stow_yard_ask_real(k->yard, class));
    if (a.spec->node_required != STOW_SELECTOR_NULL)
        a.required = STOW_LIST(s, a.spec->node_required, struct stow_node_term, &a.requireds);
    STOW_TRY(list_preferred(&a, scratch));
    a.tainted = meets_taints(&a);
    k->class[class].first = k->asks;
    do
        STOW_TRY(add_ask(&a));
    while (relax(&a));
    return STOW_OK;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* Karpenter's own nodes say when they are ready to be used; all others are. */
static bool is_initialized(const struct stow_karpenter *k, uint32_t node)
{
    const struct stow_snapshot *s = k->yard->s;
    const stow_sym pool = stow_intern_find(&s->text, STOW_STR(NODEPOOL));
    const stow_sym key = stow_intern_find(&s->text, STOW_STR(INITIALIZED));
    const stow_blob labels = s->node[stow_yard_template(k->yard, node)].labels;

    if (node >= k->scale->s->nodes)
        return false;
    if (pool == STOW_INTERN_FAILED || stow_label_value(s, labels, pool) == STOW_NONE)
        return true;
    return key != STOW_INTERN_FAILED && stow_label_value(s, labels, key) != STOW_NONE &&
           stow_str_is(stow_text(s, stow_label_value(s, labels, key)), "true");
}

static int order_nodes(struct stow_karpenter *k)
{
    uint32_t at = 0;

    k->node = stow_arena_alloc(&k->arena, (k->nodes + 1) * sizeof(*k->node));
    if (!k->node)
        return STOW_ENOMEM;
    for (uint32_t later = 0; later < 2; later++)
        for (uint32_t i = 0; i < k->nodes; i++)
            if (is_initialized(k, i) != (later == 1))
                k->node[at++] = i;
    return STOW_OK;
}

int stow_karpenter_open_asks(struct stow_karpenter *k)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};

    k->class = stow_arena_zalloc(&k->arena, (k->yard->classes + 1) * sizeof(*k->class));
    if (!k->class)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < k->yard->classes; i++)
        STOW_TRY(ask_class(k, i, &scratch));
    return order_nodes(k);
}
