/* prices.h - answers about prices, as data and as tables: the list, one type, its past, an import.
 */
#ifndef STOW_EXPLAIN_PRICES_PRICES_H
#define STOW_EXPLAIN_PRICES_PRICES_H

#include "explain/render/table.h"
#include "explain/render/value.h"
#include "model/nodes/sizes.h"
#include "price/importers/import.h"
#include "price/median.h"
#include "price/resolve.h"

/* Offerings with their prices at one time. */
struct stow_price_offers {
    struct stow_books_row *item;
    uint32_t count, cap;
};

/* The order of offerings: provider, type, region, zone, os, capacity type, currency. */
int stow_price_offer_cmp(const struct stow_offer_texts *a, const struct stow_offer_texts *b);

/* `kind: PriceList`: offerings, and the rates of `books` by capacity. */
struct stow_value *stow_price_list_value(struct stow_doc *doc, const struct stow_price_offers *rows,
                                         const struct stow_books *books);
void stow_price_list_report(struct stow_report *report, const struct stow_price_offers *rows,
                            const struct stow_books *books);

/* What is known about one offering beyond its price. */
struct stow_price_details {
    struct stow_median median;
    bool has_risk;
    struct stow_resolved_risk risk;
    double lambda, rate; /* per hour; share lost in 30 days */
};

/* `kind: Price`: an instance type; `details` by offering, `size` or NULL. */
struct stow_price_type {
    struct stow_str name;
    const struct stow_price_offers *offers;
    const struct stow_price_details *details;
    const struct stow_size *size;
};
struct stow_value *stow_price_type_value(struct stow_doc *doc, const struct stow_price_type *type);
void stow_price_type_report(struct stow_report *report, const struct stow_price_type *type);

/* One offering with its past. */
struct stow_price_past {
    const struct stow_books_row *found;
    struct stow_median median;
    struct stow_change *change;
    uint32_t first, changes; /* first: the one carried into the window */
};

/* `kind: PriceHistory`. */
struct stow_price_history {
    struct stow_str type;
    stow_time at;
    struct stow_price_past *past;
    uint32_t pasts, past_cap;
};
struct stow_value *stow_price_history_value(struct stow_doc *doc,
                                            const struct stow_price_history *history);
void stow_price_history_report(struct stow_report *report,
                               const struct stow_price_history *history);

/* `kind: PriceImport`: what became of each file; `folder` is the book's. */
struct stow_value *stow_price_import_value(struct stow_doc *doc, const struct stow_import *import,
                                           const char *folder);
void stow_price_import_report(struct stow_report *report, const struct stow_import *import);

#endif
