/* bench_place.c - how fast pods are placed.
 *
 *     bench_place KIND NODES PODS CLASSES ORDER PROFILE
 *
 * KIND plain: pods that ask for cpu and memory; spread: every workload has constraints by zone and
 * by host; affinity: every workload has terms about itself, a quarter each required affinity by
 * zone, required anti-affinity by host, preferred anti-affinity by host, preferred affinity by
 * zone; mixed: a fifth each plain, zone spread, host spread, zone affinity and host anti-affinity.
 * All but plain have one running pod per node.  ORDER grouped: classes side by side in the queue;
 * random: mixed up.
 *
 * The time is that of deciding alone.  A second run judges every node in full for some of the pods
 * when their turn comes, the way without classes: its time is beside the other, and the node it
 * chooses must be the same.  Prints one line of JSON. */
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

static void add_spread(struct stow_buf *text, uint32_t workload, const char *key, bool hard)
{
    stow_buf_printf(text,
                    "{\"maxSkew\":1,\"topologyKey\":\"%s\",\"whenUnsatisfiable\":\"%s\","
                    "\"labelSelector\":{\"matchLabels\":{\"app\":\"w%u\"}}}",
                    key, hard ? "DoNotSchedule" : "ScheduleAnyway", workload);
}

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"

static void add_term(struct stow_buf *text, uint32_t workload, const char *kind, const char *key,
                     bool required)
{
    stow_buf_printf(text, "\"affinity\":{\"%s\":{\"%sDuringSchedulingIgnoredDuringExecution\":[%s",
                    kind, required ? "required" : "preferred",
                    required ? "" : "{\"weight\":100,\"podAffinityTerm\":");
    stow_buf_printf(text,
                    "{\"topologyKey\":\"%s\",\"labelSelector\":{\"matchLabels\":{\"app\":\"w%u\"}}}"
                    "%s]}},",
                    key, workload, required ? "" : "}");
}

/* The rule that a workload of the mixed case has. */
static void add_mixed(struct stow_buf *text, uint32_t workload)
{
    if (workload % 5 == 3)
        add_term(text, workload, "podAffinity", ZONE, true);
    else if (workload % 5 == 4)
        add_term(text, workload, "podAntiAffinity", HOST, true);
    if (workload % 5 != 1 && workload % 5 != 2)
        return;
    stow_buf_text(text, "\"topologySpreadConstraints\":[");
    add_spread(text, workload, workload % 5 == 1 ? ZONE : HOST, workload % 5 == 1);
    stow_buf_text(text, "],");
}

static void add_rule(struct stow_buf *text, const struct plan *p, uint32_t workload)
{
    if (strcmp(p->kind, "mixed") == 0)
        add_mixed(text, workload);
    if (strcmp(p->kind, "affinity") == 0)
        add_term(text, workload,
                 workload % 4 == 0 || workload % 4 == 3 ? "podAffinity" : "podAntiAffinity",
                 workload % 4 == 0 || workload % 4 == 3 ? ZONE : HOST, workload % 4 < 2);
    if (strcmp(p->kind, "spread") != 0)
        return;
    stow_buf_text(text, "\"topologySpreadConstraints\":[");
    add_spread(text, workload, ZONE, true);
    stow_buf_text(text, ",");
    add_spread(text, workload, HOST, false);
    stow_buf_text(text, "],");
}

static bool is_plain(const struct plan *p)
{
    return strcmp(p->kind, "plain") == 0;
}

static void add_pod(struct stow_buf *text, const struct plan *p, uint32_t i, uint32_t class,
                    uint64_t rank)
{
    static const uint32_t cpu[] = {50, 100, 150, 250, 300, 500, 700, 1000};
    uint32_t amount = is_plain(p) ? class : class % 8;

    stow_buf_printf(text,
                    ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p-%07u\","
                    "\"creationTimestamp\":\"2026-11-01T%02u:%02u:%02uZ\","
                    "\"labels\":{\"app\":\"w%u\"}},\"spec\":{",
                    i, (unsigned)(rank / 3600 % 24), (unsigned)(rank / 60 % 60),
                    (unsigned)(rank % 60), is_plain(p) ? class % 50 : class);
    add_rule(text, p, class);
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
    for (uint32_t i = 0; !is_plain(p) && i < p->nodes; i++)
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

#define JUDGED 60 /* pods of the second run */

/* Every node in full, for a few pods at their turn: what a decision costs without classes. */
struct judging {
    const struct stow_profile *profile;
    uint32_t seen, every, judged, differ;
    double seconds;
};

static int judge_some(void *ctx, const struct stow_state *state, const struct stow_decision *d,
                      struct stow_err *err)
{
    struct judging *j = ctx;
    struct stow_subject pod = stow_subject_of(state->s, d->pod);
    struct stow_judgement judgement;
    double start;

    if (j->seen++ % j->every)
        return STOW_OK;
    start = now();
    STOW_TRY(stow_judge(state, j->profile, &pod, &judgement, err));
    j->seconds += now() - start;
    j->judged++;
    j->differ += judgement.best != d->node;
    stow_judgement_done(&judgement);
    return STOW_OK;
}

/* Places all pods; `judging` may be NULL.  Returns the seconds, or -1. */
static double place_all(struct stow_snapshot *s, const struct stow_profiles *profiles,
                        const struct stow_node_money *money, struct judging *judging,
                        struct stow_placement *ret)
{
    struct stow_place_options options = {.decided = judging ? judge_some : NULL, .ctx = judging};
    struct stow_state state;
    struct stow_err err;
    double took = -1, start;

    if (stow_state_init(&state, s, money, &err) < 0) {
        fail("state", &err);
        return -1;
    }
    start = now();
    if (stow_place(&state, profiles, &options, ret, &err) < 0)
        fail("placing", &err);
    else
        took = now() - start;
    stow_state_done(&state);
    return took;
}

static int measure(const struct plan *p, struct stow_snapshot *s, struct stow_profiles *profiles,
                   const struct stow_node_money *money)
{
    struct judging judging = {.profile = &profiles->profile[0],
                              .every = p->pods > JUDGED ? p->pods / JUDGED : 1};
    struct stow_placement placement, again;
    struct rusage usage;
    double took = place_all(s, profiles, money, NULL, &placement);

    getrusage(RUSAGE_SELF, &usage);
    if (took < 0)
        return 1;
    if (place_all(s, profiles, money, &judging, &again) < 0) {
        stow_placement_done(&placement);
        return 1;
    }
    printf("{\"seconds\": %.6f, \"pods\": %u, \"placed\": %u, \"nodes\": %u, \"classes\": %u, "
           "\"judged\": %u, \"judged_otherwise\": %u, \"judged_per_second\": %.1f, "
           "\"peak_kib\": %ld}\n",
           took, placement.count, placement.placed, p->nodes, placement.classes, judging.judged,
           judging.differ, judging.judged / judging.seconds, usage.ru_maxrss);
    stow_placement_done(&placement);
    stow_placement_done(&again);
    return judging.differ ? fail("judging in full chooses other nodes", NULL) : 0;
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
        stow_pricing_open(&pricing, NULL, &s->book, &err) < 0 ||
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
        fprintf(stderr, "usage: bench_place plain|mixed|spread|affinity NODES PODS CLASSES "
                        "grouped|random PROFILE\n");
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
