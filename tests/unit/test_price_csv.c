/* Unit tests of the CSV reader and writer. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "price/store/csv.h"

/* All records as one text: fields in [], records with their line, bad ones with the reason. */
static const char *told_bytes(const char *text, size_t len, char comment)
{
    static char told[4096];
    struct stow_csv csv;
    size_t used = 0;
    int more;

    told[0] = '\0';
    stow_csv_init(&csv, text, len, comment);
    while ((more = stow_csv_next(&csv, NULL)) > 0 && used < sizeof(told)) {
        used += (size_t)snprintf(told + used, sizeof(told) - used, "%u:", csv.line);
        if (csv.bad)
            used += (size_t)snprintf(told + used, sizeof(told) - used, "!%s", csv.bad);
        for (uint32_t i = 0; !csv.bad && i < csv.fields && used < sizeof(told); i++)
            used += (size_t)snprintf(told + used, sizeof(told) - used, "[%.*s]",
                                     STOW_FMT(csv.field[i]));
        used += (size_t)snprintf(told + used, sizeof(told) - used, " ");
    }
    assert_int_equal(more, 0);
    stow_csv_done(&csv);
    return told;
}

static const char *told(const char *text)
{
    return told_bytes(text, strlen(text), '#');
}

static void fields_and_lines_are_told_apart(void **ctx)
{
    (void)ctx;
    assert_string_equal(told("a,b,c\n1,,3\n"), "1:[a][b][c] 2:[1][][3] ");
    assert_string_equal(told("a,b"), "1:[a][b] ");
    assert_string_equal(told(""), "");
    assert_string_equal(told("a,\n,b\n,"), "1:[a][] 2:[][b] 3:[][] ");
}

static void line_ends_of_both_kinds_and_a_bom_are_fine(void **ctx)
{
    (void)ctx;
    assert_string_equal(told("a,b\r\n1,2\r\n"), "1:[a][b] 2:[1][2] ");
    assert_string_equal(told("\xEF\xBB\xBF"
                             "a,b\r\n\"1\",\"2\"\r\n"),
                        "1:[a][b] 2:[1][2] ");
}

static void outer_blanks_do_not_belong_to_a_field(void **ctx)
{
    (void)ctx;
    assert_string_equal(told(" a , b b ,\tc\t\n"), "1:[a][b b][c] ");
    assert_string_equal(told("  \"a \" , b\n"), "1:[a ][b] ");
}

static void quotes_protect_commas_quotes_and_line_ends(void **ctx)
{
    (void)ctx;
    assert_string_equal(told("\"a,b\",\"say \"\"hi\"\"\",\"\"\nx"), "1:[a,b][say \"hi\"][] 2:[x] ");
    assert_string_equal(told("\"one\ntwo\",b\nc,d\n"), "1:[one\ntwo][b] 3:[c][d] ");
    assert_string_equal(told("\"\"\"\"\n"), "1:[\"] ");
}

static void empty_lines_and_comments_are_passed_over(void **ctx)
{
    (void)ctx;
    assert_string_equal(told("# head\n\na,b\n  \n\r\n#c,d\n1,2\n\n"), "3:[a][b] 7:[1][2] ");
    assert_string_equal(told_bytes("#a\n", 3, 0), "1:[#a] ");
}

static void a_stray_quote_costs_one_row(void **ctx)
{
    (void)ctx;
    assert_string_equal(told("a,b\n\"x,1\ny,2\nz,3\n"),
                        "1:[a][b] 2:!a quote is not closed 3:[y][2] 4:[z][3] ");
    assert_string_equal(told("\"x\"y,1\nz,2\n"), "1:!text follows a closing quote 2:[z][2] ");
}

static void bytes_that_are_no_text_make_a_bad_row(void **ctx)
{
    const char nul[] = "a,b\n1\0x,2\nc,d\n";

    (void)ctx;
    assert_string_equal(told_bytes(nul, sizeof(nul) - 1, '#'),
                        "1:[a][b] 2:!the record contains a NUL byte 3:[c][d] ");
    assert_string_equal(told("a\n\xC3\x28\nb\n"), "1:[a] 2:!the record is not valid UTF-8 3:[b] ");
    assert_string_equal(told("\xC3\xA4,b\n"), "1:[\xC3\xA4][b] ");
}

static void limits_make_a_bad_row(void **ctx)
{
    static char text[200000];

    (void)ctx;
    memset(text, ',', 260);
    memcpy(text + 260, "\na\n", 4);
    assert_string_equal(told(text), "1:!the record has more than 256 fields 2:[a] ");
    memset(text, 'x', 100000);
    memcpy(text + 100000, "\na\n", 4);
    assert_string_equal(told(text), "1:!the record is longer than 65536 bytes 2:[a] ");
    text[0] = '"';
    assert_string_equal(told(text), "1:!a quote is not closed 2:[a] ");
}

static void a_header_is_found_by_name(void **ctx)
{
    const char *const names[] = {"zone", "price", "absent"};
    struct stow_csv csv;
    int column[3];

    (void)ctx;
    stow_csv_init(&csv, "Price,other,ZONE\n", 17, 0);
    assert_int_equal(stow_csv_next(&csv, NULL), 1);
    assert_int_equal(stow_csv_header(&csv, names, 3, column), 2);
    assert_int_equal(column[0], 2);
    assert_int_equal(column[1], 0);
    assert_int_equal(column[2], -1);
    stow_csv_done(&csv);
    stow_csv_init(&csv, "zone,zone\n", 10, 0);
    assert_int_equal(stow_csv_next(&csv, NULL), 1);
    assert_true(stow_csv_header(&csv, names, 3, column) < 0);
    stow_csv_done(&csv);
}

static void what_is_written_reads_back_the_same(void **ctx)
{
    const char *const fields[] = {"plain", "",     "with,comma", "say \"hi\"", "two\nlines",
                                  "a\rb",  " sp ", "#hash",      "\"",         "\xC3\xA4"};
    const size_t count = sizeof(fields) / sizeof(fields[0]);
    struct stow_buf text = {0};
    struct stow_csv csv;

    (void)ctx;
    for (size_t i = 0; i < count; i++)
        stow_csv_write(&text, stow_str_of(fields[i]), i == 0);
    stow_buf_char(&text, '\n');
    stow_csv_init(&csv, text.ptr, text.len, '#');
    assert_int_equal(stow_csv_next(&csv, NULL), 1);
    assert_null(csv.bad);
    assert_int_equal(csv.fields, count);
    for (uint32_t i = 0; i < count; i++)
        assert_text(csv.field[i], fields[i]);
    stow_csv_done(&csv);
    stow_buf_done(&text);
}

static void random_bytes_are_read_to_the_end(void **ctx)
{
    static const char alphabet[] = "a,\"\n\r# \0\xC3\xA4x";
    uint32_t seed = 1;

    (void)ctx;
    for (int round = 0; round < 20000; round++) {
        char text[40];
        struct stow_csv csv;
        uint32_t last = 0;
        int more;

        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525u + 1013904223u;
            text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        stow_csv_init(&csv, text, sizeof(text), round % 2 ? '#' : 0);
        while ((more = stow_csv_next(&csv, NULL)) > 0) {
            assert_true(csv.line > last);
            last = csv.line;
        }
        assert_int_equal(more, 0);
        assert_int_equal(csv.at, sizeof(text));
        stow_csv_done(&csv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_and_lines_are_told_apart),
        cmocka_unit_test(line_ends_of_both_kinds_and_a_bom_are_fine),
        cmocka_unit_test(outer_blanks_do_not_belong_to_a_field),
        cmocka_unit_test(quotes_protect_commas_quotes_and_line_ends),
        cmocka_unit_test(empty_lines_and_comments_are_passed_over),
        cmocka_unit_test(a_stray_quote_costs_one_row),
        cmocka_unit_test(bytes_that_are_no_text_make_a_bad_row),
        cmocka_unit_test(limits_make_a_bad_row),
        cmocka_unit_test(a_header_is_found_by_name),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(random_bytes_are_read_to_the_end),
    };

    return cmocka_run_group_tests_name("price/csv", tests, NULL, NULL);
}
