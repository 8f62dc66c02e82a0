/* Unit tests of JSON: the grammar, in parts that are read and in parts that are skipped. */
#include "tests/unit/load.h"

/* A value where nobody looks, and the same where labels are expected. */
#define SKIPPED "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"x\":@}"
#define LABELS \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":@}}}"
#define AMOUNT                                                                \
    "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}," \
    "\"status\":{\"allocatable\":{\"memory\":@}}}"

static const char *const good_values[] = {
    "0",
    "-0",
    "1",
    "10",
    "1.5",
    "1e3",
    "1E+3",
    "-1.25e-7",
    "true",
    "false",
    "null",
    "\"\"",
    "\"a\\\"b\"",
    "\"\\\\\"",
    "[]",
    "{}",
    "[ 1 , 2 ]",
    "[[],[{}]]",
    " 1 ",
    "\"\\u00e4\"",
    "\"\xc3\xa4\"",
    "{\"a\":{\"b\":[1,{\"c\":null}]}}",
    "12345678901234567890123456789012345678901234567890",
    "\"\\ud83d\\ude00\"",
    "\"\\/\\b\\f\\n\\r\\t\"",
    "1e999999",
    "\n\t1\r\n",
};

static const char *const bad_values[] = {
    "",
    "01",
    "-01",
    "1.",
    ".5",
    "+1",
    "-",
    "--1",
    "1e",
    "1e+",
    "1.e3",
    "0x10",
    "1_000",
    "1a",
    "nan",
    "NaN",
    "Infinity",
    "-inf",
    "tru",
    "truee",
    "True",
    "FALSE",
    "nul",
    "nullx",
    "undefined",
    "'a'",
    "a",
    "\"a",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\\"",
    "\"\\U0041\"",
    "\"a\nb\"",
    "\"a\tb\"",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1,,2]",
    "[",
    "]",
    "[1",
    "[1}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\"}",
    "{\"a\" 1}",
    "{\"a\":}",
    "{\"a\":1",
    "{\"a\":1 \"b\":2}",
    "{a:1}",
    "{1:1}",
    "{\"a\"=1}",
    "{\"a\":1]",
    "{",
    "}",
    "{null:1}",
    ":",
    ",",
    "1 2",
    "\"a\" \"b\"",
    "{}{}",
    "[1]]",
    "1\"x\"",
    "[1\"x\"]",
    "[true\"x\",\"y\"]",
    "null\"x\"",
    "\"a\"b",
    "// c\n1",
    "/* c */ 1",
    "#1",
    "1;",
    "[1:2]",
    "{\"a\":1:2}",
    "\\",
    "\"\xff\"",
    "\"\xc3(\"",
    "\xef\xbb\xbf[]",
    "\"\x7f\x01\"",
};

static void what_json_allows_is_skipped_without_a_word(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(good_values); i++) {
        char *text = load_fill(SKIPPED, good_values[i]);
        struct stow_snapshot *s = load_json(text);

        assert_int_equal(stow_snapshot_count(s, STOW_PODS), 1);
        assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 0);
        stow_snapshot_unref(s);
        free(text);
    }
}

/* Where text or a quantity is wanted, every one of these is wrong, too, for one reason or another.
 */
static void what_json_forbids_is_refused_wherever_it_is(void **ctx)
{
    static const char *const places[] = {SKIPPED, LABELS, AMOUNT};

    (void)ctx;
    for (size_t p = 0; p < COUNT(places); p++)
        for (size_t i = 0; i < COUNT(bad_values); i++) {
            char *text = load_fill(places[p], bad_values[i]);

            refuse_str("test.json", stow_str_of(text));
            free(text);
        }
}

static void every_form_of_a_number_keeps_its_digits(void **ctx)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {
        {"1024", 1024},          {"1e3", 1000},
        {"1.5e3", 1500},         {"0.1", 1},
        {"\"1Ki\"", 1024},       {"\" 1Ki\\t\"", 1024},
        {"\"\\u0031Ki\"", 1024}, {"null", 0},
        {"1000e-3", 1},          {"1152921504606846976", INT64_C(1) << 60},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = load_fill(AMOUNT, cases[i].text);
        struct stow_snapshot *s = load_json(text);

        assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_MEMORY), cases[i].bytes);
        stow_snapshot_unref(s);
        free(text);
    }
}

static void escapes_are_resolved_in_keys_and_texts(void **ctx)
{
    struct stow_snapshot *s = load_json(
        "{\"k\\u0069nd\":\"P\\u006fd\",\"apiVersion\":\"v1\",\"metadata\":{\"na\\u006de\":\"a\","
        "\"labels\":{\"\\u00e4\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"pair\":\"\\ud83d\\ude00\","
        "\"half\":\"\\ud83dx\",\"other\":\"\\ude00\",\"nul\":\"a\\u0000b\"}}}");

    (void)ctx;
    assert_string_equal(stow_snapshot_pod_name(s, 0), "a");
    assert_text(load_label(s, 0, "\xc3\xa4"), "\"\\/\b\f\n\r\t");
    assert_text(load_label(s, 0, "pair"), "\xf0\x9f\x98\x80");
    assert_text(load_label(s, 0, "half"), "\xef\xbf\xbdx");
    assert_text(load_label(s, 0, "other"), "\xef\xbf\xbd");
    assert_int_equal(load_label(s, 0, "nul").len, 3);
    stow_snapshot_unref(s);
}

static void errors_have_a_line_and_a_column_in_characters(void **ctx)
{
    (void)ctx;
    refuse_json("{\"kind\":\"Pod\",\n \"apiVersion\":\"v1\"\n \"metadata\":{}}", "3:2",
                "expected ',' or '}'");
    refuse_json("{\"kind\":\"Pod\",\n\"apiVersion\":\"v1\",\n\"metadata\":{\"name\":5}}", "3:20",
                ".metadata.name: expected a string, found a number");
    refuse_json(
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"x\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\","
        "\"metadata\":{\"name\":true}}",
        "1:62", "found a boolean");
    refuse_json("{\"kind\":\"Pod\",\r\n\"apiVersion\":\"v1\",\r\n\"metadata\":{\"name\":[]}}",
                "3:20", "found a list");
    refuse_json("[1]", "1:2", "[0]: expected an object, found a number");
    refuse_json("\n\n  \"a\"", "3:3", "expected an object, found a string");
    refuse_json("{\"kind\":\"Foo\"} x", "1:16", "expected an object");
    refuse_json("{\"a\":\"b\n", "1:8", "control character");
    refuse_json("{\"a\":\"b", "1:6", "string has no end; is the file truncated?");
}

static void errors_deep_in_a_list_name_the_path(void **ctx)
{
    (void)ctx;
    refuse_json(
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n"
        "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}},\n"
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\n"
        "  \"spec\":{\"containers\":[{},{\"resources\":{\"requests\":{\"cpu\":\"1x\"}}}]}}]}",
        "4:60", ".items[1].spec.containers[1].resources.requests.cpu: \"1x\" is not a quantity");
}

static void several_documents_may_stand_in_one_file(void **ctx)
{
    struct stow_snapshot *s =
        load_json("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}"
                  "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"b\"}}\n null\n"
                  "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\"}}\n");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 3);
    stow_snapshot_unref(s);
    refuse_json("{\"kind\":\"Foo\"},{\"kind\":\"Foo\"}", "1:15", "expected an object");
    refuse_json("{\"kind\":\"Foo\"}\n{\"kind\":\"Pod\"", "2:14", "is the file truncated?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_json_allows_is_skipped_without_a_word),
        cmocka_unit_test(what_json_forbids_is_refused_wherever_it_is),
        cmocka_unit_test(every_form_of_a_number_keeps_its_digits),
        cmocka_unit_test(escapes_are_resolved_in_keys_and_texts),
        cmocka_unit_test(errors_have_a_line_and_a_column_in_characters),
        cmocka_unit_test(errors_deep_in_a_list_name_the_path),
        cmocka_unit_test(several_documents_may_stand_in_one_file),
    };

    return cmocka_run_group_tests_name("read/json", tests, NULL, NULL);
}
