/* movable.c - which pods may move and which nodes may go, worked out again from the documents. */
#include "verify/movable.h"

#include "model/karpenter/disruption.h"
#include "model/pods/resident.h"
#include "model/values/match.h"

static bool is_said(const struct stow_snapshot *s, stow_blob annotations, const char *key,
                    const char *value)
{
    return stow_str_is(stow_label_text(s, annotations, key), value);
}

/* The kind of a pod's controller; empty: it has none. */
static struct stow_str controller(const struct stow_audit *a, stow_pod_id pod)
{
    uint32_t count;
    const struct stow_owner *owner =
        STOW_LIST(a->s, a->s->pod[pod].owner, struct stow_owner, &count);

    return count ? stow_text(a->s, owner->kind) : (struct stow_str){NULL, 0};
}

bool stow_audit_is_resident(const struct stow_audit *a, stow_pod_id pod)
{
    const struct stow_str kind = controller(a, pod);

    return stow_str_is(kind, "DaemonSet") || stow_str_is(kind, "Node") ||
           stow_label_text(a->s, a->s->pod[pod].annotations, "kubernetes.io/config.mirror").ptr;
}

bool stow_audit_has_devices(const struct stow_audit *a, stow_pod_id pod)
{
    uint32_t count;

    (void)STOW_LIST(a->s, stow_spec(a->s, a->s->pod[pod].spec)->devices, struct stow_pod_claim,
                    &count);
    return count > 0;
}

const char *stow_audit_stays(const struct stow_audit *a, stow_pod_id id)
{
    const struct stow_pod *pod = &a->s->pod[id];

    if (pod->node == STOW_NONE || !stow_pod_counts(pod))
        return "it does not run";
    if (stow_audit_is_resident(a, id))
        return "it belongs to its node";
    if (!controller(a, id).len)
        return "it has no controller that would recreate it";
    if (pod->flags & STOW_POD_ASIDE)
        return "it is not selected";
    if (pod->flags & STOW_POD_TERMINATING)
        return "it is being deleted";
    if (stow_disruption_forbids(a->s, pod, a->in->bill->now))
        return "it is annotated karpenter.sh/do-not-disrupt";
    if (is_said(a->s, pod->annotations, "cluster-autoscaler.kubernetes.io/safe-to-evict", "false"))
        return "it is annotated as not safe to evict";
    if (stow_audit_has_devices(a, id))
        return "it has claims for devices, which would have to be allocated again";
    return NULL;
}

const char *stow_audit_is_kept(const struct stow_audit *a, stow_node_id id)
{
    const struct stow_node *node = &a->s->node[id];

    if (node->flags & STOW_NODE_TERMINATING)
        return "it is being deleted";
    if (stow_runs_control_plane(a->s, node))
        return "it runs the control plane";
    if (is_said(a->s, node->annotations, "karpenter.sh/do-not-disrupt", "true"))
        return "it is annotated karpenter.sh/do-not-disrupt";
    if (is_said(a->s, node->annotations, "cluster-autoscaler.kubernetes.io/scale-down-disabled",
                "true"))
        return "it is annotated as not to be scaled down";
    if (node->group != STOW_NONE && a->s->group[node->group].scaling == STOW_SCALING_ZERO_OR_MAX)
        return "its group has all of its nodes or none";
    return NULL;
}

/* ---- budgets ----------------------------------------------------------------------------- */

bool stow_audit_budget_covers(const struct stow_audit *a, uint32_t number, stow_pod_id id)
{
    const struct stow_budget *budget = &a->s->budget[number];
    const struct stow_pod *pod = &a->s->pod[id];

    return budget->namespace == pod->namespace && stow_pod_counts(pod) &&
           stow_selector_matches(a->s, budget->selector, pod->labels);
}

/* Percentages are rounded up, of what must be there and of what may be missing alike. */
static int64_t part_of(int32_t percent, int64_t pods)
{
    return (percent * pods + 99) / 100;
}

int64_t stow_audit_budget_allows(const struct stow_audit *a, uint32_t number)
{
    const struct stow_budget *budget = &a->s->budget[number];
    int64_t expected = 0, running = 0, wanted = 0;

    if (budget->allowed >= 0)
        return budget->allowed;
    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        const struct stow_pod *pod = &a->s->pod[i];

        if (!stow_audit_budget_covers(a, number, i))
            continue;
        expected++;
        running += pod->node != STOW_NONE && !(pod->flags & STOW_POD_TERMINATING);
    }
    if (budget->max_unavailable >= 0)
        wanted = expected - budget->max_unavailable;
    else if (budget->max_percent >= 0)
        wanted = expected - part_of(budget->max_percent, expected);
    else if (budget->min_available >= 0)
        wanted = budget->min_available;
    else if (budget->min_percent >= 0)
        wanted = part_of(budget->min_percent, expected);
    return running - (wanted > 0 ? wanted : 0);
}
