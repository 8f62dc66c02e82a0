/* cursor.c - walking over a tape.
 *
 * Tokens are offsets into JSON text, so a step is one load and one switch.  Two
 * things make it fast enough to be fed 2 kB pods at several hundred MB/s:
 *
 *  - The end of a string is not searched: it is the last quote before the next
 *    token.  Only strings with a backslash need a second look, and one memchr up
 *    to the next one answers for all strings before it.
 *  - What is not asked for is skipped in one loop over the tokens, with one bit
 *    of state per level.  It checks the grammar on the way: a document with an
 *    error anywhere is refused, wherever the error is.
 *
 * Frames remember the key or index at every level only to print the path of an
 * error. */
#include "read/text/cursor.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/text/scalar.h"
#include "read/text/utf8.h"

void stow_cursor_init(struct stow_cursor *c, const struct stow_tape *tape, struct stow_err *err)
{
    c->tape = tape;
    c->err = err;
    c->at = 0;
    c->clean_from = c->backslash = 0;
    c->marked = (struct stow_text_place){0};
    c->depth = 0;
    memset(&c->scratch, 0, sizeof(c->scratch));
    c->arena = NULL;
    c->unknown = NULL;
    c->unknown_ctx = NULL;
    c->trace = NULL;
}

void stow_cursor_seek(struct stow_cursor *c, uint32_t token)
{
    c->at = token;
    c->depth = 0;
}

void stow_cursor_in_list(struct stow_cursor *c, uint32_t count)
{
    c->at = 0;
    c->clean_from = c->backslash = 0;
    c->frame[0] = (struct stow_cursor_frame){STOW_KEY_ITEMS, 1};
    c->frame[1] = (struct stow_cursor_frame){UINT32_MAX, count};
    c->depth = STOW_LIST_DEPTH;
}

void stow_cursor_done(struct stow_cursor *c)
{
    stow_buf_done(&c->scratch);
}

static inline char char_at(const struct stow_cursor *c, uint32_t token)
{
    if (token >= c->tape->tokens)
        return '\0';
    return c->tape->text[c->tape->at[token]];
}

static inline uint32_t offset_of(const struct stow_cursor *c, uint32_t token)
{
    return token < c->tape->tokens ? c->tape->at[token] : (uint32_t)c->tape->len;
}

/* ---- errors ------------------------------------------------------------------------------ */

static struct stow_str raw_text(const struct stow_cursor *c, uint32_t token)
{
    const char *text = c->tape->text;
    uint32_t from = offset_of(c, token) + 1, to = offset_of(c, token + 1);

    while (to > from && text[to - 1] != '"')
        to--;
    return (struct stow_str){text + from, to > from ? to - 1 - from : 0};
}

static void write_path(const struct stow_cursor *c, char *path, size_t size)
{
    size_t used = 0;

    path[0] = '\0';
    for (uint32_t i = 0; i < c->depth && used < size; i++) {
        const struct stow_cursor_frame *f = &c->frame[i];
        int wrote = 0;

        if (f->key == UINT32_MAX && f->index > 0)
            wrote = snprintf(path + used, size - used, "[%u]", f->index - 1);
        else if (f->key == STOW_KEY_ITEMS)
            wrote = snprintf(path + used, size - used, ".items");
        else if (f->key != UINT32_MAX && f->key != 0)
            wrote = snprintf(path + used, size - used, ".%.*s", STOW_FMT(raw_text(c, f->key)));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static int fail_token(struct stow_cursor *c, uint32_t token, const char *fmt, va_list args)
{
    char what[400], path[200];
    struct stow_position mark = stow_tape_mark(c->tape, token);

    vsnprintf(what, sizeof(what), fmt, args);
    write_path(c, path, sizeof(path));
    stow_fail(c->err, STOW_EPARSE, "%s%s%s", path, path[0] ? ": " : "", what);
    if (c->err) {
        snprintf(c->err->file, sizeof(c->err->file), "%s", c->tape->name);
        c->err->line = mark.line;
        c->err->col = mark.col;
    }
    return STOW_EPARSE;
}

int stow_cursor_fail_at(struct stow_cursor *c, uint32_t token, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int code = fail_token(c, token, fmt, args);
    va_end(args);
    return code;
}

int stow_cursor_fail(struct stow_cursor *c, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int code = fail_token(c, c->at > 0 ? c->at - 1 : 0, fmt, args);
    va_end(args);
    return code;
}

int stow_cursor_fail_memory(struct stow_cursor *c)
{
    return stow_fail_memory(c->err);
}

const char *stow_token_name(enum stow_token token)
{
    static const char *const names[] = {
        [STOW_TOKEN_END] = "the end of the input",
        [STOW_TOKEN_OBJECT] = "an object",
        [STOW_TOKEN_ARRAY] = "a list",
        [STOW_TOKEN_TEXT] = "a string",
        [STOW_TOKEN_NUMBER] = "a number",
        [STOW_TOKEN_BOOL] = "a boolean",
        [STOW_TOKEN_NULL] = "null",
        [STOW_TOKEN_BAD] = "something else",
    };

    return names[token];
}

static int fail_found(struct stow_cursor *c, const char *expected)
{
    enum stow_token found = stow_cursor_peek(c);
    const char *hint = "";

    if (found == STOW_TOKEN_BAD)
        return stow_cursor_fail_at(c, c->at, "malformed: expected %s", expected);
    if (found == STOW_TOKEN_BOOL && strcmp(expected, "a string") == 0)
        hint = "; quote it (YAML reads a bare no, yes, n, y, off, on as a boolean)";
    else if (found == STOW_TOKEN_NUMBER && strcmp(expected, "a string") == 0)
        hint = "; quote it";
    return stow_cursor_fail_at(c, c->at, "expected %s, found %s%s", expected,
                               stow_token_name(found), hint);
}

/* ---- tokens ------------------------------------------------------------------------------ */

enum stow_token stow_cursor_peek(const struct stow_cursor *c)
{
    if (c->at >= c->tape->tokens)
        return STOW_TOKEN_END;
    switch (char_at(c, c->at)) {
    case '{':
        return STOW_TOKEN_OBJECT;
    case '[':
        return STOW_TOKEN_ARRAY;
    case '"':
        return STOW_TOKEN_TEXT;
    case 't':
    case 'f':
        return STOW_TOKEN_BOOL;
    case 'n':
        return STOW_TOKEN_NULL;
    case '-':
        return STOW_TOKEN_NUMBER;
    default:
        return stow_is_digit(char_at(c, c->at)) ? STOW_TOKEN_NUMBER : STOW_TOKEN_BAD;
    }
}

/* The text between the quotes of string token `token`: its end is the last quote before the
 * next token. */
static inline struct stow_str string_at(const struct stow_cursor *c, uint32_t token)
{
    const char *text = c->tape->text;
    uint32_t from = c->tape->at[token] + 1, to = offset_of(c, token + 1);

    while (to > from && stow_is_blank(text[to - 1]))
        to--;
    return (struct stow_str){text + from, to > from ? to - 1 - from : 0};
}

/* Is there a backslash in the string?  Looks ahead once for many strings. */
static inline bool has_escape(struct stow_cursor *c, struct stow_str s)
{
    const char *text = c->tape->text;
    uint32_t from = (uint32_t)(s.ptr - text);

    if (from < c->clean_from || from > c->backslash) {
        const char *next = memchr(s.ptr, '\\', c->tape->len - from);

        c->clean_from = from;
        c->backslash = next ? (uint32_t)(next - text) : UINT32_MAX;
    }
    return c->backslash < from + s.len;
}

static int hex4(const char *p)
{
    int value = 0;

    for (int i = 0; i < 4; i++) {
        char ch = p[i];
        int digit = ch >= '0' && ch <= '9'   ? ch - '0'
                    : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
                    : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
                                             : -1;

        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* One \uXXXX, or a pair of them that makes one code point; a lone half becomes U+FFFD, as Go reads
 * it.  Returns how many bytes of `s` after the backslash were used, 0 when malformed. */
static size_t unescape_unicode(struct stow_str s, char *to, size_t *wrote)
{
    int first = s.len >= 5 ? hex4(s.ptr + 1) : -1;
    size_t used = 5;
    uint32_t point = (uint32_t)first;

    if (first < 0)
        return 0;
    if (point >= 0xD800 && point < 0xE000) {
        int second = s.len >= 11 && s.ptr[5] == '\\' && s.ptr[6] == 'u' ? hex4(s.ptr + 7) : -1;

        if (point < 0xDC00 && second >= 0xDC00 && second < 0xE000) {
            point = 0x10000 + ((point - 0xD800) << 10) + ((uint32_t)second - 0xDC00);
            used = 11;
        } else {
            point = 0xFFFD;
        }
    }
    *wrote = stow_utf8_write(point, to);
    return used;
}

/* `s` starts after a backslash. */
static size_t unescape_one(struct stow_str s, char *to, size_t *wrote)
{
    static const char from_chars[] = "\"\\/bfnrt", to_chars[] = "\"\\/\b\f\n\r\t";
    const char *at = s.len && s.ptr[0] ? strchr(from_chars, s.ptr[0]) : NULL;

    *wrote = 1;
    if (at) {
        to[0] = to_chars[at - from_chars];
        return 1;
    }
    return s.len && s.ptr[0] == 'u' ? unescape_unicode(s, to, wrote) : 0;
}

/* Writes `s` without escapes into the scratch buffer (or only checks it, keep == false). */
static int unescape(struct stow_cursor *c, uint32_t token, struct stow_str s, bool keep,
                    struct stow_str *ret)
{
    size_t i = 0;

    c->scratch.len = 0;
    while (i < s.len) {
        const char *slash = memchr(s.ptr + i, '\\', s.len - i);
        size_t plain = slash ? (size_t)(slash - s.ptr) - i : s.len - i;
        char made[4];
        size_t wrote;

        if (keep)
            stow_buf_add(&c->scratch, (struct stow_str){s.ptr + i, plain});
        i += plain;
        if (!slash)
            break;

        size_t used = unescape_one((struct stow_str){s.ptr + i + 1, s.len - i - 1}, made, &wrote);

        if (!used)
            return stow_cursor_fail_at(c, token, "malformed escape in a string");
        if (keep)
            stow_buf_add(&c->scratch, (struct stow_str){made, wrote});
        i += 1 + used;
    }
    if (c->scratch.failed)
        return stow_cursor_fail_memory(c);
    if (ret)
        *ret = c->scratch.len ? stow_buf_str(&c->scratch) : STOW_STR("");
    return STOW_OK;
}

static inline int read_string(struct stow_cursor *c, uint32_t token, struct stow_str *ret)
{
    struct stow_str s = string_at(c, token);

    if (has_escape(c, s))
        return unescape(c, token, s, true, ret);
    *ret = s;
    return STOW_OK;
}

static inline bool ends_scalar(char ch)
{
    return stow_is_blank(ch) || ch == ',' || ch == ']' || ch == '}' || ch == ':' || ch == '[' ||
           ch == '{'; /* not a quote: in 1"x" the index has no token for the string */
}

/* Checks that the scalar at `token` is well-formed. */
static int check_scalar(struct stow_cursor *c, uint32_t token)
{
    char first = char_at(c, token);

    if (first == '"') {
        struct stow_str s = string_at(c, token);

        return has_escape(c, s) ? unescape(c, token, s, false, NULL) : STOW_OK;
    }

    const char *p = c->tape->text + c->tape->at[token];
    size_t len = stow_bare_length(p);
    size_t end = len ? offset_of(c, token) + len : 0;

    if (!len || (end < c->tape->len && !ends_scalar(c->tape->text[end])))
        return stow_cursor_fail_at(c, token, "malformed: expected a value");
    return STOW_OK;
}

/* ---- structure --------------------------------------------------------------------------- */

int stow_cursor_enter(struct stow_cursor *c, char open)
{
    if (c->at >= c->tape->tokens || char_at(c, c->at) != open)
        return fail_found(c, open == '{' ? "an object" : "a list");
    if (c->depth == STOW_TAPE_MAX_DEPTH)
        return stow_cursor_fail_at(c, c->at, "nested deeper than %d levels", STOW_TAPE_MAX_DEPTH);
    c->frame[c->depth++] = (struct stow_cursor_frame){open == '{' ? 0 : UINT32_MAX, 0};
    c->at++;
    return STOW_OK;
}

/* Behind an opening bracket or a value: 1 when another member or item follows, 0 at the end. */
static inline int next_member(struct stow_cursor *c, char close)
{
    struct stow_cursor_frame *f = &c->frame[c->depth - 1];
    char ch = char_at(c, c->at);

    if (ch == close) {
        c->at++;
        c->depth--;
        return 0;
    }
    if (f->index++ == 0)
        return 1;
    if (ch != ',' || c->at >= c->tape->tokens)
        return stow_cursor_fail_at(c, c->at, "malformed: expected ',' or '%c'%s", close,
                                   c->at >= c->tape->tokens ? "; is the file truncated?" : "");
    c->at++;
    return 1;
}

int stow_cursor_key(struct stow_cursor *c, struct stow_str *ret)
{
    int more = next_member(c, '}');

    if (more <= 0)
        return more;
    if (char_at(c, c->at) != '"')
        return stow_cursor_fail_at(c, c->at, "malformed: expected a key in double quotes%s",
                                   c->at >= c->tape->tokens ? "; is the file truncated?" : "");
    if (char_at(c, c->at + 1) != ':')
        return stow_cursor_fail_at(c, c->at + 1, "malformed: expected ':' after a key");
    c->frame[c->depth - 1].key = c->at;
    STOW_TRY(read_string(c, c->at, ret));
    c->at += 2;
    return 1;
}

int stow_cursor_item(struct stow_cursor *c)
{
    return next_member(c, ']');
}

int stow_cursor_text(struct stow_cursor *c, struct stow_str *ret)
{
    if (char_at(c, c->at) != '"')
        return fail_found(c, "a string");
    STOW_TRY(read_string(c, c->at, ret));
    c->at++;
    return STOW_OK;
}

int stow_cursor_text_at(struct stow_cursor *c, uint32_t token, struct stow_str *ret)
{
    return read_string(c, token, ret);
}

int stow_cursor_number(struct stow_cursor *c, struct stow_str *ret)
{
    if (stow_cursor_peek(c) != STOW_TOKEN_NUMBER)
        return fail_found(c, "a number");
    STOW_TRY(check_scalar(c, c->at));
    ret->ptr = c->tape->text + offset_of(c, c->at);
    ret->len = stow_number_length(ret->ptr);
    c->at++;
    return STOW_OK;
}

int stow_cursor_scalar(struct stow_cursor *c, struct stow_str *ret)
{
    switch (stow_cursor_peek(c)) {
    case STOW_TOKEN_TEXT:
        return stow_cursor_text(c, ret);
    case STOW_TOKEN_NUMBER:
        return stow_cursor_number(c, ret);
    default:
        return fail_found(c, "a string or a number");
    }
}

int stow_cursor_int(struct stow_cursor *c, int64_t min, int64_t max, int64_t *ret)
{
    struct stow_str digits = {"", 0};
    int64_t value = 0;

    if (stow_cursor_peek(c) != STOW_TOKEN_NUMBER)
        return fail_found(c, "a whole number");
    STOW_TRY(stow_cursor_number(c, &digits));
    if (!stow_str_int(digits, &value) || value < min || value > max)
        return stow_cursor_fail(c, "expected a whole number from %lld to %lld, found %.*s",
                                (long long)min, (long long)max, STOW_FMT(digits));
    *ret = value;
    return STOW_OK;
}

int stow_cursor_bool(struct stow_cursor *c, bool *ret)
{
    if (stow_cursor_peek(c) != STOW_TOKEN_BOOL)
        return fail_found(c, "true or false");
    STOW_TRY(check_scalar(c, c->at));
    *ret = char_at(c, c->at) == 't';
    c->at++;
    return STOW_OK;
}

int stow_cursor_null(struct stow_cursor *c)
{
    if (char_at(c, c->at) != 'n')
        return 0;
    STOW_TRY(check_scalar(c, c->at));
    c->at++;
    return 1;
}

/* ---- skipping ---------------------------------------------------------------------------- */

/* One bit per open level: 1 = object. */
struct skip {
    uint64_t object[STOW_TAPE_MAX_DEPTH / 64];
    uint32_t depth;
};

static inline bool in_object(const struct skip *s)
{
    uint32_t level = s->depth - 1;

    return s->object[level / 64] >> (level % 64) & 1;
}

static inline int skip_open(struct stow_cursor *c, struct skip *s, uint32_t token, bool object)
{
    if (c->depth + s->depth >= STOW_TAPE_MAX_DEPTH)
        return stow_cursor_fail_at(c, token, "nested deeper than %d levels", STOW_TAPE_MAX_DEPTH);

    uint64_t bit = UINT64_C(1) << (s->depth % 64);
    uint64_t *word = &s->object[s->depth / 64];

    *word = object ? *word | bit : *word & ~bit;
    s->depth++;
    return STOW_OK;
}

static inline int skip_key(struct stow_cursor *c, uint32_t token)
{
    if (char_at(c, token) != '"')
        return stow_cursor_fail_at(c, token, "malformed: expected a key in double quotes");
    STOW_TRY(check_scalar(c, token));
    if (char_at(c, token + 1) != ':')
        return stow_cursor_fail_at(c, token + 1, "malformed: expected ':' after a key");
    return STOW_OK;
}

/* Behind a value: closes what ends here and finds the next value.  Sets `*token` to it. */
static inline int skip_after(struct stow_cursor *c, struct skip *s, uint32_t *token)
{
    uint32_t i = *token;

    while (s->depth > 0) {
        bool object = in_object(s);
        char ch = char_at(c, i++);

        if (ch == (object ? '}' : ']')) {
            s->depth--;
            continue;
        }
        if (ch != ',')
            return stow_cursor_fail_at(c, i - 1, "malformed: expected ',' or '%c'%s",
                                       object ? '}' : ']',
                                       i > c->tape->tokens ? "; is the file truncated?" : "");
        if (object) {
            STOW_TRY(skip_key(c, i));
            i += 2;
        }
        break;
    }
    *token = i;
    return STOW_OK;
}

/* At an opening bracket: goes in, to the first value, or over an empty one. */
static inline int skip_into(struct stow_cursor *c, struct skip *s, uint32_t *token, bool object)
{
    uint32_t i = *token + 1;

    STOW_TRY(skip_open(c, s, *token, object));
    if (char_at(c, i) == (object ? '}' : ']')) {
        *token = i;
        return skip_after(c, s, token);
    }
    if (object) {
        STOW_TRY(skip_key(c, i));
        i += 2;
    }
    *token = i;
    return STOW_OK;
}

static inline int skip_scalar(struct stow_cursor *c, struct skip *s, uint32_t *token)
{
    if (*token >= c->tape->tokens)
        return stow_cursor_fail_at(c, *token, "expected a value; is the file truncated?");
    STOW_TRY(check_scalar(c, *token));
    ++*token;
    return skip_after(c, s, token);
}

int stow_cursor_skip(struct stow_cursor *c)
{
    struct skip s = {.depth = 0};
    uint32_t i = c->at;

    do {
        char ch = char_at(c, i);

        if (ch == '{' || ch == '[')
            STOW_TRY(skip_into(c, &s, &i, ch == '{'));
        else
            STOW_TRY(skip_scalar(c, &s, &i));
    } while (s.depth > 0);
    stow_trace_pass(c->trace, c->depth, c->at, i);
    c->at = i;
    return STOW_OK;
}

int stow_cursor_skip_text(struct stow_cursor *c)
{
    return char_at(c, c->at) == '"' ? stow_cursor_skip(c) : fail_found(c, "a string");
}

/* ---- tables of fields -------------------------------------------------------------------- */

/* Keys come in the same order most of the time: look after the one found last first. */
static inline uint32_t find_field(const struct stow_field *fields, uint32_t count, uint32_t hint,
                                  struct stow_str key)
{
    for (uint32_t n = 0, i = hint; n < count; n++, i = i + 1 == count ? 0 : i + 1)
        if (fields[i].len == key.len && memcmp(fields[i].name, key.ptr, key.len) == 0)
            return i;
    return count;
}

static int fail_unknown(struct stow_cursor *c, const struct stow_field *fields, uint32_t count,
                        struct stow_str key)
{
    char known[200];
    size_t used = 0;

    known[0] = '\0';
    for (uint32_t i = 0; i < count && used + 1 < sizeof(known); i++)
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
                                 fields[i].name);
    return stow_cursor_fail_at(c, c->at - 2, "unknown field '%.*s'; known here: %s", STOW_FMT(key),
                               known);
}

static int read_field(struct stow_cursor *c, const struct stow_field *field, uint64_t *seen,
                      uint64_t bit, void *into)
{
    if (*seen & bit)
        return stow_cursor_fail_at(
            c, c->at - 2, "'%s' is given twice%s", field->name,
            c->tape->mark && c->depth == 1 ? "; is a line with --- missing before an object?" : "");
    *seen |= bit;

    int null = stow_cursor_null(c);

    if (null != 0)
        return null;
    return field->take ? field->take(c, into, field) : field->read(c, into);
}

static int pass_unknown(struct stow_cursor *c, const struct stow_field *fields, uint32_t count,
                        struct stow_str key, bool strict)
{
    if (strict)
        STOW_TRY(c->unknown ? c->unknown(c, key, c->unknown_ctx)
                            : fail_unknown(c, fields, count, key));
    return stow_cursor_skip(c);
}

static int read_fields(struct stow_cursor *c, const struct stow_field *fields, uint32_t count,
                       void *into, bool strict)
{
    uint64_t seen = 0; /* a bit per field */
    uint32_t hint = 0;
    struct stow_str key = {"", 0};
    int more;

    assert(count <= STOW_FIELDS_MAX);
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        uint32_t i = find_field(fields, count, hint, key);

        if (i < count)
            hint = i + 1 == count ? 0 : i + 1;
        STOW_TRY(i < count ? read_field(c, &fields[i], &seen, UINT64_C(1) << i, into)
                           : pass_unknown(c, fields, count, key, strict));
    }
    return more;
}

int stow_cursor_fields(struct stow_cursor *c, const struct stow_field *fields, uint32_t count,
                       void *into)
{
    return read_fields(c, fields, count, into, false);
}

int stow_cursor_fields_strict(struct stow_cursor *c, const struct stow_field *fields,
                              uint32_t count, void *into)
{
    return read_fields(c, fields, count, into, true);
}

int stow_cursor_items(struct stow_cursor *c, int (*read)(struct stow_cursor *c, void *into),
                      void *into)
{
    int more;

    STOW_TRY(stow_cursor_enter(c, '['));
    while ((more = stow_cursor_item(c)) > 0)
        STOW_TRY(read(c, into));
    return more;
}

int stow_take_flag(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_cursor_bool(c, (bool *)((char *)into + field->at));
}

int stow_take_object(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return read_fields(c, field->fields, field->count, into, false);
}

int stow_take_strict(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return read_fields(c, field->fields, field->count, into, true);
}

int stow_take_items(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_cursor_items(c, field->read, into);
}
