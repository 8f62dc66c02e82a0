/* rank_price.c - the cheapest way to grow, for what it brings, on nodes that fit the cluster.
 *
 * Problem: options take different pods on different machines, so their costs cannot
 * be compared as they are.  Idea (the Cluster Autoscaler's price expander): divide
 * the cost C of the nodes by the cost T that the same pods would have on machines
 * of exactly their size.  For small pods that ratio prefers tiny machines, so the
 * price X of one more small pod is added on both sides; and it is multiplied by how
 * unfit the machine is for a cluster of this size, which counts less the more nodes
 * are added at once:
 *
 *     score = suppress(unfitness, n) * (C + X) / (T + X)
 *
 * Two rule sets.  `proposal` is that formula as it was first written down, X being
 * half a core.  `current` is what runs today: X has 500 MiB of memory, too, machines
 * with GPUs are unfit by 1000 however many are added, groups that do not exist yet
 * count double, and larger machines are preferred earlier.
 *
 * Everything is in doubles, in upstream's order, because equal scores tie and ties
 * are decided by the next ranker.  For the same reason tanh is Go's: over all
 * numbers of nodes it differs from the C library's at six, in the last bit, and those
 * six are in a table.
 *
 * A candidate without a price cannot be compared.  Upstream drops it without a word
 * and, if none has a price, adds nothing.  Here it is marked and ranked last: kept
 * when nothing else is left.  `strict` is upstream's way.
 *
 * Values that are not numbers (all costs 0) follow upstream, too: the first candidate
 * leads until a lower score comes, and nothing is lower than NaN. */
#include "scale/rules/rank_price.h"

#include <math.h>

#include "model/build.h"
#include "model/pods/requests.h"
#include "scale/rules/rankers.h"

#define MIB ((int64_t)1 << 20)

#define GPU_UNFITNESS       1000.0
#define NOT_EXISTING_FACTOR 2.0
#define TANH_DIVISOR        15.0

/* ---- the preferred node ------------------------------------------------------------------ */

/* The sizes of n1-standard-1 to n1-standard-32. */
#define SIZE(limit, cores)                                                 \
    {                                                                      \
        .max_nodes = (limit), .pods = 100, .cpu = INT64_C(1000) * (cores), \
        .memory = 3750 * MIB * (cores)                                     \
    }
#define SIZES 6

static const struct stow_preferred_node preferred[][SIZES] = {
    [STOW_PRICE_CURRENT] = {SIZE(2, 1), SIZE(6, 2), SIZE(20, 4), SIZE(60, 8), SIZE(200, 16),
                            SIZE(UINT32_MAX, 32)},
    [STOW_PRICE_PROPOSAL] = {SIZE(2, 1), SIZE(6, 2), SIZE(20, 4), SIZE(80, 8), SIZE(300, 16),
                             SIZE(UINT32_MAX, 32)},
};

const struct stow_preferred_node *stow_preferred_node(enum stow_price_rules rules, uint32_t nodes)
{
    const struct stow_preferred_node *row = preferred[rules];

    while (nodes > row->max_nodes)
        row++;
    return row;
}

double stow_price_unfitness(int64_t preferred_cpu, int64_t node_cpu)
{
    double small = (double)preferred_cpu / (double)node_cpu;
    double large = (double)node_cpu / (double)preferred_cpu;

    return small > large ? small : large;
}

/* ---- suppression ------------------------------------------------------------------------- */

/* Go's tanh((nodes - 1) / 15). */
static double go_tanh(uint32_t nodes)
{
    switch (nodes) {
    case 5:
        return 0x1.0ac5df2b36174p-2;
    case 9:
        return 0x1.f3a29b4d862f0p-2;
    case 11:
        return 0x1.2a6286b5df250p-1;
    case 12:
        return 0x1.400d2955c3e9cp-1;
    case 13:
        return 0x1.53fca0a748a40p-1;
    case 14:
        return 0x1.663c02797e838p-1;
    default:
        return tanh(((double)nodes - 1) / TANH_DIVISOR);
    }
}

double stow_price_suppress(double unfitness, uint32_t nodes)
{
    return (unfitness - 1.0) * (1.0 - go_tanh(nodes)) + 1.0;
}

/* ---- what it reads ----------------------------------------------------------------------- */

double stow_price_stabiliser(enum stow_price_rules rules, const struct stow_gce_rates *rates)
{
    const struct stow_gce_requests pod = {
        .cpu_milli = 500,
        .memory = rules == STOW_PRICE_CURRENT ? 500 * MIB : 0,
    };

    return stow_gce_pod_price(rates, &pod);
}

bool stow_price_gpu_node(const struct stow_snapshot *s, const struct stow_node *node)
{
    static const char *const devices[] = {"nvidia.com/gpu", "habana.ai/gaudi", "gpu.intel.com/xe",
                                          "amd.com/gpu", "microsoft.com/directx"};
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, node->allocatable, struct stow_exact, &count);

    if (stow_label_text(s, node->labels, "cloud.google.com/gke-accelerator").ptr)
        return true;
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        stow_sym sym = stow_intern_find(&s->text, stow_str_of(devices[i]));
        stow_i128 nano = 0;

        if (sym != STOW_INTERN_FAILED && stow_exact_find(list, count, sym, &nano) && nano != 0)
            return true;
    }
    return false;
}

/* ---- the score --------------------------------------------------------------------------- */

void stow_price_score(const struct stow_rank_context *ctx, const struct stow_candidate *candidate,
                      double ret[STOW_PRICE_VALUES])
{
    const bool current = ctx->price_rules == STOW_PRICE_CURRENT;
    const double x = ctx->stabiliser;
    const double cost = candidate->node_price * (double)candidate->nodes;
    const double ratio = (cost + x) / (candidate->pods_price + x);
    const double unfitness = stow_price_unfitness(ctx->preferred_cpu, candidate->cpu);
    double suppressed = stow_price_suppress(unfitness, candidate->nodes);

    if (current && candidate->gpu)
        suppressed = GPU_UNFITNESS;

    double score = suppressed * ratio;

    if (current && !candidate->exists)
        score *= NOT_EXISTING_FACTOR;
    ret[STOW_PRICE_NODE_COST] = cost;
    ret[STOW_PRICE_POD_COST] = candidate->pods_price;
    ret[STOW_PRICE_RATIO] = ratio;
    ret[STOW_PRICE_UNFITNESS] = unfitness;
    ret[STOW_PRICE_SUPPRESSED] = suppressed;
    ret[STOW_PRICE_SCORE] = score;
}

static const char *why_skipped(const struct stow_candidate *candidate)
{
    if (!candidate->has_template)
        return "the group has no template";
    if (!candidate->priced)
        return "the price of its nodes is not known";
    return candidate->pods_priced ? NULL : "the price of its pods is not known";
}

static int keep(const struct stow_rank_context *ctx, const struct stow_candidate *all,
                uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark, struct stow_err *err)
{
    const uint32_t given = *count;
    uint32_t best = 0, skipped = 0;
    double lowest = 0;

    (void)err;
    for (uint32_t i = 0; i < given; i++) {
        const uint32_t id = kept[i];

        mark[id] = (struct stow_rank_mark){.skipped = why_skipped(&all[id])};
        if (mark[id].skipped) {
            skipped++;
            continue;
        }
        stow_price_score(ctx, &all[id], mark[id].value);

        const double score = mark[id].value[STOW_PRICE_SCORE];

        if (best == 0 || score < lowest) {
            best = 0;
            lowest = score;
        } else if (score != lowest) {
            continue;
        }
        kept[best++] = id; /* never ahead of what is still to be read */
    }
    if (skipped < given || ctx->strict)
        *count = best;
    return STOW_OK;
}

static const char *const values[STOW_PRICE_VALUES + 1] = {
    [STOW_PRICE_NODE_COST] = "node_cost",   [STOW_PRICE_POD_COST] = "pod_cost",
    [STOW_PRICE_RATIO] = "ratio",           [STOW_PRICE_UNFITNESS] = "unfitness",
    [STOW_PRICE_SUPPRESSED] = "suppressed", [STOW_PRICE_SCORE] = "score",
};

_Static_assert((int)STOW_PRICE_VALUES <= STOW_RANK_VALUES, "a mark has room for the values");

const struct stow_ranker stow_rank_price = {
    .name = "price",
    .summary = "lowest cost for what the pods would cost alone, on nodes that fit the cluster",
    .value = values,
    .keep = keep,
};
