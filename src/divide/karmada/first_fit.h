/* first_fit.h - how many sets of pods fit nodes one after another: Karmada's simulation. */
#ifndef STOW_DIVIDE_KARMADA_FIRST_FIT_H
#define STOW_DIVIDE_KARMADA_FIRST_FIT_H

#include "model/snapshot.h"

/* `count` equal nodes: free amounts as a blob of stow_exact, pods they still take.  A node of a
 * cluster says which pods it takes; virtual ones take all. */
struct stow_fit_node {
    stow_blob free;
    int64_t pods;
    int64_t count;
    const struct stow_node *node; /* NULL: a virtual one */
};

/* Whole sets of the components, at most `limit`: each component fills the nodes in order; a set
 * counts when all its pods are placed, and what a failed set has taken stays taken.  `assumed` are
 * placed before, each list of components once, if it fits. */
struct stow_fit_question {
    const struct stow_fit_node *node;
    uint32_t nodes;
    const struct stow_component *component;
    uint32_t components;
    const stow_blob *assumed; /* each of stow_component */
    uint32_t assumptions;
    int64_t limit;
};

int stow_first_fit(const struct stow_snapshot *s, const struct stow_fit_question *q,
                   int64_t *ret_sets, struct stow_err *err);

/* Whether a node takes pods with this claim: selector, required affinity, taints, cordon. */
bool stow_claim_takes(const struct stow_snapshot *s, const struct stow_node_claim *claim,
                      const struct stow_node *node);

/* How many pods that request `requests` fit what is free, pods aside; INT64_MAX: nothing counts.
 * Only resources that a scheduler counts are looked at. */
int64_t stow_fit_times(const struct stow_snapshot *s, stow_blob free, stow_blob requests);

#endif
