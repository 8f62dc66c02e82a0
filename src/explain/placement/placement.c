/* placement.c - the decisions of a placement, as data and as a table. */
#include <stdio.h>
#include <string.h>

#include "explain/defaulted.h"
#include "explain/placement/placement_internal.h"
#include "explain/warnings.h"
#include "explain/words.h"
#include "model/values/amount.h"

static const char *pod_name(const struct stow_snapshot *s, stow_pod_id pod, char *text, size_t size)
{
    snprintf(text, size, "%s/%s", stow_text(s, s->pod[pod].namespace).ptr, s->pod[pod].name);
    return text;
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *components_value(struct stow_doc *doc, const struct stow_decision *d)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; d->score && i < d->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &d->profile->scorer[i];
        struct stow_value *v;

        if (d->skipped[i])
            continue;
        v = stow_doc_object(doc);
        stow_value_set(doc, v, "scorer", stow_doc_text(doc, f->rule->name));
        stow_value_set(doc, v, "score", stow_doc_real(doc, d->score[i]));
        stow_value_set(doc, v, "weight", stow_doc_real(doc, f->weight));
        stow_value_set(doc, v, "contribution", stow_doc_real(doc, f->weight * d->score[i]));
        stow_value_push(doc, list, v);
    }
    return list;
}

/* What is missing, where it is an amount: on the node nearest to fitting. */
static void set_amounts(struct stow_doc *doc, struct stow_value *v, const struct stow_snapshot *s,
                        const struct stow_reason_count *r)
{
    char text[STOW_AMOUNT_TEXT];

    if (r->resource == STOW_NONE)
        return;
    stow_value_set(doc, v, "wants",
                   stow_doc_text(doc, stow_amount_exact(s, r->resource, r->wanted, text)));
    stow_value_set(doc, v, "free",
                   stow_doc_text(doc, stow_amount_exact(s, r->resource, r->free, text)));
}

struct stow_value *stow_decision_reasons(struct stow_doc *doc, const struct stow_snapshot *s,
                                         const struct stow_decision *d)
{
    struct stow_value *list = stow_doc_array(doc);

    if (stow_not_tried(d)) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "reason", stow_doc_text(doc, stow_not_tried(d)));
        stow_value_push(doc, list, v);
    }
    for (uint32_t i = 0; i < d->reasons; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "reason", stow_doc_text(doc, d->reason[i].text));
        stow_value_set(doc, v, "filter",
                       stow_doc_text(doc, stow_drop_filter(d->profile, d->reason[i].filter)));
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, d->reason[i].nodes));
        set_amounts(doc, v, s, &d->reason[i]);
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *decision_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                         const struct stow_decision *d)
{
    struct stow_value *v = stow_doc_object(doc);
    char name[600];
    bool placed = d->outcome == STOW_PLACED;

    stow_value_set(doc, v, "pod", stow_doc_text(doc, pod_name(s, d->pod, name, sizeof(name))));
    stow_value_set(doc, v, "node", stow_doc_text(doc, placed ? s->node[d->node].name : NULL));
    stow_value_set(doc, v, "score",
                   placed ? stow_doc_real(doc, (double)stow_total_key(d->total) / 1e9)
                          : stow_doc_null(doc));
    stow_value_set(doc, v, "components", components_value(doc, d));
    stow_value_set(doc, v, "reasons", stow_decision_reasons(doc, s, d));
    return v;
}

struct stow_value *stow_placement_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                        const struct stow_placement *placement)
{
    struct stow_value *v = stow_doc_object(doc), *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < placement->count; i++)
        stow_value_push(doc, list, decision_value(doc, s, &placement->decision[i]));
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "Placement"));
    stow_value_set(doc, v, "pending", stow_doc_int(doc, placement->count));
    stow_value_set(doc, v, "placed", stow_doc_int(doc, placement->placed));
    stow_value_set(doc, v, "decisions", list);
    stow_defaulted_set(doc, v, s, false);
    stow_warnings_set(doc, v, s, NULL, 0);
    return v;
}

/* ---- as a table -------------------------------------------------------------------------- */

/* clang-format off */
#define DECISION_COLUMNS                                                                       \
    {.title = "POD", .csv_name = "pod", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS},                       \
    {.title = "NODE", .csv_name = "node", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},                     \
    {.title = "SCORE", .csv_name = "score", .align = STOW_ALIGN_POINT, .spare = 2},            \
    {.title = "PRICE/H", .csv_name = "node_price_per_hour", .align = STOW_ALIGN_POINT,         \
     .spare = 1},                                                                              \
    {.title = "PROFILE", .csv_name = "profile", .spare = 3}
/* clang-format on */

static const struct stow_table_column decision_columns[] = {DECISION_COLUMNS, {0}};
static const struct stow_table_column full_columns[] = {
    DECISION_COLUMNS,
    {.title = "WHY NOT", .csv_name = "reasons", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

static void reasons_cell(struct stow_table *t, const struct stow_decision *d)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (stow_not_tried(d))
        stow_buf_text(&text, stow_not_tried(d));
    for (uint32_t i = 0; i < d->reasons; i++)
        stow_buf_printf(&text, "%s%u %s", i ? ", " : "", d->reason[i].nodes, d->reason[i].text);
    stow_table_str(t, text.len ? stow_buf_str(&text) : STOW_STR(""));
    stow_table_role(t, STOW_ROLE_BAD);
    t->report->failed |= text.failed;
}

static void decision_row(struct stow_table *t, const struct stow_snapshot *s,
                         const struct stow_node_money *money, const struct stow_decision *d)
{
    char name[600];

    stow_table_row(t);
    stow_table_text(t, pod_name(s, d->pod, name, sizeof(name)));
    if (d->outcome == STOW_PLACED) {
        stow_table_text(t, s->node[d->node].name);
        stow_points_cell(t, d->total);
        stow_table_money(t, money ? money[d->node].price : STOW_MONEY_UNKNOWN);
        stow_table_text(t, d->profile->name);
        return;
    }
    stow_table_both(t, "-", "");
    stow_table_role(t, STOW_ROLE_BAD);
    stow_table_text(t, "");
    stow_table_text(t, "");
    stow_table_text(t, d->profile ? d->profile->name : "");
    if (t->column == full_columns)
        reasons_cell(t, d);
}

/* ---- pods without a node ----------------------------------------------------------------- */

static const struct stow_table_column reason_columns[] = {
    {.title = "POD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS},
    {.title = "PODS", .align = STOW_ALIGN_RIGHT},
    {.title = "NODES", .align = STOW_ALIGN_RIGHT},
    {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

static bool same_reasons(const struct stow_decision *a, const struct stow_decision *b)
{
    if (a->outcome != b->outcome || a->profile != b->profile || a->reasons != b->reasons)
        return false;
    for (uint32_t i = 0; i < a->reasons; i++)
        if (a->reason[i].nodes != b->reason[i].nodes ||
            a->reason[i].filter != b->reason[i].filter ||
            a->reason[i].wanted != b->reason[i].wanted || a->reason[i].free != b->reason[i].free ||
            !stow_same_text(a->reason[i].detail, b->reason[i].detail) ||
            strcmp(a->reason[i].text, b->reason[i].text) != 0)
            return false;
    return true;
}

static void reason_row(struct stow_table *t, const char *name, uint32_t pods)
{
    stow_table_row(t);
    stow_table_text(t, name);
    if (pods)
        stow_table_int(t, pods);
    else
        stow_table_text(t, "");
}

/* "node-resources-fit: Insufficient cpu, wants 5.00, at most 0.50 free" */
static void reason_cell(struct stow_table *t, const struct stow_snapshot *s,
                        const struct stow_profile *profile, const struct stow_reason_count *r)
{
    const char *filter = stow_drop_filter(profile, r->filter);
    const struct stow_lack lack = {r->resource, r->wanted, r->free};

    if (r->resource == STOW_NONE)
        stow_reason_detail(t, filter, r->text, r->detail, r->details);
    else
        stow_reason_lack(t, s, filter, r->text, &lack);
}

static void reason_rows(struct stow_table *t, const struct stow_snapshot *s, const char *name,
                        uint32_t pods, const struct stow_decision *d)
{
    if (d->reasons == 0) {
        reason_row(t, name, pods);
        stow_table_text(t, "");
        stow_table_text(t, stow_not_tried(d) ? stow_not_tried(d) : "the cluster has no nodes");
    }
    for (uint32_t i = 0; i < d->reasons; i++) {
        reason_row(t, i ? "" : name, i ? 0 : pods);
        stow_table_int(t, d->reason[i].nodes);
        reason_cell(t, s, d->profile, &d->reason[i]);
    }
}

/* Neighbours with the same reasons are one entry: replicas mostly fail alike. */
static void report_unplaced(struct stow_report *report, const struct stow_snapshot *s,
                            const struct stow_placement *p)
{
    struct stow_table *t = stow_report_table(report, "Pods without a node", reason_columns);

    for (uint32_t i = 0, like; i < p->count; i += like) {
        const struct stow_decision *d = &p->decision[i];
        char name[600];

        for (like = 1; i + like < p->count && same_reasons(d, &p->decision[i + like]);)
            like++;
        if (d->outcome != STOW_PLACED)
            reason_rows(t, s, pod_name(s, d->pod, name, sizeof(name)), like, d);
    }
}

void stow_placement_report(struct stow_report *report, const struct stow_snapshot *s,
                           const struct stow_node_money *money,
                           const struct stow_placement *placement, bool full)
{
    uint32_t count = placement->count;
    struct stow_table *t;

    if (count)
        stow_report_line(report, STOW_ROLE_HEADING, "%u of %u pending pod%s find%s a node",
                         placement->placed, count, count == 1 ? "" : "s", count == 1 ? "s" : "");
    t = stow_report_table(report, NULL, full ? full_columns : decision_columns);
    stow_table_when_empty(t, stow_none_pending(s));
    for (uint32_t i = 0; i < count; i++)
        decision_row(t, s, money, &placement->decision[i]);
    if (placement->placed < count && !full)
        report_unplaced(report, s, placement);
}
