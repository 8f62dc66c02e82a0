/* placement_internal.h - what an explanation is made of, shared by its text and its data. */
#ifndef STOW_EXPLAIN_PLACEMENT_PLACEMENT_INTERNAL_H
#define STOW_EXPLAIN_PLACEMENT_PLACEMENT_INTERNAL_H

#include "explain/placement/placement.h"

/* One reason of one node that was dropped. */
struct stow_dropped {
    stow_node_id node;
    uint32_t group; /* of struct stow_why */
    struct stow_reason reason;
};

/* All nodes that were dropped for the same reason. */
struct stow_drop_group {
    const char *text;
    int32_t filter; /* of the profile; < 0: outside the names that the pod is pinned to */
    uint32_t nodes;
    const struct stow_dropped *dropped; /* nearest to fitting first; then by detail and name */
};

/* A pod judged at its turn.  Zeroed is valid and empty. */
struct stow_why {
    const struct stow_state *state;
    const struct stow_profile *profile;
    struct stow_subject pod;
    struct stow_judgement judgement;
    stow_node_id *candidate; /* best first */
    uint32_t candidates;
    struct stow_dropped *dropped;
    uint32_t dropped_count, dropped_cap;
    struct stow_drop_group *group; /* most nodes first */
    uint32_t groups, group_cap;
};

int stow_why_make(const struct stow_state *state, const struct stow_decision *decision,
                  struct stow_why *ret, struct stow_err *err);
void stow_why_done(struct stow_why *why);

/* The dropped nodes by reason: a table, and data. */
void stow_report_dropped(struct stow_report *report, const struct stow_why *why,
                         const char *heading, bool wide);
struct stow_value *stow_why_dropped(struct stow_doc *doc, const struct stow_why *why);

/* One part of a scorer's points for one node, as the scorer explains itself. */
struct stow_score_part {
    const char *name, *flag;
    double value, weight;
};

#define STOW_SCORE_PARTS 32

struct stow_score_parts {
    struct stow_score_part part[STOW_SCORE_PARTS];
    uint32_t count;
    const char *mode; /* how the scorer computes, where it has several ways */
};

/* Empty for a scorer that has no parts. */
void stow_why_parts(const struct stow_why *why, uint32_t scorer, stow_node_id node,
                    struct stow_score_parts *ret);

/* The rule that dropped a node, by its name in a profile. */
const char *stow_drop_filter(const struct stow_profile *profile, int32_t filter);

/* Points for the eye: four decimals, six of small ones, nine when there would be nothing left; none
 * that say nothing, never "-0". */
#define STOW_POINTS_TEXT 336 /* the largest double has 309 digits before the point */
const char *stow_points_text(double points, char text[STOW_POINTS_TEXT]);

/* The same in a table; a machine gets all nine decimals that are compared. */
void stow_points_cell(struct stow_table *table, double points);

/* Why a pod has no node, as data: an entry per reason. */
struct stow_value *stow_decision_reasons(struct stow_doc *doc, const struct stow_snapshot *s,
                                         const struct stow_decision *d);

/* Why a pod was not tried at all; NULL when it was. */
const char *stow_not_tried(const struct stow_decision *decision);

#endif
