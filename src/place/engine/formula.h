/* formula.h - several rules over cpu, memory and pod slots in one pass.
 *
 * A class of pods meets the nodes that changed since its last turn with the same three rules
 * nearly always: room for the pod, least-allocated, balanced-allocation.  Rules that can be said
 * as a part of the formula below say so (`formulate` of rule.h); where all local rules of a class
 * can, one loop without a division gives the keys of its board. */
#ifndef STOW_PLACE_ENGINE_FORMULA_H
#define STOW_PLACE_ENGINE_FORMULA_H

#include "place/engine/hot.h"

/* Points of a scorer over two resources: cpu, memory. */
struct stow_formula_part {
    double weight; /* 0: the scorer has nothing to say */
    double request[2];
    double share[2]; /* of each resource in the mean; least-allocated only */
    bool delta;      /* balanced-allocation only: the formula of 1.36 */
};

struct stow_formula {
    double need[2]; /* of a node-resources-fit; -DBL_MAX: the pod asks for none */
    bool has_need;
    struct stow_formula_part least, balance;
};

/* What the loop reads of a node; one entry per node of a list. */
struct stow_formula_columns {
    double *free[2];  /* allocatable less requested; -INFINITY: no pod slot is left */
    double *left[2];  /* the same with defaults for containers that ask for none */
    double *share[2]; /* 100 / allocatable */
    int64_t *before;  /* 50 less the balance that struct stow_hot has */
};

/* Entries that the loop may read and write beyond the last one. */
#define STOW_FORMULA_PAD 4

/* Room for `count` entries in one piece of memory; NULL in .before when there is none. */
struct stow_formula_columns stow_formula_columns_new(size_t count);
void stow_formula_columns_free(struct stow_formula_columns *columns);
void stow_formula_columns_write(const struct stow_formula_columns *columns, size_t at,
                                const struct stow_hot *node, const double share[2]);

void stow_formula_columns_copy(const struct stow_formula_columns *columns, size_t at,
                               const struct stow_formula_columns *from, size_t from_at);

/* The columns from an entry on. */
struct stow_formula_columns stow_formula_columns_from(const struct stow_formula_columns *columns,
                                                      size_t at);

/* Whether the loop is exact for these nodes: every node has cpu and memory, all at most 2^43. */
bool stow_formula_exact(const struct stow_hot *hot, uint32_t nodes);

/* key[i] = the points of entry i, INT16_MIN when the pod does not fit.  Weights are whole and not
 * negative, and no sum of points is above INT16_MAX.  false: some points are too close to call, and
 * the rules must be asked. */
bool stow_formula_keys(const struct stow_formula *f, const struct stow_formula_columns *columns,
                       uint32_t count, int16_t *key);

#endif
