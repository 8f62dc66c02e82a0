/* selector.c - label selectors as kubectl writes them.
 *
 * Words end at blanks and at = ! ( ) , > <.  `in` and `notin` are operators only where one can
 * stand: a label may be called so. */
#include "model/values/selector.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/values/syntax.h"

struct parse {
    struct stow_snapshot *s;
    struct stow_str all, rest;
    struct stow_collect requirements, values;
    struct stow_err *err;
};

static void parse_done(struct parse *p)
{
    free(p->requirements.items);
    free(p->values.items);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What comes next, without blanks before it. */
static char peek(struct parse *p)
{
    while (p->rest.len && is_blank(p->rest.ptr[0]))
        p->rest = (struct stow_str){p->rest.ptr + 1, p->rest.len - 1};
    return (char)(p->rest.len ? p->rest.ptr[0] : 0);
}

static bool take(struct parse *p, const char *sign)
{
    const size_t len = strlen(sign);

    peek(p);
    if (p->rest.len < len || memcmp(p->rest.ptr, sign, len) != 0)
        return false;
    p->rest = (struct stow_str){p->rest.ptr + len, p->rest.len - len};
    return true;
}

static bool is_sign(char c)
{
    return c && strchr("=!(),><", c);
}

static struct stow_str word(struct parse *p)
{
    struct stow_str found;

    peek(p);
    found = (struct stow_str){p->rest.ptr, 0};
    while (found.len < p->rest.len && !is_blank(found.ptr[found.len]) &&
           !is_sign(found.ptr[found.len]))
        found.len++;
    p->rest = (struct stow_str){found.ptr + found.len, p->rest.len - found.len};
    return found;
}

static int fail(struct parse *p, const char *expected)
{
    const struct stow_str found = stow_str_trim(p->rest);

    return stow_fail(p->err, STOW_EINVAL, "selector '%.*s': expected %s, found %s%.*s%s",
                     STOW_FMT(p->all), expected, found.len ? "'" : "the end", STOW_FMT(found),
                     found.len ? "'" : "");
}

/* ---- values ------------------------------------------------------------------------------ */

static int add_value(struct parse *p, uint32_t op, struct stow_str text)
{
    stow_sym *made;

    if (!stow_requirement_takes_value(op, text))
        return stow_fail(p->err, STOW_EINVAL, "selector '%.*s': '%.*s' is not %s", STOW_FMT(p->all),
                         STOW_FMT(text),
                         op == STOW_OP_GT || op == STOW_OP_LT ? "a whole number"
                                                              : "the value of a label");
    made = STOW_COLLECT(&p->values, stow_sym);
    if (!made)
        return stow_fail_memory(p->err);
    *made = stow_intern_text(&p->s->text, text);
    return *made == STOW_INTERN_FAILED ? stow_fail_memory(p->err) : STOW_OK;
}

/* (x,y); an empty place is the empty value. */
static int read_set(struct parse *p, uint32_t op)
{
    if (!take(p, "("))
        return fail(p, "'(' and the values");
    do
        STOW_TRY(add_value(p, op, word(p)));
    while (take(p, ","));
    return take(p, ")") ? STOW_OK : fail(p, "',' or ')'");
}

/* ---- requirements ------------------------------------------------------------------------ */

static int add_requirement(struct parse *p, struct stow_str key, uint32_t op)
{
    struct stow_requirement *made = STOW_COLLECT(&p->requirements, struct stow_requirement);

    if (!made)
        return stow_fail_memory(p->err);
    *made = (struct stow_requirement){
        .key = stow_intern_text(&p->s->text, key),
        .op = op,
        .values =
            stow_intern_blob(&p->s->blob, p->values.items, p->values.count * sizeof(stow_sym)),
    };
    return made->key == STOW_INTERN_FAILED || made->values == STOW_INTERN_FAILED
               ? stow_fail_memory(p->err)
               : STOW_OK;
}

/* What comes after a key; STOW_OP_EXISTS: nothing does. */
static uint32_t read_operator(struct parse *p, bool *ret_set)
{
    static const struct {
        const char *sign;
        uint32_t op;
    } signs[] = {
        {"!=", STOW_OP_NOT_IN}, {"==", STOW_OP_IN}, {"=", STOW_OP_IN},
        {">", STOW_OP_GT},      {"<", STOW_OP_LT},
    };
    const struct stow_str before = p->rest;
    struct stow_str name;

    *ret_set = false;
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (take(p, signs[i].sign))
            return signs[i].op;
    name = word(p);
    *ret_set = stow_str_is(name, "in") || stow_str_is(name, "notin");
    if (*ret_set)
        return stow_str_is(name, "in") ? STOW_OP_IN : STOW_OP_NOT_IN;
    p->rest = before;
    return STOW_OP_EXISTS;
}

static int read_requirement(struct parse *p)
{
    const bool absent = take(p, "!");
    const struct stow_str key = word(p);
    uint32_t op;
    bool set;

    p->values.count = 0;
    if (!key.len)
        return fail(p, "the key of a label");
    if (!stow_is_label_key(key))
        return stow_fail(p->err, STOW_EINVAL, "selector '%.*s': '%.*s' is not the key of a label",
                         STOW_FMT(p->all), STOW_FMT(key));
    if (absent)
        return add_requirement(p, key, STOW_OP_NOT_EXISTS);
    op = read_operator(p, &set);
    if (set)
        STOW_TRY(read_set(p, op));
    else if (op != STOW_OP_EXISTS)
        STOW_TRY(add_value(p, op, word(p)));
    return add_requirement(p, key, op);
}

int stow_selector_parse(struct stow_snapshot *s, struct stow_str text, stow_blob *ret,
                        struct stow_err *err)
{
    STOW_AUTO(parse_done) struct parse p = {.s = s, .all = text, .rest = text, .err = err};

    while (peek(&p)) {
        STOW_TRY(read_requirement(&p));
        if (!peek(&p))
            break;
        if (!take(&p, ","))
            return fail(&p, "',' or an operator");
        if (!peek(&p))
            return fail(&p, "the key of a label");
    }
    *ret = stow_intern_blob(&s->blob, p.requirements.items,
                            p.requirements.count * sizeof(struct stow_requirement));
    return *ret == STOW_INTERN_FAILED ? stow_fail_memory(err) : STOW_OK;
}
