/* karmada.h - fleets of cases, as the product itself would load them.
 *
 * Groups about one step of a decision describe clusters in short objects ({name,
 * score, allocatable_replicas}) or by name alone.  Such a case is a stage: the
 * clusters and a binding are written out and loaded, and a decision is set up at the
 * step in question, with the numbers of the case in place of those that the steps
 * before would have found. */
#ifndef TESTS_CONFORMANCE_KARMADA_H
#define TESTS_CONFORMANCE_KARMADA_H

#include "divide/divide.h"
#include "divide/strategy.h"
#include "tests/conformance/conformance.h"

struct stow_conf_fleet {
    struct stow_snapshot *s;
    struct stow_divider *divider;
    struct stow_division made;
};

/* Documents separated by commas, as one List. */
int stow_conf_fleet_open(struct stow_conf_fleet *fleet, struct stow_str documents,
                         struct stow_err *err);
void stow_conf_fleet_done(struct stow_conf_fleet *fleet);

/* A ResourceBinding of a Deployment; `spec` is an object, its braces included. */
void stow_conf_write_binding(struct stow_buf *out, struct stow_str spec, struct stow_str status);

struct stow_conf_stage {
    struct stow_conf_fleet fleet;
    struct stow_divide_options options;
    struct stow_binding_decision d;
    struct stow_buf clusters; /* documents, while they are written */
    struct stow_buf spec;
};

/* Clusters of a list: names, or objects with name, labels, provider, region, zones.  Those that
 * stand several times are written once by the caller. */
void stow_conf_stage_clusters(struct stow_conf_stage *stage, struct stow_view list);

/* Loads what was written with a binding of stage->spec; `status` may be empty.  The clusters of
 * `list` become feasible and selected, in its order, with score, allocatable and available. */
int stow_conf_stage_open(struct stow_conf_stage *stage, struct stow_str status,
                         struct stow_err *err);
int stow_conf_stage_cast(struct stow_conf_stage *stage, struct stow_view list, uint32_t tier,
                         struct stow_err *err);
/* The affinity term that a decision starts with; NULL: the placement has none. */
const struct stow_cluster_term *stow_conf_stage_term(const struct stow_conf_stage *stage);
void stow_conf_stage_done(struct stow_conf_stage *stage);

/* "placement":{...} for the name of a strategy; `weights` a staticWeightList, absent: none. */
void stow_conf_write_placement(struct stow_buf *out, struct stow_view strategy,
                               struct stow_view weights, const char *terms);

/* ,"name":value as it stands in the case; nothing when it is absent or null. */
void stow_conf_write_member(struct stow_buf *out, const char *name, struct stow_view value);

/* Spread constraints as the API has them: a list.  Cases also have one object, or an object with a
 * member per field: {"region": {"minGroups": 1}, "cluster": {"maxGroups": 2}}. */
void stow_conf_write_constraint(struct stow_buf *out, const char *field, struct stow_view limits);
void stow_conf_write_spread(struct stow_buf *out, struct stow_view list);
void stow_conf_write_given_placement(struct stow_buf *out, struct stow_view placement);

/* Targets against [{name, replicas}]: every entry must be there with its replicas, and no other;
 * entries with 0 only count when `zeros`. */
void stow_conf_same_targets(struct stow_conf_case *c, const struct stow_snapshot *s,
                            const char *what, struct stow_view expected,
                            const struct stow_target *target, uint32_t count, bool zeros);

/* What the stage's decision has given out. */
void stow_conf_same_given(struct stow_conf_case *c, const struct stow_conf_stage *stage,
                          struct stow_view expected, bool zeros);

/* Clusters against a list of names. */
void stow_conf_same_clusters(struct stow_conf_case *c, const struct stow_snapshot *s,
                             const char *what, struct stow_view expected,
                             const stow_cluster_id *cluster, uint32_t count, bool ordered);

#endif
