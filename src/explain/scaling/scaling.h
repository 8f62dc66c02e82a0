/* scaling.h - what to buy and why, as data and as tables. */
#ifndef STOW_EXPLAIN_SCALING_SCALING_H
#define STOW_EXPLAIN_SCALING_SCALING_H

#include "explain/render/table.h"
#include "explain/render/value.h"
#include "scale/plan.h"

/* `kind: ScalePlan`; with `rounds` when the plan has kept them.  `with_proof`: with all that proves
 * the bound, if there is one; that is long for many pods. */
struct stow_value *stow_scaling_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      bool with_proof);

/* Why the search ended before the plan was proven to be the cheapest: "time-limit", "stopped" or
 * "unsolved"; NULL: it did not. */
const char *stow_plan_ended(const struct stow_plan *plan);

/* What to buy, which pods go to nodes that are there, and what is left with its reasons.
 * `wide`: with every new node.  The CSV has a row per group that grows. */
void stow_scaling_report(struct stow_report *report, const struct stow_plan *plan, bool wide);

/* Why pods are left: what each group says, the filter, and how much is missing. */
void stow_scaling_left(struct stow_report *report, const struct stow_plan *plan);

/* How the plan came about, round by round: the options with the numbers they were compared by, the
 * winner, and why the runner-up lost.  Long tables and many rounds are cut unless `wide`. */
void stow_scaling_rounds(struct stow_report *report, const struct stow_plan *plan, bool wide);

/* What one more pod of each workload costs, by the proof of an optimal plan; nothing for others.
 * Only the most expensive unless `all`. */
void stow_scaling_prices(struct stow_report *report, const struct stow_plan *plan, bool all);

/* The same for spreadsheets: one table, a row per round and option; of an optimal plan, the prices
 * of pods. */
void stow_scaling_rounds_csv(struct stow_report *report, const struct stow_plan *plan);

/* Strategies side by side, in the order given.  `timings`: with the time that deciding took, which
 * is not part of the answer: it differs from run to run. */
void stow_scaling_comparison(struct stow_report *report, const struct stow_plan *plan,
                             uint32_t plans, bool timings);

/* `kind: ScaleComparison`. */
struct stow_value *stow_scaling_comparison_value(struct stow_doc *doc, const struct stow_plan *plan,
                                                 uint32_t plans, bool timings);

/* Where the time of an optimal plan went, and when it was how close; nothing for others. */
void stow_scaling_timings(struct stow_report *report, const struct stow_plan *plan);
struct stow_value *stow_scaling_timings_value(struct stow_doc *doc, const struct stow_plan *plan);

/* The plan as a ScalingAdvice of scaling-advisor.  An error (STOW_EINVAL) unless all groups of the
 * plan are from one ScalingConstraint. */
int stow_scaling_advice_value(struct stow_doc *doc, const struct stow_plan *plan,
                              struct stow_value **ret, struct stow_err *err);

#endif
