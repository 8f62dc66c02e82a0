/* inspection.h - what is in a cluster and what it costs, as data and as tables. */
#ifndef STOW_EXPLAIN_INSPECTION_INSPECTION_H
#define STOW_EXPLAIN_INSPECTION_INSPECTION_H

#include "explain/render/table.h"
#include "explain/render/value.h"
#include "price/bill/bill.h"

/* `kind: Inspection`, everything. */
struct stow_value *stow_inspection_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                         const struct stow_bill *bill);

/* "2 nodes have no known price and 1 node that pods run on is not in the input": what makes the
 * bill a lower limit. */
void stow_buf_unbilled(struct stow_buf *out, const struct stow_bill *bill);

/* The bill in a few lines. */
void stow_inspection_summary(struct stow_report *report, const struct stow_snapshot *s,
                             const struct stow_bill *bill);

/* Tables for people; of the nodes the `most` worst (0: all). */
void stow_inspection_report(struct stow_report *report, const struct stow_snapshot *s,
                            const struct stow_bill *bill, uint32_t most);

/* All nodes as one table, for CSV. */
void stow_inspection_nodes(struct stow_report *report, const struct stow_snapshot *s,
                           const struct stow_bill *bill);

#endif
