/* hint.h - whether a hint names only options that exist. */
#ifndef STOW_API_HINT_H
#define STOW_API_HINT_H

#include <stdbool.h>

#include "api/call.h"

/* How a hint starts that quotes the command of another program, with options of its own. */
#define STOW_HINT_OTHER_PROGRAM "get it: "

/* `path` are the verb that was asked and the verbs above it, `depth` > 0 of them. */
bool stow_hint_names_options(const struct stow_verb *const *path, uint32_t depth, const char *text);

#endif
