/* rules.h - every filter and every scorer there is, each defined in the file of its name. */
#ifndef STOW_PLACE_RULES_H
#define STOW_PLACE_RULES_H

#include "place/rule.h"

/* kube-scheduler's filters. */
extern const struct stow_filter stow_filter_node_unschedulable;
extern const struct stow_filter stow_filter_node_name;
extern const struct stow_filter stow_filter_taint_toleration;
extern const struct stow_filter stow_filter_node_affinity;
extern const struct stow_filter stow_filter_node_ports;
extern const struct stow_filter stow_filter_node_resources_fit;
extern const struct stow_filter stow_filter_volume_zone;

/* Ultron's, and ours. */
extern const struct stow_filter stow_filter_storage;
extern const struct stow_filter stow_filter_disk_type;
extern const struct stow_filter stow_filter_network_type;
extern const struct stow_filter stow_filter_limits;
extern const struct stow_filter stow_filter_durability;
extern const struct stow_filter stow_filter_max_interruption;
extern const struct stow_filter stow_filter_max_price;

/* Scorers. */

#endif
