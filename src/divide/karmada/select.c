/* select.c - the order of the clusters, and which of them spread constraints keep.
 *
 * All feasible clusters have one order: tier, score, what is available, name.  Without
 * constraints all are selected in it.  A constraint on clusters keeps the first
 * few and swaps in fuller ones from the rest until the replicas fit.  A constraint on
 * regions first chooses regions (regions.c) by a score that puts capacity before
 * liking, then the best cluster of each, then the best of the rest. */
#include <stdlib.h>

#include "base/vec.h"
#include "divide/divide_internal.h"
#include "divide/karmada/regions.h"

#define LOCALITY_SCORE 100
#define SCORE_UNIT     1000 /* of a group: one replica, or one cluster, before all liking */

#define TOO_FEW_CLUSTERS "the number of feasible clusters is less than spreadConstraint.MinGroups"
#define TOO_FEW_REGIONS  "the number of feasible region is less than spreadConstraint.MinGroups"
#define NO_REGIONS       "the number of clusters is less than the cluster spreadConstraint.MinGroups"
#define ONLY_TWO_FIELDS  "just support cluster and region spread constraint"

/* ---- the order --------------------------------------------------------------------------- */

int stow_divide_compare(const void *a, const void *b, void *clusters)
{
    const struct stow_divide_cluster *list = clusters;
    stow_cluster_id i = *(const stow_cluster_id *)a, j = *(const stow_cluster_id *)b;
    const struct stow_divide_cluster *x = &list[i], *y = &list[j];

    if (x->overflow != y->overflow)
        return x->overflow < y->overflow ? -1 : 1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->available != y->available)
        return x->available > y->available ? -1 : 1;
    return (i > j) - (i < j); /* ids are in order of names */
}

void stow_divide_score(struct stow_binding_decision *d)
{
    for (uint32_t i = 0; i < d->orders; i++) {
        struct stow_divide_cluster *c = &d->cluster[d->order[i]];

        c->score = c->target ? LOCALITY_SCORE : 0;
        c->available = (int64_t)c->allocatable + c->held;
    }
}

void stow_divide_sort(struct stow_binding_decision *d)
{
    qsort_r(d->order, d->orders, sizeof(*d->order), stow_divide_compare, d->cluster);
}

/* ---- by clusters ------------------------------------------------------------------------- */

/* The rest as a heap of places: most room first, then the earlier place. */
struct rest {
    const struct stow_binding_decision *d;
    const stow_cluster_id *cluster; /* the places */
    uint32_t *heap, count;
};

static bool has_more_room(const struct rest *r, uint32_t a, uint32_t b)
{
    int64_t x = r->d->cluster[r->cluster[a]].available, y = r->d->cluster[r->cluster[b]].available;

    return x != y ? x > y : a < b;
}

static void sift_down(const struct rest *r, uint32_t at)
{
    uint32_t moving = r->heap[at];

    for (uint32_t child; (child = 2 * at + 1) < r->count; at = child) {
        if (child + 1 < r->count && has_more_room(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (!has_more_room(r, r->heap[child], moving))
            break;
        r->heap[at] = r->heap[child];
    }
    r->heap[at] = moving;
}

static int open_rest(struct rest *r, const struct stow_binding_decision *d,
                     const stow_cluster_id *cluster, uint32_t count)
{
    *r = (struct rest){d, cluster, stow_arena_alloc(d->arena, (count + 1) * sizeof(uint32_t)),
                       count};
    if (!r->heap)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        r->heap[i] = i;
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(r, i);
    return STOW_OK;
}

/* From the last one kept on, each gives its place to the one with the most room, if that has more,
 * until the replicas fit; 1: they do. */
static int make_room(const struct stow_binding_decision *d, stow_cluster_id *cluster,
                     uint32_t count, uint32_t keep, int64_t need)
{
    struct rest rest;
    int64_t sum = 0;

    for (uint32_t i = 0; i < keep; i++)
        sum += d->cluster[cluster[i]].available;
    if (sum >= need)
        return 1;
    STOW_TRY(open_rest(&rest, d, cluster + keep, count - keep));
    for (uint32_t i = keep; rest.count && sum < need && i-- > 0;) {
        stow_cluster_id *best = &cluster[keep + rest.heap[0]], out = cluster[i];
        int64_t more = d->cluster[*best].available - d->cluster[out].available;

        if (more <= 0)
            continue;
        cluster[i] = *best;
        *best = out;
        sift_down(&rest, 0);
        sum += more;
    }
    return sum >= need;
}

int64_t stow_select_clusters(struct stow_binding_decision *d, stow_cluster_id *cluster,
                             uint32_t count, const struct stow_spread_constraint *constraint,
                             int64_t need)
{
    if ((int64_t)count < constraint->min_groups)
        return STOW_TOO_FEW;

    uint32_t keep =
        (int64_t)count < constraint->max_groups ? count : (uint32_t)constraint->max_groups;
    int fits = need < 0 ? 1 : make_room(d, cluster, count, keep, need);

    STOW_TRY(fits);
    return fits ? (int64_t)keep : STOW_TOO_LITTLE;
}

static int fail_select(struct stow_binding_decision *d, struct stow_err *err, const char *why)
{
    d->select_error = why;
    return stow_decision_fail(d, err, STOW_DIVIDE_ERROR, "failed to select clusters: %s", why);
}

static int select_by_cluster(struct stow_binding_decision *d, struct stow_err *err,
                             const struct stow_spread_constraint *constraint)
{
    bool ignores = d->strategy == STOW_DIVIDE_DUPLICATED;
    int64_t kept =
        stow_select_clusters(d, d->selected, d->orders, constraint, ignores ? -1 : d->replicas);

    if (kept == STOW_TOO_FEW)
        return fail_select(d, err, TOO_FEW_CLUSTERS);
    if (kept == STOW_ENOMEM)
        return stow_fail_memory(err);
    if (kept < 0) {
        const char *why = stow_arena_printf(
            d->arena, "no enough resource when selecting %d clusters",
            (int)((int64_t)d->orders < constraint->max_groups ? (int64_t)d->orders
                                                              : constraint->max_groups));

        return why ? fail_select(d, err, why) : stow_fail_memory(err);
    }
    d->selections = (uint32_t)kept;
    return STOW_OK;
}

/* ---- by regions -------------------------------------------------------------------------- */

/* All clusters that hold the whole workload, and how much they are liked. */
static int64_t duplicated_score(const struct stow_binding_decision *d,
                                const stow_cluster_id *cluster, uint32_t count)
{
    int64_t valid = 0, scores = 0;

    for (uint32_t i = 0; i < count; i++)
        if (d->cluster[cluster[i]].available >= d->replicas) {
            valid++;
            scores += d->cluster[cluster[i]].score;
        }
    return valid ? valid * SCORE_UNIT + scores / valid : 0;
}

/* How far the clusters go towards this group's part of the replicas. */
static int64_t divided_score(const struct stow_binding_decision *d, const stow_cluster_id *cluster,
                             uint32_t count, int64_t group_min, int64_t cluster_min)
{
    int64_t groups = group_min > 0 ? group_min : 1;
    int64_t target = (d->replicas + groups - 1) / groups;
    int64_t least = cluster_min > group_min ? cluster_min : group_min;
    int64_t available = 0, scores = 0, visited = 0;

    for (uint32_t i = 0; i < count; i++) {
        available += d->cluster[cluster[i]].available;
        scores += d->cluster[cluster[i]].score;
        visited++;
        if (visited >= least && available >= target)
            break;
    }
    if (available < target)
        return available * SCORE_UNIT + scores / (count ? (int64_t)count : 1);
    return target * SCORE_UNIT + scores / (visited ? visited : 1);
}

int64_t stow_group_score(const struct stow_binding_decision *d, const stow_cluster_id *cluster,
                         uint32_t count, int64_t group_min, int64_t cluster_min)
{
    return d->strategy == STOW_DIVIDE_DUPLICATED
               ? duplicated_score(d, cluster, count)
               : divided_score(d, cluster, count, group_min, cluster_min);
}

struct named {
    struct stow_str name;
    stow_sym region;
    uint32_t at; /* in the global order */
    stow_cluster_id cluster;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = x->region == y->region ? 0 : stow_str_cmp(x->name, y->name);

    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Regions in order of names; clusters in each in global order. */
int stow_regions_build(struct stow_binding_decision *d, struct stow_regions *ret)
{
    struct named *list = stow_arena_alloc(d->arena, (d->orders + 1) * sizeof(*list));

    ret->region = stow_arena_zalloc(d->arena, (d->orders + 1) * sizeof(*ret->region));
    ret->member = stow_arena_alloc(d->arena, (d->orders + 1) * sizeof(*ret->member));
    ret->first = stow_arena_alloc(d->arena, (d->orders + 2) * sizeof(*ret->first));
    if (!list || !ret->region || !ret->member || !ret->first)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < d->orders; i++) {
        stow_sym region = d->s->cluster[d->order[i]].region;

        list[i] = (struct named){stow_text(d->s, region), region, i, d->order[i]};
    }
    qsort(list, d->orders, sizeof(*list), compare_named);
    ret->count = 0;
    for (uint32_t i = 0; i < d->orders; i++) {
        if (i == 0 || list[i].region != list[i - 1].region) {
            ret->first[ret->count] = i;
            ret->region[ret->count++].name = list[i].region;
        }
        ret->region[ret->count - 1].clusters++;
        ret->member[i] = list[i].cluster;
    }
    ret->first[ret->count] = d->orders;
    return STOW_OK;
}

/* Chosen regions in Karmada's order; 0: there is no choice. */
static int choose_regions(struct stow_binding_decision *d, const struct stow_regions *r,
                          uint32_t *chosen, struct stow_err *err)
{
    const struct stow_spread_constraint *region = stow_decision_spread(d, STOW_SPREAD_REGION);
    const struct stow_spread_constraint *cluster = stow_decision_spread(d, STOW_SPREAD_CLUSTER);
    struct stow_group_choice *group = stow_arena_alloc(d->arena, (r->count + 1) * sizeof(*group));

    if (!group)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < r->count; i++)
        group[i] = (struct stow_group_choice){r->region[i].clusters, r->region[i].score, i};

    int made = stow_choose_groups(group, r->count, region->min_groups, region->max_groups,
                                  cluster ? cluster->min_groups : 0, chosen, err);

    for (int i = 0; i < made; i++)
        r->region[chosen[i]].chosen = true;
    return made;
}

/* The best of each chosen region, then the best of what they have besides. */
static void take_clusters(struct stow_binding_decision *d, const struct stow_regions *r,
                          const uint32_t *chosen, uint32_t count, int64_t most)
{
    uint32_t pool = 0, total = 0;
    stow_cluster_id *rest = d->selected + count; /* room for all */

    for (uint32_t i = 0; i < count; i++) {
        d->selected[i] = r->member[r->first[chosen[i]]];
        total += r->region[chosen[i]].clusters;
        for (uint32_t k = r->first[chosen[i]] + 1; k < r->first[chosen[i] + 1]; k++)
            rest[pool++] = r->member[k];
    }
    qsort_r(rest, pool, sizeof(*rest), stow_divide_compare, d->cluster);

    uint32_t need = (int64_t)total < most ? total : (uint32_t)most;

    d->selections = need > count ? need : count;
}

int stow_regions_select(struct stow_binding_decision *d, const struct stow_regions *r,
                        struct stow_err *err)
{
    const struct stow_spread_constraint *region = stow_decision_spread(d, STOW_SPREAD_REGION);
    const struct stow_spread_constraint *cluster = stow_decision_spread(d, STOW_SPREAD_CLUSTER);
    uint32_t *chosen = stow_arena_alloc(d->arena, (r->count + 1) * sizeof(*chosen));

    if (!chosen)
        return stow_fail_memory(err);
    d->region = r->region;
    d->regions = r->count;
    if ((int64_t)r->count < region->min_groups)
        return fail_select(d, err, TOO_FEW_REGIONS);

    int made = choose_regions(d, r, chosen, err);

    STOW_TRY(made);
    if (made == 0)
        return fail_select(d, err, NO_REGIONS);
    take_clusters(d, r, chosen, (uint32_t)made, cluster ? cluster->max_groups : 0);
    return STOW_OK;
}

static int select_by_region(struct stow_binding_decision *d, struct stow_err *err)
{
    const struct stow_spread_constraint *region = stow_decision_spread(d, STOW_SPREAD_REGION);
    const struct stow_spread_constraint *cluster = stow_decision_spread(d, STOW_SPREAD_CLUSTER);
    struct stow_regions r;

    if (stow_regions_build(d, &r) < 0)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < r.count; i++)
        r.region[i].score = stow_group_score(d, r.member + r.first[i], r.region[i].clusters,
                                             region->min_groups, cluster ? cluster->min_groups : 0);
    return stow_regions_select(d, &r, err);
}

/* ---- how many groups there are ----------------------------------------------------------- */

/* Marks a value; 1: it was not marked before. */
static uint32_t mark(bool *seen, stow_sym value)
{
    bool fresh = !seen[value];

    seen[value] = true;
    return fresh;
}

static uint32_t count_values(const struct stow_binding_decision *d, uint32_t field, bool *seen)
{
    uint32_t count = 0, zones;

    for (uint32_t i = 0; i < d->orders; i++) {
        const struct stow_cluster *c = &d->s->cluster[d->order[i]];
        const stow_sym *zone = STOW_LIST(d->s, c->zones, stow_sym, &zones);

        if (field == STOW_SPREAD_REGION || field == STOW_SPREAD_PROVIDER)
            count += mark(seen, field == STOW_SPREAD_REGION ? c->region : c->provider);
        for (uint32_t z = 0; field == STOW_SPREAD_ZONE && z < zones; z++)
            count += mark(seen, zone[z]);
    }
    return count;
}

int stow_divide_count_groups(struct stow_binding_decision *d, struct stow_err *err)
{
    uint32_t count;
    const struct stow_spread_constraint *list =
        STOW_LIST(d->s, d->placement->spread, struct stow_spread_constraint, &count);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t field = list[i].field;
        STOW_AUTO(stow_free_local) bool *seen = calloc(d->s->text.entries + 1, sizeof(*seen));

        if (!seen)
            return stow_fail_memory(err);
        d->division->groups[field] =
            field == STOW_SPREAD_CLUSTER ? d->orders : count_values(d, field, seen);
    }
    return STOW_OK;
}

/* ---- which rule -------------------------------------------------------------------------- */

/* Static weights go past constraints; Karmada does not say so. */
static bool ignores_constraints(const struct stow_binding_decision *d)
{
    const struct stow_propagation *p = d->placement;

    if (d->options->strategy == STOW_DIVIDE_STATIC_WEIGHT)
        return true;
    return d->strategy == STOW_DIVIDE_STATIC_WEIGHT &&
           (!(p->flags & STOW_PROPAGATION_WEIGHTS) || p->weights != 0);
}

int stow_divide_select(struct stow_binding_decision *d, struct stow_err *err)
{
    const struct stow_spread_constraint *region = stow_decision_spread(d, STOW_SPREAD_REGION);
    const struct stow_spread_constraint *cluster = stow_decision_spread(d, STOW_SPREAD_CLUSTER);

    for (uint32_t i = 0; i < d->orders; i++)
        d->selected[i] = d->order[i];
    d->selections = d->orders;
    if (d->placement->spread && ignores_constraints(d))
        return stow_decision_warn(d, err,
                                  "spread constraints are ignored: StaticWeight goes to every "
                                  "cluster that passes the filters");
    if (!d->placement->spread)
        return STOW_OK;
    if (region)
        return select_by_region(d, err);
    if (cluster)
        return select_by_cluster(d, err, cluster);
    return fail_select(d, err, ONLY_TWO_FIELDS);
}
