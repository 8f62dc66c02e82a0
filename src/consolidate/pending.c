/* pending.c - pods that are pending while nodes are to be removed.
 *
 * Room where they fit is not given away: each pod that fits some node now has room on one after
 * every step, too.  Which one that is makes a difference to what can be saved, so it is part of the
 * search.  Such a pod is on deck like one that runs, where it would go by itself, and it can be
 * taken anywhere else, to new nodes as well; only that this is no move: nobody is disrupted, and
 * no limit of moves counts it.
 *
 * Of a pod that waits for devices it is not known which node it goes to (model/volumes/devices.h).
 * Every node that all other filters let it go to, and that may have devices (ResourceSlices),
 * stays, and no other pod moves there: it could take the room.  What could be saved if more was
 * known is not known either, so there is no bound. */
#include <string.h>

#include "consolidate/consolidate_internal.h"
#include "model/volumes/devices.h"
#include "place/judge.h"
#include "place/place.h"
#include "place/rules.h"

static int keep_for(struct stow_consolidating *c, stow_node_id node, const char *rule,
                    const char *text)
{
    if (!text)
        return STOW_ENOMEM;
    if (c->kept[node])
        return STOW_OK;
    c->movable.rule[node] = rule;
    c->kept[node] = text;
    return STOW_OK;
}

static const char *say_of(struct stow_consolidating *c, stow_pod_id pod, const char *what)
{
    return stow_arena_printf(&c->ret->arena, "pod %s/%s %s",
                             stow_text(c->s, c->s->pod[pod].namespace).ptr, c->s->pod[pod].name,
                             what);
}

/* ---- pods that find a node --------------------------------------------------------------- */

/* It is on deck where it would go by itself. */
static void take_in(struct stow_consolidating *c, struct stow_viewing *view, stow_pod_id pod,
                    stow_node_id node)
{
    view->home[pod] = node;
    view->hidden[pod] = false;
    view->pending[pod] = true;
    c->movable.hold[pod] = STOW_HOLD_NONE;
    c->movable.budget[pod] = STOW_NONE; /* nothing is disrupted */
}

/* Those that would go to a node that is there; others find theirs when it has come. */
static int place_pending(struct stow_consolidating *c, const struct stow_ground *ground,
                         struct stow_viewing *view)
{
    struct stow_awaited *list =
        stow_arena_alloc(&c->ret->arena, ((size_t)ground->placeds + 1) * sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    c->ret->awaited = list;
    for (uint32_t i = 0; i < ground->placeds; i++) {
        if (ground->placed_on[i] >= c->s->nodes)
            continue;
        list[c->ret->awaiteds++] = (struct stow_awaited){ground->placed[i], ground->placed_on[i]};
        take_in(c, view, ground->placed[i], ground->placed_on[i]);
    }
    return STOW_OK;
}

/* ---- pods that wait for devices ---------------------------------------------------------- */

/* All other filters, and nothing to choose by. */
static int without_devices(const struct stow_profile *from, struct stow_arena *arena,
                           struct stow_profile *ret)
{
    *ret = *from;
    ret->scorers = ret->filters = 0;
    ret->filter = stow_arena_alloc(arena, ((size_t)from->filters + 1) * sizeof(*ret->filter));
    if (!ret->filter)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < from->filters; i++)
        if (from->filter[i].rule != &stow_filter_dynamic_resources)
            ret->filter[ret->filters++] = from->filter[i];
    return STOW_OK;
}

/* `*ret`: some node may be the pod's. */
static int reserve(struct stow_consolidating *c, const struct stow_ground *ground,
                   const struct stow_profile *profile, stow_pod_id pod, bool *ret,
                   struct stow_err *err)
{
    STOW_AUTO(stow_judgement_done) struct stow_judgement found = {0};
    const struct stow_subject subject = stow_subject_of(ground->state.s, pod);
    const char *text =
        say_of(c, pod, "waits for devices and may go there (" STOW_DEVICES_NOT_SIMULATED ")");
    const char *whose = say_of(c, pod, "waits for devices and may need its room");

    STOW_TRY(stow_judge(&ground->state, profile, &subject, &found, err));
    for (stow_node_id i = 0; i < c->s->nodes; i++) {
        if (!found.node[i].feasible ||
            !stow_pod_may_get_devices(c->s, &c->s->pod[pod], &c->s->node[i]))
            continue;
        if (!whose || keep_for(c, i, stow_filter_dynamic_resources.name, text) < 0)
            return stow_fail_memory(err);
        if (!c->reserved[i])
            c->reserved[i] = whose;
        *ret = true;
    }
    return STOW_OK;
}

/* `*ret_lost`: pods that fit no node, whatever comes of their devices. */
static int await_devices(struct stow_consolidating *c, const struct stow_scale *scale,
                         const struct stow_ground *ground, uint32_t *ret_lost, struct stow_err *err)
{
    struct stow_profile others;
    uint32_t waiting = 0;

    if (without_devices(scale->profile, &c->ret->arena, &others) < 0)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < ground->pendings; i++) {
        const stow_pod_id pod = ground->pending[i];
        bool may_fit = false;

        if (others.filters < scale->profile->filters &&
            stow_pod_waits_for_devices(c->s, &c->s->pod[pod]))
            STOW_TRY(reserve(c, ground, &others, pod, &may_fit, err));
        waiting += may_fit;
    }
    *ret_lost = ground->pendings - waiting;
    c->not_simulated += waiting;
    if (waiting && stow_consolidation_warn(
                       c->ret, stow_arena_printf(
                                   &c->ret->arena,
                                   STOW_DEVICES_NOT_SIMULATED
                                   ": %u pending pod%s for devices; every node that %s may go to "
                                   "stays, no pod moves there, and a cheaper choice may exist",
                                   waiting, waiting == 1 ? " waits" : "s wait",
                                   waiting == 1 ? "it" : "they")) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

/* Pods that run with devices stay where they are. */
static int hold_devices(struct stow_consolidating *c)
{
    uint32_t held = 0;

    for (stow_pod_id i = 0; i < c->s->pods; i++)
        held += c->movable.hold[i] == STOW_HOLD_DEVICES;
    c->not_simulated += held;
    if (!held)
        return STOW_OK;
    return stow_consolidation_warn(
        c->ret, stow_arena_printf(&c->ret->arena,
                                  STOW_DEVICES_NOT_SIMULATED
                                  ": %u running pod%s claims for devices and stay%s where %s, and "
                                  "a cheaper choice may exist",
                                  held, held == 1 ? " has" : "s have", held == 1 ? "s" : "",
                                  held == 1 ? "it is" : "they are"));
}

/* ---- all of them ------------------------------------------------------------------------- */

static int warn_of_lost(struct stow_consolidating *c, uint32_t lost)
{
    if (!lost)
        return STOW_OK;
    return stow_consolidation_warn(
        c->ret, stow_arena_printf(&c->ret->arena,
                                  "%u pending pod%s fit%s no node: `stowage scale` says what to "
                                  "buy, and no room is kept here",
                                  lost, lost == 1 ? "" : "s", lost == 1 ? "s" : ""));
}

static int await(struct stow_consolidating *c, struct stow_scale *scale, struct stow_viewing *view,
                 struct stow_err *err)
{
    struct stow_ground *ground = NULL;
    uint32_t lost = 0;

    STOW_TRY(stow_scale_ground(scale, STOW_GROUND_BASELINE, &ground, err));
    if (place_pending(c, ground, view) < 0)
        return stow_fail_memory(err);
    STOW_TRY(await_devices(c, scale, ground, &lost, err));
    return warn_of_lost(c, lost) < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_consolidate_await(struct stow_consolidating *c, const struct stow_scale_input *input,
                           struct stow_viewing *view, struct stow_err *err)
{
    struct stow_scale *scale = NULL;
    uint32_t waiting = 0;
    int code;

    if (hold_devices(c) < 0)
        return stow_fail_memory(err);
    for (stow_pod_id i = 0; i < c->s->pods; i++)
        waiting += stow_pod_pending(&c->s->pod[i]) && !(c->s->pod[i].flags & STOW_POD_GATED);
    if (!waiting)
        return STOW_OK;
    STOW_TRY(stow_scale_new(input, &c->scaling, &scale, err));
    code = await(c, scale, view, err);
    stow_scale_free(scale);
    return code;
}
