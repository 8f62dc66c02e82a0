/* koordinator.h - what Koordinator's own code says about a pod. */
#ifndef STOW_PLACE_SCORERS_KOORDINATOR_H
#define STOW_PLACE_SCORERS_KOORDINATOR_H

#include "model/snapshot.h"

/* What NodeResourcesFitPlus charges for a pod: the containers, each with the scheduler's default
 * for cpu and memory when it names none, then the init containers in their order, a sidecar adding,
 * any other raising the total to its own.  Overhead and requests of the pod itself are not looked
 * at. */
int64_t stow_pod_amount_koord(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                              stow_resource_id resource);

#endif
