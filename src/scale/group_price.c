/* group_price.c - what a node of each group costs, and what pods are worth to the price rule.
 *
 * A node's price is its group's, else the books' (documents, imported, catalogue); --price-model
 * gce asks the autoscaler's own model instead of the books.  Fees per node come on top.
 *
 * Money is in nano-units; the price rule gets it as a double.  On Google's cloud, where the
 * autoscaler has a price for every machine, the rule ranks what the books do not know by that
 * model, in its doubles.  That is not a price: the model knows one region only, and no user pays
 * what it believes. */
#include <math.h>

#include "price/models/gce.h"
#include "scale/rules/rank_price.h"
#include "scale/session.h"

static bool is_gce(const struct stow_node_bill *bill)
{
    return stow_str_is(bill->offer.provider, "gce") || stow_str_is(bill->offer.provider, "gcp");
}

/* What the price rule compares, and what that is in money. */
static void rank_by_model(const struct stow_scale *scale, const struct stow_group *group,
                          const struct stow_node *fresh, struct stow_group_price *ret,
                          stow_nano *ret_amount)
{
    const double price = stow_gce_node_price(&scale->extension.s, fresh);
    const stow_nano amount = stow_nano_of_double(price);

    if (!isfinite(price) || amount == STOW_MONEY_UNKNOWN || amount < 0 ||
        __builtin_add_overflow(amount, group->fee, ret_amount))
        return;
    ret->ranked = true;
    ret->as_double = price + (double)group->fee / STOW_NANO_PER_UNIT;
    ret->from = "gce model";
}

static int price_group(struct stow_scale *scale, stow_group_id number, struct stow_err *err)
{
    const struct stow_group *group = &scale->s->group[number];
    const stow_node_id fresh = scale->extension.fresh[number];
    const struct stow_node_bill *bill = &scale->bill.node[fresh];
    const struct stow_node *node = &scale->extension.s.node[fresh];
    struct stow_group_price *ret = &scale->price[number];
    stow_nano amount = 0;

    ret->price = STOW_MONEY_UNKNOWN;
    if (scale->options.prices == STOW_PRICES_GCE && group->price == STOW_MONEY_UNKNOWN) {
        rank_by_model(scale, group, node, ret, &amount);
        ret->known = ret->ranked;
        ret->price = ret->known ? amount : STOW_MONEY_UNKNOWN;
        return STOW_OK;
    }
    if (bill->other_currency.len)
        return stow_fail(
            err, STOW_EPARSE,
            "NodeGroup '%s': its price is known in %.*s, not in %.*s; give it a pricePerHour in "
            "%.*s, or choose with --currency",
            group->name, STOW_FMT(bill->other_currency), STOW_FMT(scale->bill.currency),
            STOW_FMT(scale->bill.currency));
    if (bill->price == STOW_MONEY_UNKNOWN) {
        if (is_gce(bill))
            rank_by_model(scale, group, node, ret, &amount);
        return STOW_OK;
    }
    ret->price = bill->price;
    ret->known = ret->ranked = true;
    ret->as_double = (double)bill->price / STOW_NANO_PER_UNIT;
    ret->from = stow_node_bill_source(bill);
    ret->bill = bill;
    return STOW_OK;
}

int stow_scale_price_groups(struct stow_scale *scale, struct stow_err *err)
{
    const uint32_t groups = scale->s->groups;

    scale->price = stow_arena_zalloc(&scale->arena, (groups + 1) * sizeof(*scale->price));
    scale->paid = stow_arena_zalloc(&scale->arena, (groups + 1) * sizeof(*scale->paid));
    if (!scale->price || !scale->paid)
        return stow_fail_memory(err);
    for (stow_group_id i = 0; i < groups; i++) {
        scale->price[i].price = STOW_MONEY_UNKNOWN;
        if (scale->grows[i] && scale->options.prices != STOW_PRICES_NONE)
            STOW_TRY(price_group(scale, i, err));
        scale->paid[i] = scale->price[i].known ? scale->price[i].price : 0;
    }
    return STOW_OK;
}

/* ---- pods -------------------------------------------------------------------------------- */

/* The book's rates where a book states any; the price model's otherwise. */
static bool book_rates(const struct stow_scale *scale, struct stow_gce_rates *ret)
{
    static const char *const names[] = {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"};
    double *const into[] = {&ret->cpu, &ret->memory, &ret->ephemeral, &ret->gpu};
    enum stow_layer layer = STOW_LAYER_COUNT;

    for (uint32_t i = 0; i < 4; i++)
        *into[i] = (double)stow_books_rate(scale->input.books, stow_str_of(names[i]), &layer) /
                   STOW_NANO_PER_UNIT;
    return layer != STOW_LAYER_COUNT;
}

static struct stow_gce_rates rates_of(const struct stow_scale *scale, bool *ret_book)
{
    struct stow_gce_rates rates;

    *ret_book = book_rates(scale, &rates);
    return *ret_book ? rates : stow_gce_rates;
}

/* Devices that a book prices and the price model does not know. */
static double other_devices(const struct stow_scale *scale, stow_spec_id spec)
{
    const struct stow_snapshot *s = scale->s;
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[spec].requests, struct stow_amount, &count);
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_str name = stow_text(s, s->resource[list[i].resource]);

        if (list[i].resource >= STOW_RESOURCE_FIXED && !stow_str_is(name, "nvidia.com/gpu") &&
            !stow_resource_in_bytes(s, list[i].resource))
            sum +=
                (double)list[i].value * (double)scale->rate[list[i].resource] / STOW_NANO_PER_UNIT;
    }
    return sum;
}

int stow_scale_pod_price(const struct stow_scale *scale, stow_spec_id spec, double *ret,
                         struct stow_err *err)
{
    struct stow_gce_requests requests;
    bool book;
    const struct stow_gce_rates rates = rates_of(scale, &book);

    STOW_TRY(stow_gce_requests_of(scale->s, spec, &requests, err));
    *ret = stow_gce_pod_price(&rates, &requests);
    if (book)
        *ret += other_devices(scale, spec);
    return STOW_OK;
}

double stow_scale_stabiliser(const struct stow_scale *scale)
{
    bool book;
    const struct stow_gce_rates rates = rates_of(scale, &book);

    return stow_price_stabiliser(scale->options.price_rules, &rates);
}
