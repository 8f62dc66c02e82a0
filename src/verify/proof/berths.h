/* berths.h - what one node can hold: the words in which a proof speaks.
 *
 * A berth is a type of node: its room, and which pods may be there.  Groups and existing nodes
 * that agree in both are one berth.  An item is the pods of one class of the proof that filters
 * cannot tell apart; usually that is the class. */
#ifndef STOW_VERIFY_PROOF_BERTHS_H
#define STOW_VERIFY_PROOF_BERTHS_H

#include "verify/audit.h"

struct stow_item {
    uint32_t class; /* of the proof */
    uint32_t sort, count;
    const int64_t *need; /* per dimension */
};

struct stow_berth {
    const int64_t *room;  /* per dimension, none below 0 */
    const uint32_t *most; /* per item: how many of it could be there; 0: none may */
    const stow_sym *zone; /* per key: the value of its label; STOW_NONE: it has none */
    const char *name;     /* of a group or node, for messages */
};

struct stow_berths {
    uint32_t dims;
    stow_resource_id *resource; /* per dimension; the first is pod slots */
    uint32_t resource_dims;     /* from here on: volumes of a driver, the number in s->mounts ... */
    uint32_t *driver;           /* ... per dimension from there on */
    stow_sym *key;              /* topology keys by whose domains classes have prices */
    uint32_t keys;
    uint32_t *class_key; /* per class: the number of its key; STOW_NONE: it has one price */
    struct stow_item *item;
    uint32_t items, item_cap;
    struct stow_berth *berth;
    uint32_t berths, berth_cap;
    uint32_t *of_group;  /* per group: its berth; STOW_NONE: not for sale, or takes no pod */
    uint32_t *of_node;   /* per real node; STOW_NONE: takes no pod */
    bool *takes;         /* per group: for sale, and some pending pod could be alone on its node, by
                            the order of groups if that counts */
    bool *unpriced;      /* per group: without a price, and the same, if it may grow */
    bool *unpriced_left; /* likewise, of pods that the plan leaves */
    uint32_t *tier;      /* per group: steps down the order of groups; NULL: that does not count */
    uint32_t *home; /* per pod that is pending: the steps down to the first groups that take it;
                       0 where a node that is there does; NULL likewise */
    bool *taken;    /* per pod: pending, and some group or node could take it alone */
    struct stow_arena arena;
};

/* Also checks that the classes of the proof hold each pod of `taken` exactly once and no other. */
int stow_berths_make(struct stow_audit *a, struct stow_berths *ret, struct stow_err *err);
void stow_berths_done(struct stow_berths *b);

/* What a pod asks for of a dimension. */
int64_t stow_berths_need(const struct stow_audit *a, const struct stow_berths *b, stow_pod_id pod,
                         uint32_t dim);

/* alone.c: whether two pods of a class can never be on one node.  `ret_keys`: only on nodes that
 * carry the label of one of these bits, see stow_alone_key; STOW_ALONE_ANYWHERE: on all nodes. */
#define STOW_ALONE_ANYWHERE UINT64_MAX
struct stow_alone {
    stow_sym key[63]; /* labels that anti-affinity of pending pods speaks of */
    uint32_t keys;
    struct stow_tally *tally; /* borrowed: for selectors */
};
int stow_alone_class(struct stow_audit *a, struct stow_alone *alone,
                     const struct stow_told_class *class, uint64_t *ret_keys);

#endif
