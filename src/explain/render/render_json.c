/* render_json.c - a tree of values as JSON (RFC 8259). */
#include <inttypes.h>

#include "explain/render/render.h"
#include "explain/render/screen.h"

#define LINE_WIDTH   100
#define LINE_MEMBERS 40 /* more than this never fit on a line */

struct writer {
    struct stow_buf *out;
    size_t line_start; /* where the current line begins in `out` */
    bool one_line;
};

static const char *short_escape(uint32_t code)
{
    switch (code) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        return NULL;
    }
}

/* Bytes at the start of the text that need no escape: most texts in one step. */
static size_t plain_length(struct stow_str text)
{
    size_t n = 0;

    while (n < text.len && text.ptr[n] >= 0x20 && text.ptr[n] < 0x7F && text.ptr[n] != '"' &&
           text.ptr[n] != '\\')
        n++;
    return n;
}

void stow_render_quoted(struct stow_buf *out, struct stow_str text)
{
    stow_buf_char(out, '"');
    while (text.len) {
        size_t step = plain_length(text);

        if (step) {
            stow_buf_add(out, (struct stow_str){text.ptr, step});
        } else {
            struct stow_rune rune = stow_utf8_next(text);
            const char *known = rune.valid ? short_escape(rune.code) : "\xEF\xBF\xBD";

            if (known)
                stow_buf_text(out, known);
            else if (rune.code <= 0xFFFF && stow_rune_hidden(rune.code))
                stow_buf_printf(out, "\\u%04x", rune.code);
            else
                stow_buf_add(out, (struct stow_str){text.ptr, rune.bytes});
            step = rune.bytes;
        }
        text = (struct stow_str){text.ptr + step, text.len - step};
    }
    stow_buf_char(out, '"');
}

static bool is_container(const struct stow_value *value)
{
    return value->kind == STOW_VALUE_ARRAY || value->kind == STOW_VALUE_OBJECT;
}

static void write_scalar(struct stow_buf *out, const struct stow_value *value)
{
    switch (value->kind) {
    case STOW_VALUE_BOOL:
        stow_buf_text(out, value->as.truth ? "true" : "false");
        break;
    case STOW_VALUE_INT:
        stow_buf_printf(out, "%" PRId64, value->as.integer);
        break;
    case STOW_VALUE_NUMBER:
        stow_buf_add(out, value->as.text);
        break;
    case STOW_VALUE_TEXT:
        stow_render_quoted(out, value->as.text);
        break;
    default:
        stow_buf_text(out, "null");
    }
}

static void write_value(struct writer *w, const struct stow_value *value, uint32_t depth);

static void new_line(struct writer *w, uint32_t depth)
{
    if (w->one_line)
        return;
    stow_buf_char(w->out, '\n');
    w->line_start = w->out->len;
    stow_buf_repeat(w->out, ' ', (size_t)depth * 2);
}

static void write_members(struct writer *w, const struct stow_value *value, uint32_t depth)
{
    bool object = value->kind == STOW_VALUE_OBJECT;

    stow_buf_char(w->out, object ? '{' : '[');
    for (const struct stow_value_member *at = value->as.list.first; at; at = at->next) {
        new_line(w, depth + 1);
        if (object) {
            stow_render_quoted(w->out, at->key);
            stow_buf_text(w->out, ": ");
        }
        write_value(w, at->value, depth + 1);
        if (at->next)
            stow_buf_text(w->out, w->one_line ? ", " : ",");
    }
    if (value->members)
        new_line(w, depth);
    stow_buf_char(w->out, object ? '}' : ']');
}

static bool scalars_only(const struct stow_value *value)
{
    if (value->members > LINE_MEMBERS)
        return false;
    for (const struct stow_value_member *at = value->as.list.first; at; at = at->next)
        if (is_container(at->value))
            return false;
    return true;
}

/* Tries the container on the current line; takes it back when it does not fit. */
static bool write_short(struct writer *w, const struct stow_value *value)
{
    size_t before = w->out->len;

    if (!scalars_only(value))
        return false;
    w->one_line = true;
    write_members(w, value, 0);
    w->one_line = false;
    if (w->out->failed || w->out->len - w->line_start < LINE_WIDTH)
        return true;
    w->out->len = before;
    return false;
}

static void write_value(struct writer *w, const struct stow_value *value, uint32_t depth)
{
    if (!is_container(value))
        write_scalar(w->out, value);
    else if (w->one_line || depth == 0 || !write_short(w, value))
        write_members(w, value, depth);
}

void stow_render_json(struct stow_buf *out, const struct stow_value *value)
{
    struct writer w = {.out = out, .line_start = out->len};

    write_value(&w, value, 0);
    stow_buf_char(out, '\n');
}

void stow_render_json_line(struct stow_buf *out, const struct stow_value *value)
{
    struct writer w = {.out = out, .one_line = true};

    write_value(&w, value, 0);
}
