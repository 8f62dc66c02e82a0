/* spread.c - topology spread constraints over the counts that the plan ends with.
 *
 *     count(domain) - min <= maxSkew     for every hard constraint of every pod that is placed
 *
 * Pods arrive in some order, and the scheduler looks at each constraint only when its pod arrives.
 * So a constraint holds if it holds at the end of either of the two natural orders: with all pods
 * of the plan there, or with those that have constraints of this kind there and the others still to
 * come.  A constraint on other pods only may also be met before any of them arrives.
 * All new nodes are there from the beginning: an empty one counts. */
#include <stdlib.h>

#include "base/vec.h"
#include "place/place.h"
#include "place/spread.h"
#include "verify/audit.h"
#include "verify/company.h"

struct spreading {
    struct stow_audit *a;
    const struct stow_profile_filter *filter;
    struct stow_state state;
    bool made;
    stow_pod_id *owner; /* pods with constraints */
    uint64_t *met;      /* per owner: bit per constraint */
    uint32_t owners;
    const struct stow_spread_plan *least_of; /* whose smallest counts are in `least` */
    uint32_t *least;
    uint32_t least_cap;
};

static void spreading_done(struct spreading *p)
{
    if (p->made)
        stow_state_done(&p->state);
    free(p->owner);
    free(p->met);
    free(p->least);
}

static int plan_of(struct spreading *p, stow_pod_id pod, const struct stow_spread_plan **ret)
{
    const struct stow_subject subject = stow_subject_of(p->state.s, pod);

    return stow_spread_plan(p->filter->self, &p->state, &subject, true, ret);
}

static int find_least(struct spreading *p, const struct stow_spread_plan *plan)
{
    if (p->least_of == plan)
        return STOW_OK;
    if (stow_vec_reserve(&p->least, &p->least_cap, plan->rules, sizeof(*p->least)) < 0)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < plan->rules; i++)
        p->least[i] = stow_company_smallest(&plan->rule[i]);
    p->least_of = plan;
    return STOW_OK;
}

/* The pod itself is in the counts, unless it was not placed yet (then it concerns others only), or
 * its node does not count. */
static bool meets(const struct stow_spread_rule *rule, uint32_t least, stow_node_id node)
{
    const uint32_t domain = rule->topology->of[node];
    const bool outside = rule->counter->counted && !rule->counter->counted[node];

    return domain && (int64_t)rule->counter->count[domain] + (rule->self && outside) - least <=
                         rule->max_skew;
}

/* `empty`: nothing is placed yet. */
static int look(struct spreading *p, bool empty)
{
    p->least_of = NULL;
    for (uint32_t i = 0; i < p->owners; i++) {
        const struct stow_spread_plan *plan = NULL;

        STOW_TRY(plan_of(p, p->owner[i], &plan));
        if (!plan || find_least(p, plan) < 0)
            return STOW_ENOMEM;
        for (uint32_t r = 0; r < plan->rules; r++)
            if (!(empty && plan->rule[r].self) &&
                meets(&plan->rule[r], p->least[r], p->a->node_of[p->owner[i]]))
                p->met[i] |= UINT64_C(1) << (r % 64);
    }
    return STOW_OK;
}

static int find_owners(struct spreading *p)
{
    const struct stow_audit *a = p->a;

    p->owner = calloc((size_t)a->pendings + 1, sizeof(*p->owner));
    p->met = calloc((size_t)a->pendings + 1, sizeof(*p->met));
    if (!p->owner || !p->met)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < a->pendings; i++) {
        const struct stow_spread_plan *plan = NULL;

        if (a->node_of[a->pending[i]] == STOW_NONE)
            continue;
        STOW_TRY(plan_of(p, a->pending[i], &plan));
        if (plan)
            p->owner[p->owners++] = a->pending[i];
    }
    return STOW_OK;
}

/* Owners are in order of ids, as the pending pods are. */
static void place(struct spreading *p, bool owners)
{
    const struct stow_audit *a = p->a;
    uint32_t at = 0;

    for (uint32_t i = 0; i < a->pendings; i++) {
        const bool is_owner = at < p->owners && p->owner[at] == a->pending[i];

        at += is_owner;
        if (is_owner == owners && a->node_of[a->pending[i]] != STOW_NONE)
            stow_state_place(&p->state, a->pending[i], a->node_of[a->pending[i]]);
    }
}

static int report(struct spreading *p)
{
    struct stow_audit *a = p->a;

    for (uint32_t i = 0; i < p->owners; i++) {
        const struct stow_spread_plan *plan = NULL;

        STOW_TRY(plan_of(p, p->owner[i], &plan));
        for (uint32_t r = 0; plan && r < plan->rules; r++) {
            if (p->met[i] >> (r % 64) & 1)
                continue;
            stow_audit_wrong(
                a, STOW_VERIFY_FILTERS, UINT32_MAX,
                "pod %s: %u matching pods in its domain of %.*s are more than maxSkew "
                "%d above the emptiest (%u)",
                stow_audit_pod_name(a, p->owner[i]),
                plan->rule[r].counter->count[plan->rule[r].topology->of[a->node_of[p->owner[i]]]],
                STOW_FMT(stow_text(a->s, plan->rule[r].topology->key)), plan->rule[r].max_skew,
                stow_company_smallest(&plan->rule[r]));
        }
    }
    return STOW_OK;
}

static int check(struct spreading *p)
{
    STOW_TRY(find_owners(p));
    if (!p->owners)
        return STOW_OK;
    STOW_TRY(look(p, true));
    place(p, true);
    STOW_TRY(look(p, false));
    place(p, false);
    STOW_TRY(look(p, false));
    return report(p);
}

int stow_audit_spread(struct stow_audit *a, const struct stow_profile_filter *filter,
                      struct stow_err *err)
{
    STOW_AUTO(spreading_done) struct spreading p = {.a = a, .filter = filter};

    STOW_TRY(stow_state_init(&p.state, &a->all.s, NULL, err));
    p.made = true;
    return check(&p) < 0 || p.state.tally->failed ? stow_fail_memory(err) : STOW_OK;
}
