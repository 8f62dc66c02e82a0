/* median.h - what an offering usually costs, with the way it was found. */
#ifndef STOW_PRICE_MEDIAN_H
#define STOW_PRICE_MEDIAN_H

#include <stowage/error.h>

#include "price/history.h"
#include "price/resolve.h"

enum stow_median_from {
    STOW_MEDIAN_UNKNOWN,
    STOW_MEDIAN_ZONE,    /* of the zone's (or the offering's own) history */
    STOW_MEDIAN_REGION,  /* the lower median of the medians of the region's zones */
    STOW_MEDIAN_SAVINGS, /* the on-demand price less the savings told by an advisor, rounded down */
    STOW_MEDIAN_ONE_MOMENT, /* no median: the catalogue's spot price */
    STOW_MEDIAN_FROM_COUNT
};

struct stow_median {
    stow_nano price; /* STOW_MONEY_UNKNOWN */
    enum stow_median_from from;
    struct stow_str currency;      /* of the books asked */
    struct stow_price_stats stats; /* of the offering's own history, whatever `from` says */
    uint32_t zones;                /* how many zones of the region have a median */
};

const char *stow_median_from_name(enum stow_median_from from);

/* The change points of an offering up to `now`, merged: those of the rows that rank with the one
 * that resolves now, so that the last point is the price that stow_books_price gives.  None when it
 * has no price.  The caller frees `*ret`. */
int stow_books_history(const struct stow_books *books, const struct stow_offer_texts *offer,
                       stow_time now, struct stow_change **ret, uint32_t *ret_count,
                       struct stow_err *err);

/* The usual price over the window that ends at `now`. */
int stow_books_median(const struct stow_books *books, const struct stow_offer_texts *offer,
                      stow_time now, int64_t window, struct stow_median *ret, struct stow_err *err);

#endif
