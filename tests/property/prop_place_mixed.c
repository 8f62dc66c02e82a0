/* prop_place_mixed.c - workloads with rules of every sort, their pods mixed up, on clusters in
 * order.
 *
 * prop_place.c has small clusters where anything may be odd.  The ways in which the engine is fast
 * need the opposite: nodes that all have cpu, memory and their labels, many classes that come
 * back after others had their turn, workloads large enough to be on many nodes.  Every decision
 * is held against judging every node in full, components included. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "place/engine/engine.h"
#include "place/judge.h"
#include "place/place.h"
#include "tests/property/place_random.h"

#define SCORERS_MAX 32

struct wishes {
    uint32_t nodes, pods, workloads;
    bool round;      /* amounts are round numbers: fractions are whole percentages */
    bool only_hosts; /* every workload looks at single nodes */
};

/* ---- the cluster ------------------------------------------------------------------------- */

/* What all nodes have in common. */
struct land {
    uint32_t zones, racks;
    bool lacks_zone; /* one node has none */
    bool twin_hosts; /* two nodes have one host name */
    bool prefers;    /* some nodes have a taint that pods should avoid */
    uint32_t tight;  /* 1: nodes have room for few pods */
};

static void write_node(struct stow_buf *to, struct chance *c, const struct land *l,
                       const struct wishes *w, uint32_t i)
{
    const uint32_t cores = l->tight ? 2 + chance_below(c, 3) : 8u << chance_below(c, 3);
    const uint32_t odd = w->round ? 0 : chance_below(c, 900);

    stow_buf_printf(to,
                    "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n%04u\","
                    "\"labels\":{\"kubernetes.io/hostname\":\"h%04u\",\"rack\":\"r%u\"",
                    i, l->twin_hosts && i == 1 ? 0 : i, chance_below(c, l->racks));
    if (!l->lacks_zone || i)
        stow_buf_printf(to, ",\"topology.kubernetes.io/zone\":\"z%u\"", chance_below(c, l->zones));
    stow_buf_text(to, "}},\"spec\":{");
    if (l->prefers && chance_one_in(c, 3))
        stow_buf_text(to, "\"taints\":[{\"key\":\"k\",\"effect\":\"PreferNoSchedule\"}]");
    stow_buf_printf(to,
                    "},\"status\":{\"allocatable\":{\"cpu\":\"%um\",\"memory\":\"%uMi\",\"pods\":"
                    "\"%u\"}}},",
                    cores * 1000 - odd, cores * 4096 - odd, l->tight ? 4 : 110);
}

static void write_spread(struct stow_buf *to, struct chance *c, uint32_t workload, const char *key)
{
    stow_buf_printf(to,
                    "{\"maxSkew\":%u,\"topologyKey\":\"%s\",\"whenUnsatisfiable\":\"%s\","
                    "\"labelSelector\":{\"matchLabels\":{\"app\":\"w%u\"}}}",
                    1 + chance_below(c, 3), key,
                    chance_one_in(c, 2) ? "DoNotSchedule" : "ScheduleAnyway", workload);
}

static void write_spreads(struct stow_buf *to, struct chance *c, uint32_t workload, bool hosts)
{
    static const char *const keys[] = {"kubernetes.io/hostname", "topology.kubernetes.io/zone",
                                       "rack"};
    const uint32_t first = hosts ? 0 : chance_below(c, 3);

    stow_buf_text(to, "\"topologySpreadConstraints\":[");
    write_spread(to, c, workload, keys[first]);
    if (chance_one_in(c, 2)) {
        stow_buf_text(to, ",");
        write_spread(to, c, workload, keys[(first + 1) % 3]);
    }
    stow_buf_text(to, "],");
}

/* Terms about the workload itself, or about another one. */
static void write_affinity(struct stow_buf *to, struct chance *c, uint32_t workload,
                           uint32_t workloads, bool hosts)
{
    const uint32_t about = chance_one_in(c, 3) ? chance_below(c, workloads) : workload;
    const bool anti = chance_one_in(c, 2), required = chance_one_in(c, 2);
    const char *key = hosts || chance_one_in(c, 2) ? "kubernetes.io/hostname"
                      : chance_one_in(c, 3)        ? "rack"
                                                   : "topology.kubernetes.io/zone";

    stow_buf_printf(to,
                    "\"affinity\":{\"pod%sAffinity\":{\"%sDuringSchedulingIgnoredDuring"
                    "Execution\":[",
                    anti ? "Anti" : "", required ? "required" : "preferred");
    if (!required)
        stow_buf_printf(to, "{\"weight\":%u,\"podAffinityTerm\":", 1 + chance_below(c, 100));
    stow_buf_printf(to,
                    "{\"topologyKey\":\"%s\",\"labelSelector\":{\"matchLabels\":{\"app\":"
                    "\"w%u\"}}}%s]}},",
                    key, about, required ? "" : "}");
}

/* Ports and disks that only one pod of a node can have; a volume that only one pod can. */
static void write_extras(struct stow_buf *to, struct chance *c)
{
    if (chance_one_in(c, 6))
        stow_buf_printf(to,
                        "\"volumes\":[{\"name\":\"v\",\"awsElasticBlockStore\":{\"volumeID\":"
                        "\"d%u\"}}],",
                        chance_below(c, 3));
    if (chance_one_in(c, 6))
        stow_buf_text(to, "\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\"}],");
    if (chance_one_in(c, 8))
        stow_buf_text(to, "\"nodeSelector\":{\"rack\":\"r0\"},");
}

static void write_container(struct stow_buf *to, struct chance *c, const struct wishes *w)
{
    stow_buf_text(to, "\"containers\":[{\"name\":\"c\",\"image\":\"i\"");
    if (chance_one_in(c, 8))
        stow_buf_printf(to, ",\"ports\":[{\"containerPort\":80,\"hostPort\":%u}]",
                        80 + chance_below(c, 2));
    stow_buf_text(to, ",\"resources\":{\"requests\":{");
    if (!chance_one_in(c, 12))
        stow_buf_printf(to, "\"cpu\":\"%um\"",
                        w->round ? 40u << chance_below(c, 5) : 1 + chance_below(c, 900));
    else
        stow_buf_text(to, "\"cpu\":\"0\"");
    if (!chance_one_in(c, 12))
        stow_buf_printf(to, ",\"memory\":\"%u%s\"",
                        w->round ? 128u << chance_below(c, 4) : 1 + chance_below(c, 2000000),
                        w->round ? "Mi" : "Ki");
    stow_buf_text(to, "}}}]");
}

/* The spec of a workload: always the same for a seed. */
static void write_spec(struct stow_buf *to, const struct wishes *w, uint64_t seed,
                       uint32_t workload)
{
    struct chance c = {seed * 1000003 + workload};
    const uint32_t sort = w->only_hosts ? 1 + chance_below(&c, 2) : chance_below(&c, 4);

    if (sort == 1 || sort == 3)
        write_spreads(to, &c, workload, w->only_hosts);
    if (sort == 2 || sort == 3)
        write_affinity(to, &c, workload, w->workloads, w->only_hosts);
    if (!w->only_hosts)
        write_extras(to, &c);
    write_container(to, &c, w);
}

static void write_pod(struct stow_buf *to, struct chance *c, const struct wishes *w, uint64_t seed,
                      uint32_t i)
{
    const uint32_t workload = chance_below(c, w->workloads);
    const bool running = chance_one_in(c, 10);

    stow_buf_printf(to, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p%05u\",",
                    i);
    if (!chance_one_in(c, 4))
        stow_buf_printf(to, "\"creationTimestamp\":\"20%02u-11-%02uT00:00:%02uZ\",",
                        10 + chance_below(c, 3), 1 + chance_below(c, 28), chance_below(c, 60));
    stow_buf_printf(to, "\"labels\":{\"app\":\"w%u\"}},\"spec\":{", workload);
    if (chance_one_in(c, 3))
        stow_buf_printf(to, "\"priority\":%d,", (int)chance_below(c, 700) - 350);
    if (running)
        stow_buf_printf(to, "\"nodeName\":\"n%04u\",", chance_below(c, w->nodes));
    write_spec(to, w, seed, workload);
    stow_buf_printf(to, "},\"status\":{\"phase\":\"%s\"}}%s", running ? "Running" : "Pending",
                    i + 1 < w->pods ? "," : "");
}

static struct stow_snapshot *make_cluster(struct chance *c, const struct wishes *w, uint64_t seed)
{
    const struct land land = {
        .zones = 1 + chance_below(c, 4),
        .racks = chance_one_in(c, 3) ? 60 : 1 + chance_below(c, 6),
        .lacks_zone = chance_one_in(c, 8),
        .twin_hosts = chance_one_in(c, 8),
        .prefers = chance_one_in(c, 4),
        .tight = chance_one_in(c, 2),
    };
    struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    stow_buf_text(&text, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[");
    for (uint32_t i = 0; i < w->nodes; i++)
        write_node(&text, c, &land, w, i);
    for (uint32_t i = 0; i < w->pods; i++)
        write_pod(&text, c, w, seed, i);
    stow_buf_text(&text, "]}");
    if (stow_snapshot_load_text("mixed.json", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%u:%u: %s", err.line, err.col, err.msg);
    stow_buf_done(&text);
    return s;
}

/* ---- profiles ---------------------------------------------------------------------------- */

static bool open_profile(struct chance *c, struct stow_profiles *ret)
{
    static const char *const shipped[] = {"kube-default", "kube-default", "kube-default",
                                          "ultron",       "cheapest",     "gpu-cluster"};
    static const char *const own[] = {
        "{\"name\":\"balanced-allocation\",\"weight\":3,\"rules\":\"1.35\"}",
        ("{\"name\":\"least-allocated\",\"weight\":2,\"resources\":[{\"name\":\"cpu\",\"weight\":3}"
         ","
         "{\"name\":\"memory\",\"weight\":1}]}"),
        "{\"name\":\"balanced-allocation\",\"enabled\":false}",
        "{\"name\":\"topology-spread\",\"enabled\":false}",
        "{\"name\":\"inter-pod-affinity\",\"weight\":7}",
    };
    struct stow_buf text = {0};
    struct stow_err err = {0};
    bool good;

    if (!chance_one_in(c, 3)) {
        const char *name = shipped[chance_below(c, 6)];

        return stow_profiles_builtin(name, ret, &err) >= 0 || property_fails("%s", err.msg);
    }
    stow_buf_printf(&text,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"Policy\",\"metadata\":"
                    "{\"name\":\"own\"},\"spec\":{\"profile\":\"kube-default\",\"scorers\":[%s],"
                    "\"tieBreak\":[%s]}}",
                    own[chance_below(c, 5)],
                    chance_one_in(c, 2) ? "\"name\"" : "\"price\",\"input-order\",\"name\"");
    good = random_profile_read(&text, ret);
    stow_buf_done(&text);
    return good;
}

/* ---- decisions --------------------------------------------------------------------------- */

static bool same_components(struct stow_engine *engine, const struct stow_choice *choice,
                            const struct stow_judgement *j)
{
    double score[SCORERS_MAX];
    bool skipped[SCORERS_MAX];

    stow_engine_components(engine, choice, score, skipped);
    for (uint32_t i = 0; i < j->scorers; i++)
        if (skipped[i] != j->skipped[i] ||
            (!skipped[i] && score[i] != j->score[(size_t)i * j->nodes + choice->node]))
            return property_fails("scorer %u gives %.17g, the judge says %.17g", i, score[i],
                                  j->score[(size_t)i * j->nodes + choice->node]);
    return true;
}

static bool same_choice(struct stow_engine *engine, const struct stow_judgement *j, stow_pod_id pod,
                        bool components, stow_node_id *ret)
{
    struct stow_choice choice;
    struct stow_err err;

    if (stow_engine_decide(engine, pod, &choice, &err) < 0)
        return property_fails("%s", err.msg);
    *ret = choice.node;
    if (choice.node != j->best)
        return property_fails("the engine chose %d, the judge %d", (int)choice.node, (int)j->best);
    if (choice.node == STOW_NONE)
        return true;
    if (!(fabs(choice.total - j->node[j->best].total) <= 1e-9))
        return property_fails("the engine's total is %.17g, the judge's %.17g", choice.total,
                              j->node[j->best].total);
    return !components || same_components(engine, &choice, j);
}

static bool decide(struct stow_engine *engine, struct stow_state *state,
                   const struct stow_profiles *profiles, stow_pod_id pod, struct chance *c)
{
    const struct stow_subject subject = stow_subject_of(state->s, pod);
    struct stow_judgement judgement;
    struct stow_err err;
    stow_node_id node = STOW_NONE;

    if (stow_judge(state, &profiles->profile[0], &subject, &judgement, &err) < 0)
        return property_fails("%s", err.msg);

    bool good = same_choice(engine, &judgement, pod, chance_one_in(c, 4), &node) ||
                property_fails("pod %s", state->s->pod[pod].name);

    if (good && node != STOW_NONE)
        stow_engine_place(engine, pod, node);
    stow_judgement_done(&judgement);
    return good;
}

/* Highest priority first, then the oldest, then by id. */
static bool in_order(const struct stow_snapshot *s, const stow_pod_id *order, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct stow_pod *a = &s->pod[order[i - 1]], *b = &s->pod[order[i]];
        const bool good = a->priority != b->priority ? a->priority > b->priority
                          : a->created != b->created ? a->created < b->created
                                                     : order[i - 1] < order[i];

        if (!good)
            return property_fails("pod %s is decided before %s", a->name, b->name);
    }
    return true;
}

/* Now and then the next pod is announced, as placing does. */
static bool decide_all(struct stow_engine *engine, struct stow_state *state,
                       const struct stow_profiles *profiles, struct chance *c)
{
    stow_pod_id *order;
    uint32_t count;
    bool good = true;

    if (stow_place_order(state->s, &order, &count) < 0)
        return property_fails("out of memory");
    good = in_order(state->s, order, count);
    for (uint32_t i = 0; i < count && good; i++) {
        good = decide(engine, state, profiles, order[i], c);
        if (i + 1 < count && chance_one_in(c, 2))
            stow_engine_expect(engine, order[i + 1]);
    }
    free(order);
    return good;
}

static bool agrees(uint64_t seed, const struct wishes *w)
{
    struct chance c = {seed * 31 + 7};
    struct stow_snapshot *s = make_cluster(&c, w, seed);
    struct stow_node_money *money = s && chance_one_in(&c, 2) ? random_money(s, seed) : NULL;
    struct stow_profiles profiles = {0};
    struct stow_engine *engine = NULL;
    struct stow_state state;
    struct stow_err err = {0};
    bool good = s && open_profile(&c, &profiles);

    if (good && stow_state_init(&state, s, money, &err) < 0)
        good = property_fails("%s", err.msg);
    else if (good) {
        good = (stow_engine_new(&state, &profiles, &engine, &err) >= 0 ||
                property_fails("%s", err.msg)) &&
               decide_all(engine, &state, &profiles, &c);
        stow_engine_free(engine);
        stow_state_done(&state);
    }
    stow_profiles_done(&profiles);
    stow_snapshot_unref(s);
    free(money);
    return good;
}

/* ---- properties -------------------------------------------------------------------------- */

static bool mixed_workloads(uint64_t seed)
{
    struct chance c = {seed + 3};
    const struct wishes w = {
        .nodes = 5 + chance_below(&c, 60),
        .pods = 120 + chance_below(&c, 80),
        .workloads = 2 + chance_below(&c, 25),
        .round = chance_one_in(&c, 3),
    };

    return agrees(seed, &w);
}

/* More nodes than a part of a board has, and fewer changes than that. */
static bool large_clusters(uint64_t seed)
{
    struct chance c = {seed + 4};
    const struct wishes w = {
        .nodes = 1000 + chance_below(&c, 300),
        .pods = 120,
        .workloads = 2 + chance_below(&c, 30),
        .round = chance_one_in(&c, 3),
    };

    return agrees(seed, &w);
}

/* Workloads on more nodes than counters list. */
static bool crowded_hosts(uint64_t seed)
{
    struct chance c = {seed + 5};
    const struct wishes w = {
        .nodes = 330,
        .pods = 700,
        .workloads = 2,
        .round = chance_one_in(&c, 3),
        .only_hosts = true,
    };

    return agrees(seed, &w);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"mixed-workloads-are-placed-as-judged", mixed_workloads, 1500},
        {"large-clusters-are-placed-as-judged", large_clusters, 30},
        {"crowded-hosts-are-placed-as-judged", crowded_hosts, 12},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
