/* scaling.c - a plan for people: what to buy, and what becomes of the pending pods. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "base/int128.h"
#include "explain/scaling/scaling_internal.h"
#include "explain/words.h"
#include "model/pods/requests.h"
#include "model/prices/commitments.h"
#include "model/values/amount.h"

/* ---- in a few lines ---------------------------------------------------------------------- */

static uint32_t on_existing(const struct stow_plan *plan)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->existings; i++)
        pods += plan->existing[i].pods.count;
    return pods;
}

static void report_price(struct stow_report *report, const struct stow_plan *plan)
{
    STOW_AUTO(stow_buf_done) struct stow_buf line = {0};
    const int64_t unpriced = plan->cost.unknown;

    if (plan->nodes == 0) {
        stow_report_nothing(report, plan);
        return;
    }
    stow_buf_printf(&line, "Buy %u node%s", plan->nodes, stow_plural(plan->nodes));
    if (stow_money_sum_is_unknown(&plan->cost)) {
        stow_buf_text(&line, ", at a price that is unknown");
    } else {
        stow_buf_text(&line, ": ");
        stow_buf_sum(&line, &plan->cost, plan->currency, false);
    }
    report->failed |= line.failed;
    stow_report_line(report, STOW_ROLE_HEADING, "%.*s", STOW_FMT(stow_buf_str(&line)));
    if (stow_money_sum_is_least(&plan->cost))
        stow_report_line(
            report, STOW_ROLE_BAD, "%lld of them ha%s no known price and %s not in the sum",
            (long long)unpriced, unpriced == 1 ? "s" : "ve", unpriced == 1 ? "is" : "are");
}

/* The share is one of the nodes with a price. */
static void report_waste(struct stow_report *report, const struct stow_plan *plan)
{
    char hour[STOW_MONEY_TEXT];

    if (!plan->nodes || stow_money_sum_is_unknown(&plan->waste))
        return;
    stow_report_line(report, STOW_ROLE_PLAIN,
                     "%s%s %.*s of it, %d%%%s, is for capacity that no pod has requested",
                     stow_money_sum_is_exact(&plan->waste) ? "" : STOW_AT_LEAST,
                     stow_sum_cents(&plan->waste, hour), STOW_FMT(plan->currency),
                     stow_percent(plan->waste.amount, plan->cost.amount),
                     stow_money_sum_is_exact(&plan->waste) ? "" : " of what is priced");
}

static void report_pods(struct stow_report *report, const struct stow_plan *plan)
{
    uint32_t pending = stow_plan_pending(plan), there = on_existing(plan);

    if (pending == 0) {
        if (plan->nodes)
            stow_report_line(report, STOW_ROLE_PLAIN, "%s", stow_none_pending(plan->s));
        return;
    }
    stow_report_line(report, plan->unplaceds ? STOW_ROLE_WARN : STOW_ROLE_GOOD,
                     "%u of %u pending pod%s placed: %u on existing nodes, %u on new nodes",
                     plan->placed, pending, stow_plural(pending), there, plan->placed - there);
}

static void report_rules(struct stow_report *report, const struct stow_plan *plan)
{
    const char *scorer = stow_plan_scorer(plan);

    stow_report_line(report, STOW_ROLE_DIM, "by %s%s%s%s%s", plan->strategy,
                     plan->rules ? ", rules " : "", plan->rules ? plan->rules : "",
                     scorer ? ", scorer " : "", scorer ? scorer : "");
}

static uint32_t bought_under(const struct stow_plan *plan, uint32_t commitment)
{
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < plan->nodes; i++)
        nodes += plan->s->group[plan->node[i].group].commitment == commitment + 1;
    return nodes;
}

/* What existing nodes leave of each commitment, and what the plan uses of that. */
static void report_commitments(struct stow_report *report, const struct stow_plan *plan)
{
    const struct stow_snapshot *s = plan->s;

    for (uint32_t i = 0; i < s->commitments; i++) {
        const struct stow_commitment *c = &s->commitment[i];

        const uint32_t left = c->first == i ? stow_committed_left(s, i) : 0;

        if (!left)
            continue;
        stow_report_line(
            report, STOW_ROLE_PLAIN,
            "Committed: the plan uses %u of %u unused node%s of %.*s in %.*s, at no cost",
            bought_under(plan, i), left, stow_plural(left),
            STOW_FMT(stow_text(s, c->instance_type)), STOW_FMT(stow_text(s, c->region)));
    }
}

/* Whether what pods can use of a new node of the group is computed by the provider's rule. */
static bool is_derived(const struct stow_snapshot *s, stow_group_id group)
{
    for (uint32_t i = 0; i < s->group_defaults; i++) {
        const struct stow_group_default *d = &s->group_default[i];

        if (d->group == group && d->kind == STOW_DEFAULT_ALLOCATABLE &&
            strcmp(d->from, STOW_FROM_DERIVED) == 0)
            return true;
    }
    return false;
}

static void report_derived(struct stow_report *report, const struct stow_plan *plan)
{
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < plan->groups; i++)
        if (is_derived(plan->s, plan->group[i].group))
            nodes += plan->group[i].to - plan->group[i].from;
    if (nodes)
        stow_report_line(report, STOW_ROLE_DIM,
                         "the allocatable capacity of %u new node%s is derived from the provider's "
                         "rule, not measured",
                         nodes, stow_plural(nodes));
}

static void report_summary(struct stow_report *report, const struct stow_plan *plan)
{
    report_price(report, plan);
    report_commitments(report, plan);
    report_waste(report, plan);
    stow_report_guesses(report, &plan->guesses);
    stow_report_discounted(report, &plan->guesses);
    report_derived(report, plan);
    report_pods(report, plan);
    report_rules(report, plan);
    stow_report_bound(report, plan);
}

/* ---- what to buy ------------------------------------------------------------------------- */

/* Sums over the new nodes of a group, or of all. */
struct bought {
    uint32_t nodes, pods;
    stow_nano price;
    const char *source; /* of the price */
    struct stow_money_sum cost;
    int64_t asked[2], room[2]; /* of cpu and memory */
};

/* All amounts are of one plan, whose own sums fit. */
static void add_node(struct bought *to, const struct stow_plan_node *node)
{
    to->nodes++;
    to->pods += node->pods.count;
    to->price = node->price;
    to->source = node->source;
    stow_money_sum_add(&to->cost, node->price);
}

static void add_requests(struct bought *to, const struct stow_plan *plan,
                         struct stow_pod_range pods)
{
    const struct stow_snapshot *s = plan->s;

    for (uint32_t i = 0; i < pods.count; i++) {
        const struct stow_pod *pod = &s->pod[plan->pod[pods.first + i]];
        uint32_t count;
        const struct stow_amount *asks =
            STOW_LIST(s, s->demand[pod->spec].requests, struct stow_amount, &count);

        for (uint32_t n = 0; n < count; n++)
            if (asks[n].resource == STOW_RESOURCE_CPU || asks[n].resource == STOW_RESOURCE_MEMORY)
                to->asked[asks[n].resource == STOW_RESOURCE_MEMORY] += asks[n].value;
    }
}

static int64_t template_room(const struct stow_snapshot *s, stow_group_id group,
                             stow_resource_id resource, stow_sym name)
{
    uint32_t count;
    const struct stow_exact *list =
        STOW_LIST(s, s->fresh[group].allocatable, struct stow_exact, &count);
    stow_i128 nano;

    return stow_exact_find(list, count, name, &nano) ? stow_resource_units(resource, nano) : 0;
}

/* What its daemon pods take is asked for, too, as in the waste of the plan. */
static void add_daemons(struct bought *to, const struct stow_snapshot *s, stow_group_id group)
{
    stow_add_clamped(&to->asked[0], s->overhead[(size_t)STOW_RESOURCE_CPU * s->groups + group]);
    stow_add_clamped(&to->asked[1], s->overhead[(size_t)STOW_RESOURCE_MEMORY * s->groups + group]);
}

static void add_room(struct bought *to, const struct stow_snapshot *s, stow_group_id group)
{
    to->room[0] += template_room(s, group, STOW_RESOURCE_CPU, STOW_SYM_CPU);
    to->room[1] += template_room(s, group, STOW_RESOURCE_MEMORY, STOW_SYM_MEMORY);
}

static void add_up(struct bought *sum, struct bought *total, const struct stow_plan *plan)
{
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const struct stow_plan_node *node = &plan->node[i];
        struct bought *both[] = {&sum[node->group], total};

        for (int n = 0; n < 2; n++) {
            add_node(both[n], node);
            add_requests(both[n], plan, node->pods);
            add_daemons(both[n], plan->s, node->group);
            add_room(both[n], plan->s, node->group);
        }
    }
}

static const struct stow_table_column buy_columns[] = {
    {.title = "GROUP",
     .csv_name = "group",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_GROUPS},
    {.title = "TYPE", .csv_name = "instance_type", .squeeze = STOW_SQUEEZE_MIDDLE, .spare = 7},
    {.title = "ZONE", .csv_name = "zone", .spare = 8},
    {.title = "NODES", .csv_name = "nodes_before", .align = STOW_ALIGN_RIGHT, .spare = 3},
    {.title = "NEW", .csv_name = "new_nodes", .align = STOW_ALIGN_RIGHT},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "COST/H", .csv_name = "cost_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "PODS", .csv_name = "pods", .align = STOW_ALIGN_RIGHT, .spare = 2},
    {.title = "CPU", .csv_name = "cpu_requested_share", .spare = 5},
    {.title = "MEMORY", .csv_name = "memory_requested_share", .spare = 6},
    {.title = "SOURCE", .csv_name = "price_source", .csv_only = true},
    {0},
};

static void sum_cells(struct stow_table *t, const struct bought *b)
{
    stow_table_sum(t, &b->cost);
    stow_table_int(t, b->pods);
    stow_table_bar(t, b->asked[0], b->room[0]);
    stow_table_bar(t, b->asked[1], b->room[1]);
}

/* Of the group that is to be scaled: its committed part grows with it. */
static void sizes_cell(struct stow_table *t, const struct stow_plan *plan,
                       const struct stow_plan_group *g)
{
    uint32_t committed;
    bool first;
    const struct stow_plan_group whole =
        stow_plan_whole(plan, (uint32_t)(g - plan->group), &committed, &first);
    char shown[40], machine[16];

    snprintf(shown, sizeof(shown), "%u → %u", whole.from, whole.to);
    snprintf(machine, sizeof(machine), "%u", whole.from);
    stow_table_both(t, shown, machine);
}

static void buy_row(struct stow_table *t, const struct stow_plan *plan,
                    const struct stow_plan_group *g, const struct bought *b)
{
    const struct stow_snapshot *s = plan->s;
    stow_blob labels = s->fresh[g->group].labels;

    stow_table_row(t);
    stow_table_text(t, stow_plan_group_name(plan, g->group));
    stow_table_str(t, stow_label_text(s, labels, "node.kubernetes.io/instance-type"));
    stow_table_str(t, stow_label_text(s, labels, "topology.kubernetes.io/zone"));
    sizes_cell(t, plan, g);
    stow_table_int(t, (int64_t)g->to - g->from);
    stow_table_money(t, b->nodes ? b->price : STOW_MONEY_UNKNOWN);
    sum_cells(t, b);
    stow_table_both(t, "", b->source ? b->source : "");
}

static void buy_total(struct stow_table *t, const struct bought *total)
{
    stow_table_footer(t);
    stow_table_text(t, "total");
    for (int i = 0; i < 3; i++)
        stow_table_text(t, "");
    stow_table_int(t, total->nodes);
    stow_table_text(t, "");
    sum_cells(t, total);
    stow_table_text(t, "");
}

static void buy_rows(struct stow_table *t, const struct stow_plan *plan, struct bought *sum)
{
    struct bought total = {0};

    add_up(sum, &total, plan);
    for (uint32_t i = 0; i < plan->groups; i++)
        buy_row(t, plan, &plan->group[i], &sum[plan->group[i].group]);
    if (plan->groups > 1)
        buy_total(t, &total);
}

static void report_buy(struct stow_report *report, const struct stow_plan *plan)
{
    struct bought *sum = calloc((size_t)plan->s->groups + 1, sizeof(*sum));
    struct stow_table *t =
        stow_report_table(report, plan->groups ? "What to buy" : NULL, buy_columns);

    stow_table_when_empty(t, stow_nothing_bought(plan));
    if (sum)
        buy_rows(t, plan, sum);
    report->failed |= !sum;
    free(sum);
}

/* ---- where pods go ----------------------------------------------------------------------- */

static void pods_cell(struct stow_table *t, const struct stow_plan *plan,
                      struct stow_pod_range pods)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    for (uint32_t i = 0; i < pods.count; i++) {
        const struct stow_pod *pod = &plan->s->pod[plan->pod[pods.first + i]];

        stow_buf_printf(&text, "%s%s/%s", i ? ", " : "", stow_text(plan->s, pod->namespace).ptr,
                        pod->name);
    }
    stow_table_str(t, text.len ? stow_buf_str(&text) : STOW_STR(""));
    t->report->failed |= text.failed;
}

static const struct stow_table_column existing_columns[] = {
    {.title = "NODE", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {.title = "PODS", .align = STOW_ALIGN_RIGHT},
    {.title = "WHICH", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

static void report_existing(struct stow_report *report, const struct stow_plan *plan)
{
    struct stow_table *t;

    if (!plan->existings)
        return;
    t = stow_report_table(report, "Pods that fit existing nodes", existing_columns);
    for (uint32_t i = 0; i < plan->existings; i++) {
        const struct stow_plan_existing *e = &plan->existing[i];

        stow_table_row(t);
        stow_table_printf(t, e->upcoming ? "%s (upcoming)" : "%s", e->name);
        stow_table_int(t, e->pods.count);
        pods_cell(t, plan, e->pods);
    }
}

static const struct stow_table_column node_columns[] = {
    {.title = "NODE", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {.title = "GROUP", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_GROUPS, .spare = 2},
    {.title = "PRICE/H", .align = STOW_ALIGN_POINT},
    {.title = "WASTE/H", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "PODS", .align = STOW_ALIGN_RIGHT},
    {.title = "WHICH", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

static void report_nodes(struct stow_report *report, const struct stow_plan *plan)
{
    struct stow_table *t;

    if (!plan->nodes)
        return;
    t = stow_report_table(report, "New nodes", node_columns);
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const struct stow_plan_node *node = &plan->node[i];

        stow_table_row(t);
        stow_table_text(t, node->name);
        stow_table_text(t, stow_plan_group_name(plan, node->group));
        stow_table_money(t, node->price);
        stow_table_computed_money(t, node->waste);
        stow_table_int(t, node->pods.count);
        pods_cell(t, plan, node->pods);
    }
}

/* ---- what is left ------------------------------------------------------------------------ */

static const struct stow_table_column left_columns[] = {
    {.title = "POD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS},
    {.title = "PODS", .align = STOW_ALIGN_RIGHT},
    {.title = "GROUPS", .align = STOW_ALIGN_RIGHT},
    {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

/* What the first group that says so has to say, and how much of a resource the one nearest to
 * fitting has. */
static struct stow_plan_where in_short(const struct stow_plan_reason *r, bool *ret_details)
{
    struct stow_plan_where all = {.resource = STOW_NONE};

    *ret_details = false;

    for (uint32_t i = 0; i < r->groups && r->where; i++) {
        const struct stow_plan_where *at = &r->where[i];

        if (i == 0) {
            all = *at;
            continue;
        }
        if (at->free > all.free)
            all.free = at->free;
        if (at->resource != all.resource || at->wanted != all.wanted)
            all.resource = STOW_NONE;
        *ret_details |= !stow_same_text(at->detail, all.detail);
    }
    return all;
}

static bool reasons_alike(const struct stow_plan_reason *a, const struct stow_plan_reason *b)
{
    bool a_more, b_more;
    const struct stow_plan_where in_a = in_short(a, &a_more), in_b = in_short(b, &b_more);

    return a->groups == b->groups && stow_same_text(a->text, b->text) &&
           stow_same_text(a->filter, b->filter) && in_a.resource == in_b.resource &&
           (in_a.resource == STOW_NONE || (in_a.wanted == in_b.wanted && in_a.free == in_b.free)) &&
           stow_same_text(in_a.detail, in_b.detail) && a_more == b_more;
}

bool stow_unplaced_alike(const struct stow_unplaced *a, const struct stow_unplaced *b)
{
    if (a->awaits != b->awaits || a->reasons != b->reasons)
        return false;
    for (uint32_t i = 0; i < a->reasons && a->reason != b->reason; i++)
        if (!reasons_alike(&a->reason[i], &b->reason[i]))
            return false;
    return true;
}

/* "node-resources-fit: Insufficient cpu, wants 5.00, at most 2.00 free" */
static void left_reason(struct stow_table *t, const struct stow_plan *plan,
                        const struct stow_plan_reason *r)
{
    bool details;
    const struct stow_plan_where all = in_short(r, &details);
    const struct stow_lack lack = {all.resource, all.wanted, all.free};

    if (all.resource == STOW_NONE)
        stow_reason_detail(t, r->filter, r->text, all.detail, details);
    else
        stow_reason_lack(t, plan->s, r->filter, r->text, &lack);
}

/* The first row of an entry names the pod and says how many are like it. */
static void left_row(struct stow_table *t, const struct stow_plan *plan,
                     const struct stow_unplaced *u, uint32_t like)
{
    const struct stow_pod *pod = &plan->s->pod[u->pod];

    stow_table_row(t);
    if (like == 0) {
        stow_table_text(t, "");
        stow_table_text(t, "");
        return;
    }
    stow_table_printf(t, "%s/%s", stow_text(plan->s, pod->namespace).ptr, pod->name);
    stow_table_int(t, like);
}

static void left_rows(struct stow_table *t, const struct stow_plan *plan,
                      const struct stow_unplaced *u, uint32_t like)
{
    if (u->reasons == 0) {
        left_row(t, plan, u, like);
        stow_table_text(t, "");
        stow_table_text(t, u->awaits ? STOW_AWAITS : "no NodeGroup is given");
    }
    for (uint32_t i = 0; i < u->reasons; i++) {
        left_row(t, plan, u, i ? 0 : like);
        if (u->reason[i].groups)
            stow_table_int(t, u->reason[i].groups);
        else
            stow_table_text(t, "");
        left_reason(t, plan, &u->reason[i]);
    }
}

void stow_report_left(struct stow_report *report, const char *heading, const struct stow_plan *plan)
{
    struct stow_table *t;

    if (!plan->unplaceds)
        return;
    t = stow_report_table(report, heading, left_columns);
    for (uint32_t i = 0, like; i < plan->unplaceds; i += like) {
        const struct stow_unplaced *u = &plan->unplaced[i];

        for (like = 1; i + like < plan->unplaceds && stow_unplaced_alike(u, u + like);)
            like++;
        left_rows(t, plan, u, like);
    }
}

/* ---- what each group has to say ---------------------------------------------------------- */

static const struct stow_table_column why_columns[] = {
    {.title = "POD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS},
    {.title = "GROUP", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_GROUPS},
    {.title = "FILTER", .spare = 1},
    {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "MISSING", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

static void missing_cell(struct stow_table *t, const struct stow_plan *plan,
                         const struct stow_plan_where *at)
{
    char wanted[STOW_AMOUNT_TEXT], free[STOW_AMOUNT_TEXT], all[STOW_AMOUNT_TEXT],
        used[STOW_AMOUNT_TEXT];

    if (at->resource == STOW_NONE) {
        stow_table_text(t, at->detail ? at->detail : "");
        return;
    }
    stow_amount_exact(plan->s, at->resource, at->used, used);
    stow_table_printf(t, "wants %s, free %s of %s%s%s",
                      stow_amount_exact(plan->s, at->resource, at->wanted, wanted),
                      stow_amount_exact(plan->s, at->resource, at->free, free),
                      stow_amount_exact(plan->s, at->resource, at->capacity, all),
                      at->used ? ": pods of DaemonSets take " : "", at->used ? used : "");
}

static void why_rows(struct stow_table *t, const struct stow_plan *plan,
                     const struct stow_unplaced *u)
{
    const struct stow_pod *pod = &plan->s->pod[u->pod];
    bool first = true;

    for (uint32_t i = 0; i < u->reasons; i++)
        for (uint32_t g = 0; g < u->reason[i].groups && u->reason[i].where; g++) {
            const struct stow_plan_where *at = &u->reason[i].where[g];

            stow_table_row(t);
            if (first)
                stow_table_printf(t, "%s/%s", stow_text(plan->s, pod->namespace).ptr, pod->name);
            else
                stow_table_text(t, "");
            stow_table_text(t, stow_plan_group_name(plan, at->group));
            stow_table_text(t, u->reason[i].filter ? u->reason[i].filter : "-");
            stow_table_text(t, u->reason[i].text);
            missing_cell(t, plan, at);
            first = false;
        }
}

void stow_scaling_left(struct stow_report *report, const struct stow_plan *plan)
{
    struct stow_table *t = NULL;

    for (uint32_t i = 0; i < plan->unplaceds; i++) {
        const struct stow_unplaced *u = &plan->unplaced[i];
        bool any = false;

        for (uint32_t r = 0; r < u->reasons; r++)
            any |= u->reason[r].where != NULL;
        if (!any || (i && u[-1].reason == u->reason))
            continue;
        if (!t)
            t = stow_report_table(report, "Why pods are not placed, by group", why_columns);
        why_rows(t, plan, u);
    }
}

void stow_scaling_report(struct stow_report *report, const struct stow_plan *plan, bool wide)
{
    report_summary(report, plan);
    report_buy(report, plan);
    if (wide)
        report_nodes(report, plan);
    stow_report_fallbacks(report, plan);
    report_existing(report, plan);
    stow_report_left(report, "Pods without a node", plan);
    stow_report_offer(report, plan);
}
