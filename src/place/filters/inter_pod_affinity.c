/* inter_pod_affinity.c - required affinity and anti-affinity between pods.
 *
 * In this order: every affinity term of the pod has a matching pod in the node's domain; no
 * anti-affinity term has one; no pod that is there repels this one from the node's domain.
 * A pod that matches its own affinity terms may be the first: when no pod counts for
 * them in any domain, a node need only carry the keys. */
#include "place/counts/affinity.h"
#include "place/counts/gate.h"
#include "place/rules.h"
#include "place/state.h"

struct affinity_prep {
    const struct stow_affinity_plan *plan;
    struct stow_gate *gate; /* one per topology */
    uint32_t gates;
    bool first; /* no pod counts for the affinity terms, and the pod matches them itself */
};

static bool is_repelled(const struct stow_sheets *sheets)
{
    for (uint32_t i = 0; i < sheets->count; i++)
        if (sheets->sheet[i].repelled && sheets->sheet[i].repelled->entries)
            return true;
    return false;
}

static bool nobody_counts(const struct stow_affinity_terms *terms)
{
    for (uint32_t i = 0; i < terms->count; i++)
        if (terms->term[i].counter->entries)
            return false;
    return true;
}

/* Closes the domains where the pods of a counter are; nodes without the key stay open. */
static int shut_out(struct affinity_prep *p, const struct stow_counter *counter,
                    struct stow_arena *arena)
{
    if (!counter || !counter->entries)
        return STOW_OK;

    struct stow_gate *gate = stow_gate_for(p->gate, &p->gates, counter->topology, arena);

    if (!gate)
        return STOW_ENOMEM;
    stow_gate_at_most(gate, counter, 0);
    return STOW_OK;
}

static int close_gates(struct affinity_prep *p, struct stow_arena *arena)
{
    const struct stow_affinity_plan *plan = p->plan;

    for (uint32_t i = 0; i < plan->affinity.count; i++) {
        const struct stow_affinity_term *term = &plan->affinity.term[i];
        struct stow_gate *gate = stow_gate_for(p->gate, &p->gates, term->topology, arena);

        if (!gate)
            return STOW_ENOMEM;
        gate->open[0] = 0;
        if (!p->first)
            stow_gate_some(gate, term->counter);
    }
    for (uint32_t i = 0; i < plan->anti.count; i++)
        STOW_TRY(shut_out(p, plan->anti.term[i].counter, arena));
    for (uint32_t i = 0; i < plan->sheets->count; i++)
        STOW_TRY(shut_out(p, plan->sheets->sheet[i].repelled, arena));
    return STOW_OK;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct affinity_prep *p = prep;

    (void)self;
    STOW_TRY(stow_affinity_plan(state, pod, &p->plan));
    if (!p->plan ||
        (!p->plan->affinity.count && !p->plan->anti.count && !is_repelled(p->plan->sheets)))
        return STOW_PREPARED_SKIP;
    p->first = p->plan->self && nobody_counts(&p->plan->affinity);
    p->gate = stow_arena_alloc(
        arena, (p->plan->affinity.count + p->plan->anti.count + p->plan->sheets->count) *
                   sizeof(*p->gate));
    if (!p->gate)
        return STOW_ENOMEM;
    STOW_TRY(close_gates(p, arena));
    return STOW_PREPARED;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct affinity_prep *p = prep;

    (void)self, (void)pod;
    stow_gates_check(p->gate, p->gates, state->nodes, nodes, count, fits);
}

static bool outlook(const void *prep, struct stow_outlook *to)
{
    const struct stow_affinity_plan *plan = ((const struct affinity_prep *)prep)->plan;

    for (uint32_t i = 0; i < plan->affinity.count; i++) {
        stow_outlook_topology(to, plan->affinity.term[i].topology);
        stow_outlook_counter(to, plan->affinity.term[i].counter);
    }
    for (uint32_t i = 0; i < plan->anti.count; i++)
        stow_outlook_counter(to, plan->anti.term[i].counter);
    for (uint32_t i = 0; i < plan->sheets->count; i++)
        stow_outlook_counter(to, plan->sheets->sheet[i].repelled);
    return true;
}

/* ---- why ---------------------------------------------------------------------------------- */

/* The first affinity term that the node's domain does not meet; STOW_NONE: it meets all. */
static uint32_t unmet(const struct affinity_prep *p, stow_node_id node)
{
    for (uint32_t i = 0; i < p->plan->affinity.count; i++) {
        const struct stow_affinity_term *term = &p->plan->affinity.term[i];
        uint32_t domain = term->topology->of[node];

        if (!domain || (!p->first && !term->counter->count[domain]))
            return i;
    }
    return STOW_NONE;
}

/* How many pods of a counter share the node's domain. */
static uint32_t shares(const struct stow_counter *counter, stow_node_id node)
{
    uint32_t domain = counter ? counter->topology->of[node] : 0;

    return domain ? counter->count[domain] : 0;
}

/* The first of the pod's anti-affinity terms with a pod in the node's domain, or STOW_NONE. */
static uint32_t disliked(const struct affinity_prep *p, stow_node_id node)
{
    for (uint32_t i = 0; i < p->plan->anti.count; i++)
        if (shares(p->plan->anti.term[i].counter, node))
            return i;
    return STOW_NONE;
}

/* The pods there that keep this one away, or NULL. */
static const struct stow_counter *repelled(const struct affinity_prep *p, stow_node_id node)
{
    for (uint32_t i = 0; i < p->plan->sheets->count; i++)
        if (shares(p->plan->sheets->sheet[i].repelled, node))
            return p->plan->sheets->sheet[i].repelled;
    return NULL;
}

/* "app=db, tier"; other requirements by their keys.  NULL: out of memory. */
static const char *selector_words(const struct stow_snapshot *s, stow_blob selector,
                                  struct stow_arena *arena)
{
    uint32_t count, values;
    const struct stow_requirement *r = STOW_LIST(s, selector, struct stow_requirement, &count);
    const char *text = count ? "" : "any";

    for (uint32_t i = 0; i < count && text; i++) {
        const stow_sym *value = STOW_LIST(s, r[i].values, stow_sym, &values);
        const bool plain = r[i].op == STOW_OP_IN && values == 1;

        text =
            stow_arena_printf(arena, "%s%s%s%s%s", text, i ? ", " : "", stow_text(s, r[i].key).ptr,
                              plain ? "=" : "", plain ? stow_text(s, value[0]).ptr : "");
    }
    return text;
}

/* "2 pods of app=db by kubernetes.io/hostname", of the term with this number. */
static const char *term_words(const struct stow_snapshot *s, stow_blob terms, uint32_t number,
                              uint32_t pods, struct stow_arena *arena)
{
    uint32_t count;
    const struct stow_pod_term *term = STOW_LIST(s, terms, struct stow_pod_term, &count);
    const char *which =
        arena && number < count ? selector_words(s, term[number].selector, arena) : NULL;

    return which ? stow_arena_printf(arena, "%u pod%s of %s by %s", pods, pods == 1 ? "" : "s",
                                     which, stow_text(s, term[number].topology_key).ptr)
                 : NULL;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct affinity_prep *p = prep;
    const struct stow_snapshot *s = state->s;
    const struct stow_counter *others = repelled(p, node);
    const uint32_t lacks = unmet(p, node), hates = disliked(p, node);
    struct stow_reason reason = {.resource = STOW_NONE};

    (void)self;
    ret->verdict = STOW_UNSCHEDULABLE;
    if (lacks != STOW_NONE) {
        ret->verdict = STOW_UNRESOLVABLE;
        reason.text = "node(s) didn't match pod affinity rules";
        reason.detail = term_words(s, pod->spec->affinity_required, lacks, 0, ret->arena);
    } else if (hates != STOW_NONE) {
        reason.text = "node(s) didn't match pod anti-affinity rules";
        reason.used = shares(p->plan->anti.term[hates].counter, node);
        reason.detail =
            term_words(s, pod->spec->anti_required, hates, (uint32_t)reason.used, ret->arena);
    } else if (others) {
        reason.text = "node(s) didn't satisfy existing pods anti-affinity rules";
        reason.used = shares(others, node);
        reason.detail = ret->arena
                            ? stow_arena_printf(ret->arena, "%u pod%s there by %s",
                                                (uint32_t)reason.used, reason.used == 1 ? "" : "s",
                                                stow_text(s, others->topology->key).ptr)
                            : NULL;
    } else {
        ret->verdict = STOW_FITS;
    }
    ret->count = reason.text != NULL;
    ret->reason[0] = reason;
}

const struct stow_filter_rule stow_filter_inter_pod_affinity = {
    .name = "inter-pod-affinity",
    .plugin = "InterPodAffinity",
    .summary = "required affinity and anti-affinity between pods",
    .scope = STOW_SCOPE_CLUSTER,
    .prep_size = sizeof(struct affinity_prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
    .outlook = outlook,
};
