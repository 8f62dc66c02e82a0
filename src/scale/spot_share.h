/* spot_share.h - the pods of one controller, and how many of them may be on spot nodes. */
#ifndef STOW_SCALE_SPOT_SHARE_H
#define STOW_SCALE_SPOT_SHARE_H

#include "scale/session.h"

/* Workloads whose pods must not all be on spot nodes (--max-spot-share, --min-durable).  Zeroed:
 * nothing is asked for, every pod may go anywhere. */
struct stow_crews {
    const struct stow_scale *scale;
    uint32_t *of;   /* per pod of the snapshot; 0: it has no controller, or nothing is asked for */
    uint32_t *room; /* per crew: how many more of its pods may go to spot nodes */
    uint32_t *owed; /* per crew: how many have to be on other nodes before one may be on spot */
    uint32_t crews; /* one more than there are */
};

/* In `arena`; < 0: out of memory. */
int stow_crews_make(const struct stow_scale *scale, struct stow_arena *arena,
                    struct stow_crews *ret);

static inline bool stow_crews_asked(const struct stow_crews *crews)
{
    return crews && crews->of;
}

/* Whether a node of the yard, or of a group, is a spot node. */
bool stow_crews_is_spot(const struct stow_crews *crews, const struct stow_yard *yard,
                        uint32_t node);
bool stow_crews_is_spot_group(const struct stow_crews *crews, stow_group_id group);

/* How many of these pods have to be on other nodes, if no others of their crews are placed. */
uint32_t stow_crews_durable(const struct stow_crews *crews, const stow_pod_id *pod, uint32_t count,
                            uint32_t *used);

#endif
