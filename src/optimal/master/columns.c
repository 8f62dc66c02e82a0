/* columns.c - column generation with smoothed prices.
 *
 * Problem.  The linear program over all patterns has more columns than anybody can list.  Solve it
 * over the patterns known, ask for each kind whether a pattern is missing at the prices it yields,
 * add what is found, repeat.
 *
 * Two things go wrong in the plain loop.  Prices jump: early ones are extreme, and the patterns
 * they ask for are of no use later.  And the loop says nothing until it ends.  Both are helped by
 * pricing not at the prices of the linear program but between them and the prices with the best
 * bound so far (smoothing): those are tame, and every round yields a bound (bound.c).  When nothing
 * found there improves the linear program, the point moves toward its prices, and at them the
 * absence of patterns ends it.  The linear program decides by its own prices what it takes, so
 * patterns that are nearly worth their price in between are looked at, too.
 *
 * Finding and proving.  Most rounds need patterns, not proofs: rounding and a short search do. What
 * was found says how good a bound these prices could prove at best; only when that is much better
 * than the best bound are all kinds searched so closely that it is proved, each down to what the
 * bound needs of it and no further.
 *
 * Effort.  When a round finds nothing, or the value no longer falls, more effort is made: for the
 * kind alone that limits the bound if there is one, else for all, up to a limit.  Kinds that are
 * still open then weaken the bound and nothing else.
 *
 * Invariants.  best_* satisfy the conditions of bound.c whatever happened since.  Same input, same
 * patterns in the same order, for any number of threads. */
#include "optimal/master/columns.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

#define ALPHA     0.5 /* weight of the best prices, as long as bounds get better */
#define TOLERANCE 1e-6
#define HOPE      0.2  /* of what is missing: a bound that is better by less is not proved */
#define SLACK_MIN 0.01 /* of the cost: how nearly a pattern must be worth it */
#define SLACK_MAX 0.03
#define FEW       2    /* patterns per kind and round, where no bound is wanted */
#define GOOD      0.25 /* of the gap: how far from a node's worth a pattern may be without a search */
#define MANY      6    /* columns per row; beyond that those go that are ... */
#define FAR       0.05 /* ... so much of their price too expensive */
#define WINDOW    8    /* rounds in which the value must fall */
#define PROGRESS  0.05 /* by so much of what is missing */

#define LIGHT_PROGRESS 0.03 /* the same for light efforts, whose rounds take no time */

/* ---- life ------------------------------------------------------------------------------------ */

int stow_generator_init(struct stow_generator *gen, const struct stow_task *stage,
                        struct stow_pool *pool, struct stow_pricer *pricer, double artificial)
{
    const struct stow_model *m = stage->m;

    *gen = (struct stow_generator){.stage = stage, .pool = pool, .pricer = pricer};
    gen->bound = -INFINITY;
    gen->best_y = calloc(m->classes + 1, sizeof(double));
    gen->best_w = calloc(m->rows + 1, sizeof(double));
    gen->best_worth = calloc(m->kinds + 1, sizeof(double));
    gen->y = calloc(m->classes + 1, sizeof(double));
    gen->w_row = calloc(m->rows + 1, sizeof(double));
    gen->cost = calloc(m->kinds + 1, sizeof(double));
    if (!gen->best_y || !gen->best_w || !gen->best_worth || !gen->y || !gen->w_row || !gen->cost)
        return STOW_ENOMEM;
    return stow_master_init(&gen->master, stage, pool, artificial);
}

void stow_generator_done(struct stow_generator *gen)
{
    stow_master_done(&gen->master);
    free(gen->best_y);
    free(gen->best_w);
    free(gen->best_worth);
    free(gen->y);
    free(gen->w_row);
    free(gen->cost);
    free(gen->is_column);
    free(gen->fresh);
    free(gen->offered);
    memset(gen, 0, sizeof(*gen));
}

void stow_generator_forget(struct stow_generator *gen)
{
    gen->bound = -INFINITY;
    gen->window = 0;
}

int stow_generator_remove(struct stow_generator *gen, const bool *out)
{
    for (uint32_t c = 0; c < gen->master.patterns; c++)
        if (out[c])
            gen->is_column[gen->master.pattern[c]] = false;
    return stow_master_remove(&gen->master, out);
}

/* Room for one flag per pattern of the pool. */
static int reserve_flags(struct stow_generator *gen)
{
    uint32_t before = gen->is_column_cap;

    if (stow_vec_reserve(&gen->is_column, &gen->is_column_cap, gen->pool->patterns + 1,
                         sizeof(*gen->is_column)) < 0)
        return STOW_ENOMEM;
    memset(gen->is_column + before, 0, (gen->is_column_cap - before) * sizeof(*gen->is_column));
    return 0;
}

/* All at once: adding to the linear program copies it. */
int stow_generator_add(struct stow_generator *gen, const uint32_t *pattern, uint32_t count)
{
    STOW_TRY(reserve_flags(gen));
    gen->news = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (gen->is_column[pattern[i]])
            continue;

        uint32_t *made = STOW_PUSH(&gen->fresh, &gen->news, &gen->fresh_cap);

        if (!made)
            return STOW_ENOMEM;
        *made = pattern[i];
        gen->is_column[pattern[i]] = true;
    }
    return gen->news ? stow_master_add(&gen->master, gen->fresh, gen->news) : 0;
}

/* ---- prices of a round ----------------------------------------------------------------------- */

/* What a node costs at the prices of rows, and of its own limit when that is scarce. */
static void set_costs(struct stow_generator *gen)
{
    const struct stow_task *s = gen->stage;

    for (uint32_t g = 0; g < s->m->kinds; g++) {
        double cost =
            (double)s->price[g] + stow_master_row_cost(s, gen->w_row, g) + gen->master.w_kind[g];

        cost -= gen->master.discount[g];
        gen->cost[g] = cost > 0 ? cost : 0;
    }
}

/* Whole numbers below 2^53 are exact in doubles, and so are their sums.  Where a node full of pods
 * could be worth more than that, prices become multiples of a larger unit, a power of two. */
static void round_prices(struct stow_generator *gen)
{
    const struct stow_model *m = gen->stage->m;
    double top = 1, unit;

    for (uint32_t k = 0; k < m->classes; k++)
        top = fmax(top, gen->y[k]);
    unit = fmax(1, ldexp(1, ilogb(top) + ilogb(m->pods_most + 1) + 2 - DBL_MANT_DIG));
    for (uint32_t k = 0; k < m->classes; k++)
        gen->y[k] = unit * floor(gen->y[k] / unit);
}

static void mix_prices(struct stow_generator *gen, double alpha)
{
    const struct stow_model *m = gen->stage->m;

    if (!isfinite(gen->bound))
        alpha = 0;
    for (uint32_t k = 0; k < m->classes; k++)
        gen->y[k] = alpha * gen->best_y[k] + (1 - alpha) * gen->master.y[k];
    round_prices(gen);
    for (uint32_t r = 0; r < m->rows; r++)
        gen->w_row[r] = round(alpha * gen->best_w[r] + (1 - alpha) * gen->master.w_row[r]);
    set_costs(gen);
}

/* Keeps the prices of this round when they prove more. */
static int judge_prices(struct stow_generator *gen)
{
    const struct stow_model *m = gen->stage->m;
    double *worth = gen->pricer->goal, bound, scale;

    for (uint32_t g = 0; g < m->kinds; g++)
        worth[g] = gen->pricer->offer[g].worth;

    struct stow_prices prices = {gen->y, gen->w_row, worth};

    STOW_TRY(stow_bound_estimate(gen->stage, &prices, &bound, &scale));
    if (!(bound > gen->bound))
        return STOW_OK;
    gen->improved_at = gen->rounds;
    gen->bound = bound;
    memcpy(gen->best_y, gen->y, m->classes * sizeof(double));
    memcpy(gen->best_w, gen->w_row, m->rows * sizeof(double));
    memcpy(gen->best_worth, worth, m->kinds * sizeof(double));
    return STOW_OK;
}

/* ---- patterns of a round --------------------------------------------------------------------- */

/* Whether a pattern improves the linear program at its own prices. */
static bool improves(const struct stow_generator *gen, uint32_t g, const struct stow_term *term,
                     uint32_t terms)
{
    const struct stow_master *t = &gen->master;
    double cost =
        (double)gen->stage->price[g] + stow_master_row_cost(gen->stage, t->w_row, g) + t->w_kind[g];
    double value = stow_terms_worth(term, terms, t->y);

    cost -= t->discount[g];
    return value > cost + TOLERANCE * fabs(cost) + 1;
}

/* Takes a kind's patterns into the pool and the list of news; how many, < 0: out of memory. */
static int64_t take_offer(struct stow_generator *gen, uint32_t g)
{
    const struct stow_priced_pattern *offer = &gen->pricer->offer[g];
    uint32_t before = gen->offers;

    for (uint32_t i = 0, first = 0; i < offer->patterns; first = offer->end[i++]) {
        const struct stow_term *term = offer->term + first;
        uint32_t terms = offer->end[i] - first;

        if (!terms || !improves(gen, g, term, terms))
            continue;

        int64_t p = stow_pool_add(gen->pool, g, term, terms);
        uint32_t *made = STOW_PUSH(&gen->offered, &gen->offers, &gen->offered_cap);

        if (p < 0 || !made)
            return STOW_ENOMEM;
        *made = (uint32_t)p;
    }
    return gen->offers - before;
}

/* The number of columns added; < 0: out of memory. */
static int64_t take_offers(struct stow_generator *gen)
{
    uint32_t before = gen->master.patterns;

    gen->offers = 0;
    for (uint32_t g = 0; g < gen->stage->m->kinds; g++) {
        int64_t more = gen->stage->most[g] ? take_offer(gen, g) : 0;

        if (more < 0)
            return more;
    }
    STOW_TRY(stow_generator_add(gen, gen->offered, gen->offers));
    return gen->master.patterns - before;
}

/* What a kind may be worth: the discount is not for bounds. */
static double full_cost(const struct stow_generator *gen, uint32_t g)
{
    return gen->cost[g] + gen->master.discount[g];
}

/* What the kinds are worth by the patterns that are columns already. */
static void count_columns(const struct stow_generator *gen, double *worth)
{
    for (uint32_t c = 0; c < gen->master.patterns; c++) {
        uint32_t p = gen->master.pattern[c], kind = gen->pool->pattern[p].kind;
        double value = stow_pool_worth(gen->pool, p, gen->y);

        worth[kind] = value > worth[kind] ? value : worth[kind];
    }
}

/* The bound these prices would prove if no pattern were better than those found; `goal` gets how
 * little each kind must be worth for that. */
static int set_goals(struct stow_generator *gen, double *ret_bound)
{
    const struct stow_model *m = gen->stage->m;
    double *goal = gen->pricer->goal, scale;

    for (uint32_t g = 0; g < m->kinds; g++) {
        const struct stow_priced_pattern *offer = &gen->pricer->offer[g];
        double least = offer->worth < gen->cost[g] ? offer->worth : gen->cost[g];

        goal[g] = ceil(offer->value > least ? offer->value : least);
    }
    count_columns(gen, goal);

    struct stow_prices prices = {gen->y, gen->w_row, goal};

    STOW_TRY(stow_bound_estimate(gen->stage, &prices, ret_bound, &scale));
    for (uint32_t g = 0; g < m->kinds; g++)
        if (scale > 0 && full_cost(gen, g) / scale > goal[g])
            goal[g] = floor(full_cost(gen, g) / scale);
    return STOW_OK;
}

/* Whether a bound is so much better than the best one that proving it is worth the time. */
static bool is_hopeful(const struct stow_generator *gen, double bound)
{
    double value = gen->master.objective;

    return bound > gen->bound + HOPE * (value - gen->bound) && bound > gen->bound;
}

/* Patterns that are nearly worth their price between the two kinds of prices may be worth more than
 * that at those of the linear program, which decide: how nearly. */
static double slack_of(const struct stow_generator *gen)
{
    double gap = 1 - gen->bound / gen->master.objective;

    return gap < SLACK_MIN ? SLACK_MIN : gap > SLACK_MAX ? SLACK_MAX : gap;
}

/* A kind whose worth cannot be proved to be what its patterns say spoils the bound for all.  Where
 * few of its nodes are wanted there is a cheaper way: the linear program gets it at a discount of
 * that much.  Then prices fall until its patterns are worth less than its nodes cost, by what
 * cannot be proved, and the bound loses only what the discount takes off those few nodes.  It stays
 * true: it is for the full cost, whatever the prices were found by. */
static int ease_worst(struct stow_generator *gen)
{
    const double *goal = gen->pricer->goal;
    double most = 1 + 1e-5;
    uint32_t worst = UINT32_MAX;

    for (uint32_t g = 0; g < gen->stage->m->kinds; g++) {
        const struct stow_priced_pattern *offer = &gen->pricer->offer[g];

        if (goal[g] > 0 && offer->worth > most * goal[g] && offer->worth > most * offer->value) {
            most = offer->worth / goal[g];
            worst = g;
        }
    }
    if (worst == UINT32_MAX || gen->stage->most[worst] != STOW_PROBLEM_UNLIMITED)
        return 0;

    double discount = gen->master.discount[worst] + (most - 1) * (double)gen->stage->price[worst];
    double loss = (most - 1) * stow_master_spent(&gen->master, worst);

    if (gen->eased + loss > gen->ease * gen->master.objective)
        return 0;
    gen->eased += loss;
    return stow_master_discount(&gen->master, worst, floor(discount));
}

/* The bound says nothing yet: as if it were 0. */
static double gap_of(const struct stow_generator *gen)
{
    const double gap = isfinite(gen->bound) ? 1 - gen->bound / gen->master.objective : 1;

    return gap > 0 ? gap : 0;
}

/* Proves what the prices of this round promise, if that is worth the time: how many patterns that
 * brought, < 0: out of memory. */
static int64_t prove_more(struct stow_generator *gen, const struct stow_pricing_round *round)
{
    double bound;

    STOW_TRY(set_goals(gen, &bound));
    if (!is_hopeful(gen, bound))
        return 0;
    stow_pricer_prove(gen->pricer, round);

    const int64_t more = take_offers(gen);

    return more >= 0 && ease_worst(gen) < 0 ? STOW_ENOMEM : more;
}

/* The number of columns added; < 0: out of memory. */
static int64_t price_once(struct stow_generator *gen, double alpha, bool prove, double deadline)
{
    double since = stow_clock();
    int64_t added, more = 0;
    bool complete; /* every kind was looked at */

    mix_prices(gen, alpha);

    struct stow_pricing_round round = {.stage = gen->stage,
                                       .y = gen->y,
                                       .cost = gen->cost,
                                       .tolerance = alpha > 0 ? -slack_of(gen) : TOLERANCE,
                                       .effort = gen->effort,
                                       .patterns = prove ? STOW_SACK_PATTERNS : FEW,
                                       .good = 1 - GOOD * gap_of(gen),
                                       .deadline = deadline};

    stow_pricer_find(gen->pricer, &round);
    complete = !gen->pricer->late;
    if (prove && complete)
        stow_pricer_vary(gen->pricer, &round);
    added = take_offers(gen);
    stow_phases_add(gen->phases, STOW_PHASE_PRICING, &since);
    if (added >= 0 && prove && gen->effort >= STOW_EFFORT_PROOF && complete)
        more = prove_more(gen, &round);
    if (complete && judge_prices(gen) < 0)
        more = STOW_ENOMEM;
    stow_phases_add(gen->phases, STOW_PHASE_PROOF, &since);
    return added < 0 || more < 0 ? STOW_ENOMEM : added + more;
}

/* Nothing is worth more than it costs. */
static bool all_settled(const struct stow_generator *gen)
{
    for (uint32_t g = 0; g < gen->stage->m->kinds; g++)
        if (gen->pricer->offer[g].worth > full_cost(gen, g) * (1 + 2 * TOLERANCE))
            return false;
    return true;
}

/* As long as bounds get better it pays to stay near the centre; when they do not, patterns are
 * wanted that the linear program asks for. */
static double weight_of_centre(const struct stow_generator *gen)
{
    uint32_t idle = gen->rounds - gen->improved_at;

    return idle < 4 ? ALPHA : idle < 10 ? ALPHA / 2 : ALPHA / 4;
}

/* Prices nearer and nearer to those of the linear program until something comes out. */
static int64_t price_round(struct stow_generator *gen, bool prove, double deadline)
{
    double alpha = prove ? weight_of_centre(gen) : 0;

    for (;;) {
        int64_t added = price_once(gen, alpha, prove, deadline);

        if (added != 0 || alpha == 0 || gen->pricer->late)
            return added;
        alpha = alpha > 0.2 ? alpha / 2 : 0;
    }
}

static bool finished(struct stow_generator *gen, const struct stow_generate_limits *limits)
{
    double value = gen->master.objective;

    if (limits->cutoff > 0 && gen->bound > limits->cutoff)
        return true;
    if (isfinite(gen->bound) && gen->master.missing < 1e-6 &&
        value - gen->bound <= limits->gap * value)
        return true;
    gen->late = stow_clock_is_over(limits->deadline);
    return gen->late;
}

int stow_generator_start(struct stow_generator *gen, const double *y)
{
    for (uint32_t k = 0; k < gen->stage->m->classes; k++)
        gen->y[k] = y[k] > 0 ? y[k] : 0;
    round_prices(gen);
    set_costs(gen);

    /* A search that is stopped before it begins has a bound, too: this one. */
    struct stow_pricing_round round = {.stage = gen->stage,
                                       .y = gen->y,
                                       .cost = gen->cost,
                                       .tolerance = TOLERANCE,
                                       .patterns = 1,
                                       .whole = true};

    stow_pricer_find(gen->pricer, &round);
    return judge_prices(gen);
}

/* Light efforts go on finding patterns long after these have ceased to matter: when the value has
 * fallen by less than a small part of what is missing over a number of rounds, it is time for more.
 */
static bool is_stuck(struct stow_generator *gen)
{
    double value = gen->master.objective;

    bool light = gen->effort < STOW_EFFORT_PROOF;
    double least = (light ? LIGHT_PROGRESS : PROGRESS) * (value - gen->bound);

    if (gen->rounds % WINDOW != 0 || !isfinite(gen->bound))
        return false;

    bool stuck = gen->window > 0 && gen->window - value < least;

    gen->window = stuck ? 0 : value;
    return stuck;
}

/* More effort for the kind that limits the bound, when there is one. */
static bool promote(struct stow_generator *gen)
{
    for (uint32_t g = 0; g < gen->stage->m->kinds; g++)
        gen->pricer->goal[g] = full_cost(gen, g);
    return stow_pricer_promote(gen->pricer, gen->pricer->goal, gen->effort);
}

/* More effort, when there is more to try. */
static bool try_harder(struct stow_generator *gen, const struct stow_generate_limits *limits)
{
    if (gen->effort >= STOW_EFFORT_PROOF && promote(gen))
        return true;
    if (gen->effort >= limits->effort_max)
        return false;
    gen->effort++;
    return true;
}

/* Whether the linear program does well without a column: it is much too expensive, at a price that
 * says what much is. */
static bool is_far(const struct stow_generator *gen, uint32_t c, double reduced)
{
    const struct stow_pattern *pattern = &gen->pool->pattern[gen->master.pattern[c]];

    return pattern->terms && gen->stage->price[pattern->kind] &&
           reduced * 1e9 > FAR * (double)gen->stage->price[pattern->kind];
}

/* The time of the linear program grows with its columns.  When there are many, and many of no use,
 * these go; pricing finds again what is wanted after all. */
static int purge(struct stow_generator *gen)
{
    const struct stow_master *t = &gen->master;
    const double *reduced = stow_lp_reduced(t->lp) + t->fixed;
    uint32_t n = 0;

    if (t->patterns / MANY < t->rows)
        return 0;

    STOW_AUTO(stow_free_local) bool *out = malloc(t->patterns * sizeof(*out));

    if (!out)
        return STOW_ENOMEM;
    for (uint32_t c = 0; c < t->patterns; c++)
        n += out[c] = is_far(gen, c, reduced[c]);
    return n > t->patterns / 4 ? stow_generator_remove(gen, out) : 0;
}

/* Prices of a round; 1: another one may follow, 0: this was the last. */
static int solve_round(struct stow_generator *gen, const struct stow_generate_limits *limits,
                       bool first)
{
    double before = first ? INFINITY : gen->master.objective, since = stow_clock();
    int solved = stow_master_solve(&gen->master, limits->deadline);

    stow_phases_add(gen->phases, STOW_PHASE_LP, &since);
    if (solved < 0)
        return solved;
    if (solved == 0) {
        gen->late = stow_clock_is_over(limits->deadline);
        gen->failed |= !gen->late;
        return 0;
    }
    if (finished(gen, limits)) {
        gen->converged = !gen->late; /* as far as anybody wants it */
        return 0;
    }
    return limits->progress <= 0 || before - gen->master.objective >= limits->progress * before;
}

/* Patterns of a round; as above. */
static int find_patterns(struct stow_generator *gen, const struct stow_generate_limits *limits)
{
    int64_t added;

    if (!limits->plans_only)
        STOW_TRY(purge(gen));
    added = price_round(gen, !limits->plans_only, limits->deadline);
    gen->rounds++;
    if (added < 0)
        return (int)added;
    gen->late |= gen->pricer->late;
    if (gen->pricer->late)
        return 0;
    if (added > 0 ? is_stuck(gen) : !all_settled(gen))
        gen->converged = !try_harder(gen, limits);
    else
        gen->converged = added == 0;
    return !gen->converged;
}

int stow_generate(struct stow_generator *gen, const struct stow_generate_limits *limits)
{
    int more = 1;

    if (gen->effort < limits->effort)
        gen->effort = limits->effort;
    gen->converged = false;
    for (uint32_t round = 0; more > 0 && round < limits->rounds; round++) {
        more = solve_round(gen, limits, round == 0);
        if (more > 0)
            more = find_patterns(gen, limits);
    }
    return more < 0 ? more : 0;
}
