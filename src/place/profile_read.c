/* profile_read.c - which documents a file holds, and which of them is meant.
 *
 * A file is looked through once before anything is read: a Policy may start from
 * one that comes later, and which one is wanted is known only when all names are. */
#include <stdio.h>
#include <string.h>

#include "place/profile_parts.h"
#include "read/input.h"

/* What a file turned out to hold. */
struct found {
    struct stow_policies policies;
    struct stow_place kube;
    struct stow_type kube_type;
};

static int find_document(struct stow_cursor *c, void *into);

static int find_in_list(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, find_document, into);
}

static bool is_policy(const struct stow_type *type)
{
    return strcmp(type->kind, "Policy") == 0 &&
           stow_str_starts(stow_str_of(type->version), STOW_STR("stowage.dev/"));
}

static bool is_kube(const struct stow_type *type)
{
    return strcmp(type->kind, "KubeSchedulerConfiguration") == 0 &&
           stow_kube_is_group(type->version);
}

/* Notes the document at the cursor when it is one of ours; lists are entered. */
static int find_document(struct stow_cursor *c, void *into)
{
    static const struct stow_field list_fields[] = {STOW_FIELD("items", find_in_list)};
    struct found *found = into;
    struct stow_type type;

    if (stow_cursor_peek(c) == STOW_TOKEN_NULL)
        return stow_cursor_skip(c);
    STOW_TRY(stow_type_peek(c, &type));
    if (strcmp(type.kind, "List") == 0 || strcmp(type.kind, "PolicyList") == 0)
        return STOW_FIELDS(c, list_fields, found);
    if (is_policy(&type))
        return stow_policies_note(&found->policies, &type);
    if (!is_kube(&type))
        return stow_cursor_skip(c);
    if (stow_place_is(&found->kube))
        return stow_cursor_fail_at(c, c->at, "a second KubeSchedulerConfiguration; give one");
    found->kube_type = type;
    return stow_place_note(c, &found->kube);
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
        return stow_cursor_fail_at(set->c, 0, "there is no Policy %s here, only %s", name, list);
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

/* Leaves one profile of a KubeSchedulerConfiguration. */
static int keep_only(struct stow_cursor *c, struct stow_profiles *all, const char *name)
{
    struct stow_profile kept = {.name = NULL};

    for (uint32_t i = 0; i < all->count; i++) {
        if (strcmp(all->profile[i].name, name) == 0)
            kept = all->profile[i];
        else
            stow_arena_done(&all->profile[i].arena);
    }
    all->profile[0] = kept;
    all->count = kept.name ? 1 : 0;
    if (!kept.name)
        return stow_cursor_fail_at(c, 0, "there is no profile of the scheduler %s here", name);
    all->profile[0].scheduler_name = NULL;
    return STOW_OK;
}

static int read_found(struct stow_cursor *c, struct found *found, const char *name)
{
    struct stow_profiles *all = found->policies.all;

    c->depth = 0;
    if (found->policies.entries && stow_place_is(&found->kube))
        return stow_cursor_fail_at(
            c, found->kube.at, "a Policy and a KubeSchedulerConfiguration; give one of the two");
    if (found->policies.entries)
        return read_one_policy(&found->policies, name);
    if (!stow_place_is(&found->kube))
        return stow_cursor_fail_at(c, 0,
                                   "expected a Policy (stowage.dev/v1alpha1) or a "
                                   "KubeSchedulerConfiguration, found none");
    stow_place_go(c, &found->kube);
    STOW_TRY(stow_kube_read(c, &found->kube_type, all));
    return name ? keep_only(c, all, name) : STOW_OK;
}

static void done_found(struct found *found)
{
    stow_policies_done(&found->policies);
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
    STOW_TRY(stow_tape_open(&tape, shown, file.text, file.len, err));
    return read_tape(&tape, name, all, err);
}

static int end_read(int code, struct stow_profiles *all)
{
    if (code < 0)
        stow_profiles_done(all);
    return code;
}

int stow_profiles_read(const char *path, const char *name, struct stow_profiles *ret,
                       struct stow_err *err)
{
    *ret = (struct stow_profiles){.count = 0};
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
