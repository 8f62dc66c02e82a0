/* score_inter_pod_affinity.c - preferred affinity and anti-affinity between pods.
 *
 * Per topology key and value, weights are added up: of the pod's preferred terms, once for each pod
 * that matches; of the preferred terms of pods that are there, when they match this pod; and
 * hardPodAffinityWeight for each of their required affinity terms that does.  A node has the
 * sum over the keys that it carries, brought to 0..100 between the smallest and the largest.
 * When there is nothing to add up, not even a sum of 0, the scorer skips the pod. */
#include <math.h>
#include <string.h>

#include "base/kernel.h"
#include "place/affinity.h"
#include "place/options.h"
#include "place/rules.h"

struct affinity_options {
    int64_t hard_weight;  /* hardPodAffinityWeight */
    bool ignore_existing; /* ignorePreferredTermsOfExistingPods */
};

/* The sums of one topology. */
struct points {
    const struct stow_topology *topology;
    int64_t *sum;  /* per domain */
    double *value; /* the same, for adding up; 0 where the label is missing */
};

struct affinity_prep {
    struct points *points;
    uint32_t count;
};

static int read_hard_weight(struct stow_cursor *c, void *self)
{
    return stow_cursor_int(c, 0, 100, &((struct affinity_options *)self)->hard_weight);
}

static int read_ignore(struct stow_cursor *c, void *self)
{
    return stow_cursor_bool(c, &((struct affinity_options *)self)->ignore_existing);
}

static const struct stow_rule_option options[] = {
    {"hardPodAffinityWeight", read_hard_weight,
     "weight of required affinity terms of existing pods, 0 to 100 (default 1)"},
    {"ignorePreferredTermsOfExistingPods", read_ignore,
     "skip pods that have no preferred terms of their own"},
    {0},
};

static void defaults(void *self)
{
    ((struct affinity_options *)self)->hard_weight = 1;
}

/* ---- adding up --------------------------------------------------------------------------- */

static struct points *points_for(struct affinity_prep *p, const struct stow_topology *topology,
                                 struct stow_arena *arena)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->points[i].topology == topology)
            return &p->points[i];

    struct points *made = &p->points[p->count];

    made->topology = topology;
    made->sum = stow_arena_zalloc(arena, topology->domains * sizeof(*made->sum));
    made->value = stow_arena_alloc(arena, topology->domains * sizeof(*made->value));
    if (!made->sum || !made->value)
        return NULL;
    p->count++;
    return made;
}

STOW_KERNEL static void add_sums(int64_t *restrict to, const int64_t *restrict sum, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] += sum[i];
}

STOW_KERNEL static void add_counts(int64_t *restrict to, const uint32_t *restrict pods,
                                   uint32_t count, int64_t weight)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] += pods[i] * weight;
}

/* Adds a counter (times a weight, where it counts pods), when any pod is in it. */
static int add_counter(struct affinity_prep *p, const struct stow_counter *counter, int64_t weight,
                       struct stow_arena *arena)
{
    if (!counter || !counter->entries)
        return STOW_OK;

    struct points *points = points_for(p, counter->topology, arena);

    if (!points)
        return STOW_ENOMEM;
    if (counter->sum)
        add_sums(points->sum, counter->sum, counter->topology->domains);
    else if (counter->crowded)
        add_counts(points->sum, counter->count, counter->topology->domains, weight);
    else
        for (uint32_t i = 0; i < counter->busy_count; i++)
            points->sum[counter->busy[i]] += counter->count[counter->busy[i]] * weight;
    return STOW_OK;
}

static int add_counters(const struct affinity_options *o, const struct stow_affinity_plan *plan,
                        struct affinity_prep *p, struct stow_arena *arena)
{
    for (uint32_t i = 0; i < plan->preferred.count; i++)
        STOW_TRY(
            add_counter(p, plan->preferred.term[i].counter, plan->preferred.term[i].weight, arena));
    for (uint32_t i = 0; i < plan->sheets->count; i++) {
        STOW_TRY(add_counter(p, plan->sheets->sheet[i].liked, 1, arena));
        if (o->hard_weight > 0)
            STOW_TRY(add_counter(p, plan->sheets->sheet[i].drawn, o->hard_weight, arena));
    }
    return STOW_OK;
}

STOW_KERNEL static void fill_values(const struct points *points)
{
    const int64_t *sum = points->sum;
    double *value = points->value;

    for (uint32_t i = 0; i < points->topology->domains; i++)
        value[i] = (double)sum[i];
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct affinity_options *o = self;
    const struct stow_affinity_plan *plan;
    struct affinity_prep *p = prep;

    STOW_TRY(stow_affinity_plan(state, pod, &plan));
    if (!plan || (o->ignore_existing && !plan->preferred.count))
        return STOW_PREPARED_SKIP;
    p->points =
        stow_arena_alloc(arena, (plan->preferred.count + plan->sheets->count) * sizeof(*p->points));
    if (!p->points)
        return STOW_ENOMEM;
    STOW_TRY(add_counters(o, plan, p, arena));
    for (uint32_t i = 0; i < p->count; i++) {
        p->points[i].sum[0] = 0;
        fill_values(&p->points[i]);
    }
    return p->count ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct affinity_prep *p = prep;

    (void)self, (void)state, (void)pod;
    for (uint32_t k = 0; k < p->count; k++) {
        const uint32_t *of = p->points[k].topology->of;
        const double *value = p->points[k].value;

        if (k == 0)
            for (uint32_t i = 0; i < count; i++)
                raw[i] = value[of[nodes[i]]];
        else
            for (uint32_t i = 0; i < count; i++)
                raw[i] += value[of[nodes[i]]];
    }
}

STOW_KERNEL static void scale(double min, double range, uint32_t count, double *score_of)
{
    for (uint32_t i = 0; i < count; i++)
        score_of[i] = (double)(int32_t)(100.0 * ((score_of[i] - min) / range));
}

static void normalise(const void *self, const void *prep, const struct stow_state *state,
                      const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                      double *score_of)
{
    double min = INFINITY, max = -INFINITY;

    (void)self, (void)prep, (void)state, (void)pod, (void)nodes;
    for (uint32_t i = 0; i < count; i++) {
        min = score_of[i] < min ? score_of[i] : min;
        max = score_of[i] > max ? score_of[i] : max;
    }
    if (max > min)
        scale(min, max - min, count, score_of);
    else
        memset(score_of, 0, count * sizeof(*score_of));
}

/* One part per topology key. */
static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    const struct affinity_prep *p = prep;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct points *points = &p->points[i];
        uint32_t domain = points->topology->of[node];

        part(ctx, stow_text(state->s, points->topology->key).ptr, points->value[domain], 1,
             domain ? NULL : "label missing");
    }
}

const struct stow_scorer stow_score_inter_pod_affinity = {
    .name = "inter-pod-affinity",
    .plugin = "InterPodAffinity",
    .summary = "preferred affinity and anti-affinity between pods",
    .scope = STOW_SCOPE_CLUSTER,
    .weight = 2,
    .self_size = sizeof(struct affinity_options),
    .prep_size = sizeof(struct affinity_prep),
    .options = options,
    .defaults = defaults,
    .prepare = prepare,
    .score = score,
    .normalise = normalise,
    .explain = explain,
};
