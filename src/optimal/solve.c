/* solve.c - the order in which the parts of the search are tried.
 *
 * Problem.  Three things are wanted at once: a plan soon, a good plan, and a bound.  They feed one
 * another: plans come from the linear program's patterns, the bound from its prices, and the search
 * for plans ends when the two meet.
 *
 * Order.
 *   1. What can be said without patterns: resource prices (resource_prices.c) start the bound.
 *   2. Column generation with little effort, then a dive: the first plan.
 *   3. Column generation with growing effort; each time it finds no more patterns, another dive and
 *      some local search (improve.c).  Stop as soon as cost and bound are close enough.
 *   4. Where the gap is left and the instance is small, branching (tree.c).
 *   5. Local search until the time is over or nothing has improved for long.
 *
 * Limits.  When not all pods can be placed, how many of each priority are left out is settled
 * first: a plan by dives over the whole problem, then for a few pods by trying everything
 * (exact.c), else by a search that counts pods instead of money (fewest.c).  Then the bound is
 * computed for plans that place as many.  If a better plan turns up later the bound starts again.
 *
 * Determinism.  Nothing but the end depends on the clock, so runs that end by the gap give the same
 * answer on every machine and with every number of threads.
 *
 * Never worse than the plans it is given: those are kept as they are and returned when nothing
 * better was found. */
#include "optimal/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "optimal/answer.h"
#include "optimal/proof/blocks.h"
#include "optimal/solver.h"

#define ROUNDS_FIRST  10
#define IMPROVE_FEW   6     /* rounds of local search without success between other steps */
#define IMPROVE_NEAR  0.005 /* of the linear program: plans that close are worth it */
#define IMPROVE_ROOT  200   /* the same before branching, ... */
#define IMPROVE_PART  8     /* ... and one for this many nodes */
#define IMPROVE_IDLE  15    /* rounds per node without success after which it ends, ... */
#define IMPROVE_LEAST 60    /* ... and in any case */
#define BRANCHES_MAX  4000
#define SCOUTS_MAX    1000
#define ABSORB        0.97 /* of its price: patterns in the pool that are worth it become columns */
#define PLAN_LEAST    0.05 /* of the time, for a last plan of what was found, ... */
#define PLAN_MOST     0.35 /* ... however long that takes */
#define PLAN_ROOM     1.2  /* times as long as expected */
#define EXCHANGE_GAP  0.002 /* between the linear program and its bound: then they go */
#define DIVE_FIRST    0.01  /* gap of the linear program at the first dive but one */
#define DIVE_AGAIN    0.2   /* of that: at the next one */
#define DIVE_CLOSER   0.5   /* of what it was at the last dive: the gap of the linear program */
#define DIVE_FALL     0.2   /* of what the plan costs more than it: so much lower */
#define DIVE_CLOSE    0.001 /* gap of the linear program: dives look more closely */
#define DIVE_LAST     0.6   /* of the gap asked for: the bound leaves room for a plan */

/* ---- branching ------------------------------------------------------------------------------- */

static int open_tree(struct stow_solver *e, struct stow_tree *tree, bool blocks_only)
{
    STOW_TRY(stow_tree_init(tree, &e->proof));
    tree->blocks_only = blocks_only;
    tree->pool = &e->pool;
    tree->pricer = &e->pricer;
    tree->lift = &e->lift;
    tree->artificial = e->artificial;
    tree->deadline = e->deadline;
    tree->refines = true;
    return stow_tree_root(tree, &e->gen);
}

/* The task of a branch: false where there is no room for what it asks for. */
static int half_task(const struct stow_solver *e, const struct stow_branch *b,
                     struct stow_task *ret, bool *ret_room)
{
    STOW_TRY(stow_branch_task(b, &e->stage, ret));
    stow_blocks_settle(ret, b->nodes, 0.5);
    *ret_room = stow_task_reserve(ret);
    return 0;
}

/* Plans from the limits of both halves of a branch: their numbers of nodes differ from those tried
 * so far. */
static int dive_in_halves(struct stow_solver *e, const struct stow_tree *tree, uint32_t number)
{
    const uint32_t half[] = {tree->branch[number].le, tree->branch[number].gt};
    struct stow_ways how = stow_ways_in_halves;
    const struct stow_task *stage[2];
    struct stow_task task[2] = {{0}};
    int result = 0;

    how.count = 0;
    for (uint32_t i = 0; result >= 0 && i < 2; i++) {
        bool room = false;

        result = half_task(e, &tree->branch[half[i]], &task[i], &room);
        if (room)
            stage[how.count++] = &task[i];
    }
    if (result >= 0 && how.count)
        result = stow_solver_dive_apart(e, stage, &how);
    for (uint32_t i = 0; i < 2; i++)
        stow_task_done(&task[i]);
    return result;
}

/* A closer look at a branch, or its halves, and plans of these. */
static int step(struct stow_solver *e, struct stow_tree *tree, uint32_t number)
{
    const int64_t before = e->score.cost;

    if (stow_tree_is_rough(tree, number, before))
        return stow_tree_refine(tree, number, before);
    STOW_TRY(stow_tree_split(tree, number, before));
    STOW_TRY(dive_in_halves(e, tree, number));
    if (e->score.cost != before)
        stow_tree_close(tree, e->score.cost);
    return 0;
}

static int run_tree(struct stow_solver *e, struct stow_tree *tree, uint32_t branches)
{
    stow_tree_close(tree, e->score.cost);
    while (tree->branches < branches && !stow_solver_late(e) && !stow_solver_is_done(e)) {
        uint32_t next = stow_tree_next(tree);

        if (next == UINT32_MAX)
            break;
        STOW_TRY(step(e, tree, next));
    }
    e->ret->branch_nodes += tree->branches;
    return 0;
}

/* Branches for their plans only. */
static int scout(struct stow_solver *e)
{
    struct stow_tree tree = {0};
    int result = open_tree(e, &tree, false);

    tree.refines = false;
    if (result >= 0)
        result = run_tree(e, &tree, SCOUTS_MAX);
    stow_tree_done(&tree);
    return result;
}

/* Where a kind stands for existing nodes, too, its number is none that a proof can speak of: then
 * only blocks are split in the proof. */
static int branch(struct stow_solver *e)
{
    stow_tree_done(&e->tree);
    STOW_TRY(open_tree(e, &e->tree, e->m.mixed));
    STOW_TRY(run_tree(e, &e->tree, BRANCHES_MAX));
    return e->m.mixed ? scout(e) : 0;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* How far the linear program is above its bound. */
static double open_gap(const struct stow_solver *e)
{
    return 1 - e->gen.bound / e->gen.master.objective;
}

/* The linear program is much lower than at the last dive, or known much better. */
static bool is_ahead(const struct stow_solver *e)
{
    const double value = e->gen.master.objective, cost = (double)e->score.cost;

    return e->dive_value - value > DIVE_FALL * (cost - value) ||
           open_gap(e) < DIVE_CLOSER * e->dived_gap;
}

/* Whether a dive is worth its time: the linear program leaves room for a much better plan, and it
 * is much nearer to its bound than at the last dive, or ahead of it with no pattern to find. */
static bool is_promising(const struct stow_solver *e)
{
    double value = e->gen.master.objective, cost = (double)e->score.cost;

    if (!e->dived)
        return true;
    if (cost - value <= 0.5 * e->options->gap * value)
        return false;
    if (open_gap(e) < e->dive_gap)
        return true;
    return (e->gen.late || (e->gen.converged && e->gen.effort >= STOW_EFFORT_PROOF)) && is_ahead(e);
}

/* Patterns that dives made become columns when they are nearly worth their price: they fit what is
 * left over, which pricing never looks at. */
static int absorb(struct stow_solver *e)
{
    STOW_AUTO(stow_free_local)
    uint32_t *list = malloc((e->pool.patterns - e->absorbed + 1) * sizeof(*list));
    uint32_t n = 0;

    if (!list)
        return STOW_ENOMEM;
    for (; e->absorbed < e->pool.patterns; e->absorbed++) {
        const double price = (double)e->m.price[e->pool.pattern[e->absorbed].kind];

        if (stow_pool_worth(&e->pool, e->absorbed, e->gen.master.y) > ABSORB * price)
            list[n++] = e->absorbed;
    }
    return stow_generator_add(&e->gen, list, n);
}

/* How close the bound must be before the next dive. */
static void set_dive_gap(struct stow_solver *e)
{
    double gap = open_gap(e), last = DIVE_LAST * e->options->gap;

    e->dived_gap = gap;
    e->dive_gap = fmin(DIVE_AGAIN * gap, DIVE_FIRST);
    if (e->dive_gap < last && gap > last)
        e->dive_gap = last;
}

/* Whether the plan is so good that little can make it better. */
static bool is_near(const struct stow_solver *e)
{
    return (double)e->score.cost < (1 + IMPROVE_NEAR) * e->gen.master.objective;
}

/* The better the linear program is known, the closer a look is worth its time, if there is time. */
static const struct stow_ways *how_to_dive(const struct stow_solver *e)
{
    const struct stow_ways *how = open_gap(e) < DIVE_CLOSE ? &stow_ways_fine : &stow_ways_usual;
    const double end = stow_clock() + stow_solver_dive_seconds(e, how);

    return !e->dived || (e->deadline > 0 && end > e->deadline) ? &stow_ways_rough : how;
}

/* A dive where a better plan is in sight. */
static int dive_if_promising(struct stow_solver *e)
{
    if (!is_promising(e))
        return 0;
    set_dive_gap(e);
    e->dive_value = e->gen.master.objective;
    STOW_TRY(stow_solver_dive(e, how_to_dive(e)));
    if (is_near(e))
        STOW_TRY(stow_solver_improve(e, IMPROVE_FEW));
    return absorb(e);
}

/* The bound ends earlier than the search where a plan of what was found is wanted. */
static void set_bound_deadline(struct stow_solver *e)
{
    const double all = e->options->seconds;
    double plan = 0;

    if (!e->dived)
        plan = PLAN_MOST * all;
    else if (is_ahead(e))
        plan = PLAN_ROOM * stow_solver_dive_seconds(e, &stow_ways_usual);
    if (all > 0)
        e->bound_deadline = e->deadline - fmin(fmax(plan, PLAN_LEAST * all), PLAN_MOST * all);
}

/* Exchanges help the bound and say nothing about plans: they go when the bound is good. */
static bool is_primal_next(const struct stow_solver *e)
{
    const struct stow_master *master = &e->gen.master;

    return master->exchanges && master->objective - e->gen.bound < EXCHANGE_GAP * master->objective;
}

/* A part of the column generation, then a plan if one is in sight; 1: close enough, or late. */
static int search_part(struct stow_solver *e, uint32_t effort, uint32_t rounds)
{
    set_bound_deadline(e);
    STOW_TRY(stow_solver_generate(e, effort, effort, rounds));
    if (is_primal_next(e))
        return stow_master_drop_exchanges(&e->gen.master);
    if (e->has_plan && (stow_solver_late(e) || stow_solver_is_done(e)))
        return 1;
    STOW_TRY(dive_if_promising(e));
    return stow_solver_late(e) || stow_solver_is_done(e);
}

/* Parts, of growing length where rounds are quick, until no pattern is missing with this effort; as
 * above. */
static int search_with(struct stow_solver *e, uint32_t effort)
{
    for (uint32_t rounds = ROUNDS_FIRST;; rounds += effort < STOW_EFFORT_PROOF ? rounds / 2 : 0) {
        int done = search_part(e, effort, rounds);

        set_bound_deadline(e);
        if (done || e->gen.converged || e->gen.failed || stow_clock_is_over(e->bound_deadline))
            return done;
    }
}

/* Column generation and plans with growing effort, until they meet. */
static int search_root(struct stow_solver *e)
{
    static const uint32_t efforts[] = {0, 1, 2, 3};

    STOW_TRY(stow_solver_open_root(e));
    e->dive_gap = DIVE_FIRST;
    for (uint32_t i = 0; i < sizeof(efforts) / sizeof(efforts[0]); i++) {
        int done = search_with(e, efforts[i]);

        if (done)
            return done < 0 ? done : 0;
        if (e->gen.late || e->gen.failed)
            return 0;
        if (e->gen.effort < efforts[i])
            break; /* everything is settled: more effort finds nothing */
    }
    STOW_TRY(stow_master_drop_exchanges(&e->gen.master));

    int done = search_with(e, STOW_EFFORTS - 1);

    return done < 0 ? done : 0;
}

/* The more nodes, the more sets of them are worth trying. */
static uint32_t patience(const struct stow_solver *e)
{
    const uint64_t rounds = IMPROVE_IDLE * e->score.nodes;

    return rounds < IMPROVE_LEAST ? IMPROVE_LEAST
           : rounds > UINT32_MAX  ? UINT32_MAX
                                  : (uint32_t)rounds;
}

/* Before branching, which settles what has few nodes. */
static uint32_t patience_before(const struct stow_solver *e)
{
    const uint64_t rounds = e->score.nodes / IMPROVE_PART;

    return rounds > IMPROVE_ROOT ? IMPROVE_ROOT : (uint32_t)rounds;
}

/* The whole search for as many pods as the best plan places. */
static int search_once(struct stow_solver *e)
{
    double since;

    STOW_TRY(search_root(e));
    STOW_TRY(stow_solver_improve(e, patience_before(e)));
    since = stow_clock();
    STOW_TRY(branch(e));
    stow_phases_add(&e->ret->phases, STOW_PHASE_BRANCHES, &since);
    return stow_solver_is_done(e) || stow_solver_late(e) ? 0 : stow_solver_improve(e, patience(e));
}

static int search(struct stow_solver *e)
{
    STOW_TRY(stow_solver_take_starts(e));
    STOW_TRY(stow_solver_settle_left_out(e));
    do { /* each time fewer pods are left out, so it ends; and the bound is for what the plan places
          */
        STOW_TRY(search_once(e));
    } while (stow_solver_allow(e));
    e->ret->settled =
        stow_solver_is_done(e) || !(stow_solver_late(e) || e->gen.late || e->gen.failed);
    e->ret->failed = e->gen.failed && !stow_solver_is_done(e);
    return 0;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* A bound above the cost of a plan cannot be: then a proof is wrong and must not be shown.  Where
 * time was up before there was a plan, nothing is placed, and the bound is for as many pods. */
static int write_bound(struct stow_solver *e, struct stow_err *err)
{
    struct stow_solution *ret = e->ret;
    enum stow_lift_rule rule = STOW_LIFT_NONE;

    ret->bound = e->has_plan ? stow_lift_up(&e->lift, ret->proof.tree_bound, &rule) : 0;
    if (ret->bound > ret->cost)
        return stow_fail(err, STOW_EWRONG,
                         "internal error: the bound %lld is above the cost %lld of a plan",
                         (long long)ret->bound, (long long)ret->cost);
    ret->proof.lift = rule;
    ret->proof.lift_unit = e->lift.unit;
    ret->gap = ret->bound > 0 ? (double)ret->cost / (double)ret->bound - 1 : ret->cost > 0;
    return 0;
}

static int write_left(struct stow_solver *e, struct stow_err *err)
{
    struct stow_solution *ret = e->ret;
    const struct stow_problem *p = e->problem;

    ret->left = calloc(p->classes + 1, sizeof(*ret->left));
    ret->nowhere = calloc(p->classes + 1, sizeof(*ret->nowhere));
    if (!ret->left || !ret->nowhere)
        return stow_fail_memory(err);
    STOW_TRY(stow_packing_check(p, &ret->plan, &ret->cost, ret->left, err));
    ret->all = true;
    for (uint32_t k = 0; k < p->classes; k++) {
        ret->nowhere[k] = e->m.class_of[k] == STOW_MODEL_NONE && p->class[k].count;
        ret->all &= ret->nowhere[k] || ret->left[k] == 0;
    }
    return 0;
}

static int write_answer(struct stow_solver *e, struct stow_err *err)
{
    struct stow_solution *ret = e->ret;

    if (stow_answer_export(&e->m, &e->pool, &e->best, &ret->plan) < 0 ||
        stow_answer_proof(&e->tree, &ret->proof) < 0)
        return stow_fail_memory(err);
    if (e->lost) /* the answer might be worse than it, and must not claim otherwise */
        return stow_fail(err, STOW_EWRONG, "internal error: a plan that was given is lost");
    STOW_TRY(write_left(e, err));
    STOW_TRY(write_bound(e, err));
    ret->rounds = e->gen.rounds + e->tree.rounds;
    ret->patterns = e->pool.patterns;
    ret->seconds = stow_clock() - e->started;
    return 0;
}

int stow_solve(const struct stow_problem *problem, const struct stow_solve_options *options,
               struct stow_solution *ret, struct stow_err *err)
{
    struct stow_solver e = {.problem = problem, .options = options, .ret = ret};

    memset(ret, 0, sizeof(*ret));
    e.started = stow_clock();
    e.deadline = options->seconds > 0 ? e.started + options->seconds : 0;
    e.bound_deadline = e.deadline;
    STOW_TRY(stow_model_make(problem, &e.m, err));

    int result = stow_solver_open(&e);

    if (result >= 0)
        result = search(&e);
    if (result >= 0)
        result = write_answer(&e, err);
    else
        stow_fail_memory(err);
    stow_solver_close(&e);
    if (result < 0)
        stow_solution_done(ret);
    return result;
}

void stow_solution_done(struct stow_solution *s)
{
    stow_packing_done(&s->plan);
    stow_proof_done(&s->proof);
    free(s->left);
    free(s->nowhere);
    memset(s, 0, sizeof(*s));
}
