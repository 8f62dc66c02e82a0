/* pool_choice.h - which machines a pool admits: types, offerings, and whether there are enough. */
#ifndef STOW_MODEL_KARPENTER_POOL_CHOICE_H
#define STOW_MODEL_KARPENTER_POOL_CHOICE_H

#include "model/karpenter/requirement.h"

/* Whether a type with these labels is admitted; else *ret is the requirement that refuses it.  A
 * key of the cloud `form` that the labels do not have is a label that the type lacks; any other key
 * is not asked of types. */
bool stow_pool_takes_type(const struct stow_value_sets *pool, const struct stow_value_sets *labels,
                          enum stow_class_form form, const struct stow_value_set **ret);

/* Whether it may be had in this zone and in this way; an empty zone is one without a name. */
bool stow_pool_takes_offering(const struct stow_value_sets *pool, struct stow_str zone,
                              struct stow_str capacity_type);

/* How many values of `set`, whose min_values is given, the types have that remain; counting ends
 * at min_values. */
uint32_t stow_pool_values(const struct stow_value_set *set,
                          const struct stow_value_sets *const *labels, uint32_t types,
                          struct stow_arena *arena);

#endif
