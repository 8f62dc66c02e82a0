/* facts.h - what labels and annotations say about nodes and pods, beyond the scheduler's own. */
#ifndef STOW_PLACE_FACTS_H
#define STOW_PLACE_FACTS_H

#include "place/rule.h"

/* The value of the first of `keys` (of stow_sym) that is there, as a label or else an annotation;
 * STOW_NONE: none is. */
stow_sym stow_fact(const struct stow_snapshot *s, stow_blob keys, stow_blob labels,
                   stow_blob annotations);

/* Of every node, with malloc; NULL when out of memory.  `money` may be NULL.  `*ret_kind_node`
 * (with malloc, too) has a node of each kind. */
struct stow_node_facts *stow_node_facts_new(const struct stow_snapshot *s,
                                            const struct stow_node_money *money,
                                            const stow_node_id **ret_kind_node,
                                            uint32_t *ret_kinds);

/* A pod is important when it says so (PriorityHigh or true, in the snapshot's keys); when it says
 * nothing, by its priority against a threshold. */
struct stow_importance {
    bool by_value; /* the threshold counts; else no pod is important by its value */
    int32_t threshold;
};

bool stow_pod_is_high(const struct stow_snapshot *s, const struct stow_pod *pod,
                      struct stow_importance rule);

#endif
