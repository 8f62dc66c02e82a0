/* str.h - views of text, and a growing buffer to write text into. */
#ifndef STOW_BASE_STR_H
#define STOW_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A view: not owned, not ended by NUL, may hold NUL bytes. */
struct stow_str {
    const char *ptr;
    size_t len;
};

#define STOW_STR(literal) ((struct stow_str){"" literal, sizeof(literal) - 1})

/* For printf's "%.*s". */
#define STOW_FMT(s) (int)((s).len > 4096 ? 4096 : (s).len), (s).ptr

static inline struct stow_str stow_str_of(const char *text)
{
    return (struct stow_str){text, text ? strlen(text) : 0};
}

static inline bool stow_str_eq(struct stow_str a, struct stow_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool stow_str_is(struct stow_str a, const char *text)
{
    return stow_str_eq(a, stow_str_of(text));
}

static inline bool stow_str_starts(struct stow_str a, struct stow_str with)
{
    return a.len >= with.len && memcmp(a.ptr, with.ptr, with.len) == 0;
}

/* Bytewise, shorter first: the order of names everywhere. */
int stow_str_cmp(struct stow_str a, struct stow_str b);
bool stow_str_eq_nocase(struct stow_str a, struct stow_str b);
bool stow_str_contains(struct stow_str in, struct stow_str what);

/* The view without white space at both ends. */
struct stow_str stow_str_trim(struct stow_str s);

/* Cuts `s` at the first `sep`: returns what is before, leaves what is after in `*rest`.
 * Without `sep` all of `s` is before and `*rest` is empty with a NULL pointer. */
struct stow_str stow_str_cut(struct stow_str s, char sep, struct stow_str *rest);

/* All of the text must be a decimal int64 with an optional sign. */
bool stow_str_int(struct stow_str s, int64_t *ret);

/* Text being written.  Zeroed is a valid empty one.  An allocation that fails is
 * remembered in `failed`, so that writers need not check each call. */
struct stow_buf {
    char *ptr;
    size_t len, cap;
    bool failed;
};

void stow_buf_add(struct stow_buf *buf, struct stow_str text);
void stow_buf_char(struct stow_buf *buf, char c);
void stow_buf_repeat(struct stow_buf *buf, char c, size_t count);
void stow_buf_printf(struct stow_buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void stow_buf_done(struct stow_buf *buf);

static inline void stow_buf_text(struct stow_buf *buf, const char *text)
{
    stow_buf_add(buf, stow_str_of(text));
}

static inline struct stow_str stow_buf_str(const struct stow_buf *buf)
{
    return (struct stow_str){buf->ptr, buf->len};
}

#endif
