/* equivalence.h - pending pods that are alike, as the Cluster Autoscaler sees it. */
#ifndef STOW_SCALE_RULES_EQUIVALENCE_H
#define STOW_SCALE_RULES_EQUIVALENCE_H

#include "model/snapshot.h"

/* One group: pod[first] to pod[first + count - 1]. */
struct stow_alike {
    uint32_t first, count;
};

struct stow_equivalence {
    struct stow_alike *group; /* in the order of their first pods */
    uint32_t groups;
    stow_pod_id *pod; /* all pods asked about, by group; inside a group in the order given */
    uint32_t pods;
};

/* Partitions the pods.  < 0: out of memory.  `ret` is valid for done in any case. */
int stow_equivalence_make(const struct stow_snapshot *s, const stow_pod_id *pods, uint32_t count,
                          struct stow_equivalence *ret);
void stow_equivalence_done(struct stow_equivalence *e);

#endif
