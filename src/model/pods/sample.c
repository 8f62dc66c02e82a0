/* sample.c - the pod of "how many more of these?". */
#include "model/pods/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/finish.h"

/* No object can be called so: a sample stands beside pods of its own name. */
#define PREFIX "~"

static int fail_count(struct stow_err *err, const struct stow_sample_source *from, uint32_t found)
{
    if (found)
        stow_fail(err, STOW_EPARSE,
                  "%u Pods and workloads with a pod template are here; expected one", found);
    else if (from->kinds.len)
        stow_fail(err, STOW_EPARSE,
                  "expected a Pod or a workload with a pod template, found %.*s; give a pod "
                  "instead, as kubectl get pod NAME -o yaml shows it",
                  STOW_FMT(from->kinds));
    else
        stow_fail(err, STOW_EPARSE,
                  "expected a Pod or a workload with a pod template, found no object");
    snprintf(err->file, sizeof(err->file), "%s", from->file);
    return STOW_EPARSE;
}

/* Drops what has no template; how many are left beyond the first `first`. */
static uint32_t keep_templates(struct stow_snapshot *s, uint32_t first)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < s->workloads; i++)
        if (s->workload[i].template_spec != STOW_NONE)
            s->workload[kept++] = s->workload[i];
    s->workloads = kept;
    return kept - first;
}

/* The workload stays for its selector, unless the cluster has it: then that one counts. */
static void settle_workload(struct stow_snapshot *s)
{
    struct stow_workload *made = &s->workload[s->workloads - 1];

    made->ended = true; /* no pods are made of it */
    for (uint32_t i = 0; i + 1 < s->workloads; i++)
        if (s->workload[i].kind_name == made->kind_name && s->workload[i].symbol == made->symbol &&
            s->workload[i].namespace == made->namespace) {
            s->workloads--;
            return;
        }
}

static int take_workload(struct stow_snapshot *s)
{
    const struct stow_workload made = s->workload[s->workloads - 1];

    settle_workload(s);
    return stow_add_pod_of(s, &made, made.name, made.template_spec);
}

/* Whatever happened to the pod that the file shows: this is a new one. */
static int set_aside(struct stow_snapshot *s, struct stow_pod *pod)
{
    pod->name = stow_arena_printf(&s->arena, PREFIX "%s", pod->name);
    pod->node_name = pod->nominated = 0;
    pod->phase = STOW_PHASE_PENDING;
    pod->created = STOW_TIME_ALWAYS;
    pod->flags &= (uint16_t)~STOW_POD_TERMINATING;
    pod->flags |= STOW_POD_ASIDE | STOW_POD_SAMPLE;
    return pod->name ? STOW_OK : STOW_ENOMEM;
}

int stow_sample_take(struct stow_snapshot *s, uint32_t pods, uint32_t workloads,
                     const struct stow_sample_source *from, struct stow_err *err)
{
    const uint32_t templates = keep_templates(s, workloads);
    const uint32_t found = s->pods - pods + templates;

    if (found != 1)
        return fail_count(err, from, found);
    if (templates && take_workload(s) < 0)
        return stow_fail_memory(err);
    return set_aside(s, &s->pod[s->pods - 1]) < 0 ? stow_fail_memory(err) : STOW_OK;
}

stow_pod_id stow_sample_find(const struct stow_snapshot *s)
{
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].flags & STOW_POD_SAMPLE)
            return i;
    return STOW_NONE;
}

const char *stow_sample_kind(const struct stow_snapshot *s, stow_pod_id sample)
{
    uint32_t count;
    const struct stow_pod *pod = &s->pod[sample];
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    return count && (pod->flags & STOW_POD_GENERATED) ? stow_text(s, owner->kind).ptr : "Pod";
}

const char *stow_sample_name(const struct stow_snapshot *s, stow_pod_id sample)
{
    return s->pod[sample].name + strlen(PREFIX);
}

int stow_sample_repeat(const struct stow_snapshot *s, stow_pod_id sample, uint32_t copies,
                       struct stow_snapshot *ret)
{
    struct stow_pod *pod = malloc(((size_t)s->pods + copies + 1) * sizeof(*pod));
    struct stow_pod copy = s->pod[sample];

    if (!pod)
        return STOW_ENOMEM;
    copy.name = stow_sample_name(s, sample);
    copy.flags &= (uint16_t)~STOW_POD_SAMPLE;
    memcpy(pod, s->pod, s->pods * sizeof(*pod));
    for (uint32_t i = 0; i < copies; i++)
        pod[s->pods + i] = copy;
    *ret = *s;
    ret->pod = pod;
    ret->pods = s->pods + copies;
    return STOW_OK;
}
