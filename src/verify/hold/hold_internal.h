/* hold_internal.h - what the files that answer one question share. */
#ifndef STOW_VERIFY_HOLD_HOLD_INTERNAL_H
#define STOW_VERIFY_HOLD_HOLD_INTERNAL_H

#include <stddef.h>
#include <string.h>

#include "verify/hold/hold.h"

#define STOW_HOLD_LARGEST 1e18 /* of sums in 64 bits */

/* What is left of a question when everything that cannot matter is gone. */
struct stow_core {
    uint32_t dims, items;
    size_t item_cap; /* items that there is memory for */
    int64_t room[STOW_HOLD_DIMS];
    int64_t *need; /* [item * dims + dim] */
    int64_t *worth;
    uint32_t *most;
    int64_t base; /* what the pods that every good set has are worth */

    /* Whole multipliers: everything below is in units of 1 / scale nano-units. */
    int64_t scale;
    int64_t price[STOW_HOLD_DIMS]; /* per unit of room */
    int64_t *gain;                 /* per item: scale * worth - price * need, either sign */
    int64_t target; /* what a set of the core must be worth at least to exceed the limit */
    int64_t budget; /* what a set may lose against the multipliers' bound and still be worth more
                       than the limit */
};

/* Which dimensions a table counts, the one with the fewest units first. */
struct stow_hold_shape {
    uint32_t dims;
    uint32_t dim[STOW_HOLD_DIMS];
    int64_t unit[STOW_HOLD_DIMS];
    size_t units[STOW_HOLD_DIMS], cells;
};

/* What items from a level on can add at most.  Every dimension has a price; some are also counted,
 * in units that needs and room are rounded down to.  A row says what is lost against the prices at
 * least: hold_table.c.  Where rows are large only those of some levels are kept: the one
 * before a level knows a few items more, and is a bound all the same. */
struct stow_hold_table {
    struct stow_hold_shape shape;
    int64_t price[STOW_HOLD_DIMS]; /* per unit of room, in 1 / scale */
    uint32_t stride;               /* levels from one row to the next */
    int64_t *tail;                 /* [level / stride]: what is gained at these prices */
    uint16_t *row;                 /* [level / stride * cells + cell], in `step`s */
    size_t cap, tail_cap;
    int64_t step;
};

/* The same, and every dimension has a price: hold_cut.c. */
struct stow_hold_cut {
    int64_t price[STOW_HOLD_DIMS]; /* per unit of room, in 1 / scale */
    int64_t *tail;                 /* per level from 0 to items: what it adds beyond these prices */
    uint32_t cap;
    uint64_t used; /* when it last shut out a label; 0: never */
};

/* Labels of one level: sets that are decided up to there. */
struct stow_hold_batch {
    int64_t *left; /* [label * dims + dim] */
    int64_t *worth;
    int64_t *rest;  /* what the cuts let it add, in 1 / scale; ~rest: it was asked for its own */
    uint32_t *slot; /* open addressing: label + 1 */
    uint32_t slots; /* in use: a power of two, twice the labels at least */
    uint32_t memory, memory_dims; /* labels that there is memory for, and their dimensions */
    uint32_t count, next, dims;
    uint32_t stayed;                  /* labels, here or above, when they were last compared */
    uint32_t by_room[STOW_HOLD_DIMS]; /* dimensions, the roomiest first */
};

#define STOW_HOLD_TABLES 7 /* the last one is dense */
#define STOW_HOLD_CUTS   32

/* What decides which way an answer is found, never what it is.  Tests make them small. */
struct stow_hold_sizes {
    uint32_t soon;    /* labels of a level to follow before tables are made, >= 1 */
    uint32_t later;   /* ... and before the dense table is */
    uint32_t cells;   /* of all rows of a table */
    uint32_t dense;   /* of one row of the table that counts all it can */
    uint32_t batch;   /* labels of a batch */
    uint32_t few;     /* labels that are followed rather than asked for cuts */
    uint32_t compare; /* labels that are worth comparing */
};

struct stow_hold_work {
    struct stow_hold_sizes sizes;
    struct stow_core core;
    struct stow_hold_table table[STOW_HOLD_TABLES];
    uint32_t tables;
    const struct stow_hold_table *dense; /* NULL: there is none */
    struct stow_hold_cut cut[STOW_HOLD_CUTS];
    uint32_t cuts;
    uint64_t uses;                 /* of cuts */
    struct stow_hold_batch *batch; /* per level */
    uint32_t batch_cap;
    uint32_t searches;
};

/* hold_table.c: 1: the tables alone show that nothing is worth more; 0: they do not; < 0: out of
 * memory. */
int stow_hold_tabulate(struct stow_hold_work *work);

/* Likewise, of one large table that counts as many dimensions as finely as it can. */
int stow_hold_tabulate_densely(struct stow_hold_work *work, double deadline);
void stow_hold_tables_done(struct stow_hold_work *work);

/* hold_shape.c: the dimensions and units of a table of this many cells that cut off least; and one
 * more dimension of this many units, if there are any. */
void stow_hold_shape_choose(struct stow_hold_shape *shape, const struct stow_core *c, size_t cells);
void stow_hold_shape_add(struct stow_hold_shape *shape, const struct stow_core *c, uint32_t dim,
                         size_t units);

/* hold_cut.c: starts with one cut for the whole core; learns others from the labels of a level, of
 * which those stay that all cuts leave open. */
int stow_hold_cuts_start(struct stow_hold_work *work);
int stow_hold_learn(struct stow_hold_work *work, uint32_t level, struct stow_hold_batch *b);
void stow_hold_cuts_done(struct stow_hold_work *work);

/* hold_search.c: an enum stow_hold_answer, or < 0.  Of each level this many labels are followed;
 * when others were left and none of these is worth more than the limit, it is not settled;
 * `only_all`: then it ends at once. */
int stow_hold_search(struct stow_hold_work *work, uint32_t width, bool only_all, double deadline);
void stow_hold_search_done(struct stow_hold_work *work);

static inline bool stow_hold_late(double deadline)
{
    return deadline > 0 && stow_hold_clock() > deadline;
}

/* In 1 / scale: what a label could be worth in the end, as far as cuts know. */
static inline int64_t stow_hold_prospect(const struct stow_hold_batch *b, const struct stow_core *c,
                                         uint32_t label)
{
    const int64_t rest = b->rest[label];

    return (rest < 0 ? ~rest : rest) + c->scale * b->worth[label];
}

/* Moves a label to a place before it, over what was there. */
static inline void stow_hold_move(struct stow_hold_batch *b, uint32_t to, uint32_t label)
{
    memmove(b->left + (size_t)to * b->dims, b->left + (size_t)label * b->dims,
            b->dims * sizeof(*b->left));
    b->worth[to] = b->worth[label];
    b->rest[to] = b->rest[label];
}

/* In 1 / scale: what items from a level on can add to a set that leaves this. */
static inline int64_t stow_hold_rest(const struct stow_hold_table *t, const struct stow_core *c,
                                     uint32_t level, const int64_t *left)
{
    const struct stow_hold_shape *s = &t->shape;
    const uint32_t row = level / t->stride;
    int64_t rest = t->tail[row];
    size_t cell = 0;

    for (uint32_t d = 0; d < c->dims; d++)
        rest += t->price[d] * left[d];
    for (uint32_t i = 0; i < s->dims; i++) {
        const int64_t units = left[s->dim[i]] / s->unit[i];

        rest -= t->price[s->dim[i]] * (left[s->dim[i]] - units * s->unit[i]);
        cell = cell * s->units[i] + (size_t)units;
    }
    return rest - t->row[row * s->cells + cell] * t->step;
}

/* Likewise. */
static inline int64_t stow_hold_cut_rest(const struct stow_hold_cut *cut, const struct stow_core *c,
                                         uint32_t level, const int64_t *left)
{
    int64_t rest = cut->tail[level];

    for (uint32_t d = 0; d < c->dims; d++)
        rest += cut->price[d] * left[d];
    return rest;
}

#endif
