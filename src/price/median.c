/* median.c - what an offering usually costs, with the way it was found.
 *
 * The chain: the offering's own history; when less than half of the window is covered,
 * the lower median of the medians of the zones of its region (zones are separate
 * markets, so their histories are never poured together); when no zone has one, the
 * on-demand price less the savings an advisor tells; at last the spot price that the catalogue has
 * of one moment.  `from` says which it was. */
#include "price/median.h"

#include <stdlib.h>

#include "base/int128.h"
#include "base/vec.h"
#include "price/bill/discount.h"

#define MILLION 1000000

static const char *const from_names[STOW_MEDIAN_FROM_COUNT] = {
    [STOW_MEDIAN_UNKNOWN] = "unknown",       [STOW_MEDIAN_ZONE] = "history",
    [STOW_MEDIAN_REGION] = "region",         [STOW_MEDIAN_SAVINGS] = "savings",
    [STOW_MEDIAN_ONE_MOMENT] = "one moment",
};

const char *stow_median_from_name(enum stow_median_from from)
{
    return (unsigned)from < STOW_MEDIAN_FROM_COUNT ? from_names[from] : "";
}

struct changes {
    struct stow_change *item;
    uint32_t count, cap;
};

static int add_change(struct changes *into, stow_time at, stow_nano price)
{
    struct stow_change *made = STOW_PUSH(&into->item, &into->count, &into->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_change){at, price};
    return STOW_OK;
}

/* Adds the rows of one book that rank with the winner and have its currency.  A spot price of one
 * moment is not a history. */
static int collect(const struct stow_indexed_book *index, const struct stow_offer_texts *offer,
                   const struct stow_resolved *winner, stow_time now, struct changes *into)
{
    const struct stow_book *book = index->book;
    stow_sym currency = stow_intern_find(&book->text, winner->currency);
    stow_sym type = winner->book->price[winner->row].offer.instance_type
                        ? stow_intern_find(&book->text, offer->instance_type)
                        : 0;

    if (type >= index->types)
        return STOW_OK;
    for (uint32_t i = index->row_start[type]; i < index->row_start[type + 1]; i++) {
        const struct stow_price_row *row = &book->price[index->row[i]];

        if (row->effective > now || row->currency != currency ||
            stow_price_row_is_one_moment(book, row) ||
            stow_offer_rank(&row->offer, index->layer) != winner->rank ||
            !stow_offer_fits(book, &row->offer, offer))
            continue;
        STOW_TRY(add_change(into, row->effective, stow_discounted(row->price, winner->discount)));
    }
    return STOW_OK;
}

/* Of the catalogue: a list price holds always. */
static int collect_all(const struct stow_books *books, const struct stow_offer_texts *offer,
                       const struct stow_resolved *winner, stow_time now, struct changes *into)
{
    if (!winner->book)
        return winner->one_moment ? STOW_OK : add_change(into, winner->effective, winner->price);
    for (uint32_t i = 0; i < books->count; i++)
        STOW_TRY(collect(&books->book[i], offer, winner, now, into));
    return STOW_OK;
}

int stow_books_history(const struct stow_books *books, const struct stow_offer_texts *offer,
                       stow_time now, struct stow_change **ret, uint32_t *ret_count,
                       struct stow_err *err)
{
    struct changes changes = {0};
    struct stow_resolved winner;

    *ret = NULL;
    *ret_count = 0;
    if (!stow_books_price(books, offer, now, &winner))
        return STOW_OK;
    if (collect_all(books, offer, &winner, now, &changes) < 0) {
        free(changes.item);
        return stow_fail_memory(err);
    }
    *ret = changes.item;
    *ret_count = stow_history_merge(changes.item, changes.count);
    return STOW_OK;
}

static int own_stats(const struct stow_books *books, const struct stow_offer_texts *offer,
                     stow_time now, int64_t window, struct stow_price_stats *ret,
                     struct stow_err *err)
{
    STOW_AUTO(stow_free_local) struct stow_change *changes = NULL;
    uint32_t count;

    STOW_TRY(stow_books_history(books, offer, now, &changes, &count, err));
    return stow_history_stats(changes, count, now - window, window, ret, err);
}

/* ---- the region ---------------------------------------------------------------------------- */

struct zones {
    struct stow_str *name;
    uint32_t count, cap;
};

static bool has_zone(const struct zones *zones, struct stow_str name)
{
    for (uint32_t i = 0; i < zones->count; i++)
        if (stow_str_eq(zones->name[i], name))
            return true;
    return false;
}

/* The zones for which a book has prices of the type in the region. */
static int zones_of_book(const struct stow_indexed_book *index,
                         const struct stow_offer_texts *offer, struct zones *zones)
{
    const struct stow_book *book = index->book;
    stow_sym type = stow_intern_find(&book->text, offer->instance_type);
    stow_sym region = stow_intern_find(&book->text, offer->region);

    for (uint32_t i = type < index->types ? index->row_start[type] : 0;
         type < index->types && i < index->row_start[type + 1]; i++) {
        const struct stow_offer *row = &book->price[index->row[i]].offer;
        struct stow_offer_texts here = *offer;

        here.zone = stow_intern_get(&book->text, row->zone);
        if (row->zone == 0 || row->region != region || has_zone(zones, here.zone) ||
            !stow_offer_fits(book, row, &here))
            continue;

        struct stow_str *made = STOW_PUSH(&zones->name, &zones->count, &zones->cap);

        if (!made)
            return STOW_ENOMEM;
        *made = here.zone;
    }
    return STOW_OK;
}

/* Fills in the median of each zone; those without one stay unknown. */
static int fill_medians(const struct stow_books *books, const struct stow_offer_texts *offer,
                        const struct zones *zones, stow_time now, int64_t window,
                        stow_nano *medians, struct stow_err *err)
{
    struct stow_offer_texts here = *offer;
    struct stow_price_stats stats;

    for (uint32_t i = 0; i < zones->count; i++) {
        here.zone = zones->name[i];
        STOW_TRY(own_stats(books, &here, now, window, &stats, err));
        medians[i] = stats.median;
    }
    return STOW_OK;
}

static int median_of_zones(const struct stow_books *books, const struct stow_offer_texts *offer,
                           const struct zones *zones, stow_time now, struct stow_median *ret,
                           struct stow_err *err)
{
    stow_nano *medians = calloc(zones->count ? zones->count : 1, sizeof(*medians));

    if (!medians)
        return stow_fail_memory(err);

    int code = fill_medians(books, offer, zones, now, ret->stats.window, medians, err);

    for (uint32_t i = 0; code >= 0 && i < zones->count; i++)
        ret->zones += medians[i] != STOW_MONEY_UNKNOWN;
    if (code >= 0)
        ret->price = stow_median_lower(medians, zones->count);
    free(medians);
    return code;
}

static int region_median(const struct stow_books *books, const struct stow_offer_texts *offer,
                         stow_time now, struct stow_median *ret, struct stow_err *err)
{
    struct zones zones = {0};
    int code = STOW_OK;

    if (offer->region.len == 0 || offer->instance_type.len == 0)
        return STOW_OK;
    for (uint32_t i = 0; code >= 0 && i < books->count; i++)
        code = zones_of_book(&books->book[i], offer, &zones);
    if (code < 0)
        code = stow_fail_memory(err);
    else
        code = median_of_zones(books, offer, &zones, now, ret, err);
    free(zones.name);
    if (code >= 0 && ret->price != STOW_MONEY_UNKNOWN)
        ret->from = STOW_MEDIAN_REGION;
    return code;
}

/* ---- savings ------------------------------------------------------------------------------- */

static void savings_median(const struct stow_books *books, const struct stow_offer_texts *offer,
                           stow_time now, struct stow_median *ret)
{
    struct stow_offer_texts durable = *offer;
    struct stow_resolved_risk risk;
    struct stow_resolved price;

    durable.capacity_type = STOW_CAPACITY_ON_DEMAND;
    if (offer->capacity_type != STOW_CAPACITY_SPOT || !stow_books_risk(books, offer, now, &risk) ||
        risk.row->savings_ppm == INT64_MIN || !stow_books_price(books, &durable, now, &price))
        return;

    /* savings are off the list price, and so is a discount on spot machines */
    stow_i128 amount = (stow_i128)price.list * (MILLION - risk.row->savings_ppm) / MILLION;

    if (amount < 0 || amount > INT64_MAX)
        return;
    ret->price = stow_discounted((stow_nano)amount, stow_discount_find(books, offer));
    ret->currency = price.currency;
    ret->from = STOW_MEDIAN_SAVINGS;
}

/* What the offering costs now: the currency, and the last way out. */
static void add_current(const struct stow_books *books, const struct stow_offer_texts *offer,
                        stow_time now, struct stow_median *ret)
{
    struct stow_resolved price;

    if (!stow_books_price(books, offer, now, &price))
        return;
    ret->currency = price.currency;
    if (price.one_moment && ret->price == STOW_MONEY_UNKNOWN) {
        ret->price = price.price;
        ret->from = STOW_MEDIAN_ONE_MOMENT;
    }
}

int stow_books_median(const struct stow_books *books, const struct stow_offer_texts *offer,
                      stow_time now, int64_t window, struct stow_median *ret, struct stow_err *err)
{
    struct stow_median found = {.price = STOW_MONEY_UNKNOWN};

    STOW_TRY(own_stats(books, offer, now, window, &found.stats, err));
    found.price = found.stats.median;
    if (found.price != STOW_MONEY_UNKNOWN)
        found.from = STOW_MEDIAN_ZONE;
    else
        STOW_TRY(region_median(books, offer, now, &found, err));
    if (found.price == STOW_MONEY_UNKNOWN)
        savings_median(books, offer, now, &found);
    if (found.from != STOW_MEDIAN_SAVINGS)
        add_current(books, offer, now, &found);
    *ret = found;
    return STOW_OK;
}
