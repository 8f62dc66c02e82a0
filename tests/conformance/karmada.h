/* karmada.h - fleets of cases, as the product itself would load them. */
#ifndef TESTS_CONFORMANCE_KARMADA_H
#define TESTS_CONFORMANCE_KARMADA_H

#include "divide/divide.h"
#include "tests/conformance/conformance.h"

/* Documents separated by commas as one List. */
struct stow_conf_fleet {
    struct stow_snapshot *s;
    struct stow_divider *divider;
    struct stow_division made;
};

int stow_conf_fleet_open(struct stow_conf_fleet *fleet, struct stow_str documents,
                         struct stow_err *err);
void stow_conf_fleet_done(struct stow_conf_fleet *fleet);

/* A ResourceBinding of a Deployment with spec and status as the case has them (JSON; absent: {}).
 */
void stow_conf_write_binding(struct stow_buf *out, struct stow_str spec, struct stow_str status);

/* A Cluster with only a name and what a Deployment wants of it. */
void stow_conf_write_cluster(struct stow_buf *out, struct stow_view name, struct stow_str rest);

/* Targets against [{name, replicas}]: every expected entry that has replicas must be there, and no
 * other; entries with 0 are compared only when `zeros`. */
void stow_conf_same_targets(struct stow_conf_case *c, const struct stow_snapshot *s,
                            const char *what, struct stow_view expected,
                            const struct stow_target *target, uint32_t count, bool zeros);

/* The clusters that a decision selected, as texts, against a list of names. */
void stow_conf_same_clusters(struct stow_conf_case *c, const struct stow_snapshot *s,
                             const char *what, struct stow_view expected,
                             const stow_cluster_id *cluster, uint32_t count, bool ordered);

#endif
