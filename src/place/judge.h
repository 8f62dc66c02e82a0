/* judge.h - one pod against every node, in full: the verdict of each filter, the score of each
 * scorer.  This is the slow and complete way that explanations and comparisons use; engine.c
 * decides the same way, faster. */
#ifndef STOW_PLACE_JUDGE_H
#define STOW_PLACE_JUDGE_H

#include "place/profiles/profile.h"

struct stow_node_verdict {
    int32_t filter; /* index into the profile's filters of the first that failed; -1: none.
                       STOW_OUTSIDE: not among the names that the pod is pinned to; STOW_NOT_TRIED:
                       the node that the pod is nominated to takes it */
    bool feasible;
    double total; /* sum of weight * score, when feasible */
    int64_t key;  /* the total in 10^-9, what is compared */
};

#define STOW_OUTSIDE   (-2)
#define STOW_NOT_TRIED (-3)

#define STOW_REASON_NOMINATED "not tried: the node in status.nominatedNodeName takes the pod"

struct stow_judgement {
    uint32_t nodes, scorers;
    struct stow_node_verdict *node; /* by node id */
    double *score;                  /* [scorer * nodes + node]: normalised, before the weight */
    double *raw;                    /* the same before normalising */
    uint8_t *skipped;               /* per scorer: it had nothing to say about this pod */
    const void **filter_prep, **scorer_prep;
    int32_t never;     /* the filter that refuses the pod everywhere; -1 */
    stow_node_id best; /* STOW_NONE: no node */
    stow_node_id runner_up;
    struct stow_arena arena;
};

/* Judges a pod.  `ret` is to be freed with stow_judgement_done. */
int stow_judge(const struct stow_state *state, const struct stow_profile *profile,
               const struct stow_subject *pod, struct stow_judgement *ret, struct stow_err *err);
void stow_judgement_done(struct stow_judgement *judgement);

/* The reasons why a node was dropped. */
void stow_judge_explain(const struct stow_state *state, const struct stow_profile *profile,
                        const struct stow_subject *pod, const struct stow_judgement *judgement,
                        stow_node_id node, struct stow_arena *arena, struct stow_reasons *ret);

/* Total as the number that is compared: rounded to 10^-9, halves away from zero. */
static inline int64_t stow_total_key(double total)
{
    const double nano = total * 1e9;
    const int64_t whole = (int64_t)nano;
    const double rest = nano - (double)whole;

    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Node ids in the order of a profile's tie-break; `ret` has room for all nodes. */
void stow_tie_order(const struct stow_state *state, const struct stow_profile *profile,
                    stow_node_id *ret);

#endif
