/* scrub.c - objects of a cluster without what no verb reads and what should not be shared. */
#include "share/scrub.h"

#include <string.h>

#include "share/write.h"

#define EXPANDER "cluster-autoscaler-priority-expander"

static bool is_dropped(struct stow_str key)
{
    static const char *const dropped[] = {
        "managedFields", "kubectl.kubernetes.io/last-applied-configuration",
        "env",           "envFrom",
        "command",       "args",
    };

    for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
        if (stow_str_is(key, dropped[i]))
            return true;
    return false;
}

static int copy(struct stow_cursor *c, struct stow_buf *out);

/* The members of the object at the cursor; notes whether it says what it is. */
static int copy_members(struct stow_cursor *c, struct stow_buf *out, bool *ret_kind)
{
    struct stow_str key;
    bool first = true;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        if (is_dropped(key)) {
            STOW_TRY(stow_cursor_skip(c));
            continue;
        }
        *ret_kind |= stow_str_is(key, "kind");
        stow_buf_text(out, first ? "" : ",");
        stow_json_text(out, key);
        stow_buf_char(out, ':');
        STOW_TRY(copy(c, out));
        first = false;
    }
    return more;
}

static int copy_items(struct stow_cursor *c, struct stow_buf *out)
{
    bool first = true;
    int more;

    STOW_TRY(stow_cursor_enter(c, '['));
    while ((more = stow_cursor_item(c)) > 0) {
        stow_buf_text(out, first ? "" : ",");
        STOW_TRY(copy(c, out));
        first = false;
    }
    return more;
}

static int copy(struct stow_cursor *c, struct stow_buf *out)
{
    const enum stow_token token = stow_cursor_peek(c);
    struct stow_str text;
    bool kind = false;

    if (token == STOW_TOKEN_OBJECT || token == STOW_TOKEN_ARRAY) {
        stow_buf_char(out, token == STOW_TOKEN_OBJECT ? '{' : '[');
        STOW_TRY(token == STOW_TOKEN_OBJECT ? copy_members(c, out, &kind) : copy_items(c, out));
        stow_buf_char(out, token == STOW_TOKEN_OBJECT ? '}' : ']');
        return STOW_OK;
    }
    if (token != STOW_TOKEN_TEXT)
        return stow_json_plain(c, out);
    STOW_TRY(stow_cursor_text(c, &text));
    stow_json_text(out, text);
    return STOW_OK;
}

int stow_scrub(struct stow_cursor *c, const char *group, const char *kind, struct stow_buf *out)
{
    bool has_kind = false;
    char name[256];

    STOW_TRY(stow_inner_text(c, "metadata", "name", name, sizeof(name)));
    if (strcmp(kind, "ConfigMap") == 0 && strcmp(name, EXPANDER) != 0) {
        STOW_TRY(stow_cursor_skip(c));
        return 0;
    }
    stow_buf_text(out, "{");
    STOW_TRY(copy_members(c, out, &has_kind));
    if (!has_kind) {
        stow_buf_printf(out, ",\"apiVersion\":\"%s%sv1\",\"kind\":", group, *group ? "/" : "");
        stow_json_text(out, stow_str_of(kind));
    }
    stow_buf_text(out, "}");
    return out->failed ? stow_cursor_fail_memory(c) : 1;
}
