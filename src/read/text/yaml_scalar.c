/* yaml_scalar.c - what a plain YAML scalar means, the way kubectl reads it.
 *
 * kubectl turns YAML into JSON with YAML 1.1's ideas of a boolean (yes, no, on,
 * off, y, n) and Go's ideas of a number (0x1f, 0o17, 017, 0b11, 1_000).  Numbers
 * keep their digits: 0.1 stays 0.1 and an integer of any length stays exact,
 * where kubectl would go through a double. */
#include "read/text/yaml_scalar.h"

#include <stdbool.h>

struct word {
    const char *text;
    enum stow_yaml_kind kind;
};

static const struct word words[] = {
    {"", STOW_YAML_NULL},
    {"~", STOW_YAML_NULL},
    {"null", STOW_YAML_NULL},
    {"Null", STOW_YAML_NULL},
    {"NULL", STOW_YAML_NULL},
    {"true", STOW_YAML_TRUE},
    {"True", STOW_YAML_TRUE},
    {"TRUE", STOW_YAML_TRUE},
    {"y", STOW_YAML_TRUE},
    {"Y", STOW_YAML_TRUE},
    {"yes", STOW_YAML_TRUE},
    {"Yes", STOW_YAML_TRUE},
    {"YES", STOW_YAML_TRUE},
    {"on", STOW_YAML_TRUE},
    {"On", STOW_YAML_TRUE},
    {"ON", STOW_YAML_TRUE},
    {"false", STOW_YAML_FALSE},
    {"False", STOW_YAML_FALSE},
    {"FALSE", STOW_YAML_FALSE},
    {"n", STOW_YAML_FALSE},
    {"N", STOW_YAML_FALSE},
    {"no", STOW_YAML_FALSE},
    {"No", STOW_YAML_FALSE},
    {"NO", STOW_YAML_FALSE},
    {"off", STOW_YAML_FALSE},
    {"Off", STOW_YAML_FALSE},
    {"OFF", STOW_YAML_FALSE},
    {".inf", STOW_YAML_NOT_FINITE},
    {".Inf", STOW_YAML_NOT_FINITE},
    {".INF", STOW_YAML_NOT_FINITE},
    {"+.inf", STOW_YAML_NOT_FINITE},
    {"+.Inf", STOW_YAML_NOT_FINITE},
    {"+.INF", STOW_YAML_NOT_FINITE},
    {"-.inf", STOW_YAML_NOT_FINITE},
    {"-.Inf", STOW_YAML_NOT_FINITE},
    {"-.INF", STOW_YAML_NOT_FINITE},
    {".nan", STOW_YAML_NOT_FINITE},
    {".NaN", STOW_YAML_NOT_FINITE},
    {".NAN", STOW_YAML_NOT_FINITE},
};

static size_t digits(struct stow_str s, size_t from)
{
    size_t i = from;

    while (i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9')
        i++;
    return i - from;
}

/* Writes the value of `s` in `base` in decimal; false when it is not such a number or beyond 64
 * bits.
 */
static bool write_based(struct stow_str s, unsigned base, bool minus, struct stow_buf *number)
{
    uint64_t value = 0;

    if (!s.len)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 99;

        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    stow_buf_printf(number, "%s%llu", minus && value ? "-" : "", (unsigned long long)value);
    return true;
}

/* 0x, 0o, 0b and Go's leading zero. */
static bool write_prefixed(struct stow_str s, bool minus, struct stow_buf *number)
{
    struct stow_str behind = {s.ptr + 2, s.len - 2};

    switch (s.ptr[1] | 0x20) {
    case 'x':
        return write_based(behind, 16, minus, number);
    case 'o':
        return write_based(behind, 8, minus, number);
    case 'b':
        return write_based(behind, 2, minus, number);
    default:
        return write_based((struct stow_str){s.ptr + 1, s.len - 1}, 8, minus, number);
    }
}

/* digits [ . digits ] [ e sign digits ], or . digits ..., rewritten with digits on both sides of
 * the point and without leading zeros, as JSON wants it. */
static bool write_decimal(struct stow_str s, bool minus, struct stow_buf *number)
{
    size_t whole = digits(s, 0), at = whole, fraction = 0, point = at;
    struct stow_str exponent = {"", 0};

    if (at < s.len && s.ptr[at] == '.') {
        point = at + 1;
        fraction = digits(s, point);
        at = point + fraction;
    }
    if (!whole && !fraction)
        return false;
    if (at < s.len && (s.ptr[at] | 0x20) == 'e') {
        size_t sign = at + 1 < s.len && (s.ptr[at + 1] == '-' || s.ptr[at + 1] == '+');
        size_t count = digits(s, at + 1 + sign);

        if (!count)
            return false;
        exponent = (struct stow_str){s.ptr + at, 1 + sign + count};
        at += exponent.len;
    }
    if (at != s.len)
        return false;

    size_t zeros = 0;

    while (zeros + 1 < whole && s.ptr[zeros] == '0')
        zeros++;
    stow_buf_text(number, minus ? "-" : "");
    stow_buf_add(number, whole ? (struct stow_str){s.ptr + zeros, whole - zeros} : STOW_STR("0"));
    if (fraction) {
        stow_buf_char(number, '.');
        stow_buf_add(number, (struct stow_str){s.ptr + point, fraction});
    }
    stow_buf_add(number, exponent);
    return true;
}

static bool write_number(struct stow_str s, struct stow_buf *number)
{
    bool minus = s.len > 0 && s.ptr[0] == '-';

    if (s.len == 0)
        return false;
    if (s.ptr[0] == '-' || s.ptr[0] == '+')
        s.ptr++, s.len--;
    if (s.len > 1 && s.ptr[0] == '0' && s.ptr[1] != '.' && write_prefixed(s, minus, number))
        return true;
    return write_decimal(s, minus, number);
}

static bool starts_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

/* Go drops underscores before it reads a number. */
static enum stow_yaml_kind resolve_number(struct stow_str plain, struct stow_buf *number)
{
    char kept[128];
    size_t len = 0;

    if (!memchr(plain.ptr, '_', plain.len))
        return write_number(plain, number) ? STOW_YAML_NUMBER : STOW_YAML_TEXT;
    for (size_t i = 0; i < plain.len; i++) {
        if (plain.ptr[i] == '_')
            continue;
        if (len == sizeof(kept))
            return STOW_YAML_TEXT;
        kept[len++] = plain.ptr[i];
    }
    return write_number((struct stow_str){kept, len}, number) ? STOW_YAML_NUMBER : STOW_YAML_TEXT;
}

enum stow_yaml_kind stow_yaml_resolve(struct stow_str plain, struct stow_buf *number)
{
    if (plain.len <= 5)
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (stow_str_is(plain, words[i].text))
                return words[i].kind;
    if (!starts_number(plain.ptr[0]))
        return STOW_YAML_TEXT;
    return resolve_number(plain, number);
}
