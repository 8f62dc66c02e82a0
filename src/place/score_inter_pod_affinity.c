/* score_inter_pod_affinity.c - preferred affinity and anti-affinity between pods.
 *
 * Per topology key and value, weights are added up: of the pod's preferred terms, once for each pod
 * that matches; of the preferred terms of pods that are there, when they match this pod; and
 * hardPodAffinityWeight for each of their required affinity terms that does.  A node has the
 * sum over the keys that it carries, brought to 0..100 between the smallest and the largest.
 * When there is nothing to add up, not even a sum of 0, the scorer skips the pod. */
#include <math.h>

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

/* Adds a column times a weight, when any pod is in it. */
static int add_column(struct affinity_prep *p, const struct stow_column *column, int64_t weight,
                      struct stow_arena *arena)
{
    if (!column || !column->entries)
        return STOW_OK;

    struct points *points = points_for(p, column->topology, arena);

    if (!points)
        return STOW_ENOMEM;
    if (column->sum)
        for (uint32_t i = 0; i < column->topology->domains; i++)
            points->sum[i] += column->sum[i] * weight;
    else
        for (uint32_t i = 0; i < column->topology->domains; i++)
            points->sum[i] += column->count[i] * weight;
    return STOW_OK;
}

static int add_columns(const struct affinity_options *o, const struct stow_affinity_plan *plan,
                       struct affinity_prep *p, struct stow_arena *arena)
{
    for (uint32_t i = 0; i < plan->preferred.count; i++)
        STOW_TRY(
            add_column(p, plan->preferred.term[i].column, plan->preferred.term[i].weight, arena));
    for (uint32_t i = 0; i < plan->sheets->count; i++) {
        STOW_TRY(add_column(p, plan->sheets->sheet[i].liked, 1, arena));
        if (o->hard_weight > 0)
            STOW_TRY(add_column(p, plan->sheets->sheet[i].drawn, o->hard_weight, arena));
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
    if (!plan || (o->ignore_existing && !plan->preferred.count))
        return STOW_PREPARED_SKIP;
    p->points =
        stow_arena_alloc(arena, (plan->preferred.count + plan->sheets->count) * sizeof(*p->points));
    if (!p->points)
        return STOW_ENOMEM;
    STOW_TRY(add_columns(o, plan, p, arena));
    for (uint32_t i = 0; i < p->count; i++) {
        const struct points *points = &p->points[i];

        points->sum[0] = 0;
        for (uint32_t j = 0; j < points->topology->domains; j++)
            points->value[j] = (double)points->sum[j];
    }
    return p->count ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct affinity_prep *p = prep;

    (void)self, (void)state, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        raw[i] = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const uint32_t *of = p->points[k].topology->of;
        const double *value = p->points[k].value;

        for (uint32_t i = 0; i < count; i++)
            raw[i] += value[of[nodes[i]]];
    }
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

    const double range = max - min;

    for (uint32_t i = 0; i < count; i++)
        score_of[i] = range > 0 ? (double)(int32_t)(100.0 * ((score_of[i] - min) / range)) : 0;
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
