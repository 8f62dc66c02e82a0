/* anonymise.h - a cluster with pseudonyms for all names, and the same decisions. */
#ifndef STOW_SHARE_ANONYMISE_H
#define STOW_SHARE_ANONYMISE_H

#include <stowage/error.h>

#include "base/str.h"

/* Adds the List `text` (JSON, with STOW_TAPE_PADDING readable bytes after it) to `out`, with names
 * of objects, labels, images, hosts and machines replaced.  The same name has the same pseudonym
 * wherever it occurs, and names keep their order.  Kept are numbers, Kubernetes' own words, and the
 * labels that decisions rest on: zone, region, instance type, architecture, capacity type.  Left
 * out are ConfigMaps and Policies, annotations that no verb reads, and messages. */
int stow_anonymise(const char *text, size_t len, struct stow_buf *out, struct stow_err *err);

#endif
