/* attached.h - volumes and claims that pods on nodes use, in the state of a run. */
#ifndef STOW_PLACE_COUNTS_ATTACHED_H
#define STOW_PLACE_COUNTS_ATTACHED_H

#include "model/volumes/mounts.h"
#include "place/state.h"

/* kube-scheduler's words. */
#define STOW_REASON_VOLUME_LIMIT "node(s) exceed max volume count"
#define STOW_REASON_SOLE_CLAIM                                                            \
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode " \
    "already in-use by another pod"

/* Makes room, and counts what is attached without a pod.  < 0: out of memory. */
int stow_attached_init(struct stow_state *state);
void stow_attached_done(struct stow_state *state);

/* Counts the volumes and claims of a pod that comes to a node, before it is there. */
void stow_attach_pod(struct stow_state *state, stow_pod_id pod, stow_node_id node);

/* Whether the node has the volume. */
bool stow_is_attached(const struct stow_state *state, uint32_t mount, stow_node_id node);

/* The volumes of a pod that count against limits. */
struct stow_wanted_volumes {
    uint32_t driver;
    uint32_t alone;  /* those that no other pod can have brought */
    uint32_t *mount; /* the others */
    uint32_t mounts;
};

/* One entry per driver, in order of drivers; NULL and no entries: the pod has none.  Memory of the
 * arena; < 0: out of memory. */
int stow_wanted_volumes(const struct stow_snapshot *s, const struct stow_pod *pod,
                        const struct stow_pod_spec *spec, struct stow_arena *arena,
                        struct stow_wanted_volumes **ret, uint32_t *ret_count);

/* How many volumes of a driver a pod has that no other pod can have brought. */
uint32_t stow_private_volumes(const struct stow_snapshot *s, const struct stow_pod *pod,
                              uint32_t driver);

/* The first claim of the pod that is for one pod only, from the number `*at` on, which goes after
 * it; NULL: there is no further one. */
const struct stow_claim *stow_next_sole_claim(const struct stow_snapshot *s, stow_sym namespace,
                                              const struct stow_pod_spec *spec, uint32_t *at);

#endif
