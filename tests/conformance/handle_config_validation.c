/* handle_config_validation.c - what upstream's validation says about args of NodeResourcesFit.
 *
 * `config` is the args without defaults; `expectedError` the list of {type, field}, in any order.
 */
#include <stdlib.h>

#include "place/profiles/profile_internal.h"
#include "tests/conformance/conformance.h"

static bool is_fault(const struct stow_arg_fault *fault, struct stow_view expected)
{
    return stow_view_is(stow_view_get(expected, "type"), fault->type) &&
           stow_view_is(stow_view_get(expected, "field"), fault->field);
}

static bool is_among(const struct stow_arg_faults *got, struct stow_view expected)
{
    for (uint32_t i = 0; i < got->count && i < STOW_ARG_FAULTS; i++)
        if (is_fault(&got->fault[i], expected))
            return true;
    return false;
}

static int compare(struct stow_conf_case *c, struct stow_view expected, const void *from,
                   struct stow_err *err)
{
    const struct stow_arg_faults *got = from;

    (void)err;
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);)
        if (!is_among(got, walk.value))
            stow_conf_differ(c, "expectedError", "%.*s was not found",
                             STOW_FMT(stow_view_raw(walk.value)));
    for (uint32_t i = 0; i < got->count && i < STOW_ARG_FAULTS; i++) {
        struct stow_view_walk walk = stow_view_walk(expected);
        bool wanted = false;

        while (!wanted && stow_view_next(&walk))
            wanted = is_fault(&got->fault[i], walk.value);
        if (!wanted)
            stow_conf_differ(c, "not expected", "%s at %s", got->fault[i].type,
                             got->fault[i].field);
    }
    if (got->count != stow_view_count(expected))
        stow_conf_differ(c, "expectedError", "expected %u errors, got %u",
                         stow_view_count(expected), got->count);
    return STOW_OK;
}

static int ask(struct stow_conf_case *c, struct stow_arg_faults *faults, struct stow_err *err)
{
    struct stow_cursor cursor;

    stow_view_cursor(stow_conf_get(c, "config"), &cursor, err);
    cursor.arena = c->scratch;
    int code = stow_kube_fit_faults(&cursor, false, faults);

    stow_cursor_done(&cursor);
    return code < 0 ? code
                    : stow_conf_one_of(c, stow_conf_get(c, "expectedError"), compare, faults, err);
}

static int run(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_arg_faults *faults = calloc(1, sizeof(*faults));

    if (!faults)
        return stow_fail_memory(err);
    int code = ask(c, faults, err);

    free(faults);
    return code;
}

const struct stow_conf_handler stow_conf_config_validation[] = {
    {.group = "NodeResourcesFit/config-validation", .run = run},
    {0},
};
