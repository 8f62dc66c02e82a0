/* warnings.c - see warnings.h. */
#include "explain/warnings.h"

struct stow_value *stow_warnings_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                       const char *const *own, uint32_t count)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < s->warnings; i++)
        stow_value_push(doc, list, stow_doc_text(doc, s->warning[i]));
    for (uint32_t i = 0; i < count; i++)
        stow_value_push(doc, list, stow_doc_text(doc, own[i]));
    return list;
}
