/* rates.h - prices of machines by what they have: cores, GiB and GPUs times rates. */
#ifndef STOW_PRICE_RATES_H
#define STOW_PRICE_RATES_H

#include "model/nodes/sizes.h"
#include "model/snapshot.h"
#include "price/resolve.h"

/* Rates in one currency. */
struct stow_rate_set {
    const struct stow_book *book;
    const struct stow_unit_rates *rates;
    struct stow_str currency;
};

/* One of the sets of all books, counted from 0; false: there are not so many. */
bool stow_rates_at(const struct stow_books *books, uint32_t at, struct stow_rate_set *ret);

/* The price of a node that no row prices; false: there are no rates, or it is not known what the
 * node has. */
bool stow_rates_node_price(const struct stow_books *books, const struct stow_snapshot *s,
                           const struct stow_node *node, const struct stow_offer_texts *offer,
                           struct stow_resolved *ret);

/* Why a node has no price although there are rates; NULL: there are none, or it has one. */
const char *stow_rates_missing(const struct stow_books *books, const struct stow_snapshot *s,
                               const struct stow_node *node, const struct stow_offer_texts *offer);

/* The price of a machine of this size. */
bool stow_rates_size_price(const struct stow_books *books, const struct stow_size *size,
                           const struct stow_offer_texts *offer, struct stow_resolved *ret);

#endif
