/* limit.h - how many nodes an estimate may add. */
#ifndef STOW_SCALE_RULES_LIMIT_H
#define STOW_SCALE_RULES_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Upstream's numbers: 0 is no limit, a negative one allows nothing. */
typedef int64_t stow_node_limit;

/* The smaller of two limits (base, then target) under upstream's rule: a negative one wins and
 * becomes -1, 0 loses against every other. */
stow_node_limit stow_limit_min(stow_node_limit base, stow_node_limit target);

/* Free room of a group and its similar ones.  Zeroed has none. */
struct stow_size_room {
    int64_t nodes; /* sum of max - target, each at least 0 */
    bool endless;  /* one of them has no maximum */
};

/* One more of them; `max` may be STOW_NONE. */
void stow_size_room_add(struct stow_size_room *room, uint32_t max, uint32_t target);

/* No room: -1. */
stow_node_limit stow_limit_of_sizes(const struct stow_size_room *room);

/* max-nodes-total less what there is, none left: -1.  `total` 0: no limit, < 0: allows nothing. */
stow_node_limit stow_limit_of_cluster(int64_t total, int64_t current);

/* Counts the nodes of one estimate.  Zeroed has no limits. */
struct stow_limiter {
    stow_node_limit nodes;
    int64_t nanoseconds; /* of wall time; 0: no limit, < 0: none at all */
    uint32_t added;
};

/* Makes the limits no wider than these. */
void stow_limiter_narrow(struct stow_limiter *limiter, stow_node_limit nodes, int64_t nanoseconds);

/* A new estimate: nothing has been added. */
void stow_limiter_start(struct stow_limiter *limiter);

/* May another node be added, so long after the start?  Counts it when it may. */
bool stow_limiter_allow(struct stow_limiter *limiter, int64_t elapsed_nanoseconds);

#endif
