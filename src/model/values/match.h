/* match.h - labels against selectors, taints against tolerations, nodes against node selectors. */
#ifndef STOW_MODEL_VALUES_MATCH_H
#define STOW_MODEL_VALUES_MATCH_H

#include "model/snapshot.h"

/* Whether a requirement holds for a value of its key; STOW_NONE: the key is absent. */
bool stow_requirement_holds(const struct stow_snapshot *s, const struct stow_requirement *r,
                            stow_sym value);

/* Every requirement holds; STOW_SELECTOR_NULL matches nothing, 0 everything. */
bool stow_selector_matches(const struct stow_snapshot *s, stow_blob selector, stow_blob labels);

/* Every pair of `wanted` is among `labels`. */
bool stow_labels_include(const struct stow_snapshot *s, stow_blob labels, stow_blob wanted);

/* Any of the terms matches the node (empty terms match nothing). */
bool stow_node_terms_match(const struct stow_snapshot *s, stow_blob terms,
                           const struct stow_node *node);
bool stow_node_term_matches(const struct stow_snapshot *s, const struct stow_node_term *term,
                            const struct stow_node *node);

/* What the first term that can match anything wants and the node has not, for people: "wants KEY in
 * A, B"; NULL: there is nothing to say, or no memory. */
const char *stow_node_terms_want(const struct stow_snapshot *s, stow_blob terms,
                                 const struct stow_node *node, struct stow_arena *arena);

/* Whether upstream can make a selector of the term: label keys and values by their syntax, as many
 * values as the operator wants; fields by In or NotIn with one value. */
bool stow_node_term_parses(const struct stow_snapshot *s, const struct stow_node_term *term);

/* The spec's nodeSelector and required node affinity. */
bool stow_spec_selects_node(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                            const struct stow_node *node);

/* Whether a DaemonSet puts a pod of this template there: it selects the node and tolerates it. */
bool stow_daemon_runs(const struct stow_snapshot *s, const struct stow_pod_spec *template,
                      const struct stow_node *node);

/* Whether a workload is a DaemonSet that puts a pod on every new node of a group with one. */
bool stow_daemon_of(const struct stow_snapshot *s, const struct stow_workload *workload,
                    stow_group_id group);

bool stow_tolerates(const struct stow_toleration *toleration, const struct stow_taint *taint);

/* The first NoSchedule or NoExecute taint that no toleration matches, or NULL. */
const struct stow_taint *stow_untolerated(const struct stow_snapshot *s, stow_blob taints,
                                          stow_blob tolerations);

#endif
