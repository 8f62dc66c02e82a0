/* large.c - the items of a list, one by one.
 *
 * Problem: to find all tokens of a large list takes as long as to make objects of it, and the
 * tokens need nearly as much memory as the text.  Idea: most items are recognised by their bytes
 * (pattern.h) and need no tokens; so these are found item by item, for the others only.
 *
 * Only the plain case is dealt with here: objects with commas between them.  Whatever else comes,
 * be it the end of the list or an error, is left to the reader of tapes, which goes on where this
 * one stopped. */
#include "read/large.h"

#include <string.h>

#include "read/text/extent.h"
#include "read/text/scalar.h"

#define HEAD_MAX ((size_t)1 << 16) /* bytes before the items of a list */

struct items {
    struct stow_reader *r;
    struct stow_str text;
    struct stow_list_place *place;
    struct stow_tape tape; /* of one item */
    struct stow_cursor c;
};

static void items_done(struct items *in)
{
    stow_tape_done(&in->tape);
    stow_cursor_done(&in->c);
}

static size_t skip_blanks(struct stow_str text, size_t at)
{
    while (at < text.len && stow_is_blank(text.ptr[at]))
        at++;
    return at;
}

static bool has(struct stow_str text, size_t at, char ch)
{
    return at < text.len && text.ptr[at] == ch;
}

/* Where the next item starts, 0: there is none of the plain kind. */
static size_t next_item(const struct items *in)
{
    size_t at = skip_blanks(in->text, in->place->end);

    if (in->place->items > 0) {
        if (!has(in->text, at, ','))
            return 0;
        at = skip_blanks(in->text, at + 1);
    }
    return has(in->text, at, '{') ? at : 0;
}

static size_t extent_at(const struct items *in, size_t at)
{
    return stow_json_extent((struct stow_str){in->text.ptr + at, in->text.len - at});
}

/* ---- the head ---------------------------------------------------------------------------- */

/* The bracket after the first "items":, 0 when there is none near the start. */
static size_t find_bracket(struct stow_str text)
{
    static const char key[] = "\"items\"";
    const char *found =
        memmem(text.ptr, text.len < HEAD_MAX ? text.len : HEAD_MAX, key, sizeof(key) - 1);
    size_t at = found ? skip_blanks(text, (size_t)(found - text.ptr) + sizeof(key) - 1) : 0;

    if (!at || !has(text, at, ':'))
        return 0;
    at = skip_blanks(text, at + 1);
    return has(text, at, '[') ? at : 0;
}

/* Whether the text starts with a list whose items start after the bracket.  What is wrong with it
 * will be told when it is read. */
static int is_list(struct items *in, size_t bracket, size_t end)
{
    int code = stow_tape_part(&in->tape, in->text, 0, end, NULL);

    stow_cursor_init(&in->c, &in->tape, NULL);
    if (code >= 0)
        code = stow_list_starts(&in->c, in->r, in->place);
    if (code < 0)
        return code == STOW_ENOMEM ? code : 0;
    return code && in->tape.at[in->c.at] == bracket;
}

static int start_list(struct items *in)
{
    const size_t bracket = find_bracket(in->text);

    if (!bracket)
        return 0;
    in->place->end = bracket + 1;

    const size_t first = next_item(in);
    const size_t len = first ? extent_at(in, first) : 0;

    return len ? is_list(in, bracket, first + len) : 0;
}

/* ---- items ------------------------------------------------------------------------------- */

static void item_read(struct items *in, size_t end)
{
    in->place->end = end;
    in->place->items++;
}

/* 1: read in full; 0: not, and nothing was. */
static int read_item(struct items *in, size_t at, struct stow_err *err)
{
    const size_t len = extent_at(in, at);
    const int code = len ? stow_tape_part(&in->tape, in->text, at, at + len, err) : STOW_EPARSE;

    if (code < 0)
        return code == STOW_ENOMEM ? code : 0;
    stow_cursor_in_list(&in->c, in->place->items + 1);
    STOW_TRY(stow_read_item(&in->c, in->r, &in->place->type));
    item_read(in, at + len);
    return 1;
}

static int read_next(struct items *in, struct stow_err *err)
{
    const size_t at = next_item(in);
    struct stow_repeated found;

    if (!at)
        return 0;

    const int known = stow_repeat_object(
        in->r, (struct stow_str){in->text.ptr + at, in->text.len - at}, STOW_LIST_DEPTH, &found);

    if (known < 0)
        return stow_fail_memory(err);
    if (!known)
        return read_item(in, at, err);
    item_read(in, at + found.len);
    return 1;
}

int stow_read_items(struct stow_reader *r, const char *name, struct stow_str text,
                    struct stow_list_place *ret, struct stow_err *err)
{
    STOW_AUTO(items_done) struct items in = {.r = r, .text = text, .place = ret};
    int more;

    *ret = (struct stow_list_place){0};
    stow_tape_start(&in.tape, name);
    more = start_list(&in);
    if (more <= 0) {
        ret->end = 0;
        return more < 0 ? stow_fail_memory(err) : STOW_OK;
    }
    stow_patterns_forget(&r->patterns);
    in.c.err = err;
    while (more > 0)
        more = read_next(&in, err);
    return more;
}
