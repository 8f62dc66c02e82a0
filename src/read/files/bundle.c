/* bundle.c - forms in which whole clusters are handed on: support bundles and dumps.
 *
 * Support bundles (troubleshoot.sh) have a file for each kind, or a folder with a
 * file for each namespace.  Versions of some years ago wrote the items of a list
 * alone, without a kind, as others do: core_v1_pods.json (Sonobuoy).
 *
 * `kubectl cluster-info dump` without a folder prints lists of objects and the logs
 * of containers one after another.  A log is blanked out, not cut out: so the
 * lines of what follows stay where they were. */
#include "read/files/bundle.h"

#include <string.h>

#include "base/str.h"

static const struct {
    const char *folder, *group, *kind;
} kinds[] = {
    {"pods", "", "Pod"},
    {"nodes", "", "Node"},
    {"deployments", "apps", "Deployment"},
    {"statefulsets", "apps", "StatefulSet"},
    {"replicasets", "apps", "ReplicaSet"},
    {"daemonsets", "apps", "DaemonSet"},
    {"replication-controllers", "", "ReplicationController"},
    {"jobs", "batch", "Job"},
    {"cronjobs", "batch", "CronJob"},
    {"namespaces", "", "Namespace"},
    {"services", "", "Service"},
    {"pvs", "", "PersistentVolume"},
    {"persistentvolumes", "", "PersistentVolume"},
    {"pvcs", "", "PersistentVolumeClaim"},
    {"persistentvolumeclaims", "", "PersistentVolumeClaim"},
    {"storage-classes", "storage.k8s.io", "StorageClass"},
    {"storageclasses", "storage.k8s.io", "StorageClass"},
    {"csinodes", "storage.k8s.io", "CSINode"},
    {"volumeattachments", "storage.k8s.io", "VolumeAttachment"},
    {"limitranges", "", "LimitRange"},
    {"priorityclasses", "scheduling.k8s.io", "PriorityClass"},
    {"runtimeclasses", "node.k8s.io", "RuntimeClass"},
    {"csinodes", "storage.k8s.io", "CSINode"},
    {"csidrivers", "storage.k8s.io", "CSIDriver"},
    {"volumeattachments", "storage.k8s.io", "VolumeAttachment"},
    {"resourceclaims", "resource.k8s.io", "ResourceClaim"},
    {"resourceclaimtemplates", "resource.k8s.io", "ResourceClaimTemplate"},
    {"deviceclasses", "resource.k8s.io", "DeviceClass"},
    {"resourceslices", "resource.k8s.io", "ResourceSlice"},
    {"pod-disruption-budgets", "policy", "PodDisruptionBudget"},
    {"poddisruptionbudgets", "policy", "PodDisruptionBudget"},
    {"configmaps", "", "ConfigMap"},
    {"events", "", "Event"},
    {"resource-quota", "", "ResourceQuota"},
    {"network-policy", "networking.k8s.io", "NetworkPolicy"},
    {"ingress", "networking.k8s.io", "Ingress"},
    {"custom-resource-definitions", "apiextensions.k8s.io", "CustomResourceDefinition"},
};

/* What is after the last `separator`, which is cut off. */
static struct stow_str last_part(struct stow_str *path, char separator)
{
    size_t from = path->len;

    while (from > 0 && path->ptr[from - 1] != separator)
        from--;

    const struct stow_str part = {path->ptr + from, path->len - from};

    path->len = from > 0 ? from - 1 : 0;
    return part;
}

static bool find(struct stow_str name, const char **ret_group, const char **ret_kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (stow_str_eq_nocase(name, stow_str_of(kinds[i].folder))) {
            *ret_group = kinds[i].group;
            *ret_kind = kinds[i].kind;
            return true;
        }
    return false;
}

bool stow_bundle_kind(const char *path, const char **ret_group, const char **ret_kind)
{
    struct stow_str rest, left = stow_str_of(path);
    struct stow_str file = stow_str_cut(last_part(&left, '/'), '.', &rest);

    return find(last_part(&file, '_'), ret_group, ret_kind) ||
           find(last_part(&left, '/'), ret_group, ret_kind);
}

/* ---- dumps ------------------------------------------------------------------------------- */

static const struct stow_str log_start = {"==== START logs for container ", 30};
static const struct stow_str log_end = {"==== END logs for container ", 28};

bool stow_dump_at_log(const char *text, size_t len)
{
    return stow_str_starts((struct stow_str){text, len}, log_start);
}

/* The first line from `at` on that starts with `start`, or NULL. */
static char *find_line(char *at, const char *end, struct stow_str start)
{
    while (at && at < end) {
        if (stow_str_starts((struct stow_str){at, (size_t)(end - at)}, start))
            return at;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return NULL;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

bool stow_dump_clear(char *text, size_t len)
{
    const char *end = text + len;
    char *at = find_line(text, end, log_start);
    const bool found = at != NULL;

    while (at) {
        char *last = find_line(at, end, log_end);
        char *behind = last ? memchr(last, '\n', (size_t)(end - last)) : NULL;

        blank(at, behind ? behind : end);
        at = behind ? find_line(behind, end, log_start) : NULL;
    }
    return found;
}
