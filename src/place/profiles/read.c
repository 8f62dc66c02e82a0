/* read.c - which documents a file holds, and which of them is meant.
 *
 * A file is looked through once before anything is read: a Policy may start from
 * one that comes later, and which one is wanted is known only when all names are.
 *
 * A scheduler that runs in the cluster has its configuration in a ConfigMap, as a
 * text under a key of any name.  Such a text is a file in the file: it gets a tape
 * and a cursor of its own, which last until its documents are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/profiles/profile_internal.h"
#include "read/files/input.h"

/* A text in a ConfigMap. */
struct inner {
    struct inner *next;
    struct stow_tape tape;
    struct stow_cursor c;
    char *text;
};

/* A KubeSchedulerConfiguration, and the cursor that reads it. */
struct kube_document {
    struct stow_cursor *c;
    struct stow_place at;
    struct stow_document_type type;
};

/* What a file turned out to hold. */
struct found {
    struct stow_policies policies;
    struct kube_document *kube;
    struct inner *inner; /* the last one first */
    uint32_t kubes, kube_cap;
    char list_kind[64];        /* of the list being read: its items may not say it */
    char map[254];             /* the ConfigMap being read */
    struct stow_place removed; /* kube-scheduler's own Policy, of before 1.23 */
};

static void inner_free(struct inner *inner)
{
    stow_cursor_done(&inner->c);
    stow_tape_done(&inner->tape);
    free(inner->text);
    free(inner);
}

static void done_found(struct found *found)
{
    while (found->inner) {
        struct inner *next = found->inner->next;

        inner_free(found->inner);
        found->inner = next;
    }
    free(found->kube);
    stow_policies_done(&found->policies);
}

static int find_document(struct stow_cursor *c, void *into);

/* ---- ConfigMaps -------------------------------------------------------------------------- */

static int make_inner(struct stow_cursor *c, struct found *found, struct stow_str text,
                      struct inner **ret)
{
    struct inner *made = calloc(1, sizeof(*made));

    if (!made)
        return stow_cursor_fail_memory(c);
    made->next = found->inner;
    found->inner = *ret = made;
    made->text = calloc(1, text.len + STOW_TAPE_PADDING);
    if (!made->text)
        return stow_cursor_fail_memory(c);
    memcpy(made->text, text.ptr, text.len);
    return STOW_OK;
}

/* One key of `data`: looked into when its text speaks of a configuration. */
static int find_in_text(struct stow_cursor *c, struct found *found, struct stow_str key)
{
    char name[sizeof(((struct stow_tape *)0)->name)];
    struct inner *inner = NULL;
    struct stow_str text;

    snprintf(name, sizeof(name), "%.120s, ConfigMap %.60s, key %.*s", c->tape->name, found->map,
             (int)(key.len < 50 ? key.len : 50), key.ptr);
    if (stow_cursor_peek(c) != STOW_TOKEN_TEXT)
        return stow_cursor_skip(c);
    STOW_TRY(stow_cursor_text(c, &text));
    if (!stow_str_contains(text, STOW_STR(STOW_KUBE_KIND)))
        return STOW_OK;
    STOW_TRY(make_inner(c, found, text, &inner));
    STOW_TRY(stow_tape_open(&inner->tape, name, inner->text, text.len, c->err));
    stow_cursor_init(&inner->c, &inner->tape, c->err);
    while (stow_cursor_peek(&inner->c) != STOW_TOKEN_END)
        STOW_TRY(find_document(&inner->c, found));
    return STOW_OK;
}

static int find_in_data(struct stow_cursor *c, void *into)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0)
        STOW_TRY(find_in_text(c, into, key));
    return more;
}

struct map_in {
    struct stow_place data;
    char name[254];
};

static int note_data(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct map_in *)into)->data);
}

static int read_map_name(struct stow_cursor *c, void *into)
{
    struct map_in *in = into;
    struct stow_str name;

    STOW_TRY(stow_cursor_scalar(c, &name));
    snprintf(in->name, sizeof(in->name), "%.*s", STOW_FMT(name));
    return STOW_OK;
}

static int read_map_metadata(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("name", read_map_name)};

    return STOW_FIELDS(c, fields, into);
}

static int find_in_map(struct stow_cursor *c, struct found *found)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("data", note_data),
        STOW_FIELD("metadata", read_map_metadata),
    };
    struct map_in in = {.name = "without a name"};

    STOW_TRY(STOW_FIELDS(c, fields, &in));
    const struct stow_place behind = stow_place_here(c);

    if (!stow_place_is(&in.data))
        return STOW_OK;
    snprintf(found->map, sizeof(found->map), "%s", in.name);
    stow_place_go(c, &in.data);
    STOW_TRY(find_in_data(c, found));
    stow_place_go(c, &behind);
    return STOW_OK;
}

/* ---- documents --------------------------------------------------------------------------- */

static int find_in_list(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, find_document, into);
}

/* Enters a List, and a ConfigMapList or PolicyList, whose items may be without a kind. */
static int find_in_items(struct stow_cursor *c, const struct stow_document_type *type,
                         struct found *found)
{
    static const struct stow_field fields[] = {STOW_FIELD("items", find_in_list)};
    char outer[sizeof(found->list_kind)];

    memcpy(outer, found->list_kind, sizeof(outer));
    snprintf(found->list_kind, sizeof(found->list_kind), "%.*s", (int)(strlen(type->kind) - 4),
             type->kind);
    STOW_TRY(STOW_FIELDS(c, fields, found));
    memcpy(found->list_kind, outer, sizeof(outer));
    return STOW_OK;
}

static bool is_policy(const struct stow_document_type *type)
{
    return strcmp(type->kind, "Policy") == 0 &&
           stow_str_starts(stow_str_of(type->version), STOW_STR("stowage.dev/"));
}

static bool is_list(const struct stow_document_type *type)
{
    return strcmp(type->kind, "List") == 0 || strcmp(type->kind, "PolicyList") == 0 ||
           strcmp(type->kind, "ConfigMapList") == 0;
}

static int note_kube(struct stow_cursor *c, const struct stow_document_type *type,
                     struct found *found)
{
    struct kube_document *made = STOW_PUSH(&found->kube, &found->kubes, &found->kube_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    made->c = c;
    made->type = *type;
    return stow_place_note(c, &made->at);
}

/* Notes the document at the cursor when it is one of ours; lists and ConfigMaps are entered. */
static int find_document(struct stow_cursor *c, void *into)
{
    struct found *found = into;
    struct stow_document_type type;

    if (stow_cursor_peek(c) != STOW_TOKEN_OBJECT)
        return stow_cursor_skip(c);
    STOW_TRY(stow_type_peek(c, &type));
    if (!type.kind[0])
        memcpy(type.kind, found->list_kind, sizeof(type.kind));
    if (is_list(&type))
        return find_in_items(c, &type, found);
    if (strcmp(type.kind, STOW_KUBE_KIND) == 0)
        return note_kube(c, &type, found);
    if (c != found->policies.c) /* in a ConfigMap nothing else is looked for */
        return stow_cursor_skip(c);
    if (is_policy(&type))
        return stow_policies_note(&found->policies, &type);
    if (strcmp(type.kind, "Policy") == 0 && strcmp(type.version, "v1") == 0)
        return stow_place_note(c, &found->removed);
    return strcmp(type.kind, "ConfigMap") == 0 ? find_in_map(c, found) : stow_cursor_skip(c);
}

static int read_policy(struct stow_policies *set, struct stow_policy_entry *entry)
{
    struct stow_profile *p = stow_profile_add(set->all, stow_str_of(entry->name));

    if (!p)
        return stow_cursor_fail_memory(set->c);
    set->c->arena = &p->arena;
    STOW_TRY(stow_policy_apply(set, entry, p));
    return stow_profile_end(set->c, &entry->at, p);
}

static int fail_which(struct stow_policies *set, const char *name)
{
    char list[300] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < set->entries && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
                                 set->entry[i].name);
    if (name)
        return stow_fail(set->c->err, STOW_EINVAL, "there is no Policy %s in %s, only %s", name,
                         set->c->tape->name, list);
    return stow_cursor_fail_at(set->c, 0, "several Policies: say which of %s is meant", list);
}

static int read_one_policy(struct stow_policies *set, const char *name)
{
    struct stow_policy_entry *entry = set->entry;

    if (name)
        entry = stow_policies_find(set, stow_str_of(name));
    else if (set->entries > 1)
        entry = NULL;
    return entry ? read_policy(set, entry) : fail_which(set, name);
}

/* The name is the user's choice, not a mistake in the file. */
static int fail_no_profile(const struct stow_cursor *c, const struct stow_profiles *all,
                           const char *name)
{
    STOW_AUTO(stow_buf_done) struct stow_buf list = {0};

    for (uint32_t i = 0; i < all->count; i++)
        stow_buf_printf(&list, "%s%s", i ? ", " : "", all->profile[i].name);
    if (list.failed)
        return stow_fail_memory(c->err);
    return stow_fail(c->err, STOW_EINVAL, "there is no profile %s in %s, only %.*s", name,
                     c->tape->name, STOW_FMT(stow_buf_str(&list)));
}

static bool has_profile(const struct stow_profiles *all, const char *name)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (strcmp(all->profile[i].name, name) == 0)
            return true;
    return false;
}

/* Leaves one profile of a KubeSchedulerConfiguration. */
static int keep_only(struct stow_cursor *c, struct stow_profiles *all, const char *name)
{
    struct stow_profile kept = {.name = NULL};

    if (!has_profile(all, name))
        return fail_no_profile(c, all, name);
    for (uint32_t i = 0; i < all->count; i++) {
        if (strcmp(all->profile[i].name, name) == 0)
            kept = all->profile[i];
        else
            stow_arena_done(&all->profile[i].arena);
    }
    all->profile[0] = kept;
    all->count = 1;
    all->profile[0].scheduler_name = NULL;
    all->only = NULL; /* asked for */
    return STOW_OK;
}

static int read_kubes(struct found *found, const char *name)
{
    struct stow_profiles *all = found->policies.all;

    for (uint32_t i = 0; i < found->kubes; i++) {
        struct kube_document *kube = &found->kube[i];

        kube->c->depth = 0;
        stow_place_go(kube->c, &kube->at);
        STOW_TRY(stow_kube_read(kube->c, &kube->type, all));
    }
    stow_kube_end(all);
    return name ? keep_only(found->policies.c, all, name) : STOW_OK;
}

static int fail_none(struct stow_cursor *c, const struct found *found)
{
    if (stow_place_is(&found->removed))
        return stow_cursor_fail_at(
            c, found->removed.at,
            "this is kube-scheduler's own Policy (v1), which Kubernetes 1.23 "
            "removed and Stowage does not read; expected a " STOW_KUBE_KIND
            " or a Policy of stowage.dev/v1alpha1");
    return stow_cursor_fail_at(c, 0,
                               "expected a Policy (stowage.dev/v1alpha1) or a " STOW_KUBE_KIND
                               ", as it is or in a ConfigMap, found none");
}

static int read_found(struct stow_cursor *c, struct found *found, const char *name)
{
    c->depth = 0;
    if (found->policies.entries && found->kubes)
        return stow_cursor_fail_at(found->kube[0].c, found->kube[0].at.at,
                                   "a Policy and a " STOW_KUBE_KIND "; give one of the two");
    if (found->policies.entries)
        return read_one_policy(&found->policies, name);
    return found->kubes ? read_kubes(found, name) : fail_none(c, found);
}

static int read_tape(const struct stow_tape *tape, const char *name, struct stow_profiles *all,
                     struct stow_err *err)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;
    STOW_AUTO(done_found)
    struct found found = {.policies = {.all = all, .c = &c}};

    stow_cursor_init(&c, tape, err);
    while (stow_cursor_peek(&c) != STOW_TOKEN_END)
        STOW_TRY(find_document(&c, &found));
    return read_found(&c, &found, name);
}

static int read_file(const char *path, const char *name, struct stow_profiles *all,
                     struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input file = {0};
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {.text = NULL};
    const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;

    STOW_TRY(stow_input_read(path, &file, err));
    STOW_TRY(stow_input_explain(&file, "--policy",
                                stow_tape_open(&tape, shown, file.text, file.len, err), err));
    return read_tape(&tape, name, all, err);
}

static int end_read(int code, struct stow_profiles *all)
{
    if (code < 0)
        stow_profiles_done(all);
    return code;
}

int stow_profiles_read(const struct stow_rules *rules, const char *path, const char *name,
                       bool strict, struct stow_profiles *ret, struct stow_err *err)
{
    *ret = (struct stow_profiles){.rules = rules, .strict = strict};
    return end_read(read_file(path, name, ret, err), ret);
}

static int read_document(struct stow_cursor *c, struct stow_profiles *all)
{
    STOW_AUTO(done_found)
    struct found found = {.policies = {.all = all, .c = c}};
    struct stow_place start = stow_place_here(c);

    STOW_TRY(find_document(c, &found));
    struct stow_place behind = stow_place_here(c);

    if (found.policies.entries > 1)
        return stow_cursor_fail_at(c, start.at, "expected one document, found a list");
    STOW_TRY(read_found(c, &found, NULL));
    stow_place_go(c, &behind);
    return STOW_OK;
}

int stow_profiles_read_document(struct stow_cursor *c, struct stow_profiles *ret)
{
    struct stow_arena *before = c->arena;

    *ret = (struct stow_profiles){.count = 0};
    int code = read_document(c, ret);

    c->arena = before;
    return end_read(code, ret);
}

int stow_profiles_builtin(const char *name, struct stow_profiles *ret, struct stow_err *err)
{
    *ret = (struct stow_profiles){.count = 0};
    struct stow_profile *p = stow_profile_add(ret, stow_str_of(name));

    if (!p)
        return end_read(stow_fail_memory(err), ret);
    int code = stow_profile_apply_shipped(ret, p, stow_str_of(name), err);

    stow_profile_settle(p);
    return end_read(code, ret);
}
