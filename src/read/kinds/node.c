/* node.c - reading Nodes, and the node templates of groups. */
#include <string.h>

#include "base/vec.h"
#include "read/kinds/reader.h"

struct node_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_node *made;
};

/* ---- spec -------------------------------------------------------------------------------- */

static int read_taints(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;

    return stow_read_taints(c, in->r, &in->made->taints);
}

static int read_unschedulable(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;
    bool yes;

    STOW_TRY(stow_cursor_bool(c, &yes));
    in->made->flags |= yes ? STOW_NODE_UNSCHEDULABLE : 0;
    return STOW_OK;
}

static int read_provider_id(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;

    return stow_read_sym(c, in->r, &in->made->provider_id);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("providerID", read_provider_id),
    STOW_FIELD("taints", read_taints),
    STOW_FIELD("unschedulable", read_unschedulable),
};

/* ---- status ------------------------------------------------------------------------------ */

static int read_allocatable(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;

    in->r->allocatable = c->at;
    return stow_read_amounts(c, in->r, &in->made->allocatable);
}

static int read_capacity(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;

    return stow_read_amounts(c, in->r, &in->made->capacity);
}

static int read_condition(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;
    struct stow_condition condition = {.types = {"Ready"}};

    STOW_TRY(stow_read_condition(c, &condition));
    in->made->flags |= condition.is_type && !condition.holds ? STOW_NODE_NOT_READY : 0;
    return STOW_OK;
}

struct image_in {
    struct stow_reader *r;
    int64_t bytes;
    stow_blob names;
};

static int read_image_size(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, INT64_MAX, &((struct image_in *)into)->bytes);
}

static const struct stow_field image_fields[] = {
    STOW_FIELD_AT("names", syms, struct image_in, names),
    STOW_FIELD("sizeBytes", read_image_size),
};

/* An image has several names; each becomes an entry of its own. */
static int read_image(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;
    struct image_in image = {.r = in->r};
    uint32_t count;

    STOW_TRY(STOW_FIELDS(c, image_fields, &image));

    const stow_sym *names = STOW_LIST(in->r->s, image.names, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct stow_image *kept = STOW_COLLECT(&in->r->images, struct stow_image);

        if (!kept)
            return stow_cursor_fail_memory(c);
        *kept = (struct stow_image){names[i], 0, image.bytes};
    }
    return STOW_OK;
}

static int read_images(struct stow_cursor *c, void *into)
{
    struct node_in *in = into;

    in->r->images.count = 0;
    STOW_TRY(stow_cursor_items(c, read_image, in));
    return stow_read_blob(c, in->r, &in->r->images, sizeof(struct stow_image), &in->made->images);
}

static const struct stow_field status_fields[] = {
    STOW_FIELD("allocatable", read_allocatable),
    STOW_FIELD("capacity", read_capacity),
    STOW_FIELD_ITEMS("conditions", read_condition),
    STOW_FIELD("images", read_images),
};

/* ---- the node ---------------------------------------------------------------------------- */

static const struct stow_field node_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct node_in, meta),
    STOW_FIELD_OBJECT("spec", spec_fields),
    STOW_FIELD_OBJECT("status", status_fields),
};

static int read_body(struct stow_cursor *c, struct node_in *in)
{
    struct stow_node *made = in->made;

    memset(made, 0, sizeof(*made));
    made->created = STOW_TIME_ALWAYS;
    made->group = STOW_NONE;
    in->r->allocatable = 0;
    STOW_TRY(STOW_FIELDS(c, node_fields, in));
    made->name = in->meta.name;
    made->labels = in->meta.labels;
    made->annotations = in->meta.annotations;
    made->created = in->meta.r ? in->meta.created : STOW_TIME_ALWAYS;
    made->flags |= in->meta.deleted ? STOW_NODE_TERMINATING : 0;
    return STOW_OK;
}

int stow_read_node_body(struct stow_cursor *c, struct stow_reader *r, struct stow_node *ret)
{
    return read_body(c, &(struct node_in){.r = r, .made = ret});
}

int stow_read_node(struct stow_cursor *c, struct stow_reader *r)
{
    struct stow_snapshot *s = r->s;
    struct stow_node node = {0};
    struct node_in in = {.r = r, .made = &node};

    STOW_TRY(read_body(c, &in));
    if (!r->allocatable) /* as the API server fills it in */
        node.allocatable = node.capacity;
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, "Node"));
    node.name = in.meta.name;
    node.symbol = stow_intern_text(&s->text, stow_str_of(node.name));

    struct stow_node *kept = STOW_PUSH(&s->node, &s->nodes, &s->node_cap);

    if (!kept || node.symbol == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    *kept = node;
    kept->sequence = s->nodes - 1;
    return STOW_OK;
}
