/* policy_sections.c - the sections of a Policy that are not about profiles.
 *
 * A Policy may start from another one (`profile`), and its members may come in any order.  So the
 * places of all Policies of a file are noted first; then they are gone to, from the one that
 * is asked for up to the one that all start from, and their sections read on the way back. */
#include "place/profiles/policy_sections.h"

#include <string.h>

#include "place/profiles/profile_internal.h"
#include "read/files/input.h"

struct reading {
    struct stow_policies set;
    const struct stow_policy_section *section;
    uint32_t sections;
    void *into;
    const char *wanted;      /* the member of `spec` that is looked for, ... */
    struct stow_place found; /* ... and where it is */
};

static void reading_done(struct reading *r)
{
    stow_policies_done(&r->set);
}

/* ---- one Policy -------------------------------------------------------------------------- */

static int note_found(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct reading *)into)->found);
}

static int look_at_spec(struct stow_cursor *c, void *into)
{
    const char *name = ((struct reading *)into)->wanted;
    const struct stow_field field = {
        .name = name, .len = (uint32_t)strlen(name), .read = note_found};

    return stow_cursor_fields(c, &field, 1, into);
}

/* Goes to a member of the spec; 1: it is there, 0: not. */
static int go_to(struct reading *r, const struct stow_policy_entry *entry, const char *name)
{
    static const struct stow_field fields[] = {STOW_FIELD("spec", look_at_spec)};

    r->wanted = name;
    r->found = (struct stow_place){.given = false};
    stow_place_go(r->set.c, &entry->at);
    STOW_TRY(STOW_FIELDS(r->set.c, fields, r));
    if (!stow_place_is(&r->found))
        return 0;
    stow_place_go(r->set.c, &r->found);
    return 1;
}

/* The entry that a Policy starts from; NULL: none of this file. */
static int find_parent(struct reading *r, const struct stow_policy_entry *entry,
                       struct stow_policy_entry **ret)
{
    const int given = go_to(r, entry, "profile");
    struct stow_str name;

    *ret = NULL;
    if (given <= 0)
        return given;
    STOW_TRY(stow_cursor_text(r->set.c, &name));
    *ret = stow_policies_find(&r->set, name);
    if (*ret && (*ret)->open)
        return stow_cursor_fail(r->set.c, "the Policy %s starts from itself", (*ret)->name);
    return STOW_OK;
}

/* From the Policy that is asked for to the one that all start from, then back, each over what it
 * starts from. */
static int apply(struct reading *r, struct stow_policy_entry *entry)
{
    struct stow_policy_entry *parent;

    entry->open = true;
    STOW_TRY(find_parent(r, entry, &parent));
    if (parent)
        STOW_TRY(apply(r, parent)); /* as deep as there are Policies: each is opened once */
    for (uint32_t i = 0; i < r->sections; i++) {
        const int given = go_to(r, entry, r->section[i].name);

        if (given < 0)
            return given;
        if (given)
            STOW_TRY(r->section[i].read(r->set.c, r->into));
    }
    return STOW_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

static int find_document(struct stow_cursor *c, void *into);

static int find_in_list(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, find_document, into);
}

/* Notes the document at the cursor when it is a Policy; lists are entered. */
static int find_document(struct stow_cursor *c, void *into)
{
    static const struct stow_field list_fields[] = {STOW_FIELD("items", find_in_list)};
    struct reading *r = into;
    struct stow_document_type type;

    if (stow_cursor_peek(c) != STOW_TOKEN_OBJECT)
        return stow_cursor_skip(c);
    STOW_TRY(stow_type_peek(c, &type));
    if (strcmp(type.kind, "List") == 0 || strcmp(type.kind, "PolicyList") == 0)
        return STOW_FIELDS(c, list_fields, r);
    if (strcmp(type.kind, "Policy") == 0 &&
        stow_str_starts(stow_str_of(type.version), STOW_STR("stowage.dev/")))
        return stow_policies_note(&r->set, &type);
    return stow_cursor_skip(c);
}

static int apply_named(struct reading *r, const char *name)
{
    struct stow_policy_entry *entry = r->set.entry;

    if (r->set.entries == 0) /* a KubeSchedulerConfiguration; or nothing, which the profile tells */
        return STOW_OK;
    if (name)
        entry = stow_policies_find(&r->set, stow_str_of(name));
    else if (r->set.entries > 1)
        return stow_cursor_fail_at(r->set.c, 0, "several Policies: say which one is meant");
    if (!entry)
        return stow_cursor_fail_at(r->set.c, 0, "there is no Policy %s here", name);
    r->set.c->depth = 0;
    return apply(r, entry);
}

/* `with`: what to read, and into what. */
static int read_tape(const struct stow_tape *tape, const char *name, const struct reading *with,
                     struct stow_err *err)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;
    STOW_AUTO(reading_done) struct reading own = *with;

    own.set.c = &c;
    stow_cursor_init(&c, tape, err);
    while (stow_cursor_peek(&c) != STOW_TOKEN_END)
        STOW_TRY(find_document(&c, &own));
    return apply_named(&own, name);
}

int stow_policy_sections_read(const char *path, const char *name,
                              const struct stow_policy_section *section, uint32_t sections,
                              void *into, struct stow_err *err)
{
    const struct reading r = {.section = section, .sections = sections, .into = into};
    STOW_AUTO(stow_input_done) struct stow_input file = {0};
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {.text = NULL};

    STOW_TRY(stow_input_read(path, &file, err));
    STOW_TRY(stow_input_explain(&file, "--policy",
                                stow_tape_open(&tape, path, file.text, file.len, err), err));
    return read_tape(&tape, name, &r, err);
}
