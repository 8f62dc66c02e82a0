/* prices.c - the price book of a question: the asker's, or that of its setting `book`. */
#include "api/prices.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "price/store/store.h"

#define ALIVE UINT32_C(0x626f6f6b)

struct stow_pricebook {
    uint32_t alive; /* ALIVE; else it is none, or freed */
    atomic_uint refs;
    struct stow_book imported;
};

static bool is_prices(const struct stow_pricebook *prices)
{
    return prices && prices->alive == ALIVE;
}

int stow_pricebook_open(const char *book, struct stow_pricebook **ret, struct stow_err *err)
{
    struct stow_pricebook *made = calloc(1, sizeof(*made));

    if (!made)
        return stow_fail_memory(err);
    made->alive = ALIVE;
    atomic_init(&made->refs, 1);
    if (book) {
        const int code = stow_store_load(book, &made->imported, err);

        if (code < 0) {
            stow_pricebook_unref(made);
            return code;
        }
    }
    *ret = made;
    return STOW_OK;
}

struct stow_pricebook *stow_pricebook_ref(struct stow_pricebook *prices)
{
    if (is_prices(prices))
        atomic_fetch_add_explicit(&prices->refs, 1, memory_order_relaxed);
    return prices;
}

void stow_pricebook_unref(struct stow_pricebook *prices)
{
    if (!is_prices(prices) ||
        atomic_fetch_sub_explicit(&prices->refs, 1, memory_order_acq_rel) != 1)
        return;
    stow_book_done(&prices->imported);
    prices->alive = 0;
    free(prices);
}

const struct stow_book *stow_pricebook_imported(const struct stow_pricebook *prices)
{
    return &prices->imported;
}

const char *stow_call_book(const struct stow_call *call)
{
    const char *book = stow_call_value(call, "book");

    return book && book[0] && strcmp(book, "none") != 0 ? book : NULL;
}

int stow_call_prices(const struct stow_call *call, const struct stow_book *documents,
                     struct stow_call_prices *ret, struct stow_err *err)
{
    struct stow_pricebook *asked = call->ask->prices;

    if (asked && !is_prices(asked))
        return stow_fail(err, STOW_EINVAL, "the prices of the question are no open price book");
    if (asked)
        ret->prices = stow_pricebook_ref(asked);
    else
        STOW_TRY(stow_pricebook_open(stow_call_book(call), &ret->prices, err));
    if (documents && stow_books_add(&ret->books, documents, STOW_LAYER_DOCUMENTS) < 0)
        return stow_fail_memory(err);
    stow_books_add_catalogue(&ret->books);
    if (stow_books_add(&ret->books, &ret->prices->imported, STOW_LAYER_IMPORTED) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

void stow_call_prices_done(struct stow_call_prices *prices)
{
    stow_books_done(&prices->books);
    stow_pricebook_unref(prices->prices);
}
