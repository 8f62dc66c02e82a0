/* Unit tests of text views and the growing buffer. */
#include "tests/unit/unit.h"

#include "base/str.h"

static void views_compare_by_length_and_bytes(void **ctx)
{
    (void)ctx;
    assert_true(stow_str_eq(STOW_STR("a"), stow_str_of("a")));
    assert_false(stow_str_eq(STOW_STR("a"), STOW_STR("ab")));
    assert_true(stow_str_eq((struct stow_str){NULL, 0}, STOW_STR("")));
    assert_false(stow_str_eq(STOW_STR("a\0b"), STOW_STR("a\0c")));
    assert_int_equal(stow_str_of(NULL).len, 0);
}

static void names_sort_bytewise_and_shorter_first(void **ctx)
{
    (void)ctx;
    assert_true(stow_str_cmp(STOW_STR("n1"), STOW_STR("n10")) < 0);
    assert_true(stow_str_cmp(STOW_STR("n2"), STOW_STR("n10")) > 0);
    assert_true(stow_str_cmp(STOW_STR("\xc3"), STOW_STR("z")) > 0);
    assert_int_equal(stow_str_cmp(STOW_STR("a"), STOW_STR("a")), 0);
    assert_int_equal(stow_str_cmp((struct stow_str){NULL, 0}, STOW_STR("")), 0);
}

static void case_is_ignored_only_where_asked(void **ctx)
{
    (void)ctx;
    assert_true(stow_str_eq_nocase(STOW_STR("SPOT"), STOW_STR("spot")));
    assert_false(stow_str_eq_nocase(STOW_STR("SPOT"), STOW_STR("spots")));
    assert_false(stow_str_is(STOW_STR("SPOT"), "spot"));
}

static void starts_and_contains_know_the_empty_text(void **ctx)
{
    (void)ctx;
    assert_true(stow_str_starts(STOW_STR("aws:///x"), STOW_STR("aws://")));
    assert_false(stow_str_starts(STOW_STR("aw"), STOW_STR("aws")));
    assert_true(stow_str_contains(STOW_STR("abc"), STOW_STR("bc")));
    assert_true(stow_str_contains(STOW_STR(""), STOW_STR("")));
    assert_false(stow_str_contains(STOW_STR(""), STOW_STR("a")));
}

static void trim_takes_white_space_at_both_ends_only(void **ctx)
{
    (void)ctx;
    assert_text(stow_str_trim(STOW_STR(" \t a b\r\n")), "a b");
    assert_text(stow_str_trim(STOW_STR(" \t ")), "");
}

static void cut_gives_the_part_before_and_the_rest(void **ctx)
{
    struct stow_str rest;

    (void)ctx;
    assert_text(stow_str_cut(STOW_STR("a=b=c"), '=', &rest), "a");
    assert_text(rest, "b=c");
    assert_text(stow_str_cut(STOW_STR("a="), '=', &rest), "a");
    assert_non_null(rest.ptr);
    assert_text(stow_str_cut(STOW_STR("abc"), '=', &rest), "abc");
    assert_null(rest.ptr);
}

static void integers_are_read_to_the_ends_of_their_range(void **ctx)
{
    int64_t got = 5;

    (void)ctx;
    assert_true(stow_str_int(STOW_STR("9223372036854775807"), &got));
    assert_true(got == INT64_MAX);
    assert_true(stow_str_int(STOW_STR("-9223372036854775808"), &got));
    assert_true(got == INT64_MIN);
    assert_true(stow_str_int(STOW_STR("+007"), &got));
    assert_int_equal(got, 7);
}

static void what_is_not_an_integer_is_refused_and_nothing_written(void **ctx)
{
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "1 ",
                                      " 1",
                                      "1.0",
                                      "0x1",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "1e3"};
    int64_t got = 5;

    (void)ctx;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(stow_str_int(stow_str_of(bad[i]), &got));
    assert_int_equal(got, 5);
}

static void a_buffer_grows_as_it_is_written(void **ctx)
{
    struct stow_buf buf = {0};

    (void)ctx;
    for (int i = 0; i < 1000; i++)
        stow_buf_printf(&buf, "%d,", i);
    stow_buf_char(&buf, '!');
    stow_buf_repeat(&buf, '-', 500);
    stow_buf_text(&buf, "end");
    assert_int_equal(buf.len, 10 * 2 + 90 * 3 + 900 * 4 + 1 + 500 + 3);
    assert_memory_equal(buf.ptr, "0,1,2,", 6);
    assert_memory_equal(buf.ptr + buf.len - 4, "-end", 4);
    assert_false(buf.failed);
    stow_buf_done(&buf);
    assert_int_equal(buf.len, 0);
}

static void a_buffer_that_cannot_grow_remembers_it(void **ctx)
{
    struct stow_buf buf = {0};

    (void)ctx;
    stow_buf_text(&buf, "kept");
    stow_buf_repeat(&buf, 'x', SIZE_MAX - 100);
    assert_true(buf.failed);
    stow_buf_text(&buf, "lost");
    assert_text(stow_buf_str(&buf), "kept");
    stow_buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_compare_by_length_and_bytes),
        cmocka_unit_test(names_sort_bytewise_and_shorter_first),
        cmocka_unit_test(case_is_ignored_only_where_asked),
        cmocka_unit_test(starts_and_contains_know_the_empty_text),
        cmocka_unit_test(trim_takes_white_space_at_both_ends_only),
        cmocka_unit_test(cut_gives_the_part_before_and_the_rest),
        cmocka_unit_test(integers_are_read_to_the_ends_of_their_range),
        cmocka_unit_test(what_is_not_an_integer_is_refused_and_nothing_written),
        cmocka_unit_test(a_buffer_grows_as_it_is_written),
        cmocka_unit_test(a_buffer_that_cannot_grow_remembers_it),
    };

    return cmocka_run_group_tests_name("base/str", tests, NULL, NULL);
}
