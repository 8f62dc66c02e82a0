/* discount.c - what a contract takes off list prices.
 *
 * A discount is a percentage for the offerings that it matches: each of provider, region, instance
 * type and capacity type that it states must fit; in the type, `*` stands for any letters.  It
 * holds for list prices, which are those of the imported book and of the catalogue.  Prices that a
 * PriceBook states, of a group or of a single node are what is paid already.
 *
 * Discounts do not add up.  Of those that match, the first in this order counts:
 *
 *  1. a whole instance type before a pattern, of patterns the one with more letters besides `*`,
 *     a discount without a type last;
 *  2. a stated region before none, then the same for the capacity type and for the provider;
 *  3. the lower percentage: a bill should not look better than it may be.
 *
 * A price less its discount is computed exactly and rounded once, to a billionth, half up. */
#include "price/bill/discount.h"

#include "base/int128.h"

static const stow_percent_nano all = 100 * (stow_percent_nano)STOW_NANO_PER_UNIT;

/* Whether a text is like a pattern: the part up to the next `*` is looked for, leftmost first. */
static bool is_like(struct stow_str text, struct stow_str pattern)
{
    size_t t = 0, p = 0, star = SIZE_MAX, after = 0;

    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            after = t;
        } else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++after;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}

static bool fits(struct stow_str stated, struct stow_str offer)
{
    return !stated.len || stow_str_eq(stated, offer);
}

static bool matches(const struct stow_offer_texts *d, const struct stow_offer_texts *offer)
{
    return fits(d->region, offer->region) &&
           (offer->any_provider || fits(d->provider, offer->provider)) &&
           (!d->capacity_type || d->capacity_type == offer->capacity_type) &&
           (!d->instance_type.len || is_like(offer->instance_type, d->instance_type));
}

/* Steps 1 and 2 as one number, larger first. */
static uint32_t rank(const struct stow_offer_texts *d)
{
    uint32_t letters = 0, stars = 0;

    for (size_t i = 0; i < d->instance_type.len; i++) {
        stars += d->instance_type.ptr[i] == '*';
        letters += d->instance_type.ptr[i] != '*';
    }
    return (letters && !stars ? 1u << 20 : 0u) + ((letters + (stars > 0)) << 4) +
           (d->region.len ? 4u : 0u) + (d->capacity_type ? 2u : 0u) + (d->provider.len ? 1u : 0u);
}

stow_percent_nano stow_discount_find(const struct stow_books *books,
                                     const struct stow_offer_texts *offer)
{
    stow_percent_nano best = 0;
    uint32_t best_rank = 0;

    for (uint32_t b = 0; b < books->count; b++) {
        const struct stow_book *book = books->book[b].book;

        for (uint32_t i = 0; i < book->discounts; i++) {
            const struct stow_discount *discount = &book->discount[i];
            const struct stow_offer_texts d = stow_offer_texts_of(book, &discount->offer);
            const uint32_t its = rank(&d);

            if (matches(&d, offer) &&
                (!best || its > best_rank || (its == best_rank && discount->percent < best))) {
                best = discount->percent;
                best_rank = its;
            }
        }
    }
    return best;
}

bool stow_discount_matches(const struct stow_book *book, const struct stow_discount *discount,
                           const struct stow_offer_texts *offer)
{
    const struct stow_offer_texts d = stow_offer_texts_of(book, &discount->offer);

    return matches(&d, offer);
}

stow_nano stow_discounted(stow_nano price, stow_percent_nano discount)
{
    if (price == STOW_MONEY_UNKNOWN || !discount)
        return price;
    return (stow_nano)(((stow_i128)price * (all - discount) + all / 2) / all);
}
