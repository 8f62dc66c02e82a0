/* bill.c - what a cluster costs per hour, and which part of that no pod has requested.
 *
 * A node's price is its own (a row that names it), else its group's, else that of
 * its offering in the books, else what it has times the book's rates; the group's fee per node
 * comes on top.  A price in another currency than the bill's is not a price: adding it up would be
 * a lie.
 *
 * Waste: the price is divided over the node's cores, GiB and devices in the ratio
 * of what the book says they are worth, and each part counts as far as it is not
 * requested:
 *
 *     waste = price * (sum of rate * free) / (sum of rate * allocatable)
 *
 * with one common denominator for cores in thousandths and GiB in bytes, in whole
 * numbers, rounded down once at the end.  Requests above allocatable leave 0. */
#include "price/bill/bill.h"

#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "model/build.h"
#include "model/karpenter/overlay.h"
#include "model/nodes/capacity_type.h"
#include "model/nodes/sizes.h"
#include "model/nodes/zones.h"
#include "model/prices/market.h"
#include "price/bill/committed.h"
#include "price/bill/discount.h"
#include "price/missing.h"
#include "price/rates.h"

#define GIB ((stow_u128)1 << 30)

/* ---- what a node is ---------------------------------------------------------------------- */

static struct stow_str label_or(const struct stow_snapshot *s, stow_blob labels, stow_sym first,
                                stow_sym second)
{
    stow_sym value = stow_label_value(s, labels, first);

    if (value == STOW_NONE && second)
        value = stow_label_value(s, labels, second);
    return value == STOW_NONE ? (struct stow_str){"", 0} : stow_text(s, value);
}

static struct stow_str first_of(struct stow_str a, struct stow_str b)
{
    return a.len ? a : b;
}

/* Where the node is, by what it states: labels, then its provider id, then the name of its zone;
 * who provides it, by its id, else by its type and region.  New nodes of a group are completed by
 * the same rules (model/nodes/fresh_node.c). */
static void find_place(const struct stow_snapshot *s, const struct stow_node *node,
                       struct stow_offer_texts *offer)
{
    const struct stow_str id = stow_text(s, node->provider_id);
    const struct stow_size *size;

    offer->provider = stow_provider_of(id);
    offer->zone = first_of(label_or(s, node->labels, STOW_SYM_ZONE, STOW_SYM_ZONE_BETA),
                           stow_provider_zone(id));
    offer->region = first_of(label_or(s, node->labels, STOW_SYM_REGION, STOW_SYM_REGION_BETA),
                             stow_zone_region(offer->provider, offer->zone));
    size = offer->provider.len ? NULL : stow_size_find(STOW_STR(""), offer->instance_type);
    if (size && stow_region_is_of(stow_str_of(size->provider), offer->region))
        offer->provider = stow_str_of(size->provider);
}

struct stow_offer_texts stow_node_offer(const struct stow_snapshot *s, const struct stow_node *node,
                                        const struct stow_bill_options *options)
{
    struct stow_offer_texts offer = {
        .instance_type =
            label_or(s, node->labels, STOW_SYM_INSTANCE_TYPE, STOW_SYM_INSTANCE_TYPE_BETA),
        .os = label_or(s, node->labels, STOW_SYM_OS, 0),
        .capacity_type = stow_node_capacity_type(s, node),
    };

    find_place(s, node, &offer);
    offer.provider = first_of(offer.provider, options->provider);
    offer.region = first_of(offer.region, options->region);
    offer.region = stow_price_region(offer.provider, offer.region, offer.zone);
    if (stow_str_is(offer.provider, "azure")) {
        offer.region = stow_azure_region(offer.region);
        offer.instance_type = stow_azure_type(offer.instance_type);
    }
    offer.any_provider = !offer.provider.len && node->group != STOW_NONE &&
                         s->group[node->group].origin != STOW_NONE;
    return offer;
}

/* ---- its price --------------------------------------------------------------------------- */

struct making {
    const struct stow_snapshot *s;
    const struct stow_books *books;
    const struct stow_bill_options *options;
    struct stow_bill *bill;
    stow_nano *rate;                      /* by resource id */
    const struct stow_node_bill *missing; /* the last one without a price; NULL: none yet */
};

struct node_ref {
    const struct stow_snapshot *s;
    const struct stow_node *node;
};

static struct stow_str find_label(const struct stow_snapshot *s, stow_blob labels,
                                  struct stow_str key)
{
    stow_sym sym = stow_intern_find(&s->text, key);
    stow_sym value = sym == STOW_INTERN_FAILED ? STOW_NONE : stow_label_value(s, labels, sym);

    return value == STOW_NONE ? (struct stow_str){"", 0} : stow_text(s, value);
}

static struct stow_str view_label(const void *node, struct stow_str key)
{
    const struct node_ref *ref = node;

    return find_label(ref->s, ref->node->labels, key);
}

static struct stow_str view_annotation(const void *node, struct stow_str key)
{
    const struct node_ref *ref = node;

    return find_label(ref->s, ref->node->annotations, key);
}

static bool own_price(const struct making *m, const struct stow_node *node,
                      const struct stow_node_bill *b, struct stow_resolved *ret)
{
    const struct node_ref ref = {m->s, node};
    const struct stow_node_view view = {
        .name = stow_str_of(node->name),
        .provider_id = stow_text(m->s, node->provider_id),
        .region = b->offer.region,
        .label = view_label,
        .annotation = view_annotation,
        .node = &ref,
    };

    return stow_books_node_price(m->books, &view, ret);
}

/* A price that was found, if it is in the bill's currency; else the first of another is noted. */
static bool take_price(const struct making *m, const struct stow_resolved *found,
                       enum stow_price_origin origin, struct stow_node_bill *b)
{
    if (!stow_str_eq(found->currency, m->bill->currency)) {
        if (!b->other_currency.len)
            b->other_currency = found->currency;
        return false;
    }
    b->other_currency = (struct stow_str){0};
    b->price = found->price;
    b->list = found->list;
    b->discount = found->discount;
    b->origin = origin;
    b->layer = found->layer;
    b->stale = found->stale;
    b->one_moment = found->one_moment;
    b->collected = found->collected;
    return true;
}

const char *stow_node_bill_source(const struct stow_node_bill *b)
{
    switch (b->origin) {
    case STOW_PRICE_OF_NODE:
        return "node";
    case STOW_PRICE_OF_GROUP:
        return "group";
    case STOW_PRICE_OF_BOOK:
        return b->one_moment ? STOW_ONE_MOMENT : stow_layer_name(b->layer);
    case STOW_PRICE_OF_COMMITMENT:
        return "commitment";
    case STOW_PRICE_OF_RATES:
        return STOW_RATES_SOURCE;
    case STOW_PRICE_NONE:
        break;
    }
    return NULL;
}

void stow_guesses_add(struct stow_guesses *guesses, const struct stow_node_bill *b)
{
    guesses->moments += b && b->one_moment;
    guesses->rated += b && b->origin == STOW_PRICE_OF_RATES;
    guesses->discounted += b && b->discount > 0;
}

/* What a NodeOverlay makes of a price. */
static stow_nano adjusted(const struct stow_snapshot *s, const struct stow_group *group,
                          stow_nano price)
{
    const stow_sym text = group->origin == STOW_NONE ? 0 : s->origin[group->origin].price_change;
    struct stow_price_change change;

    return text && stow_price_change_parse(stow_text(s, text), &change)
               ? stow_price_changed(price, &change)
               : price;
}

/* The first price of the order at the top that is in the bill's currency. */
static void look_up(const struct making *m, const struct stow_node *node, struct stow_node_bill *b)
{
    const struct stow_resolved of_group = {.price = m->s->group[node->group].price,
                                           .list = m->s->group[node->group].price,
                                           .currency = m->bill->currency};
    struct stow_resolved found;

    if (own_price(m, node, b, &found) && take_price(m, &found, STOW_PRICE_OF_NODE, b))
        return;
    if (of_group.price != STOW_MONEY_UNKNOWN && take_price(m, &of_group, STOW_PRICE_OF_GROUP, b))
        return;
    if (stow_books_price(m->books, &b->offer, m->options->now, &found) &&
        take_price(m, &found, STOW_PRICE_OF_BOOK, b))
        return;
    if (stow_rates_node_price(m->books, m->s, node, &b->offer, &found))
        (void)take_price(m, &found, STOW_PRICE_OF_RATES, b);
}

static void find_price(const struct making *m, const struct stow_node *node,
                       struct stow_node_bill *b)
{
    const struct stow_group *group = &m->s->group[node->group];

    b->price = STOW_MONEY_UNKNOWN;
    look_up(m, node, b);
    if (b->price != STOW_MONEY_UNKNOWN) {
        b->price = adjusted(m->s, group, b->price);
        b->fee = group->fee;
        if (__builtin_add_overflow(b->price, group->fee, &b->price))
            b->price = INT64_MAX;
    }
}

static bool same_offer(const struct stow_offer_texts *a, const struct stow_offer_texts *b)
{
    return stow_str_eq(a->provider, b->provider) && stow_str_eq(a->region, b->region) &&
           stow_str_eq(a->zone, b->zone) && stow_str_eq(a->instance_type, b->instance_type) &&
           stow_str_eq(a->os, b->os) && a->capacity_type == b->capacity_type &&
           a->any_provider == b->any_provider;
}

/* Why it has none.  Nodes that follow one another are mostly alike. */
static int find_reason(struct making *m, const struct stow_node *node, struct stow_node_bill *b)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const struct stow_node_bill *last = m->missing;

    if (b->price != STOW_MONEY_UNKNOWN)
        return STOW_OK;
    b->why = b->other_currency.len ? NULL : stow_rates_missing(m->books, m->s, node, &b->offer);
    if (b->why)
        return STOW_OK;
    if (last && same_offer(&last->offer, &b->offer) &&
        stow_str_eq(last->other_currency, b->other_currency)) {
        b->why = last->why;
        return STOW_OK;
    }
    if (b->other_currency.len)
        stow_buf_printf(&text, "its price is known in %.*s, not in %.*s; choose with --currency",
                        STOW_FMT(b->other_currency), STOW_FMT(m->bill->currency));
    else
        stow_books_missing(m->books, &b->offer, m->options->now, &text);
    b->why = text.failed ? NULL : stow_arena_text(&m->bill->arena, stow_buf_str(&text));
    m->missing = b;
    return b->why ? STOW_OK : STOW_ENOMEM;
}

/* ---- its waste --------------------------------------------------------------------------- */

/* How many units of the resource a rate is for, times the common denominator 1000 * 2^30. */
static stow_u128 factor_of(const struct stow_snapshot *s, stow_resource_id r)
{
    if (r == STOW_RESOURCE_CPU)
        return GIB; /* per core, counted in thousandths */
    if (stow_resource_in_bytes(s, r))
        return 1000; /* per GiB, counted in bytes */
    return 1000 * GIB;
}

bool stow_add_worth(const struct stow_snapshot *s, stow_resource_id r, stow_nano rate,
                    int64_t amount, stow_u128 *to)
{
    stow_u128 term;

    return !__builtin_mul_overflow((stow_u128)rate * (stow_u128)amount, factor_of(s, r), &term) &&
           !__builtin_add_overflow(*to, term, to);
}

/* What a node has is worth, and what of it is not requested; false: that does not fit. */
static bool gauge(const struct stow_snapshot *s, const stow_nano *rate,
                  const struct stow_room *room, stow_u128 *ret_whole, stow_u128 *ret_unused)
{
    *ret_whole = *ret_unused = 0;
    for (stow_resource_id r = 0; r < s->resources; r++) {
        const int64_t all = room->allocatable[r * room->step];
        const int64_t wanted = room->requested[r * room->step];
        const int64_t rest = wanted < all ? all - wanted : 0;

        if (!stow_add_worth(s, r, rate[r], all, ret_whole) ||
            !stow_add_worth(s, r, rate[r], rest, ret_unused))
            return false;
    }
    return true;
}

stow_nano stow_waste(const struct stow_snapshot *s, const stow_nano *rate,
                     const struct stow_room *room, stow_nano price)
{
    stow_u128 whole, unused;

    if (price == STOW_MONEY_UNKNOWN || !gauge(s, rate, room, &whole, &unused) || whole == 0)
        return STOW_MONEY_UNKNOWN;
    return (stow_nano)stow_scale_down((stow_u128)price, unused, whole);
}

static struct stow_room room_of(const struct making *m, stow_node_id node)
{
    return (struct stow_room){m->s->allocatable + node, m->s->requested + node, m->s->nodes};
}

/* The share of a node's price that is waste, whatever that is: in 10^-9, rounded up; all of it
 * where that cannot be told. */
static stow_nano waste_share_of(const struct making *m, stow_node_id node)
{
    const struct stow_room room = room_of(m, node);
    stow_u128 whole, unused;

    if (!gauge(m->s, m->rate, &room, &whole, &unused) || whole == 0)
        return STOW_NANO_PER_UNIT;
    return STOW_NANO_PER_UNIT -
           (stow_nano)stow_scale_down(STOW_NANO_PER_UNIT, whole - unused, whole);
}

void stow_bill_rates(const struct stow_snapshot *s, const struct stow_books *books, stow_nano *ret,
                     enum stow_layer *ret_layer)
{
    for (stow_resource_id r = 0; r < s->resources; r++)
        ret[r] = r == STOW_RESOURCE_PODS
                     ? 0
                     : stow_books_rate(books, stow_text(s, s->resource[r]), ret_layer);
}

static int find_rates(struct making *m)
{
    m->rate = calloc(m->s->resources + 1, sizeof(*m->rate));
    if (!m->rate)
        return STOW_ENOMEM;
    stow_bill_rates(m->s, m->books, m->rate, &m->bill->rates);
    return STOW_OK;
}

/* ---- sums -------------------------------------------------------------------------------- */

void stow_sum_add(struct stow_sum *sum, stow_nano price, stow_nano waste, uint32_t pods)
{
    sum->nodes++;
    sum->pods += pods;
    stow_money_sum_add(&sum->price, price);
    stow_money_sum_add(&sum->waste, waste);
    if (waste != STOW_MONEY_UNKNOWN)
        stow_add_clamped(&sum->gauged, price);
}

static void choose_currency(struct making *m)
{
    const struct stow_book *documents = &m->s->book;

    m->bill->currency = m->options->currency;
    if (!m->bill->currency.len && documents->currency)
        m->bill->currency = stow_intern_get(&documents->text, documents->currency);
    if (!m->bill->currency.len)
        m->bill->currency = STOW_STR("USD");
}

/* What --fail-waste has to know of nodes whose waste is unknown. */
static void note_ungauged(struct making *m, stow_node_id node)
{
    const struct stow_node_bill *b = &m->bill->node[node];
    const stow_nano share = b->price == STOW_MONEY_UNKNOWN ? waste_share_of(m, node) : 0;

    if (b->price != STOW_MONEY_UNKNOWN && b->waste == STOW_MONEY_UNKNOWN)
        stow_add_clamped(&m->bill->ungauged, b->price);
    if (m->bill->waste_share < share)
        m->bill->waste_share = share;
}

/* Nodes that are known only because pods run there: whatever they are, they cost something. */
static int bill_absent(struct making *m)
{
    STOW_AUTO(stow_free_local) bool *seen = calloc(m->s->text.entries + 1, sizeof(*seen));

    if (!seen)
        return STOW_ENOMEM;
    for (stow_pod_id i = 0; i < m->s->pods; i++) {
        const struct stow_pod *pod = &m->s->pod[i];

        if (!stow_pod_absent(pod) || seen[pod->node_name])
            continue;
        seen[pod->node_name] = true;
        m->bill->absent++;
        m->bill->waste_share = STOW_NANO_PER_UNIT;
        stow_money_sum_add(&m->bill->total.price, STOW_MONEY_UNKNOWN);
        stow_money_sum_add(&m->bill->total.waste, STOW_MONEY_UNKNOWN);
    }
    return STOW_OK;
}

/* The dates are texts in order of time: "2024-11", "2026-08-22". */
static void note_date(struct stow_bill *bill, const struct stow_node_bill *b)
{
    bill->listed += b->collected != NULL;
    if (!b->collected || !b->collected[0])
        return;
    if (!bill->first_collected || strcmp(b->collected, bill->first_collected) < 0)
        bill->first_collected = b->collected;
    if (!bill->last_collected || strcmp(b->collected, bill->last_collected) > 0)
        bill->last_collected = b->collected;
}

static int bill_nodes(struct making *m)
{
    const struct stow_snapshot *s = m->s;

    for (stow_node_id i = 0; i < s->nodes; i++) {
        m->bill->node[i].offer = stow_node_offer(s, &s->node[i], m->options);
        m->bill->node[i].offer.currency = m->bill->currency;
        find_price(m, &s->node[i], &m->bill->node[i]);
    }
    STOW_TRY(stow_bill_commit(s, m->bill));
    for (stow_node_id i = 0; i < s->nodes; i++) {
        struct stow_node_bill *b = &m->bill->node[i];
        struct stow_room room;

        STOW_TRY(find_reason(m, &s->node[i], b));
        stow_guesses_add(&m->bill->guesses, b);
        note_date(m->bill, b);
        if (b->discount)
            stow_add_clamped(&m->bill->discounts, b->list - stow_discounted(b->list, b->discount));
        room = room_of(m, i);
        b->waste = stow_waste(s, m->rate, &room, b->price);
        note_ungauged(m, i);
        stow_sum_add(&m->bill->group[s->node[i].group], b->price, b->waste, stow_asked_pods(s, i));
        stow_sum_add(&m->bill->total, b->price, b->waste, stow_asked_pods(s, i));
    }
    stow_add_clamped(&m->bill->total.price.amount, stow_bill_unused(m->bill));
    stow_add_clamped(&m->bill->total.gauged, stow_bill_unused(m->bill));
    stow_add_clamped(&m->bill->total.waste.amount, stow_bill_unused(m->bill));
    return bill_absent(m);
}

int stow_bill_make(const struct stow_snapshot *s, const struct stow_books *books,
                   const struct stow_bill_options *options, struct stow_bill *ret,
                   struct stow_err *err)
{
    struct making m = {.s = s, .books = books, .options = options, .bill = ret};

    memset(ret, 0, sizeof(*ret));
    ret->rates = STOW_LAYER_COUNT;
    ret->node = calloc(s->nodes + 1, sizeof(*ret->node));
    ret->group = calloc(s->groups + 1, sizeof(*ret->group));
    if (!ret->node || !ret->group || find_rates(&m) < 0) {
        stow_bill_done(ret);
        return stow_fail_memory(err);
    }
    choose_currency(&m);

    int code = bill_nodes(&m);

    free(m.rate);
    if (code >= 0)
        return STOW_OK;
    stow_bill_done(ret);
    return stow_fail_memory(err);
}

void stow_bill_done(struct stow_bill *bill)
{
    free(bill->node);
    free(bill->group);
    stow_arena_done(&bill->arena);
    memset(bill, 0, sizeof(*bill));
}
