/* catalogue.h - the built-in prices of widely used instance types.
 *
 * catalogue/prices.csv, made by tools/make_catalogue.py and put into the library when it is built:
 * no file is needed at run time.  What machines have is in model/sizes.h. */
#ifndef STOW_PRICE_CATALOGUE_H
#define STOW_PRICE_CATALOGUE_H

#include <stowage/error.h>

#include "model/book.h"

struct stow_catalogue {
    struct stow_book book;
};

int stow_catalogue_open(struct stow_catalogue *ret, struct stow_err *err);
void stow_catalogue_close(struct stow_catalogue *catalogue);

#endif
