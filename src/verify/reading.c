/* reading.c - what the tables of fields of all plans share. */
#include "verify/reading.h"

#include "base/vec.h"

/* ---- scalars ----------------------------------------------------------------------------- */

int stow_told_keep(struct stow_cursor *c, struct stow_reading *r, struct stow_str text,
                   uint32_t token, struct stow_told_text *ret)
{
    const char *kept = stow_arena_text(&r->told->arena, text);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *ret = (struct stow_told_text){{kept, text.len}, token};
    return STOW_OK;
}

int stow_told_text_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_text *ret)
{
    const uint32_t token = c->at;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    return stow_told_keep(c, r, text, token, ret);
}

int stow_told_scalar_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_text *ret)
{
    const uint32_t token = c->at;
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));
    return stow_told_keep(c, r, text, token, ret);
}

/* An amount of money; below 0 only where `sign` says so. */
int stow_told_money_at(struct stow_cursor *c, bool sign, struct stow_told_money *ret)
{
    const uint32_t token = c->at;
    struct stow_err why = {0};
    struct stow_str text;
    stow_nano amount;

    STOW_TRY(stow_cursor_scalar(c, &text));

    const bool negative = sign && text.len && text.ptr[0] == '-';

    if (negative)
        text = (struct stow_str){text.ptr + 1, text.len - 1};
    if (stow_money_parse(text, &amount, &why) < 0)
        return stow_cursor_fail_at(c, token, "%s", why.msg);
    *ret = (struct stow_told_money){true, negative ? -amount : amount, token};
    return STOW_OK;
}

int stow_told_pass(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_skip(c);
}

/* ---- lists of names ---------------------------------------------------------------------- */

static int read_pod(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_text *made = STOW_PUSH(&r->told->pod, &r->told->pods, &r->told->pod_cap);

    return made ? stow_told_text_at(c, r, made) : stow_cursor_fail_memory(c);
}

int stow_told_pods_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_range *ret)
{
    ret->first = r->told->pods;
    STOW_TRY(stow_cursor_items(c, read_pod, r));
    ret->count = r->told->pods - ret->first;
    return STOW_OK;
}

static int read_name(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_text *made = STOW_PUSH(&r->told->name, &r->told->names, &r->told->name_cap);

    return made ? stow_told_text_at(c, r, made) : stow_cursor_fail_memory(c);
}

int stow_told_names_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_range *ret)
{
    ret->first = r->told->names;
    STOW_TRY(stow_cursor_items(c, read_name, r));
    ret->count = r->told->names - ret->first;
    return STOW_OK;
}

int stow_told_need(struct stow_cursor *c, uint32_t token, const struct stow_told_text *text,
                   const char *field)
{
    if (text->text.ptr)
        return STOW_OK;
    return stow_cursor_fail_at(c, token, "%s is missing", field);
}
