/* defaulted.h - what no document states and was filled in, as part of an answer. */
#ifndef STOW_EXPLAIN_DEFAULTED_H
#define STOW_EXPLAIN_DEFAULTED_H

#include "explain/render/value.h"
#include "model/snapshot.h"

/* Sets `defaulted` of an answer.  First what new nodes of groups have (group_defaults.h), where
 * `groups` asks for it.  Then what the API server would have filled in: {pod, container, field,
 * value, from}, of the pods that wait and of those that hold room on a node.  Pods of one workload
 * that are alike share their entries: `pod` is then the first by name, and `count` says of how
 * many.  Workloads of a fleet, which make no pods, have entries with `workload` instead.  Nothing
 * is set where nothing was filled in. */
void stow_defaulted_set(struct stow_doc *doc, struct stow_value *answer,
                        const struct stow_snapshot *s, bool groups);

#endif
