/* place_compare.c - `stowage place --compare`: what each profile would do. */
#include <stdlib.h>

#include "api/output.h"
#include "api/place.h"
#include "explain/placement/placement.h"

/* What the answer is made of, freed together. */
struct stow_call_comparison {
    struct stow_placement_row row[STOW_CONTENDERS_MAX];
    struct stow_placement_comparison made;
};

void stow_call_comparison_done(struct stow_call_comparison *comparison)
{
    for (uint32_t i = 0; comparison && i < comparison->made.rows; i++)
        stow_placement_done(&comparison->row[i].placement);
    free(comparison);
}

static int check_options(struct stow_call *call, struct stow_err *err)
{
    if (stow_call_given(call, "explain"))
        return stow_fail(err, STOW_EINVAL, "--explain cannot be combined with --compare");
    if (stow_call_given(call, "profile") && !stow_call_given(call, "policy")) {
        stow_call_hint(call, "name the profiles to compare: --compare=%s,%s", STOW_PLACE_DEFAULT,
                       stow_call_value(call, "profile"));
        return stow_fail(err, STOW_EINVAL, "--profile cannot be combined with --compare");
    }
    return STOW_OK;
}

static int add_row(struct stow_call_comparison *c, struct stow_call_placing *p,
                   const struct stow_call_contender *contender, struct stow_err *err)
{
    STOW_AUTO(stow_call_turn_done) struct stow_call_turn turn = {0};
    const struct stow_place_options options = {.components = false};
    struct stow_placement_row *row = &c->row[c->made.rows];

    STOW_TRY(stow_call_turn_open(p, contender, &turn, err));
    STOW_TRY(stow_place(&turn.state, &contender->profiles, &options, &row->placement, err));
    row->profile = contender->name;
    c->made.rows++;
    c->made.currency = turn.bill.currency;
    return stow_placement_used(&turn.state, &turn.bill, &p->cluster.pricing.books, &row->used, err);
}

int stow_call_place_compare(struct stow_call_placing *p, struct stow_call_comparison **ret,
                            struct stow_err *err)
{
    struct stow_call_comparison *c;

    STOW_TRY(check_options(p->call, err));
    STOW_TRY(stow_call_contenders_open(p, err));
    STOW_TRY(stow_call_placing_load(p, err));
    c = *ret = calloc(1, sizeof(*c));
    if (!c)
        return stow_fail_memory(err);
    c->made.s = p->cluster.snapshot;
    c->made.row = c->row;
    for (uint32_t i = 0; i < p->contenders; i++)
        STOW_TRY(add_row(c, p, &p->contender[i], err));
    return STOW_OK;
}

int stow_call_comparison_write(const struct stow_call_comparison *c, struct stow_writing *w,
                               struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_placement_compared_value(&w->doc, &c->made);
    else
        stow_placement_compared(&w->report, &c->made, stow_writing_wants_all(w));
    return stow_writing_end_about(w, c->made.s, root, err);
}
