/* pool_variants.h - which labels of its own the nodes of a NodePool may have. */
#ifndef STOW_MODEL_KARPENTER_POOL_VARIANTS_H
#define STOW_MODEL_KARPENTER_POOL_VARIANTS_H

#include "model/karpenter/pool_offers.h"

/* One choice of values for all keys that the pool leaves open. */
struct stow_pool_variant {
    const char *suffix;             /* of a group's name: "", ",tier=silver" */
    const struct stow_label *label; /* all of them, sorted */
    uint32_t labels;
    stow_blob chosen; /* of stow_label: those that the ordinary variant does not have; 0: none */
};

/* The ordinary one comes first. */
struct stow_pool_variants {
    struct stow_pool_variant *variant;
    uint32_t count, cap;
};

void stow_pool_variants_done(struct stow_pool_variants *variants);

/* The variants of a pool, whose offers are known; lists lie in the arena of the offers. */
int stow_pool_variants_find(const struct stow_pool_offers *o, struct stow_pool_variants *ret);

/* Whether pods that run ask for values that pods that wait do not: a snapshot that was loaded
 * without them (moves_pods) then lacks variants.  Adds lists to the snapshot, which must not be
 * shared.  STOW_ENOMEM. */
int stow_pool_variants_differ(struct stow_snapshot *s, bool *ret);

#endif
