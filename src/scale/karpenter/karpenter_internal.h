/* karpenter_internal.h - what the files of the strategy `karpenter` share.
 *
 * Groups are numbered by *slot*: those of a pool stand together, from a multiple of 64 on, so that
 * a set of groups of a pool is a few words, and those with the same room are neighbours. */
#ifndef STOW_SCALE_KARPENTER_KARPENTER_INTERNAL_H
#define STOW_SCALE_KARPENTER_KARPENTER_INTERNAL_H

#include "model/karpenter/pool.h"
#include "scale/session.h"

#define STOW_SLOT_BITS 64 /* of a word of a set of slots */

/* Groups that one planned node may become. */
struct stow_kpool {
    uint32_t first, count; /* slots */
    uint32_t words;
    const struct stow_pool_requirement *asks; /* as written */
    uint32_t asked;
    bool wants_variety; /* some have minValues: the provider leaves its filters out */
};

/* What pods of a class ask of nodes in one attempt: preferences are hard at first, and are dropped
 * one by one. */
struct stow_kask {
    uint32_t class;
    uint64_t *slots;      /* that take it as far as labels and taints go */
    const uint8_t *nodes; /* likewise, per node */
    uint32_t from;        /* of the order of nodes: those before it have no room */
    bool *shut;           /* per pool: no new node of it takes such a pod, now or later; NULL: no
                             pool is known to be so */
};

/* The attempts of a class, ask[first] to ask[first + count - 1]. */
struct stow_kasks {
    uint32_t first, count;
};

/* A node that is planned: a set of groups that shrinks. */
struct stow_kplanned {
    uint32_t pool, pods;
    uint32_t node;   /* of the yard, where its host ports and volumes are; STOW_NONE: none needed */
    uint64_t *alive; /* words of its pool: groups that it may still become */
    uint64_t *refused; /* per attempt: nothing that it may become takes such a pod, for good */
    int64_t *used;     /* per dimension */
    int64_t *spare;    /* per dimension: the most that a group which is left has beyond that */
};

/* Pods that count for rules over several nodes, per counter of the yard. */
struct stow_kcount {
    uint32_t *sure;  /* per domain: pods that are there */
    uint32_t *maybe; /* per domain: pods that are there or may come to be */
    uint32_t *host;  /* per planned node; of host names only */
    uint32_t hosts;
    uint64_t entries; /* pods that are somewhere for sure */
};

struct stow_karpenter {
    struct stow_session *session;
    const struct stow_scale *scale;
    struct stow_yard *yard;
    uint32_t nodes; /* that are there, on their way, or launched by a pass before this one */
    bool apart;     /* some class has host ports or volumes of its own */

    /* market.c */
    struct stow_kpool *pool; /* in the order in which they are tried */
    uint32_t pools, slots;   /* slots of no pool have the group STOW_NONE */
    stow_group_id *group;    /* per slot */
    uint32_t *slot_of;       /* per group; STOW_NONE: it cannot be bought from */
    uint32_t *shape;         /* per slot: equal where the room is equal */
    int64_t **room;          /* [dimension][slot] */
    bool *exotic;            /* per slot: bare metal, or with accelerators */
    uint32_t *held;          /* per slot: planned nodes that may become one of it */
    bool capped;             /* some group has a maximum */
    int64_t *left;           /* per limit of the session, after what planned nodes may take */

    /* ask.c */
    struct stow_kask *ask;
    uint32_t asks, ask_cap;
    struct stow_kasks *class; /* per class */
    uint32_t *node;           /* the nodes in the order in which they are tried */

    /* topology.c */
    struct stow_kcount *count; /* per overlay of the yard */
    uint8_t ***reach;          /* per class and spread constraint: domains that pods could have */

    /* karpenter.c */
    struct stow_kplanned *planned;
    uint32_t planneds, planned_cap;
    uint32_t *order, order_cap; /* of planned nodes: fewest pods first */
    uint64_t *words;            /* scratch, of the largest pool */
    struct stow_arena arena;
};

/* ---- market.c: what there is to buy ---------------------------------------------- */

int stow_karpenter_open_market(struct stow_karpenter *k);

/* The groups of a pool that limits allow one more node of, into k->words, among those of an
 * attempt; false: none. */
bool stow_karpenter_offer(struct stow_karpenter *k, const struct stow_kask *ask, uint32_t pool);

/* Whether a set of groups of a pool meets its minValues. */
bool stow_karpenter_is_varied(const struct stow_karpenter *k, uint32_t pool, const uint64_t *words);

/* Planned nodes hold what they may become. */
void stow_karpenter_charge(struct stow_karpenter *k, const struct stow_kplanned *p);
void stow_karpenter_narrow(struct stow_karpenter *k, struct stow_kplanned *p, const uint64_t *to);

/* The group that a planned node is launched as. */
stow_group_id stow_karpenter_launch(const struct stow_karpenter *k, const struct stow_kplanned *p);

/* ---- ask.c: what pods ask for ------------------------------------------------------ */

int stow_karpenter_open_asks(struct stow_karpenter *k);

/* ---- topology.c: rules over several nodes ------------------------------------------ */

int stow_karpenter_open_topology(struct stow_karpenter *k);

/* Leaves in `words` the groups that the rules of a class allow on a planned node, or on a new one
 * (STOW_NONE); false: none. */
bool stow_karpenter_spread(struct stow_karpenter *k, uint32_t class, uint32_t planned,
                           uint32_t pool, uint64_t *words);

/* Whether they allow a node. */
bool stow_karpenter_allows(struct stow_karpenter *k, uint32_t class, uint32_t node);

/* One more pod there; < 0: out of memory. */
int stow_karpenter_count(struct stow_karpenter *k, uint32_t class, uint32_t planned);
void stow_karpenter_count_on(struct stow_karpenter *k, uint32_t class, uint32_t node);

/* ---- sets ------------------------------------------------------------------------------------ */

/* The first slot from `from` on of a set of groups of a pool; STOW_NONE: there is none. */
static inline uint32_t stow_karpenter_next(const struct stow_kpool *pool, const uint64_t *set,
                                           uint32_t from)
{
    const uint32_t at = from - pool->first;
    uint32_t word = at / STOW_SLOT_BITS;
    uint64_t rest;

    if (word >= pool->words)
        return STOW_NONE;
    rest = set[word] & UINT64_MAX << at % STOW_SLOT_BITS;
    while (!rest && ++word < pool->words)
        rest = set[word];
    return rest ? pool->first + word * STOW_SLOT_BITS + (uint32_t)__builtin_ctzll(rest) : STOW_NONE;
}

/* Every slot of such a set, in order; it may be dropped from the set meanwhile. */
#define STOW_EACH_SLOT(slot, of, set)                                                    \
    for (uint32_t slot = stow_karpenter_next(of, set, (of)->first); (slot) != STOW_NONE; \
         (slot) = stow_karpenter_next(of, set, (slot) + 1))

static inline bool stow_karpenter_any(const struct stow_kpool *pool, const uint64_t *words)
{
    for (uint32_t w = 0; w < pool->words; w++)
        if (words[w])
            return true;
    return false;
}

static inline void stow_karpenter_drop(const struct stow_kpool *pool, uint64_t *words,
                                       uint32_t slot)
{
    const uint32_t at = slot - pool->first;

    words[at / STOW_SLOT_BITS] &= ~(UINT64_C(1) << at % STOW_SLOT_BITS);
}

#endif
