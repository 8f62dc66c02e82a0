/* Unit tests of the book's data: times, names, copies. */
#include "tests/unit/unit.h"

#include <time.h>

#include "model/prices/book.h"

static void times_of_rfc_3339_are_read(void **ctx)
{
    static const struct {
        const char *text;
        stow_time at;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-11-01T00:00:00Z", 1793491200},
        {"2026-11-01", 1793491200},
        {"2026-11-01T01:00:00+01:00", 1793491200},
        {"2026-10-31T19:30:00-04:30", 1793491200},
        {"2026-11-01T00:00:00.999Z", 1793491200},
        {"2026-11-01 00:00:00+0000", 1793491200},
        {"1969-12-31T23:59:59Z", -1},
        {"2000-02-29T12:00:00Z", 951825600},
        {"0001-01-01T00:00:00Z", -62135596800},
        {"9999-12-31T23:59:59Z", 253402300799},
        {"2016-12-31T23:59:60Z", 1483228800},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        stow_time at = 0;

        if (!stow_time_parse(stow_str_of(cases[i].text), &at) || at != cases[i].at)
            fail_msg("%s: %lld", cases[i].text, (long long)at);
    }
}

static void what_is_no_time_is_refused(void **ctx)
{
    const char *const texts[] = {
        "",
        "now",
        "2026",
        "2026-13-01",
        "2026-00-01",
        "2026-02-29",
        "1900-02-29",
        "2026-11-31",
        "2026-11-01T",
        "2026-11-01T00:00:00",
        "2026-11-01T24:00:00Z",
        "2026-11-01T00:60:00Z",
        "2026-11-01T00:00:61Z",
        "2026-11-01T00:00:00.Z",
        "2026-11-01T00:00:00Zx",
        "2026-11-01T00:00:00+24:00",
        "2026-11-01T00:00:00+1:00",
        "26-11-01",
        "0000-01-01",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-00:01",
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        stow_time at = 7;

        if (stow_time_parse(stow_str_of(texts[i]), &at))
            fail_msg("'%s' was read as %lld", texts[i], (long long)at);
        assert_int_equal(at, 7);
    }
}

static void times_are_written_as_the_c_library_would(void **ctx)
{
    char ours[32], theirs[32];

    (void)ctx;
    for (int64_t at = -62135596800; at < 253402300799; at += INT64_C(86399) * 997) {
        time_t when = (time_t)at;
        struct tm tm;
        stow_time back;

        gmtime_r(&when, &tm);
        strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%SZ", &tm);
        stow_time_format(at, ours);
        if (tm.tm_year + 1900 >= 1000)
            assert_string_equal(ours, theirs);
        assert_true(stow_time_parse(stow_str_of(ours), &back));
        assert_int_equal(back, at);
    }
}

static void always_is_written_as_nothing(void **ctx)
{
    char text[32];

    (void)ctx;
    assert_string_equal(stow_time_format(STOW_TIME_ALWAYS, text), "");
    assert_string_equal(stow_time_format(INT64_MAX, text), "");
}

static void capacity_types_have_one_spelling(void **ctx)
{
    enum stow_capacity_type type = STOW_CAPACITY_ANY;

    (void)ctx;
    for (int i = STOW_CAPACITY_ON_DEMAND; i < STOW_CAPACITY_COUNT; i++) {
        const char *name = stow_capacity_type_name((enum stow_capacity_type)i);

        assert_true(stow_capacity_type_parse(stow_str_of(name), &type));
        assert_int_equal(type, i);
    }
    assert_false(stow_capacity_type_parse(STOW_STR("Spot"), &type));
    assert_false(stow_capacity_type_parse(STOW_STR(""), &type));
    assert_string_equal(stow_capacity_type_name(STOW_CAPACITY_ANY), "");
}

static void rates_have_two_units(void **ctx)
{
    enum stow_rate_unit unit;

    (void)ctx;
    assert_true(stow_rate_unit_parse(STOW_STR("per_hour"), &unit));
    assert_int_equal(unit, STOW_RATE_PER_HOUR);
    assert_string_equal(stow_rate_unit_name(STOW_RATE_PER_MONTH), "per_month");
    assert_false(stow_rate_unit_parse(STOW_STR("per_year"), &unit));
}

static void a_copied_row_takes_its_texts_along(void **ctx)
{
    struct stow_book from = {0}, to = {0};
    struct stow_price_row row = {.price = 5, .effective = 9};

    (void)ctx;
    stow_intern_text(&to.text, STOW_STR("something else"));
    row.offer.instance_type = stow_intern_text(&from.text, STOW_STR("m5.large"));
    row.currency = stow_intern_text(&from.text, STOW_STR("USD"));
    assert_int_equal(stow_book_copy_price(&to, &from, &row), STOW_OK);
    stow_book_done(&from);
    assert_int_equal(to.prices, 1);
    assert_text(stow_intern_get(&to.text, to.price[0].offer.instance_type), "m5.large");
    assert_text(stow_intern_get(&to.text, to.price[0].currency), "USD");
    assert_text(stow_intern_get(&to.text, to.price[0].offer.zone), "");
    stow_book_done(&to);
    stow_book_done(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_rfc_3339_are_read),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(times_are_written_as_the_c_library_would),
        cmocka_unit_test(always_is_written_as_nothing),
        cmocka_unit_test(capacity_types_have_one_spelling),
        cmocka_unit_test(rates_have_two_units),
        cmocka_unit_test(a_copied_row_takes_its_texts_along),
    };

    return cmocka_run_group_tests_name("model/book", tests, NULL, NULL);
}
