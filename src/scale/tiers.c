/* tiers.c - groups by the priority of their pool and template. */
#include "scale/tiers.h"

#include <stdlib.h>

#include "base/vec.h"

struct ranked {
    int32_t pool, template;
    stow_group_id group;
    uint32_t at;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->pool != y->pool)
        return x->pool > y->pool ? -1 : 1;
    if (x->template != y->template)
        return x->template > y->template ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void cut(const struct ranked *list, uint32_t count, struct stow_tiers *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        struct stow_tier *last = ret->tiers ? &ret->tier[ret->tiers - 1] : NULL;

        if (!last || last->pool != list[i].pool || last->template != list[i].template) {
            last = &ret->tier[ret->tiers++];
            *last = (struct stow_tier){list[i].pool, list[i].template, i, 0};
        }
        last->count++;
        ret->group[i] = list[i].group;
    }
}

int stow_tiers_make(const struct stow_snapshot *s, const stow_group_id *groups, uint32_t count,
                    struct stow_tiers *ret)
{
    STOW_AUTO(stow_free_local)
    struct ranked *list = malloc(((size_t)count + 1) * sizeof(*list));

    *ret = (struct stow_tiers){
        .tier = calloc((size_t)count + 1, sizeof(*ret->tier)),
        .group = calloc((size_t)count + 1, sizeof(*ret->group)),
    };
    if (!list || !ret->tier || !ret->group)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_group *group = &s->group[groups[i]];

        list[i] = (struct ranked){group->pool_priority, group->template_priority, groups[i], i};
    }
    qsort(list, count, sizeof(*list), compare);
    cut(list, count, ret);
    return STOW_OK;
}

void stow_tiers_done(struct stow_tiers *t)
{
    free(t->tier);
    free(t->group);
    *t = (struct stow_tiers){0};
}
