/* test_schedule.c - cron lines, and budgets that follow them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/karpenter/schedule.h"

static stow_time at(const char *text)
{
    stow_time ret = 0;

    assert_true(stow_time_parse(stow_str_of(text), &ret));
    return ret;
}

static void expect_next(const char *line, const char *after, const char *next)
{
    struct stow_schedule schedule;

    assert_true(stow_schedule_parse(stow_str_of(line), &schedule));
    assert_int_equal(stow_schedule_next(&schedule, at(after)), at(next));
}

static void the_next_time_is_strictly_later(void **state)
{
    (void)state;
    expect_next("0 9 * * *", "2026-09-07T08:59:59Z", "2026-09-07T09:00:00Z");
    expect_next("0 9 * * *", "2026-09-07T09:00:00Z", "2026-09-08T09:00:00Z");
    expect_next("*/15 * * * *", "2026-12-31T23:45:01Z", "2027-01-01T00:00:00Z");
}

static void names_stand_for_lines(void **state)
{
    (void)state;
    expect_next("@yearly", "2026-09-07T09:00:00Z", "2027-01-01T00:00:00Z");
    expect_next("@annually", "2026-09-07T09:00:00Z", "2027-01-01T00:00:00Z");
    expect_next("@monthly", "2026-09-07T09:00:00Z", "2026-10-01T00:00:00Z");
    expect_next("@weekly", "2026-09-07T09:00:00Z", "2026-09-13T00:00:00Z");
    expect_next("@daily", "2026-09-07T09:00:00Z", "2026-09-08T00:00:00Z");
    expect_next("@midnight", "2026-09-07T09:00:00Z", "2026-09-08T00:00:00Z");
    expect_next("@hourly", "2026-09-07T09:00:00Z", "2026-09-07T10:00:00Z");
}

static void of_two_restricted_days_either_suffices(void **state)
{
    (void)state;
    expect_next("0 0 15 * fri", "2026-09-07T00:00:00Z", "2026-09-11T00:00:00Z");
    expect_next("0 0 15 * fri", "2026-09-11T00:00:00Z", "2026-09-15T00:00:00Z");
    expect_next("0 0 15 * *", "2026-09-07T00:00:00Z", "2026-09-15T00:00:00Z");
    /* a star with a step is a restriction, one with the step 1 is none */
    expect_next("0 0 15 * */2", "2026-09-07T00:00:00Z", "2026-09-08T00:00:00Z");
    expect_next("0 0 15 * */1", "2026-09-07T00:00:00Z", "2026-09-15T00:00:00Z");
}

static void a_number_with_a_step_goes_on_to_the_end(void **state)
{
    (void)state;
    expect_next("20/20 * * * *", "2026-09-07T09:00:00Z", "2026-09-07T09:20:00Z");
    expect_next("20/20 * * * *", "2026-09-07T09:20:00Z", "2026-09-07T09:40:00Z");
    expect_next("20/20 * * * *", "2026-09-07T09:40:00Z", "2026-09-07T10:20:00Z");
}

static void a_leap_day_is_found_and_a_day_that_never_comes_is_not(void **state)
{
    struct stow_schedule schedule;

    (void)state;
    expect_next("0 0 29 2 *", "2026-09-07T09:00:00Z", "2028-02-29T00:00:00Z");
    assert_true(stow_schedule_parse(STOW_STR("0 0 30 2 *"), &schedule));
    assert_int_equal(stow_schedule_next(&schedule, at("2026-09-07T09:00:00Z")), STOW_TIME_ALWAYS);
}

static void what_is_no_schedule_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 7",
        "5-2 * * * *",
        "*/0 * * * *",
        "1-2-3 * * * *",
        "1/2/3 * * * *",
        "x * * * *",
        "@every 5m",
        "@never",
        "TZ=UTC 0 0 * * *",
        "-5 * * * *",
        "* * * mo *",
        "99999999999 * * * *",
    };
    struct stow_schedule schedule;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(stow_schedule_parse(stow_str_of(wrong[i]), &schedule));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_time_is_strictly_later),
        cmocka_unit_test(names_stand_for_lines),
        cmocka_unit_test(of_two_restricted_days_either_suffices),
        cmocka_unit_test(a_number_with_a_step_goes_on_to_the_end),
        cmocka_unit_test(a_leap_day_is_found_and_a_day_that_never_comes_is_not),
        cmocka_unit_test(what_is_no_schedule_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
