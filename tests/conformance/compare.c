/* compare.c - comparing what the product says with what a case expects. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "tests/conformance/conformance.h"

struct stow_view stow_conf_get(const struct stow_conf_case *c, const char *name)
{
    return stow_view_get(c->value, name);
}

void stow_conf_differ(struct stow_conf_case *c, const char *what, const char *fmt, ...)
{
    va_list args;
    char text[1024];

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    stow_buf_printf(&c->difference, "%s: %s\n", what, text);
}

void stow_conf_same_text(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         struct stow_str got)
{
    struct stow_buf room = {0};
    enum stow_token type = stow_view_type(expected);

    if (type == STOW_TOKEN_END)
        return;
    if (type != STOW_TOKEN_TEXT || !stow_str_eq(stow_view_text(expected, &room), got))
        stow_conf_differ(c, what, "expected %.*s, got \"%.*s\"", STOW_FMT(stow_view_raw(expected)),
                         STOW_FMT(got));
    stow_buf_done(&room);
}

const char *stow_conf_int_text(stow_i128 value, char text[48])
{
    stow_u128 rest = value < 0 ? -(stow_u128)value : (stow_u128)value;
    char *at = text + 47;

    *at = '\0';
    do {
        *--at = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest);
    if (value < 0)
        *--at = '-';
    return at;
}

void stow_conf_same_int(struct stow_conf_case *c, const char *what, struct stow_view expected,
                        stow_i128 got)
{
    stow_i128 want;
    char text[48];

    if (stow_view_type(expected) == STOW_TOKEN_END)
        return;
    if (!stow_view_int128(expected, &want) || want != got)
        stow_conf_differ(c, what, "expected %.*s, got %s", STOW_FMT(stow_view_raw(expected)),
                         stow_conf_int_text(got, text));
}

void stow_conf_same_bool(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         bool got)
{
    bool want;

    if (stow_view_type(expected) == STOW_TOKEN_END)
        return;
    if (!stow_view_bool(expected, &want) || want != got)
        stow_conf_differ(c, what, "expected %.*s, got %s", STOW_FMT(stow_view_raw(expected)),
                         got ? "true" : "false");
}

void stow_conf_near(struct stow_conf_case *c, const char *what, struct stow_view expected,
                    double got, double tolerance)
{
    double want;

    if (stow_view_type(expected) == STOW_TOKEN_END)
        return;
    if (!stow_view_real(expected, &want) || !(fabs(want - got) <= tolerance))
        stow_conf_differ(c, what, "expected %.*s (within %g), got %.17g",
                         STOW_FMT(stow_view_raw(expected)), tolerance, got);
}

int stow_conf_one_of(struct stow_conf_case *c, struct stow_view expected, stow_conf_compare compare,
                     const void *got, struct stow_err *err)
{
    struct stow_view choices = stow_view_get(expected, "one_of");
    const size_t start = c->difference.len;

    if (stow_view_type(choices) != STOW_TOKEN_ARRAY)
        return compare(c, expected, got, err);

    size_t first = start;

    for (struct stow_view_walk walk = stow_view_walk(choices); stow_view_next(&walk);) {
        const size_t before = c->difference.len;

        STOW_TRY(compare(c, walk.value, got, err));
        if (c->difference.len == before) {
            c->difference.len = start;
            return STOW_OK;
        }
        if (walk.index == 0)
            first = c->difference.len;
        c->difference.len = first;
    }
    stow_conf_differ(c, "one_of", "none of the %u alternatives; above: against the first",
                     stow_view_count(choices));
    return STOW_OK;
}
