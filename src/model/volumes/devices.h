/* devices.h - claims for devices (Dynamic Resource Allocation), as far as a decision can tell.
 *
 * Devices that are allocated say where they can be used.  Allocating them, which needs the devices
 * of all nodes and the expressions that choose among them, is not simulated: a pod that waits for
 * it is never placed, and the reason says so. */
#ifndef STOW_MODEL_VOLUMES_DEVICES_H
#define STOW_MODEL_VOLUMES_DEVICES_H

#include "model/build.h"

#define STOW_DEVICES_NOT_SIMULATED "not simulated: DynamicResources"

/* A ResourceSlice with devices: where they can be used. */
struct stow_device_slice {
    stow_sym node;           /* only there; 0: not so */
    stow_blob node_required; /* of stow_node_term; or STOW_SELECTOR_NULL */
    bool anywhere;           /* on all nodes, or each device says where */
};

enum stow_devices {
    STOW_DEVICES_NONE,      /* the pod needs none */
    STOW_DEVICES_ALLOCATED, /* every claim is: nodes can be asked */
    STOW_DEVICES_MISSING,   /* this and the next three: kube-scheduler tries no node ... */
    STOW_DEVICES_NOT_MADE,  /* ... as nothing makes the claim from its template, */
    STOW_DEVICES_DELETED,   /* ... it is being deleted, */
    STOW_DEVICES_IN_USE,    /* ... it has as many pods as it takes, */
    STOW_DEVICES_NO_CLASS,  /* ... a DeviceClass of it does not exist */
    STOW_DEVICES_NOT_GIVEN, /* this and the next: what would come of it is not known */
    STOW_DEVICES_UNALLOCATED,
};

/* The claim that decides: one that keeps the pod off all nodes, for sure or as far as is known. */
struct stow_devices_state {
    enum stow_devices state;
    const struct stow_pod_claim *entry;        /* of the pod */
    const struct stow_device_request *request; /* of NO_CLASS */
};

struct stow_devices_state stow_pod_devices(const struct stow_snapshot *s, stow_sym namespace,
                                           stow_blob devices);

/* Whether it is not known what kube-scheduler would do. */
static inline bool stow_devices_unknown(enum stow_devices state)
{
    return state >= STOW_DEVICES_NOT_GIVEN;
}

const struct stow_device_claim *stow_device_claim_find(const struct stow_snapshot *s,
                                                       stow_sym namespace, stow_sym name);

/* Whether that is so of a pod. */
bool stow_pod_waits_for_devices(const struct stow_snapshot *s, const struct stow_pod *pod);

/* Of such a pod: whether its devices could be on the node, as far as ResourceSlices tell. */
bool stow_pod_may_get_devices(const struct stow_snapshot *s, const struct stow_pod *pod,
                              const struct stow_node *node);

/* Pending pods of which that is not known. */
uint32_t stow_devices_waiting(const struct stow_snapshot *s);

/* A step of finishing (finish.c): a warning about pods that wait for an allocation. */
int stow_warn_of_devices(struct stow_snapshot *s);

#endif
