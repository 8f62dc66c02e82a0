/* priority.h - the priority expander's map: integer -> regular expressions over group names. */
#ifndef STOW_SCALE_RULES_PRIORITY_H
#define STOW_SCALE_RULES_PRIORITY_H

#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

struct stow_priorities;

/* Reads the text of the ConfigMap's key `priorities` (YAML: integer -> list of RE2 expressions).
 * An unreadable or empty map, a priority given twice and an expression that RE2 refuses are errors
 * with line and column in the text; `err->file` is left empty, since only the caller knows where
 * the text came from. */
int stow_priorities_read(struct stow_str text, struct stow_priorities **ret, struct stow_err *err);
void stow_priorities_free(struct stow_priorities *p);

/* 1: `*ret` is the highest priority with an expression that matches somewhere in `group`;
 * 0: there is none; < 0: out of memory. */
int stow_priorities_match(const struct stow_priorities *p, struct stow_str group, int64_t *ret,
                          struct stow_err *err);

#endif
