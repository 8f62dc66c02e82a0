/* money.c - what prices say of every node, for rules about money.
 *
 * Medians and rates belong to an offering, and nodes of one offering are many:
 * each is worked out once. */
#include "place/money.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "price/median.h"
#include "price/risk.h"

/* What is known of an offering. */
struct usual {
    stow_nano median, on_demand;
    int64_t rate;
};

struct lookup {
    const struct stow_books *books;
    const struct stow_bill_options *options;
    struct stow_str currency;
    struct stow_intern keys; /* offerings as texts */
    struct usual *usual;     /* by handle */
    uint32_t count, cap;
};

static void lookup_done(struct lookup *l)
{
    stow_intern_done(&l->keys);
    free(l->usual);
}

static int find_median(struct lookup *l, const struct stow_offer_texts *offer, stow_nano *ret,
                       struct stow_err *err)
{
    struct stow_median median;

    STOW_TRY(
        stow_books_median(l->books, offer, l->options->now, STOW_HISTORY_WINDOW, &median, err));
    *ret = stow_str_eq(median.currency, l->currency) ? median.price : STOW_MONEY_UNKNOWN;
    return STOW_OK;
}

static stow_nano find_on_demand(struct lookup *l, struct stow_offer_texts offer)
{
    struct stow_resolved found;

    offer.capacity_type = STOW_CAPACITY_ON_DEMAND;
    if (!stow_books_price(l->books, &offer, l->options->now, &found) ||
        !stow_str_eq(found.currency, l->currency))
        return STOW_MONEY_UNKNOWN;
    return found.price;
}

/* As the share lost within 30 days, in billionths. */
static int64_t find_rate(struct lookup *l, const struct stow_offer_texts *offer)
{
    struct stow_resolved_risk found;
    double lambda;

    if (!stow_books_risk(l->books, offer, l->options->now, &found) ||
        !stow_risk_row_lambda(found.row, &lambda))
        return -1;
    return llround(stow_risk_rate(lambda, STOW_RISK_MONTH) * 1e9);
}

static uint32_t offer_key(struct lookup *l, const struct stow_offer_texts *offer)
{
    STOW_AUTO(stow_buf_done) struct stow_buf key = {0};
    const struct stow_str parts[] = {offer->provider, offer->region, offer->zone,
                                     offer->instance_type, offer->os};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        stow_buf_add(&key, parts[i]);
        stow_buf_char(&key, '\n');
    }
    stow_buf_char(&key, (char)('0' + offer->capacity_type));
    return key.failed ? STOW_INTERN_FAILED : stow_intern_text(&l->keys, stow_buf_str(&key));
}

static int find_usual(struct lookup *l, const struct stow_offer_texts *offer, struct usual *ret,
                      struct stow_err *err)
{
    uint32_t handle = offer_key(l, offer);

    if (handle == STOW_INTERN_FAILED ||
        stow_vec_reserve(&l->usual, &l->cap, handle + 1, sizeof(*l->usual)) < 0)
        return stow_fail_memory(err);
    if (handle >= l->count) { /* handles count up: a new one is the next */
        STOW_TRY(find_median(l, offer, &l->usual[handle].median, err));
        l->usual[handle].on_demand = find_on_demand(l, *offer);
        l->usual[handle].rate = find_rate(l, offer);
        l->count = handle + 1;
    }
    *ret = l->usual[handle];
    return STOW_OK;
}

/* A node's price has its group's fee in it; so must what it is compared with. */
static stow_nano with_fee(stow_nano amount, stow_nano fee)
{
    stow_nano sum;

    if (amount == STOW_MONEY_UNKNOWN || __builtin_add_overflow(amount, fee, &sum))
        return amount;
    return sum;
}

int stow_node_money_make(const struct stow_snapshot *s, const struct stow_books *books,
                         const struct stow_bill_options *options, const struct stow_bill *bill,
                         struct stow_node_money **ret, struct stow_err *err)
{
    STOW_AUTO(lookup_done)
    struct lookup l = {.books = books, .options = options, .currency = bill->currency};
    STOW_AUTO(stow_free_local)
    struct stow_node_money *made = calloc(s->nodes + 1, sizeof(*made));

    if (!made)
        return stow_fail_memory(err);
    for (stow_node_id i = 0; i < s->nodes; i++) {
        const struct stow_node_bill *b = &bill->node[i];
        const struct stow_group *group = &s->group[s->node[i].group];
        struct usual usual = {0};

        STOW_TRY(find_usual(&l, &b->offer, &usual, err));
        made[i] = (struct stow_node_money){
            .price = b->price,
            .median = with_fee(usual.median, b->fee),
            .on_demand = with_fee(usual.on_demand, b->fee),
            .rate = group->rate >= 0 ? group->rate : usual.rate,
            .capacity_type = b->offer.capacity_type,
        };
    }
    *ret = stow_take(&made);
    return STOW_OK;
}
