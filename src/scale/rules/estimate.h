/* estimate.h - how many nodes of a group pending pods would need, and which of them it takes. */
#ifndef STOW_SCALE_RULES_ESTIMATE_H
#define STOW_SCALE_RULES_ESTIMATE_H

#include "scale/rules/equivalence.h"
#include "scale/rules/limit.h"
#include "scale/yard/yard.h"

/* Pods that upstream treats as one (equivalence.h), all of one class: `pods` of the list from
 * `first` on.  What an estimate takes of them is always the first few. */
struct stow_run {
    uint32_t class;
    uint32_t first, pods;
};

struct stow_estimate {
    uint32_t nodes; /* that got a pod */
    uint32_t pods;
    uint32_t *order; /* runs in the order in which they were packed */
    uint32_t *taken; /* per run */
    bool limited;    /* the limiter refused a node */
};

/* Classes by the share of a node they ask for. */
struct stow_class_ranks {
    uint32_t *of; /* per class, 0 is the largest; those with the same share have the same */
    uint32_t count;
};

/* Room for estimates over runs; made once, used for any number of groups. */
struct stow_estimator {
    struct stow_yard *yard;
    const struct stow_run *run;
    uint32_t runs;
    bool upstream; /* nodes that existed before count as new when a pod is moved there: upstream's
                      slip, for comparison */
    bool fastpath;
    const stow_pod_id *pod; /* what runs are over; for the fast path only */
    double deadline;        /* what is not packed by then stays (stow_clock); 0: none */
    uint32_t fast_run;      /* which run gets the fast path, STOW_NONE: none */
    /* scratch */
    double *score; /* per class */
    uint32_t *tmp; /* per class, per run */
    struct stow_class_ranks
        *ranks;               /* per group: of the classes on its empty node, once asked for */
    uint32_t *full_up_to;     /* per class: new nodes before this one have no room for it */
    struct stow_alike *alike; /* the runs as groups; NULL without the fast path */
    uint8_t *can;             /* per class: its pod passes on a fresh node of the group */
    uint32_t cursor;          /* the new node that took a pod in step a last; STOW_NONE: none yet */
    uint32_t *list, list_cap; /* nodes with room */
    struct stow_estimate ret;
};

int stow_estimator_init(struct stow_estimator *e, struct stow_yard *yard,
                        const struct stow_run *run, uint32_t runs);
void stow_estimator_done(struct stow_estimator *e);

/* Packs the runs onto new nodes of a group.  What is packed stays in the yard's log: roll it back,
 * or keep it.  The answer is in e->ret until the next call.  < 0: out of memory. */
int stow_estimate(struct stow_estimator *e, stow_group_id group, stow_node_limit limit);

/* The share of an empty node that a pod asks for: upstream's sum of two quotients.  A resource that
 * the node lacks counts nothing.  Runs are taken in this order, largest first. */
struct stow_cpu_and_memory {
    int64_t cpu, memory;
};

double stow_estimate_share(const struct stow_cpu_and_memory *need,
                           const struct stow_cpu_and_memory *room);

#endif
