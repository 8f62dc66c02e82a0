/* Unit tests of inputs that are broken, enormous or in the wrong encoding. */
#include "tests/unit/load.h"

#define POD(more) "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"" more "}}"

static const char realistic_json[] =
    "{\"apiVersion\": \"v1\", \"items\": [\n"
    " {\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n1\", \"labels\":\n"
    "   {\"node.kubernetes.io/instance-type\": \"m5.large\", \"\xc3\xa4\": \"\\u00e4\\n\"}},\n"
    "  \"spec\": {\"taints\": [{\"key\": \"k\", \"effect\": \"NoSchedule\"}]},\n"
    "  \"status\": {\"allocatable\": {\"cpu\": \"2\", \"memory\": \"7.5Gi\", \"pods\": 29},\n"
    "   \"images\": [{\"names\": [\"a\", \"b\"], \"sizeBytes\": 12345678901}]}},\n"
    " {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", \"x\": "
    "-1.5e-7},\n"
    "  \"spec\": {\"nodeName\": \"n1\", \"containers\": [{\"name\": \"c\", \"resources\":\n"
    "   {\"requests\": {\"cpu\": \"250m\", \"memory\": \"1Gi\"}}, \"env\": [null, true, "
    "false]}]}},\n"
    " {\"apiVersion\": \"x/v1\", \"kind\": \"Other\", \"spec\": [[], {}, \"\", 0]}],\n"
    " \"kind\": \"List\"}";

static const char realistic_yaml[] =
    "# a cluster\napiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  labels: &l\n"
    "    node.kubernetes.io/instance-type: m5.large\n    \xc3\xa4: \"\\u00e4\\n\"\nspec:\n"
    "  taints:\n  - {key: k, effect: NoSchedule}\nstatus:\n  allocatable: {cpu: 2, memory: 7.5Gi}\n"
    "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  labels: {<<: {a: b}, c: 'd'}\n"
    "spec:\n  nodeName: n1\n  containers:\n  - name: c\n    args: [\"x\", |-\n"
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n"
    "  template:\n    spec:\n      containers:\n      - name: c\n        command: |\n"
    "          echo\n          done\n        resources: {requests: {cpu: 100m}}\n";

static void every_prefix_of_a_json_document_is_refused(void **ctx)
{
    (void)ctx;
    load_and_drop("test.json", stow_str_of(realistic_json));
    for (size_t len = 1; len < sizeof(realistic_json) - 1; len++)
        refuse_str("test.json", (struct stow_str){realistic_json, len});
}

/* A prefix of YAML may be a document itself; it is loaded or refused with a place. */
static void no_prefix_of_a_yaml_document_does_harm(void **ctx)
{
    uint32_t loaded = 0;

    (void)ctx;
    for (size_t len = 0; len < sizeof(realistic_yaml); len++) {
        struct stow_snapshot *s = NULL;
        struct stow_err err = {0};

        if (stow_snapshot_load_text("test.yaml", realistic_yaml, len, NULL, &s, &err) >= 0)
            loaded++;
        else
            assert_true(err.code == STOW_EPARSE && err.line > 0 && err.col > 0 && !s);
        stow_snapshot_unref(s);
    }
    assert_true(loaded > 10);
}

/* Every byte of a document replaced by bytes that mean something: whatever comes out is clean. */
static void no_changed_byte_does_harm(void **ctx)
{
    static const char bytes[] = "\0\"\\{}[]:,\n #&*-0e\x80\xff";
    char text[sizeof(realistic_json)];

    (void)ctx;
    for (size_t i = 0; i < sizeof(realistic_json) - 1; i++) {
        struct stow_snapshot *s = NULL;

        memcpy(text, realistic_json, sizeof(text));
        text[i] = bytes[i * 7 % (sizeof(bytes) - 1)];
        stow_snapshot_load_text("test.json", text, sizeof(text) - 1, NULL, &s, NULL);
        stow_snapshot_unref(s);
        s = NULL;
        stow_snapshot_load_text("test.yaml", text, sizeof(text) - 1, NULL, &s, NULL);
        stow_snapshot_unref(s);
    }
}

/* ---- nesting ----------------------------------------------------------------------------- */

static void deep(const char *name, const char *before, const char *open, const char *says)
{
    char *nested = load_repeat(open, 10000);
    struct stow_buf text = {0};

    stow_buf_text(&text, before);
    stow_buf_text(&text, nested);
    assert_mentions(refuse_str(name, stow_buf_str(&text)).msg, says);
    stow_buf_done(&text);
    free(nested);
}

static void ten_thousand_levels_of_json_are_refused(void **ctx)
{
    static const char says[] = "nested deeper than 256 levels";

    (void)ctx;
    deep("test.json", "", "{\"a\":", says);
    deep("test.json", "{\"kind\":\"Pod\",\"x\":", "[", says);
    deep("test.json", "{\"kind\":\"Pod\",\"x\":", "{\"a\":[", says);
    deep("test.json",
         "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":", "{\"metadata\":", says);
    deep("test.json", "", "{\"items\":[", says);
    deep("test.json", "", "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[", says);
    deep("test.json", "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":", "[",
         "expected an object, found a list");
    deep("test.json", "{\"kind\":\"Foo\",\"apiVersion\":\"v1\",\"x\":{\"y\":", "[{\"a\":", says);
}

static void ten_thousand_levels_of_yaml_are_refused(void **ctx)
{
    static const char says[] = "nested deeper than 256 levels";

    (void)ctx;
    deep("test.yaml", "kind: Pod\nx: ", "[", says);
    deep("test.yaml", "kind: Pod\nx: ", "{a: ", says);
    deep("test.yaml", "kind: Pod\nx:\n", "- ", says);
    deep("test.yaml", "kind: Pod\nx:\n", "? ", "a key must be a plain name");
    deep("test.yaml", "", "{items: [", says);
}

static void nesting_up_to_the_limit_is_fine(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    stow_buf_text(&text, "{\"kind\":\"Foo\",\"x\":");
    stow_buf_repeat(&text, '[', 255);
    stow_buf_repeat(&text, ']', 255);
    stow_buf_char(&text, '}');
    load_and_drop("test.json", stow_buf_str(&text));
    load_and_drop("test.yaml", stow_buf_str(&text));
    stow_buf_done(&text);
}

/* An alias brings a depth of its own. */
static void nesting_through_aliases_is_refused(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    stow_buf_text(&text, "kind: Pod\na: &a ");
    stow_buf_repeat(&text, '[', 200);
    stow_buf_repeat(&text, ']', 200);
    stow_buf_text(&text, "\nb: ");
    stow_buf_repeat(&text, '[', 200);
    stow_buf_text(&text, "*a");
    stow_buf_repeat(&text, ']', 200);
    assert_mentions(refuse_str("test.yaml", stow_buf_str(&text)).msg, "nested deeper than 256");
    stow_buf_done(&text);
}

/* ---- size -------------------------------------------------------------------------------- */

static void long_text(struct stow_buf *text, const char *before, char c, size_t count,
                      const char *behind)
{
    text->len = 0;
    stow_buf_text(text, before);
    stow_buf_repeat(text, c, count);
    stow_buf_text(text, behind);
    assert_false(text->failed);
}

static void a_very_long_string_is_skipped_or_refused(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    long_text(&text, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"x\":\"", 'x', (size_t)64 << 20,
              "\",\"metadata\":{\"name\":\"a\"}}");
    load_and_drop("test.json", stow_buf_str(&text));
    long_text(&text, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"", 'x',
              (size_t)1 << 20, "\"}}");
    refuse_at("test.json", stow_buf_str(&text), "1:52", "at most 253 characters");
    long_text(&text, "kind: Pod\napiVersion: v1\nmetadata: {name: a}\nx: '", 'x', (size_t)1 << 20,
              "'\n");
    load_and_drop("test.yaml", stow_buf_str(&text));
    long_text(&text, "kind: Pod\napiVersion: v1\nmetadata: {name: ", 'x', (size_t)1 << 20, "}\n");
    refuse_at("test.yaml", stow_buf_str(&text), "3:18", "at most 253 characters");
    stow_buf_done(&text);
}

static void long_texts_do_not_make_messages_long(void **ctx)
{
    static const char *const before[] = {
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"spec\":{"
        "\"overhead\":{\"cpu\":\"",
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"spec\":{"
        "\"overhead\":{\"",
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"status\":{"
        "\"phase\":\"",
        "{\"kind\":\"NodeGroup\",\"apiVersion\":\"stowage.dev/v1alpha1\",\"",
    };
    struct stow_buf text = {0};

    (void)ctx;
    for (size_t i = 0; i < COUNT(before); i++) {
        long_text(&text, before[i], 'x', 100000, "\":-1}}}");
        refuse_str("test.json", stow_buf_str(&text));
    }
    long_text(&text, "{\"kind\":\"", 'x', 100000, "\"}");
    load_and_drop("test.json", stow_buf_str(&text));
    stow_buf_done(&text);
}

static void integers_of_any_length_are_kept_as_text(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    long_text(&text,
              "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"x\":", '9',
              10000, "}}");
    load_and_drop("test.json", stow_buf_str(&text));
    long_text(&text,
              "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"spec\":{"
              "\"priority\":",
              '9', 30, "}}");
    refuse_at("test.json", stow_buf_str(&text), "1:76", "expected a whole number from");
    stow_buf_done(&text);
}

/* ---- encodings --------------------------------------------------------------------------- */

static void invalid_utf8_is_refused_where_it_stands(void **ctx)
{
    static const char *const bad[] = {
        "\xff", "\xc3(",    "\xc0\xaf",    "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\x80", "\xe2\x82", "\xf0\x9f\x98"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char *json = load_fill("{\"kind\":\"X\",\n\"\xc3\xa4\":\"\xc3\xa4@\"}", bad[i]);
        char *yaml = load_fill("kind: X\n\xc3\xa4: \xc3\xa4@\n", bad[i]);

        refuse_json(json, "2:7", "invalid UTF-8");
        refuse_yaml(yaml, "2:5", "invalid UTF-8");
        free(json);
        free(yaml);
    }
}

static void nul_bytes_are_refused(void **ctx)
{
    (void)ctx;
    refuse_at("test.json", STOW_STR("{\"kind\":\"X\0Y\"}"), "1:11", "NUL byte in a string");
    refuse_at("test.json", STOW_STR("{\"kind\":\"X\"\0}"), "1:12", "malformed");
    refuse_at("test.json", STOW_STR("{\"kind\":\"X\"}\0"), "1:13", "malformed");
    refuse_at("test.json", STOW_STR("\0"), "1:1", "malformed");
    refuse_at("test.json", STOW_STR("{\"kind\":\"X\",\"a\":1\0}"), "1:17", "malformed");
    refuse_at("test.yaml", STOW_STR("kind: X\0Y\n"), "1:8", "malformed YAML: control characters");
    refuse_at("test.yaml", STOW_STR("kind: X\n\0"), "2:1", "malformed YAML: control characters");
}

static void a_byte_order_mark_is_no_matter(void **ctx)
{
    (void)ctx;
    load_and_drop("test.json", STOW_STR("\xef\xbb\xbf" POD("")));
    load_and_drop("stdin", STOW_STR("\xef\xbb\xbf" POD("")));
    load_and_drop("test.yaml", STOW_STR("\xef\xbb\xbfkind: X\n"));
    refuse_at("test.yaml", STOW_STR("\xef\xbb\xbfkind: 5\n"), "1:7", "expected a string");
    refuse_at("test.json", STOW_STR("\xef\xbb\xbf{\"kind\":5}"), "1:9", "expected a string");
}

static void utf16_with_a_mark_is_read(void **ctx)
{
    struct stow_snapshot *s = load_str("test.yaml", STOW_STR("\xff\xfek\0i\0n\0d\0:\0 \0P\0o\0"
                                                             "d\0\n\0m\0"
                                                             "e\0t\0"
                                                             "a\0"
                                                             "d\0"
                                                             "a\0t\0"
                                                             "a\0:\0 \0{\0n\0"
                                                             "a\0m\0"
                                                             "e\0:\0 \0\x3d\xd8\x00\xde}\0"));

    (void)ctx;
    assert_string_equal(stow_snapshot_pod_name(s, 0), "\xf0\x9f\x98\x80"); /* a surrogate pair */
    stow_snapshot_unref(s);
    load_and_drop("test.json", STOW_STR("\xfe\xff\0{\0\"\0k\0i\0n\0d\0\"\0:\0\"\0X\0\"\0}"));
    refuse_at("test.yaml", STOW_STR("\xff\xfek\0\n\0\x3d\xd8k\0"), "2:1",
              "half of a surrogate pair");
    refuse_at("test.json", STOW_STR("\xfe\xff\0{\0"), "1:2", "half a character");
    refuse_str("test.json", STOW_STR("{\0\"\0a\0\"\0:\0"
                                     "1\0}\0"));
    refuse_str("test.yaml", STOW_STR("k\0:\0 \0x\0"));
}

static void windows_line_ends_are_line_ends(void **ctx)
{
    struct stow_snapshot *s = load_yaml("kind: Pod\r\napiVersion: v1\r\nmetadata:\r\n  name: a\r\n"
                                        "  labels:\r\n    x: y1\r\n    z: |\r\n      b\r\n");

    (void)ctx;
    assert_text(load_label(s, 0, "x"), "y1");
    assert_text(load_label(s, 0, "z"), "b\n");
    stow_snapshot_unref(s);
    load_and_drop("test.json", STOW_STR("{\r\n\"kind\":\"X\"\r\n}\r\n"));
}

static void an_empty_input_is_worth_a_warning(void **ctx)
{
    static const char *const empty[] = {"", " \n\r\n", "# only a comment\n", "\xef\xbb\xbf"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(empty); i++) {
        struct stow_snapshot *s = load_str("some", stow_str_of(empty[i]));

        assert_true(load_warns(s, "some contains no objects"));
        stow_snapshot_unref(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_of_a_json_document_is_refused),
        cmocka_unit_test(no_prefix_of_a_yaml_document_does_harm),
        cmocka_unit_test(no_changed_byte_does_harm),
        cmocka_unit_test(ten_thousand_levels_of_json_are_refused),
        cmocka_unit_test(ten_thousand_levels_of_yaml_are_refused),
        cmocka_unit_test(nesting_up_to_the_limit_is_fine),
        cmocka_unit_test(nesting_through_aliases_is_refused),
        cmocka_unit_test(a_very_long_string_is_skipped_or_refused),
        cmocka_unit_test(long_texts_do_not_make_messages_long),
        cmocka_unit_test(integers_of_any_length_are_kept_as_text),
        cmocka_unit_test(invalid_utf8_is_refused_where_it_stands),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(a_byte_order_mark_is_no_matter),
        cmocka_unit_test(utf16_with_a_mark_is_read),
        cmocka_unit_test(windows_line_ends_are_line_ends),
        cmocka_unit_test(an_empty_input_is_worth_a_warning),
    };

    return cmocka_run_group_tests_name("read/limits", tests, NULL, NULL);
}
