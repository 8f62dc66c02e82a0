/* small.c - reading the small kinds: Namespace, PriorityClass, Service, budgets. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/kinds/reader.h"

/* ---- Namespace --------------------------------------------------------------------------- */

struct plain_in {
    struct stow_reader *r;
    struct stow_meta meta;
    bool terminating; /* the phase of a namespace */
};

static int read_namespace_phase(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct plain_in *)into)->terminating |= stow_str_is(text, "Terminating");
    return STOW_OK;
}

static const struct stow_field namespace_status_fields[] = {
    STOW_FIELD("phase", read_namespace_phase)};

static const struct stow_field namespace_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct plain_in, meta),
    STOW_FIELD_OBJECT("status", namespace_status_fields),
};

int stow_read_namespace(struct stow_cursor *c, struct stow_reader *r)
{
    struct plain_in in = {.r = r};
    struct stow_namespace made = {0};

    STOW_TRY(STOW_FIELDS(c, namespace_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.meta, "Namespace", &made.name));
    made.labels = in.meta.labels;
    made.deleted = in.meta.deleted || in.terminating;

    struct stow_namespace *kept =
        STOW_PUSH(&r->s->namespace, &r->s->namespaces, &r->s->namespace_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

/* ---- PriorityClass ----------------------------------------------------------------------- */

struct priority_in {
    struct plain_in plain;
    struct stow_priority_class made;
};

static int read_class_preemption(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct priority_in *)into)->made.never = stow_str_is(text, "Never");
    return STOW_OK;
}

static const struct stow_field priority_fields[] = {
    STOW_FIELD_AT("globalDefault", flag, struct priority_in, made.global_default),
    STOW_FIELD_AT("metadata", meta, struct plain_in, meta),
    STOW_FIELD("preemptionPolicy", read_class_preemption),
    STOW_FIELD_FROM("value", int32, INT32_MIN, struct priority_in, made.value),
};

int stow_read_priority_class(struct stow_cursor *c, struct stow_reader *r)
{
    struct priority_in in = {.plain = {.r = r}};
    struct stow_snapshot *s = r->s;

    STOW_TRY(STOW_FIELDS(c, priority_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.plain.meta, "PriorityClass", &in.made.name));

    struct stow_priority_class *kept =
        STOW_PUSH(&s->priority_class, &s->priority_classes, &s->priority_class_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- Service ----------------------------------------------------------------------------- */

struct service_in {
    struct plain_in plain;
    stow_blob selector;
};

static int read_service_selector(struct stow_cursor *c, void *into)
{
    struct service_in *in = into;

    return stow_read_labels(c, in->plain.r, &in->selector);
}

static const struct stow_field service_spec_fields[] = {
    STOW_FIELD("selector", read_service_selector)};

static const struct stow_field service_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct plain_in, meta),
    STOW_FIELD_OBJECT("spec", service_spec_fields),
};

int stow_read_service(struct stow_cursor *c, struct stow_reader *r)
{
    struct service_in in = {.plain = {.r = r}};
    struct stow_snapshot *s = r->s;
    stow_sym name;

    STOW_TRY(STOW_FIELDS(c, service_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.plain.meta, "Service", &name));

    struct stow_service *kept = STOW_PUSH(&s->service, &s->services, &s->service_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_service){name, stow_meta_namespace(&in.plain.meta), in.selector};
    return STOW_OK;
}

/* ---- PodDisruptionBudget ----------------------------------------------------------------- */

struct budget_in {
    struct plain_in plain;
    struct stow_budget made;
};

static int read_budget_selector(struct stow_cursor *c, void *into)
{
    struct budget_in *in = into;

    return stow_read_selector(c, in->plain.r, &in->made.selector);
}

/* A count, or a percentage as text ("25%"). */
static int read_count_or_percent(struct stow_cursor *c, int32_t *count, int32_t *percent)
{
    struct stow_str text;
    int64_t value;

    if (stow_cursor_peek(c) == STOW_TOKEN_NUMBER)
        return stow_read_int32(c, 0, count);
    STOW_TRY(stow_cursor_text(c, &text));
    if (!text.len || text.ptr[text.len - 1] != '%' ||
        !stow_str_int((struct stow_str){text.ptr, text.len - 1}, &value) || value < 0 ||
        value > 100)
        return stow_cursor_fail(c, "expected a count or a percentage such as \"25%%\"");
    *percent = (int32_t)value;
    return STOW_OK;
}

static int read_min_available(struct stow_cursor *c, void *into)
{
    struct stow_budget *b = &((struct budget_in *)into)->made;

    return read_count_or_percent(c, &b->min_available, &b->min_percent);
}

static int read_max_unavailable(struct stow_cursor *c, void *into)
{
    struct stow_budget *b = &((struct budget_in *)into)->made;

    return read_count_or_percent(c, &b->max_unavailable, &b->max_percent);
}

static const struct stow_field budget_spec_fields[] = {
    STOW_FIELD("maxUnavailable", read_max_unavailable),
    STOW_FIELD("minAvailable", read_min_available),
    STOW_FIELD("selector", read_budget_selector),
};

static const struct stow_field budget_status_fields[] = {
    STOW_FIELD_FROM("disruptionsAllowed", int32, 0, struct budget_in, made.allowed)};

static const struct stow_field budget_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct plain_in, meta),
    STOW_FIELD_OBJECT("spec", budget_spec_fields),
    STOW_FIELD_OBJECT("status", budget_status_fields),
};

int stow_read_budget(struct stow_cursor *c, struct stow_reader *r)
{
    struct budget_in in = {
        .plain = {.r = r},
        .made = {.selector = STOW_SELECTOR_NULL,
                 .allowed = -1,
                 .min_available = -1,
                 .max_unavailable = -1,
                 .min_percent = -1,
                 .max_percent = -1},
    };

    STOW_TRY(STOW_FIELDS(c, budget_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.plain.meta, "PodDisruptionBudget", &in.made.symbol));
    in.made.name = in.plain.meta.name;
    in.made.namespace = stow_meta_namespace(&in.plain.meta);

    struct stow_budget *kept = STOW_PUSH(&r->s->budget, &r->s->budgets, &r->s->budget_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}
