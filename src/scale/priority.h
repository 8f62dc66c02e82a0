/* priority.h - the priority expander's map: integer -> regular expressions over group names. */
#ifndef STOW_SCALE_PRIORITY_H
#define STOW_SCALE_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

struct stow_priorities;

/* Reads the text of the ConfigMap's key `priorities` (YAML: integer -> list of RE2 expressions).
 * An unreadable map and an expression that RE2 refuses are errors with line and the expression. */
int stow_priorities_read(struct stow_str text, struct stow_priorities **ret, struct stow_err *err);
void stow_priorities_free(struct stow_priorities *p);

/* The highest priority with an expression that matches somewhere in `group`; false: none. */
bool stow_priorities_match(const struct stow_priorities *p, struct stow_str group, int64_t *ret);

#endif
