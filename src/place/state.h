/* state.h - a cluster while pods are being placed on it.
 *
 * A snapshot never changes; this is the part that does: what is requested on each
 * node, which pods are there.  Columns are indexed by node id as in the snapshot. */
#ifndef STOW_PLACE_STATE_H
#define STOW_PLACE_STATE_H

#include "model/snapshot.h"
#include "place/engine/hot.h"
#include "price/bill/bill.h"

/* What prices say of a node; filled once, for rules about money. */
struct stow_node_money {
    stow_nano price;     /* per hour, STOW_MONEY_UNKNOWN */
    stow_nano median;    /* of its offering over the last week, STOW_MONEY_UNKNOWN */
    stow_nano on_demand; /* list price of the same shape, STOW_MONEY_UNKNOWN */
    int64_t rate;        /* interruptions per 30 days in 10^-9; -1 unknown */
    enum stow_capacity_type capacity_type;
};

/* What rules want to know of a node as the snapshot has it; filled once. */
struct stow_node_facts {
    stow_sym disk_type, network_type; /* STOW_NONE: not stated; 0: stated, and empty */
    bool spot;
    uint32_t kind;                   /* nodes with the same facts, prices and risk have the same */
    int64_t total_cpu, total_memory; /* its capacity; allocatable when it states none */
};

struct stow_tally;

/* Volumes on nodes, where a driver has a limit. */
struct stow_attached {
    int32_t *limit; /* [driver * nodes + node]; -1: none */
    int32_t *used;  /* likewise */
    uint64_t
        *pair; /* which volume is where: open addressing, mount * nodes + node + 1, 0 = empty */
    uint32_t pairs; /* slots: a power of two, twice of what can come */
};

struct stow_state {
    const struct stow_snapshot *s;
    const struct stow_node_money *money; /* per node; NULL: nothing is known */
    const struct stow_node_facts *facts; /* per node */
    const stow_node_id *kind_node;       /* per kind: a node of it */
    uint32_t kinds;
    uint32_t nodes, resources;
    stow_blob *taints; /* per node, as in the snapshot: dense, for loops over all nodes */
    int64_t *largest;  /* per resource: the most that any node has */
    bool any_taints, any_cordoned, any_images; /* on any node */
    uint64_t epoch; /* counts up when a pod is placed that rules over several nodes may look at;
                       starts at 1 */

    int64_t *requested;                    /* [resource * nodes + node] */
    int64_t *nonzero_cpu, *nonzero_memory; /* per node */
    uint32_t *pods_on;                     /* per node */
    struct stow_hot *hot;                  /* per node: cpu, memory and slots side by side */
    struct stow_stage *stage;              /* for the loops over them */
    bool hot_exact;                        /* stow_hot_exact of all nodes */
    int64_t
        *storage; /* per node: bytes that pods there state or request (place/storage.h); NULL when
                     no pod states any: then it is what they request of ephemeral-storage */

    stow_node_id *node_of;         /* per pod of the snapshot: where it is, STOW_NONE: nowhere */
    stow_pod_id *first_on;         /* per node: the pods there, a list through next_on */
    stow_pod_id *next_on;          /* per pod */
    struct stow_tally *tally;      /* counts for rules over several nodes (tally.h) */
    struct stow_attached attached; /* where s->mounts is there */
    uint32_t *claim_uses; /* per claim: pods on nodes that use it; NULL: no claim is for one pod */
};

/* The cluster as the snapshot has it.  `money` is borrowed and may be NULL. */
int stow_state_init(struct stow_state *state, const struct stow_snapshot *s,
                    const struct stow_node_money *money, struct stow_err *err);
void stow_state_done(struct stow_state *state);

/* Puts a pod that is nowhere on a node; everything above is brought up to date. */
void stow_state_place(struct stow_state *state, stow_pod_id pod, stow_node_id node);

static inline int64_t stow_state_allocatable(const struct stow_state *state, stow_resource_id r,
                                             stow_node_id node)
{
    return state->s->allocatable[(size_t)r * state->nodes + node];
}

static inline int64_t stow_state_requested(const struct stow_state *state, stow_resource_id r,
                                           stow_node_id node)
{
    return state->requested[(size_t)r * state->nodes + node];
}

#endif
