/* verify.c - `stowage verify`: does a plan hold, and is its bound proved? */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "api/cluster.h"
#include "api/numbers.h"
#include "api/output.h"
#include "explain/verification/verification.h"
#include "read/files/input.h"
#include "verify/verify.h"

static const struct stow_option options[] = {
    STOW_CALL_CLUSTER,
    STOW_CALL_CHOICE("pods"),
    {.name = "max-nodes-total",
     .argument = "N",
     .help = "the plan was made with this limit on existing and new nodes; 0: no limit"},
    {.name = "quota",
     .argument = "RESOURCE=AMOUNT",
     .repeats = true,
     .help = "... with this limit on the capacity of existing and new nodes; also nodes=N"},
    {.name = "budget", .argument = "MONEY", .help = "... with this limit on the cost of new nodes"},
    {.name = "priority-price",
     .argument = "MONEY",
     .help = "... with this price per hour of a step down the priorities of groups"},
    {.name = "risk", .help = "... with spot nodes weighed by their interruptions"},
    {.name = "hours-lost",
     .argument = "HOURS",
     .fallback = "0.5",
     .help = "with --risk, the work lost at each interruption"},
    {.name = "max-spot-share",
     .argument = "FRACTION",
     .help = "... with at most this fraction of a workload's pods on spot nodes"},
    {.name = "min-durable",
     .argument = "N",
     .help = "... with at least this many of a workload's pods, or all, on other nodes"},
    {.name = "minimise",
     .argument = "WHAT",
     .choices = "cost|nodes",
     .help = "... a consolidation that minimises the cost or the number of nodes; default: as the "
             "plan states"},
    {.name = "min-saving",
     .argument = "MONEY",
     .fallback = "0",
     .help = "... a consolidation without steps that save less than this per hour"},
    {.name = "disruption-price",
     .argument = "MONEY",
     .fallback = "0",
     .help = "... a consolidation with this price per hour for each moved pod"},
    {.name = "max-surge",
     .argument = "AMOUNT",
     .help = "... a consolidation that adds at most this at any time to what existed before: nodes "
             "(3), a share of them (10%), or cost (4.50/h); default: as the plan states"},
    {.name = "max-moves-per-step",
     .argument = "PODS",
     .help = "... a consolidation in which one step moves at most this many pods, or this share of "
             "them (10%); default: as the plan states"},
    {.name = "max-moves",
     .argument = "PODS",
     .help = "... a consolidation in which all steps together move at most this many pods, or this "
             "share of them (10%); default: as the plan states"},
    {.name = "price-model",
     .argument = "NAME",
     .choices = "book|gce",
     .fallback = "book",
     .help = "where prices of groups that state none come from: the price book, or the "
             "autoscaler's GCE model"},
    {.name = "policy", .argument = "FILE", .help = "use the filters of the Policy in this file"},
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help =
         "with --policy, the Policy with this name; otherwise the filters of a built-in profile"},
    STOW_CALL_STRICT,
    STOW_CALL_PLUGIN,
    {.name = "time-limit",
     .argument = "TIME",
     .fallback = "60s",
     .help = "stop after this time and report what is not settled: 500ms, 10s, 2m"},
    {0},
};

static const struct stow_example examples[] = {
    {"stowage scale -f examples/shop -o json > plan.json", "save a plan with its proof"},
    {"stowage verify plan.json -f examples/shop", "check it"},
    {"stowage consolidate -f examples/shop -o json | stowage verify - -f examples/shop",
     "check every step of a consolidation"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_call_cluster cluster;
    struct stow_profiles profiles;
    struct stow_verify_options options;
    struct stow_verify_quota *quota;
    struct stow_input input;
    struct stow_tape tape;
    struct stow_verdicts verdicts;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    stow_verdicts_done(&a->verdicts);
    stow_tape_done(&a->tape);
    stow_input_done(&a->input);
    free(a->quota);
    stow_profiles_done(&a->profiles);
    stow_call_cluster_done(&a->cluster);
}

/* ---- options ----------------------------------------------------------------------------- */

static enum stow_verify_minimise minimise_of(const char *text)
{
    if (!text)
        return STOW_VERIFY_AS_TOLD;
    return strcmp(text, "nodes") == 0 ? STOW_VERIFY_FEWEST_NODES : STOW_VERIFY_LEAST_COST;
}

static int read_of_consolidations(const struct stow_call *call, struct stow_verify_options *ret,
                                  struct stow_err *err)
{
    STOW_TRY(stow_call_money(call, "min-saving", &ret->min_saving, err));
    STOW_TRY(stow_call_money(call, "disruption-price", &ret->disruption_price, err));
    STOW_TRY(stow_call_allowance(call, "max-surge", "nodes", true, &ret->surge, err));
    STOW_TRY(stow_call_allowance(call, "max-moves-per-step", "pods", false, &ret->moves, err));
    return stow_call_allowance(call, "max-moves", "pods", false, &ret->moves_all, err);
}

static int read_options(struct answer *a, struct stow_err *err)
{
    const struct stow_call *call = a->call;
    struct stow_verify_options *o = &a->options;
    int64_t total = 0, durable = 0;

    o->budget = o->priority_price = o->max_spot_share = STOW_MONEY_UNKNOWN;
    STOW_TRY(stow_call_whole(call, "max-nodes-total", STOW_NONE - 1, &total, err));
    STOW_TRY(stow_call_whole(call, "min-durable", STOW_NONE - 1, &durable, err));
    STOW_TRY(stow_call_money(call, "budget", &o->budget, err));
    STOW_TRY(stow_call_money(call, "priority-price", &o->priority_price, err));
    STOW_TRY(
        stow_call_fraction(call, "max-spot-share", STOW_NANO_PER_UNIT, &o->max_spot_share, err));
    STOW_TRY(stow_call_fraction(call, "hours-lost", STOW_CALL_HOURS_MAX, &o->hours_lost, err));
    STOW_TRY(read_of_consolidations(call, o, err));
    o->max_nodes_total = (uint32_t)total;
    o->min_durable = (uint32_t)durable;
    o->risk = stow_call_given(call, "risk");
    o->minimise = minimise_of(stow_call_value(call, "minimise"));
    o->gce_prices = strcmp(stow_call_value(call, "price-model"), "gce") == 0;
    return stow_call_seconds(call, "time-limit", &o->seconds, err);
}

static int read_quota(const struct answer *a, const char *text, struct stow_verify_quota *ret,
                      struct stow_err *err)
{
    STOW_TRY(stow_call_quota(text, &ret->name, &ret->amount, err));
    ret->resource = STOW_NONE;
    if (!stow_str_is(ret->name, "nodes"))
        ret->resource = stow_intern_find(&a->cluster.snapshot->text, ret->name);
    return STOW_OK;
}

static int read_quotas(struct answer *a, struct stow_err *err)
{
    const char *const *texts;
    const uint32_t count = stow_call_values(a->call, "quota", &texts);

    a->quota = calloc((size_t)count + 1, sizeof(*a->quota));
    if (!a->quota)
        return stow_fail_memory(err);
    a->options.quota = a->quota;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_verify_quota *quota = &a->quota[a->options.quotas];

        STOW_TRY(read_quota(a, texts[i], quota, err));
        /* a resource that no node has limits nothing, and has no symbol */
        if (quota->resource != STOW_NONE || stow_str_is(quota->name, "nodes"))
            a->options.quotas++;
    }
    return STOW_OK;
}

/* ---- input ------------------------------------------------------------------------------- */

/* With the annotations kept that the policy and the price model read. */
static int load(struct answer *a, struct stow_err *err)
{
    struct stow_call_needs needs = {.moves_pods = false};

    stow_call_keys_add_prices(&needs.keys);
    STOW_TRY(stow_call_keys_add(&needs.keys, &a->profiles, err));
    STOW_TRY(stow_verify_moves_pods(&a->tape, &needs.moves_pods, err));
    STOW_TRY(stow_call_cluster_load(a->call, &needs, &a->cluster, err));
    STOW_TRY(stow_call_cluster_choose(a->call, &a->cluster, err));
    for (uint32_t i = 0; i < a->profiles.count; i++)
        STOW_TRY(stow_profile_set_keys(&a->profiles.profile[i], a->cluster.snapshot, err));
    return stow_call_profiles_note(&a->profiles, a->cluster.snapshot, err);
}

static int read_plan(struct answer *a, struct stow_err *err)
{
    const char *const *arguments;

    stow_call_arguments(a->call, &arguments);

    const char *path = arguments[0];

    STOW_TRY(stow_call_argument_input(a->call, 0, &a->input, err));
    return stow_tape_open(&a->tape, strcmp(path, "-") == 0 ? "standard input" : path, a->input.text,
                          a->input.len, err);
}

static int read_inputs(struct answer *a, struct stow_err *err)
{
    const char *path = stow_call_value(a->call, "policy"),
               *name = stow_call_value(a->call, "profile");

    STOW_TRY(stow_call_profiles_open(a->call, path, name, &a->profiles, err));
    STOW_TRY(read_plan(a, err));
    return load(a, err);
}

/* Everywhere else a file that cannot be read is a failure as any other, 1; here 1 says that the
 * plan is wrong, and a script must not take the one for the other. */
static int read_or_refuse(struct answer *a, struct stow_err *err)
{
    const int code = read_inputs(a, err);

    if (code != STOW_EIO)
        return code;
    stow_call_hint(a->call, "check that the path exists and that you may read it");
    err->code = STOW_EPARSE;
    return STOW_EPARSE;
}

static int verify(struct answer *a, struct stow_err *err)
{
    const bool filters = a->profiles.count && a->profiles.profile[0].filters;
    const struct stow_verify_input input = {
        .s = a->cluster.snapshot,
        .books = &a->cluster.pricing.books,
        .bill = &a->cluster.bill,
        .profiles = filters ? &a->profiles : NULL,
    };

    return stow_verify(&input, &a->options, &a->tape, &a->verdicts, err);
}

/* ---- answering --------------------------------------------------------------------------- */

/* What the exit status stands for, as an error. */
static int conclude(void *state, struct stow_err *err)
{
    struct answer *a = state;
    const struct stow_verdicts *v = &a->verdicts;
    const int code = stow_verdicts_code(v);
    const struct stow_finding *first = v->finding;

    if (code == STOW_OK)
        return STOW_OK;
    for (uint32_t i = 0; i < v->findings; i++)
        if (!v->finding[i].unsettled && first->unsettled)
            first = &v->finding[i];
    if (code == STOW_ETIME) {
        stow_call_hint(a->call, "give more time (--time-limit 10m), or a plan with its proof");
        return stow_fail(err, code, "%s", first->text);
    }
    stow_call_hint(a->call, "check that inputs and options are those the plan was made with");
    stow_fail(err, code, "the plan is wrong: %s", first->text);
    err->line = first->line;
    err->col = first->col;
    memcpy(err->file, a->tape.name, sizeof(err->file));
    return code;
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;

    STOW_TRY(read_options(a, err));
    STOW_TRY(read_or_refuse(a, err));
    STOW_TRY(read_quotas(a, err));
    return verify(a, err);
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_verification_value(&w->doc, &a->verdicts);
    else
        stow_verification_report(&w->report, &a->verdicts);
    return stow_writing_end(w, root, err);
}

static void figures(const void *state, struct stow_figures *ret)
{
    const struct answer *a = state;
    const struct stow_verdicts *v = &a->verdicts;

    stow_figures_currency(ret, v->currency);
    if (!v->counts_nodes) {
        stow_figures_cost(ret, &v->cost);
        ret->bound = v->bound;
    }
    ret->gap = v->gap;
    ret->pods = v->pods;
    ret->placed = v->placed;
    ret->nodes = v->nodes;
}

static uint32_t rows(const void *state, enum stow_rows what)
{
    const struct answer *a = state;

    return what == STOW_ROWS_FINDINGS ? a->verdicts.findings : 0;
}

static void row(const void *state, enum stow_rows what, uint32_t i, union stow_row *ret)
{
    const struct answer *a = state;
    const struct stow_finding *f = &a->verdicts.finding[i];

    (void)what;
    ret->finding = (struct stow_finding_row){
        .check = stow_verification_check(f->part), .text = f->text, .line = f->line, .col = f->col};
}

static const struct stow_verb_work work = {.size = sizeof(struct answer),
                                           .ask = ask,
                                           .write = write,
                                           .conclude = conclude,
                                           .done = answer_done,
                                           .figures = figures,
                                           .rows = rows,
                                           .row = row};

extern const struct stow_verb stow_verb_verify;
const struct stow_verb stow_verb_verify = {
    .name = "verify",
    .summary = "check a plan and its proof independently of the code that made it",
    .arguments = "FILE",
    .argument = "plan",
    .description =
        "Reads a plan of `stowage scale -o json` or `stowage consolidate -o json` (or yaml, or - "
        "for "
        "standard input) and the input it was made from, and checks it from scratch: the plan "
        "contains every pending pod once; every filter accepts each pod on its node; group sizes "
        "and all limits are respected; prices and sums are exact.\n\n"
        "A plan with a bound contains its proof: prices per pod such that no set of pods that fits "
        "a node is worth more than the node costs. This is checked for every group and every "
        "existing node, in exact integers, and so are the resource prices. Give the options that "
        "the plan was made with: limits and weights are part of the proof.\n\n"
        "The steps of a consolidation are checked in order: each pod may move and is accepted by "
        "its new node, no PodDisruptionBudget is exceeded, every rule and limit holds after each "
        "step, and the saving is right.\n\n"
        "Exit status: 0 the plan is correct; 1 it is wrong, with a list of errors; 3 the plan or "
        "the input cannot be read; 4 not settled within --time-limit.",
    .options = options,
    .examples = examples,
    .work = &work,
};
