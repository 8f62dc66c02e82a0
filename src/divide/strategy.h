/* strategy.h - how a strategy plugs into a decision.
 *
 * A strategy is a constant with two functions.  `select` takes the feasible
 * clusters (d->order) and fills d->selected; NULL is Karmada's own select step.
 * `assign` shares d->replicas out over the selected clusters.  Both return < 0 on
 * failure of the call, STOW_DECISION_FAILED with d->outcome and d->message set
 * when there is no answer, else 0.
 *
 * To add one: a file with the constant, its line below and in strategy.c. */
#ifndef STOW_DIVIDE_STRATEGY_H
#define STOW_DIVIDE_STRATEGY_H

#include "divide/divide.h"
#include "divide/karmada/webster.h"

#define STOW_DECISION_FAILED 1

/* A decision under way: one binding, one affinity term. */
struct stow_binding_decision {
    const struct stow_divider *divider;
    const struct stow_snapshot *s;
    const struct stow_binding *binding;
    const struct stow_propagation *placement;
    const struct stow_divide_options *options;
    uint32_t karmada;                     /* 15 to 18 */
    const struct stow_cluster_term *term; /* being tried; NULL: clusterAffinity, or none */
    enum stow_division_strategy strategy;
    bool fresh;
    enum stow_webster_tie tie; /* of the dispenser, from the workload's UID */
    int32_t replicas;          /* to be divided */

    struct stow_divide_cluster *cluster; /* by cluster id */
    stow_cluster_id *order;              /* feasible, best first */
    uint32_t orders;
    stow_cluster_id *selected; /* room for all clusters */
    uint32_t selections;
    bool *candidate; /* by cluster id: among `selected`; for `assign` */
    struct stow_divide_region *region;
    uint32_t regions;

    /* The answer is in cluster[].replicas (-1: nothing given).  Clusters that are gone: */
    struct stow_target *lost; /* room for all previous targets */
    uint32_t losts;

    enum stow_divide_outcome outcome; /* when STOW_DECISION_FAILED is returned */
    const char *message;              /* in `arena` */
    const char *select_error;
    int64_t available_sum;
    struct stow_division *division; /* for warnings */
    struct stow_arena *arena;
};

struct stow_divide_strategy {
    const char *name;
    bool keeps_capacity; /* never more than fits; else clusters beyond it are warned about */
    int (*select)(struct stow_binding_decision *d, struct stow_err *err);
    int (*assign)(struct stow_binding_decision *d, struct stow_err *err);
};

extern const struct stow_divide_strategy stow_divide_duplicated;
extern const struct stow_divide_strategy stow_divide_static_weight;
extern const struct stow_divide_strategy stow_divide_dynamic_weight;
extern const struct stow_divide_strategy stow_divide_aggregated;
extern const struct stow_divide_strategy stow_divide_cost_optimized;

/* The constant of a strategy; NULL: not supported. */
const struct stow_divide_strategy *stow_divide_strategy(enum stow_division_strategy strategy);

/* Karmada's select step. */
int stow_divide_select(struct stow_binding_decision *d, struct stow_err *err);

/* ---- for strategies ---------------------------------------------------------------------- */

/* Writes d->outcome and d->message; returns STOW_DECISION_FAILED, or < 0 when out of memory. */
int stow_decision_fail(struct stow_binding_decision *d, struct stow_err *err,
                       enum stow_divide_outcome outcome, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A line for the user. */
int stow_decision_warn(struct stow_binding_decision *d, struct stow_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Replicas for a cluster, added to what it was given before.  0 names it, too: entries with 0 are
 * dropped at the end, unless options.keep_empty. */
void stow_decision_give(struct stow_binding_decision *d, stow_sym cluster, int32_t replicas);

/* The cluster of a name, STOW_NONE: gone. */
stow_cluster_id stow_decision_cluster(const struct stow_binding_decision *d, stow_sym name);

/* Marks with ret[cluster id] the clusters that an affinity takes. */
void stow_decision_matches(const struct stow_binding_decision *d,
                           const struct stow_cluster_affinity *a, bool *ret);

/* The constraint on a field, or NULL. */
const struct stow_spread_constraint *stow_decision_spread(const struct stow_binding_decision *d,
                                                          enum stow_spread_field field);

#endif
