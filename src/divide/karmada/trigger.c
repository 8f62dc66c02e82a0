/* trigger.c - whether Karmada would schedule a binding at all.
 *
 * A divided workload stays where it is unless its placement, its count or a trigger
 * says otherwise: capacity, labels, taints and prices alone move nothing.  The
 * placement is compared with the one applied last, which the scheduler keeps in an
 * annotation; both were read by the same reader, so equal ones are equal handles. */
#include <string.h>

#include "divide/divide_internal.h"

#include <assert.h>

bool stow_binding_is_workload(const struct stow_binding *b)
{
    return b->replicas > 0 || (b->flags & STOW_BINDING_HAS_REQUIREMENTS) || b->components != 0;
}

bool stow_binding_is_fresh(const struct stow_binding *b)
{
    return b->reschedule_triggered != STOW_TIME_ALWAYS && b->last_scheduled != STOW_TIME_ALWAYS &&
           b->reschedule_triggered > b->last_scheduled;
}

/* ---- the placement ----------------------------------------------------------------------- */

static const struct stow_cluster_term *find_term(const struct stow_snapshot *s, stow_blob terms,
                                                 stow_sym name)
{
    uint32_t count;
    const struct stow_cluster_term *list = STOW_LIST(s, terms, struct stow_cluster_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}

static_assert(sizeof(struct stow_cluster_affinity) == 6 * sizeof(uint32_t), "compared as bytes");
static_assert(sizeof(struct stow_cluster_term) == 8 * sizeof(uint32_t), "compared as bytes");
static_assert(sizeof(struct stow_propagation) == 15 * sizeof(uint32_t), "compared as bytes");

static bool same_but_terms(const struct stow_propagation *a, const struct stow_propagation *b)
{
    return memcmp(&a->affinity, &b->affinity, sizeof(a->affinity)) == 0 &&
           a->tolerations == b->tolerations && a->spread == b->spread && a->weights == b->weights &&
           a->type == b->type && a->preference == b->preference && a->flags == b->flags;
}

static bool placement_changed(const struct stow_snapshot *s, const struct stow_binding *b)
{
    if (b->applied != STOW_APPLIED_KNOWN)
        return b->applied == STOW_APPLIED_ABSENT;

    const struct stow_propagation *now = stow_propagation_get(s, b->placement);
    const struct stow_propagation *then = stow_propagation_get(s, b->applied_placement);

    if (memcmp(now, then, sizeof(*now)) == 0)
        return false;
    if (!same_but_terms(now, then) || !b->observed_affinity)
        return true;

    const struct stow_cluster_term *here = find_term(s, now->terms, b->observed_affinity);
    const struct stow_cluster_term *there = find_term(s, then->terms, b->observed_affinity);

    return !here || !there || memcmp(here, there, sizeof(*here)) != 0;
}

/* ---- the count --------------------------------------------------------------------------- */

bool stow_binding_replicas_changed(const struct stow_snapshot *s, const struct stow_binding *b,
                                   bool components)
{
    const struct stow_propagation *p = stow_propagation_get(s, b->placement);
    uint32_t count;
    const struct stow_target *list = STOW_LIST(s, b->clusters, struct stow_target, &count);
    int64_t sum = 0;
    bool differs = false;

    if (components && b->components)
        return count == 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += list[i].replicas;
        differs |= list[i].replicas != b->replicas;
    }
    switch (p->type) {
    case STOW_SCHEDULING_DUPLICATED:
        return differs;
    case STOW_SCHEDULING_DIVIDED:
        return sum != b->replicas;
    default:
        return false;
    }
}

static bool target_deleted(const struct stow_snapshot *s, const struct stow_binding *b)
{
    uint32_t count;
    const struct stow_target *list = STOW_LIST(s, b->clusters, struct stow_target, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_cluster_id id = stow_cluster_find(s, list[i].cluster);

        if (id != STOW_NONE && (s->cluster[id].flags & STOW_CLUSTER_DELETED))
            return true;
    }
    return false;
}

enum stow_divide_trigger stow_divide_trigger(const struct stow_snapshot *s,
                                             const struct stow_binding *b, bool components)
{
    const struct stow_propagation *p = stow_propagation_get(s, b->placement);

    if (placement_changed(s, b))
        return STOW_TRIGGER_PLACEMENT;
    if (stow_binding_replicas_changed(s, b, components))
        return STOW_TRIGGER_REPLICAS;
    if (stow_binding_is_fresh(b))
        return STOW_TRIGGER_RESCHEDULE;
    if (!stow_binding_is_workload(b) || p->type == STOW_SCHEDULING_NONE ||
        p->type == STOW_SCHEDULING_DUPLICATED)
        return STOW_TRIGGER_DUPLICATED;
    return target_deleted(s, b) ? STOW_TRIGGER_CLUSTER_DELETED : STOW_TRIGGER_NONE;
}

uint32_t stow_affinity_start(const struct stow_cluster_term *term, uint32_t count,
                             stow_sym observed)
{
    for (uint32_t i = 0; observed && i < count; i++)
        if (term[i].name == observed)
            return i;
    return 0;
}
