/* group.c - reading our NodeGroup.  Unknown fields are errors: a misspelt limit is not a
 * limit. */
#include <string.h>

#include "base/vec.h"
#include "model/pods/requests.h"
#include "read/kinds/reader.h"

struct group_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_group made;
    bool has_selector;
};

static int read_count(struct stow_cursor *c, uint32_t *ret)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 0, 1000000000, &value));
    *ret = (uint32_t)value;
    return STOW_OK;
}

/* Nodes that are bought whatever pods there are, or none of them: each takes memory. */
#define MOST_AT_ONCE 100000

static int read_min(struct stow_cursor *c, void *into)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 0, MOST_AT_ONCE, &value));
    ((struct group_in *)into)->made.min_nodes = (uint32_t)value;
    return STOW_OK;
}

static int read_max(struct stow_cursor *c, void *into)
{
    return read_count(c, &((struct group_in *)into)->made.max_nodes);
}

/* Whether a size is absurd is known when the group's nodes are counted. */
#define DOUBTFUL_SIZE 50000

static int read_current(struct stow_cursor *c, void *into)
{
    struct group_in *in = into;
    uint32_t token = c->at;

    STOW_TRY(read_count(c, &in->made.current_nodes));
    if (in->made.current_nodes < DOUBTFUL_SIZE)
        return STOW_OK;
    return stow_read_mark(c, in->r, token, &in->made.current_mark);
}

static int read_selector(struct stow_cursor *c, void *into)
{
    struct group_in *in = into;

    in->has_selector = true;
    return stow_read_labels(c, in->r, &in->made.selector);
}

static const struct stow_field priority_fields[] = {
    STOW_FIELD_FROM("pool", int32, INT32_MIN, struct group_in, made.pool_priority),
    STOW_FIELD_FROM("template", int32, INT32_MIN, struct group_in, made.template_priority),
};

static int read_scaling(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"any", "zero-or-max", NULL};
    uint32_t word;

    STOW_TRY(stow_read_word(c, words, &word));
    ((struct group_in *)into)->made.scaling = word ? STOW_SCALING_ZERO_OR_MAX : STOW_SCALING_ANY;
    return STOW_OK;
}

static int read_capacity_type(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"on-demand", "spot", "reserved", NULL};
    uint32_t word;

    STOW_TRY(stow_read_word(c, words, &word));
    ((struct group_in *)into)->made.capacity_type =
        (enum stow_capacity_type)(word + STOW_CAPACITY_ON_DEMAND);
    return STOW_OK;
}

static int read_template(struct stow_cursor *c, void *into)
{
    struct group_in *in = into;

    in->made.has_template = true;
    STOW_TRY(stow_read_mark(c, in->r, c->at, &in->made.template_mark));
    return stow_read_node_body(c, in->r, &in->made.node);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("minNodes", read_min),
    STOW_FIELD("maxNodes", read_max),
    STOW_FIELD("currentNodes", read_current),
    STOW_FIELD("nodeSelector", read_selector),
    STOW_FIELD_AT("exists", flag, struct group_in, made.exists),
    STOW_FIELD_STRICT("priority", priority_fields),
    STOW_FIELD("scaling", read_scaling),
    STOW_FIELD("capacityType", read_capacity_type),
    STOW_FIELD_AT("interruptionRate", fraction, struct group_in, made.rate),
    STOW_FIELD_AT("pricePerHour", money, struct group_in, made.price),
    STOW_FIELD_AT("feePerNodeHour", money, struct group_in, made.fee),
    STOW_FIELD_AT("daemonOverhead", amounts, struct group_in, made.daemon_overhead),
    STOW_FIELD("template", read_template),
};

static int skip(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_skip(c);
}

static const struct stow_field group_fields[] = {
    STOW_FIELD("apiVersion", skip),
    STOW_FIELD("kind", skip),
    STOW_FIELD_AT("metadata", meta, struct group_in, meta),
    STOW_FIELD_STRICT("spec", spec_fields),
    STOW_FIELD("status", skip),
};

/* The default: nodes that carry the group's name. */
static int select_by_name(struct stow_cursor *c, struct group_in *in)
{
    struct stow_label label = {STOW_SYM_NODE_GROUP,
                               stow_intern_text(&in->r->s->text, stow_str_of(in->made.name))};

    in->made.selector = stow_intern_blob(&in->r->s->blob, &label, sizeof(label));
    if (label.value == STOW_INTERN_FAILED || in->made.selector == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    return STOW_OK;
}

/* ---- what cannot be a node --------------------------------------------------------------- */

static stow_i128 amount_of(const struct stow_snapshot *s, stow_blob amounts, stow_sym resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);
    stow_i128 nano = 0;

    stow_exact_find(list, count, resource, &nano);
    return nano;
}

/* The first resource of which more is allocatable than there is, by name; STOW_NONE: none. */
static stow_sym above_capacity(const struct stow_snapshot *s, const struct stow_node *node)
{
    uint32_t count;
    const struct stow_exact *all = STOW_LIST(s, node->capacity, struct stow_exact, &count);
    stow_sym first = STOW_NONE;

    for (uint32_t i = 0; i < count; i++)
        if (amount_of(s, node->allocatable, all[i].resource) > stow_exact_nano(&all[i]) &&
            (first == STOW_NONE ||
             stow_str_cmp(stow_text(s, all[i].resource), stow_text(s, first)) < 0))
            first = all[i].resource;
    return first;
}

static int check_template(struct stow_cursor *c, struct group_in *in)
{
    const struct stow_snapshot *s = in->r->s;
    stow_sym above = above_capacity(s, &in->made.node);

    if (above != STOW_NONE)
        return stow_cursor_fail_at(c, in->r->allocatable,
                                   "NodeGroup '%s': template.status.allocatable has more %s than "
                                   "template.status.capacity; expected at most as much",
                                   in->made.name, stow_text(s, above).ptr);
    return STOW_OK;
}

int stow_read_node_group(struct stow_cursor *c, struct stow_reader *r)
{
    struct stow_snapshot *s = r->s;
    struct group_in in = {
        .r = r,
        .made = {.exists = true,
                 .max_nodes = STOW_NONE,
                 .current_nodes = STOW_NONE,
                 .price = STOW_MONEY_UNKNOWN,
                 .rate = -1,
                 .daemon_overhead = STOW_NONE,
                 .origin = STOW_NONE},
    };

    STOW_TRY(STOW_FIELDS_STRICT(c, group_fields, &in));
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, "NodeGroup"));
    if (in.made.min_nodes > in.made.max_nodes)
        return stow_cursor_fail_at(c, r->object, "minNodes of NodeGroup '%s' is above maxNodes",
                                   in.meta.name);
    if (in.made.scaling == STOW_SCALING_ZERO_OR_MAX && in.made.max_nodes > MOST_AT_ONCE)
        return stow_cursor_fail_at(c, r->object,
                                   "NodeGroup '%s' scales from zero to its maximum at once; "
                                   "expected maxNodes of at most %d",
                                   in.meta.name, MOST_AT_ONCE);
    in.made.name = in.meta.name;
    if (in.made.has_template)
        STOW_TRY(check_template(c, &in));
    if (!in.has_selector)
        STOW_TRY(select_by_name(c, &in));

    struct stow_group *kept = STOW_PUSH(&s->group, &s->groups, &s->group_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}
