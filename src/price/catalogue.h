/* catalogue.h - the built-in prices (model/prices/market.h) in the words of price books.
 *
 * Whoever has books asks these (price/resolve.h); the catalogue is one of their layers. */
#ifndef STOW_PRICE_CATALOGUE_H
#define STOW_PRICE_CATALOGUE_H

#include "price/resolve.h"

/* The catalogue's price of an offering; false: it has none. */
bool stow_catalogue_price(const struct stow_offer_texts *asked, struct stow_resolved *ret);

/* Every price of a type, or of all types where `instance_type` is empty, until `take` fails. */
int stow_catalogue_walk(struct stow_str instance_type, stow_row_taker *take, void *context);

#endif
