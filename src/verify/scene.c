/* scene.c - the cluster at one moment of a plan.
 *
 * A state (place/state.h) can only be added to, and its nodes are all there from the beginning.
 * Plans that take steps need more: nodes that come and go, pods that leave.  So each moment is
 * rebuilt: a snapshot of the nodes that are there, with the room that they have; the pods where
 * they are; and a state over that.  It costs one pass over nodes and pods, and shares nothing with
 * the yards and decks in which plans are made. */
#include "verify/scene.h"

#include <stdlib.h>
#include <string.h>

#include "place/counts/tally.h"
#include "place/place.h"
#include "verify/cordon.h"

void stow_scene_done(struct stow_scene *scene)
{
    if (scene->made)
        stow_state_done(&scene->state);
    stow_detached_done(&scene->view);
    free(scene->base.node);
    free(scene->base.allocatable);
    free(scene->number);
    free(scene->at);
    free(scene->hidden);
    stow_arena_done(&scene->scratch);
    memset(scene, 0, sizeof(*scene));
}

/* ---- building it ------------------------------------------------------------------------- */

static bool allocate(struct stow_scene *scene)
{
    const struct stow_snapshot *all = &scene->a->all.s;
    const size_t nodes = (size_t)all->nodes + 1, pods = (size_t)all->pods + 1;

    scene->base.node = calloc(nodes, sizeof(*scene->base.node));
    scene->base.allocatable = calloc(nodes * all->resources, sizeof(*scene->base.allocatable));
    scene->number = malloc(nodes * sizeof(*scene->number));
    scene->at = malloc(pods * sizeof(*scene->at));
    scene->hidden = calloc(pods, sizeof(*scene->hidden));
    return scene->base.node && scene->base.allocatable && scene->number && scene->at &&
           scene->hidden;
}

static void list_nodes(struct stow_scene *scene, const struct stow_moment *moment)
{
    const bool *there = moment->there;
    const struct stow_snapshot *all = &scene->a->all.s;
    struct stow_snapshot *base = &scene->base;

    for (stow_node_id i = 0; i < all->nodes; i++) {
        scene->number[i] = there[i] ? base->nodes : STOW_NONE;
        if (!there[i])
            continue;
        base->node[base->nodes] = all->node[i];
        if (moment->cordoned && moment->cordoned[i])
            stow_audit_cordon(scene->a, &base->node[base->nodes]);
        base->nodes++;
    }
    for (stow_resource_id r = 0; r < all->resources; r++)
        for (stow_node_id i = 0; i < all->nodes; i++)
            if (there[i])
                base->allocatable[(size_t)r * base->nodes + scene->number[i]] =
                    all->allocatable[(size_t)r * all->nodes + i];
}

/* Pods of daemons go with their node. */
static void list_pods(struct stow_scene *scene, const stow_node_id *at)
{
    for (stow_pod_id i = 0; i < scene->base.pods; i++) {
        const stow_node_id node = i < scene->a->s->pods ? at[i] : scene->base.pod[i].node;

        scene->at[i] = node == STOW_NONE ? STOW_NONE : scene->number[node];
        scene->hidden[i] = node != STOW_NONE && scene->at[i] == STOW_NONE;
    }
}

/* Pods of daemons on nodes to come are there, but what they take stands in their group. */
static void leave_out(struct stow_scene *scene, stow_pod_id pod)
{
    struct stow_snapshot *s = &scene->view.s;
    const struct stow_demand *demand = &s->demand[s->pod[pod].spec];
    const stow_node_id n = s->pod[pod].node;
    uint32_t count;
    const struct stow_amount *list = STOW_LIST(s, demand->requests, struct stow_amount, &count);

    if (n == STOW_NONE)
        return;
    for (uint32_t i = 0; i < count; i++)
        s->requested[(size_t)list[i].resource * s->nodes + n] -= list[i].value;
    s->requested[(size_t)STOW_RESOURCE_PODS * s->nodes + n]--;
    s->nonzero_cpu[n] -= demand->nonzero_cpu;
    s->nonzero_memory[n] -= demand->nonzero_memory;
    s->pods_on[n]--;
}

/* Nodes that are not in the cluster yet hold what the daemons of their group take. */
static void add_overheads(struct stow_scene *scene)
{
    const struct stow_snapshot *all = &scene->a->all.s;
    struct stow_snapshot *s = &scene->view.s;

    for (stow_pod_id i = scene->a->s->pods; i < s->pods; i++)
        leave_out(scene, i);
    for (stow_node_id i = scene->a->s->nodes; i < all->nodes; i++) {
        const stow_node_id n = scene->number[i];

        if (n == STOW_NONE)
            continue;
        for (stow_resource_id r = 0; r < all->resources; r++)
            s->requested[(size_t)r * s->nodes + n] += all->requested[(size_t)r * all->nodes + i];
        s->nonzero_cpu[n] += all->nonzero_cpu[i];
        s->nonzero_memory[n] += all->nonzero_memory[i];
        s->pods_on[n] += all->pods_on[i];
    }
}

int stow_scene_open(struct stow_scene *scene, struct stow_audit *a,
                    const struct stow_moment *moment, struct stow_err *err)
{
    memset(scene, 0, sizeof(*scene));
    scene->a = a;
    scene->base = a->all.s;
    scene->base.nodes = 0;
    scene->base.node = NULL;
    scene->base.allocatable = NULL;
    if (!allocate(scene))
        return stow_fail_memory(err);
    list_nodes(scene, moment);
    list_pods(scene, moment->at);
    STOW_TRY(stow_detach(&scene->base, scene->at, scene->hidden, &scene->view, err));
    add_overheads(scene);
    STOW_TRY(stow_state_init(&scene->state, &scene->view.s, NULL, err));
    scene->made = true;
    return STOW_OK;
}

/* ---- asking ------------------------------------------------------------------------------ */

/* One filter: 1, 0 or out of memory. */
static int ask_one(struct stow_scene *scene, const struct stow_profile_filter *filter,
                   const struct stow_subject *subject, stow_node_id node,
                   struct stow_scene_refusal *ret)
{
    struct stow_reasons why = {.arena = &scene->scratch};
    const void *prep = NULL;
    uint8_t fits = 1;
    const int code = stow_prepare_filter(filter, &scene->state, subject, &scene->scratch, &prep);

    if (code < 0)
        return code;
    if (code == STOW_PREPARED)
        filter->rule->check(filter->self, prep, &scene->state, subject, &node, 1, &fits);
    if (fits && code != STOW_PREPARED_NEVER)
        return 1;
    if (code == STOW_PREPARED)
        filter->rule->explain(filter->self, prep, &scene->state, subject, node, &why);
    ret->text = why.count ? why.reason[0].text : filter->rule->summary;
    ret->detail = why.count ? why.reason[0].detail : NULL;
    return 0;
}

int stow_scene_ask(struct stow_scene *scene, stow_pod_id pod, stow_node_id node,
                   struct stow_scene_refusal *ret)
{
    const struct stow_profile *profile = scene->a->profile;
    const struct stow_subject subject = stow_subject_of(&scene->view.s, pod);

    stow_arena_reset(&scene->scratch);
    if (scene->number[node] == STOW_NONE) {
        *ret = (struct stow_scene_refusal){"the node does not exist", NULL};
        return 0;
    }
    for (uint32_t i = 0; i < profile->filters; i++) {
        const int code = ask_one(scene, &profile->filter[i], &subject, scene->number[node], ret);

        if (code != 1)
            return code;
    }
    return scene->state.tally->failed ? STOW_ENOMEM : 1;
}

void stow_scene_place(struct stow_scene *scene, stow_pod_id pod, stow_node_id node)
{
    stow_state_place(&scene->state, pod, scene->number[node]);
}
