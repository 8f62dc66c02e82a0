/* pod_order.c - large pods first: groups of pods by the share that the estimate sorts by. */
#include "tests/conformance/pod_order.h"

#include <stdlib.h>

#include "base/vec.h"
#include "scale/rules/estimate.h"

struct scored {
    double score;
    uint32_t group, at;
};

static int compare(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static double share(const struct stow_snapshot *s, stow_pod_id pod, const struct stow_node *node)
{
    const struct stow_cpu_and_memory need = {
        stow_snapshot_pod_request(s, pod, STOW_RESOURCE_CPU),
        stow_snapshot_pod_request(s, pod, STOW_RESOURCE_MEMORY)};
    const struct stow_cpu_and_memory room = {
        stow_resource_amount(s, node->allocatable, STOW_RESOURCE_CPU),
        stow_resource_amount(s, node->allocatable, STOW_RESOURCE_MEMORY)};

    return stow_estimate_share(&need, &room);
}

int stow_conf_pod_order(const struct stow_snapshot *s, const struct stow_equivalence *e,
                        const struct stow_node *node, uint32_t *group, uint32_t count)
{
    STOW_AUTO(stow_free_local)
    struct scored *list = malloc(((size_t)count + 1) * sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct scored){share(s, e->pod[e->group[group[i]].first], node), group[i], i};
    qsort(list, count, sizeof(*list), compare);
    for (uint32_t i = 0; i < count; i++)
        group[i] = list[i].group;
    return STOW_OK;
}
