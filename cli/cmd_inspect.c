/* cmd_inspect.c - `stowage inspect`: what is in these files and what it costs. */
#include <inttypes.h>
#include <string.h>

#include "cli/cluster.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "explain/breakdown.h"
#include "explain/inspection.h"
#include "explain/words.h"

#define WORST 10                  /* nodes shown in a plain table */
#define ONE   INT64_C(1000000000) /* the whole, of shares */

/* What the bill can be divided by. */
static const char *const breakdowns[STOW_BY_COUNT + 1] = {
    [STOW_BY_NAMESPACE] = "namespace", [STOW_BY_OWNER] = "owner", [STOW_BY_LABEL] = "label=",
    [STOW_BY_GROUP] = "group",         [STOW_BY_ZONE] = "zone",
};

static const struct stow_cli_option options[] = {
    STOW_CLI_CLUSTER,
    STOW_CLI_CHOICE("pods"),
    {.name = "by",
     .argument = "KEY",
     .offers = breakdowns,
     .help = "divide the bill by this; by a label with its key, label=KEY"},
    {.name = "idle",
     .argument = "HOW",
     .choices = "share|separate",
     .fallback = "share",
     .help = "with --by, what nobody has requested and what nodes keep for the system: a share of "
             "each row, or apart"},
    {.name = "fail-over",
     .argument = "MONEY",
     .help = "exit with status 1 when the bill per hour is, or may be, above this"},
    {.name = "fail-waste",
     .argument = "SHARE",
     .help = "exit with status 1 when waste is, or may be, more than this of the bill (0.4, 40%)"},
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage inspect -f examples/shop", "the bill of the example"},
    {"kubectl get nodes,pods -A -o json | stowage inspect -f -", "the bill of a running cluster"},
    {"stowage inspect -f cluster.yaml -o csv > nodes.csv", "every node with its price and waste"},
    {"stowage inspect -f cluster.yaml --by owner", "what each Deployment, StatefulSet, ... costs"},
    {"stowage inspect -f cluster.yaml --by label=team -o html > bill.html",
     "a page to send: the bill by team"},
    {"stowage inspect -f cluster.yaml --fail-over 25 --fail-waste 40%",
     "fail a pipeline when the cluster costs or wastes too much"},
    {0},
};

/* What the answer is made of, freed together. */
struct inspection {
    struct stow_cli *cli;
    struct stow_cli_cluster cluster;
    struct stow_bill bill;
    struct stow_breakdown_options by;
    bool divided; /* --by is given */
    struct stow_breakdown breakdown;
    int64_t over, waste; /* limits; -1: none */
    struct stow_doc doc;
    struct stow_report report;
};

static void inspection_done(struct inspection *in)
{
    stow_doc_done(&in->doc);
    stow_report_done(&in->report);
    stow_breakdown_done(&in->breakdown);
    stow_bill_done(&in->bill);
    stow_cli_cluster_done(&in->cluster);
}

/* ---- options ----------------------------------------------------------------------------- */

static int read_by(struct inspection *in, struct stow_err *err)
{
    const char *given = stow_cli_value(in->cli, "by");
    struct stow_str label, word;

    in->divided = given != NULL;
    in->by.separate = strcmp(stow_cli_value(in->cli, "idle"), "separate") == 0;
    if (!given && stow_cli_given(in->cli, "idle"))
        return stow_fail(err, STOW_EINVAL, "--idle needs --by");
    if (!given)
        return STOW_OK;
    for (int i = 0; i < STOW_BY_COUNT; i++)
        if (i != STOW_BY_LABEL && strcmp(given, breakdowns[i]) == 0) {
            in->by.by = (enum stow_breakdown_by)i;
            return STOW_OK;
        }
    word = stow_str_cut(stow_str_of(given), '=', &label);
    in->by.by = STOW_BY_LABEL;
    in->by.label = label;
    if (!stow_str_is(word, "label") || label.len == 0)
        return stow_fail(err, STOW_EINVAL,
                         "--by takes namespace, owner, label=KEY, group or zone, not '%s'", given);
    return STOW_OK;
}

static int read_options(struct inspection *in, struct stow_err *err)
{
    in->over = in->waste = -1;
    STOW_TRY(read_by(in, err));
    STOW_TRY(stow_cli_money(in->cli, "fail-over", &in->over, err));
    return stow_cli_share(in->cli, "fail-waste", &in->waste, err);
}

/* ---- limits ------------------------------------------------------------------------------ */

static void check_over(const struct inspection *in, struct stow_buf *why)
{
    const struct stow_money_sum *price = &in->bill.total.price;
    char amount[STOW_MONEY_TEXT];

    if (in->over < 0 || (price->amount <= in->over && stow_money_sum_is_exact(price)))
        return;
    stow_buf_text(why, "the bill is ");
    if (stow_money_sum_is_unknown(price))
        stow_buf_text(why, "unknown");
    else
        stow_buf_printf(why, "%s%s %.*s per hour",
                        stow_money_sum_is_exact(price) ? "" : STOW_AT_LEAST,
                        stow_money_short(price->amount, amount), STOW_FMT(in->bill.currency));
    if (price->amount > in->over) {
        stow_buf_text(why, ", above");
    } else {
        stow_buf_text(why, "; ");
        stow_buf_unbilled(why, &in->bill);
        stow_buf_text(why, ", so it may be above");
    }
    stow_buf_printf(why, " --fail-over %s", stow_cli_value(in->cli, "fail-over"));
}

/* Whether the share of waste may be above the limit: a part that is above it makes the whole so
 * when it is expensive enough, and of a price that cannot be divided all may be waste. */
static bool may_waste(const struct inspection *in)
{
    const stow_i128 waste = (stow_i128)in->bill.total.waste.amount + in->bill.ungauged;
    const stow_i128 price = (stow_i128)in->bill.total.gauged + in->bill.ungauged;

    return in->bill.waste_share > in->waste || waste * ONE > price * in->waste;
}

static void check_waste(const struct inspection *in, struct stow_buf *why)
{
    const struct stow_money_sum *waste = &in->bill.total.waste;
    const struct stow_money_sum *price = &in->bill.total.price;
    const stow_nano whole = price->amount;
    const stow_nano share =
        whole > 0 ? (stow_nano)((stow_i128)waste->amount * ONE / whole) : 0; /* in 10^-9 */
    const bool above = (stow_i128)waste->amount * ONE > (stow_i128)in->waste * whole;
    char amount[STOW_MONEY_TEXT];

    if (in->waste < 0 || in->waste >= ONE || (!above && !may_waste(in)))
        return;
    stow_buf_printf(why, "%swaste is ", why->len ? "; " : "");
    if (stow_money_sum_is_unknown(waste))
        stow_buf_text(why, "unknown");
    else
        stow_buf_printf(why, "%s%s of %s", stow_sum_hides_waste(&in->bill.total) ? "at least " : "",
                        stow_money_short(share, amount),
                        stow_money_sum_is_exact(price) ? "the bill" : "what priced nodes cost");
    if (above)
        stow_buf_text(why, ", above");
    else
        stow_buf_printf(why, "; the waste of %" PRId64 " node%s is not known, so it may be above",
                        waste->unknown, stow_plural((uint32_t)waste->unknown));
    stow_buf_printf(why, " --fail-waste %s", stow_cli_value(in->cli, "fail-waste"));
}

/* What is not known fails, too: a pipeline that passes must have been within the limits. */
static int check_limits(struct inspection *in, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};

    check_over(in, &why);
    check_waste(in, &why);
    if (why.failed)
        return stow_fail_memory(err);
    if (why.len == 0)
        return STOW_OK;
    if (in->bill.absent)
        stow_cli_hint(in->cli, "give the nodes, too: kubectl get nodes,pods -A -o json");
    else if (in->bill.total.price.unknown)
        stow_cli_hint(in->cli, "stowage inspect lists the nodes without a price, and how to give "
                               "them one");
    return stow_fail(err, STOW_EWRONG, "%.*s", STOW_FMT(stow_buf_str(&why)));
}

/* ---- the answer -------------------------------------------------------------------------- */

static void make_report(struct inspection *in)
{
    const struct stow_snapshot *s = in->cluster.snapshot;
    const bool csv = stow_cli_form(in->cli) == STOW_FORM_CSV;

    if (in->divided) {
        stow_inspection_summary(&in->report, s, &in->bill);
        stow_breakdown_report(&in->report, &in->breakdown, &in->by);
    } else if (csv) {
        stow_inspection_nodes(&in->report, s, &in->bill);
    } else {
        stow_inspection_report(&in->report, s, &in->bill, stow_cli_wants_all(in->cli) ? 0 : WORST);
    }
}

static int answer(struct inspection *in, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (!stow_cli_wants_value(in->cli)) {
        make_report(in);
        return stow_cli_answer_about(in->cli, in->cluster.snapshot, &in->doc, NULL, &in->report,
                                     err);
    }
    root = stow_inspection_value(&in->doc, in->cluster.snapshot, &in->bill);
    if (in->divided)
        stow_value_set(&in->doc, root, "breakdown",
                       stow_breakdown_value(&in->doc, &in->breakdown, &in->by));
    return stow_cli_answer(in->cli, &in->doc, root, NULL, err);
}

static int divide(struct inspection *in, struct stow_err *err)
{
    struct stow_cli_cluster *c = &in->cluster;
    const uint32_t known = c->snapshot->warnings;

    if (!in->divided)
        return STOW_OK;
    if (in->by.by == STOW_BY_LABEL)
        STOW_TRY(stow_snapshot_note_label(c->snapshot, in->by.label, err));
    stow_cli_warn_since(in->cli, c->snapshot, known);
    return stow_breakdown_make(c->snapshot, &c->pricing.books, &in->bill, &in->by, &in->breakdown,
                               err);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(inspection_done) struct inspection in = {.cli = cli};
    struct stow_cli_cluster *c = &in.cluster;

    STOW_TRY(read_options(&in, err));
    STOW_TRY(stow_cli_cluster_load(cli, NULL, c, err));
    STOW_TRY(stow_cli_cluster_choose(cli, c, err));
    STOW_TRY(stow_bill_make(c->snapshot, &c->pricing.books, &c->bill, &in.bill, err));
    STOW_TRY(divide(&in, err));
    STOW_TRY(answer(&in, err));
    return check_limits(&in, err);
}

extern const struct stow_cli_verb stow_verb_inspect;
const struct stow_cli_verb stow_verb_inspect = {
    .name = "inspect",
    .summary = "what is in these files and what it costs",
    .description =
        "Reads nodes, pods, workloads, node groups and prices, and shows what the nodes cost per "
        "hour, what pods have requested of them, and what the rest, which nobody has requested, "
        "costs.\n\n"
        "A node's price is its own or its group's, else that of its instance type, region and "
        "capacity type in the PriceBook documents, the imported price book and the built-in "
        "catalogue, in this order. A node whose price is not known is listed as such and not "
        "counted as free.\n\n"
        "Waste is the price of a node divided over its cores, GiB and devices in the ratio of "
        "what the price book says they are worth, counted as far as pods have not requested "
        "them.\n\n"
        "With --by the bill is divided as OpenCost divides it: what pods have requested is their "
        "cost; what nobody has requested (idle) and what nodes keep for the system (overhead) is "
        "spread in proportion, by resource, over those who have requested that resource; idle of a "
        "resource that no pod has requested is a row of its own. Rows add up to the bill. Where a "
        "price that is not known could change a row, the row says what it is at least.\n\n"
        "--fail-over and --fail-waste print the answer first. With prices that are not known they "
        "fail as well, unless the limit holds whatever these are.",
    .options = options,
    .examples = examples,
    .run = run,
};
