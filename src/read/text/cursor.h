/* cursor.h - walking over a tape: the one reader of JSON and YAML.
 *
 *     STOW_TRY(stow_cursor_enter(c, '{'));
 *     while ((more = stow_cursor_key(c, &key)) > 0)
 *         if (stow_str_is(key, "name")) STOW_TRY(stow_cursor_text(c, &name));
 *         else STOW_TRY(stow_cursor_skip(c));
 *     return more;
 *
 * Usually stow_cursor_fields() with a table of names and functions does this.
 * Every call returns < 0 on failure and has then written `c->err` with the file,
 * line, column and path.  What is skipped is checked for well-formedness too.
 *
 * Text that is handed out lies in the input, or in the cursor's scratch memory
 * when it had escapes; it is valid until the next call on the cursor. */
#ifndef STOW_READ_TEXT_CURSOR_H
#define STOW_READ_TEXT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "base/str.h"
#include "read/text/tape.h"
#include "read/text/trace.h"

enum stow_token {
    STOW_TOKEN_END,
    STOW_TOKEN_OBJECT,
    STOW_TOKEN_ARRAY,
    STOW_TOKEN_TEXT,
    STOW_TOKEN_NUMBER,
    STOW_TOKEN_BOOL,
    STOW_TOKEN_NULL,
    STOW_TOKEN_BAD,
};

/* In place of a key's token: "items", which is not on the tape. */
#define STOW_KEY_ITEMS (UINT32_MAX - 1)

struct stow_cursor_frame {
    uint32_t key;   /* token of the key read last, UINT32_MAX in an array */
    uint32_t index; /* of the item read last + 1 */
};

struct stow_cursor {
    const struct stow_tape *tape;
    struct stow_err *err;
    uint32_t at;                    /* the next token */
    uint32_t clean_from, backslash; /* no backslash from the one offset up to the other */
    struct stow_text_place marked;  /* the token last asked for with it */
    uint32_t depth;
    struct stow_cursor_frame frame[STOW_TAPE_MAX_DEPTH];
    struct stow_buf scratch;
    struct stow_arena
        *arena; /* for readers that keep lists and texts; NULL unless the caller set it */
    /* What strict readers do about a member that they do not know: NULL refuses it, a function is
     * told its name (the cursor stands at the value) and the value is skipped. */
    int (*unknown)(struct stow_cursor *c, struct stow_str key, void *ctx);
    void *unknown_ctx;
    struct stow_trace *trace; /* told what is skipped; NULL unless the caller set it */
};

/* At the first token.  Done frees the scratch memory only. */
void stow_cursor_init(struct stow_cursor *c, const struct stow_tape *tape, struct stow_err *err);
void stow_cursor_done(struct stow_cursor *c);

/* Goes to the value at `token` (c->at of an earlier moment) as if it were a document. */
void stow_cursor_seek(struct stow_cursor *c, uint32_t token);

/* Goes to the first token of a tape that starts inside the items of a list, `count` of which were
 * begun. */
#define STOW_LIST_DEPTH 2
void stow_cursor_in_list(struct stow_cursor *c, uint32_t count);

/* Looks at the next value without reading it.  At the top level END tells that
 * there is no further document. */
enum stow_token stow_cursor_peek(const struct stow_cursor *c);
const char *stow_token_name(enum stow_token token);

/* '{' or '['; anything else there is an error that says what was found. */
int stow_cursor_enter(struct stow_cursor *c, char open);

/* 1: at the next key or item; 0: the object or array has ended (and been left). */
int stow_cursor_key(struct stow_cursor *c, struct stow_str *ret);
int stow_cursor_item(struct stow_cursor *c);

int stow_cursor_text(struct stow_cursor *c, struct stow_str *ret);   /* a string */
int stow_cursor_number(struct stow_cursor *c, struct stow_str *ret); /* its digits as written */
int stow_cursor_scalar(struct stow_cursor *c, struct stow_str *ret); /* a string or a number */
int stow_cursor_int(struct stow_cursor *c, int64_t min, int64_t max, int64_t *ret);
int stow_cursor_bool(struct stow_cursor *c, bool *ret);
int stow_cursor_skip(struct stow_cursor *c);
int stow_cursor_skip_text(struct stow_cursor *c); /* a string, whatever it says */

/* A string that was read or skipped before, by its token; the cursor stays where it is. */
int stow_cursor_text_at(struct stow_cursor *c, uint32_t token, struct stow_str *ret);

/* 1 and read when the next value is null, else 0. */
int stow_cursor_null(struct stow_cursor *c);

/* An error at the value read last or about to be read. */
int stow_cursor_fail(struct stow_cursor *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same at another token (c->at of an earlier moment). */
int stow_cursor_fail_at(struct stow_cursor *c, uint32_t token, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Records out of memory. */
int stow_cursor_fail_memory(struct stow_cursor *c);

/* One member of an object: its name, and what reads its value.  Most values go as they are to a
 * place in `into`; such a row has `take` and `at` in place of a function of its own. */
struct stow_field {
    const char *name;
    uint32_t len;
    uint32_t at;                                    /* where the value goes, in bytes */
    int (*read)(struct stow_cursor *c, void *into); /* the value, or with `take` each item */
    int (*take)(struct stow_cursor *c, void *into, const struct stow_field *field);
    const struct stow_field *fields; /* of an object inside, read into the same */
    uint32_t count;
    int32_t least; /* of a number */
};

#define STOW_FIELDS_MAX 64 /* of a table: which ones have been seen are the bits of a word */

/* clang-format off */
#define STOW_FIELD_NAMED(text) .name = "" text, .len = sizeof(text) - 1
#define STOW_FIELD(text, fn)   {STOW_FIELD_NAMED(text), .read = (fn)}

/* An object with these fields, and the same where others are an error; an array. */
#define STOW_FIELD_OBJECT(text, table)                                                          \
    {STOW_FIELD_NAMED(text), .take = stow_take_object, .fields = (table),                       \
     .count = sizeof(table) / sizeof((table)[0])}
#define STOW_FIELD_STRICT(text, table)                                                          \
    {STOW_FIELD_NAMED(text), .take = stow_take_strict, .fields = (table),                       \
     .count = sizeof(table) / sizeof((table)[0])}
#define STOW_FIELD_ITEMS(text, fn)                                                              \
    {STOW_FIELD_NAMED(text), .take = stow_take_items, .read = (fn)}

/* The member `to` of the structure `into`, of the type that stow_take_WHAT writes: another one is
 * a warning of the compiler. */
#define STOW_FIELD_AT(text, what, into, to)                                                     \
    {STOW_FIELD_NAMED(text), .take = stow_take_##what, .at = STOW_FIELD_PLACE(what, into, to)}
#define STOW_FIELD_FROM(text, what, least_, into, to)                                           \
    {STOW_FIELD_NAMED(text), .take = stow_take_##what, .least = (least_),                       \
     .at = STOW_FIELD_PLACE(what, into, to)}
#define STOW_FIELD_PLACE(what, into, to)                                                        \
    (offsetof(into, to) + 0 * sizeof(&((into *)0)->to == (stow_taken_##what *)0))
/* clang-format on */

typedef bool stow_taken_flag;
int stow_take_flag(struct stow_cursor *c, void *into, const struct stow_field *field);
int stow_take_object(struct stow_cursor *c, void *into, const struct stow_field *field);
int stow_take_strict(struct stow_cursor *c, void *into, const struct stow_field *field);
int stow_take_items(struct stow_cursor *c, void *into, const struct stow_field *field);

/* Reads an object: members in the table go to their function (null: as if absent; twice: an
 * error), others are skipped.  Strict: others are an error that names what is allowed, unless
 * `unknown` is set. */
int stow_cursor_fields(struct stow_cursor *c, const struct stow_field *fields, uint32_t count,
                       void *into);
int stow_cursor_fields_strict(struct stow_cursor *c, const struct stow_field *fields,
                              uint32_t count, void *into);

#define STOW_FIELDS(c, table, into) \
    stow_cursor_fields((c), (table), sizeof(table) / sizeof((table)[0]), (into))
#define STOW_FIELDS_STRICT(c, table, into) \
    stow_cursor_fields_strict((c), (table), sizeof(table) / sizeof((table)[0]), (into))

/* Reads an array, calling `read` for every item. */
int stow_cursor_items(struct stow_cursor *c, int (*read)(struct stow_cursor *c, void *into),
                      void *into);

#endif
