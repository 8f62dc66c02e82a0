/* fleet_sites.c - the room of a fleet: sites and rows.
 *
 * A cluster that is known by its summary is one site with a row per resource.  One
 * with a resource model has a site per grade, and what fits a node of the grade limits
 * every workload there; all share the cluster's row of pods.  One whose nodes are known has a
 * site per class of nodes.  What the workloads hold in such a cluster is on unknown
 * nodes: it is a site of its own, free for all of them when they leave.
 *
 * Rows are as large as what is free and what the workloads of the problem hold; where more is taken
 * than there is, what must stay is still allowed to stay. */
#include <stdlib.h>

#include "base/vec.h"
#include "divide/joint/joint_fleet_internal.h"
#include "model/build.h"
#include "model/pods/requests.h"

/* A row of a cluster; returns its number. */
static uint32_t add_row(struct stow_joint_fleet *f, stow_cluster_id cluster, uint32_t resource,
                        int64_t free)
{
    struct stow_joint_row *row = STOW_PUSH(&f->row, &f->rows, &f->row_cap);

    if (!row)
        return STOW_NONE;
    *row = (struct stow_joint_row){free, cluster, resource};
    return f->rows - 1;
}

static int add_use(struct stow_joint_fleet *f, uint32_t row, uint32_t resource)
{
    struct stow_joint_use *use =
        row == STOW_NONE ? NULL : STOW_PUSH(&f->use, &f->uses, &f->use_cap);

    if (!use)
        return STOW_ENOMEM;
    *use = (struct stow_joint_use){row, resource};
    f->site[f->sites - 1].uses++;
    return STOW_OK;
}

static int open_site(struct stow_joint_fleet *f, stow_cluster_id cluster, uint32_t grade)
{
    struct stow_joint_site *site = STOW_PUSH(&f->site, &f->sites, &f->site_cap);
    uint32_t *kept = STOW_PUSH(&f->grade, &f->grades, &f->grade_cap);

    if (!site || !kept)
        return STOW_ENOMEM;
    *site = (struct stow_joint_site){cluster, f->uses, 0};
    *kept = grade;
    return STOW_OK;
}

/* What the workloads hold of a resource in a cluster. */
static int64_t held_of(const struct stow_joint_fleet *f, stow_cluster_id cluster, uint32_t resource)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < f->entrants; i++)
        sum += f->entrant[i].held[cluster] * f->entrant[i].request[resource];
    return sum;
}

static int64_t pinned_of(const struct stow_joint_fleet *f, stow_cluster_id cluster,
                         uint32_t resource)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < f->entrants; i++)
        if (f->entrant[i].pinned && f->entrant[i].feasible[cluster])
            sum += f->entrant[i].held[cluster] * f->entrant[i].request[resource];
    return sum;
}

static int64_t free_of(const struct stow_joint_fleet *f, stow_cluster_id cluster, uint32_t resource)
{
    const struct stow_capacity *capacity = &f->divider->capacity;

    for (uint32_t i = 0; i < capacity->resources; i++)
        if (capacity->resource[i] == f->resource[resource]) {
            int64_t free = capacity->free[(size_t)i * f->s->clusters + cluster];

            return free == INT64_MIN ? 0 : free;
        }
    return 0;
}

static uint32_t add_pods_row(struct stow_joint_fleet *f, stow_cluster_id cluster)
{
    uint32_t pods = f->resources - 1;

    return add_row(f, cluster, pods,
                   stow_joint_larger(f->divider->capacity.pods[cluster] + held_of(f, cluster, pods),
                                     pinned_of(f, cluster, pods)));
}

static int add_whole(struct stow_joint_fleet *f, stow_cluster_id cluster)
{
    if (open_site(f, cluster, STOW_GRADE_ALL) < 0)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r + 1 < f->resources; r++) {
        int64_t free = stow_joint_larger(free_of(f, cluster, r) + held_of(f, cluster, r),
                                         pinned_of(f, cluster, r));

        if (add_use(f, add_row(f, cluster, r, free), r) < 0)
            return STOW_ENOMEM;
    }
    return add_use(f, add_pods_row(f, cluster), f->resources - 1);
}

static int add_grade(struct stow_joint_fleet *f, stow_cluster_id cluster,
                     const struct stow_grade *grade, uint32_t number, int64_t count)
{
    uint32_t amounts;
    const struct stow_exact *min = STOW_LIST(f->s, grade->min, struct stow_exact, &amounts);

    if (open_site(f, cluster, number) < 0)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r + 1 < f->resources; r++) {
        stow_i128 nano = 0;

        stow_exact_find(min, amounts, f->resource[r], &nano);
        if (add_use(f,
                    add_row(f, cluster, r,
                            stow_joint_times(count, stow_joint_units(f->resource[r], nano))),
                    r) < 0)
            return STOW_ENOMEM;
    }
    return add_use(
        f,
        add_row(f, cluster, f->resources - 1, stow_joint_times(count, STOW_PODS_PER_VIRTUAL_NODE)),
        f->resources - 1);
}

static int add_held_site(struct stow_joint_fleet *f, stow_cluster_id cluster)
{
    if (open_site(f, cluster, STOW_GRADE_HELD) < 0)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r < f->resources; r++)
        if (add_use(f, add_row(f, cluster, r, held_of(f, cluster, r)), r) < 0)
            return STOW_ENOMEM;
    return STOW_OK;
}

static int add_grades(struct stow_joint_fleet *f, stow_cluster_id cluster)
{
    const struct stow_capacity *capacity = &f->divider->capacity;
    uint32_t grades, pods = add_pods_row(f, cluster);
    const struct stow_grade *grade = STOW_LIST(
        f->s, capacity->models[capacity->model[cluster]].grades, struct stow_grade, &grades);

    for (uint32_t g = 0; g < grades; g++) {
        int64_t count = capacity->count[capacity->counts[cluster] + g];

        if (count > 0 && (add_grade(f, cluster, &grade[g], g, count) < 0 ||
                          add_use(f, pods, f->resources - 1) < 0))
            return STOW_ENOMEM;
    }
    if (held_of(f, cluster, f->resources - 1) > 0 &&
        (add_held_site(f, cluster) < 0 || add_use(f, pods, f->resources - 1) < 0))
        return STOW_ENOMEM;
    if (open_site(f, cluster, STOW_GRADE_PODS) < 0 || add_use(f, pods, f->resources - 1) < 0)
        return STOW_ENOMEM;
    return STOW_OK;
}

/* A site per class of nodes. */
static int add_classes(struct stow_joint_fleet *f, stow_cluster_id cluster, struct stow_err *err)
{
    struct stow_node_classes *classes = &f->classes[cluster];

    STOW_TRY(stow_node_classes_find(&(struct stow_node_question){stow_joint_member(f, cluster),
                                                                 f->s, f->resource, f->resources},
                                    f->arena, classes, err));
    for (uint32_t i = 0; i < classes->count; i++) {
        if (open_site(f, cluster, i) < 0)
            return stow_fail_memory(err);
        for (uint32_t r = 0; r < f->resources; r++)
            if (add_use(f, add_row(f, cluster, r, classes->free[(size_t)i * f->resources + r]), r) <
                0)
                return stow_fail_memory(err);
    }
    if (held_of(f, cluster, f->resources - 1) > 0 && add_held_site(f, cluster) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

static int add_sites(struct stow_joint_fleet *f, stow_cluster_id cluster, struct stow_err *err)
{
    if (stow_joint_member(f, cluster))
        return add_classes(f, cluster, err);
    if ((f->divider->capacity.model[cluster] == STOW_NONE ? add_whole(f, cluster)
                                                          : add_grades(f, cluster)) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

int stow_joint_fleet_sites(struct stow_joint_fleet *f, struct stow_err *err)
{
    f->first_site = stow_arena_alloc(f->arena, (f->s->clusters + 1) * sizeof(*f->first_site));
    if (!f->first_site)
        return stow_fail_memory(err);
    f->classes = stow_arena_zalloc(f->arena, (f->s->clusters + 1) * sizeof(*f->classes));
    if (!f->classes)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < f->s->clusters; i++) {
        f->first_site[i] = f->sites;
        STOW_TRY(add_sites(f, i, err));
    }
    f->first_site[f->s->clusters] = f->sites;
    return STOW_OK;
}
