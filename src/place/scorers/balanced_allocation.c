/* balanced_allocation.c - nodes whose resources are used evenly
 * (NodeResourcesBalancedAllocation).
 *
 *     bal(x) = trunc((1 - std) * 100), std of the fractions x / allocatable, at most 1 each
 *     1.35:  bal(used + pod)
 *     1.36:  50 + (50 + bal(used + pod) - bal(used)) / 2: what the pod makes of it
 *
 * Doubles, added from left to right, are upstream's; so is the special case of two
 * resources, where std = |f0 - f1| / 2.  Cpu and memory of nodes that all have both,
 * nearly always, take the loop in hot.c, which does the same steps. */
#include <math.h>
#include <string.h>

#include "place/rules.h"
#include "place/scorers/allocation.h"

enum version { VERSION_1_36, VERSION_1_35 };

struct balanced {
    struct stow_allocation allocation;
    uint32_t rules; /* enum version */
};

struct balanced_prep {
    struct stow_columns columns;
};

/* ---- options ----------------------------------------------------------------------------- */

static int read_rules(struct stow_cursor *c, void *self)
{
    static const char *const words[] = {"1.36", "1.35", NULL};
    struct balanced *b = self;
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text)); /* YAML reads 1.36 as a number */
    for (uint32_t i = 0; words[i]; i++)
        if (stow_str_is(text, words[i])) {
            b->rules = i;
            return STOW_OK;
        }
    return stow_cursor_fail(c, "expected 1.36 or 1.35, found %.*s", STOW_FMT(text));
}

static const struct stow_rule_option options[] = {
    {"resources", stow_allocation_read_resources, "list of {name}; default cpu and memory"},
    {"rules", read_rules, "1.36 (default) or 1.35: the formula of that kube-scheduler"},
    {0},
};

static int check_options(const void *self, struct stow_err *err)
{
    const struct balanced *b = self;
    const struct stow_weighted_list *list = &b->allocation.resources;

    for (uint32_t i = 0; i < list->count; i++) {
        if (list->item[i].weight != 1)
            return stow_fail(err, STOW_EINVAL, "resource %s: the weight must be 1",
                             list->item[i].name);
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(list->item[i].name, list->item[j].name) == 0)
                return stow_fail(err, STOW_EINVAL, "resource %s is listed twice",
                                 list->item[i].name);
    }
    return STOW_OK;
}

/* ---- preparing --------------------------------------------------------------------------- */

/* The pod asks for nothing that is looked at. */
static bool is_idle(const struct stow_columns *columns)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (columns->item[i].request != 0)
            return false;
    return true;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct balanced *b = self;
    struct balanced_prep *p = prep;

    STOW_TRY(stow_columns_build(stow_allocation_resources(&b->allocation.resources),
                                STOW_BASIS_PLAIN, state, pod, arena, &p->columns));
    return is_idle(&p->columns) ? STOW_PREPARED_SKIP : STOW_PREPARED;
}

/* ---- one node ---------------------------------------------------------------------------- */

static double fraction(int64_t amount, int64_t cap)
{
    double f = (double)amount / (double)cap;

    return f > 1 ? 1 : f;
}

static int64_t sum_of(const struct stow_resource_column *column, stow_node_id node, bool with_pod)
{
    int64_t sum = column->used[node];

    if (with_pod && __builtin_add_overflow(sum, column->request, &sum))
        return INT64_MAX;
    return sum;
}

/* The mean, then the mean of squares: columns that the node does not have are passed over. */
static double deviation(const struct stow_columns *columns, stow_node_id node, bool with_pod,
                        uint32_t kept)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < columns->count; i++) {
        const struct stow_resource_column *column = &columns->item[i];

        if (column->allocatable[node] > 0)
            sum += fraction(sum_of(column, node, with_pod), column->allocatable[node]);
    }

    double mean = sum / (double)kept;

    for (uint32_t i = 0; i < columns->count; i++) {
        const struct stow_resource_column *column = &columns->item[i];

        if (column->allocatable[node] > 0) {
            double f = fraction(sum_of(column, node, with_pod), column->allocatable[node]);

            squares = squares + (f - mean) * (f - mean);
        }
    }
    return sqrt(squares / (double)kept);
}

static double balance(const struct stow_columns *columns, stow_node_id node, bool with_pod)
{
    double f[2] = {0, 0}, std = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < columns->count; i++) {
        const struct stow_resource_column *column = &columns->item[i];

        if (column->allocatable[node] <= 0)
            continue;
        if (kept < 2)
            f[kept] = fraction(sum_of(column, node, with_pod), column->allocatable[node]);
        kept++;
    }
    if (kept == 2)
        std = fabs((f[0] - f[1]) / 2);
    else if (kept > 2)
        std = deviation(columns, node, with_pod, kept);
    return trunc((1 - std) * 100);
}

static double score_node(const struct balanced *b, const struct balanced_prep *p, stow_node_id node)
{
    double with = balance(&p->columns, node, true);

    if (b->rules == VERSION_1_35)
        return with;
    return 50 + trunc((50 + with - balance(&p->columns, node, false)) / 2);
}

/* ---- many nodes -------------------------------------------------------------------------- */

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct balanced *b = self;
    const struct balanced_prep *p = prep;

    (void)state;
    (void)pod;
    if (p->columns.hot.hot) {
        const int64_t request[2] = {p->columns.item[0].request, p->columns.item[1].request};

        stow_hot_balance(p->columns.hot, nodes, count, request, b->rules == VERSION_1_36, raw);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        raw[i] = score_node(b, p, nodes[i]);
}

static bool formulate(const void *self, const void *prep, double weight, struct stow_formula *to)
{
    const struct balanced *b = self;
    const struct balanced_prep *p = prep;
    const struct stow_resource_column *item = p->columns.item;

    if (!p->columns.hot.hot || to->balance.weight != 0)
        return false;
    to->balance = (struct stow_formula_part){
        .weight = weight,
        .request = {(double)item[0].request, (double)item[1].request},
        .delta = b->rules == VERSION_1_36,
    };
    return true;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    const struct balanced *b = self;
    const struct balanced_prep *p = prep;

    (void)state;
    (void)pod;
    part(ctx, "balance with the pod", balance(&p->columns, node, true), 1, NULL);
    if (b->rules == VERSION_1_36)
        part(ctx, "balance without it", balance(&p->columns, node, false), -1, NULL);
}

const struct stow_scorer_rule stow_score_balanced_allocation = {
    .name = "balanced-allocation",
    .plugin = "NodeResourcesBalancedAllocation",
    .summary = "nodes whose resources are used evenly",
    .scope = STOW_SCOPE_LOCAL,
    .weight = 1,
    .self_size = sizeof(struct balanced),
    .prep_size = sizeof(struct balanced_prep),
    .options = options,
    .defaults = stow_allocation_defaults,
    .check_options = check_options,
    .prepare = prepare,
    .score = score,
    .explain = explain,
    .formulate = formulate,
};
