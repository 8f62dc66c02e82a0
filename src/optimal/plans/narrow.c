/* narrow.c - a task with the classes alone of which something is left. */
#include "optimal/plans/narrow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void list_classes(struct stow_narrow *n, const struct stow_task *whole)
{
    n->m.classes = 0;
    for (uint32_t k = 0; k < whole->m->classes; k++)
        if (whole->demand[k]) {
            n->place[k] = n->m.classes;
            n->class[n->m.classes++] = k;
        }
}

static int allocate(struct stow_narrow *n)
{
    struct stow_model *m = &n->m;
    const size_t classes = m->classes + 1;

    m->need = malloc(classes * (m->dims + 1) * sizeof(*m->need));
    m->need_by_dim = malloc(classes * (m->dims + 1) * sizeof(*m->need_by_dim));
    m->count = malloc(classes * sizeof(*m->count));
    m->priority = malloc(classes * sizeof(*m->priority));
    m->copies = malloc(classes * (m->kinds + 1) * sizeof(*m->copies));
    n->level_of = malloc(classes * sizeof(*n->level_of));
    return m->need && m->need_by_dim && m->count && m->priority && m->copies && n->level_of
               ? 0
               : STOW_ENOMEM;
}

static void fill_class(struct stow_narrow *n, const struct stow_task *whole, uint32_t i)
{
    const struct stow_model *from = whole->m;
    struct stow_model *to = &n->m;
    const uint32_t k = n->class[i];

    memcpy(to->need + (size_t)i * to->dims, from->need + (size_t)k * to->dims,
           to->dims * sizeof(*to->need));
    for (uint32_t d = 0; d < to->dims; d++)
        to->need_by_dim[(size_t)d * to->classes + i] =
            from->need_by_dim[(size_t)d * from->classes + k];
    for (uint32_t g = 0; g < to->kinds; g++)
        to->copies[(size_t)g * to->classes + i] = stow_model_copies(from, g)[k];
    to->count[i] = from->count[k];
    to->priority[i] = from->priority[k];
    n->level_of[i] = whole->level_of[k];
}

/* All but the classes is as it was. */
static int fill_task(struct stow_narrow *n, const struct stow_task *whole)
{
    STOW_TRY(stow_task_copy(&n->task, whole));
    for (uint32_t i = 0; i < n->m.classes; i++)
        n->task.demand[i] = whole->demand[n->class[i]];
    n->task.m = &n->m;
    n->task.level_of = n->level_of;
    return 0;
}

int stow_narrow_open(struct stow_narrow *n, const struct stow_task *whole)
{
    const size_t classes = (size_t)whole->m->classes + 1;

    assert(!whole->shared); /* families know the classes of the problem */
    *n = (struct stow_narrow){.m = *whole->m};
    n->m.need = NULL;
    n->m.need_by_dim = NULL;
    n->m.count = n->m.demand = n->m.copies = NULL;
    n->m.priority = NULL;
    n->class = malloc(classes * sizeof(*n->class));
    n->place = malloc(classes * sizeof(*n->place));
    if (!n->class || !n->place)
        return STOW_ENOMEM;
    list_classes(n, whole);
    STOW_TRY(allocate(n));
    for (uint32_t i = 0; i < n->m.classes; i++)
        fill_class(n, whole, i);
    return fill_task(n, whole);
}

void stow_narrow_done(struct stow_narrow *n)
{
    stow_task_done(&n->task);
    free(n->m.need);
    free(n->m.need_by_dim);
    free(n->m.count);
    free(n->m.priority);
    free(n->m.copies);
    free(n->class);
    free(n->place);
    free(n->level_of);
    memset(n, 0, sizeof(*n));
}
