/* snapshot.c - making, sharing and asking a snapshot. */
#include "model/snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/fork.h"
#include "model/volumes/mounts.h"

static int add_well_known(struct stow_snapshot *s)
{
#define STOW_WELL_KNOWN_TEXT(name, text) text,
    static const char *const texts[] = {STOW_WELL_KNOWN(STOW_WELL_KNOWN_TEXT)};
#undef STOW_WELL_KNOWN_TEXT

    for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (stow_intern_text(&s->text, stow_str_of(texts[i])) != i + 1)
            return STOW_ENOMEM;
    return stow_intern_blob(&s->blob, "", 0) == 0 ? STOW_OK : STOW_ENOMEM;
}

/* The default keys of labels and annotations, which `keys` of a Policy replaces. */
#define KEYS_MAX 16 /* of a fact, with the end of the list */

static int add_default_keys(struct stow_snapshot *s)
{
    static const struct {
        size_t offset;
        const char *key[KEYS_MAX];
    } defaults[] = {
        {offsetof(struct stow_keys, disk_type), {"ultron.io/disk-type"}},
        {offsetof(struct stow_keys, network_type), {"ultron.io/network-type"}},
        {offsetof(struct stow_keys, storage),
         {"ultron.io/storage-size-gb", "ultron.io/storage-size"}},
        {offsetof(struct stow_keys, priority),
         {"ultron.io/workload-priority", "ultron.io/priority"}},
        {offsetof(struct stow_keys, capacity_type),
         {"stowage.dev/capacity-type", "karpenter.sh/capacity-type",
          "eks.amazonaws.com/capacityType", "cloud.google.com/gke-spot",
          "cloud.google.com/gke-preemptible", "cloud.google.com/gke-provisioning",
          "kubernetes.azure.com/scalesetpriority", "machine.openshift.io/interruptible-instance",
          "spotinst.io/node-lifecycle", "scheduling.cast.ai/spot-fallback",
          "scheduling.cast.ai/spot", "node.kubernetes.io/lifecycle", "node-lifecycle",
          "lifecycle"}},
    };

    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
        stow_sym keys[KEYS_MAX];
        uint32_t count = 0;

        for (; defaults[i].key[count]; count++) {
            keys[count] = stow_intern_text(&s->text, stow_str_of(defaults[i].key[count]));
            if (keys[count] == STOW_INTERN_FAILED)
                return STOW_ENOMEM;
        }

        stow_blob blob = stow_intern_blob(&s->blob, keys, count * sizeof(keys[0]));

        if (blob == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        memcpy((char *)&s->keys + defaults[i].offset, &blob, sizeof(blob));
    }
    return 0;
}

struct stow_snapshot *stow_snapshot_new(void)
{
    struct stow_snapshot *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->refs = 1;
    if (add_well_known(s) < 0 || add_default_keys(s) < 0) {
        stow_snapshot_unref(s);
        return NULL;
    }
    return s;
}

struct stow_snapshot *stow_snapshot_ref(struct stow_snapshot *s)
{
    __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void stow_snapshot_unref(struct stow_snapshot *s)
{
    if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (s->base) {
        stow_fork_done(s);
        return;
    }

    void *const lists[] = {s->pod,          s->node,           s->group,        s->workload,
                           s->namespace,    s->priority_class, s->service,      s->volume,
                           s->claim,        s->budget,         s->resource,     s->demand,
                           s->allocatable,  s->requested,      s->nonzero_cpu,  s->nonzero_memory,
                           s->pods_on,      s->fresh,          s->upcoming,     s->overhead,
                           s->origin,       s->warning,        s->cluster,      s->propagation,
                           s->binding,      s->version,        s->left_out,     s->storage_class,
                           s->csi_driver,   s->csi_node,       s->attachment,   s->group_default,
                           s->limit_range,  s->runtime_class,  s->device_claim, s->device_template,
                           s->device_class, s->resident,       s->daemon_seen,  s->device_slice,
                           s->node_pool,    s->node_class,     s->node_claim,   s->overlay};

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]);
    stow_mounts_free(s->mounts);
    stow_book_done(&s->book);
    stow_intern_done(&s->text);
    stow_intern_done(&s->blob);
    stow_intern_done(&s->spec);
    stow_arena_done(&s->arena);
    free(s);
}

int stow_snapshot_warn(struct stow_snapshot *s, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    const char *kept = stow_arena_text(&s->arena, stow_str_of(text));
    const char **slot = kept ? STOW_PUSH(&s->warning, &s->warnings, &s->warning_cap) : NULL;

    if (!slot)
        return STOW_ENOMEM;
    *slot = kept;
    return STOW_OK;
}

/* ---- looking inside ---------------------------------------------------------------------- */

stow_sym stow_label_value(const struct stow_snapshot *s, stow_blob labels, stow_sym key)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count && list[i].key <= key; i++)
        if (list[i].key == key)
            return list[i].value;
    return STOW_NONE;
}

struct stow_str stow_label_text(const struct stow_snapshot *s, stow_blob labels, const char *key)
{
    stow_sym sym = stow_intern_find(&s->text, stow_str_of(key));
    stow_sym value = sym == STOW_INTERN_FAILED ? STOW_NONE : stow_label_value(s, labels, sym);

    return value == STOW_NONE ? (struct stow_str){NULL, 0} : stow_text(s, value);
}

stow_node_id stow_node_find(const struct stow_snapshot *s, struct stow_str name)
{
    uint32_t low = 0, high = s->nodes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = stow_str_cmp(stow_str_of(s->node[middle].name), name);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return STOW_NONE;
}

/* ---- the public questions ---------------------------------------------------------------- */

static uint32_t count_pods(const struct stow_snapshot *s, bool pending)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->pods; i++)
        count += pending ? stow_pod_pending(&s->pod[i])
                         : s->pod[i].node_name != 0 && stow_pod_counts(&s->pod[i]) &&
                               !(s->pod[i].flags & STOW_POD_ASIDE);
    return count;
}

uint32_t stow_snapshot_count(const struct stow_snapshot *s, enum stow_count what)
{
    switch (what) {
    case STOW_NODES:
        return s->nodes;
    case STOW_PODS:
        return s->pods;
    case STOW_PODS_RUNNING:
        return count_pods(s, false);
    case STOW_PODS_PENDING:
        return count_pods(s, true);
    case STOW_GROUPS:
        return s->groups;
    case STOW_POD_SPECS:
        return stow_spec_end(s) - 1;
    case STOW_RESOURCES:
        return s->resources;
    case STOW_WARNINGS:
        return s->warnings;
    }
    return 0;
}

const char *stow_snapshot_node_name(const struct stow_snapshot *s, uint32_t node)
{
    return s->node[node].name;
}

const char *stow_snapshot_group_name(const struct stow_snapshot *s, uint32_t group)
{
    return s->group[group].name;
}

const char *stow_snapshot_resource_name(const struct stow_snapshot *s, uint32_t resource)
{
    return stow_text(s, s->resource[resource]).ptr;
}

const char *stow_snapshot_warning(const struct stow_snapshot *s, uint32_t warning)
{
    return s->warning[warning];
}

uint32_t stow_snapshot_node_group(const struct stow_snapshot *s, uint32_t node)
{
    return s->node[node].group;
}

int64_t stow_snapshot_allocatable(const struct stow_snapshot *s, uint32_t node, uint32_t resource)
{
    return s->allocatable[(size_t)resource * s->nodes + node];
}

int64_t stow_snapshot_requested(const struct stow_snapshot *s, uint32_t node, uint32_t resource)
{
    return s->requested[(size_t)resource * s->nodes + node];
}

const char *stow_snapshot_pod_namespace(const struct stow_snapshot *s, uint32_t pod)
{
    return stow_text(s, s->pod[pod].namespace).ptr;
}

const char *stow_snapshot_pod_name(const struct stow_snapshot *s, uint32_t pod)
{
    return s->pod[pod].name;
}

uint32_t stow_snapshot_pod_node(const struct stow_snapshot *s, uint32_t pod)
{
    return s->pod[pod].node;
}

int64_t stow_snapshot_pod_request(const struct stow_snapshot *s, uint32_t pod, uint32_t resource)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[s->pod[pod].spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == resource)
            return list[i].value;
    return 0;
}

size_t stow_snapshot_bytes(const struct stow_snapshot *s)
{
    return sizeof(*s) + s->arena.total_bytes + stow_intern_bytes(&s->text) +
           stow_intern_bytes(&s->blob) + stow_intern_bytes(&s->spec) +
           s->pod_cap * sizeof(*s->pod) + s->node_cap * sizeof(*s->node) +
           s->group_cap * sizeof(*s->group) + s->workload_cap * sizeof(*s->workload) +
           s->cluster_cap * sizeof(*s->cluster) + s->binding_cap * sizeof(*s->binding) +
           stow_spec_end(s) * sizeof(*s->demand) +
           s->groups * (sizeof(*s->fresh) + s->resources * sizeof(*s->overhead)) +
           s->upcomings * sizeof(*s->upcoming) +
           (size_t)s->nodes * (2 * sizeof(int64_t) * s->resources + 20);
}

size_t stow_snapshot_input_bytes(const struct stow_snapshot *s)
{
    return s->input_bytes;
}
