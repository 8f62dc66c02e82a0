/* hold_parts.h - what the files that answer one question share. */
#ifndef STOW_VERIFY_HOLD_PARTS_H
#define STOW_VERIFY_HOLD_PARTS_H

#include <stddef.h>

#include "verify/hold.h"

/* What is left of a question when everything that cannot matter is gone. */
struct stow_core {
    uint32_t dims, items, item_cap;
    int64_t room[STOW_HOLD_DIMS];
    int64_t *need; /* [item * dims + dim] */
    int64_t *worth;
    uint32_t *most;
    int64_t base; /* what the pods that every good set has are worth */

    /* Whole multipliers: everything below is in units of 1 / scale nano-units. */
    int64_t scale;
    int64_t price[STOW_HOLD_DIMS]; /* per unit of room */
    int64_t *gain;                 /* per item: scale * worth - price * need, either sign */
    int64_t budget; /* what a set may lose against the multipliers' bound and still be worth more
                       than the limit */
};

/* A lower bound on what items from a level on still lose, by what is left of some dimensions, which
 * are counted exactly (or in larger units, rounded down). */
struct stow_tally_table {
    uint32_t dims;
    uint32_t dim[3];
    int64_t unit[3];
    size_t units[3], stride[3], cells;
    int32_t *row; /* [level * cells + cell], in `step`s; levels from 0 to items */
    size_t cap;
    int64_t step; /* of the losses in `row` */
};

#define STOW_HOLD_TABLES 4

struct stow_hold_work {
    struct stow_core core;
    struct stow_tally_table table[STOW_HOLD_TABLES];
    uint32_t tables;
    struct stow_hold_batch *batch; /* per level */
    uint32_t batch_cap;
    uint32_t searches;
};

/* hold_table.c: < 0: out of memory. */
int stow_hold_tabulate(struct stow_hold_work *work);
void stow_hold_tables_done(struct stow_hold_work *work);

/* hold_search.c: an enum stow_hold_answer, or < 0. */
int stow_hold_search(struct stow_hold_work *work, double deadline);
void stow_hold_search_done(struct stow_hold_work *work);

static inline size_t stow_table_at(const struct stow_tally_table *t, const int64_t *left)
{
    size_t at = 0;

    for (uint32_t i = 0; i < t->dims; i++)
        at += (size_t)(left[t->dim[i]] / t->unit[i]) * t->stride[i];
    return at;
}

#endif
