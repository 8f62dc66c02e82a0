/* price_get.c - `stowage price get`: what a type costs, usually costs, and holds. */
#include <stdlib.h>

#include "api/price.h"
#include "price/risk.h"

static int look_up(const struct stow_books *books, const struct stow_price_asked *asked,
                   const struct stow_books_row *found, struct stow_price_details *ret,
                   struct stow_err *err)
{
    *ret = (struct stow_price_details){0};
    if (found->offer.capacity_type == STOW_CAPACITY_SPOT &&
        stow_books_risk(books, &found->offer, asked->at, &ret->risk) &&
        stow_risk_row_lambda(ret->risk.row, &ret->lambda)) {
        ret->has_risk = true;
        ret->rate = stow_risk_rate(ret->lambda, STOW_RISK_MONTH);
    }
    return stow_books_median(books, &found->offer, asked->at, asked->window, &ret->median, err);
}

/* The size of the first offering's provider: the type's name is rarely shared. */
static const struct stow_size *size_of(const struct stow_price_offers *offers)
{
    return stow_size_find(offers->item[0].offer.provider, offers->item[0].offer.instance_type);
}

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_price_sources sources;
    struct stow_price_offers offers;
    struct stow_price_details *details; /* by offering */
    struct stow_price_type type;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    free(a->details);
    stow_price_offers_done(&a->offers);
    stow_price_close(&a->sources);
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;
    const struct stow_books *books = &a->sources.pricing.books;
    struct stow_price_asked asked;

    STOW_TRY(stow_price_asked_read(a->call, &asked, err));
    asked.by_rates = true;
    STOW_TRY(stow_price_open(a->call, &a->sources, err));
    STOW_TRY(stow_price_offers_find(a->call, books, &asked, &a->offers, err));
    a->details = calloc(a->offers.count, sizeof(*a->details));
    if (!a->details)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->offers.count; i++)
        STOW_TRY(look_up(books, &asked, &a->offers.item[i], &a->details[i], err));
    a->type = (struct stow_price_type){asked.offer.instance_type, &a->offers, a->details,
                                       size_of(&a->offers)};
    return STOW_OK;
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_price_type_value(&w->doc, &a->type);
    else
        stow_price_type_report(&w->report, &a->type);
    return stow_writing_end(w, root, err);
}

const struct stow_verb_work stow_price_get_work = {
    .size = sizeof(struct answer), .ask = ask, .write = write, .done = answer_done};
