/* timings.c - where the time of a search went, and when its plan was how close. */
#include <stowage/export.h>

#include "explain/scaling/scaling_internal.h"

static const char *const names[STOW_PHASES] = {"linear programs", "finding patterns",
                                               "proving bounds",  "rounding",
                                               "local search",    "branching"};
static const char *const keys[STOW_PHASES] = {"linearPrograms", "patterns",    "bounds",
                                              "rounding",       "localSearch", "branching"};
static const double gaps[STOW_CLOSE_COUNT] = STOW_CLOSE_GAPS;

/* How many of the gaps were reached.  The search knows nothing of rules over several nodes: where
 * they make the plan more expensive than what it found, the gap of the plan is what counts. */
static uint32_t reached(const struct stow_plan *plan)
{
    uint32_t n = 0;

    while (n < STOW_CLOSE_COUNT && plan->phases.close[n] > 0 && (n == 0 || plan->gap <= gaps[n]))
        n++;
    return n;
}

/* ---- for people -------------------------------------------------------------------------- */

static void report_spent(struct stow_report *report, const struct stow_phases *p)
{
    static const struct stow_table_column columns[] = {
        {.title = "WHERE THE TIME WENT"},
        {.title = "SECONDS", .align = STOW_ALIGN_POINT},
        {0},
    };
    struct stow_table *t = stow_report_table(report, NULL, columns);

    for (uint32_t i = 0; i < STOW_PHASES; i++) {
        stow_table_row(t);
        stow_table_text(t, names[i]);
        stow_table_printf(t, "%.2f", p->spent[i]);
    }
}

static void report_close(struct stow_report *report, const struct stow_plan *plan)
{
    static const struct stow_table_column columns[] = {
        {.title = "HOW CLOSE"},
        {.title = "AFTER SECONDS", .align = STOW_ALIGN_POINT},
        {0},
    };
    struct stow_table *t = stow_report_table(report, NULL, columns);

    for (uint32_t i = 0; i < reached(plan); i++) {
        stow_table_row(t);
        if (i == 0)
            stow_table_text(t, "a plan");
        else
            stow_table_printf(t, "gap %g%%", 100 * gaps[i]);
        stow_table_printf(t, "%.2f", plan->phases.close[i]);
    }
}

void stow_scaling_timings(struct stow_report *report, const struct stow_plan *plan)
{
    if (!plan->has_bound)
        return;
    report_spent(report, &plan->phases);
    report_close(report, plan);
}

/* ---- as data ----------------------------------------------------------------------------- */

struct stow_value *stow_scaling_timings_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *v = stow_doc_object(doc);
    struct stow_value *spent = stow_doc_object(doc), *close = stow_doc_array(doc);

    stow_value_set(doc, v, "milliseconds", stow_doc_real(doc, plan->milliseconds));
    for (uint32_t i = 0; i < STOW_PHASES; i++)
        stow_value_set(doc, spent, keys[i], stow_doc_real(doc, plan->phases.spent[i]));
    for (uint32_t i = 0; i < reached(plan); i++) {
        struct stow_value *point = stow_doc_object(doc);

        if (i)
            stow_value_set(doc, point, "gap", stow_doc_real(doc, gaps[i]));
        stow_value_set(doc, point, "seconds", stow_doc_real(doc, plan->phases.close[i]));
        stow_value_push(doc, close, point);
    }
    stow_value_set(doc, v, "secondsOf", spent);
    stow_value_set(doc, v, "reached", close);
    return v;
}
