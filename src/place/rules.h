/* rules.h - every filter and every scorer there is, each defined in the file of its name. */
#ifndef STOW_PLACE_RULES_H
#define STOW_PLACE_RULES_H

#include "place/rule.h"

/* kube-scheduler's filters. */
extern const struct stow_filter_rule stow_filter_node_unschedulable;
extern const struct stow_filter_rule stow_filter_node_name;
extern const struct stow_filter_rule stow_filter_taint_toleration;
extern const struct stow_filter_rule stow_filter_node_affinity;
extern const struct stow_filter_rule stow_filter_node_ports;
extern const struct stow_filter_rule stow_filter_node_resources_fit;
extern const struct stow_filter_rule stow_filter_volume_restrictions;
extern const struct stow_filter_rule stow_filter_node_volume_limits;
extern const struct stow_filter_rule stow_filter_volume_zone;
extern const struct stow_filter_rule stow_filter_topology_spread;
extern const struct stow_filter_rule stow_filter_inter_pod_affinity;
extern const struct stow_filter_rule stow_filter_dynamic_resources;

/* Ultron's, and ours. */
extern const struct stow_filter_rule stow_filter_storage;
extern const struct stow_filter_rule stow_filter_disk_type;
extern const struct stow_filter_rule stow_filter_network_type;
extern const struct stow_filter_rule stow_filter_limits;
extern const struct stow_filter_rule stow_filter_durability;
extern const struct stow_filter_rule stow_filter_max_interruption;
extern const struct stow_filter_rule stow_filter_max_price;

/* Scorers. */
extern const struct stow_scorer_rule stow_score_ultron;
extern const struct stow_scorer_rule stow_score_node_resources_fit_plus;
extern const struct stow_scorer_rule stow_score_scarce_resource_avoidance;
extern const struct stow_scorer_rule stow_score_least_allocated;
extern const struct stow_scorer_rule stow_score_most_allocated;
extern const struct stow_scorer_rule stow_score_requested_to_capacity_ratio;
extern const struct stow_scorer_rule stow_score_balanced_allocation;
extern const struct stow_scorer_rule stow_score_taint_toleration;
extern const struct stow_scorer_rule stow_score_node_affinity;
extern const struct stow_scorer_rule stow_score_topology_spread;
extern const struct stow_scorer_rule stow_score_inter_pod_affinity;
extern const struct stow_scorer_rule stow_score_image_locality;
extern const struct stow_scorer_rule stow_score_dynamic_resources;

#endif
