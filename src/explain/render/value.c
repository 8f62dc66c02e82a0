/* value.c - an answer as data: building the tree. */
#include "explain/render/value.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"

void stow_doc_done(struct stow_doc *doc)
{
    stow_arena_done(&doc->arena);
    memset(doc, 0, sizeof(*doc));
}

static struct stow_value *make(struct stow_doc *doc, enum stow_value_kind kind)
{
    struct stow_value *made = stow_arena_zalloc(&doc->arena, sizeof(*made));

    if (!made) {
        doc->failed = true;
        doc->nothing = (struct stow_value){.kind = STOW_VALUE_NULL};
        return &doc->nothing;
    }
    made->kind = kind;
    return made;
}

struct stow_value *stow_doc_null(struct stow_doc *doc)
{
    return make(doc, STOW_VALUE_NULL);
}

struct stow_value *stow_doc_bool(struct stow_doc *doc, bool truth)
{
    struct stow_value *made = make(doc, STOW_VALUE_BOOL);

    made->as.truth = truth;
    return made;
}

struct stow_value *stow_doc_int(struct stow_doc *doc, int64_t integer)
{
    struct stow_value *made = make(doc, STOW_VALUE_INT);

    made->as.integer = integer;
    return made;
}

struct stow_value *stow_doc_array(struct stow_doc *doc)
{
    return make(doc, STOW_VALUE_ARRAY);
}

struct stow_value *stow_doc_object(struct stow_doc *doc)
{
    return make(doc, STOW_VALUE_OBJECT);
}

static struct stow_str keep(struct stow_doc *doc, struct stow_str text)
{
    const char *kept = stow_arena_text(&doc->arena, text);

    if (!kept) {
        doc->failed = true;
        return STOW_STR("");
    }
    return (struct stow_str){kept, text.len};
}

struct stow_value *stow_doc_str(struct stow_doc *doc, struct stow_str text)
{
    struct stow_value *made = make(doc, STOW_VALUE_TEXT);

    made->as.text = keep(doc, text);
    return made;
}

struct stow_value *stow_doc_text(struct stow_doc *doc, const char *text)
{
    return text ? stow_doc_str(doc, stow_str_of(text)) : stow_doc_null(doc);
}

struct stow_value *stow_doc_textf(struct stow_doc *doc, const char *fmt, ...)
{
    STOW_AUTO(stow_free_local) char *text = NULL;
    va_list args;

    va_start(args, fmt);
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0) {
        text = NULL;
        doc->failed = true;
    }
    return stow_doc_text(doc, text);
}

/* Steps over digits; false when there is not one. */
static bool skip_digits(struct stow_str *text)
{
    size_t digits = 0;

    while (digits < text->len && text->ptr[digits] >= '0' && text->ptr[digits] <= '9')
        digits++;
    *text = (struct stow_str){text->ptr + digits, text->len - digits};
    return digits > 0;
}

static bool skip_any(struct stow_str *text, const char *of)
{
    if (!text->len || !text->ptr[0] || !strchr(of, text->ptr[0]))
        return false;
    *text = (struct stow_str){text->ptr + 1, text->len - 1};
    return true;
}

bool stow_is_json_number(struct stow_str text)
{
    skip_any(&text, "-");

    bool zero = text.len && text.ptr[0] == '0';
    size_t before = text.len;

    if (!skip_digits(&text) || (zero && before - text.len > 1))
        return false;
    if (skip_any(&text, ".") && !skip_digits(&text))
        return false;
    if (skip_any(&text, "eE")) {
        skip_any(&text, "+-");
        if (!skip_digits(&text))
            return false;
    }
    return text.len == 0;
}

struct stow_value *stow_doc_number(struct stow_doc *doc, const char *text)
{
    struct stow_value *made = stow_doc_text(doc, text);

    if (made->kind == STOW_VALUE_TEXT && stow_is_json_number(made->as.text))
        made->kind = STOW_VALUE_NUMBER;
    return made;
}

/* A program with another locale may have printed a decimal comma. */
static void use_decimal_point(char *text)
{
    for (; *text; text++)
        if (*text == ',')
            *text = '.';
}

struct stow_value *stow_doc_real(struct stow_doc *doc, double real)
{
    char text[40];
    int digits = 15;

    if (!isfinite(real))
        return stow_doc_null(doc);
    do
        snprintf(text, sizeof(text), "%.*g", digits, real);
    while (digits++ < 17 && strtod(text, NULL) != real);
    use_decimal_point(text);
    return stow_doc_number(doc, text);
}

struct stow_value *stow_doc_money(struct stow_doc *doc, stow_nano amount)
{
    char text[STOW_MONEY_TEXT];

    if (amount == STOW_MONEY_UNKNOWN)
        return stow_doc_null(doc);
    return stow_doc_text(doc, stow_money_exact(amount, text));
}

static void append(struct stow_doc *doc, struct stow_value *to, struct stow_str key,
                   struct stow_value *value)
{
    struct stow_value_member *made = stow_arena_zalloc(&doc->arena, sizeof(*made));

    if (!made) {
        doc->failed = true;
        return;
    }
    made->key = key;
    made->value = value;
    if (to->as.list.last)
        to->as.list.last->next = made;
    else
        to->as.list.first = made;
    to->as.list.last = made;
    to->members++;
}

void stow_value_push(struct stow_doc *doc, struct stow_value *array, struct stow_value *value)
{
    if (doc->failed)
        return;
    assert(array->kind == STOW_VALUE_ARRAY);
    append(doc, array, STOW_STR(""), value);
}

static struct stow_value_member *find(const struct stow_value *object, struct stow_str key)
{
    for (struct stow_value_member *at = object->as.list.first; at; at = at->next)
        if (stow_str_eq(at->key, key))
            return at;
    return NULL;
}

void stow_value_set_str(struct stow_doc *doc, struct stow_value *object, struct stow_str key,
                        struct stow_value *value)
{
    if (doc->failed)
        return;
    assert(object->kind == STOW_VALUE_OBJECT);

    struct stow_value_member *there = find(object, key);

    if (there)
        there->value = value;
    else
        append(doc, object, keep(doc, key), value);
}

void stow_value_set(struct stow_doc *doc, struct stow_value *object, const char *key,
                    struct stow_value *value)
{
    stow_value_set_str(doc, object, stow_str_of(key), value);
}

const struct stow_value *stow_value_find(const struct stow_value *object, const char *key)
{
    if (object->kind != STOW_VALUE_OBJECT)
        return NULL;

    const struct stow_value_member *there = find(object, stow_str_of(key));

    return there ? there->value : NULL;
}

void stow_value_set_sum(struct stow_doc *doc, struct stow_value *object, const char *key,
                        const struct stow_money_sum *sum)
{
    stow_value_set(doc, object, key, stow_doc_money(doc, stow_money_sum_least(sum)));
    if (stow_money_sum_is_least(sum))
        stow_value_set(doc, object, "atLeast", stow_doc_bool(doc, true));
}
