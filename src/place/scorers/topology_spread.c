/* topology_spread.c - constraints with ScheduleAnyway: prefer domains with few matching pods.
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
#include <string.h>

#include "base/kernel.h"
#include "place/counts/spread.h"
#include "place/rules.h"
#include "place/state.h"

/* Beyond this, 100 * (max + min) might not be exact. */
#define EXACT_MAX ((double)(1LL << 45))

/* Up to this a quotient may be nudged (scale_small). */
#define SMALL_MAX ((double)(1 << 20))
#define NUDGE     (1.0 / (1 << 24))

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

/* To the nearest whole number, halves away from zero.  No sum is negative. */
static inline double rounded(double sum)
{
    const double whole = (double)(int64_t)sum;

    return whole + (sum - whole >= 0.5 ? 1.0 : 0.0);
}

static inline double points_for(const struct stow_spread_rule *rule, uint64_t pods, double weight)
{
    return (double)pods * weight + (double)(rule->max_skew - 1);
}

/* What a rule gives the nodes of a domain.  Under the system's defaults nodes without the label
 * are counted with those whose value is empty, but get no points. */
static double domain_points(const struct spread_prep *p, uint32_t i, uint32_t domain)
{
    const struct stow_spread_rule *rule = &p->plan->rule[i];
    const bool merged = domain == rule->topology->empty && !p->plan->all_keys;
    const uint64_t unlabelled = merged ? rule->counter->count[0] : 0;

    if (domain == 0)
        return 0;
    return points_for(rule, unlabelled + rule->counter->count[domain], p->weight[i]);
}

static double node_points(const struct spread_prep *p, uint32_t i, stow_node_id node)
{
    const struct stow_spread_rule *rule = &p->plan->rule[i];
    const uint32_t domain = rule->topology->of[node];

    if (rule->per_node && domain)
        return points_for(rule, rule->counter->count[node + 1], p->weight[i]);
    return domain_points(p, i, domain);
}

static double node_raw(const struct spread_prep *p, stow_node_id node)
{
    double sum = 0;

    for (uint32_t i = 0; i < p->plan->rules; i++)
        sum += node_points(p, i, node);
    return rounded(sum);
}

/* ---- all nodes at once ------------------------------------------------------------------- */

/* As a rule most hosts have no matching pod, and at most one constraint is about larger domains:
 * then all nodes of a domain have the same score but for the few hosts that have pods.  Returns
 * false when it is not so; *ret_wide is the rule about domains, or NULL. */
static bool is_plain(const struct stow_spread_plan *plan, const struct stow_spread_rule **ret_wide)
{
    uint32_t wide = 0;

    *ret_wide = NULL;
    for (uint32_t i = 0; i < plan->rules; i++) {
        const struct stow_spread_rule *rule = &plan->rule[i];

        if (!rule->per_node) {
            *ret_wide = rule;
            wide++;
        } else if (rule->counter->crowded || rule->topology->missing) {
            return false;
        }
    }
    return wide <= 1 && !plan->complete->has;
}

/* The score of nodes of a domain whose hosts have no pods. */
static double empty_host_raw(const struct spread_prep *p, uint32_t domain)
{
    double sum = 0;

    for (uint32_t i = 0; i < p->plan->rules; i++)
        sum += p->plan->rule[i].per_node ? points_for(&p->plan->rule[i], 0, p->weight[i])
                                         : domain_points(p, i, domain);
    return rounded(sum);
}

/* Where a node is in a list in order of ids that lacks `missing` of all nodes; `count`: nowhere. */
static uint32_t position(const stow_node_id *nodes, uint32_t count, uint32_t missing,
                         stow_node_id node)
{
    uint32_t low = node > missing ? node - missing : 0, high = node < count ? node : count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (nodes[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && nodes[low] == node ? low : count;
}

static void correct_hosts(const struct spread_prep *p, const struct stow_counter *counter,
                          const stow_node_id *nodes, uint32_t count, uint32_t missing, double *raw)
{
    for (uint32_t i = 0; i < counter->busy_count; i++) {
        const stow_node_id node = counter->busy[i] - 1; /* node i is domain i + 1 */
        const uint32_t at = position(nodes, count, missing, node);

        if (at < count)
            raw[at] = node_raw(p, node);
    }
}

STOW_KERNEL static void fill(double *raw, uint32_t count, double value)
{
    for (uint32_t i = 0; i < count; i++)
        raw[i] = value;
}

static void score_plain(const struct spread_prep *p, const struct stow_spread_rule *wide,
                        const struct stow_state *state, const stow_node_id *nodes, uint32_t count,
                        double *raw)
{
    if (wide) {
        const uint32_t *of = wide->topology->of;

        for (uint32_t i = 0; i < wide->topology->domains; i++)
            p->points[i] = empty_host_raw(p, i);
        for (uint32_t i = 0; i < count; i++)
            raw[i] = p->points[of[nodes[i]]];
    } else {
        fill(raw, count, empty_host_raw(p, 0));
    }
    for (uint32_t i = 0; i < p->plan->rules; i++)
        if (p->plan->rule[i].per_node)
            correct_hosts(p, p->plan->rule[i].counter, nodes, count, state->nodes - count, raw);
}

/* NOLINTNEXTLINE(readability-function-size): what every sample is asked with */
static void sample(const void *self, const void *prep, const struct stow_state *state,
                   const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                   uint32_t all, double *raw)
{
    const struct spread_prep *p = prep;
    const uint8_t *complete = p->plan->complete->has;
    const struct stow_spread_rule *wide;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < p->plan->rules; i++) {
        const struct stow_spread_rule *rule = &p->plan->rule[i];
        uint32_t size = rule->per_node ? complete ? count_complete(complete, nodes, count) : all
                                       : count_domains(p, rule->topology, nodes, count);

        p->weight[i] = log((double)size + 2);
    }
    if (is_plain(p->plan, &wide)) {
        score_plain(p, wide, state, nodes, count, raw);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        raw[i] = complete && !complete[nodes[i]] ? 0 : node_raw(p, nodes[i]);
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    sample(self, prep, state, pod, nodes, count, count, raw);
}

/* Where all nodes have the labels, and domains can be counted in a sample. */
static bool outlook(const void *prep, struct stow_outlook *to)
{
    const struct stow_spread_plan *plan = ((const struct spread_prep *)prep)->plan;

    for (uint32_t i = 0; i < plan->rules; i++) {
        const struct stow_spread_rule *rule = &plan->rule[i];

        if (rule->per_node ? rule->topology->missing != 0 : rule->topology->straight)
            return false;
        if (!rule->per_node)
            stow_outlook_topology(to, rule->topology);
        stow_outlook_counter(to, rule->counter);
    }
    return !plan->complete->has;
}

/* ---- normalising ------------------------------------------------------------------------- */

struct range {
    double min, max;
};

static inline void widen(struct range *r, double value)
{
    r->min = value < r->min ? value : r->min;
    r->max = value > r->max ? value : r->max;
}

/* Doubles that are not negative compare like the whole numbers that their bits are, and those a
 * compiler may compare several at a time. */
STOW_KERNEL static struct range range_of_all(const double *raw, uint32_t count)
{
    const double infinite = INFINITY;
    int64_t min, max = 0;
    struct range r;

    memcpy(&min, &infinite, sizeof(min));
    for (uint32_t i = 0; i < count; i++) {
        int64_t bits;

        memcpy(&bits, &raw[i], sizeof(bits));
        min = bits < min ? bits : min;
        max = bits > max ? bits : max;
    }
    memcpy(&r.min, &min, sizeof(min));
    memcpy(&r.max, &max, sizeof(max));
    return r;
}

static struct range range_of(const uint8_t *complete, const stow_node_id *nodes, uint32_t count,
                             const double *raw)
{
    struct range r = {INFINITY, 0};

    if (!complete)
        return range_of_all(raw, count);
    for (uint32_t i = 0; i < count; i++)
        if (complete[nodes[i]])
            widen(&r, raw[i]);
    return r;
}

static void scale_large(struct range r, uint32_t count, double *score_of)
{
    const stow_i128 min = (int64_t)r.min, max = (int64_t)r.max;

    for (uint32_t i = 0; i < count; i++)
        score_of[i] = (double)(int64_t)(100 * (max + min - (int64_t)score_of[i]) / max);
}

STOW_KERNEL static void scale(double ends, double max, uint32_t count, double *score_of)
{
    for (uint32_t i = 0; i < count; i++)
        score_of[i] = (double)(int32_t)(100.0 * (ends - score_of[i]) / max);
}

/* The same without dividing.  A quotient that is not whole is at least 1 / max below the next whole
 * number, a whole one may come out too small by a rounding: NUDGE is more than the one and less
 * than the other. */
STOW_KERNEL static void scale_small(double ends, double max, uint32_t count, double *score_of)
{
    const double share = 100.0 / max;

    for (uint32_t i = 0; i < count; i++)
        score_of[i] = (double)(int32_t)((ends - score_of[i]) * share + NUDGE);
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
        fill(score_of, count, 100);
    else if (r.max > EXACT_MAX)
        scale_large(r, count, score_of);
    else if (r.max > SMALL_MAX)
        scale(r.max + r.min, r.max, count, score_of);
    else
        scale_small(r.max + r.min, r.max, count, score_of);
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
             has ? (double)rule->counter->count[domain] : 0, p->weight[i],
             has ? NULL : "label missing");
    }
}

const struct stow_scorer_rule stow_score_topology_spread = {
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
    .outlook = outlook,
    .sample = sample,
};
