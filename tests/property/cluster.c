/* cluster.c - random clusters: a few nodes, pods and workloads that have much in common.
 *
 * Few names and few values, so that selectors select, pods belong to workloads,
 * taints are tolerated and specs are equal often enough. */
#include "tests/property/cluster.h"

#include <stdio.h>
#include <stdlib.h>

struct maker {
    struct stow_arena *a;
    struct chance *c;
    struct cluster *cluster;
};

static uint32_t below(struct maker *m, uint32_t n)
{
    return chance_below(m->c, n);
}

static bool one_in(struct maker *m, uint32_t n)
{
    return chance_one_in(m->c, n);
}

#define PICK(m, list) ((list)[below((m), sizeof(list) / sizeof((list)[0]))])

/* ---- parts ------------------------------------------------------------------------------- */

static struct tree *object(struct maker *m, const char *version, const char *kind)
{
    struct tree *t = tree_object(m->a);

    if (m->cluster->objects == CLUSTER_OBJECTS_MAX)
        abort();
    tree_set(m->a, t, "apiVersion", tree_text(m->a, "%s", version));
    tree_set(m->a, t, "kind", tree_text(m->a, "%s", kind));
    return m->cluster->object[m->cluster->objects++] = t;
}

static struct tree *sub(struct maker *m, struct tree *parent, const char *key)
{
    return tree_set(m->a, parent, key, tree_object(m->a));
}

static void text(struct maker *m, struct tree *parent, const char *key, const char *value)
{
    tree_set(m->a, parent, key, tree_text(m->a, "%s", value));
}

static void add_labels(struct maker *m, struct tree *parent, const char *field)
{
    static const char *const keys[] = {"app", "tier", "zone", "\xc3\xa4/k", "x.io/y"};
    static const char *const values[] = {"web", "db", "no", "1", "", "true", "a-b", "\xe2\x82\xac"};
    struct tree *labels = sub(m, parent, field);

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (one_in(m, 2))
            text(m, labels, keys[i], PICK(m, values));
}

static struct tree *metadata(struct maker *m, struct tree *parent, const char *name,
                             uint32_t number)
{
    static const char *const namespaces[] = {"default", "shop", "a", "kube-system"};
    struct tree *meta = sub(m, parent, "metadata");

    tree_set(m->a, meta, "name", tree_text(m->a, "%s%u", name, number));
    if (one_in(m, 2))
        text(m, meta, "namespace", PICK(m, namespaces));
    if (one_in(m, 2))
        add_labels(m, meta, "labels");
    tree_set(m->a, meta, "generation", tree_number(m->a, below(m, 9)));
    return meta;
}

static void add_amounts(struct maker *m, struct tree *parent, const char *field)
{
    static const char *const keys[] = {
        "cpu", "memory", "ephemeral-storage", "example.com/gpu", "gpu", "hugepages-2Mi"};
    static const char *const values[] = {"100m", "1",    "2.5",  "1Gi", "1024Mi", "0",
                                         "1e3",  "0.1n", "1.5k", "7",   "3Ki",    "2"};
    struct tree *amounts = sub(m, parent, field);

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (one_in(m, 2))
            tree_set(m->a, amounts, keys[i],
                     one_in(m, 4) ? tree_number(m->a, below(m, 5))
                                  : tree_text(m->a, "%s", PICK(m, values)));
}

static void add_selector(struct maker *m, struct tree *parent, const char *field)
{
    static const char *const operators[] = {"Exists", "DoesNotExist"};
    struct tree *selector = sub(m, parent, field);

    if (one_in(m, 2))
        add_labels(m, selector, "matchLabels");
    if (one_in(m, 3)) {
        struct tree *list = tree_set(m->a, selector, "matchExpressions", tree_list(m->a));
        struct tree *one = tree_add(m->a, list, tree_object(m->a));

        text(m, one, "key", "app");
        text(m, one, "operator", PICK(m, operators));
    }
}

static void add_tolerations(struct maker *m, struct tree *spec)
{
    static const char *const operators[] = {"Equal", "Exists"};
    static const char *const effects[] = {"NoSchedule", "NoExecute", ""};
    struct tree *list = tree_set(m->a, spec, "tolerations", tree_list(m->a));

    for (uint32_t i = below(m, 3); i > 0; i--) {
        struct tree *one = tree_add(m->a, list, tree_object(m->a));

        if (one_in(m, 2))
            text(m, one, "key", "dedicated");
        text(m, one, "operator", PICK(m, operators));
        text(m, one, "effect", PICK(m, effects));
        if (one_in(m, 2))
            text(m, one, "value", "db");
    }
}

static void add_containers(struct maker *m, struct tree *spec, const char *field)
{
    struct tree *list = tree_set(m->a, spec, field, tree_list(m->a));

    for (uint32_t i = below(m, 3); i > 0; i--) {
        struct tree *one = tree_add(m->a, list, tree_object(m->a));

        tree_set(m->a, one, "name", tree_text(m->a, "c%u", i));
        if (one_in(m, 4))
            text(m, one, "restartPolicy", "Always");
        if (!one_in(m, 4))
            add_amounts(m, sub(m, one, "resources"), "requests");
    }
}

static void add_pod_spec(struct maker *m, struct tree *parent)
{
    static const char *const classes[] = {"high", "low", "system-node-critical", "gone"};
    struct tree *spec = sub(m, parent, "spec");

    add_containers(m, spec, "containers");
    if (one_in(m, 3))
        add_containers(m, spec, "initContainers");
    if (one_in(m, 5))
        add_amounts(m, spec, "overhead");
    if (one_in(m, 4))
        add_amounts(m, sub(m, spec, "resources"), "requests");
    if (one_in(m, 4))
        add_tolerations(m, spec);
    if (one_in(m, 4))
        add_labels(m, spec, "nodeSelector");
    if (one_in(m, 3))
        text(m, spec, "priorityClassName", PICK(m, classes));
    if (one_in(m, 6))
        tree_set(m->a, spec, "priority", tree_number(m->a, below(m, 100)));
}

/* ---- objects ----------------------------------------------------------------------------- */

static void add_node(struct maker *m, uint32_t number)
{
    static const char *const types[] = {"m5.large", "m5.xlarge", "g5.xlarge"};
    struct tree *node = object(m, "v1", "Node"), *meta = sub(m, node, "metadata");
    struct tree *labels;

    tree_set(m->a, meta, "name", tree_text(m->a, "node%u", number));
    add_labels(m, meta, "labels");
    labels = meta->child[meta->count - 1];
    if (one_in(m, 2))
        text(m, labels, "node.kubernetes.io/instance-type", PICK(m, types));
    if (one_in(m, 4))
        tree_set(m->a, labels, "karpenter.sh/nodepool", tree_text(m->a, "pool%u", below(m, 2)));
    if (one_in(m, 4))
        tree_set(m->a, labels, "stowage.dev/node-group", tree_text(m->a, "group%u", below(m, 4)));
    add_amounts(m, sub(m, node, "status"), one_in(m, 3) ? "capacity" : "allocatable");
    if (one_in(m, 3)) {
        struct tree *taints = tree_set(m->a, sub(m, node, "spec"), "taints", tree_list(m->a));
        struct tree *taint = tree_add(m->a, taints, tree_object(m->a));

        text(m, taint, "key", "dedicated");
        text(m, taint, "value", one_in(m, 2) ? "db" : "web");
        text(m, taint, "effect", one_in(m, 2) ? "NoSchedule" : "PreferNoSchedule");
    }
}

static void add_owner(struct maker *m, struct tree *meta)
{
    static const char *const kinds[] = {"ReplicaSet", "StatefulSet", "DaemonSet", "Job"};
    struct tree *list = tree_set(m->a, meta, "ownerReferences", tree_list(m->a));
    struct tree *owner = tree_add(m->a, list, tree_object(m->a));

    text(m, owner, "kind", PICK(m, kinds));
    tree_set(m->a, owner, "name",
             tree_text(m->a, one_in(m, 2) ? "work%u-5f" : "work%u", below(m, 8)));
    tree_set(m->a, owner, "controller", tree_word(m->a, "true"));
}

static void add_pod(struct maker *m, uint32_t number)
{
    static const char *const phases[] = {"Running", "Pending", "Succeeded", "Failed"};
    struct tree *pod = object(m, "v1", "Pod"), *meta = metadata(m, pod, "pod", number), *spec;

    if (one_in(m, 3))
        add_owner(m, meta);
    add_pod_spec(m, pod);
    spec = pod->child[pod->count - 1];
    if (!one_in(m, 3))
        tree_set(m->a, spec, "nodeName", tree_text(m->a, "node%u", below(m, 7)));
    if (one_in(m, 2))
        text(m, sub(m, pod, "status"), "phase", PICK(m, phases));
}

static void add_workload(struct maker *m, uint32_t number)
{
    static const char *const kinds[][2] = {
        {"apps/v1", "Deployment"}, {"apps/v1", "StatefulSet"}, {"apps/v1", "ReplicaSet"},
        {"apps/v1", "DaemonSet"},  {"batch/v1", "Job"},
    };
    uint32_t kind = below(m, sizeof(kinds) / sizeof(kinds[0]));
    struct tree *work = object(m, kinds[kind][0], kinds[kind][1]), *template, *spec;

    metadata(m, work, "work", number);
    spec = sub(m, work, "spec");
    tree_set(m->a, spec, kind == 4 ? "parallelism" : "replicas", tree_number(m->a, below(m, 4)));
    if (one_in(m, 2))
        add_selector(m, spec, "selector");
    template = sub(m, spec, "template");
    add_labels(m, sub(m, template, "metadata"), "labels");
    add_pod_spec(m, template);
}

static void add_group(struct maker *m, uint32_t number)
{
    struct tree *group = object(m, "stowage.dev/v1alpha1", "NodeGroup"), *spec;

    tree_set(m->a, sub(m, group, "metadata"), "name", tree_text(m->a, "group%u", number));
    spec = sub(m, group, "spec");
    tree_set(m->a, spec, "minNodes", tree_number(m->a, below(m, 3)));
    if (one_in(m, 2))
        add_labels(m, spec, "nodeSelector");
    if (one_in(m, 2))
        text(m, spec, "pricePerHour", "0.096");
}

static void add_book(struct maker *m, uint32_t number)
{
    struct tree *book = object(m, "stowage.dev/v1alpha1", "PriceBook"), *prices;

    tree_set(m->a, sub(m, book, "metadata"), "name", tree_text(m->a, "book%u", number));
    prices = tree_set(m->a, sub(m, book, "spec"), "prices", tree_list(m->a));
    for (uint32_t i = 0; i < 2; i++) {
        struct tree *row = tree_add(m->a, prices, tree_object(m->a));

        tree_set(m->a, row, "instanceType", tree_text(m->a, "t%u", below(m, 3)));
        tree_set(m->a, row, "pricePerHour", tree_text(m->a, "0.%u", 1 + below(m, 9)));
    }
}

static void add_small(struct maker *m)
{
    struct tree *high = object(m, "scheduling.k8s.io/v1", "PriorityClass"), *other;

    text(m, sub(m, high, "metadata"), "name", "high");
    tree_set(m->a, high, "value", tree_number(m->a, 1000));
    other = object(m, "scheduling.k8s.io/v1", "PriorityClass");
    text(m, sub(m, other, "metadata"), "name", "usual");
    tree_set(m->a, other, "value", tree_number(m->a, 5));
    tree_set(m->a, other, "globalDefault", tree_word(m->a, one_in(m, 2) ? "true" : "false"));
    add_selector(m, sub(m, object(m, "policy/v1", "PodDisruptionBudget"), "spec"), "selector");
    metadata(m, m->cluster->object[m->cluster->objects - 1], "budget", 0);
    metadata(m, object(m, "v1", "Secret"), "secret", 0);
    metadata(m, object(m, "x.io/v1", "Gadget"), "gadget", 0);
}

void cluster_make(struct stow_arena *a, struct chance *c, struct cluster *ret)
{
    struct maker m = {a, c, ret};

    ret->objects = 0;
    for (uint32_t i = below(&m, 7); i > 0; i--)
        add_node(&m, i);
    for (uint32_t i = below(&m, 12); i > 0; i--)
        add_pod(&m, i);
    for (uint32_t i = below(&m, 8); i > 0; i--)
        add_workload(&m, i);
    for (uint32_t i = below(&m, 4); i > 0; i--)
        add_group(&m, i);
    for (uint32_t i = below(&m, 3); i > 0; i--)
        add_book(&m, i);
    add_small(&m);
}
