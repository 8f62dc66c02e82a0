/* group_defaults.c - see group_defaults.h. */
#include "explain/group_defaults.h"

#include <stdio.h>

#include <stowage/export.h>

#include "model/build.h"
#include "model/values/amount.h"

static bool is_beta(const struct stow_snapshot *s, const struct stow_group_default *d)
{
    return d->kind == STOW_DEFAULT_LABEL &&
           stow_str_contains(stow_text(s, d->key), STOW_STR("beta.kubernetes.io/"));
}

/* As the path within the group's template. */
static void write_field(struct stow_buf *to, const struct stow_snapshot *s,
                        const struct stow_group_default *d)
{
    switch (d->kind) {
    case STOW_DEFAULT_LABEL:
        stow_buf_printf(to, "metadata.labels.%s", stow_text(s, d->key).ptr);
        break;
    case STOW_DEFAULT_PROVIDER_ID:
        stow_buf_text(to, "spec.providerID");
        break;
    case STOW_DEFAULT_CAPACITY:
    case STOW_DEFAULT_ALLOCATABLE:
        stow_buf_printf(to, "status.%s.%s",
                        d->kind == STOW_DEFAULT_CAPACITY ? "capacity" : "allocatable",
                        stow_text(s, d->amount.resource).ptr);
        break;
    }
}

static const char *value_text(const struct stow_snapshot *s, const struct stow_group_default *d,
                              char text[STOW_AMOUNT_TEXT])
{
    if (d->kind == STOW_DEFAULT_LABEL || d->kind == STOW_DEFAULT_PROVIDER_ID)
        return stow_text(s, d->value).ptr;

    const stow_resource_id r = stow_resource_find(s, d->amount.resource);

    return stow_amount_exact(s, r, stow_resource_units(r, stow_exact_nano(&d->amount)), text);
}

void stow_group_defaults_push(struct stow_doc *doc, struct stow_value *list,
                              const struct stow_snapshot *s)
{
    STOW_AUTO(stow_buf_done) struct stow_buf field = {0};
    char text[STOW_AMOUNT_TEXT];

    for (uint32_t i = 0; i < s->group_defaults; i++) {
        const struct stow_group_default *d = &s->group_default[i];
        struct stow_value *v = stow_doc_object(doc);

        if (is_beta(s, d))
            continue;
        field.len = 0;
        write_field(&field, s, d);
        stow_value_set(doc, v, "group", stow_doc_text(doc, s->group[d->group].name));
        stow_value_set(doc, v, "field", stow_doc_str(doc, stow_buf_str(&field)));
        stow_value_set(doc, v, "value", stow_doc_text(doc, value_text(s, d, text)));
        stow_value_set(doc, v, "from", stow_doc_text(doc, d->from));
        stow_value_push(doc, list, v);
    }
    doc->failed |= field.failed;
}

static const struct stow_table_column columns[] = {
    {.title = "GROUP"}, {.title = "FIELD"}, {.title = "VALUE"}, {.title = "FROM"}, {0},
};

void stow_group_defaults_report(struct stow_report *report, const struct stow_snapshot *s)
{
    STOW_AUTO(stow_buf_done) struct stow_buf field = {0};
    struct stow_table *t;
    char text[STOW_AMOUNT_TEXT];

    if (!s->group_defaults)
        return;
    t = stow_report_table(report, "Assumed properties of new nodes", columns);
    for (uint32_t i = 0; i < s->group_defaults; i++) {
        const struct stow_group_default *d = &s->group_default[i];

        if (is_beta(s, d))
            continue;
        field.len = 0;
        write_field(&field, s, d);
        stow_table_row(t);
        stow_table_text(t, s->group[d->group].name);
        stow_table_str(t, stow_buf_str(&field));
        stow_table_text(t, value_text(s, d, text));
        stow_table_text(t, d->from);
    }
    report->failed |= field.failed;
}
