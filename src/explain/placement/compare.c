/* compare.c - profiles side by side on the same cluster.
 *
 * All nodes are paid for whatever the profile, so the bill says nothing.  What differs is which of
 * them are in use: those with a pod that is neither a daemon's nor a static one.  The others could
 * be switched off, and their price is left out. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "explain/placement/placement_internal.h"
#include "explain/warnings.h"
#include "explain/words.h"

#define SHOWN 20 /* pods that differ, in a plain table */

/* ---- nodes in use ------------------------------------------------------------------------ */

static bool keeps_in_use(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    return !count || !(stow_str_is(stow_text(s, owner->kind), "DaemonSet") ||
                       stow_str_is(stow_text(s, owner->kind), "Node"));
}

static bool is_used(const struct stow_state *state, stow_node_id node)
{
    for (stow_pod_id pod = state->first_on[node]; pod != STOW_NONE; pod = state->next_on[pod])
        if (keeps_in_use(state->s, &state->s->pod[pod]))
            return true;
    return false;
}

int stow_placement_used(const struct stow_state *state, const struct stow_bill *bill,
                        const struct stow_books *books, struct stow_sum *ret, struct stow_err *err)
{
    STOW_AUTO(stow_free_local) stow_nano *rate = calloc(state->resources + 1, sizeof(*rate));
    enum stow_layer layer = STOW_LAYER_COUNT;

    *ret = (struct stow_sum){0};
    if (!rate)
        return stow_fail_memory(err);
    stow_bill_rates(state->s, books, rate, &layer);
    for (stow_node_id i = 0; i < state->nodes; i++) {
        const struct stow_room room = {state->s->allocatable + i, state->requested + i,
                                       state->nodes};

        if (is_used(state, i))
            stow_sum_add(ret, bill->node[i].price,
                         stow_waste(state->s, rate, &room, bill->node[i].price), state->pods_on[i]);
    }
    return STOW_OK;
}

/* ---- differences ------------------------------------------------------------------------- */

/* Pods come in the same order in all rows: which is decided next does not depend on the profile. */
static stow_node_id node_of(const struct stow_placement_row *row, uint32_t pod)
{
    return row->placement.decision[pod].node;
}

static bool differs(const struct stow_placement_comparison *c, uint32_t pod)
{
    for (uint32_t i = 1; i < c->rows; i++)
        if (node_of(&c->row[i], pod) != node_of(&c->row[0], pod))
            return true;
    return false;
}

static uint32_t elsewhere(const struct stow_placement_comparison *c, uint32_t row)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->row[0].placement.count; i++)
        count += node_of(&c->row[row], i) != node_of(&c->row[0], i);
    return count;
}

/* ---- as tables --------------------------------------------------------------------------- */

static const struct stow_table_column row_columns[] = {
    {.title = "PROFILE", .csv_name = "profile", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "PLACED", .csv_name = "placed", .align = STOW_ALIGN_RIGHT},
    {.title = "LEFT", .csv_name = "unplaced", .align = STOW_ALIGN_RIGHT},
    {.title = "NODES", .csv_name = "nodes_used", .align = STOW_ALIGN_RIGHT},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "WASTE/H", .csv_name = "waste_per_hour", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "WASTE", .csv_name = "waste_share", .spare = 3},
    {.title = "ELSEWHERE", .csv_name = "placed_elsewhere", .align = STOW_ALIGN_RIGHT, .spare = 2},
    {0},
};

static void comparison_row(struct stow_table *t, const struct stow_placement_comparison *c,
                           uint32_t number)
{
    const struct stow_placement_row *row = &c->row[number];
    const uint32_t left = row->placement.count - row->placement.placed;

    stow_table_row(t);
    stow_table_text(t, row->profile);
    stow_table_int(t, row->placement.placed);
    stow_table_int(t, left);
    if (left)
        stow_table_role(t, STOW_ROLE_WARN);
    stow_table_int(t, row->used.nodes);
    stow_table_computed_sum(t, &row->used.price);
    stow_table_computed_sum(t, &row->used.waste);
    stow_table_waste_bar(t, &row->used);
    if (number)
        stow_table_int(t, elsewhere(c, number));
    else
        stow_table_both(t, "-", "0");
}

static char *in_capitals(struct stow_arena *arena, const char *name)
{
    char *made = stow_arena_copy(arena, name, strlen(name) + 1);

    for (char *at = made; at && *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return made;
}

/* POD and a column per profile; the report keeps them. */
static const struct stow_table_column *difference_columns(struct stow_report *report,
                                                          const struct stow_placement_comparison *c)
{
    struct stow_table_column *column =
        stow_arena_zalloc(&report->arena, (c->rows + 2) * sizeof(*column));

    if (!column)
        return NULL;
    column[0] = (struct stow_table_column){
        .title = "POD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS};
    for (uint32_t i = 0; i < c->rows; i++) {
        const char *title = in_capitals(&report->arena, c->row[i].profile);

        if (!title)
            return NULL;
        column[i + 1] = (struct stow_table_column){
            .title = title, .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES};
    }
    return column;
}

static void difference_row(struct stow_table *t, const struct stow_placement_comparison *c,
                           uint32_t pod)
{
    const struct stow_pod *p = &c->s->pod[c->row[0].placement.decision[pod].pod];

    stow_table_row(t);
    stow_table_printf(t, "%s/%s", stow_text(c->s, p->namespace).ptr, p->name);
    for (uint32_t i = 0; i < c->rows; i++) {
        const stow_node_id node = node_of(&c->row[i], pod);

        stow_table_text(t, node == STOW_NONE ? "-" : c->s->node[node].name);
        if (node == STOW_NONE)
            stow_table_role(t, STOW_ROLE_BAD);
    }
}

static void report_differences(struct stow_report *report,
                               const struct stow_placement_comparison *c, bool wide)
{
    const struct stow_table_column *columns = difference_columns(report, c);
    struct stow_table *t;
    uint32_t shown = 0, more = 0;

    report->failed |= !columns;
    if (!columns)
        return;
    t = stow_report_table(report, "Pods placed differently", columns);
    for (uint32_t i = 0; i < c->row[0].placement.count; i++) {
        if (!differs(c, i))
            continue;
        if (shown == SHOWN && !wide) {
            more++;
            continue;
        }
        difference_row(t, c, i);
        shown++;
    }
    if (more)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more; -o wide shows all of them", more);
}

static void unpriced_line(struct stow_report *report, const char *profile, int64_t count)
{
    if (count)
        stow_report_line(report, STOW_ROLE_BAD,
                         "%s%s%" PRId64 " node%s in use %s no known price and %s not in these sums",
                         profile, *profile ? ": " : "", count, count == 1 ? "" : "s",
                         count == 1 ? "has" : "have", count == 1 ? "is" : "are");
}

/* Once when it is the same for all. */
static void report_unpriced(struct stow_report *report, const struct stow_placement_comparison *c)
{
    bool same = true;

    for (uint32_t i = 1; i < c->rows; i++)
        same &= c->row[i].used.price.unknown == c->row[0].used.price.unknown;
    if (same)
        unpriced_line(report, "", c->row[0].used.price.unknown);
    for (uint32_t i = 0; i < c->rows && !same; i++)
        unpriced_line(report, c->row[i].profile, c->row[i].used.price.unknown);
}

void stow_placement_compared(struct stow_report *report, const struct stow_placement_comparison *c,
                             bool wide)
{
    const uint32_t pods = c->row[0].placement.count;
    struct stow_table *t;

    stow_report_line(report, STOW_ROLE_HEADING,
                     "%u pending pod%s, %u profile%s; money in %.*s per hour", pods,
                     stow_plural(pods), c->rows, stow_plural(c->rows), STOW_FMT(c->currency));
    t = stow_report_table(report, NULL, row_columns);
    for (uint32_t i = 0; i < c->rows; i++)
        comparison_row(t, c, i);
    report_unpriced(report, c);
    for (uint32_t i = 0; i < pods; i++)
        if (differs(c, i)) {
            report_differences(report, c, wide);
            return;
        }
    if (pods && c->rows > 1)
        stow_report_line(report, STOW_ROLE_PLAIN, "all of them place every pod on the same node");
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *money_value(struct stow_doc *doc, const struct stow_money_sum *sum)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set_sum(doc, v, "perHour", sum);
    return v;
}

static struct stow_value *row_value(struct stow_doc *doc, const struct stow_placement_comparison *c,
                                    uint32_t number)
{
    const struct stow_placement_row *row = &c->row[number];
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "profile", stow_doc_text(doc, row->profile));
    stow_value_set(doc, v, "placed", stow_doc_int(doc, row->placement.placed));
    stow_value_set(doc, v, "unplaced",
                   stow_doc_int(doc, row->placement.count - row->placement.placed));
    stow_value_set(doc, v, "nodesUsed", stow_doc_int(doc, row->used.nodes));
    stow_value_set(doc, v, "unpriced", stow_doc_int(doc, row->used.price.unknown));
    stow_value_set(doc, v, "price", money_value(doc, &row->used.price));
    stow_value_set(doc, v, "waste", money_value(doc, &row->used.waste));
    stow_value_set(doc, v, "placedElsewhere", stow_doc_int(doc, elsewhere(c, number)));
    return v;
}

static struct stow_value *difference_value(struct stow_doc *doc,
                                           const struct stow_placement_comparison *c, uint32_t pod)
{
    const struct stow_pod *p = &c->s->pod[c->row[0].placement.decision[pod].pod];
    struct stow_value *v = stow_doc_object(doc), *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < c->rows; i++) {
        const struct stow_decision *d = &c->row[i].placement.decision[pod];
        struct stow_value *one = stow_doc_object(doc);

        stow_value_set(doc, one, "profile", stow_doc_text(doc, c->row[i].profile));
        stow_value_set(doc, one, "node",
                       stow_doc_text(doc, d->node == STOW_NONE ? NULL : c->s->node[d->node].name));
        if (d->node == STOW_NONE)
            stow_value_set(doc, one, "reasons", stow_decision_reasons(doc, c->s, d));
        stow_value_push(doc, list, one);
    }
    stow_value_set(doc, v, "pod",
                   stow_doc_textf(doc, "%s/%s", stow_text(c->s, p->namespace).ptr, p->name));
    stow_value_set(doc, v, "places", list);
    return v;
}

struct stow_value *stow_placement_compared_value(struct stow_doc *doc,
                                                 const struct stow_placement_comparison *c)
{
    struct stow_value *v = stow_doc_object(doc), *rows = stow_doc_array(doc),
                      *differences = stow_doc_array(doc);

    for (uint32_t i = 0; i < c->rows; i++)
        stow_value_push(doc, rows, row_value(doc, c, i));
    for (uint32_t i = 0; i < c->row[0].placement.count; i++)
        if (differs(c, i))
            stow_value_push(doc, differences, difference_value(doc, c, i));
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "PlacementComparison"));
    stow_value_set(doc, v, "pending", stow_doc_int(doc, c->row[0].placement.count));
    stow_value_set(doc, v, "currency", stow_doc_str(doc, c->currency));
    stow_value_set(doc, v, "profiles", rows);
    stow_value_set(doc, v, "differences", differences);
    stow_warnings_set(doc, v, c->s, NULL, 0);
    return v;
}
