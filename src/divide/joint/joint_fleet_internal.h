/* joint_fleet_internal.h - a fleet on its way to a joint problem. */
#ifndef STOW_DIVIDE_JOINT_JOINT_FLEET_INTERNAL_H
#define STOW_DIVIDE_JOINT_JOINT_FLEET_INTERNAL_H

#include "divide/divide_internal.h"
#include "divide/joint/fleet.h"
#include "divide/joint/nodes.h"
#include "model/values/quantity.h"

#define STOW_PODS_PER_VIRTUAL_NODE 110

/* One binding on its way into the problem. */
struct stow_joint_entrant {
    const struct stow_binding *binding;
    int64_t *request;             /* by resource */
    struct stow_price_list *list; /* by cluster */
    int32_t *held;                /* by cluster */
    bool *feasible;               /* by cluster */
    int64_t *room;                /* by cluster: what a closer look says fits, -1: nothing */
    int64_t assigned;             /* replicas on feasible clusters */
    bool pinned;                  /* what is in place stays */
    bool has_requests;
};

struct stow_joint_fleet {
    struct stow_divider *divider;
    const struct stow_snapshot *s;
    const struct stow_joint_options *options;
    struct stow_joint_division *ret;
    struct stow_arena *arena;
    struct stow_division made;
    struct stow_joint_entrant *entrant;
    uint32_t entrants;
    stow_sym *resource; /* those that anybody asks for; the last is pods */
    uint32_t resources;
    struct stow_joint_row *row;
    struct stow_joint_use *use;
    struct stow_joint_site *site;
    struct stow_joint_option *option;
    struct stow_joint_share *share;
    struct stow_joint_workload *workload;
    uint32_t rows, row_cap, uses, use_cap, sites, site_cap, options_made, option_cap, shares,
        share_cap;
    uint32_t *first_site; /* per cluster; one more at the end */
    uint32_t *grade;      /* per site: its grade, or one of those below */
    uint32_t grade_cap, grades;
    struct stow_node_classes *classes; /* per cluster: of its nodes, where they are known */
    uint32_t *region;                  /* per cluster */
};

#define STOW_GRADE_ALL (STOW_JOINT_NO_MAX - 1) /* the whole cluster */
#define STOW_GRADE_PODS                                                                          \
    (STOW_JOINT_NO_MAX - 2)                     /* pods only: for those who ask for nothing else \
                                                 */
#define STOW_GRADE_HELD (STOW_JOINT_NO_MAX - 3) /* what the workloads hold */

static inline int64_t stow_joint_units(stow_sym resource, stow_i128 nano)
{
    return resource == STOW_SYM_CPU ? stow_nano_milli(nano, NULL) : stow_nano_value(nano, NULL);
}

static inline int64_t stow_joint_times(int64_t count, int64_t amount)
{
    int64_t product;

    return __builtin_mul_overflow(count, amount, &product) ? INT64_MAX / 4 : product;
}

static inline int64_t stow_joint_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline const struct stow_member *stow_joint_member(const struct stow_joint_fleet *f,
                                                          stow_cluster_id cluster)
{
    const struct stow_member *member = &f->options->costs->tariff[cluster].member;

    return member->s ? member : NULL;
}

/* fleet_sites.c: sites and rows of all clusters. */
int stow_joint_fleet_sites(struct stow_joint_fleet *f, struct stow_err *err);

#endif
