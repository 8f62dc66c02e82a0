/* resident.h - pods that come and go with their node: a DaemonSet's, and static ones.
 *
 * Kubelet makes a static pod from a file of its node; the API server shows a mirror of it.
 *
 * Problem: what a new node runs from the beginning follows from the DaemonSets, but who gives nodes
 * and pods only does not give them; and no object at all stands behind a static pod.
 *
 * Idea: as Cluster Autoscaler does, look at the nodes of the group.  Their static pods, and their
 * pods of DaemonSets that are not given, are residents: every new node of the group has one of
 * each, the largest, if it selects and tolerates that node.  Which node comes first does not
 * matter. A group without nodes tells nothing: there we are unsure of what runs elsewhere.  Static
 * pods of the control plane do not count there. */
#ifndef STOW_MODEL_PODS_RESIDENT_H
#define STOW_MODEL_PODS_RESIDENT_H

#include "model/snapshot.h"

bool stow_pod_is_daemon(const struct stow_snapshot *s, const struct stow_pod *pod);
bool stow_pod_is_static(const struct stow_snapshot *s, const struct stow_pod *pod);

/* The DaemonSets that are not given, and the static pods, that may run on new nodes of some group
 * that we are unsure of: "kube-system/a, static pod kube-system/b and 2 more"; NULL: out of memory.
 */
const char *stow_unsure_daemons(const struct stow_snapshot *s, struct stow_arena *arena);

/* By its role: what its static pods do is done nowhere else. */
bool stow_runs_control_plane(const struct stow_snapshot *s, const struct stow_node *node);

#endif
