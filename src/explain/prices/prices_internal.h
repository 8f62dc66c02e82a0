/* prices_internal.h - what the answers about prices share. */
#ifndef STOW_EXPLAIN_PRICES_PRICES_INTERNAL_H
#define STOW_EXPLAIN_PRICES_PRICES_INTERNAL_H

#include "explain/prices/prices.h"

/* Cells of a price: where it is from, and since when it holds; of the catalogue, when it was
 * collected. */
void stow_price_source_cell(struct stow_table *table, const struct stow_resolved *price);
void stow_price_since_cell(struct stow_table *table, const struct stow_resolved *price);

/* A line about prices that rest on one moment, for screens that have no room for the source. */
void stow_price_report_moments(struct stow_report *report, const struct stow_price_offers *offers);

/* The head of an answer, and the fields that name an offering and its price. */
struct stow_value *stow_price_answer(struct stow_doc *doc, const char *kind);
void stow_price_value(struct stow_doc *doc, struct stow_value *object,
                      const struct stow_books_row *found);
struct stow_value *stow_price_text(struct stow_doc *doc, struct stow_str text); /* empty: null */
struct stow_value *stow_price_time(struct stow_doc *doc, stow_time at);         /* always: null */

#endif
