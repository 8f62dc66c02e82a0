/* catalogue.c - the built-in prices of widely used instance types.
 *
 * The catalogue is plain CSV so that a person can read, compare and correct it; it
 * goes through the same reader as a user's files when the program starts.  That
 * costs about a millisecond for 3,700 rows, because fields are views and texts
 * repeat; verbs that need no prices do not open it. */
#include "price/catalogue.h"

#include <string.h>

#include "price/importers.h"

/* Made by tools/embed.py. */
extern const char stow_embedded_catalogue_prices[];
extern const size_t stow_embedded_catalogue_prices_len;

/* A defect here is one of the build: the tests read the whole catalogue. */
static int whole(const struct stow_import *import, struct stow_err *err)
{
    if (import->bads == 0)
        return STOW_OK;
    return stow_fail(err, STOW_EPARSE, "the built-in catalogue is damaged: line %u: %s",
                     import->bad[0].line, import->bad[0].reason);
}

int stow_catalogue_open(struct stow_catalogue *ret, struct stow_err *err)
{
    STOW_AUTO(stow_import_done)
    struct stow_import import = {.source = "catalogue", .importer = &stow_importer_stowage_csv};

    memset(ret, 0, sizeof(*ret));
    STOW_TRY(stow_import_add(&import, "catalogue/prices.csv", stow_embedded_catalogue_prices,
                             stow_embedded_catalogue_prices_len, err));
    STOW_TRY(whole(&import, err));
    stow_book_move(&ret->book, &import.book);
    return STOW_OK;
}

void stow_catalogue_close(struct stow_catalogue *catalogue)
{
    stow_book_done(&catalogue->book);
    memset(catalogue, 0, sizeof(*catalogue));
}
