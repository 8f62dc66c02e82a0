/* source.c - objects as they were given, as trees: what is printed back keeps every field
 * that are unknown here. */
#include <inttypes.h>
#include <stdlib.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "explain/karmada/karmada_internal.h"
#include "explain/render/render.h"
#include "read/text/cursor.h"

/* ---- looking inside ---------------------------------------------------------------------- */

const struct stow_value *stow_karmada_get(const struct stow_value *object, const char *key)
{
    return object ? stow_value_find(object, key) : NULL;
}

struct stow_str stow_karmada_get_text(const struct stow_value *object, const char *key)
{
    const struct stow_value *value = stow_karmada_get(object, key);

    return value && value->kind == STOW_VALUE_TEXT ? value->as.text : STOW_STR("");
}

int64_t stow_karmada_get_int(const struct stow_value *object, const char *key, int64_t otherwise)
{
    const struct stow_value *value = stow_karmada_get(object, key);
    int64_t integer = otherwise;

    if (value && value->kind == STOW_VALUE_INT)
        return value->as.integer;
    if (value && value->kind == STOW_VALUE_NUMBER && !stow_str_int(value->as.text, &integer))
        return otherwise;
    return integer;
}

void stow_karmada_keep(struct stow_doc *doc, struct stow_value *to, const struct stow_value *from,
                       const char *key)
{
    const struct stow_value *value = stow_karmada_get(from, key);

    if (value && value->kind != STOW_VALUE_NULL)
        stow_value_set(doc, to, key, (struct stow_value *)value);
}

/* ---- reading ----------------------------------------------------------------------------- */

static int read_value(struct stow_cursor *c, struct stow_doc *doc, struct stow_value **ret);

static int read_object(struct stow_cursor *c, struct stow_doc *doc, struct stow_value **ret)
{
    struct stow_value *made = stow_doc_object(doc);
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    for (;;) {
        struct stow_value *member;
        struct stow_str key;

        more = stow_cursor_key(c, &key);
        if (more <= 0)
            break;

        /* the key is only valid until the next call on the cursor */
        const struct stow_value *kept = stow_doc_str(doc, key);

        STOW_TRY(read_value(c, doc, &member));
        if (!doc->failed)
            stow_value_set_str(doc, made, kept->as.text, member);
    }
    *ret = made;
    return more;
}

static int read_array(struct stow_cursor *c, struct stow_doc *doc, struct stow_value **ret)
{
    struct stow_value *made = stow_doc_array(doc);
    int more;

    STOW_TRY(stow_cursor_enter(c, '['));
    while ((more = stow_cursor_item(c)) > 0) {
        struct stow_value *member;

        STOW_TRY(read_value(c, doc, &member));
        stow_value_push(doc, made, member);
    }
    *ret = made;
    return more;
}

static int read_scalar(struct stow_cursor *c, struct stow_doc *doc, struct stow_value **ret)
{
    const enum stow_token token = stow_cursor_peek(c);
    struct stow_str text;
    bool truth;

    if (token == STOW_TOKEN_NULL) {
        *ret = stow_doc_null(doc);
        return stow_cursor_skip(c);
    }
    if (token == STOW_TOKEN_BOOL) {
        STOW_TRY(stow_cursor_bool(c, &truth));
        *ret = stow_doc_bool(doc, truth);
        return STOW_OK;
    }
    STOW_TRY(stow_cursor_scalar(c, &text));
    *ret = stow_doc_str(doc, text);
    if (token == STOW_TOKEN_NUMBER)
        (*ret)->kind = STOW_VALUE_NUMBER;
    return STOW_OK;
}

static int read_value(struct stow_cursor *c, struct stow_doc *doc, struct stow_value **ret)
{
    const enum stow_token token = stow_cursor_peek(c);

    if (token == STOW_TOKEN_OBJECT)
        return read_object(c, doc, ret);
    if (token == STOW_TOKEN_ARRAY)
        return read_array(c, doc, ret);
    return read_scalar(c, doc, ret);
}

int stow_karmada_parse(struct stow_doc *doc, struct stow_str json, struct stow_value **ret,
                       struct stow_err *err)
{
    STOW_AUTO(stow_free_local) char *padded = calloc(1, json.len + STOW_TAPE_PADDING);
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};
    struct stow_cursor c;

    if (!padded)
        return stow_fail_memory(err);
    memcpy(padded, json.ptr, json.len);
    STOW_TRY(stow_tape_open_json(&tape, "object", padded, json.len, err));
    stow_cursor_init(&c, &tape, err);

    int code = read_value(&c, doc, ret);

    stow_cursor_done(&c);
    if (code >= 0 && doc->failed)
        return stow_fail_memory(err);
    return code;
}

/* ---- writing ----------------------------------------------------------------------------- */

void stow_karmada_compact(struct stow_buf *to, const struct stow_value *value)
{
    const bool object = value->kind == STOW_VALUE_OBJECT;

    if (!object && value->kind != STOW_VALUE_ARRAY) {
        stow_render_json_line(to, value);
        return;
    }
    stow_buf_char(to, object ? '{' : '[');
    for (const struct stow_value_member *at = value->as.list.first; at; at = at->next) {
        if (object) {
            stow_render_quoted(to, at->key);
            stow_buf_char(to, ':');
        }
        stow_karmada_compact(to, at->value);
        if (at->next)
            stow_buf_char(to, ',');
    }
    stow_buf_char(to, object ? '}' : ']');
}

int stow_karmada_read_back(const struct stow_value *document, struct stow_snapshot **ret,
                           struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_err why = {0};

    stow_karmada_compact(&text, document);
    if (text.failed)
        return stow_fail_memory(err);

    int code = stow_snapshot_load_text("output.json", text.ptr, text.len, NULL, ret, &why);

    if (code == STOW_ENOMEM)
        return stow_fail_memory(err);
    return code < 0 ? stow_fail(err, STOW_EWRONG, "Karmada refuses it: %s", why.msg) : STOW_OK;
}
