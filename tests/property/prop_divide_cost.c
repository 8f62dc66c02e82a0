/* prop_divide_cost.c - CostOptimized on whole fleets: never dearer, and steady.
 *
 * Random fleets with prices (some unknown), regions, spread constraints and replicas in
 * place.  What the strategy answers is compared with what every other strategy answers,
 * with every possible division when there are few, and with the divisions one by one and
 * all at once. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "divide/joint/fleet.h"
#include "tests/property/property.h"

#define CLUSTERS_MAX 6
#define BINDINGS_MAX 3

struct made {
    struct stow_buf text;
    uint32_t clusters, bindings;
    int64_t room[CLUSTERS_MAX]; /* free replicas */
    int64_t price[CLUSTERS_MAX];
    uint32_t region[CLUSTERS_MAX];
    int32_t held[BINDINGS_MAX][CLUSTERS_MAX], replicas[BINDINGS_MAX];
    int32_t least[BINDINGS_MAX][2], most[BINDINGS_MAX][2]; /* clusters, regions; most 0: none */

    struct stow_snapshot *s;
    struct stow_divider *divider;
    struct stow_divide_costs *costs;
    struct stow_division answer;
};

/* ---- random fleets ----------------------------------------------------------------------- */

static void write_cluster(struct made *m, uint32_t i)
{
    stow_buf_printf(
        &m->text,
        "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{"
        "\"name\":\"m%u\",\"annotations\":{\"stowage.dev/price-per-replica-hour\":\"0.%03u\"}},"
        "\"spec\":{\"region\":\"r%u\"},\"status\":{\"apiEnablements\":[{\"groupVersion\":"
        "\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\"}]}],\"resourceSummary\":{"
        "\"allocatable\":{\"cpu\":\"%lld\",\"pods\":\"1000\"}}}},",
        i, (uint32_t)m->price[i], m->region[i], (long long)m->room[i]);
}

static void write_constraints(struct made *m, uint32_t b)
{
    static const char *const fields[] = {"cluster", "region"};
    bool some = false;

    for (uint32_t i = 0; i < 2; i++) {
        if (m->most[b][i] == 0)
            continue;
        stow_buf_printf(&m->text, "%s{\"spreadByField\":\"%s\",\"minGroups\":%d,\"maxGroups\":%d}",
                        some ? "," : "\"spreadConstraints\":[", fields[i], m->least[b][i],
                        m->most[b][i]);
        some = true;
    }
    stow_buf_text(&m->text, some ? "]," : "");
}

static void write_binding(struct made *m, uint32_t b)
{
    bool some = false;

    stow_buf_printf(&m->text,
                    "%s{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
                    "\"metadata\":{\"name\":\"w%u-deployment\",\"namespace\":\"default\"},"
                    "\"spec\":{\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
                    "\"name\":\"w%u\",\"namespace\":\"default\"},\"replicas\":%d,"
                    "\"replicaRequirements\":{\"resourceRequest\":{\"cpu\":\"1\"}},"
                    "\"placement\":{",
                    b ? "," : "", b, b, m->replicas[b]);
    write_constraints(m, b);
    stow_buf_text(&m->text, "\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\","
                            "\"replicaDivisionPreference\":\"Aggregated\"}},\"clusters\":[");
    for (uint32_t i = 0; i < m->clusters; i++) {
        if (!m->held[b][i])
            continue;
        stow_buf_printf(&m->text, "%s{\"name\":\"m%u\",\"replicas\":%d}", some ? "," : "", i,
                        m->held[b][i]);
        some = true;
    }
    stow_buf_text(&m->text, "]}}");
}

static void draw_binding(struct made *m, struct chance *c, uint32_t b, bool placed)
{
    m->replicas[b] = 1 + (int32_t)chance_below(c, 8);
    for (uint32_t i = 0; placed && i < m->clusters; i++)
        m->held[b][i] = chance_one_in(c, 2) ? (int32_t)chance_below(c, 4) : 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (!chance_one_in(c, i ? 4 : 2))
            continue;
        m->least[b][i] = 1 + (int32_t)chance_below(c, 3);
        m->most[b][i] = m->least[b][i] + (int32_t)chance_below(c, 2);
    }
    if (m->most[b][1] && !m->most[b][0]) { /* the webhook wants both */
        m->least[b][0] = 1;
        m->most[b][0] = CLUSTERS_MAX;
    }
}

static bool draw(struct made *m, uint64_t seed, uint32_t bindings, bool placed)
{
    struct chance c = {seed};
    struct stow_err err = {0};

    memset(m, 0, sizeof(*m));
    m->clusters = 1 + chance_below(&c, CLUSTERS_MAX - 1);
    m->bindings = bindings;
    stow_buf_text(&m->text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < m->clusters; i++) {
        m->room[i] = chance_below(&c, 8);
        m->price[i] = 100 + 10 * chance_below(&c, 6);
        m->region[i] = chance_below(&c, 3);
        write_cluster(m, i);
    }
    for (uint32_t b = 0; b < bindings; b++) {
        draw_binding(m, &c, b, placed);
        write_binding(m, b);
    }
    stow_buf_text(&m->text, "]}");
    if (stow_snapshot_load_text("fleet.json", m->text.ptr, m->text.len, NULL, &m->s, &err) < 0 ||
        stow_divider_new(m->s, &m->divider, &err) < 0 ||
        stow_divide_costs_new(m->s, NULL, &m->costs, &err) < 0)
        return property_fails("%s", err.msg);
    return true;
}

static void done(struct made *m)
{
    stow_division_done(&m->answer);
    stow_divide_costs_free(m->costs);
    stow_divider_free(m->divider);
    stow_snapshot_unref(m->s);
    stow_buf_done(&m->text);
}

static bool ask(struct made *m, uint32_t b, enum stow_division_strategy strategy, bool fresh)
{
    struct stow_err err = {0};
    struct stow_divide_options options = {
        .strategy = strategy, .always = true, .fresh = fresh, .costs = m->costs};

    if (stow_divide(m->divider, &m->s->binding[b], &options, &m->answer, &err) < 0)
        return property_fails("%s", err.msg);
    return true;
}

/* ---- what an answer is worth ------------------------------------------------------------- */

static void read_answer(const struct made *m, int64_t *ret)
{
    memset(ret, 0, CLUSTERS_MAX * sizeof(*ret));
    for (uint32_t i = 0; i < m->answer.targets; i++)
        ret[stow_cluster_find(m->s, m->answer.target[i].cluster)] = m->answer.target[i].replicas;
}

/* In thousandths; -1: it breaks capacity, constraints or the number of replicas. */
static int64_t worth(const struct made *m, uint32_t b, const int64_t *replicas)
{
    int32_t used[2] = {0, 0};
    uint32_t seen = 0;
    int64_t cost = 0, sum = 0;

    for (uint32_t i = 0; i < m->clusters; i++) {
        if (replicas[i] > m->room[i] + m->held[b][i])
            return -1;
        cost += replicas[i] * m->price[i];
        sum += replicas[i];
        used[0] += replicas[i] > 0;
        used[1] += replicas[i] > 0 && !(seen >> m->region[i] & 1);
        seen |= replicas[i] > 0 ? 1u << m->region[i] : 0;
    }
    for (uint32_t i = 0; i < 2; i++)
        if (m->most[b][i] && (used[i] < m->least[b][i] || used[i] > m->most[b][i]))
            return -1;
    return sum == m->replicas[b] ? cost : -1;
}

static int64_t cheapest(const struct made *m, int64_t *replicas, uint32_t at, int64_t left)
{
    int64_t best = -1;

    if (at == m->clusters)
        return left ? -1 : worth(m, 0, replicas);
    for (replicas[at] = 0; replicas[at] <= left; replicas[at]++) {
        int64_t cost = cheapest(m, replicas, at + 1, left - replicas[at]);

        if (cost >= 0 && (best < 0 || cost < best))
            best = cost;
    }
    replicas[at] = 0;
    return best;
}

/* ---- statements -------------------------------------------------------------------------- */

static bool check_fresh(struct made *m)
{
    int64_t replicas[CLUSTERS_MAX] = {0}, got[CLUSTERS_MAX];
    int64_t best = cheapest(m, replicas, 0, m->replicas[0]);

    if (!ask(m, 0, STOW_DIVIDE_COST_OPTIMIZED, true))
        return false;
    read_answer(m, got);
    if ((m->answer.outcome == STOW_DIVIDE_SUCCESS) != (best >= 0))
        return property_fails("%s, but the cheapest division costs %lld",
                              stow_divide_outcome_name(m->answer.outcome), (long long)best);
    if (best >= 0 && worth(m, 0, got) != best)
        return property_fails("costs %lld, the cheapest %lld", (long long)worth(m, 0, got),
                              (long long)best);
    return true;
}

static bool fresh_is_the_cheapest(uint64_t seed)
{
    struct made m;
    bool holds = draw(&m, seed, 1, seed % 2) && check_fresh(&m);

    done(&m);
    return holds;
}

static bool check_others(struct made *m, bool fresh)
{
    int64_t got[CLUSTERS_MAX], other[CLUSTERS_MAX];

    if (!ask(m, 0, STOW_DIVIDE_COST_OPTIMIZED, fresh))
        return false;

    bool found = m->answer.outcome == STOW_DIVIDE_SUCCESS;

    read_answer(m, got);
    for (uint32_t i = STOW_DIVIDE_DUPLICATED; i < STOW_DIVIDE_COST_OPTIMIZED; i++) {
        if (!ask(m, 0, (enum stow_division_strategy)i, fresh))
            return false;
        read_answer(m, other);
        if (m->answer.outcome != STOW_DIVIDE_SUCCESS || worth(m, 0, other) < 0)
            continue;
        if (!found || worth(m, 0, got) > worth(m, 0, other))
            return property_fails("%s is cheaper",
                                  stow_division_strategy_name((enum stow_division_strategy)i));
    }
    return true;
}

/* The first time, or anew. */
static bool no_strategy_is_cheaper(uint64_t seed)
{
    struct made m;
    bool holds = draw(&m, seed, 1, seed % 2) && check_others(&m, seed % 2);

    done(&m);
    return holds;
}

/* Without constraints: more replicas take nothing away, fewer add nothing, as many change nothing.
 */
static bool check_steady(struct made *m)
{
    int64_t got[CLUSTERS_MAX], held = 0;

    if (!ask(m, 0, STOW_DIVIDE_COST_OPTIMIZED, false))
        return false;
    if (m->answer.outcome != STOW_DIVIDE_SUCCESS || m->most[0][0] || m->most[0][1])
        return true;
    read_answer(m, got);
    for (uint32_t i = 0; i < m->clusters; i++)
        held += m->held[0][i];
    for (uint32_t i = 0; i < m->clusters; i++)
        if ((m->replicas[0] >= held && got[i] < m->held[0][i]) ||
            (m->replicas[0] <= held && got[i] > m->held[0][i]))
            return property_fails("m%u had %d and has %lld", i, m->held[0][i], (long long)got[i]);
    return true;
}

static bool steady_moves_nothing(uint64_t seed)
{
    struct made m;
    bool holds = draw(&m, seed, 1, true) && check_steady(&m);

    done(&m);
    return holds;
}

static bool check_joint(struct made *m, uint64_t seed)
{
    struct stow_joint_division made;
    struct stow_err err = {0};
    struct stow_joint_options options = {.costs = m->costs,
                                         .disruption = seed % 3 ? (int64_t)(seed % 7) * 10000000
                                                                : STOW_MONEY_UNKNOWN,
                                         .fresh = seed % 5 == 0,
                                         .all = true};

    if (stow_divide_jointly(m->divider, &options, &made, &err) < 0)
        return property_fails("%s", err.msg);

    const struct stow_joint_answer *a = &made.answer;
    bool holds =
        a->cost.left_out < a->one_by_one.left_out ||
        (a->cost.left_out == a->one_by_one.left_out && a->cost.total <= a->one_by_one.total);

    if (!holds)
        property_fails("dearer than one by one");
    else if (a->bounded && a->bound > a->cost.total)
        holds = property_fails("the bound is above the cost");
    stow_joint_division_done(&made);
    return holds;
}

static bool all_at_once_is_not_dearer(uint64_t seed)
{
    struct made m;
    bool holds =
        draw(&m, seed, 1 + (uint32_t)(seed % BINDINGS_MAX), seed % 2) && check_joint(&m, seed);

    done(&m);
    return holds;
}

int main(int argc, char **argv)
{
    const struct property list[] = {
        {"fresh-cost-optimized-is-the-cheapest", fresh_is_the_cheapest, 1500},
        {"no-strategy-is-cheaper-than-cost-optimized", no_strategy_is_cheaper, 1500},
        {"steady-cost-optimized-moves-nothing", steady_moves_nothing, 1000},
        {"all-at-once-is-not-dearer-than-one-by-one", all_at_once_is_not_dearer, 800},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
