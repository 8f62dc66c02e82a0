/* affinity.c - terms of pods about other pods, as plans.
 *
 * A term is read from two sides.  The terms of the pod being placed ask which pods are there:
 * a watch each, but one watch for all required affinity terms together, because an existing
 * pod counts only if it matches all of them.  The terms of the pods that are there ask what
 * the pod being placed is: those are the sheets of its kind.
 *
 * kube-scheduler 1.34 to 1.36 resolve the namespace selector of the pod's own terms, and then try
 * it on no labels as well, so that one made of NotIn or DoesNotExist takes every namespace; as
 * here (STOW_CLAUSE_NO_LABELS). */
#include "place/counts/affinity.h"

#include <stdlib.h>

#include "place/state.h"

struct planning {
    struct stow_tally *t;
    const struct stow_state *state;
    const struct stow_subject *pod;
    struct stow_affinity_plan *plan;
};

/* The clauses of a list of terms; NULL: out of memory.  To be freed. */
static struct stow_clause *clauses_of(const struct planning *p, const struct stow_pod_term *term,
                                      uint32_t count)
{
    const struct stow_pod *pod = p->pod->pod;
    struct stow_clause *clause = malloc((count + 1) * sizeof(*clause));

    for (uint32_t i = 0; i < count && clause; i++) {
        if (stow_clause_of_term(p->t, &term[i], pod->namespace, stow_unmerged_labels(pod),
                                &clause[i]) < 0) {
            free(clause);
            return NULL;
        }
        clause[i].flags = STOW_CLAUSE_NO_LABELS;
    }
    return clause;
}

static bool takes_all(const struct planning *p, const struct stow_clause *clause, uint32_t count)
{
    const struct stow_pod *pod = p->pod->pod;

    for (uint32_t i = 0; i < count; i++)
        if (!stow_clause_takes(p->t, &clause[i], pod->namespace, pod->labels))
            return false;
    return true;
}

static int watch_terms(const struct planning *p, const struct stow_pod_term *term,
                       const struct stow_clause *clause, uint32_t count, bool together,
                       struct stow_affinity_term *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        ret[i].topology = stow_domains_topology(&p->t->domains, term[i].topology_key);
        if (!ret[i].topology)
            return STOW_ENOMEM;
        ret[i].counter = stow_tally_watch(p->t, p->state, together ? clause : &clause[i],
                                          together ? count : 1, ret[i].topology, NULL, false);
        ret[i].weight = term[i].weight;
        if (!ret[i].counter)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* Appends the terms of a list to `ret`, which has room. */
static int add_terms(const struct planning *p, stow_blob terms, bool together,
                     struct stow_affinity_terms *ret)
{
    uint32_t count;
    const struct stow_pod_term *term = STOW_LIST(p->state->s, terms, struct stow_pod_term, &count);
    struct stow_clause *clause = clauses_of(p, term, count);

    if (!clause)
        return STOW_ENOMEM;

    int code = watch_terms(p, term, clause, count, together, ret->term + ret->count);

    if (together && code >= 0)
        p->plan->self = count && takes_all(p, clause, count);
    ret->count += count;
    free(clause);
    return code;
}

static int make_room(struct stow_tally *t, uint32_t count, struct stow_affinity_terms *ret)
{
    ret->term = stow_arena_zalloc(&t->arena, (count + 1) * sizeof(*ret->term));
    return ret->term ? STOW_OK : STOW_ENOMEM;
}

static uint32_t length(const struct planning *p, stow_blob terms)
{
    uint32_t count;

    STOW_LIST(p->state->s, terms, struct stow_pod_term, &count);
    return count;
}

static int fill_plan(const struct planning *p)
{
    const struct stow_pod_spec *spec = p->pod->spec;
    struct stow_affinity_plan *plan = p->plan;
    const uint32_t liked = length(p, spec->affinity_preferred);

    STOW_TRY(make_room(p->t, length(p, spec->affinity_required), &plan->affinity));
    STOW_TRY(make_room(p->t, length(p, spec->anti_required), &plan->anti));
    STOW_TRY(make_room(p->t, liked + length(p, spec->anti_preferred), &plan->preferred));
    STOW_TRY(add_terms(p, spec->affinity_required, true, &plan->affinity));
    STOW_TRY(add_terms(p, spec->anti_required, false, &plan->anti));
    STOW_TRY(add_terms(p, spec->affinity_preferred, false, &plan->preferred));
    STOW_TRY(add_terms(p, spec->anti_preferred, false, &plan->preferred));
    for (uint32_t i = liked; i < plan->preferred.count; i++)
        plan->preferred.term[i].weight = -plan->preferred.term[i].weight;
    plan->sheets = stow_tally_sheets(p->t, p->state, p->pod->pod->namespace, p->pod->pod->labels);
    return plan->sheets ? STOW_OK : STOW_ENOMEM;
}

int stow_affinity_plan(const struct stow_state *state, const struct stow_subject *pod,
                       const struct stow_affinity_plan **ret)
{
    struct stow_tally *t = state->tally;
    const struct stow_pod *object = pod->pod;

    *ret = NULL;
    if (!stow_tally_has_terms(t))
        return STOW_OK;
    if (t->failed)
        return STOW_ENOMEM;

    const uint32_t key[] = {object->spec, object->namespace, object->labels,
                            stow_unmerged_labels(object) == STOW_NONE};
    void **slot = stow_plans_at(&t->affinity, key, sizeof(key));

    if (!slot)
        return STOW_ENOMEM;
    if (!*slot) {
        struct planning p = {t, state, pod, stow_arena_zalloc(&t->arena, sizeof(*p.plan))};

        if (!p.plan)
            return STOW_ENOMEM;
        STOW_TRY(fill_plan(&p));
        *slot = p.plan;
    }
    *ret = *slot;
    return STOW_OK;
}
