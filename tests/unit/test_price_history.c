/* Unit tests of price histories, against a slow reference that expands every second. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "price/history.h"

#define HOUR INT64_C(3600)

static struct stow_price_stats stats_of(const struct stow_segment *segments, uint32_t count,
                                        int64_t window)
{
    struct stow_price_stats stats;
    struct stow_err err = {0};

    if (stow_median_weighted(segments, count, window, &stats, &err) < 0)
        fail_msg("%s", err.msg);
    return stats;
}

static void a_price_counts_for_as_long_as_it_held(void **ctx)
{
    const struct stow_segment segments[] = {
        {100000000, 20 * HOUR}, {300000000, 3 * HOUR}, {500000000, HOUR}};
    struct stow_price_stats stats = stats_of(segments, 3, 24 * HOUR);
    char text[96];

    (void)ctx;
    assert_int_equal(stats.median, 100000000);
    assert_int_equal(stats.sample_median, 300000000);
    assert_string_equal(stow_fraction_text(stats.mean, text), "17/120");
    assert_int_equal(stats.last, 500000000);
    assert_int_equal(stats.changes, 2);
    assert_int_equal(stats.p10, 100000000);
    assert_int_equal(stats.p90, 300000000);
    assert_int_equal(stats.highest, 500000000);
}

static void of_two_halves_the_cheaper_is_the_median(void **ctx)
{
    const struct stow_segment segments[] = {{400, 5 * HOUR}, {200, 5 * HOUR}};

    (void)ctx;
    assert_int_equal(stats_of(segments, 2, 10 * HOUR).median, 200);
}

static void the_price_before_the_window_is_carried_in(void **ctx)
{
    const struct stow_change changes[] = {{-500, 80}, {18 * HOUR, 120}};
    struct stow_price_stats stats;

    (void)ctx;
    assert_int_equal(stow_history_stats(changes, 2, 0, 24 * HOUR, &stats, NULL), STOW_OK);
    assert_int_equal(stats.median, 80);
    assert_int_equal(stats.covered, 24 * HOUR);
    assert_int_equal(stats.last, 120);
}

static void no_data_is_unknown_and_not_zero(void **ctx)
{
    struct stow_price_stats stats = stats_of(NULL, 0, HOUR);
    char text[96];

    (void)ctx;
    assert_int_equal(stats.median, STOW_MONEY_UNKNOWN);
    assert_int_equal(stats.last, STOW_MONEY_UNKNOWN);
    assert_string_equal(stow_fraction_text(stats.mean, text), "unknown");
    assert_close(stow_price_coverage(&stats), 0.0, 0.0);
}

static void half_of_the_window_is_enough_and_less_is_not(void **ctx)
{
    const struct stow_segment half[] = {{70, 50}}, less[] = {{70, 49}};

    (void)ctx;
    assert_int_equal(stats_of(half, 1, 100).median, 70);
    assert_int_equal(stats_of(less, 1, 100).median, STOW_MONEY_UNKNOWN);
    assert_int_equal(stats_of(less, 1, 100).last, 70);
    assert_int_equal(stats_of(half, 1, 101).median, STOW_MONEY_UNKNOWN);
}

static void a_gap_counts_for_nothing(void **ctx)
{
    const struct stow_segment segments[] = {{STOW_MONEY_UNKNOWN, 40}, {9, 31}, {3, 29}};
    struct stow_price_stats stats = stats_of(segments, 3, 100);

    (void)ctx;
    assert_int_equal(stats.covered, 60);
    assert_int_equal(stats.median, 9);
}

static void prices_of_any_size_do_not_overflow(void **ctx)
{
    const struct stow_segment segments[] = {{INT64_MAX, INT64_MAX / 2}, {INT64_MAX, INT64_MAX / 2}};
    struct stow_price_stats stats = stats_of(segments, 2, INT64_MAX);

    (void)ctx;
    assert_int_equal(stats.median, INT64_MAX);
    assert_true(stats.mean.top == INT64_MAX && stats.mean.over == 1);
}

static void impossible_windows_are_refused(void **ctx)
{
    const struct stow_segment segments[] = {{1, 10}, {2, -1}}, too_long[] = {{1, 60}, {2, 41}};
    struct stow_price_stats stats;

    (void)ctx;
    assert_int_equal(stow_median_weighted(segments, 1, 0, &stats, NULL), STOW_EINVAL);
    assert_int_equal(stow_median_weighted(segments, 2, 100, &stats, NULL), STOW_EINVAL);
    assert_int_equal(stow_median_weighted(too_long, 2, 100, &stats, NULL), STOW_EINVAL);
    assert_int_equal(stow_history_stats(NULL, 0, 0, -1, &stats, NULL), STOW_EINVAL);
    assert_int_equal(stow_history_stats(NULL, 0, INT64_MAX, 1, &stats, NULL), STOW_EINVAL);
}

static void repeated_prices_become_one_change(void **ctx)
{
    struct stow_change changes[] = {{30, 5}, {10, 5}, {20, 5}, {40, 7}, {40, 6}, {50, 7}};

    (void)ctx;
    assert_int_equal(stow_history_merge(changes, 6), 2);
    assert_int_equal(changes[0].at, 10);
    assert_int_equal(changes[0].price, 5);
    assert_int_equal(changes[1].at, 40);
    assert_int_equal(changes[1].price, 7);
    assert_int_equal(stow_history_merge(NULL, 0), 0);
}

static void the_lower_median_is_one_of_the_prices(void **ctx)
{
    stow_nano odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, gaps[] = {STOW_MONEY_UNKNOWN, 9, 8};
    stow_nano none[] = {STOW_MONEY_UNKNOWN};

    (void)ctx;
    assert_int_equal(stow_median_lower(odd, 3), 3);
    assert_int_equal(stow_median_lower(even, 4), 2);
    assert_int_equal(stow_median_lower(gaps, 3), 8);
    assert_int_equal(stow_median_lower(none, 1), STOW_MONEY_UNKNOWN);
    assert_int_equal(stow_median_lower(NULL, 0), STOW_MONEY_UNKNOWN);
}

/* ---- the reference ------------------------------------------------------------------------- */

enum { SECONDS = 60 };

static uint32_t seed = 12345;

static uint32_t dice(uint32_t sides)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

/* The price in force at one second: the last change at or before it. */
static stow_nano price_at(const struct stow_change *changes, uint32_t count, stow_time at)
{
    stow_nano price = STOW_MONEY_UNKNOWN;

    for (uint32_t i = 0; i < count; i++)
        if (changes[i].at <= at)
            price = changes[i].price;
    return price;
}

/* Sorted, one entry per covered second: the k-th entry is what every definition comes down to. */
static stow_nano slow_quantile(const stow_nano *seconds, uint32_t covered, uint32_t tenths)
{
    uint32_t need = (covered * tenths + 9) / 10;

    return seconds[need ? need - 1 : 0];
}

static int by_amount(const void *a, const void *b)
{
    const stow_nano *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void check_one(const struct stow_change *changes, uint32_t count, stow_time start)
{
    stow_nano second[SECONDS] = {0};
    struct stow_price_stats stats;
    int64_t sum = 0;
    uint32_t covered = 0;

    for (int i = 0; i < SECONDS; i++) {
        stow_nano price = price_at(changes, count, start + i);

        if (price != STOW_MONEY_UNKNOWN) {
            second[covered++] = price;
            sum += price;
        }
    }
    qsort(second, covered, sizeof(*second), by_amount);
    assert_int_equal(stow_history_stats(changes, count, start, SECONDS, &stats, NULL), STOW_OK);
    assert_int_equal(stats.covered, covered);
    if (covered * 2 < SECONDS) {
        assert_int_equal(stats.median, STOW_MONEY_UNKNOWN);
        return;
    }
    assert_int_equal(stats.median, slow_quantile(second, covered, 5));
    assert_int_equal(stats.p10, slow_quantile(second, covered, 1));
    assert_int_equal(stats.p90, slow_quantile(second, covered, 9));
    assert_true(stats.mean.top * covered == (stow_i128)sum * stats.mean.over);
    assert_int_equal(stats.last, price_at(changes, count, start + SECONDS - 1));
    assert_int_equal(stats.lowest, second[0]);
}

static void every_figure_equals_the_slow_one(void **ctx)
{
    (void)ctx;
    for (int round = 0; round < 20000; round++) {
        struct stow_change changes[8];
        uint32_t count = dice(9);
        stow_time at = (stow_time)dice(80) - 40;

        for (uint32_t i = 0; i < count; i++) {
            changes[i] = (struct stow_change){at, (stow_nano)dice(6)};
            at += dice(25);
        }
        check_one(changes, count, (stow_time)dice(20) - 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_counts_for_as_long_as_it_held),
        cmocka_unit_test(of_two_halves_the_cheaper_is_the_median),
        cmocka_unit_test(the_price_before_the_window_is_carried_in),
        cmocka_unit_test(no_data_is_unknown_and_not_zero),
        cmocka_unit_test(half_of_the_window_is_enough_and_less_is_not),
        cmocka_unit_test(a_gap_counts_for_nothing),
        cmocka_unit_test(prices_of_any_size_do_not_overflow),
        cmocka_unit_test(impossible_windows_are_refused),
        cmocka_unit_test(repeated_prices_become_one_change),
        cmocka_unit_test(the_lower_median_is_one_of_the_prices),
        cmocka_unit_test(every_figure_equals_the_slow_one),
    };

    return cmocka_run_group_tests_name("price/history", tests, NULL, NULL);
}
