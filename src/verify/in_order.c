/* in_order.c - the pods of a plan in the order that it names, with all its nodes there.
 *
 * Spreading and affinity look at the pods there are, so a plan for pods with such rules says in
 * `order` how they can come.  Every filter is asked about each when its turn comes.  All nodes of
 * the plan are there from the beginning: the order in which machines start is not known. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "verify/scene.h"

struct arriving {
    struct stow_audit *a;
    bool *there;      /* per node of a->all */
    stow_node_id *at; /* per pod */
    uint8_t *seen;    /* per pod of the snapshot */
    struct stow_scene scene;
};

static void arriving_done(struct arriving *r)
{
    stow_scene_done(&r->scene);
    free(r->there);
    free(r->at);
    free(r->seen);
}

static int open_scene(struct arriving *r, struct stow_err *err)
{
    const struct stow_snapshot *s = r->a->s;
    const size_t nodes = r->a->all.s.nodes;

    r->there = malloc((nodes + 1) * sizeof(*r->there));
    r->at = malloc(((size_t)s->pods + 1) * sizeof(*r->at));
    r->seen = calloc((size_t)s->pods + 1, sizeof(*r->seen));
    if (!r->there || !r->at || !r->seen)
        return stow_fail_memory(err);
    memset(r->there, true, nodes * sizeof(*r->there));
    for (stow_pod_id i = 0; i < s->pods; i++)
        r->at[i] = s->pod[i].node;
    return stow_scene_open(&r->scene, r->a, &(struct stow_moment){.there = r->there, .at = r->at},
                           err);
}

/* Whether it is the pod's turn at all. */
static bool is_due(const struct arriving *r, uint32_t told)
{
    struct stow_audit *a = r->a;
    const stow_pod_id pod = a->pod[told];

    if (pod == STOW_NONE)
        return false; /* names.c has found it */
    if (!r->seen[pod]++ && a->node_of[pod] != STOW_NONE)
        return true;
    stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->told.pod[told].token,
                     a->node_of[pod] == STOW_NONE ? "the order has pod %s, which is not placed"
                                                  : "the order has pod %s twice",
                     stow_audit_pod_name(a, pod));
    return false;
}

static int place_pod(struct arriving *r, uint32_t told)
{
    struct stow_audit *a = r->a;
    const stow_pod_id pod = a->pod[told];
    struct stow_scene_refusal why = {0};
    const int fits = stow_scene_ask(&r->scene, pod, a->node_of[pod], &why);

    if (fits < 0)
        return fits;
    if (!fits)
        stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->told.pod[told].token,
                         "pod %s may not go to its node in this order: %s%s%s",
                         stow_audit_pod_name(a, pod), why.text, why.detail ? ": " : "",
                         why.detail ? why.detail : "");
    stow_scene_place(&r->scene, pod, a->node_of[pod]);
    return STOW_OK;
}

int stow_audit_in_order(struct stow_audit *a, struct stow_err *err)
{
    STOW_AUTO(arriving_done) struct arriving r = {.a = a};
    const struct stow_told_range order = a->told.order;

    STOW_TRY(open_scene(&r, err));
    for (uint32_t i = order.first; i < order.first + order.count; i++)
        if (is_due(&r, i) && place_pod(&r, i) < 0)
            return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->pendings; i++)
        if (a->node_of[a->pending[i]] != STOW_NONE && !r.seen[a->pending[i]])
            stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->place_token[a->pending[i]],
                             "pod %s is placed, and the order does not have it",
                             stow_audit_pod_name(a, a->pending[i]));
    return STOW_OK;
}
