/* formula.c - assertions given as text: a recursive descent over the characters. */
#include "tests/conformance/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 32

struct parse {
    struct stow_str rest;
    stow_conf_lookup lookup;
    const void *ctx;
    bool failed;
    int depth;
};

static double sum(struct parse *p);

static int next(struct parse *p)
{
    p->rest = stow_str_trim(p->rest);
    return p->rest.len ? p->rest.ptr[0] : '\0';
}

static bool take(struct parse *p, char c)
{
    if (next(p) != c)
        return false;
    p->rest.ptr++, p->rest.len--;
    return true;
}

static double fail_parse(struct parse *p)
{
    p->failed = true;
    p->rest.len = 0;
    return 0;
}

static struct stow_str take_while(struct parse *p, const char *set)
{
    struct stow_str word = {p->rest.ptr, 0};

    while (word.len < p->rest.len && strchr(set, word.ptr[word.len]))
        word.len++;
    p->rest.ptr += word.len;
    p->rest.len -= word.len;
    return word;
}

static double number(struct parse *p)
{
    struct stow_str digits = take_while(p, "0123456789.");
    char text[64];

    if (!digits.len || digits.len >= sizeof(text))
        return fail_parse(p);
    memcpy(text, digits.ptr, digits.len);
    text[digits.len] = '\0';
    return strtod(text, NULL);
}

static struct stow_str word(struct parse *p)
{
    return take_while(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

static double inside(struct parse *p)
{
    double value = sum(p);

    return take(p, ')') ? value : fail_parse(p);
}

/* NAME, price(NAME), abs(SUM). */
static double named(struct parse *p)
{
    struct stow_str function = {"", 0}, name = word(p);
    double value = 0;

    if (take(p, '(')) {
        if (stow_str_is(name, "abs"))
            return fabs(inside(p));
        function = name;
        (void)next(p);
        name = word(p);
        if (!take(p, ')'))
            return fail_parse(p);
    }
    return p->lookup(p->ctx, function, name, &value) ? value : fail_parse(p);
}

static double factor(struct parse *p)
{
    int c = next(p);

    if (take(p, '('))
        return inside(p);
    return (c >= '0' && c <= '9') || c == '.' ? number(p) : named(p);
}

static double product(struct parse *p)
{
    double value = factor(p);

    while (take(p, '*'))
        value *= factor(p);
    return value;
}

static double sum(struct parse *p)
{
    if (++p->depth > DEPTH)
        return fail_parse(p);

    double value = product(p);

    for (;;) {
        if (take(p, '+'))
            value += product(p);
        else if (take(p, '-'))
            value -= product(p);
        else
            break;
    }
    p->depth--;
    return value;
}

bool stow_conf_formula(struct stow_str text, stow_conf_lookup lookup, const void *ctx,
                       bool *ret_holds)
{
    struct parse p = {.rest = text, .lookup = lookup, .ctx = ctx};
    double left = sum(&p);
    bool less = take(&p, '<'), more = !less && take(&p, '>'), same = take(&p, '=');
    double right = sum(&p);

    *ret_holds = (less ? left < right : left > right) || (same && left == right);
    return !p.failed && (less || more) && next(&p) == '\0';
}
