/* annotations.h - which annotations a rule can read, and those that a question names.
 *
 * Annotations are many, and some differ from pod to pod: if all were part of what a pod is, few
 * pods would be alike.  So a snapshot keeps them aside, and its pods and nodes show only those that
 * built-in rules read.  A policy or a price book may name others, long after the snapshot was
 * loaded: from then on objects show these, too. */
#ifndef STOW_MODEL_ANNOTATIONS_H
#define STOW_MODEL_ANNOTATIONS_H

#include "model/snapshot.h"

/* Longer values are not kept, except of what built-in rules read. */
#define STOW_ANNOTATION_MAX 1024

/* Whether a built-in rule reads annotations of this key. */
bool stow_annotation_is_built_in(struct stow_str key);

/* Whether no rule can mean it: written by the machinery of a cluster for itself. */
bool stow_annotation_is_noise(struct stow_str key);

/* Sets all annotations aside, at the end of loading.  STOW_ENOMEM. */
int stow_annotations_set_aside(struct stow_snapshot *s);

/* Objects show the annotations of these keys as well, and of no others that were named before.
 * STOW_ENOMEM. */
int stow_annotations_show(struct stow_snapshot *s, const char *const *key, uint32_t keys);

#endif
