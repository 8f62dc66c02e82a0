/* parts.c - reading the small things that all kinds are made of. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/annotations.h"
#include "model/values/quantity.h"
#include "read/kinds/reader.h"

/* Amounts beyond this (in milli-cores or whole units) are a mistake, not a machine. */
#define AMOUNT_MAX ((int64_t)1 << 60)

int stow_read_sym(struct stow_cursor *c, struct stow_reader *r, stow_sym *ret)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    *ret = stow_intern_text(&r->s->text, text);
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

int stow_read_blob(struct stow_cursor *c, struct stow_reader *r, const struct stow_collect *list,
                   size_t size, stow_blob *ret)
{
    *ret = stow_intern_blob(&r->s->blob, list->items, list->count * size);
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

int stow_read_mark(struct stow_cursor *c, struct stow_reader *r, uint32_t token,
                   struct stow_mark *ret)
{
    struct stow_position at = stow_tape_mark_from(c->tape, token, &c->marked);

    ret->line = at.line;
    ret->col = at.col;
    ret->file = stow_intern_text(&r->s->text, stow_str_of(c->tape->name));
    return ret->file == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

int stow_read_syms(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    struct stow_collect *list = &r->syms;
    int more;

    list->count = 0;
    STOW_TRY(stow_cursor_enter(c, '['));
    while ((more = stow_cursor_item(c)) > 0) {
        stow_sym *item = STOW_COLLECT(list, stow_sym);

        if (!item)
            return stow_cursor_fail_memory(c);
        STOW_TRY(stow_read_sym(c, r, item));
    }
    STOW_TRY(more);
    return stow_read_blob(c, r, list, sizeof(stow_sym), ret);
}

int stow_read_int32(struct stow_cursor *c, int32_t min, int32_t *ret)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, min, INT32_MAX, &value));
    *ret = (int32_t)value;
    return STOW_OK;
}

int stow_read_time(struct stow_cursor *c, stow_time *ret)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (!stow_time_parse(text, ret))
        return stow_cursor_fail(
            c, "expected a time such as \"2026-11-01T00:00:00Z\", found \"%.*s\"", STOW_FMT(text));
    return STOW_OK;
}

int stow_read_money(struct stow_cursor *c, stow_nano *ret)
{
    struct stow_str text;
    struct stow_err why;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (stow_money_parse(text, ret, &why) < 0)
        return stow_cursor_fail(c, "%s", why.msg);
    return STOW_OK;
}

/* A fraction is read like money: nine decimals, exactly. */
int stow_read_fraction(struct stow_cursor *c, int64_t *ret)
{
    struct stow_str text;
    stow_nano value;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (stow_money_parse(text, &value, NULL) < 0 || value > STOW_NANO_PER_UNIT)
        return stow_cursor_fail(c, "expected a fraction from 0 to 1, such as 0.05, found %.*s",
                                STOW_FMT(text));
    *ret = value;
    return STOW_OK;
}

/* The empty word is taken, not advised. */
static int fail_word(struct stow_cursor *c, const char *const *words, struct stow_str text)
{
    char list[160] = "";
    size_t used = 0;

    for (uint32_t i = 0; words[i] && used < sizeof(list); i++)
        if (words[i][0])
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
                                     words[i]);
    return stow_cursor_fail(c, "expected one of %s, found \"%.*s\"", list, STOW_FMT(text));
}

int stow_read_word(struct stow_cursor *c, const char *const *words, uint32_t *ret)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    for (uint32_t i = 0; words[i]; i++)
        if (stow_str_is(text, words[i])) {
            *ret = i;
            return STOW_OK;
        }
    return fail_word(c, words, text);
}

/* ---- conditions -------------------------------------------------------------------------- */

/* Whether the text is one of those wanted, some of which may be NULL. */
static int read_is(struct stow_cursor *c, const char *const *wanted, size_t count, bool *ret)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    *ret = false;
    for (size_t i = 0; i < count; i++)
        *ret |= wanted[i] && stow_str_is(text, wanted[i]);
    return STOW_OK;
}

static int read_condition_type(struct stow_cursor *c, void *into)
{
    struct stow_condition *in = into;

    return read_is(c, in->types, sizeof(in->types) / sizeof(in->types[0]), &in->is_type);
}

static int read_condition_reason(struct stow_cursor *c, void *into)
{
    struct stow_condition *in = into;

    return read_is(c, &in->reason, 1, &in->is_reason);
}

static int read_condition_status(struct stow_cursor *c, void *into)
{
    static const char *const yes = "True";

    return read_is(c, &yes, 1, &((struct stow_condition *)into)->holds);
}

static const struct stow_field condition_fields[] = {
    STOW_FIELD("reason", read_condition_reason),
    STOW_FIELD("status", read_condition_status),
    STOW_FIELD("type", read_condition_type),
};

int stow_read_condition(struct stow_cursor *c, struct stow_condition *in)
{
    return STOW_FIELDS(c, condition_fields, in);
}

/* ---- labels ------------------------------------------------------------------------------ */

static int keep_label(struct stow_cursor *c, struct stow_reader *r, struct stow_str key,
                      struct stow_str value)
{
    struct stow_label *label = STOW_COLLECT(&r->labels, struct stow_label);

    if (!label)
        return stow_cursor_fail_memory(c);
    label->key = stow_intern_text(&r->s->text, key);
    label->value = stow_intern_text(&r->s->text, value);
    return label->key == STOW_INTERN_FAILED || label->value == STOW_INTERN_FAILED
               ? stow_cursor_fail_memory(c)
               : STOW_OK;
}

static int read_label(struct stow_cursor *c, struct stow_reader *r, struct stow_str key)
{
    struct stow_label *label = STOW_COLLECT(&r->labels, struct stow_label);

    if (!label)
        return stow_cursor_fail_memory(c);
    label->key = stow_intern_text(&r->s->text, key);
    if (label->key == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);

    int null = stow_cursor_null(c);

    return null ? null : stow_read_sym(c, r, &label->value);
}

static int end_labels(struct stow_cursor *c, struct stow_reader *r, uint32_t start, stow_blob *ret)
{
    struct stow_label *list = r->labels.items;

    stow_labels_sort(list, r->labels.count);
    for (uint32_t i = 1; i < r->labels.count; i++)
        if (list[i - 1].key == list[i].key)
            return stow_cursor_fail_at(c, start, "key '%s' is given twice",
                                       stow_text(r->s, list[i].key).ptr);
    return stow_read_blob(c, r, &r->labels, sizeof(*list), ret);
}

/* Reads an object of texts, each member with `read`. */
static int read_texts(struct stow_cursor *c, struct stow_reader *r,
                      int (*read)(struct stow_cursor *c, struct stow_reader *r,
                                  struct stow_str key),
                      stow_blob *ret)
{
    struct stow_str key;
    uint32_t start = c->at;
    int more;

    r->labels.count = 0;
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0)
        STOW_TRY(read(c, r, key));
    STOW_TRY(more);
    return end_labels(c, r, start, ret);
}

int stow_read_labels(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    return read_texts(c, r, read_label, ret);
}

/* What only a policy could ask for is kept where it can be compared: a text, and not a long one. */
static int read_annotation(struct stow_cursor *c, struct stow_reader *r, struct stow_str key)
{
    const uint32_t token = c->at;
    struct stow_str text;

    if (stow_annotation_is_built_in(key))
        return read_label(c, r, key);
    if (stow_cursor_peek(c) != STOW_TOKEN_TEXT || stow_annotation_is_noise(key))
        return stow_cursor_skip(c);
    STOW_TRY(stow_cursor_text(c, &text));
    if (text.len > STOW_ANNOTATION_MAX)
        return STOW_OK;
    STOW_TRY(keep_label(c, r, key, text));
    stow_trace_note(c->trace, ((struct stow_label *)r->labels.items)[r->labels.count - 1].key,
                    token);
    return STOW_OK;
}

int stow_read_annotations(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    return read_texts(c, r, read_annotation, ret);
}

/* ---- amounts ----------------------------------------------------------------------------- */

static int check_amount(struct stow_cursor *c, bool milli, const struct stow_quantity *q,
                        struct stow_str text)
{
    int64_t value = milli ? stow_quantity_milli(q, NULL) : stow_quantity_value(q, NULL);

    if (q->nano < 0)
        return stow_cursor_fail(c, "\"%.*s\" is negative; expected an amount of 0 or more",
                                STOW_FMT(text));
    if (q->saturated || value > AMOUNT_MAX)
        return stow_cursor_fail(c, "\"%.*s\" is too large; expected less than 2^60 %s",
                                STOW_FMT(text), milli ? "milli-cores" : "units");
    return STOW_OK;
}

/* Amounts are pasted from price lists, where memory is "16 GiB". */
static int fail_quantity(struct stow_cursor *c, struct stow_str text,
                         enum stow_quantity_error error)
{
    int64_t bytes;

    if (stow_memory_parse(text, &bytes))
        return stow_cursor_fail(c, "\"%.*s\" %s; did you mean \"%" PRId64 "\" bytes?",
                                STOW_FMT(text), stow_quantity_error_text(error), bytes);
    return stow_cursor_fail(c, "\"%.*s\" %s", STOW_FMT(text), stow_quantity_error_text(error));
}

static int read_quantity(struct stow_cursor *c, bool milli, stow_i128 *ret)
{
    struct stow_quantity q;
    struct stow_str text;
    int null = stow_cursor_null(c);

    *ret = 0;
    if (null != 0)
        return null;

    bool quoted = stow_cursor_peek(c) == STOW_TOKEN_TEXT;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (quoted)
        text = stow_str_trim(text);

    enum stow_quantity_error error = stow_quantity_parse(text, &q);

    if (error)
        return fail_quantity(c, text, error);
    *ret = q.nano;
    return check_amount(c, milli, &q, text);
}

/* The API server keeps thousandths: what is finer is rounded up. */
static stow_i128 round_to_milli(stow_i128 nano)
{
    const stow_i128 milli = 1000000;

    return (nano + milli - 1) / milli * milli;
}

int stow_read_amounts(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    struct stow_str key;
    uint32_t start = c->at;
    int more;

    r->amounts.count = 0;
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        struct stow_exact *e = STOW_COLLECT(&r->amounts, struct stow_exact);
        stow_sym resource = stow_intern_text(&r->s->text, key);
        stow_i128 nano;

        if (!e || resource == STOW_INTERN_FAILED)
            return stow_cursor_fail_memory(c);
        STOW_TRY(read_quantity(c, resource == STOW_SYM_CPU, &nano));
        if (!stow_reader_as_given(r))
            nano = round_to_milli(nano);
        *e = stow_exact_of(resource, nano);
    }
    STOW_TRY(more);

    struct stow_exact *list = r->amounts.items;

    stow_exact_sort(list, r->amounts.count);
    for (uint32_t i = 1; i < r->amounts.count; i++)
        if (list[i - 1].resource == list[i].resource)
            return stow_cursor_fail_at(c, start, "resource '%s' is given twice",
                                       stow_text(r->s, list[i].resource).ptr);
    return stow_read_blob(c, r, &r->amounts, sizeof(*list), ret);
}
