/* text.h - views of text, and a growing buffer to write text into, for the command alone. */
#ifndef STOW_CLI_TEXT_H
#define STOW_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A view: not owned, not ended by NUL. */
struct stow_cli_str {
    const char *ptr;
    size_t len;
};

/* For printf's "%.*s". */
#define STOW_CLI_FMT(s) (int)((s).len > 4096 ? 4096 : (s).len), (s).ptr

static inline struct stow_cli_str stow_cli_str_of(const char *text)
{
    return (struct stow_cli_str){text, text ? strlen(text) : 0};
}

static inline bool stow_cli_str_is(struct stow_cli_str a, const char *text)
{
    return text && a.len == strlen(text) && memcmp(a.ptr, text, a.len) == 0;
}

/* The view without white space at both ends. */
struct stow_cli_str stow_cli_str_trim(struct stow_cli_str s);

/* Cuts `s` at the first `sep`: returns what is before, leaves what is after in `*rest`.
 * Without `sep` all of `s` is before and `*rest` is empty with a NULL pointer. */
struct stow_cli_str stow_cli_str_cut(struct stow_cli_str s, char sep, struct stow_cli_str *rest);

/* Text being written.  Zeroed is a valid empty one.  An allocation that fails is remembered in
 * `failed`, so that writers need not check each call. */
struct stow_cli_buf {
    char *ptr;
    size_t len, cap;
    bool failed;
};

void stow_cli_buf_add(struct stow_cli_buf *buf, struct stow_cli_str text);
void stow_cli_buf_char(struct stow_cli_buf *buf, char c);
void stow_cli_buf_repeat(struct stow_cli_buf *buf, char c, size_t count);
void stow_cli_buf_printf(struct stow_cli_buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void stow_cli_buf_done(struct stow_cli_buf *buf);

static inline void stow_cli_buf_text(struct stow_cli_buf *buf, const char *text)
{
    stow_cli_buf_add(buf, stow_cli_str_of(text));
}

static inline struct stow_cli_str stow_cli_buf_str(const struct stow_cli_buf *buf)
{
    return (struct stow_cli_str){buf->ptr, buf->len};
}

/* Makes room for `need` elements of `size` bytes in an array of the heap; < 0: out of memory. */
int stow_cli_reserve(void *items, uint32_t *cap, uint32_t need, size_t size);

#endif
