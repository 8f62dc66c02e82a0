/* nru_order.h - how a simulation of scaling-advisor takes pods and nodes. */
#ifndef STOW_SCALE_RULES_NRU_ORDER_H
#define STOW_SCALE_RULES_NRU_ORDER_H

#include "scale/session.h"

/* Pending pods of one class that come one after the other: pod[first] to pod[first + left - 1]. */
struct stow_nru_run {
    uint32_t class;
    uint32_t first, left;
};

struct stow_nru_order {
    stow_pod_id *pod;
    struct stow_nru_run *run;
    uint32_t runs;
};

/* The pending pods of a ground in the order in which they are placed, in `arena`. */
int stow_nru_order(const struct stow_ground *ground, struct stow_arena *arena,
                   struct stow_nru_order *ret, struct stow_err *err);

/* The fullest node from `from` on that may take a pod of the class (MostAllocated over cpu and
 * memory), of equals the oldest; STOW_NONE: there is none, and the score is -1.  All real nodes
 * must have been asked about (stow_yard_ask_real). */
uint32_t stow_nru_best_node(struct stow_yard *yard, uint32_t class, uint32_t from,
                            int64_t *ret_score);

/* Adds what this many pods of the class ask for, by resource id. */
void stow_nru_add_requests(const struct stow_yard *yard, uint32_t class, int64_t times,
                           int64_t *to);

#endif
