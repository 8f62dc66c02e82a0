/* Unit tests of money: read from digits, never through a double. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "base/int128.h"
#include "model/values/money.h"

static stow_nano parsed(const char *text)
{
    stow_nano amount = -1;
    struct stow_err err = {0};

    if (stow_money_parse(stow_str_of(text), &amount, &err) < 0)
        fail_msg("'%s' was refused: %s", text, err.msg);
    return amount;
}

static const char *refusal(const char *text)
{
    static struct stow_err err;
    stow_nano amount = 42;

    assert_int_equal(stow_money_parse(stow_str_of(text), &amount, &err), STOW_EPARSE);
    assert_int_equal(amount, 42);
    return err.msg;
}

static void plain_decimals_are_exact(void **ctx)
{
    (void)ctx;
    assert_int_equal(parsed("0.096"), 96000000);
    assert_int_equal(parsed("12"), 12000000000);
    assert_int_equal(parsed("0"), 0);
    assert_int_equal(parsed("0.000000001"), 1);
    assert_int_equal(parsed("007.50"), 7500000000);
    assert_int_equal(parsed("9223372036.854775807"), INT64_MAX);
}

static void exponents_are_read_from_their_digits(void **ctx)
{
    (void)ctx;
    assert_int_equal(parsed("1e-3"), 1000000);
    assert_int_equal(parsed("9.6E-2"), 96000000);
    assert_int_equal(parsed("1e9"), 1000000000000000000);
    assert_int_equal(parsed("100e-11"), 1);
    assert_int_equal(parsed("0.0000001e+7"), 1000000000);
    assert_int_equal(parsed("0e999999999999999999999999"), 0);
    assert_int_equal(parsed("0.000e-99999999999999999999"), 0);
}

static void trailing_zeros_do_not_count_however_many(void **ctx)
{
    (void)ctx;
    assert_int_equal(parsed("0.0960000000000000000000000000000000000"), 96000000);
    assert_int_equal(parsed("0.00000000000000"), 0);
    assert_int_equal(parsed("0.0000000010000"), 1);
}

static void a_digit_beyond_the_ninth_decimal_is_refused(void **ctx)
{
    (void)ctx;
    assert_mentions(refusal("0.0000000001"), "ninth decimal");
    assert_mentions(refusal("0.09600000000001"), "ninth decimal");
    assert_mentions(refusal("1e-10"), "ninth decimal");
    assert_mentions(refusal("1e-99999999999999999999"), "ninth decimal");
}

static void amounts_that_do_not_fit_are_refused(void **ctx)
{
    (void)ctx;
    assert_mentions(refusal("9223372036.854775808"), "too large");
    assert_mentions(refusal("9223372037"), "too large");
    assert_mentions(refusal("1e10"), "too large");
    assert_mentions(refusal("1e99999999999999999999"), "too large");
    assert_mentions(refusal("99999999999999999999999999999999999999999"), "too large");
}

static void negative_amounts_are_refused_as_such(void **ctx)
{
    (void)ctx;
    assert_mentions(refusal("-0.1"), "negative");
    assert_mentions(refusal("-0"), "negative");
}

static void anything_else_is_refused(void **ctx)
{
    const char *const texts[] = {"",    "abc",   ".5",   "5.",   "1.2.3", "0x10",    "1e",
                                 "1e+", "+1",    " 1",   "1 ",   "1,5",   "NaN",     "inf",
                                 "e5",  "1e5.0", "$0.1", "0.1$", "1_000", "\xC2\xBD"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        refusal(texts[i]);
}

static void a_nul_byte_is_no_digit(void **ctx)
{
    stow_nano amount;

    (void)ctx;
    assert_int_equal(stow_money_parse((struct stow_str){"1\0"
                                                        "2",
                                                        3},
                                      &amount, NULL),
                     STOW_EPARSE);
}

static void texts_for_machines_have_nine_decimals(void **ctx)
{
    char text[STOW_MONEY_TEXT];

    (void)ctx;
    assert_string_equal(stow_money_exact(96000000, text), "0.096000000");
    assert_string_equal(stow_money_exact(0, text), "0.000000000");
    assert_string_equal(stow_money_exact(-1, text), "-0.000000001");
    assert_string_equal(stow_money_exact(INT64_MAX, text), "9223372036.854775807");
    assert_string_equal(stow_money_exact(-INT64_MAX, text), "-9223372036.854775807");
    assert_string_equal(stow_money_exact(STOW_MONEY_UNKNOWN, text), "unknown");
}

static void texts_for_people_have_at_least_two(void **ctx)
{
    char text[STOW_MONEY_TEXT];

    (void)ctx;
    assert_string_equal(stow_money_short(96000000, text), "0.096");
    assert_string_equal(stow_money_short(12500000000, text), "12.50");
    assert_string_equal(stow_money_short(0, text), "0.00");
    assert_string_equal(stow_money_short(1, text), "0.000000001");
    assert_string_equal(stow_money_short(STOW_MONEY_UNKNOWN, text), "unknown");
}

static void what_is_written_reads_back_the_same(void **ctx)
{
    uint64_t state = 88172645463325252u;
    char text[STOW_MONEY_TEXT];

    (void)ctx;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;

        stow_nano amount = (stow_nano)(state >> (1 + i % 62));

        assert_int_equal(parsed(stow_money_exact(amount, text)), amount);
        assert_int_equal(parsed(stow_money_short(amount, text)), amount);
    }
}

static struct stow_money_sum sum_of(const stow_nano *amount, uint32_t count)
{
    struct stow_money_sum sum = {0};

    for (uint32_t i = 0; i < count; i++)
        stow_money_sum_add(&sum, amount[i]);
    return sum;
}

static void a_sum_of_nothing_is_exactly_0(void **ctx)
{
    const struct stow_money_sum sum = {0};

    (void)ctx;
    assert_true(stow_money_sum_is_exact(&sum));
    assert_false(stow_money_sum_is_unknown(&sum));
    assert_int_equal(stow_money_sum_exact(&sum), 0);
}

static void a_sum_of_known_amounts_is_exact(void **ctx)
{
    const struct stow_money_sum sum = sum_of((const stow_nano[]){3, 0, 4}, 3);

    (void)ctx;
    assert_int_equal(stow_money_sum_exact(&sum), 7);
    assert_int_equal(stow_money_sum_least(&sum), 7);
    assert_false(stow_money_sum_is_least(&sum));
}

static void a_sum_with_unknown_parts_is_a_lower_limit(void **ctx)
{
    const struct stow_money_sum sum = sum_of((const stow_nano[]){3, STOW_MONEY_UNKNOWN, 4}, 3);

    (void)ctx;
    assert_true(stow_money_sum_is_least(&sum));
    assert_int_equal(stow_money_sum_least(&sum), 7);
    assert_int_equal(stow_money_sum_exact(&sum), STOW_MONEY_UNKNOWN);
    assert_int_equal(sum.unknown, 1);
}

/* Free and unknown: something is known, and it is 0. */
static void a_part_that_is_free_is_known(void **ctx)
{
    const struct stow_money_sum sum = sum_of((const stow_nano[]){0, STOW_MONEY_UNKNOWN}, 2);

    (void)ctx;
    assert_true(stow_money_sum_is_least(&sum));
    assert_int_equal(stow_money_sum_least(&sum), 0);
}

static void a_sum_of_unknown_amounts_is_unknown_and_not_0(void **ctx)
{
    struct stow_money_sum sum = sum_of((const stow_nano[]){STOW_MONEY_UNKNOWN}, 1), more = {0};

    (void)ctx;
    assert_true(stow_money_sum_is_unknown(&sum));
    assert_int_equal(stow_money_sum_least(&sum), STOW_MONEY_UNKNOWN);
    assert_int_equal(stow_money_sum_exact(&sum), STOW_MONEY_UNKNOWN);
    stow_money_sum_add_parts(&more, 5, 2);
    stow_money_sum_add_sum(&sum, &more);
    assert_true(stow_money_sum_is_least(&sum));
    assert_int_equal(stow_money_sum_least(&sum), 5);
    assert_int_equal(sum.known, 2);
}

static void a_sum_too_large_to_hold_is_the_largest_amount(void **ctx)
{
    const struct stow_money_sum sum = sum_of((const stow_nano[]){INT64_MAX, 1, 1}, 3);

    (void)ctx;
    assert_int_equal(stow_money_sum_exact(&sum), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_decimals_are_exact),
        cmocka_unit_test(exponents_are_read_from_their_digits),
        cmocka_unit_test(trailing_zeros_do_not_count_however_many),
        cmocka_unit_test(a_digit_beyond_the_ninth_decimal_is_refused),
        cmocka_unit_test(amounts_that_do_not_fit_are_refused),
        cmocka_unit_test(negative_amounts_are_refused_as_such),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(a_nul_byte_is_no_digit),
        cmocka_unit_test(texts_for_machines_have_nine_decimals),
        cmocka_unit_test(texts_for_people_have_at_least_two),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(a_sum_of_nothing_is_exactly_0),
        cmocka_unit_test(a_sum_of_known_amounts_is_exact),
        cmocka_unit_test(a_sum_with_unknown_parts_is_a_lower_limit),
        cmocka_unit_test(a_part_that_is_free_is_known),
        cmocka_unit_test(a_sum_of_unknown_amounts_is_unknown_and_not_0),
        cmocka_unit_test(a_sum_too_large_to_hold_is_the_largest_amount),
    };

    return cmocka_run_group_tests_name("model/money", tests, NULL, NULL);
}
