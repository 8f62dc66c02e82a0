/* compare.c - strategies side by side on the same input.
 *
 * A plan that leaves pods out is not a bargain.  The best is therefore the cheapest
 * of those that place most pods; a plan with nodes of unknown price comes after
 * those whose cost is known, and of several such plans none is the best.  Others are compared with
 * its cost when they place as many pods, and told how many they leave when they do not.  A plan
 * that breaks a limit (a budget, a share of spot nodes) is not what was asked for: it is never the
 * best, and is compared with none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stowage/export.h>

#include "explain/scaling/scaling_internal.h"
#include "explain/words.h"
#include "model/karpenter/pool.h"

/* Whether `a` is a better plan than `b`: of equal ones the one that proves it, else the first.  A
 * cost with unknown parts is higher than any other, and compares with none of its kind. */
static bool better(const struct stow_plan *a, const struct stow_plan *b)
{
    if (a->placed != b->placed)
        return a->placed > b->placed;
    if (stow_money_sum_is_exact(&a->cost) != stow_money_sum_is_exact(&b->cost))
        return stow_money_sum_is_exact(&a->cost);
    if (!stow_money_sum_is_exact(&a->cost))
        return false;
    if (a->cost.amount != b->cost.amount)
        return a->cost.amount < b->cost.amount;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes;
    return a->has_bound && !b->has_bound;
}

/* Whether another plan that places as many cannot be compared with this one. */
static bool is_in_doubt(const struct stow_plan *best, const struct stow_plan *plan, uint32_t plans)
{
    for (uint32_t i = 0; i < plans; i++)
        if (&plan[i] != best && !plan[i].breaks && plan[i].placed == best->placed)
            return !stow_money_sum_is_exact(&best->cost);
    return false;
}

/* NULL: none keeps to the limits, or which is the cheapest cannot be said. */
static const struct stow_plan *best_of(const struct stow_plan *plan, uint32_t plans)
{
    const struct stow_plan *best = NULL;

    for (uint32_t i = 0; i < plans; i++)
        if (!plan[i].breaks && (!best || better(&plan[i], best)))
            best = &plan[i];
    return best && is_in_doubt(best, plan, plans) ? NULL : best;
}

/* How much more a plan costs than the best, as a fraction; false: that says nothing. */
static bool dearer_by(const struct stow_plan *plan, const struct stow_plan *best, double *ret)
{
    if (!best || plan->breaks || plan->placed != best->placed || plan->cost.unknown ||
        best->cost.unknown)
        return false;
    if (best->cost.amount == 0 && plan->cost.amount != 0)
        return false;
    *ret = best->cost.amount
               ? (double)(plan->cost.amount - best->cost.amount) / (double)best->cost.amount
               : 0;
    return true;
}

void stow_plan_buys(const struct stow_plan *plan, struct stow_buf *out)
{
    for (uint32_t i = 0; i < plan->groups; i++) {
        uint32_t committed;
        bool first;
        const struct stow_plan_group whole = stow_plan_whole(plan, i, &committed, &first);

        if (!first)
            continue;
        stow_buf_printf(out, "%s%u × %s", i ? ", " : "", whole.to - whole.from,
                        stow_plan_group_name(plan, whole.group));
        if (committed)
            stow_buf_printf(out, " (%u committed)", committed);
    }
    if (plan->groups == 0)
        stow_buf_text(out, "nothing");
}

/* ---- as a table -------------------------------------------------------------------------- */

#define COLUMNS_MAX 12

#define TIMINGS                                                                          \
    {                                                                                    \
        .title = "MS", .csv_name = "milliseconds", .align = STOW_ALIGN_POINT, .spare = 5 \
    }

#define GAP                                                          \
    {                                                                \
        .title = "GAP", .csv_name = "gap", .align = STOW_ALIGN_RIGHT \
    }

#define BREAKS                                                                \
    {                                                                         \
        .title = "BREAKS", .csv_name = "breaks", .squeeze = STOW_SQUEEZE_WRAP \
    }

/* The gap is left out when no plan has a bound, what they break when none breaks a limit, the last
 * column without timings. */
#define COLUMNS(...)                                                                          \
    {                                                                                         \
        {.title = "STRATEGY", .csv_name = "strategy", .squeeze = STOW_SQUEEZE_MIDDLE},        \
            {.title = "COST/H", .csv_name = "cost_per_hour", .align = STOW_ALIGN_POINT},      \
            {.title = "AGAINST BEST", .csv_name = "against_best", .align = STOW_ALIGN_RIGHT}, \
            {.title = "NODES", .csv_name = "nodes", .align = STOW_ALIGN_RIGHT, .spare = 2},   \
            {.title = "PLACED", .csv_name = "placed", .align = STOW_ALIGN_RIGHT, .spare = 3}, \
            {.title = "LEFT", .csv_name = "unplaced", .align = STOW_ALIGN_RIGHT, .spare = 1}, \
            {.title = "WASTE/H",                                                              \
             .csv_name = "waste_per_hour",                                                    \
             .align = STOW_ALIGN_POINT,                                                       \
             .spare = 4},                                                                     \
            {.title = "WASTE", .csv_name = "waste_share", .spare = 6}, __VA_ARGS__            \
    }

static const struct stow_table_column comparison_columns[2][2][2][COLUMNS_MAX] = {
    {
        {COLUMNS({0}), COLUMNS(TIMINGS, {0})},
        {COLUMNS(BREAKS, {0}), COLUMNS(BREAKS, TIMINGS, {0})},
    },
    {
        {COLUMNS(GAP, {0}), COLUMNS(GAP, TIMINGS, {0})},
        {COLUMNS(GAP, BREAKS, {0}), COLUMNS(GAP, BREAKS, TIMINGS, {0})},
    },
};

/* Which columns there are. */
struct shown {
    bool gaps, breaks, timings;
    uint32_t most; /* pods that a plan within the limits places */
};

static void gap_cell(struct stow_table *t, const struct stow_plan *plan)
{
    char shown[STOW_GAP_TEXT], machine[48] = "";

    if (plan->has_bound && plan->unpriceds) {
        stow_table_both(t, "unknown", "");
        return;
    }
    if (plan->has_bound && isfinite(plan->gap))
        snprintf(machine, sizeof(machine), "%.6f", plan->gap);
    stow_table_both(t, plan->has_bound ? stow_gap_text(plan->gap, shown) : "", machine);
}

static void against_cell(struct stow_table *t, const struct stow_plan *plan,
                         const struct stow_plan *best, uint32_t most)
{
    char shown[48], machine[48] = "";
    const uint32_t fewer = plan->breaks ? 0 : most - plan->placed;
    double by = 0;

    if (dearer_by(plan, best, &by))
        snprintf(machine, sizeof(machine), "%.6f", by);
    if (plan == best)
        snprintf(shown, sizeof(shown), "best");
    else if (fewer)
        snprintf(shown, sizeof(shown), "%u pod%s fewer", fewer, stow_plural(fewer));
    else if (!best || !machine[0])
        snprintf(shown, sizeof(shown), "-");
    else if (plan->cost.amount == best->cost.amount)
        snprintf(shown, sizeof(shown), "the same");
    else
        snprintf(shown, sizeof(shown), "%+.1f%%", by * 100);
    stow_table_both(t, shown, machine);
    if (plan == best)
        stow_table_role(t, STOW_ROLE_GOOD);
    else if (fewer)
        stow_table_role(t, STOW_ROLE_BAD);
}

static void breaks_cell(struct stow_table *t, const struct stow_plan *plan)
{
    stow_table_text(t, plan->breaks ? plan->breaks : "");
    if (plan->breaks)
        stow_table_role(t, STOW_ROLE_BAD);
}

static void plan_row(struct stow_table *t, const struct stow_plan *plan,
                     const struct stow_plan *best, struct shown shown)
{
    stow_table_row(t);
    stow_table_text(t, plan->strategy);
    if (plan == best)
        stow_table_role(t, STOW_ROLE_GOOD);
    stow_table_sum(t, &plan->cost);
    against_cell(t, plan, best, shown.most);
    stow_table_int(t, plan->nodes);
    stow_table_int(t, plan->placed);
    stow_table_int(t, plan->unplaceds);
    if (plan->unplaceds)
        stow_table_role(t, STOW_ROLE_WARN);
    stow_table_computed_sum(t, &plan->waste);
    stow_table_sum_bar(t, &plan->waste, plan->cost.amount);
    if (shown.gaps)
        gap_cell(t, plan);
    if (shown.breaks)
        breaks_cell(t, plan);
    if (shown.timings)
        stow_table_printf(t, "%.2f", plan->milliseconds);
}

static const struct stow_table_column buys_columns[] = {
    {.title = "STRATEGY", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "BUYS", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

static void report_buys(struct stow_report *report, const struct stow_plan *plan, uint32_t plans)
{
    struct stow_table *t = stow_report_table(report, "What they buy", buys_columns);

    for (uint32_t i = 0; i < plans; i++) {
        STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

        stow_plan_buys(&plan[i], &text);
        stow_table_row(t);
        stow_table_text(t, plan[i].strategy);
        stow_table_str(t, text.failed ? STOW_STR("") : stow_buf_str(&text));
        report->failed |= text.failed;
    }
}

static void report_unpriced(struct stow_report *report, const struct stow_plan *plan,
                            uint32_t plans)
{
    for (uint32_t i = 0; i < plans; i++)
        if (plan[i].cost.unknown && plan[i].nodes)
            stow_report_line(report, STOW_ROLE_BAD,
                             "%s: %lld new node%s no known price and %s not in its cost",
                             plan[i].strategy, (long long)plan[i].cost.unknown,
                             plan[i].cost.unknown == 1 ? " has" : "s have",
                             plan[i].cost.unknown == 1 ? "is" : "are");
        else if (plan[i].lacks_price)
            stow_report_line(report, STOW_ROLE_BAD,
                             "%s: buys nothing from groups without a known price, which would take "
                             "pods that it does not place",
                             plan[i].strategy);
}

/* Which rows rest on spot prices of one moment. */
static void report_moments(struct stow_report *report, const struct stow_plan *plan, uint32_t plans)
{
    uint32_t rest = 0;

    for (uint32_t i = 0; i < plans; i++)
        rest += plan[i].guesses.moments > 0;
    if (rest)
        stow_report_line(report, STOW_ROLE_WARN,
                         "the cost of %u of %u strategies is based on " STOW_ONE_MOMENT
                         "; import a history of spot prices: stowage price import FILE",
                         rest, plans);
}

static struct shown columns_of(const struct stow_plan *plan, uint32_t plans, bool timings)
{
    struct shown shown = {.timings = timings};

    for (uint32_t i = 0; i < plans; i++) {
        shown.gaps |= plan[i].has_bound;
        shown.breaks |= plan[i].breaks != NULL;
        if (!plan[i].breaks && plan[i].placed > shown.most)
            shown.most = plan[i].placed;
    }
    return shown;
}

static bool any_keeps_limits(const struct stow_plan *plan, uint32_t plans)
{
    for (uint32_t i = 0; i < plans; i++)
        if (!plan[i].breaks)
            return true;
    return false;
}

static void report_best(struct stow_report *report, const struct stow_plan *best,
                        const struct stow_plan *plan, uint32_t plans)
{
    const char *heading;

    if (!best) {
        stow_report_line(report, STOW_ROLE_BAD,
                         any_keeps_limits(plan, plans)
                             ? "the cheapest is unknown: all that place the most pods buy nodes "
                               "without a known price"
                             : "none of them respects the limits given");
        return;
    }
    if (best->cost.unknown)
        stow_report_line(report, STOW_ROLE_WARN,
                         "%s is best because it places the most pods; its cost is not fully known",
                         best->strategy);
    if (!best->unplaceds)
        return;
    heading = stow_arena_printf(&report->arena, "Pods that %s does not place", best->strategy);
    report->failed |= !heading;
    stow_report_left(report, heading, best);
    stow_report_offer(report, best);
}

/* ---- what the user's pools would have bought ------------------------------------------------ */

static const struct stow_plan *find_plan(const struct stow_plan *plan, uint32_t plans,
                                         const char *strategy)
{
    for (uint32_t i = 0; i < plans; i++)
        if (strcmp(plan[i].strategy, strategy) == 0)
            return &plan[i];
    return NULL;
}

static bool has_pools(const struct stow_snapshot *s)
{
    for (stow_group_id g = 0; g < s->groups; g++)
        if (stow_group_pool(s, g))
            return true;
    return false;
}

/* ": 12% less, saves 0.48 per hour, 350.40 per month"; nothing where that cannot be said. */
static void add_saving(struct stow_buf *out, const struct stow_plan *theirs,
                       const struct stow_plan *best)
{
    const stow_nano saved = theirs->cost.amount - best->cost.amount;
    char hour[STOW_MONEY_TEXT], month[STOW_MONEY_TEXT];

    if (!stow_money_sum_is_exact(&theirs->cost) || !stow_money_sum_is_exact(&best->cost))
        return;
    if (theirs->placed != best->placed)
        stow_buf_printf(out, ", and places %u more pod%s", best->placed - theirs->placed,
                        stow_plural(best->placed - theirs->placed));
    else if (saved > 0)
        stow_buf_printf(out, ": %d%% less, saves %s per hour, %s per month",
                        stow_percent(saved, theirs->cost.amount), stow_money_short(saved, hour),
                        stow_cents(stow_per_month(saved), month));
}

/* The line that whoever has NodePools wants to see first. */
static void report_pools(struct stow_report *report, const struct stow_plan *plan, uint32_t plans,
                         const struct stow_plan *best)
{
    const struct stow_plan *theirs = find_plan(plan, plans, "karpenter");
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    char sum[STOW_SUM_TEXT];

    if (!theirs || !has_pools(plan->s))
        return;
    stow_buf_printf(&text, "your pools, by Karpenter's rule: %u node%s for %s", theirs->nodes,
                    stow_plural(theirs->nodes), stow_sum_text(&theirs->cost, sum));
    if (best && best != theirs) {
        stow_buf_printf(&text, "; %s: %u node%s for %s", best->strategy, best->nodes,
                        stow_plural(best->nodes), stow_sum_text(&best->cost, sum));
        add_saving(&text, theirs, best);
    }
    report->failed |= text.failed;
    if (!text.failed)
        stow_report_line(report, STOW_ROLE_HEADING, "%.*s", STOW_FMT(stow_buf_str(&text)));
}

void stow_scaling_comparison(struct stow_report *report, const struct stow_plan *plan,
                             uint32_t plans, bool timings)
{
    const struct stow_plan *best = best_of(plan, plans);
    const struct shown shown = columns_of(plan, plans, timings);
    struct stow_table *t;

    if (!plans)
        return;

    const uint32_t pending = stow_plan_pending(plan);

    stow_report_line(
        report, STOW_ROLE_HEADING, "%u pending pod%s, %u strateg%s; money in %.*s per hour",
        pending, stow_plural(pending), plans, plans == 1 ? "y" : "ies", STOW_FMT(plan->currency));
    report_pools(report, plan, plans, best);
    t = stow_report_table(report, NULL,
                          comparison_columns[shown.gaps][shown.breaks][shown.timings]);
    for (uint32_t i = 0; i < plans; i++)
        plan_row(t, &plan[i], best, shown);
    report_unpriced(report, plan, plans);
    report_moments(report, plan, plans);
    report_buys(report, plan, plans);
    report_best(report, best, plan, plans);
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *plan_value(struct stow_doc *doc, const struct stow_plan *plan,
                                     const struct stow_plan *best, bool timings)
{
    struct stow_value *v = stow_doc_object(doc), *waste = stow_doc_object(doc);
    double by;

    stow_value_set(doc, v, "strategy", stow_doc_text(doc, plan->strategy));
    if (plan->rules)
        stow_value_set(doc, v, "rules", stow_doc_text(doc, plan->rules));
    stow_value_set(doc, v, "cost", stow_plan_cost_value(doc, plan));
    stow_value_set(doc, v, "againstBest",
                   dearer_by(plan, best, &by) ? stow_doc_real(doc, by) : stow_doc_null(doc));
    if (plan->breaks)
        stow_value_set(doc, v, "breaks", stow_doc_text(doc, plan->breaks));
    if (plan->has_bound)
        stow_value_set(doc, v, "bound", stow_plan_bound_value(doc, plan));
    if (stow_plan_ended(plan))
        stow_value_set(doc, v, "ended", stow_doc_text(doc, stow_plan_ended(plan)));
    stow_value_set(doc, v, "unpriced", stow_doc_int(doc, plan->nodes ? plan->cost.unknown : 0));
    stow_value_set(doc, v, "nodes", stow_doc_int(doc, plan->nodes));
    stow_value_set(doc, v, "placed", stow_doc_int(doc, plan->placed));
    stow_value_set(doc, v, "unplaced", stow_doc_int(doc, plan->unplaceds));
    stow_value_set_sum(doc, waste, "perHour", &plan->waste);
    stow_value_set(doc, v, "waste", waste);
    stow_value_set(doc, v, "groups", stow_plan_sizes_value(doc, plan, false));
    if (timings)
        stow_value_set(doc, v, "milliseconds", stow_doc_real(doc, plan->milliseconds));
    return v;
}

/* Plans of one input mostly warn of the same. */
static bool warned_before(const struct stow_plan *plan, uint32_t at, const char *warning)
{
    for (uint32_t i = 0; i < at; i++)
        for (uint32_t n = 0; n < plan[i].warnings; n++)
            if (strcmp(plan[i].warning[n], warning) == 0)
                return true;
    return false;
}

static struct stow_value *warnings_value(struct stow_doc *doc, const struct stow_plan *plan,
                                         uint32_t plans)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; plans && i < plan->s->warnings; i++)
        stow_value_push(doc, list, stow_doc_text(doc, plan->s->warning[i]));
    for (uint32_t i = 0; i < plans; i++)
        for (uint32_t n = 0; n < plan[i].warnings; n++)
            if (!warned_before(plan, i, plan[i].warning[n]))
                stow_value_push(doc, list, stow_doc_text(doc, plan[i].warning[n]));
    return list;
}

struct stow_value *stow_scaling_comparison_value(struct stow_doc *doc, const struct stow_plan *plan,
                                                 uint32_t plans, bool timings)
{
    const struct stow_plan *best = best_of(plan, plans);
    struct stow_value *v = stow_doc_object(doc), *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plans; i++)
        stow_value_push(doc, list, plan_value(doc, &plan[i], best, timings));
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "ScaleComparison"));
    stow_value_set(doc, v, "pending", stow_doc_int(doc, plans ? stow_plan_pending(plan) : 0));
    stow_value_set(doc, v, "best", stow_doc_text(doc, best ? best->strategy : NULL));
    stow_value_set(doc, v, "strategies", list);
    stow_value_set(doc, v, "warnings", warnings_value(doc, plan, plans));
    return v;
}
