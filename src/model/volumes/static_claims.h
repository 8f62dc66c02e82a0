/* static_claims.h - claims whose volumes are not provisioned.
 *
 * Problem: a class with the provisioner kubernetes.io/no-provisioner has the volumes that are
 * there, and each serves one claim.  Which one a claim gets depends on the node that its pod gets.
 *
 * Idea: where volumes are given, a claim can be served on the nodes that reach one that suits it.
 * If there are fewer volumes than claims, the claims that a largest matching leaves over (in order
 * of names) are served nowhere.  Claims that suit the same volume are *contested*: who gets it is
 * not simulated. */
#ifndef STOW_MODEL_VOLUMES_STATIC_CLAIMS_H
#define STOW_MODEL_VOLUMES_STATIC_CLAIMS_H

#include "model/snapshot.h"

bool stow_class_is_static(const struct stow_snapshot *s, const struct stow_storage_class *class);

/* Whether a volume is free for a claim: class, size, access modes, volume mode, selector. */
bool stow_volume_suits(const struct stow_snapshot *s, const struct stow_claim *claim,
                       const struct stow_volume *volume);

/* A step of finishing: sets `unserved` and `contested` of claims. */
int stow_match_static_claims(struct stow_snapshot *s);

#endif
