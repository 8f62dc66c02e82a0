/* cmd_place_how_many.c - `stowage place --how-many FILE`: how many more pods like this one fit. */
#include "cli/cmd_place.h"
#include "cli/output.h"
#include "explain/placement.h"
#include "place/how_many.h"

/* What the answer is made of, freed together. */
struct answer {
    struct stow_cli_placing placing;
    struct stow_cli_turn turn;
    struct stow_how_many counted;
    struct stow_doc doc;
    struct stow_report report;
};

static void answer_done(struct answer *a)
{
    stow_doc_done(&a->doc);
    stow_report_done(&a->report);
    stow_how_many_done(&a->counted);
    stow_cli_turn_done(&a->turn);
    stow_cli_placing_done(&a->placing);
}

static int check_options(struct stow_cli *cli, struct stow_err *err)
{
    static const char *const others[] = {"compare", "explain", NULL};
    const char *const *files;
    uint32_t count = stow_cli_values(cli, "file", &files);

    for (uint32_t i = 0; others[i]; i++)
        if (stow_cli_given(cli, others[i]))
            return stow_fail(err, STOW_EINVAL, "--%s cannot be combined with --how-many",
                             others[i]);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(files[i], "-") == 0 && strcmp(stow_cli_value(cli, "how-many"), "-") == 0)
            return stow_fail(err, STOW_EINVAL,
                             "standard input is either the cluster or the pod of --how-many");
    return STOW_OK;
}

static int answer(struct answer *a, struct stow_err *err)
{
    struct stow_cli *cli = a->placing.cli;
    struct stow_value *root = NULL;

    if (stow_cli_wants_value(cli))
        STOW_TRY(stow_placement_how_many_value(&a->doc, &a->counted,
                                               stow_cli_given(cli, "after-pending"), &root, err));
    else
        STOW_TRY(stow_placement_how_many(
            &a->report, &a->counted, stow_cli_wants_all(cli) || stow_cli_form(cli) == STOW_FORM_CSV,
            err));
    return stow_cli_answer_about(cli, a->placing.cluster.snapshot, &a->doc, root, &a->report, err);
}

int stow_cli_place_how_many(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(answer_done) struct answer a = {.placing = {.cli = cli}};

    STOW_TRY(check_options(cli, err));
    STOW_TRY(stow_cli_contender_open(&a.placing, err));
    STOW_TRY(stow_cli_placing_load(&a.placing, err));
    STOW_TRY(stow_cli_turn_open(&a.placing, &a.placing.contender[0], &a.turn, err));
    STOW_TRY(stow_how_many(a.placing.cluster.snapshot, a.turn.money,
                           &a.placing.contender[0].profiles, stow_cli_given(cli, "after-pending"),
                           &a.counted, err));
    return answer(&a, err);
}
