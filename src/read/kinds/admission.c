/* admission.c - reading what admission looks at: LimitRange and RuntimeClass. */
#include <string.h>

#include "base/vec.h"
#include "read/kinds/reader.h"

/* ---- LimitRange -------------------------------------------------------------------------- */

struct item_in {
    struct stow_reader *r;
    struct stow_limit_item made;
};

static int read_type(struct stow_cursor *c, void *into)
{
    struct item_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    in->made.type = stow_str_is(text, "Container") ? STOW_LIMIT_CONTAINER
                    : stow_str_is(text, "Pod")     ? STOW_LIMIT_POD
                                                   : STOW_LIMIT_OTHER;
    return STOW_OK;
}

#define READ_AMOUNTS(name, field)                            \
    static int name(struct stow_cursor *c, void *into)       \
    {                                                        \
        struct item_in *in = into;                           \
                                                             \
        return stow_read_amounts(c, in->r, &in->made.field); \
    }

READ_AMOUNTS(read_default, default_limits)
READ_AMOUNTS(read_default_request, default_requests)
READ_AMOUNTS(read_max, max)
READ_AMOUNTS(read_ratio, ratio)
READ_AMOUNTS(read_min, min)

static const struct stow_field item_fields[] = {
    STOW_FIELD("default", read_default), STOW_FIELD("defaultRequest", read_default_request),
    STOW_FIELD("max", read_max),         STOW_FIELD("maxLimitRequestRatio", read_ratio),
    STOW_FIELD("min", read_min),         STOW_FIELD("type", read_type),
};

/* As the API server stores it: limits default to the largest allowed, requests to the limits, else
 * to the smallest allowed. */
static int default_item(struct stow_cursor *c, struct stow_reader *r, struct stow_limit_item *item)
{
    const struct stow_added nothing = {.container = 0};
    struct stow_manifest *m = &r->manifest;

    if (item->type != STOW_LIMIT_CONTAINER || stow_reader_as_given(r))
        return STOW_OK;
    stow_manifest_start(m, r->s, NULL);
    stow_manifest_merge(m, &item->default_limits, item->max, nothing);
    stow_manifest_merge(m, &item->default_requests, item->default_limits, nothing);
    stow_manifest_merge(m, &item->default_requests, item->min, nothing);
    return m->failed ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_item(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct item_in in = {.r = r, .made = {.type = STOW_LIMIT_OTHER}};

    STOW_TRY(STOW_FIELDS(c, item_fields, &in));
    STOW_TRY(default_item(c, r, &in.made));

    struct stow_limit_item *kept = STOW_COLLECT(&r->limit_items, struct stow_limit_item);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

struct admission_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_runtime_class class;
};

static int read_limits(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_item, ((struct admission_in *)into)->r);
}

static const struct stow_field limit_range_spec_fields[] = {STOW_FIELD("limits", read_limits)};

static const struct stow_field limit_range_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct admission_in, meta),
    STOW_FIELD_OBJECT("spec", limit_range_spec_fields),
};

int stow_read_limit_range(struct stow_cursor *c, struct stow_reader *r)
{
    struct admission_in in = {.r = r};
    struct stow_limit_range made = {0};

    r->limit_items.count = 0;
    STOW_TRY(STOW_FIELDS(c, limit_range_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.meta, "LimitRange", &made.name));
    made.namespace = stow_meta_namespace(&in.meta);
    STOW_TRY(stow_read_blob(c, r, &r->limit_items, sizeof(struct stow_limit_item), &made.items));

    struct stow_limit_range *kept =
        STOW_PUSH(&r->s->limit_range, &r->s->limit_ranges, &r->s->limit_range_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

/* ---- RuntimeClass ------------------------------------------------------------------------ */

static int read_pod_fixed(struct stow_cursor *c, void *into)
{
    struct admission_in *in = into;

    in->class.has_overhead = true;
    return stow_read_amounts(c, in->r, &in->class.overhead);
}

static const struct stow_field overhead_fields[] = {STOW_FIELD("podFixed", read_pod_fixed)};

static const struct stow_field scheduling_fields[] = {
    STOW_FIELD_AT("nodeSelector", labels, struct admission_in, class.node_selector),
    STOW_FIELD_AT("tolerations", tolerations, struct admission_in, class.tolerations),
};

static const struct stow_field runtime_class_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct admission_in, meta),
    STOW_FIELD_OBJECT("overhead", overhead_fields),
    STOW_FIELD_OBJECT("scheduling", scheduling_fields),
};

int stow_read_runtime_class(struct stow_cursor *c, struct stow_reader *r)
{
    struct admission_in in = {.r = r};

    STOW_TRY(STOW_FIELDS(c, runtime_class_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.meta, "RuntimeClass", &in.class.name));

    struct stow_runtime_class *kept =
        STOW_PUSH(&r->s->runtime_class, &r->s->runtime_classes, &r->s->runtime_class_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.class;
    return STOW_OK;
}
