/* place_random.c - random clusters with everything that a rule of placing may look at.
 *
 * Few names and few values, so that selectors select, taints are tolerated, ports
 * clash and pods are alike often enough; pods are of a few sorts, each of which
 * comes several times. */
#include "tests/property/place_random.h"

#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/vec.h"

#define PICK(c, ...)                                    \
    (((const char *const[]){__VA_ARGS__})[chance_below( \
        (c), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))])

struct stow_buf *random_cluster_add(struct random_cluster *k)
{
    struct stow_buf *made = STOW_PUSH(&k->object, &k->count, &k->cap);

    if (!made)
        abort();
    memset(made, 0, sizeof(*made));
    return made;
}

/* A member of an object: its name and quoted value, behind a comma. */
static void member(struct stow_buf *to, const char *name, const char *value)
{
    stow_buf_printf(to, ",\"%s\":\"%s\"", name, value);
}

static void maybe(struct stow_buf *to, struct chance *c, uint32_t in, const char *name,
                  const char *value)
{
    if (chance_one_in(c, in))
        member(to, name, value);
}

/* ---- nodes ------------------------------------------------------------------------------- */

static void write_node_labels(struct stow_buf *to, struct chance *c, uint32_t i)
{
    stow_buf_printf(to, "\"labels\":{\"pool\":\"p%u\"", chance_below(c, 3));
    if (!chance_one_in(c, 9)) /* now and then two nodes with one name, or none */
        stow_buf_printf(to, ",\"kubernetes.io/hostname\":\"n%03u\"", chance_one_in(c, 12) ? 0 : i);
    if (!chance_one_in(c, 6))
        member(to, "topology.kubernetes.io/zone", PICK(c, "x", "y", "z", "x", "y", "z", ""));
    maybe(to, c, 3, "topology.kubernetes.io/region", PICK(c, "here", "there"));
    maybe(to, c, 2, "rack", PICK(c, "r0", "r1", "r2", "r3"));
    maybe(to, c, 2, "disk", PICK(c, "ssd", "hdd"));
    maybe(to, c, 2, "cores", PICK(c, "4", "16", "64", "many"));
    maybe(to, c, 3, "karpenter.sh/capacity-type", PICK(c, "spot", "on-demand"));
    maybe(to, c, 6, "ultron.io/disk-type", PICK(c, "SSD", "HDD"));
    stow_buf_text(to, "},\"annotations\":{\"note\":\"x\"");
    maybe(to, c, 2, "ultron.io/disk-type", PICK(c, "SSD", "HDD", ""));
    maybe(to, c, 2, "ultron.io/network-type", PICK(c, "isolated", "shared"));
    stow_buf_text(to, "}");
}

static void write_taints(struct stow_buf *to, struct chance *c)
{
    stow_buf_text(to, "\"taints\":[");
    for (uint32_t n = chance_one_in(c, 3) ? chance_below(c, 3) : 0, i = 0; i < n; i++)
        stow_buf_printf(to, "%s{\"key\":\"%s\",\"value\":\"%s\",\"effect\":\"%s\"}", i ? "," : "",
                        PICK(c, "dedicated", "slow", "flaky"), PICK(c, "gpu", "", "x"),
                        PICK(c, "NoSchedule", "PreferNoSchedule", "PreferNoSchedule",
                             "PreferNoSchedule", "NoExecute"));
    stow_buf_text(to, "]");
}

static void write_amounts(struct stow_buf *to, struct chance *c, bool generous)
{
    stow_buf_text(to, "{\"bare\":\"7\"");
    if (!chance_one_in(c, 15))
        member(to, "cpu", generous ? PICK(c, "8", "16", "32") : PICK(c, "4", "8", "1900m", "16"));
    if (!chance_one_in(c, 15))
        member(to, "memory",
               chance_one_in(c, 20) ? "128Ti"
               : generous           ? PICK(c, "16Gi", "32Gi")
                                    : PICK(c, "8Gi", "16Gi", "7.5Gi", "3000M"));
    if (!chance_one_in(c, 20))
        member(to, "pods", generous ? "40" : PICK(c, "3", "9", "20", "40"));
    if (!chance_one_in(c, 4))
        member(to, "ephemeral-storage", PICK(c, "10Gi", "50Gi", "200Gi"));
    maybe(to, c, 3, "nvidia.com/gpu", PICK(c, "0", "1", "4", "8"));
    maybe(to, c, 5, "example.com/fpga", PICK(c, "1", "3"));
    maybe(to, c, 5, "hugepages-2Mi", PICK(c, "64Mi", "1Gi"));
    stow_buf_text(to, "}");
}

static const char *const images[] = {"app", "app:v1", "repo.example/base", "repo.example/base:2"};
static const char *const node_images[] = {"app:latest", "app:v1", "repo.example/base:latest",
                                          "repo.example/base:2"};

static void write_images(struct stow_buf *to, struct chance *c)
{
    static const char *const size[] = {"1000", "50000000", "700000000", "1500000000"};

    stow_buf_text(to, "\"images\":[");
    for (uint32_t i = 0, n = 0; i < 4; i++)
        if (chance_one_in(c, 2))
            stow_buf_printf(to, "%s{\"names\":[\"%s\"],\"sizeBytes\":%s}", n++ ? "," : "",
                            node_images[i], size[chance_below(c, 4)]);
    stow_buf_text(to, "]");
}

static void write_node(struct stow_buf *to, struct chance *c, uint32_t i)
{
    stow_buf_printf(
        to, "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n%03u\",", i);
    write_node_labels(to, c, i);
    stow_buf_text(to, "},\"spec\":{");
    if (chance_one_in(c, 14))
        stow_buf_text(to, "\"unschedulable\":true,");
    write_taints(to, c);
    stow_buf_text(to, "},\"status\":{\"allocatable\":");
    write_amounts(to, c, false);
    if (chance_one_in(c, 4)) {
        stow_buf_text(to, ",\"capacity\":");
        write_amounts(to, c, true);
    }
    if (chance_one_in(c, 3)) {
        stow_buf_text(to, ",");
        write_images(to, c);
    }
    stow_buf_text(to, "}}");
}

/* ---- what pods ask for ------------------------------------------------------------------- */

static void write_requests(struct stow_buf *to, struct chance *c, uint32_t sparse)
{
    stow_buf_text(to, "{\"bare\":\"1\"");
    if (!chance_one_in(c, sparse))
        member(to, "cpu", PICK(c, "0", "100m", "250m", "500m", "1", "1.5", "0.1m"));
    if (!chance_one_in(c, sparse))
        member(to, "memory", PICK(c, "0", "128Mi", "1Gi", "1500M", "700Mi", "1.0001Gi"));
    maybe(to, c, 6, "ephemeral-storage", PICK(c, "1Gi", "4Gi", "0"));
    maybe(to, c, 10, "nvidia.com/gpu", PICK(c, "1", "1", "2", "0"));
    maybe(to, c, 25, "example.com/fpga", "1");
    maybe(to, c, 25, "hugepages-2Mi", PICK(c, "2Mi", "64Mi"));
    stow_buf_text(to, "}");
}

static void write_ports(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to, ",\"ports\":[{\"containerPort\":80,\"hostPort\":%u",
                    chance_one_in(c, 4) ? 0 : 8080 + chance_below(c, 2));
    maybe(to, c, 3, "hostIP", PICK(c, "10.0.0.1", "10.0.0.2", "0.0.0.0"));
    maybe(to, c, 3, "protocol", PICK(c, "UDP", "TCP"));
    stow_buf_text(to, "}]");
}

static void write_container(struct stow_buf *to, struct chance *c, bool init)
{
    stow_buf_printf(to, "{\"name\":\"c\",\"image\":\"%s\"", images[chance_below(c, 4)]);
    if (!chance_one_in(c, 8)) {
        stow_buf_text(to, ",\"resources\":{\"requests\":");
        write_requests(to, c, 5);
        if (chance_one_in(c, 4)) {
            stow_buf_text(to, ",\"limits\":");
            write_requests(to, c, 2);
        }
        stow_buf_text(to, "}");
    }
    if (init && chance_one_in(c, 3))
        member(to, "restartPolicy", "Always");
    if (chance_one_in(c, 12))
        write_ports(to, c);
    stow_buf_text(to, "}");
}

static void write_containers(struct stow_buf *to, struct chance *c, const char *name,
                             uint32_t count)
{
    stow_buf_printf(to, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        stow_buf_text(to, i ? "," : "");
        write_container(to, c, name[0] == 'i');
    }
    stow_buf_text(to, "],");
}

static void write_pod_amounts(struct stow_buf *to, struct chance *c)
{
    if (chance_one_in(c, 8)) {
        stow_buf_text(to, ",\"resources\":{\"requests\":{\"cpu\":\"700m\"");
        maybe(to, c, 2, "memory", "900Mi");
        maybe(to, c, 4, "hugepages-2Mi", "4Mi");
        stow_buf_text(to, "}");
        if (chance_one_in(c, 2))
            stow_buf_text(to, ",\"limits\":{\"cpu\":\"2\"}");
        stow_buf_text(to, "}");
    }
    if (chance_one_in(c, 8))
        stow_buf_text(to, ",\"overhead\":{\"cpu\":\"50m\",\"memory\":\"64Mi\"}");
}

/* ---- where pods go ----------------------------------------------------------------------- */

static void write_requirement(struct stow_buf *to, struct chance *c, const char *key,
                              const char *value, const char *other)
{
    uint32_t which = chance_below(c, 4);

    stow_buf_printf(to, "{\"key\":\"%s\",\"operator\":\"%s\"", key,
                    ((const char *const[]){"In", "NotIn", "Exists", "DoesNotExist"})[which]);
    if (which < 2 && chance_one_in(c, 3))
        stow_buf_printf(to, ",\"values\":[\"%s\",\"%s\"]", value, other);
    else if (which < 2)
        stow_buf_printf(to, ",\"values\":[\"%s\"]", value);
    stow_buf_text(to, "}");
}

static void write_node_term(struct stow_buf *to, struct chance *c)
{
    if (chance_one_in(c, 12)) {
        stow_buf_text(to, "{}");
        return;
    }
    if (chance_one_in(c, 7)) {
        stow_buf_printf(to,
                        "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"%s\","
                        "\"values\":[\"n%03u\"]}",
                        PICK(c, "In", "In", "NotIn"), chance_below(c, 6));
        if (chance_one_in(c, 4))
            stow_buf_printf(to,
                            ",{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":"
                            "[\"n%03u\"]}",
                            chance_below(c, 6));
        stow_buf_text(to, "]}");
        return;
    }
    stow_buf_text(to, "{\"matchExpressions\":[");
    if (chance_one_in(c, 4))
        stow_buf_printf(to, "{\"key\":\"cores\",\"operator\":\"%s\",\"values\":[\"%s\"]}",
                        PICK(c, "Gt", "Lt"), PICK(c, "8", "32", "4"));
    else
        write_requirement(to, c, PICK(c, "pool", "disk", "rack"), PICK(c, "p0", "ssd", "r1"),
                          PICK(c, "p1", "hdd", "r0"));
    if (chance_one_in(c, 3)) {
        stow_buf_text(to, ",");
        write_requirement(to, c, "pool", PICK(c, "p0", "p1", "p2"), "p1");
    }
    stow_buf_text(to, "]}");
}

static void write_node_affinity(struct stow_buf *to, struct chance *c)
{
    bool required = chance_one_in(c, 2);

    stow_buf_text(to, "\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[");
    for (uint32_t i = 0, n = required ? chance_below(c, 3) : 1 + chance_below(c, 2); i < n; i++) {
        stow_buf_printf(to, "%s{\"weight\":%u,\"preference\":", i ? "," : "",
                        1 + chance_below(c, 100));
        write_node_term(to, c);
        stow_buf_text(to, "}");
    }
    stow_buf_text(to, "]");
    if (required) {
        stow_buf_text(to, ",\"requiredDuringSchedulingIgnoredDuringExecution\":"
                          "{\"nodeSelectorTerms\":[");
        for (uint32_t i = 0, n = 1 + chance_below(c, 2); i < n; i++) {
            stow_buf_text(to, i ? "," : "");
            write_node_term(to, c);
        }
        stow_buf_text(to, "]}");
    }
    stow_buf_text(to, "}");
}

/* Absent, null, empty, labels, expressions. */
static void write_selector(struct stow_buf *to, struct chance *c, const char *name)
{
    uint32_t how = chance_below(c, 12);

    if (how == 0)
        return;
    if (how == 1)
        stow_buf_printf(to, ",\"%s\":null", name);
    else if (how == 2)
        stow_buf_printf(to, ",\"%s\":{}", name);
    else if (how < 5) {
        stow_buf_printf(to, ",\"%s\":{\"matchExpressions\":[", name);
        write_requirement(to, c, PICK(c, "app", "tier"), PICK(c, "a", "1"), PICK(c, "b", "0"));
        stow_buf_text(to, "]}");
    } else
        stow_buf_printf(to, ",\"%s\":{\"matchLabels\":{\"app\":\"%s\"}}", name,
                        PICK(c, "a", "b", "c"));
}

static void write_key(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to, "\"topologyKey\":\"%s\"",
                    PICK(c, "kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack",
                         "topology.kubernetes.io/zone"));
}

static void write_constraint(struct stow_buf *to, struct chance *c)
{
    bool hard = chance_one_in(c, 2);

    stow_buf_text(to, "{");
    write_key(to, c);
    stow_buf_printf(to, ",\"maxSkew\":%u,\"whenUnsatisfiable\":\"%s\"", 1 + chance_below(c, 3),
                    hard ? "DoNotSchedule" : "ScheduleAnyway");
    write_selector(to, c, "labelSelector");
    if (hard && chance_one_in(c, 4))
        stow_buf_printf(to, ",\"minDomains\":%u", 1 + chance_below(c, 5));
    if (chance_one_in(c, 4))
        stow_buf_text(to, ",\"matchLabelKeys\":[\"tier\",\"none\"]");
    if (chance_one_in(c, 3))
        member(to, "nodeAffinityPolicy", PICK(c, "Ignore", "Honor"));
    if (chance_one_in(c, 3))
        member(to, "nodeTaintsPolicy", PICK(c, "Ignore", "Honor"));
    stow_buf_text(to, "}");
}

static void write_term(struct stow_buf *to, struct chance *c)
{
    stow_buf_text(to, "{");
    write_key(to, c);
    write_selector(to, c, "labelSelector");
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"namespaces\":[\"ns%u\"]", chance_below(c, 3));
    if (chance_one_in(c, 6))
        stow_buf_text(to, ",\"namespaceSelector\":{}");
    else if (chance_one_in(c, 5)) {
        stow_buf_text(to, ",\"namespaceSelector\":{\"matchExpressions\":[");
        write_requirement(to, c, "team", "a", "b");
        stow_buf_text(to, "]}");
    }
    if (chance_one_in(c, 8))
        stow_buf_text(to, ",\"matchLabelKeys\":[\"tier\"]");
    else if (chance_one_in(c, 8))
        stow_buf_text(to, ",\"mismatchLabelKeys\":[\"tier\"]");
    stow_buf_text(to, "}");
}

static void write_pod_terms(struct stow_buf *to, struct chance *c, const char *name)
{
    stow_buf_printf(to, "\"%s\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[", name);
    for (uint32_t n = chance_one_in(c, 2) ? chance_below(c, 3) : 0, i = 0; i < n; i++) {
        stow_buf_text(to, i ? "," : "");
        write_term(to, c);
    }
    stow_buf_text(to, "],\"preferredDuringSchedulingIgnoredDuringExecution\":[");
    for (uint32_t n = chance_one_in(c, 2) ? chance_below(c, 3) : 0, i = 0; i < n; i++) {
        stow_buf_printf(to, "%s{\"weight\":%u,\"podAffinityTerm\":", i ? "," : "",
                        1 + chance_below(c, 100));
        write_term(to, c);
        stow_buf_text(to, "}");
    }
    stow_buf_text(to, "]}");
}

static void write_affinity(struct stow_buf *to, struct chance *c, bool between_pods)
{
    stow_buf_text(to, ",\"affinity\":{");
    if (chance_one_in(c, 3)) {
        write_node_affinity(to, c);
        stow_buf_text(to, between_pods ? "," : "");
    }
    if (between_pods) {
        write_pod_terms(to, c, "podAffinity");
        stow_buf_text(to, ",");
        write_pod_terms(to, c, "podAntiAffinity");
    }
    stow_buf_text(to, "}");
}

static void write_tolerations(struct stow_buf *to, struct chance *c)
{
    stow_buf_text(to, ",\"tolerations\":[");
    for (uint32_t n = 1 + chance_below(c, 2), i = 0; i < n; i++) {
        bool exists = chance_one_in(c, 2);

        stow_buf_printf(to, "%s{\"operator\":\"%s\"", i ? "," : "", exists ? "Exists" : "Equal");
        if (!exists || !chance_one_in(c, 3))
            member(to, "key",
                   PICK(c, "dedicated", "slow", "flaky", "node.kubernetes.io/unschedulable"));
        if (!exists)
            member(to, "value", PICK(c, "gpu", "", "x"));
        maybe(to, c, 2, "effect", PICK(c, "NoSchedule", "PreferNoSchedule", "NoExecute"));
        stow_buf_text(to, "}");
    }
    stow_buf_text(to, "]");
}

static void write_spread(struct stow_buf *to, struct chance *c)
{
    stow_buf_text(to, ",\"topologySpreadConstraints\":[");
    for (uint32_t n = 1 + chance_below(c, 2), i = 0; i < n; i++) {
        stow_buf_text(to, i ? "," : "");
        write_constraint(to, c);
    }
    stow_buf_text(to, "]");
}

/* One disk that the pod names itself. */
static void write_disk(struct stow_buf *to, struct chance *c)
{
    const char *read_only = PICK(c, "true", "false");

    switch (chance_below(c, 5)) {
    case 0:
        stow_buf_printf(to, "\"gcePersistentDisk\":{\"pdName\":\"d%u\",\"readOnly\":%s}",
                        chance_below(c, 2), read_only);
        break;
    case 1:
        stow_buf_printf(to, "\"awsElasticBlockStore\":{\"volumeID\":\"h%u\",\"readOnly\":%s}",
                        chance_below(c, 4), read_only);
        break;
    case 2:
        stow_buf_printf(to, "\"iscsi\":{\"iqn\":\"q%u\",\"readOnly\":%s}", chance_below(c, 2),
                        read_only);
        break;
    case 3:
        stow_buf_printf(to,
                        "\"rbd\":{\"image\":\"i\",\"monitors\":[\"m%u\",\"m%u\"],\"pool\":\"%s\","
                        "\"readOnly\":%s}",
                        chance_below(c, 3), chance_below(c, 3), PICK(c, "rbd", "p"), read_only);
        break;
    default:
        stow_buf_text(to, "\"emptyDir\":{}");
    }
}

static void write_pod_volume(struct stow_buf *to, struct chance *c, uint32_t number)
{
    stow_buf_printf(to, "%s{\"name\":\"v%u\",", number ? "," : "", number);
    if (chance_one_in(c, 4))
        write_disk(to, c);
    else if (chance_one_in(c, 4))
        stow_buf_printf(to, "\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{%s}}}",
                        PICK(c, "\"storageClassName\":\"first\"", "", "\"storageClassName\":\"\""));
    else
        stow_buf_printf(to, "\"persistentVolumeClaim\":{\"claimName\":\"claim%u\"}",
                        chance_below(c, 7));
    stow_buf_text(to, "}");
}

static void write_pod_volumes(struct stow_buf *to, struct chance *c)
{
    struct chance own = {c->state * 3 + 1}; /* so that what else a seed says stays as it was */

    if (chance_one_in(c, 12))
        (void)chance_next(c);
    if (!chance_one_in(&own, 4))
        return;
    stow_buf_text(to, ",\"volumes\":[");
    for (uint32_t i = 0, count = 1 + chance_below(&own, 3); i < count; i++)
        write_pod_volume(to, &own, i);
    stow_buf_text(to, "]");
}

static void write_pod_devices(struct stow_buf *to, const struct chance *c)
{
    struct chance own = {c->state * 5 + 3};

    if (chance_one_in(&own, 10))
        stow_buf_printf(to, ",\"resourceClaims\":[{\"name\":\"d\",\"%s\":\"device%u\"}]",
                        PICK(&own, "resourceClaimName", "resourceClaimName", "resourceClaimName",
                             "resourceClaimTemplateName"),
                        chance_below(&own, 6));
}

void random_pod_spec(struct stow_buf *to, struct chance *c, bool terms)
{
    if (chance_one_in(c, 4))
        write_containers(to, c, "initContainers", 1 + chance_below(c, 2));
    write_containers(to, c, "containers", 1 + chance_below(c, 2));
    stow_buf_text(to, "\"schedulerName\":\"default-scheduler\"");
    write_pod_devices(to, c);
    write_pod_amounts(to, c);
    if (chance_one_in(c, 8))
        stow_buf_printf(to, ",\"nodeSelector\":{\"pool\":\"p%u\"}", chance_below(c, 3));
    if (!chance_one_in(c, 3))
        write_tolerations(to, c);
    write_pod_volumes(to, c);
    if (terms && chance_one_in(c, 2))
        write_spread(to, c);
    if (chance_one_in(c, 2))
        write_affinity(to, c, terms);
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"priority\":%d", (int)chance_below(c, 4) * 500 - 500);
}

/* ---- pods -------------------------------------------------------------------------------- */

void random_pod_meta(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to, "\"labels\":{\"app\":\"%s\"", PICK(c, "a", "b", "c"));
    maybe(to, c, 2, "tier", PICK(c, "0", "1"));
    stow_buf_text(to, "},\"annotations\":{\"note\":\"y\"");
    maybe(to, c, 5, "ultron.io/disk-type", PICK(c, "SSD", "HDD", ""));
    maybe(to, c, 5, "ultron.io/network-type", PICK(c, "isolated", "shared"));
    maybe(to, c, 5, "ultron.io/workload-priority", PICK(c, "PriorityHigh", "PriorityLow", "x"));
    maybe(to, c, 8, "ultron.io/priority", PICK(c, "true", "false"));
    maybe(to, c, 6, "ultron.io/storage-size-gb", PICK(c, "1", "2.5", "30", "big"));
    stow_buf_text(to, "}");
}

struct pod {
    uint32_t number;
    int node; /* -1: pending */
    uint64_t sort;
    bool terms;
};

static void write_pod(struct stow_buf *to, struct chance *c, const struct pod *pod)
{
    struct chance same = {pod->sort}, meta = {pod->sort + 1};

    stow_buf_printf(to,
                    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p%03u\","
                    "\"namespace\":\"ns%u\",",
                    pod->number,
                    chance_one_in(c, 3) ? chance_below(c, 3) : (uint32_t)(pod->sort & 1));
    random_pod_meta(to, chance_one_in(c, 4) ? c : &meta);
    if (chance_one_in(c, 12))
        member(to, "deletionTimestamp", "2026-11-01T00:00:00Z");
    if (chance_one_in(c, 2))
        stow_buf_printf(to, ",\"creationTimestamp\":\"2026-10-0%uT00:00:00Z\"",
                        1 + chance_below(c, 5));
    if (chance_one_in(c, 3))
        stow_buf_printf(to,
                        ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"%s\","
                        "\"name\":\"w%u\",\"uid\":\"u\",\"controller\":true}]",
                        PICK(c, "ReplicaSet", "StatefulSet", "Job"), chance_below(c, 2));
    stow_buf_text(to, "},\"spec\":{");
    if (pod->node >= 0)
        stow_buf_printf(to, "\"nodeName\":\"n%03d\",", pod->node);
    if (pod->node < 0 && chance_one_in(c, 25))
        stow_buf_text(to, "\"schedulingGates\":[{\"name\":\"wait\"}],");
    random_pod_spec(to, &same, pod->terms);
    stow_buf_printf(to, "},\"status\":{\"phase\":\"%s\"}}",
                    pod->node < 0          ? "Pending"
                    : chance_one_in(c, 12) ? PICK(c, "Succeeded", "Failed")
                                           : "Running");
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void write_workload(struct random_cluster *k, struct chance *c, const char *kind,
                           uint32_t number, bool terms)
{
    struct stow_buf *to = random_cluster_add(k);
    struct chance same = {chance_next(c)};

    stow_buf_printf(to,
                    "{\"kind\":\"%s\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"w%u\","
                    "\"namespace\":\"ns%u\",\"creationTimestamp\":\"2026-10-03T00:00:00Z\"},"
                    "\"spec\":{\"replicas\":%u",
                    kind, number, chance_below(c, 3),
                    chance_one_in(c, 3) ? 1 + chance_below(c, 4) : 0);
    write_selector(to, c, "selector");
    stow_buf_text(to, ",\"template\":{\"metadata\":{");
    random_pod_meta(to, &same);
    stow_buf_text(to, "},\"spec\":{");
    random_pod_spec(to, &same, terms);
    stow_buf_text(to, "}}}}");
}

static void write_volume(struct random_cluster *k, struct chance *c, uint32_t number)
{
    struct stow_buf *to = random_cluster_add(k);

    stow_buf_printf(to,
                    "{\"kind\":\"PersistentVolume\",\"apiVersion\":\"v1\",\"metadata\":"
                    "{\"name\":\"pv%u\",\"labels\":{\"x\":\"y\"",
                    number);
    maybe(to, c, 3, "topology.kubernetes.io/zone", PICK(c, "x", "y", "x__z"));
    maybe(to, c, 6, "topology.kubernetes.io/region", "here");
    stow_buf_text(to, "}},\"spec\":{\"x\":\"y\"");
    if (chance_one_in(c, 3))
        stow_buf_printf(to, ",\"awsElasticBlockStore\":{\"volumeID\":\"h%u\"}", chance_below(c, 4));
    else
        stow_buf_printf(to, ",\"csi\":{\"driver\":\"%s\",\"volumeHandle\":\"h%u\"}",
                        PICK(c, "d0", "ebs.csi.aws.com", "free"), chance_below(c, 8));
    if (chance_one_in(c, 4)) {
        stow_buf_text(to, ",\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[");
        write_node_term(to, c);
        stow_buf_text(to, "]}}");
    }
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"storageClassName\":\"%s\"", PICK(c, "first", "old"));
    if (chance_one_in(c, 2))
        stow_buf_text(to, ",\"claimRef\":{\"name\":\"other\"}");
    stow_buf_text(to, "}}");
}

static void write_claim(struct random_cluster *k, struct chance *c, uint32_t number,
                        uint32_t namespace)
{
    struct stow_buf *to = random_cluster_add(k);

    stow_buf_printf(to,
                    "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":"
                    "{\"name\":\"claim%u\",\"namespace\":\"ns%u\"",
                    number, namespace);
    if (chance_one_in(c, 12))
        stow_buf_text(to, ",\"deletionTimestamp\":\"2025-01-01T00:00:00Z\"");
    if (chance_one_in(c, 8))
        stow_buf_printf(to, ",\"annotations\":{\"volume.kubernetes.io/selected-node\":\"n%03u\"}",
                        chance_below(c, k->nodes));
    stow_buf_text(to, "},\"spec\":{\"x\":\"y\"");
    if (!chance_one_in(c, 3))
        stow_buf_printf(to, ",\"volumeName\":\"pv%u\"", number);
    if (!chance_one_in(c, 4))
        stow_buf_printf(to, ",\"storageClassName\":\"%s\"",
                        PICK(c, "first", "first", "old", "now", "", "unknown"));
    if (chance_one_in(c, 5))
        stow_buf_text(to, ",\"accessModes\":[\"ReadWriteOncePod\"]");
    stow_buf_text(to, "}");
    if (chance_one_in(c, 2))
        stow_buf_text(to, ",\"status\":{\"phase\":\"Pending\"}");
    stow_buf_text(to, "}");
}

/* An ephemeral volume of a pod whose claim is there. */
static void write_own_claim(struct random_cluster *k, struct chance *c)
{
    stow_buf_printf(random_cluster_add(k),
                    "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":"
                    "{\"name\":\"p%03u-v%u\",\"namespace\":\"ns%u\"},\"spec\":{\"volumeName\":"
                    "\"pv%u\"}}",
                    chance_below(c, 40), chance_below(c, 2), chance_below(c, 2),
                    chance_below(c, 7));
}

static void write_topologies(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to,
                    ",\"allowedTopologies\":[{\"matchLabelExpressions\":[{\"key\":"
                    "\"topology.kubernetes.io/zone\",\"values\":[\"%s\",\"%s\"]}]}",
                    PICK(c, "x", "y", "z"), PICK(c, "x", "y", "z"));
    if (chance_one_in(c, 3))
        stow_buf_printf(to,
                        ",{\"matchLabelExpressions\":[{\"key\":\"rack\",\"values\":[\"r%u\"]},"
                        "{\"key\":\"topology.kubernetes.io/zone\",\"values\":[\"z\"]}]}",
                        chance_below(c, 3));
    stow_buf_text(to, "]");
}

static void write_classes(struct random_cluster *k, struct chance *c)
{
    static const struct {
        const char *name, *driver, *mode;
    } classes[] = {
        {"first", "d0", "WaitForFirstConsumer"},
        {"old", "kubernetes.io/aws-ebs", "WaitForFirstConsumer"},
        {"now", "d0", "Immediate"},
    };
    const uint32_t standard = chance_below(c, 4);

    for (uint32_t i = 0; i < 3; i++) {
        struct stow_buf *to = random_cluster_add(k);

        stow_buf_printf(
            to,
            "{\"kind\":\"StorageClass\",\"apiVersion\":\"storage.k8s.io/v1\",\"metadata\":"
            "{\"name\":\"%s\",\"annotations\":{\"storageclass.kubernetes.io/"
            "is-default-class\":\"%s\"}},\"provisioner\":\"%s\","
            "\"volumeBindingMode\":\"%s\"",
            classes[i].name, i == standard ? "true" : "false", classes[i].driver, classes[i].mode);
        if (chance_one_in(c, 3))
            write_topologies(to, c);
        stow_buf_text(to, "}");
    }
}

/* Most nodes agree on how much they take. */
static void write_csi_nodes(struct random_cluster *k, struct chance *c)
{
    const uint32_t usual = chance_below(c, 4);

    for (uint32_t i = 0; i < k->nodes; i++) {
        if (chance_one_in(c, 5))
            continue;
        stow_buf_printf(random_cluster_add(k),
                        "{\"kind\":\"CSINode\",\"apiVersion\":\"storage.k8s.io/v1\",\"metadata\":"
                        "{\"name\":\"n%03u\"},\"spec\":{\"drivers\":[{\"name\":\"free\"},{\"name\":"
                        "\"d0\",\"allocatable\":{\"count\":%u}},{\"name\":\"ebs.csi.aws.com\","
                        "\"allocatable\":{\"count\":%u}}]}}",
                        i, chance_one_in(c, 6) ? chance_below(c, 3) : usual, 1 + usual);
    }
}

static void write_volumes(struct random_cluster *k, struct chance *c)
{
    for (uint32_t i = 0; i < 7; i++) {
        write_volume(k, c, i);

        const uint32_t namespace = chance_below(c, 2);
        struct chance other = {c->state * 11 + i};

        write_claim(k, c, i, namespace);
        if (!chance_one_in(&other, 4)) /* few are missing */
            write_claim(k, &other, i, 1 - namespace);
    }
    for (uint32_t i = 0; i < 3; i++)
        write_own_claim(k, c);
    write_classes(k, c);
    if (!chance_one_in(c, 4))
        write_csi_nodes(k, c);
    for (uint32_t i = 0; i < 4; i++)
        stow_buf_printf(
            random_cluster_add(k),
            "{\"kind\":\"VolumeAttachment\",\"apiVersion\":\"storage.k8s.io/v1\","
            "\"metadata\":{\"name\":\"a%u\"},\"spec\":{\"attacher\":\"%s\",\"nodeName\":"
            "\"n%03u\",\"source\":{\"persistentVolumeName\":\"pv%u\"}}}",
            i, PICK(c, "d0", "ebs.csi.aws.com"), chance_below(c, k->nodes), chance_below(c, 8));
}

/* device0 is in use by all it takes, device1 is going, device2 is not allocated. */
static void write_device(struct random_cluster *k, struct chance *c, uint32_t number)
{
    struct stow_buf *to = random_cluster_add(k);

    stow_buf_printf(
        to,
        "{\"kind\":\"ResourceClaim\",\"apiVersion\":\"resource.k8s.io/v1\",\"metadata\":"
        "{\"name\":\"device%u\",\"namespace\":\"ns%u\"%s},\"status\":{",
        number, chance_below(c, 2),
        number == 1 ? ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"" : "");
    stow_buf_text(to, number == 2 ? "" : "\"allocation\":{");
    if (number > 3) {
        stow_buf_text(to, "\"nodeSelector\":{\"nodeSelectorTerms\":[");
        write_node_term(to, c);
        stow_buf_text(to, "]}");
    }
    stow_buf_text(to, number == 2 ? "\"reservedFor\":[" : "},\"reservedFor\":[");
    for (uint32_t i = 0; i < (number ? 1 : 255 + chance_below(c, 2)); i++)
        stow_buf_printf(to, "%s{\"resource\":\"pods\"}", i ? "," : "");
    stow_buf_text(to, "]}}");
}

static void write_devices(struct random_cluster *k, const struct chance *c)
{
    struct chance own = {c->state * 7 + 1};

    for (uint32_t i = 0; i < 6; i++)
        write_device(k, &own, i);
}

static void write_others(struct random_cluster *k, struct chance *c, bool terms)
{
    for (uint32_t i = 0; i < 2; i++) /* ns2 has no object */
        stow_buf_printf(random_cluster_add(k),
                        "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                        "\"ns%u\",\"labels\":{\"team\":\"%c\"}}}",
                        i, 'a' + (char)i);
    for (uint32_t i = 0; i < 2; i++)
        stow_buf_printf(random_cluster_add(k),
                        "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                        "\"s%u\",\"namespace\":\"ns%u\"},\"spec\":{\"selector\":{%s}}}",
                        i, chance_below(c, 2),
                        PICK(c, "\"app\":\"a\"", "\"app\":\"b\"", "\"tier\":\"1\"", ""));
    write_workload(k, c, PICK(c, "ReplicaSet", "Deployment"), 0, terms);
    write_workload(k, c, PICK(c, "StatefulSet", "ReplicaSet"), 1, terms);
    write_volumes(k, c);
    write_devices(k, c);
}

void random_cluster_make(struct random_cluster *ret, uint64_t seed, struct random_wishes wishes)
{
    struct chance c = {seed};
    uint32_t pods = wishes.running + wishes.pending;

    if (wishes.nodes == 0 || wishes.specs == 0)
        abort();
    memset(ret, 0, sizeof(*ret));
    for (uint32_t i = 0; i < wishes.nodes; i++)
        write_node(random_cluster_add(ret), &c, seed & 1 ? wishes.nodes - 1 - i : i);
    ret->nodes = wishes.nodes;
    for (uint32_t i = 0; i < pods; i++) {
        bool running = i < wishes.running;
        struct pod pod = {
            .number = i,
            .node = running ? (int)chance_below(&c, wishes.nodes) : -1,
            .sort = (seed * 1000003 + chance_below(&c, wishes.specs)) * 8,
            .terms = wishes.late_terms ? !running && i + 3 > pods : !wishes.plain,
        };

        if (wishes.late_terms && pod.terms)
            pod.sort += 4; /* of a sort of its own */
        write_pod(random_cluster_add(ret), &c, &pod);
    }
    write_others(ret, &c, !wishes.plain && !wishes.late_terms);
}

void random_cluster_done(struct random_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++)
        stow_buf_done(&cluster->object[i]);
    free(cluster->object);
}

/* ---- loading ----------------------------------------------------------------------------- */

static void shuffle(struct chance *c, uint32_t *order, uint32_t from, uint32_t count)
{
    for (uint32_t i = count; i > from + 1; i--) {
        uint32_t other = from + chance_below(c, i - from), kept = order[i - 1];

        order[i - 1] = order[other];
        order[other] = kept;
    }
}

struct stow_snapshot *random_cluster_load(const struct random_cluster *cluster, struct chance *c)
{
    struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err;
    uint32_t *order = calloc(cluster->count + 1, sizeof(*order));

    if (!order)
        abort();
    for (uint32_t i = 0; i < cluster->count; i++)
        order[i] = i;
    if (c)
        shuffle(c, order, cluster->nodes, cluster->count);
    stow_buf_text(&text, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[");
    for (uint32_t i = 0; i < cluster->count; i++) {
        stow_buf_text(&text, i ? "," : "");
        stow_buf_add(&text, stow_buf_str(&cluster->object[order[i]]));
    }
    stow_buf_text(&text, "]}");
    if (stow_snapshot_load_text("random.json", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%u:%u: %s", err.line, err.col, err.msg);
    stow_buf_done(&text);
    free(order);
    return s;
}

static uint64_t name_hash(const char *name)
{
    uint64_t hash = 1469598103934665603u;

    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 1099511628211u;
    return hash;
}

struct stow_node_money *random_money(const struct stow_snapshot *s, uint64_t seed)
{
    static const stow_nano price[] = {100000000, 30000000, 96000000, 0, 192000000, 96000000};
    struct stow_node_money *money = calloc(s->nodes + 1, sizeof(*money));

    if (!money)
        abort();
    for (stow_node_id i = 0; i < s->nodes; i++) {
        struct chance c = {seed ^ name_hash(s->node[i].name)};

        money[i] = (struct stow_node_money){
            .price = chance_one_in(&c, 6) ? STOW_MONEY_UNKNOWN : price[chance_below(&c, 6)],
            .median = chance_one_in(&c, 6) ? STOW_MONEY_UNKNOWN : price[chance_below(&c, 6)],
            .on_demand = chance_one_in(&c, 6) ? STOW_MONEY_UNKNOWN : price[chance_below(&c, 6)],
            .rate = chance_one_in(&c, 5) ? -1 : (int64_t)chance_below(&c, 5) * 50000000,
            .capacity_type = chance_one_in(&c, 2) ? STOW_CAPACITY_SPOT : STOW_CAPACITY_ON_DEMAND,
        };
    }
    return money;
}
