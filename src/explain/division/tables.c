/* tables.c - a division for people, and for spreadsheets. */
#include <inttypes.h>
#include <stdio.h>

#include <stowage/export.h>

#include "explain/division/division.h"
#include "explain/division/division_internal.h"
#include "explain/words.h"

/* ---- in a few lines ---------------------------------------------------------------------- */

static void report_cost(struct stow_report *report, const struct stow_fleet_answer *a)
{
    STOW_AUTO(stow_buf_done) struct stow_buf line = {0};
    const int64_t unpriced = a->cost.unknown;

    if (a->workloads == 0) {
        stow_report_line(report, STOW_ROLE_HEADING, "Nothing to divide");
        return;
    }
    stow_buf_printf(&line, "%" PRId64 " replica%s of %u workload%s", a->replicas,
                    a->replicas == 1 ? "" : "s", a->workloads, stow_plural(a->workloads));
    if (a->jointly && a->joint.workloads == a->workloads)
        stow_buf_text(&line, ", divided together");
    if (a->unplaced)
        stow_buf_printf(&line, ", %" PRId64 " without a place", a->unplaced);
    stow_buf_text(&line, stow_money_sum_is_unknown(&a->cost) ? ", at a price that is " : ": ");
    stow_buf_sum(&line, &a->cost, a->costs->currency, false);
    report->failed |= line.failed;
    stow_report_line(report, STOW_ROLE_HEADING, "%.*s", STOW_FMT(stow_buf_str(&line)));
    if (stow_money_sum_is_least(&a->cost))
        stow_report_line(report, STOW_ROLE_WARN,
                         "%" PRId64 " of them ha%s no known price and %s not in the sum", unpriced,
                         unpriced == 1 ? "s" : "ve", unpriced == 1 ? "is" : "are");
}

/* ---- where the replicas go --------------------------------------------------------------- */

static const struct stow_table_column target_columns[] = {
    {.title = "WORKLOAD",
     .csv_name = "workload",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_WORKLOADS},
    {.title = "KIND", .csv_name = "kind", .spare = 4},
    {.title = "STRATEGY", .csv_name = "strategy", .spare = 2},
    {.title = "OUTCOME", .csv_name = "outcome", .spare = 3},
    {.title = "CLUSTER",
     .csv_name = "cluster",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_CLUSTERS},
    {.title = "REPLICAS", .csv_name = "replicas", .align = STOW_ALIGN_RIGHT},
    {.title = "CHANGE", .csv_name = "change", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {.title = "COST/H", .csv_name = "cost_per_hour", .align = STOW_ALIGN_POINT},
    {0},
};

/* What a program reads on every row, a person on the first only. */
static void repeated(struct stow_table *t, const char *text, bool first)
{
    stow_table_both(t, first ? text : "", text);
}

static void change_cell(struct stow_table *t, int64_t change)
{
    char shown[32], machine[32];

    snprintf(machine, sizeof(machine), "%" PRId64, change);
    snprintf(shown, sizeof(shown), "%+" PRId64, change);
    stow_table_both(t, change ? shown : "-", machine);
    if (change == 0)
        stow_table_role(t, STOW_ROLE_DIM);
}

static void workload_cells(struct stow_table *t, const struct stow_fleet_answer *a,
                           const struct stow_fleet_workload *w, bool first)
{
    STOW_AUTO(stow_buf_done) struct stow_buf name = {0};

    stow_binding_workload(a->s, w->binding, &name);
    stow_buf_char(&name, '\0');
    t->report->failed |= name.failed;
    stow_table_row(t);
    repeated(t, name.failed ? "" : name.ptr, first);
    repeated(t, stow_text(a->s, w->binding->kind).ptr, first);
    repeated(t, stow_division_strategy_text(a, w), first);
    repeated(t,
             w->made.trigger == STOW_TRIGGER_NONE ? "unchanged"
                                                  : stow_divide_outcome_name(w->made.outcome),
             first);
}

static void workload_rows(struct stow_table *t, const struct stow_fleet_answer *a,
                          const struct stow_fleet_workload *w)
{
    uint32_t rows = w->targets + w->emptied;

    for (uint32_t i = 0; i < rows; i++) {
        const struct stow_fleet_target *target = &w->target[i];

        workload_cells(t, a, w, i == 0);
        stow_table_str(t, stow_text(a->s, target->name));
        stow_table_int(t, target->replicas);
        change_cell(t, target->replicas - target->held);
        stow_table_money(t, target->cost);
    }
    if (rows)
        return;
    workload_cells(t, a, w, true);
    stow_table_both(t, "-", "");
    stow_table_int(t, 0);
    change_cell(t, 0);
    stow_table_money(t, 0);
}

static void total_row(struct stow_table *t, const struct stow_fleet_answer *a)
{
    int64_t placed = 0, before = 0;

    for (uint32_t i = 0; i < a->workloads; i++)
        for (uint32_t n = 0; n < a->workload[i].targets + a->workload[i].emptied; n++) {
            placed += a->workload[i].target[n].replicas;
            before += a->workload[i].target[n].held;
        }
    stow_table_footer(t);
    stow_table_text(t, "total");
    for (int i = 0; i < 4; i++)
        stow_table_text(t, "");
    stow_table_int(t, placed);
    change_cell(t, placed - before);
    stow_table_sum(t, &a->cost);
}

static void report_targets(struct stow_report *report, const struct stow_fleet_answer *a)
{
    struct stow_table *t = stow_report_table(report, NULL, target_columns);

    stow_table_when_empty(t, "no workload is given");
    for (uint32_t i = 0; i < a->workloads; i++)
        workload_rows(t, a, &a->workload[i]);
    if (a->workloads)
        total_row(t, a);
}

/* ---- what is left ------------------------------------------------------------------------ */

static const struct stow_table_column left_columns[] = {
    {.title = "WORKLOAD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_WORKLOADS},
    {.title = "MISSING", .align = STOW_ALIGN_RIGHT},
    {.title = "OUTCOME", .spare = 1},
    {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

static void report_left(struct stow_report *report, const struct stow_fleet_answer *a)
{
    struct stow_table *t = NULL;

    for (uint32_t i = 0; i < a->workloads; i++) {
        const struct stow_fleet_workload *w = &a->workload[i];
        STOW_AUTO(stow_buf_done) struct stow_buf name = {0};

        if (w->made.outcome == STOW_DIVIDE_SUCCESS)
            continue;
        if (!t)
            t = stow_report_table(report, "Not divided as asked", left_columns);
        stow_binding_workload(a->s, w->binding, &name);
        report->failed |= name.failed;
        stow_table_row(t);
        stow_table_str(t, stow_buf_str(&name));
        stow_table_int(t, w->unplaced);
        stow_table_text(t, stow_divide_outcome_name(w->made.outcome));
        stow_table_role(t, STOW_ROLE_BAD);
        stow_table_text(t, w->made.message);
    }
}

void stow_division_report(struct stow_report *report, const struct stow_fleet_answer *answer)
{
    report_cost(report, answer);
    if (answer->jointly)
        stow_joint_report(report, answer);
    report_targets(report, answer);
    report_left(report, answer);
}
