/* typed.h - what the filters disk-type and network-type have in common: a pod that names a type
 * goes to nodes that state the same one. */
#ifndef STOW_PLACE_FILTERS_TYPED_H
#define STOW_PLACE_FILTERS_TYPED_H

#include "place/rule.h"

struct stow_typed {
    uint32_t soft; /* index of the word: hard, soft */
};

struct stow_typed_prep {
    stow_sym wanted;
};

extern const struct stow_rule_option stow_typed_options[];

/* Skips a pod that names no type, and every pod when the mode is soft: then only scores look. */
int stow_typed_prepare(const struct stow_typed *self, const struct stow_subject *pod,
                       stow_blob keys, struct stow_typed_prep *ret);

/* `has` is what the node states, or STOW_NONE. */
void stow_typed_explain(const struct stow_typed_prep *prep, const struct stow_snapshot *s,
                        const char *text, stow_sym has, struct stow_reasons *ret);

#endif
