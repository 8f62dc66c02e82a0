/* capacity.c - how many replicas fit each cluster: Karmada's general estimator.
 *
 * A Cluster says what it has in all, what is taken and what is about to be taken; or,
 * better, how many nodes of which grade have how much free.  Both are laid out as
 * columns once per fleet, in the units upstream computes in (milli-cores, whole
 * units rounded up), so that a question is a division per cluster and resource.
 *
 * Resource models, since 1.18: upstream fills virtual nodes of each grade's minimum
 * pod by pod.  All pods are equal, so a node of a grade takes min(110, floor(min /
 * request)) whatever came before, and a cluster the sum over its nodes.  Grades are
 * the same for most clusters: what a node takes is computed once per set of grades
 * and not once per cluster.
 *
 * Up to 1.17: the smallest grade that has enough of everything, and all above it,
 * at least one pod each; a resource that the model does not name is an error, and then
 * the summary counts. */
#include "divide/karmada/capacity.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "divide/karmada/first_fit.h"
#include "model/build.h"
#include "model/pods/requests.h"
#include "model/values/quantity.h"

#define PODS_PER_VIRTUAL_NODE 110
#define FIRST_FIT_SINCE       18

static int64_t units(stow_sym resource, stow_i128 nano)
{
    return resource == STOW_SYM_CPU ? stow_nano_milli(nano, NULL) : stow_nano_value(nano, NULL);
}

static int32_t clamp(int64_t value)
{
    return value < 0 ? 0 : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

/* ---- columns ----------------------------------------------------------------------------- */

static int find_resources(struct stow_capacity *c)
{
    const struct stow_snapshot *s = c->s;
    STOW_AUTO(stow_free_local) bool *seen = calloc(s->text.entries + 1, sizeof(*seen));
    uint32_t cap = 0;

    if (!seen)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->clusters; i++) {
        uint32_t count;
        const struct stow_exact *list =
            STOW_LIST(s, s->cluster[i].allocatable, struct stow_exact, &count);

        for (uint32_t k = 0; k < count; k++) {
            if (seen[list[k].resource])
                continue;
            seen[list[k].resource] = true;

            stow_sym *kept = STOW_PUSH(&c->resource, &c->resources, &cap);

            if (!kept)
                return STOW_ENOMEM;
            *kept = list[k].resource;
        }
    }
    return STOW_OK;
}

static stow_i128 amount_of(const struct stow_snapshot *s, stow_blob exact, stow_sym resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, exact, struct stow_exact, &count);
    stow_i128 nano = 0;

    stow_exact_find(list, count, resource, &nano);
    return nano;
}

static int64_t free_of(const struct stow_snapshot *s, const struct stow_cluster *cluster,
                       stow_sym resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, cluster->allocatable, struct stow_exact, &count);
    stow_i128 nano;

    if (!stow_exact_find(list, count, resource, &nano))
        return INT64_MIN;
    nano -= amount_of(s, cluster->allocated, resource);
    nano -= amount_of(s, cluster->allocating, resource);
    return units(resource, nano);
}

static int64_t pods_of(const struct stow_snapshot *s, const struct stow_cluster *cluster)
{
    int64_t pods = stow_nano_value(amount_of(s, cluster->allocatable, STOW_SYM_PODS), NULL) -
                   stow_nano_value(amount_of(s, cluster->allocated, STOW_SYM_PODS), NULL) -
                   stow_nano_value(amount_of(s, cluster->allocating, STOW_SYM_PODS), NULL);

    return pods > 0 && (cluster->flags & STOW_CLUSTER_HAS_SUMMARY) ? pods : 0;
}

static int fill_columns(struct stow_capacity *c)
{
    const struct stow_snapshot *s = c->s;

    STOW_TRY(find_resources(c));
    c->free = calloc((size_t)c->resources * s->clusters + 1, sizeof(*c->free));
    c->pods = calloc(s->clusters + 1, sizeof(*c->pods));
    if (!c->free || !c->pods)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->clusters; i++) {
        c->pods[i] = pods_of(s, &s->cluster[i]);
        for (uint32_t r = 0; r < c->resources; r++)
            c->free[(size_t)r * s->clusters + i] = free_of(s, &s->cluster[i], c->resource[r]);
    }
    return STOW_OK;
}

/* ---- models ------------------------------------------------------------------------------ */

static int find_model(struct stow_capacity *c, stow_blob grades, uint32_t *cap, uint32_t *ret)
{
    uint32_t count;

    for (uint32_t i = 0; i < c->model_count; i++)
        if (c->models[i].grades == grades) {
            *ret = i;
            return STOW_OK;
        }

    struct stow_grade_set *made = STOW_PUSH(&c->models, &c->model_count, cap);

    if (!made)
        return STOW_ENOMEM;
    (void)STOW_LIST(c->s, grades, struct stow_grade, &count);
    *made = (struct stow_grade_set){grades, c->grades, count};
    c->grades += count;
    *ret = c->model_count - 1;
    return STOW_OK;
}

static int64_t nodes_of_grade(const struct stow_snapshot *s, const struct stow_cluster *cluster,
                              uint32_t grade)
{
    uint32_t count;
    const struct stow_grade_count *list =
        STOW_LIST(s, cluster->model_counts, struct stow_grade_count, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].grade == grade)
            return list[i].count;
    return 0;
}

/* Without counts, without grades or with a negative count the summary decides. */
static bool has_model(const struct stow_snapshot *s, const struct stow_cluster *cluster)
{
    uint32_t count;
    const struct stow_grade_count *list =
        STOW_LIST(s, cluster->model_counts, struct stow_grade_count, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].count < 0)
            return false;
    return count > 0 && cluster->models != 0;
}

static int add_counts(struct stow_capacity *c, stow_cluster_id cluster, uint32_t *counts,
                      uint32_t *cap)
{
    const struct stow_cluster *of = &c->s->cluster[cluster];
    uint32_t grades;
    const struct stow_grade *grade = STOW_LIST(c->s, of->models, struct stow_grade, &grades);

    c->counts[cluster] = *counts;
    if (stow_vec_reserve(&c->count, cap, *counts + grades + 1, sizeof(*c->count)) < 0)
        return STOW_ENOMEM;
    for (uint32_t g = 0; g < grades; g++)
        c->count[(*counts)++] = nodes_of_grade(c->s, of, grade[g].grade);
    return STOW_OK;
}

static int fill_models(struct stow_capacity *c)
{
    const struct stow_snapshot *s = c->s;
    uint32_t counts = 0, cap = 0, model_cap = 0;

    c->model = calloc(s->clusters + 1, sizeof(*c->model));
    c->counts = calloc(s->clusters + 1, sizeof(*c->counts));
    if (!c->model || !c->counts)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->clusters; i++) {
        c->model[i] = STOW_NONE;
        if (!has_model(s, &s->cluster[i]))
            continue;
        STOW_TRY(find_model(c, s->cluster[i].models, &model_cap, &c->model[i]));
        STOW_TRY(add_counts(c, i, &counts, &cap));
    }
    return STOW_OK;
}

int stow_capacity_init(struct stow_capacity *c, const struct stow_snapshot *s, struct stow_err *err)
{
    *c = (struct stow_capacity){.s = s};
    if (fill_columns(c) < 0 || fill_models(c) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

void stow_capacity_done(struct stow_capacity *c)
{
    void *const lists[] = {c->resource, c->free, c->pods, c->model, c->counts, c->count, c->models};

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]);
    *c = (struct stow_capacity){0};
}

/* ---- by the summary ---------------------------------------------------------------------- */

static uint32_t column_of(const struct stow_capacity *c, stow_sym resource)
{
    for (uint32_t r = 0; r < c->resources; r++)
        if (c->resource[r] == resource)
            return r;
    return STOW_NONE;
}

/* Lowers ret[] of all clusters to what one resource allows. */
static void limit_by(const struct stow_capacity *c, stow_sym resource, int64_t request,
                     int64_t *ret)
{
    uint32_t column = column_of(c, resource), clusters = c->s->clusters;
    const int64_t *have = column == STOW_NONE ? NULL : c->free + (size_t)column * clusters;

    for (uint32_t i = 0; i < clusters; i++) {
        int64_t fit = !have || have[i] <= 0 ? 0 : have[i] / request;

        ret[i] = fit < ret[i] ? fit : ret[i];
    }
}

/* ---- by models --------------------------------------------------------------------------- */

/* What a node of each grade takes, since 1.18. */
static void fits_of_model(const struct stow_capacity *c, const struct stow_grade_set *m,
                          stow_blob requests, int64_t *ret)
{
    uint32_t count;
    const struct stow_grade *grade = STOW_LIST(c->s, m->grades, struct stow_grade, &count);

    for (uint32_t g = 0; g < count; g++) {
        int64_t fit = stow_fit_times(c->s, grade[g].min, requests);

        ret[g] = fit < PODS_PER_VIRTUAL_NODE ? fit : PODS_PER_VIRTUAL_NODE;
    }
}

/* The same up to 1.17; false: a resource is missing, the model does not apply. */
static bool old_fits_of_model(const struct stow_capacity *c, const struct stow_grade_set *m,
                              stow_blob requests, int64_t *ret)
{
    uint32_t grades, wants;
    const struct stow_grade *grade = STOW_LIST(c->s, m->grades, struct stow_grade, &grades);
    const struct stow_exact *want = STOW_LIST(c->s, requests, struct stow_exact, &wants);
    uint32_t first = 0;

    for (uint32_t g = 0; g < grades; g++)
        ret[g] = INT64_MAX;
    for (uint32_t i = 0; i < wants; i++) {
        stow_i128 nano = stow_exact_nano(&want[i]);
        int64_t request = units(want[i].resource, nano);
        uint32_t enough = grades;

        if (request <= 0)
            continue;
        for (uint32_t g = 0; g < grades; g++) {
            uint32_t count;
            const struct stow_exact *min = STOW_LIST(c->s, grade[g].min, struct stow_exact, &count);
            stow_i128 have;

            if (!stow_exact_find(min, count, want[i].resource, &have))
                return false;
            if (have >= nano && enough == grades)
                enough = g;

            int64_t fit = units(want[i].resource, have) / request;

            ret[g] = fit < ret[g] ? fit : ret[g];
        }
        first = enough > first ? enough : first;
    }
    for (uint32_t g = 0; g < grades; g++)
        ret[g] = g < first ? 0 : ret[g] < 1 ? 1 : ret[g];
    return true;
}

static bool fits_of(const struct stow_capacity *c, const struct stow_grade_set *m,
                    stow_blob requests, uint32_t karmada, int64_t *ret)
{
    if (karmada < FIRST_FIT_SINCE)
        return old_fits_of_model(c, m, requests, ret);
    fits_of_model(c, m, requests, ret);
    return true;
}

static int64_t sum_of_grades(const struct stow_capacity *c, stow_cluster_id cluster,
                             const struct stow_grade_set *m, const int64_t *fits)
{
    const int64_t *count = c->count + c->counts[cluster];
    int64_t sum = 0;

    for (uint32_t g = 0; g < m->count; g++) {
        int64_t add;

        if (__builtin_mul_overflow(count[g], fits[g], &add) ||
            __builtin_add_overflow(sum, add, &sum))
            return INT64_MAX;
    }
    return sum;
}

/* ---- all clusters ------------------------------------------------------------------------ */

/* Replaces what the summary says where a model says it better. */
static void estimate_by_models(const struct stow_capacity *c, const int64_t *fits,
                               const bool *applies, int64_t *most)
{
    for (uint32_t i = 0; i < c->s->clusters; i++) {
        uint32_t model = c->model[i];

        if (model != STOW_NONE && applies[model])
            most[i] = sum_of_grades(c, i, &c->models[model], fits + c->models[model].first);
    }
}

int stow_capacity_room(const struct stow_capacity *c, const struct stow_estimate_question *q,
                       int64_t *ret, struct stow_err *err)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(c->s, q->requests, struct stow_exact, &count);
    STOW_AUTO(stow_free_local) int64_t *fits = calloc(c->grades + 1, sizeof(*fits));
    STOW_AUTO(stow_free_local) bool *applies = calloc(c->model_count + 1, sizeof(*applies));

    if (!fits || !applies)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < c->s->clusters; i++)
        ret[i] = INT64_MAX;
    for (uint32_t i = 0; q->has_requirements && i < count; i++) {
        int64_t request = units(list[i].resource, stow_exact_nano(&list[i]));

        if (request > 0)
            limit_by(c, list[i].resource, request, ret);
    }
    for (uint32_t m = 0; q->has_requirements && m < c->model_count; m++)
        applies[m] = fits_of(c, &c->models[m], q->requests, q->karmada, fits + c->models[m].first);
    estimate_by_models(c, fits, applies, ret);
    return STOW_OK;
}

int stow_capacity_estimate(const struct stow_capacity *c, const struct stow_estimate_question *q,
                           int32_t *ret, struct stow_err *err)
{
    uint32_t clusters = c->s->clusters;
    STOW_AUTO(stow_free_local) int64_t *most = calloc((size_t)clusters + 1, sizeof(*most));

    if (!most)
        return stow_fail_memory(err);
    STOW_TRY(stow_capacity_room(c, q, most, err));
    for (uint32_t i = 0; i < clusters; i++)
        ret[i] = clamp(most[i] < c->pods[i] ? most[i] : c->pods[i]);
    return STOW_OK;
}

/* ---- sets of components ------------------------------------------------------------------ */

/* What one set, or all that is assumed, takes of a resource, and its pods. */
static int64_t demand_of(const struct stow_snapshot *s, const struct stow_component *list,
                         uint32_t count, stow_sym resource)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += list[i].replicas * units(resource, amount_of(s, list[i].requests, resource));
    return sum;
}

static int64_t pods_in(const struct stow_component *list, uint32_t count)
{
    int64_t pods = 0;

    for (uint32_t i = 0; i < count; i++)
        pods += list[i].replicas;
    return pods;
}

static int64_t assumed_of(const struct stow_snapshot *s, const struct stow_sets_question *q,
                          stow_sym resource, bool pods)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < q->assumptions; i++) {
        uint32_t count;
        const struct stow_component *list =
            STOW_LIST(s, q->assumed[i], struct stow_component, &count);

        sum += pods ? pods_in(list, count) : demand_of(s, list, count, resource);
    }
    return sum;
}

/* Lowers `limit` by every resource that component `at` asks for. */
static int64_t limit_sets(const struct stow_capacity *c, stow_cluster_id cluster,
                          const struct stow_sets_question *q, uint32_t at, int64_t limit)
{
    uint32_t count;
    const struct stow_exact *list =
        STOW_LIST(c->s, q->component[at].requests, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        int64_t request = demand_of(c->s, q->component, q->components, list[i].resource);
        uint32_t column = column_of(c, list[i].resource);
        int64_t have = column == STOW_NONE ? 0 : c->free[(size_t)column * c->s->clusters + cluster];

        if (request <= 0)
            continue;
        have = have <= 0 ? 0 : have - assumed_of(c->s, q, list[i].resource, false);

        int64_t fit = have <= 0 ? 0 : have / request;

        limit = fit < limit ? fit : limit;
    }
    return limit;
}

int stow_capacity_sets_by_model(const struct stow_capacity *c, stow_cluster_id cluster,
                                const struct stow_sets_question *q, int64_t limit, int64_t *ret,
                                struct stow_err *err)
{
    uint32_t model = c->model[cluster], grades;

    if (model == STOW_NONE) {
        *ret = -1;
        return STOW_OK;
    }

    const struct stow_grade *grade =
        STOW_LIST(c->s, c->models[model].grades, struct stow_grade, &grades);
    STOW_AUTO(stow_free_local) struct stow_fit_node *node = calloc(grades + 1, sizeof(*node));

    if (!node)
        return stow_fail_memory(err);
    for (uint32_t g = 0; g < grades; g++)
        node[g] = (struct stow_fit_node){grade[g].min, PODS_PER_VIRTUAL_NODE,
                                         c->count[c->counts[cluster] + g], NULL};
    return stow_first_fit(c->s,
                          &(struct stow_fit_question){node, grades, q->component, q->components,
                                                      q->assumed, q->assumptions, limit},
                          ret, err);
}

int stow_capacity_sets(const struct stow_capacity *c, stow_cluster_id cluster,
                       const struct stow_sets_question *q, int32_t *ret, struct stow_err *err)
{
    int64_t pods = c->pods[cluster] - assumed_of(c->s, q, 0, true);
    int64_t each = pods_in(q->component, q->components), by_model = -1;

    *ret = 0;
    if (pods <= 0 || c->pods[cluster] <= 0)
        return STOW_OK;
    if (each <= 0) {
        *ret = clamp(pods);
        return STOW_OK;
    }

    int64_t sets = pods / each;

    for (uint32_t i = 0; i < q->components; i++)
        sets = limit_sets(c, cluster, q, i, sets);
    STOW_TRY(stow_capacity_sets_by_model(c, cluster, q, sets, &by_model, err));
    *ret = clamp(by_model >= 0 && by_model < sets ? by_model : sets);
    return STOW_OK;
}
