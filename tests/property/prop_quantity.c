/* prop_quantity.c - quantities against arithmetic on paper.
 *
 * Random texts of the grammar, and mutations of them, are read a second time by a
 * regular expression and numbers kept as rows of decimal digits: doubling, moving
 * the point, rounding up, comparing.  It is slow and can be followed by eye. */
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/values/quantity.h"
#include "tests/property/property.h"

#define DIGITS 600 /* 128 of the text, 60 doublings and moves of at most 400 places */

/* A whole number: digit[0] is the last. */
struct paper {
    unsigned char digit[DIGITS];
};

static void paper_of(struct paper *p, const char *digits)
{
    size_t len = strlen(digits);

    memset(p, 0, sizeof(*p));
    for (size_t i = 0; i < len; i++)
        p->digit[i] = (unsigned char)(digits[len - 1 - i] - '0');
}

static void paper_double(struct paper *p)
{
    unsigned carry = 0;

    for (int i = 0; i < DIGITS; i++) {
        carry += 2u * p->digit[i];
        p->digit[i] = (unsigned char)(carry % 10);
        carry /= 10;
    }
}

static void paper_add_one(struct paper *p)
{
    for (int i = 0; i < DIGITS && ++p->digit[i] == 10; i++)
        p->digit[i] = 0;
}

static bool paper_is_zero(const struct paper *p)
{
    for (int i = 0; i < DIGITS; i++)
        if (p->digit[i])
            return false;
    return true;
}

/* Moves the point: to the right by adding zeros, to the left rounding away from zero. */
static void paper_move(struct paper *p, long places)
{
    bool cut = false;

    if (paper_is_zero(p))
        return;
    for (; places > 0; places--) {
        memmove(p->digit + 1, p->digit, DIGITS - 1);
        p->digit[0] = 0;
    }
    for (; places < 0 && !paper_is_zero(p); places++) {
        cut |= p->digit[0] != 0;
        memmove(p->digit, p->digit + 1, DIGITS - 1);
        p->digit[DIGITS - 1] = 0;
    }
    if (cut)
        paper_add_one(p);
}

static int paper_compare(const struct paper *a, const struct paper *b)
{
    for (int i = DIGITS - 1; i >= 0; i--)
        if (a->digit[i] != b->digit[i])
            return a->digit[i] < b->digit[i] ? -1 : 1;
    return 0;
}

static void paper_text(const struct paper *p, char *to)
{
    int i = DIGITS - 1;

    while (i > 0 && p->digit[i] == 0)
        i--;
    for (; i >= 0; i--)
        *to++ = (char)('0' + p->digit[i]);
    *to = '\0';
}

/* ---- reading a second time --------------------------------------------------------------- */

struct reading {
    enum stow_quantity_error error;
    bool minus, binary, exponent_form, fraction_point;
    char digits[300];               /* whole and fraction */
    size_t whole_len, fraction_len; /* whole without leading zeros */
    long exponent, bits;
};

static regex_t shape, exponent_shape;

static void compile_shapes(void)
{
    static bool done;

    if (done)
        return;
    done = true;
    if (regcomp(&shape, "^([+-]?)([0-9]*)(\\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)$",
                REG_EXTENDED) ||
        regcomp(&exponent_shape, "^[eE][+-]?[0-9]+$", REG_EXTENDED))
        abort();
}

static bool read_suffix(const char *suffix, struct reading *r)
{
    static const struct {
        const char *text;
        int exponent, bits;
    } table[] = {
        {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
        {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
        {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(suffix, table[i].text) == 0) {
            r->exponent = table[i].exponent;
            r->bits = table[i].bits;
            r->binary = r->bits > 0;
            return true;
        }
    if (regexec(&exponent_shape, suffix, 0, NULL, 0))
        return false;
    errno = 0;
    r->exponent_form = true;
    r->exponent = (int32_t)(uint32_t)strtoll(suffix + 1, NULL, 10); /* upstream cuts it so */
    return errno == 0;
}

static void read_again(const char *text, struct reading *r)
{
    regmatch_t at[6];
    char whole[200], suffix[200];

    memset(r, 0, sizeof(*r));
    compile_shapes();
    r->error = STOW_QUANTITY_BAD_FORMAT;
    if (!text[0] || regexec(&shape, text, 6, at, 0))
        return;
    r->minus = text[0] == '-';
    snprintf(whole, sizeof(whole), "%.*s", (int)(at[2].rm_eo - at[2].rm_so), text + at[2].rm_so);
    snprintf(suffix, sizeof(suffix), "%s", text + at[5].rm_so);
    if (at[4].rm_so >= 0)
        r->fraction_len = (size_t)(at[4].rm_eo - at[4].rm_so);

    const char *kept = whole + strspn(whole, "0");

    r->whole_len = strlen(kept);
    snprintf(r->digits, sizeof(r->digits), "%s%.*s", kept, (int)r->fraction_len,
             at[4].rm_so >= 0 ? text + at[4].rm_so : "");
    r->error = STOW_QUANTITY_BAD_SUFFIX;
    if (!read_suffix(suffix, r))
        return;
    /* Without digits only what upstream reads the short way is a number: 0. */
    bool digitless = whole[0] == '\0' && r->fraction_len == 0;

    r->error = digitless && (r->bits >= 50 || r->exponent < -9) ? STOW_QUANTITY_BAD_NUMBER
                                                                : STOW_QUANTITY_OK;
}

/* Nano-units on paper; false when there would be too many digits to write down. */
static bool evaluate(const struct reading *r, struct paper *nano)
{
    long move = r->exponent - (long)r->fraction_len + 9;

    paper_of(nano, r->digits);
    for (long i = 0; i < r->bits; i++)
        paper_double(nano);
    if (move > 400 && !paper_is_zero(nano))
        return false;
    paper_move(nano, move);
    return true;
}

/* ---- comparing --------------------------------------------------------------------------- */

static void number_text(stow_i128 value, char *to)
{
    stow_u128 left = value < 0 ? -(stow_u128)value : (stow_u128)value;
    char backwards[50];
    int len = 0;

    do
        backwards[len++] = (char)('0' + (int)(left % 10));
    while ((left /= 10) != 0);
    while (len > 0)
        *to++ = backwards[--len];
    *to = '\0';
}

/* `got` must be what is on paper, moved left by `places` and clamped to int64. */
static bool same_units(const struct paper *nano, bool minus, long places, int64_t got, bool flagged)
{
    struct paper want = *nano, limit;
    char text[DIGITS + 1], mine[50];

    paper_move(&want, -places);
    paper_of(&limit, minus ? "9223372036854775808" : "9223372036854775807");

    bool beyond = paper_compare(&want, &limit) > 0;

    paper_text(beyond ? &limit : &want, text);
    number_text(got, mine);
    if (strcmp(text, mine) != 0 || beyond != flagged ||
        (got < 0) != (minus && strcmp(text, "0") != 0))
        return property_fails("%s%s units expected, got %lld (%d)", minus ? "-" : "", text,
                              (long long)got, flagged);
    return true;
}

static bool same_values(struct paper *nano, const struct reading *r, const struct stow_quantity *q)
{
    struct paper limit;
    char text[DIGITS + 1], mine[50];
    bool value_flag = false, milli_flag = false;

    paper_of(&limit, r->binary ? "9223372036854775807000000000"
                               : "170141183460469231731687303715884105727");

    bool beyond = paper_compare(nano, &limit) > 0;

    if (beyond)
        *nano = limit;
    paper_text(nano, text);
    number_text(q->nano, mine);
    if (strcmp(text, mine) != 0 || q->saturated != (beyond && !r->binary) ||
        (q->nano < 0) != (r->minus && !paper_is_zero(nano)))
        return property_fails("%s nano-units expected, got %s (%d)", text, mine, q->saturated);

    int64_t value = stow_quantity_value(q, &value_flag),
            milli = stow_quantity_milli(q, &milli_flag);

    return same_units(nano, r->minus, 9, value, value_flag) &&
           same_units(nano, r->minus, 6, milli, milli_flag);
}

/* ---- canonical text ---------------------------------------------------------------------- */

static bool keeps_its_text(const struct reading *r)
{
    long digits = (long)(r->whole_len ? r->whole_len : 1) + (long)r->fraction_len;
    size_t len = strlen(r->digits);

    if (r->whole_len == 0)
        return false;
    if (r->binary)
        return r->fraction_len == 0 && 15 - digits - (long)(0.3 * (double)r->bits) - 1 >= 0 &&
               strtoull(r->digits, NULL, 10) % 8 != 0;
    return digits <= 18 && (long)r->fraction_len - r->exponent <= 9 &&
           (r->exponent - (long)r->fraction_len) % 3 == 0 &&
           !(len >= 3 && strcmp(r->digits + len - 3, "000") == 0);
}

/* Digits without zeros behind, a power of ten that is a multiple of three, and its suffix. */
static void write_decimal(const struct paper *nano, bool minus, bool exponent_form,
                          struct stow_buf *to)
{
    static const char *const suffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    char text[DIGITS + 1];

    paper_text(nano, text);

    long len = (long)strlen(text), exponent = -9;

    for (; text[len - 1] == '0'; len--)
        exponent++;
    for (; exponent % 3 != 0 || (!exponent_form && exponent > 18); exponent--)
        text[len++] = '0';
    stow_buf_printf(to, "%s%.*s", minus ? "-" : "", (int)len, text);
    if (!exponent_form)
        stow_buf_text(to, suffixes[exponent / 3 + 3]);
    else if (exponent != 0)
        stow_buf_printf(to, "e%ld", exponent);
}

static void write_binary(const struct paper *nano, bool minus, struct stow_buf *to)
{
    static const char *const suffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    struct paper whole = *nano;
    char text[DIGITS + 1];
    int power = 0;

    paper_move(&whole, -9);
    paper_text(&whole, text);

    unsigned long long value = strtoull(text, NULL, 10);

    for (; value % 1024 == 0 && power < 6; power++)
        value /= 1024;
    stow_buf_printf(to, "%s%llu%s", minus ? "-" : "", value, suffixes[power]);
}

static void canonical(const char *text, const struct reading *r, const struct paper *nano,
                      struct stow_buf *to)
{
    struct paper kilo;
    bool whole = true;

    paper_of(&kilo, "1024000000000");
    for (int i = 0; i < 9; i++)
        whole &= nano->digit[i] == 0;
    if (paper_is_zero(nano))
        stow_buf_char(to, '0');
    else if (keeps_its_text(r))
        stow_buf_text(to, text);
    else if (r->binary && whole && paper_compare(nano, &kilo) >= 0)
        write_binary(nano, r->minus, to);
    else
        write_decimal(nano, r->minus, r->exponent_form, to);
}

static bool same_canonical(const char *text, const struct reading *r, const struct paper *nano)
{
    struct stow_buf want = {0}, got = {0};

    canonical(text, r, nano, &want);
    stow_quantity_canonical(stow_str_of(text), &got);

    bool same = stow_str_eq(stow_buf_str(&want), stow_buf_str(&got));

    if (!same)
        property_fails("canonical %.*s expected, got %.*s", STOW_FMT(stow_buf_str(&want)),
                       STOW_FMT(stow_buf_str(&got)));
    stow_buf_done(&want);
    stow_buf_done(&got);
    return same;
}

/* ---- texts ------------------------------------------------------------------------------- */

static void add_digits(struct chance *c, struct stow_buf *to, uint32_t most)
{
    uint32_t count = chance_below(c, most + 1);
    bool nines = chance_one_in(c, 8), zeros = chance_one_in(c, 8);

    for (uint32_t i = 0; i < count; i++) {
        char digit = "0123456789"[chance_below(c, 10)];

        if (nines || (zeros && i > 0))
            digit = nines ? '9' : '0';
        stow_buf_char(to, digit);
    }
}

static void add_suffix(struct chance *c, struct stow_buf *to)
{
    static const char *const suffixes[] = {"",   "",   "",   "n",  "u",  "m",  "m",
                                           "k",  "M",  "G",  "T",  "P",  "E",  "Ki",
                                           "Mi", "Gi", "Ti", "Pi", "Ei", "Mi", "Gi"};

    if (!chance_one_in(c, 5)) {
        stow_buf_text(to, suffixes[chance_below(c, sizeof(suffixes) / sizeof(suffixes[0]))]);
        return;
    }
    stow_buf_text(to, chance_one_in(c, 2) ? "e" : "E");
    stow_buf_text(to, chance_one_in(c, 3) ? "-" : chance_one_in(c, 3) ? "+" : "");
    stow_buf_printf(to, "%u", chance_below(c, chance_one_in(c, 10) ? 2000000000u : 40));
}

static void make_text(struct chance *c, struct stow_buf *to)
{
    stow_buf_text(to, chance_one_in(c, 6) ? "-" : chance_one_in(c, 8) ? "+" : "");
    stow_buf_text(to, chance_one_in(c, 10) ? "00" : "");
    add_digits(c, to, chance_one_in(c, 4) ? 45 : 8);
    if (chance_one_in(c, 2)) {
        stow_buf_char(to, '.');
        add_digits(c, to, chance_one_in(c, 4) ? 30 : 6);
    }
    add_suffix(c, to);
}

static void mutate(struct chance *c, char *text)
{
    static const char alphabet[] = "0123456789.+-eEinumkKMGTP ix,_";
    size_t len = strlen(text), at = chance_below(c, (uint32_t)len + 1);
    char put = alphabet[chance_below(c, sizeof(alphabet) - 1)];

    if (at < len && chance_one_in(c, 2)) {
        text[at] = put;
    } else if (at < len && chance_one_in(c, 2)) {
        memmove(text + at, text + at + 1, len - at);
    } else {
        memmove(text + at + 1, text + at, len - at + 1);
        text[at] = put;
    }
}

static bool agree(const char *text)
{
    struct stow_quantity q = {0};
    enum stow_quantity_error error = stow_quantity_parse(stow_str_of(text), &q);
    struct reading r;
    struct paper nano;

    read_again(text, &r);
    if (error != r.error)
        return property_fails("error %d expected, got %d", (int)r.error, (int)error);
    if (error)
        return true;
    if (!evaluate(&r, &nano))
        return q.saturated || property_fails("not saturated");

    struct paper exact = nano;

    if (!same_values(&nano, &r, &q))
        return false;

    struct paper one;

    paper_of(&one, "1000000000");

    enum stow_quantity_format format =
        r.exponent_form ? STOW_QUANTITY_DECIMAL_EXPONENT
        : r.binary && (paper_is_zero(&nano) || paper_compare(&nano, &one) >= 0)
            ? STOW_QUANTITY_BINARY_SI
            : STOW_QUANTITY_DECIMAL_SI;

    if (q.format != format)
        return property_fails("format %d expected, got %d", (int)format, (int)q.format);
    return same_canonical(text, &r, r.binary ? &nano : &exact);
}

static bool quantities_hold(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_buf made = {0};
    char text[256];

    make_text(&c, &made);
    snprintf(text, sizeof(text), "%.*s", STOW_FMT(stow_buf_str(&made)));
    stow_buf_done(&made);
    if (chance_one_in(&c, 3))
        mutate(&c, text);
    if (strlen(text) > STOW_QUANTITY_MAX_TEXT)
        return true;
    return agree(text) || property_fails("of '%s'", text);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"quantities-are-what-they-are-on-paper", quantities_hold, 60000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
