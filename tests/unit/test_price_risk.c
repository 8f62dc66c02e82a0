/* Unit tests of interruption rates: one unit, nothing infinite. */
#include "tests/unit/unit.h"

#include "price/risk.h"

static const int64_t percent = 10000000;

static double share_of(int64_t low, int64_t high)
{
    const struct stow_risk_row row = {.low = low * percent, .high = high * percent};
    double share = -1;

    assert_true(stow_risk_share(&row, &share));
    return share;
}

static void a_bucket_stands_for_its_middle(void **ctx)
{
    (void)ctx;
    assert_close(share_of(0, 5), 0.025, 1e-15);
    assert_close(share_of(5, 10), 0.075, 1e-15);
    assert_close(share_of(10, 15), 0.125, 1e-15);
    assert_close(share_of(15, 20), 0.175, 1e-15);
    assert_close(share_of(20, 100), 0.30, 1e-15);
    assert_close(share_of(7, 7), 0.07, 1e-15);
    assert_close(share_of(0, 0), 0.0, 0);
    assert_close(share_of(100, 100), 1.0, 0);
}

static void from_nothing_to_everything_says_nothing(void **ctx)
{
    const struct stow_risk_row row = {.low = 0, .high = 100 * percent};
    double share;

    (void)ctx;
    assert_false(stow_risk_share(&row, &share));
    assert_false(stow_risk_row_lambda(&row, &share));
}

static void the_same_share_differs_by_720_between_units(void **ctx)
{
    struct stow_risk_row row = {.low = 5 * percent, .high = 10 * percent};
    double month, hour;

    (void)ctx;
    assert_true(stow_risk_row_lambda(&row, &month));
    row.unit = STOW_RATE_PER_HOUR;
    assert_true(stow_risk_row_lambda(&row, &hour));
    assert_close(month, 0.000108, 5e-7);
    assert_close(hour, 0.0780, 5e-5);
    assert_close(hour / month, 720.0, 1e-9);
}

static void a_month_gives_the_share_back(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < 999; i++)
        assert_close(stow_risk_rate(stow_risk_lambda(i / 1000.0, 720), 720), i / 1000.0, 1e-12);
}

static void no_result_is_infinite_or_undefined(void **ctx)
{
    const double odd[] = {0, 1, -1, 2, 1e300, -1e300, INFINITY, -INFINITY, NAN, 1e-320};
    const size_t count = sizeof(odd) / sizeof(odd[0]);

    (void)ctx;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            assert_true(isfinite(stow_risk_lambda(odd[i], odd[j])));
            assert_true(isfinite(stow_risk_rate(odd[i], odd[j])));
            assert_true(stow_risk_rate(odd[i], odd[j]) <= 1.0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_stands_for_its_middle),
        cmocka_unit_test(from_nothing_to_everything_says_nothing),
        cmocka_unit_test(the_same_share_differs_by_720_between_units),
        cmocka_unit_test(a_month_gives_the_share_back),
        cmocka_unit_test(no_result_is_infinite_or_undefined),
    };

    return cmocka_run_group_tests_name("price/risk", tests, NULL, NULL);
}
