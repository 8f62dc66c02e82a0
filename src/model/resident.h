/* resident.h - pods that come and go with their node: a DaemonSet's, and static ones.
 *
 * Kubelet makes a static pod from a file of its node; the API server shows a mirror of it. */
#ifndef STOW_MODEL_RESIDENT_H
#define STOW_MODEL_RESIDENT_H

#include "model/snapshot.h"

bool stow_pod_is_daemon(const struct stow_snapshot *s, const struct stow_pod *pod);
bool stow_pod_is_static(const struct stow_snapshot *s, const struct stow_pod *pod);

/* By its role: what its static pods do is done nowhere else. */
bool stow_runs_control_plane(const struct stow_snapshot *s, const struct stow_node *node);

#endif
