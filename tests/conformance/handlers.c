/* handlers.c - which handler takes which group. */
#include "tests/conformance/conformance.h"

static const struct stow_conf_handler *const tables[] = {
    stow_conf_advisor_input,
    stow_conf_chain,
    stow_conf_config_validation,
    stow_conf_divide_cost,
    stow_conf_filters,
    stow_conf_gce,
    stow_conf_karmada_assign,
    stow_conf_karmada_capacity,
    stow_conf_karmada_select,
    stow_conf_karmada_small,
    stow_conf_karmada_whole,
    stow_conf_karpenter,
    stow_conf_karpenter_schedule,
    stow_conf_karpenter_budgets,
    stow_conf_limits,
    stow_conf_nru,
    stow_conf_nru_plan,
    stow_conf_orchestrator,
    stow_conf_place,
    stow_conf_pod_groups,
    stow_conf_pod_request,
    stow_conf_price_median,
    stow_conf_price_rank,
    stow_conf_quantity,
    stow_conf_rank,
    stow_conf_scale_up,
    stow_conf_scores,
    stow_conf_similar,
    stow_conf_topology,
    stow_conf_ultron,
    stow_conf_ultron_program,
};

static bool takes(const struct stow_conf_handler *h, struct stow_str family, struct stow_str group)
{
    return stow_str_is(group, h->group) && (!h->family || stow_str_is(family, h->family));
}

const struct stow_conf_handler *stow_conf_find(struct stow_str family, struct stow_str group)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const struct stow_conf_handler *h = tables[i]; h->group; h++)
            if (takes(h, family, group))
                return h;
    return NULL;
}
