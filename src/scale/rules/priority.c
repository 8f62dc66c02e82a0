/* priority.c - the priority expander's map: integer -> regular expressions over group names.
 *
 *     10:
 *       - .*t2\.large.*
 *       - .*t3\.large.*
 *     50:
 *       - .*m4\.4xlarge.*
 *
 * Upstream ignores a map that it cannot read and goes on without one.  That hides
 * the mistake until the wrong group has grown, so here it is an error with its
 * line; whoever wants upstream's behaviour goes on without the map.
 *
 * A priority that is given twice: upstream's YAML reader keeps one of the two
 * lists, and which one is not specified.  Here that is an error, too, also when
 * the two are written differently (10 and +10).
 *
 * Lists without an expression are taken, as upstream does; an empty text (or one
 * of comments) is refused, as upstream does.
 *
 * The entries are sorted, highest first: the first match is the answer. */
#include "scale/rules/priority.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/text/cursor.h"
#include "scale/rules/regex.h"

#define MAX_TEXT (1u << 20) /* no ConfigMap is larger */

struct entry {
    int64_t priority;
    uint32_t first, count; /* in `expression` */
    uint32_t key;          /* its token */
    uint32_t reserved;
};

struct expression {
    struct stow_regex *regex;
};

struct stow_priorities {
    struct entry *entry;
    uint32_t entries, entry_cap;
    struct expression *expression;
    uint32_t expressions, expression_cap;
};

void stow_priorities_free(struct stow_priorities *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->expressions; i++)
        stow_regex_free(p->expression[i].regex);
    free(p->expression);
    free(p->entry);
    free(p);
}

static void free_local(struct stow_priorities **p)
{
    stow_priorities_free(*p);
}

/* ---- reading ----------------------------------------------------------------------------- */

static int read_expression(struct stow_cursor *c, void *into)
{
    struct stow_priorities *p = into;
    const uint32_t token = c->at;
    struct stow_str text;
    char why[200] = "";

    STOW_TRY(stow_cursor_scalar(c, &text));

    struct expression *made = STOW_PUSH(&p->expression, &p->expressions, &p->expression_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    switch (stow_regex_new(text.ptr, text.len, &made->regex, why, sizeof(why))) {
    case STOW_REGEX_OK:
        return STOW_OK;
    case STOW_REGEX_NO_MEMORY:
        return stow_cursor_fail_memory(c);
    case STOW_REGEX_BAD:
        break;
    }
    return stow_cursor_fail_at(c, token, "RE2 refuses the expression '%.*s': %s",
                               (int)(text.len < 100 ? text.len : 100), text.ptr, why);
}

static int read_entry(struct stow_cursor *c, struct stow_priorities *p, struct stow_str name)
{
    const uint32_t key = c->frame[c->depth - 1].key;
    int64_t priority;

    if (!stow_str_int(name, &priority))
        return stow_cursor_fail_at(c, key,
                                   "expected a whole number as priority (10, -5), found '%.*s'",
                                   (int)(name.len < 100 ? name.len : 100), name.ptr);

    struct entry *entry = STOW_PUSH(&p->entry, &p->entries, &p->entry_cap);

    if (!entry)
        return stow_cursor_fail_memory(c);
    *entry = (struct entry){.priority = priority, .key = key, .first = p->expressions};
    if (stow_cursor_null(c) == 0)
        STOW_TRY(stow_cursor_items(c, read_expression, p));
    entry->count = p->expressions - entry->first;
    return STOW_OK;
}

/* Highest first, then in order of the text. */
static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static int sort(struct stow_cursor *c, struct stow_priorities *p)
{
    if (p->entries)
        qsort(p->entry, p->entries, sizeof(*p->entry), compare);
    for (uint32_t i = 1; i < p->entries; i++)
        if (p->entry[i].priority == p->entry[i - 1].priority)
            return stow_cursor_fail_at(c, p->entry[i].key,
                                       "priority %lld is given twice, first in line %u; "
                                       "put all its expressions into one list",
                                       (long long)p->entry[i].priority,
                                       stow_tape_mark(c->tape, p->entry[i - 1].key).line);
    return STOW_OK;
}

static int read_map(struct stow_cursor *c, struct stow_priorities *p)
{
    const enum stow_token first = stow_cursor_peek(c);
    struct stow_str name;
    int more;

    if (first == STOW_TOKEN_END || first == STOW_TOKEN_NULL)
        return stow_cursor_fail_at(c, c->at,
                                   "the map of priorities is empty; expected priorities with lists "
                                   "of expressions, such as 10: [\".*spot.*\"]");
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &name)) > 0)
        STOW_TRY(read_entry(c, p, name));
    STOW_TRY(more);
    if (stow_cursor_peek(c) != STOW_TOKEN_END)
        return stow_cursor_fail_at(c, c->at, "expected one map of priorities, found a second");
    return sort(c, p);
}

static int read_tape(const struct stow_tape *tape, struct stow_priorities *p, struct stow_err *err)
{
    struct stow_cursor c;

    stow_cursor_init(&c, tape, err);
    int code = read_map(&c, p);

    stow_cursor_done(&c);
    return code;
}

int stow_priorities_read(struct stow_str text, struct stow_priorities **ret, struct stow_err *err)
{
    if (text.len > MAX_TEXT)
        return stow_fail(err, STOW_ELIMIT, "a map of priorities of more than %u bytes", MAX_TEXT);

    STOW_AUTO(free_local) struct stow_priorities *p = calloc(1, sizeof(*p));
    STOW_AUTO(stow_free_local) char *padded = calloc(1, text.len + STOW_TAPE_PADDING);
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};

    if (!p || !padded)
        return stow_fail_memory(err);
    if (text.len)
        memcpy(padded, text.ptr, text.len);
    STOW_TRY(stow_tape_open(&tape, "", padded, text.len, err));
    STOW_TRY(read_tape(&tape, p, err));
    *ret = stow_take(&p);
    return STOW_OK;
}

/* ---- asking ------------------------------------------------------------------------------ */

int stow_priorities_match(const struct stow_priorities *p, struct stow_str group, int64_t *ret,
                          struct stow_err *err)
{
    for (uint32_t i = 0; i < p->entries; i++) {
        const struct entry *entry = &p->entry[i];

        for (uint32_t k = 0; k < entry->count; k++) {
            int found =
                stow_regex_search(p->expression[entry->first + k].regex, group.ptr, group.len);

            if (found < 0)
                return stow_fail_memory(err);
            if (found > 0) {
                *ret = entry->priority;
                return 1;
            }
        }
    }
    return 0;
}
