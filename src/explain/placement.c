/* placement.c - the decisions of a placement, as data and as a table. */
#include "explain/placement.h"

#include <stdio.h>

static const char *pod_name(const struct stow_snapshot *s, stow_pod_id pod, char *text, size_t size)
{
    snprintf(text, size, "%s/%s", stow_text(s, s->pod[pod].namespace).ptr, s->pod[pod].name);
    return text;
}

static const char *outcome_text(const struct stow_decision *d)
{
    switch (d->outcome) {
    case STOW_GATED:
        return "has scheduling gates";
    case STOW_NO_PROFILE:
        return "no profile is for its schedulerName";
    case STOW_NO_NODE:
    case STOW_PLACED:
        break;
    }
    return NULL;
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

static struct stow_value *reasons_value(struct stow_doc *doc, const struct stow_decision *d)
{
    struct stow_value *list = stow_doc_array(doc);

    if (outcome_text(d)) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "reason", stow_doc_text(doc, outcome_text(d)));
        stow_value_push(doc, list, v);
    }
    for (uint32_t i = 0; i < d->reasons; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "reason", stow_doc_text(doc, d->reason[i].text));
        stow_value_set(
            doc, v, "filter",
            stow_doc_text(doc, d->reason[i].filter < 0
                                   ? "node-affinity"
                                   : d->profile->filter[d->reason[i].filter].rule->name));
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, d->reason[i].nodes));
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
    stow_value_set(doc, v, "score", placed ? stow_doc_real(doc, d->total) : stow_doc_null(doc));
    stow_value_set(doc, v, "components", components_value(doc, d));
    stow_value_set(doc, v, "reasons", reasons_value(doc, d));
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
    return v;
}

/* ---- as a table -------------------------------------------------------------------------- */

static const struct stow_column placed_columns[] = {
    {.title = "POD", .csv_name = "pod", .max_width = 48},
    {.title = "NODE", .csv_name = "node", .max_width = 44},
    {.title = "SCORE", .csv_name = "score", .align = STOW_ALIGN_POINT},
    {.title = "NODE PRICE/H", .csv_name = "node_price_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "PROFILE", .csv_name = "profile", .wide = true},
    {.title = "WHY NOT", .csv_name = "reasons"},
    {0},
};

/* Four decimals for the eye, all of them for machines; whole numbers stay whole. */
static void score_cell(struct stow_table *t, double score)
{
    char shown[40], exact[40];

    snprintf(shown, sizeof(shown), "%.4g", score);
    if (score == (double)(int64_t)score)
        snprintf(shown, sizeof(shown), "%lld", (long long)score);
    snprintf(exact, sizeof(exact), "%.9f", score);
    stow_table_both(t, shown, exact);
}

static void reasons_cell(struct stow_table *t, const struct stow_decision *d)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (outcome_text(d))
        stow_buf_text(&text, outcome_text(d));
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
        score_cell(t, d->total);
        stow_table_money(t, money ? money[d->node].price : STOW_MONEY_UNKNOWN);
        stow_table_text(t, d->profile->name);
        return;
    }
    stow_table_text(t, "-");
    stow_table_text(t, "");
    stow_table_text(t, "");
    stow_table_text(t, d->profile ? d->profile->name : "");
    reasons_cell(t, d);
}

void stow_placement_report(struct stow_report *report, const struct stow_snapshot *s,
                           const struct stow_node_money *money,
                           const struct stow_placement *placement)
{
    struct stow_table *t;

    stow_report_line(report, STOW_ROLE_HEADING, "%u of %u pending pods find a node",
                     placement->placed, placement->count);
    t = stow_report_table(report, NULL, placed_columns);
    stow_table_when_empty(t, "no pod is pending");
    for (uint32_t i = 0; i < placement->count; i++)
        decision_row(t, s, money, &placement->decision[i]);
}
