/* resolve.h - several price books asked as one.
 *
 *     struct stow_books books;
 *     stow_books_init(&books);
 *     stow_books_add(&books, &snapshot_book, STOW_LAYER_DOCUMENTS);
 *     stow_books_add(&books, &imported, STOW_LAYER_IMPORTED);
 *     stow_books_add_catalogue(&books);
 *     if (stow_books_price(&books, &asked, now, &found)) ...
 *
 * The books must outlive this and must not change while they are in it. */
#ifndef STOW_PRICE_RESOLVE_H
#define STOW_PRICE_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/prices/book.h"

enum stow_layer {
    STOW_LAYER_DOCUMENTS,
    STOW_LAYER_IMPORTED,
    STOW_LAYER_CATALOGUE,
    STOW_LAYER_COUNT
};

/* What is asked for, as texts; empty: the node does not state it.  An empty os is linux. */
struct stow_offer_texts {
    struct stow_str provider, region, zone, instance_type, os;
    enum stow_capacity_type capacity_type;
    struct stow_str currency; /* looked for first; empty: none is preferred */
    bool any_provider;        /* not known which: rows of every provider fit */
};

struct stow_node_key {
    stow_sym field;
    struct stow_str id; /* in small letters */
    uint32_t row;
};

/* A book with its rows by instance type. */
struct stow_indexed_book {
    const struct stow_book *book;
    enum stow_layer layer;
    uint32_t *row, *row_start; /* price rows of type t: row[row_start[t]] up to row_start[t + 1] */
    uint32_t *risk, *risk_start; /* the same of interruption rows */
    uint32_t types;              /* texts when the index was made */
    struct stow_node_key *node;  /* by field and id */
    struct stow_arena arena;
};

struct stow_books {
    struct stow_indexed_book *book;
    uint32_t count, cap;
    bool catalogue; /* the built-in prices are the last layer */
};

/* The source of spot prices of the catalogue, also where they were listed and imported again. */
#define STOW_ONE_MOMENT "catalogue spot, one moment"

/* The source of prices by capacity (rates.h). */
#define STOW_RATES_SOURCE "opencost rates"

struct stow_resolved {
    stow_nano price;            /* per hour, less the discount */
    stow_nano list;             /* before it */
    stow_percent_nano discount; /* 0: none */
    struct stow_str currency;
    enum stow_layer layer;
    struct stow_str source; /* what the row says about itself: a format, a document; may be empty */
    const struct stow_book *book; /* NULL: of the catalogue */
    uint32_t row;
    const char *collected; /* of the catalogue: "2026-08-22", empty: not known; NULL: of a book */
    uint32_t rank;         /* steps 1 to 4 of the order (resolve.c) */
    stow_time effective;
    bool stale;      /* a spot price that states its time, and that is older than a day */
    bool one_moment; /* a spot price of the catalogue, or a row of a book that was one */
    bool by_rates;   /* what the machine has, times rates (rates.h) */
};

/* A price of any layer and what it is for. */
struct stow_books_row {
    struct stow_offer_texts offer;
    struct stow_resolved price;
};

/* Takes a row; fine or an error, which ends the walk. */
typedef int stow_row_taker(void *context, const struct stow_books_row *row);

struct stow_resolved_risk {
    const struct stow_risk_row *row;
    const struct stow_book *book;
    enum stow_layer layer;
};

/* A node, for prices of single nodes.  The functions give an empty text for what is not there. */
struct stow_node_view {
    struct stow_str name, provider_id, region;
    struct stow_str (*label)(const void *node, struct stow_str key);
    struct stow_str (*annotation)(const void *node, struct stow_str key);
    const void *node;
};

void stow_books_init(struct stow_books *books);
int stow_books_add(struct stow_books *books, const struct stow_book *book, enum stow_layer layer);
void stow_books_done(struct stow_books *books);

/* The same without spot prices, for who asks about on-demand only: a spot history may have many
 * thousand rows of one type. */
int stow_books_add_durable(struct stow_books *books, const struct stow_book *book,
                           enum stow_layer layer);

/* The built-in prices as the last layer. */
void stow_books_add_catalogue(struct stow_books *books);

const char *stow_layer_name(enum stow_layer layer); /* documents, imported, catalogue */

/* The layer that a price is from; for spot prices of the catalogue STOW_ONE_MOMENT, for
 * prices by capacity STOW_RATES_SOURCE. */
const char *stow_resolved_source(const struct stow_resolved *price);

/* Whether a row of a book was a spot price of the catalogue. */
bool stow_price_row_is_one_moment(const struct stow_book *book, const struct stow_price_row *row);

/* Takes the discount on an offering off a list price. */
void stow_books_discount(const struct stow_books *books, const struct stow_offer_texts *offer,
                         struct stow_resolved *price);

/* Every row in force of a type, of all layers, or of all types where it is empty: list prices. */
int stow_books_walk(const struct stow_books *books, struct stow_str instance_type, stow_time now,
                    stow_row_taker *take, void *context);

/* The price of an offering at a time, by the order written in resolve.c; false: no row matches. */
bool stow_books_price(const struct stow_books *books, const struct stow_offer_texts *asked,
                      stow_time now, struct stow_resolved *ret);

/* How often it is interrupted, and the savings over on-demand; false: not known. */
bool stow_books_risk(const struct stow_books *books, const struct stow_offer_texts *asked,
                     stow_time now, struct stow_resolved_risk *ret);

/* The price of this very node; false: no row names it.  `row` counts in the book's `node`. */
bool stow_books_node_price(const struct stow_books *books, const struct stow_node_view *node,
                           struct stow_resolved *ret);

/* What one core, GiB or device is worth per hour.  The first book that states `resources` says it
 * for all resources (those it does not list are worth nothing); without one the GCE rates hold.
 * `ret_layer` is STOW_LAYER_COUNT for these. */
stow_nano stow_books_rate(const struct stow_books *books, struct stow_str resource,
                          enum stow_layer *ret_layer);

/* How narrowly an offer fits, larger first: all of the order but time and amount (resolve.c). */
uint32_t stow_offer_rank(const struct stow_offer *offer, enum stow_layer layer);

/* A row's offer as texts of its book. */
struct stow_offer_texts stow_offer_texts_of(const struct stow_book *book,
                                            const struct stow_offer *offer);

/* Whether a row fits what is asked: each field it states equals the one asked. */
bool stow_texts_fit(const struct stow_offer_texts *row, const struct stow_offer_texts *asked);

/* The same of a row of a book. */
bool stow_offer_fits(const struct stow_book *book, const struct stow_offer *offer,
                     const struct stow_offer_texts *asked);

#endif
