/* spread.c - topology spread constraints over the counts that the plan ends with.
 *
 *     count(domain) - min <= maxSkew     for every hard constraint of every pod that is placed
 *
 * The scheduler looks at a constraint only when its pod arrives; pods without it that are counted
 * can come later.  A plan must not need that luck: with all its nodes and pods there, every
 * constraint holds.  All new nodes are there: an empty one counts. */
#include "place/counts/spread.h"
#include "base/vec.h"
#include "place/place.h"
#include "verify/audit.h"
#include "verify/company.h"

struct spreading {
    struct stow_audit *a;
    const struct stow_profile_filter *filter;
    struct stow_state state;
    bool made;
};

static void spreading_done(struct spreading *p)
{
    if (p->made)
        stow_state_done(&p->state);
}

static int plan_of(struct spreading *p, stow_pod_id pod, const struct stow_spread_plan **ret)
{
    const struct stow_subject subject = stow_subject_of(p->state.s, pod);

    return stow_spread_plan(p->filter->self, &p->state, &subject, true, ret);
}

static void place_all(struct spreading *p)
{
    const struct stow_audit *a = p->a;

    for (uint32_t i = 0; i < a->pendings; i++)
        if (a->node_of[a->pending[i]] != STOW_NONE)
            stow_state_place(&p->state, a->pending[i], a->node_of[a->pending[i]]);
}

static void check_rule(struct spreading *p, stow_pod_id pod, const struct stow_spread_rule *rule,
                       uint32_t least)
{
    struct stow_audit *a = p->a;
    const uint32_t domain = rule->topology->of[a->node_of[pod]];

    if (domain && (int64_t)rule->counter->count[domain] - least <= rule->max_skew)
        return;
    stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->place_token[pod],
                     "pod %s: with all nodes and pods there, %u matching pods in its domain of "
                     "%.*s are more than maxSkew %d above the emptiest (%u)",
                     stow_audit_pod_name(a, pod), rule->counter->count[domain],
                     STOW_FMT(stow_text(a->s, rule->topology->key)), rule->max_skew, least);
}

/* Pods that are alike follow each other as a rule: the smallest counts are looked for once. */
static int check_all(struct spreading *p)
{
    const struct stow_audit *a = p->a;
    const struct stow_spread_plan *last = NULL;
    STOW_AUTO(stow_free_local) uint32_t *least = NULL;
    uint32_t cap = 0;

    for (uint32_t i = 0; i < a->pendings; i++) {
        const struct stow_spread_plan *plan = NULL;

        if (a->node_of[a->pending[i]] == STOW_NONE)
            continue;
        STOW_TRY(plan_of(p, a->pending[i], &plan));
        if (!plan)
            continue;
        if (plan != last && stow_vec_reserve(&least, &cap, plan->rules, sizeof(*least)) < 0)
            return STOW_ENOMEM;
        for (uint32_t r = 0; r < plan->rules && plan != last; r++)
            least[r] = stow_company_smallest(&plan->rule[r]);
        last = plan;
        for (uint32_t r = 0; r < plan->rules; r++)
            check_rule(p, a->pending[i], &plan->rule[r], least[r]);
    }
    return STOW_OK;
}

int stow_audit_spread(struct stow_audit *a, const struct stow_profile_filter *filter,
                      struct stow_err *err)
{
    STOW_AUTO(spreading_done) struct spreading p = {.a = a, .filter = filter};

    STOW_TRY(stow_state_init(&p.state, &a->all.s, NULL, err));
    p.made = true;
    place_all(&p);
    return check_all(&p) < 0 || p.state.tally->failed ? stow_fail_memory(err) : STOW_OK;
}
