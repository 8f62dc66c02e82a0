/* breakdown.h - the bill by namespace, owner, label, group or zone.
 *
 * How a node's price becomes what its pods cost is written down in breakdown.c. */
#ifndef STOW_PRICE_BILL_BREAKDOWN_H
#define STOW_PRICE_BILL_BREAKDOWN_H

#include "price/bill/bill.h"

enum stow_breakdown_by {
    STOW_BY_NAMESPACE,
    STOW_BY_OWNER, /* the top controller: Deployment/shop/web */
    STOW_BY_LABEL, /* of the pod */
    STOW_BY_GROUP, /* of the node; everything that the node costs is its group's */
    STOW_BY_ZONE,  /* likewise */
    STOW_BY_COUNT
};

struct stow_breakdown_options {
    enum stow_breakdown_by by;
    struct stow_str label; /* its key */
    bool separate;         /* idle and overhead are left apart, not spread over the rows */
};

/* Keys that no object has. */
#define STOW_BREAKDOWN_NONE "-"            /* of pods without the label, nodes without a zone */
#define STOW_BREAKDOWN_REST "(other pods)" /* of pods that are not asked about, but by node */

/* What is not known of an amount is an unknown part of it: pods or nodes of `requested`, resources
 * of `idle` and `overhead`. */
struct stow_breakdown_row {
    struct stow_str key;
    uint32_t pods, pending; /* running ones, and those that wait for a node and cost nothing yet */
    int64_t unpriced;       /* pods on nodes without a price; of GROUP and ZONE such nodes */
    struct stow_money_sum requested; /* what was asked for */
    struct stow_money_sum idle;      /* its share of what no pod has requested */
    struct stow_money_sum overhead;  /* its share of what nodes keep for the system */
    struct stow_money_sum cost;      /* all of that */
};

struct stow_breakdown {
    struct stow_breakdown_row *row; /* the most expensive first, unknown last, then by key */
    uint32_t rows;
    struct stow_money_sum idle, overhead; /* what is in no row */
    struct stow_money_sum unused;         /* nor is this: committed, and used by no node */
    struct stow_breakdown_row total;      /* of rows and of what is in none; its key is empty */
    uint32_t undivided; /* nodes with a price that has nothing of worth to be divided by */
    struct stow_intern keys;
};

/* Divides the bill.  The rows with what is in none of them add up to bill->total.price, where all
 * is known; where it is not, what they are at least is never more than that.
 * `ret` is valid for stow_breakdown_done in any case. */
int stow_breakdown_make(const struct stow_snapshot *s, const struct stow_books *books,
                        const struct stow_bill *bill, const struct stow_breakdown_options *options,
                        struct stow_breakdown *ret, struct stow_err *err);
void stow_breakdown_done(struct stow_breakdown *b);

#endif
