/* disks.h - disks that pods name themselves, which not all of them can share. */
#ifndef STOW_PLACE_FILTERS_DISKS_H
#define STOW_PLACE_FILTERS_DISKS_H

#include "model/snapshot.h"

/* Whether pods of the two specs cannot be on one node because of a disk of theirs. */
bool stow_disks_conflict(const struct stow_snapshot *s, const struct stow_pod_spec *a,
                         const struct stow_pod_spec *b);

#endif
