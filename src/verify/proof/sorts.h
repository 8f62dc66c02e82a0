/* sorts.h - pending pods that filters over single nodes cannot tell apart. */
#ifndef STOW_VERIFY_PROOF_SORTS_H
#define STOW_VERIFY_PROOF_SORTS_H

#include "verify/audit.h"

struct stow_sorts {
    uint32_t count;
    stow_pod_id *pod; /* per sort: one of them, for asking */
    uint32_t *of;     /* per pod; STOW_NONE: not pending, or gated */
};

/* < 0: out of memory. */
int stow_sorts_make(const struct stow_audit *a, struct stow_sorts *ret);
void stow_sorts_done(struct stow_sorts *sorts);

/* The filters of a profile, prepared for one sort on one state: those that look at one node only,
 * and therefore stay as they are while pods are placed. */
struct stow_asker {
    const struct stow_state *state;
    const struct stow_profile *profile;
    struct stow_subject subject;
    const void **prep; /* per filter; NULL: it has nothing to say */
    bool never;        /* one of them refuses the pod everywhere */
    int32_t refusing;  /* which */
};

int stow_asker_init(struct stow_asker *asker, const struct stow_state *state,
                    const struct stow_profile *profile, stow_pod_id pod, struct stow_arena *arena);

/* fits[i] &= whether nodes[i] passes; `fit` false: room is not asked about.  Returns the last
 * filter that refused a node, -1: none. */
int32_t stow_asker_check(const struct stow_asker *asker, const stow_node_id *nodes, uint32_t count,
                         bool fit, uint8_t *fits);

#endif
