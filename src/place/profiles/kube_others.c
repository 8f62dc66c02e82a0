/* kube_others.c - plugins that a configuration names and that are not simulated.
 *
 * Schedulers are built with plugins of their own.  Where such a plugin filters or
 * scores (or rejects pods beforehand, at preFilter), its part of the decision is
 * missing here, and the answer says so.  At other points (queueSort, reserve,
 * permit, bind, ...) it has no say in which node is chosen; one that is disabled
 * has none at all. */
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "place/profiles/kube.h"

#define OTHERS_MAX 256 /* per profile; Koordinator, with the most, has about a dozen */

void stow_kube_others_done(struct stow_kube_others *others)
{
    free(others->other);
    *others = (struct stow_kube_others){.count = 0};
}

struct stow_kube_other *stow_kube_other(struct stow_cursor *c, struct stow_kube_others *others,
                                        struct stow_str name)
{
    for (uint32_t i = 0; i < others->count; i++)
        if (stow_str_is(name, others->other[i].name))
            return &others->other[i];
    if (others->count == OTHERS_MAX) {
        stow_cursor_fail(c, "more than %d plugins that are not known", OTHERS_MAX);
        return NULL;
    }

    const char *kept = stow_arena_text(c->arena, name);
    struct stow_kube_other *made =
        kept ? STOW_PUSH(&others->other, &others->count, &others->cap) : NULL;

    if (!made) {
        stow_cursor_fail_memory(c);
        return NULL;
    }
    made->name = kept;
    return made;
}

/* Points at which a plugin has a say, in the order in which they are shown. */
static const enum stow_kube_point telling[] = {STOW_KUBE_MULTI_POINT, STOW_KUBE_PRE_FILTER,
                                               STOW_KUBE_FILTER, STOW_KUBE_SCORE};

/* "filter and score"; "" when it has no say. */
static void show_points(const struct stow_kube_other *other, char *ret, size_t size)
{
    size_t used = 0;

    ret[0] = '\0';
    for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
        if (other->enabled & (1u << telling[i]) && used < size)
            used += (size_t)snprintf(ret + used, size - used, "%s%s", used ? ", " : "",
                                     stow_kube_point_name(telling[i]));
    if (!other->enabled && !other->disabled && other->configured) /* its place is not known */
        snprintf(ret, size, "pluginConfig");
}

static int end_one(struct stow_cursor *c, const struct stow_kube_other *other, const char *profile,
                   struct stow_profiles *all)
{
    char points[64];

    show_points(other, points, sizeof(points));
    if (!points[0])
        return STOW_OK;
    if (all->strict) {
        stow_place_go(c, &other->at);
        return stow_cursor_fail_at(c, other->at.at,
                                   "plugin %s is not simulated; without --strict that is a warning",
                                   other->name);
    }
    return stow_profiles_warn(all, "not simulated: %s (%s of profile %s)", other->name, points,
                              profile) < 0
               ? stow_cursor_fail_memory(c)
               : STOW_OK;
}

int stow_kube_others_end(struct stow_cursor *c, const struct stow_kube_others *others,
                         const char *profile, struct stow_profiles *all)
{
    for (uint32_t i = 0; i < others->count; i++)
        STOW_TRY(end_one(c, &others->other[i], profile, all));
    return STOW_OK;
}
