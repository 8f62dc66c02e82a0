/* columns.h - the resources that a rule weighs, as columns over all nodes. */
#ifndef STOW_PLACE_SCORERS_COLUMNS_H
#define STOW_PLACE_SCORERS_COLUMNS_H

#include "place/profiles/options.h"
#include "place/rule.h"

struct stow_resource_column {
    const char *name;
    stow_resource_id resource;
    const int64_t *allocatable, *used; /* by node id */
    int64_t request;                   /* of the pod */
    int64_t weight;
};

struct stow_columns {
    struct stow_resource_column *item;
    uint32_t count;
    bool small; /* every allocatable amount is below STOW_SMALL */
    struct stow_hot_view
        hot; /* cpu and memory, in this order, and exact there; .hot NULL: not so */
};

/* Below it a hundred times an amount is exact as a double. */
#define STOW_SMALL ((int64_t)1 << 46)

enum stow_basis {
    /* What the pod asks for, and Requested. */
    STOW_BASIS_PLAIN,
    /* With 100m and 200Mi for containers that ask for none, and NonZeroRequested.  Requests of the
     * pod itself (spec.resources) are not looked at: NodeResourcesFit does not when it scores. */
    STOW_BASIS_NONZERO,
};

/* The listed resources that can count for this pod, in the order of the list: cpu, memory,
 * ephemeral-storage, and scalars that the pod asks for. */
int stow_columns_build(const struct stow_weighted_list *list, enum stow_basis basis,
                       const struct stow_state *state, const struct stow_subject *pod,
                       struct stow_arena *arena, struct stow_columns *ret);

/* The id of a resource that the scheduler counts, other than pods; STOW_NONE. */
stow_resource_id stow_columns_resource(const struct stow_snapshot *s, const char *name);

/* What the pod asks for, by its demand. */
int64_t stow_demand_of(const struct stow_subject *pod, stow_resource_id resource);

#endif
