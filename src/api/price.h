/* price.h - what the verbs below `stowage price` share: which offerings are asked for. */
#ifndef STOW_API_PRICE_H
#define STOW_API_PRICE_H

#include "api/output.h"
#include "api/prices.h"
#include "explain/prices/prices.h"

extern const struct stow_verb stow_verb_price;

extern const struct stow_verb_work stow_price_list_work, stow_price_get_work,
    stow_price_history_work, stow_price_import_work;

/* The prices that the options name. */
struct stow_price_sources {
    struct stow_snapshot *documents; /* of -f, or NULL */
    struct stow_call_prices pricing;
};

int stow_price_open(struct stow_call *call, struct stow_price_sources *ret, struct stow_err *err);
void stow_price_close(struct stow_price_sources *sources);

/* What the options ask for: empty texts and STOW_CAPACITY_ANY are not asked. */
struct stow_price_asked {
    struct stow_offer_texts offer;
    stow_time at;   /* --at, else now */
    int64_t window; /* seconds */
    bool by_rates;  /* where no row has a price, what the machine has times rates is one */
};

int stow_price_asked_read(const struct stow_call *call, struct stow_price_asked *ret,
                          struct stow_err *err);

/* All offerings of the instance type asked, in order of their texts; STOW_ENOTFOUND and a hint when
 * there are none. */
int stow_price_offers_find(struct stow_call *call, const struct stow_books *books,
                           const struct stow_price_asked *asked, struct stow_price_offers *ret,
                           struct stow_err *err);
void stow_price_offers_done(struct stow_price_offers *offers);

#endif
