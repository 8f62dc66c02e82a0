/* money.c - money as an integer of 10^-9 currency units.
 *
 * A price is read from its digits: each non-zero digit has a place (a power of
 * ten), the lowest must not lie beyond the ninth decimal and the highest must
 * fit.  No double is involved at any point, so "0.1" is a tenth, and a price
 * that a vendor prints with thirteen zeros after it is the same price. */
#include "model/values/money.h"

#include <stdio.h>
#include <string.h>

#include "base/int128.h"

enum { DECIMALS = 9, HIGHEST_PLACE = 9 };

/* A decimal number taken apart: digits are counted without the point. */
struct decimal {
    struct stow_str digits; /* with the point in it */
    int64_t whole;          /* digits in front of the point */
    int64_t exponent;
    int64_t first, last; /* digits that are not 0; first < 0: none */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_from(struct stow_str text, size_t at)
{
    while (at < text.len && is_digit(text.ptr[at]))
        at++;
    return at;
}

/* An exponent beyond these limits decides nothing that the limit does not. */
static int64_t clamped_exponent(struct stow_str digits, bool minus)
{
    int64_t value = 0;

    for (size_t i = 0; i < digits.len; i++)
        if (value < INT64_MAX / 16)
            value = value * 10 + (digits.ptr[i] - '0');
    return minus ? -value : value;
}

/* Reads "e-3" from `at` on; false: something else is there. */
static bool exponent_from(struct stow_str text, size_t at, int64_t *ret)
{
    *ret = 0;
    if (at == text.len)
        return true;
    if (text.ptr[at] != 'e' && text.ptr[at] != 'E')
        return false;
    at++;

    bool minus = at < text.len && text.ptr[at] == '-';

    if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
        at++;
    if (at == text.len || digits_from(text, at) != text.len)
        return false;
    *ret = clamped_exponent((struct stow_str){text.ptr + at, text.len - at}, minus);
    return true;
}

static void find_digits(struct decimal *d)
{
    int64_t number = 0;

    d->first = -1;
    for (size_t i = 0; i < d->digits.len; i++) {
        if (d->digits.ptr[i] == '.')
            continue;
        if (d->digits.ptr[i] != '0') {
            d->first = d->first < 0 ? number : d->first;
            d->last = number;
        }
        number++;
    }
}

static bool take_apart(struct stow_str text, struct decimal *d)
{
    size_t whole = digits_from(text, 0), end = whole;

    if (whole == 0)
        return false;
    if (whole < text.len && text.ptr[whole] == '.') {
        end = digits_from(text, whole + 1);
        if (end == whole + 1)
            return false;
    }
    d->digits = (struct stow_str){text.ptr, end};
    d->whole = (int64_t)whole;
    find_digits(d);
    return exponent_from(text, end, &d->exponent);
}

/* The power of ten that a digit stands for. */
static int64_t place(const struct decimal *d, int64_t digit)
{
    return d->whole - 1 - digit + d->exponent;
}

/* Only called when all places are between -9 and 9: at most 19 digits. */
static stow_u128 compose(const struct decimal *d)
{
    stow_u128 value = 0;
    int64_t number = 0;

    for (size_t i = 0; i < d->digits.len; i++) {
        if (d->digits.ptr[i] == '.')
            continue;
        if (number >= d->first && number <= d->last)
            value = value * 10 + (unsigned)(d->digits.ptr[i] - '0');
        number++;
    }
    for (int64_t at = place(d, d->last); at > -DECIMALS; at--)
        value *= 10;
    return value;
}

static int refuse(struct stow_err *err, struct stow_str text, const char *why)
{
    int shown = text.len > 64 ? 64 : (int)text.len;

    return stow_fail(err, STOW_EPARSE, "'%.*s%s' %s", shown, text.len ? text.ptr : "",
                     text.len > 64 ? "..." : "", why);
}

bool stow_currency_is_code(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < 'A' || text.ptr[i] > 'Z')
            return false;
    return text.len == 3;
}

int stow_money_parse(struct stow_str text, stow_nano *ret, struct stow_err *err)
{
    struct decimal d = {0};

    if (text.len == 0)
        return stow_fail(err, STOW_EPARSE, "the amount is empty");
    if (text.ptr[0] == '-')
        return refuse(err, text, "is negative; a price is 0 or more");
    if (!take_apart(text, &d))
        return refuse(err, text, "is not a decimal number such as 0.096");
    if (d.first < 0) {
        *ret = 0;
        return STOW_OK;
    }
    if (place(&d, d.first) > HIGHEST_PLACE)
        return refuse(err, text, "is too large; the limit is 9223372036");
    if (place(&d, d.last) < -DECIMALS)
        return refuse(err, text, "has a digit beyond the ninth decimal");

    stow_u128 value = compose(&d);

    if (value > (stow_u128)INT64_MAX)
        return refuse(err, text, "is too large; the limit is 9223372036");
    *ret = (stow_nano)value;
    return STOW_OK;
}

const char *stow_money_exact(stow_nano amount, char text[STOW_MONEY_TEXT])
{
    if (amount == STOW_MONEY_UNKNOWN) {
        snprintf(text, STOW_MONEY_TEXT, "unknown");
        return text;
    }

    uint64_t size = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;

    snprintf(text, STOW_MONEY_TEXT, "%s%llu.%09llu", amount < 0 ? "-" : "",
             (unsigned long long)(size / STOW_NANO_PER_UNIT),
             (unsigned long long)(size % STOW_NANO_PER_UNIT));
    return text;
}

const char *stow_money_short(stow_nano amount, char text[STOW_MONEY_TEXT])
{
    stow_money_exact(amount, text);
    if (amount == STOW_MONEY_UNKNOWN)
        return text;

    size_t len = strlen(text), least = len - (DECIMALS - 2);

    while (len > least && text[len - 1] == '0')
        text[--len] = '\0';
    return text;
}

void stow_money_sum_add_parts(struct stow_money_sum *sum, stow_nano amount, int64_t parts)
{
    if (amount == STOW_MONEY_UNKNOWN) {
        sum->unknown += parts;
        return;
    }
    sum->known += parts;
    if (__builtin_add_overflow(sum->amount, amount, &sum->amount))
        sum->amount = amount < 0 ? -INT64_MAX : INT64_MAX;
}

void stow_money_sum_add(struct stow_money_sum *sum, stow_nano amount)
{
    stow_money_sum_add_parts(sum, amount, 1);
}

void stow_money_sum_add_sum(struct stow_money_sum *sum, const struct stow_money_sum *other)
{
    stow_money_sum_add_parts(sum, other->amount, other->known);
    sum->unknown += other->unknown;
}
