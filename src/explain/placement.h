/* placement.h - where pods go and why, as data and as tables. */
#ifndef STOW_EXPLAIN_PLACEMENT_H
#define STOW_EXPLAIN_PLACEMENT_H

#include "explain/table.h"
#include "explain/value.h"
#include "place/place.h"

/* `kind: Placement` with every decision. */
struct stow_value *stow_placement_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                        const struct stow_placement *placement);

/* The decisions as a table, those without a node with their reasons. */
void stow_placement_report(struct stow_report *report, const struct stow_snapshot *s,
                           const struct stow_node_money *money,
                           const struct stow_placement *placement);

/* Why a pod goes where it goes: judged at its turn, before it is placed.  Readable on one screen
 * whatever the number of nodes. */
int stow_placement_explain(struct stow_report *report, const struct stow_state *state,
                           const struct stow_decision *decision, struct stow_err *err);

/* The same as data: every candidate with its components, every reason with its nodes. */
int stow_placement_explain_value(struct stow_doc *doc, struct stow_value *array,
                                 const struct stow_state *state,
                                 const struct stow_decision *decision, struct stow_err *err);

#endif
