/* unpriced.h - what has no price and would matter if it had one, by name.
 *
 *     struct stow_unpriced list = {0};
 *     stow_unpriced_add(&list, "NodeGroup", "big");
 *     text = stow_unpriced_text(&list, arena);     "NodeGroup big, NodeGroup huge and 3 more"
 *     stow_unpriced_done(&list); */
#ifndef STOW_SCALE_UNPRICED_H
#define STOW_SCALE_UNPRICED_H

#include "base/arena.h"
#include "base/str.h"
#include "model/snapshot.h"

struct stow_unpriced {
    struct stow_buf names; /* of the first few */
    uint32_t count;
};

void stow_unpriced_add(struct stow_unpriced *list, const char *kind, const char *name);

/* Groups, in order: those of a NodePool are counted, the others are named. */
void stow_unpriced_add_groups(struct stow_unpriced *list, const struct stow_snapshot *s,
                              const stow_group_id *group, uint32_t count);

/* NULL: out of memory. */
const char *stow_unpriced_text(const struct stow_unpriced *list, struct stow_arena *arena);
void stow_unpriced_done(struct stow_unpriced *list);

#endif
