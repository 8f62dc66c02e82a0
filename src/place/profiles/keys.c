/* keys.c - a Policy's `keys`, and from there to the snapshot's.
 *
 * Rules read facts from the keys of the snapshot.  A Policy among the cluster's
 * documents sets them while it is read; one that is given apart is read before the
 * cluster, so it can name the annotations to keep, and sets them afterwards. */
#include <stddef.h>
#include <string.h>

#include "model/build.h"
#include "place/custom/custom.h"
#include "place/profiles/options.h"
#include "place/profiles/profile_internal.h"

#define KEYS_MAX 64 /* for one fact */

/* ---- reading ---------------------------------------------------------------------------- */

struct keys_in {
    const char **list;
    uint32_t count, cap;
};

static int read_key(struct stow_cursor *c, void *into)
{
    struct keys_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (text.len == 0 || memchr(text.ptr, '\0', text.len))
        return stow_cursor_fail(c, "expected the name of a label or annotation");
    if (in->count == KEYS_MAX)
        return stow_cursor_fail(c, "more than %d keys", KEYS_MAX);

    const char **made = stow_option_push(c, (void *)&in->list, &in->count, &in->cap, sizeof(*made));
    const char *kept = stow_arena_text(c->arena, text);

    if (!made || !kept)
        return stow_cursor_fail_memory(c);
    *made = kept;
    return STOW_OK;
}

static int read_key_list(struct stow_cursor *c, struct stow_key_names *ret)
{
    struct keys_in in = {.list = stow_arena_zalloc(c->arena, sizeof(*in.list)), .cap = 1};

    if (!in.list)
        return stow_cursor_fail_memory(c);
    STOW_TRY(stow_cursor_items(c, read_key, &in));
    *ret = (struct stow_key_names){in.list, in.count};
    return STOW_OK;
}

#define KEYS(member)                                                          \
    static int read_##member(struct stow_cursor *c, void *into)               \
    {                                                                         \
        return read_key_list(c, &((struct stow_profile_keys *)into)->member); \
    }

KEYS(disk_type)
KEYS(network_type)
KEYS(storage)
KEYS(priority)
KEYS(capacity_type)

static const struct stow_field keys_fields[] = {
    STOW_FIELD("diskType", read_disk_type),         STOW_FIELD("networkType", read_network_type),
    STOW_FIELD("storageGiB", read_storage),         STOW_FIELD("priority", read_priority),
    STOW_FIELD("capacityType", read_capacity_type),
};

int stow_profile_keys_read(struct stow_cursor *c, struct stow_profile_keys *ret)
{
    return STOW_FIELDS_STRICT(c, keys_fields, ret);
}

/* ---- handing over ------------------------------------------------------------------------ */

static const struct {
    size_t from, to;
} pairs[] = {
    {offsetof(struct stow_profile_keys, disk_type), offsetof(struct stow_keys, disk_type)},
    {offsetof(struct stow_profile_keys, network_type), offsetof(struct stow_keys, network_type)},
    {offsetof(struct stow_profile_keys, storage), offsetof(struct stow_keys, storage)},
    {offsetof(struct stow_profile_keys, priority), offsetof(struct stow_keys, priority)},
    {offsetof(struct stow_profile_keys, capacity_type), offsetof(struct stow_keys, capacity_type)},
};

#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

static const struct stow_key_names *names_of(const struct stow_profile *p, size_t pair)
{
    return (const void *)((const char *)&p->keys + pairs[pair].from);
}

/* Those that a rule of the asking program reads; returns the new count. */
static uint32_t add_custom(const struct stow_custom *custom, const char **ret, uint32_t room,
                           uint32_t count)
{
    for (const char *const *key = custom ? custom->annotations : NULL; key && *key; key++, count++)
        if (count < room)
            ret[count] = *key;
    return count;
}

uint32_t stow_profile_annotations(const struct stow_profile *profile, const char **ret,
                                  uint32_t room)
{
    uint32_t count = 0;

    for (size_t i = 0; i < PAIRS; i++) {
        const struct stow_key_names *names = names_of(profile, i);

        for (uint32_t k = 0; k < names->count; k++, count++)
            if (count < room)
                ret[count] = names->name[k];
    }
    for (uint32_t i = 0; i < profile->filters; i++)
        count = add_custom(profile->filter[i].rule->custom, ret, room, count);
    for (uint32_t i = 0; i < profile->scorers; i++)
        count = add_custom(profile->scorer[i].rule->custom, ret, room, count);
    return count;
}

static stow_blob intern_names(struct stow_snapshot *s, const struct stow_key_names *names)
{
    stow_sym list[KEYS_MAX];
    uint32_t count = names->count < KEYS_MAX ? names->count : KEYS_MAX;

    for (uint32_t i = 0; i < count; i++) {
        list[i] = stow_intern_text(&s->text, stow_str_of(names->name[i]));
        if (list[i] == STOW_INTERN_FAILED)
            return STOW_INTERN_FAILED;
    }
    return stow_intern_blob(&s->blob, list, count * sizeof(list[0]));
}

int stow_profile_set_keys(const struct stow_profile *profile, struct stow_snapshot *s,
                          struct stow_err *err)
{
    for (size_t i = 0; i < PAIRS; i++) {
        const struct stow_key_names *names = names_of(profile, i);

        if (!names->name)
            continue;
        stow_blob made = intern_names(s, names);

        if (made == STOW_INTERN_FAILED)
            return stow_fail_memory(err);
        *(stow_blob *)((char *)&s->keys + pairs[i].to) = made;
    }
    return STOW_OK;
}
