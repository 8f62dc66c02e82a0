/* discount.h - what a contract takes off list prices (`discounts` of a PriceBook). */
#ifndef STOW_PRICE_BILL_DISCOUNT_H
#define STOW_PRICE_BILL_DISCOUNT_H

#include "price/resolve.h"

/* The discount on an offering by the order written in discount.c; 0: none. */
stow_percent_nano stow_discount_find(const struct stow_books *books,
                                     const struct stow_offer_texts *offer);

/* Whether a discount matches an offering, whether or not another one counts. */
bool stow_discount_matches(const struct stow_book *book, const struct stow_discount *discount,
                           const struct stow_offer_texts *offer);

/* What is left of a price: exact, then rounded to a billionth, half up. */
stow_nano stow_discounted(stow_nano price, stow_percent_nano discount);

#endif
