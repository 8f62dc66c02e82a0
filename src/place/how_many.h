/* how_many.h - how many more pods like the sample fit, and what stops the next one. */
#ifndef STOW_PLACE_HOW_MANY_H
#define STOW_PLACE_HOW_MANY_H

#include "place/place.h"

/* More than this is not counted: a copy of the sample takes some hundred bytes while it is. */
#define STOW_HOW_MANY_MAX 4000000

struct stow_how_many_fit {
    stow_node_id node;
    uint32_t pods;
};

struct stow_how_many {
    struct stow_snapshot view;          /* of the snapshot, with the copies (model/pods/sample.h) */
    struct stow_state state;            /* with all that fit placed */
    struct stow_placement pending;      /* those that were placed first, if asked for */
    struct stow_decision next;          /* about one more */
    const struct stow_profile *profile; /* that decided; NULL: none is for its schedulerName */
    struct stow_how_many_fit *fit;      /* the nodes that take any: most first, then by name */
    uint32_t nodes;
    uint32_t pods; /* that fit */
    bool *has_one; /* of a DaemonSet: by node, whether it has a pod of it, old or new; else NULL */
    uint32_t had_one; /* nodes that had one before */
    bool at_least;    /* the next one fits, too: counting ended at the pod slots of all nodes, or at
                         STOW_HOW_MANY_MAX */
};

/* Places copies of the snapshot's sample one by one, as `profiles` decide, until none fits.
 * `after_pending`: the pending pods first.  `money` may be NULL; all are borrowed.  Ends with
 * stow_how_many_done in any case. */
int stow_how_many(const struct stow_snapshot *s, const struct stow_node_money *money,
                  const struct stow_profiles *profiles, bool after_pending,
                  struct stow_how_many *ret, struct stow_err *err);
void stow_how_many_done(struct stow_how_many *answer);

#endif
