/* str.c - views of text, and a growing buffer to write text into. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

int stow_str_cmp(struct stow_str a, struct stow_str b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;

    if (order != 0)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool stow_str_eq_nocase(struct stow_str a, struct stow_str b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

bool stow_str_contains(struct stow_str in, struct stow_str what)
{
    return what.len == 0 || (in.len && memmem(in.ptr, in.len, what.ptr, what.len) != NULL);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

struct stow_str stow_str_trim(struct stow_str s)
{
    while (s.len && is_space(s.ptr[0]))
        s.ptr++, s.len--;
    while (s.len && is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

struct stow_str stow_str_cut(struct stow_str s, char sep, struct stow_str *rest)
{
    const char *at = s.len ? memchr(s.ptr, sep, s.len) : NULL;

    if (!at) {
        *rest = (struct stow_str){NULL, 0};
        return s;
    }
    size_t before = (size_t)(at - s.ptr);

    *rest = (struct stow_str){at + 1, s.len - before - 1};
    return (struct stow_str){s.ptr, before};
}

bool stow_str_int(struct stow_str s, int64_t *ret)
{
    bool minus = s.len && s.ptr[0] == '-';
    int64_t value = 0;

    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s.ptr++, s.len--;
    if (!s.len)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        int digit = s.ptr[i] - '0';

        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, minus ? -digit : digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

static bool reserve(struct stow_buf *buf, size_t more)
{
    if (buf->failed)
        return false;
    if (more <= buf->cap - buf->len)
        return true;

    size_t cap = buf->cap ? buf->cap : 256;

    while (cap - buf->len < more && cap <= SIZE_MAX / 2)
        cap *= 2;

    char *grown = cap - buf->len >= more ? realloc(buf->ptr, cap) : NULL;

    if (!grown) {
        buf->failed = true;
        return false;
    }
    buf->ptr = grown;
    buf->cap = cap;
    return true;
}

void stow_buf_add(struct stow_buf *buf, struct stow_str text)
{
    if (text.len && reserve(buf, text.len)) {
        memcpy(buf->ptr + buf->len, text.ptr, text.len);
        buf->len += text.len;
    }
}

void stow_buf_char(struct stow_buf *buf, char c)
{
    stow_buf_add(buf, (struct stow_str){&c, 1});
}

void stow_buf_repeat(struct stow_buf *buf, char c, size_t count)
{
    if (count && reserve(buf, count)) {
        memset(buf->ptr + buf->len, c, count);
        buf->len += count;
    }
}

void stow_buf_printf(struct stow_buf *buf, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0 || !reserve(buf, (size_t)len + 1))
        return;
    va_start(args, fmt);
    vsnprintf(buf->ptr + buf->len, (size_t)len + 1, fmt, args);
    va_end(args);
    buf->len += (size_t)len;
}

void stow_buf_done(struct stow_buf *buf)
{
    free(buf->ptr);
    memset(buf, 0, sizeof(*buf));
}
