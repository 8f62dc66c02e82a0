/* detach.h - a snapshot in which some of the running pods wait for a node.
 *
 * The view shares everything with the snapshot but the pods and the columns that
 * follow from them.  It must not outlive the snapshot. */
#ifndef STOW_MODEL_PODS_DETACH_H
#define STOW_MODEL_PODS_DETACH_H

#include "model/snapshot.h"

struct stow_detached {
    struct stow_snapshot s;
};

/* `node`, per pod of the snapshot: where it is in the view; STOW_NONE: it waits.  Pods that are
 * `hidden` are nowhere, and are not placed.  Pods that have ended stay as they
 * are. */
int stow_detach(const struct stow_snapshot *s, const stow_node_id *node, const bool *hidden,
                struct stow_detached *ret, struct stow_err *err);
void stow_detached_done(struct stow_detached *detached);

#endif
