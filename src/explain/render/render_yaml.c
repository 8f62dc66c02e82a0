/* render_yaml.c - a tree of values as YAML that means the same to every reader.
 *
 * The difficulty of writing YAML is that a bare word may be anything: `no` is a
 * boolean to a reader of YAML 1.1 (kubectl's is one) and a text to one of 1.2,
 * `0o17` is 15 to one and a text to another, `12:30` was once 750, and `1e3` is a
 * number to Go and a text to Python.  So a text is left bare only when no reader
 * could take it for something else, by rules that are narrower than any
 * specification:
 *
 *   - it starts with a letter, _ or /, or with a digit when a letter further on
 *     shows that it is neither a number in any base nor a date (500m, 8Gi);
 *   - it holds only the characters listed below, no ": ", no " #", no blank at
 *     either end, and is not a word that means null, true or false to someone.
 *
 * Everything else is in double quotes with JSON's escapes, which all readers
 * agree on; only a text of several clean lines becomes a literal block. */
#include <inttypes.h>
#include <strings.h>

#include "explain/render/render.h"
#include "explain/render/screen.h"

#define KEY_MAX 1000 /* a key may span 1024 characters, unless it is marked with "? " */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Words that some reader takes for null or a boolean, whatever their letter case. */
static bool is_reserved(struct stow_str text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (stow_str_eq_nocase(text, stow_str_of(words[i])))
            return true;
    return false;
}

/* Letters of hexadecimal, octal, exponents and dates do not count: 0x1F, 0o17, 1e3, ...T00:00Z. */
static bool is_clearly_no_number(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (is_letter(text.ptr[i]) && !strchr("abcdefotxzABCDEFOTXZ", text.ptr[i]))
            return true;
    return false;
}

static bool may_stand_inside(struct stow_str text, size_t i)
{
    char c = text.ptr[i];
    char next = ' ';

    if (i + 1 < text.len)
        next = text.ptr[i + 1];
    if (is_letter(c) || is_digit(c))
        return true;
    if (c == ':' || c == ' ')
        return next != ' ' && next != '#';
    return c != '\0' && strchr("_./-@+%=,()'<>;*?!", c) != NULL;
}

static bool may_be_bare(struct stow_str text)
{
    if (!text.len || text.len > KEY_MAX || is_reserved(text))
        return false;

    char first = text.ptr[0];

    if (is_digit(first) ? !is_clearly_no_number(text)
                        : !is_letter(first) && first != '_' && first != '/')
        return false;
    for (size_t i = 1; i < text.len; i++)
        if (!may_stand_inside(text, i))
            return false;
    return true;
}

/* Several lines that a literal block can show as they are. */
static bool may_be_block(struct stow_str text)
{
    if (!text.len || !memchr(text.ptr, '\n', text.len))
        return false;
    if (text.ptr[0] == ' ' || text.ptr[0] == '\n' || text.ptr[0] == '\t')
        return false;
    while (text.len) {
        struct stow_rune rune = stow_utf8_next(text);

        if (!rune.valid || (stow_rune_hidden(rune.code) && rune.code != '\n' && rune.code != '\t'))
            return false;
        text = (struct stow_str){text.ptr + rune.bytes, text.len - rune.bytes};
    }
    return true;
}

static void write_line(struct stow_buf *out, struct stow_str line, uint32_t indent)
{
    if (line.len)
        stow_buf_repeat(out, ' ', indent);
    stow_buf_add(out, line);
    stow_buf_char(out, '\n');
}

/* The mark after | says how many line breaks end the text: none, one, all. */
static void write_block(struct stow_buf *out, struct stow_str text, uint32_t indent)
{
    bool ended = text.ptr[text.len - 1] == '\n';
    bool more = ended && text.len > 1 && text.ptr[text.len - 2] == '\n';
    struct stow_str rest = text;

    stow_buf_text(out, more ? "|+\n" : ended ? "|\n" : "|-\n");
    while (rest.len) {
        struct stow_str line = stow_str_cut(rest, '\n', &rest);

        write_line(out, line, indent);
    }
}

/* 1e-6 as 1.0e-6 and 1e6 as 1.0e+6: what is a number to Go is then one to Python as well. */
static void write_number(struct stow_buf *out, struct stow_str text)
{
    struct stow_str rest;
    struct stow_str digits = stow_str_cut(text, 'e', &rest);

    if (!rest.ptr)
        digits = stow_str_cut(text, 'E', &rest);
    stow_buf_add(out, digits);
    if (!rest.ptr)
        return;
    if (!memchr(digits.ptr, '.', digits.len))
        stow_buf_text(out, ".0");
    stow_buf_char(out, 'e');
    if (is_digit(rest.ptr[0]))
        stow_buf_char(out, '+');
    stow_buf_add(out, rest);
}

static void write_word(struct stow_buf *out, struct stow_str text)
{
    if (may_be_bare(text))
        stow_buf_add(out, text);
    else
        stow_render_quoted(out, text);
}

/* A scalar or an empty container, to the end of its line; a block's lines go in at `indent`. */
static void write_scalar(struct stow_buf *out, const struct stow_value *value, uint32_t indent)
{
    switch (value->kind) {
    case STOW_VALUE_NULL:
        stow_buf_text(out, "null");
        break;
    case STOW_VALUE_BOOL:
        stow_buf_text(out, value->as.truth ? "true" : "false");
        break;
    case STOW_VALUE_INT:
        stow_buf_printf(out, "%" PRId64, value->as.integer);
        break;
    case STOW_VALUE_NUMBER:
        write_number(out, value->as.text);
        break;
    case STOW_VALUE_TEXT:
        if (may_be_block(value->as.text)) {
            write_block(out, value->as.text, indent);
            return;
        }
        write_word(out, value->as.text);
        break;
    case STOW_VALUE_ARRAY:
        stow_buf_text(out, "[]");
        break;
    case STOW_VALUE_OBJECT:
        stow_buf_text(out, "{}");
        break;
    }
    stow_buf_char(out, '\n');
}

static bool has_members(const struct stow_value *value)
{
    return (value->kind == STOW_VALUE_ARRAY || value->kind == STOW_VALUE_OBJECT) && value->members;
}

static void write_members(struct stow_buf *out, const struct stow_value *value, uint32_t indent,
                          bool inside_line);

static void write_key(struct stow_buf *out, struct stow_str key, uint32_t indent)
{
    if (key.len > KEY_MAX / 6) { /* may grow by as much when it is escaped */
        stow_buf_text(out, "? ");
        write_word(out, key);
        stow_buf_char(out, '\n');
        stow_buf_repeat(out, ' ', indent);
    } else {
        write_word(out, key);
    }
    stow_buf_char(out, ':');
}

static void write_pair(struct stow_buf *out, const struct stow_value_member *at, uint32_t indent)
{
    write_key(out, at->key, indent);
    if (!has_members(at->value)) {
        stow_buf_char(out, ' ');
        write_scalar(out, at->value, indent + 2);
        return;
    }
    stow_buf_char(out, '\n');
    write_members(out, at->value, at->value->kind == STOW_VALUE_OBJECT ? indent + 2 : indent,
                  false);
}

static void write_element(struct stow_buf *out, const struct stow_value *value, uint32_t indent)
{
    stow_buf_text(out, "- ");
    if (has_members(value))
        write_members(out, value, indent + 2, true);
    else
        write_scalar(out, value, indent + 2);
}

/* `inside_line`: the first member goes on after the "- " that is there already. */
static void write_members(struct stow_buf *out, const struct stow_value *value, uint32_t indent,
                          bool inside_line)
{
    for (const struct stow_value_member *at = value->as.list.first; at; at = at->next) {
        if (!inside_line)
            stow_buf_repeat(out, ' ', indent);
        inside_line = false;
        if (value->kind == STOW_VALUE_OBJECT)
            write_pair(out, at, indent);
        else
            write_element(out, at->value, indent);
    }
}

void stow_render_yaml(struct stow_buf *out, const struct stow_value *value)
{
    if (has_members(value))
        write_members(out, value, 0, false);
    else
        write_scalar(out, value, 2);
}
