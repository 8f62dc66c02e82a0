/* cmd_divide.c - `stowage divide`: how many replicas of a workload each cluster of a fleet gets. */
#include "cli/cmd_divide.h"

#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "cli/members.h"
#include "cli/output.h"
#include "explain/division.h"

#define WAYS_MAX   8
#define ALIKE_TOLD 3 /* workloads that are named when one warning is for many */
#define STRATEGIES "Duplicated|StaticWeight|DynamicWeight|Aggregated|CostOptimized"

static const struct stow_cli_option options[] = {
    STOW_CLI_CLUSTER_WITH(
        STOW_CLI_OUTPUT_AND("|propagation-policy|overflow|resource-binding|workload-rebalancer"
                            "|placement-score")),
    STOW_CLI_MEMBERS,
    STOW_CLI_CHOICE("workloads"),
    {.name = "strategy",
     .argument = "NAME",
     .choices = STRATEGIES,
     .repeats = true,
     .help = "divide all workloads so, whatever their placements say; repeated with --compare"},
    {.name = "karmada",
     .argument = "VERSION",
     .choices = "1.15|1.16|1.17|1.18",
     .fallback = "1.18",
     .help = "by the rules of this version"},
    {.name = "fresh", .help = "divide anew, as after a WorkloadRebalancer: replicas may move"},
    {.name = "workload",
     .argument = "NAME",
     .repeats = true,
     .help = "only this one: NAMESPACE/NAME, or the name alone"},
    {.name = "joint",
     .help = "divide all workloads together, as cheaply as possible, with a lower bound"},
    {.name = "disruption-price",
     .argument = "MONEY",
     .help = "with --joint, what the move of one replica must save per hour; not given: nothing "
             "moves unless --fresh"},
    {.name = "rules",
     .argument = "NAME",
     .choices = "cheapest-first|kep-literal",
     .help = "CostOptimized as its proposal promises, or as its own sketch would do it"},
    {.name = "unknown-price",
     .argument = "WHAT",
     .help = "clusters without a price: last, exclude, or assume=PRICE (default last)"},
    {.name = "policy",
     .argument = "FILE",
     .help = "the sections costOptimized and divide of the Policy in this file"},
    {.name = "profile", .argument = "NAME", .help = "with --policy, the Policy of that name"},
    {.name = "compare",
     .help = "show strategies side by side: those given, else all; with --joint, that too"},
    {.name = "explain",
     .help = "every cluster's room, price and score, why it was chosen or not, and what each "
             "spread constraint costs"},
    {.name = "keep-empty",
     .help = "selected clusters without replicas stay, as with karmada-scheduler's "
             "--enable-empty-workload-propagation"},
    {.name = "components", .help = "as with Karmada's gate MultiplePodTemplatesScheduling"},
    {.name = "valid-for",
     .argument = "TIME",
     .fallback = "1h",
     .help = "-o placement-score: how long the scores hold"},
    {.name = "seed", .argument = "N", .help = "for the lots that 1.15 draws (default: by name)"},
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage divide -f examples/fleet/story --explain",
     "cheapest clusters first, and why: the story of the proposal"},
    {"stowage divide -f examples/fleet/story -o propagation-policy",
     "the same as a policy that Karmada applies"},
    {"stowage divide -f examples/fleet/company --joint --fresh",
     "all workloads together, with a proven bound"},
    {"stowage divide -f examples/fleet/company --compare --joint --fresh",
     "what each strategy would cost"},
    {"kubectl get clusters,resourcebindings,propagationpolicies -A -o json | stowage divide -f - "
     "-f prices.yaml",
     "a running Karmada, with what its clusters charge"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_cli *cli;
    struct stow_cli_dividing dividing;
    struct stow_division_way way[WAYS_MAX]; /* one, or several with --compare */
    uint32_t ways;
    struct stow_doc doc;
    struct stow_report report;
};

static void answer_done(struct answer *a)
{
    stow_doc_done(&a->doc);
    stow_report_done(&a->report);
    for (uint32_t i = 0; i < a->ways; i++)
        stow_fleet_answer_done(&a->way[i].answer);
    stow_cli_dividing_done(&a->dividing);
}

/* ---- deciding ---------------------------------------------------------------------------- */

static bool warned_before(const struct answer *a, const char *warning)
{
    for (uint32_t i = 0; i + 1 < a->ways; i++)
        for (uint32_t n = 0; n < a->way[i].answer.warnings; n++)
            if (strcmp(a->way[i].answer.warning[n], warning) == 0)
                return true;
    return false;
}

/* What a warning says of a workload, behind its name. */
static const char *said(const char *warning)
{
    const char *at = strstr(warning, ": ");

    return at ? at + 2 : warning;
}

/* How many warnings say the same, `most` at most. */
static uint32_t count_alike(const struct stow_fleet_answer *made, uint32_t from, uint32_t to,
                            const char *text, uint32_t most)
{
    uint32_t count = 0;

    for (uint32_t i = from; i < to && count < most; i++)
        count += strcmp(said(made->warning[i]), text) == 0;
    return count;
}

/* A warning that is for many workloads names a few of them; documents list all. */
static void warn(struct answer *a, const struct stow_fleet_answer *made)
{
    for (uint32_t i = 0; i < made->warnings; i++) {
        const char *text = said(made->warning[i]);
        uint32_t before = count_alike(made, 0, i, text, ALIKE_TOLD + 1);

        if (before > ALIKE_TOLD || warned_before(a, made->warning[i]))
            continue;

        uint32_t left =
            before < ALIKE_TOLD ? 1 : count_alike(made, i, made->warnings, text, made->warnings);

        if (left == 1)
            stow_cli_warn(a->cli, "%s", made->warning[i]);
        else
            stow_cli_warn(a->cli, "%u more workloads: %s", left, text);
    }
}

static int divide(struct answer *a, const struct stow_fleet_options *o, const char *name,
                  struct stow_err *err)
{
    struct stow_division_way *way = &a->way[a->ways];

    way->name = name;
    STOW_TRY(stow_fleet_divide(a->dividing.fleet.snapshot, o, &way->answer, err));
    a->ways++;
    warn(a, &way->answer);
    return STOW_OK;
}

/* Strategies that are asked for are asked of every workload, whatever Karmada would do. */
static int divide_by(struct answer *a, const char *name, struct stow_err *err)
{
    struct stow_fleet_options o = a->dividing.options;

    if (name && !stow_division_strategy_parse(stow_str_of(name), &o.each.strategy))
        return stow_fail(err, STOW_EINVAL, "--strategy: there is no '%s'", name);
    o.each.always |= name != NULL;
    o.keep = o.spread_costs = stow_cli_given(a->cli, "explain");
    return divide(a, &o, name, err);
}

static int compare(struct answer *a, const char *const *names, uint32_t count, struct stow_err *err)
{
    static const char *const all[] = {"Duplicated", "StaticWeight", "DynamicWeight", "Aggregated",
                                      "CostOptimized"};
    const bool joint = a->dividing.options.joint;
    struct stow_fleet_options o;

    if (!count) {
        names = all;
        count = sizeof(all) / sizeof(all[0]);
    }
    a->dividing.options.joint = false;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(divide_by(a, names[i], err));
    if (!joint)
        return STOW_OK;
    o = a->dividing.options;
    o.joint = true;
    o.each.strategy = STOW_DIVIDE_COST_OPTIMIZED;
    return divide(a, &o, "joint", err);
}

static int check_joint(struct answer *a, struct stow_err *err)
{
    const char *strategy = stow_cli_value(a->cli, "strategy");

    if (strategy && strcmp(strategy, "CostOptimized") != 0)
        return stow_fail(err, STOW_EINVAL, "--joint divides by cost: --strategy %s does not",
                         strategy);
    if (strcmp(stow_cli_value(a->cli, "output"), "overflow") != 0)
        return STOW_OK;
    stow_cli_hint(a->cli, "-o propagation-policy carries the counts of --joint");
    return stow_fail(
        err, STOW_EINVAL,
        "-o overflow sends every workload to its cheapest clusters first: tiers cannot "
        "carry what --joint gives to whom");
}

static int check_options(struct answer *a, uint32_t strategies, struct stow_err *err)
{
    const struct stow_cli *cli = a->cli;

    if (strategies >= WAYS_MAX)
        return stow_fail(err, STOW_ELIMIT, "more than %d strategies", WAYS_MAX - 1);
    if (stow_cli_given(cli, "compare"))
        return stow_cli_given(cli, "explain")
                   ? stow_fail(err, STOW_EINVAL, "--explain is of one division, not of --compare")
               : stow_cli_wants_objects(cli)
                   ? stow_fail(err, STOW_EINVAL, "-o %s is of one division, not of --compare",
                               stow_cli_value(cli, "output"))
                   : STOW_OK;
    if (strategies > 1) {
        stow_cli_hint(a->cli, "add --compare to see them side by side");
        return stow_fail(err, STOW_EINVAL, "%u strategies are given; a division is made by one",
                         strategies);
    }
    return stow_cli_given(cli, "joint") ? check_joint(a, err) : STOW_OK;
}

/* ---- answering --------------------------------------------------------------------------- */

static int print_comparison(struct answer *a, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_cli_wants_value(a->cli))
        root = stow_division_comparison_value(&a->doc, a->way, a->ways);
    else
        stow_division_comparison(&a->report, a->way, a->ways);
    return stow_cli_answer_about(a->cli, a->dividing.fleet.snapshot, &a->doc, root, &a->report,
                                 err);
}

static void make_report(struct answer *a)
{
    const struct stow_fleet_answer *made = &a->way[0].answer;
    enum stow_cli_form form = stow_cli_form(a->cli);
    bool explain = stow_cli_given(a->cli, "explain");

    if (explain && form == STOW_FORM_CSV) {
        stow_division_explain_csv(&a->report, made);
        return;
    }
    stow_division_report(&a->report, made);
    if (explain)
        stow_division_explain(&a->report, made, stow_cli_wants_all(a->cli));
}

static int print_division(struct answer *a, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_cli_wants_objects(a->cli))
        return stow_cli_print_objects(a->cli, &a->dividing, &a->way[0].answer, err);
    if (stow_cli_wants_value(a->cli))
        root = stow_division_value(&a->doc, &a->way[0].answer, stow_cli_given(a->cli, "explain"));
    else
        make_report(a);
    return stow_cli_answer_about(a->cli, a->dividing.fleet.snapshot, &a->doc, root, &a->report,
                                 err);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(answer_done) struct answer a = {.cli = cli};
    const char *const *names;
    uint32_t count = stow_cli_values(cli, "strategy", &names);

    STOW_TRY(check_options(&a, count, err));
    STOW_TRY(stow_cli_dividing_open(cli, &a.dividing, err));
    if (stow_cli_given(cli, "compare")) {
        STOW_TRY(compare(&a, names, count, err));
        return print_comparison(&a, err);
    }
    STOW_TRY(divide_by(&a, count ? names[0] : NULL, err));
    return print_division(&a, err);
}

extern const struct stow_cli_verb stow_verb_divide;
const struct stow_cli_verb stow_verb_divide = {
    .name = "divide",
    .summary = "how many replicas of a workload each cluster gets",
    .description =
        "Answers for the workloads of a fleet: so many replicas on this cluster, so many on that, "
        "it costs this much per hour; and what is left without a place, with the reason. It reads "
        "Karmada's own objects (Cluster, PropagationPolicy, ResourceBinding), or workloads and "
        "clusters alone.\n\n"
        "Duplicated, StaticWeight, DynamicWeight and Aggregated are decided as Karmada's scheduler "
        "decides them: filters, scores, spread constraints, affinity groups, overflow tiers, what "
        "is in place. A workload that Karmada would leave alone is left alone. CostOptimized fills "
        "the cheapest cluster first and empties the dearest first; with spread constraints it is "
        "the cheapest choice they allow. Workloads that no policy selects are divided so.\n\n"
        "What a replica costs on a cluster is said by the PriceBook's clusters, by the annotations "
        "stowage.dev/price-per-replica-hour or stowage.dev/price-per-hour.RESOURCE of the Cluster, "
        "or by the prices of its nodes, which --cluster NAME=FILES gives; --provisionable counts "
        "what "
        "its groups could still buy, too.\n\n"
        "Each workload is divided by itself, as Karmada does it. --joint divides all that go where "
        "there is room together, at the lowest price for all, proves how close to the lowest "
        "possible that is, and says what one by one would have cost.\n\n"
        "-o propagation-policy (weights that are the counts), overflow (price tiers, Karmada "
        "1.18), "
        "resource-binding and workload-rebalancer print objects that Karmada applies, -o "
        "placement-score those of Open Cluster Management.",
    .options = options,
    .examples = examples,
    .run = run,
};
