/* why.c - why a cluster has replicas of a workload, or none, in a sentence. */
#include <inttypes.h>

#include <stowage/export.h>

#include "explain/division/division_internal.h"

static bool is_literal(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w)
{
    return w->made.strategy == STOW_DIVIDE_COST_OPTIMIZED && !w->joint &&
           a->costs->rules == STOW_COST_KEP_LITERAL;
}

const char *stow_division_rules(const struct stow_fleet_answer *a,
                                const struct stow_fleet_workload *w)
{
    return is_literal(a, w) ? "kep-literal" : "cheapest-first";
}

const char *stow_division_strategy_text(const struct stow_fleet_answer *a,
                                        const struct stow_fleet_workload *w)
{
    return is_literal(a, w) ? "CostOptimized (kep-literal)"
                            : stow_division_strategy_name(w->made.strategy);
}

const char *stow_trigger_text(const struct stow_fleet_workload *w)
{
    static const char *const texts[] = {
        [STOW_TRIGGER_NONE] = "nothing changed",
        [STOW_TRIGGER_PLACEMENT] = "the placement changed",
        [STOW_TRIGGER_REPLICAS] = "the number of replicas changed",
        [STOW_TRIGGER_RESCHEDULE] = "a reschedule was triggered",
        [STOW_TRIGGER_DUPLICATED] = "workloads that are not divided are decided each time",
        [STOW_TRIGGER_CLUSTER_DELETED] = "a cluster is being deleted",
        [STOW_TRIGGER_ASKED] = "asked for",
    };

    return w->made.trigger == STOW_TRIGGER_PLACEMENT && !w->binding->clusters
               ? "not divided yet"
               : texts[w->made.trigger];
}

const char *stow_spread_text(const struct stow_snapshot *s, const struct stow_spread_constraint *c)
{
    static const char *const names[STOW_SPREAD_FIELDS] = {
        [STOW_SPREAD_CLUSTER] = "cluster", [STOW_SPREAD_REGION] = "region",
        [STOW_SPREAD_ZONE] = "zone",       [STOW_SPREAD_PROVIDER] = "provider",
        [STOW_SPREAD_LABEL] = "label",
    };

    return c->field == STOW_SPREAD_LABEL && c->label ? stow_text(s, c->label).ptr : names[c->field];
}

stow_nano stow_spread_cost(const struct stow_spread_cost *spread)
{
    if (!spread->possible || !spread->possible_without || spread->with == STOW_MONEY_UNKNOWN ||
        spread->without == STOW_MONEY_UNKNOWN)
        return STOW_MONEY_UNKNOWN;
    return spread->with - spread->without;
}

/* ---- rejected ---------------------------------------------------------------------------- */

void stow_division_rejects(const struct stow_fleet_answer *a, const struct stow_divide_cluster *c,
                           enum stow_reject reject, struct stow_buf *out)
{
    static const struct stow_str prefix = {"cluster(s) ", 11};
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_reject_text(a->s, c, reject, &text);
    out->failed |= text.failed;
    if (text.failed)
        return;

    struct stow_str said = stow_buf_str(&text);

    if (stow_str_starts(said, prefix))
        said = (struct stow_str){said.ptr + prefix.len, said.len - prefix.len};
    stow_buf_add(out, said);
}

static void why_rejected(const struct stow_fleet_answer *a, const struct stow_divide_cluster *c,
                         struct stow_buf *out)
{
    bool first = true;

    for (uint32_t i = 0; i < STOW_REJECTS; i++) {
        if (!(c->rejected >> i & 1))
            continue;
        if (!first)
            stow_buf_text(out, "; ");
        first = false;
        stow_division_rejects(a, c, (enum stow_reject)i, out);
    }
}

/* ---- prices ------------------------------------------------------------------------------ */

static stow_nano first_price(const struct stow_fleet_workload *w, stow_cluster_id cluster)
{
    const struct stow_price_list *list = &w->price[cluster];

    return list->steps ? list->step[0].price : STOW_MONEY_UNKNOWN;
}

/* 0: no feasible cluster is cheaper. */
static uint32_t cheaper_ones(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                             stow_cluster_id cluster)
{
    stow_nano price = first_price(w, cluster);
    uint32_t count = 0;

    for (uint32_t i = 0; i < a->s->clusters; i++) {
        const struct stow_divide_cluster *c = &w->made.cluster[i];
        stow_nano other = first_price(w, i);

        count += !c->rejected && !c->deleted && other != STOW_MONEY_UNKNOWN && other < price;
    }
    return count;
}

static void add_rank(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                     stow_cluster_id cluster, struct stow_buf *out)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};

    if (first_price(w, cluster) == STOW_MONEY_UNKNOWN) {
        stow_buf_text(out, "no known price");
        return;
    }

    uint32_t rank = cheaper_ones(a, w, cluster) + 1;
    uint32_t last = rank % 100 / 10 == 1 || rank % 10 > 3 ? 0 : rank % 10;

    if (rank > 1)
        stow_buf_printf(out, "%u%s ", rank, endings[last]);
    stow_buf_text(out, "cheapest");
}

static bool is_priced(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w)
{
    for (uint32_t i = 0; i < a->s->clusters; i++)
        if (!w->made.cluster[i].rejected && first_price(w, i) != STOW_MONEY_UNKNOWN)
            return true;
    return false;
}

static bool is_spread(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w)
{
    return stow_propagation_get(a->s, w->binding->placement)->spread != 0;
}

/* ---- with replicas ----------------------------------------------------------------------- */

static void why_cheap(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                      stow_cluster_id cluster, struct stow_buf *out)
{
    const struct stow_divide_cluster *c = &w->made.cluster[cluster];

    add_rank(a, w, cluster, out);
    if (w->joint)
        stow_buf_text(out, "; for the lowest total cost");
    else if (is_spread(a, w))
        stow_buf_text(out, ", in the cheapest choice that the spread constraints allow");
    else if (c->replicas >= c->available)
        stow_buf_text(out, ", filled");
    else
        stow_buf_text(out, ", takes the rest");
}

static bool by_price(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w)
{
    return w->made.strategy == STOW_DIVIDE_COST_OPTIMIZED && w->price &&
           (w->joint || a->costs->rules == STOW_COST_CHEAPEST_FIRST) && is_priced(a, w);
}

static void why_chosen(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                       stow_cluster_id cluster, struct stow_buf *out)
{
    static const char *const texts[STOW_DIVISION_STRATEGIES] = {
        [STOW_DIVIDE_DUPLICATED] = "every cluster gets all replicas",
        [STOW_DIVIDE_STATIC_WEIGHT] = "by its weight",
        [STOW_DIVIDE_DYNAMIC_WEIGHT] = "by its share of the capacity",
        [STOW_DIVIDE_AGGREGATED] = "among the fewest clusters with room for all",
        [STOW_DIVIDE_COST_OPTIMIZED] = "among the fewest clusters with room for all",
    };
    const struct stow_divide_cluster *c = &w->made.cluster[cluster];

    if (c->replicas == c->held && !w->made.fresh && w->made.strategy != STOW_DIVIDE_DUPLICATED &&
        w->made.strategy != STOW_DIVIDE_STATIC_WEIGHT)
        stow_buf_text(out, "stays as it is");
    else if (by_price(a, w))
        why_cheap(a, w, cluster, out);
    else if (c->overflow > 0)
        stow_buf_printf(out, "overflow tier %u, after those before it are full", c->overflow);
    else if (texts[w->made.strategy])
        stow_buf_text(out, texts[w->made.strategy]);
    if (c->replicas > c->available)
        stow_buf_text(out, "; more than fits");
}

/* ---- without ----------------------------------------------------------------------------- */

/* By money: all others had room for less. */
static const char *why_dear(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                            stow_cluster_id cluster)
{
    bool known = first_price(w, cluster) != STOW_MONEY_UNKNOWN;

    if (!known)
        return "no known price: clusters with a price come first";
    if (w->joint)
        return "others are cheaper for all workloads together";
    if (is_spread(a, w))
        return "not in the cheapest choice that the spread constraints allow";
    return cheaper_ones(a, w, cluster) ? "cheaper clusters have room"
                                       : "others at the same price come first";
}

static const char *why_unused(enum stow_division_strategy strategy)
{
    switch (strategy) {
    case STOW_DIVIDE_STATIC_WEIGHT:
        return "no weight rule matches, or its share rounds to zero";
    case STOW_DIVIDE_DYNAMIC_WEIGHT:
        return "its share of the capacity rounds to zero";
    default:
        return "fewer clusters are enough";
    }
}

static void why_not(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                    stow_cluster_id cluster, struct stow_buf *out)
{
    const struct stow_divide_cluster *c = &w->made.cluster[cluster];
    bool money = by_price(a, w);

    if (a->costs->unknown == STOW_UNKNOWN_EXCLUDE && money &&
        first_price(w, cluster) == STOW_MONEY_UNKNOWN)
        stow_buf_text(out, "no known price: left out");
    else if (c->available <= 0 && w->made.strategy != STOW_DIVIDE_STATIC_WEIGHT)
        stow_buf_text(out, "no replica fits");
    else if (w->made.outcome != STOW_DIVIDE_SUCCESS && !w->joint)
        stow_buf_text(out, "the workload could not be divided");
    else if (!c->selected && !money)
        stow_buf_text(out, "not selected by the spread constraints");
    else if (c->overflow > 0)
        stow_buf_printf(out, "overflow tier %u is not needed", c->overflow);
    else
        stow_buf_text(out, money ? why_dear(a, w, cluster) : why_unused(w->made.strategy));
}

void stow_division_why(const struct stow_fleet_answer *a, const struct stow_fleet_workload *w,
                       stow_cluster_id cluster, struct stow_buf *out)
{
    const struct stow_divide_cluster *c = &w->made.cluster[cluster];

    if (c->deleted)
        stow_buf_text(out, "is being deleted");
    else if (c->rejected)
        why_rejected(a, c, out);
    else if (c->replicas > 0)
        why_chosen(a, w, cluster, out);
    else
        why_not(a, w, cluster, out);
}
