/* fork.h - a snapshot that a question may change while others ask the same one.
 *
 * A fork shares everything with its snapshot, which it keeps alive, and has texts, specs, warnings
 * and facts' keys of its own.  What a question changes in the objects (pods that are set aside,
 * annotations that a policy names, clusters that members join) it first copies: stow_fork_own. */
#ifndef STOW_MODEL_FORK_H
#define STOW_MODEL_FORK_H

#include "model/snapshot.h"

/* To be freed with stow_snapshot_unref.  Any number of threads may fork one snapshot at once. */
int stow_snapshot_fork(struct stow_snapshot *s, struct stow_snapshot **ret, struct stow_err *err);

/* Before objects, clusters, bindings or demands change: gives a fork lists of its own.  Nothing to
 * do for a snapshot that is no fork.  STOW_ENOMEM. */
int stow_fork_own(struct stow_snapshot *s);

/* What a fork has of its own, and its hold on the snapshot. */
void stow_fork_done(struct stow_snapshot *fork);

#endif
