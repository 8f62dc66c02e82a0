/* Random trees, written as JSON and YAML, mean the same to our own reader. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "explain/render/render.h"
#include "read/text/cursor.h"

#define TREES 300

static uint64_t seed;

static uint32_t pick(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* Texts that a reader of YAML could take for something else, or lose a part of. */
static const char *const words[] = {
    "",        "no",        "NO",          "on",         "y",
    "1e3",     "0o17",      "017",         "0x1F",       "~",
    "null",    "true",      " lead",       "trail ",     "a: b",
    "a #b",    "a:",        "a#b",         "- x",        "---",
    "...",     "two\nrows", "two\nrows\n", "x\n\n\n",    "\nfirst",
    "  in\nx", "tab\there", "a\n\tb",      "a\n  b\nc",  "é",
    "日本",    "\x7f",      "\xc2\x85",    "a\u2028b",   "x\uFEFFy",
    "1.5",     "0.096",     "12:30",       "2026-11-01", "500m",
    "8Gi",     "+1",        ".inf",        ".NaN",       "1_000",
    "=",       "<<",        "*a",          "&a",         "!x",
    "|",       "> x",       "%a",          "@a",         "`a",
    "'q'",     "\"q\"",     "it's",        "a\\b",       "{a}",
    "[a]",     "a,b",       "?",           ": x",        "#x",
    "a\r\nb",  "\x1b[31m",  "x:\ny: z\n",  "- a\n- b",   "# c\nx",
    "end \nx", "only\n ",   "😀",           "m5.large",   "default/web-0",
    "1e",      "0b",        "\uFFFF",
};

static struct stow_value *make_text(struct stow_doc *doc)
{
    char text[16];
    uint32_t len = pick(sizeof(text));

    if (pick(3))
        return stow_doc_text(doc, words[pick(sizeof(words) / sizeof(words[0]))]);
    for (uint32_t i = 0; i < len; i++)
        text[i] = (char)(pick(5) ? ' ' + pick(95) : 1 + pick(127));
    return stow_doc_str(doc, (struct stow_str){text, len});
}

static struct stow_value *make_scalar(struct stow_doc *doc)
{
    static const char *const numbers[] = {"0", "-3", "0.5", "12345678901234567890", "-0.25"};

    switch (pick(5)) {
    case 0:
        return stow_doc_null(doc);
    case 1:
        return stow_doc_bool(doc, pick(2));
    case 2:
        return stow_doc_int(doc, (int64_t)seed >> pick(63));
    case 3:
        return stow_doc_number(doc, numbers[pick(sizeof(numbers) / sizeof(numbers[0]))]);
    default:
        return make_text(doc);
    }
}

static struct stow_value *make_tree(struct stow_doc *doc, uint32_t depth)
{
    if (depth > 5 || pick(3) == 0)
        return make_scalar(doc);

    bool object = pick(2);
    struct stow_value *made = object ? stow_doc_object(doc) : stow_doc_array(doc);

    for (uint32_t n = pick(6); n > 0; n--) {
        struct stow_value *child = make_tree(doc, depth + 1);

        if (object)
            stow_value_set_str(doc, made, make_text(doc)->as.text, child);
        else
            stow_value_push(doc, made, child);
    }
    return made;
}

static void expect(struct stow_cursor *c, const struct stow_value *value);

static void expect_members(struct stow_cursor *c, const struct stow_value *value)
{
    bool object = value->kind == STOW_VALUE_OBJECT;
    struct stow_str key;

    assert_int_equal(stow_cursor_enter(c, object ? '{' : '['), STOW_OK);
    for (const struct stow_value_member *at = value->as.list.first; at; at = at->next) {
        assert_int_equal(object ? stow_cursor_key(c, &key) : stow_cursor_item(c), 1);
        if (object)
            assert_true(stow_str_eq(key, at->key));
        expect(c, at->value);
    }
    assert_int_equal(object ? stow_cursor_key(c, &key) : stow_cursor_item(c), 0);
}

static void expect_number(struct stow_cursor *c, struct stow_str digits)
{
    struct stow_str text;

    assert_int_equal(stow_cursor_number(c, &text), STOW_OK);
    assert_true(stow_str_eq(text, digits));
}

static void expect(struct stow_cursor *c, const struct stow_value *value)
{
    struct stow_str text;
    int64_t integer;
    bool truth;

    switch (value->kind) {
    case STOW_VALUE_NULL:
        assert_int_equal(stow_cursor_null(c), 1);
        break;
    case STOW_VALUE_BOOL:
        assert_int_equal(stow_cursor_bool(c, &truth), STOW_OK);
        assert_int_equal(truth, value->as.truth);
        break;
    case STOW_VALUE_INT:
        assert_int_equal(stow_cursor_int(c, INT64_MIN, INT64_MAX, &integer), STOW_OK);
        assert_true(integer == value->as.integer);
        break;
    case STOW_VALUE_NUMBER:
        expect_number(c, value->as.text);
        break;
    case STOW_VALUE_TEXT:
        assert_int_equal(stow_cursor_text(c, &text), STOW_OK);
        assert_true(stow_str_eq(text, value->as.text));
        break;
    default:
        expect_members(c, value);
    }
}

static void read_back(struct stow_buf *text, const struct stow_value *value, bool yaml)
{
    struct stow_err err = {0};
    struct stow_tape tape = {0};
    struct stow_cursor *c = calloc(1, sizeof(*c));
    size_t len = text->len;

    stow_buf_repeat(text, '\0', STOW_TAPE_PADDING);
    assert_false(text->failed);
    assert_non_null(c);
    if ((yaml ? stow_tape_open_yaml : stow_tape_open_json)(&tape, "tree", text->ptr, len, &err) < 0)
        fail_msg("%u:%u: %s in:\n%s", err.line, err.col, err.msg, text->ptr);
    stow_cursor_init(c, &tape, &err);
    expect(c, value);
    assert_int_equal(stow_cursor_peek(c), STOW_TOKEN_END);
    stow_cursor_done(c);
    stow_tape_done(&tape);
    free(c);
    stow_buf_done(text);
}

static void a_tree_written_and_read_is_the_same(void **ctx)
{
    (void)ctx;
    for (uint64_t i = 0; i < TREES; i++) {
        struct stow_doc doc = {0};
        struct stow_buf text = {0};

        seed = i;

        /* a document is an object or array: a bare text at the top is no answer of ours */
        struct stow_value *root = stow_doc_object(&doc);

        stow_value_set(&doc, root, "tree", make_tree(&doc, 0));
        assert_false(doc.failed);
        stow_render_json(&text, root);
        read_back(&text, root, false);
        stow_render_json_line(&text, root);
        read_back(&text, root, false);
        stow_render_yaml(&text, root);
        read_back(&text, root, true);
        stow_doc_done(&doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_written_and_read_is_the_same),
    };

    return cmocka_run_group_tests_name("explain/roundtrip", tests, NULL, NULL);
}
