/* volumes.h - finding claims, volumes and storage classes; and what pods' volumes need before a
 * snapshot can be asked. */
#ifndef STOW_MODEL_VOLUMES_VOLUMES_H
#define STOW_MODEL_VOLUMES_VOLUMES_H

#include "model/build.h"

/* Of a finished snapshot; NULL: it is not given. */
const struct stow_claim *stow_claim_find(const struct stow_snapshot *s, stow_sym namespace,
                                         struct stow_str name);
const struct stow_volume *stow_volume_find(const struct stow_snapshot *s, stow_sym name);

/* The class of a claim (stow_claim.class): the default one where it states none. */
const struct stow_storage_class *stow_storage_class_of(const struct stow_snapshot *s,
                                                       stow_sym class);

/* The volume that a claim is bound to; NULL: it is not bound, or one of the two is not given. */
const struct stow_volume *stow_claim_volume(const struct stow_snapshot *s, stow_sym namespace,
                                            stow_sym claim);

/* The CSI driver that has taken over disks of a kind, or those of an old provisioner; 0: none. */
stow_sym stow_disk_driver(enum stow_disk_kind kind);
stow_sym stow_provisioner_driver(struct stow_str provisioner);

/* Steps of finishing (finish.c): limits of nodes from their CSINodes, once nodes are in order; and
 * pods whose own claims are given name them like any other claim; a warning of two defaults. */
int stow_warn_of_defaults(struct stow_snapshot *s);
void stow_assign_volume_limits(struct stow_snapshot *s);
int stow_name_own_claims(struct stow_snapshot *s);

#endif
