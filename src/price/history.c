/* history.c - a price over time, and what is typical of it.
 *
 * Why weigh by time
 * -----------------
 * A spot price that jumps five times in one bad hour and then rests for a week has
 * five times more samples of the bad hour than of the week.  A median of samples
 * would report the hour.  So each price counts for as long as it held: sort the
 * segments by price and walk up until half of the covered time is reached.  That is
 * the lower median: always a price that was really asked, never a mean of two, so
 * it stays an exact integer.
 *
 * What is not known stays unknown: time without a price is a gap that counts
 * neither as cheap nor as expensive, and when gaps fill more than half of the window
 * there is no median at all.  The mean is a fraction of integers (the sum of
 * price * seconds needs at most 126 bits because the seconds sum to at most the
 * window), never a double.
 *
 * Cost: one sort of the segments; memory for one copy of them. */
#include "price/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_price(const void *a, const void *b)
{
    const struct stow_segment *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static int by_amount(const void *a, const void *b)
{
    const stow_nano *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

stow_nano stow_median_lower(stow_nano *prices, uint32_t count)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < count; i++)
        if (prices[i] != STOW_MONEY_UNKNOWN)
            prices[known++] = prices[i];
    if (known == 0)
        return STOW_MONEY_UNKNOWN;
    qsort(prices, known, sizeof(*prices), by_amount);
    return prices[(known - 1) / 2];
}

/* The smallest price at which `tenths` tenths of the covered time are reached; sorted input. */
static stow_nano quantile(const struct stow_segment *sorted, uint32_t count, int64_t covered,
                          int tenths)
{
    stow_i128 sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum += sorted[i].seconds;
        if (sum * 10 >= (stow_i128)covered * tenths)
            return sorted[i].price;
    }
    return STOW_MONEY_UNKNOWN;
}

static stow_i128 common_divisor(stow_i128 a, stow_i128 b)
{
    while (b != 0) {
        stow_i128 rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static struct stow_fraction lowest_terms(stow_i128 top, int64_t over)
{
    if (over == 0)
        return (struct stow_fraction){0, 0};

    stow_i128 divisor = common_divisor(top, over);

    return (struct stow_fraction){top / divisor, (int64_t)(over / divisor)};
}

/* Copies what is known, with the figures that need the order of time. */
static uint32_t gather(const struct stow_segment *segments, uint32_t count,
                       struct stow_segment *known, struct stow_price_stats *stats)
{
    stow_nano before = STOW_MONEY_UNKNOWN;
    stow_i128 sum = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (segments[i].price == STOW_MONEY_UNKNOWN)
            continue;
        known[kept++] = segments[i];
        sum += (stow_i128)segments[i].price * segments[i].seconds;
        stats->covered += segments[i].seconds;
        stats->changes += before != STOW_MONEY_UNKNOWN && before != segments[i].price;
        before = segments[i].price;
    }
    stats->last = before;
    stats->mean = lowest_terms(sum, stats->covered);
    return kept;
}

static void fill_quantiles(struct stow_segment *known, uint32_t count,
                           struct stow_price_stats *stats)
{
    qsort(known, count, sizeof(*known), by_price);
    stats->sample_median = known[(count - 1) / 2].price;
    stats->lowest = known[0].price;
    stats->highest = known[count - 1].price;
    if (stats->covered < stats->window - stats->covered)
        return; /* less than half is covered */
    stats->median = quantile(known, count, stats->covered, 5);
    stats->p10 = quantile(known, count, stats->covered, 1);
    stats->p90 = quantile(known, count, stats->covered, 9);
}

static int check_lengths(const struct stow_segment *segments, uint32_t count, int64_t window,
                         struct stow_err *err)
{
    int64_t left = window;

    if (window <= 0)
        return stow_fail(err, STOW_EINVAL, "the window of a price history must be longer than 0");
    for (uint32_t i = 0; i < count; i++) {
        if (segments[i].seconds < 0)
            return stow_fail(err, STOW_EINVAL, "segment %" PRIu32 " has a length below 0", i);
        if (segments[i].seconds > left)
            return stow_fail(err, STOW_EINVAL, "the segments are longer than the window");
        left -= segments[i].seconds;
    }
    return STOW_OK;
}

int stow_median_weighted(const struct stow_segment *segments, uint32_t count,
                         int64_t window_seconds, struct stow_price_stats *ret, struct stow_err *err)
{
    struct stow_price_stats stats = {
        .median = STOW_MONEY_UNKNOWN,
        .p10 = STOW_MONEY_UNKNOWN,
        .p90 = STOW_MONEY_UNKNOWN,
        .sample_median = STOW_MONEY_UNKNOWN,
        .last = STOW_MONEY_UNKNOWN,
        .lowest = STOW_MONEY_UNKNOWN,
        .highest = STOW_MONEY_UNKNOWN,
        .window = window_seconds,
    };

    STOW_TRY(check_lengths(segments, count, window_seconds, err));

    struct stow_segment *known = calloc(count ? count : 1, sizeof(*known));

    if (!known)
        return stow_fail_memory(err);

    uint32_t kept = gather(segments, count, known, &stats);

    if (kept)
        fill_quantiles(known, kept, &stats);
    free(known);
    *ret = stats;
    return STOW_OK;
}

/* The part of [from, to) that lies in [start, end). */
static int64_t overlap(stow_time from, stow_time to, stow_time start, stow_time end)
{
    stow_time first = from > start ? from : start, last = to < end ? to : end;

    return last > first ? last - first : 0;
}

int stow_history_stats(const struct stow_change *changes, uint32_t count, stow_time start,
                       int64_t window_seconds, struct stow_price_stats *ret, struct stow_err *err)
{
    stow_time end;

    if (window_seconds <= 0 || __builtin_add_overflow(start, window_seconds, &end))
        return stow_fail(err, STOW_EINVAL, "the window of a price history must be longer than 0");

    struct stow_segment *segments = calloc((size_t)count + 1, sizeof(*segments));

    if (!segments)
        return stow_fail_memory(err);

    stow_time first = count ? changes[0].at : end;
    uint32_t used = 1;

    segments[0] = (struct stow_segment){STOW_MONEY_UNKNOWN, overlap(start, first, start, end)};
    for (uint32_t i = 0; i < count; i++) {
        stow_time next = i + 1 < count ? changes[i + 1].at : end;
        int64_t seconds = overlap(changes[i].at, next, start, end);

        if (seconds)
            segments[used++] = (struct stow_segment){changes[i].price, seconds};
    }

    int code = stow_median_weighted(segments, used, window_seconds, ret, err);

    free(segments);
    return code;
}

static int by_time(const void *a, const void *b)
{
    const struct stow_change *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->price > y->price) - (x->price < y->price);
}

uint32_t stow_history_merge(struct stow_change *changes, uint32_t count)
{
    uint32_t kept = 0;

    if (count)
        qsort(changes, count, sizeof(*changes), by_time);
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && changes[i + 1].at == changes[i].at)
            continue;
        if (kept == 0 || changes[kept - 1].price != changes[i].price)
            changes[kept++] = changes[i];
    }
    return kept;
}

double stow_price_coverage(const struct stow_price_stats *stats)
{
    return stats->window > 0 ? (double)stats->covered / (double)stats->window : 0.0;
}

static void put_u128(stow_u128 value, char text[48])
{
    char reversed[48];
    size_t len = 0;

    do {
        reversed[len++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value);
    for (size_t i = 0; i < len; i++)
        text[i] = reversed[len - 1 - i];
    text[len] = '\0';
}

const char *stow_fraction_text(struct stow_fraction amount, char text[96])
{
    char top[48], over[48];

    if (amount.over == 0) {
        snprintf(text, 96, "unknown");
        return text;
    }

    stow_i128 nano = (stow_i128)amount.over * STOW_NANO_PER_UNIT;
    stow_i128 divisor = common_divisor(amount.top, nano);

    put_u128((stow_u128)(amount.top / divisor), top);
    put_u128((stow_u128)(nano / divisor), over);
    if (nano == divisor)
        snprintf(text, 96, "%s", top);
    else
        snprintf(text, 96, "%s/%s", top, over);
    return text;
}
