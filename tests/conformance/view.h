/* view.h - a case file as values that can be looked at in any order.
 *
 * The library reads documents from front to back and keeps what it needs.  A
 * handler of cases wants the opposite: this member, then that one, and the whole
 * pod handed to the product's own reader.  A view is therefore a token of the tape
 * plus the file it belongs to; nothing is copied, and numbers stay the digits
 * that were written (some exceed 64 bits).
 *
 * Absent is a value: members of what is absent are absent, so handlers chain
 * stow_view_get() and look once at the end. */
#ifndef TESTS_CONFORMANCE_VIEW_H
#define TESTS_CONFORMANCE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/int128.h"
#include "base/str.h"
#include "read/text/cursor.h"
#include "read/text/tape.h"

struct stow_case_file {
    struct stow_tape tape;
    char *text;
    uint32_t *close;     /* per token: of an opening bracket, the token that closes it */
    uint32_t *backslash; /* offsets, ascending */
    uint32_t backslashes, backslash_cap;
};

struct stow_view {
    const struct stow_case_file *file;
    uint32_t token;
};

/* Reads and checks the whole file.  `file` is valid for done in any case. */
int stow_case_file_open(struct stow_case_file *file, const char *path, struct stow_err *err);
/* The same from memory, which is copied. */
int stow_case_file_parse(struct stow_case_file *file, const char *name, struct stow_str text,
                         struct stow_err *err);
void stow_case_file_done(struct stow_case_file *file);

struct stow_view stow_view_root(const struct stow_case_file *file);

/* STOW_TOKEN_END for what is absent. */
enum stow_token stow_view_type(struct stow_view v);

/* Neither absent nor null. */
bool stow_view_given(struct stow_view v);

/* The member of an object; absent when there is none, or when `v` is no object. */
struct stow_view stow_view_get(struct stow_view v, const char *name);

/* Goes over an object or a list: `struct stow_view_walk w = stow_view_walk(v);
 * while (stow_view_next(&w)) ... w.key, w.value`.  Nothing else has items. */
struct stow_view_walk {
    struct stow_view value, key; /* the key is absent in a list */
    uint32_t next, end, index;   /* index of the value, from 0 */
};

struct stow_view_walk stow_view_walk(struct stow_view v);
bool stow_view_next(struct stow_view_walk *walk);
uint32_t stow_view_count(struct stow_view v);

/* A string without its escapes, or the digits of a number; else empty.  Valid as long as the file
 * for texts without escapes, else until `room` is written again. */
struct stow_str stow_view_text(struct stow_view v, struct stow_buf *room);
bool stow_view_is(struct stow_view v, const char *text);

/* All false when the value is not of that kind (or does not fit). */
bool stow_view_bool(struct stow_view v, bool *ret);
bool stow_view_int(struct stow_view v, int64_t *ret);
bool stow_view_int128(struct stow_view v, stow_i128 *ret);

/* A number, a text with a decimal or a fraction ("17/120"), or {exact, decimal, float64}. */
bool stow_view_real(struct stow_view v, double *ret);

/* A cursor in front of the value, for the product's own readers.  stow_cursor_done it. */
void stow_view_cursor(struct stow_view v, struct stow_cursor *c, struct stow_err *err);

/* The JSON text of the value as it stands in the file. */
struct stow_str stow_view_raw(struct stow_view v);

#endif
