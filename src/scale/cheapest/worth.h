/* worth.h - how good the plan in a session is, so that plans can be compared. */
#ifndef STOW_SCALE_CHEAPEST_WORTH_H
#define STOW_SCALE_CHEAPEST_WORTH_H

#include "scale/weigh.h"

/* What is compared, in this order. */
struct stow_worth {
    uint32_t *left; /* per level of pod priority, the highest first: pods left out */
    uint32_t *on;   /* per step of the order of groups: pods; all 0 without an order */
    stow_nano weight;
    uint32_t nodes;
};

/* What it is measured by. */
struct stow_ruler {
    const struct stow_session *session;
    const struct stow_weights *weights;
    int32_t *level; /* the distinct priorities of pods, the highest first */
    uint32_t levels;
};

/* In `arena`; < 0: out of memory. */
int stow_ruler_make(const struct stow_session *session, const struct stow_weights *weights,
                    struct stow_arena *arena, struct stow_ruler *ret);
int stow_worth_make(const struct stow_ruler *ruler, struct stow_arena *arena,
                    struct stow_worth *ret);

/* Of what the session has bought and put. */
void stow_worth_measure(const struct stow_ruler *ruler, struct stow_worth *ret);
void stow_worth_copy(const struct stow_ruler *ruler, const struct stow_worth *from,
                     struct stow_worth *to);

/* Pods left out, of every priority. */
uint64_t stow_worth_left(const struct stow_ruler *ruler, const struct stow_worth *worth);

/* < 0: a is better. */
int stow_worth_compare(const struct stow_ruler *ruler, const struct stow_worth *a,
                       const struct stow_worth *b);

#endif
