/* names.c - lists of names among the options of rules. */
#include "place/profiles/names.h"

#include "base/arena.h"
#include "place/profiles/options.h"

#define NAMES_MAX 4096 /* a list longer than this is a mistake */

static int read_name(struct stow_cursor *c, void *into)
{
    struct stow_name_list *list = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (list->count == NAMES_MAX)
        return stow_cursor_fail(c, "more than %d names", NAMES_MAX);

    const char **kept = stow_option_push(c, &list->name, &list->count, &list->cap, sizeof(*kept));

    if (!kept || !(*kept = stow_arena_text(c->arena, text)))
        return stow_cursor_fail_memory(c);
    return STOW_OK;
}

int stow_option_names(struct stow_cursor *c, struct stow_name_list *ret)
{
    *ret = (struct stow_name_list){0};
    int null = stow_cursor_null(c);

    return null ? (null < 0 ? null : STOW_OK) : stow_cursor_items(c, read_name, ret);
}

bool stow_names_have(const struct stow_name_list *list, struct stow_str name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (stow_str_is(name, list->name[i]))
            return true;
    return false;
}
