/* detach.c - a snapshot in which some of the running pods wait for a node. */
#include "model/pods/detach.h"

#include <stdlib.h>
#include <string.h>

#include "model/finish.h"

static bool allocate(struct stow_snapshot *to)
{
    const size_t nodes = (size_t)to->nodes + 1, cells = (size_t)to->nodes * to->resources + 1;

    to->pod = calloc((size_t)to->pods + 1, sizeof(*to->pod));
    to->requested = calloc(cells, sizeof(*to->requested));
    to->nonzero_cpu = calloc(nodes, sizeof(*to->nonzero_cpu));
    to->nonzero_memory = calloc(nodes, sizeof(*to->nonzero_memory));
    to->pods_on = calloc(nodes, sizeof(*to->pods_on));
    return to->pod && to->requested && to->nonzero_cpu && to->nonzero_memory && to->pods_on;
}

static void bind(struct stow_snapshot *s, struct stow_pod *pod, stow_node_id node, bool hidden)
{
    if (!stow_pod_counts(pod))
        return;
    pod->node = hidden ? STOW_NONE : node;
    pod->node_name = pod->node == STOW_NONE ? 0 : s->node[node].symbol;
    if (hidden)
        pod->flags |= STOW_POD_GATED;
    if (pod->node != STOW_NONE)
        stow_add_pod(s, pod);
}

int stow_detach(const struct stow_snapshot *s, const stow_node_id *node, const bool *hidden,
                struct stow_detached *ret, struct stow_err *err)
{
    ret->s = *s;
    if (!allocate(&ret->s)) {
        stow_detached_done(ret);
        return stow_fail_memory(err);
    }
    if (s->pods)
        memcpy(ret->s.pod, s->pod, s->pods * sizeof(*s->pod));
    for (stow_pod_id i = 0; i < s->pods; i++)
        bind(&ret->s, &ret->s.pod[i], node[i], hidden[i]);
    return STOW_OK;
}

void stow_detached_done(struct stow_detached *detached)
{
    free(detached->s.pod);
    free(detached->s.requested);
    free(detached->s.nonzero_cpu);
    free(detached->s.nonzero_memory);
    free(detached->s.pods_on);
    memset(detached, 0, sizeof(*detached));
}
