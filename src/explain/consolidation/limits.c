/* consolidation_limits.c - how small the steps of a consolidation are, what that costs, and what
 * can be saved with how many moves. */
#include <stowage/export.h>

#include "explain/consolidation/consolidation_internal.h"
#include "explain/words.h"
#include "model/prices/commitments.h"

static bool has_limits(const struct stow_consolidation *a)
{
    return a->limits.any || a->limits.moves_all != STOW_NONE;
}

bool stow_limits_cost(const struct stow_consolidation *a)
{
    return has_limits(a) && a->limits.after.amount < a->after.amount;
}

/* ---- as data ----------------------------------------------------------------------------- */

static int64_t nodes_of(stow_nano weight)
{
    return weight / STOW_NODE_WEIGHT;
}

/* What a plan saves: nodes, or money. */
static void set_saving(struct stow_doc *doc, struct stow_value *to,
                       const struct stow_consolidation *a, stow_nano saving)
{
    if (a->counts_nodes)
        stow_value_set(doc, to, "savedNodes", stow_doc_int(doc, nodes_of(saving)));
    else
        stow_value_set(doc, to, "savingPerHour", stow_doc_money(doc, saving));
}

/* By what its figures can be checked. */
static void set_exchange(struct stow_doc *doc, struct stow_value *to,
                         const struct stow_consolidation *a, const struct stow_exchange *exchange)
{
    struct stow_value *remove = stow_doc_array(doc), *add = stow_doc_array(doc);
    struct stow_value *committed = NULL;

    for (uint32_t i = 0; i < exchange->removes; i++)
        stow_value_push(doc, remove, stow_doc_text(doc, a->s->node[exchange->remove[i]].name));
    for (uint32_t i = 0; i < exchange->adds; i++) {
        const stow_group_id listed = stow_group_listed(a->s, exchange->add[i]);

        if (listed != exchange->add[i] && !committed)
            committed = stow_doc_array(doc);
        stow_value_push(doc, listed == exchange->add[i] ? add : committed,
                        stow_doc_text(doc, a->s->group[listed].name));
    }
    stow_value_set(doc, to, "remove", remove);
    stow_value_set(doc, to, "add", add);
    if (committed)
        stow_value_set(doc, to, "addCommitted", committed);
}

void stow_limits_set(struct stow_doc *doc, struct stow_value *to,
                     const struct stow_consolidation *a)
{
    const struct stow_step_limits *limits = &a->limits;
    struct stow_value *v, *without;

    if (!has_limits(a))
        return;
    v = stow_doc_object(doc);
    without = stow_doc_object(doc);
    if (limits->nodes != STOW_NONE)
        stow_value_set(doc, v, "surgeNodes", stow_doc_int(doc, limits->nodes));
    if (limits->cost != STOW_MONEY_UNKNOWN)
        stow_value_set(doc, v, "surgePerHour", stow_doc_money(doc, limits->cost));
    if (limits->moves != STOW_NONE)
        stow_value_set(doc, v, "movesPerStep", stow_doc_int(doc, limits->moves));
    if (limits->moves_all != STOW_NONE)
        stow_value_set(doc, v, "moves", stow_doc_int(doc, limits->moves_all));
    if (!a->counts_nodes)
        stow_value_set_sum(doc, without, "cost", &limits->after);
    stow_value_set(doc, without, "nodes", stow_doc_int(doc, limits->nodes_after));
    stow_value_set(doc, without, "moved", stow_doc_int(doc, limits->moved));
    if (!limits->same)
        set_exchange(doc, without, a, &limits->exchange);
    stow_value_set(doc, v, "without", without);
    stow_value_set(doc, to, "limits", v);
}

void stow_frontier_set(struct stow_doc *doc, struct stow_value *to,
                       const struct stow_consolidation *a)
{
    struct stow_value *list;

    if (!a->point)
        return;
    list = stow_doc_array(doc);
    for (uint32_t i = 0; i < a->points; i++) {
        const struct stow_frontier_point *point = &a->point[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "moved", stow_doc_int(doc, point->moved));
        set_saving(doc, v, a, point->saving);
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, point->nodes_after));
        stow_value_set(doc, v, "steps", stow_doc_int(doc, point->steps));
        if (point->chosen)
            stow_value_set(doc, v, point->steps == a->steps ? "chosen" : "firstSteps",
                           stow_doc_bool(doc, true));
        else
            set_exchange(doc, v, a, &point->exchange);
        stow_value_push(doc, list, v);
    }
    stow_value_set(doc, to, "frontier", list);
}

/* ---- for people -------------------------------------------------------------------------- */

/* "at most 20 nodes more than before, 151 pods per step" */
static void say_limits(struct stow_buf *text, const struct stow_step_limits *limits)
{
    char amount[STOW_MONEY_TEXT];

    if (limits->nodes != STOW_NONE)
        stow_buf_printf(text, "at most %u node%s more than before", limits->nodes,
                        stow_plural(limits->nodes));
    if (limits->cost != STOW_MONEY_UNKNOWN)
        stow_buf_printf(text, "at most %s per hour more than before",
                        stow_money_short(limits->cost, amount));
    if (limits->moves != STOW_NONE)
        stow_buf_printf(text, "%s%u pod%s per step", text->len ? ", " : "at most ", limits->moves,
                        stow_plural(limits->moves));
    if (limits->moves_all != STOW_NONE)
        stow_buf_printf(text, "%s%u pod%s in all", text->len ? ", " : "at most ", limits->moves_all,
                        stow_plural(limits->moves_all));
}

/* "they cost 0.20 per hour" */
static void say_price(struct stow_buf *text, const struct stow_consolidation *a)
{
    const stow_nano price = a->after.amount - a->limits.after.amount;
    char amount[STOW_MONEY_TEXT];

    if (!stow_limits_cost(a))
        stow_buf_printf(text, "they cost nothing");
    else if (a->counts_nodes)
        stow_buf_printf(text, "without them %lld more could go", (long long)nodes_of(price));
    else
        stow_buf_printf(text, "they cost %s per hour", stow_money_short(price, amount));
}

/* "--max-surge, --max-moves" */
static void say_options(struct stow_buf *text, const struct stow_step_limits *limits)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {limits->nodes != STOW_NONE || limits->cost != STOW_MONEY_UNKNOWN, "--max-surge"},
        {limits->moves != STOW_NONE, "--max-moves-per-step"},
        {limits->moves_all != STOW_NONE, "--max-moves"},
    };
    const char *between = "";

    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        if (!options[i].given)
            continue;
        stow_buf_printf(text, "%s%s", between, options[i].name);
        between = ", ";
    }
}

void stow_limits_report(struct stow_report *report, const struct stow_consolidation *a)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (!has_limits(a) || (!a->steps && !stow_limits_cost(a)))
        return;
    say_limits(&text, &a->limits);
    stow_buf_printf(&text, "; ");
    say_price(&text, a);
    stow_buf_printf(&text, " (");
    say_options(&text, &a->limits);
    report->failed |= text.failed;
    if (!text.failed)
        stow_report_line(report, stow_limits_cost(a) ? STOW_ROLE_WARN : STOW_ROLE_DIM,
                         "Limits: %.*s)", (int)text.len, text.ptr);
}

static const struct stow_table_column frontier_columns[] = {
    {.title = "PODS MOVED", .csv_name = "pods_moved", .align = STOW_ALIGN_RIGHT},
    {.title = "SAVES/H", .csv_name = "saving_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "COST/H", .csv_name = "cost_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "SHARE", .csv_name = "share_of_saving", .align = STOW_ALIGN_RIGHT},
    {.title = "NODES", .csv_name = "nodes", .align = STOW_ALIGN_RIGHT},
    {.title = "STEPS", .csv_name = "steps", .align = STOW_ALIGN_RIGHT},
    {.title = "PLAN", .csv_name = "plan"},
    {0},
};

static const struct stow_table_column node_frontier_columns[] = {
    {.title = "PODS MOVED", .csv_name = "pods_moved", .align = STOW_ALIGN_RIGHT},
    {.title = "SAVES NODES", .csv_name = "saved_nodes", .align = STOW_ALIGN_RIGHT},
    {.title = "SHARE", .csv_name = "share_of_saving", .align = STOW_ALIGN_RIGHT},
    {.title = "NODES", .csv_name = "nodes", .align = STOW_ALIGN_RIGHT},
    {.title = "STEPS", .csv_name = "steps", .align = STOW_ALIGN_RIGHT},
    {.title = "PLAN", .csv_name = "plan"},
    {0},
};

/* How to get it: the first steps of the answer, or another answer. */
static void plan_cell(struct stow_table *t, const struct stow_consolidation *a,
                      const struct stow_frontier_point *point)
{
    if (point->chosen && point->steps == a->steps)
        stow_table_text(t, "this plan");
    else if (point->chosen)
        stow_table_printf(t, "steps 1 to %u of this plan", point->steps);
    else
        stow_table_printf(t, "--max-moves %u", point->moved);
}

static void frontier_row(struct stow_table *t, const struct stow_consolidation *a,
                         const struct stow_frontier_point *point)
{
    const stow_nano all = a->point[a->points - 1].saving;
    struct stow_money_sum cost = a->before;

    cost.amount -= point->saving;
    stow_table_row(t);
    stow_table_int(t, point->moved);
    if (a->counts_nodes) {
        stow_table_int(t, nodes_of(point->saving));
    } else {
        stow_table_money(t, point->saving);
        stow_table_sum(t, &cost);
    }
    stow_table_printf(t, "%d%%", stow_percent(point->saving, all));
    stow_table_int(t, point->nodes_after);
    stow_table_int(t, point->steps);
    plan_cell(t, a, point);
}

void stow_frontier_report(struct stow_report *report, const struct stow_consolidation *answer)
{
    struct stow_table *t;

    stow_limits_report(report, answer);
    t = stow_report_table(report, "Saving by number of moved pods",
                          answer->counts_nodes ? node_frontier_columns : frontier_columns);
    for (uint32_t i = 0; i < answer->points; i++)
        frontier_row(t, answer, &answer->point[i]);
}
