/* names.h - lists of names among the options of rules. */
#ifndef STOW_PLACE_PROFILES_NAMES_H
#define STOW_PLACE_PROFILES_NAMES_H

#include "read/text/cursor.h"

struct stow_name_list {
    const char **name;
    uint32_t count, cap;
};

/* [a, b, ...] into c->arena; null is an empty list. */
int stow_option_names(struct stow_cursor *c, struct stow_name_list *ret);

bool stow_names_have(const struct stow_name_list *list, struct stow_str name);

#endif
