/* text.c - views of text, and a growing buffer to write text into. */
#include "cli/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <stowage/error.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct stow_cli_str stow_cli_str_trim(struct stow_cli_str s)
{
    while (s.len && is_space(s.ptr[0]))
        s.ptr++, s.len--;
    while (s.len && is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

struct stow_cli_str stow_cli_str_cut(struct stow_cli_str s, char sep, struct stow_cli_str *rest)
{
    const char *at = s.len ? memchr(s.ptr, sep, s.len) : NULL;

    if (!at) {
        *rest = (struct stow_cli_str){NULL, 0};
        return s;
    }

    const size_t before = (size_t)(at - s.ptr);

    *rest = (struct stow_cli_str){at + 1, s.len - before - 1};
    return (struct stow_cli_str){s.ptr, before};
}

static bool reserve(struct stow_cli_buf *buf, size_t more)
{
    size_t cap = buf->cap ? buf->cap : 256;
    char *made;

    if (buf->failed || more <= buf->cap - buf->len)
        return !buf->failed;
    while (cap - buf->len < more)
        cap *= 2;
    made = realloc(buf->ptr, cap);
    if (!made) {
        buf->failed = true;
        return false;
    }
    buf->ptr = made;
    buf->cap = cap;
    return true;
}

void stow_cli_buf_add(struct stow_cli_buf *buf, struct stow_cli_str text)
{
    if (!text.len || !reserve(buf, text.len))
        return;
    memcpy(buf->ptr + buf->len, text.ptr, text.len);
    buf->len += text.len;
}

void stow_cli_buf_char(struct stow_cli_buf *buf, char c)
{
    stow_cli_buf_repeat(buf, c, 1);
}

void stow_cli_buf_repeat(struct stow_cli_buf *buf, char c, size_t count)
{
    if (!reserve(buf, count))
        return;
    memset(buf->ptr + buf->len, c, count);
    buf->len += count;
}

void stow_cli_buf_printf(struct stow_cli_buf *buf, const char *fmt, ...)
{
    va_list args;
    int need;

    va_start(args, fmt);
    need = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (need < 0 || !reserve(buf, (size_t)need + 1)) {
        buf->failed = true;
        return;
    }
    va_start(args, fmt);
    vsnprintf(buf->ptr + buf->len, (size_t)need + 1, fmt, args);
    va_end(args);
    buf->len += (size_t)need;
}

void stow_cli_buf_done(struct stow_cli_buf *buf)
{
    free(buf->ptr);
    *buf = (struct stow_cli_buf){0};
}

int stow_cli_reserve(void *items, uint32_t *cap, uint32_t need, size_t size)
{
    void **array = items;
    uint32_t room = *cap ? *cap : 8;
    void *made;

    if (need <= *cap)
        return STOW_OK;
    while (room < need)
        room *= 2;
    made = realloc(*array, room * size);
    if (!made)
        return STOW_ENOMEM;
    *array = made;
    *cap = room;
    return STOW_OK;
}
