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

bool stow_member_text(const struct stow_cursor *c, const char *key, char *ret, size_t size)
{
    struct stow_cursor probe = *c;
    struct stow_str name, text;
    bool found = false;

    probe.err = NULL;
    memset(&probe.scratch, 0, sizeof(probe.scratch));
    if (stow_cursor_peek(&probe) == STOW_TOKEN_OBJECT && stow_cursor_enter(&probe, '{') >= 0)
        while (!found && stow_cursor_key(&probe, &name) > 0) {
            found = stow_str_is(name, key) && stow_cursor_peek(&probe) == STOW_TOKEN_TEXT;
            if (found ? stow_cursor_text(&probe, &text) < 0 : stow_cursor_skip(&probe) < 0)
                break;
        }
    if (found)
        snprintf(ret, size, "%.*s", STOW_FMT(text));
    stow_cursor_done(&probe);
    return found;
}
