/* consolidate.c - `stowage consolidate`: which nodes can be removed, or replaced by cheaper
 * ones, and in which order. */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "api/numbers.h"
#include "api/output.h"
#include "api/scale.h"
#include "base/clock.h"
#include "explain/consolidation/consolidation.h"
#include "explain/karpenter/node_claims.h"

static const struct stow_option options[] = {
    STOW_CALL_CLUSTER_WITH(STOW_CALL_OUTPUT_AND("|nodeclaims|nodepool")),
    STOW_CALL_CHOICE("pods"),
    {.name = "minimise",
     .argument = "WHAT",
     .choices = "cost|nodes",
     .fallback = "cost",
     .help = "minimise the cost per hour, or the number of nodes regardless of cost"},
    {.name = "min-saving",
     .argument = "MONEY",
     .fallback = "0",
     .help = "leave out steps that save less than this per hour (or fewer nodes)"},
    {.name = "disruption-price",
     .argument = "MONEY",
     .fallback = "0",
     .help = "the least that each moved pod must save per hour (or in nodes)"},
    {.name = "spread-on-removal",
     .argument = "HOW",
     .choices = "strict|wait",
     .fallback = "strict",
     .help = "strict: a moved pod must fit while the node it leaves still exists and counts as an "
             "empty domain for spread constraints; wait: a pod that does not fit then may stay "
             "pending until that node is gone"},
    {.name = "max-surge",
     .argument = "AMOUNT",
     .fallback = "10%",
     .help = "limit on what is added at any time to what exists before the first step: nodes (3), "
             "a share of them, rounded up (10%), or cost (4.50/h); after each step the cost is not "
             "above the cost before the first; none: no limit"},
    {.name = "max-moves-per-step",
     .argument = "PODS",
     .fallback = "10%",
     .help = "limit on the pods that one step moves: a number, or a share of the running pods, "
             "rounded up; none: no limit"},
    {.name = "max-moves",
     .argument = "PODS",
     .fallback = "none",
     .help = "limit on the pods that all steps together move: a number, or a share of the running "
             "pods, rounded up; none: no limit"},
    {.name = "frontier",
     .help = "show the best saving for each number of moved pods instead of the steps of one plan"},
    {.name = "time-limit",
     .argument = "TIME",
     .fallback = "10s",
     .help = "stop searching after this time and print the best result: 500ms, 10s, 2m"},
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
     .help = "list everything that keeps each remaining node, or this one: filters, and how much "
             "is missing"},
    {.name = "policy", .argument = "FILE", .help = "use the filters of the Policy in this file"},
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help =
         "with --policy, the Policy with this name; otherwise the filters of a built-in profile"},
    STOW_CALL_STRICT,
    STOW_CALL_PLUGIN,
    {0},
};

static const struct stow_example examples[] = {
    {"stowage consolidate -f examples/shop", "what could be saved in the example"},
    {"stowage consolidate -f examples/shop --min-saving 0.05 -o wide",
     "only steps that save at least this, with every move"},
    {"stowage consolidate -f examples/shop --explain=gpu-a1", "why this node stays"},
    {"stowage consolidate -f examples/shop --max-surge none --max-moves-per-step none",
     "the cheapest result, however large the steps"},
    {"stowage consolidate -f examples/shop --frontier", "how much each moved pod saves"},
    {"stowage consolidate -f examples/shop --max-moves 50%",
     "the most that can be saved if half of the pods may move"},
    {"stowage consolidate -f examples/shop --minimise nodes",
     "as few nodes as possible, when prices are not known"},
    {"kubectl get nodes,pods,daemonsets,poddisruptionbudgets -A -o json | stowage consolidate -f - "
     "-f "
     "groups.yaml",
     "a running cluster, with the groups from which nodes can be bought"},
    {"kubectl get nodepools,ec2nodeclasses,nodeclaims,nodes,pods,daemonsets,poddisruptionbudgets "
     "-A -o yaml | stowage consolidate -f -",
     "a running cluster with Karpenter"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_call_scaling scaling;
    struct stow_consolidation consolidation;
    bool stopped;
    uint32_t *add, *move; /* per step: those of the steps before it; then of all */
};

static void answer_done(void *state)
{
    struct answer *a = state;

    free(a->add);
    free(a->move);
    stow_consolidation_done(&a->consolidation);
    stow_call_scaling_done(&a->scaling);
}

/* ---- options ----------------------------------------------------------------------------- */

static int read_money(const struct stow_call *call, const char *option, stow_nano *ret,
                      struct stow_err *err)
{
    const char *text = stow_call_value(call, option);

    if (stow_money_parse(stow_str_of(text), ret, err) < 0)
        return stow_wrap(err, err->code = STOW_EINVAL, "--%s", option);
    return STOW_OK;
}

static int read_options(const struct stow_call *call, struct stow_consolidate_options *ret,
                        struct stow_err *err)
{
    ret->counts_nodes = strcmp(stow_call_value(call, "minimise"), "nodes") == 0;
    ret->explain = stow_call_given(call, "explain");
    if (ret->explain && stow_call_value(call, "explain")[0])
        ret->explain_node = stow_call_value(call, "explain");
    ret->waits = strcmp(stow_call_value(call, "spread-on-removal"), "wait") == 0;
    ret->frontier = stow_call_given(call, "frontier");
    STOW_TRY(stow_call_allowance(call, "max-surge", "nodes", true, &ret->surge, err));
    STOW_TRY(stow_call_allowance(call, "max-moves-per-step", "pods", false, &ret->moves, err));
    STOW_TRY(stow_call_allowance(call, "max-moves", "pods", false, &ret->moves_all, err));
    if (ret->counts_nodes && ret->surge.kind == STOW_ALLOW_MONEY)
        return stow_fail(err, STOW_EINVAL,
                         "--max-surge %s is a cost, and --minimise nodes counts nodes: give a "
                         "number of nodes (3) or a share of them (10%%)",
                         stow_call_value(call, "max-surge"));
    if (ret->moves.kind != STOW_ALLOW_ANY && ret->moves.amount == 0)
        return stow_fail(
            err, STOW_EINVAL,
            "--max-moves-per-step %s allows no pod to move: give 1 or more, a share above "
            "0%%, or none for no limit",
            stow_call_value(call, "max-moves-per-step"));
    STOW_TRY(read_money(call, "min-saving", &ret->min_saving, err));
    return read_money(call, "disruption-price", &ret->disruption_price, err);
}

/* ---- asking ------------------------------------------------------------------------------ */

static int decide(struct answer *a, struct stow_consolidate_options *o, struct stow_err *err)
{
    const struct stow_call_cluster *c = &a->scaling.cluster;
    const struct stow_profiles *profiles = &a->scaling.profiles;
    const bool filters = profiles->count && profiles->profile[0].filters;
    const struct stow_scale_input input = {
        .s = c->snapshot,
        .books = &c->pricing.books,
        .bill = &c->bill,
        .profiles = filters ? profiles : NULL,
    };
    int code;

    if (o->explain_node && stow_node_find(c->snapshot, stow_str_of(o->explain_node)) == STOW_NONE)
        return stow_fail(err, STOW_EINVAL,
                         "--explain: there is no node '%s'; without a name, every node that stays "
                         "is explained",
                         o->explain_node);
    o->scale = a->scaling.options;
    o->scale.listener = stow_call_listener(a->call);
    stow_call_search_begin(a->call);
    code = stow_consolidate(&input, o, &a->consolidation, err);
    a->stopped = stow_clock_is_stopped();
    stow_call_search_end(a->call);
    STOW_TRY(code);
    stow_call_tell_end(a->call, stow_money_sum_least(&a->consolidation.after),
                       a->consolidation.counts_nodes ? STOW_UNKNOWN : a->consolidation.bound);
    for (uint32_t i = 0; i < a->consolidation.warnings; i++)
        stow_call_warn(a->call, "%s", a->consolidation.warning[i]);
    return STOW_OK;
}

static int count_rows(struct answer *a, struct stow_err *err)
{
    const struct stow_consolidation *c = &a->consolidation;

    a->add = calloc((size_t)c->steps + 1, sizeof(*a->add));
    a->move = calloc((size_t)c->steps + 1, sizeof(*a->move));
    if (!a->add || !a->move)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < c->steps; i++) {
        a->add[i + 1] = a->add[i] + c->step[i].adds;
        a->move[i + 1] = a->move[i] + c->step[i].moves;
    }
    return STOW_OK;
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;
    struct stow_consolidate_options o = {.min_saving = 0};

    STOW_TRY(read_options(a->call, &o, err));
    STOW_TRY(stow_call_scaling_open(a->call, true, &a->scaling, err));
    STOW_TRY(decide(a, &o, err));
    return count_rows(a, err);
}

static int conclude(void *state, struct stow_err *err)
{
    const struct answer *a = state;

    return a->stopped ? stow_call_fail_stopped(err) : STOW_OK;
}

/* ---- writing ----------------------------------------------------------------------------- */

static int make_claims(const struct answer *a, struct stow_writing *w, struct stow_value **ret,
                       struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    struct stow_claims_input in;

    STOW_TRY(stow_claims_of_consolidation(&a->consolidation, &scratch, &in, err));
    return stow_writing_claims(w, &in, ret, err);
}

/* Tables of steps, JSON and YAML say it themselves. */
static void warn_ended(const struct answer *a, const struct stow_writing *w)
{
    if (w->form == STOW_FORM_CSV || stow_form_is_claims(w->form) ||
        (stow_call_given(a->call, "frontier") && !stow_writing_wants_value(w)))
        stow_writing_warn_ended(w, "consolidate", stow_consolidation_ended(&a->consolidation));
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;
    struct stow_value *root = NULL;

    warn_ended(a, w);
    if (stow_form_is_claims(w->form))
        STOW_TRY(make_claims(a, w, &root, err));
    else if (stow_writing_wants_value(w))
        root = stow_consolidation_value(&w->doc, &a->consolidation);
    else if (stow_call_given(a->call, "frontier"))
        stow_frontier_report(&w->report, &a->consolidation);
    else if (w->form == STOW_FORM_CSV)
        stow_consolidation_csv(&w->report, &a->consolidation);
    else
        stow_consolidation_report(&w->report, &a->consolidation, stow_writing_wants_all(w),
                                  !stow_writing_has_screen(w));
    return stow_writing_end_about(w, a->consolidation.s, root, err);
}

/* ---- getters ----------------------------------------------------------------------------- */

/* Where nodes are counted, amounts are no money. */
static stow_nano money_of(const struct stow_consolidation *c, stow_nano amount)
{
    return c->counts_nodes ? STOW_UNKNOWN : amount;
}

/* As the JSON has it; below 0: not known. */
static double gap_of(const struct stow_consolidation *c)
{
    if (c->bound == STOW_UNKNOWN || !stow_money_sum_is_exact(&c->before))
        return -1;
    if (c->bound > 0)
        return (double)(c->after.amount - c->bound) / (double)c->bound;
    return c->after.amount == 0 ? 0 : -1;
}

static void figures(const void *state, struct stow_figures *ret)
{
    const struct answer *a = state;
    const struct stow_consolidation *c = &a->consolidation;

    stow_figures_currency(ret, c->currency);
    if (!c->counts_nodes)
        stow_figures_cost(ret, &c->after);
    ret->before = money_of(c, stow_money_sum_least(&c->before));
    ret->saving = money_of(c, c->saving);
    ret->bound = money_of(c, c->bound);
    ret->gap = gap_of(c);
    ret->moved = c->moved;
    ret->nodes = c->nodes_after;
}

static uint32_t rows(const void *state, enum stow_rows what)
{
    const struct answer *a = state;
    const uint32_t steps = a->consolidation.steps;

    if (what == STOW_ROWS_STEPS)
        return steps;
    return what == STOW_ROWS_PODS ? a->move[steps] : what == STOW_ROWS_NODES ? a->add[steps] : 0;
}

/* The step that the i-th of all is in. */
static uint32_t step_of(const uint32_t *before, uint32_t steps, uint32_t i)
{
    uint32_t low = 0, high = steps;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (before[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void pod_row(const struct answer *a, uint32_t i, struct stow_pod_row *ret)
{
    const struct stow_consolidation *c = &a->consolidation;
    const uint32_t step = step_of(a->move, c->steps, i);
    const struct stow_step_move *move = &c->step[step].move[i - a->move[step]];
    const struct stow_pod *pod = &c->s->pod[move->pod];

    *ret = (struct stow_pod_row){.pod_namespace = stow_text(c->s, pod->namespace).ptr,
                                 .name = pod->name,
                                 .node = move->to,
                                 .from = move->from,
                                 .step = step};
}

static void node_row(const struct answer *a, uint32_t i, struct stow_node_row *ret)
{
    const struct stow_consolidation *c = &a->consolidation;
    const uint32_t step = step_of(a->add, c->steps, i);
    const struct stow_step_node *node = &c->step[step].add[i - a->add[step]];

    *ret = (struct stow_node_row){.name = node->name,
                                  .group = c->s->group[node->group].name,
                                  .price = money_of(c, node->price),
                                  .step = step};
    for (uint32_t n = 0; n < c->step[step].moves; n++)
        ret->pods += strcmp(c->step[step].move[n].to, node->name) == 0;
}

static void row(const void *state, enum stow_rows what, uint32_t i, union stow_row *ret)
{
    const struct answer *a = state;
    const struct stow_step *step;

    if (what == STOW_ROWS_PODS) {
        pod_row(a, i, &ret->pod);
    } else if (what == STOW_ROWS_NODES) {
        node_row(a, i, &ret->node);
    } else {
        step = &a->consolidation.step[i];
        ret->step = (struct stow_step_row){.saving = money_of(&a->consolidation, step->saving),
                                           .removes = step->removes,
                                           .adds = step->adds,
                                           .moves = step->moves};
    }
}

static const struct stow_verb_work work = {.size = sizeof(struct answer),
                                           .ask = ask,
                                           .write = write,
                                           .conclude = conclude,
                                           .done = answer_done,
                                           .figures = figures,
                                           .rows = rows,
                                           .row = row};

extern const struct stow_verb stow_verb_consolidate;
const struct stow_verb stow_verb_consolidate = {
    .name = "consolidate",
    .summary = "find nodes that can be removed or replaced by cheaper ones",
    .description =
        "Plans how to run the same pods at a lower cost: which nodes to remove, which nodes to buy "
        "instead, which pods to move, in which order, and how much that saves per hour. Any number "
        "of nodes may be replaced by any number of others. After each step every pod has a node "
        "and every filter holds.\n\n"
        "A pod can move when it has a controller other than a DaemonSet or a Node and is not "
        "annotated karpenter.sh/do-not-disrupt: \"true\" or "
        "cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\". Pods of DaemonSets and static "
        "pods are removed with their node. A node is kept if it has any other pod that cannot "
        "move, belongs to the control plane, or is annotated karpenter.sh/do-not-disrupt or "
        "cluster-autoscaler.kubernetes.io/scale-down-disabled: \"true\". No step moves more pods "
        "of a PodDisruptionBudget than it allows to be disrupted at once. Nodes of a Karpenter "
        "NodePool are removed only as its disruption settings allow: budgets at the time of --at, "
        "consolidationPolicy and consolidateAfter. Nodes of a static pool are kept. Pending "
        "pods that fit a node now fit one after every step. Every remaining node is "
        "listed with the reason.\n\n"
        "--max-surge and --max-moves-per-step keep steps small. The answer also shows how much "
        "these limits cost. Among plans of the same cost, within --gap, the one that moves the "
        "fewest pods is chosen. --frontier shows what fewer moves would save, and --max-moves "
        "selects such a plan.\n\n"
        "Prices of nodes are found as in `stowage inspect`, with discounts, OpenCost rates and "
        "commitments. The fee of a commitment is owed even if no node uses it. New nodes come from "
        "the NodeGroups "
        "and NodePools given. A node whose price is unknown is kept. With --minimise nodes no "
        "prices are needed: "
        "every node, existing or new, counts as one.",
    .options = options,
    .examples = examples,
    .work = &work,
};
