/* prices.h - the price book of a question: the asker's, or that of its setting `book`. */
#ifndef STOW_API_PRICES_H
#define STOW_API_PRICES_H

#include <stowage/pricebook.h>

#include "api/call.h"
#include "price/resolve.h"

/* All prices that a question knows.  Zeroed is valid. */
struct stow_call_prices {
    struct stow_pricebook *prices;
    struct stow_books books; /* documents, imported, catalogue */
};

/* `documents` (borrowed, may be NULL) is the book of the objects given.  `ret` is zeroed, and valid
 * for done in any case. */
int stow_call_prices(const struct stow_call *call, const struct stow_book *documents,
                     struct stow_call_prices *ret, struct stow_err *err);
void stow_call_prices_done(struct stow_call_prices *prices);

/* The folder that the setting `book` names; NULL: none. */
const char *stow_call_book(const struct stow_call *call);

/* What was imported into an open book. */
const struct stow_book *stow_pricebook_imported(const struct stow_pricebook *prices);

#endif
