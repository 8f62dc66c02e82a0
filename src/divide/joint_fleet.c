/* joint_fleet.c - a fleet as a joint problem, and its answer as targets.
 *
 * Sites.  A cluster that is known by its summary is one site with a row per resource.  One
 * with a resource model has a site per grade, and what fits a node of the grade limits
 * every workload there; all share the cluster's row of pods.  What the workloads hold in such a
 * cluster is on nobody knows which grade: it is a site of its own, free for all of them when they
 * leave.
 *
 * Rows are as large as what is free and what the workloads of the problem hold; where more is taken
 * than there is, what must stay is still allowed to stay.
 *
 * Unknown prices: with `last` a replica without a price counts several times the dearest known one,
 * so that it is placed there only when that leaves fewer out. */
#include "divide/joint_fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "divide/divide_parts.h"
#include "divide/first_fit.h"
#include "model/build.h"
#include "model/quantity.h"
#include "model/requests.h"

#define PODS_PER_VIRTUAL_NODE 110
#define UNPRICED_TIMES        8

/* One binding on its way into the problem. */
struct entrant {
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

struct fleet {
    struct stow_divider *divider;
    const struct stow_snapshot *s;
    const struct stow_joint_options *options;
    struct stow_joint_division *ret;
    struct stow_arena *arena;
    struct stow_division made;
    struct entrant *entrant;
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
    uint32_t *region; /* per cluster */
};

#define GRADE_ALL  (STOW_JOINT_NO_MAX - 1) /* the whole cluster */
#define GRADE_PODS (STOW_JOINT_NO_MAX - 2) /* pods only: for those who ask for nothing else */
#define GRADE_HELD (STOW_JOINT_NO_MAX - 3) /* what the workloads hold */

static void fleet_close(struct fleet *f)
{
    void *const lists[] = {f->resource, f->grade};

    stow_division_done(&f->made);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]);
}

static int64_t units(stow_sym resource, stow_i128 nano)
{
    return resource == STOW_SYM_CPU ? stow_nano_milli(nano, NULL) : stow_nano_value(nano, NULL);
}

/* ---- who takes part ---------------------------------------------------------------------- */

static enum stow_joint_skip skips(const struct fleet *f, const struct stow_binding *b)
{
    const struct stow_propagation *placement = stow_propagation_get(f->s, b->placement);
    uint32_t components;

    (void)STOW_LIST(f->s, b->components, struct stow_component, &components);
    if (b->replicas <= 0 || components > 1 || (b->flags & STOW_BINDING_DELETED))
        return STOW_JOINT_NO_REPLICAS;
    if (!f->options->all && (placement->type != STOW_SCHEDULING_DIVIDED ||
                             placement->preference != STOW_PREFERENCE_COST_OPTIMIZED))
        return STOW_JOINT_OTHER_STRATEGY;
    return STOW_JOINT_IN;
}

/* The filters of a decision by itself say where it may go. */
static int filter(struct fleet *f, struct entrant *e, struct stow_err *err)
{
    uint32_t clusters = f->s->clusters, feasible = 0;
    struct stow_divide_options options = {.strategy = STOW_DIVIDE_COST_OPTIMIZED,
                                          .karmada = f->options->karmada,
                                          .always = true,
                                          .fresh = true,
                                          .estimate = e->room,
                                          .estimate_decides = true,
                                          .costs = f->options->costs};

    STOW_TRY(stow_divide_room(f->options->costs, e->binding, e->room, err));
    STOW_TRY(stow_divide(f->divider, e->binding, &options, &f->made, err));
    for (uint32_t i = 0; i < clusters; i++) {
        const struct stow_divide_cluster *c = &f->made.cluster[i];

        e->held[i] = c->held;
        e->feasible[i] = !c->rejected && !c->deleted;
        feasible += e->feasible[i];
        e->assigned += e->feasible[i] ? c->held : 0;
    }
    return (int)(feasible > 0);
}

static int open_entrant(struct fleet *f, const struct stow_binding *b, struct entrant *e,
                        struct stow_err *err)
{
    uint32_t clusters = f->s->clusters;

    *e = (struct entrant){.binding = b,
                          .held = stow_arena_zalloc(f->arena, (clusters + 1) * sizeof(*e->held)),
                          .feasible =
                              stow_arena_zalloc(f->arena, (clusters + 1) * sizeof(*e->feasible)),
                          .room = stow_arena_alloc(f->arena, (clusters + 1) * sizeof(*e->room)),
                          .has_requests = (b->flags & STOW_BINDING_HAS_REQUIREMENTS) != 0};
    if (!e->held || !e->feasible || !e->room)
        return stow_fail_memory(err);
    STOW_TRY(stow_divide_prices(f->options->costs, b, f->arena, &e->list, err));
    return filter(f, e, err);
}

static int compare_entrants(const void *a, const void *b)
{
    const struct stow_binding *x = ((const struct entrant *)a)->binding;
    const struct stow_binding *y = ((const struct entrant *)b)->binding;

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return (x > y) - (x < y); /* bindings are in order of names */
}

static int find_entrants(struct fleet *f, struct stow_err *err)
{
    f->entrant = stow_arena_alloc(f->arena, (f->s->bindings + 1) * sizeof(*f->entrant));
    if (!f->entrant)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < f->s->bindings; i++) {
        struct stow_joint_binding *to = &f->ret->binding[i];

        to->skip = skips(f, &f->s->binding[i]);
        if (to->skip != STOW_JOINT_IN)
            continue;

        int code = open_entrant(f, &f->s->binding[i], &f->entrant[f->entrants], err);

        STOW_TRY(code);
        f->entrants += code > 0;
        if (code > 0)
            continue;
        to->skip = STOW_JOINT_NO_CLUSTER;
        to->left_out = f->s->binding[i].replicas;
    }
    qsort(f->entrant, f->entrants, sizeof(*f->entrant), compare_entrants);
    return STOW_OK;
}

/* ---- requests ---------------------------------------------------------------------------- */

static uint32_t number_resource(const struct fleet *f, stow_sym resource)
{
    uint32_t i = 0;

    while (i < f->resources && f->resource[i] != resource)
        i++;
    return i;
}

static int find_resources(struct fleet *f, struct stow_err *err)
{
    uint32_t cap = 0;

    for (uint32_t i = 0; i < f->entrants; i++) {
        uint32_t count;
        const struct stow_exact *list =
            STOW_LIST(f->s, f->entrant[i].binding->requests, struct stow_exact, &count);

        for (uint32_t k = 0; f->entrant[i].has_requests && k < count; k++) {
            stow_sym *made;

            if (list[k].resource == STOW_SYM_PODS ||
                number_resource(f, list[k].resource) < f->resources)
                continue;
            made = STOW_PUSH(&f->resource, &f->resources, &cap);
            if (!made)
                return stow_fail_memory(err);
            *made = list[k].resource;
        }
    }

    stow_sym *pods = STOW_PUSH(&f->resource, &f->resources, &cap);

    if (!pods)
        return stow_fail_memory(err);
    *pods = STOW_SYM_PODS;
    return STOW_OK;
}

static int find_requests(struct fleet *f, struct stow_err *err)
{
    for (uint32_t i = 0; i < f->entrants; i++) {
        struct entrant *e = &f->entrant[i];
        uint32_t count;
        const struct stow_exact *list =
            STOW_LIST(f->s, e->binding->requests, struct stow_exact, &count);

        e->request = stow_arena_zalloc(f->arena, (f->resources + 1) * sizeof(*e->request));
        if (!e->request)
            return stow_fail_memory(err);
        for (uint32_t k = 0; e->has_requests && k < count; k++)
            if (list[k].resource != STOW_SYM_PODS)
                e->request[number_resource(f, list[k].resource)] =
                    units(list[k].resource, stow_exact_nano(&list[k]));
        e->request[f->resources - 1] = 1;
    }
    return STOW_OK;
}

/* ---- what stays -------------------------------------------------------------------------- */

static const struct stow_spread_constraint *constraint(const struct fleet *f,
                                                       const struct stow_binding *b,
                                                       enum stow_spread_field field)
{
    const struct stow_propagation *placement = stow_propagation_get(f->s, b->placement);
    uint32_t count;
    const struct stow_spread_constraint *list =
        STOW_LIST(f->s, placement->spread, struct stow_spread_constraint, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].field == (uint32_t)field && !(f->options->costs->ignore_spread >> field & 1))
            return &list[i];
    return NULL;
}

/* Clusters and regions that have replicas now. */
static void count_held(const struct fleet *f, const struct entrant *e, uint32_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (uint32_t i = 0; i < f->s->clusters; i++) {
        bool seen = false;

        if (!e->feasible[i] || e->held[i] <= 0)
            continue;
        ret[0]++;
        for (uint32_t k = 0; k < i; k++)
            seen |= e->feasible[k] && e->held[k] > 0 && f->region[k] == f->region[i];
        ret[1] += !seen;
    }
}

/* Whether what is in place can stay as it is and the constraints still be met. */
static bool held_is_allowed(const struct fleet *f, const struct entrant *e)
{
    const enum stow_spread_field fields[] = {STOW_SPREAD_CLUSTER, STOW_SPREAD_REGION};
    int64_t change = e->binding->replicas - e->assigned;
    uint32_t count[2];

    count_held(f, e, count);
    for (uint32_t i = 0; i < 2; i++) {
        const struct stow_spread_constraint *c = constraint(f, e->binding, fields[i]);

        if (!c)
            continue;
        if (change >= 0 && (int64_t)count[i] > c->max_groups)
            return false;
        if ((int64_t)count[i] + (change > 0 ? change : 0) < c->min_groups)
            return false;
    }
    return true;
}

static void pin_entrants(struct fleet *f)
{
    for (uint32_t i = 0; i < f->entrants; i++) {
        struct entrant *e = &f->entrant[i];
        bool stays = f->options->disruption == STOW_MONEY_UNKNOWN && !f->options->fresh &&
                     !stow_binding_is_fresh(e->binding) && e->assigned > 0;

        e->pinned = stays && held_is_allowed(f, e);
        f->ret->binding[e->binding - f->s->binding].anew = stays && !e->pinned;
    }
}

/* ---- sites ------------------------------------------------------------------------------- */

/* A row of a cluster; returns its number. */
static uint32_t add_row(struct fleet *f, stow_cluster_id cluster, uint32_t resource, int64_t free)
{
    struct stow_joint_row *row = STOW_PUSH(&f->row, &f->rows, &f->row_cap);

    if (!row)
        return STOW_NONE;
    *row = (struct stow_joint_row){free, cluster, resource};
    return f->rows - 1;
}

static int add_use(struct fleet *f, uint32_t row, uint32_t resource)
{
    struct stow_joint_use *use =
        row == STOW_NONE ? NULL : STOW_PUSH(&f->use, &f->uses, &f->use_cap);

    if (!use)
        return STOW_ENOMEM;
    *use = (struct stow_joint_use){row, resource};
    f->site[f->sites - 1].uses++;
    return STOW_OK;
}

static int open_site(struct fleet *f, stow_cluster_id cluster, uint32_t grade)
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
static int64_t held_of(const struct fleet *f, stow_cluster_id cluster, uint32_t resource)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < f->entrants; i++)
        sum += f->entrant[i].held[cluster] * f->entrant[i].request[resource];
    return sum;
}

static int64_t pinned_of(const struct fleet *f, stow_cluster_id cluster, uint32_t resource)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < f->entrants; i++)
        if (f->entrant[i].pinned && f->entrant[i].feasible[cluster])
            sum += f->entrant[i].held[cluster] * f->entrant[i].request[resource];
    return sum;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t free_of(const struct fleet *f, stow_cluster_id cluster, uint32_t resource)
{
    const struct stow_capacity *capacity = &f->divider->capacity;

    for (uint32_t i = 0; i < capacity->resources; i++)
        if (capacity->resource[i] == f->resource[resource]) {
            int64_t free = capacity->free[(size_t)i * f->s->clusters + cluster];

            return free == INT64_MIN ? 0 : free;
        }
    return 0;
}

static uint32_t add_pods_row(struct fleet *f, stow_cluster_id cluster)
{
    uint32_t pods = f->resources - 1;

    return add_row(f, cluster, pods,
                   larger(f->divider->capacity.pods[cluster] + held_of(f, cluster, pods),
                          pinned_of(f, cluster, pods)));
}

static int add_whole(struct fleet *f, stow_cluster_id cluster)
{
    if (open_site(f, cluster, GRADE_ALL) < 0)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r + 1 < f->resources; r++) {
        int64_t free =
            larger(free_of(f, cluster, r) + held_of(f, cluster, r), pinned_of(f, cluster, r));

        if (add_use(f, add_row(f, cluster, r, free), r) < 0)
            return STOW_ENOMEM;
    }
    return add_use(f, add_pods_row(f, cluster), f->resources - 1);
}

static int64_t times(int64_t count, int64_t amount)
{
    int64_t product;

    return __builtin_mul_overflow(count, amount, &product) ? INT64_MAX / 4 : product;
}

static int add_grade(struct fleet *f, stow_cluster_id cluster, const struct stow_grade *grade,
                     uint32_t number, int64_t count)
{
    uint32_t amounts;
    const struct stow_exact *min = STOW_LIST(f->s, grade->min, struct stow_exact, &amounts);

    if (open_site(f, cluster, number) < 0)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r + 1 < f->resources; r++) {
        stow_i128 nano = 0;

        stow_exact_find(min, amounts, f->resource[r], &nano);
        if (add_use(f, add_row(f, cluster, r, times(count, units(f->resource[r], nano))), r) < 0)
            return STOW_ENOMEM;
    }
    return add_use(f, add_row(f, cluster, f->resources - 1, times(count, PODS_PER_VIRTUAL_NODE)),
                   f->resources - 1);
}

static int add_held_site(struct fleet *f, stow_cluster_id cluster)
{
    if (open_site(f, cluster, GRADE_HELD) < 0)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r < f->resources; r++)
        if (add_use(f, add_row(f, cluster, r, held_of(f, cluster, r)), r) < 0)
            return STOW_ENOMEM;
    return STOW_OK;
}

static int add_grades(struct fleet *f, stow_cluster_id cluster)
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
    if (open_site(f, cluster, GRADE_PODS) < 0 || add_use(f, pods, f->resources - 1) < 0)
        return STOW_ENOMEM;
    return STOW_OK;
}

static int make_sites(struct fleet *f, struct stow_err *err)
{
    const struct stow_capacity *capacity = &f->divider->capacity;

    f->first_site = stow_arena_alloc(f->arena, (f->s->clusters + 1) * sizeof(*f->first_site));
    if (!f->first_site)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < f->s->clusters; i++) {
        f->first_site[i] = f->sites;
        if ((capacity->model[i] == STOW_NONE ? add_whole(f, i) : add_grades(f, i)) < 0)
            return stow_fail_memory(err);
    }
    f->first_site[f->s->clusters] = f->sites;
    return STOW_OK;
}

/* ---- options ----------------------------------------------------------------------------- */

/* What fits nodes of a grade, 0: none. */
static int64_t most_of(const struct fleet *f, const struct entrant *e, uint32_t site)
{
    const struct stow_capacity *capacity = &f->divider->capacity;
    stow_cluster_id cluster = f->site[site].cluster;
    uint32_t grades, number = f->grade[site];

    if (number == GRADE_PODS)
        return e->has_requests ? 0 : INT64_MAX;
    if (number == GRADE_ALL || number == GRADE_HELD)
        return e->room[cluster] < 0 ? INT64_MAX : e->room[cluster] + e->held[cluster];
    if (!e->has_requests)
        return 0;

    const struct stow_grade *grade = STOW_LIST(
        f->s, capacity->models[capacity->model[cluster]].grades, struct stow_grade, &grades);
    int64_t fit = stow_fit_times(f->s, grade[number].min, e->binding->requests);

    return times(capacity->count[capacity->counts[cluster] + number],
                 fit < PODS_PER_VIRTUAL_NODE ? fit : PODS_PER_VIRTUAL_NODE);
}

/* The price of a replica, as the policy has it; STOW_MONEY_UNKNOWN: not there. */
static stow_nano price_of(const struct fleet *f, const struct entrant *e, stow_cluster_id cluster)
{
    const struct stow_price_list *list = &e->list[cluster];
    const struct stow_divide_costs *costs = f->options->costs;
    stow_nano price = list->steps ? list->step[0].price : STOW_MONEY_UNKNOWN;

    if (price != STOW_MONEY_UNKNOWN)
        return price;
    return costs->unknown == STOW_UNKNOWN_ASSUME    ? costs->assumed
           : costs->unknown == STOW_UNKNOWN_EXCLUDE ? STOW_MONEY_UNKNOWN
                                                    : f->ret->unpriced_weight;
}

static void weigh_unpriced(struct fleet *f)
{
    stow_nano dearest = STOW_NANO_PER_UNIT / 1000;

    for (uint32_t i = 0; i < f->entrants; i++)
        for (uint32_t c = 0; c < f->s->clusters; c++)
            for (uint32_t k = 0; k < f->entrant[i].list[c].steps; k++)
                if (f->entrant[i].list[c].step[k].price > dearest)
                    dearest = f->entrant[i].list[c].step[k].price;
    f->ret->unpriced_weight =
        dearest > INT64_MAX / 65536 ? INT64_MAX / 8192 : UNPRICED_TIMES * dearest;
}

static int add_options(struct fleet *f, const struct entrant *e, struct stow_joint_workload *w)
{
    w->option = f->options_made;
    for (uint32_t c = 0; c < f->s->clusters; c++) {
        stow_nano price = e->feasible[c] ? price_of(f, e, c) : STOW_MONEY_UNKNOWN;

        for (uint32_t site = f->first_site[c];
             price != STOW_MONEY_UNKNOWN && site < f->first_site[c + 1]; site++) {
            int64_t most = most_of(f, e, site);
            struct stow_joint_option *option;

            if (most <= 0)
                continue;
            option = STOW_PUSH(&f->option, &f->options_made, &f->option_cap);
            if (!option)
                return STOW_ENOMEM;
            *option = (struct stow_joint_option){site, most, price};
        }
    }
    w->options = f->options_made - w->option;
    return STOW_OK;
}

/* What is in place, and limits, of one cluster. */
static struct stow_joint_share share_of(const struct fleet *f, const struct entrant *e,
                                        stow_cluster_id cluster)
{
    const struct stow_cost_limit *limit =
        stow_cost_limit_find(f->options->costs, e->binding, cluster);
    struct stow_joint_share share = {cluster, e->held[cluster], limit ? limit->min : 0,
                                     limit && limit->max != STOW_LIMIT_NO_MAX ? limit->max
                                                                              : INT64_MAX};

    if (!e->pinned || !e->feasible[cluster])
        return share;
    if (e->binding->replicas >= e->assigned) {
        share.min = larger(share.min, share.held);
        share.max = larger(share.max, share.held);
    }
    if (e->binding->replicas <= e->assigned) {
        share.max = share.held;
        share.min = share.min < share.held ? share.min : share.held;
    }
    return share;
}

static int add_shares(struct fleet *f, const struct entrant *e, struct stow_joint_workload *w)
{
    w->share = f->shares;
    for (uint32_t c = 0; c < f->s->clusters; c++) {
        struct stow_joint_share share = share_of(f, e, c), *made;

        if (!share.held && !share.min && share.max == INT64_MAX)
            continue;
        made = STOW_PUSH(&f->share, &f->shares, &f->share_cap);
        if (!made)
            return STOW_ENOMEM;
        *made = share;
    }
    w->shares = f->shares - w->share;
    return STOW_OK;
}

static uint32_t limit_of(const struct stow_spread_constraint *c, bool max)
{
    int32_t value = !c ? 0 : max ? c->max_groups : c->min_groups;

    if (max && !c)
        return STOW_JOINT_NO_MAX;
    return value > 0 ? (uint32_t)value : 0;
}

static int make_workloads(struct fleet *f, struct stow_err *err)
{
    f->workload = stow_arena_zalloc(f->arena, (f->entrants + 1) * sizeof(*f->workload));
    if (!f->workload)
        return stow_fail_memory(err);
    weigh_unpriced(f);
    for (uint32_t i = 0; i < f->entrants; i++) {
        const struct entrant *e = &f->entrant[i];
        const struct stow_spread_constraint *cluster =
            constraint(f, e->binding, STOW_SPREAD_CLUSTER);
        const struct stow_spread_constraint *region = constraint(f, e->binding, STOW_SPREAD_REGION);
        struct stow_joint_workload *w = &f->workload[i];

        *w = (struct stow_joint_workload){.replicas = e->binding->replicas,
                                          .request = e->request,
                                          .cluster_min = limit_of(cluster, false),
                                          .cluster_max = limit_of(cluster, true),
                                          .region_min = limit_of(region, false),
                                          .region_max = limit_of(region, true)};
        if (add_options(f, e, w) < 0 || add_shares(f, e, w) < 0)
            return stow_fail_memory(err);
    }
    return STOW_OK;
}

static int number_regions(struct fleet *f, uint32_t *ret_count, struct stow_err *err)
{
    STOW_AUTO(stow_free_local)
    uint32_t *number = calloc(f->s->text.entries + 1, sizeof(*number));

    f->region = stow_arena_zalloc(f->arena, (f->s->clusters + 1) * sizeof(*f->region));
    if (!number || !f->region)
        return stow_fail_memory(err);
    *ret_count = 0;
    for (uint32_t i = 0; i < f->s->clusters; i++) {
        uint32_t *of = &number[f->s->cluster[i].region];

        if (*of == 0)
            *of = ++*ret_count;
        f->region[i] = *of - 1;
    }
    return STOW_OK;
}

/* ---- the answer -------------------------------------------------------------------------- */

static int write_binding(struct fleet *f, uint32_t number, struct stow_err *err)
{
    const struct entrant *e = &f->entrant[number];
    const struct stow_joint_workload *w = &f->workload[number];
    struct stow_joint_binding *to = &f->ret->binding[e->binding - f->s->binding];

    to->target = stow_arena_alloc(f->arena, (w->options + 1) * sizeof(*to->target));
    if (!to->target)
        return stow_fail_memory(err);
    to->left_out = w->replicas;
    for (uint32_t k = w->option; k < w->option + w->options; k++) {
        int64_t replicas = f->ret->answer.replicas[k];
        stow_cluster_id cluster = f->site[f->option[k].site].cluster;
        struct stow_joint_target *last = to->targets ? &to->target[to->targets - 1] : NULL;

        to->left_out -= replicas;
        if (replicas == 0)
            continue;
        if (last && last->cluster == cluster)
            last->replicas += replicas;
        else
            to->target[to->targets++] =
                (struct stow_joint_target){cluster, replicas, e->held[cluster], 0};
    }
    for (uint32_t i = 0; i < to->targets; i++) {
        struct stow_joint_target *t = &to->target[i];

        t->price = stow_price_list_cost(&e->list[t->cluster], t->held, t->replicas);
        if (e->list[t->cluster].steps == 0 ||
            e->list[t->cluster].step[0].price == STOW_MONEY_UNKNOWN)
            f->ret->unpriced += t->replicas;
    }
    return STOW_OK;
}

static int keep(struct fleet *f, void *list, size_t bytes, const void **ret, struct stow_err *err)
{
    *ret = stow_arena_copy(f->arena, bytes ? list : (const void *)"", bytes);
    free(list);
    return *ret ? STOW_OK : stow_fail_memory(err);
}

/* Growing lists become the answer's; they are freed whatever happens. */
static int keep_lists(struct fleet *f, struct stow_err *err)
{
    const void *row, *use, *site, *option, *share;
    int a = keep(f, f->row, f->rows * sizeof(*f->row), &row, err);
    int b = keep(f, f->use, f->uses * sizeof(*f->use), &use, err);
    int c = keep(f, f->site, f->sites * sizeof(*f->site), &site, err);
    int d = keep(f, f->option, f->options_made * sizeof(*f->option), &option, err);
    int e = keep(f, f->share, f->shares * sizeof(*f->share), &share, err);

    f->row = (struct stow_joint_row *)row;
    f->use = (struct stow_joint_use *)use;
    f->site = (struct stow_joint_site *)site;
    f->option = (struct stow_joint_option *)option;
    f->share = (struct stow_joint_share *)share;
    return a < 0 || b < 0 || c < 0 || d < 0 || e < 0 ? STOW_ENOMEM : STOW_OK;
}

static int make_lists(struct fleet *f, uint32_t *ret_regions, struct stow_err *err)
{
    STOW_TRY(find_entrants(f, err));
    STOW_TRY(find_resources(f, err));
    STOW_TRY(find_requests(f, err));
    STOW_TRY(number_regions(f, ret_regions, err));
    pin_entrants(f);
    STOW_TRY(make_sites(f, err));
    return make_workloads(f, err);
}

static int divide_fleet(struct fleet *f, struct stow_err *err)
{
    uint32_t regions = 0;
    int made = make_lists(f, &regions, err);
    int kept = keep_lists(f, err);

    STOW_TRY(made);
    STOW_TRY(kept);
    f->ret->problem = (struct stow_joint_problem){
        .workload = f->workload,
        .option = f->option,
        .share = f->share,
        .site = f->site,
        .use = f->use,
        .row = f->row,
        .region = f->region,
        .workloads = f->entrants,
        .options = f->options_made,
        .sites = f->sites,
        .rows = f->rows,
        .clusters = f->s->clusters,
        .regions = regions,
        .resources = f->resources,
        .disruption = f->options->disruption == STOW_MONEY_UNKNOWN ? 0 : f->options->disruption};
    f->ret->workloads = f->entrants;
    STOW_TRY(stow_joint_solve(&f->ret->problem, &f->ret->answer, err));
    for (uint32_t i = 0; i < f->entrants; i++)
        STOW_TRY(write_binding(f, i, err));
    return STOW_OK;
}

int stow_divide_jointly(struct stow_divider *divider, const struct stow_joint_options *options,
                        struct stow_joint_division *ret, struct stow_err *err)
{
    STOW_AUTO(fleet_close)
    struct fleet f = {
        .divider = divider, .s = divider->s, .options = options, .ret = ret, .arena = &ret->arena};

    *ret = (struct stow_joint_division){0};
    ret->binding = stow_arena_zalloc(&ret->arena, (f.s->bindings + 1) * sizeof(*ret->binding));

    int code = ret->binding ? divide_fleet(&f, err) : stow_fail_memory(err);

    if (code < 0)
        stow_joint_division_done(ret);
    return code;
}

void stow_joint_division_done(struct stow_joint_division *division)
{
    stow_joint_answer_done(&division->answer);
    stow_arena_done(&division->arena);
    *division = (struct stow_joint_division){0};
}
