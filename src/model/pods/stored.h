/* stored.h - pods as the API server would have stored them.
 *
 * What a manifest leaves out, the API server fills in before anybody sees the pod:
 * requests from limits, host ports, tolerations.  These are the steps that need nothing but the
 * pod itself; what other objects add (LimitRange, RuntimeClass, PriorityClass) is in admit.c.
 *
 * A manifest here is a pod spec that is still open.  Every step is written down as a stow_added, so
 * that the answer can say what was assumed. */
#ifndef STOW_MODEL_PODS_STORED_H
#define STOW_MODEL_PODS_STORED_H

#include "model/build.h"

struct stow_manifest_container {
    struct stow_container made;
    stow_sym name;
};

struct stow_manifest {
    struct stow_snapshot *s;
    struct stow_pod_spec *spec;    /* its containers are in the list below */
    struct stow_collect container; /* of stow_manifest_container */
    struct stow_collect added;     /* of stow_added */
    struct stow_collect amounts, containers, tolerations, names; /* for lists being made */
    bool failed; /* out of memory: asked once, at the end */
};

/* Empties the lists for the next pod; done frees them. */
void stow_manifest_start(struct stow_manifest *d, struct stow_snapshot *s,
                         struct stow_pod_spec *spec);
void stow_manifest_done(struct stow_manifest *d);

/* What decoding fills in, for every pod: requests of containers from their limits, then what the
 * pod itself states from its containers and limits.  Twice is the same as once. */
void stow_manifest_defaults(struct stow_manifest *d);

/* Tolerations of nodes that are not ready or cannot be reached, unless the pod says otherwise: for
 * pods that are not stored yet. */
void stow_manifest_tolerations(struct stow_manifest *d);

/* Writes down that a field was added. */
void stow_manifest_add(struct stow_manifest *d, struct stow_added added);

/* Puts what was added from place `from` on in order of keys: lists are in order of handles, which
 * depend on the input. */
void stow_manifest_sort_added(struct stow_manifest *d, uint32_t from);

/* Interns a list that was made; `*ret` is written only on success. */
void stow_manifest_set(struct stow_manifest *d, const void *items, size_t size, stow_blob *ret);

/* An amount as a field that was added. */
struct stow_added stow_added_amount(enum stow_added_field field, stow_sym container,
                                    const struct stow_exact *amount, stow_sym from);

/* Adds to `*list` the entries of `more` that it does not name, each written down as `what` (its
 * key and value are filled in). */
void stow_manifest_merge(struct stow_manifest *d, stow_blob *list, stow_blob more,
                         struct stow_added what);

/* What the pod requests, or its limits, without overhead: what its containers come to by the
 * scheduler's rule, and what the pod itself states of cpu and memory in its place. */
stow_blob stow_manifest_sum(struct stow_manifest *d, bool limits);

/* Init containers first, each kind in its order, into the spec. */
void stow_manifest_close(struct stow_manifest *d);

/* The intake of the manifest, or 0 where there is nothing to say.  The
 * runtime class counts for new pods only. */
stow_blob stow_manifest_intake(struct stow_manifest *d, bool is_new, stow_sym runtime_class);

#endif
