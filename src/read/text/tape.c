/* tape.c - opening an input as tokens, and saying where a token is. */
#include "read/text/tape.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/text/cursor.h"
#include "read/text/json_index.h"
#include "read/text/utf8.h"

#define GUESS_MAX ((size_t)16 << 20) /* bytes that are read a second time, as YAML */

void stow_tape_start(struct stow_tape *tape, const char *name)
{
    memset(tape, 0, sizeof(*tape));
    snprintf(tape->name, sizeof(tape->name), "%s", name);
}

int stow_file_fail(const char *name, int code, struct stow_err *err, const char *fmt, ...)
{
    char what[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    stow_fail(err, code, "%s", what);
    if (err)
        snprintf(err->file, sizeof(err->file), "%s", name);
    return code;
}

int stow_text_fail(const char *name, const char *text, size_t len, size_t offset,
                   struct stow_err *err, const char *what)
{
    struct stow_position mark = stow_text_mark(text, len, offset);

    stow_file_fail(name, STOW_EPARSE, err, "%s", what);
    if (err) {
        err->line = mark.line;
        err->col = mark.col;
    }
    return STOW_EPARSE;
}

static int fail_at(const struct stow_tape *tape, size_t offset, struct stow_err *err,
                   const char *what)
{
    return stow_text_fail(tape->name, tape->text - tape->before, tape->len + tape->before,
                          tape->before + offset, err, what);
}

/* simdjson only says that the text is bad: find out where, and what it is. */
static int explain_bad_text(const struct stow_tape *tape, struct stow_err *err)
{
    size_t bad = stow_utf8_invalid(tape->text, tape->len);
    size_t opened = 0;
    bool inside = false;

    if (bad < tape->len)
        return fail_at(tape, bad, err, "invalid UTF-8");
    for (size_t i = 0; i < tape->len; i++) {
        unsigned char c = (unsigned char)tape->text[i];

        if (!inside && c == '"') {
            inside = true;
            opened = i;
        } else if (inside && c == '\\') {
            i++;
        } else if (inside && c == '"') {
            inside = false;
        } else if (inside && c < 0x20) {
            return fail_at(tape, i, err,
                           c ? "control character in a string; expected an escape such as \\n"
                             : "NUL byte in a string");
        }
    }
    return fail_at(tape, opened, err, "string has no end; is the file truncated?");
}

static int index_text(struct stow_tape *tape, struct stow_err *err)
{
    switch (stow_json_index_build(tape->text, tape->len, &tape->index)) {
    case STOW_JSON_OK:
        tape->at = stow_json_index_tokens(tape->index, &tape->tokens);
        return STOW_OK;
    case STOW_JSON_NO_MEMORY:
        return stow_fail_memory(err);
    case STOW_JSON_TOO_LARGE:
        return stow_fail(err, STOW_ELIMIT, "%s: larger than 4 GiB; split it into several files",
                         tape->name);
    case STOW_JSON_BAD_TEXT:
        break;
    }
    return explain_bad_text(tape, err);
}

int stow_tape_part(struct stow_tape *tape, struct stow_str text, size_t from, size_t to,
                   struct stow_err *err)
{
    tape->text = text.ptr + from;
    tape->len = to - from;
    tape->before = from;
    tape->tokens = 0;
    return index_text(tape, err);
}

int stow_tape_open_json(struct stow_tape *tape, const char *name, const char *text, size_t len,
                        struct stow_err *err)
{
    stow_tape_start(tape, name);
    return stow_tape_part(tape, (struct stow_str){text, len}, 0, len, err);
}

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);

    return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

static bool looks_like_json(const char *text, size_t len)
{
    struct stow_str rest = stow_str_trim((struct stow_str){text, len});

    if (!rest.len || (rest.ptr[0] != '{' && rest.ptr[0] != '['))
        return false;

    bool list = rest.ptr[0] == '[';

    rest = stow_str_trim((struct stow_str){rest.ptr + 1, rest.len - 1});
    return list || !rest.len || rest.ptr[0] == '"' || rest.ptr[0] == '}';
}

bool stow_tape_is_json(const char *name, struct stow_str text)
{
    return looks_like_json(text.ptr, text.len) &&
           (ends_with(name, ".json") || ends_with(name, ".json.gz"));
}

/* Hands an error on; of what went well in the end nothing is said. */
static int tell(int result, const struct stow_err *why, struct stow_err *err)
{
    if (result < 0 && err)
        *err = *why;
    return result;
}

static bool is_well_formed(const struct stow_tape *tape)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;

    stow_cursor_init(&c, tape, NULL);
    while (stow_cursor_peek(&c) != STOW_TOKEN_END)
        if (stow_cursor_skip(&c) < 0)
            return false;
    return true;
}

/* A flow mapping of YAML starts with a brace, too, and JSON objects between lines of "---" are
 * YAML: what looks like JSON but is none is read as YAML.  If it is not even that, JSON was meant,
 * and who reads the tape will say what is wrong with it.  A large text is written by a program, and
 * more likely truncated than YAML; finding out would take long. */
static int open_either(struct stow_tape *tape, const char *name, const char *text, size_t len,
                       struct stow_err *err)
{
    struct stow_tape other;
    struct stow_err json = {0}, yaml = {0};
    int result = stow_tape_open_json(tape, name, text, len, &json);

    if ((result < 0 && result != STOW_EPARSE) || (result >= 0 && is_well_formed(tape)) ||
        (len > GUESS_MAX && !stow_str_contains((struct stow_str){text, len}, STOW_STR("\n---"))))
        return tell(result, &json, err);

    int second = stow_tape_open_yaml(&other, name, text, len, &yaml);

    if (second == STOW_EPARSE) {
        stow_tape_done(&other);
        return tell(result, &json, err);
    }
    stow_tape_done(tape);
    *tape = other;
    return tell(second, &yaml, err);
}

int stow_tape_open(struct stow_tape *tape, const char *name, const char *text, size_t len,
                   struct stow_err *err)
{
    static const char bom[] = "\xEF\xBB\xBF";

    if (len >= 3 && memcmp(text, bom, 3) == 0)
        text += 3, len -= 3;
    if (stow_tape_is_json(name, (struct stow_str){text, len}))
        return stow_tape_open_json(tape, name, text, len, err);
    return looks_like_json(text, len) ? open_either(tape, name, text, len, err)
                                      : stow_tape_open_yaml(tape, name, text, len, err);
}

void stow_tape_done(struct stow_tape *tape)
{
    stow_json_index_free(tape->index);
    free(tape->owned_text);
    free(tape->owned_at);
    free(tape->owned_mark);
    memset(tape, 0, sizeof(*tape));
}

static void go_to(const char *text, size_t offset, struct stow_text_place *place)
{
    if (place->mark.line == 0 || offset < place->offset)
        *place = (struct stow_text_place){.mark = {1, 1}};

    const char *from = text + place->offset;

    for (const char *at; (at = memchr(from, '\n', (size_t)(text + offset - from))) != NULL;) {
        place->mark.line++;
        place->mark.col = 1;
        from = at + 1;
    }
    /* Columns count characters: continuation bytes of UTF-8 do not start one. */
    for (const char *p = from; p < text + offset; p++)
        place->mark.col += ((unsigned char)*p & 0xC0) != 0x80;
    place->offset = offset;
}

struct stow_position stow_text_mark(const char *text, size_t len, size_t offset)
{
    struct stow_text_place place = {0};

    go_to(text, offset < len ? offset : len, &place);
    return place.mark;
}

struct stow_position stow_tape_mark_from(const struct stow_tape *tape, uint32_t token,
                                         struct stow_text_place *last)
{
    if (tape->mark)
        return token < tape->tokens ? tape->mark[token]
               : tape->tokens > 0   ? tape->mark[tape->tokens - 1]
                                    : (struct stow_position){1, 1};
    go_to(tape->text - tape->before,
          tape->before + (token < tape->tokens ? tape->at[token] : tape->len), last);
    return last->mark;
}

struct stow_position stow_tape_mark(const struct stow_tape *tape, uint32_t token)
{
    return stow_tape_mark_from(tape, token, &(struct stow_text_place){0});
}
