/* bill.h - what a cluster costs per hour, and which part of that no pod has requested. */
#ifndef STOW_PRICE_BILL_BILL_H
#define STOW_PRICE_BILL_BILL_H

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
    STOW_PRICE_OF_RATES, /* by what it has, times the imported book's rates */
};

struct stow_bill;

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
    stow_nano uncommitted;          /* what it costs without a commitment; STOW_MONEY_UNKNOWN */
    uint32_t commitment;            /* it comes under one, in use or not: 1 + its place; else 0 */
    stow_nano waste;                /* of what is not requested; STOW_MONEY_UNKNOWN */
    const char *collected;          /* when the catalogue's price was; NULL: of another source */
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
    /* More nodes come under it than it has places.  Whichever stay take it: what all of them cost
     * without it is the same ... */
    bool shared;
    bool mixed;       /* ... or it is not: then those that take it are as they are */
    stow_nano credit; /* shared: what all places of this type and region take off, in its first */
};

/* What the unused nodes of a commitment cost. */
static inline stow_nano stow_unused_fee(const struct stow_bill_commitment *c)
{
    stow_nano fee;

    return __builtin_mul_overflow(c->price, (stow_nano)(c->nodes - c->used), &fee) ? INT64_MAX
                                                                                   : fee;
}

/* What a node that runs costs more than if it did not; STOW_MONEY_UNKNOWN.  With what is owed in
 * any case (stow_bill_owed) these are the whole bill. */
stow_nano stow_bill_weight(const struct stow_bill *bill, stow_node_id node);

/* What no node uses of all that is committed; it is in `total`. */
stow_nano stow_bill_unused(const struct stow_bill *bill);

/* All that is committed, in use or not. */
stow_nano stow_bill_fees(const struct stow_bill *bill);

/* All that is committed, in use or not, less what nodes that share commitments do not cost. */
stow_nano stow_bill_owed(const struct stow_bill *bill);

/* Nodes whose price wants a word: those that are better than none, and those below the list. */
struct stow_guesses {
    uint32_t moments;    /* a spot price of one moment */
    uint32_t rated;      /* by what they have, times rates */
    uint32_t discounted; /* less a discount: no guess, but no list price either */
};

struct stow_bill {
    struct stow_node_bill *node; /* by node id */
    struct stow_sum *group;      /* by group id */
    struct stow_sum total;       /* prices and wastes of absent nodes are unknown parts of it, and
                                    what is committed and unused is in its price */
    stow_nano discounts;         /* what these take off, per hour */
    uint32_t listed;             /* nodes whose price is the catalogue's, which was collected ... */
    const char *first_collected, *last_collected; /* ... between these dates; NULL: not known */
    struct stow_bill_commitment *commitment;      /* as in the snapshot; in the arena */
    uint32_t commitments;
    struct stow_guesses guesses;
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

/* Counts a node as what its price is; `b` may be NULL. */
void stow_guesses_add(struct stow_guesses *guesses, const struct stow_node_bill *b);

/* Where its price is from: a layer of books, STOW_ONE_MOMENT, STOW_RATES_SOURCE, "group" or "node";
 * NULL: none. */
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

/* The part of a node's price that no pod requests; STOW_MONEY_UNKNOWN without a price. */
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
