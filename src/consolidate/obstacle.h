/* obstacle.h - what keeps a pod off a node while nodes are emptied: the filter, and how much is
 * missing. */
#ifndef STOW_CONSOLIDATE_OBSTACLE_H
#define STOW_CONSOLIDATE_OBSTACLE_H

#include "consolidate/consolidate_internal.h"

struct stow_obstacle {
    uint32_t filter;           /* its place among those of the profile */
    const char *rule;          /* its name: "node-resources-fit" */
    const char *text;          /* upstream's words: "Insufficient cpu" */
    const char *detail;        /* which taint; NULL: the text says it all */
    const char *words;         /* all of it, node included, where that says more; NULL */
    stow_resource_id resource; /* STOW_NONE: not about amounts */
    int64_t wanted, free;
    const char *brief;                /* of spreading: "2 matching pods with n1"; NULL */
    int64_t over;                     /* of spreading: this many matching pods too many */
    const struct stow_obstacle *more; /* what else the node lacks, by the same filter; NULL */
};

/* The first filter that refuses a pod on a node as things are on deck: 1; 0: none does; < 0: out of
 * memory.  Texts lie in `arena` or are constant. */
int stow_deck_obstacle(struct stow_deck *deck, stow_pod_id pod, uint32_t node,
                       struct stow_arena *arena, struct stow_obstacle *ret);

/* The name of a node on deck; of one that has none yet, that of its group. */
const char *stow_deck_name(const struct stow_deck *deck, uint32_t node);

/* The open node that comes closest to taking a pod that fits none; STOW_NONE: there is no other. */
uint32_t stow_deck_closest(struct stow_deck *deck, stow_pod_id pod);

/* "Insufficient cpu: wants 2.00, free 1.41 on n2", with all that the node lacks.  NULL: out of
 * memory. */
const char *stow_obstacle_text(const struct stow_obstacle *o, const struct stow_snapshot *s,
                               const char *node, struct stow_arena *arena);

/* The same of one more node, in short: "1.41 on n2". */
const char *stow_obstacle_brief(const struct stow_obstacle *o, const struct stow_snapshot *s,
                                const char *node, struct stow_arena *arena);

/* The same as a reason that keeps a pod; without a text: out of memory. */
struct stow_kept_reason stow_obstacle_reason(const struct stow_obstacle *o,
                                             const struct stow_snapshot *s, const char *node,
                                             stow_pod_id pod, struct stow_arena *arena);

#endif
