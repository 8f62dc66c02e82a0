/* place_how_many.c - `stowage place --how-many FILE`: how many more pods like this one fit. */
#include <stdlib.h>

#include "api/output.h"
#include "api/place.h"
#include "explain/placement/placement.h"
#include "place/how_many.h"

struct stow_call_how_many {
    const struct stow_snapshot *s;
    struct stow_how_many made;
    bool after_pending;
};

void stow_call_how_many_done(struct stow_call_how_many *counted)
{
    if (counted)
        stow_how_many_done(&counted->made);
    free(counted);
}

static int check_options(struct stow_call *call, struct stow_err *err)
{
    static const char *const others[] = {"compare", "explain", NULL};
    const char *const *files;
    uint32_t count = stow_call_values(call, "file", &files);

    for (uint32_t i = 0; others[i]; i++)
        if (stow_call_given(call, others[i]))
            return stow_fail(err, STOW_EINVAL, "--%s cannot be combined with --how-many",
                             others[i]);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(files[i], "-") == 0 && strcmp(stow_call_value(call, "how-many"), "-") == 0)
            return stow_fail(err, STOW_EINVAL,
                             "standard input is either the cluster or the pod of --how-many");
    return STOW_OK;
}

int stow_call_place_how_many(struct stow_call_placing *p, struct stow_call_turn *turn,
                             struct stow_call_how_many **ret, struct stow_err *err)
{
    struct stow_call_how_many *made;

    STOW_TRY(check_options(p->call, err));
    STOW_TRY(stow_call_contender_open(p, err));
    STOW_TRY(stow_call_placing_load(p, err));
    STOW_TRY(stow_call_turn_open(p, &p->contender[0], turn, err));
    made = *ret = calloc(1, sizeof(*made));
    if (!made)
        return stow_fail_memory(err);
    made->s = p->cluster.snapshot;
    made->after_pending = stow_call_given(p->call, "after-pending");
    return stow_how_many(made->s, turn->money, &p->contender[0].profiles, made->after_pending,
                         &made->made, err);
}

int stow_call_how_many_write(const struct stow_call_how_many *counted, struct stow_writing *w,
                             struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        STOW_TRY(stow_placement_how_many_value(&w->doc, &counted->made, counted->after_pending,
                                               &root, err));
    else
        STOW_TRY(stow_placement_how_many(&w->report, &counted->made,
                                         stow_writing_wants_all(w) || w->form == STOW_FORM_CSV,
                                         err));
    return stow_writing_end_about(w, counted->s, root, err);
}
