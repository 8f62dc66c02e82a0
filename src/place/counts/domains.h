/* domains.h - nodes by the values of a label (zones, hosts, racks), and which of them count. */
#ifndef STOW_PLACE_COUNTS_DOMAINS_H
#define STOW_PLACE_COUNTS_DOMAINS_H

#include "base/intern.h"
#include "model/snapshot.h"

/* The key of the topology in which every node is a domain of its own, with or without labels. */
#define STOW_TOPOLOGY_NODES STOW_NONE

/* The values of one label, numbered. */
struct stow_topology {
    stow_sym key;
    uint32_t number;  /* of this topology */
    uint32_t domains; /* numbers in use; 0 is for nodes without the label */
    uint32_t empty;   /* the domain whose value is the empty text; 0: none has it */
    uint32_t missing; /* nodes without the label */
    uint32_t *of;     /* per node */
    uint8_t *narrow;  /* the same in bytes when there are few domains, else NULL */
    bool straight;    /* node i is domain i + 1 */
};

#define STOW_NARROW_MAX 8

/* Which nodes count for a constraint. */
struct stow_node_set {
    uint32_t number;
    const uint8_t *has; /* per node; NULL: all nodes */
};

/* The domains of a topology that have a node of a set. */
struct stow_reach {
    uint32_t domains;     /* how many, without 0 */
    const uint32_t *hide; /* per domain: 0, or INT32_MAX when it has none */
};

/* What the nodes of a set have in common; 0 or STOW_SELECTOR_NULL: nothing asked. */
struct stow_node_need {
    stow_blob selector;    /* nodeSelector */
    stow_blob required;    /* required node affinity, STOW_SELECTOR_NULL: none */
    stow_blob tolerations; /* taints must be tolerated by these; STOW_NONE: taints are ignored */
};

struct stow_domains {
    const struct stow_snapshot *s;
    struct stow_arena arena;
    struct stow_intern topology_key, set_key, reach_key;
    struct stow_topology **topology;
    struct stow_node_set **set;
    struct stow_reach **reach;
    uint32_t topology_cap, set_cap, reach_cap;
};

/* All of these are worked out once and kept; NULL: out of memory. */
const struct stow_topology *stow_domains_topology(struct stow_domains *d, stow_sym key);

/* The nodes that meet `need` and carry all of `keys`. */
const struct stow_node_set *stow_domains_set(struct stow_domains *d,
                                             const struct stow_node_need *need,
                                             const stow_sym *keys, uint32_t count);
const struct stow_reach *stow_domains_reach(struct stow_domains *d, const struct stow_topology *t,
                                            const struct stow_node_set *set);
void stow_domains_done(struct stow_domains *d);

/* Room for handle `number` in a list of pointers; < 0: out of memory. */
int stow_slots_reserve(void *items, uint32_t *cap, uint32_t number);

#endif
