/* divide.c - `stowage divide`: how many replicas of a workload each cluster of a fleet gets. */
#include "api/divide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "api/members.h"
#include "api/output.h"
#include "explain/division/division.h"

#define WAYS_MAX   8
#define ALIKE_TOLD 3 /* workloads that are named when one warning is for many */
#define STRATEGIES "Duplicated|StaticWeight|DynamicWeight|Aggregated|CostOptimized"

static const struct stow_option options[] = {
    STOW_CALL_CLUSTER_WITH(
        STOW_CALL_OUTPUT_AND("|propagation-policy|overflow|resource-binding|workload-rebalancer"
                             "|placement-score")),
    STOW_CALL_MEMBERS,
    STOW_CALL_CHOICE("workloads"),
    {.name = "strategy",
     .argument = "NAME",
     .choices = STRATEGIES,
     .repeats = true,
     .help = "divide all workloads by this strategy, regardless of their placements; can be "
             "repeated with --compare"},
    {.name = "karmada",
     .argument = "VERSION",
     .choices = "1.15|1.16|1.17|1.18",
     .fallback = "1.18",
     .help = "follow the rules of this version"},
    {.name = "fresh",
     .help = "divide from scratch, as after a WorkloadRebalancer: replicas may move"},
    {.name = "workload",
     .argument = "NAME",
     .repeats = true,
     .help = "only this workload: NAMESPACE/NAME, or the name alone"},
    {.name = "joint",
     .help = "divide all workloads together at the lowest cost, with a lower bound"},
    {.name = "disruption-price",
     .argument = "MONEY",
     .help = "with --joint, the least that each moved replica must save per hour; without it, "
             "replicas move only with --fresh"},
    {.name = "rules",
     .argument = "NAME",
     .choices = "cheapest-first|kep-literal",
     .help = "CostOptimized as its proposal specifies it, or as the pseudocode of the proposal "
             "does it"},
    {.name = "unknown-price",
     .argument = "WHAT",
     .help = "how to treat clusters without a price: last, exclude, or assume=PRICE "
             "(default last)"},
    {.name = "policy",
     .argument = "FILE",
     .help = "use the sections costOptimized and divide of the Policy in this file"},
    {.name = "profile", .argument = "NAME", .help = "with --policy, the Policy with this name"},
    {.name = "compare",
     .help = "show strategies side by side: those given, otherwise all; with --joint, also the "
             "joint division"},
    {.name = "explain",
     .help = "show the capacity, price and score of every cluster, why it was chosen or not, and "
             "what each spread constraint costs"},
    {.name = "keep-empty",
     .help = "keep selected clusters without replicas, like karmada-scheduler's "
             "--enable-empty-workload-propagation"},
    {.name = "components", .help = "like Karmada's feature gate MultiplePodTemplatesScheduling"},
    {.name = "valid-for",
     .argument = "TIME",
     .fallback = "1h",
     .help = "-o placement-score: how long the scores are valid"},
    {.name = "seed",
     .argument = "N",
     .help = "seed of the random choices of 1.15 (default: order by name)"},
    {0},
};

static const struct stow_example examples[] = {
    {"stowage divide -f examples/fleet/story --explain",
     "cheapest clusters first, and why: the story of the proposal"},
    {"stowage divide -f examples/fleet/story -o propagation-policy",
     "the same as a policy that Karmada applies"},
    {"stowage divide -f examples/fleet/company --joint --fresh",
     "all workloads together, with a proven lower bound"},
    {"stowage divide -f examples/fleet/company --compare --joint --fresh",
     "what each strategy would cost"},
    {"kubectl get clusters,resourcebindings,propagationpolicies -A -o json | stowage divide -f - "
     "-f prices.yaml",
     "a running Karmada, with the prices of its clusters"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_call_dividing dividing;
    struct stow_division_way way[WAYS_MAX]; /* one, or several with --compare */
    uint32_t ways;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    for (uint32_t i = 0; i < a->ways; i++)
        stow_fleet_answer_done(&a->way[i].answer);
    stow_call_dividing_done(&a->dividing);
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

/* What a warning says of a workload, after its name. */
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
            stow_call_warn(a->call, "%s", made->warning[i]);
        else
            stow_call_warn(a->call, "%u more workloads: %s", left, text);
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
    o.keep = o.spread_costs = stow_call_given(a->call, "explain");
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
    const char *strategy = stow_call_value(a->call, "strategy");

    if (strategy && strcmp(strategy, "CostOptimized") != 0)
        return stow_fail(
            err, STOW_EINVAL,
            "--joint divides by cost, and --strategy %s does not; leave one of them out", strategy);
    return STOW_OK;
}

/* Objects for others are about one division, and not every form has a place for a joint one. */
static int check_form(const struct answer *a, const char *form, struct stow_err *err)
{
    if (stow_call_given(a->call, "compare") && stow_call_is_objects(form))
        return stow_fail(err, STOW_EINVAL, "-o %s cannot be combined with --compare", form);
    if (!stow_call_given(a->call, "joint") || strcmp(form, "overflow") != 0)
        return STOW_OK;
    stow_fail(err, STOW_EINVAL,
              "-o overflow cannot be combined with --joint: tiers order clusters for each "
              "workload by itself");
    if (err)
        snprintf(err->hint, sizeof(err->hint),
                 "-o propagation-policy carries the counts of --joint");
    return STOW_EINVAL;
}

static int check_options(struct answer *a, uint32_t strategies, struct stow_err *err)
{
    const struct stow_call *call = a->call;

    if (strategies >= WAYS_MAX)
        return stow_fail(err, STOW_ELIMIT, "more than %d strategies", WAYS_MAX - 1);
    if (stow_call_given(call, "compare"))
        return stow_call_given(call, "explain")
                   ? stow_fail(err, STOW_EINVAL, "--explain cannot be combined with --compare")
                   : check_form(a, stow_call_value(call, "output"), err);
    if (strategies > 1) {
        stow_call_hint(a->call, "add --compare to see them side by side");
        return stow_fail(err, STOW_EINVAL, "expected one strategy, found %u", strategies);
    }
    if (stow_call_given(call, "joint"))
        STOW_TRY(check_joint(a, err));
    return check_form(a, stow_call_value(call, "output"), err);
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;
    const char *const *names;
    const uint32_t count = stow_call_values(a->call, "strategy", &names);

    STOW_TRY(check_options(a, count, err));
    STOW_TRY(stow_call_dividing_open(a->call, &a->dividing, err));
    return stow_call_given(a->call, "compare") ? compare(a, names, count, err)
                                               : divide_by(a, count ? names[0] : NULL, err);
}

/* ---- writing ----------------------------------------------------------------------------- */

static int write_comparison(const struct answer *a, struct stow_writing *w, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_division_comparison_value(&w->doc, a->way, a->ways);
    else
        stow_division_comparison(&w->report, a->way, a->ways);
    return stow_writing_end_about(w, a->dividing.fleet.snapshot, root, err);
}

static void make_report(const struct answer *a, struct stow_writing *w)
{
    const struct stow_fleet_answer *made = &a->way[0].answer;
    const bool explain = stow_call_given(a->call, "explain");

    if (explain && w->form == STOW_FORM_CSV) {
        stow_division_explain_csv(&w->report, made);
        return;
    }
    stow_division_report(&w->report, made);
    if (explain)
        stow_division_explain(&w->report, made, stow_writing_wants_all(w));
}

static int write_division(const struct answer *a, struct stow_writing *w, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_call_is_objects(w->name))
        return stow_call_write_objects(w, &a->dividing, &a->way[0].answer, err);
    if (stow_writing_wants_value(w))
        root = stow_division_value(&w->doc, &a->way[0].answer, stow_call_given(a->call, "explain"));
    else
        make_report(a, w);
    return stow_writing_end_about(w, a->dividing.fleet.snapshot, root, err);
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;

    STOW_TRY(check_form(a, w->name, err));
    return stow_call_given(a->call, "compare") ? write_comparison(a, w, err)
                                               : write_division(a, w, err);
}

/* ---- getters: of the first division ------------------------------------------------------ */

static void figures(const void *state, struct stow_figures *ret)
{
    const struct answer *a = state;
    const struct stow_fleet_answer *made = &a->way[0].answer;

    stow_figures_currency(ret, a->dividing.costs->currency);
    stow_figures_cost(ret, &made->cost);
    ret->pods = (uint32_t)(made->replicas + made->unplaced);
    ret->placed = (uint32_t)made->replicas;
    ret->moved = (uint32_t)made->moved;
    if (made->jointly)
        ret->bound = stow_joint_figures(&made->joint).bound;
}

static uint32_t rows(const void *state, enum stow_rows what)
{
    const struct answer *a = state;
    const struct stow_fleet_answer *made = &a->way[0].answer;
    uint32_t count = 0;

    for (uint32_t i = 0; what == STOW_ROWS_REPLICAS && i < made->workloads; i++)
        count += made->workload[i].targets;
    return count;
}

static void row(const void *state, enum stow_rows what, uint32_t i, union stow_row *ret)
{
    const struct answer *a = state;
    const struct stow_fleet_answer *made = &a->way[0].answer;
    const struct stow_fleet_workload *w = made->workload;

    (void)what;
    for (; i >= w->targets; w++)
        i -= w->targets;
    ret->replica = (struct stow_replica_row){
        .workload_namespace = stow_text(made->s, w->binding->object_namespace).ptr,
        .name = stow_text(made->s, w->binding->object).ptr,
        .kind = stow_text(made->s, w->binding->kind).ptr,
        .cluster = stow_text(made->s, w->target[i].name).ptr,
        .replicas = w->target[i].replicas,
        .before = w->target[i].held,
        .cost = w->target[i].cost,
    };
}

static const struct stow_verb_work work = {.size = sizeof(struct answer),
                                           .ask = ask,
                                           .write = write,
                                           .done = answer_done,
                                           .figures = figures,
                                           .rows = rows,
                                           .row = row};

extern const struct stow_verb stow_verb_divide;
const struct stow_verb stow_verb_divide = {
    .name = "divide",
    .summary = "divide the replicas of workloads over the clusters of a fleet",
    .description =
        "Decides how many replicas of each workload run on each cluster of a fleet and what that "
        "costs per hour. Replicas without a place are listed with the reason. It reads Karmada's "
        "own objects (Cluster, PropagationPolicy, ResourceBinding), or workloads and "
        "clusters alone.\n\n"
        "Duplicated, StaticWeight, DynamicWeight and Aggregated are decided as Karmada's scheduler "
        "decides them: filters, scores, spread constraints, affinity groups, overflow tiers, and "
        "existing replicas. A workload that Karmada would leave alone is left alone. CostOptimized "
        "fills "
        "the cheapest cluster first and empties the most expensive first; with spread constraints "
        "it is the cheapest choice that they allow. Workloads that no policy selects are divided "
        "by CostOptimized.\n\n"
        "The cost of a replica on a cluster comes from the clusters of a PriceBook, from the "
        "annotations "
        "stowage.dev/price-per-replica-hour or stowage.dev/price-per-hour.RESOURCE of the Cluster, "
        "or from the prices of its nodes, given with --cluster NAME=FILES. --provisionable also "
        "counts the nodes that its groups could buy.\n\n"
        "Each workload is divided by itself, as Karmada does it. --joint divides all workloads "
        "whose strategy considers capacity together, at the lowest total cost, proves how close "
        "that is to the lowest possible cost, and shows what dividing them one by one would "
        "cost.\n\n"
        "-o propagation-policy (weights that are the counts), overflow (price tiers, Karmada "
        "1.18), "
        "resource-binding and workload-rebalancer print objects that Karmada applies, -o "
        "placement-score those of Open Cluster Management.",
    .options = options,
    .examples = examples,
    .work = &work,
};
