/* consolidation.h - which nodes go and what that saves, as data and as tables. */
#ifndef STOW_EXPLAIN_CONSOLIDATION_CONSOLIDATION_H
#define STOW_EXPLAIN_CONSOLIDATION_CONSOLIDATION_H

#include "consolidate/consolidate.h"
#include "explain/render/table.h"
#include "explain/render/value.h"

/* Why the search ended before nothing was left to find: "time-limit" or "stopped"; NULL: it did
 * not. */
const char *stow_consolidation_ended(const struct stow_consolidation *answer);

/* `kind: Consolidation`. */
struct stow_value *stow_consolidation_value(struct stow_doc *doc,
                                            const struct stow_consolidation *answer);

/* Before and after, the steps, and what stays by reason.  `wide`: with every move; `wide` or
 * `each`: with every node that stays.  The CSV has a row for each thing that a step does. */
void stow_consolidation_report(struct stow_report *report, const struct stow_consolidation *answer,
                               bool wide, bool each);
void stow_consolidation_csv(struct stow_report *report, const struct stow_consolidation *answer);

/* What can be saved with how many moves; also as CSV. */
void stow_frontier_report(struct stow_report *report, const struct stow_consolidation *answer);

#endif
