/* gce_number.c - numbers as Go's strconv reads them.
 *
 * strtod reads more than Go (white space, "0x1" without exponent, "nan(1)") and less
 * ("1_000"), so the syntax is checked here and strtod only gets the digits. */
#include "price/models/gce_number.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* No sensible input counts disks with more digits. */
#define FLOAT_TEXT 256

/* ---- syntax ------------------------------------------------------------------------------ */

struct scan {
    struct stow_str text;
    size_t at;
    bool hex;
};

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int peek(const struct scan *in)
{
    return in->at < in->text.len ? lower(in->text.ptr[in->at]) : '\0';
}

static bool is_digit(int c, bool hex)
{
    c = lower(c);
    return (c >= '0' && c <= '9') || (hex && c >= 'a' && c <= 'f');
}

static void skip_sign(struct scan *in)
{
    in->at += peek(in) == '+' || peek(in) == '-';
}

/* How many digits follow; underscores among them are looked at later. */
static uint32_t skip_digits(struct scan *in, bool hex)
{
    uint32_t digits = 0;

    for (; is_digit(peek(in), hex) || peek(in) == '_'; in->at++)
        digits += peek(in) != '_';
    return digits;
}

static bool skip_mantissa(struct scan *in)
{
    uint32_t digits = skip_digits(in, in->hex);

    if (peek(in) == '.') {
        in->at++;
        digits += skip_digits(in, in->hex);
    }
    return digits > 0;
}

/* Hexadecimal numbers must have an exponent. */
static bool skip_exponent(struct scan *in)
{
    if (peek(in) != (in->hex ? 'p' : 'e'))
        return !in->hex;
    in->at++;
    skip_sign(in);
    return skip_digits(in, false) > 0;
}

/* Each underscore stands between two digits, or between the prefix 0x and a digit. */
static bool underscores_fit(struct stow_str digits, bool hex)
{
    char before = hex ? '0' : '!';

    for (size_t i = 0; i < digits.len; i++) {
        char c = digits.ptr[i];

        if (c == '_' ? !is_digit(before, hex) : before == '_' && !is_digit(c, hex))
            return false;
        before = c;
    }
    return before != '_';
}

static bool is_float(struct stow_str text)
{
    struct scan in = {.text = text};

    skip_sign(&in);
    if (peek(&in) == '0' && in.at + 1 < text.len && lower(text.ptr[in.at + 1]) == 'x') {
        in.hex = true;
        in.at += 2;
    }

    const struct stow_str digits = {text.ptr + in.at, text.len - in.at};

    return skip_mantissa(&in) && skip_exponent(&in) && in.at == text.len &&
           underscores_fit(digits, in.hex);
}

/* ---- values ------------------------------------------------------------------------------ */

static bool is_infinity(struct stow_str text, double *ret)
{
    const bool minus = text.len && text.ptr[0] == '-';

    if (text.len && (minus || text.ptr[0] == '+'))
        text.ptr++, text.len--;
    *ret = minus ? -INFINITY : INFINITY;
    return stow_str_eq_nocase(text, STOW_STR("inf")) ||
           stow_str_eq_nocase(text, STOW_STR("infinity"));
}

double stow_gce_float(struct stow_str text)
{
    char digits[FLOAT_TEXT];
    size_t len = 0;
    double infinity;

    if (is_infinity(text, &infinity))
        return infinity;
    if (stow_str_eq_nocase(text, STOW_STR("nan")))
        return NAN;
    if (text.len >= sizeof(digits) || !is_float(text))
        return 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '_')
            digits[len++] = text.ptr[i];
    digits[len] = '\0';
    return strtod(digits, NULL);
}

int64_t stow_gce_int(struct stow_str text)
{
    int64_t value;
    struct scan in = {.text = text};

    if (stow_str_int(text, &value))
        return value;
    skip_sign(&in);
    if (in.at == text.len)
        return 0;
    for (; in.at < text.len; in.at++)
        if (!is_digit(peek(&in), false))
            return 0;
    return text.ptr[0] == '-' ? INT64_MIN : INT64_MAX;
}
