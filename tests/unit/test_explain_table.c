/* Unit tests of reports: tables as text for a terminal and as CSV, and how wide text is. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "explain/render/screen.h"
#include "explain/render/table.h"
#include "explain/words.h"

static const struct stow_table_column nodes[] = {
    {.title = "NODE", .csv_name = "node", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "PODS", .csv_name = "pods", .align = STOW_ALIGN_RIGHT},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "ZONE", .csv_name = "zone", .spare = 1},
    {.title = "NOTE"},
    {0},
};

static const struct stow_table_style plain = {0}, colours = {.colours = true};

static struct stow_report report;
static struct stow_buf out;

static int start(void **ctx)
{
    (void)ctx;
    report = (struct stow_report){0};
    out = (struct stow_buf){0};
    return 0;
}

static int finish(void **ctx)
{
    (void)ctx;
    stow_report_done(&report);
    stow_buf_done(&out);
    return 0;
}

static const char *text_of(struct stow_table_style style)
{
    assert_false(report.failed);
    out.len = 0;
    stow_report_text(&out, &report, style);
    stow_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.ptr;
}

static const char *csv(void)
{
    assert_false(report.failed);
    out.len = 0;
    stow_report_csv(&out, &report);
    stow_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.ptr;
}

static void add_node(struct stow_table *table, const char *name, int64_t pods, stow_nano price)
{
    stow_table_row(table);
    stow_table_text(table, name);
    stow_table_int(table, pods);
    stow_table_money(table, price);
}

static void columns_are_aligned_two_blanks_apart(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, NULL, nodes);

    (void)ctx;
    add_node(table, "n1", 3, 96000000);
    add_node(table, "node-b", 110, 12500000000);
    add_node(table, "n3", 0, STOW_MONEY_UNKNOWN);
    assert_string_equal(text_of(plain), "NODE    PODS  PRICE/H  ZONE  NOTE\n"
                                        "n1         3    0.096\n"
                                        "node-b   110   12.50\n"
                                        "n3         0  unknown\n");
}

static void money_is_exact_in_the_csv_and_unknown_is_nothing(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, NULL, nodes);

    (void)ctx;
    add_node(table, "n1", 3, 96000000);
    add_node(table, "n3", 0, STOW_MONEY_UNKNOWN);
    assert_string_equal(csv(), "node,pods,price_per_hour,zone\n"
                               "n1,3,0.096000000,\n"
                               "n3,0,,\n");
}

static const struct stow_money_sum exact_sum = {123450000000, 2, 0}, least_sum = {4629990000, 1, 2},
                                   unknown_sum = {0, 0, 3};

static void sums_say_what_they_lack(void **ctx)
{
    static const struct stow_table_column columns[] = {
        {.title = "COST/H", .csv_name = "cost_per_hour", .align = STOW_ALIGN_POINT},
        {.title = "MONTH", .align = STOW_ALIGN_POINT},
        {.title = "WASTE", .csv_name = "waste_share"},
        {0},
    };
    const struct stow_money_sum *sums[] = {&exact_sum, &least_sum, &unknown_sum};
    struct stow_table *table = stow_report_table(&report, NULL, columns);

    (void)ctx;
    for (int i = 0; i < 3; i++) {
        stow_table_row(table);
        stow_table_computed_sum(table, sums[i]);
        stow_table_month(table, sums[i]);
        stow_table_sum_bar(table, sums[i], 2 * sums[i]->amount);
    }
    assert_string_equal(text_of(plain),
                        "         COST/H             MONTH  WASTE\n"
                        "       123.45            90118.50  █████       50%\n"
                        "at least 4.6299  at least 3379.89  █████       50% of priced\n"
                        "        unknown           unknown  unknown\n");
    assert_string_equal(csv(), "cost_per_hour,waste_share\n123.450000000,0.5000\n,\n,\n");
}

static void a_sentence_rounds_down_what_is_a_lower_limit(void **ctx)
{
    (void)ctx;
    stow_buf_sum(&out, &exact_sum, STOW_STR("USD"), true);
    stow_buf_text(&out, "; ");
    stow_buf_sum(&out, &least_sum, STOW_STR("USD"), true);
    stow_buf_text(&out, "; ");
    stow_buf_sum(&out, &least_sum, STOW_STR("USD"), false);
    stow_buf_text(&out, "; ");
    stow_buf_sum(&out, &unknown_sum, STOW_STR("USD"), true);
    stow_buf_char(&out, '\0');
    assert_string_equal(out.ptr, "123.45 USD per hour, 90118.50 per month; "
                                 "at least 4.62 USD per hour, 3379.89 per month; "
                                 "at least 4.62999 USD per hour, 3379.89 per month; unknown");
}

static void footers_stand_below_a_rule_and_not_in_the_csv(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, "Nodes", nodes);

    (void)ctx;
    add_node(table, "n1", 3, 1000000000);
    stow_table_footer(table);
    stow_table_text(table, "total");
    stow_table_int(table, 3);
    assert_string_equal(text_of(plain), "Nodes\n"
                                        "NODE   PODS  PRICE/H  ZONE  NOTE\n"
                                        "n1        3     1.00\n"
                                        "────────────────────────────────\n"
                                        "total     3\n");
    assert_string_equal(csv(), "node,pods,price_per_hour,zone\nn1,3,1.000000000,\n");
}

static void tables_and_lines_are_kept_apart(void **ctx)
{
    static const struct stow_table_column one[] = {{.title = "A", .csv_name = "a"}, {0}};
    static const struct stow_table_column unnamed[] = {{.title = "B"}, {0}};

    (void)ctx;
    stow_report_line(&report, STOW_ROLE_PLAIN, "%d nodes", 2);
    stow_report_line(&report, STOW_ROLE_DIM, "3 pods");
    stow_table_row(stow_report_table(&report, "First", one));
    stow_table_when_empty(stow_report_table(&report, "Second", unnamed), "nothing to see");
    stow_report_table(&report, NULL, one);
    stow_report_line(&report, STOW_ROLE_PLAIN, "end");
    assert_string_equal(text_of(plain), "2 nodes\n3 pods\n\n"
                                        "First\nA\n\n\n"
                                        "Second\nnothing to see\n\n"
                                        "none\n\n"
                                        "end\n");
    assert_string_equal(csv(), "a\n\"\"\n\na\n");
}

static void roles_are_colours_only_when_asked(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, "Nodes", nodes);

    (void)ctx;
    add_node(table, "n1", 3, 0);
    stow_table_role(table, STOW_ROLE_BAD);
    assert_null(strchr(text_of(plain), '\033'));
    assert_memory_equal(text_of(colours), "\033[1mNodes\033[0m\n", 13);
    assert_non_null(strstr(text_of(colours), "  \033[31m0.00\033[0m\n"));
}

static void no_line_ends_with_a_blank(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, NULL, nodes);

    (void)ctx;
    add_node(table, "n1", 3, 96000000);
    add_node(table, "n2", 3, 12000000000);
    assert_null(strstr(text_of(plain), " \n"));
    assert_null(strstr(text_of((struct stow_table_style){.width = 40}), " \n"));
}

static void nothing_hidden_reaches_the_terminal(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, "He\nad", nodes);
    bool seen[256] = {0};

    (void)ctx;
    for (int c = 0; c < 256; c++) {
        char name[3] = {'x', (char)c, 'y'};

        stow_table_row(table);
        stow_table_str(table, (struct stow_str){name, sizeof(name)});
    }
    stow_report_line(&report, STOW_ROLE_PLAIN, "\033[31m\u202e");
    for (const char *at = text_of(plain); *at; at++)
        seen[(unsigned char)*at] = true;
    for (int c = 0; c < 0x20; c++)
        assert_int_equal(seen[c], c == '\n');
    assert_false(seen[0x7F] || seen[0xFF] || seen[0xC3] || seen[0x80]);
    assert_non_null(strstr(text_of(plain), "x\\x1by"));
    assert_non_null(strstr(text_of(plain), "x\\ny"));
    assert_non_null(strstr(text_of(plain), "x\\xffy"));
    assert_non_null(strstr(text_of(plain), "\\x1b[31m\\u202e"));
}

static void csv_quotes_what_it_must(void **ctx)
{
    static const struct stow_table_column one[] = {
        {.title = "A", .csv_name = "a"}, {.title = "B", .csv_name = "b,c"}, {0}};
    static const char *const given[] = {"plain", "a,b",     "say \"hi\"", "two\nlines", " lead",
                                        "\r",    "tab\tin", "\x1b",       "\xff"};
    struct stow_table *table = stow_report_table(&report, NULL, one);

    (void)ctx;
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        stow_table_row(table);
        stow_table_text(table, given[i]);
        stow_table_text(table, "é");
    }
    assert_string_equal(csv(), "a,\"b,c\"\nplain,é\n\"a,b\",é\n\"say \"\"hi\"\"\",é\n"
                               "\"two\nlines\",é\n\" lead\",é\n\"\r\",é\ntab\tin,é\n"
                               "\\x1b,é\n\\xff,é\n");
}

static void shares_are_rounded_to_the_nearest(void **ctx)
{
    static const struct stow_table_column one[] = {
        {.title = "USED", .csv_name = "used", .align = STOW_ALIGN_RIGHT}, {0}};
    struct stow_table *table = stow_report_table(&report, NULL, one);

    (void)ctx;
    for (int i = 0; i < 4; i++) {
        static const int64_t part[] = {2, 1, INT64_MAX, 7}, whole[] = {3, 200, INT64_MAX, 0};

        stow_table_row(table);
        stow_table_share(table, part[i], whole[i]);
    }
    assert_string_equal(text_of(plain), "USED\n 67%\n  1%\n100%\n   -\n");
    assert_string_equal(csv(), "used\n0.6667\n0.0050\n1.0000\n\"\"\n");
}

static void bars_are_ten_columns_wide(void **ctx)
{
    static const struct stow_table_column one[] = {{.title = "USED"}, {0}};
    static const int64_t part[] = {0, 1, 50, 99, 100, 250};
    struct stow_table *table = stow_report_table(&report, NULL, one);

    (void)ctx;
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        stow_table_row(table);
        stow_table_bar(table, part[i], 100);
    }
    assert_string_equal(text_of(plain), "USED\n"
                                        "             0%\n"
                                        "▏            1%\n"
                                        "█████       50%\n"
                                        "█████████▉  99%\n"
                                        "██████████ 100%\n"
                                        "██████████ 250%\n");
}

static void width_counts_columns_of_the_terminal(void **ctx)
{
    (void)ctx;
    assert_int_equal(stow_utf8_width(STOW_STR("abc")), 3);
    assert_int_equal(stow_utf8_width(STOW_STR("é")), 1);
    assert_int_equal(stow_utf8_width(STOW_STR("e\u0301")), 1);
    assert_int_equal(stow_utf8_width(STOW_STR("日本")), 4);
    assert_int_equal(stow_utf8_width(STOW_STR("😀")), 2);
    assert_int_equal(stow_utf8_width(STOW_STR("한글")), 4);
    assert_int_equal(stow_utf8_width(STOW_STR("ก็")), 1);
    assert_int_equal(stow_utf8_width(STOW_STR("…─█")), 3);
    assert_int_equal(stow_utf8_width(STOW_STR("")), 0);
}

static void code_points_are_read_and_broken_bytes_told(void **ctx)
{
    static const char *const broken[] = {"\x80",         "\xc1\xbf",         "\xe0\x80\x80",
                                         "\xed\xbf\xbf", "\xf5\x80\x80\x80", "\xf0\x9f\x98"};

    (void)ctx;
    assert_int_equal(stow_utf8_next(STOW_STR("😀")).code, 0x1F600);
    assert_int_equal(stow_utf8_next(STOW_STR("\xf4\x8f\xbf\xbf")).code, 0x10FFFF);
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        struct stow_rune rune = stow_utf8_next(stow_str_of(broken[i]));

        assert_false(rune.valid);
        assert_int_equal(rune.bytes, 1);
        assert_int_equal(rune.code, (unsigned char)broken[i][0]);
    }
    assert_true(stow_utf8_clean(STOW_STR("a é 日")));
    assert_false(stow_utf8_clean(STOW_STR("a\tb")));
    assert_false(stow_utf8_clean(STOW_STR("a\xff")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(columns_are_aligned_two_blanks_apart, start, finish),
        cmocka_unit_test_setup_teardown(money_is_exact_in_the_csv_and_unknown_is_nothing, start,
                                        finish),
        cmocka_unit_test_setup_teardown(sums_say_what_they_lack, start, finish),
        cmocka_unit_test_setup_teardown(a_sentence_rounds_down_what_is_a_lower_limit, start,
                                        finish),
        cmocka_unit_test_setup_teardown(footers_stand_below_a_rule_and_not_in_the_csv, start,
                                        finish),
        cmocka_unit_test_setup_teardown(tables_and_lines_are_kept_apart, start, finish),
        cmocka_unit_test_setup_teardown(roles_are_colours_only_when_asked, start, finish),
        cmocka_unit_test_setup_teardown(no_line_ends_with_a_blank, start, finish),
        cmocka_unit_test_setup_teardown(nothing_hidden_reaches_the_terminal, start, finish),
        cmocka_unit_test_setup_teardown(csv_quotes_what_it_must, start, finish),
        cmocka_unit_test_setup_teardown(shares_are_rounded_to_the_nearest, start, finish),
        cmocka_unit_test_setup_teardown(bars_are_ten_columns_wide, start, finish),
        cmocka_unit_test(width_counts_columns_of_the_terminal),
        cmocka_unit_test(code_points_are_read_and_broken_bytes_told),
    };

    return cmocka_run_group_tests_name("explain/table", tests, NULL, NULL);
}
