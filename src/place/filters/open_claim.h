/* open_claim.h - claims whose volumes have no known location. */
#ifndef STOW_PLACE_FILTERS_OPEN_CLAIM_H
#define STOW_PLACE_FILTERS_OPEN_CLAIM_H

#include "model/snapshot.h"

enum stow_open_why {
    STOW_OPEN_NOT_GIVEN, /* no claim is given at all */
    STOW_OPEN_CLASS,     /* its class, `of`, is not among those given */
    STOW_OPEN_NO_CLASS,  /* no class is given */
    STOW_OPEN_VOLUME,    /* it is bound to the volume `of`, and no volume is given */
    STOW_OPEN_STATIC,    /* its class, `of`, has no provisioner, and no volume is given */
    STOW_OPEN_CONTESTED, /* other claims of the class `of` suit the same volumes */
    STOW_OPEN_IMMEDIATE, /* of class `of`: its volume is made before its pod gets a node */
    STOW_OPEN_CAPACITY,  /* of class `of`, whose driver says how much storage is free where */
};

/* A claim that restricts its pod less than it may in truth: with it nothing is proven. */
struct stow_open_claim {
    stow_sym name; /* of one that is made for the pod, that of its volume; 0: there is none */
    enum stow_open_why why;
    stow_sym of;
};

/* The first such claim of the pod. */
struct stow_open_claim stow_pod_open_claim(const struct stow_snapshot *s,
                                           const struct stow_pod *pod);

/* Whether the scheduler does not even look at nodes for a claim (NULL: it is not given): it is not
 * bound, and will be without waiting for a pod.  A claim without a class counts when the cluster
 * has seen it. */
bool stow_claim_is_awaited(const struct stow_snapshot *s, const struct stow_claim *claim);

/* Whether its volume is gone: its phase says so, or volumes are given and that is not among them.
 */
bool stow_claim_has_lost(const struct stow_snapshot *s, const struct stow_claim *claim);

#endif
