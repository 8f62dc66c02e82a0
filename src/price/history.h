/* history.h - a price over time, and what is typical of it.
 *
 * A history is a row of change points: from `at` on the price is `price`, until the
 * next point.  Over a window it becomes segments (a price and how long it held),
 * and from segments come the figures below, all exact. */
#ifndef STOW_PRICE_HISTORY_H
#define STOW_PRICE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/int128.h"
#include "model/prices/book.h"
#include "model/values/money.h"

#define STOW_HISTORY_WINDOW INT64_C(604800) /* seconds: 7 days, by default */
#define STOW_PRICE_STALE    INT64_C(86400)  /* a spot price older than this is used, and flagged */

struct stow_change {
    stow_time at;
    stow_nano price;
};

/* STOW_MONEY_UNKNOWN as a price: a gap, not covered by anything known. */
struct stow_segment {
    stow_nano price;
    int64_t seconds;
};

/* A fraction in lowest terms; `over` is 0 when it is unknown. */
struct stow_fraction {
    stow_i128 top;
    int64_t over;
};

struct stow_price_stats {
    stow_nano median;        /* time-weighted, lower; unknown under half of the window covered */
    stow_nano p10, p90;      /* likewise */
    stow_nano sample_median; /* lower median of the prices, each counted once per segment */
    stow_nano last;
    stow_nano lowest, highest;
    struct stow_fraction mean; /* time-weighted over what is covered, in nano-units */
    int64_t covered, window;   /* seconds; coverage = covered / window */
    uint32_t changes;          /* how often the price changed inside the window */
};

/* Figures of segments that follow one another from the start of the window; what they leave of the
 * window is a gap.  STOW_EINVAL: a window or a length below 0, or more segments than window. */
int stow_median_weighted(const struct stow_segment *segments, uint32_t count,
                         int64_t window_seconds, struct stow_price_stats *ret,
                         struct stow_err *err);

/* The same from change points in order of time, over [start, start + window).  The last point at or
 * before the start is carried in. */
int stow_history_stats(const struct stow_change *changes, uint32_t count, stow_time start,
                       int64_t window_seconds, struct stow_price_stats *ret, struct stow_err *err);

/* The smallest price that half of them do not exceed; unknown ones do not count.  Sorts `prices`.
 */
stow_nano stow_median_lower(stow_nano *prices, uint32_t count);

/* Sorts by time and drops points that repeat the price before them (of several at the same time the
 * highest counts); returns how many are left. */
uint32_t stow_history_merge(struct stow_change *changes, uint32_t count);

/* covered / window as a number from 0 to 1, for printing. */
double stow_price_coverage(const struct stow_price_stats *stats);

/* "17/120" in currency units, "unknown"; for machines that want the mean exactly. */
const char *stow_fraction_text(struct stow_fraction amount, char text[96]);

#endif
