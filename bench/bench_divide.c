/* bench_divide.c - how fast replicas are divided over clusters.
 *
 *     bench_divide whole STRATEGY CLUSTERS REPLICAS
 *     bench_divide webster PARTIES SEATS
 *     bench_divide regions REGIONS MIN MAX CLUSTERS [slow]
 *
 * whole: one decision (filter, score, select, assign) for a fleet where every other cluster has
 * resource models and clusters come in five kinds of labels, taints and sizes, each with its price;
 * also with a constraint on regions; and what is computed once per fleet.  webster: the dispenser
 * alone, and seat by seat.  regions: the choice of regions alone; slow: and by enumeration.  The
 * slow ways must come to the same.  Best of several rounds, after loading.  Prints one line of
 * JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stowage/snapshot.h>

#include "base/str.h"
#include "bench/divide_slow.h"
#include "divide/cost/price.h"
#include "divide/divide.h"

#define ROUNDS 20

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what, const struct stow_err *err)
{
    fprintf(stderr, "bench_divide: %s: %s\n", what, err ? err->msg : "");
    return 1;
}

/* A small generator of its own, so that every machine makes the same fleet. */
static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* ---- the fleet --------------------------------------------------------------------------- */

static void add_models(struct stow_buf *text, bool counts, uint64_t *seed)
{
    for (uint32_t g = 0; g < 6; g++) {
        if (counts)
            stow_buf_printf(text, "%s{\"grade\":%u,\"count\":%u}", g ? "," : "", g,
                            (unsigned)(draw(seed) % 8));
        else
            stow_buf_printf(text,
                            "%s{\"grade\":%u,\"ranges\":[{\"name\":\"cpu\",\"min\":\"%u\","
                            "\"max\":\"%u\"},{\"name\":\"memory\",\"min\":\"%uGi\",\"max\":"
                            "\"%uGi\"}]}",
                            g ? "," : "", g, g ? 1u << (g - 1) : 0, 1u << g, g ? 4u << (g - 1) : 0,
                            4u << g);
    }
}

static void add_cluster(struct stow_buf *text, uint32_t i, uint64_t *seed)
{
    unsigned cores = 8 + (unsigned)(draw(seed) % 120);
    bool models = i % 2;

    stow_buf_printf(
        text,
        "%s{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
        "\"metadata\":{\"name\":\"member-%u\",\"labels\":{\"env\":\"%s\",\"tier\":"
        "\"t%u\"},\"annotations\":{\"stowage.dev/price-per-hour.cpu\":\"0.%05u\"}},"
        "\"spec\":{\"provider\":\"p%u\",\"region\":\"r%u\",\"taints\":[%s],"
        "\"resourceModels\":[",
        i ? "," : "", i, i % 5 ? "prod" : "test", i % 3, 2000 + (unsigned)(i * 7919 % 4000), i % 5,
        i % 60, i % 17 ? "" : "{\"key\":\"dedicated\",\"value\":\"ml\",\"effect\":\"NoSchedule\"}");
    if (models)
        add_models(text, false, seed);
    stow_buf_printf(text,
                    "]},\"status\":{\"apiEnablements\":[{\"groupVersion\":\"v1\",\"resources\":[{"
                    "\"kind\":\"ConfigMap\"}]},{\"groupVersion\":\"apps/v1\",\"resources\":[{"
                    "\"kind\":\"Deployment\"}]}],\"resourceSummary\":{\"allocatable\":{\"cpu\":"
                    "\"%u\",\"memory\":\"%uGi\",\"pods\":\"%u\"},\"allocated\":{\"cpu\":\"%um\","
                    "\"memory\":\"%uMi\",\"pods\":\"%u\"},\"allocatableModelings\":[",
                    cores, cores * 4, cores * 10, cores * 300, cores * 1000, cores);
    if (models)
        add_models(text, true, seed);
    stow_buf_text(text, "]}}}");
}

static const char *scheduling_of(const char *strategy)
{
    if (strcmp(strategy, "Duplicated") == 0)
        return "\"replicaSchedulingType\":\"Duplicated\"";
    if (strcmp(strategy, "StaticWeight") == 0)
        return "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{"
               "\"staticWeightList\":[{\"targetCluster\":{\"labelSelector\":{\"matchLabels\":{"
               "\"tier\":\"t0\"}}},\"weight\":3},{\"targetCluster\":{},\"weight\":1}]}";
    if (strcmp(strategy, "DynamicWeight") == 0)
        return "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{"
               "\"dynamicWeight\":\"AvailableReplicas\"}";
    if (strcmp(strategy, "CostOptimized") == 0)
        return "\"replicaDivisionPreference\":\"CostOptimized\"";
    return "\"replicaDivisionPreference\":\"Aggregated\"";
}

static void add_binding(struct stow_buf *text, const char *strategy, unsigned replicas, bool spread)
{
    stow_buf_printf(
        text,
        ",{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\",\"metadata\":{"
        "\"name\":\"web-%s\"},\"spec\":{\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":"
        "\"Deployment\",\"name\":\"web\",\"uid\":\"d43fdeeb-d750-4e2b-bee3-64eb94534f4c\"},"
        "\"replicas\":%u,\"replicaRequirements\":{\"resourceRequest\":{\"cpu\":\"500m\","
        "\"memory\":\"1Gi\"}},\"placement\":{\"clusterAffinity\":{\"labelSelector\":{"
        "\"matchExpressions\":[{\"key\":\"env\",\"operator\":\"Exists\"}]}},"
        "\"clusterTolerations\":[{\"key\":\"dedicated\",\"operator\":\"Exists\"}],",
        spread ? "spread" : "plain", replicas);
    if (spread)
        stow_buf_text(text, "\"spreadConstraints\":[{\"spreadByField\":\"cluster\",\"minGroups\":"
                            "12,\"maxGroups\":100},{\"spreadByField\":\"region\",\"minGroups\":4,"
                            "\"maxGroups\":6}],");
    stow_buf_printf(text, "\"replicaScheduling\":{%s}}}}", scheduling_of(strategy));
}

static int load(const char *strategy, uint32_t clusters, uint32_t replicas,
                struct stow_snapshot **ret)
{
    struct stow_buf text = {0};
    struct stow_err err;
    uint64_t seed = 7;

    stow_buf_text(&text, "{\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < clusters; i++)
        add_cluster(&text, i, &seed);
    add_binding(&text, strategy, replicas, false);
    add_binding(&text, strategy, replicas, true);
    stow_buf_text(&text, "]}");

    int code = text.failed
                   ? -1
                   : stow_snapshot_load_text("fleet.json", text.ptr, text.len, NULL, ret, &err);

    stow_buf_done(&text);
    return code < 0 ? fail("load", &err) : 0;
}

/* ---- whole decisions --------------------------------------------------------------------- */

struct fleet {
    struct stow_snapshot *s;
    struct stow_divider *divider;
    struct stow_divide_costs *costs;
};

static void fleet_done(struct fleet *f)
{
    stow_divide_costs_free(f->costs);
    stow_divider_free(f->divider);
    stow_snapshot_unref(f->s);
}

/* What is computed once per fleet, and how long that takes. */
static int prepare(struct fleet *f, double *ret)
{
    struct stow_err err;
    double start = now();

    if (stow_divider_new(f->s, &f->divider, &err) < 0 ||
        stow_divide_costs_new(f->s, NULL, &f->costs, &err) < 0)
        return fail("open", &err);
    *ret = now() - start;
    return 0;
}

static int time_binding(const struct fleet *f, uint32_t binding, double *ret,
                        struct stow_division *made)
{
    const struct stow_divide_options options = {.karmada = 18, .always = true, .costs = f->costs};
    struct stow_err err;

    *ret = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();

        if (stow_divide(f->divider, &f->s->binding[binding], &options, made, &err) < 0)
            return fail("divide", &err);

        double took = now() - start;

        *ret = took < *ret ? took : *ret;
    }
    return 0;
}

static int whole(const char *strategy, uint32_t clusters, uint32_t replicas)
{
    struct fleet f = {0};
    struct stow_division made = {0};
    double once = 0, plain = 0, spread = 0;
    int code = load(strategy, clusters, replicas, &f.s);

    if (!code)
        code = prepare(&f, &once);
    if (!code)
        code = time_binding(&f, 0, &plain, &made);
    if (!code)
        printf("{\"strategy\":\"%s\",\"clusters\":%u,\"replicas\":%u,\"outcome\":\"%s\","
               "\"targets\":%u,\"onceMilliseconds\":%.3f,\"milliseconds\":%.3f",
               strategy, clusters, replicas, stow_divide_outcome_name(made.outcome), made.targets,
               once * 1e3, plain * 1e3);
    if (!code)
        code = time_binding(&f, 1, &spread, &made);
    if (!code)
        printf(",\"spreadOutcome\":\"%s\",\"spreadTargets\":%u,\"spreadMilliseconds\":%.3f}\n",
               stow_divide_outcome_name(made.outcome), made.targets, spread * 1e3);
    stow_division_done(&made);
    fleet_done(&f);
    return code;
}

/* ---- the dispenser ----------------------------------------------------------------------- */

static double time_webster(struct stow_webster_party *party, uint32_t count, int64_t seats)
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < count; i++)
            party[i].seats = 0;

        double start = now();

        if (stow_webster(party, count, seats, STOW_TIE_ASCENDING, NULL) < 0)
            return -1;

        double took = now() - start;

        best = took < best ? took : best;
    }
    return best;
}

static int webster(uint32_t count, int64_t seats)
{
    struct stow_webster_party *party = calloc(count, sizeof(*party)),
                              *slowly = calloc(count, sizeof(*party));
    uint64_t seed = 11;
    double fast = -1, slow = 0;
    bool same = true;

    for (uint32_t i = 0; party && slowly && i < count; i++)
        slowly[i] = party[i] = (struct stow_webster_party){(int64_t)(1 + draw(&seed) % 5000), 0, i};
    if (party && slowly)
        fast = time_webster(party, count, seats);
    if (fast >= 0) {
        slow = now();
        seat_by_seat(slowly, count, seats);
        slow = now() - slow;
        for (uint32_t i = 0; i < count; i++)
            same &= party[i].seats == slowly[i].seats;
        printf("{\"parties\":%u,\"seats\":%lld,\"same\":%s,\"milliseconds\":%.3f,"
               "\"slowMilliseconds\":%.0f}\n",
               count, (long long)seats, same ? "true" : "false", fast * 1e3, slow * 1e3);
    }
    free(party);
    free(slowly);
    return fast < 0 ? fail("webster", NULL) : 0;
}

/* ---- regions ----------------------------------------------------------------------------- */

#define REGIONS_MAX 200

struct choice {
    struct stow_group_choice group[REGIONS_MAX];
    uint32_t count, chosen[REGIONS_MAX];
    int64_t min, max, clusters;
    int made;
};

static double time_choice(struct choice *c)
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double start = now();

        c->made =
            stow_choose_groups(c->group, c->count, c->min, c->max, c->clusters, c->chosen, NULL);

        double took = now() - start;

        best = took < best ? took : best;
    }
    return best;
}

/* How long the enumeration takes; whether it comes to the same. */
static double time_enumeration(const struct choice *c, bool *ret_same)
{
    struct stow_group_choice group[REGIONS_MAX];
    uint32_t rank[SLOW_GROUPS_MAX];
    double start = now();

    memcpy(group, c->group, sizeof(group));

    int made = choose_by_enumeration(group, c->count, c->min, c->max, c->clusters, rank);

    *ret_same = made == c->made;
    for (int i = 0; *ret_same && i < made; i++)
        *ret_same = c->group[c->chosen[i]].rank == rank[i];
    return now() - start;
}

static int regions(struct choice *c, bool slowly)
{
    uint64_t seed = 5;
    bool same = true;

    for (uint32_t i = 0; i < c->count; i++)
        c->group[i] = (struct stow_group_choice){(int64_t)(1 + draw(&seed) % 4),
                                                 (int64_t)(draw(&seed) % 100000), i};

    double fast = time_choice(c), slow = slowly ? time_enumeration(c, &same) : 0;

    printf("{\"regions\":%u,\"min\":%lld,\"max\":%lld,\"clusters\":%lld,\"chosen\":%d,"
           "\"same\":%s,\"milliseconds\":%.3f,\"slowMilliseconds\":%.0f}\n",
           c->count, (long long)c->min, (long long)c->max, (long long)c->clusters, c->made,
           same ? "true" : "false", fast * 1e3, slow * 1e3);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "whole") == 0)
        return whole(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    if (argc == 4 && strcmp(argv[1], "webster") == 0)
        return webster((uint32_t)atoi(argv[2]), atoll(argv[3]));
    if ((argc == 6 || argc == 7) && strcmp(argv[1], "regions") == 0) {
        struct choice c = {.count = (uint32_t)atoi(argv[2]),
                           .min = atoll(argv[3]),
                           .max = atoll(argv[4]),
                           .clusters = atoll(argv[5])};

        return c.count <= REGIONS_MAX ? regions(&c, argc == 7) : fail("too many regions", NULL);
    }
    fprintf(stderr, "usage: bench_divide whole STRATEGY CLUSTERS REPLICAS\n"
                    "       bench_divide webster PARTIES SEATS\n"
                    "       bench_divide regions REGIONS MIN MAX CLUSTERS [slow]\n");
    return 2;
}
