/* controller.h - whose a pod is: the object that people gave, not the one that made the pod.
 *
 * A Deployment makes ReplicaSets and these make pods; a CronJob makes Jobs.  The chain is followed
 * as far as objects are given.  Of a ReplicaSet that is not given, the pod's label tells the name
 * of its Deployment: pod-template-hash is what the ReplicaSet's name has more than the Deployment's
 * (rollouts-pod-template-hash: a Rollout's). */
#ifndef STOW_MODEL_PODS_CONTROLLER_H
#define STOW_MODEL_PODS_CONTROLLER_H

#include "model/snapshot.h"

/* The workloads of a snapshot by kind and name. */
struct stow_controllers {
    const struct stow_snapshot *s;
    struct stow_intern known; /* of {namespace, kind, name} as handles of texts */
    stow_blob *owner;         /* by handle of `known` */
    stow_sym replica_set, hash, rollout_hash;
};

struct stow_controller {
    struct stow_str kind, name; /* "Pod" and its own name without a controller */
};

/* < 0: out of memory; `ret` is valid for stow_controllers_done in any case. */
int stow_controllers_init(struct stow_controllers *ret, const struct stow_snapshot *s);
void stow_controllers_done(struct stow_controllers *c);

struct stow_controller stow_controller_top(const struct stow_controllers *c,
                                           const struct stow_pod *pod);

/* Pods with the same namespace, owner and clue have the same controller, unless `owner` is 0. */
stow_blob stow_controller_clue(const struct stow_controllers *c, const struct stow_pod *pod);

#endif
