/* pool_offers.h - what a NodePool can buy: machines that meet its requirements, where and how. */
#ifndef STOW_MODEL_KARPENTER_POOL_OFFERS_H
#define STOW_MODEL_KARPENTER_POOL_OFFERS_H

#include "model/karpenter/machine_labels.h"

/* Capacity types that are planned with.  Reserved capacity is not: the objects do not say how much
 * of it is free. */
enum { STOW_OFFER_ON_DEMAND, STOW_OFFER_SPOT, STOW_OFFER_TYPES };

/* "on-demand", "spot". */
const char *stow_offer_name(uint32_t type);

/* A machine type that remains, and the capacity types it can be had as, a bit each. */
struct stow_pool_type {
    const struct stow_size *size;
    struct stow_value_sets labels;
    uint32_t offered;
};

/* What the nodes that are there tell about where machines are. */
struct stow_pool_surroundings {
    stow_sym *zone; /* of all nodes, in order of names */
    uint32_t zones, zone_cap;
    stow_sym region;            /* of the first node that states one; 0: none does */
    enum stow_class_form cloud; /* of the first node that tells; STOW_CLASS_FORMS: none does */
};

/* A pool while it is expanded. */
struct stow_pool_offers {
    struct stow_snapshot *s;
    struct stow_arena *arena;
    const struct stow_pool_surroundings *around;
    const struct stow_node_pool *pool;
    enum stow_class_form form;
    const struct stow_node_class *class; /* NULL: not among the objects */
    struct stow_value_sets sets;         /* all that must hold */
    struct stow_str region;
    const struct stow_class_zone *zone; /* one without a name (0) where none is known */
    uint32_t zones;
    struct stow_pool_type *type;
    uint32_t types;
};

/* Fills in what the pool can buy.  1: it can buy something; 0: it cannot, and *ret_why says why;
 * < 0: out of memory. */
int stow_pool_offers_find(struct stow_pool_offers *o, const char **ret_why);

/* Whether a type may be had in a zone as a capacity type. */
bool stow_pool_offers_has(const struct stow_pool_offers *o, const struct stow_pool_type *type,
                          uint32_t zone, uint32_t capacity);

#endif
