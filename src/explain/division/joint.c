/* joint.c - what a division of all workloads together says beside where they go: the
 * bound, the moves, and what one by one would have cost. */
#include <inttypes.h>

#include "explain/division/division_internal.h"
#include "explain/words.h"

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *bound_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                      const struct stow_joint_figures *f)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "perHour", stow_doc_money(doc, f->bound));
    stow_value_set(doc, v, "gap", stow_doc_real(doc, stow_joint_gap(&a->joint.answer)));
    stow_value_set(doc, v, "method",
                   stow_doc_text(doc, a->joint.answer.settled ? "settled" : "resource-prices"));
    stow_value_set(doc, v, "for",
                   stow_doc_text(doc, a->joint.answer.cost.left_out ? "as-many" : "all"));
    return v;
}

static struct stow_value *weighed_value(struct stow_doc *doc, stow_nano weighed)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "perHour", stow_doc_money(doc, weighed));
    return v;
}

static struct stow_value *one_by_one_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                           const struct stow_joint_figures *f)
{
    const struct stow_joint_cost *c = &a->joint.answer.one_by_one;
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "cost", stow_division_cost_value(doc, a, &f->one_by_one));
    if (a->disruption != STOW_MONEY_UNKNOWN)
        stow_value_set(doc, v, "weighed", weighed_value(doc, f->one_by_one_weighed));
    stow_value_set(doc, v, "moved", stow_doc_int(doc, c->moved));
    stow_value_set(doc, v, "unplaced", stow_doc_int(doc, c->left_out));
    return v;
}

/* Clusters without a price that could have taken replicas: then there is no bound. */
static void set_unpriced(struct stow_doc *doc, struct stow_value *to,
                         const struct stow_fleet_answer *a)
{
    struct stow_value *list = stow_doc_array(doc);
    uint32_t count = 0;

    for (stow_cluster_id i = 0; i < a->s->clusters; i++)
        if (stow_joint_lacks_price(&a->joint, i)) {
            stow_value_push(doc, list, stow_doc_text(doc, a->s->cluster[i].name));
            count++;
        }
    if (count)
        stow_value_set(doc, to, "unpricedClusters", list);
}

/* What is known of the workloads that were divided together; the others are not in it. */
static struct stow_value *together_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                         const struct stow_joint_figures *f)
{
    const struct stow_joint_cost *c = &a->joint.answer.cost;
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "workloads", stow_doc_int(doc, a->joint.workloads));
    stow_value_set(doc, v, "cost", stow_division_cost_value(doc, a, &f->price));
    if (a->disruption != STOW_MONEY_UNKNOWN) {
        stow_value_set(doc, v, "disruptionPrice", stow_doc_money(doc, a->disruption));
        stow_value_set(doc, v, "weighed", weighed_value(doc, f->weighed));
    }
    stow_value_set(doc, v, "moved", stow_doc_int(doc, c->moved));
    stow_value_set(doc, v, "unplaced", stow_doc_int(doc, c->left_out));
    stow_value_set(doc, v, "oneByOne", one_by_one_value(doc, a, f));
    set_unpriced(doc, v, a);
    return v;
}

void stow_joint_value(struct stow_doc *doc, struct stow_value *to,
                      const struct stow_fleet_answer *a)
{
    const struct stow_joint_figures f = stow_joint_figures(&a->joint);

    if (f.bound != STOW_MONEY_UNKNOWN)
        stow_value_set(doc, to, "bound", bound_value(doc, a, &f));
    stow_value_set(doc, to, "together", together_value(doc, a, &f));
}

/* ---- for people -------------------------------------------------------------------------- */

/* Why nothing is known of the cheapest division, where prices are the reason. */
static void report_unpriced(struct stow_report *report, const struct stow_fleet_answer *a)
{
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};
    uint32_t count = 0;

    for (stow_cluster_id i = 0; i < a->s->clusters; i++)
        if (stow_joint_lacks_price(&a->joint, i))
            stow_buf_printf(&names, "%s%s", count++ ? ", " : "", a->s->cluster[i].name);
    report->failed |= names.failed;
    if (count && !names.failed)
        stow_report_line(
            report, STOW_ROLE_WARN,
            "The distance from the cheapest division is unknown: cluster%s %.*s could take "
            "replicas, and ha%s no known price",
            count == 1 ? "" : "s", STOW_FMT(stow_buf_str(&names)), count == 1 ? "s" : "ve");
}

static void report_bound(struct stow_report *report, const struct stow_fleet_answer *a,
                         const struct stow_joint_figures *f)
{
    const char *as_many = a->joint.answer.cost.left_out ? "as many" : "all";
    const double gap = stow_joint_gap(&a->joint.answer);
    char text[STOW_MONEY_TEXT];

    if (a->joint.workloads == 0)
        return;
    if (f->bound == STOW_MONEY_UNKNOWN) {
        report_unpriced(report, a);
        return;
    }
    if (f->weighed <= f->bound)
        stow_report_line(report, STOW_ROLE_GOOD, "No division that places %s is cheaper: proven",
                         as_many);
    else
        stow_report_line(report, STOW_ROLE_DIM,
                         "No division that places %s costs less than %s per hour: this one costs "
                         "at most %.3f%% more",
                         as_many, stow_money_short(f->bound, text), gap * 100);
}

static const struct stow_table_column way_columns[] = {
    {.title = ""},
    {.title = "COST/H", .align = STOW_ALIGN_POINT},
    {.title = "MOVED", .align = STOW_ALIGN_RIGHT},
    {.title = "LEFT OUT", .align = STOW_ALIGN_RIGHT},
    {0},
};

static const struct stow_table_column weighed_columns[] = {
    {.title = ""},
    {.title = "COST/H", .align = STOW_ALIGN_POINT},
    {.title = "MOVED", .align = STOW_ALIGN_RIGHT},
    {.title = "WITH MOVES", .align = STOW_ALIGN_POINT},
    {.title = "LEFT OUT", .align = STOW_ALIGN_RIGHT},
    {0},
};

static void way_row(struct stow_table *t, const char *name, const struct stow_joint_cost *cost,
                    const struct stow_money_sum *price, const stow_nano *weighed)
{
    stow_table_row(t);
    stow_table_text(t, name);
    stow_table_sum(t, price);
    stow_table_int(t, cost->moved);
    if (weighed)
        stow_table_money(t, *weighed);
    stow_table_int(t, cost->left_out);
}

void stow_joint_report(struct stow_report *report, const struct stow_fleet_answer *a)
{
    const struct stow_joint_answer *answer = &a->joint.answer;
    const struct stow_joint_figures f = stow_joint_figures(&a->joint);
    bool weighs = a->disruption != STOW_MONEY_UNKNOWN;

    if (a->joint.workloads < a->workloads)
        stow_report_line(report, STOW_ROLE_DIM,
                         "%u of %u workloads are divided together, the others as they are placed",
                         a->joint.workloads, a->workloads);
    report_bound(report, a, &f);
    if (a->joint.workloads == 0)
        return;

    struct stow_table *t = stow_report_table(report, NULL, weighs ? weighed_columns : way_columns);

    way_row(t, "together", &answer->cost, &f.price, weighs ? &f.weighed : NULL);
    way_row(t, "one by one", &answer->one_by_one, &f.one_by_one,
            weighs ? &f.one_by_one_weighed : NULL);
}

/* ---- what is short ----------------------------------------------------------------------- */

#define SCARCE_SHOWN 10 /* rows, unless all are asked for */

/* The unit that a price is for. */
static const char *unit_of(const struct stow_snapshot *s, stow_sym resource)
{
    if (resource == STOW_SYM_CPU)
        return "core";
    if (resource == STOW_SYM_MEMORY || resource == STOW_SYM_EPHEMERAL ||
        stow_str_starts(stow_text(s, resource), STOW_STR("hugepages-")))
        return "GiB";
    return resource == STOW_SYM_PODS ? "pod" : "device";
}

struct stow_value *stow_scarce_value(struct stow_doc *doc, const struct stow_fleet_answer *a)
{
    struct stow_value *list = stow_doc_array(doc);
    struct stow_scarce *scarce = NULL;
    uint32_t count = 0;

    if (stow_joint_scarce(a, &doc->arena, &scarce, &count, NULL) < 0)
        doc->failed = true;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "cluster",
                       stow_doc_text(doc, a->s->cluster[scarce[i].cluster].name));
        stow_value_set(doc, v, "resource", stow_doc_str(doc, stow_text(a->s, scarce[i].resource)));
        stow_value_set(doc, v, "per", stow_doc_text(doc, unit_of(a->s, scarce[i].resource)));
        stow_value_set(doc, v, "savesPerHour", stow_doc_money(doc, scarce[i].price));
        stow_value_push(doc, list, v);
    }
    return list;
}

static const struct stow_table_column scarce_columns[] = {
    {.title = "CLUSTER", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_CLUSTERS},
    {.title = "RESOURCE", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "ONE MORE"},
    {.title = "SAVES/H", .align = STOW_ALIGN_POINT},
    {0},
};

void stow_scarce_report(struct stow_report *report, const struct stow_fleet_answer *a, bool wide)
{
    struct stow_scarce *scarce = NULL;
    struct stow_table *t;
    uint32_t count = 0;

    if (stow_joint_scarce(a, &report->arena, &scarce, &count, NULL) < 0)
        report->failed = true;
    if (!count)
        return;
    t = stow_report_table(report, "Scarce capacity, by the prices that prove the bound",
                          scarce_columns);
    for (uint32_t i = 0; i < count && (wide || i < SCARCE_SHOWN); i++) {
        stow_table_row(t);
        stow_table_text(t, a->s->cluster[scarce[i].cluster].name);
        stow_table_str(t, stow_text(a->s, scarce[i].resource));
        stow_table_text(t, unit_of(a->s, scarce[i].resource));
        stow_table_computed_money(t, scarce[i].price);
    }
    if (!wide && count > SCARCE_SHOWN)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more; -o wide shows all",
                         count - SCARCE_SHOWN);
}
