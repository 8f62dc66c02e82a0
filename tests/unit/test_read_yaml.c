/* Unit tests of YAML as kubectl reads it: scalars, anchors, merge keys, documents, places. */
#include "tests/unit/load.h"

#include "read/text/yaml_scalar.h"

#define POD       "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"
#define LABELS    POD "  labels:\n"
#define ALLOCATED "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus:\n  allocatable:\n"

static void resolves(const char *plain, enum stow_yaml_kind kind, const char *number)
{
    struct stow_buf written = {0};
    enum stow_yaml_kind got = stow_yaml_resolve(stow_str_of(plain), &written);

    if (got != kind || (number && !stow_str_is(stow_buf_str(&written), number))) {
        print_error("'%s' is %d '%.*s', expected %d '%s'\n", plain, (int)got,
                    STOW_FMT(stow_buf_str(&written)), (int)kind, number ? number : "");
        fail();
    }
    stow_buf_done(&written);
}

static void bare_words_are_booleans_and_nulls(void **ctx)
{
    static const char *const yes[] = {"y",  "Y",  "yes",  "Yes",  "YES", "on",
                                      "On", "ON", "true", "True", "TRUE"};
    static const char *const no[] = {"n",   "N",   "no",    "No",    "NO",   "off",
                                     "Off", "OFF", "false", "False", "FALSE"};
    static const char *const null[] = {"", "~", "null", "Null", "NULL"};
    static const char *const text[] = {"yES",  "nO",  "oN",  "tRUE", "nULL",  "~~",
                                       "-",    "+",   ".",   "_",    "yes ",  "none",
                                       "nope", "e3",  "0x",  "0b2",  "1.2.3", "1e",
                                       "1e+",  "--1", "1-1", "0xfg", "1:30",  "2024-01-01"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(yes); i++)
        resolves(yes[i], STOW_YAML_TRUE, NULL);
    for (size_t i = 0; i < COUNT(no); i++)
        resolves(no[i], STOW_YAML_FALSE, NULL);
    for (size_t i = 0; i < COUNT(null); i++)
        resolves(null[i], STOW_YAML_NULL, NULL);
    for (size_t i = 0; i < COUNT(text); i++)
        resolves(text[i], STOW_YAML_TEXT, NULL);
    resolves(".nan", STOW_YAML_NOT_FINITE, NULL);
    resolves("-.inf", STOW_YAML_NOT_FINITE, NULL);
}

static void numbers_have_gos_prefixes_and_underscores(void **ctx)
{
    static const char *const cases[][2] = {
        {"0", "0"},           {"-0", "-0"},
        {"+1", "1"},          {"017", "15"},
        {"0o17", "15"},       {"0O17", "15"},
        {"-017", "-15"},      {"0x1f", "31"},
        {"0X1F", "31"},       {"-0x1f", "-31"},
        {"0b11", "3"},        {"08", "8"},
        {"1_000", "1000"},    {"0x_1f", "31"},
        {"1__0", "10"},       {".5", "0.5"},
        {"-.5", "-0.5"},      {"1.", "1"},
        {"1.50", "1.50"},     {"1e3", "1e3"},
        {"1E+3", "1E+3"},     {"007.5", "7.5"},
        {"+.5e-3", "0.5e-3"}, {"12345678901234567890123", "12345678901234567890123"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        resolves(cases[i][0], STOW_YAML_NUMBER, cases[i][1]);
}

static void a_bare_word_as_label_must_be_quoted(void **ctx)
{
    static const char *const booleans[] = {"no", "yes", "on", "off", "y", "n", "true", "False"};
    static const char *const numbers[] = {"1", "017", "0o17", "0x1f", "1_000", ".5", "1e3"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(booleans); i++) {
        char *text = load_fill(LABELS "    x: @\n", booleans[i]);

        refuse_yaml(text, "6:8",
                    ".metadata.labels.x: expected a string, found a boolean; quote it");
        free(text);
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char *text = load_fill(LABELS "    x: @\n", numbers[i]);

        refuse_yaml(text, "6:8", "expected a string, found a number; quote it");
        free(text);
    }
    refuse_yaml(LABELS "    x: .inf\n", "6:8", "not a finite number; quote it");
}

static void quotes_blocks_and_tags_make_text(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(LABELS "    a: \"no\"\n    b: '017'\n    c: !!str 5\n"
                         "    d: |-\n      on\n    e: >-\n      1\n      2\n"
                         "    f: \"\\u00e4\\x41\\n\"\n    g: ~\n    h:\n"
                         "    i: 'it''s'\n    'no': x\n    no: y2\n    017: z\n");

    (void)ctx;
    assert_text(load_label(s, 0, "a"), "no");
    assert_text(load_label(s, 0, "b"), "017");
    assert_text(load_label(s, 0, "c"), "5");
    assert_text(load_label(s, 0, "d"), "on");
    assert_text(load_label(s, 0, "e"), "1 2");
    assert_text(load_label(s, 0, "f"), "\xc3\xa4"
                                       "A\n");
    assert_text(load_label(s, 0, "g"), "");
    assert_text(load_label(s, 0, "h"), "");
    assert_text(load_label(s, 0, "i"), "it's");
    assert_text(load_label(s, 0, "no"), "x");
    assert_text(load_label(s, 0, "false"), "y2"); /* a bare key is a boolean, too */
    assert_text(load_label(s, 0, "15"), "z");
    stow_snapshot_unref(s);
}

static void quantities_are_read_from_every_form(void **ctx)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {{"017", 15},         {"0o17", 15},  {"\"017\"", 17}, {"0x1f", 31},
                 {"1_000", 1000},     {".5", 1},     {"1e3", 1000},   {"'1e3'", 1000},
                 {"1Gi", 1073741824}, {"~", 0},      {"!!str 5", 5},  {"1.", 1},
                 {"+5", 5},           {"\" 7 \"", 7}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = load_fill(ALLOCATED "    memory: @\n", cases[i].text);
        struct stow_snapshot *s = load_yaml(text);

        assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_MEMORY), cases[i].bytes);
        stow_snapshot_unref(s);
        free(text);
    }
    refuse_yaml(ALLOCATED "    memory: \"1_000\"\n", "6:13", "is not a quantity");
    refuse_yaml(ALLOCATED "    memory: yes\n", "6:13",
                "expected a string or a number, found a boolean");
    refuse_yaml(ALLOCATED "    memory: \"0x1f\"\n", "6:13", "is not a quantity");
}

static void anchors_are_copied_and_may_be_defined_again(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml("x: &name \"1\"\nkind: Pod\napiVersion: v1\nmetadata:\n  name: a\n"
                  "  labels: &l {a: *name, &key b: &name \"2\", c: *name, d: *key}\n"
                  "  annotations: *l\n");

    (void)ctx;
    assert_text(load_label(s, 0, "a"), "1");
    assert_text(load_label(s, 0, "b"), "2");
    assert_text(load_label(s, 0, "c"), "2");
    assert_text(load_label(s, 0, "d"), "b");
    stow_snapshot_unref(s);
    refuse_yaml(LABELS "    x: *none\n", "6:8", "alias to an anchor that is not defined before it");
    refuse_yaml("a: &x [*x]\n", "1:8", "not defined before it");
    refuse_yaml("a: &x 1\n---\nb: *x\n", "3:4", "not defined before it");
    refuse_yaml("a: &x b\n*x : 1\n", "2:1", "an alias cannot be a key");
}

static void merge_keys_add_what_the_mapping_lacks(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "base: &base {p: base, q: base}\nmore: &more\n  <<: *base\n  q: more\n  r: more\n"
        "other: &other {r: other, s: other, t: other}\n" LABELS
        "    t: own\n    <<: [*more, *other]\n    u: own\n    <<: {u: late, v: late, p: late}\n");

    (void)ctx;
    assert_text(load_label(s, 0, "p"), "base"); /* through a merge in a merge */
    assert_text(load_label(s, 0, "q"), "more"); /* its own wins, wherever it stands */
    assert_text(load_label(s, 0, "r"), "more"); /* earlier ones of the list win */
    assert_text(load_label(s, 0, "s"), "other");
    assert_text(load_label(s, 0, "t"), "own");
    assert_text(load_label(s, 0, "u"), "own");
    assert_text(load_label(s, 0, "v"), "late"); /* a second merge key comes after the first */
    stow_snapshot_unref(s);
}

static void merge_keys_take_mappings_only(void **ctx)
{
    struct stow_snapshot *s = load_yaml(LABELS "    <<: []\n    \"<<\": text\n    <<: {}\n");

    (void)ctx;
    assert_text(load_label(s, 0, "<<"), "text"); /* quoted: a key like any other */
    stow_snapshot_unref(s);
    refuse_yaml(LABELS "    <<: x\n", "6:9", "takes a mapping or a list of mappings");
    refuse_yaml(LABELS "    <<: [{a: b}, 5]\n", "6:18", "takes a mapping or a list of mappings");
    refuse_yaml(LABELS "    <<: [[{a: b}]]\n", "6:10", "takes a mapping or a list of mappings");
    refuse_yaml(LABELS "    <<:\n", "6:8", "takes a mapping or a list of mappings");
}

static void whole_objects_may_be_merged(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- &first\n  apiVersion: v1\n  kind: Pod\n  metadata: &meta {name: a, labels: {x: \"1\"}}\n"
        "  spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n"
        "- <<: *first\n  metadata:\n    <<: *meta\n    name: b\n");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 2);
    assert_string_equal(stow_snapshot_pod_name(s, 1), "b");
    assert_text(load_label(s, 1, "x"), "1");
    assert_int_equal(stow_snapshot_pod_request(s, 1, STOW_RESOURCE_CPU), 1000);
    assert_int_equal(s->pod[0].spec, s->pod[1].spec);
    stow_snapshot_unref(s);
}

/* Ten names of ten names of ten names ... */
static char *laughs(uint32_t levels, const char *form)
{
    struct stow_buf text = {0};

    stow_buf_text(&text, "a0: &a0 {x: lol}\n");
    for (uint32_t i = 1; i < levels; i++) {
        stow_buf_printf(&text, form, i, i);
        for (int n = 0; n < 10; n++)
            stow_buf_printf(&text, "%sk%d: *a%u", n ? ", " : "", n, i - 1);
        stow_buf_text(&text, "}\n");
    }
    stow_buf_char(&text, '\0');
    assert_false(text.failed);
    return text.ptr;
}

static void a_billion_laughs_are_refused(void **ctx)
{
    char *text = laughs(12, "a%u: &a%u {");
    struct stow_err err = refuse_str("test.yaml", stow_str_of(text));

    (void)ctx;
    assert_mentions(err.msg, "anchors and aliases expand to far more than the file itself");
    free(text);
}

/* Fifty thousand of everything: quadratic time would show here. */
static void many_anchors_and_merged_keys_take_no_ages(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    stow_buf_text(&text, "kind: X\na: &big\n");
    for (uint32_t i = 0; i < 20000; i++)
        stow_buf_printf(&text, "  k%u: &k%u v\n", i, i);
    stow_buf_text(&text, "b:\n  <<: *big\n");
    for (uint32_t i = 0; i < 20000; i++)
        stow_buf_printf(&text, "  j%u: *k%u\n", i, i);
    load_and_drop("test.yaml", stow_buf_str(&text));
    stow_buf_done(&text);
}

static void nested_anchors_do_not_fill_memory(void **ctx)
{
    char *open = load_repeat("&a [", 200), *inside = load_repeat("abcdefgh, ", 20000);
    struct stow_buf text = {0};

    (void)ctx;
    stow_buf_printf(&text, "x: %s%s", open, inside);
    stow_buf_repeat(&text, ']', 200);
    assert_mentions(refuse_str("test.yaml", stow_buf_str(&text)).msg, "expand to far more");
    stow_buf_done(&text);
    free(open);
    free(inside);
}

static void documents_are_told_apart_by_lines_of_dashes(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml("# a comment\n%YAML 1.1\n---\n" POD "---\n---\n# nothing\n---\n~\n--- # c\n"
                  "{apiVersion: v1, kind: Pod, metadata: {name: b}}\n...\n---\n"
                  "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"c\"}}\n");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 3);
    stow_snapshot_unref(s);
    s = load_str("input", STOW_STR("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":"
                                   "{\"name\":\"a\"}}\n---\n"
                                   "kind: Foo\n"));
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 1);
    stow_snapshot_unref(s);
}

/* Only the name .json says what is inside; elsewhere a brace may start either. */
static void what_looks_like_json_may_be_yaml(void **ctx)
{
    static const char *const names[] = {"test.yaml", "standard input"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(names); i++) {
        load_and_drop(names[i], STOW_STR("{\"kind\": Foo, \"x\": [a, 'b',]}"));
        load_and_drop(names[i], STOW_STR("{\"kind\": \"Foo\"}\n---\n{\"kind\": \"Bar\"}\n"));
        refuse_at(names[i], STOW_STR("{\"kind\": \"Pod\", \"x\": [1"), "1:24", "truncated");
        refuse_at(names[i], STOW_STR("{\"kind\": Pod, name: [}"), "1:10", ".kind: malformed");
        refuse_at(names[i], STOW_STR("[a, b]"), "1:2", "[0]: expected an object, found a string");
    }
    refuse_json("{\"kind\": Foo}", "1:10", "malformed");
}

static void malformed_yaml_has_a_place_wherever_it_is(void **ctx)
{
    (void)ctx;
    refuse_yaml(POD "x: [1, 2\n", "6:1", "malformed YAML");
    refuse_yaml(POD "x: {a: 1\ny: 2\n", "6:2", "malformed YAML");
    refuse_yaml(POD "x: \"abc\n", "6:1", "malformed YAML");
    refuse_yaml(POD " x: 1\n", "5:2", "malformed YAML");
    refuse_yaml(POD "x: a: b\n", "5:5", "malformed YAML");
    refuse_yaml(POD "\tx: 1\n", "5:1", "malformed YAML");
    refuse_yaml(POD "x: @a\n", "5:4", "malformed YAML");
    refuse_yaml(POD "x: %a\n", "5:4", "malformed YAML");
    refuse_yaml(POD "x: &\n", "5:5", "malformed YAML");
    refuse_yaml(POD "- a\n", "5:1", "malformed YAML");
    refuse_yaml(POD "x: ]\n", "5:4", "malformed YAML");
    refuse_yaml(POD "x: \"\\q\"\n", "5:5", "malformed YAML");
    refuse_yaml(POD "x: !<\n", "5:6", "malformed YAML");
    refuse_yaml(POD "[a, b]: 1\n", "5:1", "a key must be a plain name");
    refuse_yaml(POD "? {a: b}\n: 1\n", "5:3", "a key must be a plain name");
    refuse_yaml(POD "~: 1\n", "5:1", "a key is missing");
    refuse_yaml("just text\n", "1:1", "expected an object, found a string");
    refuse_yaml("- a\n", "1:3", "[0]: expected an object, found a string");
}

static void places_count_characters_and_paths_are_named(void **ctx)
{
    (void)ctx;
    refuse_yaml(
        "kind: Pod\napiVersion: v1\nmetadata: {\xc3\xa4: \"\xf0\x9f\x98\x80\", name: [a]}\n",
        "3:26", ".metadata.name: expected a string, found a list");
    refuse_yaml("apiVersion: v1\r\nkind: List\r\nitems:\r\n"
                "- {apiVersion: v1, kind: Pod, metadata: {name: a}}\r\n"
                "- apiVersion: v1\r\n  kind: Pod\r\n  metadata: {name: b}\r\n"
                "  spec:\r\n    containers:\r\n    - name: c\r\n    - resources:\r\n"
                "        requests:\r\n          cpu: -1\r\n",
                "13:16", ".items[1].spec.containers[1].resources.requests.cpu: \"-1\" is negative");
    refuse_yaml(POD "---\nkind: Pod\napiVersion: v1\nmetadata:\n  labels: {}\n", "6:1",
                "Pod has no name; expected metadata.name");
}

/* The last of them, as kubectl reads it; wherever they stand, whatever they hold. */
static void the_last_of_a_key_given_twice_counts(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(LABELS "    a: x\n    b: [1, {c: d}]\n    a: y\n    b: z\n    a: {}\n    a: w\n");

    (void)ctx;
    assert_text(load_label(s, 0, "a"), "w");
    assert_text(load_label(s, 0, "b"), "z");
    assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 1);
    assert_true(load_warns(s, "test.yaml:6:5: a key is given again later, and there are more; the "
                              "last one counts"));
    stow_snapshot_unref(s);

    char *many = load_repeat("    a: b\n", 1000);
    char *text = load_fill(LABELS "@    a: last\n", many);

    s = load_yaml(text);
    assert_text(load_label(s, 0, "a"), "last");
    stow_snapshot_unref(s);
    free(text);
    free(many);
}

static void two_objects_without_a_line_between_them_are_refused(void **ctx)
{
    (void)ctx;
    refuse_yaml("kind: Pod\nmetadata: {name: a}\nkind: Pod\nmetadata: {name: b}\n", "4:1",
                "'metadata' is given twice; is a line with --- missing before an object?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_words_are_booleans_and_nulls),
        cmocka_unit_test(numbers_have_gos_prefixes_and_underscores),
        cmocka_unit_test(a_bare_word_as_label_must_be_quoted),
        cmocka_unit_test(quotes_blocks_and_tags_make_text),
        cmocka_unit_test(quantities_are_read_from_every_form),
        cmocka_unit_test(anchors_are_copied_and_may_be_defined_again),
        cmocka_unit_test(merge_keys_add_what_the_mapping_lacks),
        cmocka_unit_test(merge_keys_take_mappings_only),
        cmocka_unit_test(whole_objects_may_be_merged),
        cmocka_unit_test(a_billion_laughs_are_refused),
        cmocka_unit_test(many_anchors_and_merged_keys_take_no_ages),
        cmocka_unit_test(nested_anchors_do_not_fill_memory),
        cmocka_unit_test(documents_are_told_apart_by_lines_of_dashes),
        cmocka_unit_test(what_looks_like_json_may_be_yaml),
        cmocka_unit_test(malformed_yaml_has_a_place_wherever_it_is),
        cmocka_unit_test(places_count_characters_and_paths_are_named),
        cmocka_unit_test(the_last_of_a_key_given_twice_counts),
        cmocka_unit_test(two_objects_without_a_line_between_them_are_refused),
    };

    return cmocka_run_group_tests_name("read/yaml", tests, NULL, NULL);
}
