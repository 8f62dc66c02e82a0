/* affinity.h - affinity and anti-affinity between pods: what the filter and the scorer share. */
#ifndef STOW_PLACE_COUNTS_AFFINITY_H
#define STOW_PLACE_COUNTS_AFFINITY_H

#include "place/counts/tally.h"
#include "place/rule.h"

/* One term of the pod: the pods that match it, per domain of its topology key. */
struct stow_affinity_term {
    const struct stow_topology *topology;
    struct stow_counter *counter;
    int64_t weight; /* preferred terms only; negative: anti-affinity */
};

struct stow_affinity_terms {
    struct stow_affinity_term *term;
    uint32_t count;
};

/* The terms of a class of pods, and what the terms of others say about it. */
struct stow_affinity_plan {
    struct stow_affinity_terms
        affinity;                    /* required; the counters count pods that match all terms */
    struct stow_affinity_terms anti; /* required */
    struct stow_affinity_terms preferred; /* affinity, then anti-affinity */
    const struct stow_sheets *sheets;
    bool self; /* the pod matches all its own required affinity terms */
};

/* The plan of a pod; *ret is NULL when no pod has any terms.  < 0: out of memory. */
int stow_affinity_plan(const struct stow_state *state, const struct stow_subject *pod,
                       const struct stow_affinity_plan **ret);

#endif
