/* policy_sections.h - the sections of a Policy that are not about profiles, for whoever owns them.
 */
#ifndef STOW_PLACE_PROFILES_POLICY_SECTIONS_H
#define STOW_PLACE_PROFILES_POLICY_SECTIONS_H

#include "read/text/cursor.h"

/* A member of `spec`, and what reads it. */
struct stow_policy_section {
    const char *name;
    int (*read)(struct stow_cursor *c, void *into);
};

/* Reads the sections of the Policy of this name (NULL: the only one there is) of a file: first of
 * what it starts from, as far as that is in the same file, then its own over that.  A file without
 * any Policy has no sections. */
int stow_policy_sections_read(const char *path, const char *name,
                              const struct stow_policy_section *section, uint32_t sections,
                              void *into, struct stow_err *err);

#endif
