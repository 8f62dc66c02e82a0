/* placement_why.c - why a pod goes where it goes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "explain/amount.h"
#include "explain/placement.h"

#define EXAMPLES 3 /* nodes named per reason */

/* ---- reasons, grouped -------------------------------------------------------------------- */

struct grouped {
    const char *text, *example;
    int32_t filter;
    uint32_t nodes;
};

struct groups {
    struct grouped *item;
    uint32_t count, cap;
};

static void groups_done(struct groups *g)
{
    free(g->item);
}

/* "cpu: wants 2.00, free 1.50", or what the rule says itself. */
static const char *numbers(struct stow_arena *arena, const struct stow_snapshot *s,
                           const char *node, const struct stow_reason *r)
{
    char wanted[STOW_AMOUNT_TEXT], left[STOW_AMOUNT_TEXT];

    if (r->resource != STOW_NONE)
        return stow_arena_printf(arena, "%s (%s: wants %s, free %s)", node,
                                 stow_text(s, s->resource[r->resource]).ptr,
                                 stow_amount_short(s, r->resource, r->wanted, wanted),
                                 stow_amount_short(s, r->resource, r->free, left));
    return r->detail ? stow_arena_printf(arena, "%s (%s)", node, r->detail)
                     : stow_arena_printf(arena, "%s", node);
}

static int add_reason(struct groups *g, struct stow_arena *arena, const struct stow_snapshot *s,
                      const char *node, const struct stow_reason *r, int32_t filter)
{
    struct grouped *found = NULL;

    for (uint32_t i = 0; i < g->count && !found; i++)
        if (g->item[i].filter == filter && strcmp(g->item[i].text, r->text) == 0)
            found = &g->item[i];
    if (!found) {
        found = STOW_PUSH(&g->item, &g->count, &g->cap);
        if (!found)
            return STOW_ENOMEM;
        *found = (struct grouped){stow_arena_text(arena, stow_str_of(r->text)), "", filter, 0};
    }
    if (found->nodes < EXAMPLES)
        found->example = stow_arena_printf(arena, "%s%s%s", found->example,
                                           found->nodes ? ", " : "", numbers(arena, s, node, r));
    found->nodes++;
    return found->text && found->example ? STOW_OK : STOW_ENOMEM;
}

static int compare_groups(const void *a, const void *b)
{
    const struct grouped *x = a, *y = b;

    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int group_reasons(struct groups *g, const struct stow_state *state,
                         const struct stow_profile *profile, const struct stow_subject *pod,
                         struct stow_judgement *judgement)
{
    static const struct stow_reason outside = {.text = "node(s) didn't match the pod's node names",
                                               .resource = STOW_NONE};

    for (stow_node_id i = 0; i < judgement->nodes; i++) {
        struct stow_reasons reasons;
        const char *name = state->s->node[i].name;

        if (judgement->node[i].feasible)
            continue;
        stow_judge_explain(state, profile, pod, judgement, i, &judgement->arena, &reasons);
        if (reasons.count == 0)
            STOW_TRY(add_reason(g, &judgement->arena, state->s, name, &outside, -1));
        for (uint32_t n = 0; n < reasons.count; n++)
            STOW_TRY(add_reason(g, &judgement->arena, state->s, name, &reasons.reason[n],
                                judgement->node[i].filter));
    }
    if (g->count)
        qsort(g->item, g->count, sizeof(*g->item), compare_groups);
    return STOW_OK;
}

/* ---- tables ------------------------------------------------------------------------------ */

static const struct stow_column score_columns[] = {
    {.title = "SCORER"},
    {.title = "RAW", .align = STOW_ALIGN_POINT},
    {.title = "SCORE", .align = STOW_ALIGN_POINT},
    {.title = "WEIGHT", .align = STOW_ALIGN_POINT},
    {.title = "POINTS", .align = STOW_ALIGN_POINT},
    {.title = "RUNNER-UP", .align = STOW_ALIGN_POINT},
    {.title = "NOTE"},
    {0},
};

static void number_cell(struct stow_table *t, double value)
{
    char text[40];

    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(text, sizeof(text), "%.0f", value);
    else
        snprintf(text, sizeof(text), "%.4f", value);
    stow_table_text(t, text);
}

/* Parts of a scorer that is a sum itself (ultron), below its row. */
static void part_row(void *ctx, const char *name, double value, double weight, const char *flag)
{
    struct stow_table *t = ctx;

    stow_table_row(t);
    stow_table_printf(t, "  %s", name);
    stow_table_role(t, STOW_ROLE_DIM);
    number_cell(t, value);
    stow_table_text(t, "");
    number_cell(t, weight);
    number_cell(t, weight * value);
    stow_table_text(t, "");
    stow_table_text(t, flag);
    stow_table_role(t, STOW_ROLE_WARN);
}

static void score_row(struct stow_table *t, const struct stow_state *state,
                      const struct stow_profile *profile, const struct stow_subject *pod,
                      const struct stow_judgement *j, uint32_t scorer)
{
    const struct stow_profile_scorer *f = &profile->scorer[scorer];
    const double *score = j->score + (size_t)scorer * j->nodes;

    stow_table_row(t);
    stow_table_text(t, f->rule->name);
    number_cell(t, j->raw[(size_t)scorer * j->nodes + j->best]);
    number_cell(t, score[j->best]);
    number_cell(t, f->weight);
    number_cell(t, f->weight * score[j->best]);
    if (j->runner_up != STOW_NONE)
        number_cell(t, f->weight * score[j->runner_up]);
    if (f->rule->explain)
        f->rule->explain(f->self, j->scorer_prep[scorer], state, pod, j->best, part_row, t);
}

static void report_scores(struct stow_report *report, const struct stow_state *state,
                          const struct stow_profile *profile, const struct stow_subject *pod,
                          const struct stow_judgement *j)
{
    struct stow_table *t = stow_report_table(report, "Score of the chosen node", score_columns);

    for (uint32_t i = 0; i < profile->scorers; i++)
        if (!j->skipped[i])
            score_row(t, state, profile, pod, j, i);
    stow_table_footer(t);
    stow_table_text(t, "total");
    stow_table_text(t, "");
    stow_table_text(t, "");
    stow_table_text(t, "");
    number_cell(t, j->node[j->best].total);
    if (j->runner_up != STOW_NONE)
        number_cell(t, j->node[j->runner_up].total);
}

static const struct stow_column reason_columns[] = {
    {.title = "NODES", .align = STOW_ALIGN_RIGHT},
    {.title = "FILTER"},
    {.title = "REASON", .max_width = 56},
    {.title = "SUCH AS", .max_width = 76},
    {0},
};

static const char *filter_name(const struct stow_profile *profile, int32_t filter)
{
    return filter < 0 ? "node-affinity" : profile->filter[filter].rule->name;
}

static void report_reasons(struct stow_report *report, const struct stow_profile *profile,
                           const struct groups *g)
{
    struct stow_table *t;

    if (!g->count)
        return;
    t = stow_report_table(report, "Nodes that were dropped", reason_columns);
    for (uint32_t i = 0; i < g->count; i++) {
        stow_table_row(t);
        stow_table_int(t, g->item[i].nodes);
        stow_table_text(t, filter_name(profile, g->item[i].filter));
        stow_table_text(t, g->item[i].text);
        stow_table_text(t, g->item[i].example);
    }
}

static void report_choice(struct stow_report *report, const struct stow_snapshot *s,
                          const struct stow_decision *d, const struct stow_judgement *j)
{
    uint32_t feasible = 0;

    for (stow_node_id i = 0; i < j->nodes; i++)
        feasible += j->node[i].feasible;
    stow_report_line(report, STOW_ROLE_HEADING, "%s/%s", stow_text(s, s->pod[d->pod].namespace).ptr,
                     s->pod[d->pod].name);
    if (j->best == STOW_NONE) {
        stow_report_line(report, STOW_ROLE_BAD, "no node of %u can take it (profile %s)", j->nodes,
                         d->profile->name);
        return;
    }
    stow_report_line(report, STOW_ROLE_GOOD,
                     "goes to %s, the best of %u candidates among %u nodes (profile %s)",
                     s->node[j->best].name, feasible, j->nodes, d->profile->name);
    if (j->runner_up != STOW_NONE)
        stow_report_line(report, STOW_ROLE_PLAIN, "runner-up %s, %.9g points behind%s",
                         s->node[j->runner_up].name,
                         (double)(j->node[j->best].key - j->node[j->runner_up].key) / 1e9,
                         j->node[j->best].key == j->node[j->runner_up].key
                             ? ": a tie, settled by the profile's tie-break"
                             : "");
}

static void report_without_profile(struct stow_report *report, const struct stow_snapshot *s,
                                   const struct stow_decision *d)
{
    stow_report_line(report, STOW_ROLE_HEADING, "%s/%s", stow_text(s, s->pod[d->pod].namespace).ptr,
                     s->pod[d->pod].name);
    stow_report_line(report, STOW_ROLE_BAD, "%s",
                     d->outcome == STOW_GATED
                         ? "is not tried: it has scheduling gates"
                         : "is not tried: no profile is for its schedulerName");
}

int stow_placement_explain(struct stow_report *report, const struct stow_state *state,
                           const struct stow_decision *decision, struct stow_err *err)
{
    STOW_AUTO(stow_judgement_done) struct stow_judgement j = {0};
    STOW_AUTO(groups_done) struct groups groups = {0};
    const struct stow_profile *profile = decision->profile;
    struct stow_subject pod = stow_subject_of(state->s, decision->pod);

    if (!profile) {
        report_without_profile(report, state->s, decision);
        return STOW_OK;
    }
    STOW_TRY(stow_judge(state, profile, &pod, &j, err));
    if (group_reasons(&groups, state, profile, &pod, &j) < 0)
        return stow_fail_memory(err);
    report_choice(report, state->s, decision, &j);
    if (j.best != STOW_NONE)
        report_scores(report, state, profile, &pod, &j);
    report_reasons(report, profile, &groups);
    return STOW_OK;
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *candidate_value(struct stow_doc *doc, const struct stow_state *state,
                                          const struct stow_profile *profile,
                                          const struct stow_judgement *j, stow_node_id node)
{
    struct stow_value *v = stow_doc_object(doc), *parts = stow_doc_array(doc);

    for (uint32_t i = 0; i < profile->scorers; i++) {
        struct stow_value *part;

        if (j->skipped[i])
            continue;
        part = stow_doc_object(doc);
        stow_value_set(doc, part, "scorer", stow_doc_text(doc, profile->scorer[i].rule->name));
        stow_value_set(doc, part, "raw", stow_doc_real(doc, j->raw[(size_t)i * j->nodes + node]));
        stow_value_set(doc, part, "score",
                       stow_doc_real(doc, j->score[(size_t)i * j->nodes + node]));
        stow_value_set(doc, part, "weight", stow_doc_real(doc, profile->scorer[i].weight));
        stow_value_push(doc, parts, part);
    }
    stow_value_set(doc, v, "node", stow_doc_text(doc, state->s->node[node].name));
    stow_value_set(doc, v, "score", stow_doc_real(doc, j->node[node].total));
    stow_value_set(doc, v, "components", parts);
    return v;
}

static struct stow_value *dropped_value(struct stow_doc *doc, const struct stow_profile *profile,
                                        const struct groups *g)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < g->count; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "filter",
                       stow_doc_text(doc, filter_name(profile, g->item[i].filter)));
        stow_value_set(doc, v, "reason", stow_doc_text(doc, g->item[i].text));
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, g->item[i].nodes));
        stow_value_set(doc, v, "suchAs", stow_doc_text(doc, g->item[i].example));
        stow_value_push(doc, list, v);
    }
    return list;
}

int stow_placement_explain_value(struct stow_doc *doc, struct stow_value *array,
                                 const struct stow_state *state,
                                 const struct stow_decision *decision, struct stow_err *err)
{
    STOW_AUTO(stow_judgement_done) struct stow_judgement j = {0};
    STOW_AUTO(groups_done) struct groups groups = {0};
    struct stow_value *v = stow_doc_object(doc), *candidates = stow_doc_array(doc);
    const struct stow_snapshot *s = state->s;
    struct stow_subject pod = stow_subject_of(s, decision->pod);

    if (!decision->profile)
        return STOW_OK;
    STOW_TRY(stow_judge(state, decision->profile, &pod, &j, err));
    if (group_reasons(&groups, state, decision->profile, &pod, &j) < 0)
        return stow_fail_memory(err);
    for (stow_node_id i = 0; i < j.nodes; i++)
        if (j.node[i].feasible)
            stow_value_push(doc, candidates, candidate_value(doc, state, decision->profile, &j, i));
    stow_value_set(
        doc, v, "pod",
        stow_doc_textf(doc, "%s/%s", stow_text(s, pod.pod->namespace).ptr, pod.pod->name));
    stow_value_set(doc, v, "profile", stow_doc_text(doc, decision->profile->name));
    stow_value_set(doc, v, "chosen",
                   stow_doc_text(doc, j.best == STOW_NONE ? NULL : s->node[j.best].name));
    stow_value_set(doc, v, "runnerUp",
                   stow_doc_text(doc, j.runner_up == STOW_NONE ? NULL : s->node[j.runner_up].name));
    stow_value_set(doc, v, "candidates", candidates);
    stow_value_set(doc, v, "dropped", dropped_value(doc, decision->profile, &groups));
    stow_value_push(doc, array, v);
    return STOW_OK;
}
