/* anonymise.c - a cluster with pseudonyms for all names, and the same decisions.
 *
 * The list is walked twice by the same functions: first every word is noted, then, when all are
 * known and in order, the list is written. */
#include "share/anonymise.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/nodes/zones.h"
#include "share/known.h"
#include "share/pseudonym.h"
#include "share/rules.h"
#include "share/write.h"

struct walk {
    struct stow_pseudonyms *names;
    struct stow_buf *out; /* NULL: words are only noted */
};

static void write_sign(const struct walk *w, const char *sign)
{
    if (w->out)
        stow_buf_text(w->out, sign);
}

static void write_kept(const struct walk *w, struct stow_str text)
{
    if (w->out)
        stow_json_text(w->out, text);
}

/* Adds the text with its words replaced, or notes them. */
static void replace(const struct walk *w, struct stow_str text, struct stow_buf *to)
{
    if (w->out)
        stow_pseudonym(w->names, text, to);
    else
        stow_pseudonyms_note(w->names, text);
}

static void write_made(const struct walk *w, const struct stow_buf *made)
{
    if (!w->out)
        return;
    stow_json_text(w->out, made->len ? stow_buf_str(made) : STOW_STR(""));
    w->out->failed |= made->failed;
}

static void write_text(const struct walk *w, struct stow_str text, bool kept)
{
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};

    if (kept) {
        write_kept(w, text);
        return;
    }
    replace(w, text, &made);
    write_made(w, &made);
}

/* The first `kept` bytes stay. */
static void write_start(const struct walk *w, struct stow_str text, size_t kept)
{
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};

    stow_buf_add(&made, (struct stow_str){text.ptr, kept});
    if (kept < text.len)
        replace(w, (struct stow_str){text.ptr + kept, text.len - kept}, &made);
    write_made(w, &made);
}

/* Of topology.DRIVER/zone all but the driver stays: it says that it is about zones. */
static void write_key(const struct walk *w, struct stow_str key)
{
    static const struct stow_str start = {"topology.", 9}, end = {"/zone", 5};
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};

    if (!stow_key_names_zone(key)) {
        write_start(w, key, stow_key_kept(key));
        return;
    }
    stow_buf_add(&made, start);
    replace(w, (struct stow_str){key.ptr + start.len, key.len - start.len - end.len}, &made);
    stow_buf_add(&made, end);
    write_made(w, &made);
}

/* Of aws:///us-east-1a/i-0abc the provider and the zone stay. */
static void write_machine(const struct walk *w, struct stow_str id)
{
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};
    const struct stow_str provider = stow_provider_of(id), zone = stow_provider_zone(id);
    const char *from = id.ptr + provider.len, *end = id.ptr + id.len;

    if (stow_is_public_provider(provider))
        stow_buf_add(&made, provider);
    else
        replace(w, provider, &made);
    if (zone.len) {
        replace(w, (struct stow_str){from, (size_t)(zone.ptr - from)}, &made);
        stow_buf_add(&made, zone);
        from = zone.ptr + zone.len;
    }
    replace(w, (struct stow_str){from, (size_t)(end - from)}, &made);
    write_made(w, &made);
}

static void write_at(const struct walk *w, enum stow_place_of_text place, struct stow_str text)
{
    switch (place) {
    case STOW_TEXT_KEPT:
        write_kept(w, text);
        break;
    case STOW_TEXT_KEY:
        write_key(w, text);
        break;
    case STOW_TEXT_VALUE:
    case STOW_TEXT_AMOUNTS:
        write_text(w, text, stow_text_is_kept(text));
        break;
    case STOW_TEXT_PAID:
        write_text(w, text, stow_is_payment(text));
        break;
    case STOW_TEXT_INDEXES:
        write_text(w, text, stow_is_indexes(text));
        break;
    case STOW_TEXT_SETTING:
        write_text(w, text, stow_is_setting(text) || stow_name_is_kept(text));
        break;
    case STOW_TEXT_RESOURCE:
        write_start(w, text, stow_resource_kept(text));
        break;
    case STOW_TEXT_DRIVER:
        write_text(w, text, stow_is_public_driver(text));
        break;
    case STOW_TEXT_CLOUD:
        write_text(w, text, stow_is_public_provider(text));
        break;
    case STOW_TEXT_API:
        write_text(w, text, stow_is_public_api(text));
        break;
    case STOW_TEXT_CONTAINER:
        write_text(w, text, stow_container_is_kept(text));
        break;
    case STOW_TEXT_POOL:
        write_text(w, text, stow_str_is(text, "rbd"));
        break;
    case STOW_TEXT_HASH:
        write_text(w, text, false);
        break;
    case STOW_TEXT_PROVIDER:
        write_machine(w, text);
        break;
    default:
        write_text(w, text, stow_name_is_kept(text));
        break;
    }
}

static int walk_value(struct walk *w, struct stow_cursor *c, enum stow_place_of_text place);

/* ---- texts that hold documents ----------------------------------------------------------- */

/* Karmada keeps a placement as a text: 1; 0 when it is not a document. */
static int walk_document(struct walk *w, struct stow_str text)
{
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};
    STOW_AUTO(stow_cursor_done) struct stow_cursor c = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};
    STOW_AUTO(stow_free_local) char *padded = NULL;
    struct walk inner = {w->names, w->out ? &made : NULL};
    struct stow_err err;
    int code;

    if (!text.len || text.ptr[0] != '{')
        return 0;
    padded = calloc(text.len + STOW_TAPE_PADDING, 1);
    if (!padded)
        return STOW_ENOMEM;
    memcpy(padded, text.ptr, text.len);
    code = stow_tape_open_json(&tape, "annotation", padded, text.len, &err);
    if (code >= 0) {
        stow_cursor_init(&c, &tape, &err);
        code = walk_value(&inner, &c, STOW_TEXT_PLAIN);
    }
    if (code < 0)
        return code == STOW_ENOMEM ? code : 0;
    write_made(w, &made);
    return 1;
}

static int walk_annotation(struct walk *w, struct stow_cursor *c, bool kept)
{
    STOW_AUTO(stow_free_local) char *copy = NULL;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    copy = strndup(text.ptr, text.len); /* what the cursor hands out does not last */
    if (!copy)
        return stow_cursor_fail_memory(c);
    text.ptr = copy;

    const int document = kept ? 0 : walk_document(w, text);

    if (document == 0)
        write_text(w, text, kept || stow_name_is_kept(text));
    return document < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* ---- members ----------------------------------------------------------------------------- */

/* What becomes of a member: how its key is written, and what its value is. */
struct member {
    enum stow_place_of_text key, value;
    bool dropped, annotation, kept;
};

static struct member plain_member(struct stow_str key)
{
    const enum stow_place_of_text place = stow_member_place(key);

    return (struct member){STOW_TEXT_KEPT, place, .dropped = place == STOW_TEXT_DROPPED};
}

static struct member label_member(struct stow_str key)
{
    struct member m = {.key = STOW_TEXT_KEY, .value = STOW_TEXT_VALUE};

    if (stow_str_is(key, "provider"))
        m.value = STOW_TEXT_CLOUD;
    else if (stow_label_is_hash(key))
        m.value = STOW_TEXT_HASH;
    else if (stow_label_is_of_payment(key))
        m.value = STOW_TEXT_PAID;
    else if (stow_value_is_kept(key))
        m.value = STOW_TEXT_KEPT;
    return m;
}

static struct member annotation_member(struct stow_str key)
{
    return (struct member){STOW_TEXT_KEPT, STOW_TEXT_PLAIN,
                           .dropped = !stow_annotation_is_read(key), .annotation = true,
                           .kept = stow_annotation_is_kept(key)};
}

/* Lists whose items have a `name` of a certain kind. */
static enum stow_place_of_text name_in(enum stow_place_of_text list)
{
    switch (list) {
    case STOW_TEXT_DRIVERS:
        return STOW_TEXT_DRIVER;
    case STOW_TEXT_CONTAINERS:
        return STOW_TEXT_CONTAINER;
    case STOW_TEXT_RANGES:
        return STOW_TEXT_RESOURCE;
    default:
        return STOW_TEXT_PLAIN;
    }
}

static struct member nested_member(enum stow_place_of_text place, struct stow_str key)
{
    struct member m = plain_member(key);

    if (place == STOW_TEXT_KEPT)
        return (struct member){.key = STOW_TEXT_KEPT, .value = STOW_TEXT_KEPT};
    if (stow_str_is(key, "name"))
        m.value = name_in(place);
    if (place == STOW_TEXT_APIS && stow_str_is(key, "resources"))
        m.value = STOW_TEXT_APIS;
    if (place == STOW_TEXT_FOREIGN)
        m.dropped = stow_member_is_foreign(key);
    return m;
}

static struct member member_of(enum stow_place_of_text place, struct stow_str key,
                               const struct stow_cursor *c)
{
    const bool scalar =
        stow_cursor_peek(c) != STOW_TOKEN_OBJECT && stow_cursor_peek(c) != STOW_TOKEN_ARRAY;

    if (place == STOW_TEXT_ANNOTATIONS && scalar)
        return annotation_member(key);
    if (scalar && (place == STOW_TEXT_LABELS || place == STOW_TEXT_SELECTOR))
        return label_member(key);
    if (scalar && place == STOW_TEXT_AMOUNTS)
        return (struct member){.key = STOW_TEXT_RESOURCE, .value = STOW_TEXT_AMOUNTS};
    return nested_member(place, key);
}

static int walk_member(struct walk *w, struct stow_cursor *c, struct member m, struct stow_str key,
                       bool *first)
{
    if (m.dropped)
        return stow_cursor_skip(c);
    write_sign(w, *first ? "" : ",");
    *first = false;
    write_at(w, m.key, key);
    write_sign(w, ":");
    if (m.annotation && stow_cursor_peek(c) == STOW_TOKEN_TEXT)
        return walk_annotation(w, c, m.kept);
    return walk_value(w, c, m.value);
}

static int walk_members(struct walk *w, struct stow_cursor *c, enum stow_place_of_text place,
                        bool *first)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0)
        STOW_TRY(walk_member(w, c, member_of(place, key, c), key, first));
    return more;
}

/* {key, operator, values}, a taint or a toleration: what the values are depends on the key. */
static int walk_requirement(struct walk *w, struct stow_cursor *c)
{
    char label[512];
    struct stow_str key;
    bool first = true;
    int more;

    STOW_TRY(stow_member_text(c, "key", label, sizeof(label)));

    const bool of_name = strcmp(label, "metadata.name") == 0;
    const struct member value = label_member(stow_str_of(label));

    write_sign(w, "{");
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        struct member m = plain_member(key);

        if (stow_str_is(key, "key"))
            m.value = STOW_TEXT_KEY;
        else if (stow_str_is(key, "values") || stow_str_is(key, "value"))
            m.value = of_name ? STOW_TEXT_PLAIN : value.value;
        STOW_TRY(walk_member(w, c, m, key, &first));
    }
    write_sign(w, "}");
    return more;
}

/* ---- values ------------------------------------------------------------------------------ */

static int walk_items(struct walk *w, struct stow_cursor *c, enum stow_place_of_text place)
{
    bool first = true;
    int more;

    write_sign(w, "[");
    STOW_TRY(stow_cursor_enter(c, '['));
    while ((more = stow_cursor_item(c)) > 0) {
        write_sign(w, first ? "" : ",");
        first = false;
        if (place == STOW_TEXT_REQUIREMENTS && stow_cursor_peek(c) == STOW_TOKEN_OBJECT)
            STOW_TRY(walk_requirement(w, c));
        else /* a list of what has amounts below: the limits of a LimitRange */
            STOW_TRY(walk_value(w, c, place == STOW_TEXT_AMOUNTS ? STOW_TEXT_PLAIN : place));
    }
    write_sign(w, "]");
    return more;
}

static int walk_value(struct walk *w, struct stow_cursor *c, enum stow_place_of_text place)
{
    struct stow_buf nowhere = {0};
    struct stow_str text;
    bool first = true;
    int code;

    switch (stow_cursor_peek(c)) {
    case STOW_TOKEN_OBJECT:
        write_sign(w, "{");
        STOW_TRY(walk_members(w, c, place, &first));
        write_sign(w, "}");
        return STOW_OK;
    case STOW_TOKEN_ARRAY:
        return walk_items(w, c, place);
    case STOW_TOKEN_TEXT:
        STOW_TRY(stow_cursor_text(c, &text));
        write_at(w, place, text);
        return STOW_OK;
    default:
        code = stow_json_plain(c, w->out ? w->out : &nowhere);
        stow_buf_done(&nowhere);
        return code;
    }
}

/* ---- objects ----------------------------------------------------------------------------- */

/* Objects without a namespace are in the one that is called default, which has a pseudonym. */
static int walk_metadata(struct walk *w, struct stow_cursor *c, bool cluster_wide)
{
    char namespace[256];
    const int given = stow_member_text(c, "namespace", namespace, sizeof(namespace));
    bool first = true;

    STOW_TRY(given);
    write_sign(w, "{");
    STOW_TRY(walk_members(w, c, STOW_TEXT_PLAIN, &first));
    if (!given && !cluster_wide) {
        write_sign(w, first ? "\"namespace\":" : ",\"namespace\":");
        write_text(w, STOW_STR("default"), false);
    }
    write_sign(w, "}");
    return STOW_OK;
}

/* Of a kind that is only known by its pod template, nothing else is read. */
static struct member object_member(struct stow_str key, bool foreign)
{
    struct member m = nested_member(foreign ? STOW_TEXT_FOREIGN : STOW_TEXT_PLAIN, key);

    if (foreign && stow_str_is(key, "spec"))
        m.value = STOW_TEXT_FOREIGN;
    return m;
}

static int walk_object(struct walk *w, struct stow_cursor *c, const char *kind)
{
    const bool cluster_wide = stow_kind_is_cluster_wide(stow_str_of(kind));
    const bool foreign = !stow_is_api_word(stow_str_of(kind));
    struct stow_str key;
    bool first = true;
    int more;

    write_sign(w, "{");
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        if (!stow_str_is(key, "metadata") || stow_cursor_peek(c) != STOW_TOKEN_OBJECT) {
            STOW_TRY(walk_member(w, c, object_member(key, foreign), key, &first));
            continue;
        }
        write_sign(w, first ? "\"metadata\":" : ",\"metadata\":");
        first = false;
        STOW_TRY(walk_metadata(w, c, cluster_wide));
    }
    write_sign(w, "}");
    return more;
}

static bool is_about_names(const char *kind)
{
    return strcmp(kind, "ConfigMap") == 0 || strcmp(kind, "Policy") == 0;
}

/* What names of other objects are made of. */
static int note_makers(struct walk *w, struct stow_cursor *c, const char *kind)
{
    char name[256];

    w->names->operated |= stow_kind_is_operated(stow_str_of(kind));
    if (strcmp(kind, "StatefulSet") != 0)
        return STOW_OK;
    STOW_TRY(stow_inner_text(c, "metadata", "name", name, sizeof(name)));
    stow_pseudonyms_note_set(w->names, stow_str_of(name));
    return STOW_OK;
}

static int walk_item(struct walk *w, struct stow_cursor *c, bool *first)
{
    char kind[128];

    STOW_TRY(stow_member_text(c, "kind", kind, sizeof(kind)));
    if (is_about_names(kind))
        return stow_cursor_skip(c);
    if (!w->out)
        STOW_TRY(note_makers(w, c, kind));
    write_sign(w, *first ? "\n" : ",\n");
    *first = false;
    return walk_object(w, c, kind);
}

static int walk_list(struct walk *w, struct stow_cursor *c)
{
    bool first = true;
    int more;

    STOW_TRY(stow_cursor_enter(c, '['));
    while ((more = stow_cursor_item(c)) > 0)
        STOW_TRY(walk_item(w, c, &first));
    return more;
}

static int walk_text(struct walk *w, const struct stow_tape *tape, struct stow_err *err)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;
    struct stow_str key;
    int more;

    stow_cursor_init(&c, tape, err);
    write_sign(w, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    STOW_TRY(stow_cursor_enter(&c, '{'));
    while ((more = stow_cursor_key(&c, &key)) > 0)
        STOW_TRY(stow_str_is(key, "items") ? walk_list(w, &c) : stow_cursor_skip(&c));
    write_sign(w, "\n]}\n");
    return more;
}

int stow_anonymise(const char *text, size_t len, struct stow_buf *out, struct stow_err *err)
{
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};
    STOW_AUTO(stow_pseudonyms_done) struct stow_pseudonyms names = {.failed = false};

    STOW_TRY(stow_tape_open_json(&tape, "snapshot", text, len, err));
    STOW_TRY(walk_text(&(struct walk){&names, NULL}, &tape, err));
    STOW_TRY(stow_pseudonyms_settle(&names, err));
    STOW_TRY(walk_text(&(struct walk){&names, out}, &tape, err));
    return out->failed ? stow_fail_memory(err) : STOW_OK;
}
