/* consolidation_internal.h - what the files that explain consolidations share. */
#ifndef STOW_EXPLAIN_CONSOLIDATION_CONSOLIDATION_INTERNAL_H
#define STOW_EXPLAIN_CONSOLIDATION_CONSOLIDATION_INTERNAL_H

#include "explain/consolidation/consolidation.h"

/* All that keeps a node, as data. */
struct stow_value *stow_kept_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                   const struct stow_kept_node *kept);

/* The same as a table, of the nodes for which it is asked; false: it is asked for none. */
bool stow_kept_report(struct stow_report *report, const struct stow_consolidation *a);

/* What steps are held to, and the plan without that; plans that move fewer pods: both where there
 * are any. */
void stow_limits_set(struct stow_doc *doc, struct stow_value *to,
                     const struct stow_consolidation *a);
void stow_frontier_set(struct stow_doc *doc, struct stow_value *to,
                       const struct stow_consolidation *a);

/* The limits in a line, with what they cost. */
void stow_limits_report(struct stow_report *report, const struct stow_consolidation *a);

/* Whether more could be saved without them. */
bool stow_limits_cost(const struct stow_consolidation *a);

#endif
