/* placement.h - where pods go and why, as data and as tables. */
#ifndef STOW_EXPLAIN_PLACEMENT_PLACEMENT_H
#define STOW_EXPLAIN_PLACEMENT_PLACEMENT_H

#include "explain/render/table.h"
#include "explain/render/value.h"
#include "place/how_many.h"
#include "place/place.h"

/* `kind: Placement` with every decision. */
struct stow_value *stow_placement_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                        const struct stow_placement *placement);

/* The decisions as a table; below it, pods without a node with their reasons, equal ones together.
 * `full`: the reasons stand beside each pod, and only there. */
void stow_placement_report(struct stow_report *report, const struct stow_snapshot *s,
                           const struct stow_node_money *money,
                           const struct stow_placement *placement, bool full);

/* Why a pod goes where it goes: judged at its turn, before it is placed.  Readable on one screen
 * whatever the number of nodes; `wide`: with every candidate. */
int stow_placement_explain(struct stow_report *report, const struct stow_state *state,
                           const struct stow_decision *decision, bool wide, struct stow_err *err);

/* The same as data: every candidate with its components, every reason with its nodes. */
int stow_placement_explain_value(struct stow_doc *doc, struct stow_value *array,
                                 const struct stow_state *state,
                                 const struct stow_decision *decision, struct stow_err *err);

/* How many more pods fit, the nodes that take them (only the first unless `all`), and why no node
 * takes the next one. */
int stow_placement_how_many(struct stow_report *report, const struct stow_how_many *answer,
                            bool all, struct stow_err *err);

/* `kind: HowMany`; `after_pending`: with what became of the pending pods. */
int stow_placement_how_many_value(struct stow_doc *doc, const struct stow_how_many *answer,
                                  bool after_pending, struct stow_value **ret,
                                  struct stow_err *err);

/* ---- profiles side by side --------------------------------------------------------------- */

struct stow_placement_row {
    const char *profile;
    struct stow_placement placement;
    struct stow_sum used; /* nodes that run more than daemons, once the pods are placed */
};

/* Rows are of the same snapshot, at least one; the others are compared with the first. */
struct stow_placement_comparison {
    const struct stow_snapshot *s;
    struct stow_str currency;
    struct stow_placement_row *row;
    uint32_t rows;
};

/* What the nodes in use cost, and what of that is not requested. */
int stow_placement_used(const struct stow_state *state, const struct stow_bill *bill,
                        const struct stow_books *books, struct stow_sum *ret, struct stow_err *err);

/* The rows, and pod by pod what differs: only the first of them unless `wide`. */
void stow_placement_compared(struct stow_report *report, const struct stow_placement_comparison *c,
                             bool wide);

/* `kind: PlacementComparison`, with all that differs. */
struct stow_value *stow_placement_compared_value(struct stow_doc *doc,
                                                 const struct stow_placement_comparison *c);

#endif
