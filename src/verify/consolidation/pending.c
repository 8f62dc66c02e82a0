/* pending.c - pods that are pending, and the room that a consolidation keeps for
 * them.
 *
 * Each of them fits its node before the first step, beside those before it in the list.  Nobody
 * else fits then: a pod that is pending, and that some node could take beside all of these, is
 * missing.  (One that could go to a node that is on its way is not: it need not be on another.)
 *
 * From then on such a pod counts as if it ran there.  A step may keep its room elsewhere.  Then the
 * pod is on no node while the step lasts, and has to fit its new one when the nodes that the step
 * removes are gone.  That order of pods is the plan's affair: those that fit come first. */
#include "verify/consolidation/pending.h"

#include <stdlib.h>

#include "base/vec.h"
#include "place/counts/tally.h"
#include "verify/company.h"
#include "verify/movable.h"
#include "verify/scene.h"

stow_node_id stow_audit_any_node(const struct stow_audit *a, struct stow_str name)
{
    const stow_node_id there = stow_audit_node(a, name);

    if (there != STOW_NONE)
        return there;
    for (uint32_t i = 0; i < a->told.nodes; i++)
        if (stow_str_eq(a->told.node[i].name.text, name))
            return a->real + i;
    return STOW_NONE;
}

bool stow_audit_is_open(const struct stow_audit *a, const bool *there, stow_node_id node)
{
    if (node == STOW_NONE || !there[node] || (node >= a->s->nodes && node < a->real))
        return false;
    return !(a->all.s.node[node].flags & (STOW_NODE_NOT_READY | STOW_NODE_TERMINATING));
}

static bool is_pending(const struct stow_audit *a, stow_pod_id pod)
{
    return stow_pod_pending(&a->s->pod[pod]) && !(a->s->pod[pod].flags & STOW_POD_GATED);
}

static void refuse(struct stow_audit *a, const struct stow_told_await *told,
                   const struct stow_scene_refusal *why)
{
    const struct stow_told_text *name = &a->told.pod[told->pod];

    stow_audit_wrong(a, STOW_VERIFY_FILTERS, name->token,
                     "room for pod %.*s cannot be kept on node %.*s: %s%s%s", STOW_FMT(name->text),
                     STOW_FMT(told->node.text), why->text, why->detail ? ": " : "",
                     why->detail ? why->detail : "");
}

/* ---- before the first step --------------------------------------------------------------- */

/* What forbids that room is kept for a pod; NULL: nothing. */
static const char *forbidden(const struct stow_audit *a, stow_pod_id pod, stow_node_id node,
                             const stow_node_id *at)
{
    if (!is_pending(a, pod))
        return "it is not pending, or has scheduling gates";
    if (at[pod] != STOW_NONE)
        return "it is in the list twice";
    if (node >= a->s->nodes)
        return "there is no such node in the input";
    if (a->s->node[node].flags & (STOW_NODE_NOT_READY | STOW_NODE_TERMINATING))
        return "that node is not ready";
    return NULL;
}

static int place(struct stow_audit *a, struct stow_scene *scene, const struct stow_told_await *told,
                 stow_node_id *at)
{
    const stow_pod_id pod = a->pod[told->pod];
    const stow_node_id node = stow_audit_node(a, told->node.text);
    struct stow_scene_refusal why = {forbidden(a, pod, node, at), NULL};
    const int code = why.text ? 0 : stow_scene_ask(scene, pod, node, &why);

    if (code < 0)
        return code;
    if (code == 0) {
        refuse(a, told, &why);
        return STOW_OK;
    }
    stow_scene_place(scene, pod, node);
    at[pod] = node;
    return STOW_OK;
}

/* ---- pods that are missing --------------------------------------------------------------- */

/* Pods that fit nowhere, one of each sort: others like them do not either. */
struct lost {
    stow_pod_id *pod;
    uint32_t count, cap;
};

static void lost_done(struct lost *lost)
{
    free(lost->pod);
}

static bool is_lost(const struct stow_audit *a, const struct lost *lost, stow_pod_id pod)
{
    const struct stow_pod *is = &a->s->pod[pod];

    for (uint32_t i = lost->count; i > 0; i--) {
        const struct stow_pod *other = &a->s->pod[lost->pod[i - 1]];

        if (other->spec == is->spec && other->labels == is->labels &&
            other->namespace == is->namespace)
            return true;
    }
    return false;
}

/* The first node that takes the pod; STOW_NONE: none does, or one that is on its way could. */
static int find_node(struct stow_audit *a, struct stow_scene *scene, const bool *there,
                     stow_pod_id pod, stow_node_id *ret)
{
    struct stow_scene_refusal why;
    int fits = 0;

    *ret = STOW_NONE;
    for (stow_node_id node = a->s->nodes; node < a->real && fits == 0; node++)
        fits = stow_scene_ask(scene, pod, node, &why);
    for (stow_node_id node = 0; node < a->s->nodes && fits == 0; node++) {
        if (!stow_audit_is_open(a, there, node))
            continue;
        fits = stow_scene_ask(scene, pod, node, &why);
        *ret = fits > 0 ? node : STOW_NONE;
    }
    return fits < 0 ? fits : STOW_OK;
}

/* Every pending pod that a node could take is in the list. */
static int find_missing(struct stow_audit *a, struct stow_scene *scene, const bool *there,
                        const stow_node_id *at)
{
    STOW_AUTO(lost_done) struct lost lost = {0};

    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        stow_node_id node;
        stow_pod_id *made;

        if (!is_pending(a, i) || at[i] != STOW_NONE || stow_audit_has_devices(a, i) ||
            is_lost(a, &lost, i))
            continue;
        STOW_TRY(find_node(a, scene, there, i, &node));
        if (node != STOW_NONE) {
            stow_audit_wrong(a, STOW_VERIFY_PODS, UINT32_MAX,
                             "pod %s is pending and fits node %s, and the plan keeps no room for "
                             "it: it has to be in the list `pending`",
                             stow_audit_pod_name(a, i), a->s->node[node].name);
            return STOW_OK;
        }
        made = STOW_PUSH(&lost.pod, &lost.count, &lost.cap);
        if (!made)
            return STOW_ENOMEM;
        *made = i;
    }
    return STOW_OK;
}

static bool any_pending(const struct stow_audit *a)
{
    for (stow_pod_id i = 0; i < a->s->pods; i++)
        if (is_pending(a, i))
            return true;
    return false;
}

int stow_audit_awaits(struct stow_audit *a, const bool *there, stow_node_id *at,
                      struct stow_err *err)
{
    STOW_AUTO(stow_scene_done) struct stow_scene scene = {0};
    const struct stow_moment moment = {there, NULL, at};

    if (!a->told.awaits && !any_pending(a))
        return STOW_OK;
    STOW_TRY(stow_scene_open(&scene, a, &moment, err));
    for (uint32_t i = 0; i < a->told.awaits; i++)
        if (place(a, &scene, &a->told.await[i], at) < 0)
            return stow_fail_memory(err);
    if (stow_audit_fine(a, STOW_VERIFY_FILTERS) && find_missing(a, &scene, there, at) < 0)
        return stow_fail_memory(err);
    return scene.state.tally->failed ? stow_fail_memory(err) : STOW_OK;
}

/* ---- in a step --------------------------------------------------------------------------- */

void stow_audit_leave_rooms(struct stow_audit *a, const struct stow_told_change *step,
                            stow_node_id *at)
{
    for (uint32_t i = 0; i < step->room.count; i++) {
        const struct stow_told_text *name = &a->told.pod[a->told.room[step->room.first + i].pod];
        const stow_pod_id pod = a->pod[a->told.room[step->room.first + i].pod];

        if (!is_pending(a, pod) || at[pod] == STOW_NONE)
            stow_audit_wrong(a, STOW_VERIFY_PODS, name->token,
                             "pod %.*s is not pending, has no room before this step, or is in its "
                             "list twice",
                             STOW_FMT(name->text));
        else
            at[pod] = STOW_NONE;
    }
}

/* Those that fit now; returns how many. */
static int place_rooms(struct stow_audit *a, struct stow_scene *scene,
                       const struct stow_told_change *step, const bool *there, stow_node_id *at)
{
    int placed = 0;

    for (uint32_t i = 0; i < step->room.count; i++) {
        const struct stow_told_await *told = &a->told.room[step->room.first + i];
        const stow_pod_id pod = a->pod[told->pod];
        const stow_node_id node = stow_audit_any_node(a, told->node.text);
        struct stow_scene_refusal why;
        int fits = 0;

        if (at[pod] == STOW_NONE && is_pending(a, pod) && stow_audit_is_open(a, there, node))
            fits = stow_scene_ask(scene, pod, node, &why);
        if (fits < 0)
            return fits;
        if (!fits)
            continue;
        stow_scene_place(scene, pod, node);
        at[pod] = node;
        placed++;
    }
    return placed;
}

/* Pods that do not fit where the plan says. */
static int refuse_rooms(struct stow_audit *a, struct stow_scene *scene,
                        const struct stow_told_change *step, const bool *there,
                        const stow_node_id *at)
{
    for (uint32_t i = 0; i < step->room.count; i++) {
        const struct stow_told_await *told = &a->told.room[step->room.first + i];
        const stow_node_id node = stow_audit_any_node(a, told->node.text);
        struct stow_scene_refusal why = {"that node does not exist or is not ready", NULL};

        if (at[a->pod[told->pod]] != STOW_NONE || !is_pending(a, a->pod[told->pod]))
            continue;
        if (stow_audit_is_open(a, there, node) &&
            stow_scene_ask(scene, a->pod[told->pod], node, &why) < 0)
            return STOW_ENOMEM;
        refuse(a, told, &why);
    }
    return STOW_OK;
}

int stow_audit_rooms(struct stow_audit *a, const struct stow_told_change *step, const bool *there,
                     stow_node_id *at, struct stow_err *err)
{
    STOW_AUTO(stow_scene_done) struct stow_scene scene = {0};
    const struct stow_moment moment = {there, NULL, at};
    int placed;

    if (!step->room.count)
        return STOW_OK;
    STOW_TRY(stow_scene_open(&scene, a, &moment, err));
    do {
        placed = place_rooms(a, &scene, step, there, at);
    } while (placed > 0);
    if (placed < 0 || refuse_rooms(a, &scene, step, there, at) < 0 || scene.state.tally->failed)
        return stow_fail_memory(err);
    return STOW_OK;
}
