/* cmd_verify.c - `stowage verify`: does a plan hold, and is its bound proved? */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "cli/cluster.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "explain/words.h"
#include "price/gce.h"
#include "read/input.h"
#include "verify/verify.h"

#define KEYS_MAX 256 /* annotations that a policy and the price model read */

static const struct stow_cli_option options[] = {
    STOW_CLI_CLUSTER,
    STOW_CLI_CHOICE("pods"),
    {.name = "max-nodes-total",
     .argument = "N",
     .help = "the plan was made with this limit to existing and new nodes; 0: no limit"},
    {.name = "quota",
     .argument = "RESOURCE=AMOUNT",
     .repeats = true,
     .help = "... with this limit to the capacity of existing and new nodes; also nodes=N"},
    {.name = "budget", .argument = "MONEY", .help = "... with this limit to what new nodes cost"},
    {.name = "priority-price",
     .argument = "MONEY",
     .help = "... with this price per hour of a step down the priorities of groups"},
    {.name = "risk", .help = "... with spot nodes weighed by their interruptions"},
    {.name = "hours-lost",
     .argument = "HOURS",
     .fallback = "0.5",
     .help = "with --risk, the work that is lost at each interruption"},
    {.name = "max-spot-share",
     .argument = "FRACTION",
     .help = "... with at most this fraction of a workload's pods on spot nodes"},
    {.name = "min-durable",
     .argument = "N",
     .help = "... with at least so many of a workload's pods, or all, on other nodes"},
    {.name = "minimise",
     .argument = "WHAT",
     .choices = "cost|nodes",
     .help = "... a consolidation, of the cost or of the number of nodes; else as it says itself"},
    {.name = "min-saving",
     .argument = "MONEY",
     .fallback = "0",
     .help = "... a consolidation, leaving out steps that save less than this per hour"},
    {.name = "disruption-price",
     .argument = "MONEY",
     .fallback = "0",
     .help = "... a consolidation, with this price per hour of the move of a pod"},
    {.name = "max-surge",
     .argument = "AMOUNT",
     .help =
         "... a consolidation, with at most this above what there was at any time: nodes (3), a "
         "share of them (10%), or cost (4.50/h); else as it says itself"},
    {.name = "max-moves-per-step",
     .argument = "PODS",
     .help = "... a consolidation, with at most this many pods moved by one step, or this share "
             "(10%); else as it says itself"},
    {.name = "max-moves",
     .argument = "PODS",
     .help = "... a consolidation, with at most this many pods moved by all steps together, or "
             "this share (10%); else as it says itself"},
    {.name = "price-model",
     .argument = "NAME",
     .choices = "book|gce",
     .fallback = "book",
     .help = "prices of groups that state none: the price book, or the autoscaler's GCE model"},
    {.name = "policy", .argument = "FILE", .help = "filters of the Policy in this file"},
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help = "with --policy, the Policy of that name; else the filters of a shipped profile"},
    STOW_CLI_STRICT,
    {.name = "time-limit",
     .argument = "TIME",
     .fallback = "60s",
     .help = "leave open what is not settled by then: 500ms, 10s, 2m"},
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage scale -f examples/shop -o json > plan.json", "a plan with its proof, and then"},
    {"stowage verify plan.json -f examples/shop", "a second opinion about it"},
    {"stowage consolidate -f examples/shop -o json | stowage verify - -f examples/shop",
     "every step of a consolidation, one after the other"},
    {0},
};

/* What the answer is made of, freed together. */
struct answer {
    struct stow_cli *cli;
    struct stow_cli_cluster cluster;
    struct stow_profiles profiles;
    struct stow_verify_options options;
    struct stow_verify_quota *quota;
    struct stow_input input;
    struct stow_tape tape;
    struct stow_verdicts verdicts;
    struct stow_doc doc;
    struct stow_report report;
};

static void answer_done(struct answer *a)
{
    stow_doc_done(&a->doc);
    stow_report_done(&a->report);
    stow_verdicts_done(&a->verdicts);
    stow_tape_done(&a->tape);
    stow_input_done(&a->input);
    free(a->quota);
    stow_profiles_done(&a->profiles);
    stow_cli_cluster_done(&a->cluster);
}

/* ---- options ----------------------------------------------------------------------------- */

static int read_number(const struct stow_cli *cli, const char *option, uint32_t *ret,
                       struct stow_err *err)
{
    const char *text = stow_cli_value(cli, option);
    int64_t number = 0;

    if (text && (!stow_str_int(stow_str_of(text), &number) || number < 0 || number >= UINT32_MAX))
        return stow_fail(err, STOW_EINVAL, "--%s takes a whole number from 0 on, not '%s'", option,
                         text);
    *ret = (uint32_t)number;
    return STOW_OK;
}

/* A decimal number in 10^-9; STOW_MONEY_UNKNOWN: not given. */
static int read_decimal(const struct stow_cli *cli, const char *option, stow_nano *ret,
                        struct stow_err *err)
{
    const char *text = stow_cli_value(cli, option);

    *ret = STOW_MONEY_UNKNOWN;
    if (!text || stow_money_parse(stow_str_of(text), ret, NULL) >= 0)
        return STOW_OK;
    return stow_fail(err, STOW_EINVAL, "--%s takes a decimal number such as 0.5, not '%s'", option,
                     text);
}

static int read_seconds(const struct stow_cli *cli, double *ret, struct stow_err *err)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"", 1}};
    const char *text = stow_cli_value(cli, "time-limit");
    const size_t digits = strspn(text, "0123456789.");
    stow_nano number;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(text + digits, units[i].name) == 0 &&
            stow_money_parse((struct stow_str){text, digits}, &number, NULL) >= 0) {
            *ret = (double)number / STOW_NANO_PER_UNIT * units[i].seconds;
            return STOW_OK;
        }
    return stow_fail(err, STOW_EINVAL,
                     "--time-limit takes a time such as 500ms, 10s or 2m, not '%s'", text);
}

static enum stow_verify_minimise minimise_of(const char *text)
{
    if (!text)
        return STOW_VERIFY_AS_TOLD;
    return strcmp(text, "nodes") == 0 ? STOW_VERIFY_FEWEST_NODES : STOW_VERIFY_LEAST_COST;
}

static int read_of_consolidations(const struct stow_cli *cli, struct stow_verify_options *ret,
                                  struct stow_err *err)
{
    STOW_TRY(read_decimal(cli, "min-saving", &ret->min_saving, err));
    STOW_TRY(read_decimal(cli, "disruption-price", &ret->disruption_price, err));
    STOW_TRY(stow_cli_allowance(cli, "max-surge", "nodes", true, &ret->surge, err));
    STOW_TRY(stow_cli_allowance(cli, "max-moves-per-step", "pods", false, &ret->moves, err));
    return stow_cli_allowance(cli, "max-moves", "pods", false, &ret->moves_all, err);
}

static int read_options(struct answer *a, struct stow_err *err)
{
    const struct stow_cli *cli = a->cli;
    struct stow_verify_options *o = &a->options;
    stow_nano hours;

    STOW_TRY(read_number(cli, "max-nodes-total", &o->max_nodes_total, err));
    STOW_TRY(read_number(cli, "min-durable", &o->min_durable, err));
    STOW_TRY(read_decimal(cli, "budget", &o->budget, err));
    STOW_TRY(read_decimal(cli, "priority-price", &o->priority_price, err));
    STOW_TRY(read_decimal(cli, "max-spot-share", &o->max_spot_share, err));
    STOW_TRY(read_decimal(cli, "hours-lost", &hours, err));
    STOW_TRY(read_of_consolidations(cli, o, err));
    o->hours_lost = hours;
    o->risk = stow_cli_given(cli, "risk");
    o->minimise = minimise_of(stow_cli_value(cli, "minimise"));
    o->gce_prices = strcmp(stow_cli_value(cli, "price-model"), "gce") == 0;
    return read_seconds(cli, &o->seconds, err);
}

static int read_quota(const struct answer *a, const char *text, struct stow_verify_quota *ret,
                      struct stow_err *err)
{
    STOW_TRY(stow_cli_quota(text, &ret->name, &ret->amount, err));
    ret->resource = STOW_NONE;
    if (!stow_str_is(ret->name, "nodes"))
        ret->resource = stow_intern_find(&a->cluster.snapshot->text, ret->name);
    return STOW_OK;
}

static int read_quotas(struct answer *a, struct stow_err *err)
{
    const char *const *texts;
    const uint32_t count = stow_cli_values(a->cli, "quota", &texts);

    a->quota = calloc((size_t)count + 1, sizeof(*a->quota));
    if (!a->quota)
        return stow_fail_memory(err);
    a->options.quota = a->quota;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_verify_quota *quota = &a->quota[a->options.quotas];

        STOW_TRY(read_quota(a, texts[i], quota, err));
        /* a resource that nobody has limits nothing, and has no symbol */
        if (quota->resource != STOW_NONE || stow_str_is(quota->name, "nodes"))
            a->options.quotas++;
    }
    return STOW_OK;
}

/* ---- input ------------------------------------------------------------------------------- */

/* With the annotations kept that the policy and the price model read. */
static int load(struct answer *a, struct stow_err *err)
{
    struct stow_load_options keep = {.annotation_count = STOW_GCE_ANNOTATIONS};
    const char *keys[KEYS_MAX];

    for (uint32_t i = 0; i < STOW_GCE_ANNOTATIONS; i++)
        keys[i] = stow_gce_annotations[i];
    for (uint32_t i = 0; i < a->profiles.count && keep.annotation_count <= KEYS_MAX; i++)
        keep.annotation_count +=
            stow_profile_annotations(&a->profiles.profile[i], keys + keep.annotation_count,
                                     KEYS_MAX - keep.annotation_count);
    if (keep.annotation_count > KEYS_MAX)
        return stow_fail(err, STOW_ELIMIT, "the policy names more than %d keys",
                         KEYS_MAX - STOW_GCE_ANNOTATIONS);
    keep.annotations = keys;
    STOW_TRY(stow_cli_cluster_load(a->cli, &keep, &a->cluster, err));
    STOW_TRY(stow_cli_cluster_choose(a->cli, &a->cluster, err));
    for (uint32_t i = 0; i < a->profiles.count; i++)
        STOW_TRY(stow_profile_set_keys(&a->profiles.profile[i], a->cluster.snapshot, err));
    return stow_cli_profiles_note(&a->profiles, a->cluster.snapshot, err);
}

static int read_plan(struct answer *a, struct stow_err *err)
{
    const char *const *arguments;

    stow_cli_arguments(a->cli, &arguments);

    const char *path = arguments[0];

    STOW_TRY(stow_input_read(path, &a->input, err));
    return stow_tape_open(&a->tape, strcmp(path, "-") == 0 ? "standard input" : path, a->input.text,
                          a->input.len, err);
}

static int read_inputs(struct answer *a, struct stow_err *err)
{
    const char *path = stow_cli_value(a->cli, "policy"), *name = stow_cli_value(a->cli, "profile");

    STOW_TRY(stow_cli_profiles_open(a->cli, path, name, &a->profiles, err));
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
    stow_cli_hint(a->cli, "check that the path exists and that you may read it");
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

static const char *const part_names[STOW_VERIFY_PARTS] = {
    [STOW_VERIFY_PODS] = "pods",           [STOW_VERIFY_FILTERS] = "filters",
    [STOW_VERIFY_LIMITS] = "limits",       [STOW_VERIFY_COST] = "cost",
    [STOW_VERIFY_LEFT_OUT] = "left out",   [STOW_VERIFY_BOUND] = "bound",
    [STOW_VERIFY_RESOURCES] = "resources",
};

static const char *const state_names[] = {
    [STOW_VERIFY_NOTHING] = "nothing claimed",
    [STOW_VERIFY_HOLDS] = "holds",
    [STOW_VERIFY_UNSETTLED] = "not settled",
    [STOW_VERIFY_WRONG] = "wrong",
};

static const char *outcome(const struct stow_verdicts *v)
{
    const int code = stow_verdicts_code(v);

    return code == STOW_OK ? "holds" : code == STOW_ETIME ? "not settled" : "wrong";
}

static enum stow_role role_of(enum stow_verify_state state)
{
    static const enum stow_role roles[] = {
        [STOW_VERIFY_NOTHING] = STOW_ROLE_DIM,
        [STOW_VERIFY_HOLDS] = STOW_ROLE_GOOD,
        [STOW_VERIFY_UNSETTLED] = STOW_ROLE_WARN,
        [STOW_VERIFY_WRONG] = STOW_ROLE_BAD,
    };

    return roles[state];
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *checks_value(struct stow_doc *doc, const struct stow_verdicts *v)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < STOW_VERIFY_PARTS; i++) {
        struct stow_value *one = stow_doc_object(doc);

        if (v->state[i] == STOW_VERIFY_NOTHING)
            continue;
        stow_value_set(doc, one, "check", stow_doc_text(doc, part_names[i]));
        stow_value_set(doc, one, "result", stow_doc_text(doc, state_names[v->state[i]]));
        stow_value_push(doc, list, one);
    }
    return list;
}

static struct stow_value *findings_value(struct stow_doc *doc, const struct stow_verdicts *v)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < v->findings; i++) {
        const struct stow_finding *f = &v->finding[i];
        struct stow_value *one = stow_doc_object(doc);

        stow_value_set(doc, one, "check", stow_doc_text(doc, part_names[f->part]));
        if (f->line)
            stow_value_set(doc, one, "line", stow_doc_int(doc, f->line));
        if (f->line)
            stow_value_set(doc, one, "column", stow_doc_int(doc, f->col));
        stow_value_set(doc, one, "finding", stow_doc_text(doc, f->text));
        stow_value_push(doc, list, one);
    }
    return list;
}

static struct stow_value *amount_value(struct stow_doc *doc, const struct stow_verdicts *v,
                                       stow_nano amount)
{
    struct stow_value *one = stow_doc_object(doc);

    if (v->counts_nodes)
        stow_value_set(doc, one, "nodes", stow_doc_int(doc, amount / STOW_NANO_PER_UNIT));
    else
        stow_value_set(doc, one, "perHour", stow_doc_money(doc, amount));
    return one;
}

static void set_money(struct stow_doc *doc, struct stow_value *to, const struct stow_verdicts *v,
                      const char *key, stow_nano amount)
{
    if (amount != STOW_MONEY_UNKNOWN)
        stow_value_set(doc, to, key, amount_value(doc, v, amount));
}

static void set_cost(struct stow_doc *doc, struct stow_value *to, const struct stow_verdicts *v,
                     const char *key, const struct stow_money_sum *sum)
{
    struct stow_value *one = stow_doc_object(doc);

    if (v->counts_nodes)
        one = amount_value(doc, v, sum->amount);
    else
        stow_value_set_sum(doc, one, "perHour", sum);
    stow_value_set(doc, to, key, one);
}

static bool is_consolidation(const struct stow_verdicts *v)
{
    return strcmp(v->kind, "Consolidation") == 0;
}

static struct stow_value *verdicts_value(struct stow_doc *doc, const struct stow_verdicts *v)
{
    struct stow_value *root = stow_doc_object(doc);

    stow_value_set(doc, root, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, root, "kind", stow_doc_text(doc, "Verification"));
    stow_value_set(doc, root, "result", stow_doc_text(doc, outcome(v)));
    stow_value_set(doc, root, "checks", checks_value(doc, v));
    stow_value_set(doc, root, "findings", findings_value(doc, v));
    if (is_consolidation(v))
        set_cost(doc, root, v, "before", &v->before);
    set_cost(doc, root, v, v->counts_nodes ? "after" : "cost", &v->cost);
    set_money(doc, root, v, "weighed", v->weighed);
    set_money(doc, root, v, "bound", v->bound);
    set_money(doc, root, v, "proved", v->proved);
    set_money(doc, root, v, "resourcesBound", v->resources_bound);
    if (v->priced_only)
        stow_value_set(doc, root, "for", stow_doc_text(doc, "priced-groups"));
    if (v->gap >= 0)
        stow_value_set(doc, root, "gap", stow_doc_real(doc, v->gap));
    return root;
}

/* ---- for people -------------------------------------------------------------------------- */

static void add_checks(struct stow_report *report, const struct stow_verdicts *v)
{
    static const struct stow_column columns[] = {
        {.title = "CHECK", .csv_name = "check"},
        {.title = "RESULT", .csv_name = "result"},
        {.title = "WHAT", .csv_name = "what", .squeeze = STOW_SQUEEZE_WRAP},
        {0},
    };
    struct stow_table *table = stow_report_table(report, NULL, columns);

    for (uint32_t i = 0; i < STOW_VERIFY_PARTS; i++) {
        if (v->state[i] == STOW_VERIFY_NOTHING)
            continue;
        stow_table_row(table);
        stow_table_text(table, part_names[i]);
        stow_table_text(table, state_names[v->state[i]]);
        stow_table_role(table, role_of(v->state[i]));
        stow_table_text(table, v->state[i] == STOW_VERIFY_HOLDS ? v->said[i] : "");
    }
}

static void add_findings(struct stow_report *report, const struct stow_verdicts *v)
{
    static const struct stow_column columns[] = {
        {.title = "CHECK", .csv_name = "check"},
        {.title = "AT", .csv_name = "at", .squeeze = STOW_SQUEEZE_MIDDLE},
        {.title = "FINDING", .csv_name = "finding", .squeeze = STOW_SQUEEZE_WRAP},
        {0},
    };

    if (!v->findings)
        return;

    struct stow_table *table = stow_report_table(report, "Findings", columns);

    for (uint32_t i = 0; i < v->findings; i++) {
        const struct stow_finding *f = &v->finding[i];

        stow_table_row(table);
        stow_table_text(table, part_names[f->part]);
        if (f->line)
            stow_table_printf(table, "%u:%u", f->line, f->col);
        else
            stow_table_text(table, "");
        stow_table_text(table, f->text);
    }
    if (v->more)
        stow_report_line(report, STOW_ROLE_DIM, "%u more findings are not shown", v->more);
}

static void add_consolidation(struct stow_report *report, const struct stow_verdicts *v)
{
    char cost[STOW_SUM_TEXT], before[STOW_SUM_TEXT];
    const char *bound = v->bound == STOW_MONEY_UNKNOWN
                            ? ""
                            : " Its bound comes without a proof: that was not checked.";

    if (v->counts_nodes)
        stow_report_line(report, STOW_ROLE_PLAIN, "%lld node%s left of %lld.%s",
                         (long long)(v->cost.amount / STOW_NANO_PER_UNIT),
                         v->cost.amount == STOW_NANO_PER_UNIT ? " is" : "s are",
                         (long long)(v->before.amount / STOW_NANO_PER_UNIT), bound);
    else if (stow_money_sum_is_unknown(&v->cost))
        stow_report_line(report, STOW_ROLE_PLAIN, "What the nodes cost is unknown.%s", bound);
    else
        stow_report_line(report, STOW_ROLE_PLAIN, "The nodes cost %s %.*s per hour, %s before.%s",
                         stow_sum_text(&v->cost, cost), STOW_FMT(v->currency),
                         stow_sum_text(&v->before, before), bound);
}

static void add_figures(struct stow_report *report, const struct stow_verdicts *v)
{
    char cost[STOW_SUM_TEXT], bound[STOW_MONEY_TEXT], gap[48];
    const bool weighed = v->weighed != STOW_MONEY_UNKNOWN;

    if (is_consolidation(v)) {
        add_consolidation(report, v);
        return;
    }
    if (stow_money_sum_is_unknown(&v->cost)) {
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "What the plan costs is unknown, and it claims no bound.");
        return;
    }
    if (v->bound == STOW_MONEY_UNKNOWN) {
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "The plan costs %s %.*s per hour and claims no bound.",
                         stow_sum_text(&v->cost, cost), STOW_FMT(v->currency));
        return;
    }
    if (v->priced_only) {
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "The plan %s %s %.*s per hour; bound %s among the groups with a known "
                         "price. Others could be cheaper.",
                         weighed ? "weighs" : "costs",
                         stow_money_short(weighed ? v->weighed : v->cost.amount, cost),
                         STOW_FMT(v->currency), stow_money_short(v->bound, bound));
        return;
    }
    if (v->gap < 0)
        snprintf(gap, sizeof(gap), "unknown");
    else
        snprintf(gap, sizeof(gap), "%.4f%%", v->gap * 100);
    stow_report_line(report, STOW_ROLE_PLAIN, "The plan %s %s %.*s per hour; bound %s, gap %s.",
                     weighed ? "weighs" : "costs",
                     stow_money_short(weighed ? v->weighed : v->cost.amount, cost),
                     STOW_FMT(v->currency), stow_money_short(v->bound, bound), gap);
}

static void make_report(struct stow_report *report, const struct stow_verdicts *v)
{
    const int code = stow_verdicts_code(v);

    add_checks(report, v);
    add_findings(report, v);
    if (code == STOW_OK)
        add_figures(report, v);
    stow_report_line(report,
                     code == STOW_OK      ? STOW_ROLE_GOOD
                     : code == STOW_ETIME ? STOW_ROLE_WARN
                                          : STOW_ROLE_BAD,
                     code == STOW_OK      ? "The plan holds."
                     : code == STOW_ETIME ? "Not settled: nothing is wrong so far."
                                          : "The plan does not hold.");
}

/* What the exit status stands for, as an error. */
static int conclude(struct answer *a, struct stow_err *err)
{
    const struct stow_verdicts *v = &a->verdicts;
    const int code = stow_verdicts_code(v);
    const struct stow_finding *first = v->finding;

    if (code == STOW_OK)
        return STOW_OK;
    for (uint32_t i = 0; i < v->findings; i++)
        if (!v->finding[i].unsettled && first->unsettled)
            first = &v->finding[i];
    if (code == STOW_ETIME) {
        stow_cli_hint(a->cli, "give it more time (--time-limit 10m), or the plan with its proof");
        return stow_fail(err, code, "%s", first->text);
    }
    stow_cli_hint(a->cli, "check that inputs and options are those the plan was made with");
    stow_fail(err, code, "the plan does not hold: %s", first->text);
    err->line = first->line;
    err->col = first->col;
    memcpy(err->file, a->tape.name, sizeof(err->file));
    return code;
}

static void free_answer(struct answer **a)
{
    if (*a)
        answer_done(*a);
    free(*a);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(free_answer) struct answer *a = calloc(1, sizeof(*a));
    struct stow_value *root = NULL;

    if (!a)
        return stow_fail_memory(err);
    a->cli = cli;
    STOW_TRY(read_options(a, err));
    STOW_TRY(read_or_refuse(a, err));
    STOW_TRY(read_quotas(a, err));
    STOW_TRY(verify(a, err));
    if (stow_cli_wants_value(cli))
        root = verdicts_value(&a->doc, &a->verdicts);
    else
        make_report(&a->report, &a->verdicts);
    STOW_TRY(stow_cli_answer(cli, &a->doc, root, &a->report, err));
    return conclude(a, err);
}

extern const struct stow_cli_verb stow_verb_verify;
const struct stow_cli_verb stow_verb_verify = {
    .name = "verify",
    .summary = "checks a plan and its proof, with none of the code that made it",
    .arguments = "FILE",
    .description =
        "Reads a plan of `stowage scale -o json` or `stowage consolidate -o json` (or yaml, or - "
        "for "
        "standard input) and the input it was made from, and checks it again from the beginning: "
        "every pending pod is in it once; "
        "every filter lets each pod be where it is; sizes of groups and all limits are kept; "
        "prices "
        "and sums are right to the nano-unit.\n\n"
        "A plan with a bound carries its proof: prices per pod such that nothing which one node "
        "can "
        "hold is worth more than the node costs. That is checked for every group and every "
        "existing "
        "node, in whole numbers, and so are the resource prices. Give the options that the plan "
        "was "
        "made with: limits and weights are part of what is proved.\n\n"
        "The steps of a consolidation are taken one after the other: each pod may move and may go "
        "where it goes, no PodDisruptionBudget loses more than it allows at once, every rule and "
        "limit holds after each step, and it saves what it says.\n\n"
        "Exit status: 0 it holds; 1 it is wrong, with what and where; 3 the plan or the input "
        "cannot "
        "be read; 4 not settled within --time-limit.",
    .options = options,
    .examples = examples,
    .run = run,
};
