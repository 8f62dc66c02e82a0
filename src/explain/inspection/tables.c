/* tables.c - an inspection for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "explain/inspection/inspection.h"
#include "explain/inspection/inspection_internal.h"
#include "explain/words.h"
#include "model/values/amount.h"
#include "price/bill/discount.h"
#include "price/missing.h"

/* ---- the bill in three lines ------------------------------------------------------------- */

static uint32_t groups_with_nodes(const struct stow_snapshot *s, const struct stow_bill *bill)
{
    uint32_t count = 0;

    for (stow_group_id i = 0; i < s->groups; i++)
        count += bill->group[i].nodes > 0;
    return count;
}

static void report_bill(struct stow_report *report, const struct stow_bill *bill)
{
    STOW_AUTO(stow_buf_done) struct stow_buf line = {0};

    stow_buf_text(&line, "The bill: ");
    stow_buf_sum(&line, &bill->total.price, bill->currency, true);
    report->failed |= line.failed;
    stow_report_line(report, STOW_ROLE_HEADING, "%.*s", STOW_FMT(stow_buf_str(&line)));
}

/* Rounded down where it is a lower bound. */
static int waste_percent(const struct stow_sum *t)
{
    return stow_sum_hides_waste(t) ? (int)((stow_i128)t->waste.amount * 100 / t->price.amount)
                                   : stow_percent(t->waste.amount, t->price.amount);
}

/* The share is one of what priced nodes cost. */
static void report_waste(struct stow_report *report, const struct stow_bill *bill)
{
    STOW_AUTO(stow_buf_done) struct stow_buf line = {0};
    const struct stow_sum *t = &bill->total;

    stow_buf_text(&line, "Waste:    ");
    stow_buf_sum(&line, &t->waste, bill->currency, true);
    if (!stow_money_sum_is_unknown(&t->waste))
        stow_buf_printf(&line, ": %s%d%% of %s is capacity that no pod has requested",
                        stow_sum_hides_waste(t) ? "at least " : "", waste_percent(t),
                        stow_money_sum_is_exact(&t->price) ? "it" : "what priced nodes cost");
    report->failed |= line.failed;
    stow_report_line(report,
                     t->waste.amount > 0 || t->waste.unknown ? STOW_ROLE_WARN : STOW_ROLE_GOOD,
                     "%.*s", STOW_FMT(stow_buf_str(&line)));
}

void stow_buf_unbilled(struct stow_buf *out, const struct stow_bill *bill)
{
    const int64_t unpriced = stow_bill_unpriced(bill);

    if (unpriced)
        stow_buf_printf(out, "%" PRId64 " node%s no known price%s", unpriced,
                        unpriced == 1 ? " has" : "s have", bill->absent ? " and " : "");
    if (bill->absent)
        stow_buf_printf(out, "%u node%s that pods run on %s not in the input", bill->absent,
                        stow_plural(bill->absent), bill->absent == 1 ? "is" : "are");
}

static void report_unbilled(struct stow_report *report, const struct stow_bill *bill)
{
    const int64_t unpriced = stow_bill_unpriced(bill);

    if (unpriced)
        stow_report_line(report, STOW_ROLE_BAD,
                         "%" PRId64 " node%s no known price and %s not in the bill", unpriced,
                         unpriced == 1 ? " has" : "s have", unpriced == 1 ? "is" : "are");
    if (bill->absent)
        stow_report_line(report, STOW_ROLE_BAD,
                         "%u node%s that pods run on %s not in the input and not in the bill; also "
                         "give %s: kubectl get nodes,pods -A -o json",
                         bill->absent, stow_plural(bill->absent), bill->absent == 1 ? "is" : "are",
                         bill->absent == 1 ? "it" : "them");
}

/* What the bill would be without them is its sum and this. */
static void report_discounts(struct stow_report *report, const struct stow_bill *bill)
{
    char text[STOW_MONEY_TEXT];

    if (bill->guesses.discounted)
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "Discounts: %s %.*s per hour off the list prices of %u node%s",
                         stow_money_short(bill->discounts, text), STOW_FMT(bill->currency),
                         bill->guesses.discounted, stow_plural(bill->guesses.discounted));
}

/* Why a discount does nothing; NULL: some node that it matches has a list price. */
static const char *why_idle(const struct stow_snapshot *s, const struct stow_bill *bill,
                            const struct stow_discount *discount)
{
    const char *why = "matches no node";

    for (stow_node_id i = 0; i < s->nodes; i++) {
        if (!stow_discount_matches(&s->book, discount, &bill->node[i].offer))
            continue;
        if (bill->node[i].discount)
            return NULL;
        why = "has no effect: it applies to list prices, and no node that it matches has one";
    }
    return why;
}

/* A discount that matches no node is mostly a slip: a type without its `.*`, a wrong region. */
static void report_idle_discounts(struct stow_report *report, const struct stow_snapshot *s,
                                  const struct stow_bill *bill)
{
    for (uint32_t i = 0; s->nodes && i < s->book.discounts; i++) {
        const struct stow_discount *discount = &s->book.discount[i];
        const struct stow_offer_texts d = stow_offer_texts_of(&s->book, &discount->offer);
        const char *capacity = stow_capacity_type_name(d.capacity_type);
        const bool narrow = d.provider.len || d.region.len || d.instance_type.len || capacity[0];
        const char *why = why_idle(s, bill, discount);

        if (!why)
            continue;
        stow_report_line(report, STOW_ROLE_WARN,
                         "the discount of %.9g%%%s%s%.*s%s%.*s%s%.*s%s%s %s",
                         (double)discount->percent / STOW_NANO_PER_UNIT, narrow ? " on" : "",
                         d.provider.len ? " " : "", STOW_FMT(d.provider), d.region.len ? " " : "",
                         STOW_FMT(d.region), d.instance_type.len ? " " : "",
                         STOW_FMT(d.instance_type), capacity[0] ? " " : "", capacity, why);
    }
}

/* How old the catalogue's prices are. */
static void report_dates(struct stow_report *report, const struct stow_bill *bill)
{
    const char *first = bill->first_collected, *last = bill->last_collected;

    if (first)
        stow_report_line(report, STOW_ROLE_DIM, "%u price%s %s of the catalogue, collected %s%s%s",
                         bill->listed, stow_plural(bill->listed), bill->listed == 1 ? "is" : "are",
                         first, strcmp(first, last) != 0 ? " to " : "",
                         strcmp(first, last) != 0 ? last : "");
}

/* What is owed whether nodes run or not; what is unused is in the bill, too. */
static void report_commitments(struct stow_report *report, const struct stow_bill *bill)
{
    char price[STOW_MONEY_TEXT], fee[STOW_MONEY_TEXT];

    for (uint32_t i = 0; i < bill->commitments; i++) {
        const struct stow_bill_commitment *c = &bill->commitment[i];
        const uint32_t unused = c->nodes - c->used;

        if (!unused)
            stow_report_line(report, STOW_ROLE_PLAIN,
                             "Committed: %u node%s of %.*s in %.*s at %s, all in use", c->nodes,
                             stow_plural(c->nodes), STOW_FMT(c->instance_type), STOW_FMT(c->region),
                             stow_money_short(c->price, price));
        else
            stow_report_line(report, STOW_ROLE_WARN,
                             "Committed: %u node%s of %.*s in %.*s at %s, %u unused: %s %.*s per "
                             "hour of the bill",
                             c->nodes, stow_plural(c->nodes), STOW_FMT(c->instance_type),
                             STOW_FMT(c->region), stow_money_short(c->price, price), unused,
                             stow_money_short(stow_unused_fee(c), fee), STOW_FMT(bill->currency));
    }
}

/* Commitments that are not in the bill. */
static void report_foreign(struct stow_report *report, const struct stow_snapshot *s,
                           const struct stow_bill *bill)
{
    const struct stow_str agreed = stow_intern_get(&s->book.text, s->book.currency);

    if (s->commitments && !bill->commitments)
        stow_report_line(report, STOW_ROLE_WARN,
                         "Commitments are in %.*s, not in %.*s: the bill is without them; choose "
                         "with --currency %.*s",
                         STOW_FMT(agreed), STOW_FMT(bill->currency), STOW_FMT(agreed));
}

void stow_inspection_summary(struct stow_report *report, const struct stow_snapshot *s,
                             const struct stow_bill *bill)
{
    uint32_t groups = groups_with_nodes(s, bill);
    uint32_t running = stow_snapshot_count(s, STOW_PODS_RUNNING);

    stow_report_line(report, STOW_ROLE_PLAIN,
                     "%u node%s in %u group%s; %u pod%s running, %u pending", s->nodes,
                     stow_plural(s->nodes), groups, stow_plural(groups), running,
                     stow_plural(running), stow_snapshot_count(s, STOW_PODS_PENDING));
    report_bill(report, bill);
    report_waste(report, bill);
    report_discounts(report, bill);
    report_idle_discounts(report, s, bill);
    report_commitments(report, bill);
    report_foreign(report, s, bill);
    report_unbilled(report, bill);
    stow_report_guesses(report, &bill->guesses);
    report_dates(report, bill);
}

/* ---- resources --------------------------------------------------------------------------- */

static const struct stow_table_column resource_columns[] = {
    {.title = "RESOURCE", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "ALLOCATABLE", .align = STOW_ALIGN_RIGHT},
    {.title = "REQUESTED", .align = STOW_ALIGN_RIGHT},
    {.title = "USE", .spare = 2},
    {.title = "FREE", .align = STOW_ALIGN_RIGHT, .spare = 3},
    {.title = "PENDING", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {0},
};

static void amount_cell(struct stow_table *t, const struct stow_snapshot *s, stow_resource_id r,
                        int64_t amount)
{
    char text[STOW_AMOUNT_TEXT];

    stow_table_text(t, stow_amount_short(s, r, amount, text));
}

static void report_resources(struct stow_report *report, const struct stow_snapshot *s)
{
    STOW_AUTO(stow_free_local) struct stow_resource_sum *sums = stow_resource_sums(s, STOW_NONE);
    struct stow_table *t = stow_report_table(report, "Resources", resource_columns);

    if (!sums)
        report->failed = true;
    for (stow_resource_id r = 0; sums && r < s->resources; r++) {
        if (!stow_resource_in_use(&sums[r]))
            continue;
        stow_table_row(t);
        stow_table_str(t, stow_text(s, s->resource[r]));
        amount_cell(t, s, r, sums[r].allocatable);
        amount_cell(t, s, r, sums[r].requested);
        stow_table_bar(t, sums[r].requested, sums[r].allocatable);
        amount_cell(t, s, r, sums[r].free);
        amount_cell(t, s, r, sums[r].pending);
    }
}

/* ---- groups ------------------------------------------------------------------------------ */

static const struct stow_table_column group_columns[] = {
    {.title = "GROUP", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_GROUPS},
    {.title = "NODES", .align = STOW_ALIGN_RIGHT},
    {.title = "PODS", .align = STOW_ALIGN_RIGHT, .spare = 2},
    {.title = "PRICE/H", .align = STOW_ALIGN_POINT},
    {.title = "WASTE/H", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "WASTE", .spare = 3},
    {.title = "UNPRICED", .align = STOW_ALIGN_RIGHT, .spare = 4},
    {0},
};

static void sum_cells(struct stow_table *t, const struct stow_sum *sum)
{
    stow_table_int(t, sum->nodes);
    stow_table_int(t, sum->pods);
    stow_table_sum(t, &sum->price);
    stow_table_computed_sum(t, &sum->waste);
    stow_table_waste_bar(t, sum);
    stow_table_int(t, sum->price.unknown);
}

/* What is committed and used by no node is in no group. */
static void add_unused(struct stow_table *t, const struct stow_bill *bill)
{
    const struct stow_sum unused = {
        .price = {stow_bill_unused(bill), 1, 0},
        .waste = {stow_bill_unused(bill), 1, 0},
        .gauged = stow_bill_unused(bill),
    };

    if (!unused.gauged)
        return;
    stow_table_row(t);
    stow_table_text(t, "(committed, unused)");
    stow_table_role(t, STOW_ROLE_WARN);
    sum_cells(t, &unused);
}

static void report_groups(struct stow_report *report, const struct stow_snapshot *s,
                          const struct stow_bill *bill)
{
    struct stow_table *t = stow_report_table(report, "Groups", group_columns);

    for (stow_group_id i = 0; i < s->groups; i++) {
        if (!bill->group[i].nodes)
            continue;
        stow_table_row(t);
        stow_table_text(t, s->group[i].name);
        sum_cells(t, &bill->group[i]);
    }
    stow_table_when_empty(t, "no nodes");
    add_unused(t, bill);
    if (s->nodes) {
        stow_table_footer(t);
        stow_table_text(t, "total");
        sum_cells(t, &bill->total);
    }
}

/* ---- nodes ------------------------------------------------------------------------------- */

static const struct stow_table_column node_columns[] = {
    {.title = "NODE",
     .csv_name = "node",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_NODES},
    {.title = "GROUP",
     .csv_name = "group",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_GROUPS,
     .spare = 4},
    {.title = "TYPE", .csv_name = "instance_type", .squeeze = STOW_SQUEEZE_MIDDLE, .spare = 3},
    {.title = "CAPACITY", .csv_name = "capacity_type", .spare = 5},
    {.title = "REGION", .csv_name = "region", .spare = 8},
    {.title = "ZONE", .csv_name = "zone", .spare = 7},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "SOURCE", .csv_name = "price_source", .spare = 9},
    {.title = "WASTE/H", .csv_name = "waste_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "CPU", .csv_name = "cpu_requested_share", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {.title = "MEMORY",
     .csv_name = "memory_requested_share",
     .align = STOW_ALIGN_RIGHT,
     .spare = 2},
    {.title = "PODS", .csv_name = "pods", .align = STOW_ALIGN_RIGHT, .spare = 6},
    {0},
};

static void share_cell(struct stow_table *t, const struct stow_snapshot *s, stow_resource_id r,
                       stow_node_id node)
{
    stow_table_share(t, stow_asked_requested(s, r, node),
                     s->allocatable[(size_t)r * s->nodes + node]);
}

static void source_cell(struct stow_table *t, const struct stow_node_bill *b)
{
    const char *source = stow_node_bill_source(b);
    char shown[64];

    stow_source_text(source ? source : "", b->discount, shown, sizeof(shown));
    stow_table_both(t, shown, source ? source : "");
}

static void node_row(struct stow_table *t, const struct stow_snapshot *s,
                     const struct stow_bill *bill, stow_node_id node)
{
    const struct stow_node_bill *b = &bill->node[node];

    stow_table_row(t);
    stow_table_text(t, s->node[node].name);
    stow_table_text(t, s->group[s->node[node].group].name);
    stow_table_str(t, b->offer.instance_type);
    stow_table_text(t, stow_capacity_type_name(b->offer.capacity_type));
    stow_table_str(t, b->offer.region);
    stow_table_str(t, b->offer.zone);
    stow_table_money(t, b->price);
    source_cell(t, b);
    stow_table_computed_money(t, b->waste);
    share_cell(t, s, STOW_RESOURCE_CPU, node);
    share_cell(t, s, STOW_RESOURCE_MEMORY, node);
    stow_table_int(t, stow_asked_pods(s, node));
}

static void report_nodes(struct stow_report *report, const struct stow_snapshot *s,
                         const struct stow_bill *bill, uint32_t most, const char *heading)
{
    STOW_AUTO(stow_free_local) stow_node_id *worst = stow_worst_nodes(s, bill);
    struct stow_table *t = stow_report_table(report, heading, node_columns);
    uint32_t shown = most && most < s->nodes ? most : s->nodes;

    if (!worst)
        report->failed = true;
    for (uint32_t i = 0; worst && i < shown; i++)
        node_row(t, s, bill, worst[i]);
    if (shown < s->nodes)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more; -o wide shows all of them",
                         s->nodes - shown);
}

static const struct stow_table_column unpriced_columns[] = {
    {.title = "NODE", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {.title = "TYPE", .squeeze = STOW_SQUEEZE_MIDDLE, .spare = 1},
    {.title = "REGION", .spare = 2},
    {.title = "CAPACITY", .spare = 3},
    {.title = "WHY", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

/* The first node whose prices the provider hands out says how to get them. */
static void report_advice(struct stow_report *report, const struct stow_snapshot *s,
                          const struct stow_bill *bill)
{
    STOW_AUTO(stow_buf_done) struct stow_buf how = {0};
    bool found = false;

    for (stow_node_id i = 0; i < s->nodes && !found; i++)
        found = bill->node[i].price == STOW_MONEY_UNKNOWN &&
                bill->node[i].offer.instance_type.len &&
                stow_missing_advice(&bill->node[i].offer, &how);
    report->failed |= how.failed;
    if (found)
        stow_report_line(report, STOW_ROLE_DIM, "for example: %.*s", STOW_FMT(stow_buf_str(&how)));
}

static void report_unpriced(struct stow_report *report, const struct stow_snapshot *s,
                            const struct stow_bill *bill, uint32_t most)
{
    const int64_t unpriced = stow_bill_unpriced(bill);
    struct stow_table *t;
    uint32_t shown = 0;

    if (!unpriced)
        return;
    t = stow_report_table(report, "Nodes without a price", unpriced_columns);
    for (stow_node_id i = 0; i < s->nodes && (!most || shown < most); i++) {
        const struct stow_node_bill *b = &bill->node[i];

        if (b->price != STOW_MONEY_UNKNOWN)
            continue;
        shown++;
        stow_table_row(t);
        stow_table_text(t, s->node[i].name);
        stow_table_str(t, b->offer.instance_type);
        stow_table_str(t, b->offer.region);
        stow_table_text(t, stow_capacity_type_name(b->offer.capacity_type));
        stow_table_text(t, b->why);
    }
    if (shown < unpriced)
        stow_report_line(report, STOW_ROLE_DIM, "and %" PRId64 " more; -o wide shows all of them",
                         unpriced - shown);
    stow_report_line(report, STOW_ROLE_DIM,
                     "give them one: stowage price import FILE, a PriceBook, "
                     "or pricePerHour of their NodeGroup");
    report_advice(report, s, bill);
}

void stow_inspection_report(struct stow_report *report, const struct stow_snapshot *s,
                            const struct stow_bill *bill, uint32_t most)
{
    stow_inspection_summary(report, s, bill);
    report_resources(report, s);
    report_groups(report, s, bill);
    report_nodes(report, s, bill, most,
                 most && most < s->nodes ? "Nodes that waste most" : "Nodes, most waste first");
    report_unpriced(report, s, bill, most);
}

void stow_inspection_nodes(struct stow_report *report, const struct stow_snapshot *s,
                           const struct stow_bill *bill)
{
    report_nodes(report, s, bill, 0, NULL);
}
