/* why.c - all that keeps nodes where they are, as data and as a table. */
#include <stowage/export.h>

#include "explain/consolidation/consolidation_internal.h"
#include "model/values/amount.h"

static struct stow_value *reason_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                       const struct stow_kept_reason *why)
{
    struct stow_value *v = stow_doc_object(doc);
    char text[STOW_AMOUNT_TEXT];

    if (why->pod != STOW_NONE)
        stow_value_set(doc, v, "pod",
                       stow_doc_textf(doc, "%s/%s",
                                      stow_text(a->s, a->s->pod[why->pod].namespace).ptr,
                                      a->s->pod[why->pod].name));
    stow_value_set(doc, v, "rule", stow_doc_text(doc, why->rule));
    stow_value_set(doc, v, "reason", stow_doc_text(doc, why->text));
    if (why->nodes)
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, why->nodes));
    if (why->node)
        stow_value_set(doc, v, "closest", stow_doc_text(doc, why->node));
    if (why->resource == STOW_NONE)
        return v;
    stow_value_set(doc, v, "resource",
                   stow_doc_str(doc, stow_text(a->s, a->s->resource[why->resource])));
    stow_value_set(
        doc, v, "wanted",
        stow_doc_textf(doc, "%s", stow_amount_exact(a->s, why->resource, why->wanted, text)));
    stow_value_set(
        doc, v, "free",
        stow_doc_textf(doc, "%s", stow_amount_exact(a->s, why->resource, why->free, text)));
    return v;
}

struct stow_value *stow_kept_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                   const struct stow_kept_node *kept)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < kept->whys; i++)
        stow_value_push(doc, list, reason_value(doc, a, &kept->why[i]));
    return list;
}

static const struct stow_table_column columns[] = {
    {.title = "NODE", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {.title = "POD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS},
    {.title = "RULE"},
    {.title = "NODES", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

/* Nodes and pods are named where they begin. */
static void add_rows(struct stow_table *t, const struct stow_consolidation *a,
                     const struct stow_kept_node *kept)
{
    for (uint32_t i = 0; i < kept->whys; i++) {
        const struct stow_kept_reason *why = &kept->why[i];
        const bool again = i && why->pod == kept->why[i - 1].pod;
        const struct stow_pod *pod = why->pod == STOW_NONE ? NULL : &a->s->pod[why->pod];

        stow_table_row(t);
        stow_table_text(t, i ? "" : a->s->node[kept->node].name);
        if (pod && !again)
            stow_table_printf(t, "%s/%s", stow_text(a->s, pod->namespace).ptr, pod->name);
        else
            stow_table_text(t, pod ? "" : "-");
        stow_table_text(t, why->rule);
        if (why->nodes)
            stow_table_int(t, why->nodes);
        else
            stow_table_text(t, "-");
        stow_table_text(t, why->text);
    }
}

/* The node that was asked about is removed. */
static void report_removed(struct stow_report *report, const struct stow_consolidation *a)
{
    for (uint32_t i = 0; i < a->steps; i++)
        for (uint32_t n = 0; n < a->step[i].removes; n++)
            if (a->step[i].remove[n] == a->explained)
                stow_report_line(report, STOW_ROLE_PLAIN, "%s does not stay: step %u removes it",
                                 a->s->node[a->explained].name, i + 1);
}

bool stow_kept_report(struct stow_report *report, const struct stow_consolidation *a)
{
    struct stow_table *t = NULL;

    if (a->explained != STOW_NONE)
        report_removed(report, a);
    for (uint32_t i = 0; i < a->kepts; i++) {
        if (!a->kept[i].whys)
            continue;
        if (!t)
            t = stow_report_table(report, "Why nodes stay", columns);
        add_rows(t, a, &a->kept[i]);
    }
    return t != NULL;
}
