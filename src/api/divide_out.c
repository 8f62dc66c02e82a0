/* divide_out.c - a division as objects that Karmada or Open Cluster Management apply. */
#include <stdlib.h>

#include <stowage/export.h>

#include "api/divide.h"
#include "api/numbers.h"
#include "base/vec.h"
#include "explain/karmada/karmada_out.h"

bool stow_call_is_objects(const char *form)
{
    enum stow_karmada_form parsed;

    return stow_karmada_form_parse(stow_str_of(form), &parsed);
}

static int read_options(const struct stow_writing *w, const struct stow_call_dividing *dividing,
                        struct stow_karmada_options *ret, struct stow_err *err)
{
    double seconds = 0;

    *ret = (struct stow_karmada_options){.karmada = dividing->options.each.karmada,
                                         .costs = dividing->costs,
                                         .now = dividing->fleet.bill.now};
    (void)stow_karmada_form_parse(stow_str_of(w->name), &ret->form);
    STOW_TRY(stow_call_seconds(w->call, "valid-for", &seconds, err));
    if (seconds < 1 || seconds > 1e9)
        return stow_fail(err, STOW_EINVAL, "--valid-for takes a second or more, not '%s'",
                         stow_call_value(w->call, "valid-for"));
    ret->valid_for = (int64_t)seconds;
    return STOW_OK;
}

int stow_call_write_objects(const struct stow_writing *w, const struct stow_call_dividing *dividing,
                            const struct stow_fleet_answer *answer, struct stow_err *err)
{
    STOW_AUTO(stow_free_local)
    struct stow_karmada_item *item = calloc((size_t)answer->workloads + 1, sizeof(*item));
    STOW_AUTO(stow_karmada_out_done) struct stow_karmada_out out = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_karmada_options options;

    if (!item)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < answer->workloads; i++)
        item[i] = stow_karmada_item_of(answer->workload[i].binding, &answer->workload[i].made);
    STOW_TRY(read_options(w, dividing, &options, err));

    const struct stow_karmada_input in = {answer->s, item, answer->workloads};
    int code = stow_karmada_text(&in, &options, &out, &text, err);

    for (uint32_t i = 0; i < out.warnings; i++)
        stow_writing_warn(w, "%s", out.warning[i]);
    STOW_TRY(code);
    return stow_writing_text(w, stow_buf_str(&text), err);
}
