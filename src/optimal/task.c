/* task.c - copies of the numbers that change between parts of the search. */
#include "optimal/task.h"

#include <stdlib.h>
#include <string.h>

static int allocate(struct stow_task *s)
{
    const struct stow_model *m = s->m;

    s->demand = malloc((m->classes + 1) * sizeof(*s->demand));
    s->least = malloc((m->kinds + 1) * sizeof(*s->least));
    s->most = malloc((m->kinds + 1) * sizeof(*s->most));
    s->price = malloc((m->kinds + 1) * sizeof(*s->price));
    s->limit = calloc(m->rows + 1, sizeof(*s->limit));
    s->reserved = calloc(m->rows + 1, sizeof(*s->reserved));
    s->allowance = calloc(s->levels + 1, sizeof(*s->allowance));
    s->leave_price = calloc(s->levels + 1, sizeof(*s->leave_price));
    if (s->demand && s->least && s->most && s->price && s->limit && s->reserved && s->allowance &&
        s->leave_price)
        return 0;
    stow_task_done(s);
    return STOW_ENOMEM;
}

int stow_task_init(struct stow_task *s, const struct stow_model *m, uint32_t levels,
                   const uint32_t *level_of)
{
    *s = (struct stow_task){.m = m, .levels = levels, .level_of = level_of};
    STOW_TRY(allocate(s));
    memcpy(s->demand, m->demand, m->classes * sizeof(*s->demand));
    memcpy(s->least, m->least, m->kinds * sizeof(*s->least));
    memcpy(s->most, m->most, m->kinds * sizeof(*s->most));
    memcpy(s->price, m->price, m->kinds * sizeof(*s->price));
    if (m->rows)
        memcpy(s->limit, m->limit, m->rows * sizeof(*s->limit));
    stow_task_reserve(s);
    for (uint32_t i = 0; i < levels; i++)
        s->leave_price[i] = -1;
    return 0;
}

void stow_task_share(struct stow_task *stage)
{
    const struct stow_model *m = stage->m;

    stage->shared = m->problem->families > 0;
    if (stage->shared)
        memcpy(stage->demand, m->count, m->classes * sizeof(*stage->demand));
}

bool stow_task_reserve(struct stow_task *s)
{
    const struct stow_model *m = s->m;
    bool room = true;

    for (uint32_t r = 0; r < m->rows; r++) {
        s->reserved[r] = 0;
        for (uint32_t g = 0; g < m->kinds; g++)
            s->reserved[r] += m->amount[(size_t)r * m->kinds + g] * s->least[g];
        room &= s->reserved[r] <= s->limit[r];
    }
    return room;
}

int stow_task_copy(struct stow_task *to, const struct stow_task *from)
{
    const struct stow_model *m = from->m;

    *to = *from;
    STOW_TRY(allocate(to));
    memcpy(to->demand, from->demand, m->classes * sizeof(*to->demand));
    memcpy(to->least, from->least, m->kinds * sizeof(*to->least));
    memcpy(to->most, from->most, m->kinds * sizeof(*to->most));
    memcpy(to->price, from->price, m->kinds * sizeof(*to->price));
    memcpy(to->limit, from->limit, m->rows * sizeof(*to->limit));
    memcpy(to->reserved, from->reserved, m->rows * sizeof(*to->reserved));
    memcpy(to->allowance, from->allowance, from->levels * sizeof(*to->allowance));
    memcpy(to->leave_price, from->leave_price, from->levels * sizeof(*to->leave_price));
    return 0;
}

void stow_task_done(struct stow_task *s)
{
    free(s->demand);
    free(s->least);
    free(s->most);
    free(s->price);
    free(s->limit);
    free(s->reserved);
    free(s->allowance);
    free(s->leave_price);
    s->demand = s->least = s->most = s->allowance = NULL;
    s->price = s->limit = s->reserved = s->leave_price = NULL;
}
