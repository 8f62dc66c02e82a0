/* names.c - lists of names in cases: read, and compared in their order. */
#include "tests/conformance/names.h"

struct stow_str stow_conf_text(struct stow_conf_case *c, struct stow_view v)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
    struct stow_str text = stow_view_text(v, &room);

    return stow_str_of(stow_arena_text(c->scratch, text));
}

static struct stow_view name_of(struct stow_view item)
{
    static const char *const keys[] = {"id", "node_group", "nodeGroupId"};

    if (stow_view_type(item) != STOW_TOKEN_OBJECT)
        return item;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (stow_view_given(stow_view_get(item, keys[i])))
            return stow_view_get(item, keys[i]);
    return stow_view_get(item, "id");
}

int stow_conf_names(struct stow_conf_case *c, struct stow_view list, struct stow_str **ret,
                    uint32_t *ret_count, struct stow_err *err)
{
    const uint32_t count = stow_view_count(list);
    struct stow_str *name = stow_arena_zalloc(c->scratch, (count + 1) * sizeof(*name));

    if (!name)
        return stow_fail_memory(err);
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);) {
        struct stow_view found = name_of(walk.value);

        if (stow_view_type(found) == STOW_TOKEN_NULL)
            continue;
        if (stow_view_type(found) != STOW_TOKEN_TEXT)
            return stow_fail(err, STOW_EPARSE, "expected a name, found %.*s",
                             STOW_FMT(stow_view_raw(walk.value)));
        name[walk.index] = stow_conf_text(c, found);
        if (!name[walk.index].ptr)
            return stow_fail_memory(err);
    }
    *ret = name;
    *ret_count = count;
    return STOW_OK;
}

static bool same(struct stow_view expected, const struct stow_str *got, uint32_t count)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

    if (stow_view_type(expected) != STOW_TOKEN_ARRAY || stow_view_count(expected) != count)
        return false;
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);)
        if (!stow_str_eq(stow_view_text(walk.value, &room), got[walk.index]))
            return false;
    return true;
}

void stow_conf_same_names(struct stow_conf_case *c, const char *what, struct stow_view expected,
                          const struct stow_str *got, uint32_t count)
{
    STOW_AUTO(stow_buf_done) struct stow_buf list = {0};

    if (same(expected, got, count))
        return;
    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&list, "%s\"%.*s\"", i ? ", " : "", STOW_FMT(got[i]));
    stow_conf_differ(c, what, "expected %.*s, got [%.*s]", STOW_FMT(stow_view_raw(expected)),
                     STOW_FMT(stow_buf_str(&list)));
}

static bool is_among(struct stow_view list, struct stow_str name)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);)
        if (stow_str_eq(stow_view_text(walk.value, &room), name))
            return true;
    return false;
}

/* What may be chosen, under whichever of its names the case has it. */
static struct stow_view choices_of(const struct stow_conf_case *c)
{
    struct stow_view in = stow_conf_get(c, "expected_in"), of = stow_conf_get(c, "expected_one_of");

    if (stow_view_given(in))
        return in;
    return stow_view_given(of) ? of : stow_view_get(stow_conf_get(c, "expected"), "one_of");
}

static void same_one(struct stow_conf_case *c, struct stow_view expected,
                     const struct stow_str *got)
{
    if (stow_view_type(expected) == STOW_TOKEN_END)
        stow_conf_differ(c, "expected", "the case says nothing of what is expected");
    else if (got)
        stow_conf_same_text(c, "expected", expected, *got);
    else if (stow_view_given(expected))
        stow_conf_differ(c, "expected", "expected %.*s, got nobody",
                         STOW_FMT(stow_view_raw(expected)));
}

void stow_conf_same_choice(struct stow_conf_case *c, const struct stow_str *got)
{
    struct stow_view choices = choices_of(c);

    if (!stow_view_given(choices))
        same_one(c, stow_conf_get(c, "expected"), got);
    else if (!got || !is_among(choices, *got))
        stow_conf_differ(c, "expected_in", "expected one of %.*s, got %.*s",
                         STOW_FMT(stow_view_raw(choices)),
                         STOW_FMT(got ? *got : STOW_STR("nobody")));
}
