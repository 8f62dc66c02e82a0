/* translate.h - what a workload of a fleet asks for, in the words of a member. */
#ifndef STOW_DIVIDE_MEMBERS_TRANSLATE_H
#define STOW_DIVIDE_MEMBERS_TRANSLATE_H

#include "model/snapshot.h"

/* What a replica asks for. */
struct stow_asked {
    struct stow_node_claim claim;
    stow_blob requests;
    /* Its pods, where they mind others or others mind them: else STOW_NONE. */
    stow_spec_id template;
    stow_sym namespace;
    stow_blob labels;
};

/* Texts, lists and templates are added to the member. */
int stow_translate_binding(const struct stow_snapshot *fleet, struct stow_snapshot *member,
                           const struct stow_binding *b, struct stow_asked *ret,
                           struct stow_err *err);

/* The components of a binding, as many as it has. */
int stow_translate_components(const struct stow_snapshot *fleet, struct stow_snapshot *member,
                              const struct stow_binding *b, struct stow_component *ret,
                              struct stow_err *err);

#endif
