/* pricebook.h - what machines cost: the built-in catalogue, and a price book of your own.
 *
 *     struct stow_pricebook *prices;
 *     stow_pricebook_open("/var/lib/stowage/book", &prices, &err);
 *
 * Prices never change once opened; any number of threads may use them.  No environment variable is
 * looked at. */
#ifndef STOWAGE_PRICEBOOK_H
#define STOWAGE_PRICEBOOK_H

#include <stowage/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stow_pricebook;

/* `book` is the folder of a price book, which need not exist yet; NULL: the catalogue alone. */
STOW_API int stow_pricebook_open(const char *book, struct stow_pricebook **ret,
                                 struct stow_err *err);

STOW_API struct stow_pricebook *stow_pricebook_ref(struct stow_pricebook *prices);
STOW_API void stow_pricebook_unref(struct stow_pricebook *prices); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
