/* verbs.c - the questions that can be asked, in the order in which they are listed. */
#include <stdio.h>
#include <string.h>

#include <stowage/verbs.h>

#include "api/call.h"
#include "base/nearest.h"

extern const struct stow_verb stow_verb_consolidate, stow_verb_divide, stow_verb_inspect,
    stow_verb_place, stow_verb_price, stow_verb_scale, stow_verb_snapshot, stow_verb_verify;

/* clang-format off */
static const struct stow_verb *const verbs[] = {
    &stow_verb_inspect,
    &stow_verb_place,
    &stow_verb_scale,
    &stow_verb_divide,
    &stow_verb_consolidate,
    &stow_verb_verify,
    &stow_verb_price,
    &stow_verb_snapshot,
};
/* clang-format on */

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

const struct stow_verb *stow_verb_at(uint32_t i)
{
    return i < VERBS ? verbs[i] : NULL;
}

static const struct stow_verb *find_top(struct stow_str name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (stow_str_is(name, verbs[i]->name))
            return verbs[i];
    return NULL;
}

static const struct stow_verb *find_below(const struct stow_verb *verb, struct stow_str name)
{
    for (const struct stow_verb *v = verb->verbs; v && v->name; v++)
        if (stow_str_is(name, v->name))
            return v;
    return NULL;
}

uint32_t stow_verb_path(const char *name, const struct stow_verb *path[STOW_VERB_DEPTH])
{
    struct stow_str rest = stow_str_of(name);
    uint32_t depth = 0;

    while (rest.ptr) {
        const struct stow_str word = stow_str_cut(rest, ' ', &rest);
        const struct stow_verb *verb = depth ? find_below(path[depth - 1], word) : find_top(word);

        if (!verb || depth == STOW_VERB_DEPTH)
            return 0;
        path[depth++] = verb;
    }
    return depth;
}

const struct stow_verb *stow_verb_find(const char *name)
{
    const struct stow_verb *path[STOW_VERB_DEPTH];
    const uint32_t depth = stow_verb_path(name, path);

    return depth ? path[depth - 1] : NULL;
}

const struct stow_option *stow_verb_option(const struct stow_verb *verb, const char *name)
{
    for (const struct stow_option *o = verb ? verb->options : NULL; o && o->name && name; o++)
        if (strcmp(name, o->name) == 0 || (o->also && strcmp(name, o->also) == 0))
            return o;
    return NULL;
}

const char *stow_suggest(const char *typed, const char *const *names, uint32_t count)
{
    struct stow_nearest nearest;

    stow_nearest_init(&nearest, stow_str_of(typed));
    for (uint32_t i = 0; i < count; i++)
        stow_nearest_try(&nearest, stow_str_of(names[i]));
    return stow_nearest_found(&nearest) ? nearest.best.ptr : NULL;
}

/* "table, wide or json" from "table|wide|json". */
static void list_choices(struct stow_buf *out, struct stow_str choices)
{
    for (struct stow_str rest = choices; rest.ptr;) {
        const bool first = rest.ptr == choices.ptr;
        const struct stow_str one = stow_str_cut(rest, '|', &rest);

        if (!first)
            stow_buf_text(out, rest.ptr ? ", " : " or ");
        stow_buf_add(out, one);
    }
}

int stow_choice_check(const char *choices, const char *value, const char *what,
                      struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf list = {0};
    struct stow_str rest = stow_str_of(choices);
    struct stow_nearest nearest;

    stow_nearest_init(&nearest, stow_str_of(value));
    while (rest.ptr) {
        const struct stow_str one = stow_str_cut(rest, '|', &rest);

        if (stow_str_is(one, value))
            return STOW_OK;
        stow_nearest_try(&nearest, one);
    }
    list_choices(&list, stow_str_of(choices));
    if (list.failed)
        return stow_fail_memory(err);
    stow_fail(err, STOW_EINVAL, "%s takes %.*s, not '%s'", what, STOW_FMT(stow_buf_str(&list)),
              value);
    if (err && stow_nearest_found(&nearest))
        snprintf(err->hint, sizeof(err->hint), "did you mean %.*s?", STOW_FMT(nearest.best));
    return STOW_EINVAL;
}
