/* yaml.c - YAML rewritten as JSON text with its tokens.
 *
 * Problem: manifests are YAML as often as JSON, and everything above should have
 * one reader.  Idea: libyaml's events are written out as compact JSON, the offset
 * of every token beside it, and the line and column where it stood; from there on
 * a cursor cannot tell the difference, and memory is a small multiple of the file
 * whatever its shape.
 *
 * Anchors keep a copy of the JSON of their value and an alias pastes it.  A merge
 * key (<<) is written nowhere: its values wait until the mapping ends and then
 * add the members that the mapping does not have itself, earlier merges first.
 * Copying and pasting are limited, so that a few lines of nested anchors cannot
 * fill memory; names are looked up in tables, so that many cannot take ages.
 *
 * Of a key that is given twice in a mapping the last one counts, as for kubectl.  Not
 * so at the top of a document: there it is two objects without a line between them,
 * of which one would be lost, so both are left for the reader to refuse. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "read/text/tape.h"
#include "read/text/utf8.h"
#include "read/text/yaml_scalar.h"

#define PASTE_BASE  (1u << 20) /* anchors and aliases may always add this many bytes, */
#define PASTE_TIMES 16         /* and this multiple of the input beyond it */

/* JSON with its tokens. */
struct piece {
    struct stow_buf text;
    uint32_t *at;
    struct stow_position *mark;
    uint32_t tokens, at_cap, mark_cap;
};

struct level {
    bool object;
    bool have_key; /* a key was written, its value comes next */
    bool merging;  /* the next value belongs to a merge key */
    uint32_t members;
    uint32_t start;  /* the token of the opening bracket */
    uint32_t merges; /* how many pieces of `merge` are this level's */
    uint32_t keys;   /* where this level's start in `key` */
    size_t merge_text;
    uint32_t merge_token;
    char *anchor;
};

struct transcoder {
    struct stow_tape *tape;
    yaml_parser_t parser;
    struct piece out;
    struct level level[STOW_TAPE_MAX_DEPTH];
    uint32_t depth;
    struct stow_intern names; /* of anchors */
    struct piece *anchor;     /* by the handle of the name; no tokens: not defined */
    uint32_t anchors, anchor_cap;
    struct piece *merge;
    uint32_t merges, merge_cap;
    uint64_t *key; /* digests of the keys of all open mappings */
    uint32_t keys, key_cap;
    size_t paste_left;
    struct stow_err *err;
};

/* ---- errors ------------------------------------------------------------------------------ */

static int fail_mark(struct transcoder *t, struct stow_position mark, const char *what)
{
    stow_fail(t->err, STOW_EPARSE, "%s", what);
    if (t->err) {
        snprintf(t->err->file, sizeof(t->err->file), "%s", t->tape->name);
        t->err->line = mark.line;
        t->err->col = mark.col;
    }
    return STOW_EPARSE;
}

static struct stow_position mark_of(const yaml_mark_t *mark)
{
    return (struct stow_position){(uint32_t)mark->line + 1, (uint32_t)mark->column + 1};
}

static int fail_event(struct transcoder *t, const yaml_event_t *event, const char *what)
{
    return fail_mark(t, mark_of(&event->start_mark), what);
}

/* Whether the line of the mark is indented with a tab, which libyaml does not say. */
static bool has_tab(const struct stow_tape *tape, const yaml_mark_t *mark)
{
    struct stow_str line = {"", 0}, rest = {tape->text, tape->len};
    size_t i = 0;

    for (size_t n = 0; n <= mark->line && rest.ptr; n++)
        line = stow_str_cut(rest, '\n', &rest);
    while (i < line.len && line.ptr[i] == ' ')
        i++;
    return i < line.len && line.ptr[i] == '\t';
}

static int fail_parser(struct transcoder *t)
{
    char what[200];
    const yaml_parser_t *p = &t->parser;
    const struct stow_tape *tape = t->tape;

    if (p->error == YAML_MEMORY_ERROR)
        return stow_fail_memory(t->err);
    if (p->error == YAML_READER_ERROR) {
        size_t bad = stow_utf8_invalid(tape->text, tape->len);

        if (bad < tape->len) /* said as for JSON, and at the start of the sequence */
            return fail_mark(t, stow_text_mark(tape->text, tape->len, bad), "invalid UTF-8");
    }
    if (p->error == YAML_SCANNER_ERROR && has_tab(tape, &p->problem_mark))
        return fail_mark(t, mark_of(&p->problem_mark),
                         "malformed YAML: the line starts with a tab; indent with spaces");
    snprintf(what, sizeof(what), "malformed YAML: %s%s%s", p->problem ? p->problem : "unreadable",
             p->context ? ", " : "", p->context ? p->context : "");
    if (p->error == YAML_READER_ERROR)
        return fail_mark(t, stow_text_mark(tape->text, tape->len, p->problem_offset), what);
    return fail_mark(t, mark_of(&p->problem_mark), what);
}

/* ---- writing tokens ---------------------------------------------------------------------- */

static void piece_done(struct piece *p)
{
    stow_buf_done(&p->text);
    free(p->at);
    free(p->mark);
}

/* Notes that a token starts at the end of the text. */
static int note_token(struct transcoder *t, struct piece *p, struct stow_position mark)
{
    if (p->text.len >= UINT32_MAX - 64)
        return stow_fail(t->err, STOW_ELIMIT, "%s: larger than 4 GiB; split it into several files",
                         t->tape->name);
    if (stow_vec_reserve(&p->at, &p->at_cap, p->tokens + 1, sizeof(*p->at)) < 0 ||
        stow_vec_reserve(&p->mark, &p->mark_cap, p->tokens + 1, sizeof(*p->mark)) < 0)
        return stow_fail_memory(t->err);
    p->at[p->tokens] = (uint32_t)p->text.len;
    p->mark[p->tokens++] = mark;
    return STOW_OK;
}

static int put(struct transcoder *t, struct stow_position mark, struct stow_str token)
{
    STOW_TRY(note_token(t, &t->out, mark));
    stow_buf_add(&t->out.text, token);
    return t->out.text.failed ? stow_fail_memory(t->err) : STOW_OK;
}

static int put_char(struct transcoder *t, struct stow_position mark, char c)
{
    return put(t, mark, (struct stow_str){&c, 1});
}

static int put_text(struct transcoder *t, struct stow_position mark, struct stow_str s)
{
    struct stow_buf *text = &t->out.text;
    size_t plain = 0;

    STOW_TRY(note_token(t, &t->out, mark));
    stow_buf_char(text, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        stow_buf_add(text, (struct stow_str){s.ptr + plain, i - plain});
        stow_buf_printf(text, "\\u%04x", c);
        plain = i + 1;
    }
    stow_buf_add(text, (struct stow_str){s.ptr + plain, s.len - plain});
    stow_buf_char(text, '"');
    return text->failed ? stow_fail_memory(t->err) : STOW_OK;
}

/* Copies the tokens from `first` on into an empty piece. */
static int copy_from(struct transcoder *t, const struct piece *from, uint32_t first, uint32_t last,
                     struct piece *to)
{
    uint32_t base = first < from->tokens ? from->at[first] : (uint32_t)from->text.len;
    size_t end = last < from->tokens ? from->at[last] : from->text.len;

    for (uint32_t i = first; i < last; i++) {
        if (stow_vec_reserve(&to->at, &to->at_cap, to->tokens + 1, sizeof(*to->at)) < 0 ||
            stow_vec_reserve(&to->mark, &to->mark_cap, to->tokens + 1, sizeof(*to->mark)) < 0)
            return stow_fail_memory(t->err);
        to->at[to->tokens] = (uint32_t)to->text.len + from->at[i] - base;
        to->mark[to->tokens++] = from->mark[i];
    }
    stow_buf_add(&to->text, (struct stow_str){from->text.ptr + base, end - base});
    return to->text.failed ? stow_fail_memory(t->err) : STOW_OK;
}

/* Takes the bytes of some tokens off what anchors and aliases may add. */
static int spend(struct transcoder *t, const struct piece *from, uint32_t first, uint32_t last,
                 struct stow_position mark)
{
    size_t end = last < from->tokens ? from->at[last] : from->text.len;
    size_t bytes = first < last ? end - from->at[first] : 0;

    if (bytes > t->paste_left || t->out.text.len + bytes >= UINT32_MAX - 64)
        return fail_mark(t, mark, "anchors and aliases expand to far more than the file itself");
    t->paste_left -= bytes;
    return STOW_OK;
}

static int paste(struct transcoder *t, const struct piece *from, uint32_t first, uint32_t last,
                 struct stow_position mark)
{
    STOW_TRY(spend(t, from, first, last, mark));
    return copy_from(t, from, first, last, &t->out);
}

/* ---- levels ------------------------------------------------------------------------------ */

static struct level *top(struct transcoder *t)
{
    return t->depth ? &t->level[t->depth - 1] : NULL;
}

/* What has to stand before a value: a comma in a list, nothing after a key. */
static int before_value(struct transcoder *t, struct stow_position mark)
{
    struct level *l = top(t);

    if (l && !l->object && !l->merging && l->members > 0)
        return put_char(t, mark, ',');
    return STOW_OK;
}

/* Moves the value of a merge key out of the text, to wait for the end of its mapping. */
static int keep_merge(struct transcoder *t, struct level *l)
{
    struct piece *kept = STOW_PUSH(&t->merge, &t->merges, &t->merge_cap);

    if (!kept)
        return stow_fail_memory(t->err);
    l->merges++;
    STOW_TRY(copy_from(t, &t->out, l->merge_token, t->out.tokens, kept));
    t->out.tokens = l->merge_token;
    t->out.text.len = l->merge_text;
    l->merging = false;
    return STOW_OK;
}

/* A name that is defined again counts from here on. */
static int add_anchor(struct transcoder *t, const char *name, uint32_t first)
{
    stow_sym handle = stow_intern_text(&t->names, stow_str_of(name));

    if (handle == STOW_INTERN_FAILED)
        return stow_fail_memory(t->err);
    while (t->anchors <= handle)
        if (!STOW_PUSH(&t->anchor, &t->anchors, &t->anchor_cap))
            return stow_fail_memory(t->err);

    struct piece *value = &t->anchor[handle];

    piece_done(value);
    memset(value, 0, sizeof(*value));
    STOW_TRY(spend(t, &t->out, first, t->out.tokens, t->out.mark[first]));
    return copy_from(t, &t->out, first, t->out.tokens, value);
}

/* Behind a value: it may be anchored, and it may have been a merge key's. */
static int after_value(struct transcoder *t, const char *anchor, uint32_t first)
{
    struct level *l = top(t);

    if (anchor)
        STOW_TRY(add_anchor(t, anchor, first));
    if (!l)
        return STOW_OK;
    if (l->merging)
        return keep_merge(t, l);
    l->members++;
    l->have_key = false;
    return STOW_OK;
}

static bool expects_key(struct transcoder *t)
{
    struct level *l = top(t);

    return l && l->object && !l->have_key && !l->merging;
}

/* ---- merge keys -------------------------------------------------------------------------- */

/* The token after the value at `token`; pieces are well-formed, we wrote them. */
static uint32_t behind_value(const struct piece *p, uint32_t token)
{
    uint32_t depth = 0;

    do {
        char c = p->text.ptr[p->at[token++]];

        if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
    } while (depth > 0);
    return token;
}

static struct stow_str token_text(const struct piece *p, uint32_t token)
{
    uint32_t end = token + 1 < p->tokens ? p->at[token + 1] : (uint32_t)p->text.len;

    return (struct stow_str){p->text.ptr + p->at[token], end - p->at[token]};
}

/* The keys of the open mapping. */
static int collect_keys(struct transcoder *t, const struct level *l, struct stow_intern *keys)
{
    uint32_t i = l->start + 1;

    while (i < t->out.tokens) {
        i += t->out.text.ptr[t->out.at[i]] == ',';
        if (stow_intern_text(keys, token_text(&t->out, i)) == STOW_INTERN_FAILED)
            return stow_fail_memory(t->err);
        i = behind_value(&t->out, i + 2);
    }
    return STOW_OK;
}

/* Adds the members of the object at `object` of `from` that the open mapping lacks. */
static int merge_object(struct transcoder *t, struct level *l, struct stow_intern *keys,
                        const struct piece *from, uint32_t object)
{
    uint32_t i = object + 1;

    while (from->text.ptr[from->at[i]] != '}') {
        if (from->text.ptr[from->at[i]] == ',')
            i++;

        uint32_t end = behind_value(from, i + 2);

        if (stow_intern_find(keys, token_text(from, i)) == STOW_INTERN_FAILED) {
            if (stow_intern_text(keys, token_text(from, i)) == STOW_INTERN_FAILED)
                return stow_fail_memory(t->err);
            if (l->members++ > 0)
                STOW_TRY(put_char(t, from->mark[i], ','));
            STOW_TRY(paste(t, from, i, end, from->mark[i]));
        }
        i = end;
    }
    return STOW_OK;
}

static int merge_piece(struct transcoder *t, struct level *l, struct stow_intern *keys,
                       const struct piece *from)
{
    static const char *const wrong = "a merge key (<<) takes a mapping or a list of mappings";
    char kind = from->text.ptr[from->at[0]];

    if (kind == '{')
        return merge_object(t, l, keys, from, 0);
    if (kind != '[')
        return fail_mark(t, from->mark[0], wrong);
    for (uint32_t i = 1; from->text.ptr[from->at[i]] != ']'; i = behind_value(from, i)) {
        i += from->text.ptr[from->at[i]] == ',';
        if (from->text.ptr[from->at[i]] != '{')
            return fail_mark(t, from->mark[i], wrong);
        STOW_TRY(merge_object(t, l, keys, from, i));
    }
    return STOW_OK;
}

/* ---- keys given twice -------------------------------------------------------------------- */

#define FEW_KEYS 16 /* up to here comparing all with all is faster than sorting */

static int compare_digests(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Whether two of the keys may be the same. */
static bool may_repeat(uint64_t *key, uint32_t count)
{
    if (count > FEW_KEYS)
        qsort(key, count, sizeof(*key), compare_digests);
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = count > FEW_KEYS ? i - 1 : 0; j < i; j++)
            if (key[i] == key[j])
                return true;
    return false;
}

static int note_key(struct transcoder *t, uint32_t token)
{
    const struct stow_str text = {t->out.text.ptr + t->out.at[token],
                                  t->out.text.len - t->out.at[token]};
    uint64_t *made = STOW_PUSH(&t->key, &t->keys, &t->key_cap);

    if (!made)
        return stow_fail_memory(t->err);
    *made = stow_hash(text.ptr, text.len);
    return STOW_OK;
}

/* Appends the members of `from`, an object without its end, but for those whose key comes again
 * later: last[handle of the key] is the token of the one that counts. */
static int append_last(struct transcoder *t, struct level *l, const struct stow_intern *keys,
                       const uint32_t *last, const struct piece *from)
{
    for (uint32_t i = 1, end; i < from->tokens; i = end) {
        i += from->text.ptr[from->at[i]] == ',';
        end = behind_value(from, i + 2);

        if (last[stow_intern_find(keys, token_text(from, i))] != i) {
            if (t->tape->twice++ == 0)
                t->tape->twice_at = from->mark[i];
            continue;
        }
        if (l->members++ > 0)
            STOW_TRY(put_char(t, from->mark[i], ','));
        STOW_TRY(copy_from(t, from, i, end, &t->out));
    }
    return STOW_OK;
}

static int keep_last(struct transcoder *t, struct level *l, const struct piece *from)
{
    STOW_AUTO(stow_intern_done) struct stow_intern keys = {0};
    STOW_AUTO(stow_free_local) uint32_t *last = NULL;
    uint32_t last_cap = 0;

    for (uint32_t i = 1; i < from->tokens; i = behind_value(from, i + 2)) {
        i += from->text.ptr[from->at[i]] == ',';

        const stow_sym key = stow_intern_text(&keys, token_text(from, i));

        if (key == STOW_INTERN_FAILED ||
            stow_vec_reserve(&last, &last_cap, key + 1, sizeof(*last)) < 0)
            return stow_fail_memory(t->err);
        last[key] = i;
    }
    l->members = 0;
    return append_last(t, l, &keys, last, from);
}

/* Drops what is given again later in the open mapping. */
static int drop_repeated(struct transcoder *t, struct level *l)
{
    struct piece all = {.tokens = 0};
    const uint32_t keys = t->keys - l->keys; /* without any there may be no list, either */
    const bool repeats = keys && may_repeat(t->key + l->keys, keys);
    int code = STOW_OK;

    t->keys = l->keys;
    if (!repeats || t->depth == 1)
        return STOW_OK;
    code = copy_from(t, &t->out, l->start, t->out.tokens, &all);
    if (code >= 0) {
        t->out.tokens = l->start + 1;
        t->out.text.len = t->out.at[l->start] + 1;
        code = keep_last(t, l, &all);
    }
    piece_done(&all);
    return code;
}

static int apply_merges(struct transcoder *t, struct level *l)
{
    STOW_AUTO(stow_intern_done) struct stow_intern keys = {0};
    uint32_t first = t->merges - l->merges;

    if (l->merges)
        STOW_TRY(collect_keys(t, l, &keys));
    for (uint32_t i = first; i < t->merges; i++)
        STOW_TRY(merge_piece(t, l, &keys, &t->merge[i]));
    while (t->merges > first)
        piece_done(&t->merge[--t->merges]);
    return STOW_OK;
}

/* ---- events ------------------------------------------------------------------------------ */

static struct stow_str scalar_text(const yaml_event_t *event)
{
    return (struct stow_str){(const char *)event->data.scalar.value, event->data.scalar.length};
}

/* Text when quoted or tagged as such, else what the plain scalar means. */
static enum stow_yaml_kind scalar_kind(const yaml_event_t *event, struct stow_buf *number)
{
    const char *tag = (const char *)event->data.scalar.tag;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

    if (tag && (strcmp(tag, YAML_INT_TAG) == 0 || strcmp(tag, YAML_FLOAT_TAG) == 0 ||
                strcmp(tag, YAML_BOOL_TAG) == 0 || strcmp(tag, YAML_NULL_TAG) == 0))
        return stow_yaml_resolve(scalar_text(event), number);
    if (tag || !plain)
        return STOW_YAML_TEXT;
    return stow_yaml_resolve(scalar_text(event), number);
}

static int put_resolved(struct transcoder *t, const yaml_event_t *event, bool key)
{
    struct stow_position mark = mark_of(&event->start_mark);
    STOW_AUTO(stow_buf_done) struct stow_buf number = {0};

    enum stow_yaml_kind kind = scalar_kind(event, &number);

    if (number.failed)
        return stow_fail_memory(t->err);
    switch (kind) {
    case STOW_YAML_NULL:
        return key ? fail_event(t, event, "a key is missing; expected a name before ':'")
                   : put(t, mark, STOW_STR("null"));
    case STOW_YAML_TRUE:
        return put(t, mark, key ? STOW_STR("\"true\"") : STOW_STR("true"));
    case STOW_YAML_FALSE:
        return put(t, mark, key ? STOW_STR("\"false\"") : STOW_STR("false"));
    case STOW_YAML_NUMBER:
        return key ? put_text(t, mark, stow_buf_str(&number)) : put(t, mark, stow_buf_str(&number));
    case STOW_YAML_NOT_FINITE:
        return fail_event(t, event, "not a finite number; quote it if it is meant as text");
    case STOW_YAML_TEXT:
        break;
    }
    return put_text(t, mark, scalar_text(event));
}

static bool is_merge_key(const yaml_event_t *event)
{
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           stow_str_is(scalar_text(event), "<<");
}

static int on_key(struct transcoder *t, const yaml_event_t *event)
{
    struct level *l = top(t);
    struct stow_position mark = mark_of(&event->start_mark);

    if (is_merge_key(event)) {
        l->merging = true;
        l->merge_text = t->out.text.len;
        l->merge_token = t->out.tokens;
        return STOW_OK;
    }
    if (l->members > 0)
        STOW_TRY(put_char(t, mark, ','));

    uint32_t first = t->out.tokens;

    STOW_TRY(put_resolved(t, event, true));
    STOW_TRY(note_key(t, first));
    if (event->data.scalar.anchor)
        STOW_TRY(add_anchor(t, (const char *)event->data.scalar.anchor, first));
    STOW_TRY(put_char(t, mark, ':'));
    l->have_key = true;
    return STOW_OK;
}

static int on_scalar(struct transcoder *t, const yaml_event_t *event)
{
    if (expects_key(t))
        return on_key(t, event);
    STOW_TRY(before_value(t, mark_of(&event->start_mark)));

    uint32_t first = t->out.tokens;

    STOW_TRY(put_resolved(t, event, false));
    return after_value(t, (const char *)event->data.scalar.anchor, first);
}

static int on_alias(struct transcoder *t, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    stow_sym handle = stow_intern_find(&t->names, stow_str_of(name));
    const struct piece *value = handle < t->anchors ? &t->anchor[handle] : NULL;
    struct stow_position mark = mark_of(&event->start_mark);

    if (!value || !value->tokens)
        return fail_event(t, event, "alias to an anchor that is not defined before it");
    if (expects_key(t))
        return fail_event(t, event, "an alias cannot be a key");
    STOW_TRY(before_value(t, mark));
    STOW_TRY(paste(t, value, 0, value->tokens, mark));
    return after_value(t, NULL, 0);
}

static int on_open(struct transcoder *t, const yaml_event_t *event, bool object)
{
    const yaml_char_t *anchor =
        object ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    struct stow_position mark = mark_of(&event->start_mark);

    if (expects_key(t))
        return fail_event(t, event, "a key must be a plain name, not a list or mapping");
    if (t->depth == STOW_TAPE_MAX_DEPTH)
        return fail_event(t, event, "nested deeper than 256 levels");
    STOW_TRY(before_value(t, mark));

    struct level *l = &t->level[t->depth];

    memset(l, 0, sizeof(*l));
    l->object = object;
    l->start = t->out.tokens;
    l->keys = t->keys;
    if (anchor) {
        l->anchor = strdup((const char *)anchor);
        if (!l->anchor)
            return stow_fail_memory(t->err);
    }
    t->depth++;
    return put_char(t, mark, object ? '{' : '[');
}

static int on_close(struct transcoder *t, const yaml_event_t *event)
{
    struct level *l = top(t);

    if (l->object)
        STOW_TRY(drop_repeated(t, l));
    STOW_TRY(apply_merges(t, l));
    STOW_TRY(put_char(t, mark_of(&event->start_mark), l->object ? '}' : ']'));

    STOW_AUTO(stow_free_local) char *anchor = stow_take(&l->anchor);
    uint32_t first = l->start;

    t->depth--;
    return after_value(t, anchor, first);
}

/* Anchors end with their document. */
static void forget_anchors(struct transcoder *t)
{
    while (t->anchors > 0)
        piece_done(&t->anchor[--t->anchors]);
    stow_intern_done(&t->names);
}

static int on_event(struct transcoder *t, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(t, event);
    case YAML_ALIAS_EVENT:
        return on_alias(t, event);
    case YAML_MAPPING_START_EVENT:
        return on_open(t, event, true);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(t, event, false);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return on_close(t, event);
    case YAML_DOCUMENT_END_EVENT:
        forget_anchors(t);
        stow_buf_char(&t->out.text, '\n');
        return STOW_OK;
    default:
        return STOW_OK;
    }
}

static int run(struct transcoder *t)
{
    bool more = true;

    while (more) {
        yaml_event_t event;

        if (!yaml_parser_parse(&t->parser, &event))
            return fail_parser(t);
        more = event.type != YAML_STREAM_END_EVENT;

        int result = on_event(t, &event);

        yaml_event_delete(&event);
        STOW_TRY(result);
    }
    stow_buf_repeat(&t->out.text, '\0', STOW_TAPE_PADDING);
    return t->out.text.failed ? stow_fail_memory(t->err) : STOW_OK;
}

static void transcoder_done(struct transcoder *t)
{
    forget_anchors(t);
    while (t->merges > 0)
        piece_done(&t->merge[--t->merges]);
    while (t->depth > 0)
        free(t->level[--t->depth].anchor);
    free(t->anchor);
    free(t->merge);
    free(t->key);
    piece_done(&t->out);
    yaml_parser_delete(&t->parser);
}

/* Hands the written tokens over to the tape. */
static void give(struct transcoder *t)
{
    struct stow_tape *tape = t->tape;

    tape->owned_text = t->out.text.ptr;
    tape->owned_at = t->out.at;
    tape->owned_mark = t->out.mark;
    tape->text = tape->owned_text;
    tape->len = t->out.text.len - STOW_TAPE_PADDING;
    tape->at = tape->owned_at;
    tape->mark = tape->owned_mark;
    tape->tokens = t->out.tokens;
    memset(&t->out, 0, sizeof(t->out));
}

int stow_tape_open_yaml(struct stow_tape *tape, const char *name, const char *text, size_t len,
                        struct stow_err *err)
{
    memset(tape, 0, sizeof(*tape));
    snprintf(tape->name, sizeof(tape->name), "%s", name);
    tape->text = text;
    tape->len = len;

    STOW_AUTO(stow_free_local) struct transcoder *t = calloc(1, sizeof(*t));

    if (!t)
        return stow_fail_memory(err);
    t->tape = tape;
    t->err = err;
    t->paste_left = PASTE_BASE + (len > SIZE_MAX / PASTE_TIMES / 2 ? 0 : len * PASTE_TIMES);
    if (!yaml_parser_initialize(&t->parser))
        return stow_fail_memory(err);
    yaml_parser_set_input_string(&t->parser, (const unsigned char *)text, len);
    yaml_parser_set_encoding(&t->parser, YAML_UTF8_ENCODING);

    int result = run(t);

    if (result >= 0)
        give(t);
    transcoder_done(t);
    return result;
}
