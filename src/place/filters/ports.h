/* ports.h - host ports: which pods cannot share a node. */
#ifndef STOW_PLACE_FILTERS_PORTS_H
#define STOW_PLACE_FILTERS_PORTS_H

#include "model/snapshot.h"

/* Whether a pod of this spec has host ports at all. */
bool stow_ports_any(const struct stow_snapshot *s, const struct stow_pod_spec *spec);

/* Whether pods of the two specs want the same one. */
bool stow_ports_conflict(const struct stow_snapshot *s, const struct stow_pod_spec *a,
                         const struct stow_pod_spec *b);

#endif
