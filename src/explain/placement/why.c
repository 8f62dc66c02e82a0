/* why.c - why a pod goes where it goes, for people.
 *
 * One screen, however large the cluster: the choice and what decided it, the best
 * candidates, the points of the first two part by part, and the dropped nodes by
 * reason with the nearest ones named.  Tables are at most 100 columns wide unless
 * names are longer than most; `-o wide` cuts nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain/placement/placement_internal.h"
#include "model/values/amount.h"

#define EXAMPLES      3 /* named per reason */
#define EXAMPLES_WIDE 12
#define CANDIDATES    5 /* shown unless all are asked for */

/* ---- numbers ----------------------------------------------------------------------------- */

static void number_cell(struct stow_table *t, double value)
{
    char text[STOW_POINTS_TEXT];

    stow_table_text(t, stow_points_text(value, text));
}

static double behind(const struct stow_judgement *j, stow_node_id node)
{
    return (double)(j->node[j->best].key - j->node[node].key) / 1e9;
}

/* ---- the choice in words ----------------------------------------------------------------- */

static bool differ_in(const struct stow_state *state, enum stow_tie tie, stow_node_id a,
                      stow_node_id b)
{
    const struct stow_node_money *money = state->money;

    if (tie == STOW_TIE_PRICE)
        return money && money[a].price != money[b].price;
    if (tie == STOW_TIE_RATE)
        return money && money[a].rate != money[b].rate;
    return true;
}

/* What settles a tie between two nodes. */
static const char *settled_by(const struct stow_why *why, stow_node_id a, stow_node_id b)
{
    static const char *const words[] = {
        [STOW_TIE_PRICE] = "the lower price",
        [STOW_TIE_RATE] = "fewer interruptions",
        [STOW_TIE_NAME] = "its name",
        [STOW_TIE_INPUT_ORDER] = "the order of the input",
    };

    for (uint32_t i = 0; i < why->profile->ties; i++)
        if (differ_in(why->state, why->profile->tie[i], a, b))
            return words[why->profile->tie[i]];
    return words[STOW_TIE_NAME];
}

static void report_pod(struct stow_report *report, const struct stow_snapshot *s,
                       const struct stow_decision *d)
{
    const struct stow_pod *pod = &s->pod[d->pod];

    stow_report_line(report, STOW_ROLE_HEADING, d->profile ? "%s/%s (profile %s)" : "%s/%s",
                     stow_text(s, pod->namespace).ptr, pod->name,
                     d->profile ? d->profile->name : "");
}

static void report_none(struct stow_report *report, const struct stow_why *why)
{
    uint32_t nodes = why->judgement.nodes;

    if (nodes == 0)
        stow_report_line(report, STOW_ROLE_BAD, "finds no node: the cluster has none");
    else if (nodes == 1)
        stow_report_line(report, STOW_ROLE_BAD, "finds no node: the only one cannot take it");
    else
        stow_report_line(report, STOW_ROLE_BAD, "finds no node: none of %u can take it", nodes);
}

static void report_winner(struct stow_report *report, const struct stow_why *why)
{
    const char *name = why->state->s->node[why->judgement.best].name;
    uint32_t nodes = why->judgement.nodes;

    if (nodes == 1)
        stow_report_line(report, STOW_ROLE_GOOD, "goes to %s, the only node", name);
    else if (why->candidates == 1)
        stow_report_line(report, STOW_ROLE_GOOD, "goes to %s, the only candidate among %u nodes",
                         name, nodes);
    else
        stow_report_line(report, STOW_ROLE_GOOD,
                         "goes to %s, the best of %u candidates among %u nodes", name,
                         why->candidates, nodes);
}

static void report_runner_up(struct stow_report *report, const struct stow_why *why)
{
    const struct stow_judgement *j = &why->judgement;
    char points[STOW_POINTS_TEXT];

    if (j->runner_up == STOW_NONE)
        return;

    const char *name = why->state->s->node[j->runner_up].name;

    if (j->node[j->best].key == j->node[j->runner_up].key)
        stow_report_line(report, STOW_ROLE_PLAIN, "a tie with %s, settled by %s", name,
                         settled_by(why, j->best, j->runner_up));
    else
        stow_report_line(report, STOW_ROLE_PLAIN, "runner-up %s, %s points behind", name,
                         stow_points_text(behind(j, j->runner_up), points));
}

/* ---- the best candidates ----------------------------------------------------------------- */

static const struct stow_table_column candidate_columns[] = {
    {.title = "NODE",
     .csv_name = "node",
     .squeeze = STOW_SQUEEZE_MIDDLE,
     .names = STOW_NAMES_NODES},
    {.title = "POINTS", .csv_name = "points", .align = STOW_ALIGN_POINT},
    {.title = "BEHIND", .csv_name = "behind", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT, .spare = 2},
    {.title = "INTERRUPTED/30D",
     .csv_name = "interrupted_per_30_days",
     .align = STOW_ALIGN_RIGHT,
     .spare = 3},
    {0},
};

static void rate_cell(struct stow_table *t, const struct stow_node_money *money)
{
    if (money && money->rate >= 0 && money->capacity_type == STOW_CAPACITY_SPOT)
        stow_table_share(t, money->rate, 1000000000);
    else
        stow_table_both(t, money && money->capacity_type == STOW_CAPACITY_SPOT ? "unknown" : "-",
                        "");
}

static void candidate_row(struct stow_table *t, const struct stow_why *why, stow_node_id node)
{
    const struct stow_node_money *money = why->state->money ? &why->state->money[node] : NULL;

    stow_table_row(t);
    stow_table_text(t, why->state->s->node[node].name);
    stow_points_cell(t, why->judgement.node[node].total);
    stow_points_cell(t, behind(&why->judgement, node));
    stow_table_money(t, money ? money->price : STOW_MONEY_UNKNOWN);
    rate_cell(t, money);
}

static void report_candidates(struct stow_report *report, const struct stow_why *why, bool all)
{
    uint32_t shown = all || why->candidates <= CANDIDATES ? why->candidates : CANDIDATES;
    struct stow_table *t;

    if (why->candidates == 0 && !all)
        return;
    t = stow_report_table(report, "Best candidates", candidate_columns);
    for (uint32_t i = 0; i < shown; i++)
        candidate_row(t, why, why->candidate[i]);
    if (shown < why->candidates)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more; -o wide shows all of them",
                         why->candidates - shown);
}

/* ---- points, part by part ---------------------------------------------------------------- */

static const struct stow_table_column score_columns[] = {
    {.title = "SCORER", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "RAW", .align = STOW_ALIGN_POINT, .spare = 3},
    {.title = "SCORE", .align = STOW_ALIGN_POINT, .spare = 2},
    {.title = "WEIGHT", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "POINTS", .align = STOW_ALIGN_POINT},
    {.title = "RUNNER-UP", .align = STOW_ALIGN_POINT},
    {.title = "NOTE", .squeeze = STOW_SQUEEZE_WRAP, .spare = 4},
    {0},
};

/* Whether the parts add up to the score: only then they are points themselves. */
static bool adds_up(const struct stow_score_parts *parts, double score)
{
    double sum = 0;

    for (uint32_t i = 0; i < parts->count; i++)
        sum += parts->part[i].value * parts->part[i].weight;
    return fabs(sum - score) <= 1e-9 * fmax(1, fabs(score));
}

static void part_row(struct stow_table *t, const struct stow_score_part *best,
                     const struct stow_score_part *other, double weight)
{
    stow_table_row(t);
    stow_table_printf(t, "  %s", best->name);
    stow_table_role(t, STOW_ROLE_DIM);
    number_cell(t, best->value);
    stow_table_text(t, "");
    number_cell(t, best->weight);
    if (weight != 0)
        number_cell(t, weight * best->weight * best->value);
    else
        stow_table_text(t, "");
    if (weight != 0 && other)
        number_cell(t, weight * other->weight * other->value);
    else
        stow_table_text(t, "");
    stow_table_text(t, best->flag);
    stow_table_role(t, STOW_ROLE_WARN);
}

/* `weight` of the scorer makes points of the parts; 0: they are not points. */
static void part_rows(struct stow_table *t, const struct stow_score_parts *best,
                      const struct stow_score_parts *other, double weight)
{
    bool alike = other->count == best->count;

    for (uint32_t i = 0; i < best->count; i++)
        part_row(t, &best->part[i], alike ? &other->part[i] : NULL, weight);
}

static void score_row(struct stow_table *t, const struct stow_why *why, uint32_t scorer)
{
    const struct stow_judgement *j = &why->judgement;
    const struct stow_profile_scorer *f = &why->profile->scorer[scorer];
    const double *score = j->score + (size_t)scorer * j->nodes;
    struct stow_score_parts best, other = {.count = 0};

    stow_why_parts(why, scorer, j->best, &best);
    if (j->runner_up != STOW_NONE)
        stow_why_parts(why, scorer, j->runner_up, &other);
    stow_table_row(t);
    stow_table_text(t, f->rule->name);
    number_cell(t, j->raw[(size_t)scorer * j->nodes + j->best]);
    number_cell(t, score[j->best]);
    number_cell(t, f->weight);
    number_cell(t, f->weight * score[j->best]);
    if (j->runner_up != STOW_NONE)
        number_cell(t, f->weight * score[j->runner_up]);
    else
        stow_table_text(t, "");
    stow_table_text(t, best.mode);
    part_rows(t, &best, &other, adds_up(&best, score[j->best]) ? f->weight : 0);
}

static void report_scores(struct stow_report *report, const struct stow_why *why)
{
    const struct stow_judgement *j = &why->judgement;
    struct stow_table *t = stow_report_table(report, "Points of the chosen node", score_columns);

    stow_table_when_empty(t, "the profile has no scorer for this pod: all candidates tie");
    for (uint32_t i = 0; i < why->profile->scorers; i++)
        if (!j->skipped[i])
            score_row(t, why, i);
    if (t->rows == 0)
        return;
    stow_table_footer(t);
    stow_table_text(t, "total");
    for (int i = 0; i < 3; i++)
        stow_table_text(t, "");
    number_cell(t, j->node[j->best].total);
    if (j->runner_up != STOW_NONE)
        number_cell(t, j->node[j->runner_up].total);
}

static bool has_flag(const struct stow_score_parts *parts, const struct stow_score_part *like)
{
    for (uint32_t i = 0; i < parts->count; i++)
        if (parts->part[i].flag && strcmp(parts->part[i].flag, like->flag) == 0)
            return true;
    return false;
}

/* What is unknown of the runner-up alone may be why it is only that. */
static void report_flags(struct stow_report *report, const struct stow_why *why)
{
    const struct stow_judgement *j = &why->judgement;
    struct stow_score_parts best, other;

    for (uint32_t i = 0; j->runner_up != STOW_NONE && i < why->profile->scorers; i++) {
        if (j->skipped[i])
            continue;
        stow_why_parts(why, i, j->best, &best);
        stow_why_parts(why, i, j->runner_up, &other);
        for (uint32_t n = 0; n < other.count; n++)
            if (other.part[n].flag && !has_flag(&best, &other.part[n]))
                stow_report_line(report, STOW_ROLE_WARN, "%s of the runner-up: %s",
                                 other.part[n].name, other.part[n].flag);
    }
}

/* ---- dropped nodes ----------------------------------------------------------------------- */

static const struct stow_table_column reason_columns[] = {
    {.title = "NODES", .align = STOW_ALIGN_RIGHT},
    {.title = "FILTER", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "REASON", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

/* Neighbours in a group that say the same. */
struct run {
    const struct stow_dropped *first;
    uint32_t nodes;
};

struct runs {
    struct run run[EXAMPLES_WIDE];
    uint32_t count, room;
    bool more; /* there are others */
};

static bool says_same(const struct stow_reason *a, const struct stow_reason *b)
{
    if (a->resource != STOW_NONE)
        return a->free == b->free;
    return (!a->detail && !b->detail) ||
           (a->detail && b->detail && strcmp(a->detail, b->detail) == 0);
}

/* Amounts stay in order, nearest first; of other details the most frequent are kept. */
static void keep_run(struct runs *to, struct run run)
{
    bool in_order = run.first->reason.resource != STOW_NONE;
    uint32_t at = to->count;

    while (!in_order && at > 0 && to->run[at - 1].nodes < run.nodes)
        at--;
    to->more |= to->count == to->room;
    if (at == to->room)
        return;
    if (to->count < to->room)
        to->count++;
    memmove(&to->run[at + 1], &to->run[at], (to->count - at - 1) * sizeof(run));
    to->run[at] = run;
}

static void find_runs(const struct stow_drop_group *g, struct runs *ret)
{
    for (uint32_t i = 0, like; i < g->nodes; i += like) {
        for (like = 1;
             i + like < g->nodes && says_same(&g->dropped[i].reason, &g->dropped[i + like].reason);)
            like++;
        keep_run(ret, (struct run){&g->dropped[i], like});
    }
}

/* "2.11 on data-a1, 1 more" */
static void add_run(struct stow_buf *out, const struct stow_snapshot *s, const struct run *run)
{
    const struct stow_reason *r = &run->first->reason;
    char text[STOW_AMOUNT_TEXT];
    const char *what =
        r->resource != STOW_NONE ? stow_amount_short(s, r->resource, r->free, text) : r->detail;

    if (what)
        stow_buf_printf(out, "%s on ", what);
    stow_buf_text(out, s->node[run->first->node].name);
    if (run->nodes > 1)
        stow_buf_printf(out, ", %u more", run->nodes - 1);
}

static void add_examples(struct stow_buf *out, const struct stow_snapshot *s,
                         const struct stow_drop_group *g, uint32_t room)
{
    struct runs runs = {.room = room};
    const struct stow_reason *first = &g->dropped[0].reason;
    char text[STOW_AMOUNT_TEXT];

    find_runs(g, &runs);
    if (first->resource != STOW_NONE)
        stow_buf_printf(
            out, "wants %s; free: ", stow_amount_short(s, first->resource, first->wanted, text));
    for (uint32_t i = 0; i < runs.count; i++) {
        stow_buf_text(out, i ? "; " : "");
        add_run(out, s, &runs.run[i]);
    }
    stow_buf_text(out, runs.more ? "; …" : "");
}

/* The nodes nearest to fitting, below the reason. */
static void example_row(struct stow_table *t, const struct stow_snapshot *s,
                        const struct stow_drop_group *g, bool wide)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    add_examples(&text, s, g, wide ? EXAMPLES_WIDE : EXAMPLES);
    stow_table_row(t);
    stow_table_text(t, "");
    stow_table_text(t, "");
    stow_table_str(t, text.failed ? STOW_STR("") : stow_buf_str(&text));
    stow_table_role(t, STOW_ROLE_DIM);
    t->report->failed |= text.failed;
}

void stow_report_dropped(struct stow_report *report, const struct stow_why *why,
                         const char *heading, bool wide)
{
    struct stow_table *t;

    if (!why->groups)
        return;
    t = stow_report_table(report, heading, reason_columns);
    for (uint32_t i = 0; i < why->groups; i++) {
        stow_table_row(t);
        stow_table_int(t, why->group[i].nodes);
        stow_table_text(t, stow_drop_filter(why->profile, why->group[i].filter));
        stow_table_text(t, why->group[i].text);
        example_row(t, why->state->s, &why->group[i], wide);
    }
}

int stow_placement_explain(struct stow_report *report, const struct stow_state *state,
                           const struct stow_decision *decision, bool wide, struct stow_err *err)
{
    STOW_AUTO(stow_why_done) struct stow_why why = {0};

    report_pod(report, state->s, decision);
    if (stow_not_tried(decision)) {
        stow_report_line(report, STOW_ROLE_BAD, "is not tried: %s", stow_not_tried(decision));
        return STOW_OK;
    }
    STOW_TRY(stow_why_make(state, decision, &why, err));
    if (why.judgement.best == STOW_NONE) {
        report_none(report, &why);
    } else {
        report_winner(report, &why);
        report_runner_up(report, &why);
    }
    report_candidates(report, &why, wide);
    if (why.judgement.best != STOW_NONE) {
        report_scores(report, &why);
        report_flags(report, &why);
    }
    stow_report_dropped(report, &why, "Nodes that were filtered out", wide);
    return STOW_OK;
}
