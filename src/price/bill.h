/* bill.h - what a cluster costs per hour, and what of that nobody has asked for. */
#ifndef STOW_PRICE_BILL_H
#define STOW_PRICE_BILL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/snapshot.h"
#include "price/resolve.h"

struct stow_bill_options {
    struct stow_str provider, region; /* of nodes that state none; may be empty */
    struct stow_str currency;         /* of the bill; empty: the documents', else USD */
    stow_time now;
};

/* Where a node's price is from. */
enum stow_price_origin {
    STOW_PRICE_NONE,
    STOW_PRICE_OF_NODE,  /* a price of this very node */
    STOW_PRICE_OF_GROUP, /* its group's pricePerHour */
    STOW_PRICE_OF_BOOK,  /* by its offering: documents, imported book, catalogue */
    STOW_PRICE_OF_COMMITMENT,
};

struct stow_node_bill {
    struct stow_offer_texts offer;
    enum stow_price_origin origin;
    enum stow_layer layer;          /* with STOW_PRICE_OF_BOOK */
    struct stow_str other_currency; /* there is a price, but in this currency */
    stow_nano price;                /* all that it costs, fee included; STOW_MONEY_UNKNOWN */
    stow_nano list;                 /* its price before a discount, fee not included */
    stow_percent_nano discount;     /* 0: none */
    stow_nano fee;                  /* its group's feePerNodeHour, 0 without a price */
    stow_nano committed;            /* what of the price is owed anyway: a commitment's; else 0 */
    stow_nano waste;                /* of what is not requested; STOW_MONEY_UNKNOWN */
    const char *why;                /* there is no price, for people; NULL: there is one */
    bool stale, one_moment;         /* as in stow_resolved */
};

/* Of some nodes.  The waste of a node may be unknown although its price is known. */
struct stow_sum {
    uint32_t nodes, pods;
    struct stow_money_sum price, waste;
    stow_nano gauged; /* the price of the nodes whose waste is known */
};

/* Whether there are nodes whose price is known and whose waste is not: the share of waste in what
 * priced nodes cost is at least what is known of it. */
static inline bool stow_sum_hides_waste(const struct stow_sum *sum)
{
    return sum->price.amount > sum->gauged;
}

/* Adds a node; price and waste may be unknown. */
void stow_sum_add(struct stow_sum *sum, stow_nano price, stow_nano waste, uint32_t pods);

/* What is committed at one price, and how many nodes take it. */
struct stow_bill_commitment {
    struct stow_str instance_type, region;
    uint32_t nodes, used;
    stow_nano price; /* of each, used or not */
};

/* What the unused nodes of a commitment cost. */
static inline stow_nano stow_unused_fee(const struct stow_bill_commitment *c)
{
    stow_nano fee;

    return __builtin_mul_overflow(c->price, (stow_nano)(c->nodes - c->used), &fee) ? INT64_MAX
                                                                                   : fee;
}

struct stow_bill {
    struct stow_node_bill *node; /* by node id */
    struct stow_sum *group;      /* by group id */
    struct stow_sum total;       /* prices and wastes of absent nodes are unknown parts of it */
    uint32_t discounted;         /* nodes that have a discount */
    stow_nano discounts;         /* what these take off, per hour */
    struct stow_bill_commitment *commitment; /* as in the snapshot; in the arena */
    uint32_t commitments;
    uint32_t moments;      /* nodes whose price is a spot price of one moment */
    uint32_t absent;       /* nodes that pods run on and that are not among the input */
    stow_nano ungauged;    /* the price of the nodes whose price is known and waste is not */
    stow_nano waste_share; /* the largest share that may be waste of a node whose price is
                            * not known: in 10^-9, rounded up; 0: there is no such node */
    struct stow_str currency;
    struct stow_arena arena; /* of the texts */
    enum stow_layer rates;   /* who says what resources are worth; STOW_LAYER_COUNT: the defaults */
};

/* Nodes of the input that have no price. */
static inline int64_t stow_bill_unpriced(const struct stow_bill *bill)
{
    return bill->total.price.unknown - bill->absent;
}

/* Where its price is from: a layer of books, STOW_ONE_MOMENT, "group" or "node"; NULL: none. */
const char *stow_node_bill_source(const struct stow_node_bill *b);

/* Asks `books` for every node of `s`.  The bill refers to texts of both. */
int stow_bill_make(const struct stow_snapshot *s, const struct stow_books *books,
                   const struct stow_bill_options *options, struct stow_bill *ret,
                   struct stow_err *err);
void stow_bill_done(struct stow_bill *bill);

/* What a node has and what of it is asked for, by resource id, `step` entries apart. */
struct stow_room {
    const int64_t *allocatable, *requested;
    size_t step;
};

/* The part of a node's price that nobody asked for; STOW_MONEY_UNKNOWN without a price. */
stow_nano stow_waste(const struct stow_snapshot *s, const stow_nano *rate,
                     const struct stow_room *room, stow_nano price);

/* Adds what an amount of a resource is worth at this rate, in units that are the same for all
 * resources; false when that does not fit. */
bool stow_add_worth(const struct stow_snapshot *s, stow_resource_id r, stow_nano rate,
                    int64_t amount, stow_u128 *to);

/* What one core, GiB or device of each resource is worth, into ret[0..resources). */
void stow_bill_rates(const struct stow_snapshot *s, const struct stow_books *books, stow_nano *ret,
                     enum stow_layer *ret_layer);

/* What a node says it is, in the words of price books. */
struct stow_offer_texts stow_node_offer(const struct stow_snapshot *s, const struct stow_node *node,
                                        const struct stow_bill_options *options);

#endif
