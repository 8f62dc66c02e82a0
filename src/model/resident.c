/* resident.c - pods that come and go with their node. */
#include "model/resident.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/match.h"

#define NAMES_SHOWN 5

static const struct stow_owner *owner_of(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    return count ? owner : NULL;
}

static bool is_owned_by(const struct stow_snapshot *s, const struct stow_pod *pod, const char *kind)
{
    const struct stow_owner *owner = owner_of(s, pod);

    return owner && stow_str_is(stow_text(s, owner->kind), kind);
}

bool stow_pod_is_daemon(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    return is_owned_by(s, pod, "DaemonSet");
}

bool stow_pod_is_static(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    return is_owned_by(s, pod, "Node") ||
           stow_label_text(s, pod->annotations, "kubernetes.io/config.mirror").ptr;
}

bool stow_runs_control_plane(const struct stow_snapshot *s, const struct stow_node *node)
{
    return stow_label_text(s, node->labels, "node-role.kubernetes.io/control-plane").ptr ||
           stow_label_text(s, node->labels, "node-role.kubernetes.io/master").ptr;
}

/* ---- DaemonSets of running pods ------------------------------------------------------------ */

static bool is_given(const struct stow_snapshot *s, stow_sym namespace, stow_sym name)
{
    for (uint32_t i = 0; i < s->workloads; i++)
        if (s->workload[i].kind == STOW_DAEMON_SET && s->workload[i].symbol == name &&
            s->workload[i].namespace == namespace)
            return true;
    return false;
}

/* That of a daemon's pod; NULL: out of memory. */
static const struct stow_daemon_seen *see(struct stow_snapshot *s, stow_pod_id pod)
{
    const stow_sym namespace = s->pod[pod].namespace, name = owner_of(s, &s->pod[pod])->name;
    struct stow_daemon_seen *made;

    for (uint32_t i = 0; i < s->daemons_seen; i++)
        if (s->daemon_seen[i].name == name && s->daemon_seen[i].namespace == namespace)
            return &s->daemon_seen[i];
    made = STOW_PUSH(&s->daemon_seen, &s->daemons_seen, &s->daemon_seen_cap);
    if (made)
        *made = (struct stow_daemon_seen){namespace, name, pod, is_given(s, namespace, name)};
    return made;
}

/* ---- residents ----------------------------------------------------------------------------- */

/* While a DaemonSet is rolled out, a node may have two of its pods. */
static bool has_another(const struct stow_snapshot *s, stow_group_id group, stow_pod_id pod)
{
    const struct stow_owner *owner = owner_of(s, &s->pod[pod]);

    for (uint32_t i = 0; i < s->residents; i++) {
        const struct stow_pod *other = &s->pod[s->resident[i].pod];

        if (s->resident[i].group == group && other->namespace == s->pod[pod].namespace &&
            stow_pod_is_daemon(s, other) && owner_of(s, other)->name == owner->name)
            return true;
    }
    return false;
}

static int add_resident(struct stow_snapshot *s, stow_group_id group, stow_pod_id pod)
{
    struct stow_resident *made = STOW_PUSH(&s->resident, &s->residents, &s->resident_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_resident){group, pod};
    return STOW_OK;
}

/* A running pod that comes and goes with its node. */
static int look_at(struct stow_snapshot *s, stow_pod_id pod)
{
    const bool is_daemon = stow_pod_is_daemon(s, &s->pod[pod]);
    const struct stow_daemon_seen *seen = is_daemon ? see(s, pod) : NULL;
    const stow_node_id node = s->pod[pod].node;
    const stow_group_id group = s->node[node].group;

    if (is_daemon && !seen)
        return STOW_ENOMEM;
    if (group == STOW_NONE || s->group[group].sample != node)
        return STOW_OK;
    if (is_daemon && (seen->given || has_another(s, group, pod)))
        return STOW_OK;
    return add_resident(s, group, pod);
}

/* ---- groups without a node to look at ------------------------------------------------------ */

/* Its controller has put the name of the pod's node in the place of the template's affinity, so
 * only a selector and taints say that it does not run there. */
static bool may_run(const struct stow_snapshot *s, const struct stow_daemon_seen *seen,
                    stow_group_id group)
{
    const struct stow_pod_spec *spec = stow_spec(s, s->pod[seen->pod].spec);
    const struct stow_node *node = &s->fresh[group];

    return !seen->given && stow_labels_include(s, node->labels, spec->node_selector) &&
           !stow_untolerated(s, node->taints, spec->tolerations);
}

static bool is_untold(const struct stow_group *group)
{
    return group->has_fresh && !group->implied && group->sample == STOW_NONE &&
           group->daemon_overhead == STOW_NONE;
}

static void find_unsure(struct stow_snapshot *s, stow_group_id group)
{
    for (uint32_t i = 0; i < s->daemons_seen && is_untold(&s->group[group]); i++)
        s->group[group].unsure_of_daemons |= may_run(s, &s->daemon_seen[i], group);
}

static bool runs_unsurely(const struct stow_snapshot *s, const struct stow_daemon_seen *seen)
{
    for (stow_group_id g = 0; g < s->groups; g++)
        if (s->group[g].unsure_of_daemons && may_run(s, seen, g))
            return true;
    return false;
}

const char *stow_unsure_daemons(const struct stow_snapshot *s, struct stow_arena *arena)
{
    const char *text = "";
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->daemons_seen && text; i++) {
        const struct stow_daemon_seen *seen = &s->daemon_seen[i];

        if (runs_unsurely(s, seen) && count++ < NAMES_SHOWN)
            text =
                stow_arena_printf(arena, "%s%s%s/%s", text, count > 1 ? ", " : "",
                                  stow_text(s, seen->namespace).ptr, stow_text(s, seen->name).ptr);
    }
    return text && count > NAMES_SHOWN
               ? stow_arena_printf(arena, "%s and %u more", text, count - NAMES_SHOWN)
               : text;
}

int stow_find_residents(struct stow_snapshot *s)
{
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].node != STOW_NONE && stow_pod_counts(&s->pod[i]) &&
            (stow_pod_is_daemon(s, &s->pod[i]) || stow_pod_is_static(s, &s->pod[i])))
            STOW_TRY(look_at(s, i));
    for (stow_group_id g = 0; g < s->groups; g++)
        find_unsure(s, g);
    return STOW_OK;
}
