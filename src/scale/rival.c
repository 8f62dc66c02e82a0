/* rival.c - what other strategies plan, as sketches to be measured beside the solver's.
 *
 * `optimal` promises that no other strategy which places as many pods and keeps the same limits is
 * cheaper.  Their plans are therefore tried, too, with every rule held.  Most of them can be bought
 * at once.  Rules over several nodes make a difference, though: a strategy that buys node by node
 * places pods when only some of the nodes are there, and a topology spread that was even then need
 * not be so beside nodes that come later.  Kubernetes does not mind: a constraint is looked at when
 * its pod arrives.  So the plan is also tried as it came about, step by step. */
#include "scale/rival.h"

const char *const stow_rivals[] = {
    "nru", "greedy:price", "greedy:least-waste", "greedy:most-pods", "greedy:least-nodes", NULL};

/* Pods for a node of the sketch, those alike together. */
static int add_pods(const struct stow_session *session, const stow_pod_id *pod, uint32_t count,
                    struct stow_sketch_load at, struct stow_sketch *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t class = session->yard->class_of[pod[i]];
        struct stow_sketch_load *last = ret->loads ? &ret->load[ret->loads - 1] : NULL;

        if (class == STOW_NONE)
            continue;
        if (last && last->node == at.node && last->class == class && last->nodes == at.nodes) {
            last->count++;
            continue;
        }
        STOW_TRY(stow_sketch_add_load(ret, class, 1));
        ret->load[ret->loads - 1].node = at.node;
        ret->load[ret->loads - 1].nodes = at.nodes;
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

        if (weights->price[g] == STOW_MONEY_UNKNOWN)
            continue;
        for (uint32_t i = 0; i < plan->groups; i++)
            size = plan->group[i].group == g ? plan->group[i].to : size;
        for (; size < s->group[g].min_nodes; size++)
            STOW_TRY(stow_sketch_add_node(ret, g, STOW_NONE));
    }
    return STOW_OK;
}

int stow_rival_at_once(const struct stow_session *session, const struct stow_weights *weights,
                       const struct stow_plan *plan, struct stow_sketch *ret)
{
    for (uint32_t i = 0; i < plan->existings; i++) {
        const struct stow_pod_range pods = plan->existing[i].pods;

        STOW_TRY(stow_sketch_add_node(ret, STOW_NONE, plan->existing[i].node));
        STOW_TRY(add_pods(session, plan->pod + pods.first, pods.count,
                          (struct stow_sketch_load){.node = ret->nodes - 1}, ret));
    }
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const struct stow_pod_range pods = plan->node[i].pods;

        STOW_TRY(stow_sketch_add_node(ret, plan->node[i].group, STOW_NONE));
        STOW_TRY(add_pods(session, plan->pod + pods.first, pods.count,
                          (struct stow_sketch_load){.node = ret->nodes - 1}, ret));
    }
    return add_least(session, weights, plan, ret);
}

/* Nodes of the sketch are numbered as those of the yard: real ones, then new ones. */
int stow_rival_in_order(const struct stow_session *session, const struct stow_weights *weights,
                        const struct stow_plan *plan, struct stow_sketch *ret)
{
    const uint32_t real = session->yard->real;
    const struct stow_ground *ground = plan->ground;

    ret->in_order = true;
    for (uint32_t node = 0; node < real; node++)
        STOW_TRY(stow_sketch_add_node(ret, STOW_NONE, node));
    for (uint32_t i = 0; i < plan->nodes; i++)
        STOW_TRY(stow_sketch_add_node(ret, plan->node[i].group, STOW_NONE));
    for (uint32_t i = 0; i < ground->placeds; i++)
        STOW_TRY(add_pods(session, &ground->placed[i], 1,
                          (struct stow_sketch_load){.node = ground->placed_on[i], .nodes = real},
                          ret));
    for (uint32_t i = 0; i < plan->puts; i++) {
        const struct stow_put *put = &plan->put[i];

        STOW_TRY(add_pods(session, put->pod, put->count,
                          (struct stow_sketch_load){.node = put->node, .nodes = put->nodes}, ret));
    }
    return add_least(session, weights, plan, ret);
}
