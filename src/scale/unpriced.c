/* unpriced.c - what has no price and would matter if it had one, by name. */
#include "scale/unpriced.h"

#include <stdio.h>

#include "model/karpenter/pool.h"

#define NAMES_SHOWN 4

void stow_unpriced_add(struct stow_unpriced *list, const char *kind, const char *name)
{
    if (list->count++ < NAMES_SHOWN)
        stow_buf_printf(&list->names, "%s%s %s", list->names.len ? ", " : "", kind, name);
}

void stow_unpriced_add_groups(struct stow_unpriced *list, const struct stow_snapshot *s,
                              const stow_group_id *group, uint32_t count)
{
    char kind[48];

    for (uint32_t i = 0; i < count; i++)
        if (!stow_group_pool(s, group[i]))
            stow_unpriced_add(list, "NodeGroup", s->group[group[i]].name);
    for (uint32_t p = 0; p < s->node_pools; p++) {
        uint32_t offers = 0;

        for (uint32_t i = 0; i < count; i++)
            offers += stow_group_pool(s, group[i]) == &s->node_pool[p];
        snprintf(kind, sizeof(kind), "%u offer%s of NodePool", offers, offers == 1 ? "" : "s");
        if (offers)
            stow_unpriced_add(list, kind, s->node_pool[p].name);
    }
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
