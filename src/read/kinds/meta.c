/* meta.c - what all objects have: metadata, and names that are made from a prefix. */
#include <stdlib.h>
#include <string.h>

#include "read/kinds/reader.h"

/* ---- metadata ---------------------------------------------------------------------------- */

static int read_name(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;
    struct stow_str text;

    stow_trace_vary(c->trace, STOW_VARY_NAME, c->at);
    STOW_TRY(stow_cursor_text(c, &text));
    if (memchr(text.ptr, '\0', text.len) || text.len > STOW_NAME_MAX)
        return stow_cursor_fail(c, "expected a name of at most %d characters", STOW_NAME_MAX);
    if (text.len == 0)
        return STOW_OK;
    if (stow_str_contains(text, STOW_STR("{{")))
        return stow_cursor_fail(c, STOW_IS_TEMPLATE);
    m->name = stow_arena_text(&m->r->s->arena, text);
    return m->name ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_namespace(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    return stow_read_sym(c, m->r, &m->namespace);
}

static int read_labels(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    return stow_read_labels(c, m->r, &m->labels);
}

static int read_annotations(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    return stow_read_annotations(c, m->r, &m->annotations);
}

static int read_created(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    m->stored = true;
    stow_trace_vary(c->trace, STOW_VARY_CREATED, c->at);
    return stow_read_time(c, &m->created);
}

/* The text itself is wanted only where there is no name, which most objects have. */
static int read_generate_name(struct stow_cursor *c, void *into)
{
    ((struct stow_meta *)into)->generate = c->at;
    return stow_cursor_skip_text(c);
}

static int read_deleted(struct stow_cursor *c, void *into)
{
    ((struct stow_meta *)into)->deleted = true;
    return stow_cursor_skip(c);
}

struct owner_in {
    struct stow_reader *r;
    struct stow_owner made;
    bool controller;
};

static const struct stow_field owner_fields[] = {
    STOW_FIELD_AT("controller", flag, struct owner_in, controller),
    STOW_FIELD_AT("kind", sym, struct owner_in, made.kind),
    STOW_FIELD_AT("name", sym, struct owner_in, made.name),
    STOW_FIELD_AT("uid", sym, struct owner_in, made.uid),
};

static int read_owner(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;
    struct owner_in in = {.r = m->r};

    STOW_TRY(STOW_FIELDS(c, owner_fields, &in));
    if (!in.controller)
        return STOW_OK;
    m->owner = stow_intern_blob(&m->r->s->blob, &in.made, sizeof(in.made));
    return m->owner == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_uid(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    m->stored = true;
    return stow_read_sym(c, m->r, &m->uid);
}

static int note_uid(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;
    struct stow_str text;

    m->stored = true;
    if (stow_cursor_peek(c) != STOW_TOKEN_TEXT)
        return stow_cursor_skip(c);
    m->uid_at = c->at;
    stow_trace_vary(c->trace, STOW_VARY_UID, c->at);
    return stow_cursor_text(c, &text);
}

static int read_generation(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    STOW_TRY(stow_cursor_int(c, 0, INT64_MAX, &m->generation));
    m->r->version.generation = m->generation;
    return STOW_OK;
}

/* Only compared, to find the newer of two: what is not a number is as if absent. */
int64_t stow_order_of(struct stow_str text)
{
    int64_t number;

    return stow_str_int(text, &number) && number > 0 ? number : 0;
}

static int read_order(struct stow_cursor *c, int64_t *ret)
{
    const enum stow_token token = stow_cursor_peek(c);
    struct stow_str text;

    if (token != STOW_TOKEN_TEXT && token != STOW_TOKEN_NUMBER)
        return stow_cursor_skip(c);
    STOW_TRY(stow_cursor_scalar(c, &text));
    *ret = stow_order_of(text);
    return STOW_OK;
}

static int read_version(struct stow_cursor *c, void *into)
{
    stow_trace_vary(c->trace, STOW_VARY_VERSION, c->at);
    return read_order(c, &((struct stow_meta *)into)->r->version.resource);
}

static int read_version_generation(struct stow_cursor *c, void *into)
{
    return read_order(c, &((struct stow_meta *)into)->r->version.generation);
}

static const struct stow_field meta_fields[] = {
    STOW_FIELD("annotations", read_annotations),
    STOW_FIELD("creationTimestamp", read_created),
    STOW_FIELD("deletionTimestamp", read_deleted),
    STOW_FIELD("generateName", read_generate_name),
    STOW_FIELD("generation", read_version_generation),
    STOW_FIELD("labels", read_labels),
    STOW_FIELD("name", read_name),
    STOW_FIELD("namespace", read_namespace),
    STOW_FIELD_ITEMS("ownerReferences", read_owner),
    STOW_FIELD("resourceVersion", read_version),
    STOW_FIELD("uid", note_uid),
};

int stow_read_meta(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *ret)
{
    *ret = (struct stow_meta){.r = r, .created = STOW_TIME_ALWAYS};
    return STOW_FIELDS(c, meta_fields, ret);
}

/* Few objects are asked who they are; the uids of a million pods would be a million texts. */
static const struct stow_field identity_fields[] = {
    STOW_FIELD("annotations", read_annotations),
    STOW_FIELD("creationTimestamp", read_created),
    STOW_FIELD("deletionTimestamp", read_deleted),
    STOW_FIELD("generateName", read_generate_name),
    STOW_FIELD("generation", read_generation),
    STOW_FIELD("labels", read_labels),
    STOW_FIELD("name", read_name),
    STOW_FIELD("namespace", read_namespace),
    STOW_FIELD_ITEMS("ownerReferences", read_owner),
    STOW_FIELD("resourceVersion", read_version),
    STOW_FIELD("uid", read_uid),
};

int stow_read_identity(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *ret)
{
    *ret = (struct stow_meta){.r = r, .created = STOW_TIME_ALWAYS};
    return STOW_FIELDS(c, identity_fields, ret);
}

/* ---- generateName ------------------------------------------------------------------------ */

/* The API server adds five random letters; ours come from the object itself, so that the name does
 * not depend on what else is read or in which order.  Space between tokens does not count. */
#define SUFFIX 5

static uint64_t object_hash(const struct stow_cursor *c, uint32_t first)
{
    const struct stow_tape *tape = c->tape;
    uint64_t both[2] = {0, 0};

    for (uint32_t i = first; i < c->at; i++) {
        uint32_t from = tape->at[i], to = i + 1 < tape->tokens ? tape->at[i + 1] : from + 1;
        struct stow_str token = stow_str_trim((struct stow_str){tape->text + from, to - from});

        both[1] = stow_hash(token.ptr, token.len);
        both[0] = stow_hash(both, sizeof(both));
    }
    return both[0];
}

/* Makes `m->name` of what is in `key` from `start` on, unless another object has it: 1, else 0. */
static int take_generated(struct stow_meta *m, const struct stow_buf *key, size_t start)
{
    struct stow_reader *r = m->r;
    struct stow_str all = stow_buf_str(key);

    if (key->failed)
        return STOW_ENOMEM;
    if (stow_intern_find(&r->generated, all) != STOW_INTERN_FAILED)
        return 0;
    if (stow_intern_text(&r->generated, all) == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    m->name = stow_arena_text(&r->s->arena, (struct stow_str){all.ptr + start, all.len - start});
    return m->name ? 1 : STOW_ENOMEM;
}

/* KIND/NAMESPACE/NAME, the name with its letters; identical objects are numbered from 2 on. */
static int generate_name(struct stow_meta *m, const char *what, struct stow_str prefix,
                         uint64_t hash)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    STOW_AUTO(stow_buf_done) struct stow_buf key = {0};
    int taken = 0;

    stow_buf_printf(&key, "%s/%s/", what, stow_text(m->r->s, stow_meta_namespace(m)).ptr);

    size_t start = key.len;

    stow_buf_add(&key, prefix);
    for (uint32_t i = 0; i < SUFFIX; i++, hash /= sizeof(letters) - 1)
        stow_buf_char(&key, letters[hash % (sizeof(letters) - 1)]);

    size_t end = key.len;

    for (uint32_t n = 2; (taken = take_generated(m, &key, start)) == 0; n++) {
        key.len = end;
        stow_buf_printf(&key, "-%u", n);
    }
    return taken;
}

static int name_from_prefix(struct stow_cursor *c, struct stow_meta *m, const char *what)
{
    struct stow_str prefix;

    STOW_TRY(stow_cursor_text_at(c, m->generate, &prefix));
    if (generate_name(m, what, prefix, object_hash(c, m->r->object)) < 0)
        return stow_cursor_fail_memory(c);
    return STOW_OK;
}

int stow_check_name(struct stow_cursor *c, struct stow_meta *m, const char *what)
{
    if (m->name)
        return STOW_OK;
    if (m->generate && m->r)
        return name_from_prefix(c, m, what);
    if (m->r && m->r->unnamed == STOW_UNNAMED_FINE) {
        m->r->unnamed = STOW_UNNAMED_FOUND;
        return STOW_EPARSE;
    }
    return stow_cursor_fail_at(c, m->r ? m->r->object : c->at - 1,
                               "%s has no name; expected metadata.name", what);
}

int stow_read_name_symbol(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *m,
                          const char *what, stow_sym *ret)
{
    m->r = r;
    STOW_TRY(stow_check_name(c, m, what));
    *ret = stow_intern_text(&r->s->text, stow_str_of(m->name));
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

stow_sym stow_meta_namespace(const struct stow_meta *m)
{
    return m->namespace ? m->namespace : STOW_SYM_DEFAULT;
}
