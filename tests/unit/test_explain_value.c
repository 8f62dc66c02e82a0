/* Unit tests of the tree of values and of its two forms: JSON and YAML. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "explain/render/render.h"

static struct stow_doc doc;
static struct stow_buf out;

static int start(void **ctx)
{
    (void)ctx;
    doc = (struct stow_doc){0};
    out = (struct stow_buf){0};
    return 0;
}

static int finish(void **ctx)
{
    (void)ctx;
    stow_doc_done(&doc);
    stow_buf_done(&out);
    return 0;
}

static const char *written(void)
{
    assert_false(doc.failed);
    stow_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.ptr;
}

static const char *json(const struct stow_value *value)
{
    out.len = 0;
    stow_render_json(&out, value);
    return written();
}

static const char *json_line(const struct stow_value *value)
{
    out.len = 0;
    stow_render_json_line(&out, value);
    return written();
}

static const char *yaml(const struct stow_value *value)
{
    out.len = 0;
    stow_render_yaml(&out, value);
    return written();
}

static struct stow_value *object_of(const char *key, struct stow_value *value)
{
    struct stow_value *object = stow_doc_object(&doc);

    stow_value_set(&doc, object, key, value);
    return object;
}

static struct stow_value *array_of(const char *first, const char *second)
{
    struct stow_value *array = stow_doc_array(&doc);

    stow_value_push(&doc, array, stow_doc_text(&doc, first));
    stow_value_push(&doc, array, stow_doc_text(&doc, second));
    return array;
}

static void scalars_are_written_as_json(void **ctx)
{
    (void)ctx;
    assert_string_equal(json(stow_doc_null(&doc)), "null\n");
    assert_string_equal(json(stow_doc_bool(&doc, true)), "true\n");
    assert_string_equal(json(stow_doc_bool(&doc, false)), "false\n");
    assert_string_equal(json(stow_doc_int(&doc, INT64_MIN)), "-9223372036854775808\n");
    assert_string_equal(json(stow_doc_text(&doc, "n1")), "\"n1\"\n");
    assert_string_equal(json(stow_doc_text(&doc, NULL)), "null\n");
    assert_string_equal(json(stow_doc_textf(&doc, "%d of %s", 3, "four")), "\"3 of four\"\n");
}

static void money_has_nine_decimals_and_unknown_is_null(void **ctx)
{
    (void)ctx;
    assert_string_equal(json(stow_doc_money(&doc, 96000000)), "\"0.096000000\"\n");
    assert_string_equal(json(stow_doc_money(&doc, 0)), "\"0.000000000\"\n");
    assert_string_equal(json(stow_doc_money(&doc, STOW_MONEY_UNKNOWN)), "null\n");
}

static void sums_are_null_or_at_least(void **ctx)
{
    const struct stow_money_sum exact = {5, 2, 0}, least = {7, 1, 1}, unknown = {0, 0, 1};
    struct stow_value *first = stow_doc_object(&doc), *second = stow_doc_object(&doc);

    (void)ctx;
    stow_value_set_sum(&doc, first, "cost", &exact);
    stow_value_set_sum(&doc, first, "waste", &unknown);
    assert_string_equal(json_line(first), "{\"cost\": \"0.000000005\", \"waste\": null}");
    stow_value_set_sum(&doc, second, "cost", &least);
    stow_value_set_sum(&doc, second, "waste", &least);
    assert_string_equal(json_line(second), "{\"cost\": \"0.000000007\", \"atLeast\": true, "
                                           "\"waste\": \"0.000000007\"}");
}

static void number_texts_stay_as_they_are(void **ctx)
{
    static const char *const good[] = {"0",    "-0",       "1e400",
                                       "1.50", "-12.5E-3", "98765432109876543210"};
    static const char *const bad[] = {"",     "-",   "01", ".5",  "1.",  "1e",  "+1",
                                      "0x1F", "NaN", "1 ", "--1", "1e+", "1,5", "1.2.3"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_string_equal(json_line(stow_doc_number(&doc, good[i])), good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(json_line(stow_doc_number(&doc, bad[i]))[0], '"');
}

static void a_real_is_as_short_as_it_can_be(void **ctx)
{
    (void)ctx;
    assert_string_equal(json_line(stow_doc_real(&doc, 0.000717)), "0.000717");
    assert_string_equal(json_line(stow_doc_real(&doc, 0.1 + 0.2)), "0.30000000000000004");
    assert_string_equal(json_line(stow_doc_real(&doc, 3)), "3");
    assert_string_equal(json_line(stow_doc_real(&doc, (double)INFINITY)), "null");
    assert_string_equal(json_line(stow_doc_real(&doc, (double)NAN)), "null");
}

static void keys_keep_their_order_and_the_last_value_counts(void **ctx)
{
    struct stow_value *object = object_of("b", stow_doc_int(&doc, 1));

    (void)ctx;
    stow_value_set(&doc, object, "a", stow_doc_int(&doc, 2));
    stow_value_set(&doc, object, "b", stow_doc_int(&doc, 3));
    assert_string_equal(json_line(object), "{\"b\": 3, \"a\": 2}");
    assert_int_equal(stow_value_find(object, "a")->as.integer, 2);
    assert_null(stow_value_find(object, "c"));
    assert_null(stow_value_find(stow_doc_null(&doc), "c"));
}

static void texts_are_copied(void **ctx)
{
    char text[] = "abc", key[] = "key";
    struct stow_value *object = object_of(key, stow_doc_text(&doc, text));

    (void)ctx;
    text[0] = key[0] = '?';
    assert_string_equal(json_line(object), "{\"key\": \"abc\"}");
}

static void json_escapes_what_it_must(void **ctx)
{
    (void)ctx;
    assert_string_equal(json_line(stow_doc_text(&doc, "a\"b\\c\n\t\r\b\f\x1b\x7f")),
                        "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u001b\\u007f\"");
    assert_string_equal(json_line(stow_doc_str(&doc, STOW_STR("a\0b"))), "\"a\\u0000b\"");
    assert_string_equal(json_line(stow_doc_text(&doc, "é 日本 😀")), "\"é 日本 😀\"");
    assert_string_equal(json_line(stow_doc_text(&doc, "a\u2028b\u202e")), "\"a\\u2028b\\u202e\"");
}

static void broken_utf8_becomes_the_replacement_character(void **ctx)
{
    static const char *const broken[] = {
        "\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        const char *text = json_line(stow_doc_text(&doc, broken[i]));

        assert_memory_equal(text, "\"\xEF\xBF\xBD", 4);
    }
}

static void containers_of_scalars_stay_on_their_line(void **ctx)
{
    struct stow_value *root = object_of("pods", array_of("default/web-0", "default/web-1"));

    (void)ctx;
    stow_value_set(&doc, root, "cost", object_of("perHour", stow_doc_money(&doc, 1)));
    stow_value_set(&doc, root, "none", stow_doc_array(&doc));
    stow_value_set(&doc, root, "empty", stow_doc_object(&doc));
    assert_string_equal(json(root), "{\n"
                                    "  \"pods\": [\"default/web-0\", \"default/web-1\"],\n"
                                    "  \"cost\": {\"perHour\": \"0.000000001\"},\n"
                                    "  \"none\": [],\n"
                                    "  \"empty\": {}\n"
                                    "}\n");
}

static void long_and_nested_containers_are_spread_over_lines(void **ctx)
{
    char longer[90];
    struct stow_value *root = stow_doc_object(&doc);
    struct stow_value *nodes = stow_doc_array(&doc);

    (void)ctx;
    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    stow_value_set(&doc, root, "pods", array_of(longer, "b"));
    stow_value_push(&doc, nodes, object_of("pods", array_of("a", "b")));
    stow_value_set(&doc, root, "nodes", nodes);

    const char *text = json(root);

    assert_memory_equal(text, "{\n  \"pods\": [\n    \"xxx", 22);
    assert_non_null(strstr(text, "xx\",\n    \"b\"\n  ],\n  \"nodes\": [\n    {\n"
                                 "      \"pods\": [\"a\", \"b\"]\n    }\n  ]\n}\n"));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_true(strchr(line, '\n') - line <= 100);
}

static void one_line_has_no_line_break(void **ctx)
{
    struct stow_value *root = object_of("nodes", stow_doc_array(&doc));

    (void)ctx;
    stow_value_set(&doc, root, "x", object_of("y", array_of("a\nb", "c")));
    assert_string_equal(json_line(root), "{\"nodes\": [], \"x\": {\"y\": [\"a\\nb\", \"c\"]}}");
}

static void yaml_looks_as_kubectl_prints_it(void **ctx)
{
    struct stow_value *root = object_of("kind", stow_doc_text(&doc, "ScalePlan"));
    struct stow_value *nodes = stow_doc_array(&doc);
    struct stow_value *node = object_of("name", stow_doc_text(&doc, "np2-0"));

    (void)ctx;
    stow_value_set(&doc, node, "pods", array_of("default/web-0", "default/web-1"));
    stow_value_push(&doc, nodes, node);
    stow_value_push(&doc, nodes, array_of("a", "b"));
    stow_value_set(&doc, root, "cost", object_of("perHour", stow_doc_money(&doc, 120)));
    stow_value_set(&doc, root, "newNodes", nodes);
    stow_value_set(&doc, root, "warnings", stow_doc_array(&doc));
    stow_value_set(&doc, root, "labels", stow_doc_object(&doc));
    stow_value_set(&doc, root, "node", stow_doc_null(&doc));
    assert_string_equal(yaml(root), "kind: ScalePlan\n"
                                    "cost:\n"
                                    "  perHour: \"0.000000120\"\n"
                                    "newNodes:\n"
                                    "- name: np2-0\n"
                                    "  pods:\n"
                                    "  - default/web-0\n"
                                    "  - default/web-1\n"
                                    "- - a\n"
                                    "  - b\n"
                                    "warnings: []\n"
                                    "labels: {}\n"
                                    "node: null\n");
}

static void words_that_mean_something_to_yaml_are_quoted(void **ctx)
{
    static const char *const quoted[] = {
        "",
        "no",
        "No",
        "NO",
        "yes",
        "on",
        "OFF",
        "y",
        "N",
        "true",
        "False",
        "null",
        "NULL",
        "~",
        "1",
        "-1",
        "+1",
        "1e3",
        "1E-3",
        "0o17",
        "017",
        "0x1F",
        "0b11",
        "1_000",
        ".5",
        "5.",
        "0.096",
        ".inf",
        "-.Inf",
        ".NaN",
        "12:30",
        "12:30:45",
        "2026-11-01",
        "<<",
        "=",
        "---",
        "...",
        "-",
        "- a",
        "?",
        "? a",
        ":",
        ": a",
        "#",
        "# a",
        "a: b",
        "a:",
        "a #b",
        " a",
        "a ",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a",
        "|",
        ">",
        "[a]",
        "{a}",
        "'a'",
        "\"a\"",
        "a\tb",
        "a[b",
        "a\\b",
        "é",
        "2026-11-01T00:00:00Z",
        "a  b",
        "1e",
        "0f",
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(quoted) / sizeof(quoted[0]); i++) {
        assert_int_equal(yaml(stow_doc_text(&doc, quoted[i]))[0], '"');
        assert_memory_equal(yaml(object_of(quoted[i], stow_doc_null(&doc))), "\"", 1);
    }
}

static void plain_words_stay_bare(void **ctx)
{
    static const char *const bare[] = {
        "m5.large",
        "us-east-1a",
        "default/web-0",
        "nvidia.com/gpu",
        "500m",
        "8Gi",
        "on-demand",
        "nothing",
        "Insufficient cpu",
        "a:b",
        "2 of 3 nodes (no cpu)",
        "/dev/null",
        "_x",
        "it's",
        "60s",
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
        const char *text = yaml(stow_doc_text(&doc, bare[i]));

        assert_memory_equal(text, bare[i], strlen(bare[i]));
        assert_string_equal(text + strlen(bare[i]), "\n");
    }
}

static void several_lines_become_a_block(void **ctx)
{
    (void)ctx;
    assert_string_equal(yaml(object_of("a", stow_doc_text(&doc, "x\ny"))), "a: |-\n  x\n  y\n");
    assert_string_equal(yaml(object_of("a", stow_doc_text(&doc, "x\n\n y\n"))),
                        "a: |\n  x\n\n   y\n");
    assert_string_equal(yaml(object_of("a", stow_doc_text(&doc, "x\n\n"))), "a: |+\n  x\n\n");
}

static void lines_that_a_block_would_change_are_quoted(void **ctx)
{
    (void)ctx;
    assert_string_equal(yaml(stow_doc_text(&doc, " x\ny")), "\" x\\ny\"\n");
    assert_string_equal(yaml(stow_doc_text(&doc, "\nx")), "\"\\nx\"\n");
    assert_string_equal(yaml(stow_doc_text(&doc, "x\r\ny")), "\"x\\r\\ny\"\n");
    assert_string_equal(yaml(stow_doc_text(&doc, "x\n\xff")), "\"x\\n\xEF\xBF\xBD\"\n");
}

static void exponents_are_numbers_to_every_reader(void **ctx)
{
    (void)ctx;
    assert_string_equal(yaml(stow_doc_number(&doc, "1e3")), "1.0e+3\n");
    assert_string_equal(yaml(stow_doc_number(&doc, "1.5E-6")), "1.5e-6\n");
    assert_string_equal(yaml(stow_doc_number(&doc, "12345678901234567890")),
                        "12345678901234567890\n");
}

static void a_very_long_key_is_marked_as_one(void **ctx)
{
    char key[1200];

    (void)ctx;
    memset(key, 'k', sizeof(key));
    key[sizeof(key) - 1] = '\0';

    const char *text = yaml(object_of(key, array_of("a", "b")));

    assert_memory_equal(text, "? \"kkk", 6);
    assert_non_null(strstr(text, "kkk\"\n:\n- a\n- b\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scalars_are_written_as_json, start, finish),
        cmocka_unit_test_setup_teardown(money_has_nine_decimals_and_unknown_is_null, start, finish),
        cmocka_unit_test_setup_teardown(sums_are_null_or_at_least, start, finish),
        cmocka_unit_test_setup_teardown(number_texts_stay_as_they_are, start, finish),
        cmocka_unit_test_setup_teardown(a_real_is_as_short_as_it_can_be, start, finish),
        cmocka_unit_test_setup_teardown(keys_keep_their_order_and_the_last_value_counts, start,
                                        finish),
        cmocka_unit_test_setup_teardown(texts_are_copied, start, finish),
        cmocka_unit_test_setup_teardown(json_escapes_what_it_must, start, finish),
        cmocka_unit_test_setup_teardown(broken_utf8_becomes_the_replacement_character, start,
                                        finish),
        cmocka_unit_test_setup_teardown(containers_of_scalars_stay_on_their_line, start, finish),
        cmocka_unit_test_setup_teardown(long_and_nested_containers_are_spread_over_lines, start,
                                        finish),
        cmocka_unit_test_setup_teardown(one_line_has_no_line_break, start, finish),
        cmocka_unit_test_setup_teardown(yaml_looks_as_kubectl_prints_it, start, finish),
        cmocka_unit_test_setup_teardown(words_that_mean_something_to_yaml_are_quoted, start,
                                        finish),
        cmocka_unit_test_setup_teardown(plain_words_stay_bare, start, finish),
        cmocka_unit_test_setup_teardown(several_lines_become_a_block, start, finish),
        cmocka_unit_test_setup_teardown(lines_that_a_block_would_change_are_quoted, start, finish),
        cmocka_unit_test_setup_teardown(exponents_are_numbers_to_every_reader, start, finish),
        cmocka_unit_test_setup_teardown(a_very_long_key_is_marked_as_one, start, finish),
    };

    return cmocka_run_group_tests_name("explain/value", tests, NULL, NULL);
}
