/* names.c - what nodes that are not there yet are called.
 *
 * GROUP-NUMBER, as people number them: counting on from the size of the group, as if its nodes had
 * the numbers below.  They need not: nodes with lower numbers may be gone, and a node of another
 * group may be called so.  A name that is taken is skipped, whoever has it: a node that is
 * there, one on its way, one that is new.  Nodes on their way are in the size of their group, so
 * they are named first, with its last numbers. */
#include "scale/names.h"

#include <stdlib.h>

#include "model/prices/commitments.h"

static bool is_taken(const struct stow_taken_names *names, const char *name)
{
    return stow_node_find(names->s, stow_str_of(name)) != STOW_NONE ||
           stow_intern_find(&names->given, stow_str_of(name)) != STOW_INTERN_FAILED;
}

int stow_names_take(struct stow_taken_names *names, const char *name)
{
    return stow_intern_text(&names->given, stow_str_of(name)) == STOW_INTERN_FAILED ? STOW_ENOMEM
                                                                                    : STOW_OK;
}

/* The first name from a number on that is free; the number moves after it. */
static const char *first_free(struct stow_taken_names *names, stow_group_id group, uint32_t *number)
{
    const char *name;

    do {
        name = stow_arena_printf(names->arena, "%s-%u", names->s->group[group].name, (*number)++);
    } while (name && is_taken(names, name));
    return name && stow_names_take(names, name) >= 0 ? name : NULL;
}

static int name_upcoming(struct stow_taken_names *names)
{
    const struct stow_snapshot *s = names->s;

    names->upcoming = stow_arena_zalloc(names->arena, (s->upcomings + 1) * sizeof(char *));
    if (!names->upcoming)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->upcomings; i++)
        names->next[s->upcoming[i].group]--;
    for (uint32_t i = 0; i < s->upcomings; i++) {
        const stow_group_id group = s->upcoming[i].group;

        names->upcoming[i] = first_free(names, group, &names->next[group]);
        if (!names->upcoming[i])
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

int stow_names_open(struct stow_taken_names *ret, const struct stow_snapshot *s,
                    struct stow_arena *arena)
{
    *ret = (struct stow_taken_names){.s = s, .arena = arena};
    ret->next = calloc(s->groups + 1, sizeof(*ret->next));
    if (!ret->next)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        ret->next[g] = s->group[g].current_nodes;
    return name_upcoming(ret);
}

void stow_names_done(struct stow_taken_names *names)
{
    stow_intern_done(&names->given);
    free(names->next);
    *names = (struct stow_taken_names){0};
}

const char *stow_names_new(struct stow_taken_names *names, stow_group_id group)
{
    const stow_group_id listed = stow_group_listed(names->s, group);

    return first_free(names, listed, &names->next[listed]);
}
