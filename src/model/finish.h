/* finish.h - the steps of finishing a snapshot, in order. */
#ifndef STOW_MODEL_FINISH_H
#define STOW_MODEL_FINISH_H

#include "model/build.h"

/* order.c: sorts by name, drops what was given twice. */
int stow_order_nodes(struct stow_snapshot *s);
int stow_order_pods(struct stow_snapshot *s);
int stow_order_others(struct stow_snapshot *s);
int stow_order_bindings(struct stow_snapshot *s);
int stow_order_groups(struct stow_snapshot *s);

/* groups.c: which group each node is in. */
int stow_assign_groups(struct stow_snapshot *s);

/* expand.c: workloads of namespaces that are being deleted; templates that workloads share; pending
 * pods from workloads whose pods are not given. */
void stow_end_with_namespaces(struct stow_snapshot *s);
int stow_borrow_templates(struct stow_snapshot *s);
int stow_expand_workloads(struct stow_snapshot *s);

/* Adds a pod of this name made from a workload's template; `spec` is the template's, or narrowed to
 * a node. */
int stow_add_pod_of(struct stow_snapshot *s, const struct stow_workload *workload, const char *name,
                    stow_spec_id spec);

/* admit.c: what admission adds to pods that are not stored yet and to templates, and warnings of
 * what it would refuse; priorities of all pods. */
int stow_admit_pods(struct stow_snapshot *s);
int stow_resolve_priorities(struct stow_snapshot *s);

/* fresh.c: nodes of each group that do not exist yet, and those on their way; `stow_add_overheads`
 * once resources have ids. */
int stow_make_fresh(struct stow_snapshot *s, struct stow_err *err);
int stow_add_overheads(struct stow_snapshot *s);

/* A copy of a group's new node under another name, which is its host name, too. */
int stow_copy_fresh(struct stow_snapshot *s, const struct stow_node *from, const char *name,
                    struct stow_node *ret);

/* resident.c: pods that new nodes have because a node of their group has them. */
int stow_find_residents(struct stow_snapshot *s);

/* totals.c: resource ids, demands per spec, columns per node. */
int stow_add_up(struct stow_snapshot *s);

/* Adds what a pod asks for to the columns of the node it is bound to. */
void stow_add_pod(struct stow_snapshot *s, const struct stow_pod *pod);

#endif
