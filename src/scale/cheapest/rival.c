/* rival.c - what other strategies plan, as sketches to be measured beside the solver's.
 *
 * `optimal` promises that no other strategy which places as many pods and keeps the same limits is
 * cheaper.  Their plans are therefore tried, too, with every rule held. */
#include "scale/cheapest/rival.h"

const char *const stow_rivals[] = {"nru",
                                   "greedy:most-pods",
                                   "greedy:price",
                                   "greedy:least-waste",
                                   "greedy:least-nodes",
                                   "karpenter",
                                   NULL};

/* Pods for the node added last, those alike together. */
static int add_pods(const struct stow_session *session, const stow_pod_id *pod, uint32_t count,
                    struct stow_sketch *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t class = session->yard->class_of[pod[i]];
        struct stow_sketch_load *last = ret->loads ? &ret->load[ret->loads - 1] : NULL;

        if (class == STOW_NONE)
            continue;
        if (last && last->node == ret->nodes - 1 && last->class == class)
            last->count++;
        else
            STOW_TRY(stow_sketch_add_load(ret, class, 1));
    }
    return STOW_OK;
}

/* Other strategies buy for pods only: what groups lack of their minNodes comes on top. */
static int add_least(const struct stow_session *session, const struct stow_weights *weights,
                     const struct stow_plan *plan, struct stow_sketch *ret)
{
    const struct stow_snapshot *s = session->scale->s;

    for (stow_group_id g = 0; g < s->groups; g++) {
        uint32_t size = s->group[g].current_nodes;

        if (!stow_is_for_sale(weights->price, g))
            continue;
        for (uint32_t i = 0; i < plan->groups; i++)
            size = plan->group[i].group == g ? plan->group[i].to : size;
        for (; size < s->group[g].min_nodes; size++)
            STOW_TRY(stow_sketch_add_node(ret, g, STOW_NONE));
    }
    return STOW_OK;
}

int stow_sketch_of_plan(const struct stow_session *session, const struct stow_weights *weights,
                        const struct stow_plan *plan, struct stow_sketch *ret)
{
    for (uint32_t i = 0; i < plan->existings; i++) {
        const struct stow_pod_range pods = plan->existing[i].pods;

        STOW_TRY(stow_sketch_add_node(ret, STOW_NONE, plan->existing[i].node));
        STOW_TRY(add_pods(session, plan->pod + pods.first, pods.count, ret));
    }
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const struct stow_pod_range pods = plan->node[i].pods;

        STOW_TRY(stow_sketch_add_node(ret, plan->node[i].group, STOW_NONE));
        STOW_TRY(add_pods(session, plan->pod + pods.first, pods.count, ret));
    }
    return add_least(session, weights, plan, ret);
}
