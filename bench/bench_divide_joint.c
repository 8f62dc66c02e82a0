/* bench_divide_joint.c - a thousand workloads over a hundred clusters at once.
 *
 *     bench_divide_joint plain|spread [WORKLOADS [CLUSTERS [SEED]]]
 *     bench_divide_joint one|constrained [REPLICAS [CLUSTERS [SEED]]]
 *
 * 1 to 200 replicas, twenty shapes of cpu and memory, two unit prices per cluster, 1.3 times as
 * much room as is asked for, half of the workloads placed before, a disruption price of 0.01.
 * spread: one workload in five has a constraint on clusters or regions.  The time is of all that
 * follows loading: filters, the problem, the division, its bound.
 *
 * one: a single workload by CostOptimized, 10,000 replicas on 5,000 clusters of 1 to 20 each;
 * constrained: on clusters of up to 3,000 each, 4 to 12 of them in 4 to 6 of 60 regions.  Best of
 * several decisions.  Prints one line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stowage/snapshot.h>

#include "base/str.h"
#include "divide/joint/fleet.h"

#define SHAPES  20
#define REGIONS 10

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static uint64_t between(uint64_t *seed, uint64_t least, uint64_t most)
{
    return least + draw(seed) % (most - least + 1);
}

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what, const struct stow_err *err)
{
    fprintf(stderr, "bench_divide_joint: %s: %s\n", what, err->msg);
    return 1;
}

/* ---- the fleet --------------------------------------------------------------------------- */

struct workload {
    uint32_t shape, replicas;
    uint32_t held_on[3], held[3], helds;
};

struct cluster {
    uint64_t cpu, memory; /* milli-cores and MiB */
    uint64_t used_cpu, used_memory, used_pods;
};

struct fleet {
    uint32_t workloads, clusters;
    bool spread;
    uint64_t seed;
    struct workload *workload;
    struct cluster *cluster;
    uint32_t cpu[SHAPES], memory[SHAPES];
    struct stow_buf text;
};

static void draw_workloads(struct fleet *f, uint64_t demand[2])
{
    for (uint32_t i = 0; i < SHAPES; i++) {
        f->cpu[i] = 100 * (uint32_t)between(&f->seed, 1, 40);
        f->memory[i] = 128 * (uint32_t)between(&f->seed, 1, 64);
    }
    for (uint32_t i = 0; i < f->workloads; i++) {
        struct workload *w = &f->workload[i];

        w->shape = (uint32_t)between(&f->seed, 0, SHAPES - 1);
        w->replicas = (uint32_t)between(&f->seed, 1, 200);
        demand[0] += (uint64_t)w->replicas * f->cpu[w->shape];
        demand[1] += (uint64_t)w->replicas * f->memory[w->shape];
    }
}

static void draw_clusters(struct fleet *f, const uint64_t demand[2])
{
    uint64_t parts[2] = {0, 0};

    for (uint32_t i = 0; i < f->clusters; i++) {
        f->cluster[i].cpu = between(&f->seed, 50, 150);
        f->cluster[i].memory = f->cluster[i].cpu * between(&f->seed, 80, 120) / 100;
        parts[0] += f->cluster[i].cpu;
        parts[1] += f->cluster[i].memory;
    }
    for (uint32_t i = 0; i < f->clusters; i++) {
        f->cluster[i].cpu = f->cluster[i].cpu * (demand[0] * 13 / 10) / parts[0];
        f->cluster[i].memory = f->cluster[i].memory * (demand[1] * 13 / 10) / parts[1];
    }
}

/* Puts replicas of a workload on a cluster, as far as there is room. */
static void hold(struct fleet *f, struct workload *w, uint32_t cluster, uint32_t replicas)
{
    struct cluster *c = &f->cluster[cluster];
    uint64_t cpu = (uint64_t)replicas * f->cpu[w->shape];
    uint64_t memory = (uint64_t)replicas * f->memory[w->shape];

    for (uint32_t i = 0; i < w->helds; i++)
        if (w->held_on[i] == cluster)
            return;
    if (replicas == 0 || c->used_cpu + cpu > c->cpu || c->used_memory + memory > c->memory)
        return;
    c->used_cpu += cpu;
    c->used_memory += memory;
    c->used_pods += replicas;
    w->held_on[w->helds] = cluster;
    w->held[w->helds++] = replicas;
}

static void draw_held(struct fleet *f)
{
    for (uint32_t i = 0; i < f->workloads; i += 2) {
        struct workload *w = &f->workload[i];
        uint32_t parts = (uint32_t)between(&f->seed, 1, 3);

        for (uint32_t k = 0; k < parts; k++)
            hold(f, w, (uint32_t)between(&f->seed, 0, f->clusters - 1), w->replicas / parts);
    }
}

static void start(struct fleet *f)
{
    stow_buf_text(&f->text,
                  f->text.len ? "," : "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
}

static void write_cluster(struct fleet *f, uint32_t i)
{
    const struct cluster *c = &f->cluster[i];

    start(f);
    stow_buf_printf(
        &f->text,
        "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{"
        "\"name\":\"member-%03u\",\"annotations\":{\"stowage.dev/price-per-hour.cpu\":\"0.%05u\","
        "\"stowage.dev/price-per-hour.memory\":\"0.%05u\"}},\"spec\":{\"region\":\"region-%u\"},"
        "\"status\":{\"apiEnablements\":[{\"groupVersion\":\"apps/v1\",\"resources\":[{\"kind\":"
        "\"Deployment\"}]}],\"resourceSummary\":{\"allocatable\":{\"cpu\":\"%llum\",\"memory\":"
        "\"%lluMi\",\"pods\":\"1000000\"},\"allocated\":{\"cpu\":\"%llum\",\"memory\":\"%lluMi\","
        "\"pods\":\"%llu\"}}}}",
        i, (uint32_t)between(&f->seed, 2000, 6000), (uint32_t)between(&f->seed, 250, 800),
        i % REGIONS, (unsigned long long)c->cpu, (unsigned long long)c->memory,
        (unsigned long long)c->used_cpu, (unsigned long long)c->used_memory,
        (unsigned long long)c->used_pods);
}

static void write_constraint(struct fleet *f, uint32_t i)
{
    static const char *const forms[] = {
        "{\"spreadByField\":\"cluster\",\"minGroups\":2,\"maxGroups\":4}",
        "{\"spreadByField\":\"cluster\",\"minGroups\":3,\"maxGroups\":3}",
        ("{\"spreadByField\":\"region\",\"minGroups\":2,\"maxGroups\":3},"
         "{\"spreadByField\":\"cluster\",\"minGroups\":2,\"maxGroups\":6}"),
        "{\"spreadByField\":\"cluster\",\"minGroups\":1,\"maxGroups\":1}",
    };

    if (f->spread && i % 5 == 0 && f->workload[i].replicas >= 3)
        stow_buf_printf(&f->text, "\"spreadConstraints\":[%s],", forms[between(&f->seed, 0, 3)]);
}

static void write_workload(struct fleet *f, uint32_t i)
{
    const struct workload *w = &f->workload[i];

    start(f);
    stow_buf_printf(&f->text,
                    "{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
                    "\"metadata\":{\"name\":\"web-%04u-deployment\",\"namespace\":\"default\"},"
                    "\"spec\":{\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
                    "\"name\":\"web-%04u\",\"namespace\":\"default\"},\"replicas\":%u,"
                    "\"replicaRequirements\":{\"resourceRequest\":{\"cpu\":\"%um\",\"memory\":"
                    "\"%uMi\"}},\"placement\":{",
                    i, i, w->replicas, f->cpu[w->shape], f->memory[w->shape]);
    write_constraint(f, i);
    stow_buf_text(&f->text, "\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\","
                            "\"replicaDivisionPreference\":\"Aggregated\"}},\"clusters\":[");
    for (uint32_t k = 0; k < w->helds; k++)
        stow_buf_printf(&f->text, "%s{\"name\":\"member-%03u\",\"replicas\":%u}", k ? "," : "",
                        w->held_on[k], w->held[k]);
    stow_buf_text(&f->text, "]}}");
}

static int write_fleet(struct fleet *f)
{
    uint64_t demand[2] = {0, 0};

    f->workload = calloc(f->workloads, sizeof(*f->workload));
    f->cluster = calloc(f->clusters, sizeof(*f->cluster));
    if (!f->workload || !f->cluster)
        return -1;
    draw_workloads(f, demand);
    draw_clusters(f, demand);
    draw_held(f);
    for (uint32_t i = 0; i < f->clusters; i++)
        write_cluster(f, i);
    for (uint32_t i = 0; i < f->workloads; i++)
        write_workload(f, i);
    stow_buf_text(&f->text, "]}");
    return f->text.failed ? -1 : 0;
}

/* ---- measuring --------------------------------------------------------------------------- */

static void print(const struct fleet *f, const struct stow_joint_division *made, double seconds,
                  double cpu)
{
    const struct stow_joint_answer *a = &made->answer;
    double unit = STOW_NANO_PER_UNIT;

    printf("{\"kind\":\"%s\",\"workloads\":%u,\"clusters\":%u,\"parties\":%u,\"rounds\":%u,"
           "\"seconds\":%.4f,\"cpu_seconds\":%.4f,\"cost\":%.6f,\"bound\":%.6f,\"gap\":%.8f,"
           "\"one_by_one\":%.6f,\"left_out\":%lld,\"left_out_one_by_one\":%lld,\"moved\":%lld}\n",
           f->spread ? "spread" : "plain", f->workloads, f->clusters, a->parties, a->rounds,
           seconds, cpu, (double)a->cost.total / unit, (double)a->bound / unit, stow_joint_gap(a),
           (double)a->one_by_one.total / unit, (long long)a->cost.left_out,
           (long long)a->one_by_one.left_out, (long long)a->cost.moved);
}

static int measure(const struct fleet *f, const struct stow_snapshot *s, struct stow_err *err)
{
    struct stow_divider *divider = NULL;
    struct stow_divide_costs *costs = NULL;
    struct stow_joint_division made = {0};
    struct stow_joint_options options = {.disruption = STOW_NANO_PER_UNIT / 100, .all = true};
    double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    int code = stow_divider_new(s, &divider, err);

    if (code >= 0)
        code = stow_divide_costs_new(s, NULL, &costs, err);
    options.costs = costs;
    if (code >= 0)
        code = stow_divide_jointly(divider, &options, &made, err);
    if (code >= 0)
        print(f, &made, now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    stow_joint_division_done(&made);
    stow_divide_costs_free(costs);
    stow_divider_free(divider);
    return code;
}

/* ---- one workload ------------------------------------------------------------------------ */

#define ROUNDS 20

static int write_single(struct fleet *f)
{
    static const char constraints[] =
        "\"spreadConstraints\":[{\"spreadByField\":\"region\",\"minGroups\":4,\"maxGroups\":6},"
        "{\"spreadByField\":\"cluster\",\"minGroups\":4,\"maxGroups\":12}],";

    for (uint32_t i = 0; i < f->clusters; i++) {
        start(f);
        stow_buf_printf(
            &f->text,
            "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{"
            "\"name\":\"member-%04u\",\"annotations\":{\"stowage.dev/price-per-hour.cpu\":"
            "\"0.%05u\"}},\"spec\":{\"region\":\"region-%u\"},\"status\":{\"apiEnablements\":[{"
            "\"groupVersion\":\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\"}]}],"
            "\"resourceSummary\":{\"allocatable\":{\"cpu\":\"%u\",\"pods\":\"1000000\"}}}}",
            i, (uint32_t)between(&f->seed, 2000, 6000), i % 60,
            (uint32_t)between(&f->seed, 1, f->spread ? 3000 : 20));
    }
    start(f);
    stow_buf_printf(
        &f->text,
        "{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
        "\"metadata\":{\"name\":\"web-deployment\",\"namespace\":\"default\"},\"spec\":{"
        "\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":"
        "\"web\",\"namespace\":\"default\"},\"replicas\":%u,\"replicaRequirements\":{"
        "\"resourceRequest\":{\"cpu\":\"1\"}},\"placement\":{%s\"replicaScheduling\":{"
        "\"replicaSchedulingType\":\"Divided\",\"replicaDivisionPreference\":"
        "\"CostOptimized\"}}}}]}",
        f->workloads, f->spread ? constraints : "");
    return f->text.failed ? -1 : 0;
}

static int measure_single(const struct fleet *f, const struct stow_snapshot *s,
                          struct stow_err *err)
{
    struct stow_divider *divider = NULL;
    struct stow_divide_costs *costs = NULL;
    struct stow_division made = {0};
    struct stow_divide_options options = {.always = true};
    double best = 1e9;
    int code = stow_divider_new(s, &divider, err);

    if (code >= 0)
        code = stow_divide_costs_new(s, NULL, &costs, err);
    options.costs = costs;
    for (uint32_t i = 0; code >= 0 && i < ROUNDS; i++) {
        double before = now(CLOCK_PROCESS_CPUTIME_ID), took;

        code = stow_divide(divider, &s->binding[0], &options, &made, err);
        took = now(CLOCK_PROCESS_CPUTIME_ID) - before;
        best = took < best ? took : best;
    }
    if (code >= 0)
        printf("{\"kind\":\"%s\",\"replicas\":%u,\"clusters\":%u,\"milliseconds\":%.3f,"
               "\"outcome\":\"%s\",\"targets\":%u,\"warnings\":%u}\n",
               f->spread ? "constrained" : "one", f->workloads, f->clusters, best * 1e3,
               stow_divide_outcome_name(made.outcome), made.targets, made.warnings);
    stow_division_done(&made);
    stow_divide_costs_free(costs);
    stow_divider_free(divider);
    return code;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"plain", "spread", "one", "constrained"};
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    uint32_t kind = 0;

    while (kind < 4 && (argc < 2 || strcmp(argv[1], kinds[kind]) != 0))
        kind++;
    if (kind == 4) {
        fprintf(stderr,
                "usage: bench_divide_joint plain|spread|one|constrained [WORKLOADS|REPLICAS "
                "[CLUSTERS [SEED]]]\n");
        return 2;
    }

    bool single = kind >= 2;
    struct fleet f = {.workloads = argc > 2 ? (uint32_t)atoi(argv[2])
                                   : single ? 10000
                                            : 1000,
                      .clusters = argc > 3 ? (uint32_t)atoi(argv[3])
                                  : single ? 5000
                                           : 100,
                      .seed = argc > 4 ? (uint64_t)atoll(argv[4]) : 1,
                      .spread = kind % 2 == 1};

    if ((single ? write_single(&f) : write_fleet(&f)) < 0)
        return fail("making the fleet", &(struct stow_err){.msg = "out of memory"});

    int code = stow_snapshot_load_text("fleet.json", f.text.ptr, f.text.len, NULL, &s, &err);

    if (code >= 0)
        code = single ? measure_single(&f, s, &err) : measure(&f, s, &err);
    stow_snapshot_unref(s);
    stow_buf_done(&f.text);
    free(f.workload);
    free(f.cluster);
    return code < 0 ? fail(argv[1], &err) : 0;
}
