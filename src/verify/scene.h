/* scene.h - the cluster at one moment of a plan: some nodes are there, some pods are somewhere.
 *
 *     struct stow_scene scene = {0};
 *     STOW_TRY(stow_scene_open(&scene, audit, &moment, err));
 *     if (stow_scene_ask(&scene, pod, node, &refusal) > 0)
 *         stow_scene_place(&scene, pod, node);
 *     stow_scene_done(&scene);
 *
 * Nodes are numbered as in audit->all throughout. */
#ifndef STOW_VERIFY_SCENE_H
#define STOW_VERIFY_SCENE_H

#include "model/pods/detach.h"
#include "place/state.h"
#include "verify/audit.h"

struct stow_scene {
    struct stow_audit *a;
    struct stow_snapshot base; /* the nodes that are there */
    struct stow_detached view; /* with the pods where they are */
    struct stow_state state;
    bool made;
    stow_node_id *number; /* per node of audit->all: here; STOW_NONE: not there */
    stow_node_id *at;     /* per pod, of this scene */
    bool *hidden;         /* per pod: on a node that is not there */
    struct stow_arena scratch;
};

/* Why a pod may not be somewhere, in words; valid until the next question. */
struct stow_scene_refusal {
    const char *text, *detail; /* detail may be NULL */
};

/* What is there: `there` and `cordoned` (NULL: none is) per node of audit->all; `at` per pod: its
 * node, STOW_NONE: it is on none. */
struct stow_moment {
    const bool *there, *cordoned;
    const stow_node_id *at;
};

/* Valid for done in any case. */
int stow_scene_open(struct stow_scene *scene, struct stow_audit *a,
                    const struct stow_moment *moment, struct stow_err *err);
void stow_scene_done(struct stow_scene *scene);

/* Whether every filter lets a pod that is on no node go to one: 1; 0: not; < 0: out of memory. */
int stow_scene_ask(struct stow_scene *scene, stow_pod_id pod, stow_node_id node,
                   struct stow_scene_refusal *ret);

/* Puts a pod that is on no node on one. */
void stow_scene_place(struct stow_scene *scene, stow_pod_id pod, stow_node_id node);

#endif
