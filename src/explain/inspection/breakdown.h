/* breakdown.h - the bill by namespace, owner, label, group or zone, as data and as a table. */
#ifndef STOW_EXPLAIN_INSPECTION_BREAKDOWN_H
#define STOW_EXPLAIN_INSPECTION_BREAKDOWN_H

#include "explain/render/table.h"
#include "explain/render/value.h"
#include "price/bill/breakdown.h"

/* The value of `breakdown` in an Inspection. */
struct stow_value *stow_breakdown_value(struct stow_doc *doc, const struct stow_breakdown *b,
                                        const struct stow_breakdown_options *options);

/* One table; in the CSV, what is in no row has rows of its own. */
void stow_breakdown_report(struct stow_report *report, const struct stow_breakdown *b,
                           const struct stow_breakdown_options *options);

#endif
