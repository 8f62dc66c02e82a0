/* divide_internal.h - the steps of a decision. */
#ifndef STOW_DIVIDE_DIVIDE_INTERNAL_H
#define STOW_DIVIDE_DIVIDE_INTERNAL_H

#include "divide/karmada/capacity.h"
#include "divide/strategy.h"

struct stow_divider {
    const struct stow_snapshot *s;
    struct stow_capacity capacity;
    stow_cluster_id *by_symbol; /* cluster id + 1 by the handle of its name, 0: none */
};

/* trigger.c: whether and why Karmada would schedule the binding. */
enum stow_divide_trigger stow_divide_trigger(const struct stow_snapshot *s,
                                             const struct stow_binding *b, bool components);

/* Step 2 of it: the count changed. */
bool stow_binding_replicas_changed(const struct stow_snapshot *s, const struct stow_binding *b,
                                   bool components);

bool stow_binding_is_workload(const struct stow_binding *b);
bool stow_binding_is_fresh(const struct stow_binding *b);

/* Which affinity term is tried first. */
uint32_t stow_affinity_start(const struct stow_cluster_term *term, uint32_t count,
                             stow_sym observed);

/* filter.c: d->cluster[].rejected and so on, d->order in no order. */
void stow_divide_filter(struct stow_binding_decision *d);

/* cluster[].overflow by d->term. */
void stow_divide_tiers(struct stow_binding_decision *d);

/* The message of a FitError. */
int stow_divide_fit_error(struct stow_binding_decision *d, struct stow_err *err);

/* What a placement asks for. */
enum stow_division_strategy stow_division_strategy_of(const struct stow_propagation *p);

/* select.c: scores, what is available, and the global order; needs allocatable. */
void stow_divide_score(struct stow_binding_decision *d);

/* For qsort_r of cluster ids, with the list of clusters: by overflow tier, score, room, name. */
int stow_divide_compare(const void *a, const void *b, void *clusters);
void stow_divide_sort(struct stow_binding_decision *d);

/* d->division->groups. */
int stow_divide_count_groups(struct stow_binding_decision *d, struct stow_err *err);

/* The score of a region: its clusters in global order. */
int64_t stow_group_score(const struct stow_binding_decision *d, const stow_cluster_id *cluster,
                         uint32_t count, int64_t group_min, int64_t cluster_min);

/* Clusters by region: those of region r are member[first[r]] to member[first[r + 1] - 1]. */
struct stow_regions {
    struct stow_divide_region *region; /* in order of names */
    uint32_t count;
    stow_cluster_id *member; /* in global order within a region */
    uint32_t *first;
};

/* Groups the feasible clusters; < 0 when out of memory. */
int stow_regions_build(struct stow_binding_decision *d, struct stow_regions *ret);

/* Selects by regions that have their scores. */
int stow_regions_select(struct stow_binding_decision *d, const struct stow_regions *r,
                        struct stow_err *err);

/* Fewer clusters than the constraint asks for; too little room on as many as it allows. */
#define STOW_TOO_FEW    (-100)
#define STOW_TOO_LITTLE (-101)

/* Clusters of `count` in global order that the cluster constraint keeps; moved to the front.
 * Returns how many, or one of the above; `need` < 0: room does not matter. */
int64_t stow_select_clusters(struct stow_binding_decision *d, stow_cluster_id *cluster,
                             uint32_t count, const struct stow_spread_constraint *constraint,
                             int64_t need);

/* Whether the object goes to all selected clusters and is not divided. */
bool stow_divide_everywhere(const struct stow_binding_decision *d);

/* d->division->target from what was given. */
int stow_divide_write_targets(struct stow_binding_decision *d, struct stow_err *err);

/* assign.c: from the selected clusters to replicas, tiers included. */
int stow_divide_assign(struct stow_binding_decision *d, struct stow_err *err);

#endif
