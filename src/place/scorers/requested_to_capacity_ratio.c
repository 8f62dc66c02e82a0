/* requested_to_capacity_ratio.c - points by how full a node would be, along a line with bends
 * (NodeResourcesFit, strategy RequestedToCapacityRatio).
 *
 * The share that would be taken, in whole percent, is looked up in a table of 101
 * points made from the shape.  Upstream's oddity is kept: a resource that gets 0
 * points leaves the mean instead of pulling it down. */
#include <math.h>

#include "place/rules.h"
#include "place/scorers/allocation.h"
#include "place/scorers/shape.h"

struct ratio {
    struct stow_allocation allocation;
    struct stow_shape shape;
};

struct ratio_prep {
    struct stow_columns columns;
    int64_t points[101]; /* by percent */
};

static int read_shape(struct stow_cursor *c, void *self)
{
    struct ratio *r = self;

    return stow_shape_read(c, &r->shape);
}

static const struct stow_field nested_fields[] = {STOW_FIELD("shape", read_shape)};

/* As a KubeSchedulerConfiguration has it. */
static int read_nested(struct stow_cursor *c, void *self)
{
    return STOW_FIELDS_STRICT(c, nested_fields, self);
}

static const struct stow_rule_option options[] = {
    {"resources", stow_allocation_read_resources,
     "list of {name, weight 1..100}; default cpu and memory"},
    {"shape", read_shape, "list of {utilization 0..100, score 0..10}, utilization increasing"},
    {"requestedToCapacityRatio", read_nested, "{shape}, as upstream nests it"},
    {0},
};

static int check_options(const void *self, struct stow_err *err)
{
    const struct ratio *r = self;

    STOW_TRY(stow_allocation_check(&r->allocation, err));
    return stow_shape_check(&r->shape, err);
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct ratio *r = self;
    struct ratio_prep *p = prep;

    STOW_TRY(stow_allocation_prepare(&r->allocation, state, pod, &p->columns, arena));
    for (int percent = 0; percent <= 100; percent++)
        p->points[percent] = stow_shape_at(&r->shape, percent, 10);
    return STOW_PREPARED;
}

static double score_node(const struct ratio_prep *p, stow_node_id node)
{
    double sum = 0, weight = 0;

    for (uint32_t i = 0; i < p->columns.count; i++) {
        const struct stow_resource_column *column = &p->columns.item[i];
        int64_t percent = stow_allocation_percent(column, STOW_SHARE_USED, node);
        int64_t points = percent < 0 ? 0 : p->points[percent];

        if (points <= 0)
            continue;
        sum += (double)points * (double)column->weight;
        weight += (double)column->weight;
    }
    return weight > 0 ? round(sum / weight) : 0;
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    (void)self;
    (void)state;
    (void)pod;
    for (uint32_t i = 0; i < count; i++)
        raw[i] = score_node(prep, nodes[i]);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    const struct ratio_prep *p = prep;

    (void)self;
    (void)state;
    (void)pod;
    for (uint32_t i = 0; i < p->columns.count; i++) {
        const struct stow_resource_column *column = &p->columns.item[i];
        int64_t percent = stow_allocation_percent(column, STOW_SHARE_USED, node);
        int64_t points = percent < 0 ? 0 : p->points[percent];
        const char *flag = percent < 0   ? "the node has none"
                           : points <= 0 ? "0 points: not in the mean"
                                         : NULL;

        part(ctx, column->name, (double)points, flag ? 0 : (double)column->weight, flag);
    }
}

const struct stow_scorer_rule stow_score_requested_to_capacity_ratio = {
    .name = "requested-to-capacity-ratio",
    .plugin = "NodeResourcesFit",
    .summary = "points by how full the node would be, along a given line",
    .scope = STOW_SCOPE_LOCAL,
    .weight = 1,
    .self_size = sizeof(struct ratio),
    .prep_size = sizeof(struct ratio_prep),
    .options = options,
    .defaults = stow_allocation_defaults,
    .check_options = check_options,
    .prepare = prepare,
    .score = score,
    .explain = explain,
};
