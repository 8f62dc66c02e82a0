/* pricing.h - everything that is known about prices, opened in one call.
 *
 *     struct stow_pricing pricing;
 *     STOW_TRY(stow_pricing_open(&pricing, folder, &snapshot->book, err));
 *     ... stow_books_price(&pricing.books, ...)
 *     stow_pricing_close(&pricing);
 *
 * After a failure there is nothing to close. */
#ifndef STOW_PRICE_PRICING_H
#define STOW_PRICE_PRICING_H

#include <stowage/error.h>

#include "price/resolve.h"

struct stow_pricing {
    struct stow_book imported;
    struct stow_books books; /* documents, imported, catalogue */
};

/* `book` is the folder of the price book, or NULL for none; `documents` (borrowed, may be NULL) the
 * book of the documents given. */
int stow_pricing_open(struct stow_pricing *ret, const char *book, const struct stow_book *documents,
                      struct stow_err *err);
void stow_pricing_close(struct stow_pricing *pricing);

#endif
