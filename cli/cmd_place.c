/* cmd_place.c - `stowage place`: which node each pending pod should go to. */
#include <string.h>

#include "cli/cmd_place.h"
#include "cli/output.h"
#include "explain/placement.h"
#include "explain/words.h"

static const struct stow_cli_option options[] = {
    STOW_CLI_CLUSTER,
    STOW_CLI_CHOICE("pods"),
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help = "with --policy, the Policy or scheduler of that name; else a shipped "
             "profile (default " STOW_PLACE_DEFAULT ")"},
    {.name = "policy",
     .argument = "FILE",
     .help = "decide by the Policy or KubeSchedulerConfiguration in this file"},
    STOW_CLI_STRICT,
    {.name = "compare",
     .argument = "PROFILE,...",
     .optional = true,
     .offers = stow_profile_names,
     .help = "show profiles side by side: those named, else all that are shipped, and that of "
             "--policy"},
    {.name = "how-many",
     .argument = "FILE",
     .help = "say how many more pods fit of the Pod or workload in this file, and what stops the "
             "next one"},
    {.name = "after-pending", .help = "with --how-many: place the pending pods first"},
    {.name = "explain",
     .argument = "POD",
     .optional = true,
     .help = "say why, for this pod (name or namespace/name) or for all"},
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage place -f examples/shop", "a node for every pending pod of the example"},
    {"stowage place -f cluster.json --explain=web-0", "why kube-scheduler would choose this node"},
    {"stowage place -f cluster.json --policy scheduler-config.yaml -o json",
     "the decisions of a scheduler's own configuration"},
    {"stowage place -f cluster.json --compare --policy scheduler-config.yaml",
     "what that configuration does differently from the shipped profiles"},
    {"kubectl get deployment web -o yaml | stowage place -f cluster.json --how-many -",
     "how many more replicas the nodes can take"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_cli_placing placing;
    struct stow_cli_turn turn;
    struct stow_placement placement;
    struct stow_doc doc;
    struct stow_report report;
    struct stow_value *explanations;
    const char *wanted; /* pod to explain; "": all; NULL: none */
    bool explained;
};

static void answer_done(struct answer *a)
{
    stow_doc_done(&a->doc);
    stow_report_done(&a->report);
    stow_placement_done(&a->placement);
    stow_cli_turn_done(&a->turn);
    stow_cli_placing_done(&a->placing);
}

static bool is_wanted(const struct answer *a, const struct stow_snapshot *s, stow_pod_id pod)
{
    struct stow_str rest, first;

    if (!a->wanted || !a->wanted[0])
        return a->wanted != NULL;
    first = stow_str_cut(stow_str_of(a->wanted), '/', &rest);
    if (!rest.ptr)
        return stow_str_is(first, s->pod[pod].name);
    return stow_str_eq(first, stow_text(s, s->pod[pod].namespace)) &&
           stow_str_is(rest, s->pod[pod].name);
}

/* Every node and column: for people who ask for them, and for spreadsheets. */
static bool wants_all(const struct answer *a)
{
    return stow_cli_wants_all(a->placing.cli) || stow_cli_form(a->placing.cli) == STOW_FORM_CSV;
}

static int explain(void *ctx, const struct stow_state *state, const struct stow_decision *decision,
                   struct stow_err *err)
{
    struct answer *a = ctx;

    if (!is_wanted(a, state->s, decision->pod))
        return STOW_OK;
    a->explained = true;
    return a->explanations
               ? stow_placement_explain_value(&a->doc, a->explanations, state, decision, err)
               : stow_placement_explain(&a->report, state, decision, wants_all(a), err);
}

static int answer(struct answer *a, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_cli_wants_value(a->placing.cli)) {
        root = stow_placement_value(&a->doc, a->placing.cluster.snapshot, &a->placement);
        if (a->wanted)
            stow_value_set(&a->doc, root, "explanations", a->explanations);
    } else if (!a->wanted || !a->wanted[0]) {
        stow_placement_report(&a->report, a->placing.cluster.snapshot, a->turn.money, &a->placement,
                              wants_all(a));
        stow_report_moments(&a->report, a->turn.bill.moments);
    }
    return stow_cli_answer_about(a->placing.cli, a->placing.cluster.snapshot, &a->doc, root,
                                 &a->report, err);
}

static int place(struct answer *a, struct stow_err *err)
{
    struct stow_cli *cli = a->placing.cli;
    struct stow_place_options how = {.components = stow_cli_wants_value(cli), .ctx = a};

    /* a spreadsheet of all pods has one row per pod, and no room for more */
    if (a->wanted && (a->wanted[0] || stow_cli_form(cli) != STOW_FORM_CSV))
        how.decided = explain;
    if (a->wanted && stow_cli_wants_value(cli))
        a->explanations = stow_doc_array(&a->doc);
    STOW_TRY(
        stow_place(&a->turn.state, &a->placing.contender[0].profiles, &how, &a->placement, err));
    if (a->wanted && a->wanted[0] && !a->explained) {
        stow_cli_hint(cli, "`stowage place` without --explain lists the pending pods");
        return stow_fail(err, STOW_ENOTFOUND, "no pending pod is called '%s'", a->wanted);
    }
    return STOW_OK;
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(answer_done) struct answer a = {.placing = {.cli = cli}};

    if (stow_cli_given(cli, "how-many"))
        return stow_cli_place_how_many(cli, err);
    if (stow_cli_given(cli, "compare"))
        return stow_cli_place_compare(cli, err);
    if (stow_cli_given(cli, "after-pending"))
        return stow_fail(err, STOW_EINVAL, "--after-pending is for --how-many only");
    if (stow_cli_given(cli, "explain"))
        a.wanted = stow_cli_value(cli, "explain");
    STOW_TRY(stow_cli_contender_open(&a.placing, err));
    STOW_TRY(stow_cli_placing_load(&a.placing, err));
    STOW_TRY(stow_cli_turn_open(&a.placing, &a.placing.contender[0], &a.turn, err));
    STOW_TRY(place(&a, err));
    return answer(&a, err);
}

extern const struct stow_cli_verb stow_verb_place;
const struct stow_cli_verb stow_verb_place = {
    .name = "place",
    .summary = "which node each pending pod should go to",
    .description =
        "Decides for every pending pod which node it should go to, by the filters and weighted "
        "scores of a profile, over every node (nothing is sampled). Pods are taken by priority, "
        "then by creation time, then by name; each decision sees the ones before it, and nothing "
        "is preempted. A pod that finds no node is listed with the reasons.\n\n"
        "--how-many places pods of one template, one by one, until none fits. The cluster is taken "
        "as it is: pending pods hold no room unless --after-pending places them first.\n\n"
        "The profile kube-default, the default, decides as kube-scheduler does; a "
        "KubeSchedulerConfiguration is read as it is.",
    .options = options,
    .examples = examples,
    .run = run,
};
