/* place.h - every pending pod gets a node, or the reasons why not. */
#ifndef STOW_PLACE_PLACE_H
#define STOW_PLACE_PLACE_H

#include "place/engine/engine.h"
#include "place/judge.h"

enum stow_outcome {
    STOW_PLACED,
    STOW_NO_NODE,    /* every node was dropped by a filter */
    STOW_GATED,      /* has scheduling gates: not tried */
    STOW_NO_PROFILE, /* names a scheduler that no profile is for */
};

/* How many nodes were dropped for one reason. */
struct stow_reason_count {
    const char *text;
    uint32_t nodes;
    int32_t filter;            /* of the profile */
    stow_resource_id resource; /* STOW_NONE: not about amounts */
    int64_t wanted, free;      /* free: on the node nearest to fitting */
    const char *detail;        /* of the first node; NULL: the text says it all */
    bool details;              /* other nodes have other details */
};

struct stow_decision {
    stow_pod_id pod;
    enum stow_outcome outcome;
    stow_node_id node;
    double total;
    const struct stow_profile *profile;
    double *score; /* per scorer, normalised; NULL: not asked for, or not placed */
    bool *skipped;
    struct stow_reason_count *reason;
    uint32_t reasons;
};

struct stow_placement {
    struct stow_decision *decision; /* in the order in which they were made */
    uint32_t count, placed;
    uint32_t classes;
    struct stow_arena arena;
};

struct stow_place_options {
    bool components; /* fill in `score` and `skipped` */
    /* Called for each pod once it is decided and before it is placed; < 0 ends everything.  May be
     * NULL. */
    int (*decided)(void *ctx, const struct stow_state *state, const struct stow_decision *decision,
                   struct stow_err *err);
    void *ctx;
};

/* Pending pods in the order in which they are decided: priority descending, those that are
 * nominated to a node, creation time, then namespace and name.  The caller frees `*ret`. */
int stow_place_order(const struct stow_snapshot *s, stow_pod_id **ret, uint32_t *ret_count);

/* Decides every pending pod, each seeing the ones before it; `state` ends up with all of them
 * placed. */
int stow_place(struct stow_state *state, const struct stow_profiles *profiles,
               const struct stow_place_options *options, struct stow_placement *ret,
               struct stow_err *err);
void stow_placement_done(struct stow_placement *placement);

/* The pod as rules want it. */
struct stow_subject stow_subject_of(const struct stow_snapshot *s, stow_pod_id pod);

/* The reasons why no node takes a pod, most nodes first, then by text. */
int stow_place_reasons(const struct stow_state *state, const struct stow_profile *profile,
                       const struct stow_subject *pod, struct stow_arena *arena,
                       struct stow_reason_count **ret, uint32_t *ret_count, struct stow_err *err);

#endif
