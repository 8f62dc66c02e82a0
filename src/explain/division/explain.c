/* explain.c - how a division came about: every cluster with its room, price and score. */
#include <inttypes.h>
#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/division/division.h"
#include "explain/division/division_internal.h"
#include "explain/words.h"

#define ROWS_SHOWN 20 /* clusters of a workload, unless all are asked for */

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *steps_value(struct stow_doc *doc, const struct stow_price_list *list)
{
    struct stow_value *to = stow_doc_array(doc);

    for (uint32_t i = 0; i < list->steps; i++) {
        struct stow_value *v = stow_doc_object(doc);
        int64_t capacity = list->step[i].capacity;

        stow_value_set(doc, v, "capacity",
                       capacity == INT64_MAX ? stow_doc_null(doc) : stow_doc_int(doc, capacity));
        stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, list->step[i].price));
        stow_value_push(doc, to, v);
    }
    return to;
}

static struct stow_value *rejected_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                         const struct stow_divide_cluster *c)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < STOW_REJECTS; i++) {
        STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

        if (!(c->rejected >> i & 1))
            continue;
        stow_division_rejects(a, c, (enum stow_reject)i, &text);
        doc->failed |= text.failed;
        stow_value_push(doc, list, stow_doc_str(doc, stow_buf_str(&text)));
    }
    return list;
}

static struct stow_value *cluster_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                        const struct stow_fleet_workload *w, stow_cluster_id id)
{
    const struct stow_divide_cluster *c = &w->made.cluster[id];
    struct stow_value *v = stow_doc_object(doc);
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};

    stow_division_why(a, w, id, &why);
    doc->failed |= why.failed;
    stow_value_set(doc, v, "cluster", stow_doc_text(doc, a->s->cluster[id].name));
    stow_value_set(doc, v, "replicas", stow_doc_int(doc, c->replicas));
    stow_value_set(doc, v, "before", stow_doc_int(doc, c->held));
    stow_value_set(doc, v, "capacity", stow_doc_int(doc, c->allocatable));
    stow_value_set(doc, v, "prices", steps_value(doc, &w->price[id]));
    stow_value_set(doc, v, "priceFrom",
                   stow_doc_text(doc, stow_price_from_name(a->costs->tariff[id].from)));
    if (!c->rejected && !c->deleted)
        stow_value_set(doc, v, "score", stow_doc_int(doc, c->score));
    if (c->overflow && !c->rejected)
        stow_value_set(doc, v, "tier", stow_doc_int(doc, c->overflow));
    if (c->rejected)
        stow_value_set(doc, v, "rejected", rejected_value(doc, a, c));
    stow_value_set(doc, v, "why", stow_doc_str(doc, stow_buf_str(&why)));
    return v;
}

static struct stow_value *regions_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                        const struct stow_division *made)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < made->regions; i++) {
        const struct stow_divide_region *r = &made->region[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "region", stow_doc_str(doc, stow_text(a->s, r->name)));
        stow_value_set(doc, v, "clusters", stow_doc_int(doc, r->clusters));
        stow_value_set(doc, v, "score", stow_doc_int(doc, r->score));
        stow_value_set(doc, v, "chosen", stow_doc_bool(doc, r->chosen));
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *spread_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                       const struct stow_fleet_workload *w)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < w->spreads; i++) {
        const struct stow_spread_cost *spread = &w->spread[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "spreadBy",
                       stow_doc_text(doc, stow_spread_text(a->s, &spread->constraint)));
        stow_value_set(doc, v, "minGroups", stow_doc_int(doc, spread->constraint.min_groups));
        stow_value_set(doc, v, "maxGroups", stow_doc_int(doc, spread->constraint.max_groups));
        stow_value_set(doc, v, "cheapestWith", stow_doc_money(doc, spread->with));
        stow_value_set(doc, v, "cheapestWithout", stow_doc_money(doc, spread->without));
        stow_value_set(doc, v, "costPerHour", stow_doc_money(doc, stow_spread_cost(spread)));
        stow_value_set(doc, v, "possible", stow_doc_bool(doc, spread->possible));
        stow_value_set(doc, v, "possibleWithout", stow_doc_bool(doc, spread->possible_without));
        stow_value_push(doc, list, v);
    }
    return list;
}

struct stow_value *stow_division_explanation(struct stow_doc *doc,
                                             const struct stow_fleet_answer *a,
                                             const struct stow_fleet_workload *w)
{
    struct stow_value *v = stow_doc_object(doc), *clusters = stow_doc_array(doc);

    stow_value_set(doc, v, "trigger", stow_doc_text(doc, stow_trigger_text(w)));
    stow_value_set(doc, v, "mode", stow_doc_text(doc, w->made.fresh ? "Fresh" : "Steady"));
    for (uint32_t i = 0; w->made.cluster && i < a->s->clusters; i++)
        stow_value_push(doc, clusters, cluster_value(doc, a, w, i));
    stow_value_set(doc, v, "clusters", clusters);
    if (w->made.regions)
        stow_value_set(doc, v, "regions", regions_value(doc, a, &w->made));
    if (w->possible_anew && w->anew != STOW_MONEY_UNKNOWN && !w->unsure)
        stow_value_set(doc, v, "cheapestAnew", stow_doc_money(doc, w->anew));
    if (w->spreads)
        stow_value_set(doc, v, "spreadConstraints", spread_value(doc, a, w));
    return v;
}

/* ---- as tables --------------------------------------------------------------------------- */

static const struct stow_table_column cluster_columns[] = {
    {.title = "CLUSTER", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_CLUSTERS},
    {.title = "REPLICAS", .align = STOW_ALIGN_RIGHT},
    {.title = "BEFORE", .align = STOW_ALIGN_RIGHT, .spare = 2},
    {.title = "ROOM", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {.title = "PRICE/H", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "SCORE", .align = STOW_ALIGN_RIGHT, .spare = 3},
    {.title = "WHY", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

/* "0.50", "10 at 0.50, then 0.70". */
static void price_cell(struct stow_table *t, const struct stow_price_list *list)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    char price[STOW_MONEY_TEXT];

    for (uint32_t i = 0; i < list->steps; i++) {
        const struct stow_price_step *step = &list->step[i];

        if (i)
            stow_buf_text(&text, ", ");
        if (step->capacity != INT64_MAX)
            stow_buf_printf(&text, "%" PRId64 " at ", step->capacity);
        stow_buf_text(&text, stow_money_short(step->price, price));
    }
    t->report->failed |= text.failed;
    stow_table_str(t, list->steps ? stow_buf_str(&text) : STOW_STR("-"));
}

static void why_cell(struct stow_table *t, const struct stow_fleet_answer *a,
                     const struct stow_fleet_workload *w, stow_cluster_id id)
{
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};

    stow_division_why(a, w, id, &why);
    t->report->failed |= why.failed;
    stow_table_str(t, stow_buf_str(&why));
    if (w->made.cluster[id].rejected || w->made.cluster[id].deleted)
        stow_table_role(t, STOW_ROLE_DIM);
}

static void cluster_row(struct stow_table *t, const struct stow_fleet_answer *a,
                        const struct stow_fleet_workload *w, stow_cluster_id id)
{
    const struct stow_divide_cluster *c = &w->made.cluster[id];

    stow_table_row(t);
    stow_table_text(t, a->s->cluster[id].name);
    stow_table_int(t, c->replicas);
    stow_table_int(t, c->held);
    stow_table_int(t, c->allocatable);
    price_cell(t, &w->price[id]);
    if (c->rejected || c->deleted)
        stow_table_text(t, "-");
    else
        stow_table_int(t, c->score);
    why_cell(t, a, w, id);
}

/* Clusters with replicas first, then in Karmada's order, then those that may not. */
static stow_cluster_id *order_of(const struct stow_fleet_answer *a,
                                 const struct stow_fleet_workload *w)
{
    const struct stow_divide_cluster *c = w->made.cluster;
    stow_cluster_id *list = calloc((size_t)a->s->clusters + 1, sizeof(*list));
    uint32_t count = 0;

    for (uint32_t i = 0; list && i < w->made.orders; i++)
        if (c[w->made.order[i]].replicas > 0)
            list[count++] = w->made.order[i];
    for (uint32_t i = 0; list && i < w->made.orders; i++)
        if (c[w->made.order[i]].replicas <= 0)
            list[count++] = w->made.order[i];
    for (uint32_t i = 0; list && i < a->s->clusters; i++)
        if (c[i].rejected || c[i].deleted)
            list[count++] = i;
    return list;
}

static void explain_clusters(struct stow_report *report, const struct stow_fleet_answer *a,
                             const struct stow_fleet_workload *w, bool wide)
{
    STOW_AUTO(stow_free_local) stow_cluster_id *order = order_of(a, w);
    struct stow_table *t = stow_report_table(report, NULL, cluster_columns);
    uint32_t shown = wide || a->s->clusters <= ROWS_SHOWN ? a->s->clusters : ROWS_SHOWN;

    report->failed |= !order;
    for (uint32_t i = 0; order && i < shown; i++)
        cluster_row(t, a, w, order[i]);
    if (shown < a->s->clusters)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more clusters; -o wide shows all",
                         a->s->clusters - shown);
}

static const struct stow_table_column region_columns[] = {
    {.title = "REGION", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "CLUSTERS", .align = STOW_ALIGN_RIGHT},
    {.title = "SCORE", .align = STOW_ALIGN_RIGHT},
    {.title = "CHOSEN"},
    {0},
};

static void explain_regions(struct stow_report *report, const struct stow_fleet_answer *a,
                            const struct stow_division *made)
{
    struct stow_table *t;

    if (!made->regions)
        return;
    t = stow_report_table(report, NULL, region_columns);
    for (uint32_t i = 0; i < made->regions; i++) {
        stow_table_row(t);
        stow_table_str(t, stow_text(a->s, made->region[i].name));
        stow_table_int(t, made->region[i].clusters);
        stow_table_int(t, made->region[i].score);
        stow_table_text(t, made->region[i].chosen ? "yes" : "no");
    }
}

static const struct stow_table_column spread_columns[] = {
    {.title = "SPREAD OVER"},
    {.title = "GROUPS", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "CHEAPEST/H", .align = STOW_ALIGN_POINT},
    {.title = "WITHOUT/H", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "COSTS/H", .align = STOW_ALIGN_POINT},
    {0},
};

static void spread_cost_cell(struct stow_table *t, const struct stow_spread_cost *spread)
{
    if (!spread->possible && spread->possible_without)
        stow_table_text(t, "impossible with it");
    else if (!spread->possible)
        stow_table_text(t, "impossible either way");
    else
        stow_table_money(t, stow_spread_cost(spread));
}

static void money_or_none(struct stow_table *t, stow_nano amount, bool possible)
{
    if (possible)
        stow_table_money(t, amount);
    else
        stow_table_text(t, "-");
}

static void explain_spread(struct stow_report *report, const struct stow_fleet_answer *a,
                           const struct stow_fleet_workload *w)
{
    struct stow_table *t;

    if (!w->spreads)
        return;
    t = stow_report_table(report, NULL, spread_columns);
    for (uint32_t i = 0; i < w->spreads; i++) {
        const struct stow_spread_cost *spread = &w->spread[i];

        stow_table_row(t);
        stow_table_text(t, stow_spread_text(a->s, &spread->constraint));
        stow_table_printf(t, "%d to %d", spread->constraint.min_groups,
                          spread->constraint.max_groups);
        money_or_none(t, spread->with, spread->possible);
        money_or_none(t, spread->without, spread->possible_without);
        spread_cost_cell(t, spread);
    }
}

/* Prices that change move nothing by themselves; a user has to ask for it. */
static void explain_saving(struct stow_report *report, const struct stow_fleet_answer *a,
                           const struct stow_fleet_workload *w)
{
    char anew[STOW_MONEY_TEXT], saving[STOW_MONEY_TEXT];

    if (!w->possible_anew || w->anew == STOW_MONEY_UNKNOWN || w->cost.unknown || w->unplaced ||
        w->joint || w->anew >= w->cost.amount)
        return;
    stow_report_line(report, STOW_ROLE_DIM,
                     "Divided from scratch by cost: %s %.*s per hour, %s less, with --strategy "
                     "CostOptimized --fresh",
                     stow_money_short(w->anew, anew), STOW_FMT(a->costs->currency),
                     stow_money_short(w->cost.amount - w->anew, saving));
}

static void explain_workload(struct stow_report *report, const struct stow_fleet_answer *a,
                             const struct stow_fleet_workload *w, bool wide)
{
    STOW_AUTO(stow_buf_done) struct stow_buf name = {0};

    stow_binding_workload(a->s, w->binding, &name);
    report->failed |= name.failed;
    stow_report_line(report, STOW_ROLE_HEADING, "%.*s: %d replica%s, %s, %s",
                     STOW_FMT(stow_buf_str(&name)), w->binding->replicas,
                     stow_plural((uint32_t)w->binding->replicas), stow_division_strategy_text(a, w),
                     stow_trigger_text(w));
    if (a->karmada != STOW_KARMADA_NEWEST)
        stow_report_line(report, STOW_ROLE_DIM, "By the rules of Karmada 1.%u", a->karmada);
    if (w->made.outcome != STOW_DIVIDE_SUCCESS)
        stow_report_line(report, STOW_ROLE_BAD, "%s: %s", stow_divide_outcome_name(w->made.outcome),
                         w->made.message);
    explain_saving(report, a, w);
    if (!w->made.cluster)
        return;
    explain_clusters(report, a, w, wide);
    explain_regions(report, a, &w->made);
    explain_spread(report, a, w);
}

void stow_division_explain(struct stow_report *report, const struct stow_fleet_answer *answer,
                           bool wide)
{
    if (answer->jointly)
        stow_scarce_report(report, answer, wide);
    for (uint32_t i = 0; i < answer->workloads; i++)
        explain_workload(report, answer, &answer->workload[i], wide);
}

/* ---- for spreadsheets -------------------------------------------------------------------- */

static const struct stow_table_column csv_columns[] = {
    {.title = "WORKLOAD", .csv_name = "workload"},
    {.title = "STRATEGY", .csv_name = "strategy"},
    {.title = "CLUSTER", .csv_name = "cluster"},
    {.title = "REPLICAS", .csv_name = "replicas"},
    {.title = "BEFORE", .csv_name = "before"},
    {.title = "CAPACITY", .csv_name = "capacity"},
    {.title = "PRICE/H", .csv_name = "price_per_hour"},
    {.title = "PRICE FROM", .csv_name = "price_from"},
    {.title = "SCORE", .csv_name = "score"},
    {.title = "WHY", .csv_name = "why"},
    {0},
};

static void csv_row(struct stow_table *t, const struct stow_fleet_answer *a,
                    const struct stow_fleet_workload *w, stow_cluster_id id)
{
    const struct stow_divide_cluster *c = &w->made.cluster[id];
    const struct stow_price_list *price = &w->price[id];
    STOW_AUTO(stow_buf_done) struct stow_buf name = {0};

    stow_binding_workload(a->s, w->binding, &name);
    t->report->failed |= name.failed;
    stow_table_row(t);
    stow_table_str(t, stow_buf_str(&name));
    stow_table_text(t, stow_division_strategy_text(a, w));
    stow_table_text(t, a->s->cluster[id].name);
    stow_table_int(t, c->replicas);
    stow_table_int(t, c->held);
    stow_table_int(t, c->allocatable);
    stow_table_money(t, price->steps ? price->step[0].price : STOW_MONEY_UNKNOWN);
    stow_table_text(t, stow_price_from_name(a->costs->tariff[id].from));
    stow_table_int(t, c->score);
    why_cell(t, a, w, id);
}

void stow_division_explain_csv(struct stow_report *report, const struct stow_fleet_answer *answer)
{
    struct stow_table *t = stow_report_table(report, NULL, csv_columns);

    for (uint32_t i = 0; i < answer->workloads; i++)
        for (uint32_t n = 0; answer->workload[i].made.cluster && n < answer->s->clusters; n++)
            csv_row(t, answer, &answer->workload[i], n);
}
