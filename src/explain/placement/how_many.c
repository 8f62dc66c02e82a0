/* how_many.c - how many more pods fit, where, and what stops the next one. */
#include "explain/defaulted.h"
#include "explain/placement/placement_internal.h"
#include "explain/warnings.h"
#include "explain/words.h"
#include "model/pods/sample.h"

#define SHOWN 20 /* nodes in a plain table */

/* "Deployment shop/web" */
static const char *sample_text(const struct stow_snapshot *s, struct stow_arena *arena)
{
    const stow_pod_id sample = stow_sample_find(s);

    return stow_arena_printf(arena, "%s %s/%s", stow_sample_kind(s, sample),
                             stow_text(s, s->pod[sample].namespace).ptr,
                             stow_sample_name(s, sample));
}

/* ---- as tables --------------------------------------------------------------------------- */

static const struct stow_table_column fit_columns[] = {
    {.title = "NODE",
     .csv_name = "node",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_NODES},
    {.title = "MORE PODS", .csv_name = "pods", .align = STOW_ALIGN_RIGHT},
    {.title = "PRICE/H", .csv_name = "node_price_per_hour", .align = STOW_ALIGN_POINT, .spare = 1},
    {0},
};

static void report_nodes(struct stow_report *report, const struct stow_how_many *a, bool all)
{
    const uint32_t shown = all || a->nodes <= SHOWN ? a->nodes : SHOWN;
    struct stow_table *t;

    if (!a->nodes && !all)
        return;
    t = stow_report_table(report, NULL, fit_columns);
    for (uint32_t i = 0; i < shown; i++) {
        const stow_node_id node = a->fit[i].node;

        stow_table_row(t);
        stow_table_text(t, a->view.node[node].name);
        stow_table_int(t, a->fit[i].pods);
        stow_table_money(t, a->state.money ? a->state.money[node].price : STOW_MONEY_UNKNOWN);
    }
    if (shown < a->nodes)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more; -o wide shows all of them",
                         a->nodes - shown);
}

static void report_heading(struct stow_report *report, const struct stow_how_many *a)
{
    const char *sample = sample_text(&a->view, &report->arena);

    const char *by = a->profile ? a->profile->name : "";

    report->failed |= !sample;
    if (a->pods == 0)
        stow_report_line(report, STOW_ROLE_HEADING, "no pod like %s fits%s%s%s", sample,
                         *by ? " (profile " : "", by, *by ? ")" : "");
    else
        stow_report_line(report, STOW_ROLE_HEADING,
                         "%s%u more pod%s like %s fit%s, on %u node%s (profile %s)",
                         a->at_least ? "at least " : "", a->pods, stow_plural(a->pods), sample,
                         a->pods == 1 ? "s" : "", a->nodes, stow_plural(a->nodes), by);
    if (a->pending.count)
        stow_report_line(report, STOW_ROLE_PLAIN, "%u of %u pending pod%s placed before them",
                         a->pending.placed, a->pending.count,
                         a->pending.count == 1 ? " is" : "s are");
}

/* Why the next one does not fit.  A node that has a pod of the DaemonSet takes no other: what else
 * it lacks does not matter. */
static int find_why(const struct stow_how_many *a, struct stow_why *ret, struct stow_err *err)
{
    uint32_t kept = 0;

    STOW_TRY(stow_why_make(&a->state, &a->next, ret, err));
    for (uint32_t i = 0; i < ret->groups && a->has_one; i++) {
        struct stow_drop_group g = ret->group[i];
        struct stow_dropped *list = ret->dropped + (g.dropped - ret->dropped);
        uint32_t nodes = 0;

        for (uint32_t n = 0; n < g.nodes; n++)
            if (!a->has_one[list[n].node])
                list[nodes++] = list[n];
        g.nodes = nodes;
        if (nodes)
            ret->group[kept++] = g;
    }
    ret->groups = a->has_one ? kept : ret->groups;
    return STOW_OK;
}

static int report_next(struct stow_report *report, const struct stow_how_many *a, bool wide,
                       struct stow_err *err)
{
    STOW_AUTO(stow_why_done) struct stow_why why = {0};

    if (stow_not_tried(&a->next)) {
        stow_report_line(report, STOW_ROLE_BAD, "such a pod is not tried: it %s",
                         stow_not_tried(&a->next));
        return STOW_OK;
    }
    if (a->at_least) {
        stow_report_line(report, STOW_ROLE_WARN,
                         "no filter of the profile stops the next one; counting ended there");
        return STOW_OK;
    }
    STOW_TRY(find_why(a, &why, err));
    if (!a->view.nodes)
        stow_report_line(report, STOW_ROLE_BAD, "the cluster has no nodes");
    if (a->has_one && a->had_one)
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "a DaemonSet runs one pod on a node; %u node%s had one before", a->had_one,
                         stow_plural(a->had_one));
    else if (a->has_one)
        stow_report_line(report, STOW_ROLE_PLAIN, "a DaemonSet runs one pod on a node");
    stow_report_dropped(
        report, &why, a->has_one ? "What keeps it off the other nodes" : "What stops the next one",
        wide);
    return STOW_OK;
}

int stow_placement_how_many(struct stow_report *report, const struct stow_how_many *answer,
                            bool all, struct stow_err *err)
{
    report_heading(report, answer);
    report_nodes(report, answer, all);
    return report_next(report, answer, all, err);
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *sample_value(struct stow_doc *doc, const struct stow_snapshot *s)
{
    const stow_pod_id sample = stow_sample_find(s);
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "kind", stow_doc_text(doc, stow_sample_kind(s, sample)));
    stow_value_set(doc, v, "namespace", stow_doc_str(doc, stow_text(s, s->pod[sample].namespace)));
    stow_value_set(doc, v, "name", stow_doc_text(doc, stow_sample_name(s, sample)));
    return v;
}

static struct stow_value *nodes_value(struct stow_doc *doc, const struct stow_how_many *a)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < a->nodes; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "node", stow_doc_text(doc, a->view.node[a->fit[i].node].name));
        stow_value_set(doc, v, "pods", stow_doc_int(doc, a->fit[i].pods));
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *pending_value(struct stow_doc *doc, const struct stow_how_many *a)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "pods", stow_doc_int(doc, a->pending.count));
    stow_value_set(doc, v, "placed", stow_doc_int(doc, a->pending.placed));
    return v;
}

static int next_value(struct stow_doc *doc, const struct stow_how_many *a, struct stow_value **ret,
                      struct stow_err *err)
{
    STOW_AUTO(stow_why_done) struct stow_why why = {0};

    *ret = stow_doc_object(doc);
    if (stow_not_tried(&a->next)) {
        stow_value_set(doc, *ret, "notTried", stow_doc_text(doc, stow_not_tried(&a->next)));
        return STOW_OK;
    }
    if (a->at_least) {
        *ret = stow_doc_null(doc);
        return STOW_OK;
    }
    STOW_TRY(find_why(a, &why, err));
    if (a->has_one)
        stow_value_set(doc, *ret, "hadOne", stow_doc_int(doc, a->had_one));
    stow_value_set(doc, *ret, "dropped", stow_why_dropped(doc, &why));
    return STOW_OK;
}

/* Of the cluster and the sample; its copies are the last pods of the view. */
static void set_defaulted(struct stow_doc *doc, struct stow_value *v, const struct stow_how_many *a)
{
    struct stow_snapshot cluster = a->view;

    cluster.pods = a->next.pod - a->pods;
    stow_defaulted_set(doc, v, &cluster, false);
}

int stow_placement_how_many_value(struct stow_doc *doc, const struct stow_how_many *answer,
                                  bool after_pending, struct stow_value **ret, struct stow_err *err)
{
    struct stow_value *v = stow_doc_object(doc), *next;

    STOW_TRY(next_value(doc, answer, &next, err));
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "HowMany"));
    stow_value_set(doc, v, "sample", sample_value(doc, &answer->view));
    stow_value_set(doc, v, "profile",
                   stow_doc_text(doc, answer->profile ? answer->profile->name : NULL));
    if (after_pending)
        stow_value_set(doc, v, "pending", pending_value(doc, answer));
    stow_value_set(doc, v, "pods", stow_doc_int(doc, answer->pods));
    stow_value_set(doc, v, "atLeast", stow_doc_bool(doc, answer->at_least));
    stow_value_set(doc, v, "nodes", nodes_value(doc, answer));
    stow_value_set(doc, v, "next", next);
    set_defaulted(doc, v, answer);
    stow_warnings_set(doc, v, &answer->view, NULL, 0);
    *ret = v;
    return STOW_OK;
}
