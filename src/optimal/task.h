/* task.h - what is being solved: the model, or what is left of it in a dive or a branch. */
#ifndef STOW_OPTIMAL_TASK_H
#define STOW_OPTIMAL_TASK_H

#include "optimal/model.h"

/* Pods that may be left out, for the classes of one priority together. */
struct stow_task {
    const struct stow_model *m;
    uint32_t *demand;       /* per class: pods to place or leave out */
    uint32_t *least, *most; /* per kind */
    int64_t *limit;         /* per row */
    int64_t *price;         /* per kind: the model's, or 0 where pods are counted */
    int64_t *reserved;      /* per row: what the nodes that must be bought will take */
    bool proof_only;        /* rows outside the proof do not count */
    bool shared; /* pods of families are shared out as their rules allow: `demand` is the most that
                    can be asked for of each class */

    /* Leaving out.  Levels are priorities, the highest first. */
    uint32_t levels;
    const uint32_t *level_of; /* per class */
    uint32_t *allowance;      /* per level: pods that may be left out for nothing */
    int64_t *leave_price;     /* per level: what each one beyond costs; < 0: none beyond */
};

int stow_task_init(struct stow_task *stage, const struct stow_model *m, uint32_t levels,
                   const uint32_t *level_of);
/* Makes a new task one in which families share their pods out. */
void stow_task_share(struct stow_task *stage);
int stow_task_copy(struct stow_task *to, const struct stow_task *from);
/* Computes `reserved` from `least`; false: the rows do not even leave room for that. */
bool stow_task_reserve(struct stow_task *task);
void stow_task_done(struct stow_task *stage);

static inline bool stow_task_row_counts(const struct stow_task *s, uint32_t row)
{
    return !s->proof_only || s->m->in_proof[row];
}

static inline bool stow_task_kind_limited(const struct stow_task *s, uint32_t kind)
{
    return s->most[kind] != STOW_PROBLEM_UNLIMITED || s->least[kind] > 0;
}

#endif
