/* handle_quantity.c - quantities as texts (family scheduler, group quantity/quantity).
 *
 * Where upstream's 64 bits overflow, a case also gives the exact answer in
 * `...DiffersFromExactCeiling`: that one counts, clamped to int64 and reported as
 * saturated when clamping changed it. */
#include "model/values/quantity.h"
#include "tests/conformance/conformance.h"

static const char *const error_names[] = {
    [STOW_QUANTITY_OK] = "none",
    [STOW_QUANTITY_BAD_FORMAT] = "format",
    [STOW_QUANTITY_BAD_SUFFIX] = "suffix",
    [STOW_QUANTITY_BAD_NUMBER] = "numeric",
};

static const char *const format_names[] = {
    [STOW_QUANTITY_DECIMAL_SI] = "DecimalSI",
    [STOW_QUANTITY_BINARY_SI] = "BinarySI",
    [STOW_QUANTITY_DECIMAL_EXPONENT] = "DecimalExponent",
};

/* The exact whole number clamped to int64.  One beyond 128 bits is only known by its sign. */
static bool clamped(struct stow_view exact, int64_t *ret, bool *changed)
{
    stow_i128 value;

    if (stow_view_type(exact) != STOW_TOKEN_NUMBER)
        return false;
    if (!stow_view_int128(exact, &value))
        value = stow_view_raw(exact).ptr[0] == '-' ? -STOW_I128_MAX : STOW_I128_MAX;
    *changed = value > INT64_MAX || value < INT64_MIN;
    *ret = value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
    return true;
}

static void same_number(struct stow_conf_case *c, const char *plain, const char *exact, int64_t got,
                        bool saturated)
{
    struct stow_view expected = stow_conf_get(c, exact);
    bool changed = false;
    int64_t want;

    if (!stow_view_given(expected))
        expected = stow_conf_get(c, plain);
    if (!clamped(expected, &want, &changed))
        stow_conf_differ(c, plain, "expected a whole number in the case");
    else if (want != got || changed != saturated)
        stow_conf_differ(c, plain, "expected %lld%s, got %lld%s", (long long)want,
                         changed ? " (saturated)" : "", (long long)got,
                         saturated ? " (saturated)" : "");
}

static void same_quantity(struct stow_conf_case *c, struct stow_str text,
                          const struct stow_quantity *q)
{
    struct stow_buf canonical = {0};
    bool saturated = false, saturated_milli = false;
    int64_t value = stow_quantity_value(q, &saturated);
    int64_t milli = stow_quantity_milli(q, &saturated_milli);

    stow_quantity_canonical(text, &canonical);
    stow_conf_same_text(c, "format", stow_conf_get(c, "format"),
                        stow_str_of(format_names[q->format]));
    stow_conf_same_text(c, "canonical", stow_conf_get(c, "canonical"), stow_buf_str(&canonical));
    same_number(c, "value", "valueDiffersFromExactCeiling", value, saturated);
    same_number(c, "milliValue", "milliValueDiffersFromExactCeiling", milli, saturated_milli);
    stow_buf_done(&canonical);
}

static int run(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view input = stow_conf_get(c, "input"), error = stow_conf_get(c, "error");
    struct stow_buf room = {0};
    struct stow_quantity q = {0};

    if (!stow_view_given(input))
        return stow_fail(err, STOW_EPARSE, "expected a text in \"input\"");

    struct stow_str text = stow_view_text(input, &room);
    enum stow_quantity_error found = stow_quantity_parse(text, &q);

    if (stow_view_given(error) || found != STOW_QUANTITY_OK) {
        struct stow_str name = stow_str_of(error_names[found]);

        if (stow_view_given(error))
            stow_conf_same_text(c, "error", error, name);
        else
            stow_conf_differ(c, "error", "expected none, got \"%s\"", error_names[found]);
    } else {
        same_quantity(c, text, &q);
    }
    stow_buf_done(&room);
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_quantity[] = {
    {.group = "quantity/quantity", .run = run},
    {0},
};
