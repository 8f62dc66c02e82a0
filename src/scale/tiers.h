/* tiers.h - groups by the priority of their pool and template: one tier is used up before the
 * next. */
#ifndef STOW_SCALE_TIERS_H
#define STOW_SCALE_TIERS_H

#include "model/snapshot.h"

/* group[first] to group[first + count - 1]. */
struct stow_tier {
    int32_t pool, template;
    uint32_t first, count;
};

struct stow_tiers {
    struct stow_tier *tier; /* largest pool priority first, then largest template priority */
    uint32_t tiers;
    stow_group_id *group; /* inside a tier in the order given */
};

/* < 0: out of memory.  `ret` is valid for done in any case. */
int stow_tiers_make(const struct stow_snapshot *s, const stow_group_id *groups, uint32_t count,
                    struct stow_tiers *ret);
void stow_tiers_done(struct stow_tiers *t);

#endif
