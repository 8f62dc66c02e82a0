/* quantity.c - Kubernetes resource quantities, exact to 10^-9.
 *
 * A text is scanned into sign, digits, fraction and suffix.  Nearly all have at
 * most 18 digits and end in one 128-bit multiplication or division (`small`);
 * the rest go through a number of 64 limbs (`large`), which is slow, obvious and
 * never wrong.  Both round what 10^-9 cannot express away from zero, as upstream
 * does; where upstream's 64 bits overflow we clamp and say so.
 *
 * The canonical text follows upstream's two habits: zero digits are moved into
 * the suffix, and a text that upstream reads the short way and that looks
 * canonical enough is kept as it was written ("1.500", "+1", "01"). */
#include "model/values/quantity.h"

#include <stdlib.h>

#define SMALL_DIGITS 18
#define MAX_SHIFT    200 /* powers of ten beyond this are clamped, not computed */

struct parts {
    bool minus;
    struct stow_str whole, fraction; /* whole without leading zeros */
    bool digitless;
    int32_t exponent; /* of ten, from the suffix */
    uint32_t bits;    /* of two, from the suffix */
    enum stow_quantity_format format;
};

/* ---- scanning ---------------------------------------------------------------------------- */

static size_t count_digits(struct stow_str s, size_t from)
{
    size_t n = 0;

    while (from + n < s.len && s.ptr[from + n] >= '0' && s.ptr[from + n] <= '9')
        n++;
    return n;
}

static bool read_exponent(struct stow_str suffix, struct parts *p)
{
    int64_t value;

    if (suffix.len < 2 || (suffix.ptr[0] != 'e' && suffix.ptr[0] != 'E') ||
        !stow_str_int((struct stow_str){suffix.ptr + 1, suffix.len - 1}, &value))
        return false;
    p->exponent = (int32_t)(uint32_t)(uint64_t)value; /* cut to 32 bits, as upstream cuts it */
    p->format = STOW_QUANTITY_DECIMAL_EXPONENT;
    return true;
}

static bool read_suffix(struct stow_str suffix, struct parts *p)
{
    static const char binary[] = "KMGTPE", decimal[] = "num kMGTPE";

    p->format = STOW_QUANTITY_DECIMAL_SI;
    if (suffix.len == 0)
        return true;
    if (suffix.len == 2 && suffix.ptr[1] == 'i') {
        const char *at = memchr(binary, suffix.ptr[0], sizeof(binary) - 1);

        p->bits = at ? (uint32_t)(at - binary + 1) * 10 : 0;
        p->format = STOW_QUANTITY_BINARY_SI;
        return at != NULL;
    }
    if (suffix.len == 1) {
        const char *at = memchr(decimal, suffix.ptr[0], sizeof(decimal) - 1);

        p->exponent = at ? ((int32_t)(at - decimal) - 3) * 3 : 0;
        return at != NULL && suffix.ptr[0] != ' ';
    }
    return read_exponent(suffix, p);
}

/* [eEinumkKMGTP]* [+-]? [0-9]* to the end: anything else is not even a suffix. */
static bool suffix_shaped(struct stow_str s)
{
    size_t i = 0;

    while (i < s.len && s.ptr[i] && strchr("eEinumkKMGTP", s.ptr[i]))
        i++;
    if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
        i++;
    return i + count_digits(s, i) == s.len;
}

static enum stow_quantity_error scan(struct stow_str s, struct parts *p)
{
    size_t i = 0;

    memset(p, 0, sizeof(*p));
    if (s.len == 0 || s.len > STOW_QUANTITY_MAX_TEXT)
        return STOW_QUANTITY_BAD_FORMAT;
    if (s.ptr[0] == '+' || s.ptr[0] == '-') {
        p->minus = s.ptr[0] == '-';
        i = 1;
    }
    p->whole = (struct stow_str){s.ptr + i, count_digits(s, i)};
    i += p->whole.len;
    if (i < s.len && s.ptr[i] == '.') {
        p->fraction = (struct stow_str){s.ptr + i + 1, count_digits(s, i + 1)};
        i += 1 + p->fraction.len;
    }
    p->digitless = p->whole.len + p->fraction.len == 0;
    while (p->whole.len > 0 && p->whole.ptr[0] == '0')
        p->whole.ptr++, p->whole.len--;

    struct stow_str suffix = {s.ptr + i, s.len - i};

    if (!suffix_shaped(suffix))
        return STOW_QUANTITY_BAD_FORMAT;
    return read_suffix(suffix, p) ? STOW_QUANTITY_OK : STOW_QUANTITY_BAD_SUFFIX;
}

/* Whether upstream keeps this text in an int64 and a power of ten. */
static bool upstream_short(const struct parts *p)
{
    int32_t digits = (int32_t)(p->whole.len ? p->whole.len : 1) + (int32_t)p->fraction.len;

    if (p->format == STOW_QUANTITY_BINARY_SI)
        return p->fraction.len == 0 && 15 - digits - (int32_t)(p->bits * 3 / 10) - 1 >= 0;
    return digits <= SMALL_DIGITS && p->exponent >= (int32_t)p->fraction.len - 9;
}

/* ---- small numbers ----------------------------------------------------------------------- */

static stow_u128 power_of_ten(uint32_t exponent)
{
    stow_u128 power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

static stow_u128 divide_up(stow_u128 a, stow_u128 b)
{
    return a / b + (a % b != 0);
}

/* mantissa * 2^bits * 10^exponent in nano-units; false when it needs more than 127 bits. */
static bool small(uint64_t mantissa, uint32_t bits, int64_t exponent, stow_u128 *ret)
{
    stow_u128 value = (stow_u128)mantissa << bits; /* at most 60 + 60 bits */
    int64_t shift = exponent + 9;

    if (mantissa == 0)
        shift = 0;
    if (shift < 0) {
        *ret = shift < -37 ? (value != 0) : divide_up(value, power_of_ten((uint32_t)-shift));
        return true;
    }
    if (shift > 37 || __builtin_mul_overflow(value, power_of_ten((uint32_t)shift), &value) ||
        value > (stow_u128)STOW_I128_MAX)
        return false;
    *ret = value;
    return true;
}

static uint64_t add_digits(uint64_t value, struct stow_str digits)
{
    for (size_t i = 0; i < digits.len; i++)
        value = value * 10 + (uint64_t)(digits.ptr[i] - '0');
    return value;
}

/* ---- large numbers ----------------------------------------------------------------------- */

#define LIMBS 64 /* of 32 bits: 128 digits, 60 bits and 200 powers of ten need 1150 bits */

struct large {
    uint32_t limb[LIMBS];
};

static void large_mul_add(struct large *n, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;

    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)n->limb[i] * factor;
        n->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static uint32_t large_divide(struct large *n, uint32_t divisor)
{
    uint64_t rest = 0;

    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | n->limb[i];
        n->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    return (uint32_t)rest;
}

static bool large_is_zero(const struct large *n)
{
    for (int i = 0; i < LIMBS; i++)
        if (n->limb[i])
            return false;
    return true;
}

/* All digits, then the powers of two and ten; what is cut off rounds up. */
static void large_nano(const struct parts *p, struct large *n)
{
    int64_t shift = (int64_t)p->exponent - (int64_t)p->fraction.len + 9;
    bool cut = false;

    memset(n, 0, sizeof(*n));
    for (size_t i = 0; i < p->whole.len; i++)
        large_mul_add(n, 10, (uint32_t)(p->whole.ptr[i] - '0'));
    for (size_t i = 0; i < p->fraction.len; i++)
        large_mul_add(n, 10, (uint32_t)(p->fraction.ptr[i] - '0'));
    for (uint32_t i = 0; i < p->bits; i++)
        large_mul_add(n, 2, 0);
    for (; shift > 0 && shift <= MAX_SHIFT; shift--)
        large_mul_add(n, 10, 0);
    for (; shift < 0 && !large_is_zero(n); shift++)
        cut |= large_divide(n, 10) != 0;
    if (cut)
        large_mul_add(n, 1, 1);
}

static bool large_fits(const struct large *n, stow_u128 *ret)
{
    *ret = 0;
    for (int i = LIMBS - 1; i >= 4; i--)
        if (n->limb[i])
            return false;
    for (int i = 3; i >= 0; i--)
        *ret = *ret << 32 | n->limb[i];
    return *ret <= (stow_u128)STOW_I128_MAX;
}

/* ---- values ------------------------------------------------------------------------------ */

static bool magnitude(const struct parts *p, stow_u128 *ret)
{
    int64_t exponent = (int64_t)p->exponent - (int64_t)p->fraction.len;

    if (p->whole.len + p->fraction.len <= SMALL_DIGITS) {
        uint64_t mantissa = add_digits(add_digits(0, p->whole), p->fraction);

        if (small(mantissa, p->bits, exponent, ret))
            return true;
    }

    struct large n;

    large_nano(p, &n);
    return exponent + 9 <= MAX_SHIFT && large_fits(&n, ret);
}

/* Binary forms are capped at the largest int64, and below one they turn decimal. */
static void apply_binary_rules(struct stow_quantity *q, stow_u128 *value)
{
    const stow_u128 one = 1000000000, cap = (stow_u128)INT64_MAX * one;

    if (q->format != STOW_QUANTITY_BINARY_SI)
        return;
    if (q->saturated || *value > cap)
        *value = cap;
    q->saturated = false;
    if (*value > 0 && *value < one)
        q->format = STOW_QUANTITY_DECIMAL_SI;
}

static void evaluate(const struct parts *p, struct stow_quantity *q)
{
    stow_u128 value = 0;

    q->format = p->format;
    q->saturated = !magnitude(p, &value);
    if (q->saturated)
        value = (stow_u128)STOW_I128_MAX;
    apply_binary_rules(q, &value);
    q->nano = p->minus ? -(stow_i128)value : (stow_i128)value;
}

enum stow_quantity_error stow_quantity_parse(struct stow_str text, struct stow_quantity *ret)
{
    struct parts p;
    enum stow_quantity_error error = scan(text, &p);

    if (error)
        return error;
    if (p.digitless && !upstream_short(&p))
        return STOW_QUANTITY_BAD_NUMBER;
    evaluate(&p, ret);
    return STOW_QUANTITY_OK;
}

const char *stow_quantity_error_text(enum stow_quantity_error error)
{
    switch (error) {
    case STOW_QUANTITY_BAD_SUFFIX:
        return "is not a quantity: unknown suffix; expected one of n u m k M G T P E, Ki Mi Gi Ti "
               "Pi "
               "Ei, or an exponent such as e3";
    case STOW_QUANTITY_BAD_NUMBER:
        return "is not a quantity: it has no digits";
    default:
        return "is not a quantity; expected a number with an optional suffix, such as 500m or 2Gi";
    }
}

static int64_t round_away(stow_i128 nano, int64_t unit, bool *saturated)
{
    stow_i128 whole = nano / unit, rest = nano % unit;

    whole += (rest > 0) - (rest < 0);
    if (whole >= INT64_MIN && whole <= INT64_MAX)
        return (int64_t)whole;
    if (saturated)
        *saturated = true;
    return whole > 0 ? INT64_MAX : INT64_MIN;
}

int64_t stow_nano_value(stow_i128 nano, bool *saturated)
{
    return round_away(nano, 1000000000, saturated);
}

int64_t stow_nano_milli(stow_i128 nano, bool *saturated)
{
    return round_away(nano, 1000000, saturated);
}

int64_t stow_quantity_value(const struct stow_quantity *q, bool *saturated)
{
    return stow_nano_value(q->nano, saturated);
}

int64_t stow_quantity_milli(const struct stow_quantity *q, bool *saturated)
{
    return stow_nano_milli(q->nano, saturated);
}

stow_i128 stow_nano_add(stow_i128 a, stow_i128 b)
{
    stow_i128 sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a > 0 ? STOW_I128_MAX : -STOW_I128_MAX;
    return sum;
}

/* ---- canonical text ---------------------------------------------------------------------- */

/* Upstream's reasons to keep the text as it was written. */
static bool keeps_text(const struct parts *p)
{
    char digits[STOW_QUANTITY_MAX_TEXT + 2];
    size_t len = p->whole.len + p->fraction.len;

    if (!upstream_short(p) || p->whole.len == 0)
        return false;
    memcpy(digits, p->whole.ptr, p->whole.len);
    if (p->fraction.len)
        memcpy(digits + p->whole.len, p->fraction.ptr, p->fraction.len);
    if (p->format == STOW_QUANTITY_BINARY_SI)
        return add_digits(0, p->whole) % 8 != 0;
    return (p->exponent - (int32_t)p->fraction.len) % 3 == 0 &&
           !(len >= 3 && memcmp(digits + len - 3, "000", 3) == 0);
}

/* The number as digits without zeros at the end, and its power of ten. */
static size_t significant(const struct parts *p, char *digits, int64_t *exponent)
{
    struct large n;
    char backwards[LIMBS * 10];
    size_t len = 0;

    large_nano(p, &n);
    while (!large_is_zero(&n))
        backwards[len++] = (char)('0' + large_divide(&n, 10));

    size_t zeros = 0;

    while (zeros < len && backwards[zeros] == '0')
        zeros++;
    for (size_t i = len; i > zeros; i--)
        digits[len - i] = backwards[i - 1];

    int64_t shift = (int64_t)p->exponent - (int64_t)p->fraction.len + 9;

    *exponent = (int64_t)zeros - 9 + (shift > MAX_SHIFT ? shift : 0);
    return len - zeros;
}

static void write_decimal(const struct parts *p, enum stow_quantity_format format,
                          struct stow_buf *to)
{
    static const char *const suffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    char digits[LIMBS * 10];
    int64_t exponent;
    size_t len = significant(p, digits, &exponent);
    int64_t more = ((exponent % 3) + 3) % 3;

    if (format == STOW_QUANTITY_DECIMAL_SI && exponent - more > 18)
        more = exponent - 18;
    exponent -= more;
    stow_buf_text(to, p->minus ? "-" : "");
    stow_buf_add(to, (struct stow_str){digits, len});
    stow_buf_repeat(to, '0', more < 4096 ? (size_t)more : 4096);
    if (format == STOW_QUANTITY_DECIMAL_SI)
        stow_buf_text(to, suffixes[exponent / 3 + 3]);
    else if (exponent != 0)
        stow_buf_printf(to, "e%lld", (long long)exponent);
}

static void write_binary(const struct stow_quantity *q, struct stow_buf *to)
{
    static const char *const suffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    int64_t value = (int64_t)(q->nano / 1000000000);
    int power = 0;

    while (value % 1024 == 0 && power < 6) {
        value /= 1024;
        power++;
    }
    stow_buf_printf(to, "%lld%s", (long long)value, suffixes[power]);
}

void stow_quantity_canonical(struct stow_str text, struct stow_buf *to)
{
    const stow_i128 one = 1000000000, kilo = 1024 * one;
    struct parts p;
    struct stow_quantity q;

    if (scan(text, &p) != STOW_QUANTITY_OK)
        return;
    evaluate(&p, &q);
    if (q.nano == 0)
        stow_buf_char(to, '0');
    else if (keeps_text(&p))
        stow_buf_add(to, text);
    else if (q.format == STOW_QUANTITY_BINARY_SI && (q.nano >= kilo || q.nano <= -kilo) &&
             q.nano % one == 0)
        write_binary(&q, to);
    else
        write_decimal(
            &p, q.format == STOW_QUANTITY_DECIMAL_EXPONENT ? q.format : STOW_QUANTITY_DECIMAL_SI,
            to);
}

/* ---- price lists ------------------------------------------------------------------------- */

/* The number without the commas that part its thousands. */
static bool plain_number(struct stow_str text, char *to, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == ',')
            continue;
        if (!((c >= '0' && c <= '9') || c == '.') || used + 1 >= size)
            return false;
        to[used++] = c;
    }
    to[used] = '\0';
    return used > 0;
}

bool stow_memory_parse(struct stow_str text, int64_t *ret)
{
    static const struct {
        const char *unit, *suffix;
    } units[] = {{"B", ""},   {"kB", "k"},   {"KB", "k"},   {"MB", "M"},   {"GB", "G"},
                 {"TB", "T"}, {"KiB", "Ki"}, {"MiB", "Mi"}, {"GiB", "Gi"}, {"TiB", "Ti"}};
    struct stow_str unit, number = stow_str_cut(stow_str_trim(text), ' ', &unit);
    char plain[64];
    struct stow_quantity q;

    unit = stow_str_trim(unit);
    if (!unit.ptr || !plain_number(number, plain, sizeof(plain) - 4))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (!stow_str_is(unit, units[i].unit))
            continue;
        memcpy(plain + strlen(plain), units[i].suffix, strlen(units[i].suffix) + 1);
        if (stow_quantity_parse(stow_str_of(plain), &q) != STOW_QUANTITY_OK || q.saturated ||
            q.nano / 1000000000 >= INT64_MAX)
            return false;
        *ret = (int64_t)(q.nano / 1000000000);
        return true;
    }
    return false;
}
