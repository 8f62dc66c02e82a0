/* write.c - values at a cursor as JSON again. */
#include "share/write.h"

#include <stdio.h>
#include <string.h>

/* How many bytes at the start need no escape. */
static size_t plain_part(struct stow_str text)
{
    size_t len = 0;

    while (len < text.len && (unsigned char)text.ptr[len] >= 0x20 && text.ptr[len] != '"' &&
           text.ptr[len] != '\\')
        len++;
    return len;
}

void stow_json_text(struct stow_buf *out, struct stow_str text)
{
    stow_buf_char(out, '"');
    while (text.len) {
        const size_t len = plain_part(text);

        stow_buf_add(out, (struct stow_str){text.ptr, len});
        if (len < text.len && strchr("\"\\", text.ptr[len]) && text.ptr[len])
            stow_buf_printf(out, "\\%c", text.ptr[len]);
        else if (len < text.len)
            stow_buf_printf(out, "\\u%04x", (unsigned)(unsigned char)text.ptr[len]);
        text = (struct stow_str){text.ptr + len, text.len - len};
        if (text.len)
            text = (struct stow_str){text.ptr + 1, text.len - 1};
    }
    stow_buf_char(out, '"');
}

int stow_json_plain(struct stow_cursor *c, struct stow_buf *out)
{
    struct stow_str digits;
    bool truth;

    switch (stow_cursor_peek(c)) {
    case STOW_TOKEN_NUMBER:
        STOW_TRY(stow_cursor_number(c, &digits));
        stow_buf_add(out, digits);
        return STOW_OK;
    case STOW_TOKEN_BOOL:
        STOW_TRY(stow_cursor_bool(c, &truth));
        stow_buf_text(out, truth ? "true" : "false");
        return STOW_OK;
    default:
        stow_buf_text(out, "null");
        return stow_cursor_skip(c);
    }
}

/* A cursor of its own at the same place: what is malformed is for the other to find. */
static struct stow_cursor probe_at(const struct stow_cursor *c, struct stow_err *err)
{
    struct stow_cursor probe = *c;

    probe.err = err;
    memset(&probe.scratch, 0, sizeof(probe.scratch));
    return probe;
}

/* Goes to the value of a member: 1, 0: there is none. */
static int seek_member(struct stow_cursor *c, const char *key)
{
    struct stow_str name;
    int more;

    if (stow_cursor_peek(c) != STOW_TOKEN_OBJECT)
        return 0;
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &name)) > 0) {
        if (stow_str_is(name, key))
            return 1;
        STOW_TRY(stow_cursor_skip(c));
    }
    return more;
}

static int read_found(struct stow_cursor *c, int found, char *ret, size_t size)
{
    struct stow_str text;

    if (found <= 0 || stow_cursor_peek(c) != STOW_TOKEN_TEXT)
        return found < 0 ? found : 0;
    STOW_TRY(stow_cursor_text(c, &text));
    snprintf(ret, size, "%.*s", STOW_FMT(text));
    return 1;
}

int stow_inner_text(struct stow_cursor *c, const char *outer, const char *key, char *ret,
                    size_t size)
{
    struct stow_err err;
    STOW_AUTO(stow_cursor_done) struct stow_cursor probe = probe_at(c, &err);
    int found = outer ? seek_member(&probe, outer) : 1;

    ret[0] = '\0';
    if (found > 0)
        found = seek_member(&probe, key);
    found = read_found(&probe, found, ret, size);
    if (found == STOW_ENOMEM)
        return stow_cursor_fail_memory(c);
    return found > 0;
}

int stow_member_text(struct stow_cursor *c, const char *key, char *ret, size_t size)
{
    return stow_inner_text(c, NULL, key, ret, size);
}
