/* unpriced.c - what has no price and would matter if it had one, by name. */
#include "scale/unpriced.h"

#define NAMES_SHOWN 4

void stow_unpriced_add(struct stow_unpriced *list, const char *kind, const char *name)
{
    if (list->count++ < NAMES_SHOWN)
        stow_buf_printf(&list->names, "%s%s %s", list->names.len ? ", " : "", kind, name);
}

const char *stow_unpriced_text(const struct stow_unpriced *list, struct stow_arena *arena)
{
    const struct stow_str names = list->names.len ? stow_buf_str(&list->names) : STOW_STR("");

    if (list->names.failed)
        return NULL;
    if (list->count <= NAMES_SHOWN)
        return stow_arena_text(arena, names);
    return stow_arena_printf(arena, "%.*s and %u more", STOW_FMT(names), list->count - NAMES_SHOWN);
}

void stow_unpriced_done(struct stow_unpriced *list)
{
    stow_buf_done(&list->names);
}
