/* division_internal.h - what divisions are shown with, shared by their text and their data. */
#ifndef STOW_EXPLAIN_DIVISION_DIVISION_INTERNAL_H
#define STOW_EXPLAIN_DIVISION_DIVISION_INTERNAL_H

#include "explain/division/division.h"

/* By which of its rules CostOptimized went. */
const char *stow_division_rules(const struct stow_fleet_answer *a,
                                const struct stow_fleet_workload *w);

/* The strategy, with the rules where they are not the usual ones. */
const char *stow_division_strategy_text(const struct stow_fleet_answer *a,
                                        const struct stow_fleet_workload *w);

/* Why Karmada decides; "nothing changed" when it does not. */
const char *stow_trigger_text(const struct stow_fleet_workload *w);

/* Why a cluster has replicas, or none. */
void stow_division_why(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                       stow_cluster_id cluster, struct stow_buf *out);

/* Names of what is rejected, as Karmada words them, without "cluster(s)". */
void stow_division_rejects(const struct stow_fleet_answer *a, const struct stow_divide_cluster *c,
                           enum stow_reject reject, struct stow_buf *out);

/* "region", ...; of a label the label itself. */
const char *stow_spread_text(const struct stow_snapshot *s, const struct stow_spread_constraint *c);

/* What a constraint costs per hour; STOW_MONEY_UNKNOWN where that cannot be said. */
stow_nano stow_spread_cost(const struct stow_spread_cost *spread);

/* A cost with its currency; replicas that are not in it are counted beside it. */
struct stow_value *stow_division_cost_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                            const struct stow_money_sum *cost);

struct stow_value *stow_division_workload_text(struct stow_doc *doc, const struct stow_snapshot *s,
                                               const struct stow_binding *binding);

/* explain.c */
struct stow_value *stow_division_explanation(struct stow_doc *doc,
                                             const struct stow_fleet_answer *a,
                                             const struct stow_fleet_workload *w);

/* joint.c: what a division of all together adds. */
void stow_joint_value(struct stow_doc *doc, struct stow_value *to,
                      const struct stow_fleet_answer *a);
void stow_joint_report(struct stow_report *report, const struct stow_fleet_answer *a);

/* Scarce capacity, and what more of it would save. */
struct stow_value *stow_scarce_value(struct stow_doc *doc, const struct stow_fleet_answer *a);
void stow_scarce_report(struct stow_report *report, const struct stow_fleet_answer *a, bool wide);

#endif
