/* bound.c - how close to the cheapest a plan is, for people: the bound, prices of resources
 * that a calculator can check, what one more pod costs, and where to turn when a group is sold
 * out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "explain/scaling/scaling_internal.h"
#include "explain/words.h"
#include "model/volumes/devices.h"
#include "scale/unpriced.h"

#define CLASSES_SHOWN 12
#define GAP_NONE      5e-7 /* rounding of prices, no more */

const char *stow_gap_text(double gap, char text[STOW_GAP_TEXT])
{
    const double percent = gap * 100;

    if (!isfinite(gap))
        snprintf(text, STOW_GAP_TEXT, "unknown");
    else if (percent <= 0)
        snprintf(text, STOW_GAP_TEXT, "0%%");
    else if (percent < 1)
        snprintf(text, STOW_GAP_TEXT, "%.2f%%", ceil(percent * 100) / 100);
    else
        snprintf(text, STOW_GAP_TEXT, "%.1f%%", ceil(percent * 10) / 10);
    return text;
}

/* ---- in the summary ---------------------------------------------------------------------- */

static void report_weight(struct stow_report *report, const struct stow_plan *plan)
{
    char text[STOW_MONEY_TEXT];

    if (plan->is_weighed)
        stow_report_line(report, STOW_ROLE_PLAIN, "with risk and priorities it weighs %s per hour",
                         stow_money_short(plan->weight, text));
}

/* Which plans cost no less. */
static const char *which_plans(const struct stow_plan *plan)
{
    return plan->as_many          ? " that places as many pods"
           : plan->proof.in_order ? " that keeps the order of groups"
                                  : "";
}

/* Both bounds are proven; the pattern bound is rounded down more often. */
static stow_nano bound_of(const struct stow_plan *plan)
{
    return plan->bound > plan->proof.resource_bound ? plan->bound : plan->proof.resource_bound;
}

/* Nothing is proven where groups without a price could have taken pods. */
static void report_unpriced(struct stow_report *report, const struct stow_plan *plan)
{
    STOW_AUTO(stow_unpriced_done) struct stow_unpriced list = {0};
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    char money[STOW_MONEY_TEXT];
    const char *names;

    stow_unpriced_add_groups(&list, plan->s, plan->unpriced, plan->unpriceds);
    names = stow_unpriced_text(&list, &scratch);
    report->failed |= !names;
    stow_report_line(
        report, STOW_ROLE_WARN,
        "the distance from the cheapest plan is unknown: %s could take pods, and %s no known "
        "price",
        names ? names : "", plan->unpriceds == 1 ? "has" : "have");
    if (bound_of(plan) > 0)
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "with the priced groups, no plan%s can %s less than %s", which_plans(plan),
                         plan->is_weighed ? "weigh" : "cost",
                         stow_money_short(bound_of(plan), money));
}

/* A bound on the others is not a proof of the whole. */
static void report_waiting(struct stow_report *report, const struct stow_plan *plan,
                           uint32_t waiting)
{
    char money[STOW_MONEY_TEXT];

    stow_report_line(report, STOW_ROLE_WARN,
                     "the distance from the cheapest plan is unknown: %u %s for devices "
                     "(" STOW_DEVICES_NOT_SIMULATED ")",
                     waiting, waiting == 1 ? "pod waits" : "pods wait");
    if (bound_of(plan) > 0)
        stow_report_line(report, STOW_ROLE_PLAIN, "for the other pods no plan can %s less than %s",
                         plan->is_weighed ? "weigh" : "cost",
                         stow_money_short(bound_of(plan), money));
}

/* Why it may not work is in the warnings. */
static void report_open_claims(struct stow_report *report, const struct stow_plan *plan)
{
    stow_report_line(
        report, STOW_ROLE_WARN,
        "the distance from the cheapest plan is unknown: the volumes of %u %s may be elsewhere",
        plan->open_claims, plan->open_claims == 1 ? "pod" : "pods");
}

static void report_daemons_help(struct stow_report *report)
{
    stow_report_line(report, STOW_ROLE_WARN,
                     "whether more pods could be placed is unknown: pods of DaemonSets on new "
                     "nodes count for the rules of unplaced pods");
}

/* The bound holds: with more daemons nothing gets cheaper.  But the plan may need more. */
static void report_unsure(struct stow_report *report, const struct stow_plan *plan)
{
    char money[STOW_MONEY_TEXT];

    stow_report_line(report, STOW_ROLE_WARN,
                     "the distance from the cheapest plan is unknown: DaemonSets or static pods "
                     "that are not given may take capacity of the new nodes");
    if (bound_of(plan) > 0)
        stow_report_line(report, STOW_ROLE_PLAIN, "no plan%s can %s less than %s",
                         which_plans(plan), plan->is_weighed ? "weigh" : "cost",
                         stow_money_short(bound_of(plan), money));
}

/* Why the search ended with a gap. */
static const char *why_open(const struct stow_plan *plan)
{
    if (plan->unsolved)
        return "a linear program could not be solved";
    if (plan->settled)
        return NULL;
    return plan->stopped ? "the search was stopped" : "the time limit was reached";
}

static bool is_proven(const struct stow_plan *plan)
{
    const stow_nano bound = bound_of(plan);

    return plan->weight <= bound || (bound && (double)plan->weight / (double)bound - 1 < GAP_NONE);
}

const char *stow_plan_ended(const struct stow_plan *plan)
{
    if (!plan->searched || plan->settled || (plan->has_bound && is_proven(plan)))
        return NULL;
    return plan->stopped ? "stopped" : plan->unsolved ? "unsolved" : "time-limit";
}

static void report_gap(struct stow_report *report, const struct stow_plan *plan)
{
    const char *which = which_plans(plan);
    const char *does = plan->is_weighed ? "weigh" : "cost";
    const char *why = why_open(plan);
    const stow_nano bound = bound_of(plan);
    char money[STOW_MONEY_TEXT], gap[STOW_GAP_TEXT];

    stow_money_short(bound, money);
    if (is_proven(plan))
        stow_report_line(report, STOW_ROLE_GOOD, "proven: no plan%s can %s less than %s", which,
                         does, money);
    else if (bound == 0)
        stow_report_line(report, STOW_ROLE_PLAIN, "nothing is known about the cheapest plan%s: %s",
                         which, why ? why : "the limits allow no bound");
    else
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "at most %s above the cheapest: no plan%s can %s less than %s%s%s%s%s",
                         stow_gap_text((double)plan->weight / (double)bound - 1, gap), which, does,
                         money, plan->relaxed ? ", even without " : "",
                         plan->relaxed ? plan->relaxed : "", why ? "; " : "", why ? why : "");
}

/* The bound is for what the others cost, however many there are. */
static void report_as_many(struct stow_report *report, const struct stow_plan *plan)
{
    if (plan->as_many)
        stow_report_line(report, STOW_ROLE_PLAIN, "it is not proven that no plan places more pods");
}

/* "per core", "per GiB", "each". */
static const char *unit_of(const struct stow_snapshot *s, stow_resource_id r)
{
    if (r == STOW_RESOURCE_CPU)
        return "per core";
    return stow_resource_in_bytes(s, r) ? "per GiB" : r == STOW_RESOURCE_PODS ? "per pod" : "each";
}

static void report_resources(struct stow_report *report, const struct stow_plan *plan)
{
    STOW_AUTO(stow_buf_done) struct stow_buf list = {0};
    const struct stow_snapshot *s = plan->s;
    char text[STOW_MONEY_TEXT];

    for (stow_resource_id r = 0; r < s->resources; r++)
        if (plan->proof.resource_price[r])
            stow_buf_printf(&list, "%s%s %s %s", list.len ? ", " : "",
                            r == STOW_RESOURCE_PODS ? "a place" : stow_text(s, s->resource[r]).ptr,
                            stow_money_short(plan->proof.resource_price[r], text), unit_of(s, r));
    report->failed |= list.failed;
    if (list.len && !list.failed)
        stow_report_line(report, STOW_ROLE_DIM,
                         "by hand: at %.*s no node is worth more than it costs, and the pods that "
                         "need new nodes are worth %s",
                         (int)list.len, list.ptr,
                         stow_money_short(plan->proof.resource_bound, text));
}

/* Where no gap says so. */
static void report_ended(struct stow_report *report, const struct stow_plan *plan)
{
    if (stow_plan_ended(plan))
        stow_report_line(report, STOW_ROLE_WARN, "%s: a longer search may find a cheaper plan",
                         why_open(plan));
}

/* What is known of the gap, or why nothing is. */
static void report_distance(struct stow_report *report, const struct stow_plan *plan)
{

    const uint32_t waiting = stow_devices_waiting(plan->s);

    if (plan->unpriceds)
        report_unpriced(report, plan);
    else if (waiting)
        report_waiting(report, plan, waiting);
    else if (plan->open_claims)
        report_open_claims(report, plan);
    else if (plan->as_many && plan->daemons_help)
        report_daemons_help(report);
    else if (stow_plan_is_unsure(plan))
        report_unsure(report, plan);
    else {
        report_gap(report, plan);
        return;
    }
    report_ended(report, plan);
}

void stow_report_bound(struct stow_report *report, const struct stow_plan *plan)
{
    if (!plan->has_bound) {
        report_ended(report, plan);
        return;
    }
    if (!plan->nodes && !plan->bound && !plan->unpriceds)
        return;
    report_weight(report, plan);
    report_distance(report, plan);
    report_as_many(report, plan);
}

/* ---- what one more costs ----------------------------------------------------------------- */

static const struct stow_table_column price_columns[] = {
    {.title = "WORKLOAD",
     .csv_name = "workload",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_WORKLOADS},
    {.title = "PODS", .csv_name = "pods", .align = STOW_ALIGN_RIGHT},
    {.title = "ONE MORE/H", .csv_name = "one_more_per_hour", .align = STOW_ALIGN_POINT},
    {0},
};

/* The controller of a pod, as people know it; the pod itself when it has none. */
static const char *owner_name(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    return count ? stow_text(s, owner->name).ptr : pod->name;
}

/* "shop/web", "shop/web and 2 more": pods that nothing tells apart may be of several workloads. */
static void workload_cell(struct stow_table *t, const struct stow_plan *plan,
                          const struct stow_plan_class *class)
{
    const struct stow_snapshot *s = plan->s;
    const struct stow_pod *first = &s->pod[class->pod[0]], *last = first;
    uint32_t more = 0;

    for (uint32_t i = 1; i < class->pods; i++) {
        const struct stow_pod *pod = &s->pod[class->pod[i]];

        more += !pod->owner || pod->owner != last->owner || pod->namespace != last->namespace;
        last = pod;
    }
    if (more)
        stow_table_printf(t, "%s/%s and %u more", stow_text(s, first->namespace).ptr,
                          owner_name(s, first), more);
    else
        stow_table_printf(t, "%s/%s", stow_text(s, first->namespace).ptr, owner_name(s, first));
}

/* To the nearest of four decimals: the prices of a proof are a hair below what they mean. */
static void price_cell(struct stow_table *t, stow_nano price)
{
    char shown[STOW_MONEY_TEXT], exact[STOW_MONEY_TEXT];
    const stow_nano near = price < INT64_MAX - 50000 ? price + 50000 : price;

    if (price == STOW_MONEY_UNKNOWN) {
        stow_table_both(t, "no room", "");
        return;
    }
    stow_table_both(t, stow_money_short(near - near % 100000, shown),
                    stow_money_exact(price, exact));
}

/* The most expensive first, before them what has no room; then as they come. */
static int by_price(const void *a, const void *b)
{
    const struct stow_plan_class *x = *(const struct stow_plan_class *const *)a;
    const struct stow_plan_class *y = *(const struct stow_plan_class *const *)b;

    if ((x->price == STOW_MONEY_UNKNOWN) != (y->price == STOW_MONEY_UNKNOWN))
        return x->price == STOW_MONEY_UNKNOWN ? -1 : 1;
    if (x->price != y->price)
        return x->price < y->price ? 1 : -1;
    return (x->pod[0] > y->pod[0]) - (x->pod[0] < y->pod[0]);
}

static void price_rows(struct stow_report *report, const struct stow_plan *plan,
                       const struct stow_plan_class **list, uint32_t shown)
{
    struct stow_table *t = stow_report_table(report, "What one more pod costs", price_columns);

    for (uint32_t i = 0; i < plan->proof.classes; i++)
        list[i] = &plan->proof.class[i];
    qsort((void *)list, plan->proof.classes, sizeof(void *), by_price);
    for (uint32_t i = 0; i < shown; i++) {
        stow_table_row(t);
        workload_cell(t, plan, list[i]);
        stow_table_int(t, list[i]->pods);
        price_cell(t, list[i]->price);
    }
}

static bool lacks_room(const struct stow_plan *plan)
{
    for (uint32_t i = 0; i < plan->proof.classes; i++)
        if (plan->proof.class[i].price == STOW_MONEY_UNKNOWN)
            return true;
    return false;
}

void stow_scaling_prices(struct stow_report *report, const struct stow_plan *plan, bool all)
{
    const uint32_t classes = plan->proof.classes;
    const uint32_t shown = all || classes <= CLASSES_SHOWN ? classes : CLASSES_SHOWN;
    const struct stow_plan_class **list;

    if (!plan->has_bound || !classes)
        return;
    list = calloc(classes, sizeof(void *));
    report->failed |= !list;
    if (list)
        price_rows(report, plan, list, shown);
    free((void *)list);
    if (shown < classes)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more, -o wide shows them", classes - shown);
    if (plan->proof.resource_bound > 0)
        report_resources(report, plan);
    if (lacks_room(plan))
        stow_report_line(
            report, STOW_ROLE_DIM,
            "no room: within the limits, one more pod would stay unplaced or displace another");
    stow_report_line(report, STOW_ROLE_DIM,
                     "these prices prove the bound; to check them and the plan, save it with -o "
                     "json and run stowage verify");
}

/* ---- when a group is sold out ------------------------------------------------------------ */

static const struct stow_table_column fallback_columns[] = {
    {.title = "GROUP", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_GROUPS},
    {.title = "NEXT BEST", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "THEN", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

void stow_report_fallbacks(struct stow_report *report, const struct stow_plan *plan)
{
    struct stow_table *t;

    if (!plan->fallback || !plan->groups)
        return;
    t = stow_report_table(report, "When a group is sold out", fallback_columns);
    for (uint32_t i = 0; i < plan->groups; i++) {
        const struct stow_plan_fallback *f = &plan->fallback[i];

        stow_table_row(t);
        stow_table_text(t, stow_plan_group_name(plan, plan->group[i].group));
        for (uint32_t n = 0; n < STOW_FALLBACKS; n++)
            stow_table_text(t, n < f->count ? stow_plan_group_name(plan, f->group[n]) : "-");
    }
}
