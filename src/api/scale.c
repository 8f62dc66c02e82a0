/* scale.c - `stowage scale`: which node groups should grow, and by how much. */
#include "api/scale.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stowage/export.h>

#include "api/output.h"
#include "base/clock.h"
#include "explain/group_defaults.h"
#include "explain/karpenter/node_claims.h"
#include "explain/scaling/scaling.h"

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

static const struct stow_option options[] = {
    STOW_CALL_CLUSTER_WITH(STOW_CALL_OUTPUT_AND("|scaling-advice|nodeclaims|nodepool")),
    STOW_CALL_CHOICE("pods"),
    {.name = "strategy",
     .argument = "NAME",
     .offers = strategies,
     .repeats = true,
     .help =
         "optimal finds the cheapest mix of nodes, with a lower bound; a chain of rankers "
         "(price,least-waste) makes one decision; greedy:CHAIN repeats it until nothing helps; nru "
         "buys one node at a time; karpenter packs as Karpenter does (default " DEFAULT_STRATEGY
         ")"},
    {.name = "compare", .help = "show strategies side by side: those given, otherwise all"},
    {.name = "explain",
     .help = "explain the plan round by round; optimal: show what one more pod costs"},
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
    {.name = "balance-similar", .help = "divide new nodes over similar groups"},
    {.name = "balancing-label",
     .argument = "KEY",
     .repeats = true,
     .help = "groups are similar when these labels are equal, whatever else differs"},
    {.name = "balancing-ignore-label",
     .argument = "KEY",
     .repeats = true,
     .help = "a label that may differ between similar groups"},
    {.name = "all-or-nothing", .help = "consider only options that take every pending pod"},
    {.name = "fastpath", .help = "estimate like the autoscaler's fast path"},
    {.name = "strict-upstream",
     .help = "drop options without a price, as the autoscaler does, instead of ranking them last"},
    {.name = "priorities",
     .argument = "FILE",
     .help = "read the priority expander's map from this file instead of its ConfigMap"},
    {.name = "price-model",
     .argument = "NAME",
     .choices = "book|gce",
     .fallback = "book",
     .help = "where prices of groups that state none come from: the price book, or the "
             "autoscaler's GCE model"},
    {.name = "policy",
     .argument = "FILE",
     .help = "use the filters and the sections price and nru of the Policy in this file"},
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help =
         "with --policy, the Policy with this name; otherwise the filters of a built-in profile"},
    STOW_CALL_STRICT,
    STOW_CALL_PLUGIN,
    {.name = "price-rules",
     .argument = "NAME",
     .choices = "current|proposal",
     .help = "rules of price: those of the current autoscaler, or of its proposal"},
    {.name = "nru-rules",
     .argument = "NAME",
     .choices = "document|main|pr158",
     .help = "rules of nru: those of its document, or of the program at this stage"},
    {.name = "nru-scorer",
     .argument = "NAME",
     .choices = "least-cost|least-waste",
     .help = "what nru compares: NRU per price, or NRU wasted"},
    {.name = "nru-weight",
     .argument = "RESOURCE=N/UNIT",
     .repeats = true,
     .help = "weight of a resource in nru: cpu=6/core, memory=1/GiB (units: core, GiB, byte, "
             "device)"},
    STOW_CALL_OPTIMAL,
    STOW_CALL_WEIGHTS,
    {.name = "no-proof",
     .help = "optimal: leave the proof, which names every pending pod, out of JSON and YAML"},
    {.name = "seed", .argument = "N", .help = "seed of the ranker random (default 0)"},
    {.name = "timings",
     .help = "optimal: show how the time was spent and how the gap developed; with --compare, show "
             "the milliseconds of each strategy (always shown on a terminal)"},
    {0},
};

static const struct stow_example examples[] = {
    {"stowage scale -f examples/shop", "what to buy for the pending pods of the example"},
    {"stowage scale -f examples/shop --compare", "what each strategy would buy"},
    {"stowage scale -f cluster.json -f groups.yaml --strategy price,least-waste --explain",
     "one decision of an autoscaler with these expanders, explained"},
    {"stowage scale -f cluster.json -f constraint.yaml --strategy nru -o scaling-advice",
     "the answer that scaling-advisor would write"},
    {"kubectl get nodepools,ec2nodeclasses,nodes,pods -A -o yaml | stowage scale -f - --compare",
     "what Karpenter would buy, and what is cheapest"},
    {"stowage scale -f cluster.yaml -o nodeclaims | kubectl apply -f -",
     "have Karpenter launch the nodes of the plan"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_call_scaling scaling;
    struct stow_scale *scale;
    struct stow_strategy strategy[STRATEGIES_MAX];
    struct stow_plan plan[STRATEGIES_MAX]; /* in the order of the strategies; some have none */
    uint32_t strategy_of[STRATEGIES_MAX];  /* per plan */
    uint32_t strategies, plans;
    bool stopped, watched;
    struct stow_pod_row *row; /* of the first plan: pods on nodes, then those without */
    uint32_t rows;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    for (uint32_t i = 0; i < a->plans; i++)
        stow_plan_done(&a->plan[i]);
    free(a->row);
    stow_scale_free(a->scale);
    stow_call_scaling_done(&a->scaling);
}

/* ---- strategies -------------------------------------------------------------------------- */

static int add_strategy(struct answer *a, const char *text, struct stow_err *err)
{
    if (a->strategies == STRATEGIES_MAX)
        return stow_fail(err, STOW_ELIMIT, "more than %d strategies", STRATEGIES_MAX);
    if (stow_strategy_parse(text, &a->strategy[a->strategies], err) < 0) {
        stow_call_hint(a->call,
                       "a strategy is a chain of these (price,least-waste), greedy: with a "
                       "chain, nru, karpenter, or optimal; `stowage help scale` describes them");
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

/* Objects for others are about one plan. */
static int check_form(const struct answer *a, const char *name, struct stow_err *err)
{
    const enum stow_form form = stow_form_of(name);

    if (stow_call_given(a->call, "compare") &&
        (form == STOW_FORM_SCALING_ADVICE || stow_form_is_claims(form)))
        return stow_fail(err, STOW_EINVAL, "-o %s cannot be combined with --compare", name);
    return STOW_OK;
}

/* Before anything is read, so that a mistyped name does not have to wait for it. */
static int read_strategies(struct answer *a, struct stow_err *err)
{
    const char *const *names;
    uint32_t count = stow_call_values(a->call, "strategy", &names);
    bool compare = stow_call_given(a->call, "compare");

    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(add_strategy(a, names[i], err));
    if (count > 1 && !compare) {
        stow_call_hint(a->call, "add --compare, or name one chain: --strategy price,least-waste");
        return stow_fail(err, STOW_EINVAL, "expected one strategy, found %u", count);
    }
    STOW_TRY(check_form(a, stow_call_value(a->call, "output"), err));
    if (compare && stow_call_given(a->call, "explain"))
        return stow_fail(err, STOW_EINVAL, "--explain cannot be combined with --compare");
    return count || compare ? STOW_OK : add_strategy(a, DEFAULT_STRATEGY, err);
}

/* Other strategies plan as if these were not given; a comparison says what they break. */
static void warn_of_options(struct answer *a)
{
    static const char *const only[] = {"budget",     "max-spot-share", "min-durable", "risk",
                                       "hours-lost", "priority-price", NULL};

    for (uint32_t i = 0; i < a->strategies; i++)
        if (a->strategy[i].kind == STOW_STRATEGY_OPTIMAL)
            return;
    for (uint32_t i = 0; only[i] && a->strategies; i++)
        if (stow_call_given(a->call, only[i]))
            stow_call_warn(a->call, "--%s is for the strategy optimal only: %s %s it", only[i],
                           a->strategies > 1 ? "these" : a->strategy[0].text,
                           a->strategies > 1 ? "ignore" : "ignores");
}

/* Times differ from run to run: they are shown to people who watch, or who ask for them. */
static bool shows_timings(const struct answer *a, enum stow_form form)
{
    const bool people = form == STOW_FORM_TABLE || form == STOW_FORM_WIDE;

    return stow_call_given(a->call, "timings") || (people && a->watched);
}

/* ---- deciding ---------------------------------------------------------------------------- */

/* A map that is asked for and not there would keep every option, silently. */
static int check_priorities(struct answer *a, struct stow_err *err)
{
    for (uint32_t i = 0; i < a->strategies; i++)
        for (uint32_t n = 0; n < a->strategy[i].chain.count; n++)
            if (strcmp(a->strategy[i].chain.ranker[n]->name, "priority") == 0 &&
                !a->scaling.options.priorities && !a->scaling.options.strict_upstream) {
                stow_call_hint(a->call, "give it with --priorities FILE, or the ConfigMap "
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
    code = stow_scale_plan(a->scale, strategy, &(struct stow_known_plans){a->plan, a->plans}, plan,
                           err);
    if (code == STOW_ELIMIT)
        stow_call_hint(a->call, "choose a strategy without such a limit: --strategy nru; or remove "
                                "requests for resources that are never scarce from the input");
    STOW_TRY(code);
    clock_gettime(CLOCK_MONOTONIC, &to);
    plan->milliseconds = milliseconds_between(from, to);
    return STOW_OK;
}

/* Whoever is first prepares what all share: where times are compared, it is not counted for any
 * strategy. */
static void warm_up(struct answer *a, struct stow_err *err)
{
    struct stow_plan plan;

    if (!shows_timings(a, stow_form_of(stow_call_value(a->call, "output"))) || a->strategies < 2)
        return;
    if (stow_scale_plan(a->scale, &a->strategy[0], NULL, &plan, err) >= 0)
        stow_plan_done(&plan);
}

/* The plan made last goes to its place among the others. */
static void put_in_order(struct answer *a, uint32_t number)
{
    const struct stow_plan made = a->plan[a->plans - 1];
    uint32_t at = a->plans - 1;

    for (; at && a->strategy_of[at - 1] > number; at--) {
        a->plan[at] = a->plan[at - 1];
        a->strategy_of[at] = a->strategy_of[at - 1];
    }
    a->plan[at] = made;
    a->strategy_of[at] = number;
}

/* Side by side, a strategy that cannot do what is asked does not silence the others. */
static int add_plan(struct answer *a, uint32_t number, struct stow_err *err)
{
    const struct stow_strategy *strategy = &a->strategy[number];
    struct stow_plan *plan = &a->plan[a->plans];
    const int code = make_plan(a, strategy, plan, err);

    if ((code == STOW_EINVAL || code == STOW_ELIMIT || code == STOW_ETIME) && a->strategies > 1) {
        stow_call_warn(a->call, "%s has no plan: %s%s", strategy->text, err->msg,
                       code == STOW_ETIME ? "; give it more: --time-limit 60s" : "");
        return STOW_OK;
    }
    STOW_TRY(code);
    a->plans++;
    for (uint32_t n = 0; n < plan->warnings; n++)
        if (!warned_before(a, plan->warning[n]))
            stow_call_warn(a->call, "%s", plan->warning[n]);
    put_in_order(a, number);
    return STOW_OK;
}

/* `optimal` comes last, whatever the order: then it knows the plans of the others. */
static int make_plans(struct answer *a, struct stow_err *err)
{
    for (uint32_t optimal = 0; optimal < 2; optimal++)
        for (uint32_t i = 0; i < a->strategies; i++)
            if ((a->strategy[i].kind == STOW_STRATEGY_OPTIMAL) == optimal)
                STOW_TRY(add_plan(a, i, err));
    return STOW_OK;
}

static int decide(struct answer *a, struct stow_err *err)
{
    const struct stow_call_cluster *c = &a->scaling.cluster;
    const struct stow_profiles *profiles = &a->scaling.profiles;
    bool filters = profiles->count && profiles->profile[0].filters;
    const struct stow_scale_input input = {
        .s = c->snapshot,
        .books = &c->pricing.books,
        .bill = &c->bill,
        .profiles = filters ? profiles : NULL,
    };

    a->scaling.options.listener = stow_call_listener(a->call);
    STOW_TRY(stow_scale_new(&input, &a->scaling.options, &a->scale, err));
    warm_up(a, err);
    STOW_TRY(make_plans(a, err));
    if (a->plans > 1 && !stow_call_given(a->call, "priority-price"))
        stow_plans_obey_order(a->plan, a->plans);
    return a->plans ? STOW_OK : err->code;
}

static void tell_end(const struct answer *a)
{
    const struct stow_plan *plan = &a->plan[0];

    stow_call_tell_end(a->call, plan->is_weighed ? plan->weight : stow_money_sum_least(&plan->cost),
                       plan->has_bound && !plan->unpriceds ? plan->bound : STOW_UNKNOWN);
}

/* Only one strategy has a plan to show before it is done. */
static int search(struct answer *a, struct stow_err *err)
{
    bool searches = false;
    int code;

    for (uint32_t i = 0; i < a->strategies; i++)
        if (a->strategy[i].kind == STOW_STRATEGY_OPTIMAL)
            searches = true;
    if (searches)
        stow_call_search_begin(a->call);
    code = decide(a, err);
    a->stopped = stow_clock_is_stopped();
    if (searches)
        stow_call_search_end(a->call);
    if (code >= 0)
        tell_end(a);
    return code;
}

static void add_rows(struct answer *a, const struct stow_pod_range *pods, const char *node,
                     bool is_new)
{
    const struct stow_plan *plan = &a->plan[0];
    const struct stow_snapshot *s = plan->s;

    for (uint32_t i = 0; i < pods->count; i++) {
        const struct stow_pod *pod = &s->pod[plan->pod[pods->first + i]];

        a->row[a->rows++] = (struct stow_pod_row){.pod_namespace = stow_text(s, pod->namespace).ptr,
                                                  .name = pod->name,
                                                  .node = node,
                                                  .new_node = is_new};
    }
}

static int list_pods(struct answer *a, struct stow_err *err)
{
    const struct stow_plan *plan = &a->plan[0];

    a->row = calloc((size_t)plan->pods + plan->unplaceds + 1, sizeof(*a->row));
    if (!a->row)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < plan->existings; i++)
        add_rows(a, &plan->existing[i].pods, plan->existing[i].name, false);
    for (uint32_t i = 0; i < plan->nodes; i++)
        add_rows(a, &plan->node[i].pods, plan->node[i].name, true);
    for (uint32_t i = 0; i < plan->unplaceds; i++) {
        const struct stow_unplaced *u = &plan->unplaced[i];
        const struct stow_pod *pod = &plan->s->pod[u->pod];

        a->row[a->rows++] =
            (struct stow_pod_row){.pod_namespace = stow_text(plan->s, pod->namespace).ptr,
                                  .name = pod->name,
                                  .reason = u->reasons ? u->reason[0].text : NULL};
    }
    return STOW_OK;
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;

    a->watched = a->call->ask->watched;
    STOW_TRY(read_strategies(a, err));
    STOW_TRY(stow_call_scaling_open(a->call, false, &a->scaling, err));
    if (a->strategies == 0)
        STOW_TRY(add_all_strategies(a, err));
    STOW_TRY(check_priorities(a, err));
    a->scaling.options.all_timed = stow_call_given(a->call, "compare");
    warn_of_options(a);
    STOW_TRY(search(a, err));
    return list_pods(a, err);
}

static int conclude(void *state, struct stow_err *err)
{
    const struct answer *a = state;

    return a->stopped ? stow_call_fail_stopped(err) : STOW_OK;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Tables of one plan, JSON and YAML say it themselves. */
static void warn_ended(const struct answer *a, const struct stow_writing *w)
{
    const bool says = w->form == STOW_FORM_JSON || w->form == STOW_FORM_YAML ||
                      (w->form != STOW_FORM_CSV && !stow_writing_wants_value(w) &&
                       !stow_call_given(a->call, "compare"));

    for (uint32_t i = 0; !says && i < a->plans; i++)
        stow_writing_warn_ended(w, a->plan[i].strategy, stow_plan_ended(&a->plan[i]));
}

static int write_comparison(const struct answer *a, struct stow_writing *w, struct stow_err *err)
{
    const bool timings = shows_timings(a, w->form);
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_scaling_comparison_value(&w->doc, a->plan, a->plans, timings);
    else
        stow_scaling_comparison(&w->report, a->plan, a->plans, timings);
    return stow_writing_end_about(w, a->plan[0].s, root, err);
}

static void make_report(const struct answer *a, struct stow_writing *w)
{
    const bool wide = stow_writing_wants_all(w);
    const bool explain = stow_call_given(a->call, "explain");

    if (explain && w->form == STOW_FORM_CSV) {
        stow_scaling_rounds_csv(&w->report, &a->plan[0]);
        return;
    }
    if (explain)
        stow_scaling_rounds(&w->report, &a->plan[0], wide);
    stow_scaling_report(&w->report, &a->plan[0], wide);
    if (explain)
        stow_scaling_left(&w->report, &a->plan[0]);
    if (explain)
        stow_scaling_prices(&w->report, &a->plan[0], wide);
    if (explain && wide)
        stow_group_defaults_report(&w->report, a->plan[0].s);
    if (stow_call_given(a->call, "timings"))
        stow_scaling_timings(&w->report, &a->plan[0]);
}

static int make_claims(const struct answer *a, struct stow_writing *w, struct stow_value **ret,
                       struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    struct stow_claims_input in;

    STOW_TRY(stow_claims_of_plan(&a->plan[0], &scratch, &in, err));
    return stow_writing_claims(w, &in, ret, err);
}

static struct stow_value *make_value(const struct answer *a, struct stow_writing *w)
{
    struct stow_value *root =
        stow_scaling_value(&w->doc, &a->plan[0], !stow_call_given(a->call, "no-proof"));

    if (stow_call_given(a->call, "timings"))
        stow_value_set(&w->doc, root, "timings", stow_scaling_timings_value(&w->doc, &a->plan[0]));
    return root;
}

static int write_plan(const struct answer *a, struct stow_writing *w, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (w->form == STOW_FORM_SCALING_ADVICE)
        STOW_TRY(stow_scaling_advice_value(&w->doc, &a->plan[0], &root, err));
    else if (stow_form_is_claims(w->form))
        STOW_TRY(make_claims(a, w, &root, err));
    else if (stow_writing_wants_value(w))
        root = make_value(a, w);
    else
        make_report(a, w);
    return stow_writing_end_about(w, a->plan[0].s, root, err);
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;

    STOW_TRY(check_form(a, w->name, err));
    warn_ended(a, w);
    return stow_call_given(a->call, "compare") ? write_comparison(a, w, err)
                                               : write_plan(a, w, err);
}

/* ---- getters: of the first plan ---------------------------------------------------------- */

static void figures(const void *state, struct stow_figures *ret)
{
    const struct answer *a = state;
    const struct stow_plan *plan = &a->plan[0];

    stow_figures_currency(ret, plan->currency);
    stow_figures_cost(ret, &plan->cost);
    if (plan->has_bound && !plan->unpriceds) {
        ret->bound = plan->bound;
        ret->gap = plan->gap;
    }
    ret->placed = plan->placed;
    ret->pods = plan->placed + plan->unplaceds;
    ret->nodes = plan->nodes;
}

static uint32_t rows(const void *state, enum stow_rows what)
{
    const struct answer *a = state;

    return what == STOW_ROWS_PODS ? a->rows : what == STOW_ROWS_NODES ? a->plan[0].nodes : 0;
}

static void row(const void *state, enum stow_rows what, uint32_t i, union stow_row *ret)
{
    const struct answer *a = state;
    const struct stow_plan_node *node;

    if (what == STOW_ROWS_PODS) {
        ret->pod = a->row[i];
        return;
    }
    node = &a->plan[0].node[i];
    ret->node = (struct stow_node_row){.name = node->name,
                                       .group = a->plan[0].s->group[node->group].name,
                                       .price = node->price,
                                       .pods = node->pods.count};
}

static const struct stow_verb_work work = {.size = sizeof(struct answer),
                                           .ask = ask,
                                           .write = write,
                                           .conclude = conclude,
                                           .done = answer_done,
                                           .figures = figures,
                                           .rows = rows,
                                           .row = row};

extern const struct stow_verb stow_verb_scale;
const struct stow_verb stow_verb_scale = {
    .name = "scale",
    .summary = "choose the nodes to buy for pending pods",
    .description =
        "Decides which nodes to add to which groups for the pending pods, which pods go on which "
        "node, and what that costs per hour. Pods that cannot be placed are listed with the "
        "reasons. Pods that fit existing or upcoming nodes cost nothing and are placed there "
        "first.\n\n"
        "The input says what can be bought: a NodeGroup (stowage.dev/v1alpha1) for each group, "
        "with a template or with existing nodes, a NodePool of Karpenter with its node class, or a "
        "ScalingConstraint of scaling-advisor. A template needs only an instance type and a zone: "
        "`metadata: {name: "
        "big}, spec: {maxNodes: 5, template: {metadata: {labels: "
        "{node.kubernetes.io/instance-type: "
        "m5.xlarge, topology.kubernetes.io/zone: us-east-1a}}}}`. Cluster API's MachineDeployment "
        "is "
        "not read.\n\n"
        "Prices of nodes are found as in `stowage inspect`, with discounts and OpenCost rates. "
        "Unused nodes of a commitment of a PriceBook cost nothing more, so the plan uses them "
        "first. The limits of a NodePool hold for all its nodes together.\n\n"
        "optimal, the default, searches for the cheapest mix of nodes of all groups. Its answer "
        "shows how close it is to the cheapest possible plan, and contains the proof, which "
        "`stowage verify` checks. If not all pods can be placed, pods of high priority come first, "
        "then the number of pods, then the price. Groups with a priority are used in the order of "
        "their priorities, unless --priority-price gives the cost of leaving that order. --risk, "
        "--budget, --max-spot-share and --min-durable are for optimal only: other strategies "
        "ignore them with a warning.\n\n"
        "Other strategies are chains of rankers. Each ranker chooses among the options that the "
        "one before it kept. The rankers price, least-waste, most-pods, least-nodes, priority and "
        "random work like the Cluster Autoscaler's expanders of the same names. A chain alone "
        "makes one decision of an autoscaler: one group grows, and the other pods wait for the "
        "next round. With the prefix greedy: the chain is repeated until nothing helps. nru is the "
        "rule of scaling-advisor: it buys one node at a time, the one with the highest NRU score "
        "per price.\n\n"
        "--compare shows greedy:price, greedy:least-waste, greedy:most-pods, greedy:least-nodes, "
        "greedy:priority (when there is a map), greedy:random, nru, karpenter and optimal side by "
        "side. A plan that exceeds a budget or a share of spot nodes, or does not keep the order "
        "of groups (priority of a NodeGroup, weight of a NodePool), is marked and never chosen as "
        "the best. --time-limit applies to each strategy: one that does not finish in time is left "
        "out with a warning. Times are shown only on a terminal and with --timings.",
    .options = options,
    .examples = examples,
    .work = &work,
};
