/* warnings.c - see warnings.h. */
#include "explain/warnings.h"

static struct stow_value *left_out_value(struct stow_doc *doc, const struct stow_snapshot *s)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < s->left_outs; i++) {
        struct stow_value *one = stow_doc_object(doc);

        stow_value_set(doc, one, "file", stow_doc_text(doc, s->left_out[i].file));
        stow_value_set(doc, one, "reason", stow_doc_text(doc, s->left_out[i].reason));
        stow_value_push(doc, list, one);
    }
    return list;
}

void stow_warnings_set(struct stow_doc *doc, struct stow_value *to, const struct stow_snapshot *s,
                       const char *const *own, uint32_t count)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < s->warnings; i++)
        stow_value_push(doc, list, stow_doc_text(doc, s->warning[i]));
    for (uint32_t i = 0; i < count; i++)
        stow_value_push(doc, list, stow_doc_text(doc, own[i]));
    stow_value_set(doc, to, "warnings", list);
    if (s->left_outs)
        stow_value_set(doc, to, "skipped", left_out_value(doc, s));
}
