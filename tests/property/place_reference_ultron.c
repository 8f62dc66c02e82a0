/* place_reference_ultron.c - Ultron's six terms and the money scale, as the document has them. */
#include <math.h>
#include <string.h>

#include "tests/property/place_reference.h"

struct offer {
    bool price_known, median_known, on_demand_known, rate_known, spot;
    double price, median, on_demand, rate;
};

static double units(stow_nano amount)
{
    return (double)amount / 1e9;
}

static struct offer offer_of(const struct ref_question *q, stow_node_id node)
{
    const struct stow_node_money *m = q->c->money ? &q->c->money[node] : NULL;
    struct offer o = {.spot = ref_is_spot(q, node)};

    if (!m)
        return o;
    o.price_known = m->price != STOW_MONEY_UNKNOWN;
    o.median_known = m->median != STOW_MONEY_UNKNOWN;
    o.on_demand_known = m->on_demand != STOW_MONEY_UNKNOWN;
    o.rate_known = m->rate >= 0;
    o.price = o.price_known ? units(m->price) : 0;
    o.median = o.median_known ? units(m->median) : 0;
    o.on_demand = o.on_demand_known ? units(m->on_demand) : 0;
    o.rate = o.rate_known ? (double)m->rate / 1e9 : 0;
    return o;
}

/* What the node has in all: its capacity, or what is allocatable when it states none. */
static double total_of(const struct ref_question *q, stow_node_id node, int resource)
{
    stow_i128 nano;

    if (ref_amount(q->s, q->s->node[node].capacity, q->c->resource[resource], &nano))
        return (double)ref_units(q->c->resource[resource], nano);
    return (double)q->c->allocatable[node][resource];
}

static double fit_term(const struct ref_question *q, stow_node_id node)
{
    double sum = 0;

    for (int r = 0; r < 2; r++) {
        double total = total_of(q, node, r);
        double left = (double)(q->c->allocatable[node][r] - q->c->used[node][r]) -
                      (double)q->c->need[q->id][r];

        if (total > 0)
            sum += q->p->ultron.pack ? 1 - left / total : left / total;
    }
    return sum;
}

static double type_term(const struct ref_question *q, const char *const *keys,
                        const char *upstream_default, stow_node_id node)
{
    const struct stow_node *n = &q->s->node[node];
    stow_sym wanted = ref_fact(q->s, keys, q->pod->labels, q->pod->annotations);
    stow_sym has = ref_fact(q->s, keys, n->labels, n->annotations);
    const char *text = wanted == STOW_NONE ? "" : stow_text(q->s, wanted).ptr;

    if (wanted == STOW_NONE && q->p->ultron.mode == REF_UPSTREAM)
        text = upstream_default;
    if (!*text && q->p->ultron.untyped_zero)
        return 0;
    return strcmp(text, has == STOW_NONE ? "" : stow_text(q->s, has).ptr) == 0;
}

/* 1 - M/P or 1 - P/M.  `zero`: what is unknown counts as 0, and nothing is divided by it. */
static double price_term(const struct ref_ultron *u, bool price_known, double price,
                         bool reference_known, double reference)
{
    double value = 0;

    if (!u->neutral) {
        double over = u->price_over_median ? price : reference;
        double under = u->price_over_median ? reference : price;

        value = under > 0 ? 1 - over / under : 0;
    } else if (price_known && price <= 0) {
        value = u->price_over_median ? 1 : 0;
    } else if (price_known && reference_known && reference > 0) {
        value = u->price_over_median ? 1 - price / reference : 1 - reference / price;
    }
    return fmax(-u->clamp, fmin(u->clamp, value));
}

static double penalty_term(const struct ref_ultron *u, const struct offer *o)
{
    double ratio;

    if (u->mode == REF_UPSTREAM)
        return o->price > 0 && o->median > 0 && o->rate_known ? o->price / (o->median + o->rate)
                                                              : 0;
    if ((u->spot_only && !o->spot) || !o->rate_known)
        return 0;
    if (o->price_known && o->median > 0)
        ratio = o->price / o->median;
    else
        ratio = u->neutral ? 1 : 0;
    return o->rate * fmin(ratio, u->cap);
}

static double share_of(const struct ref_question *q, double cpu, double memory, stow_node_id node)
{
    double total_cpu = total_of(q, node, 0), total_memory = total_of(q, node, 1);

    return fmax(total_cpu > 0 ? cpu / total_cpu : 0, total_memory > 0 ? memory / total_memory : 0);
}

/* ---- against the fleet ------------------------------------------------------------------- */

static double unit_price(const struct ref_question *q, stow_node_id node)
{
    const int64_t *need = q->c->need[q->id];
    bool asks = need[0] > 0 || need[1] > 0;

    return offer_of(q, node).price * (asks ? share_of(q, (double)need[0], (double)need[1], node)
                                           : share_of(q, (double)q->c->nonzero[q->id][0],
                                                      (double)q->c->nonzero[q->id][1], node));
}

/* The lower median of the candidates with a price; false: there is none. */
static bool fleet_median(const struct ref_question *q, double *ret)
{
    double list[REF_NODES];
    uint32_t count = 0;

    for (uint32_t i = 0; i < q->candidates; i++) {
        double unit = unit_price(q, q->candidate[i]);
        uint32_t at = count;

        if (!offer_of(q, q->candidate[i]).price_known)
            continue;
        for (; at > 0 && list[at - 1] > unit; at--)
            list[at] = list[at - 1];
        list[at] = unit;
        count++;
    }
    if (count)
        *ret = list[(count - 1) / 2];
    return count > 0;
}

/* ---- the score --------------------------------------------------------------------------- */

static double price_on(const struct ref_question *q, stow_node_id node)
{
    const struct ref_ultron *u = &q->p->ultron;
    struct offer o = offer_of(q, node);
    double median = 0;
    bool known;

    if (u->price_ref == REF_ON_DEMAND)
        return price_term(u, o.price_known, o.price, o.on_demand_known, o.on_demand);
    if (u->price_ref == REF_OWN_MEDIAN)
        return price_term(u, o.price_known, o.price, o.median_known, o.median);
    known = fleet_median(q, &median);
    return price_term(u, o.price_known, unit_price(q, node), known, median);
}

static double weighted_sum(const struct ref_question *q, stow_node_id node)
{
    const struct ref_ultron *u = &q->p->ultron;
    struct offer o = offer_of(q, node);
    bool high = ref_is_high(q);
    double priority = u->match || u->required ? high != o.spot : high;

    return u->alpha * fit_term(q, node) + u->beta * type_term(q, ref_disk_keys, "SSD", node) +
           u->gamma * type_term(q, ref_network_keys, "isolated", node) +
           u->delta * price_on(q, node) - u->epsilon * penalty_term(u, &o) + u->zeta * priority;
}

/* Money per hour; NAN: the price is not known. */
static double cost_on(const struct ref_question *q, stow_node_id node)
{
    struct offer o = offer_of(q, node);
    double rate = o.spot && o.rate_known ? fmin(o.rate, 0.999999) : 0;
    double lambda = -log(1 - rate) / 720;
    const int64_t *need = q->c->need[q->id];

    if (!o.price_known)
        return NAN;
    return o.price * (1 + lambda * q->p->ultron.hours_lost) *
           share_of(q, (double)need[0], (double)need[1], node);
}

void ref_score_ultron(const struct ref_question *q, double *ret)
{
    double worst = 0;

    if (q->p->ultron.mode != REF_ECONOMIC) {
        for (uint32_t i = 0; i < q->candidates; i++)
            ret[q->candidate[i]] = weighted_sum(q, q->candidate[i]);
        return;
    }
    for (stow_node_id n = 0; n < q->s->nodes; n++)
        if (cost_on(q, n) > worst)
            worst = cost_on(q, n);
    for (uint32_t i = 0; i < q->candidates; i++) {
        double cost = cost_on(q, q->candidate[i]);

        /* After every node whose price is known: one more than the dearest. */
        ret[q->candidate[i]] =
            isnan(cost) ? -round(worst * 1e9) / 1e9 - 1 : 0 - round(cost * 1e9) / 1e9;
    }
}
