/* members.c - what members of a fleet say themselves: room on their nodes, replicas that wait. */
#include "divide/members/members.h"

#include "divide/karmada/first_fit.h"
#include "model/build.h"

/* Free of a resource on a node, at least 0; resources that no node has are not numbered. */
static int64_t free_on(const struct stow_snapshot *s, stow_node_id node, stow_resource_id resource)
{
    if (resource == STOW_NONE)
        return 0;

    size_t at = (size_t)resource * s->nodes + node;
    int64_t room = s->allocatable[at] - s->requested[at];

    return room > 0 ? room : 0;
}

int64_t stow_node_replicas(const struct stow_snapshot *s, stow_node_id node,
                           const struct stow_node_claim *claim, stow_blob requests)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, requests, struct stow_exact, &count);
    int64_t most = s->allocatable[(size_t)STOW_RESOURCE_PODS * s->nodes + node] - s->pods_on[node];

    if (most <= 0 || !stow_claim_takes(s, claim, &s->node[node]))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        stow_resource_id resource = stow_resource_find(s, list[i].resource);
        int64_t request = stow_resource_units(resource, stow_exact_nano(&list[i]));

        if (request <= 0 || list[i].resource == STOW_SYM_PODS ||
            !stow_resource_counts(stow_text(s, list[i].resource)))
            continue;

        int64_t fit = free_on(s, node, resource) / request;

        most = fit < most ? fit : most;
    }
    return most;
}
