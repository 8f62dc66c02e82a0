/* cmd_consolidate.c - `stowage consolidate`: which nodes can be removed, or replaced by cheaper
 * ones, and in which order. */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "cli/cmd_scale.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "explain/consolidation.h"
#include "explain/node_claims.h"

static const struct stow_cli_option options[] = {
    STOW_CLI_CLUSTER_WITH(STOW_CLI_OUTPUT_AND("|nodeclaims|nodepool")),
    STOW_CLI_CHOICE("pods"),
    {.name = "minimise",
     .argument = "WHAT",
     .choices = "cost|nodes",
     .fallback = "cost",
     .help = "what to make small: the cost per hour, or the number of nodes, whatever they cost"},
    {.name = "min-saving",
     .argument = "MONEY",
     .fallback = "0",
     .help = "leave out a step that saves less than this per hour (or fewer nodes)"},
    {.name = "disruption-price",
     .argument = "MONEY",
     .fallback = "0",
     .help = "what the move of one pod must earn per hour (or in nodes)"},
    {.name = "spread-on-removal",
     .argument = "HOW",
     .choices = "strict|wait",
     .fallback = "strict",
     .help =
         "strict: pods fit elsewhere while the node that they leave is still there, an empty "
         "domain to spread constraints; wait: those that do not may be pending until it is gone"},
    {.name = "max-surge",
     .argument = "AMOUNT",
     .fallback = "10%",
     .help =
         "what there may be at any time above what there is before the first step: nodes (3), a "
         "share of them, rounded up (10%), or cost (4.50/h); after each step it costs no more "
         "than before the first; none: no limit"},
    {.name = "max-moves-per-step",
     .argument = "PODS",
     .fallback = "10%",
     .help =
         "pods that one step moves: a number, or a share of the pods that run, rounded up; none: "
         "no limit"},
    {.name = "max-moves",
     .argument = "PODS",
     .fallback = "none",
     .help =
         "pods that all steps together move: a number, or a share of the pods that run, rounded "
         "up; none: no limit"},
    {.name = "frontier",
     .help = "what can be saved with how many moves: a table of plans instead of the steps of one"},
    {.name = "time-limit",
     .argument = "TIME",
     .fallback = "10s",
     .help = "answer with the best found by then: 500ms, 10s, 2m"},
    {.name = "gap",
     .argument = "FRACTION",
     .fallback = "0.0001",
     .help = "stop searching once the cost is proven to be this close to the cheapest"},
    {.name = "max-nodes-total",
     .argument = "N",
     .help = "at most this many nodes at any time; 0: no limit"},
    {.name = "quota",
     .argument = "RESOURCE=AMOUNT",
     .repeats = true,
     .help = "at most this much capacity at any time; also nodes=N"},
    {.name = "explain",
     .argument = "NODE",
     .optional = true,
     .help = "all that keeps each node that stays, or this one: filters, and how much is missing"},
    {.name = "policy", .argument = "FILE", .help = "filters of the Policy in this file"},
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help = "with --policy, the Policy of that name; else the filters of a shipped profile"},
    STOW_CLI_STRICT,
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage consolidate -f examples/shop", "what could be saved in the example"},
    {"stowage consolidate -f examples/shop --min-saving 0.05 -o wide",
     "only steps that are worth it, with every move"},
    {"stowage consolidate -f examples/shop --explain=gpu-a1", "why this node stays"},
    {"stowage consolidate -f examples/shop --max-surge none --max-moves-per-step none",
     "the cheapest there is, however large the steps"},
    {"stowage consolidate -f examples/shop --frontier", "how much each move of a pod brings"},
    {"stowage consolidate -f examples/shop --max-moves 50%",
     "the most that can be saved if half of the pods may move"},
    {"stowage consolidate -f examples/shop --minimise nodes",
     "as few nodes as possible, where prices are not known"},
    {"kubectl get nodes,pods,daemonsets,poddisruptionbudgets -A -o json | stowage consolidate -f - "
     "-f "
     "groups.yaml",
     "a running cluster, with the groups that nodes can be bought from"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_cli *cli;
    struct stow_cli_scaling scaling;
    struct stow_consolidation consolidation;
    struct stow_doc doc;
    struct stow_report report;
};

static void answer_done(struct answer *a)
{
    stow_doc_done(&a->doc);
    stow_report_done(&a->report);
    stow_consolidation_done(&a->consolidation);
    stow_cli_scaling_done(&a->scaling);
}

/* ---- options ----------------------------------------------------------------------------- */

static int read_money(const struct stow_cli *cli, const char *option, stow_nano *ret,
                      struct stow_err *err)
{
    const char *text = stow_cli_value(cli, option);

    if (stow_money_parse(stow_str_of(text), ret, err) < 0)
        return stow_wrap(err, err->code = STOW_EINVAL, "--%s", option);
    return STOW_OK;
}

static int read_options(const struct stow_cli *cli, struct stow_consolidate_options *ret,
                        struct stow_err *err)
{
    ret->counts_nodes = strcmp(stow_cli_value(cli, "minimise"), "nodes") == 0;
    ret->explain = stow_cli_given(cli, "explain");
    if (ret->explain && stow_cli_value(cli, "explain")[0])
        ret->explain_node = stow_cli_value(cli, "explain");
    ret->waits = strcmp(stow_cli_value(cli, "spread-on-removal"), "wait") == 0;
    ret->frontier = stow_cli_given(cli, "frontier");
    STOW_TRY(stow_cli_allowance(cli, "max-surge", "nodes", true, &ret->surge, err));
    STOW_TRY(stow_cli_allowance(cli, "max-moves-per-step", "pods", false, &ret->moves, err));
    STOW_TRY(stow_cli_allowance(cli, "max-moves", "pods", false, &ret->moves_all, err));
    if (ret->counts_nodes && ret->surge.kind == STOW_ALLOW_MONEY)
        return stow_fail(
            err, STOW_EINVAL,
            "--max-surge %s is money, and --minimise nodes counts nodes: give a number "
            "of nodes (3) or a share of them (10%%)",
            stow_cli_value(cli, "max-surge"));
    if (ret->moves.kind != STOW_ALLOW_ANY && ret->moves.amount == 0)
        return stow_fail(err, STOW_EINVAL,
                         "--max-moves-per-step %s lets no pod move: give 1 or more, a share above "
                         "0%%, or none for no limit",
                         stow_cli_value(cli, "max-moves-per-step"));
    STOW_TRY(read_money(cli, "min-saving", &ret->min_saving, err));
    return read_money(cli, "disruption-price", &ret->disruption_price, err);
}

/* ---- answering --------------------------------------------------------------------------- */

static int decide(struct answer *a, struct stow_consolidate_options *o, struct stow_err *err)
{
    const struct stow_cli_cluster *c = &a->scaling.cluster;
    const struct stow_profiles *profiles = &a->scaling.profiles;
    const bool filters = profiles->count && profiles->profile[0].filters;
    const struct stow_scale_input input = {
        .s = c->snapshot,
        .books = &c->pricing.books,
        .bill = &c->bill,
        .profiles = filters ? profiles : NULL,
    };

    if (o->explain_node && stow_node_find(c->snapshot, stow_str_of(o->explain_node)) == STOW_NONE)
        return stow_fail(err, STOW_EINVAL,
                         "--explain: there is no node '%s'; without a name, every node that stays "
                         "is explained",
                         o->explain_node);
    o->scale = a->scaling.options;
    STOW_TRY(stow_consolidate(&input, o, &a->consolidation, err));
    for (uint32_t i = 0; i < a->consolidation.warnings; i++)
        stow_cli_warn(a->cli, "%s", a->consolidation.warning[i]);
    return STOW_OK;
}

static int make_claims(struct answer *a, struct stow_value **ret, struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    struct stow_claims_input in;

    STOW_TRY(stow_claims_of_consolidation(&a->consolidation, &scratch, &in, err));
    return stow_cli_claims_value(a->cli, &in, &a->doc, ret, err);
}

static int answer(struct answer *a, struct stow_err *err)
{
    const enum stow_cli_form form = stow_cli_form(a->cli);
    struct stow_value *root = NULL;

    if (stow_cli_wants_claims(a->cli))
        STOW_TRY(make_claims(a, &root, err));
    else if (stow_cli_wants_value(a->cli))
        root = stow_consolidation_value(&a->doc, &a->consolidation);
    else if (stow_cli_given(a->cli, "frontier"))
        stow_frontier_report(&a->report, &a->consolidation);
    else if (form == STOW_FORM_CSV)
        stow_consolidation_csv(&a->report, &a->consolidation);
    else
        stow_consolidation_report(&a->report, &a->consolidation, stow_cli_wants_all(a->cli),
                                  !stow_cli_has_screen(a->cli));
    return stow_cli_answer_about(a->cli, a->consolidation.s, &a->doc, root, &a->report, err);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(answer_done) struct answer a = {.cli = cli};
    struct stow_consolidate_options o = {.min_saving = 0};

    STOW_TRY(read_options(cli, &o, err));
    STOW_TRY(stow_cli_scaling_open(cli, &a.scaling, err));
    STOW_TRY(decide(&a, &o, err));
    return answer(&a, err);
}

extern const struct stow_cli_verb stow_verb_consolidate;
const struct stow_cli_verb stow_verb_consolidate = {
    .name = "consolidate",
    .summary = "which nodes can be removed or replaced by cheaper ones",
    .description =
        "Answers for the nodes that run: remove these, buy those instead, move these pods, in "
        "this order, and it saves this much per hour. Any number of nodes may be replaced by any "
        "number of others. After each step every pod has a node and every filter holds.\n\n"
        "A pod can move when it has a controller other than a DaemonSet or a Node and is not "
        "annotated karpenter.sh/do-not-disrupt: \"true\" or "
        "cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\". Pods of DaemonSets and static "
        "pods go with their node. A node with another pod that cannot move, of the control plane, "
        "or annotated karpenter.sh/do-not-disrupt or "
        "cluster-autoscaler.kubernetes.io/scale-down-disabled: \"true\", is kept. No step moves "
        "more pods of a PodDisruptionBudget than that allows at once. Every node that stays is "
        "listed with the reason.\n\n"
        "Steps are small: --max-surge and --max-moves-per-step say how small. What that costs is "
        "shown beside what would be possible without. Among plans of the same cost, within --gap, "
        "the one that moves fewest pods is given; --frontier shows what fewer moves would "
        "save, and --max-moves asks for such a plan.\n\n"
        "What a node costs is found as in `stowage inspect`; new nodes come from the NodeGroups "
        "given. A node whose price is unknown is kept. With --minimise nodes no price is asked "
        "for: "
        "every node, running or new, counts as one.",
    .options = options,
    .examples = examples,
    .run = run,
};
