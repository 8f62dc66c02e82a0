/* admit.h - one pod before admission: what the parts of admit.c share. */
#ifndef STOW_MODEL_PODS_ADMIT_H
#define STOW_MODEL_PODS_ADMIT_H

#include "model/pods/stored.h"

/* What the API server would refuse: why, of which kind of pod. */
struct stow_admit_refusal {
    uint32_t kind; /* the place of the pod's kind among those admitted */
    const char *why;
};

struct stow_admission {
    struct stow_snapshot *s;
    struct stow_manifest manifest; /* the pod being admitted */
    struct stow_pod_spec spec;     /* of it */
    stow_sym namespace, runtime_class;
    uint32_t kind;
    struct stow_admit_refusal *refusal;
    uint32_t refusals, refusal_cap;
};

/* Writes a refusal down; formatted into the snapshot. */
void stow_admission_refuse(struct stow_admission *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A text of the snapshot; out of memory is remembered in the manifest. */
stow_sym stow_admission_text(struct stow_admission *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* admit_limits.c: defaults of the LimitRanges of the namespace, and what they would refuse once the
 * spec is closed. */
void stow_admit_limit_defaults(struct stow_admission *a);
void stow_admit_check_limits(struct stow_admission *a);

/* What is refused without any LimitRange: requests above limits. */
void stow_admit_check_requests(struct stow_admission *a);

/* admit_runtime.c: overhead and scheduling of the RuntimeClass. */
void stow_admit_runtime_class(struct stow_admission *a);

/* A warning for each RuntimeClass that new pods name in vain; before they are admitted. */
int stow_warn_of_runtime_classes(struct stow_snapshot *s);

#endif
