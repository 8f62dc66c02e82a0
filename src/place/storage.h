/* storage.h - how much storage a pod takes on its node. */
#ifndef STOW_PLACE_STORAGE_H
#define STOW_PLACE_STORAGE_H

#include "model/snapshot.h"

/* Bytes: what its labels or annotations say (the snapshot's storage keys: a number of GiB, or a
 * quantity with a suffix), else its request of ephemeral-storage.  A text that is neither says
 * nothing; negative ones too. */
int64_t stow_pod_storage(const struct stow_snapshot *s, const struct stow_pod *pod);

/* Whether any pod says it by a key; if none does, nodes need no account of their own. */
bool stow_storage_stated(const struct stow_snapshot *s);

#endif
