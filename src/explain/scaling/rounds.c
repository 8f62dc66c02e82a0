/* rounds.c - how a plan came about, for people.
 *
 * A round is a few lines and a table per ranker asked: the options with the
 * numbers they were compared by, best first.  Long tables end after the best few,
 * and of many rounds the first are shown; `-o wide` cuts nothing, and the CSV has
 * everything in one table. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/placement/placement_internal.h"
#include "explain/scaling/scaling_internal.h"
#include "explain/words.h"

#define OPTIONS_SHOWN 8
#define ROUNDS_SHOWN  12
#define COLUMNS_MAX   64

/* ---- tables whose columns depend on the rankers asked ------------------------------------ */

struct columns {
    struct stow_report *report;
    struct stow_table_column *column; /* in the report's memory */
    uint32_t count;
};

static struct columns new_columns(struct stow_report *report)
{
    struct columns c = {.report = report};

    c.column = stow_arena_zalloc(&report->arena, (COLUMNS_MAX + 1) * sizeof(*c.column));
    report->failed |= c.column == NULL;
    return c;
}

static void add_column(struct columns *c, struct stow_table_column column)
{
    if (c->column && c->count < COLUMNS_MAX)
        c->column[c->count++] = column;
}

static struct stow_table *new_table(struct columns *c, const char *heading)
{
    static const struct stow_table_column none[] = {{0}};

    return stow_report_table(c->report, heading, c->column ? c->column : none);
}

/* "node_cost" becomes "NODE COST". */
static void make_title(char *text)
{
    for (; *text; text++)
        *text = (char)(*text == '_' ? ' ' : toupper((unsigned char)*text));
}

/* What a number of a ranker is called over its column. */
static const char *value_title(struct columns *c, const char *name)
{
    static const char *const known[][2] = {{"node_cost", "COST/H"}, {"pod_cost", "THEORY/H"}};
    char *title;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(name, known[i][0]) == 0)
            return known[i][1];
    title = (char *)stow_arena_text(&c->report->arena, stow_str_of(name));
    if (!title)
        return "";
    make_title(title);
    return title;
}

/* Numbers that stand in columns of their own anyway. */
static bool told_already(const char *value)
{
    return strcmp(value, "nodes") == 0 || strcmp(value, "pods") == 0;
}

/* With `prefix`, CSV names tell rankers apart. */
static void add_value_columns(struct columns *c, const struct stow_ranker *ranker, bool csv)
{
    for (const char *const *name = ranker->value; name && *name; name++) {
        const char *machine =
            csv ? stow_arena_printf(&c->report->arena, "%s_%s", ranker->name, *name) : NULL;

        c->report->failed |= csv && !machine;
        if (csv || !told_already(*name))
            add_column(c, (struct stow_table_column){.title = value_title(c, *name),
                                                     .csv_name = machine,
                                                     .align = STOW_ALIGN_POINT,
                                                     .spare = 1});
    }
}

/* ---- groups that are out of the running -------------------------------------------------- */

static const struct stow_table_column out_columns[] = {
    {.title = "GROUPS", .align = STOW_ALIGN_RIGHT},
    {.title = "WHY", .squeeze = STOW_SQUEEZE_WRAP},
    {.title = "WHICH", .squeeze = STOW_SQUEEZE_WRAP},
    {0},
};

/* Groups with what keeps them out, where something does. */
struct outs {
    const struct stow_plan *plan;
    const struct stow_round *round;
    const struct stow_chain_step *step; /* of its candidates; NULL: of the round's offers */
    uint32_t count;
};

struct out {
    stow_group_id group;
    const char *why; /* NULL: it is in the running */
};

static struct out out_of(const struct outs *outs, uint32_t i)
{
    const struct stow_round *round = outs->round;

    if (outs->step)
        return (struct out){round->candidate_group[i], outs->step->mark[i].skipped};
    if (round->placements)
        return (struct out){round->placement[i].group, round->placement[i].why};
    return (struct out){round->option[i].group,
                        round->option[i].nodes ? NULL : round->option[i].why};
}

static bool said_before(const struct outs *outs, uint32_t at, const char *why)
{
    for (uint32_t i = 0; i < at; i++) {
        const char *before = out_of(outs, i).why;

        if (before && strcmp(before, why) == 0)
            return true;
    }
    return false;
}

/* One row per reason, with the groups that it holds for. */
static void out_row(struct stow_table *t, const struct outs *outs, const char *why)
{
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};
    uint32_t groups = 0;

    for (uint32_t i = 0; i < outs->count; i++) {
        struct out out = out_of(outs, i);

        if (out.why && strcmp(out.why, why) == 0)
            stow_buf_printf(&names, "%s%s", groups++ ? ", " : "",
                            stow_plan_part_name(outs->plan, out.group));
    }
    stow_table_row(t);
    stow_table_int(t, groups);
    stow_table_text(t, why);
    stow_table_str(t, names.failed ? STOW_STR("") : stow_buf_str(&names));
    stow_table_role(t, STOW_ROLE_DIM);
    t->report->failed |= names.failed;
}

static void report_outs(struct stow_report *report, const char *heading, const struct outs *outs)
{
    struct stow_table *t = NULL;

    for (uint32_t i = 0; i < outs->count; i++) {
        const char *why = out_of(outs, i).why;

        if (!why || said_before(outs, i, why))
            continue;
        if (!t)
            t = stow_report_table(report, heading, out_columns);
        out_row(t, outs, why);
    }
}

static void report_without(struct stow_report *report, const struct stow_plan *plan,
                           const struct stow_round *round)
{
    struct outs outs = {plan, round, NULL, round->placements ? round->placements : round->options};

    report_outs(report, "Groups without an option", &outs);
}

/* ---- the options of a chain -------------------------------------------------------------- */

static void option_cells(struct stow_table *t, const struct stow_plan *plan,
                         const struct stow_round *round, uint32_t candidate)
{
    stow_table_text(t, stow_plan_part_name(plan, round->candidate_group[candidate]));
    if (candidate == round->chain.best)
        stow_table_role(t, STOW_ROLE_GOOD);
    stow_table_int(t, round->candidate[candidate].nodes);
    stow_table_int(t, round->candidate[candidate].pods);
}

static void value_cells(struct stow_table *t, const struct stow_chain_step *step,
                        uint32_t candidate, bool csv)
{
    const struct stow_rank_mark *mark = &step->mark[candidate];

    for (uint32_t i = 0; step->ranker->value && step->ranker->value[i]; i++) {
        if (!csv && told_already(step->ranker->value[i]))
            continue;
        if (mark->skipped)
            stow_table_both(t, "-", "");
        else
            stow_points_cell(t, mark->value[i]);
    }
}

static void note_cell(struct stow_table *t, const struct stow_round *round,
                      const struct stow_chain_step *step, uint32_t candidate)
{
    const char *skipped = step->mark[candidate].skipped;

    if (candidate == round->chain.best) {
        stow_table_both(t, skipped ? "wins, not compared" : "wins", "wins");
        stow_table_role(t, STOW_ROLE_GOOD);
    } else if (skipped) {
        stow_table_both(t, "not compared", skipped);
        stow_table_role(t, STOW_ROLE_WARN);
    } else {
        stow_table_text(t, stow_step_kept(step, candidate) ? "kept" : "");
    }
}

static struct columns step_columns(struct stow_report *report, const struct stow_chain_step *step)
{
    struct columns c = new_columns(report);

    add_column(&c, (struct stow_table_column){.title = "GROUP",
                                              .squeeze = STOW_SQUEEZE_MIDDLE,
                                              .names = STOW_NAMES_GROUPS});
    add_column(&c, (struct stow_table_column){.title = "NODES", .align = STOW_ALIGN_RIGHT});
    add_column(&c, (struct stow_table_column){.title = "PODS", .align = STOW_ALIGN_RIGHT});
    add_value_columns(&c, step->ranker, false);
    add_column(&c, (struct stow_table_column){.title = "", .squeeze = STOW_SQUEEZE_WRAP});
    return c;
}

static void report_more(struct stow_report *report, uint32_t hidden)
{
    if (hidden)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more, -o wide shows them", hidden);
}

static void report_step(struct stow_report *report, const struct stow_plan *plan,
                        const struct stow_round *round, uint32_t number, bool wide)
{
    const struct stow_chain_step *step = &round->chain.step[number];
    uint32_t count = 0, shown;
    STOW_AUTO(stow_free_local) uint32_t *order = stow_step_order(round, number, &count);
    struct columns c = step_columns(report, step);
    const char *heading = stow_arena_printf(&report->arena, "%s keeps %u of %u", step->ranker->name,
                                            step->kept_count, count);
    struct stow_table *t = new_table(&c, heading);

    report->failed |= !order;
    shown = wide || count <= OPTIONS_SHOWN ? count : OPTIONS_SHOWN;
    for (uint32_t i = 0; order && i < shown; i++) {
        stow_table_row(t);
        option_cells(t, plan, round, order[i]);
        value_cells(t, step, order[i], false);
        note_cell(t, round, step, order[i]);
    }
    report_more(report, count - shown);
    report_outs(report, "Not compared", &(struct outs){plan, round, step, round->candidates});
}

/* ---- the placements of NRU --------------------------------------------------------------- */

static bool counts_hundredths(const struct stow_plan *plan)
{
    return plan->nru_rules != STOW_NRU_DOCUMENT;
}

static struct columns placement_columns(struct stow_report *report, const struct stow_plan *plan)
{
    bool waste = plan->nru_scorer == STOW_NRU_LEAST_WASTE;
    struct columns c = new_columns(report);

    add_column(&c, (struct stow_table_column){.title = "GROUP",
                                              .csv_name = "group",
                                              .squeeze = STOW_SQUEEZE_MIDDLE,
                                              .names = STOW_NAMES_GROUPS});
    add_column(&c, (struct stow_table_column){
                       .title = "PODS", .csv_name = "pods", .align = STOW_ALIGN_RIGHT});
    add_column(&c, (struct stow_table_column){.title = "ELSEWHERE",
                                              .csv_name = "side_pods",
                                              .align = STOW_ALIGN_RIGHT,
                                              .spare = 3});
    add_column(&c, (struct stow_table_column){
                       .title = "NRU", .csv_name = "nru", .align = STOW_ALIGN_POINT});
    add_column(&c, (struct stow_table_column){.title = "CAPACITY NRU",
                                              .csv_name = "nru_capacity",
                                              .align = STOW_ALIGN_POINT,
                                              .spare = 2});
    add_column(&c, (struct stow_table_column){.title = "PRICE/H",
                                              .csv_name = "price_per_hour",
                                              .align = STOW_ALIGN_POINT,
                                              .spare = 1});
    add_column(&c, (struct stow_table_column){.title = waste ? "NRU WASTED" : "NRU/PRICE",
                                              .csv_name = "score",
                                              .align = STOW_ALIGN_POINT});
    if (counts_hundredths(plan))
        add_column(&c, (struct stow_table_column){
                           .title = "VALUE", .csv_name = "value", .align = STOW_ALIGN_RIGHT});
    return c;
}

static void placement_cells(struct stow_table *t, const struct stow_plan *plan,
                            const struct stow_round_placement *p)
{
    stow_table_text(t, stow_plan_part_name(plan, p->group));
    stow_table_int(t, p->pods);
    stow_table_int(t, p->side_pods);
    stow_points_cell(t, p->nru);
    stow_points_cell(t, p->nru_capacity);
    stow_table_money(t, p->price);
    if (p->why)
        stow_table_both(t, "-", "");
    else
        stow_points_cell(t, p->score);
    if (counts_hundredths(plan) && p->why)
        stow_table_both(t, "-", "");
    else if (counts_hundredths(plan))
        stow_table_int(t, p->value);
}

static void placement_note(struct stow_table *t, const struct stow_round *round, uint32_t i)
{
    if (i == round->winner) {
        stow_table_text(t, "wins");
        stow_table_role(t, STOW_ROLE_GOOD);
        return;
    }
    stow_table_text(t, round->placement[i].why);
    stow_table_role(t, STOW_ROLE_WARN);
}

/* Those that are in the running stand first. */
static uint32_t running(const struct stow_round *round)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < round->placements; i++)
        count += !round->placement[i].why;
    return count;
}

static void report_placements(struct stow_report *report, const struct stow_plan *plan,
                              const struct stow_round *round, bool wide)
{
    STOW_AUTO(stow_free_local) uint32_t *order = stow_placement_order(plan, round);
    struct columns c = placement_columns(report, plan);
    uint32_t count = running(round);
    uint32_t shown = wide || count <= OPTIONS_SHOWN ? count : OPTIONS_SHOWN;
    struct stow_table *t;

    report->failed |= !order;
    if (count == 0)
        return;
    add_column(&c, (struct stow_table_column){.title = "", .squeeze = STOW_SQUEEZE_WRAP});
    t = new_table(&c, NULL);
    for (uint32_t i = 0; order && i < shown; i++) {
        stow_table_row(t);
        placement_cells(t, plan, &round->placement[order[i]]);
        placement_note(t, round, order[i]);
    }
    report_more(report, count - shown);
}

/* ---- a round ----------------------------------------------------------------------------- */

/* "burst 0 → 2, general-a 1 → 2" */
static void add_bought(struct stow_buf *out, const struct stow_plan *plan,
                       const struct stow_round *round)
{
    for (uint32_t i = 0; i < round->boughts; i++)
        stow_buf_printf(out, "%s%s %u → %u", i ? ", " : "",
                        stow_plan_part_name(plan, round->bought[i].group), round->bought[i].from,
                        round->bought[i].to);
}

static uint32_t pods_taken(const struct stow_round *round)
{
    if (round->placements)
        return round->placement[round->winner].pods + round->placement[round->winner].side_pods;
    return round->candidate[round->chain.best].pods;
}

static void report_outcome(struct stow_report *report, const struct stow_plan *plan,
                           const struct stow_round *round)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    uint32_t pods;

    if (!stow_round_winner(plan, round)) {
        stow_report_line(report, STOW_ROLE_HEADING, "Round %u: no group helps", round->number);
        return;
    }
    pods = pods_taken(round);
    add_bought(&text, plan, round);
    stow_buf_char(&text, '\0');
    report->failed |= text.failed;
    stow_report_line(report, STOW_ROLE_HEADING, "Round %u: %s, for %u pod%s", round->number,
                     text.failed || !round->boughts ? stow_round_winner(plan, round) : text.ptr,
                     pods, stow_plural(pods));
}

static void report_runner_up(struct stow_report *report, const struct stow_plan *plan,
                             const struct stow_round *round)
{
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};
    const char *name = stow_round_runner_up(plan, round);

    if (!name || !stow_round_winner(plan, round))
        return;
    stow_round_lost(plan, round, &why);
    stow_buf_char(&why, '\0');
    report->failed |= why.failed;
    stow_report_line(report, STOW_ROLE_PLAIN, "runner-up %s: %s", name, why.failed ? "" : why.ptr);
}

/* Pools have priorities, or all of them have the same. */
static bool has_priorities(const struct stow_plan *plan)
{
    for (uint32_t i = 0; i < plan->rounds; i++)
        if (plan->round[i].pool_priority || plan->round[i].template_priority)
            return true;
    return false;
}

static void report_round(struct stow_report *report, const struct stow_plan *plan,
                         const struct stow_round *round, bool wide)
{
    report_outcome(report, plan, round);
    report_runner_up(report, plan, round);
    if (round->placements && has_priorities(plan))
        stow_report_line(report, STOW_ROLE_DIM, "groups of priority %d, templates of priority %d",
                         round->pool_priority, round->template_priority);
    if (round->placements)
        report_placements(report, plan, round, wide);
    for (uint32_t i = 0; round->candidates && i < round->chain.steps; i++)
        report_step(report, plan, round, i, wide);
    report_without(report, plan, round);
}

void stow_scaling_rounds(struct stow_report *report, const struct stow_plan *plan, bool wide)
{
    uint32_t shown = wide || plan->rounds <= ROUNDS_SHOWN ? plan->rounds : ROUNDS_SHOWN;

    for (uint32_t i = 0; i < shown; i++)
        report_round(report, plan, &plan->round[i], wide);
    if (shown < plan->rounds)
        stow_report_line(report, STOW_ROLE_DIM, "and %u more rounds, -o wide shows them",
                         plan->rounds - shown);
}

/* ---- as a spreadsheet -------------------------------------------------------------------- */

static void placements_csv(struct stow_report *report, const struct stow_plan *plan)
{
    struct columns all = new_columns(report), c = placement_columns(report, plan);
    struct stow_table *t;

    add_column(&all, (struct stow_table_column){.title = "ROUND", .csv_name = "round"});
    for (uint32_t i = 0; i < c.count; i++)
        add_column(&all, c.column[i]);
    add_column(&all, (struct stow_table_column){.title = "RESULT", .csv_name = "result"});
    t = new_table(&all, NULL);
    for (uint32_t r = 0; r < plan->rounds; r++)
        for (uint32_t i = 0; i < plan->round[r].placements; i++) {
            stow_table_row(t);
            stow_table_int(t, plan->round[r].number);
            placement_cells(t, plan, &plan->round[r].placement[i]);
            placement_note(t, &plan->round[r], i);
        }
}

/* The rankers of a plan: those of the round that asked most. */
static const struct stow_chain_result *longest_chain(const struct stow_plan *plan)
{
    const struct stow_chain_result *longest = NULL;

    for (uint32_t i = 0; i < plan->rounds; i++)
        if (!longest || plan->round[i].chain.steps > longest->steps)
            longest = &plan->round[i].chain;
    return longest;
}

static void empty_cells(struct stow_table *t, const struct stow_ranker *ranker)
{
    for (uint32_t i = 0; ranker->value && ranker->value[i]; i++)
        stow_table_text(t, "");
}

/* The step that said something about a candidate last. */
static void candidate_csv(struct stow_table *t, const struct stow_plan *plan,
                          const struct stow_round *round, const struct stow_chain_result *chain,
                          uint32_t candidate)
{
    uint32_t lost = stow_chain_lost_at(&round->chain, candidate);

    stow_table_row(t);
    stow_table_int(t, round->number);
    option_cells(t, plan, round, candidate);
    for (uint32_t i = 0; i < chain->steps; i++)
        if (i < round->chain.steps && i <= lost)
            value_cells(t, &round->chain.step[i], candidate, true);
        else
            empty_cells(t, chain->step[i].ranker);
    if (round->chain.steps)
        note_cell(t, round,
                  &round->chain.step[lost < round->chain.steps ? lost : round->chain.steps - 1],
                  candidate);
}

static void options_csv(struct stow_report *report, const struct stow_plan *plan)
{
    const struct stow_chain_result *chain = longest_chain(plan);
    struct columns c = new_columns(report);
    struct stow_table *t;

    add_column(&c, (struct stow_table_column){.title = "ROUND", .csv_name = "round"});
    add_column(&c, (struct stow_table_column){.title = "GROUP", .csv_name = "group"});
    add_column(&c, (struct stow_table_column){.title = "NODES", .csv_name = "nodes"});
    add_column(&c, (struct stow_table_column){.title = "PODS", .csv_name = "pods"});
    for (uint32_t i = 0; chain && i < chain->steps; i++)
        add_value_columns(&c, chain->step[i].ranker, true);
    add_column(&c, (struct stow_table_column){.title = "RESULT", .csv_name = "result"});
    t = new_table(&c, NULL);
    for (uint32_t r = 0; chain && r < plan->rounds; r++)
        for (uint32_t i = 0; i < plan->round[r].candidates; i++)
            candidate_csv(t, plan, &plan->round[r], chain, i);
}

void stow_scaling_rounds_csv(struct stow_report *report, const struct stow_plan *plan)
{
    if (plan->has_bound)
        stow_scaling_prices(report, plan, true);
    else if (stow_plan_by_nru(plan))
        placements_csv(report, plan);
    else
        options_csv(report, plan);
}
