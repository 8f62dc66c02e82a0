/* view.c - a case file as values that can be looked at in any order. */
#include "tests/conformance/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define ABSENT         UINT32_MAX
#define FILE_MAX_BYTES (256u << 20)

/* ---- opening ----------------------------------------------------------------------------- */

static int read_all(FILE *in, const char *path, struct stow_buf *buf, struct stow_err *err)
{
    static const char padding[STOW_TAPE_PADDING];
    char block[65536];
    size_t got;

    while ((got = fread(block, 1, sizeof(block), in)) > 0 && buf->len < FILE_MAX_BYTES)
        stow_buf_add(buf, (struct stow_str){block, got});
    if (ferror(in))
        return stow_fail(err, STOW_EIO, "%s: %s", path, strerror(errno));
    if (buf->len >= FILE_MAX_BYTES)
        return stow_fail(err, STOW_ELIMIT, "%s: larger than 256 MiB", path);
    stow_buf_add(buf, (struct stow_str){padding, sizeof(padding)});
    return buf->failed ? stow_fail_memory(err) : STOW_OK;
}

static int slurp(const char *path, struct stow_buf *buf, struct stow_err *err)
{
    FILE *in = fopen(path, "rb");

    if (!in)
        return stow_fail(err, STOW_EIO, "%s: %s", path, strerror(errno));

    int code = read_all(in, path, buf, err);

    fclose(in);
    return code;
}

/* One pass of the cursor checks the grammar of everything, so that views need not. */
static int check_whole(const struct stow_case_file *file, struct stow_err *err)
{
    struct stow_cursor c;

    stow_cursor_init(&c, &file->tape, err);
    int code = stow_cursor_skip(&c);

    if (code >= 0 && stow_cursor_peek(&c) != STOW_TOKEN_END)
        code = stow_cursor_fail(&c, "expected one JSON value and nothing behind it");
    stow_cursor_done(&c);
    return code;
}

static char char_at(const struct stow_case_file *file, uint32_t token)
{
    return file->tape.text[file->tape.at[token]];
}

static int match_brackets(struct stow_case_file *file, struct stow_err *err)
{
    uint32_t open[STOW_TAPE_MAX_DEPTH], depth = 0;

    file->close = calloc(file->tape.tokens, sizeof(*file->close));
    if (!file->close)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < file->tape.tokens; i++) {
        char ch = char_at(file, i);

        if ((ch == '{' || ch == '[') && depth < STOW_TAPE_MAX_DEPTH)
            open[depth++] = i;
        else if ((ch == '}' || ch == ']') && depth > 0)
            file->close[open[--depth]] = i;
    }
    return STOW_OK;
}

/* A cursor wants to know the next backslash; searching it for each view would read a large file
 * over and over. */
static int find_backslashes(struct stow_case_file *file, struct stow_err *err)
{
    const char *text = file->tape.text, *end = text + file->tape.len;

    for (const char *at = text; (at = memchr(at, '\\', (size_t)(end - at))) != NULL; at++) {
        uint32_t *made = STOW_PUSH(&file->backslash, &file->backslashes, &file->backslash_cap);

        if (!made)
            return stow_fail_memory(err);
        *made = (uint32_t)(at - text);
    }
    return STOW_OK;
}

/* file->text is `len` bytes and the padding. */
static int index_text(struct stow_case_file *file, const char *name, size_t len,
                      struct stow_err *err)
{
    STOW_TRY(stow_tape_open_json(&file->tape, name, file->text, len, err));
    STOW_TRY(check_whole(file, err));
    STOW_TRY(match_brackets(file, err));
    return find_backslashes(file, err);
}

int stow_case_file_open(struct stow_case_file *file, const char *path, struct stow_err *err)
{
    struct stow_buf buf = {0};

    memset(file, 0, sizeof(*file));
    int code = slurp(path, &buf, err);

    file->text = buf.ptr;
    return code < 0 ? code : index_text(file, path, buf.len - STOW_TAPE_PADDING, err);
}

int stow_case_file_parse(struct stow_case_file *file, const char *name, struct stow_str text,
                         struct stow_err *err)
{
    memset(file, 0, sizeof(*file));
    file->text = calloc(1, text.len + STOW_TAPE_PADDING);
    if (!file->text)
        return stow_fail_memory(err);
    memcpy(file->text, text.ptr, text.len);
    return index_text(file, name, text.len, err);
}

void stow_case_file_done(struct stow_case_file *file)
{
    stow_tape_done(&file->tape);
    free(file->text);
    free(file->close);
    free(file->backslash);
    memset(file, 0, sizeof(*file));
}

/* ---- looking ----------------------------------------------------------------------------- */

struct stow_view stow_view_root(const struct stow_case_file *file)
{
    return (struct stow_view){file, file->tape.tokens ? 0 : ABSENT};
}

enum stow_token stow_view_type(struct stow_view v)
{
    struct stow_cursor c;

    if (v.token == ABSENT)
        return STOW_TOKEN_END;
    c.tape = &v.file->tape;
    c.at = v.token;
    return stow_cursor_peek(&c);
}

bool stow_view_given(struct stow_view v)
{
    enum stow_token type = stow_view_type(v);

    return type != STOW_TOKEN_END && type != STOW_TOKEN_NULL;
}

struct stow_view_walk stow_view_walk(struct stow_view v)
{
    const struct stow_view absent = {v.file, ABSENT};
    struct stow_view_walk walk = {.value = absent, .key = absent, .index = ABSENT};
    enum stow_token type = stow_view_type(v);

    if (type == STOW_TOKEN_OBJECT || type == STOW_TOKEN_ARRAY) {
        walk.next = v.token + 1;
        walk.end = v.file->close[v.token];
    }
    return walk;
}

/* Behind the value: its closing bracket counts as part of it. */
static uint32_t token_after(const struct stow_case_file *file, uint32_t token)
{
    return (file->close[token] ? file->close[token] : token) + 1;
}

bool stow_view_next(struct stow_view_walk *walk)
{
    const struct stow_case_file *file = walk->value.file;

    if (walk->next >= walk->end)
        return false;
    if (char_at(file, walk->end) == '}') {
        walk->key.token = walk->next;
        walk->next += 2; /* the key and its colon */
    }
    walk->value.token = walk->next;
    walk->next = token_after(file, walk->next) + 1; /* and the comma */
    walk->index++;
    return true;
}

uint32_t stow_view_count(struct stow_view v)
{
    uint32_t count = 0;

    for (struct stow_view_walk walk = stow_view_walk(v); stow_view_next(&walk);)
        count++;
    return count;
}

struct stow_view stow_view_get(struct stow_view v, const char *name)
{
    if (stow_view_type(v) == STOW_TOKEN_OBJECT)
        for (struct stow_view_walk walk = stow_view_walk(v); stow_view_next(&walk);)
            if (stow_view_is(walk.key, name))
                return walk.value;
    return (struct stow_view){v.file, ABSENT};
}

/* ---- scalars ----------------------------------------------------------------------------- */

static struct stow_str trimmed_to_next(struct stow_view v)
{
    const struct stow_tape *tape = &v.file->tape;
    uint32_t last = v.file->close[v.token] ? v.file->close[v.token] : v.token;
    size_t end = last + 1 < tape->tokens ? tape->at[last + 1] : tape->len;
    const char *from = tape->text + tape->at[v.token];

    return stow_str_trim((struct stow_str){from, (size_t)(tape->text + end - from)});
}

struct stow_str stow_view_raw(struct stow_view v)
{
    return v.token == ABSENT ? STOW_STR("absent") : trimmed_to_next(v);
}

struct stow_str stow_view_text(struct stow_view v, struct stow_buf *room)
{
    enum stow_token type = stow_view_type(v);
    struct stow_str raw = stow_view_raw(v), text = STOW_STR("");
    struct stow_cursor c;

    if (type == STOW_TOKEN_NUMBER)
        return raw;
    if (type != STOW_TOKEN_TEXT)
        return text;
    raw = (struct stow_str){raw.ptr + 1, raw.len - 2};
    if (!raw.len || !memchr(raw.ptr, '\\', raw.len))
        return raw;
    stow_view_cursor(v, &c, NULL);
    room->len = 0;
    if (stow_cursor_text(&c, &text) >= 0)
        stow_buf_add(room, text);
    stow_cursor_done(&c);
    return stow_buf_str(room);
}

bool stow_view_is(struct stow_view v, const char *text)
{
    struct stow_buf room = {0};
    bool same = stow_view_type(v) == STOW_TOKEN_TEXT && stow_str_is(stow_view_text(v, &room), text);

    stow_buf_done(&room);
    return same;
}

bool stow_view_bool(struct stow_view v, bool *ret)
{
    if (stow_view_type(v) != STOW_TOKEN_BOOL)
        return false;
    *ret = char_at(v.file, v.token) == 't';
    return true;
}

bool stow_view_int(struct stow_view v, int64_t *ret)
{
    return stow_view_type(v) == STOW_TOKEN_NUMBER && stow_str_int(stow_view_raw(v), ret);
}

bool stow_view_int128(struct stow_view v, stow_i128 *ret)
{
    struct stow_str digits = stow_view_raw(v);
    bool minus = digits.len && digits.ptr[0] == '-';
    stow_i128 value = 0;

    if (stow_view_type(v) != STOW_TOKEN_NUMBER)
        return false;
    for (size_t i = minus; i < digits.len; i++) {
        int digit = digits.ptr[i] - '0';

        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, (stow_i128)10, &value) ||
            __builtin_add_overflow(value, (stow_i128)(minus ? -digit : digit), &value))
            return false;
    }
    *ret = value;
    return true;
}

static bool real_text(struct stow_str text, double *ret)
{
    char copy[64], *end;

    if (!text.len || text.len >= sizeof(copy))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *ret = strtod(copy, &end);
    if (*end == '/' && end[1]) {
        double over = strtod(end + 1, &end);

        *ret /= over;
    }
    return end != copy && *end == '\0';
}

bool stow_view_real(struct stow_view v, double *ret)
{
    struct stow_buf room = {0};

    if (stow_view_type(v) == STOW_TOKEN_OBJECT) {
        struct stow_view exact = stow_view_get(v, "exact");

        v = stow_view_given(exact) ? exact : stow_view_get(v, "decimal");
    }
    bool read = real_text(stow_view_text(v, &room), ret);

    stow_buf_done(&room);
    return read;
}

/* ---- the product's readers --------------------------------------------------------------- */

static uint32_t backslash_from(const struct stow_case_file *file, uint32_t offset)
{
    uint32_t low = 0, high = file->backslashes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (file->backslash[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->backslashes ? file->backslash[low] : UINT32_MAX;
}

void stow_view_cursor(struct stow_view v, struct stow_cursor *c, struct stow_err *err)
{
    stow_cursor_init(c, &v.file->tape, err);
    c->at = v.token == ABSENT ? v.file->tape.tokens : v.token;
    c->backslash = v.token == ABSENT ? 0 : backslash_from(v.file, v.file->tape.at[v.token]);
}
