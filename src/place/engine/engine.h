/* engine.h - deciding fast: the same choice as judge.h, without asking everything again.
 *
 *     stow_engine_new(&state, &profiles, &engine, err);
 *     for each pod: stow_engine_decide(engine, pod, &choice, err);
 *                   if (choice.node != STOW_NONE) stow_engine_place(engine, pod, choice.node);
 *     stow_engine_free(engine);
 */
#ifndef STOW_PLACE_ENGINE_ENGINE_H
#define STOW_PLACE_ENGINE_ENGINE_H

#include "place/profiles/profile.h"

struct stow_engine;

struct stow_choice {
    const struct stow_profile *profile; /* NULL: no profile is for this pod's scheduler */
    stow_node_id node;                  /* STOW_NONE: no node passes the filters */
    double total;
    uint32_t class; /* pods that are alike */
};

/* `state` and `profiles` are borrowed; the state may be changed through the engine only. */
int stow_engine_new(struct stow_state *state, const struct stow_profiles *profiles,
                    struct stow_engine **ret, struct stow_err *err);
void stow_engine_free(struct stow_engine *engine);

/* This pod will be asked about next: what that needs is called into the cache. */
void stow_engine_expect(struct stow_engine *engine, stow_pod_id pod);

/* The best node for a pod as the cluster is now; nothing changes. */
int stow_engine_decide(struct stow_engine *engine, stow_pod_id pod, struct stow_choice *ret,
                       struct stow_err *err);

/* Puts the pod there. */
void stow_engine_place(struct stow_engine *engine, stow_pod_id pod, stow_node_id node);

/* What the choice decided last is made of: per scorer of its profile the normalised score, and
 * whether the scorer skipped the pod. */
void stow_engine_components(struct stow_engine *engine, const struct stow_choice *choice,
                            double *ret_score, bool *ret_skipped);

uint32_t stow_engine_classes(const struct stow_engine *engine);

#endif
