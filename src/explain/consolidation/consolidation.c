/* consolidation.c - which nodes go and what that saves, as data and as tables. */
#include "explain/consolidation/consolidation.h"

#include <stdio.h>
#include <string.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/consolidation/consolidation_internal.h"
#include "explain/defaulted.h"
#include "explain/scaling/scaling_internal.h"
#include "explain/warnings.h"
#include "explain/words.h"

static const char *node_name(const struct stow_consolidation *a, stow_node_id node)
{
    return a->s->node[node].name;
}

/* Of sums that are exact. */
static double gap_of(const struct stow_consolidation *a)
{
    return a->bound > 0 ? (double)(a->after.amount - a->bound) / (double)a->bound : 0;
}

static bool is_proven(const struct stow_consolidation *a)
{
    return a->bound != STOW_MONEY_UNKNOWN && a->after.amount <= a->bound;
}

/* Where nodes are counted: this many. */
static int64_t nodes_of(stow_nano weight)
{
    return weight / STOW_NODE_WEIGHT;
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *pod_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                    stow_pod_id pod)
{
    return stow_doc_textf(doc, "%s/%s", stow_text(a->s, a->s->pod[pod].namespace).ptr,
                          a->s->pod[pod].name);
}

static void set_costs(struct stow_doc *doc, struct stow_value *to,
                      const struct stow_consolidation *a)
{
    struct stow_value *v = stow_doc_object(doc);

    if (a->counts_nodes) {
        stow_value_set(doc, v, "before", stow_doc_int(doc, a->nodes_before));
        stow_value_set(doc, v, "after", stow_doc_int(doc, a->nodes_after));
        stow_value_set(doc, to, "minimise", stow_doc_text(doc, "nodes"));
        stow_value_set(doc, to, "nodes", v);
        return;
    }
    stow_value_set_sum(doc, v, "before", &a->before);
    stow_value_set_sum(doc, v, "after", &a->after);
    if (a->fees)
        stow_value_set(doc, v, "committed", stow_doc_money(doc, a->fees));
    stow_value_set(doc, v, "currency", stow_doc_str(doc, a->currency));
    stow_value_set(doc, to, "cost", v);
}

const char *stow_consolidation_ended(const struct stow_consolidation *a)
{
    if (!a->late || is_proven(a))
        return NULL;
    return a->stopped ? "stopped" : "time-limit";
}

/* A share of a sum with unknown parts is not known, nor is one of nothing. */
static struct stow_value *bound_value(struct stow_doc *doc, const struct stow_consolidation *a)
{
    const struct stow_money_sum bound = {a->bound, a->before.known, a->before.unknown};
    struct stow_value *v = stow_doc_object(doc);

    if (a->counts_nodes)
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, nodes_of(a->bound)));
    else
        stow_value_set_sum(doc, v, "perHour", &bound);
    if (stow_money_sum_is_exact(&bound) && (a->bound > 0 || a->after.amount == 0))
        stow_value_set(doc, v, "gap", stow_doc_real(doc, gap_of(a)));
    stow_value_set(doc, v, "method", stow_doc_text(doc, a->method));
    return v;
}

/* As the proof of a plan that buys, with the nodes that stay in any case. */
static struct stow_value *proof_value(struct stow_doc *doc, const struct stow_consolidation *a)
{
    const char **name = stow_arena_alloc(&doc->arena, (a->s->nodes + 1) * sizeof(*name));
    struct stow_value *v, *fixed = stow_doc_array(doc);

    if (!name) {
        doc->failed = true;
        return fixed;
    }
    for (stow_node_id i = 0; i < a->s->nodes; i++)
        name[i] = a->s->node[i].name;
    for (uint32_t i = 0; i < a->fixeds; i++)
        stow_value_push(doc, fixed, stow_doc_text(doc, name[a->fixed[i]]));
    v = stow_plan_proof_value(
        doc, &(struct stow_plan){
                 .s = a->s, .proof = a->proof, .real_name = name, .bound = a->bound - a->certain});
    stow_value_set(doc, v, "fixed", fixed);
    return v;
}

/* `known`: something is, so that there is a difference. */
static void set_saving(struct stow_doc *doc, struct stow_value *to,
                       const struct stow_consolidation *a, stow_nano saving, bool known)
{
    if (a->counts_nodes)
        stow_value_set(doc, to, "savedNodes", stow_doc_int(doc, nodes_of(saving)));
    else
        stow_value_set(doc, to, "savingPerHour",
                       stow_doc_money(doc, known ? saving : STOW_MONEY_UNKNOWN));
}

static const char *group_name(const struct stow_consolidation *a, stow_group_id group)
{
    return group == STOW_NONE ? "" : a->s->group[stow_group_listed(a->s, group)].name;
}

static struct stow_value *adds_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                     const struct stow_step *step)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < step->adds; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "name", stow_doc_text(doc, step->add[i].name));
        stow_value_set(doc, v, "group", stow_doc_text(doc, group_name(a, step->add[i].group)));
        if (a->s->group[step->add[i].group].commitment)
            stow_value_set(doc, v, "committed", stow_doc_bool(doc, true));
        if (!a->counts_nodes)
            stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, step->add[i].price));
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *moves_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                      const struct stow_step *step)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < step->moves; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "pod", pod_value(doc, a, step->move[i].pod));
        stow_value_set(doc, v, "from", stow_doc_text(doc, step->move[i].from));
        stow_value_set(doc, v, "to", stow_doc_text(doc, step->move[i].to));
        if (step->move[i].waits)
            stow_value_set(doc, v, "waits", stow_doc_bool(doc, true));
        stow_value_push(doc, list, v);
    }
    return list;
}

/* Pending pods whose room is elsewhere after the step. */
static struct stow_value *rooms_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                      const struct stow_step *step)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < step->rooms; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "pod", pod_value(doc, a, step->room[i].pod));
        stow_value_set(doc, v, "node", stow_doc_text(doc, step->room[i].to));
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *step_value(struct stow_doc *doc, const struct stow_consolidation *a,
                                     const struct stow_step *step)
{
    struct stow_value *v = stow_doc_object(doc), *removed = stow_doc_array(doc);

    for (uint32_t i = 0; i < step->removes; i++)
        stow_value_push(doc, removed, stow_doc_text(doc, node_name(a, step->remove[i])));
    stow_value_set(doc, v, "add", adds_value(doc, a, step));
    stow_value_set(doc, v, "move", moves_value(doc, a, step));
    stow_value_set(doc, v, "remove", removed);
    if (step->rooms)
        stow_value_set(doc, v, "pending", rooms_value(doc, a, step));
    set_saving(doc, v, a, step->saving, true);
    if (step->prepares)
        stow_value_set(doc, v, "prepares", stow_doc_int(doc, step->prepares));
    return v;
}

static struct stow_value *kept_value(struct stow_doc *doc, const struct stow_consolidation *a)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < a->kepts; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "node", stow_doc_text(doc, node_name(a, a->kept[i].node)));
        stow_value_set(doc, v, "reason", stow_doc_text(doc, a->kept[i].reason));
        if (a->kept[i].whys)
            stow_value_set(doc, v, "reasons", stow_kept_value(doc, a, &a->kept[i]));
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *awaited_value(struct stow_doc *doc, const struct stow_consolidation *a)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < a->awaiteds; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "pod", pod_value(doc, a, a->awaited[i].pod));
        stow_value_set(doc, v, "node", stow_doc_text(doc, node_name(a, a->awaited[i].node)));
        stow_value_push(doc, list, v);
    }
    return list;
}

struct stow_value *stow_consolidation_value(struct stow_doc *doc,
                                            const struct stow_consolidation *answer)
{
    struct stow_value *v = stow_doc_object(doc), *steps = stow_doc_array(doc);

    for (uint32_t i = 0; i < answer->steps; i++)
        stow_value_push(doc, steps, step_value(doc, answer, &answer->step[i]));
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "Consolidation"));
    stow_value_set(doc, v, "spreadOnRemoval",
                   stow_doc_text(doc, answer->waits ? "wait" : "strict"));
    set_costs(doc, v, answer);
    if (answer->bound != STOW_MONEY_UNKNOWN)
        stow_value_set(doc, v, "bound", bound_value(doc, answer));
    if (stow_consolidation_ended(answer))
        stow_value_set(doc, v, "ended", stow_doc_text(doc, stow_consolidation_ended(answer)));
    set_saving(doc, v, answer, answer->saving, !stow_money_sum_is_unknown(&answer->before));
    if (!answer->counts_nodes)
        stow_value_set(doc, v, "unpriced", stow_doc_int(doc, answer->before.unknown));
    stow_guesses_set(doc, v, &answer->guesses);
    stow_discounted_set(doc, v, &answer->guesses);
    stow_value_set(doc, v, "moved", stow_doc_int(doc, answer->moved));
    stow_limits_set(doc, v, answer);
    stow_frontier_set(doc, v, answer);
    stow_value_set(doc, v, "steps", steps);
    stow_value_set(doc, v, "kept", kept_value(doc, answer));
    if (answer->awaiteds)
        stow_value_set(doc, v, "pending", awaited_value(doc, answer));
    if (answer->bound != STOW_MONEY_UNKNOWN && answer->proof.branches)
        stow_value_set(doc, v, "proof", proof_value(doc, answer));
    stow_defaulted_set(doc, v, answer->s, true);
    stow_warnings_set(doc, v, answer->s, answer->warning, answer->warnings);
    return v;
}

/* ---- in a few lines ---------------------------------------------------------------------- */

static void report_nothing(struct stow_report *report, const struct stow_consolidation *a)
{
    if (stow_money_sum_is_unknown(&a->before)) {
        stow_report_line(report, STOW_ROLE_HEADING,
                         "The possible saving is unknown: no node has a known price");
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "give prices (stowage price import FILE, a PriceBook, or pricePerHour of "
                         "a NodeGroup), or count nodes instead: --minimise nodes");
        return;
    }
    stow_report_line(report, STOW_ROLE_HEADING,
                     stow_limits_cost(a) ? "Nothing to save within the limits"
                     : stow_money_sum_is_exact(&a->before)
                         ? "Nothing to save"
                         : "Nothing to save among the nodes whose price is known");
}

/* A share of a sum with unknown parts is not known. */
static void report_saving(struct stow_report *report, const struct stow_consolidation *a)
{
    char hour[STOW_MONEY_TEXT], month[STOW_MONEY_TEXT], share[24] = "";

    if (!a->steps) {
        report_nothing(report, a);
        return;
    }
    if (stow_money_sum_is_exact(&a->before))
        snprintf(share, sizeof(share), ", %d%%", stow_percent(a->saving, a->before.amount));
    if (a->counts_nodes)
        stow_report_line(report, STOW_ROLE_HEADING, "Save %lld of %u nodes%s",
                         (long long)nodes_of(a->saving), a->nodes_before, share);
    else
        stow_report_line(report, STOW_ROLE_HEADING, "Save %s %.*s per hour, %s per month%s",
                         stow_money_short(a->saving, hour), STOW_FMT(a->currency),
                         stow_cents(stow_per_month(a->saving), month), share);
}

static const struct stow_table_column cost_columns[] = {
    {.title = ""},
    {.title = "NODES", .align = STOW_ALIGN_RIGHT},
    {.title = "COST/H", .align = STOW_ALIGN_POINT},
    {.title = "COST/MONTH", .align = STOW_ALIGN_POINT},
    {0},
};

static void cost_row(struct stow_table *t, const char *name, int64_t nodes,
                     const struct stow_money_sum *cost)
{
    stow_table_row(t);
    stow_table_text(t, name);
    stow_table_int(t, nodes);
    stow_table_sum(t, cost);
    stow_table_month(t, cost);
}

static void report_costs(struct stow_report *report, const struct stow_consolidation *a)
{
    struct stow_table *t;

    if ((!a->steps && !stow_limits_cost(a)) || a->counts_nodes)
        return;
    t = stow_report_table(report, NULL, cost_columns);
    cost_row(t, "before", a->nodes_before, &a->before);
    cost_row(t, "after", a->nodes_after, &a->after);
    if (stow_limits_cost(a))
        cost_row(t, "without limits", a->limits.nodes_after, &a->limits.after);
}

static void report_bound(struct stow_report *report, const struct stow_consolidation *a)
{
    char text[STOW_MONEY_TEXT];

    if (a->bound == STOW_MONEY_UNKNOWN)
        return;
    if (is_proven(a))
        stow_report_line(report, STOW_ROLE_GOOD,
                         "No choice of nodes for these pods %sis %s: proven",
                         a->held_by_pools ? "that the NodePools allow now " : "",
                         a->counts_nodes ? "smaller" : "cheaper");
    else if (a->counts_nodes)
        stow_report_line(report, STOW_ROLE_DIM,
                         "No choice of nodes for these pods has fewer than %lld node%s",
                         (long long)nodes_of(a->bound), nodes_of(a->bound) == 1 ? "" : "s");
    else if (stow_money_sum_is_exact(&a->before))
        stow_report_line(report, STOW_ROLE_DIM,
                         "No choice of nodes for these pods costs less than %s per hour, %.2f%% "
                         "below this one",
                         stow_money_short(a->bound, text),
                         (double)(a->after.amount - a->bound) * 100 / (double)a->after.amount);
    else
        stow_report_line(report, STOW_ROLE_DIM,
                         "No choice of nodes for these pods saves more than another %s per hour",
                         stow_money_short(a->after.amount - a->bound, text));
}

static void report_ended(struct stow_report *report, const struct stow_consolidation *a)
{
    if (stow_consolidation_ended(a))
        stow_report_line(report, STOW_ROLE_WARN, "%s: a longer search may save more",
                         a->stopped ? "The search was stopped" : "The time limit was reached");
}

static void report_unpriced(struct stow_report *report, const struct stow_consolidation *a)
{
    if (stow_money_sum_is_least(&a->before))
        stow_report_line(report, STOW_ROLE_WARN,
                         "%lld node%s ha%s no known price: kept, and not in the sums",
                         (long long)a->before.unknown, a->before.unknown == 1 ? "" : "s",
                         a->before.unknown == 1 ? "s" : "ve");
}

static void report_fees(struct stow_report *report, const struct stow_consolidation *a)
{
    char text[STOW_MONEY_TEXT];

    if (a->fees)
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "Committed: %s %.*s per hour are owed whichever nodes run; before and "
                         "after include them",
                         stow_money_short(a->fees, text), STOW_FMT(a->currency));
}

/* ---- steps ------------------------------------------------------------------------------- */

static const struct stow_table_column step_columns[] = {
    {.title = "STEP", .align = STOW_ALIGN_RIGHT},
    {.title = "REMOVE", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "ADD", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "MOVE", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "SAVES/H", .align = STOW_ALIGN_POINT},
    {.title = "SAVES/MONTH", .align = STOW_ALIGN_POINT, .spare = 1},
    {0},
};

static const struct stow_table_column node_step_columns[] = {
    {.title = "STEP", .align = STOW_ALIGN_RIGHT},
    {.title = "REMOVE", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "ADD", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "MOVE", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "SAVES NODES", .align = STOW_ALIGN_RIGHT},
    {0},
};

/* A list in a cell: names with commas. */
static void add_name(struct stow_buf *text, const char *name)
{
    stow_buf_printf(text, "%s%s", text->len ? ", " : "", name);
}

static void list_cell(struct stow_table *t, struct stow_buf *text, const char *none)
{
    stow_table_str(t, text->len ? stow_buf_str(text) : stow_str_of(none));
    t->report->failed |= text->failed;
    text->len = 0;
}

/* Pods that are pending until the nodes are gone. */
static uint32_t count_waiting(const struct stow_step *step)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < step->moves; i++)
        count += step->move[i].waits;
    return count;
}

/* "n1, np-3": where they go, each once. */
static void add_targets(struct stow_buf *text, const struct stow_step_move *move, uint32_t moves)
{
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < moves; i++) {
        bool seen = false;

        for (uint32_t j = 0; j < i && !seen; j++)
            seen = strcmp(move[j].to, move[i].to) == 0;
        if (!seen)
            stow_buf_printf(text, "%s%s", nodes++ ? ", " : "", move[i].to);
    }
}

/* "2 pods to n1, np-3; room for 1 pending pod on n1"; the moves one by one are in the wide report.
 */
static void moves_cell(struct stow_table *t, const struct stow_step *step, struct stow_buf *text)
{
    if (step->moves) {
        stow_buf_printf(text, "%u pod%s to ", step->moves, stow_plural(step->moves));
        add_targets(text, step->move, step->moves);
    }
    if (step->rooms) {
        stow_buf_printf(text, "%sroom for %u pending pod%s on ", step->moves ? "; " : "",
                        step->rooms, stow_plural(step->rooms));
        add_targets(text, step->room, step->rooms);
    }
    if (count_waiting(step))
        stow_buf_printf(text, "; %u wait%s until %s gone", count_waiting(step),
                        count_waiting(step) == 1 ? "s" : "",
                        step->removes == 1 ? "the node is" : "the nodes are");
    list_cell(t, text, "-");
}

static void saving_cells(struct stow_table *t, const struct stow_consolidation *a, stow_nano saving)
{
    char month[STOW_MONEY_TEXT];

    if (a->counts_nodes) {
        stow_table_int(t, nodes_of(saving));
        return;
    }
    stow_table_money(t, saving);
    stow_table_printf(t, "%s%s", saving < 0 ? "-" : "",
                      stow_cents(stow_per_month(saving < 0 ? -saving : saving), month));
}

static void step_row(struct stow_table *t, const struct stow_consolidation *a, uint32_t number)
{
    const struct stow_step *step = &a->step[number];
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_table_row(t);
    stow_table_int(t, number + 1);
    for (uint32_t i = 0; i < step->removes; i++)
        add_name(&text, node_name(a, step->remove[i]));
    if (step->prepares)
        stow_buf_printf(&text, "%s(saves nothing yet, prepares step %u)", text.len ? " " : "",
                        step->prepares);
    list_cell(t, &text, "-");
    for (uint32_t i = 0; i < step->adds; i++)
        add_name(&text, step->add[i].name);
    list_cell(t, &text, "-");
    moves_cell(t, step, &text);
    saving_cells(t, a, step->saving);
}

static void report_steps(struct stow_report *report, const struct stow_consolidation *a)
{
    struct stow_table *t;

    if (!a->steps)
        return;
    t = stow_report_table(report, "Steps, one after the other",
                          a->counts_nodes ? node_step_columns : step_columns);
    for (uint32_t i = 0; i < a->steps; i++)
        step_row(t, a, i);
    stow_table_footer(t);
    stow_table_text(t, "total");
    for (int i = 0; i < 2; i++)
        stow_table_text(t, "");
    stow_table_printf(t, "%u pod%s", a->moved, stow_plural(a->moved));
    saving_cells(t, a, a->saving);
}

static const struct stow_table_column move_columns[] = {
    {.title = "STEP", .align = STOW_ALIGN_RIGHT},
    {.title = "POD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS},
    {.title = "FROM", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {.title = "TO", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {0},
};

static void report_moves(struct stow_report *report, const struct stow_consolidation *a)
{
    struct stow_table *t;

    if (!a->moved)
        return;
    t = stow_report_table(report, "Moves", move_columns);
    for (uint32_t i = 0; i < a->steps; i++)
        for (uint32_t n = 0; n < a->step[i].moves; n++) {
            const struct stow_step_move *move = &a->step[i].move[n];
            const struct stow_pod *pod = &a->s->pod[move->pod];

            stow_table_row(t);
            stow_table_int(t, i + 1);
            stow_table_printf(t, "%s/%s", stow_text(a->s, pod->namespace).ptr, pod->name);
            stow_table_text(t, move->from);
            stow_table_printf(t, "%s%s", move->to, move->waits ? " (waits)" : "");
        }
}

static const struct stow_table_column room_columns[] = {
    {.title = "POD", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_PODS},
    {.title = "NOW", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {.title = "AFTER", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {0},
};

/* Where a pending pod has room after all steps. */
static const char *last_room(const struct stow_consolidation *a, const struct stow_awaited *awaited)
{
    const char *node = node_name(a, awaited->node);

    for (uint32_t i = 0; i < a->steps; i++)
        for (uint32_t n = 0; n < a->step[i].rooms; n++)
            if (a->step[i].room[n].pod == awaited->pod)
                node = a->step[i].room[n].to;
    return node;
}

static void report_rooms(struct stow_report *report, const struct stow_consolidation *a)
{
    struct stow_table *t;

    if (!a->awaiteds)
        return;
    t = stow_report_table(report, "Pending pods that fit now, and the nodes with room for them",
                          room_columns);
    for (uint32_t i = 0; i < a->awaiteds; i++) {
        const struct stow_pod *pod = &a->s->pod[a->awaited[i].pod];

        stow_table_row(t);
        stow_table_printf(t, "%s/%s", stow_text(a->s, pod->namespace).ptr, pod->name);
        stow_table_text(t, node_name(a, a->awaited[i].node));
        stow_table_text(t, last_room(a, &a->awaited[i]));
    }
}

/* ---- what stays -------------------------------------------------------------------------- */

static const struct stow_table_column kept_columns[] = {
    {.title = "NODE", .squeeze = STOW_SQUEEZE_MIDDLE, .names = STOW_NAMES_NODES},
    {.title = "NODES", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

/* Which nodes to show: each, or the first of those with the same reason. */
static bool is_first(const struct stow_consolidation *a, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (strcmp(a->kept[i].reason, a->kept[at].reason) == 0)
            return false;
    return true;
}

static uint32_t count_like(const struct stow_consolidation *a, uint32_t at)
{
    uint32_t count = 0;

    for (uint32_t i = at; i < a->kepts; i++)
        count += strcmp(a->kept[i].reason, a->kept[at].reason) == 0;
    return count;
}

static void report_kept(struct stow_report *report, const struct stow_consolidation *a, bool each)
{
    struct stow_table *t;

    if (!a->kepts || stow_kept_report(report, a))
        return;
    t = stow_report_table(report, "Nodes that stay", kept_columns);
    for (uint32_t i = 0; i < a->kepts; i++) {
        const uint32_t like = each ? 1 : is_first(a, i) ? count_like(a, i) : 0;

        if (!like)
            continue;
        stow_table_row(t);
        stow_table_printf(t, like > 1 ? "%s, ..." : "%s", node_name(a, a->kept[i].node));
        stow_table_int(t, like);
        stow_table_text(t, a->kept[i].reason);
    }
}

void stow_consolidation_report(struct stow_report *report, const struct stow_consolidation *answer,
                               bool wide, bool each)
{
    report_saving(report, answer);
    report_bound(report, answer);
    report_ended(report, answer);
    report_unpriced(report, answer);
    stow_report_guesses(report, &answer->guesses);
    stow_report_discounted(report, &answer->guesses);
    stow_limits_report(report, answer);
    report_fees(report, answer);
    report_costs(report, answer);
    report_steps(report, answer);
    if (wide) {
        report_moves(report, answer);
        report_rooms(report, answer);
    }
    report_kept(report, answer, wide || each);
}

/* ---- for spreadsheets -------------------------------------------------------------------- */

#define CSV_COLUMNS(saving)                                                                      \
    {                                                                                            \
        {.title = "STEP", .csv_name = "step"}, {.title = "ACTION", .csv_name = "action"},        \
            {.title = "NODE", .csv_name = "node"}, {.title = "GROUP", .csv_name = "group"},      \
            {.title = "POD", .csv_name = "pod"}, {.title = "TO", .csv_name = "to"},              \
            {.title = "SAVES", .csv_name = (saving)}, {.title = "REASON", .csv_name = "reason"}, \
        {                                                                                        \
            0                                                                                    \
        }                                                                                        \
    }

static const struct stow_table_column csv_columns[] = CSV_COLUMNS("saving_per_hour");
static const struct stow_table_column csv_node_columns[] = CSV_COLUMNS("saved_nodes");

static void csv_saving(struct stow_table *t, const struct stow_consolidation *a, stow_nano saving)
{
    if (a->counts_nodes)
        stow_table_int(t, nodes_of(saving));
    else
        stow_table_money(t, saving);
}

/* STEP (0: none), what is done, and the node it is done to. */
static void csv_row(struct stow_table *t, uint32_t step, const char *action, const char *node)
{
    stow_table_row(t);
    if (step)
        stow_table_int(t, step);
    else
        stow_table_text(t, "");
    stow_table_text(t, action);
    stow_table_text(t, node);
}

static void csv_step(struct stow_table *t, const struct stow_consolidation *a, uint32_t number)
{
    const struct stow_step *step = &a->step[number];

    for (uint32_t i = 0; i < step->adds; i++) {
        csv_row(t, number + 1, "add", step->add[i].name);
        stow_table_text(t, group_name(a, step->add[i].group));
        stow_table_text(t, "");
        stow_table_text(t, "");
        csv_saving(t, a, -step->add[i].price);
    }
    for (uint32_t i = 0; i < step->moves; i++) {
        const struct stow_pod *pod = &a->s->pod[step->move[i].pod];

        csv_row(t, number + 1, "move", step->move[i].from);
        stow_table_text(t, "");
        stow_table_printf(t, "%s/%s", stow_text(a->s, pod->namespace).ptr, pod->name);
        stow_table_text(t, step->move[i].to);
        stow_table_text(t, "");
        stow_table_text(t,
                        step->move[i].waits ? "waits until the nodes of this step are gone" : "");
    }
    for (uint32_t i = 0; i < step->removes; i++) {
        const struct stow_node *node = &a->s->node[step->remove[i]];

        csv_row(t, number + 1, "remove", node->name);
        stow_table_text(t, group_name(a, node->group));
        stow_table_text(t, "");
        stow_table_text(t, "");
        csv_saving(t, a, step->price[i]);
    }
}

/* A row, or one for each reason where all are asked for. */
static void csv_kept(struct stow_table *t, const struct stow_consolidation *a,
                     const struct stow_kept_node *kept)
{
    for (uint32_t i = 0; i < kept->whys || i == 0; i++) {
        const struct stow_kept_reason *why = kept->whys ? &kept->why[i] : NULL;
        const struct stow_pod *pod = why && why->pod != STOW_NONE ? &a->s->pod[why->pod] : NULL;

        csv_row(t, 0, "keep", node_name(a, kept->node));
        stow_table_text(t, group_name(a, a->s->node[kept->node].group));
        if (pod)
            stow_table_printf(t, "%s/%s", stow_text(a->s, pod->namespace).ptr, pod->name);
        else
            stow_table_text(t, "");
        stow_table_text(t, "");
        stow_table_text(t, "");
        if (why)
            stow_table_printf(t, "%s: %s", why->rule, why->text);
        else
            stow_table_text(t, kept->reason);
    }
}

void stow_consolidation_csv(struct stow_report *report, const struct stow_consolidation *answer)
{
    struct stow_table *t =
        stow_report_table(report, NULL, answer->counts_nodes ? csv_node_columns : csv_columns);

    for (uint32_t i = 0; i < answer->steps; i++)
        csv_step(t, answer, i);
    for (uint32_t i = 0; i < answer->kepts; i++)
        csv_kept(t, answer, &answer->kept[i]);
}
