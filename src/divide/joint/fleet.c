/* fleet.c - a fleet as a joint problem, and its answer as targets.
 *
 * Where the room is, is in fleet_sites.c.
 *
 * Unknown prices: with `last` a replica without a price counts several times the most expensive
 * known one, so that it is placed there only when that leaves fewer out. */
#include "divide/joint/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "divide/joint/joint_fleet_internal.h"
#include "divide/karmada/first_fit.h"
#include "model/build.h"

#define UNPRICED_TIMES 8

static void fleet_close(struct stow_joint_fleet *f)
{
    void *const lists[] = {f->resource, f->grade};

    stow_division_done(&f->made);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]);
}

/* ---- who takes part ---------------------------------------------------------------------- */

static enum stow_joint_skip skips(const struct stow_joint_fleet *f, const struct stow_binding *b)
{
    const struct stow_propagation *placement = stow_propagation_get(f->s, b->placement);
    uint32_t components;

    (void)STOW_LIST(f->s, b->components, struct stow_component, &components);
    if (b->replicas <= 0 || components > 1 || (b->flags & STOW_BINDING_DELETED))
        return STOW_JOINT_NO_REPLICAS;
    if (f->options->in)
        return f->options->in[b - f->s->binding] ? STOW_JOINT_IN : STOW_JOINT_OTHER_STRATEGY;
    if (!f->options->all && (placement->type != STOW_SCHEDULING_DIVIDED ||
                             placement->preference != STOW_PREFERENCE_COST_OPTIMIZED))
        return STOW_JOINT_OTHER_STRATEGY;
    return STOW_JOINT_IN;
}

/* The filters of a decision by itself say where it may go. */
static int filter(struct stow_joint_fleet *f, struct stow_joint_entrant *e, struct stow_err *err)
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

static int open_entrant(struct stow_joint_fleet *f, const struct stow_binding *b,
                        struct stow_joint_entrant *e, struct stow_err *err)
{
    uint32_t clusters = f->s->clusters;

    *e = (struct stow_joint_entrant){
        .binding = b,
        .held = stow_arena_zalloc(f->arena, (clusters + 1) * sizeof(*e->held)),
        .feasible = stow_arena_zalloc(f->arena, (clusters + 1) * sizeof(*e->feasible)),
        .room = stow_arena_alloc(f->arena, (clusters + 1) * sizeof(*e->room)),
        .has_requests = (b->flags & STOW_BINDING_HAS_REQUIREMENTS) != 0};
    if (!e->held || !e->feasible || !e->room)
        return stow_fail_memory(err);
    STOW_TRY(stow_divide_prices(f->options->costs, b, f->arena, &e->list, err));
    return filter(f, e, err);
}

static int compare_entrants(const void *a, const void *b)
{
    const struct stow_binding *x = ((const struct stow_joint_entrant *)a)->binding;
    const struct stow_binding *y = ((const struct stow_joint_entrant *)b)->binding;

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return (x > y) - (x < y); /* bindings are in order of names */
}

static int find_entrants(struct stow_joint_fleet *f, struct stow_err *err)
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

static uint32_t number_resource(const struct stow_joint_fleet *f, stow_sym resource)
{
    uint32_t i = 0;

    while (i < f->resources && f->resource[i] != resource)
        i++;
    return i;
}

static int find_resources(struct stow_joint_fleet *f, struct stow_err *err)
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

static int find_requests(struct stow_joint_fleet *f, struct stow_err *err)
{
    for (uint32_t i = 0; i < f->entrants; i++) {
        struct stow_joint_entrant *e = &f->entrant[i];
        uint32_t count;
        const struct stow_exact *list =
            STOW_LIST(f->s, e->binding->requests, struct stow_exact, &count);

        e->request = stow_arena_zalloc(f->arena, (f->resources + 1) * sizeof(*e->request));
        if (!e->request)
            return stow_fail_memory(err);
        for (uint32_t k = 0; e->has_requests && k < count; k++)
            if (list[k].resource != STOW_SYM_PODS)
                e->request[number_resource(f, list[k].resource)] =
                    stow_joint_units(list[k].resource, stow_exact_nano(&list[k]));
        e->request[f->resources - 1] = 1;
    }
    return STOW_OK;
}

/* ---- what stays -------------------------------------------------------------------------- */

static const struct stow_spread_constraint *constraint(const struct stow_joint_fleet *f,
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
static void count_held(const struct stow_joint_fleet *f, const struct stow_joint_entrant *e,
                       uint32_t ret[2])
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
static bool held_is_allowed(const struct stow_joint_fleet *f, const struct stow_joint_entrant *e)
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

static void pin_entrants(struct stow_joint_fleet *f)
{
    for (uint32_t i = 0; i < f->entrants; i++) {
        struct stow_joint_entrant *e = &f->entrant[i];
        bool stays = f->options->disruption == STOW_MONEY_UNKNOWN && !f->options->fresh &&
                     !stow_binding_is_fresh(e->binding) && e->assigned > 0;

        e->pinned = stays && held_is_allowed(f, e);
        f->ret->binding[e->binding - f->s->binding].anew = stays && !e->pinned;
    }
}

/* ---- options ----------------------------------------------------------------------------- */

/* What fits nodes of a grade, 0: none. */
static int64_t most_of(const struct stow_joint_fleet *f, const struct stow_joint_entrant *e,
                       uint32_t site)
{
    const struct stow_capacity *capacity = &f->divider->capacity;
    stow_cluster_id cluster = f->site[site].cluster;
    uint32_t grades, number = f->grade[site];

    if (number == STOW_GRADE_PODS)
        return e->has_requests ? 0 : INT64_MAX;
    if (number == STOW_GRADE_ALL || number == STOW_GRADE_HELD)
        return e->room[cluster] < 0 ? INT64_MAX : e->room[cluster] + e->held[cluster];
    if (!e->has_requests)
        return 0;

    const struct stow_grade *grade = STOW_LIST(
        f->s, capacity->models[capacity->model[cluster]].grades, struct stow_grade, &grades);
    int64_t fit = stow_fit_times(f->s, grade[number].min, e->binding->requests);

    return stow_joint_times(capacity->count[capacity->counts[cluster] + number],
                            fit < STOW_PODS_PER_VIRTUAL_NODE ? fit : STOW_PODS_PER_VIRTUAL_NODE);
}

/* A price as the policy has it; STOW_MONEY_UNKNOWN: the place is not there. */
static stow_nano counted(const struct stow_joint_fleet *f, stow_nano price)
{
    const struct stow_divide_costs *costs = f->options->costs;

    if (price != STOW_MONEY_UNKNOWN)
        return price;
    return costs->unknown == STOW_UNKNOWN_ASSUME    ? costs->assumed
           : costs->unknown == STOW_UNKNOWN_EXCLUDE ? STOW_MONEY_UNKNOWN
                                                    : f->ret->unpriced_weight;
}

/* Of a cluster with several, the first. */
static stow_nano price_of(const struct stow_joint_fleet *f, const struct stow_joint_entrant *e,
                          stow_cluster_id cluster)
{
    const struct stow_price_list *list = &e->list[cluster];

    return counted(f, list->steps ? list->step[0].price : STOW_MONEY_UNKNOWN);
}

static void weigh_unpriced(struct stow_joint_fleet *f)
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

static int add_option(struct stow_joint_fleet *f, uint32_t site, int64_t most, stow_nano price,
                      struct stow_err *err)
{
    struct stow_joint_option *option;

    if (most <= 0 || price == STOW_MONEY_UNKNOWN)
        return STOW_OK;
    option = STOW_PUSH(&f->option, &f->options_made, &f->option_cap);
    if (!option)
        return stow_fail_memory(err);
    *option = (struct stow_joint_option){site, most, price};
    return STOW_OK;
}

/* Options on the classes of a cluster's nodes, then on what is held there. */
static int add_node_options(struct stow_joint_fleet *f, const struct stow_joint_entrant *e,
                            stow_cluster_id cluster, struct stow_err *err)
{
    const struct stow_member *member = stow_joint_member(f, cluster);
    const struct stow_node_classes *classes = &f->classes[cluster];
    size_t count = (size_t)member->s->nodes + member->s->groups;
    bool by_nodes = f->options->costs->tariff[cluster].from == STOW_PRICE_FROM_NODES;
    STOW_AUTO(stow_free_local)
    struct stow_node_offer *offer = calloc(count + 1, sizeof(*offer));
    STOW_AUTO(stow_free_local)
    struct stow_node_offer *sum = calloc(classes->count + 1, sizeof(*sum));

    if (!offer || !sum)
        return stow_fail_memory(err);
    STOW_TRY(stow_member_offers(member, f->s, e->binding, offer, err));
    for (size_t i = 0; i < count; i++)
        if (classes->of[i] != STOW_NONE && offer[i].capacity > 0) {
            stow_add_clamped(&sum[classes->of[i]].capacity, offer[i].capacity);
            sum[classes->of[i]].price = offer[i].price;
        }
    for (uint32_t i = 0; i < classes->count; i++)
        STOW_TRY(add_option(f, f->first_site[cluster] + i, sum[i].capacity,
                            by_nodes ? counted(f, sum[i].price) : price_of(f, e, cluster), err));
    if (f->first_site[cluster] + classes->count < f->first_site[cluster + 1])
        return add_option(f, f->first_site[cluster] + classes->count, INT64_MAX,
                          price_of(f, e, cluster), err);
    return STOW_OK;
}

static int add_options(struct stow_joint_fleet *f, const struct stow_joint_entrant *e,
                       struct stow_joint_workload *w, struct stow_err *err)
{
    w->option = f->options_made;
    for (uint32_t c = 0; c < f->s->clusters; c++) {
        if (!e->feasible[c])
            continue;
        if (stow_joint_member(f, c)) {
            STOW_TRY(add_node_options(f, e, c, err));
            continue;
        }
        for (uint32_t site = f->first_site[c]; site < f->first_site[c + 1]; site++)
            STOW_TRY(add_option(f, site, most_of(f, e, site), price_of(f, e, c), err));
    }
    w->options = f->options_made - w->option;
    return STOW_OK;
}

/* What is in place, and limits, of one cluster. */
static struct stow_joint_share share_of(const struct stow_joint_fleet *f,
                                        const struct stow_joint_entrant *e, stow_cluster_id cluster)
{
    const struct stow_cost_limit *limit =
        stow_cost_limit_find(f->options->costs, e->binding, cluster);
    struct stow_joint_share share = {cluster, e->held[cluster], limit ? limit->min : 0,
                                     limit && limit->max != STOW_LIMIT_NO_MAX ? limit->max
                                                                              : INT64_MAX};

    if (!e->pinned || !e->feasible[cluster])
        return share;
    if (e->binding->replicas >= e->assigned) {
        share.min = stow_joint_larger(share.min, share.held);
        share.max = stow_joint_larger(share.max, share.held);
    }
    if (e->binding->replicas <= e->assigned) {
        share.max = share.held;
        share.min = share.min < share.held ? share.min : share.held;
    }
    return share;
}

static int add_shares(struct stow_joint_fleet *f, const struct stow_joint_entrant *e,
                      struct stow_joint_workload *w)
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

static int make_workloads(struct stow_joint_fleet *f, struct stow_err *err)
{
    f->workload = stow_arena_zalloc(f->arena, (f->entrants + 1) * sizeof(*f->workload));
    if (!f->workload)
        return stow_fail_memory(err);
    weigh_unpriced(f);
    for (uint32_t i = 0; i < f->entrants; i++) {
        const struct stow_joint_entrant *e = &f->entrant[i];
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
        STOW_TRY(add_options(f, e, w, err));
        if (add_shares(f, e, w) < 0)
            return stow_fail_memory(err);
    }
    return STOW_OK;
}

static int number_regions(struct stow_joint_fleet *f, uint32_t *ret_count, struct stow_err *err)
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

/* A price that is only a weight is none. */
static void add_price(struct stow_joint_fleet *f, const struct stow_joint_option *option,
                      int64_t replicas, struct stow_joint_target *to)
{
    stow_i128 sum = (stow_i128)option->price * replicas + to->price;
    bool known = option->price != f->ret->unpriced_weight;

    if (!known)
        f->ret->unpriced += replicas;
    to->price = !known || to->price == STOW_MONEY_UNKNOWN || sum > INT64_MAX ? STOW_MONEY_UNKNOWN
                                                                             : (stow_nano)sum;
}

static int write_binding(struct stow_joint_fleet *f, uint32_t number, struct stow_err *err)
{
    const struct stow_joint_entrant *e = &f->entrant[number];
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
        if (!last || last->cluster != cluster) {
            last = &to->target[to->targets++];
            *last = (struct stow_joint_target){cluster, 0, e->held[cluster], 0};
        }
        last->replicas += replicas;
        add_price(f, &f->option[k], replicas, last);
    }
    return STOW_OK;
}

static int keep(struct stow_joint_fleet *f, void *list, size_t bytes, const void **ret,
                struct stow_err *err)
{
    *ret = stow_arena_copy(f->arena, bytes ? list : (const void *)"", bytes);
    free(list);
    return *ret ? STOW_OK : stow_fail_memory(err);
}

/* Growing lists become the answer's; they are freed whatever happens. */
static int keep_lists(struct stow_joint_fleet *f, struct stow_err *err)
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

static int make_lists(struct stow_joint_fleet *f, uint32_t *ret_regions, struct stow_err *err)
{
    STOW_TRY(find_entrants(f, err));
    STOW_TRY(find_resources(f, err));
    STOW_TRY(find_requests(f, err));
    STOW_TRY(number_regions(f, ret_regions, err));
    pin_entrants(f);
    STOW_TRY(stow_joint_fleet_sites(f, err));
    return make_workloads(f, err);
}

static int divide_fleet(struct stow_joint_fleet *f, struct stow_err *err)
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
    f->ret->resource = stow_arena_copy(f->arena, f->resource, f->resources * sizeof(*f->resource));
    if (!f->ret->resource)
        return stow_fail_memory(err);
    STOW_TRY(stow_joint_solve(&f->ret->problem, &f->ret->answer, err));
    for (uint32_t i = 0; i < f->entrants; i++)
        STOW_TRY(write_binding(f, i, err));
    for (uint32_t i = 0; i < f->options_made; i++)
        if (f->option[i].price == f->ret->unpriced_weight)
            f->ret->unpriced_apart += f->ret->answer.apart[i];
    return STOW_OK;
}

int stow_divide_jointly(struct stow_divider *divider, const struct stow_joint_options *options,
                        struct stow_joint_division *ret, struct stow_err *err)
{
    STOW_AUTO(fleet_close)
    struct stow_joint_fleet f = {
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
