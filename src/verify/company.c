/* company.c - pods whose rules speak of other pods, asked where they are.
 *
 * Filters ask whether a pod may come.  Here it is there already, among the counts, and has to be
 * left out of them:
 *
 *  - spreading: count - smallest <= maxSkew, with the pod counted.  Without it the smallest count
 *    could only be lower where the pod's own domain is the smallest; then the difference is 1,
 * which every maxSkew allows.
 *  - affinity: another pod in the domain; or no other pod anywhere, and the pod is its own
 * company.
 *
 * Repelling needs no second look: it is mutual, and was asked about when the later of two came. */
#include "verify/company.h"

#include "place/counts/affinity.h"
#include "place/counts/spread.h"
#include "place/place.h"
#include "place/rules.h"

uint32_t stow_company_smallest(const struct stow_spread_rule *rule)
{
    uint32_t least = UINT32_MAX, domains = 0;

    for (uint32_t i = 1; i < rule->topology->domains; i++) {
        if (rule->reach->hide[i])
            continue;
        domains++;
        least = rule->counter->count[i] < least ? rule->counter->count[i] : least;
    }
    return domains == 0 || domains < (uint32_t)rule->min_domains ? 0 : least;
}

static bool is_even(const struct stow_spread_rule *rule, stow_node_id node)
{
    const uint32_t domain = rule->topology->of[node];
    const bool outside = rule->counter->counted && !rule->counter->counted[node];

    return domain && (int64_t)rule->counter->count[domain] + (rule->self && outside) -
                             stow_company_smallest(rule) <=
                         rule->max_skew;
}

static int is_spread(struct stow_scene *scene, const struct stow_profile_filter *filter,
                     const struct stow_subject *subject, stow_node_id node)
{
    const struct stow_spread_plan *plan = NULL;

    STOW_TRY(stow_spread_plan(filter->self, &scene->state, subject, true, &plan));
    for (uint32_t i = 0; plan && i < plan->rules; i++)
        if (!is_even(&plan->rule[i], node))
            return 0;
    return 1;
}

static int is_in_company(struct stow_scene *scene, const struct stow_subject *subject,
                         stow_node_id node)
{
    const struct stow_affinity_plan *plan = NULL;
    bool company = true, nobody = true;

    STOW_TRY(stow_affinity_plan(&scene->state, subject, &plan));
    for (uint32_t i = 0; plan && i < plan->affinity.count; i++) {
        const struct stow_affinity_term *term = &plan->affinity.term[i];
        const uint32_t domain = term->topology->of[node];

        if (!domain)
            return 0;
        company &= term->counter->count[domain] > plan->self;
        nobody &= term->counter->entries == plan->self;
    }
    return company || (plan->self && nobody);
}

int stow_company_holds(struct stow_scene *scene, stow_pod_id pod, stow_node_id node)
{
    const struct stow_profile *profile = scene->a->profile;
    const struct stow_subject subject = stow_subject_of(&scene->view.s, pod);
    const stow_node_id here = scene->number[node];

    for (uint32_t i = 0; i < profile->filters; i++) {
        const struct stow_profile_filter *filter = &profile->filter[i];
        int holds = 1;

        if (filter->rule == &stow_filter_topology_spread)
            holds = is_spread(scene, filter, &subject, here);
        else if (filter->rule == &stow_filter_inter_pod_affinity)
            holds = is_in_company(scene, &subject, here);
        if (holds != 1)
            return holds;
    }
    return scene->state.tally->failed ? STOW_ENOMEM : 1;
}

int stow_company_shuns(struct stow_scene *scene, stow_pod_id pod)
{
    const struct stow_subject subject = stow_subject_of(&scene->view.s, pod);
    const struct stow_affinity_plan *plan = NULL;

    STOW_TRY(stow_affinity_plan(&scene->state, &subject, &plan));
    for (uint32_t i = 0; plan && plan->sheets && i < plan->sheets->count; i++)
        if (plan->sheets->sheet[i].repelled)
            return 1;
    return 0;
}
