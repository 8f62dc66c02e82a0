/* join.h - clusters of a fleet that are given by their own objects.
 *
 *     STOW_TRY(stow_fleet_join(fleet, member, members, err));
 *
 * What the fleet's Cluster objects do not say is taken from the nodes and pods of the members; a
 * fleet without any Cluster has its members as clusters. */
#ifndef STOW_MODEL_FLEET_JOIN_H
#define STOW_MODEL_FLEET_JOIN_H

#include "model/snapshot.h"

struct stow_joining {
    const char *name; /* of the cluster; no two are the same */
    const struct stow_snapshot *s;
};

/* Adds to a fleet that is not shared yet, and makes bindings for its workloads where they have
 * none.  Where such a binding's workload runs in a member, it is in place there.  An error: the
 * fleet has clusters, and none of this name. */
int stow_fleet_join(struct stow_snapshot *fleet, const struct stow_joining *member,
                    uint32_t members, struct stow_err *err);

#endif
