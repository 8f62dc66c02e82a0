/* pool_labels.h - which label keys Karpenter knows, and which it does not let a pool use. */
#ifndef STOW_MODEL_KARPENTER_POOL_LABELS_H
#define STOW_MODEL_KARPENTER_POOL_LABELS_H

#include "model/karpenter/pool.h"

/* The stable key of an old one: topology.kubernetes.io/zone of
 * failure-domain.beta.kubernetes.io/zone.  Any other key is itself. */
struct stow_str stow_label_normal(struct stow_str key);

/* A key whose values come from the provider: Karpenter's own and those of the three clouds. */
bool stow_label_is_well_known(struct stow_str key);

/* The same of one cloud: every machine of it has the label, or lacks it for a reason. */
bool stow_label_is_known_to(enum stow_class_form form, struct stow_str key);

/* A key that neither a pool nor a pod may ask for. */
bool stow_label_is_restricted(struct stow_str key);

/* Why Karpenter does not accept a requirement, beyond what the API server checks; NULL: it does.
 * `texts` are its values. */
const char *stow_pool_requirement_fault(enum stow_pool_operator op, struct stow_str key,
                                        const struct stow_str *text, uint32_t texts,
                                        uint32_t min_values);

#endif
