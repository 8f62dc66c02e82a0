/* machine_labels.h - the labels of a machine type, as Karpenter's providers derive them. */
#ifndef STOW_MODEL_KARPENTER_MACHINE_LABELS_H
#define STOW_MODEL_KARPENTER_MACHINE_LABELS_H

#include "model/karpenter/requirement.h"
#include "model/nodes/sizes.h"

/* "aws", "azure", "gce": what the catalogue calls the cloud. */
struct stow_str stow_class_provider(enum stow_class_form form);

/* Whether the provider offers a machine of this size at all. */
bool stow_machine_is_offered(enum stow_class_form form, const struct stow_size *size);

/* Adds the labels that follow from the type: neither zone nor capacity type. */
int stow_machine_labels(struct stow_arena *arena, enum stow_class_form form,
                        const struct stow_size *size, struct stow_value_sets *ret);

/* A key of the cloud whose values the catalogue does not have. */
bool stow_label_is_unknown(struct stow_str key);

#endif
