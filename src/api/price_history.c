/* price_history.c - `stowage price history`: how a price changed, and what is typical. */
#include <stdlib.h>

#include "api/price.h"
#include "base/vec.h"

static void history_done(struct stow_price_history *history)
{
    for (uint32_t i = 0; i < history->pasts; i++)
        free(history->past[i].change);
    free(history->past);
}

/* The last change that took effect before the window, or the first inside it. */
static uint32_t carried_in(const struct stow_price_past *past, stow_time start)
{
    uint32_t first = 0;

    while (first + 1 < past->changes && past->change[first + 1].at <= start)
        first++;
    return first;
}

static int look_up(const struct stow_books *books, const struct stow_price_asked *asked,
                   const struct stow_price_offers *offers, struct stow_price_history *ret,
                   struct stow_err *err)
{
    for (uint32_t i = 0; i < offers->count; i++) {
        const struct stow_offer_texts *offer = &offers->item[i].offer;
        struct stow_price_past *past = STOW_PUSH(&ret->past, &ret->pasts, &ret->past_cap);

        if (!past)
            return stow_fail_memory(err);
        past->found = &offers->item[i];
        STOW_TRY(stow_books_median(books, offer, asked->at, asked->window, &past->median, err));
        STOW_TRY(stow_books_history(books, offer, asked->at, &past->change, &past->changes, err));
        past->first = carried_in(past, asked->at - asked->window);
    }
    return STOW_OK;
}

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_price_sources sources;
    struct stow_price_offers offers;
    struct stow_price_history history;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    history_done(&a->history);
    stow_price_offers_done(&a->offers);
    stow_price_close(&a->sources);
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;
    const struct stow_books *books = &a->sources.pricing.books;
    struct stow_price_asked asked;

    STOW_TRY(stow_price_asked_read(a->call, &asked, err));
    STOW_TRY(stow_price_open(a->call, &a->sources, err));
    STOW_TRY(stow_price_offers_find(a->call, books, &asked, &a->offers, err));
    a->history.type = asked.offer.instance_type;
    a->history.at = asked.at;
    return look_up(books, &asked, &a->offers, &a->history, err);
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_price_history_value(&w->doc, &a->history);
    else
        stow_price_history_report(&w->report, &a->history);
    return stow_writing_end(w, root, err);
}

const struct stow_verb_work stow_price_history_work = {
    .size = sizeof(struct answer), .ask = ask, .write = write, .done = answer_done};
