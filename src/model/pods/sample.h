/* sample.h - the pod of "how many more of these?".
 *
 * It comes from a file of its own: a Pod, or the pod template of a workload.  It takes part in
 * everything that finishes a snapshot, so that it is what the cluster would make of it, but it is
 * set aside: neither running nor pending. */
#ifndef STOW_MODEL_PODS_SAMPLE_H
#define STOW_MODEL_PODS_SAMPLE_H

#include "model/snapshot.h"

/* Where it comes from, for messages. */
struct stow_sample_source {
    const char *file;
    struct stow_str kinds; /* of the objects there: "Service, JobSet" */
};

/* Makes the sample of what was read last, beyond the first `pods` and `workloads`; there must be
 * one Pod or workload. */
int stow_sample_take(struct stow_snapshot *s, uint32_t pods, uint32_t workloads,
                     const struct stow_sample_source *from, struct stow_err *err);

/* The sample of a finished snapshot; STOW_NONE: it has none. */
stow_pod_id stow_sample_find(const struct stow_snapshot *s);

/* "Deployment" or "Pod", and its name. */
const char *stow_sample_kind(const struct stow_snapshot *s, stow_pod_id sample);
const char *stow_sample_name(const struct stow_snapshot *s, stow_pod_id sample);

/* A view of the snapshot with copies of the sample, set aside as well: ids from s->pods on.  It
 * shares all but the pods and must not outlive the snapshot; free(ret->pod) ends it. */
int stow_sample_repeat(const struct stow_snapshot *s, stow_pod_id sample, uint32_t copies,
                       struct stow_snapshot *ret);

#endif
