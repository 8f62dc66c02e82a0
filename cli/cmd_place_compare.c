/* cmd_place_compare.c - `stowage place --compare`: what each profile would do. */
#include <stdlib.h>

#include "cli/cmd_place.h"
#include "cli/output.h"
#include "explain/placement.h"

/* What the answer is made of, freed together. */
struct answer {
    struct stow_cli_placing placing;
    struct stow_placement_row row[STOW_CONTENDERS_MAX];
    struct stow_placement_comparison comparison;
    struct stow_doc doc;
    struct stow_report report;
};

static void answer_done(struct answer *a)
{
    stow_doc_done(&a->doc);
    stow_report_done(&a->report);
    for (uint32_t i = 0; i < a->comparison.rows; i++)
        stow_placement_done(&a->row[i].placement);
    stow_cli_placing_done(&a->placing);
    free(a);
}

static int check_options(struct stow_cli *cli, struct stow_err *err)
{
    if (stow_cli_given(cli, "explain"))
        return stow_fail(err, STOW_EINVAL, "--explain cannot be combined with --compare");
    if (stow_cli_given(cli, "profile") && !stow_cli_given(cli, "policy")) {
        stow_cli_hint(cli, "name the profiles to compare: --compare=%s,%s", STOW_PLACE_DEFAULT,
                      stow_cli_value(cli, "profile"));
        return stow_fail(err, STOW_EINVAL, "--profile cannot be combined with --compare");
    }
    return STOW_OK;
}

static int add_row(struct answer *a, const struct stow_cli_contender *contender,
                   struct stow_err *err)
{
    STOW_AUTO(stow_cli_turn_done) struct stow_cli_turn turn = {0};
    const struct stow_place_options options = {.components = false};
    struct stow_placement_row *row = &a->row[a->comparison.rows];

    STOW_TRY(stow_cli_turn_open(&a->placing, contender, &turn, err));
    STOW_TRY(stow_place(&turn.state, &contender->profiles, &options, &row->placement, err));
    row->profile = contender->name;
    a->comparison.rows++;
    a->comparison.currency = turn.bill.currency;
    return stow_placement_used(&turn.state, &turn.bill, &a->placing.cluster.pricing.books,
                               &row->used, err);
}

static int answer(struct answer *a, struct stow_err *err)
{
    struct stow_cli_placing *p = &a->placing;
    struct stow_value *root = NULL;

    STOW_TRY(check_options(p->cli, err));
    STOW_TRY(stow_cli_contenders_open(p, err));
    STOW_TRY(stow_cli_placing_load(p, err));
    a->comparison.s = p->cluster.snapshot;
    a->comparison.row = a->row;
    for (uint32_t i = 0; i < p->contenders; i++)
        STOW_TRY(add_row(a, &p->contender[i], err));
    if (stow_cli_wants_value(p->cli))
        root = stow_placement_compared_value(&a->doc, &a->comparison);
    else
        stow_placement_compared(&a->report, &a->comparison, stow_cli_wants_all(p->cli));
    return stow_cli_answer_about(p->cli, p->cluster.snapshot, &a->doc, root, &a->report, err);
}

int stow_cli_place_compare(struct stow_cli *cli, struct stow_err *err)
{
    struct answer *a = calloc(1, sizeof(*a)); /* large for a stack */
    int code;

    if (!a)
        return stow_fail_memory(err);
    a->placing.cli = cli;
    code = answer(a, err);
    answer_done(a);
    return code;
}
