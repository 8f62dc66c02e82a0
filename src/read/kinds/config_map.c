/* config_map.c - reading the one ConfigMap that says something about node groups.
 *
 * The Cluster Autoscaler's priority expander keeps its map in a ConfigMap of a fixed
 * name.  All others belong to other programs and may be large, so they are passed over:
 * kubectl prints the data before the name, hence the data is only marked and read
 * once the name is known. */
#include "base/vec.h"
#include "read/kinds/reader.h"

#define PRIORITIES "cluster-autoscaler-priority-expander"

struct config_in {
    struct stow_reader *r;
    struct stow_meta meta;
    uint32_t data; /* the token, 0: absent (an object cannot start with a value) */
};

static int mark_data(struct stow_cursor *c, void *into)
{
    ((struct config_in *)into)->data = c->at;
    return stow_cursor_skip(c);
}

static const struct stow_field config_fields[] = {
    STOW_FIELD("data", mark_data),
    STOW_FIELD_AT("metadata", meta, struct config_in, meta),
};

struct data_in {
    struct stow_snapshot *s;
    const char *text;
    uint32_t token;
};

static int read_text(struct stow_cursor *c, void *into)
{
    struct data_in *in = into;
    struct stow_str text;

    in->token = c->at;
    STOW_TRY(stow_cursor_text(c, &text));
    in->text = stow_arena_text(&in->s->arena, text);
    return in->text ? STOW_OK : stow_cursor_fail_memory(c);
}

static const struct stow_field data_fields[] = {STOW_FIELD("priorities", read_text)};

/* A cursor of its own: the one that reads the object stays after it. */
static int read_data(struct stow_cursor *c, uint32_t token, struct data_in *ret)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor again;

    stow_cursor_init(&again, c->tape, c->err);
    stow_cursor_seek(&again, token);
    return STOW_FIELDS(&again, data_fields, ret);
}

static int keep(struct stow_cursor *c, const struct config_in *in, const struct data_in *data)
{
    struct stow_snapshot *s = in->r->s;
    const char *namespace = stow_text(s, stow_meta_namespace(&in->meta)).ptr;
    struct stow_position at = stow_tape_mark(c->tape, data->token);

    if (s->priorities && stow_snapshot_warn(s,
                                            "several ConfigMaps are named " PRIORITIES
                                            ": the last one counts, that of namespace '%s'",
                                            namespace) < 0)
        return stow_cursor_fail_memory(c);
    s->priorities = data->text;
    s->priorities_from = stow_arena_printf(&s->arena, "ConfigMap '%s/" PRIORITIES "' in %s:%u",
                                           namespace, c->tape->name, at.line);
    return s->priorities_from ? STOW_OK : stow_cursor_fail_memory(c);
}

static int warn_empty(struct stow_cursor *c, const struct config_in *in)
{
    const char *namespace = stow_text(in->r->s, stow_meta_namespace(&in->meta)).ptr;

    return stow_snapshot_warn(
               in->r->s, "ConfigMap '%s/" PRIORITIES "' has no data.priorities: it is left out",
               namespace) < 0
               ? stow_cursor_fail_memory(c)
               : STOW_OK;
}

int stow_read_config_map(struct stow_cursor *c, struct stow_reader *r)
{
    struct config_in in = {.r = r};
    struct data_in data = {.s = r->s};

    STOW_TRY(STOW_FIELDS(c, config_fields, &in));
    if (!in.meta.name || strcmp(in.meta.name, PRIORITIES) != 0)
        return STOW_OK;
    if (in.data)
        STOW_TRY(read_data(c, in.data, &data));
    return data.text ? keep(c, &in, &data) : warn_empty(c, &in);
}
