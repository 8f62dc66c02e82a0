/* limits.h - whether the steps of a consolidation are small enough. */
#ifndef STOW_VERIFY_CONSOLIDATION_LIMITS_H
#define STOW_VERIFY_CONSOLIDATION_LIMITS_H

#include "base/int128.h"
#include "verify/audit.h"

/* How things are compared with the beginning, and how they may be; -1: no limit. */
struct stow_pace {
    int64_t nodes;
    stow_i128 cost;
    int64_t most_nodes, most_cost, most_moves, most_in_all;
};

/* As the plan says, and as the options ask. */
void stow_pace_open(struct stow_pace *pace, const struct stow_audit *a);

/* The nodes of a step have come, for so much, and none has gone. */
void stow_pace_add(const struct stow_pace *pace, struct stow_audit *a,
                   const struct stow_told_change *step, stow_i128 added);

/* All steps are taken. */
void stow_pace_close(const struct stow_pace *pace, struct stow_audit *a);

/* A step is taken, and saves so much. */
void stow_pace_end(struct stow_pace *pace, struct stow_audit *a,
                   const struct stow_told_change *step, stow_i128 saving);

#endif
