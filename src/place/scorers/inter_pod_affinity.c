/* inter_pod_affinity.c - preferred affinity and anti-affinity between pods.
 *
 * Per topology key and value, weights are added up: of the pod's preferred terms, once for each pod
 * that matches; of the preferred terms of pods that are there, when they match this pod; and
 * hardPodAffinityWeight for each of their required affinity terms that does.  A node has the
 * sum over the keys that it carries, brought to 0..100 between the smallest and the largest.
 * When there is nothing to add up, not even a sum of 0, the scorer skips the pod. */
#include <math.h>
#include <string.h>

#include "base/kernel.h"
#include "place/counts/affinity.h"
#include "place/profiles/options.h"
#include "place/rules.h"

struct affinity_options {
    int64_t hard_weight;  /* hardPodAffinityWeight */
    bool ignore_existing; /* ignorePreferredTermsOfExistingPods */
};

/* The sums of one topology, added up where its domains are few; where every node is one, the
 * counters are looked at node by node instead. */
struct points {
    const struct stow_topology *topology;
    int64_t *sum; /* per domain, 0 where the label is missing; NULL: by `single` */
};

/* A counter over single nodes, and what each of its pods weighs (1 where it has sums). */
struct single {
    const struct stow_counter *counter;
    int64_t weight;
};

struct affinity_prep {
    const struct stow_affinity_plan *plan;
    bool drawn; /* required terms of pods that are there count */
    struct points *points;
    struct single *single;
    uint32_t count, singles;
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
    made->sum = topology->straight
                    ? NULL
                    : stow_arena_zalloc(arena, topology->domains * sizeof(*made->sum));
    if (!made->sum && !topology->straight)
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
    if (!points->sum)
        p->single[p->singles++] = (struct single){counter, counter->sum ? 1 : weight};
    else if (counter->sum)
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

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct affinity_options *o = self;
    const struct stow_affinity_plan *plan;
    struct affinity_prep *p = prep;

    STOW_TRY(stow_affinity_plan(state, pod, &plan));
    p->plan = plan;
    p->drawn = o->hard_weight > 0;
    if (!plan || (o->ignore_existing && !plan->preferred.count))
        return STOW_PREPARED_SKIP;

    const size_t most = plan->preferred.count + 2 * (size_t)plan->sheets->count;

    p->points = stow_arena_alloc(arena, most * sizeof(*p->points));
    p->single = stow_arena_alloc(arena, most * sizeof(*p->single));
    if (!p->points || !p->single)
        return STOW_ENOMEM;
    STOW_TRY(add_counters(o, plan, p, arena));
    for (uint32_t i = 0; i < p->count; i++)
        if (p->points[i].sum)
            p->points[i].sum[0] = 0;
    return p->count ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static inline int64_t single_points(const struct single *single, stow_node_id node)
{
    const struct stow_counter *counter = single->counter;

    return single->weight * (counter->sum ? counter->sum[node + 1] : counter->count[node + 1]);
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct affinity_prep *p = prep;

    (void)self, (void)state, (void)pod;
    memset(raw, 0, count * sizeof(*raw));
    for (uint32_t k = 0; k < p->count; k++)
        for (uint32_t i = 0; i < count && p->points[k].sum; i++)
            raw[i] += (double)p->points[k].sum[p->points[k].topology->of[nodes[i]]];
    for (uint32_t k = 0; k < p->singles; k++)
        for (uint32_t i = 0; i < count; i++)
            raw[i] += (double)single_points(&p->single[k], nodes[i]);
}

/* The counters that are added up. */
static bool outlook(const void *prep, struct stow_outlook *to)
{
    const struct affinity_prep *p = prep;

    for (uint32_t i = 0; i < p->plan->preferred.count; i++)
        stow_outlook_counter(to, p->plan->preferred.term[i].counter);
    for (uint32_t i = 0; i < p->plan->sheets->count; i++) {
        stow_outlook_counter(to, p->plan->sheets->sheet[i].liked);
        if (p->drawn)
            stow_outlook_counter(to, p->plan->sheets->sheet[i].drawn);
    }
    return true;
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
        const uint32_t domain = points->topology->of[node];
        int64_t sum = points->sum ? points->sum[domain] : 0;

        for (uint32_t k = 0; k < p->singles; k++)
            if (p->single[k].counter->topology == points->topology)
                sum += single_points(&p->single[k], node);
        part(ctx, stow_text(state->s, points->topology->key).ptr, (double)sum, 1,
             domain ? NULL : "label missing");
    }
}

const struct stow_scorer_rule stow_score_inter_pod_affinity = {
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
    .outlook = outlook,
};
