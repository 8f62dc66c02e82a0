/* overflow.c - `-o overflow`: policies that let Karmada fill the cheapest clusters first.
 *
 * Since 1.18 an affinity term may overflow: Karmada fills the clusters of the term itself, then
 * those of its first overflow affinity, and so on, and takes replicas away in the opposite order.
 * With a tier per price that is what the cost-optimised strategy promises, and it stays so when
 * the workload is scaled.  Tiers are made of all clusters that the placement allows, not only
 * of those that have replicas now: the next ones are needed when there are more.
 *
 * Karmada knows one price per cluster this way.  A cluster with several price steps stands where
 * its first replicas are; limits per cluster cannot be said at all; of more than a thousand prices
 * the most expensive are one tier.  All of that is warned about. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "divide/cost/price.h"
#include "explain/karmada/karmada_internal.h"

#define OVERFLOW_SINCE 18
#define TIERS_MAX      1000 /* the order from which on Karmada takes a cluster for one of no tier */

/* A cluster of a tier. */
struct place {
    stow_cluster_id cluster;
    stow_nano price; /* STOW_MONEY_UNKNOWN: after all others */
};

struct places {
    struct place *list;
    uint32_t count, tiers;
    bool stepped; /* some have several prices */
    bool bought;  /* some have room that would have to be bought */
};

static void places_done(struct places *p)
{
    free(p->list);
}

/* ---- which clusters, in which order ------------------------------------------------------ */

/* The term that is looked at: the one observed, or the first. */
static const struct stow_cluster_term *current_term(const struct stow_karmada_item *item,
                                                    const struct stow_cluster_term *term,
                                                    uint32_t terms)
{
    for (uint32_t i = 0; i < terms; i++)
        if (item->observed_affinity && term[i].name == item->observed_affinity)
            return &term[i];
    return term;
}

static bool term_allows(const struct stow_snapshot *s, const struct stow_cluster_term *term,
                        const struct stow_cluster *cluster)
{
    uint32_t tiers;
    const struct stow_cluster_term *tier =
        STOW_LIST(s, term->overflow, struct stow_cluster_term, &tiers);

    if (stow_affinity_matches(s, &term->affinity, cluster))
        return true;
    for (uint32_t i = 0; i < tiers; i++)
        if (stow_affinity_matches(s, &tier[i].affinity, cluster))
            return true;
    return false;
}

static bool allows(const struct stow_snapshot *s, const struct stow_karmada_item *item,
                   const struct stow_cluster *cluster)
{
    const struct stow_propagation *p = stow_propagation_get(s, item->binding->placement);
    uint32_t terms;
    const struct stow_cluster_term *term = STOW_LIST(s, p->terms, struct stow_cluster_term, &terms);

    if (cluster->flags & STOW_CLUSTER_DELETED)
        return false;
    return terms ? term_allows(s, current_term(item, term, terms), cluster)
                 : stow_affinity_matches(s, &p->affinity, cluster);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const bool x_unknown = x->price == STOW_MONEY_UNKNOWN,
               y_unknown = y->price == STOW_MONEY_UNKNOWN;

    if (x_unknown != y_unknown)
        return x_unknown ? 1 : -1;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

static void add_place(struct places *p, const struct stow_divide_costs *costs,
                      stow_cluster_id cluster, const struct stow_price_list *prices)
{
    stow_nano price = prices && prices->steps ? prices->step[0].price : STOW_MONEY_UNKNOWN;

    if (price == STOW_MONEY_UNKNOWN && costs && costs->unknown == STOW_UNKNOWN_ASSUME)
        price = costs->assumed;
    if (price == STOW_MONEY_UNKNOWN && costs && costs->unknown == STOW_UNKNOWN_EXCLUDE)
        return;
    p->list[p->count++] = (struct place){cluster, price};
    p->stepped |= prices && prices->steps > 1;
    p->bought |= costs && costs->tariff[cluster].member.provisionable;
}

/* Fills `p`, in order of tiers. */
static int find_places(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                       struct places *p, struct stow_err *err)
{
    const struct stow_divide_costs *costs = w->options->costs;
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct stow_price_list *prices = NULL;

    p->list = calloc((size_t)w->s->clusters + 1, sizeof(*p->list));
    if (!p->list)
        return stow_fail_memory(err);
    if (costs)
        STOW_TRY(stow_divide_prices(costs, item->binding, &arena, &prices, err));
    for (stow_cluster_id i = 0; i < w->s->clusters; i++)
        if (allows(w->s, item, &w->s->cluster[i]))
            add_place(p, costs, i, prices ? &prices[i] : NULL);
    qsort(p->list, p->count, sizeof(*p->list), compare_places);
    for (uint32_t i = 0; i < p->count; i++)
        p->tiers += i == 0 || p->list[i].price != p->list[i - 1].price;
    return STOW_OK;
}

/* ---- the placement ----------------------------------------------------------------------- */

/* The tier that starts at *at; leaves *at after it.  The last one that is possible takes all. */
static struct stow_value *tier_value(struct stow_karmada_work *w, const struct places *p,
                                     uint32_t tier, uint32_t *at)
{
    struct stow_value *v = stow_doc_object(w->doc), *names = stow_doc_array(w->doc);
    const stow_nano price = p->list[*at].price;

    for (; *at < p->count && (p->list[*at].price == price || tier + 1 == TIERS_MAX); ++*at)
        stow_value_push(w->doc, names,
                        stow_doc_text(w->doc, w->s->cluster[p->list[*at].cluster].name));
    stow_value_set(w->doc, v, "affinityName", stow_doc_textf(w->doc, "price-%" PRIu32, tier));
    stow_value_set(w->doc, v, "clusterNames", names);
    return v;
}

static struct stow_value *terms_value(struct stow_karmada_work *w, const struct places *p)
{
    struct stow_value *list = stow_doc_array(w->doc), *overflow = stow_doc_array(w->doc);
    uint32_t at = 0;
    struct stow_value *first = tier_value(w, p, 0, &at);

    for (uint32_t tier = 1; at < p->count; tier++)
        stow_value_push(w->doc, overflow, tier_value(w, p, tier, &at));
    if (p->tiers > 1)
        stow_value_set(w->doc, first, "overflowAffinities", overflow);
    stow_value_push(w->doc, list, first);
    return list;
}

/* Inside a tier as the placement says, where that is one of the two that overflow. */
static struct stow_value *scheduling_value(struct stow_karmada_work *w,
                                           const struct stow_karmada_item *item)
{
    const struct stow_propagation *p = stow_propagation_get(w->s, item->binding->placement);
    const bool dynamic = p->type == STOW_SCHEDULING_DIVIDED &&
                         p->preference == STOW_PREFERENCE_WEIGHTED &&
                         p->flags & STOW_PROPAGATION_DYNAMIC;
    struct stow_value *v = stow_doc_object(w->doc), *weights = stow_doc_object(w->doc);

    stow_value_set(w->doc, v, "replicaSchedulingType", stow_doc_text(w->doc, "Divided"));
    stow_value_set(w->doc, v, "replicaDivisionPreference",
                   stow_doc_text(w->doc, dynamic ? "Weighted" : "Aggregated"));
    if (dynamic) {
        stow_value_set(w->doc, weights, "dynamicWeight",
                       stow_doc_text(w->doc, "AvailableReplicas"));
        stow_value_set(w->doc, v, "weightPreference", weights);
    }
    return v;
}

static struct stow_value *placement_value(struct stow_karmada_work *w,
                                          const struct stow_karmada_item *item,
                                          const struct stow_value *before, const struct places *p)
{
    struct stow_value *v = stow_doc_object(w->doc);

    stow_value_set(w->doc, v, "clusterAffinities", terms_value(w, p));
    stow_karmada_keep(w->doc, v, before, "clusterTolerations");
    stow_karmada_keep(w->doc, v, before, "spreadConstraints");
    stow_karmada_keep(w->doc, v, before, "workloadAffinity");
    stow_value_set(w->doc, v, "replicaScheduling", scheduling_value(w, item));
    return v;
}

/* ---- what tiers cannot say --------------------------------------------------------------- */

static const char *defect(const struct stow_snapshot *s, const struct stow_karmada_item *item,
                          const struct places *p)
{
    const struct stow_binding *b = item->binding;

    if (!b->api_version || !b->kind || !b->object)
        return "its binding does not say which object it binds";
    if (item->strategy == STOW_DIVIDE_DUPLICATED)
        return "all its clusters get all replicas (Duplicated), and tiers divide them";
    if (stow_karmada_templates(s, b) > 1)
        return "it has several pod templates, which tiers do not divide";
    return p->count ? NULL : "no cluster with a price may take it";
}

static int warn_of_places(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                          const struct places *p, struct stow_err *err)
{
    if (p->list[0].price == STOW_MONEY_UNKNOWN)
        return stow_karmada_warn(w, item, err, "no cluster has a price: all of them are one tier");
    if (p->tiers > TIERS_MAX)
        STOW_TRY(stow_karmada_warn(
            w, item, err,
            "its clusters have %" PRIu32
            " prices: from the %dth on they share one tier, because Karmada distinguishes no more",
            p->tiers, TIERS_MAX));
    if (p->bought)
        STOW_TRY(stow_karmada_warn(w, item, err,
                                   "Karmada fills what is free now, and does not count nodes that "
                                   "could be bought"));
    if (p->stepped)
        STOW_TRY(stow_karmada_warn(
            w, item, err, "clusters with several price steps are in the tier of their first step"));
    return STOW_OK;
}

static int warn_of_rules(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                         struct stow_err *err)
{
    const struct stow_divide_costs *costs = w->options->costs;
    const struct stow_propagation *p = stow_propagation_get(w->s, item->binding->placement);
    const stow_binding_id id = (stow_binding_id)(item->binding - w->s->binding);
    uint32_t terms;

    (void)STOW_LIST(w->s, p->terms, struct stow_cluster_term, &terms);
    for (uint32_t i = 0; costs && i < costs->limits; i++)
        if (costs->limit[i].binding == id)
            return stow_karmada_warn(w, item, err, "tiers do not keep its limits per cluster");
    if (terms > 1)
        STOW_TRY(stow_karmada_warn(w, item, err,
                                   "the clusters of one affinity term are in the tiers; the "
                                   "other terms are not kept"));
    if (p->spread)
        return stow_karmada_warn(
            w, item, err,
            "Karmada keeps its spread constraints in an order of its own, which may cost more");
    return STOW_OK;
}

static int write_item(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_err *err)
{
    STOW_AUTO(places_done) struct places p = {0};
    const struct stow_value *before;

    STOW_TRY(find_places(w, item, &p, err));

    const char *why = defect(w->s, item, &p);

    if (why)
        return stow_karmada_leave_out(w, item, err, "%s", why);
    STOW_TRY(stow_karmada_placement(w, item, &before, err));

    int code = stow_karmada_push_policy(w, item, placement_value(w, item, before, &p), err);

    if (code != STOW_OK)
        return code;
    STOW_TRY(warn_of_places(w, item, &p, err));
    return warn_of_rules(w, item, err);
}

static int write(struct stow_karmada_work *w, struct stow_err *err)
{
    if (w->karmada < OVERFLOW_SINCE)
        return stow_fail(err, STOW_EINVAL,
                         "-o overflow: Karmada 1.%" PRIu32 " has no overflow affinities; expected "
                         "1.%d or later",
                         w->karmada, OVERFLOW_SINCE);
    for (uint32_t i = 0; i < w->in->items; i++)
        STOW_TRY(write_item(w, &w->in->item[i], err));
    return STOW_OK;
}

/* ---- what Karmada would see -------------------------------------------------------------- */

/* A tier has clusters, none of which is in an earlier one. */
static int check_tier(const struct stow_snapshot *back, const struct stow_cluster_term *tier,
                      bool *seen, struct stow_err *err)
{
    uint32_t names;
    const stow_sym *name = STOW_LIST(back, tier->affinity.names, stow_sym, &names);

    for (uint32_t i = 0; i < names; i++) {
        if (seen[name[i]])
            return stow_fail(err, STOW_EWRONG, "cluster %s is in two tiers",
                             stow_text(back, name[i]).ptr);
        seen[name[i]] = true;
    }
    return names ? STOW_OK
                 : stow_fail(err, STOW_EWRONG, "tier %s has no cluster",
                             stow_text(back, tier->name).ptr);
}

static int check_tiers(const struct stow_snapshot *back, const struct stow_propagation *p,
                       struct stow_err *err)
{
    uint32_t terms, tiers;
    const struct stow_cluster_term *term =
        STOW_LIST(back, p->terms, struct stow_cluster_term, &terms);

    if (terms != 1 || p->type != STOW_SCHEDULING_DIVIDED ||
        (p->preference != STOW_PREFERENCE_AGGREGATED && !(p->flags & STOW_PROPAGATION_DYNAMIC)))
        return stow_fail(err, STOW_EWRONG, "its placement is not by tiers");

    const struct stow_cluster_term *tier =
        STOW_LIST(back, term->overflow, struct stow_cluster_term, &tiers);
    STOW_AUTO(stow_free_local)
    bool *seen = calloc((size_t)back->text.entries + 1, sizeof(*seen));

    if (!seen)
        return stow_fail_memory(err);
    STOW_TRY(check_tier(back, term, seen, err));
    for (uint32_t i = 0; i < tiers; i++) {
        STOW_TRY(check_tier(back, &tier[i], seen, err));
        if (tier[i].name == term->name)
            return stow_fail(err, STOW_EWRONG, "two tiers are named %s",
                             stow_text(back, term->name).ptr);
    }
    return STOW_OK;
}

static int check(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                 const struct stow_value *document, struct stow_err *err)
{
    struct stow_snapshot *back = NULL;
    int code = stow_karmada_read_policy(w, item, document, &back, err);

    if (code >= 0)
        code = check_tiers(back, stow_propagation_get(back, back->propagation[0].placement), err);
    stow_snapshot_unref(back);
    return code;
}

const struct stow_karmada_writer stow_karmada_overflow = {
    .name = "overflow",
    .write = write,
    .check = check,
};
