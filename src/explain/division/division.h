/* division.h - how many replicas each cluster gets and what that costs, as data and as tables. */
#ifndef STOW_EXPLAIN_DIVISION_DIVISION_H
#define STOW_EXPLAIN_DIVISION_DIVISION_H

#include "divide/answer/answer.h"
#include "explain/render/table.h"
#include "explain/render/value.h"

/* `kind: Division`.  `explain`: with what every cluster was thought of; the answer has kept it. */
struct stow_value *stow_division_value(struct stow_doc *doc, const struct stow_fleet_answer *answer,
                                       bool explain);

/* What it costs, where the replicas go, and what is left with its reason.  The CSV has a row per
 * workload and cluster. */
void stow_division_report(struct stow_report *report, const struct stow_fleet_answer *answer);

/* Per workload: every cluster with its room, price and score and why it was chosen or not, regions,
 * and what spread constraints cost.  Long tables are cut unless `wide`.  The CSV has a row per
 * workload and cluster. */
void stow_division_explain(struct stow_report *report, const struct stow_fleet_answer *answer,
                           bool wide);
void stow_division_explain_csv(struct stow_report *report, const struct stow_fleet_answer *answer);

/* The same fleet divided in several ways, in the order given. */
struct stow_division_way {
    const char *name;
    struct stow_fleet_answer answer;
};

void stow_division_comparison(struct stow_report *report, const struct stow_division_way *way,
                              uint32_t ways);

/* `kind: DivisionComparison`. */
struct stow_value *stow_division_comparison_value(struct stow_doc *doc,
                                                  const struct stow_division_way *way,
                                                  uint32_t ways);

#endif
