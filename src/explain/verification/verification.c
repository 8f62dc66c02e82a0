/* verification.c - whether a plan holds, as data and as tables. */
#include "explain/verification/verification.h"

#include <stdio.h>
#include <string.h>

#include "explain/words.h"

static const char *const part_names[STOW_VERIFY_PARTS] = {
    [STOW_VERIFY_PODS] = "pods",           [STOW_VERIFY_FILTERS] = "filters",
    [STOW_VERIFY_LIMITS] = "limits",       [STOW_VERIFY_COST] = "cost",
    [STOW_VERIFY_LEFT_OUT] = "left out",   [STOW_VERIFY_BOUND] = "bound",
    [STOW_VERIFY_RESOURCES] = "resources",
};

const char *stow_verification_check(enum stow_verify_part part)
{
    return part_names[part];
}

static const char *const state_names[] = {
    [STOW_VERIFY_NOTHING] = "nothing claimed",
    [STOW_VERIFY_HOLDS] = "holds",
    [STOW_VERIFY_UNSETTLED] = "not settled",
    [STOW_VERIFY_WRONG] = "wrong",
};

static const char *outcome(const struct stow_verdicts *v)
{
    const int code = stow_verdicts_code(v);

    return code == STOW_OK ? "holds" : code == STOW_ETIME ? "not settled" : "wrong";
}

static enum stow_role role_of(enum stow_verify_state state)
{
    static const enum stow_role roles[] = {
        [STOW_VERIFY_NOTHING] = STOW_ROLE_DIM,
        [STOW_VERIFY_HOLDS] = STOW_ROLE_GOOD,
        [STOW_VERIFY_UNSETTLED] = STOW_ROLE_WARN,
        [STOW_VERIFY_WRONG] = STOW_ROLE_BAD,
    };

    return roles[state];
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *checks_value(struct stow_doc *doc, const struct stow_verdicts *v)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < STOW_VERIFY_PARTS; i++) {
        struct stow_value *one = stow_doc_object(doc);

        if (v->state[i] == STOW_VERIFY_NOTHING)
            continue;
        stow_value_set(doc, one, "check", stow_doc_text(doc, part_names[i]));
        stow_value_set(doc, one, "result", stow_doc_text(doc, state_names[v->state[i]]));
        stow_value_push(doc, list, one);
    }
    return list;
}

static struct stow_value *findings_value(struct stow_doc *doc, const struct stow_verdicts *v)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < v->findings; i++) {
        const struct stow_finding *f = &v->finding[i];
        struct stow_value *one = stow_doc_object(doc);

        stow_value_set(doc, one, "check", stow_doc_text(doc, part_names[f->part]));
        if (f->line)
            stow_value_set(doc, one, "line", stow_doc_int(doc, f->line));
        if (f->line)
            stow_value_set(doc, one, "column", stow_doc_int(doc, f->col));
        stow_value_set(doc, one, "finding", stow_doc_text(doc, f->text));
        stow_value_push(doc, list, one);
    }
    return list;
}

static struct stow_value *amount_value(struct stow_doc *doc, const struct stow_verdicts *v,
                                       stow_nano amount)
{
    struct stow_value *one = stow_doc_object(doc);

    if (v->counts_nodes)
        stow_value_set(doc, one, "nodes", stow_doc_int(doc, amount / STOW_NANO_PER_UNIT));
    else
        stow_value_set(doc, one, "perHour", stow_doc_money(doc, amount));
    return one;
}

static void set_money(struct stow_doc *doc, struct stow_value *to, const struct stow_verdicts *v,
                      const char *key, stow_nano amount)
{
    if (amount != STOW_MONEY_UNKNOWN)
        stow_value_set(doc, to, key, amount_value(doc, v, amount));
}

static void set_cost(struct stow_doc *doc, struct stow_value *to, const struct stow_verdicts *v,
                     const char *key, const struct stow_money_sum *sum)
{
    struct stow_value *one = stow_doc_object(doc);

    if (v->counts_nodes)
        one = amount_value(doc, v, sum->amount);
    else
        stow_value_set_sum(doc, one, "perHour", sum);
    stow_value_set(doc, to, key, one);
}

static bool is_consolidation(const struct stow_verdicts *v)
{
    return strcmp(v->kind, "Consolidation") == 0;
}

struct stow_value *stow_verification_value(struct stow_doc *doc, const struct stow_verdicts *v)
{
    struct stow_value *root = stow_doc_object(doc);

    stow_value_set(doc, root, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, root, "kind", stow_doc_text(doc, "Verification"));
    stow_value_set(doc, root, "result", stow_doc_text(doc, outcome(v)));
    stow_value_set(doc, root, "checks", checks_value(doc, v));
    stow_value_set(doc, root, "findings", findings_value(doc, v));
    if (is_consolidation(v))
        set_cost(doc, root, v, "before", &v->before);
    set_cost(doc, root, v, v->counts_nodes ? "after" : "cost", &v->cost);
    set_money(doc, root, v, "weighed", v->weighed);
    set_money(doc, root, v, "bound", v->bound);
    set_money(doc, root, v, "proved", v->proved);
    set_money(doc, root, v, "resourcesBound", v->resources_bound);
    if (v->priced_only)
        stow_value_set(doc, root, "for", stow_doc_text(doc, "priced-groups"));
    if (v->gap >= 0)
        stow_value_set(doc, root, "gap", stow_doc_real(doc, v->gap));
    return root;
}

/* ---- for people -------------------------------------------------------------------------- */

static void add_checks(struct stow_report *report, const struct stow_verdicts *v)
{
    static const struct stow_table_column columns[] = {
        {.title = "CHECK", .csv_name = "check"},
        {.title = "RESULT", .csv_name = "result"},
        {.title = "WHAT", .csv_name = "what", .squeeze = STOW_SQUEEZE_WRAP},
        {0},
    };
    struct stow_table *table = stow_report_table(report, NULL, columns);

    for (uint32_t i = 0; i < STOW_VERIFY_PARTS; i++) {
        if (v->state[i] == STOW_VERIFY_NOTHING)
            continue;
        stow_table_row(table);
        stow_table_text(table, part_names[i]);
        stow_table_text(table, state_names[v->state[i]]);
        stow_table_role(table, role_of(v->state[i]));
        stow_table_text(table, v->state[i] == STOW_VERIFY_HOLDS ? v->said[i] : "");
    }
}

static void add_findings(struct stow_report *report, const struct stow_verdicts *v)
{
    static const struct stow_table_column columns[] = {
        {.title = "CHECK", .csv_name = "check"},
        {.title = "AT", .csv_name = "at", .squeeze = STOW_SQUEEZE_MIDDLE},
        {.title = "FINDING", .csv_name = "finding", .squeeze = STOW_SQUEEZE_WRAP},
        {0},
    };

    if (!v->findings)
        return;

    struct stow_table *table = stow_report_table(report, "Findings", columns);

    for (uint32_t i = 0; i < v->findings; i++) {
        const struct stow_finding *f = &v->finding[i];

        stow_table_row(table);
        stow_table_text(table, part_names[f->part]);
        if (f->line)
            stow_table_printf(table, "%u:%u", f->line, f->col);
        else
            stow_table_text(table, "");
        stow_table_text(table, f->text);
    }
    if (v->more)
        stow_report_line(report, STOW_ROLE_DIM, "%u more findings are not shown", v->more);
}

static void add_consolidation(struct stow_report *report, const struct stow_verdicts *v)
{
    char cost[STOW_SUM_TEXT], before[STOW_SUM_TEXT];

    if (v->counts_nodes)
        stow_report_line(report, STOW_ROLE_PLAIN, "%lld node%s left of %lld.",
                         (long long)(v->cost.amount / STOW_NANO_PER_UNIT),
                         v->cost.amount == STOW_NANO_PER_UNIT ? " is" : "s are",
                         (long long)(v->before.amount / STOW_NANO_PER_UNIT));
    else if (stow_money_sum_is_unknown(&v->cost))
        stow_report_line(report, STOW_ROLE_PLAIN, "The cost of the nodes is unknown.");
    else
        stow_report_line(report, STOW_ROLE_PLAIN, "The nodes cost %s %.*s per hour, %s before.",
                         stow_sum_text(&v->cost, cost), STOW_FMT(v->currency),
                         stow_sum_text(&v->before, before));
}

static void add_figures(struct stow_report *report, const struct stow_verdicts *v)
{
    char cost[STOW_SUM_TEXT], bound[STOW_MONEY_TEXT], gap[48];
    const bool weighed = v->weighed != STOW_MONEY_UNKNOWN;

    if (is_consolidation(v)) {
        add_consolidation(report, v);
        return;
    }
    if (stow_money_sum_is_unknown(&v->cost)) {
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "The cost of the plan is unknown, and it claims no bound.");
        return;
    }
    if (v->bound == STOW_MONEY_UNKNOWN) {
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "The plan costs %s %.*s per hour and claims no bound.",
                         stow_sum_text(&v->cost, cost), STOW_FMT(v->currency));
        return;
    }
    if (v->priced_only) {
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "The plan %s %s %.*s per hour; bound %s among the groups with a known "
                         "price. Others could be cheaper.",
                         weighed ? "weighs" : "costs",
                         stow_money_short(weighed ? v->weighed : v->cost.amount, cost),
                         STOW_FMT(v->currency), stow_money_short(v->bound, bound));
        return;
    }
    if (v->gap < 0)
        snprintf(gap, sizeof(gap), "unknown");
    else
        snprintf(gap, sizeof(gap), "%.4f%%", v->gap * 100);
    stow_report_line(report, STOW_ROLE_PLAIN, "The plan %s %s %.*s per hour; bound %s, gap %s.",
                     weighed ? "weighs" : "costs",
                     stow_money_short(weighed ? v->weighed : v->cost.amount, cost),
                     STOW_FMT(v->currency), stow_money_short(v->bound, bound), gap);
}

void stow_verification_report(struct stow_report *report, const struct stow_verdicts *v)
{
    const int code = stow_verdicts_code(v);

    add_checks(report, v);
    add_findings(report, v);
    if (code == STOW_OK)
        add_figures(report, v);
    stow_report_line(report,
                     code == STOW_OK      ? STOW_ROLE_GOOD
                     : code == STOW_ETIME ? STOW_ROLE_WARN
                                          : STOW_ROLE_BAD,
                     code == STOW_OK      ? "The plan is correct."
                     : code == STOW_ETIME ? "Not settled: no error was found so far."
                                          : "The plan is wrong.");
}
