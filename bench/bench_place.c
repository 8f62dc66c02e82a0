/* bench_place.c - how fast pods are placed.
 *
 *     bench_place KIND NODES PODS CLASSES ORDER PROFILE
 *
 * KIND plain: pods that ask for cpu and memory; mixed: workloads of 50, a fifth each plain, zone
 * spread, host spread, zone affinity and host anti-affinity, with one running pod per node.
 * ORDER grouped: classes side by side in the queue; random: mixed up.  The time is that of deciding
 * alone; beside it the time of judging every node in full for some of the pods, the way without
 * classes.  Prints one line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <stowage/snapshot.h>

#include "base/str.h"
#include "place/money.h"
#include "place/place.h"
#include "price/pricing.h"

struct plan {
    const char *kind, *order, *profile;
    uint32_t nodes, pods, classes;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what, const struct stow_err *err)
{
    fprintf(stderr, "bench_place: %s: %s\n", what, err ? err->msg : "");
    return 1;
}

/* A small generator of its own, so that every machine makes the same cluster. */
static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* ---- the cluster ------------------------------------------------------------------------- */

/* 20 shapes: 8 to 64 cores, 2 to 8 GiB per core, three zones, some on spot. */
static void add_node(struct stow_buf *text, uint32_t i)
{
    static const char *const types[] = {"m5.2xlarge", "m5.4xlarge", "c5.4xlarge", "r5.4xlarge",
                                        "m5.12xlarge"};
    uint32_t shape = i % 20, cores = 8u << (shape % 4), gib = cores * (2 + shape / 4 * 3 / 2);

    stow_buf_printf(
        text,
        "%s{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node-%06u\","
        "\"labels\":{\"kubernetes.io/hostname\":\"node-%06u\","
        "\"topology.kubernetes.io/zone\":\"us-east-1%c\","
        "\"topology.kubernetes.io/region\":\"us-east-1\","
        "\"karpenter.sh/capacity-type\":\"%s\","
        "\"node.kubernetes.io/instance-type\":\"%s\"}},"
        "\"spec\":{\"providerID\":\"aws:///x/i-%u\"},"
        "\"status\":{\"allocatable\":{\"cpu\":\"%um\",\"memory\":\"%uMi\",\"pods\":\"110\"}}}",
        i ? "," : "", i, i, "abc"[i % 3], shape % 5 ? "on-demand" : "spot", types[shape % 5], i,
        cores * 1000 - 70, gib * 1024 - 700);
}

/* The kind of rule that a workload of the mixed case has. */
static void add_rule(struct stow_buf *text, uint32_t workload)
{
    switch (workload % 5) {
    case 1:
        stow_buf_printf(text,
                        "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":"
                        "\"topology.kubernetes.io/zone\",\"whenUnsatisfiable\":\"DoNotSchedule\","
                        "\"labelSelector\":{\"matchLabels\":{\"app\":\"w%u\"}}}],",
                        workload);
        break;
    case 2:
        stow_buf_printf(text,
                        "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":"
                        "\"kubernetes.io/hostname\",\"whenUnsatisfiable\":\"ScheduleAnyway\","
                        "\"labelSelector\":{\"matchLabels\":{\"app\":\"w%u\"}}}],",
                        workload);
        break;
    case 3:
    case 4:
        stow_buf_printf(
            text,
            "\"affinity\":{\"%s\":{\"requiredDuringSchedulingIgnoredDuringExecution\":["
            "{\"topologyKey\":\"%s\",\"labelSelector\":{\"matchLabels\":{\"app\":"
            "\"w%u\"}}}]}},",
            workload % 5 == 3 ? "podAffinity" : "podAntiAffinity",
            workload % 5 == 3 ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname", workload);
        break;
    default:
        break;
    }
}

static void add_pod(struct stow_buf *text, const struct plan *p, uint32_t i, uint32_t class,
                    uint64_t rank)
{
    static const uint32_t cpu[] = {50, 100, 150, 250, 300, 500, 700, 1000};
    bool mixed = strcmp(p->kind, "mixed") == 0;
    uint32_t amount = mixed ? class % 8 : class;

    stow_buf_printf(text,
                    ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p-%07u\","
                    "\"creationTimestamp\":\"2026-11-01T%02u:%02u:%02uZ\","
                    "\"labels\":{\"app\":\"w%u\"}},\"spec\":{",
                    i, (unsigned)(rank / 3600 % 24), (unsigned)(rank / 60 % 60),
                    (unsigned)(rank % 60), mixed ? class : class % 50);
    if (mixed)
        add_rule(text, class);
    stow_buf_printf(text,
                    "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{"
                    "\"cpu\":\"%um\",\"memory\":\"%uMi\"}}}]},\"status\":{\"phase\":\"Pending\"}}",
                    cpu[amount % 8], 64 + amount % 25 * 32 + amount / 25 * 5);
}

static void add_running(struct stow_buf *text, uint32_t i)
{
    stow_buf_printf(text,
                    ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"r-%07u\","
                    "\"labels\":{\"app\":\"running\"}},\"spec\":{\"nodeName\":\"node-%06u\","
                    "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"500m\","
                    "\"memory\":\"512Mi\"}}}]},\"status\":{\"phase\":\"Running\"}}",
                    i, i);
}

static void add_pods(struct stow_buf *text, const struct plan *p)
{
    bool random = strcmp(p->order, "random") == 0;
    uint64_t seed = 7;

    for (uint32_t i = 0; i < p->pods; i++) {
        uint32_t class = (uint32_t)((uint64_t)i * p->classes / p->pods);

        add_pod(text, p, i, class, random ? draw(&seed) % 86400 : class * 60 % 86400);
    }
}

static int make_cluster(const struct plan *p, struct stow_snapshot **ret)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_err err;

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < p->nodes; i++)
        add_node(&text, i);
    for (uint32_t i = 0; strcmp(p->kind, "mixed") == 0 && i < p->nodes; i++)
        add_running(&text, i);
    add_pods(&text, p);
    stow_buf_text(&text, "]}");
    if (text.failed)
        return fail("out of memory", NULL);
    return stow_snapshot_load_text("bench.json", text.ptr, text.len, NULL, ret, &err) < 0
               ? fail("loading", &err)
               : 0;
}

/* ---- measuring --------------------------------------------------------------------------- */

/* Every node in full, for a few pods: what a decision costs without classes. */
static double judge_some(struct stow_state *state, const struct stow_profiles *profiles)
{
    stow_pod_id *order;
    uint32_t count, some;
    struct stow_err err;

    if (stow_place_order(state->s, &order, &count) < 0)
        return 0;
    some = count < 50 ? count : 50;

    double start = now();

    for (uint32_t i = 0; i < some; i++) {
        struct stow_subject pod = stow_subject_of(state->s, order[(size_t)i * (count / some)]);
        struct stow_judgement judgement;

        if (stow_judge(state, &profiles->profile[0], &pod, &judgement, &err) >= 0)
            stow_judgement_done(&judgement);
    }

    double took = now() - start;

    free(order);
    return some / took;
}

static int measure(const struct plan *p, struct stow_snapshot *s, struct stow_profiles *profiles,
                   const struct stow_node_money *money)
{
    struct stow_place_options options = {0};
    struct stow_placement placement;
    struct stow_state state;
    struct stow_err err;
    struct rusage usage;

    if (stow_state_init(&state, s, money, &err) < 0)
        return fail("state", &err);

    double judged = judge_some(&state, profiles);
    double start = now();

    if (stow_place(&state, profiles, &options, &placement, &err) < 0)
        return fail("placing", &err);

    double took = now() - start;

    getrusage(RUSAGE_SELF, &usage);
    printf("{\"seconds\": %.6f, \"pods\": %u, \"placed\": %u, \"nodes\": %u, \"classes\": %u, "
           "\"judged_per_second\": %.1f, \"peak_kib\": %ld}\n",
           took, placement.count, placement.placed, p->nodes, placement.classes, judged,
           usage.ru_maxrss);
    stow_placement_done(&placement);
    stow_state_done(&state);
    return 0;
}

static int run(const struct plan *p)
{
    struct stow_snapshot *s = NULL;
    struct stow_profiles profiles = {0};
    struct stow_pricing pricing;
    struct stow_bill bill;
    struct stow_node_money *money = NULL;
    struct stow_bill_options options = {.now = 1793000000};
    struct stow_err err;

    if (make_cluster(p, &s))
        return 1;
    if (stow_profiles_builtin(p->profile, &profiles, &err) < 0 ||
        stow_pricing_open(&pricing, "none", &s->book, &err) < 0 ||
        stow_bill_make(s, &pricing.books, &options, &bill, &err) < 0 ||
        stow_node_money_make(s, &pricing.books, &options, &bill, &money, &err) < 0)
        return fail("prices", &err);

    int result = measure(p, s, &profiles, money);

    free(money);
    stow_bill_done(&bill);
    stow_pricing_close(&pricing);
    stow_profiles_done(&profiles);
    stow_snapshot_unref(s);
    return result;
}

int main(int argc, char **argv)
{
    struct plan p;

    if (argc != 7) {
        fprintf(stderr,
                "usage: bench_place plain|mixed NODES PODS CLASSES grouped|random PROFILE\n");
        return 2;
    }
    p = (struct plan){argv[1],
                      argv[5],
                      argv[6],
                      (uint32_t)atoi(argv[2]),
                      (uint32_t)atoi(argv[3]),
                      (uint32_t)atoi(argv[4])};
    return run(&p);
}
