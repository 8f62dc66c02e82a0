/* cmd_scale.c - `stowage scale`: which node groups should grow, and by how much. */
#include "cli/cmd_scale.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stowage/export.h>

#include "cli/output.h"
#include "explain/group_defaults.h"
#include "explain/node_claims.h"
#include "explain/scaling.h"

#define DEFAULT_STRATEGY "optimal"
#define STRATEGIES_MAX   64

/* What each expander would buy until nothing is pending, and the planners. */
static const char *const strategies[] = {
    "greedy:price",
    "greedy:least-waste",
    "greedy:most-pods",
    "greedy:least-nodes",
    "greedy:priority",
    "greedy:random",
    "nru",
    "karpenter",
    "optimal",
    NULL,
};

static const struct stow_cli_option options[] = {
    STOW_CLI_CLUSTER_WITH(STOW_CLI_OUTPUT_AND("|scaling-advice|nodeclaims|nodepool")),
    STOW_CLI_CHOICE("pods"),
    {.name = "strategy",
     .argument = "NAME",
     .offers = strategies,
     .repeats = true,
     .help = "optimal is the cheapest mix, with a bound; a chain of rankers (price,least-waste) is "
             "one decision; greedy:CHAIN goes on until nothing helps; nru buys one node at a time; "
             "karpenter packs as Karpenter does (default " DEFAULT_STRATEGY ")"},
    {.name = "compare", .help = "show strategies side by side: those given, else all of the above"},
    {.name = "explain",
     .help = "say how the plan came about, round by round; optimal: what one more pod costs"},
    {.name = "max-nodes-total",
     .argument = "N",
     .help = "at most this many nodes, existing and new; 0: no limit"},
    {.name = "max-nodes-per-scaleup",
     .argument = "N",
     .fallback = "1000",
     .help = "at most this many new nodes in one option of a chain; 0: no limit"},
    {.name = "quota",
     .argument = "RESOURCE=AMOUNT",
     .repeats = true,
     .help = "at most this much capacity, of existing and new nodes together; also nodes=N"},
    {.name = "balance-similar", .help = "divide new nodes over groups that are alike"},
    {.name = "balancing-label",
     .argument = "KEY",
     .repeats = true,
     .help = "groups are alike when these labels are equal, whatever else differs"},
    {.name = "balancing-ignore-label",
     .argument = "KEY",
     .repeats = true,
     .help = "a label that may differ between groups that are alike"},
    {.name = "all-or-nothing", .help = "only options that take every pending pod"},
    {.name = "fastpath", .help = "estimate as the autoscaler's fast path does"},
    {.name = "strict-upstream",
     .help = "what has no price is dropped, as upstream does, instead of being ranked last"},
    {.name = "priorities",
     .argument = "FILE",
     .help = "the priority expander's map, instead of its ConfigMap among the objects"},
    {.name = "price-model",
     .argument = "NAME",
     .choices = "book|gce",
     .fallback = "book",
     .help = "prices of groups that state none: the price book, or the autoscaler's GCE model"},
    {.name = "policy",
     .argument = "FILE",
     .help = "filters, and the sections price and nru, of the Policy in this file"},
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help = "with --policy, the Policy of that name; else the filters of a shipped profile"},
    STOW_CLI_STRICT,
    {.name = "price-rules",
     .argument = "NAME",
     .choices = "current|proposal",
     .help = "rules of price: those of today's autoscaler, or of its proposal"},
    {.name = "nru-rules",
     .argument = "NAME",
     .choices = "document|main|pr158",
     .help = "rules of nru: of its document, or of the program at these stages"},
    {.name = "nru-scorer",
     .argument = "NAME",
     .choices = "least-cost|least-waste",
     .help = "what nru compares: NRU per price, or NRU wasted"},
    {.name = "nru-weight",
     .argument = "RESOURCE=N/UNIT",
     .repeats = true,
     .help = "what a resource counts in nru: cpu=6/core, memory=1/GiB (units: core, GiB, byte, "
             "device)"},
    STOW_CLI_OPTIMAL,
    STOW_CLI_WEIGHTS,
    {.name = "no-proof",
     .help = "optimal: leave the proof out of JSON and YAML; it names every pending pod"},
    {.name = "seed", .argument = "N", .help = "for the ranker random (default 0)"},
    {.name = "timings",
     .help = "optimal: where the time went, and when the plan was how close; with --compare, the "
             "milliseconds that each took, which a terminal shows anyway"},
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage scale -f examples/shop", "what to buy for the pending pods of the example"},
    {"stowage scale -f examples/shop --compare", "what each strategy would buy"},
    {"stowage scale -f cluster.json -f groups.yaml --strategy price,least-waste --explain",
     "one decision of an autoscaler with these expanders, and why"},
    {"stowage scale -f cluster.json -f constraint.yaml --strategy nru -o scaling-advice",
     "the answer that scaling-advisor would write"},
    {"stowage scale -f cluster.yaml -o nodeclaims | kubectl apply -f -",
     "have Karpenter launch the nodes of the plan"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_cli *cli;
    struct stow_cli_scaling scaling;
    struct stow_scale *scale;
    struct stow_strategy strategy[STRATEGIES_MAX];
    struct stow_plan plan[STRATEGIES_MAX];
    uint32_t strategies, plans;
    struct stow_doc doc;
    struct stow_report report;
};

static void answer_done(struct answer *a)
{
    stow_doc_done(&a->doc);
    stow_report_done(&a->report);
    for (uint32_t i = 0; i < a->plans; i++)
        stow_plan_done(&a->plan[i]);
    stow_scale_free(a->scale);
    stow_cli_scaling_done(&a->scaling);
}

/* ---- strategies -------------------------------------------------------------------------- */

static int add_strategy(struct answer *a, const char *text, struct stow_err *err)
{
    if (a->strategies == STRATEGIES_MAX)
        return stow_fail(err, STOW_ELIMIT, "more than %d strategies", STRATEGIES_MAX);
    if (stow_strategy_parse(text, &a->strategy[a->strategies], err) < 0) {
        stow_cli_hint(a->cli,
                      "a strategy is a chain of these (price,least-waste), greedy: with a "
                      "chain, nru, karpenter, or optimal; `stowage help scale` says what they "
                      "do");
        return err->code;
    }
    a->strategies++;
    return STOW_OK;
}

static int add_all_strategies(struct answer *a, struct stow_err *err)
{
    for (uint32_t i = 0; strategies[i]; i++)
        if (strcmp(strategies[i], "greedy:priority") != 0 || a->scaling.options.priorities)
            STOW_TRY(add_strategy(a, strategies[i], err));
    return STOW_OK;
}

/* Before anything is read, so that a mistyped name does not have to wait for it. */
static int read_strategies(struct answer *a, struct stow_err *err)
{
    const char *const *names;
    uint32_t count = stow_cli_values(a->cli, "strategy", &names);
    bool compare = stow_cli_given(a->cli, "compare");

    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(add_strategy(a, names[i], err));
    if (count > 1 && !compare) {
        stow_cli_hint(a->cli, "add --compare, or name one chain: --strategy price,least-waste");
        return stow_fail(err, STOW_EINVAL, "%u strategies are given; a plan is made by one", count);
    }
    if (compare &&
        (stow_cli_form(a->cli) == STOW_FORM_SCALING_ADVICE || stow_cli_wants_claims(a->cli)))
        return stow_fail(err, STOW_EINVAL, "-o %s is of one plan, not of --compare",
                         stow_cli_value(a->cli, "output"));
    if (compare && stow_cli_given(a->cli, "explain"))
        return stow_fail(err, STOW_EINVAL, "--explain is of one plan, not of --compare");
    return count || compare ? STOW_OK : add_strategy(a, DEFAULT_STRATEGY, err);
}

/* Other strategies plan as if these were not given; a comparison says what they break. */
static void warn_of_options(const struct answer *a)
{
    static const char *const only[] = {"budget",     "max-spot-share", "min-durable", "risk",
                                       "hours-lost", "priority-price", NULL};

    for (uint32_t i = 0; i < a->strategies; i++)
        if (a->strategy[i].kind == STOW_STRATEGY_OPTIMAL)
            return;
    for (uint32_t i = 0; only[i] && a->strategies; i++)
        if (stow_cli_given(a->cli, only[i]))
            stow_cli_warn(a->cli, "--%s is for the strategy optimal only: %s %s nothing of it",
                          only[i], a->strategies > 1 ? "these" : a->strategy[0].text,
                          a->strategies > 1 ? "know" : "knows");
}

/* Times differ from run to run: they are shown to people who watch, or who ask for them. */
static bool shows_timings(const struct answer *a)
{
    enum stow_cli_form form = stow_cli_form(a->cli);
    bool people = form == STOW_FORM_TABLE || form == STOW_FORM_WIDE;

    return stow_cli_given(a->cli, "timings") || (people && stow_cli_watched(a->cli));
}

/* ---- deciding ---------------------------------------------------------------------------- */

/* A map that is asked for and not there would keep every option, silently. */
static int check_priorities(struct answer *a, struct stow_err *err)
{
    for (uint32_t i = 0; i < a->strategies; i++)
        for (uint32_t n = 0; n < a->strategy[i].chain.count; n++)
            if (strcmp(a->strategy[i].chain.ranker[n]->name, "priority") == 0 &&
                !a->scaling.options.priorities && !a->scaling.options.strict_upstream) {
                stow_cli_hint(a->cli, "give it with --priorities FILE, or the ConfigMap "
                                      "cluster-autoscaler-priority-expander with -f");
                return stow_fail(err, STOW_EINVAL,
                                 "the strategy %s needs the priority expander's map",
                                 a->strategy[i].text);
            }
    return STOW_OK;
}

static bool warned_before(const struct answer *a, const char *warning)
{
    for (uint32_t i = 0; i + 1 < a->plans; i++)
        for (uint32_t n = 0; n < a->plan[i].warnings; n++)
            if (strcmp(a->plan[i].warning[n], warning) == 0)
                return true;
    return false;
}

static double milliseconds_between(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
}

static int make_plan(struct answer *a, const struct stow_strategy *strategy, struct stow_plan *plan,
                     struct stow_err *err)
{
    struct timespec from, to;
    int code;

    clock_gettime(CLOCK_MONOTONIC, &from);
    code = stow_scale_plan(a->scale, strategy, plan, err);
    if (code == STOW_ELIMIT)
        stow_cli_hint(a->cli,
                      "choose a strategy that knows no such limit: --strategy nru; or remove "
                      "requests of resources that never run out from the input");
    STOW_TRY(code);
    clock_gettime(CLOCK_MONOTONIC, &to);
    plan->milliseconds = milliseconds_between(from, to);
    return STOW_OK;
}

/* Whoever is first prepares what all share: where times are compared, that is nobody's. */
static void warm_up(struct answer *a, struct stow_err *err)
{
    struct stow_plan plan;

    if (!shows_timings(a) || a->strategies < 2)
        return;
    if (stow_scale_plan(a->scale, &a->strategy[0], &plan, err) >= 0)
        stow_plan_done(&plan);
}

/* Side by side, a strategy that cannot do what is asked does not silence the others. */
static int add_plan(struct answer *a, const struct stow_strategy *strategy, struct stow_err *err)
{
    struct stow_plan *plan = &a->plan[a->plans];
    const int code = make_plan(a, strategy, plan, err);

    if ((code == STOW_EINVAL || code == STOW_ELIMIT) && a->strategies > 1) {
        stow_cli_warn(a->cli, "%s has no plan: %s", strategy->text, err->msg);
        return STOW_OK;
    }
    STOW_TRY(code);
    a->plans++;
    for (uint32_t n = 0; n < plan->warnings; n++)
        if (!warned_before(a, plan->warning[n]))
            stow_cli_warn(a->cli, "%s", plan->warning[n]);
    return STOW_OK;
}

static int decide(struct answer *a, struct stow_err *err)
{
    const struct stow_cli_cluster *c = &a->scaling.cluster;
    const struct stow_profiles *profiles = &a->scaling.profiles;
    bool filters = profiles->count && profiles->profile[0].filters;
    const struct stow_scale_input input = {
        .s = c->snapshot,
        .books = &c->pricing.books,
        .bill = &c->bill,
        .profiles = filters ? profiles : NULL,
    };

    STOW_TRY(stow_scale_new(&input, &a->scaling.options, &a->scale, err));
    warm_up(a, err);
    for (uint32_t i = 0; i < a->strategies; i++)
        STOW_TRY(add_plan(a, &a->strategy[i], err));
    return a->plans ? STOW_OK : err->code;
}

/* ---- answering --------------------------------------------------------------------------- */

static int answer_comparison(struct answer *a, struct stow_err *err)
{
    bool timings = shows_timings(a);
    struct stow_value *root = NULL;

    if (stow_cli_wants_value(a->cli))
        root = stow_scaling_comparison_value(&a->doc, a->plan, a->plans, timings);
    else
        stow_scaling_comparison(&a->report, a->plan, a->plans, timings);
    return stow_cli_answer_about(a->cli, a->plan[0].s, &a->doc, root, &a->report, err);
}

static void make_report(struct answer *a)
{
    bool wide = stow_cli_wants_all(a->cli);
    bool explain = stow_cli_given(a->cli, "explain");

    if (explain && stow_cli_form(a->cli) == STOW_FORM_CSV) {
        stow_scaling_rounds_csv(&a->report, &a->plan[0]);
        return;
    }
    if (explain)
        stow_scaling_rounds(&a->report, &a->plan[0], wide);
    stow_scaling_report(&a->report, &a->plan[0], wide);
    if (explain)
        stow_scaling_left(&a->report, &a->plan[0]);
    if (explain)
        stow_scaling_prices(&a->report, &a->plan[0], wide);
    if (explain && wide)
        stow_group_defaults_report(&a->report, a->plan[0].s);
    if (stow_cli_given(a->cli, "timings"))
        stow_scaling_timings(&a->report, &a->plan[0]);
}

static int make_claims(struct answer *a, struct stow_value **ret, struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    struct stow_claims_input in;

    STOW_TRY(stow_claims_of_plan(&a->plan[0], &scratch, &in, err));
    return stow_cli_claims_value(a->cli, &in, &a->doc, ret, err);
}

static int answer_plan(struct answer *a, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_cli_form(a->cli) == STOW_FORM_SCALING_ADVICE)
        STOW_TRY(stow_scaling_advice_value(&a->doc, &a->plan[0], &root, err));
    else if (stow_cli_wants_claims(a->cli))
        STOW_TRY(make_claims(a, &root, err));
    else if (stow_cli_wants_value(a->cli))
        root = stow_scaling_value(&a->doc, &a->plan[0], !stow_cli_given(a->cli, "no-proof"));
    else
        make_report(a);
    if (root && stow_cli_form(a->cli) != STOW_FORM_SCALING_ADVICE &&
        !stow_cli_wants_claims(a->cli) && stow_cli_given(a->cli, "timings"))
        stow_value_set(&a->doc, root, "timings", stow_scaling_timings_value(&a->doc, &a->plan[0]));
    return stow_cli_answer_about(a->cli, a->plan[0].s, &a->doc, root, &a->report, err);
}

static int answer(struct answer *a, struct stow_err *err)
{
    STOW_TRY(read_strategies(a, err));
    STOW_TRY(stow_cli_scaling_open(a->cli, &a->scaling, err));
    if (a->strategies == 0)
        STOW_TRY(add_all_strategies(a, err));
    STOW_TRY(check_priorities(a, err));
    warn_of_options(a);
    STOW_TRY(decide(a, err));
    return stow_cli_given(a->cli, "compare") ? answer_comparison(a, err) : answer_plan(a, err);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    struct answer *a = calloc(1, sizeof(*a)); /* too large for a stack */
    int code;

    if (!a)
        return stow_fail_memory(err);
    a->cli = cli;
    code = answer(a, err);
    answer_done(a);
    free(a);
    return code;
}

extern const struct stow_cli_verb stow_verb_scale;
const struct stow_cli_verb stow_verb_scale = {
    .name = "scale",
    .summary = "which node groups should grow, and what that costs",
    .description =
        "Answers for the pending pods: add these nodes to these groups, these pods go there, it "
        "costs this much per hour; and what is left unplaced, with the reasons. Pods that fit "
        "nodes which are there, or on their way, cost nothing and go there first.\n\n"
        "What can be bought is among the objects: a NodeGroup (stowage.dev/v1alpha1) for each "
        "group, with a template or with nodes that are there, Karpenter's NodePool with its node "
        "class, or scaling-advisor's ScalingConstraint. An instance type and a zone are template "
        "enough: `metadata: {name: "
        "big}, spec: {maxNodes: 5, template: {metadata: {labels: "
        "{node.kubernetes.io/instance-type: "
        "m5.xlarge, topology.kubernetes.io/zone: us-east-1a}}}}`. Cluster API's MachineDeployment "
        "is "
        "not read.\n\n"
        "optimal, the default, looks for the cheapest mix of nodes of all groups. Its answer says "
        "how close to the cheapest possible it is, and carries the proof, which `stowage verify` "
        "checks. If not all pods can be placed: those of high priority first, then as many as "
        "possible, then the price. Groups with a priority are used in that order, unless "
        "--priority-price says what disobeying weighs. --risk, --budget, --max-spot-share and "
        "--min-durable are for optimal only: others warn that they know nothing of them.\n\n"
        "Any other strategy is a chain of rankers, each working on what the one before kept: "
        "price, "
        "least-waste, most-pods, least-nodes, priority, random, as the Cluster Autoscaler's "
        "expanders of these names. A chain alone is one decision of an autoscaler: one group "
        "grows, the other pods await the next round. With greedy: before it the chain decides "
        "until nothing helps any more. nru is scaling-advisor's rule: one node at a time, the one "
        "whose pods are worth most per price.\n\n"
        "--compare shows greedy:price, greedy:least-waste, greedy:most-pods, greedy:least-nodes, "
        "greedy:priority (when there is a map), greedy:random, nru, karpenter and optimal side by "
        "side. A "
        "plan that breaks a budget or a share of spot nodes is marked, and never the best. Times "
        "are no part of the answer: they are shown on a terminal and with --timings.",
    .options = options,
    .examples = examples,
    .run = run,
};
