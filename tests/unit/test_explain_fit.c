/* Unit tests of tables on narrow screens, and of reports as Markdown and HTML. */
#include "tests/unit/unit.h"

#include "explain/render/screen.h"
#include "explain/render/table.h"

static const struct stow_table_column nodes[] = {
    {.title = "NODE", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "TYPE", .spare = 1},
    {.title = "ZONE", .spare = 2},
    {.title = "PRICE/H", .align = STOW_ALIGN_POINT},
    {.title = "WHY", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

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

static const char *ended(void)
{
    assert_false(report.failed);
    stow_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.ptr;
}

static const char *text_in(uint32_t width)
{
    out.len = 0;
    stow_report_text(&out, &report, (struct stow_table_style){.width = width});
    return ended();
}

static void add_node(struct stow_table *table, const char *name, const char *why)
{
    stow_table_row(table);
    stow_table_text(table, name);
    stow_table_text(table, "m5.4xlarge");
    stow_table_text(table, "eu-west-1a");
    stow_table_money(table, 96000000);
    stow_table_text(table, why);
}

static void three_nodes(const char *why)
{
    struct stow_table *table = stow_report_table(&report, NULL, nodes);

    add_node(table, "aks-systempool-26666176-vmss000000", why);
    add_node(table, "aks-systempool-26666176-vmss000001", why);
    add_node(table, "aks-userpool-26666176-vmss000001", why);
}

static void what_fits_is_whole(void **ctx)
{
    (void)ctx;
    three_nodes("");
    assert_string_equal(text_in(72),
                        "NODE                                TYPE        ZONE        PRICE/H  WHY\n"
                        "aks-systempool-26666176-vmss000000  m5.4xlarge  eu-west-1a    0.096\n"
                        "aks-systempool-26666176-vmss000001  m5.4xlarge  eu-west-1a    0.096\n"
                        "aks-userpool-26666176-vmss000001    m5.4xlarge  eu-west-1a    0.096\n");
    assert_string_equal(text_in(0), text_in(200));
}

static void the_most_easily_spared_column_goes_first_and_is_named(void **ctx)
{
    (void)ctx;
    three_nodes("");
    assert_string_equal(text_in(60),
                        "NODE                                TYPE        PRICE/H  WHY\n"
                        "aks-systempool-26666176-vmss000000  m5.4xlarge    0.096\n"
                        "aks-systempool-26666176-vmss000001  m5.4xlarge    0.096\n"
                        "aks-userpool-26666176-vmss000001    m5.4xlarge    0.096\n"
                        "-o wide shows ZONE\n");
}

static void names_are_shortened_in_the_middle_and_stay_distinct(void **ctx)
{
    (void)ctx;
    three_nodes("");
    assert_non_null(strstr(text_in(42), "aks-systempoo…176-vmss000000    0.096\n"));
    assert_non_null(strstr(text_in(42), "aks-systempoo…176-vmss000001    0.096\n"));
    assert_non_null(strstr(text_in(42), "aks-userpool-…176-vmss000001    0.096\n"));
    assert_non_null(strstr(text_in(42), "-o wide shows TYPE, ZONE and names in full\n"));
}

static void texts_go_on_in_the_next_line(void **ctx)
{
    static const struct stow_table_column two[] = {
        {.title = "NODES", .align = STOW_ALIGN_RIGHT},
        {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
        {0},
    };
    struct stow_table *table = stow_report_table(&report, NULL, two);

    (void)ctx;
    stow_table_row(table);
    stow_table_int(table, 12);
    stow_table_text(table, "the node has an untolerated taint: dedicated=gpu:NoSchedule");
    stow_report_line(&report, STOW_ROLE_PLAIN,
                     "give them a price: import a file, or write it into their NodeGroup");
    assert_string_equal(text_in(40), "NODES  REASON\n"
                                     "   12  the node has an untolerated\n"
                                     "       taint: dedicated=gpu:NoSchedule\n\n"
                                     "give them a price: import a file, or\n"
                                     "  write it into their NodeGroup\n");
}

static void cells_stand_below_each_other_when_nothing_else_fits(void **ctx)
{
    static const struct stow_table_column four[] = {
        {.title = "A", .squeeze = STOW_SQUEEZE_MIDDLE},
        {.title = "FIRST AMOUNT"},
        {.title = "SECOND AMOUNT"},
        {.title = "THIRD AMOUNT"},
        {0},
    };
    struct stow_table *table = stow_report_table(&report, NULL, four);

    (void)ctx;
    for (int i = 0; i < 2; i++) {
        stow_table_row(table);
        stow_table_printf(table, "a-very-long-name-of-%d", i);
        stow_table_text(table, "1");
        stow_table_text(table, "");
        stow_table_text(table, "3");
    }
    assert_string_equal(text_in(40), "A              a-very-long-name-of-0\n"
                                     "FIRST AMOUNT   1\n"
                                     "THIRD AMOUNT   3\n\n"
                                     "A              a-very-long-name-of-1\n"
                                     "FIRST AMOUNT   1\n"
                                     "THIRD AMOUNT   3\n");
}

static const char *middle(const char *text, uint32_t columns)
{
    out.len = 0;
    stow_buf_middle(&out, stow_str_of(text), columns);
    return ended();
}

static void the_middle_is_counted_in_columns_of_the_screen(void **ctx)
{
    (void)ctx;
    assert_string_equal(middle("abcdefghij", 10), "abcdefghij");
    assert_string_equal(middle("abcdefghij", 9), "abcd…ghij");
    assert_string_equal(middle("abcdefghij", 8), "abc…ghij");
    assert_string_equal(middle("日本日本日本", 8), "日…日本");
    assert_string_equal(middle("日本日本日本", 9), "日本…日本");
    assert_string_equal(middle("ae\u0301bcde\u0301", 5), "ae\u0301…de\u0301");
    assert_string_equal(middle("ae\u0301bce\u0301", 3), "a…e\u0301");
    assert_string_equal(middle("abc", 1), "…");
}

static void a_word_that_is_longer_than_the_line_is_broken(void **ctx)
{
    struct stow_str rest = STOW_STR("to aks-systempool-1 日本");
    static const char *const lines[] = {"to", "aks-syst", "empool-1", "日本"};

    (void)ctx;
    for (size_t i = 0; i < 4; i++)
        assert_true(stow_str_is(stow_utf8_line(&rest, 8), lines[i]));
    assert_int_equal(rest.len, 0);
    rest = STOW_STR("日");
    assert_true(stow_str_is(stow_utf8_line(&rest, 1), "日"));
}

static void markdown_stays_text(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, "A_b", nodes);

    (void)ctx;
    add_node(table, "a|b*c_<d>&`\\", "[x](y)  z");
    stow_table_footer(table);
    stow_table_text(table, "total");
    stow_report_line(&report, STOW_ROLE_PLAIN, "-o wide");
    stow_report_line(&report, STOW_ROLE_PLAIN, "1. first");
    stow_report_line(&report, STOW_ROLE_HEADING, "# bold");
    stow_report_table(&report, NULL, nodes);
    out.len = 0;
    stow_report_markdown(&out, &report);
    assert_string_equal(ended(),
                        "## A\\_b\n\n"
                        "| NODE | TYPE | ZONE | PRICE/H | WHY |\n"
                        "| --- | --- | --- | ---: | --- |\n"
                        "| a\\|b\\*c\\_\\<d\\>\\&\\`\\\\ | m5.4xlarge | eu-west-1a | 0.096 | "
                        "\\[x\\](y) z |\n"
                        "| **total** |  |  |  |  |\n\n"
                        "\\-o wide\n\n1\\. first\n\n**# bold**\n\nnone\n");
}

static void html_stays_text(void **ctx)
{
    struct stow_table *table = stow_report_table(&report, "<script>", nodes);

    (void)ctx;
    add_node(table, "<img src=x onerror=\"alert(1)\">", "a & b");
    stow_table_footer(table);
    stow_table_text(table, "total");
    stow_table_role(table, STOW_ROLE_BAD);
    stow_report_line(&report, STOW_ROLE_WARN, "</p>");
    out.len = 0;
    stow_report_html(&out, &report, STOW_STR("<title>"));
    assert_non_null(strstr(ended(), "<title>&lt;title&gt;</title>"));
    assert_non_null(strstr(out.ptr, "<h2>&lt;script&gt;</h2>"));
    assert_non_null(strstr(
        out.ptr, "<td>&lt;img src=x onerror=&quot;alert(1)&quot;&gt;</td>"
                 "<td>m5.4xlarge</td><td>eu-west-1a</td><td class=\"number\">0.096</td>"
                 "<td>a &amp; b</td></tr>\n</tbody>\n<tfoot>\n<tr><td class=\"bad\">total</td>"));
    assert_non_null(strstr(out.ptr, "<p class=\"warn\">&lt;/p&gt;</p>"));
    assert_null(strstr(out.ptr, "http"));
    assert_null(strstr(out.ptr, "url("));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_fits_is_whole, start, finish),
        cmocka_unit_test_setup_teardown(the_most_easily_spared_column_goes_first_and_is_named,
                                        start, finish),
        cmocka_unit_test_setup_teardown(names_are_shortened_in_the_middle_and_stay_distinct, start,
                                        finish),
        cmocka_unit_test_setup_teardown(texts_go_on_in_the_next_line, start, finish),
        cmocka_unit_test_setup_teardown(cells_stand_below_each_other_when_nothing_else_fits, start,
                                        finish),
        cmocka_unit_test_setup_teardown(the_middle_is_counted_in_columns_of_the_screen, start,
                                        finish),
        cmocka_unit_test(a_word_that_is_longer_than_the_line_is_broken),
        cmocka_unit_test_setup_teardown(markdown_stays_text, start, finish),
        cmocka_unit_test_setup_teardown(html_stays_text, start, finish),
    };

    return cmocka_run_group_tests_name("explain/fit", tests, NULL, NULL);
}
