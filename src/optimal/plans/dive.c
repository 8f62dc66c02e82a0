/* dive.c - whole plans from the linear program, by fixing and generating again.
 *
 * Problem.  The linear program uses patterns 3.7 times.  Rounding up all of them buys too much;
 * an integer program over the patterns found does not help either: patterns that fill a node
 * exactly do not combine with one another.
 *
 * Idea.  Fix the whole parts, subtract what they place, and generate patterns for the rest: old
 * ones cut down to the pods that are left, new ones made for them.  When nothing is whole, round
 * up the pattern the linear program wants most and move it to the cheapest kind that holds it.
 * Every step leaves a smaller problem of the same sort, and patterns that fit it.
 *
 * Fixing one pattern per step is best and slow; with many nodes to go several are fixed at once, as
 * long as each still finds the pods it wants.
 *
 * Cost.  One short column generation per step; steps grow with the classes, not with the pods. */
#include "optimal/plans/dive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

#define WHOLE     1e-6 /* of a node: rounding of the linear program */
#define NEARLY    0.03 /* of its price: what a column may be too expensive to be cut and kept */
#define KEEPS     0.97 /* of its value a pattern must keep when it is cut to the pods left */
#define STEPS_MAX 2000
#define GRACE     0.05 /* seconds for a last solution when the time limit was reached */
#define PROGRESS  1e-4 /* of the value: rounds that lower it by less are not worth their time */

struct step {
    const struct stow_dive *dive;
    struct stow_task rest;
    struct stow_draft *draft;
    uint32_t *seed;
    uint32_t seeds, seed_cap;
    struct stow_generator gen;
    bool *out; /* per column: it goes */
    uint32_t out_cap;
    struct stow_term *cut; /* room for one pattern */
    uint32_t *order;
    uint32_t order_cap;
    double spent;
};

/* ---- patterns for what is left --------------------------------------------------------------- */

/* The pattern with no more of a class than is left; its number of terms. */
static uint32_t cut_pattern(const struct step *t, uint32_t p)
{
    const struct stow_pool *pool = t->dive->pool;
    const struct stow_term *term = stow_pool_terms(pool, p);
    uint32_t terms = 0;

    for (uint32_t i = 0; i < pool->pattern[p].terms; i++) {
        uint32_t rest = t->rest.demand[term[i].class];

        if (rest)
            t->cut[terms++] =
                (struct stow_term){term[i].class, term[i].count < rest ? term[i].count : rest};
    }
    return terms;
}

/* Whether there are pods for all of a pattern. */
static bool fits_demand(const struct step *t, uint32_t p)
{
    const struct stow_pool *pool = t->dive->pool;
    const struct stow_term *term = stow_pool_terms(pool, p);

    for (uint32_t i = 0; i < pool->pattern[p].terms; i++)
        if (term[i].count > t->rest.demand[term[i].class])
            return false;
    return true;
}

static int add_seed(struct step *t, uint32_t pattern)
{
    uint32_t *made = STOW_PUSH(&t->seed, &t->seeds, &t->seed_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = pattern;
    return 0;
}

/* Nodes that have to be bought are empty if no pod needs them. */
static int add_empty(struct step *t)
{
    for (uint32_t g = 0; g < t->rest.m->kinds; g++) {
        if (t->rest.least[g] == 0)
            continue;

        int64_t p = stow_pool_add(t->dive->pool, g, NULL, 0);

        if (p < 0)
            return (int)p;
        STOW_TRY(add_seed(t, (uint32_t)p));
    }
    return 0;
}

/* Columns that hold more of a class than is left give way to what is left of them: a third of a
 * pattern of three is not a way to place one pod.  Those that are far too expensive go. */
static int carry_over(struct step *t)
{
    const struct stow_master *master = &t->gen.master;
    const double *reduced = stow_lp_reduced(master->lp) + master->fixed;

    t->seeds = 0;
    for (uint32_t c = 0; c < master->patterns; c++) {
        uint32_t p = master->pattern[c], kind = t->dive->pool->pattern[p].kind;
        double price = t->rest.price[kind] ? (double)t->rest.price[kind]
                                           : stow_pool_worth(t->dive->pool, p, master->y);
        bool dear = reduced[c] > NEARLY * price * 1e-9;

        t->out[c] = dear || stow_task_room(&t->rest, kind) == 0 || !fits_demand(t, p);
        if (!t->out[c] || dear || stow_task_room(&t->rest, kind) == 0)
            continue;

        uint32_t terms = cut_pattern(t, p);
        int64_t made = terms ? stow_pool_add(t->dive->pool, kind, t->cut, terms) : 0;

        if (made < 0)
            return (int)made;
        if (terms)
            STOW_TRY(add_seed(t, (uint32_t)made));
    }
    return add_empty(t);
}

/* Tells the linear program what is left. */
static int restate(struct step *t)
{
    if (stow_vec_reserve(&t->out, &t->out_cap, t->gen.master.patterns + 1, sizeof(*t->out)) < 0)
        return STOW_ENOMEM;
    STOW_TRY(carry_over(t));
    STOW_TRY(stow_generator_remove(&t->gen, t->out));
    STOW_TRY(stow_master_restate(&t->gen.master));
    STOW_TRY(stow_generator_add(&t->gen, t->seed, t->seeds));
    stow_generator_forget(&t->gen);
    return 0;
}

/* ---- fixing ---------------------------------------------------------------------------------- */

/* Buys `times` nodes with the first `terms` of t->cut on a kind. */
static int fix(struct step *t, uint32_t kind, uint32_t terms, uint32_t times)
{
    int64_t p = stow_pool_add(t->dive->pool, kind, t->cut, terms);

    if (p < 0)
        return (int)p;
    stow_task_take(&t->rest, t->dive->pool, (uint32_t)p, times);
    t->spent += (double)t->rest.m->price[kind] * times;
    return stow_draft_add(t->draft, (uint32_t)p, times);
}

/* How often the pods left allow a pattern in full. */
static uint32_t times_in_full(const struct step *t, uint32_t p, uint32_t times)
{
    const struct stow_pool *pool = t->dive->pool;
    const struct stow_term *term = stow_pool_terms(pool, p);

    for (uint32_t i = 0; i < pool->pattern[p].terms; i++)
        if (t->rest.demand[term[i].class] / term[i].count < times)
            times = t->rest.demand[term[i].class] / term[i].count;
    return times;
}

/* Fixes the whole part of a column; the number of nodes. */
static int fix_whole(struct step *t, uint32_t p, double x)
{
    uint32_t kind = t->dive->pool->pattern[p].kind, room = stow_task_room(&t->rest, kind);
    uint32_t times = (uint32_t)floor(x + WHOLE);

    times = times_in_full(t, p, times < room ? times : room);
    if (times == 0)
        return 0;
    STOW_TRY(fix(t, kind, cut_pattern(t, p), times));
    return (int)times;
}

/* Rounds a column up to one node if it keeps its value; 1 when it was fixed. */
static int fix_part(struct step *t, uint32_t p, const double *y, bool whatever)
{
    const struct stow_pool *pool = t->dive->pool;
    uint32_t kind = pool->pattern[p].kind;
    double before = stow_pool_worth(pool, p, y);
    uint32_t terms = cut_pattern(t, p);

    if (terms == 0 || stow_task_room(&t->rest, kind) == 0)
        return 0;
    if (!whatever && stow_terms_worth(t->cut, terms, y) < KEEPS * before)
        return 0;
    STOW_TRY(fix(t, stow_task_best_kind(&t->rest, t->cut, terms, kind), terms, 1));
    return 1;
}

static int by_x(const void *a, const void *b, void *context)
{
    const double *x = *(const double *const *)context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    return x[i] != x[j] ? (x[i] > x[j] ? -1 : 1) : (i < j ? -1 : i > j);
}

/* The columns in use, largest first; how many. */
static int64_t sort_columns(struct step *t, const struct stow_generator *gen)
{
    const double *x = stow_master_x(&gen->master);
    uint32_t n = 0;

    for (uint32_t c = 0; c < gen->master.patterns; c++)
        if (x[c] > WHOLE && gen->pool->pattern[gen->master.pattern[c]].terms) {
            uint32_t *made = STOW_PUSH(&t->order, &n, &t->order_cap);

            if (!made)
                return STOW_ENOMEM;
            *made = c;
        }
    if (n)
        qsort_r(t->order, n, sizeof(*t->order), by_x, &x);
    return n;
}

/* Rounds up the columns wanted most until so much is spent, all of them or those that keep their
 * value; returns how many nodes were bought. */
static int fix_parts(struct step *t, uint32_t columns, double spent, bool all)
{
    const struct stow_master *master = &t->gen.master;
    int fixed = 0;

    for (uint32_t i = 0; i < columns && (fixed == 0 || t->spent < spent); i++) {
        int one = fix_part(t, master->pattern[t->order[i]], master->y, all || fixed == 0);

        if (one < 0)
            return one;
        fixed += one;
    }
    return fixed;
}

/* Fixes the whole parts of all columns; returns how many nodes were bought. */
static int fix_wholes(struct step *t, uint32_t columns)
{
    const double *x = stow_master_x(&t->gen.master);
    int fixed = 0;

    for (uint32_t i = 0; i < columns && x[t->order[i]] >= 1 - WHOLE; i++) {
        int some = fix_whole(t, t->gen.master.pattern[t->order[i]], x[t->order[i]]);

        if (some < 0)
            return some;
        fixed += some;
    }
    return fixed;
}

static bool is_late(const struct step *t)
{
    return stow_clock_is_over(t->dive->deadline);
}

/* What the nodes of the linear program cost, also where the task counts pods instead. */
static double wanted(const struct step *t)
{
    const struct stow_master *master = &t->gen.master;
    const double *x = stow_master_x(master);
    double sum = 0;

    for (uint32_t c = 0; c < master->patterns; c++)
        sum += x[c] * (double)t->rest.m->price[t->dive->pool->pattern[master->pattern[c]].kind];
    return sum;
}

/* Everything a step buys; 0: nothing, so there is nothing more to do.  When time is up that is all:
 * columns are rounded up until each class that has one has its pods placed, if there is room. */
static int fix_some(struct step *t)
{
    bool late = is_late(t);
    double portion = late ? INFINITY : t->spent + wanted(t) / t->dive->portion;
    int64_t columns = sort_columns(t, &t->gen);
    int whole = columns < 0 ? (int)columns : fix_wholes(t, (uint32_t)columns);

    if (whole < 0 || (whole > 0 && t->spent >= portion))
        return whole;

    int fixed = whole, part;

    do {
        part = fix_parts(t, (uint32_t)columns, portion, late);
        fixed += part;
    } while (late && part > 0);
    return part < 0 ? part : fixed;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool anything_left(const struct stow_task *s)
{
    for (uint32_t k = 0; k < s->m->classes; k++)
        if (s->demand[k])
            return true;
    return false;
}

/* One step: solve, fix, cut.  0: the last one. */
static int run_step(struct step *t)
{
    const struct stow_dive *d = t->dive;
    struct stow_generate_limits limits = {.gap = 1e-4,
                                          .rounds = d->rounds,
                                          .effort = d->effort,
                                          .effort_max = d->effort,
                                          .deadline = d->deadline,
                                          .progress = PROGRESS,
                                          .plans_only = true};
    int result;

    STOW_TRY(stow_generate(&t->gen, &limits));
    result = stow_master_solve(&t->gen.master, is_late(t) ? stow_clock() + GRACE : d->deadline);
    if (result > 0)
        result = fix_some(t);
    if (result <= 0 || !anything_left(&t->rest))
        return result < 0 ? result : 0;
    STOW_TRY(restate(t));
    return 1;
}

/* Nodes that a minimum asks for and no pod needs. */
static int buy_minimum(struct step *t)
{
    for (uint32_t g = 0; g < t->rest.m->kinds; g++)
        if (t->rest.least[g])
            STOW_TRY(fix(t, g, 0, t->rest.least[g]));
    return 0;
}

static int run_steps(struct step *t)
{
    int more = anything_left(&t->rest);

    for (uint32_t i = 0; more > 0 && i < STEPS_MAX; i++) {
        more = run_step(t);
        if (t->dive->cutoff > 0 && t->spent > t->dive->cutoff)
            return 1;
        if (more > 0 && is_late(t)) {
            STOW_TRY(buy_minimum(t));
            return 1;
        }
    }
    if (more < 0)
        return more;
    return buy_minimum(t);
}

int stow_dive_run(const struct stow_dive *dive, struct stow_draft *draft)
{
    struct step t = {.dive = dive, .draft = draft};
    int result = stow_task_copy(&t.rest, dive->stage);

    t.cut = malloc((dive->stage->m->classes + 1) * sizeof(*t.cut));
    if (!t.cut)
        result = STOW_ENOMEM;
    for (uint32_t i = 0; result >= 0 && i < dive->seeds; i++)
        result = add_seed(&t, dive->seed[i]);
    if (result >= 0)
        result = add_empty(&t);
    if (result >= 0)
        result = stow_generator_init(&t.gen, &t.rest, dive->pool, dive->pricer, dive->artificial);
    if (result >= 0)
        result = stow_generator_add(&t.gen, t.seed, t.seeds);
    if (result >= 0)
        result = run_steps(&t);
    stow_generator_done(&t.gen);
    free(t.out);
    stow_task_done(&t.rest);
    free(t.seed);
    free(t.order);
    free(t.cut);
    return result;
}
