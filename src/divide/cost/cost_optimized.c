/* cost_optimized.c - the cheapest cluster first, filled, then the next: what the proposal promises.
 *
 *     first time, or Fresh    all replicas, cheapest first, by what is free and what is there
 *     more replicas           the added ones, cheapest first; what is there stays
 *     fewer replicas          from the most expensive first
 *     as many                 nothing changes
 *
 * Clusters stand in the order of price, then of room (more first), then of name; that order
 * also settles ties, and from its end replicas are taken away.
 *
 * Spread constraints choose clusters that get a replica each (Karmada's own step counts a
 * cluster without replicas, too): over all allowed choices the cheapest division
 * (cheapest.c).  Where what is there breaks them, staying is impossible and the workload is
 * divided from scratch, with a warning.
 *
 * The proposal's own sketch (`rules: kep-literal`) puts -100 * price into the clusters' scores, in
 * 32-bit floating point and beside 100 for staying, and then divides like Aggregated, which
 * sorts by room and splits in proportion.  It does not do what it promises; it is here to show
 * that. */
#include <inttypes.h>
#include <stdlib.h>

#include "divide/cost/cheapest.h"
#include "divide/cost/price.h"
#include "divide/divide_internal.h"

enum mode { FIRST, MORE, FEWER, SAME, FRESH };

/* A cluster in the order of prices. */
struct stall {
    stow_cluster_id cluster;
    stow_nano price; /* of the first step; for the order */
    int64_t room;
};

/* The question of one decision, as cheapest.h asks it. */
struct chart {
    struct stow_binding_decision *d;
    enum mode mode;
    struct stow_price_list *list; /* by cluster id */
    struct stall *stall;          /* in the same order as the places */
    struct stow_cheap_place *place;
    struct stow_cheap_step *step;
    uint32_t steps;
    uint32_t *region;         /* by text: number of the region + 1 */
    int64_t assigned, offers; /* replicas in place; room of all clusters, for messages */
    struct stow_cheap_problem p;
};

static const struct stow_divide_costs *costs_of(const struct stow_binding_decision *d)
{
    return d->options->costs;
}

/* ---- what is constrained ----------------------------------------------------------------- */

static const struct stow_spread_constraint *constraint(const struct stow_binding_decision *d,
                                                       enum stow_spread_field field)
{
    if (costs_of(d)->ignore_spread >> field & 1)
        return NULL;
    return stow_decision_spread(d, field);
}

static bool is_spread(const struct stow_binding_decision *d)
{
    return constraint(d, STOW_SPREAD_CLUSTER) || constraint(d, STOW_SPREAD_REGION);
}

static uint32_t groups_min(const struct stow_spread_constraint *c)
{
    return c && c->min_groups > 0 ? (uint32_t)c->min_groups : 0;
}

static uint32_t groups_max(const struct stow_spread_constraint *c)
{
    return !c ? STOW_CHEAP_NO_MAX : c->max_groups > 0 ? (uint32_t)c->max_groups : 0;
}

static uint32_t number_region(struct chart *t, stow_cluster_id cluster)
{
    uint32_t *number = &t->region[t->d->s->cluster[cluster].region];

    if (*number == 0)
        *number = ++t->p.regions;
    return *number - 1;
}

static void forget_regions(const struct chart *t)
{
    for (uint32_t i = 0; t->region && i < t->d->selections; i++)
        t->region[t->d->s->cluster[t->d->selected[i]].region] = 0;
}

/* ---- what it costs ----------------------------------------------------------------------- */

/* A price to compare with: unknown ones as the policy says, STOW_MONEY_UNKNOWN: not at all. */
static stow_nano priced(const struct chart *t, stow_nano price, stow_nano last)
{
    const struct stow_divide_costs *costs = costs_of(t->d);

    if (price != STOW_MONEY_UNKNOWN)
        return price;
    return costs->unknown == STOW_UNKNOWN_ASSUME    ? costs->assumed
           : costs->unknown == STOW_UNKNOWN_EXCLUDE ? STOW_MONEY_UNKNOWN
                                                    : last;
}

/* What one replica without a price weighs: more than all of them at the most expensive known price.
 */
static stow_nano last_price(const struct chart *t)
{
    stow_i128 dearest = 0;

    for (uint32_t i = 0; i < t->d->selections; i++) {
        const struct stow_price_list *list = &t->list[t->d->selected[i]];

        for (uint32_t k = 0; k < list->steps; k++)
            if (list->step[k].price > dearest)
                dearest = list->step[k].price;
    }
    dearest = (dearest + 1) * ((stow_i128)t->d->replicas + 1);
    return dearest > INT64_MAX / 2 ? INT64_MAX / 2 : (stow_nano)dearest;
}

/* The steps of a cluster.  Replicas in place are of its first step and take no room of it. */
static void add_steps(struct chart *t, stow_cluster_id cluster, stow_nano last,
                      struct stow_cheap_place *ret)
{
    const struct stow_price_list *list = &t->list[cluster];

    ret->step = t->steps;
    for (uint32_t k = 0; k < list->steps; k++) {
        stow_nano price = priced(t, list->step[k].price, last);
        int64_t capacity = list->step[k].capacity;

        if (k == 0)
            stow_add_clamped(&capacity, t->d->cluster[cluster].held);
        if (price != STOW_MONEY_UNKNOWN)
            t->step[t->steps++] = (struct stow_cheap_step){capacity, price};
    }
    ret->steps = t->steps - ret->step;
}

/* ---- how many a cluster may have --------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void bound_place(const struct chart *t, stow_cluster_id cluster,
                        struct stow_cheap_place *ret)
{
    const struct stow_divide_cluster *c = &t->d->cluster[cluster];
    const struct stow_cost_limit *limit =
        stow_cost_limit_find(costs_of(t->d), t->d->binding, cluster);
    int64_t least = limit ? limit->min : 0;

    ret->most = t->mode == FEWER ? c->held : c->available;
    if (limit)
        ret->most = smaller(ret->most, limit->max);
    if (t->mode == MORE) { /* what is there stays, whatever the limits say */
        least = larger(smaller(least, c->available), c->held);
        ret->most = larger(ret->most, c->held);
    }
    if (t->mode == FEWER)
        least = smaller(least, c->held);
    ret->forced = least > 0;
    ret->least = larger(least, 1);
}

static int compare_stalls(const void *a, const void *b)
{
    const struct stall *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    if (x->room != y->room)
        return x->room > y->room ? -1 : 1;
    return (x->cluster > y->cluster) - (x->cluster < y->cluster); /* ids are in order of names */
}

static void sort_stalls(struct chart *t, stow_nano last)
{
    struct stow_binding_decision *d = t->d;

    for (uint32_t i = 0; i < d->selections; i++) {
        const struct stow_price_list *list = &t->list[d->selected[i]];
        const struct stow_divide_cluster *c = &d->cluster[d->selected[i]];
        stow_nano price = list->steps ? priced(t, list->step[0].price, last) : last;

        t->stall[i] = (struct stall){d->selected[i], price == STOW_MONEY_UNKNOWN ? last : price,
                                     t->mode == MORE ? c->allocatable : c->available};
    }
    qsort(t->stall, d->selections, sizeof(*t->stall), compare_stalls);
}

static void add_places(struct chart *t)
{
    stow_nano last = last_price(t);

    t->steps = t->p.regions = 0;
    t->offers = 0;
    sort_stalls(t, last);
    forget_regions(t);
    for (uint32_t i = 0; i < t->d->selections; i++) {
        stow_cluster_id cluster = t->stall[i].cluster;
        struct stow_cheap_place *place = &t->place[i];
        int64_t room = 0;

        *place = (struct stow_cheap_place){.region = t->region ? number_region(t, cluster) : 0};
        add_steps(t, cluster, last, place);
        bound_place(t, cluster, place);
        for (uint32_t k = 0; k < place->steps; k++)
            stow_add_clamped(&room, t->step[place->step + k].capacity);
        t->offers += smaller(room, place->most);
    }
}

/* ---- the question ------------------------------------------------------------------------ */

static enum mode find_mode(struct chart *t)
{
    const struct stow_binding_decision *d = t->d;

    t->assigned = 0;
    for (uint32_t i = 0; i < d->selections; i++)
        t->assigned += d->cluster[d->selected[i]].held;
    if (d->fresh)
        return FRESH;
    if (t->assigned == 0)
        return FIRST;
    return t->assigned == d->replicas ? SAME : t->assigned < d->replicas ? MORE : FEWER;
}

static int open_chart(struct chart *t, struct stow_err *err)
{
    struct stow_binding_decision *d = t->d;
    const struct stow_spread_constraint *cluster = constraint(d, STOW_SPREAD_CLUSTER);
    const struct stow_spread_constraint *region = constraint(d, STOW_SPREAD_REGION);
    size_t steps = 1;

    STOW_TRY(stow_divide_prices(costs_of(d), d->binding, d->arena, &t->list, err));
    for (uint32_t i = 0; i < d->selections; i++)
        steps += t->list[d->selected[i]].steps;
    t->stall = stow_arena_alloc(d->arena, (d->selections + 1) * sizeof(*t->stall));
    t->place = stow_arena_alloc(d->arena, (d->selections + 1) * sizeof(*t->place));
    t->step = stow_arena_alloc(d->arena, steps * sizeof(*t->step));
    if (region)
        t->region = stow_arena_zalloc(d->arena, (d->s->text.entries + 1) * sizeof(*t->region));
    if (!t->stall || !t->place || !t->step || (region && !t->region))
        return stow_fail_memory(err);
    t->p = (struct stow_cheap_problem){.place = t->place,
                                       .step = t->step,
                                       .places = d->selections,
                                       .replicas = d->replicas,
                                       .place_min = groups_min(cluster),
                                       .place_max = groups_max(cluster),
                                       .region_min = groups_min(region),
                                       .region_max = groups_max(region),
                                       .ties = true,
                                       .states_max = STOW_CHEAP_STATES};
    t->mode = find_mode(t);
    return STOW_OK;
}

/* Whether what is there is what the constraints allow. */
static bool held_is_allowed(const struct chart *t)
{
    uint32_t clusters = 0, regions = 0;

    forget_regions(t);
    for (uint32_t i = 0; i < t->d->selections; i++) {
        stow_cluster_id id = t->d->selected[i];

        if (t->d->cluster[id].held <= 0)
            continue;
        clusters++;
        if (!t->region || t->region[t->d->s->cluster[id].region])
            continue;
        t->region[t->d->s->cluster[id].region] = 1;
        regions++;
    }
    return clusters >= t->p.place_min && clusters <= t->p.place_max && regions >= t->p.region_min &&
           regions <= t->p.region_max;
}

/* ---- the answer -------------------------------------------------------------------------- */

static int fail_room(struct chart *t, const struct stow_cheap_answer *answer, struct stow_err *err)
{
    static const char *const doing[] = {[FIRST] = "scale up",
                                        [MORE] = "scale up",
                                        [FEWER] = "scale down",
                                        [SAME] = "scale up",
                                        [FRESH] = "do fresh scale"};
    struct stow_binding_decision *d = t->d;
    uint32_t least = t->p.place_min > t->p.region_min ? t->p.place_min : t->p.region_min;

    if (is_spread(d) && (int64_t)least > d->replicas)
        return stow_decision_fail(d, err, STOW_DIVIDE_UNSCHEDULABLE,
                                  "failed to assign replicas: minGroups %u of a spread constraint "
                                  "is above the %d replicas",
                                  least, d->replicas);
    d->available_sum =
        (t->offers < d->replicas ? t->offers : answer->room) - (t->mode == MORE ? t->assigned : 0);
    return stow_decision_fail(d, err, STOW_DIVIDE_UNSCHEDULABLE,
                              "failed to assign replicas: failed to %s: Clusters available "
                              "replicas %" PRId64 " are not enough to schedule.",
                              doing[t->mode], d->available_sum);
}

static int warn_unproved(struct chart *t, const struct stow_cheap_answer *answer,
                         struct stow_err *err)
{
    char text[STOW_MONEY_TEXT];
    stow_i128 gap = answer->cost - answer->bound;

    if (answer->exact || gap <= 0)
        return STOW_OK;
    return stow_decision_warn(
        t->d, err,
        "the search over clusters was too large to finish: the division costs at most %s per hour "
        "more than the cheapest",
        stow_money_short(gap > INT64_MAX ? STOW_MONEY_UNKNOWN : (stow_nano)gap, text));
}

/* 1: found; 0: there is no division. */
static int ask(struct chart *t, struct stow_cheap_answer *ret, struct stow_err *err)
{
    add_places(t);
    return stow_cheapest(&t->p, t->d->arena, ret, err);
}

/* Divides d->selected; where nothing that stays is allowed, from scratch. */
static int solve(struct chart *t, struct stow_cheap_answer *ret, struct stow_err *err)
{
    int found = ask(t, ret, err);

    if (found == 0 && is_spread(t->d) && (t->mode == MORE || t->mode == FEWER)) {
        enum mode before = t->mode;

        t->mode = FRESH;
        found = ask(t, ret, err);
        STOW_TRY(found);
        if (found == 1)
            STOW_TRY(stow_decision_warn(
                t->d, err,
                "the existing replicas cannot meet the spread constraints: divided from scratch"));
        else
            t->mode = before;
    }
    STOW_TRY(found);
    if (found == 0)
        return fail_room(t, ret, err);
    return warn_unproved(t, ret, err);
}

/* ---- without any price ------------------------------------------------------------------- */

static bool nothing_is_priced(const struct stow_binding_decision *d,
                              const struct stow_price_list *list)
{
    for (uint32_t i = 0; i < d->orders; i++)
        for (uint32_t k = 0; k < list[d->order[i]].steps; k++)
            if (list[d->order[i]].step[k].price != STOW_MONEY_UNKNOWN)
                return false;
    return true;
}

/* 1: like Aggregated, since no cluster has a price and those without come last. */
static int falls_back(struct stow_binding_decision *d, struct stow_err *err)
{
    const struct stow_divide_costs *costs = costs_of(d);
    const bool excluded = costs && costs->unknown == STOW_UNKNOWN_EXCLUDE;
    struct stow_price_list *list;

    if (costs && costs->unknown == STOW_UNKNOWN_ASSUME)
        return 0;
    if (costs) {
        STOW_TRY(stow_divide_prices(costs, d->binding, d->arena, &list, err));
        if (!nothing_is_priced(d, list))
            return 0;
    }
    STOW_TRY(stow_decision_warn(d, err, "%s",
                                excluded ? "no cluster has a price, and such clusters are left out "
                                           "(--unknown-price exclude)"
                                         : "no cluster has a price: divided like Aggregated"));
    return excluded ? 0 : 1;
}

static int assign_aggregated(struct stow_binding_decision *d, struct stow_err *err)
{
    enum stow_division_strategy strategy = d->strategy;

    d->strategy = STOW_DIVIDE_AGGREGATED;

    int code = stow_divide_aggregated.assign(d, err);

    d->strategy = strategy;
    return code;
}

/* ---- the proposal to the letter ---------------------------------------------------------- */

static bool is_literal(const struct stow_binding_decision *d)
{
    return costs_of(d) && costs_of(d)->rules == STOW_COST_KEP_LITERAL;
}

/* One cluster whose price cannot be fetched fails the whole attempt. */
static int select_literally(struct stow_binding_decision *d, struct stow_err *err)
{
    struct stow_price_list *list;

    STOW_TRY(stow_divide_prices(costs_of(d), d->binding, d->arena, &list, err));
    for (uint32_t i = 0; i < d->orders; i++) {
        const struct stow_price_list *of = &list[d->order[i]];
        stow_nano price = of->steps ? of->step[0].price : STOW_MONEY_UNKNOWN;

        if (price == STOW_MONEY_UNKNOWN)
            return stow_decision_fail(d, err, STOW_DIVIDE_ERROR,
                                      "failed to score clusters: Error fetching cost: cluster %s "
                                      "has none",
                                      d->s->cluster[d->order[i]].name);
        d->cluster[d->order[i]].score += stow_kep_score(price);
    }
    qsort_r(d->order, d->orders, sizeof(*d->order), stow_divide_compare, d->cluster);
    return stow_divide_select(d, err);
}

/* ---- the strategy ------------------------------------------------------------------------ */

/* Keeps the clusters that the cheapest division uses. */
static int select_spread(struct stow_binding_decision *d, struct stow_err *err)
{
    struct chart t = {.d = d};
    struct stow_cheap_answer answer;

    STOW_TRY(open_chart(&t, err));
    if (t.mode == SAME) {
        if (held_is_allowed(&t))
            return STOW_OK;
        t.mode = FRESH;
        STOW_TRY(stow_decision_warn(
            d, err, "the existing replicas violate the spread constraints: divided from scratch"));
    }

    int code = solve(&t, &answer, err);

    if (code != STOW_OK)
        return code;
    if (t.mode == FRESH)
        d->fresh = true; /* also for `assign` */
    d->selections = 0;
    for (uint32_t i = 0; i < t.p.places; i++)
        if (answer.replicas[i] > 0)
            d->selected[d->selections++] = t.stall[i].cluster;
    return STOW_OK;
}

static int select_cheapest(struct stow_binding_decision *d, struct stow_err *err)
{
    if (stow_divide_everywhere(d))
        return stow_divide_select(d, err);
    if (is_literal(d))
        return select_literally(d, err);

    int code = falls_back(d, err);

    STOW_TRY(code);
    if (code == 1)
        return stow_divide_select(d, err);
    for (uint32_t i = 0; i < d->orders; i++)
        d->selected[i] = d->order[i];
    d->selections = d->orders;
    return is_spread(d) && d->replicas > 0 ? select_spread(d, err) : STOW_OK;
}

static void give(struct stow_binding_decision *d, stow_cluster_id cluster, int64_t replicas)
{
    stow_decision_give(d, d->s->cluster[cluster].symbol, (int32_t)replicas);
}

static int assign_cheapest(struct stow_binding_decision *d, struct stow_err *err)
{
    struct chart t = {.d = d};
    struct stow_cheap_answer answer;

    if (is_literal(d))
        return assign_aggregated(d, err);

    int code = falls_back(d, err);

    STOW_TRY(code);
    if (code == 1)
        return assign_aggregated(d, err);
    if (d->replicas == 0)
        return STOW_OK;
    STOW_TRY(open_chart(&t, err));
    if (t.mode == SAME) {
        for (uint32_t i = 0; i < d->selections; i++)
            if (d->cluster[d->selected[i]].target)
                give(d, d->selected[i], d->cluster[d->selected[i]].held);
        return STOW_OK;
    }
    code = solve(&t, &answer, err);
    if (code != STOW_OK)
        return code;
    for (uint32_t i = 0; i < t.p.places; i++)
        if (answer.replicas[i] > 0)
            give(d, t.stall[i].cluster, answer.replicas[i]);
    return STOW_OK;
}

const struct stow_divide_strategy stow_divide_cost_optimized = {
    .name = "CostOptimized",
    .keeps_capacity = true,
    .select = select_cheapest,
    .assign = assign_cheapest,
};
