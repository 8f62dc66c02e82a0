/* in_order.c - a plan that holds in its order: some nodes come, then some pods, then more nodes.
 *
 * A strategy that buys node by node places pods when only some of its nodes are there, and
 * spreading looks at the nodes there are.  Such a plan says in `order` how it came about; each pod
 * is asked about when it arrives, by every filter, with those nodes and those pods there and no
 * others. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "verify/scene.h"

struct arriving {
    struct stow_audit *a;
    bool *there;      /* per node of a->all */
    stow_node_id *at; /* per pod */
    uint8_t *seen;    /* per pod of the snapshot */
};

static void arriving_done(struct arriving *r)
{
    free(r->there);
    free(r->at);
    free(r->seen);
}

static bool allocate(struct arriving *r)
{
    const struct stow_snapshot *s = r->a->s;

    r->there = calloc((size_t)r->a->all.s.nodes + 1, sizeof(*r->there));
    r->at = malloc(((size_t)s->pods + 1) * sizeof(*r->at));
    r->seen = calloc((size_t)s->pods + 1, sizeof(*r->seen));
    if (!r->there || !r->at || !r->seen)
        return false;
    for (stow_node_id i = 0; i < r->a->real; i++)
        r->there[i] = true;
    for (stow_pod_id i = 0; i < s->pods; i++)
        r->at[i] = s->pod[i].node;
    return true;
}

static stow_node_id new_node(const struct stow_audit *a, struct stow_str name)
{
    for (uint32_t i = 0; i < a->told.nodes; i++)
        if (stow_str_eq(a->told.node[i].name.text, name))
            return a->real + i;
    return STOW_NONE;
}

static void add_nodes(struct arriving *r, const struct stow_told_step *step)
{
    for (uint32_t i = 0; i < step->nodes.count; i++) {
        const struct stow_told_text *name = &r->a->told.name[step->nodes.first + i];
        const stow_node_id node = new_node(r->a, name->text);

        if (node == STOW_NONE || r->there[node])
            stow_audit_wrong(r->a, STOW_VERIFY_FILTERS, name->token, "%s %.*s",
                             node == STOW_NONE ? "the order has a node that is not new:"
                                               : "the order has this node twice:",
                             STOW_FMT(name->text));
        else
            r->there[node] = true;
    }
}

/* Whether it is the pod's turn at all. */
static bool is_due(const struct arriving *r, uint32_t told)
{
    struct stow_audit *a = r->a;
    const stow_pod_id pod = a->pod[told];

    if (!r->seen[pod]++ && a->node_of[pod] != STOW_NONE)
        return true;
    stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->told.pod[told].token,
                     a->node_of[pod] == STOW_NONE ? "the order has pod %s, which is not placed"
                                                  : "the order has pod %s twice",
                     stow_audit_pod_name(a, pod));
    return false;
}

static int place_pods(struct arriving *r, const struct stow_told_step *step,
                      struct stow_scene *scene)
{
    struct stow_audit *a = r->a;

    for (uint32_t i = step->pods.first; i < step->pods.first + step->pods.count; i++) {
        const stow_pod_id pod = a->pod[i];
        struct stow_refusal why = {0};
        int fits;

        if (!is_due(r, i))
            continue;
        fits = stow_scene_ask(scene, pod, a->node_of[pod], &why);
        if (fits < 0)
            return fits;
        if (!fits)
            stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->told.pod[i].token,
                             "pod %s may not go to its node in this order: %s%s%s",
                             stow_audit_pod_name(a, pod), why.text, why.detail ? ": " : "",
                             why.detail ? why.detail : "");
        else
            stow_scene_place(scene, pod, a->node_of[pod]);
        r->at[pod] = a->node_of[pod];
    }
    return STOW_OK;
}

static int take_step(struct arriving *r, const struct stow_told_step *step, struct stow_err *err)
{
    STOW_AUTO(stow_scene_done) struct stow_scene scene = {0};

    add_nodes(r, step);
    STOW_TRY(stow_scene_open(&scene, r->a, r->there, r->at, err));
    return place_pods(r, step, &scene) < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_audit_in_order(struct stow_audit *a, struct stow_err *err)
{
    STOW_AUTO(arriving_done) struct arriving r = {.a = a};

    if (!allocate(&r))
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->told.steps; i++)
        STOW_TRY(take_step(&r, &a->told.step[i], err));
    for (uint32_t i = 0; i < a->pendings; i++)
        if (a->node_of[a->pending[i]] != STOW_NONE && !r.seen[a->pending[i]])
            stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->place_token[a->pending[i]],
                             "pod %s is placed, and the order does not have it",
                             stow_audit_pod_name(a, a->pending[i]));
    return STOW_OK;
}
