/* model.h - a problem as the search sees it: merged, scaled, without what cannot matter. */
#ifndef STOW_OPTIMAL_MODEL_H
#define STOW_OPTIMAL_MODEL_H

#include "base/arena.h"
#include "optimal/problem.h"

#define STOW_MODEL_NONE UINT32_MAX
#define STOW_MODEL_FEW  64 /* of this many kinds the limited ones stay all */

/* Everything lies in the arena and does not change after stow_model_make. */
struct stow_model {
    struct stow_arena arena;
    const struct stow_problem *problem;
    uint32_t dims, classes, kinds, rows;
    bool mixed; /* kinds that are limited were dropped, too: unlimited ones stand for them */

    /* classes */
    int64_t *need;       /* [class * dims] */
    double *need_by_dim; /* [dim * classes], the same for loops over classes */
    uint32_t *count;     /* the most of them that can be asked for */
    uint32_t *demand;    /* as many as plans have: fewer where classes are of families */
    int32_t *priority;

    /* kinds */
    int64_t *capacity; /* [kind * dims] */
    int64_t *price;
    uint32_t *least, *most;
    bool *at_once;        /* `most` of them or none */
    uint32_t blocks;      /* how many kinds are so */
    uint32_t *copies;     /* [kind * classes]: how many of a class one node holds; 0: none */
    uint32_t *scarce;     /* [kind * dims]: the resources that can run out, plentiful units first */
    uint32_t *scarces;    /* per kind: how many */
    uint32_t scarce_most; /* the most of these */
    double pods_most;     /* no node holds more pods */

    /* rows */
    int64_t *amount; /* [row * kinds] */
    int64_t *limit;
    int64_t *row_unit; /* that a price of the row is for, > 0 */
    bool *in_proof;

    /* the way back */
    uint32_t *class_of; /* per class of the problem; STOW_MODEL_NONE: nothing takes it */
    uint32_t *kind_of;  /* per kind of the problem; STOW_MODEL_NONE: cannot matter */
    uint32_t *kind_origin;
    uint32_t *leader; /* per kind of the problem: of the problem, which one stands for it
                         (dominance.c); mostly itself */
};

int stow_model_make(const struct stow_problem *problem, struct stow_model *ret,
                    struct stow_err *err);
void stow_model_done(struct stow_model *model);

/* No limit of any sort: whatever fits somewhere can be placed. */
bool stow_model_unlimited(const struct stow_model *model);

/* ---- steps of making it, apart for the tests ------------------------------------------------ */

/* Per kind: which one makes it superfluous, itself where none does; < 0: out of memory. */
int stow_model_dominate(const struct stow_model *model, uint32_t *ret_by);

static inline const uint32_t *stow_model_copies(const struct stow_model *m, uint32_t kind)
{
    return m->copies + (size_t)kind * m->classes;
}

#endif
