/* bench_divide.c - how fast replicas are divided over clusters.
 *
 *     bench_divide whole STRATEGY CLUSTERS REPLICAS
 *     bench_divide webster PARTIES SEATS
 *     bench_divide regions REGIONS MIN MAX CLUSTERS
 *
 * whole: one decision (filter, score, select, assign) for a fleet where every other cluster has
 * resource models and clusters come in five kinds of labels, taints and sizes; also with a
 * constraint on regions.  webster: the dispenser alone, against seat by seat.  regions: the choice
 * of regions alone.  Best of several rounds, after loading.  Prints one line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stowage/snapshot.h>

#include "base/str.h"
#include "divide/divide.h"
#include "divide/regions.h"
#include "divide/webster.h"

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

    stow_buf_printf(text,
                    "%s{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                    "\"metadata\":{\"name\":\"member-%u\",\"labels\":{\"env\":\"%s\",\"tier\":"
                    "\"t%u\"}},\"spec\":{\"provider\":\"p%u\",\"region\":\"r%u\",\"taints\":[%s],"
                    "\"resourceModels\":[",
                    i ? "," : "", i, i % 5 ? "prod" : "test", i % 3, i % 5, i % 60,
                    i % 17 ? ""
                           : "{\"key\":\"dedicated\",\"value\":\"ml\",\"effect\":\"NoSchedule\"}");
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
                            "12,\"maxGroups\":500},{\"spreadByField\":\"region\",\"minGroups\":4,"
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

static int time_binding(struct stow_divider *divider, const struct stow_binding *binding,
                        double *ret, struct stow_division *made)
{
    const struct stow_divide_options options = {.karmada = 18, .always = true};
    struct stow_err err;

    *ret = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();

        if (stow_divide(divider, binding, &options, made, &err) < 0)
            return fail("divide", &err);

        double took = now() - start;

        *ret = took < *ret ? took : *ret;
    }
    return 0;
}

static int whole(const char *strategy, uint32_t clusters, uint32_t replicas)
{
    struct stow_snapshot *s = NULL;
    struct stow_divider *divider = NULL;
    struct stow_division made = {0};
    double plain = 0, spread = 0;
    struct stow_err err;
    int code = load(strategy, clusters, replicas, &s);

    if (!code && stow_divider_new(s, &divider, &err) < 0)
        code = fail("open", &err);
    if (!code)
        code = time_binding(divider, &s->binding[0], &plain, &made);
    if (!code)
        printf("{\"strategy\":\"%s\",\"clusters\":%u,\"replicas\":%u,\"outcome\":\"%s\","
               "\"targets\":%u,\"milliseconds\":%.3f",
               strategy, clusters, replicas, stow_divide_outcome_name(made.outcome), made.targets,
               plain * 1e3);
    if (!code)
        code = time_binding(divider, &s->binding[1], &spread, &made);
    if (!code)
        printf(",\"spreadOutcome\":\"%s\",\"spreadTargets\":%u,\"spreadMilliseconds\":%.3f}\n",
               stow_divide_outcome_name(made.outcome), made.targets, spread * 1e3);
    stow_division_done(&made);
    stow_divider_free(divider);
    stow_snapshot_unref(s);
    return code;
}

/* ---- the dispenser ----------------------------------------------------------------------- */

static void seat_by_seat(struct stow_party *party, uint32_t count, int64_t seats)
{
    for (; seats > 0; seats--) {
        struct stow_party *best = &party[0];
        double highest = -1;

        for (uint32_t i = 0; i < count; i++) {
            double quotient = (double)party[i].weight / (double)(2 * party[i].seats + 1);

            if (quotient > highest || (quotient == highest && party[i].seats < best->seats)) {
                highest = quotient;
                best = &party[i];
            }
        }
        best->seats++;
    }
}

static int webster(uint32_t count, int64_t seats)
{
    struct stow_party *party = calloc(count, sizeof(*party));
    uint64_t seed = 11;
    double best = 1e9, slow;

    if (!party)
        return fail("memory", NULL);
    for (uint32_t i = 0; i < count; i++)
        party[i] = (struct stow_party){(int64_t)(1 + draw(&seed) % 5000), 0, i};
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < count; i++)
            party[i].seats = 0;

        double start = now();

        if (stow_webster(party, count, seats, STOW_TIE_ASCENDING, NULL) < 0)
            return fail("webster", NULL);

        double took = now() - start;

        best = took < best ? took : best;
    }
    for (uint32_t i = 0; i < count; i++)
        party[i].seats = 0;
    slow = now();
    seat_by_seat(party, count, seats < 2000 ? seats : 2000);
    slow = (now() - slow) * (double)seats / (double)(seats < 2000 ? seats : 2000);
    free(party);
    printf(
        "{\"parties\":%u,\"seats\":%lld,\"milliseconds\":%.3f,\"seatBySeatMilliseconds\":%.0f}\n",
        count, (long long)seats, best * 1e3, slow * 1e3);
    return 0;
}

/* ---- regions ----------------------------------------------------------------------------- */

static int regions(uint32_t count, int64_t min, int64_t max, int64_t clusters)
{
    struct stow_group_choice *group = calloc(count, sizeof(*group));
    uint32_t *chosen = calloc(count, sizeof(*chosen));
    uint64_t seed = 5;
    double best = 1e9;
    int made = 0;

    for (uint32_t i = 0; group && i < count; i++)
        group[i] = (struct stow_group_choice){(int64_t)(1 + draw(&seed) % 4),
                                              (int64_t)(draw(&seed) % 100000), i};
    for (int round = 0; group && chosen && round < ROUNDS; round++) {
        double start = now();

        made = stow_choose_groups(group, count, min, max, clusters, chosen, NULL);

        double took = now() - start;

        best = took < best ? took : best;
    }
    free(group);
    free(chosen);
    printf("{\"regions\":%u,\"min\":%lld,\"max\":%lld,\"clusters\":%lld,\"chosen\":%d,"
           "\"milliseconds\":%.3f}\n",
           count, (long long)min, (long long)max, (long long)clusters, made, best * 1e3);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "whole") == 0)
        return whole(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    if (argc == 4 && strcmp(argv[1], "webster") == 0)
        return webster((uint32_t)atoi(argv[2]), atoll(argv[3]));
    if (argc == 6 && strcmp(argv[1], "regions") == 0)
        return regions((uint32_t)atoi(argv[2]), atoll(argv[3]), atoll(argv[4]), atoll(argv[5]));
    fprintf(stderr, "usage: bench_divide whole STRATEGY CLUSTERS REPLICAS\n"
                    "       bench_divide webster PARTIES SEATS\n"
                    "       bench_divide regions REGIONS MIN MAX CLUSTERS\n");
    return 2;
}
