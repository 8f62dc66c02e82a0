/* movable.c - which running pods may move, and which nodes may go. */
#include "consolidate/movable.h"

#include <string.h>

#include "model/karpenter/disruption.h"
#include "model/pods/resident.h"
#include "model/values/match.h"
#include "model/volumes/devices.h"

#define DO_NOT_DISRUPT      STOW_DO_NOT_DISRUPT
#define SAFE_TO_EVICT       "cluster-autoscaler.kubernetes.io/safe-to-evict"
#define SCALE_DOWN_DISABLED "cluster-autoscaler.kubernetes.io/scale-down-disabled"

/* ---- budgets ----------------------------------------------------------------------------- */

static bool covers(const struct stow_snapshot *s, const struct stow_budget *budget,
                   const struct stow_pod *pod)
{
    return pod->namespace == budget->namespace && stow_pod_counts(pod) &&
           stow_selector_matches(s, budget->selector, pod->labels);
}

/* A share of the pods, rounded up: of minAvailable and of maxUnavailable alike. */
static int64_t share_of(int64_t percent, int64_t pods)
{
    return (percent * pods + 99) / 100;
}

/* How many of the expected pods have to be there. */
static int64_t wanted(const struct stow_budget *budget, int64_t expected)
{
    if (budget->max_unavailable >= 0)
        return expected - budget->max_unavailable;
    if (budget->max_percent >= 0)
        return expected - share_of(budget->max_percent, expected);
    if (budget->min_available >= 0)
        return budget->min_available;
    if (budget->min_percent >= 0)
        return share_of(budget->min_percent, expected);
    return 0;
}

uint32_t stow_budget_allows(const struct stow_snapshot *s, const struct stow_budget *budget)
{
    int64_t expected = 0, healthy = 0, allowed;

    if (budget->allowed >= 0)
        return (uint32_t)budget->allowed;
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];

        if (!covers(s, budget, pod))
            continue;
        expected++;
        healthy += pod->node != STOW_NONE && !(pod->flags & STOW_POD_TERMINATING);
    }
    allowed = wanted(budget, expected);
    allowed = healthy - (allowed < 0 ? 0 : allowed);
    return expected && allowed > 0 ? (uint32_t)allowed : 0;
}

static int find_budgets(const struct stow_snapshot *s, struct stow_movable *ret)
{
    ret->budget = stow_arena_alloc(&ret->arena, (s->pods + 1) * sizeof(*ret->budget));
    ret->allowed = stow_arena_alloc(&ret->arena, (s->budgets + 1) * sizeof(*ret->allowed));
    if (!ret->budget || !ret->allowed)
        return STOW_ENOMEM;
    memset(ret->budget, 0xFF, (s->pods + 1) * sizeof(*ret->budget));
    for (uint32_t b = 0; b < s->budgets; b++) {
        ret->allowed[b] = stow_budget_allows(s, &s->budget[b]);
        for (stow_pod_id i = 0; i < s->pods; i++) {
            if (!covers(s, &s->budget[b], &s->pod[i]))
                continue;
            if (ret->budget[i] != STOW_NONE && ret->hold[i] == STOW_HOLD_NONE)
                ret->hold[i] = STOW_HOLD_BUDGETS;
            ret->budget[i] = b;
        }
    }
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (ret->hold[i] == STOW_HOLD_NONE && ret->budget[i] != STOW_NONE &&
            !ret->allowed[ret->budget[i]])
            ret->hold[i] = STOW_HOLD_BUDGET;
    return STOW_OK;
}

/* ---- pods -------------------------------------------------------------------------------- */

static bool says(const struct stow_snapshot *s, stow_blob annotations, const char *key,
                 const char *value)
{
    return stow_str_is(stow_label_text(s, annotations, key), value);
}

static enum stow_keep_reason hold_of(const struct stow_snapshot *s, const struct stow_pod *pod,
                                     stow_time now)
{
    if (pod->node == STOW_NONE || !stow_pod_counts(pod))
        return STOW_HOLD_ABSENT;
    if (stow_pod_is_daemon(s, pod) || stow_pod_is_static(s, pod))
        return STOW_HOLD_RESIDENT;
    if (pod->flags & STOW_POD_ASIDE)
        return STOW_HOLD_ASIDE;
    if (pod->flags & STOW_POD_TERMINATING)
        return STOW_HOLD_TERMINATING;
    if (stow_disruption_forbids(s, pod, now))
        return STOW_HOLD_DO_NOT_DISRUPT;
    if (says(s, pod->annotations, SAFE_TO_EVICT, "false"))
        return STOW_HOLD_NOT_SAFE;
    if (!pod->owner)
        return STOW_HOLD_ALONE;
    return stow_pod_devices(s, pod->namespace, stow_spec(s, pod->spec)->devices).state ==
                   STOW_DEVICES_NONE
               ? STOW_HOLD_NONE
               : STOW_HOLD_DEVICES;
}

static const char *const hold_rule[] = {
    [STOW_HOLD_ALONE] = "controller",
    [STOW_HOLD_DO_NOT_DISRUPT] = "annotation",
    [STOW_HOLD_NOT_SAFE] = "annotation",
    [STOW_HOLD_TERMINATING] = "terminating",
    [STOW_HOLD_BUDGET] = "pod-disruption-budget",
    [STOW_HOLD_BUDGETS] = "pod-disruption-budget",
    [STOW_HOLD_ASIDE] = "selection",
    [STOW_HOLD_DEVICES] = "dynamic-resources",
};

/* "pod d/x is annotated karpenter.sh/do-not-disrupt: "1h", and when it started is not known" */
static const char *annotated_text(const struct stow_snapshot *s, struct stow_movable *m,
                                  const struct stow_pod *pod)
{
    const struct stow_str rule = stow_label_text(s, pod->annotations, DO_NOT_DISRUPT);
    const bool always = stow_str_is(rule, "true");

    return stow_arena_printf(&m->arena, "pod %s/%s is annotated " DO_NOT_DISRUPT ": \"%.*s\"%s%s",
                             stow_text(s, pod->namespace).ptr, pod->name, STOW_FMT(rule),
                             always         ? ""
                             : pod->started ? ", and it started "
                                            : ", and when it started is not known",
                             !always && pod->started ? stow_text(s, pod->started).ptr : "");
}

/* In words; NULL: out of memory. */
static const char *hold_words(const struct stow_snapshot *s, struct stow_movable *m,
                              stow_pod_id number)
{
    const struct stow_pod *pod = &s->pod[number];
    const char *space = stow_text(s, pod->namespace).ptr;

    switch ((enum stow_keep_reason)m->hold[number]) {
    case STOW_HOLD_ALONE:
        return stow_arena_printf(&m->arena, "pod %s/%s has no controller", space, pod->name);
    case STOW_HOLD_DO_NOT_DISRUPT:
        return annotated_text(s, m, pod);
    case STOW_HOLD_NOT_SAFE:
        return stow_arena_printf(&m->arena, "pod %s/%s is annotated " SAFE_TO_EVICT ": \"false\"",
                                 space, pod->name);
    case STOW_HOLD_ASIDE:
        return stow_arena_printf(&m->arena, "pod %s/%s is not selected", space, pod->name);
    case STOW_HOLD_DEVICES:
        return stow_arena_printf(&m->arena,
                                 "pod %s/%s has claims for devices, and where they could be "
                                 "allocated again is " STOW_DEVICES_NOT_SIMULATED,
                                 space, pod->name);
    case STOW_HOLD_TERMINATING:
        return stow_arena_printf(&m->arena, "pod %s/%s is being deleted", space, pod->name);
    case STOW_HOLD_BUDGET:
        return stow_arena_printf(&m->arena, "PodDisruptionBudget %s/%s allows 0 disruptions now",
                                 space, s->budget[m->budget[number]].name);
    default:
        return stow_arena_printf(
            &m->arena, "pod %s/%s has several PodDisruptionBudgets: Kubernetes refuses to evict it",
            space, pod->name);
    }
}

static bool pins(enum stow_keep_reason hold)
{
    return hold != STOW_HOLD_NONE && hold != STOW_HOLD_ABSENT && hold != STOW_HOLD_RESIDENT;
}

const char *stow_hold_text(const struct stow_snapshot *s, struct stow_movable *movable,
                           stow_pod_id pod, const char **ret_rule)
{
    const enum stow_keep_reason hold = movable->hold[pod];
    const char *text;

    if (!pins(hold))
        return NULL;
    *ret_rule = hold_rule[hold];
    text = hold_words(s, movable, pod);
    return text ? text : "out of memory";
}

/* ---- nodes ------------------------------------------------------------------------------- */

static const char *node_text(const struct stow_snapshot *s, stow_node_id node,
                             const char **ret_rule)
{
    const struct stow_node *n = &s->node[node];
    const struct stow_group *group = n->group == STOW_NONE ? NULL : &s->group[n->group];

    *ret_rule = "terminating";
    if (n->flags & STOW_NODE_TERMINATING)
        return "is being deleted";
    *ret_rule = "control-plane";
    if (stow_runs_control_plane(s, n))
        return "runs the control plane";
    *ret_rule = "annotation";
    if (says(s, n->annotations, DO_NOT_DISRUPT, "true"))
        return "is annotated " DO_NOT_DISRUPT;
    if (says(s, n->annotations, SCALE_DOWN_DISABLED, "true"))
        return "is annotated " SCALE_DOWN_DISABLED;
    *ret_rule = "zero-or-max";
    if (group && group->scaling == STOW_SCALING_ZERO_OR_MAX)
        return "its group has all of its nodes or none";
    return NULL;
}

static int keep(const struct stow_snapshot *s, struct stow_movable *ret)
{
    ret->kept = stow_arena_zalloc(&ret->arena, (s->nodes + 1) * sizeof(*ret->kept));
    ret->rule = stow_arena_zalloc(&ret->arena, (s->nodes + 1) * sizeof(*ret->rule));
    if (!ret->kept || !ret->rule)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < s->nodes; i++)
        ret->kept[i] = node_text(s, i, &ret->rule[i]);
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const stow_node_id node = s->pod[i].node;

        const bool rides =
            ret->hold[i] == STOW_HOLD_RESIDENT && stow_disruption_forbids(s, &s->pod[i], ret->now);

        if (node == STOW_NONE || !(pins(ret->hold[i]) || rides) || ret->kept[node])
            continue;
        ret->kept[node] = rides ? annotated_text(s, ret, &s->pod[i]) : hold_words(s, ret, i);
        if (!ret->kept[node])
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

int stow_movable_find(const struct stow_snapshot *s, stow_time now, struct stow_movable *ret,
                      struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->now = now;
    ret->hold = stow_arena_alloc(&ret->arena, s->pods + 1);
    if (!ret->hold)
        return stow_fail_memory(err);
    for (stow_pod_id i = 0; i < s->pods; i++)
        ret->hold[i] = (uint8_t)hold_of(s, &s->pod[i], now);
    if (find_budgets(s, ret) < 0 || keep(s, ret) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

void stow_movable_done(struct stow_movable *movable)
{
    stow_arena_done(&movable->arena);
    memset(movable, 0, sizeof(*movable));
}
