/* breakdown.c - the bill by namespace, owner, label, group or zone, as data and as a table. */
#include "explain/inspection/breakdown.h"

#include <stdlib.h>

#include "explain/words.h"

#define IDLE     "(idle)"
#define OVERHEAD "(system overhead)"
#define UNUSED   "(committed, unused)"

static bool by_node(const struct stow_breakdown_options *options)
{
    return options->by == STOW_BY_GROUP || options->by == STOW_BY_ZONE;
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *by_value(struct stow_doc *doc,
                                   const struct stow_breakdown_options *options)
{
    static const char *const names[STOW_BY_COUNT] = {
        [STOW_BY_NAMESPACE] = "namespace", [STOW_BY_OWNER] = "owner", [STOW_BY_LABEL] = "label",
        [STOW_BY_GROUP] = "group",         [STOW_BY_ZONE] = "zone",
    };

    if (options->by == STOW_BY_LABEL)
        return stow_doc_textf(doc, "label=%.*s", STOW_FMT(options->label));
    return stow_doc_text(doc, names[options->by]);
}

static struct stow_value *row_value(struct stow_doc *doc, const struct stow_breakdown_row *row,
                                    const struct stow_breakdown_options *options)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "key", stow_doc_str(doc, row->key));
    stow_value_set(doc, v, "pods", stow_doc_int(doc, row->pods));
    if (!by_node(options))
        stow_value_set(doc, v, "pending", stow_doc_int(doc, row->pending));
    if (row->unpriced)
        stow_value_set(doc, v, by_node(options) ? "unpricedNodes" : "unpricedPods",
                       stow_doc_int(doc, row->unpriced));
    stow_value_set_sum(doc, v, "requestedPerHour", &row->requested);
    if (!options->separate) {
        stow_value_set_sum(doc, v, "idlePerHour", &row->idle);
        stow_value_set_sum(doc, v, "overheadPerHour", &row->overhead);
    }
    stow_value_set_sum(doc, v, "costPerHour", &row->cost);
    return v;
}

struct stow_value *stow_breakdown_value(struct stow_doc *doc, const struct stow_breakdown *b,
                                        const struct stow_breakdown_options *options)
{
    struct stow_value *v = stow_doc_object(doc), *rows = stow_doc_array(doc);
    struct stow_value *apart = stow_doc_object(doc), *total = stow_doc_object(doc);

    for (uint32_t i = 0; i < b->rows; i++)
        stow_value_push(doc, rows, row_value(doc, &b->row[i], options));
    stow_value_set_sum(doc, apart, "idlePerHour", &b->idle);
    stow_value_set_sum(doc, apart, "overheadPerHour", &b->overhead);
    if (b->unused.known)
        stow_value_set_sum(doc, apart, "unusedCommitmentsPerHour", &b->unused);
    stow_value_set_sum(doc, total, "costPerHour", &b->total.cost);
    stow_value_set(doc, v, "by", by_value(doc, options));
    stow_value_set(doc, v, "idle", stow_doc_text(doc, options->separate ? "separate" : "share"));
    stow_value_set(doc, v, "rows", rows);
    stow_value_set(doc, v, "inNoRow", apart);
    stow_value_set(doc, v, "total", total);
    return v;
}

/* ---- as a table -------------------------------------------------------------------------- */

/* clang-format off */
#define COLUMNS(name, csv, of, csv_of, ...)                                                      \
    {                                                                                            \
        {.title = name, .csv_name = csv, .squeeze = STOW_SQUEEZE_MIDDLE},                        \
        {.title = "PODS", .csv_name = "pods", .align = STOW_ALIGN_RIGHT, .spare = 4},            \
        {.title = "PENDING", .csv_name = "pending", .align = STOW_ALIGN_RIGHT, .spare = 6},      \
        {.title = "UNPRICED " of, .csv_name = "unpriced_" csv_of, .align = STOW_ALIGN_RIGHT,     \
         .spare = 7},                                                                            \
        {.title = "REQUESTED/H", .csv_name = "requested_per_hour", .align = STOW_ALIGN_POINT,    \
         .spare = 1},                                                                            \
        __VA_ARGS__                                                                              \
        {.title = "COST/H", .csv_name = "cost_per_hour", .align = STOW_ALIGN_POINT},             \
        {.title = "COST/MONTH", .align = STOW_ALIGN_POINT, .spare = 5},                          \
        {.title = "SHARE", .csv_name = "share", .spare = 3},                                     \
        {0},                                                                                     \
    }
#define SPREAD(name, csv, of, csv_of)                                                            \
    COLUMNS(name, csv, of, csv_of,                                                               \
        {.title = "IDLE/H", .csv_name = "idle_per_hour", .align = STOW_ALIGN_POINT, .spare = 2}, \
        {.title = "OVERHEAD/H", .csv_name = "overhead_per_hour", .align = STOW_ALIGN_POINT,      \
         .spare = 2}, )
#define APART(name, csv, of, csv_of) COLUMNS(name, csv, of, csv_of, )

/* [separate][by] */
static const struct stow_table_column columns[2][STOW_BY_COUNT][11] = {
    {
        [STOW_BY_NAMESPACE] = SPREAD("NAMESPACE", "namespace", "PODS", "pods"),
        [STOW_BY_OWNER] = SPREAD("OWNER", "owner", "PODS", "pods"),
        [STOW_BY_LABEL] = SPREAD("LABEL", "label", "PODS", "pods"),
        [STOW_BY_GROUP] = SPREAD("GROUP", "group", "NODES", "nodes"),
        [STOW_BY_ZONE] = SPREAD("ZONE", "zone", "NODES", "nodes"),
    },
    {
        [STOW_BY_NAMESPACE] = APART("NAMESPACE", "namespace", "PODS", "pods"),
        [STOW_BY_OWNER] = APART("OWNER", "owner", "PODS", "pods"),
        [STOW_BY_LABEL] = APART("LABEL", "label", "PODS", "pods"),
        [STOW_BY_GROUP] = APART("GROUP", "group", "NODES", "nodes"),
        [STOW_BY_ZONE] = APART("ZONE", "zone", "NODES", "nodes"),
    },
};
/* clang-format on */

struct table {
    struct stow_table *t;
    const struct stow_breakdown *b;
    const struct stow_breakdown_options *options;
};

/* What it costs per hour and month, and what of the bill that is. */
static void cost_cells(const struct table *table, const struct stow_money_sum *cost)
{
    stow_table_computed_sum(table->t, cost);
    stow_table_month(table->t, cost);
    stow_table_sum_share(table->t, cost, &table->b->total.cost);
}

static void key_cells(const struct table *table, const struct stow_breakdown_row *row)
{
    if (row->key.len)
        stow_table_str(table->t, row->key);
    else
        stow_table_both(table->t, "\"\"", "");
    stow_table_int(table->t, row->pods);
    stow_table_int(table->t, row->pending);
    stow_table_int(table->t, row->unpriced);
}

static void add_cells(const struct table *table, const struct stow_breakdown_row *row)
{
    key_cells(table, row);
    stow_table_computed_sum(table->t, &row->requested);
    if (!table->options->separate) {
        stow_table_computed_sum(table->t, &row->idle);
        stow_table_computed_sum(table->t, &row->overhead);
    }
    cost_cells(table, &row->cost);
}

static void apart_cell(const struct table *table, const struct stow_money_sum *sum, bool is_there)
{
    if (is_there)
        stow_table_computed_sum(table->t, sum);
    else
        stow_table_text(table->t, "");
}

/* What is in no row of a key; nothing when there is nothing of it. */
static void add_apart(const struct table *table, const char *name, const struct stow_money_sum *sum)
{
    if (!sum->known && !sum->unknown)
        return;
    stow_table_row(table->t);
    stow_table_text(table->t, name);
    stow_table_role(table->t, STOW_ROLE_WARN);
    for (uint32_t i = 0; i < 4; i++)
        stow_table_text(table->t, "");
    if (!table->options->separate) {
        apart_cell(table, sum, sum == &table->b->idle);
        apart_cell(table, sum, sum == &table->b->overhead);
    }
    cost_cells(table, sum);
}

static void add_total(const struct table *table)
{
    struct stow_breakdown_row total = table->b->total;

    total.key = STOW_STR("total");
    stow_table_footer(table->t);
    add_cells(table, &total);
}

static const char *heading_of(struct stow_report *report,
                              const struct stow_breakdown_options *options)
{
    static const char *const headings[STOW_BY_COUNT] = {
        [STOW_BY_NAMESPACE] = "Cost by namespace",
        [STOW_BY_OWNER] = "Cost by owner",
        [STOW_BY_GROUP] = "Cost by node group",
        [STOW_BY_ZONE] = "Cost by zone",
    };
    const char *made;

    if (options->by != STOW_BY_LABEL)
        return headings[options->by];
    made = stow_arena_printf(&report->arena, "Cost by label %.*s", STOW_FMT(options->label));
    report->failed |= !made;
    return made;
}

void stow_breakdown_report(struct stow_report *report, const struct stow_breakdown *b,
                           const struct stow_breakdown_options *options)
{
    const struct table table = {
        .t = stow_report_table(report, heading_of(report, options),
                               columns[options->separate][options->by]),
        .b = b,
        .options = options,
    };

    stow_table_when_empty(table.t, "no pods and no nodes");
    for (uint32_t i = 0; i < b->rows; i++) {
        stow_table_row(table.t);
        add_cells(&table, &b->row[i]);
    }
    add_apart(&table, IDLE, &b->idle);
    add_apart(&table, OVERHEAD, &b->overhead);
    add_apart(&table, UNUSED, &b->unused);
    if (b->rows)
        add_total(&table);
    if (b->undivided)
        stow_report_line(
            report, STOW_ROLE_WARN,
            "the price of %u node%s cannot be divided: no resource of %s has an amount "
            "and a rate; give both: status.capacity of nodes, resources of a PriceBook",
            b->undivided, stow_plural(b->undivided), b->undivided == 1 ? "it" : "them");
}
