/* inspect.c - `stowage inspect`: show what a cluster costs and how much of it is wasted. */
#include <inttypes.h>
#include <string.h>

#include "api/cluster.h"
#include "api/numbers.h"
#include "api/output.h"
#include "explain/inspection/breakdown.h"
#include "explain/inspection/inspection.h"
#include "explain/words.h"

#define WORST 10                  /* nodes shown in a plain table */
#define ONE   INT64_C(1000000000) /* the whole, of shares */

/* What the bill can be divided by. */
static const char *const breakdowns[STOW_BY_COUNT + 1] = {
    [STOW_BY_NAMESPACE] = "namespace", [STOW_BY_OWNER] = "owner", [STOW_BY_LABEL] = "label=",
    [STOW_BY_GROUP] = "group",         [STOW_BY_ZONE] = "zone",
};

static const struct stow_option options[] = {
    STOW_CALL_CLUSTER,
    STOW_CALL_CHOICE("pods"),
    {.name = "by",
     .argument = "KEY",
     .offers = breakdowns,
     .help = "divide the bill by this; label=KEY divides it by a label"},
    {.name = "idle",
     .argument = "HOW",
     .choices = "share|separate",
     .fallback = "share",
     .help = "with --by, how to show capacity that no pod has requested or that nodes reserve for "
             "the system: shared over the rows, or as separate rows"},
    {.name = "fail-over",
     .argument = "MONEY",
     .help = "exit with status 1 when the bill per hour is, or may be, above this"},
    {.name = "fail-waste",
     .argument = "SHARE",
     .help = "exit with status 1 when waste is, or may be, more than this share of the bill (0.4, "
             "40%)"},
    {0},
};

static const struct stow_example examples[] = {
    {"stowage inspect -f examples/shop", "the bill of the example"},
    {"kubectl get nodes,pods -A -o json | stowage inspect -f -", "the bill of a running cluster"},
    {"stowage inspect -f cluster.yaml -o csv > nodes.csv", "every node with its price and waste"},
    {"stowage inspect -f cluster.yaml --by owner", "what each Deployment, StatefulSet, ... costs"},
    {"stowage inspect -f cluster.yaml --by label=team -o html > bill.html",
     "a page to share: the bill by team"},
    {"stowage inspect -f cluster.yaml --fail-over 25 --fail-waste 40%",
     "fail a pipeline when the cluster costs or wastes too much"},
    {0},
};

/* What the answer is made of, freed together. */
struct inspection {
    struct stow_call *call;
    struct stow_call_cluster cluster;
    struct stow_bill bill;
    struct stow_breakdown_options by;
    bool divided; /* --by is given */
    struct stow_breakdown breakdown;
    int64_t over, waste; /* limits; -1: none */
};

static void inspection_done(void *state)
{
    struct inspection *in = state;

    stow_breakdown_done(&in->breakdown);
    stow_bill_done(&in->bill);
    stow_call_cluster_done(&in->cluster);
}

/* ---- options ----------------------------------------------------------------------------- */

static int read_by(struct inspection *in, struct stow_err *err)
{
    const char *given = stow_call_value(in->call, "by");
    struct stow_str label, word;

    in->divided = given != NULL;
    in->by.separate = strcmp(stow_call_value(in->call, "idle"), "separate") == 0;
    if (!given && stow_call_given(in->call, "idle"))
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
    STOW_TRY(stow_call_money(in->call, "fail-over", &in->over, err));
    return stow_call_share(in->call, "fail-waste", &in->waste, err);
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
    stow_buf_printf(why, " --fail-over %s", stow_call_value(in->call, "fail-over"));
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
    stow_buf_printf(why, " --fail-waste %s", stow_call_value(in->call, "fail-waste"));
}

/* What is not known fails, too: a pipeline that passes must have been within the limits. */
static int check_limits(void *state, struct stow_err *err)
{
    const struct inspection *in = state;
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};

    check_over(in, &why);
    check_waste(in, &why);
    if (why.failed)
        return stow_fail_memory(err);
    if (why.len == 0)
        return STOW_OK;
    if (in->bill.absent)
        stow_call_hint(in->call, "add the nodes: kubectl get nodes,pods -A -o json");
    else if (in->bill.total.price.unknown)
        stow_call_hint(in->call, "stowage inspect lists the nodes without a price, and how to give "
                                 "them one");
    return stow_fail(err, STOW_EWRONG, "%.*s", STOW_FMT(stow_buf_str(&why)));
}

/* ---- the answer -------------------------------------------------------------------------- */

static void make_report(const struct inspection *in, struct stow_writing *w)
{
    const struct stow_snapshot *s = in->cluster.snapshot;

    if (in->divided) {
        stow_inspection_summary(&w->report, s, &in->bill);
        stow_breakdown_report(&w->report, &in->breakdown, &in->by);
    } else if (w->form == STOW_FORM_CSV) {
        stow_inspection_nodes(&w->report, s, &in->bill);
    } else {
        stow_inspection_report(&w->report, s, &in->bill, stow_writing_wants_all(w) ? 0 : WORST);
    }
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct inspection *in = state;
    struct stow_value *root = NULL;

    if (!stow_writing_wants_value(w)) {
        make_report(in, w);
        return stow_writing_end_about(w, in->cluster.snapshot, NULL, err);
    }
    root = stow_inspection_value(&w->doc, in->cluster.snapshot, &in->bill);
    if (in->divided)
        stow_value_set(&w->doc, root, "breakdown",
                       stow_breakdown_value(&w->doc, &in->breakdown, &in->by));
    return stow_writing_end(w, root, err);
}

static int divide(struct inspection *in, struct stow_err *err)
{
    struct stow_call_cluster *c = &in->cluster;
    const uint32_t known = c->snapshot->warnings;

    if (!in->divided)
        return STOW_OK;
    if (in->by.by == STOW_BY_LABEL)
        STOW_TRY(stow_snapshot_note_label(c->snapshot, in->by.label, err));
    stow_call_warn_since(in->call, c->snapshot, known);
    return stow_breakdown_make(c->snapshot, &c->pricing.books, &in->bill, &in->by, &in->breakdown,
                               err);
}

static int ask(void *state, struct stow_err *err)
{
    struct inspection *in = state;
    struct stow_call_cluster *c = &in->cluster;

    STOW_TRY(read_options(in, err));
    STOW_TRY(stow_call_cluster_load(in->call, NULL, c, err));
    STOW_TRY(stow_call_cluster_choose(in->call, c, err));
    STOW_TRY(stow_bill_make(c->snapshot, &c->pricing.books, &c->bill, &in->bill, err));
    return divide(in, err);
}

static void figures(const void *state, struct stow_figures *ret)
{
    const struct inspection *in = state;

    stow_figures_currency(ret, in->bill.currency);
    stow_figures_cost(ret, &in->bill.total.price);
    ret->nodes = in->cluster.snapshot->nodes;
    ret->pods = ret->placed = in->bill.total.pods;
}

static uint32_t rows(const void *state, enum stow_rows what)
{
    const struct inspection *in = state;

    return what == STOW_ROWS_NODES ? in->cluster.snapshot->nodes : 0;
}

static void row(const void *state, enum stow_rows what, uint32_t i, union stow_row *ret)
{
    const struct inspection *in = state;
    const struct stow_snapshot *s = in->cluster.snapshot;

    (void)what;
    ret->node.name = s->node[i].name;
    if (s->node[i].group != STOW_NONE)
        ret->node.group = s->group[s->node[i].group].name;
    ret->node.price = in->bill.node[i].price;
    ret->node.pods = stow_asked_pods(s, i);
}

static const struct stow_verb_work work = {.size = sizeof(struct inspection),
                                           .figures = figures,
                                           .rows = rows,
                                           .row = row,
                                           .ask = ask,
                                           .write = write,
                                           .conclude = check_limits,
                                           .done = inspection_done};

extern const struct stow_verb stow_verb_inspect;
const struct stow_verb stow_verb_inspect = {
    .name = "inspect",
    .summary = "show what a cluster costs and how much of it is wasted",
    .description =
        "Reads nodes, pods, workloads, node groups and prices, and shows what the nodes cost per "
        "hour, how much of them pods have requested, and what the rest costs.\n\n"
        "The price of a node is its own or that of its group, otherwise that of its instance type, "
        "region and capacity type in the PriceBook objects, the imported price book and the "
        "built-in catalogue, in this order. If none of them has a price, the capacity of the node "
        "is multiplied by imported OpenCost rates. A node whose price is unknown is listed as "
        "such; it does not count as free.\n\n"
        "A PriceBook can also state discounts and commitments. Discounts are percentages off list "
        "prices: imported prices, the catalogue and OpenCost rates. Prices that a PriceBook, a "
        "NodeGroup or a row for a single node states are not discounted. A commitment is a fee for "
        "a number of nodes of one type and region, owed even if no node uses it.\n\n"
        "To find waste, the price of a node is divided over its cores, GiB and devices in the "
        "ratio of their rates in the price book. The part that no pod has requested is waste.\n\n"
        "With --by the bill is divided as OpenCost divides it: what pods have requested is their "
        "cost; what no pod has requested (idle) and what nodes reserve for the system (overhead) "
        "is spread in proportion, by resource, over the pods that have requested that resource; "
        "idle capacity of a resource that no pod has requested is a row of its own. Rows add up to "
        "the bill. Where an unknown price could change a row, the row shows a minimum.\n\n"
        "--fail-over and --fail-waste print the answer first. They also fail when prices are "
        "unknown, unless the limit holds for any such price.",
    .options = options,
    .examples = examples,
    .work = &work,
};
