/* price_list.c - `stowage price list`: the prices in force. */
#include <stdlib.h>

#include "api/price.h"
#include "base/vec.h"

static bool is_wanted(struct stow_str asked, struct stow_str of_row)
{
    return asked.len == 0 || of_row.len == 0 || stow_str_eq(asked, of_row);
}

static bool is_in_list(const struct stow_price_asked *asked, struct stow_str family,
                       const struct stow_offer_texts *row)
{
    const struct stow_offer_texts *offer = &asked->offer;

    return is_wanted(offer->provider, row->provider) && is_wanted(offer->region, row->region) &&
           is_wanted(offer->zone, row->zone) && is_wanted(offer->os, row->os) &&
           stow_str_starts(row->instance_type, family) &&
           (!offer->capacity_type || !row->capacity_type ||
            offer->capacity_type == row->capacity_type);
}

/* Rows of one offering and currency together, the one that counts first. */
static int by_offer_and_force(const void *a, const void *b)
{
    const struct stow_books_row *x = a, *y = b;
    int order = stow_price_offer_cmp(&x->offer, &y->offer);

    if (!order)
        order = stow_str_cmp(x->price.currency, y->price.currency);
    if (!order)
        order = (x->price.layer > y->price.layer) - (x->price.layer < y->price.layer);
    if (!order)
        order =
            (x->price.effective < y->price.effective) - (x->price.effective > y->price.effective);
    return order ? order : (x->price.price < y->price.price) - (x->price.price > y->price.price);
}

/* What is listed. */
struct listing {
    const struct stow_books *books;
    const struct stow_price_asked *asked;
    struct stow_str family;
    struct stow_price_offers *rows;
};

static int add_row(void *context, const struct stow_books_row *row)
{
    const struct listing *l = context;

    if (!is_in_list(l->asked, l->family, &row->offer))
        return STOW_OK;

    struct stow_books_row *made = STOW_PUSH(&l->rows->item, &l->rows->count, &l->rows->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = *row;
    stow_books_discount(l->books, &row->offer, &made->price);
    return STOW_OK;
}

/* Keeps the row in force of each offering. */
static void keep_in_force(struct stow_price_offers *rows)
{
    uint32_t kept = 0;

    if (rows->count)
        qsort(rows->item, rows->count, sizeof(*rows->item), by_offer_and_force);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct stow_books_row *before = kept ? &rows->item[kept - 1] : NULL;

        if (!before || stow_price_offer_cmp(&before->offer, &rows->item[i].offer) != 0 ||
            !stow_str_eq(before->price.currency, rows->item[i].price.currency))
            rows->item[kept++] = rows->item[i];
    }
    rows->count = kept;
}

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_price_sources sources;
    struct stow_price_offers rows;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    stow_price_offers_done(&a->rows);
    stow_price_close(&a->sources);
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;
    const char *family = stow_call_value(a->call, "family");
    struct stow_price_asked asked;

    STOW_TRY(stow_price_asked_read(a->call, &asked, err));
    STOW_TRY(stow_price_open(a->call, &a->sources, err));

    struct listing listing = {&a->sources.pricing.books, &asked, stow_str_of(family ? family : ""),
                              &a->rows};

    if (stow_books_walk(listing.books, STOW_STR(""), asked.at, add_row, &listing) < 0)
        return stow_fail_memory(err);
    keep_in_force(&a->rows);
    return STOW_OK;
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_price_list_value(&w->doc, &a->rows, &a->sources.pricing.books);
    else
        stow_price_list_report(&w->report, &a->rows, &a->sources.pricing.books);
    return stow_writing_end(w, root, err);
}

const struct stow_verb_work stow_price_list_work = {
    .size = sizeof(struct answer), .ask = ask, .write = write, .done = answer_done};
