/* bench_scale.c - how fast node groups are compared and plans made.
 *
 *     bench_scale estimate|groups|anti|nru [ROUNDS]
 *
 * estimate: 51,000 pods of 2 classes onto one group (the autoscaler's own benchmark); groups:
 * 10,000 pods of 200 classes, the options of 500 groups and the price rule's choice; anti: 3,000
 * pods that want a node each; nru: 4,500 pods of 50 classes onto 100 groups, one node at a time.
 *
 * The time is of deciding, after the cluster is loaded: from stow_scale_new to the plan, and,
 * apart, of the plan alone when everything is prepared (best of ROUNDS, processor time).  Beside it
 * the slow and obvious way: every pod asked about every node (estimate, anti: on a part of the
 * pods), every simulation from scratch (nru).  Prints one line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <stowage/snapshot.h>

#include "base/str.h"
#include "scale/rules/planner_nru.h"
#include "scale/session.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what, const struct stow_err *err)
{
    fprintf(stderr, "bench_scale: %s: %s\n", what, err ? err->msg : "");
    return 1;
}

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* ---- inputs ------------------------------------------------------------------------------ */

static void start(struct stow_buf *text)
{
    stow_buf_text(text, text->len ? "," : "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
}

struct group {
    uint32_t number, cpu, memory_mi, pods, max;
    double price;
};

static void add_group(struct stow_buf *text, const struct group *g)
{
    start(text);
    stow_buf_printf(text,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
                    "\"metadata\":{\"name\":\"group-%03u\"},\"spec\":{\"maxNodes\":%u,"
                    "\"pricePerHour\":\"%.4f\",\"template\":{\"metadata\":{\"labels\":"
                    "{\"topology.kubernetes.io/zone\":\"z%u\"}},\"status\":{"
                    "\"capacity\":{\"cpu\":\"%um\",\"memory\":\"%uMi\",\"pods\":\"%u\"},"
                    "\"allocatable\":{\"cpu\":\"%um\",\"memory\":\"%uMi\",\"pods\":\"%u\"}}}}}",
                    g->number, g->max, g->price, g->number % 3, g->cpu, g->memory_mi, g->pods,
                    g->cpu, g->memory_mi, g->pods);
}

struct pods {
    const char *name, *memory;
    uint32_t class, count, cpu;
    bool alone;
};

/* Pods of one controller. */
static void add_pods(struct stow_buf *text, const struct pods *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        start(text);
        stow_buf_printf(
            text,
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s-%u-%u\","
            "\"namespace\":\"default\",\"labels\":{\"app\":\"%s-%u\"},"
            "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
            "\"name\":\"%s-%u\",\"uid\":\"%s-%u\",\"controller\":true}]},\"spec\":{",
            p->name, p->class, i, p->name, p->class, p->name, p->class, p->name, p->class);
        if (p->alone)
            stow_buf_printf(text,
                            "\"affinity\":{\"podAntiAffinity\":{"
                            "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
                            "\"kubernetes.io/hostname\",\"labelSelector\":{\"matchLabels\":"
                            "{\"app\":\"%s-%u\"}}}]}},",
                            p->name, p->class);
        stow_buf_printf(
            text,
            "\"containers\":[{\"name\":\"main\",\"resources\":{\"requests\":"
            "{\"cpu\":\"%um\",\"memory\":\"%s\"}}}]},\"status\":{\"phase\":\"Pending\"}}",
            p->cpu, p->memory);
    }
}

/* Several classes with requests from 100m to 2 cores, 0.5 to 8 GiB per core. */
static void add_mixture(struct stow_buf *text, uint32_t classes, uint32_t pods, uint64_t *seed)
{
    for (uint32_t i = 0; i < classes; i++) {
        const uint32_t cpu = 100 * (uint32_t)(1 + draw(seed) % 20);
        const uint32_t memory = cpu * (uint32_t)(1 + draw(seed) % 16) / 2;
        char amount[32];

        snprintf(amount, sizeof(amount), "%uMi", memory);
        add_pods(
            text,
            &(struct pods){
                .name = "mix", .memory = amount, .class = i, .count = pods / classes, .cpu = cpu});
    }
}

/* Nodes of 8 * `least` cores and up. */
static void add_groups(struct stow_buf *text, uint32_t groups, uint32_t least, uint64_t *seed)
{
    for (uint32_t i = 0; i < groups; i++) {
        const uint32_t cores = 8 * (uint32_t)(least + draw(seed) % (least * 3));
        const uint32_t per_core = (uint32_t)(2 + draw(seed) % 7);
        const double price =
            cores * (0.03 + 0.004 * per_core) * (0.8 + 0.4 * (double)(draw(seed) % 1000) / 1000);

        add_group(text, &(struct group){i, cores * 1000 - 80, cores * per_core * 1024 - 700, 110,
                                        1000, price});
    }
}

static void write_input(const char *kind, struct stow_buf *text)
{
    uint64_t seed = 42;

    if (strcmp(kind, "estimate") == 0) {
        add_group(text, &(struct group){0, 1000, 5000, 100, 3000, 0.1});
        add_pods(text, &(struct pods){.name = "big", .memory = "190", .count = 1000, .cpu = 95});
        add_pods(text, &(struct pods){.name = "small", .memory = "100", .count = 50000, .cpu = 50});
    } else if (strcmp(kind, "anti") == 0) {
        add_group(text, &(struct group){0, 4000, 16384, 110, 10000, 0.2});
        add_pods(text,
                 &(struct pods){
                     .name = "one", .memory = "1Gi", .count = 3000, .cpu = 500, .alone = true});
    } else if (strcmp(kind, "groups") == 0) {
        add_groups(text, 500, 2, &seed);
        add_mixture(text, 200, 10000, &seed);
    } else {
        add_groups(text, 100, 1, &seed);
        add_mixture(text, 50, 4500, &seed);
    }
    stow_buf_text(text, "]}");
}

/* ---- measuring --------------------------------------------------------------------------- */

struct bench {
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_bill_options bill;
    struct stow_scale_options options;
    struct stow_strategy strategy;
    double whole, alone, slow; /* seconds */
    uint32_t slow_pods, pods;
    uint32_t nodes, placed, groups;
    double cost;
};

static int plan_once(struct bench *b, struct stow_err *err)
{
    const struct stow_scale_input input = {.s = b->s, .books = &b->books, .bill = &b->bill};
    struct stow_scale *scale;
    struct stow_plan plan;
    const double began = now();

    if (stow_scale_new(&input, &b->options, &scale, err) < 0 ||
        stow_scale_plan(scale, &b->strategy, NULL, &plan, err) < 0)
        return fail("plan", err);

    const double whole = now() - began;

    b->whole = b->whole == 0 || whole < b->whole ? whole : b->whole;
    b->nodes = plan.nodes;
    b->placed = plan.placed;
    b->groups = plan.groups;
    b->cost = (double)plan.cost.amount * 1e-9;
    stow_plan_done(&plan);

    const double again = now();

    if (stow_scale_plan(scale, &b->strategy, NULL, &plan, err) < 0)
        return fail("plan", err);

    const double alone = now() - again;

    b->alone = b->alone == 0 || alone < b->alone ? alone : b->alone;
    stow_plan_done(&plan);
    stow_scale_free(scale);
    return 0;
}

/* Every pod is asked about every new node. */
static void first_fit(struct stow_yard *yard, uint32_t class, uint32_t pods)
{
    for (uint32_t i = 0; i < pods; i++) {
        uint32_t node = yard->real;

        while (node < yard->nodes && !stow_yard_fits(yard, class, node))
            node++;
        if (node == yard->nodes && stow_yard_add_node(yard, 0) == STOW_NONE)
            return;
        stow_yard_place(yard, class, node, 1);
    }
}

static int slow_way(struct bench *b, bool nru, struct stow_err *err)
{
    const struct stow_scale_input input = {.s = b->s, .books = &b->books, .bill = &b->bill};
    struct stow_scale *scale;
    struct stow_ground *ground;
    struct stow_session session;
    struct stow_plan plan = {0};

    if (stow_scale_new(&input, &b->options, &scale, err) < 0 ||
        stow_scale_ground(scale, STOW_GROUND_BASELINE, &ground, err) < 0 ||
        stow_session_open(&session, scale, ground, &plan) < 0)
        return fail("slow way", err);

    const double began = now();

    if (nru && stow_plan_nru_slowly(&session, err) < 0)
        return fail("slow way", err);
    for (uint32_t i = ground->yard->classes; i > 0 && !nru; i--) {
        const uint32_t pods = ground->yard->class[i - 1].pods;
        const uint32_t some = pods < b->slow_pods ? pods : b->slow_pods;

        first_fit(ground->yard, i - 1, some);
    }
    b->slow = now() - began;
    stow_session_close(&session);
    stow_plan_done(&plan);
    stow_scale_free(scale);
    return 0;
}

static int run(const char *kind, uint32_t rounds)
{
    struct stow_buf text = {0};
    struct stow_err err = {0};
    struct bench b = {.options = {.max_nodes_per_scaleup = 10000}};
    const bool nru = strcmp(kind, "nru") == 0;
    struct rusage usage;

    write_input(kind, &text);
    if (text.failed || stow_snapshot_load_text("bench", text.ptr, text.len, NULL, &b.s, &err) < 0 ||
        stow_strategy_parse(nru ? "nru" : "price", &b.strategy, &err) < 0)
        return fail("input", &err);
    stow_buf_done(&text);
    stow_books_init(&b.books);
    b.pods = stow_snapshot_count(b.s, STOW_PODS_PENDING);
    b.slow_pods = 50000;
    for (uint32_t i = 0; i < rounds; i++)
        if (plan_once(&b, &err))
            return 1;
    if (strcmp(kind, "groups") != 0 && slow_way(&b, nru, &err))
        return 1;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"kind\":\"%s\",\"pods\":%u,\"nodes\":%u,\"placed\":%u,\"groups\":%u,\"cost\":%.4f,"
           "\"whole_ms\":%.3f,\"plan_ms\":%.3f,\"slow_ms\":%.3f,\"slow_pods\":%u,"
           "\"peak_mib\":%.1f}\n",
           kind, b.pods, b.nodes, b.placed, b.groups, b.cost, b.whole * 1e3, b.alone * 1e3,
           b.slow * 1e3, b.slow_pods, (double)usage.ru_maxrss / 1024);
    stow_books_done(&b.books);
    stow_snapshot_unref(b.s);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fail("usage: bench_scale estimate|groups|anti|nru [ROUNDS]", NULL);
    return run(argv[1], argc > 2 ? (uint32_t)atoi(argv[2]) : 5);
}
