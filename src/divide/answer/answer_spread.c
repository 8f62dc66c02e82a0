/* answer_spread.c - what each spread constraint costs.
 *
 * The cheapest division of the workload, all of it from scratch, with every constraint, and again
 * with one of them left out: the difference is what that one costs.  The first of these is
 * also what could be saved by moving what is in place.  Two constraints may
 * cost the same money, so the differences do not add up.  Clusters that the constraint
 * keeps away since they state no region, zone or provider come back when it is left out. */
#include "divide/answer/answer_internal.h"

/* ---- whether they are kept --------------------------------------------------------------- */

static uint32_t count_clusters(const struct stow_fleet_workload *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->targets; i++)
        count += w->target[i].replicas > 0;
    return count;
}

static stow_sym region_of(const struct stow_fleet_work *k, const struct stow_fleet_target *t)
{
    return t->cluster == STOW_NONE || t->replicas <= 0 ? 0 : k->s->cluster[t->cluster].region;
}

static uint32_t count_regions(const struct stow_fleet_work *k, const struct stow_fleet_workload *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->targets; i++) {
        stow_sym region = region_of(k, &w->target[i]);
        uint32_t before = 0;

        while (before < i && region_of(k, &w->target[before]) != region)
            before++;
        count += region && before == i;
    }
    return count;
}

void stow_fleet_check_spread(const struct stow_fleet_work *k, struct stow_fleet_workload *w)
{
    const struct stow_propagation *placement = stow_propagation_get(k->s, w->binding->placement);
    uint32_t count;
    const struct stow_spread_constraint *list =
        STOW_LIST(k->s, placement->spread, struct stow_spread_constraint, &count);

    for (uint32_t i = 0; w->targets && i < count; i++) {
        if (list[i].field != STOW_SPREAD_CLUSTER && list[i].field != STOW_SPREAD_REGION)
            continue;

        int64_t groups =
            list[i].field == STOW_SPREAD_CLUSTER ? count_clusters(w) : count_regions(k, w);

        w->broken += groups < list[i].min_groups || groups > list[i].max_groups;
    }
}

/* ---- what they cost ---------------------------------------------------------------------- */

/* Where constraints are looked at. */
static bool obeys(enum stow_division_strategy strategy)
{
    return strategy == STOW_DIVIDE_DYNAMIC_WEIGHT || strategy == STOW_DIVIDE_AGGREGATED ||
           strategy == STOW_DIVIDE_COST_OPTIMIZED;
}

static stow_nano cost_of(const struct stow_fleet_work *k, const struct stow_division *made)
{
    stow_nano sum = 0;

    for (uint32_t i = 0; i < made->targets; i++) {
        stow_cluster_id id = stow_cluster_find(k->s, made->target[i].cluster);
        stow_nano cost = id == STOW_NONE
                             ? STOW_MONEY_UNKNOWN
                             : stow_price_list_cost(&k->price[id], made->cluster[id].held,
                                                    made->target[i].replicas);

        if (cost == STOW_MONEY_UNKNOWN)
            return STOW_MONEY_UNKNOWN;
        stow_add_clamped(&sum, cost);
    }
    return sum;
}

/* Whether a cluster that could take replicas has no price, and comes last therefore: then what is
 * found is the cheapest of the others only. */
static bool is_unsure(const struct stow_fleet_work *k, const struct stow_division *made)
{
    if (k->options->costs->unknown != STOW_UNKNOWN_LAST)
        return false;
    for (stow_cluster_id i = 0; i < k->s->clusters; i++) {
        const struct stow_price_list *list = &k->price[i];
        const struct stow_divide_cluster *c = &made->cluster[i];
        bool priced = list->steps > 0;

        for (uint32_t n = 0; n < list->steps; n++)
            priced &= list->step[n].price != STOW_MONEY_UNKNOWN;
        if (!priced && !c->rejected && !c->deleted && c->available > 0)
            return true;
    }
    return false;
}

/* 1: there is a division, 0: there is none. */
static int cheapest(struct stow_fleet_work *k, const struct stow_binding *b, uint32_t ignore,
                    stow_nano *ret, bool *ret_unsure, struct stow_err *err)
{
    struct stow_divide_costs costs = *k->options->costs; /* borrows all that it points to */
    struct stow_divide_options o = k->options->each;

    costs.ignore_spread = ignore;
    costs.rules = STOW_COST_CHEAPEST_FIRST;
    o.costs = &costs;
    o.strategy = STOW_DIVIDE_COST_OPTIMIZED;
    o.always = o.fresh = true;
    *ret = STOW_MONEY_UNKNOWN;
    STOW_TRY(stow_fleet_decide(k, b, &o, &k->made, err));
    if (k->made.outcome != STOW_DIVIDE_SUCCESS || !k->made.cluster)
        return 0;
    *ret = cost_of(k, &k->made);
    *ret_unsure |= is_unsure(k, &k->made);
    return 1;
}

int stow_fleet_spread_costs(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                            struct stow_err *err)
{
    const struct stow_propagation *placement = stow_propagation_get(k->s, w->binding->placement);
    uint32_t count;
    const struct stow_spread_constraint *list =
        STOW_LIST(k->s, placement->spread, struct stow_spread_constraint, &count);

    w->anew = STOW_MONEY_UNKNOWN;
    if (!obeys(w->made.strategy))
        return STOW_OK;
    w->spread = stow_arena_zalloc(&k->ret->arena, (count + 1) * sizeof(*w->spread));
    if (!w->spread)
        return stow_fail_memory(err);

    int code = cheapest(k, w->binding, 0, &w->anew, &w->unsure, err);

    STOW_TRY(code);
    w->possible_anew = code == 1;

    const struct stow_spread_cost all = {.possible = w->possible_anew,
                                         .with = w->unsure ? STOW_MONEY_UNKNOWN : w->anew};

    for (uint32_t i = 0; i < count; i++) {
        struct stow_spread_cost *to = &w->spread[w->spreads++];
        bool unsure = false;

        *to = all;
        to->constraint = list[i];
        code = cheapest(k, w->binding, 1U << list[i].field, &to->without, &unsure, err);
        STOW_TRY(code);
        to->possible_without = code == 1;
        if (unsure)
            to->without = STOW_MONEY_UNKNOWN;
    }
    return STOW_OK;
}
