/* groups.c - which group each node is in.
 *
 * A NodeGroup document claims the nodes that its nodeSelector matches (the first
 * by name, when several do).  Other nodes are grouped by the label or annotation
 * that their provisioner puts on them, else by instance type; a group that no document
 * describes is `implied`. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/karpenter/pool_nodes.h"
#include "model/nodes/groups.h"
#include "model/nodes/placement.h"
#include "model/values/match.h"

#define UNGROUPED "(ungrouped)"

/* Documents that choose their nodes by labels, in order of names. */
struct claimants {
    stow_group_id *group;
    uint32_t count, documents; /* all documents come first in s->group, sorted by name */
};

/* Groups of a NodePool are many, and found by name instead. */
static int find_claimants(const struct stow_snapshot *s, struct claimants *ret)
{
    *ret = (struct claimants){.group = calloc(s->groups + 1, sizeof(*ret->group)),
                              .documents = s->groups};
    if (!ret->group)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->groups; i++)
        if (s->group[i].selector && !stow_group_pool(s, i))
            ret->group[ret->count++] = i;
    return STOW_OK;
}

static void claimants_done(struct claimants *c)
{
    free(c->group);
}

static stow_group_id claiming_group(const struct stow_snapshot *s, const struct stow_node *node,
                                    const struct claimants *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (stow_labels_include(s, node->labels, s->group[c->group[i]].selector))
            return c->group[i];
    return stow_pool_group_of(s, node->labels, c->documents);
}

/* What provisioners name their pools by, and who else; the first that a node has counts. */
static const char *const pool_labels[] = {
    "stowage.dev/node-group",
    "karpenter.sh/nodepool",
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "karpenter.sh/provisioner-name",            /* Karpenter before 0.32 */
    "alpha.eksctl.io/nodegroup-name",           /* eksctl, nodes of its own */
    "kops.k8s.io/instancegroup",                /* kops */
    "doks.digitalocean.com/node-pool",          /* DigitalOcean */
    "worker.gardener.cloud/pool",               /* Gardener */
    "ibm-cloud.kubernetes.io/worker-pool-name", /* IBM Cloud */
    "k8s.scaleway.com/pool-name",               /* Scaleway */
    "lke.linode.com/pool-id",                   /* Akamai (Linode) */
    "k8s.ovh.net/nodepool",                     /* OVHcloud */
    "vke.vultr.com/node-pool",                  /* Vultr */
    "kubernetes.civo.com/civo-node-pool",       /* Civo */
    "node.exoscale.net/nodepool-id",            /* Exoscale */
    "alibabacloud.com/nodepool-id",             /* Alibaba Cloud */
    "cce.cloud.com/cce-nodepool",               /* Huawei Cloud and Open Telekom Cloud */
    "hypershift.openshift.io/nodePool",         /* hosted control planes of OpenShift */
    "giantswarm.io/machine-pool",               /* Giant Swarm */
    "hcloud/node-group",                        /* Hetzner, by the cluster autoscaler */
    "agentpool",                                /* aks-engine, and AKS beside its own */
    "node.cluster.x-k8s.io/pool",               /* Cluster API, where people label machines so */
};

#define POOL_LABELS (sizeof(pool_labels) / sizeof(pool_labels[0]))

/* Annotations that do the same where no label does. */
static const struct {
    const char *key;
    bool machine; /* names the machine, NAMESPACE/SET-MACHINE: the set is meant */
} pool_annotations[] = {
    {"cluster.x-k8s.io/owner-name",
     false}, /* Cluster API: MachineSet, MachinePool, control plane */
    {"machine.openshift.io/machine", true},      /* OpenShift */
    {"oci.oraclecloud.com/node-pool-id", false}, /* Oracle Cloud */
};

bool stow_names_pool(struct stow_str annotation)
{
    for (size_t i = 0; i < sizeof(pool_annotations) / sizeof(pool_annotations[0]); i++)
        if (stow_str_is(annotation, pool_annotations[i].key))
            return true;
    return false;
}

bool stow_label_names_pool(struct stow_str key)
{
    for (size_t i = 0; i < POOL_LABELS; i++)
        if (stow_str_is(key, pool_labels[i]))
            return true;
    return false;
}

/* Handles of the labels that occur anywhere, in order, ended by 0. */
static void find_pool_keys(const struct stow_snapshot *s, stow_sym keys[POOL_LABELS + 1])
{
    uint32_t made = 0;

    for (size_t i = 0; i < POOL_LABELS; i++) {
        stow_sym key = stow_intern_find(&s->text, stow_str_of(pool_labels[i]));

        if (key != STOW_INTERN_FAILED)
            keys[made++] = key;
    }
    keys[made] = 0;
}

static struct stow_label pool_label(const struct stow_snapshot *s, stow_blob labels,
                                    const stow_sym *keys)
{
    for (; *keys; keys++) {
        stow_sym value = stow_label_value(s, labels, *keys);

        if (value != STOW_NONE && value != 0)
            return (struct stow_label){*keys, value};
    }
    return (struct stow_label){0, STOW_NONE};
}

struct stow_label stow_pool_label(const struct stow_snapshot *s, stow_blob labels)
{
    stow_sym keys[POOL_LABELS + 1];

    find_pool_keys(s, keys);
    return pool_label(s, labels, keys);
}

/* "openshift-machine-api/shop-7xk2p-worker-a-fjks4": "shop-7xk2p-worker-a". */
static struct stow_str set_of_machine(struct stow_str machine)
{
    struct stow_str name, namespace = stow_str_cut(machine, '/', &name);

    if (!name.ptr)
        name = namespace;
    while (name.len > 0 && name.ptr[name.len - 1] != '-')
        name.len--;
    name.len -= name.len > 0;
    return name;
}

static struct stow_str annotated_name(const struct stow_snapshot *s, const struct stow_node *node)
{
    for (size_t i = 0; i < sizeof(pool_annotations) / sizeof(pool_annotations[0]); i++) {
        struct stow_str value = stow_label_text(s, node->annotations, pool_annotations[i].key);

        if (value.len && pool_annotations[i].machine)
            value = set_of_machine(value);
        if (value.len)
            return value;
    }
    return (struct stow_str){NULL, 0};
}

static struct stow_str implied_name(const struct stow_snapshot *s, const struct stow_node *node,
                                    const stow_sym *keys)
{
    static const stow_sym types[] = {STOW_SYM_INSTANCE_TYPE, STOW_SYM_INSTANCE_TYPE_BETA};
    stow_sym name = pool_label(s, node->labels, keys).value;
    struct stow_str annotated = {NULL, 0};

    if (name == STOW_NONE && node->annotations)
        annotated = annotated_name(s, node);
    if (annotated.len)
        return annotated;
    for (size_t i = 0; i < 2 && (name == STOW_NONE || name == 0); i++)
        name = stow_label_value(s, node->labels, types[i]);
    return name == STOW_NONE || name == 0 ? STOW_STR(UNGROUPED) : stow_text(s, name);
}

/* Implied groups stand after the documents, which are sorted. */
static stow_group_id find_group(const struct stow_snapshot *s, struct stow_str name,
                                uint32_t documents)
{
    uint32_t low = 0, high = documents;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (stow_str_cmp(stow_str_of(s->group[middle].name), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < documents && stow_str_is(name, s->group[low].name))
        return low;
    for (uint32_t i = documents; i < s->groups; i++)
        if (stow_str_is(name, s->group[i].name))
            return i;
    return STOW_NONE;
}

static stow_group_id add_implied(struct stow_snapshot *s, struct stow_str name)
{
    const char *kept = stow_arena_text(&s->arena, name);
    struct stow_group *group = kept ? STOW_PUSH(&s->group, &s->groups, &s->group_cap) : NULL;

    if (!group)
        return STOW_NONE;
    group->name = kept;
    group->implied = group->exists = true;
    group->max_nodes = STOW_NONE;
    group->current_nodes = STOW_NONE;
    group->price = STOW_MONEY_UNKNOWN;
    group->rate = -1;
    group->daemon_overhead = STOW_NONE;
    group->origin = STOW_NONE;
    return s->groups - 1;
}

struct order {
    const char *name;
    uint32_t was;
};

static int compare_order(const void *a, const void *b)
{
    return strcmp(((const struct order *)a)->name, ((const struct order *)b)->name);
}

/* Implied groups were appended as they were met: sort all by name and renumber the nodes. */
static int sort_groups(struct stow_snapshot *s)
{
    STOW_AUTO(stow_free_local) struct order *order = calloc(s->groups + 1, sizeof(*order));
    STOW_AUTO(stow_free_local) uint32_t *moved = calloc(s->groups + 1, sizeof(*moved));
    struct stow_group *sorted = calloc(s->groups + 1, sizeof(*sorted));

    if (!order || !moved || !sorted) {
        free(sorted);
        return STOW_ENOMEM;
    }
    for (uint32_t i = 0; i < s->groups; i++)
        order[i] = (struct order){s->group[i].name, i};
    qsort(order, s->groups, sizeof(*order), compare_order);
    for (uint32_t i = 0; i < s->groups; i++) {
        sorted[i] = s->group[order[i].was];
        moved[order[i].was] = i;
    }
    for (uint32_t i = 0; i < s->nodes; i++)
        s->node[i].group = moved[s->node[i].group];
    free(s->group);
    s->group = sorted;
    s->group_cap = s->groups + 1;
    return STOW_OK;
}

static int count_nodes(struct stow_snapshot *s)
{
    STOW_AUTO(stow_free_local) uint32_t *count = calloc(s->groups + 1, sizeof(*count));

    if (!count)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->nodes; i++)
        count[s->node[i].group]++;
    for (uint32_t i = 0; i < s->groups; i++)
        if (s->group[i].current_nodes == STOW_NONE)
            s->group[i].current_nodes = count[i];
    return STOW_OK;
}

/* Nodes of a pool that no group of a ScalingConstraint claims, because they do not say enough. */
static int warn_unplaced(struct stow_snapshot *s)
{
    const char *first = NULL, *lacks = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->nodes && s->origins; i++) {
        const struct stow_node *node = &s->node[i];
        struct stow_node_placement placement;
        const char *missing = stow_placement_of(s, node, &placement);

        if (!missing || s->group[node->group].origin != STOW_NONE ||
            !stow_label_text(s, node->labels, STOW_POOL_LABEL).ptr)
            continue;
        if (!first) {
            first = node->name;
            lacks = missing;
        }
        count++;
    }
    if (!count)
        return STOW_OK;
    return stow_snapshot_warn(s,
                              "nodes of node pools that are in no group of a ScalingConstraint "
                              "because a label is missing: %u; the first is '%s', without '%s'",
                              count, first, lacks);
}

int stow_assign_groups(struct stow_snapshot *s)
{
    STOW_AUTO(claimants_done) struct claimants claimants = {0};
    stow_sym keys[POOL_LABELS + 1];

    STOW_TRY(find_claimants(s, &claimants));
    find_pool_keys(s, keys);
    for (uint32_t i = 0; i < s->nodes; i++) {
        struct stow_node *node = &s->node[i];

        node->group = claiming_group(s, node, &claimants);
        if (node->group == STOW_NONE)
            node->group = find_group(s, implied_name(s, node, keys), claimants.documents);
        if (node->group == STOW_NONE)
            node->group = add_implied(s, implied_name(s, node, keys));
        if (node->group == STOW_NONE)
            return STOW_ENOMEM;
        STOW_TRY(stow_pool_adopt(s, node));
    }
    STOW_TRY(sort_groups(s));
    STOW_TRY(warn_unplaced(s));
    STOW_TRY(count_nodes(s));
    return stow_count_machine_claims(s);
}
