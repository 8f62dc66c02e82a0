/* pricing.c - everything that is known about prices, opened in one call. */
#include "price/pricing.h"

#include <string.h>

#include "price/store/store.h"

static int add_books(struct stow_pricing *pricing, const struct stow_book *documents)
{
    struct stow_books *books = &pricing->books;

    if (documents)
        STOW_TRY(stow_books_add(books, documents, STOW_LAYER_DOCUMENTS));
    stow_books_add_catalogue(books);
    return stow_books_add(books, &pricing->imported, STOW_LAYER_IMPORTED);
}

static int open_all(struct stow_pricing *pricing, const char *book,
                    const struct stow_book *documents, struct stow_err *err)
{
    if (book)
        STOW_TRY(stow_store_load(book, &pricing->imported, err));
    return add_books(pricing, documents) < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_pricing_open(struct stow_pricing *ret, const char *book, const struct stow_book *documents,
                      struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));

    int code = open_all(ret, book, documents, err);

    if (code < 0)
        stow_pricing_close(ret);
    return code;
}

void stow_pricing_close(struct stow_pricing *pricing)
{
    stow_books_done(&pricing->books);
    stow_book_done(&pricing->imported);
}
