/* least_allocated.c - the node with most left, in percent (NodeResourcesFit, strategy
 * LeastAllocated). */
#include "place/rules.h"
#include "place/scorers/allocation.h"

static const struct stow_rule_option options[] = {
    {"resources", stow_allocation_read_resources,
     "list of {name, weight 1..100}; default cpu and memory"},
    {0},
};

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    (void)self;
    (void)state;
    (void)pod;
    stow_allocation_score(prep, STOW_SHARE_FREE, nodes, count, raw);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    (void)self;
    (void)state;
    (void)pod;
    stow_allocation_explain(prep, STOW_SHARE_FREE, node, part, ctx);
}

static bool formulate(const void *self, const void *prep, double weight, struct stow_formula *to)
{
    const struct stow_columns *columns = prep;
    const struct stow_resource_column *item = columns->item;

    (void)self;
    if (!columns->hot.hot || to->least.weight != 0)
        return false;

    const double weights = (double)(item[0].weight + item[1].weight);

    to->least = (struct stow_formula_part){
        .weight = weight,
        .request = {(double)item[0].request, (double)item[1].request},
        .share = {(double)item[0].weight / weights, (double)item[1].weight / weights},
    };
    return true;
}

const struct stow_scorer_rule stow_score_least_allocated = {
    .name = "least-allocated",
    .plugin = "NodeResourcesFit",
    .summary = "the node with most left, in percent",
    .scope = STOW_SCOPE_LOCAL,
    .weight = 1,
    .self_size = sizeof(struct stow_allocation),
    .prep_size = sizeof(struct stow_columns),
    .options = options,
    .defaults = stow_allocation_defaults,
    .check_options = stow_allocation_check,
    .prepare = stow_allocation_prepare,
    .score = score,
    .explain = explain,
    .formulate = formulate,
};
