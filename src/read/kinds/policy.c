/* policy.c - reading what every verb needs of our Policy: the keys that facts are read from.
 */
#include <string.h>

#include "read/kinds/reader.h"

struct policy_in {
    struct stow_reader *r;
    struct stow_meta meta;
};

static int read_disk_type(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;

    return stow_read_syms(c, r, &r->s->keys.disk_type);
}

static int read_network_type(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;

    return stow_read_syms(c, r, &r->s->keys.network_type);
}

static int read_storage(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;

    return stow_read_syms(c, r, &r->s->keys.storage);
}

static int read_priority(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;

    return stow_read_syms(c, r, &r->s->keys.priority);
}

static int read_capacity_type(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;

    return stow_read_syms(c, r, &r->s->keys.capacity_type);
}

static const struct stow_field keys_fields[] = {
    STOW_FIELD("diskType", read_disk_type),         STOW_FIELD("networkType", read_network_type),
    STOW_FIELD("storageGiB", read_storage),         STOW_FIELD("priority", read_priority),
    STOW_FIELD("capacityType", read_capacity_type),
};

static int read_keys(struct stow_cursor *c, void *into)
{
    struct policy_in *in = into;

    if (in->r->has_keys)
        return stow_cursor_fail(c, "another Policy has keys already; give them in one");
    in->r->has_keys = true;
    return STOW_FIELDS_STRICT(c, keys_fields, in->r);
}

/* How to decide is read from the file of --policy only; the verb can say so. */
static int note_rules(struct stow_cursor *c, void *into)
{
    ((struct policy_in *)into)->r->s->policy_decides = true;
    return stow_cursor_skip(c);
}

static int note_division(struct stow_cursor *c, void *into)
{
    ((struct policy_in *)into)->r->s->policy_divides = true;
    return stow_cursor_skip(c);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("costOptimized", note_division),
    STOW_FIELD("divide", note_division),
    STOW_FIELD("keys", read_keys),
    STOW_FIELD("profile", note_rules),
    STOW_FIELD("filters", note_rules),
    STOW_FIELD("scorers", note_rules),
    STOW_FIELD("tieBreak", note_rules),
    STOW_FIELD("priorityThreshold", note_rules),
};

static const struct stow_field policy_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct policy_in, meta),
    STOW_FIELD_OBJECT("spec", spec_fields),
};

int stow_read_policy(struct stow_cursor *c, struct stow_reader *r)
{
    struct policy_in in = {.r = r};

    STOW_TRY(STOW_FIELDS(c, policy_fields, &in));
    in.meta.r = r;
    return stow_check_name(c, &in.meta, "Policy");
}
