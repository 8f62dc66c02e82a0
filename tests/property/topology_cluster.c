/* topology_cluster.c - random small clusters with spread constraints, affinity and anti-affinity of
 * every sort: absent, null and empty selectors, nodes without labels and with empty ones, pods that
 * are being deleted or have ended, namespaces without an object. */
#include <stowage/snapshot.h>

#include "base/str.h"
#include "tests/property/topology.h"

#define PODS_MAX 40

static const char *const keys[] = {"kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"};

static void write_labels(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to, "\"labels\":{\"app\":\"%c\"", 'a' + (char)chance_below(c, 3));
    if (chance_one_in(c, 2))
        stow_buf_printf(to, ",\"tier\":\"%u\"", chance_below(c, 2));
    stow_buf_text(to, "}");
}

static void write_node(struct stow_buf *to, struct chance *c, uint32_t i)
{
    stow_buf_printf(to,
                    "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n%02u\","
                    "\"labels\":{\"pool\":\"%u\"",
                    i, chance_below(c, 2));
    if (!chance_one_in(c, 8)) /* now and then two nodes with one name, or none */
        stow_buf_printf(to, ",\"%s\":\"n%02u\"", keys[0], chance_one_in(c, 9) ? 0 : i);
    if (!chance_one_in(c, 6))
        stow_buf_printf(to, ",\"%s\":\"%s\"", keys[1],
                        chance_one_in(c, 8) ? ""
                                            : (const char *[]){"x", "y", "z"}[chance_below(c, 3)]);
    if (!chance_one_in(c, 3))
        stow_buf_printf(to, ",\"%s\":\"r%u\"", keys[2], chance_below(c, 4));
    stow_buf_text(to, "}},\"spec\":{");
    if (chance_one_in(c, 4))
        stow_buf_text(to, "\"taints\":[{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}]");
    stow_buf_text(to, "},\"status\":{\"allocatable\":{\"cpu\":\"9\",\"pods\":\"99\"}}},");
}

static void write_requirement(struct stow_buf *to, struct chance *c, const char *key,
                              const char *value)
{
    static const char *const op[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    uint32_t which = chance_below(c, 4);

    stow_buf_printf(to, "{\"key\":\"%s\",\"operator\":\"%s\"", key, op[which]);
    if (which < 2)
        stow_buf_printf(to, ",\"values\":[\"%s\"%s]", value, chance_one_in(c, 3) ? ",\"b\"" : "");
    stow_buf_text(to, "}");
}

/* Absent, null, empty, labels, expressions. */
static void write_selector(struct stow_buf *to, struct chance *c, const char *name)
{
    switch (chance_below(c, 10)) {
    case 0:
        return;
    case 1:
        stow_buf_printf(to, ",\"%s\":null", name);
        return;
    case 2:
        stow_buf_printf(to, ",\"%s\":{}", name);
        return;
    case 3:
    case 4:
        stow_buf_printf(to, ",\"%s\":{\"matchExpressions\":[", name);
        write_requirement(to, c, chance_one_in(c, 2) ? "app" : "tier",
                          chance_one_in(c, 2) ? "a" : "1");
        stow_buf_text(to, "]}");
        return;
    default:
        stow_buf_printf(to, ",\"%s\":{\"matchLabels\":{\"app\":\"%c\"}}", name,
                        'a' + (char)chance_below(c, 3));
    }
}

static void write_constraint(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to, "{\"maxSkew\":%u,\"topologyKey\":\"%s\",\"whenUnsatisfiable\":\"%s\"",
                    1 + chance_below(c, 3), keys[chance_below(c, 3)],
                    chance_one_in(c, 2) ? "DoNotSchedule" : "ScheduleAnyway");
    write_selector(to, c, "labelSelector");
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"minDomains\":%u", 1 + chance_below(c, 5));
    if (chance_one_in(c, 4))
        stow_buf_text(to, ",\"matchLabelKeys\":[\"tier\",\"none\"]");
    if (chance_one_in(c, 3))
        stow_buf_text(to, ",\"nodeAffinityPolicy\":\"Ignore\"");
    if (chance_one_in(c, 3))
        stow_buf_text(to, ",\"nodeTaintsPolicy\":\"Honor\"");
    stow_buf_text(to, "}");
}

static void write_term(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to, "{\"topologyKey\":\"%s\"", keys[chance_below(c, 3)]);
    write_selector(to, c, "labelSelector");
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"namespaces\":[\"ns%u\"]", chance_below(c, 3));
    if (chance_one_in(c, 6))
        stow_buf_text(to, ",\"namespaceSelector\":{}");
    else if (chance_one_in(c, 4)) {
        stow_buf_text(to, ",\"namespaceSelector\":{\"matchExpressions\":[");
        write_requirement(to, c, "team", "a");
        stow_buf_text(to, "]}");
    }
    stow_buf_text(to, "}");
}

static void write_terms(struct stow_buf *to, struct chance *c, const char *name)
{
    stow_buf_printf(to, "\"%s\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[", name);
    for (uint32_t i = chance_below(c, 3), n = 0; n < i; n++) {
        stow_buf_text(to, n ? "," : "");
        write_term(to, c);
    }
    stow_buf_text(to, "],\"preferredDuringSchedulingIgnoredDuringExecution\":[");
    for (uint32_t i = chance_below(c, 3), n = 0; n < i; n++) {
        stow_buf_printf(to, "%s{\"weight\":%u,\"podAffinityTerm\":", n ? "," : "",
                        1 + chance_below(c, 100));
        write_term(to, c);
        stow_buf_text(to, "}");
    }
    stow_buf_text(to, "]}");
}

static void write_spec(struct stow_buf *to, struct chance *c)
{
    stow_buf_text(to, "\"containers\":[{\"name\":\"c\"}]");
    if (chance_one_in(c, 5))
        stow_buf_text(to, ",\"nodeSelector\":{\"pool\":\"1\"}");
    if (chance_one_in(c, 3))
        stow_buf_text(to, ",\"tolerations\":[{\"operator\":\"Exists\"}]");
    if (chance_one_in(c, 2)) {
        stow_buf_text(to, ",\"topologySpreadConstraints\":[");
        for (uint32_t i = 1 + chance_below(c, 3), n = 0; n < i; n++) {
            stow_buf_text(to, n ? "," : "");
            write_constraint(to, c);
        }
        stow_buf_text(to, "]");
    }
    if (chance_one_in(c, 2)) {
        stow_buf_text(to, ",\"affinity\":{");
        write_terms(to, c, "podAffinity");
        stow_buf_text(to, ",");
        write_terms(to, c, "podAntiAffinity");
        stow_buf_text(to, "}");
    }
}

/* A pod of one of a few specs, so that some are alike. */
static void write_pod(struct stow_buf *to, struct chance *c, uint32_t i, uint32_t nodes,
                      uint64_t seed)
{
    struct chance same = {seed * 31 + chance_below(c, 6)};

    stow_buf_printf(to,
                    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p%02u\","
                    "\"namespace\":\"ns%u\",",
                    i, chance_below(c, 3));
    write_labels(to, chance_one_in(c, 2) ? c : &same);
    if (chance_one_in(c, 9))
        stow_buf_text(to, ",\"deletionTimestamp\":\"2026-11-01T00:00:00Z\"");
    if (chance_one_in(c, 2))
        stow_buf_printf(to,
                        ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
                        "\"name\":\"rs%u\",\"uid\":\"u\",\"controller\":true}]",
                        chance_below(c, 2));
    stow_buf_text(to, "},\"spec\":{");
    if (chance_one_in(c, 2))
        stow_buf_printf(to, "\"nodeName\":\"n%02u\",", chance_below(c, nodes));
    write_spec(to, &same);
    stow_buf_printf(to, "},\"status\":{\"phase\":\"%s\"}},",
                    chance_one_in(c, 12) ? "Succeeded" : "Running");
}

static void write_others(struct stow_buf *to, struct chance *c)
{
    for (uint32_t i = 0; i < 2; i++) /* ns2 has no object */
        stow_buf_printf(to,
                        "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                        "\"ns%u\",\"labels\":{\"team\":\"%c\"}}},",
                        i, 'a' + (char)i);
    for (uint32_t i = 0; i < 2; i++) {
        stow_buf_printf(
            to,
            "{\"kind\":\"ReplicaSet\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":"
            "\"rs%u\",\"namespace\":\"ns%u\"},\"spec\":{\"replicas\":0",
            i, i);
        write_selector(to, c, "selector");
        stow_buf_text(to, "}},");
    }
    stow_buf_printf(to,
                    "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\","
                    "\"namespace\":\"ns0\"},\"spec\":{\"selector\":{\"app\":\"%c\"}}}]}",
                    'a' + (char)chance_below(c, 3));
}

struct stow_snapshot *topology_cluster(struct chance *c, uint64_t seed)
{
    struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err;
    uint32_t nodes = 1 + chance_below(c, TOPOLOGY_NODES_MAX), pods = 1 + chance_below(c, PODS_MAX);

    stow_buf_text(&text, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[");
    for (uint32_t i = 0; i < nodes; i++)
        write_node(&text, c, i);
    for (uint32_t i = 0; i < pods; i++)
        write_pod(&text, c, i, nodes, seed);
    write_others(&text, c);
    if (stow_snapshot_load_text("random.json", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%s", err.msg);
    stow_buf_done(&text);
    return s;
}
