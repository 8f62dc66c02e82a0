/* book.h - a price book as data: prices of offerings over time, prices of single nodes,
 * interruption rates, what resources are worth, what clusters charge, what a core and a GiB cost.
 *
 * A book owns its texts, so that books from documents, from disk and from the
 * built-in catalogue live side by side and are asked in turn (price/resolve.h).
 * Texts compare by handle within one book only. */
#ifndef STOW_MODEL_PRICES_BOOK_H
#define STOW_MODEL_PRICES_BOOK_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/intern.h"
#include "model/values/money.h"

enum stow_capacity_type {
    STOW_CAPACITY_ANY, /* a row that does not state one */
    STOW_CAPACITY_ON_DEMAND,
    STOW_CAPACITY_SPOT,
    STOW_CAPACITY_RESERVED,
    STOW_CAPACITY_COUNT
};

/* Seconds since 1970, UTC. */
typedef int64_t stow_time;
#define STOW_TIME_ALWAYS INT64_MIN /* effective since ever */

/* What is offered: handles into the book's texts, 0 = not stated (fits any). */
struct stow_offer {
    stow_sym provider, region, zone, instance_type, os;
    uint32_t capacity_type; /* enum stow_capacity_type */
};

struct stow_price_row {
    struct stow_offer offer;
    stow_sym currency, source;
    stow_time effective;
    stow_nano price; /* per hour, >= 0 */
};

/* The price of one node: `field` says what of a Node `id` is compared with (spec.providerID,
 * metadata.name, metadata.labels.KEY, metadata.annotations.KEY), ignoring letter case. */
struct stow_node_price {
    stow_sym field, id, region, currency;
    stow_nano price;
};

/* How often an offering is interrupted, as delivered (reference: low and high of a bucket). */
enum stow_rate_unit { STOW_RATE_PER_MONTH, STOW_RATE_PER_HOUR, STOW_RATE_UNIT_COUNT };

struct stow_risk_row {
    struct stow_offer offer;
    stow_sym source;
    uint32_t unit;       /* enum stow_rate_unit */
    int64_t low, high;   /* billionths (10^-9) of a probability; high == 10^9: an open bucket */
    int64_t savings_ppm; /* millionths off the on-demand price, INT64_MIN = not known */
    stow_time observed;
};

/* What one core, GiB or device is worth per hour. */
struct stow_rate {
    stow_sym resource;
    stow_nano price;
};

/* What a core, a GiB and a GPU cost per hour, for nodes that no other row prices;
 * STOW_MONEY_UNKNOWN: not stated.  A book has at most one such set of each currency. */
enum stow_unit { STOW_UNIT_CPU, STOW_UNIT_MEMORY, STOW_UNIT_GPU, STOW_UNIT_COUNT };

struct stow_unit_rates {
    stow_sym currency;
    stow_nano price[STOW_UNIT_COUNT], spot[STOW_UNIT_COUNT];
};

/* What a cluster charges: per replica, or per resource (then `rates` entries from `rate` on). */
struct stow_cluster_price {
    stow_sym cluster;
    uint32_t rate, rates;
    stow_nano per_replica; /* STOW_MONEY_UNKNOWN: by resources */
};

/* Billionths of a per cent: 12.5 % is 12,500,000,000. */
typedef int64_t stow_percent_nano;

/* What is taken off list prices of the offerings that it fits; `*` in the instance type stands for
 * any letters (price/bill/discount.h). */
struct stow_discount {
    struct stow_offer offer; /* no zone and no os */
    stow_percent_nano percent;
};

/* Nodes that are paid for whether they run or not (commitments.h). */
struct stow_commitment_row {
    stow_sym instance_type, region;
    uint32_t nodes;
    stow_nano price; /* of each, per hour */
};

struct stow_book {
    struct stow_intern text;
    struct stow_price_row *price;
    struct stow_node_price *node;
    struct stow_risk_row *risk;
    struct stow_rate *rate; /* of the book's `resources` */
    struct stow_cluster_price *cluster;
    struct stow_rate *cluster_rate;
    struct stow_discount *discount;
    struct stow_commitment_row *commitment;
    struct stow_unit_rates *unit;
    uint32_t prices, price_cap, nodes, node_cap, risks, risk_cap;
    uint32_t rates, rate_cap, clusters, cluster_cap, cluster_rates, cluster_rate_cap;
    uint32_t discounts, discount_cap, commitments, commitment_cap, units, unit_cap;
    stow_sym currency; /* of the document, 0 = not stated */
};

void stow_book_done(struct stow_book *book);

/* Hands all of a book over; `from` is empty then. */
void stow_book_move(struct stow_book *to, struct stow_book *from);

const char *stow_capacity_type_name(enum stow_capacity_type type);

/* on-demand, spot, reserved; false for another text. */
bool stow_capacity_type_parse(struct stow_str text, enum stow_capacity_type *ret);

/* The words that nodes have for it in their labels: Ec2Spot, ON_DEMAND, CAPACITY_BLOCK, ... */
bool stow_capacity_type_word(struct stow_str text, enum stow_capacity_type *ret);

/* per_month, per_hour; false for another text. */
const char *stow_rate_unit_name(enum stow_rate_unit unit);
bool stow_rate_unit_parse(struct stow_str text, enum stow_rate_unit *ret);

/* Appends a copy of a row of another book, with its texts; STOW_ENOMEM or fine. */
int stow_book_copy_price(struct stow_book *to, const struct stow_book *from,
                         const struct stow_price_row *row);
int stow_book_copy_node(struct stow_book *to, const struct stow_book *from,
                        const struct stow_node_price *row);
int stow_book_copy_risk(struct stow_book *to, const struct stow_book *from,
                        const struct stow_risk_row *row);
int stow_book_copy_unit(struct stow_book *to, const struct stow_book *from,
                        const struct stow_unit_rates *row);

/* RFC 3339: "2026-11-01T00:00:00Z", also with an offset, fractions cut off, or a date alone.
 * Years 1 to 9999. */
bool stow_time_parse(struct stow_str text, stow_time *ret);
const char *stow_time_format(stow_time at,
                             char text[32]); /* "2026-11-01T00:00:00Z"; empty: always */

#endif
