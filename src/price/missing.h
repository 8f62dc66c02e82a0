/* missing.h - why the books have no price for an offering: what is known instead, and what to say.
 */
#ifndef STOW_PRICE_MISSING_H
#define STOW_PRICE_MISSING_H

#include "price/resolve.h"

/* Why the catalogue leaves a type out, with a colon before it; empty: it is not known to. */
const char *stow_missing_left_out(struct stow_str instance_type);

/* One sentence, lower case and without a stop, for an offering that stow_books_price does not
 * find: "e2-standard-4 on-demand: known in us-central1, not in europe-west9". */
void stow_books_missing(const struct stow_books *books, const struct stow_offer_texts *asked,
                        stow_time now, struct stow_buf *out);

/* How to get it: the command that downloads prices of the provider and region, and the import;
 * false: the provider hands none out, or is not known. */
bool stow_missing_advice(const struct stow_offer_texts *asked, struct stow_buf *out);

#endif
