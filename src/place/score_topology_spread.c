/* score_topology_spread.c - constraints with ScheduleAnyway: prefer domains with few matching pods.
 *
 *     raw = round( sum over constraints of  count(domain) * ln(size + 2) + maxSkew - 1 )
 *
 * size is the number of domains among the candidates (of candidates, for host names), so
 * that a zone with many pods does not drown a host with few.  Candidates that lack one
 * of the keys get 0, unless the constraints are the system's defaults.
 *
 * Normalised: 100 * (max + min - raw) / max.  Everything is a whole number below 2^53 there, so
 * that dividing doubles and dropping the fraction is exact: the quotient of two such numbers is
 * either whole or farther from a whole number than rounding can move it. */
#include <math.h>

#include "place/rules.h"
#include "place/spread.h"
#include "place/state.h"

/* Beyond this, 100 * (max + min) might not be exact. */
#define EXACT_MAX ((double)(1LL << 45))

struct spread_prep {
    const struct stow_spread_plan *plan;
    /* Filled by score, read by explain. */
    double *weight; /* per rule */
    double *points; /* room for one rule, per domain */
    uint8_t *seen;  /* likewise */
};

static uint32_t most_domains(const struct stow_spread_plan *plan)
{
    uint32_t most = 1;

    for (uint32_t i = 0; i < plan->rules; i++)
        if (!plan->rule[i].per_node && plan->rule[i].topology->domains > most)
            most = plan->rule[i].topology->domains;
    return most;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct spread_prep *p = prep;

    STOW_TRY(stow_spread_plan(self, state, pod, false, &p->plan));
    if (!p->plan)
        return STOW_PREPARED_SKIP;

    uint32_t domains = most_domains(p->plan);

    p->weight = stow_arena_zalloc(arena, p->plan->rules * sizeof(*p->weight));
    p->points = stow_arena_alloc(arena, domains * sizeof(*p->points));
    p->seen = stow_arena_alloc(arena, domains);
    return p->weight && p->points && p->seen ? STOW_PREPARED : STOW_ENOMEM;
}

/* ---- how many domains the candidates have ------------------------------------------------ */

static uint32_t count_complete(const uint8_t *complete, const stow_node_id *nodes, uint32_t count)
{
    uint32_t found = 0;

    if (!complete)
        return count;
    for (uint32_t i = 0; i < count; i++)
        found += complete[nodes[i]];
    return found;
}

/* Stops when all domains have been seen; that is soon, as a rule. */
static uint32_t count_domains(const struct spread_prep *p, const struct stow_topology *t,
                              const stow_node_id *nodes, uint32_t count)
{
    const uint8_t *complete = p->plan->complete->has;
    const uint32_t all = t->domains - (t->missing == 0);
    uint32_t found = 0;

    for (uint32_t i = 0; i < t->domains; i++)
        p->seen[i] = 0;
    for (uint32_t i = 0; i < count && found < all; i++) {
        uint32_t domain = t->of[nodes[i]];

        if (p->seen[domain] || (complete && !complete[nodes[i]]))
            continue;
        p->seen[domain] = 1;
        found++;
    }
    /* A missing label counts as the empty value; one that is there and empty is the same. */
    return found - (t->empty && p->seen[0] && p->seen[t->empty]);
}

/* ---- points ------------------------------------------------------------------------------ */

static double points_of(const struct stow_spread_rule *rule, uint64_t count, double weight)
{
    return (double)count * weight + (double)(rule->max_skew - 1);
}

static void fill_points(const struct spread_prep *p, const struct stow_spread_rule *rule,
                        double weight)
{
    const struct stow_topology *t = rule->topology;

    p->points[0] = 0;
    for (uint32_t i = 1; i < t->domains; i++)
        p->points[i] = points_of(rule, rule->column->count[i], weight);
    if (t->empty && !p->plan->all_keys)
        p->points[t->empty] = points_of(
            rule, (uint64_t)rule->column->count[0] + rule->column->count[t->empty], weight);
}

static void add_hosts(const struct stow_spread_rule *rule, double weight, const stow_node_id *nodes,
                      uint32_t count, double *sum)
{
    const uint32_t *on = rule->column->count + 1; /* node i is domain i + 1 */
    const double extra = (double)(rule->max_skew - 1);

    if (rule->topology->missing == 0) {
        for (uint32_t i = 0; i < count; i++)
            sum[i] += (double)on[nodes[i]] * weight + extra;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (rule->topology->of[nodes[i]])
            sum[i] += (double)on[nodes[i]] * weight + extra;
}

static void add_domains(const struct spread_prep *p, const struct stow_spread_rule *rule,
                        const stow_node_id *nodes, uint32_t count, double *sum)
{
    const uint32_t *of = rule->topology->of;
    const double *points = p->points;

    for (uint32_t i = 0; i < count; i++)
        sum[i] += points[of[nodes[i]]];
}

/* To the nearest whole number, halves away from zero.  No sum is negative. */
static void round_all(double *sum, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double whole = (double)(int64_t)sum[i];

        sum[i] = whole + (sum[i] - whole >= 0.5 ? 1.0 : 0.0);
    }
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct spread_prep *p = prep;
    const uint8_t *complete = p->plan->complete->has;

    (void)self, (void)state, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        raw[i] = 0;
    for (uint32_t i = 0; i < p->plan->rules; i++) {
        const struct stow_spread_rule *rule = &p->plan->rule[i];
        uint32_t size = rule->per_node ? count_complete(complete, nodes, count)
                                       : count_domains(p, rule->topology, nodes, count);

        p->weight[i] = log((double)size + 2);
        if (rule->per_node) {
            add_hosts(rule, p->weight[i], nodes, count, raw);
        } else {
            fill_points(p, rule, p->weight[i]);
            add_domains(p, rule, nodes, count, raw);
        }
    }
    round_all(raw, count);
    for (uint32_t i = 0; i < count && complete; i++)
        raw[i] = complete[nodes[i]] ? raw[i] : 0;
}

/* ---- normalising ------------------------------------------------------------------------- */

struct range {
    double min, max;
};

static struct range range_of(const uint8_t *complete, const stow_node_id *nodes, uint32_t count,
                             const double *raw)
{
    struct range r = {INFINITY, 0};

    for (uint32_t i = 0; i < count; i++) {
        if (complete && !complete[nodes[i]])
            continue;
        r.min = raw[i] < r.min ? raw[i] : r.min;
        r.max = raw[i] > r.max ? raw[i] : r.max;
    }
    return r;
}

static void scale_large(struct range r, uint32_t count, double *score_of)
{
    const stow_i128 min = (int64_t)r.min, max = (int64_t)r.max;

    for (uint32_t i = 0; i < count; i++)
        score_of[i] = (double)(int64_t)(100 * (max + min - (int64_t)score_of[i]) / max);
}

static void scale(struct range r, uint32_t count, double *score_of)
{
    const double ends = r.max + r.min, max = r.max;

    for (uint32_t i = 0; i < count; i++)
        score_of[i] = (double)(int32_t)(100.0 * (ends - score_of[i]) / max);
}

static void normalise(const void *self, const void *prep, const struct stow_state *state,
                      const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                      double *score_of)
{
    const struct spread_prep *p = prep;
    const uint8_t *complete = p->plan->complete->has;
    const struct range r = range_of(complete, nodes, count, score_of);

    (void)self, (void)state, (void)pod;
    if (r.max == 0)
        for (uint32_t i = 0; i < count; i++)
            score_of[i] = 100;
    else if (r.max > EXACT_MAX)
        scale_large(r, count, score_of);
    else
        scale(r, count, score_of);
    for (uint32_t i = 0; i < count && complete; i++)
        score_of[i] = complete[nodes[i]] ? score_of[i] : 0;
}

/* One part per constraint: the pods counted, and what each of them weighs. */
static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    const struct spread_prep *p = prep;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < p->plan->rules; i++) {
        const struct stow_spread_rule *rule = &p->plan->rule[i];
        const uint32_t domain = rule->per_node ? node + 1 : rule->topology->of[node];
        const bool has = rule->topology->of[node] != 0;

        part(ctx, stow_text(state->s, rule->topology->key).ptr,
             has ? (double)rule->column->count[domain] : 0, p->weight[i],
             has ? NULL : "label missing");
    }
}

const struct stow_scorer stow_score_topology_spread = {
    .name = "topology-spread",
    .plugin = "PodTopologySpread",
    .summary = "fewer matching pods in the node's domains",
    .scope = STOW_SCOPE_CLUSTER,
    .weight = 2,
    .self_size = sizeof(struct stow_spread_options),
    .prep_size = sizeof(struct spread_prep),
    .options = stow_spread_option_table,
    .check_options = stow_spread_check_options,
    .prepare = prepare,
    .score = score,
    .normalise = normalise,
    .explain = explain,
};
