/* rules.c - the lists of rules, in the order in which they are shown and, for filters, asked. */
#include "place/rules.h"

/* clang-format off */
const struct stow_filter_rule *const stow_filters[] = {
    &stow_filter_node_unschedulable,
    &stow_filter_node_name,
    &stow_filter_taint_toleration,
    &stow_filter_node_affinity,
    &stow_filter_node_ports,
    &stow_filter_node_resources_fit,
    &stow_filter_volume_restrictions,
    &stow_filter_node_volume_limits,
    &stow_filter_volume_zone,
    &stow_filter_topology_spread,
    &stow_filter_inter_pod_affinity,
    &stow_filter_dynamic_resources,
    &stow_filter_storage,
    &stow_filter_disk_type,
    &stow_filter_network_type,
    &stow_filter_limits,
    &stow_filter_durability,
    &stow_filter_max_interruption,
    &stow_filter_max_price,
    NULL,
};

const struct stow_scorer_rule *const stow_scorers[] = {
    &stow_score_ultron,
    &stow_score_node_resources_fit_plus,
    &stow_score_scarce_resource_avoidance,
    &stow_score_least_allocated,
    &stow_score_most_allocated,
    &stow_score_requested_to_capacity_ratio,
    &stow_score_balanced_allocation,
    &stow_score_taint_toleration,
    &stow_score_node_affinity,
    &stow_score_topology_spread,
    &stow_score_inter_pod_affinity,
    &stow_score_image_locality,
    &stow_score_dynamic_resources,
    NULL,
};
/* clang-format on */

const struct stow_filter_rule *stow_filter_find(struct stow_str name)
{
    for (const struct stow_filter_rule *const *rule = stow_filters; *rule; rule++)
        if (stow_str_is(name, (*rule)->name))
            return *rule;
    return NULL;
}

const struct stow_scorer_rule *stow_scorer_find(struct stow_str name)
{
    for (const struct stow_scorer_rule *const *rule = stow_scorers; *rule; rule++)
        if (stow_str_is(name, (*rule)->name))
            return *rule;
    return NULL;
}
