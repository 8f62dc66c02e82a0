/* order.c - who was better in a round, and why the runner-up lost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/placement/placement_internal.h"
#include "explain/scaling/scaling_internal.h"

const char *stow_plan_scorer(const struct stow_plan *plan)
{
    return strcmp(plan->strategy, "nru") == 0 ? stow_nru_scorer_names[plan->nru_scorer] : NULL;
}

bool stow_plan_by_nru(const struct stow_plan *plan)
{
    return plan->rounds && plan->round[0].placements;
}

static const char *candidate_name(const struct stow_plan *plan, const struct stow_round *round,
                                  uint32_t candidate, uint32_t placement)
{
    if (round->placements)
        return placement == STOW_NONE
                   ? NULL
                   : stow_plan_part_name(plan, round->placement[placement].group);
    return candidate == STOW_NONE ? NULL
                                  : stow_plan_part_name(plan, round->candidate_group[candidate]);
}

const char *stow_round_winner(const struct stow_plan *plan, const struct stow_round *round)
{
    return candidate_name(plan, round, round->chain.best, round->winner);
}

const char *stow_round_runner_up(const struct stow_plan *plan, const struct stow_round *round)
{
    return candidate_name(plan, round, round->chain.runner_up, round->runner_up);
}

/* ---- chains ------------------------------------------------------------------------------ */

struct stow_rank_reading stow_rank_reading(const struct stow_ranker *ranker)
{
    struct stow_rank_reading r = {.decides = STOW_NONE};

    while (ranker->value && ranker->value[r.values])
        r.values++;
    if (r.values)
        r.decides = r.values - 1;
    r.larger = strcmp(ranker->name, "most-pods") == 0 || strcmp(ranker->name, "priority") == 0;
    return r;
}

bool stow_step_kept(const struct stow_chain_step *step, uint32_t candidate)
{
    for (uint32_t i = 0; i < step->kept_count; i++)
        if (step->kept[i] == candidate)
            return true;
    return false;
}

uint32_t stow_chain_lost_at(const struct stow_chain_result *chain, uint32_t candidate)
{
    for (uint32_t i = 0; i < chain->steps; i++)
        if (!stow_step_kept(&chain->step[i], candidate))
            return i;
    return chain->steps;
}

/* The winner, those kept, those that were compared, those that were not. */
static int candidate_tier(const struct stow_round *round, const struct stow_chain_step *step,
                          uint32_t candidate)
{
    if (candidate == round->chain.best)
        return 0;
    if (stow_step_kept(step, candidate))
        return 1;
    return step->mark[candidate].skipped ? 3 : 2;
}

static int compare_decider(const struct stow_chain_step *step, uint32_t a, uint32_t b)
{
    struct stow_rank_reading reading = stow_rank_reading(step->ranker);
    double x, y;

    if (reading.decides == STOW_NONE)
        return 0;
    x = step->mark[a].value[reading.decides];
    y = step->mark[b].value[reading.decides];
    return reading.larger ? (x < y) - (x > y) : (x > y) - (x < y);
}

struct step_ordering {
    const struct stow_round *round;
    const struct stow_chain_step *step;
};

static int compare_candidates(const void *a, const void *b, void *ctx)
{
    const struct step_ordering *o = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int tier = candidate_tier(o->round, o->step, x) - candidate_tier(o->round, o->step, y);

    if (tier == 0)
        tier = compare_decider(o->step, x, y);
    if (tier)
        return tier;
    return x < y ? -1 : x > y;
}

uint32_t *stow_step_order(const struct stow_round *round, uint32_t step, uint32_t *ret_count)
{
    const struct stow_chain_step *here = &round->chain.step[step];
    uint32_t count = step ? here[-1].kept_count : round->candidates;
    uint32_t *order = calloc((size_t)count + 1, sizeof(*order));
    struct step_ordering o = {round, here};

    *ret_count = count;
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = step ? here[-1].kept[i] : i;
    if (order)
        qsort_r(order, count, sizeof(*order), compare_candidates, &o);
    return order;
}

/* "score 3.21 against 2.98"; numbers that look alike are written out. */
static void add_numbers(struct stow_buf *out, const char *what, double lost, double won)
{
    char a[STOW_POINTS_TEXT], b[STOW_POINTS_TEXT];
    const char *shown = stow_points_text(lost, a), *than = stow_points_text(won, b);

    if (strcmp(shown, than) == 0)
        stow_buf_printf(out, "%s %.17g against %.17g", what, lost, won);
    else
        stow_buf_printf(out, "%s %s against %s", what, shown, than);
}

/* The name of a value, in words. */
static const char *value_words(const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s", name);
    for (char *at = text; *at; at++)
        if (*at == '_')
            *at = ' ';
    return text;
}

static double cost_of(const struct stow_candidate *c)
{
    return c->priced ? c->node_price * c->nodes : INFINITY;
}

/* The order at the end of a chain (chain.c). */
static void add_settled(struct stow_buf *out, const struct stow_candidate *won,
                        const struct stow_candidate *lost)
{
    if (won->priced && !lost->priced)
        stow_buf_text(out, "its cost is not known");
    else if (cost_of(won) < cost_of(lost))
        add_numbers(out, "cost per hour", cost_of(lost), cost_of(won));
    else if (won->nodes != lost->nodes)
        add_numbers(out, "nodes", lost->nodes, won->nodes);
    else if (won->pods != lost->pods)
        add_numbers(out, "pods", lost->pods, won->pods);
    else
        stow_buf_text(out, "after it in the order of names");
}

static void chain_lost(const struct stow_round *round, struct stow_buf *out)
{
    const struct stow_chain_result *chain = &round->chain;
    uint32_t at = stow_chain_lost_at(chain, chain->runner_up);
    char words[64];

    if (at == chain->steps) {
        stow_buf_text(out, "equal for every ranker; ");
        add_settled(out, &round->candidate[chain->best], &round->candidate[chain->runner_up]);
        return;
    }

    const struct stow_chain_step *step = &chain->step[at];
    const struct stow_rank_mark *lost = &step->mark[chain->runner_up];
    struct stow_rank_reading reading = stow_rank_reading(step->ranker);

    if (lost->skipped)
        stow_buf_printf(out, "not compared by %s: %s", step->ranker->name, lost->skipped);
    else if (reading.decides == STOW_NONE)
        stow_buf_printf(out, "%s chose the other", step->ranker->name);
    else
        add_numbers(out, value_words(step->ranker->value[reading.decides], words, sizeof(words)),
                    lost->value[reading.decides], step->mark[chain->best].value[reading.decides]);
}

/* ---- nru --------------------------------------------------------------------------------- */

/* What placements are compared by, in order. */
struct criterion {
    const char *what;
    bool larger; /* wins */
    double (*of)(const struct stow_round_placement *p);
};

static double score_of(const struct stow_round_placement *p)
{
    return p->score;
}

static double value_of(const struct stow_round_placement *p)
{
    return (double)p->value;
}

static double capacity_of(const struct stow_round_placement *p)
{
    return p->nru_capacity;
}

static double price_of(const struct stow_round_placement *p)
{
    return (double)p->price / STOW_NANO_PER_UNIT;
}

#define CRITERIA 2

/* The selection tables of nru.c, for telling what decided. */
static const struct criterion *criteria(const struct stow_plan *plan)
{
    static const struct criterion table[][3][CRITERIA] =
        {
            [STOW_NRU_LEAST_COST] =
                {
                    [STOW_NRU_DOCUMENT] = {{"score", true, score_of},
                                           {"the same score; capacity in NRU", true, capacity_of}},
                    [STOW_NRU_MAIN] = {{"capacity in NRU", true, capacity_of}},
                    [STOW_NRU_PR158] = {{"score in hundredths", true, value_of},
                                        {"the same score; capacity in NRU", true, capacity_of}},
                },
            [STOW_NRU_LEAST_WASTE] =
                {
                    [STOW_NRU_DOCUMENT] = {{"NRU wasted", false, score_of},
                                           {"the same waste; price", false, price_of}},
                    [STOW_NRU_MAIN] = {{NULL, false, NULL}},
                    [STOW_NRU_PR158] = {{"NRU wasted, in hundredths", false, value_of},
                                        {"the same waste; price", false, price_of}},
                },
        };

    return table[plan->nru_scorer][plan->nru_rules];
}

/* < 0: `a` is better.  Quotients that are equal may differ in the last bit of a double. */
static int compare_by(const struct criterion *c, const struct stow_round_placement *a,
                      const struct stow_round_placement *b)
{
    double x = c->of(a), y = c->of(b);

    if (x == y || fabs(x - y) <= 1e-12 * fmax(fabs(x), fabs(y)))
        return 0;
    return (x < y) == c->larger ? 1 : -1;
}

static void nru_lost(const struct stow_plan *plan, const struct stow_round *round,
                     struct stow_buf *out)
{
    const struct stow_round_placement *won = &round->placement[round->winner];
    const struct stow_round_placement *lost = &round->placement[round->runner_up];
    const struct criterion *c = criteria(plan);

    for (uint32_t i = 0; i < CRITERIA && c[i].what; i++) {
        if (compare_by(&c[i], won, lost) == 0)
            continue;
        add_numbers(out, c[i].what, c[i].of(lost), c[i].of(won));
        return;
    }
    stow_buf_text(out, plan->nru_rules == STOW_NRU_MAIN && plan->nru_scorer == STOW_NRU_LEAST_WASTE
                           ? "these rules take the first of the list"
                           : "equal in everything, after it in the order of names");
}

void stow_round_lost(const struct stow_plan *plan, const struct stow_round *round,
                     struct stow_buf *out)
{
    if (!stow_round_winner(plan, round) || !stow_round_runner_up(plan, round))
        return;
    if (round->placements)
        nru_lost(plan, round, out);
    else
        chain_lost(round, out);
}

/* ---- the order of placements ------------------------------------------------------------- */

struct ordering {
    const struct stow_plan *plan;
    const struct stow_round *round;
};

static int tier_of(const struct stow_round *round, uint32_t i)
{
    if (i == round->winner)
        return 0;
    if (i == round->runner_up)
        return 1;
    return round->placement[i].why ? 3 : 2;
}

static int compare_placements(const void *a, const void *b, void *ctx)
{
    const struct ordering *o = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int tier = tier_of(o->round, x) - tier_of(o->round, y);
    const struct criterion *c = criteria(o->plan);

    for (uint32_t i = 0; tier == 0 && i < CRITERIA && c[i].what; i++)
        tier = compare_by(&c[i], &o->round->placement[x], &o->round->placement[y]);
    if (tier)
        return tier;
    return x < y ? -1 : x > y;
}

uint32_t *stow_placement_order(const struct stow_plan *plan, const struct stow_round *round)
{
    uint32_t *order = calloc((size_t)round->placements + 1, sizeof(*order));
    struct ordering o = {plan, round};

    for (uint32_t i = 0; order && i < round->placements; i++)
        order[i] = i;
    if (order)
        qsort_r(order, round->placements, sizeof(*order), compare_placements, &o);
    return order;
}
