/* resident.c - pods that come and go with their node. */
#include "model/resident.h"

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
