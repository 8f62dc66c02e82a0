/* pod_order.c - large pods first: the "decreasing" of first-fit decreasing. */
#include "scale/rules/pod_order.h"

#include <stdlib.h>

#include "base/vec.h"

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

/* What a node can give, in the units of the snapshot. */
struct room {
    int64_t cpu, memory;
};

static struct room room_of(const struct stow_snapshot *s, const struct stow_node *node)
{
    return (struct room){
        .cpu = stow_resource_amount(s, node->allocatable, STOW_RESOURCE_CPU),
        .memory = stow_resource_amount(s, node->allocatable, STOW_RESOURCE_MEMORY),
    };
}

static double score_in(const struct stow_snapshot *s, stow_pod_id pod, struct room room)
{
    double score = 0;

    if (room.cpu > 0)
        score += (double)stow_snapshot_pod_request(s, pod, STOW_RESOURCE_CPU) / (double)room.cpu;
    if (room.memory > 0)
        score +=
            (double)stow_snapshot_pod_request(s, pod, STOW_RESOURCE_MEMORY) / (double)room.memory;
    return score;
}

double stow_pod_order_score(const struct stow_snapshot *s, stow_pod_id pod,
                            const struct stow_node *node)
{
    return score_in(s, pod, room_of(s, node));
}

int stow_pod_order(const struct stow_snapshot *s, const struct stow_equivalence *e,
                   const struct stow_node *node, uint32_t *group, uint32_t count)
{
    STOW_AUTO(stow_free_local)
    struct scored *list = malloc(((size_t)count + 1) * sizeof(*list));
    struct room room = room_of(s, node);

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct scored){score_in(s, e->pod[e->group[group[i]].first], room), group[i], i};
    qsort(list, count, sizeof(*list), compare);
    for (uint32_t i = 0; i < count; i++)
        group[i] = list[i].group;
    return STOW_OK;
}
