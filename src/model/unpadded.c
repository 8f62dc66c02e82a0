/* unpadded.c - structs that are interned as bytes have no padding.
 *
 * Lists of these structs are compared as byte strings (stow_intern_blob).  Padding is
 * not part of any field, so equal lists could differ in it, and one class of pods would become two.
 * A new field that leaves a gap does not compile: fill the gap with a field `reserved`, which is 0,
 * and name both here. */
#include "model/fleet/fleet.h"
#include "model/karpenter/pool.h"
#include "model/pods/stored.h"
#include "model/snapshot.h"

#define SIZE(type, field)      sizeof(((struct type *)0)->field)
#define UNPADDED(type, fields) _Static_assert(sizeof(struct type) == (fields), "no padding")

/* model/snapshot.h */
UNPADDED(stow_added, SIZE(stow_added, container) + SIZE(stow_added, field) + SIZE(stow_added, key) +
                         SIZE(stow_added, from) + SIZE(stow_added, lo) + SIZE(stow_added, hi));
UNPADDED(stow_amount,
         SIZE(stow_amount, resource) + SIZE(stow_amount, reserved) + SIZE(stow_amount, value));
UNPADDED(stow_container, SIZE(stow_container, image) + SIZE(stow_container, requests) +
                             SIZE(stow_container, limits) + SIZE(stow_container, ports) +
                             SIZE(stow_container, flags) + SIZE(stow_container, reserved));
UNPADDED(stow_device_request, SIZE(stow_device_request, name) + SIZE(stow_device_request, class));
UNPADDED(stow_disk, SIZE(stow_disk, kind) + SIZE(stow_disk, id) + SIZE(stow_disk, pool) +
                        SIZE(stow_disk, monitors) + SIZE(stow_disk, read_only));
UNPADDED(stow_exact, SIZE(stow_exact, resource) + SIZE(stow_exact, reserved) +
                         SIZE(stow_exact, lo) + SIZE(stow_exact, hi));
UNPADDED(stow_image, SIZE(stow_image, name) + SIZE(stow_image, reserved) + SIZE(stow_image, bytes));
UNPADDED(stow_intake, SIZE(stow_intake, names) + SIZE(stow_intake, added) +
                          SIZE(stow_intake, runtime_class) + SIZE(stow_intake, flags));
UNPADDED(stow_label, SIZE(stow_label, key) + SIZE(stow_label, value));
UNPADDED(stow_limit_item,
         SIZE(stow_limit_item, type) + SIZE(stow_limit_item, min) + SIZE(stow_limit_item, max) +
             SIZE(stow_limit_item, ratio) + SIZE(stow_limit_item, default_limits) +
             SIZE(stow_limit_item, default_requests) + SIZE(stow_limit_item, reserved));
UNPADDED(stow_node_term, SIZE(stow_node_term, expressions) + SIZE(stow_node_term, fields) +
                             SIZE(stow_node_term, weight) + SIZE(stow_node_term, broken));
UNPADDED(stow_own_claim,
         SIZE(stow_own_claim, volume) + SIZE(stow_own_claim, class) + SIZE(stow_own_claim, form));
UNPADDED(stow_owner, SIZE(stow_owner, kind) + SIZE(stow_owner, name) + SIZE(stow_owner, uid) +
                         SIZE(stow_owner, reserved));
UNPADDED(stow_pod_claim, SIZE(stow_pod_claim, name) + SIZE(stow_pod_claim, claim) +
                             SIZE(stow_pod_claim, template) + SIZE(stow_pod_claim, without));
UNPADDED(stow_pod_term, SIZE(stow_pod_term, selector) + SIZE(stow_pod_term, namespaces) +
                            SIZE(stow_pod_term, namespace_selector) +
                            SIZE(stow_pod_term, topology_key) + SIZE(stow_pod_term, match_keys) +
                            SIZE(stow_pod_term, mismatch_keys) + SIZE(stow_pod_term, weight) +
                            SIZE(stow_pod_term, reserved));
UNPADDED(stow_port, SIZE(stow_port, ip) + SIZE(stow_port, protocol) + SIZE(stow_port, port) +
                        SIZE(stow_port, reserved));
UNPADDED(stow_requirement, SIZE(stow_requirement, key) + SIZE(stow_requirement, op) +
                               SIZE(stow_requirement, values) + SIZE(stow_requirement, reserved));
UNPADDED(stow_spread, SIZE(stow_spread, topology_key) + SIZE(stow_spread, max_skew) +
                          SIZE(stow_spread, min_domains) + SIZE(stow_spread, selector) +
                          SIZE(stow_spread, match_keys) + SIZE(stow_spread, flags));
UNPADDED(stow_taint, SIZE(stow_taint, key) + SIZE(stow_taint, value) + SIZE(stow_taint, effect) +
                         SIZE(stow_taint, reserved));
UNPADDED(stow_toleration, SIZE(stow_toleration, key) + SIZE(stow_toleration, value) +
                              SIZE(stow_toleration, op) + SIZE(stow_toleration, effect));
UNPADDED(stow_volume_limit, SIZE(stow_volume_limit, driver) + SIZE(stow_volume_limit, count));

/* model/karpenter/pool.h */
UNPADDED(stow_class_disk, SIZE(stow_class_disk, device) + SIZE(stow_class_disk, is_root) +
                              SIZE(stow_class_disk, bytes));
UNPADDED(stow_class_reservation,
         SIZE(stow_class_reservation, id) + SIZE(stow_class_reservation, instance_type) +
             SIZE(stow_class_reservation, zone) + SIZE(stow_class_reservation, type) +
             SIZE(stow_class_reservation, interruptible) + SIZE(stow_class_reservation, reserved));
UNPADDED(stow_class_zone, SIZE(stow_class_zone, zone) + SIZE(stow_class_zone, id));
UNPADDED(stow_pool_budget, SIZE(stow_pool_budget, nodes) + SIZE(stow_pool_budget, number) +
                               SIZE(stow_pool_budget, is_percent) +
                               SIZE(stow_pool_budget, has_reasons) +
                               SIZE(stow_pool_budget, reasons) + SIZE(stow_pool_budget, schedule) +
                               SIZE(stow_pool_budget, duration));
UNPADDED(stow_pool_requirement, SIZE(stow_pool_requirement, key) + SIZE(stow_pool_requirement, op) +
                                    SIZE(stow_pool_requirement, values) +
                                    SIZE(stow_pool_requirement, min_values));

/* model/fleet/fleet.h */
UNPADDED(stow_api, SIZE(stow_api, group_version) + SIZE(stow_api, kind));
UNPADDED(stow_cluster_term, SIZE(stow_cluster_term, name) + SIZE(stow_cluster_term, overflow) +
                                SIZE(stow_cluster_term, affinity));
UNPADDED(stow_component, SIZE(stow_component, name) + SIZE(stow_component, replicas) +
                             SIZE(stow_component, requests) +
                             SIZE(stow_component, has_requirements) + SIZE(stow_component, claim) +
                             SIZE(stow_component, reserved));
UNPADDED(stow_grade, SIZE(stow_grade, grade) + SIZE(stow_grade, min));
UNPADDED(stow_grade_count, SIZE(stow_grade_count, grade) + SIZE(stow_grade_count, count));
UNPADDED(stow_propagation, SIZE(stow_propagation, affinity) + SIZE(stow_propagation, terms) +
                               SIZE(stow_propagation, tolerations) +
                               SIZE(stow_propagation, spread) + SIZE(stow_propagation, weights) +
                               SIZE(stow_propagation, type) + SIZE(stow_propagation, preference) +
                               SIZE(stow_propagation, flags) + SIZE(stow_propagation, type_word) +
                               SIZE(stow_propagation, preference_word));
UNPADDED(stow_resource_selector,
         SIZE(stow_resource_selector, api_version) + SIZE(stow_resource_selector, kind) +
             SIZE(stow_resource_selector, namespace) + SIZE(stow_resource_selector, name) +
             SIZE(stow_resource_selector, labels) + SIZE(stow_resource_selector, reserved));
UNPADDED(stow_spread_constraint,
         SIZE(stow_spread_constraint, field) + SIZE(stow_spread_constraint, label) +
             SIZE(stow_spread_constraint, min_groups) + SIZE(stow_spread_constraint, max_groups));
UNPADDED(stow_target, SIZE(stow_target, cluster) + SIZE(stow_target, replicas));
UNPADDED(stow_weight_rule, SIZE(stow_weight_rule, target) + SIZE(stow_weight_rule, weight));

/* model/pods/stored.h */
UNPADDED(stow_manifest_container,
         SIZE(stow_manifest_container, made) + SIZE(stow_manifest_container, name));
