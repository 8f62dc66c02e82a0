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
#include <unistd.h>

#include "base/clock.h"
#include "base/int128.h"
#include "base/vec.h"
#include "base/whole.h"
#include "optimal/answer.h"
#include "optimal/blocks.h"
#include "optimal/dives.h"
#include "optimal/exact.h"
#include "optimal/fewest.h"
#include "optimal/improve.h"
#include "optimal/resource_prices.h"
#include "optimal/tree.h"

#define PROCESSORS_MAX 64 /* beyond that threads have nothing to share */
#define ROUNDS_FIRST   10
#define IMPROVE_FEW    6     /* rounds of local search without success between other steps */
#define IMPROVE_NEAR   0.005 /* of the linear program: plans that close are worth it */
#define IMPROVE_ROOT   200   /* the same before branching, ... */
#define IMPROVE_PART   8     /* ... and one for so many nodes */
#define IMPROVE_IDLE   15    /* rounds per node without success after which it ends, ... */
#define IMPROVE_LEAST  60    /* ... and in any case */
#define BRANCHES_MAX   4000
#define SCOUTS_MAX     1000
#define EXCHANGE_MIN   16  /* classes; fewer settle soon, and exactly */
#define EXCHANGE_MAX   1e9 /* pairs of them times kinds: finding out takes a second */
#define ABSORB         0.97
#define PLAN_FROM      0.85    /* of the time */
#define EXCHANGE_GAP   0.002   /* between the linear program and its bound: then they go */
#define EASE           0.3     /* of the gap: what the bound may lose by discounts */
#define LEFT_PART      0.4     /* of the time, for how few pods must be left out */
#define DIVE_FIRST     0.02    /* gap of the linear program at the first dive but one */
#define DIVE_AGAIN     0.2     /* of that: at the next one */
#define DIVE_FALL      0.2     /* of what the plan costs more than it: so much lower */
#define DIVE_CLOSE     0.001   /* gap of the linear program: dives look more closely */
#define DIVE_LAST      0.6     /* of the gap asked for: the bound leaves room for a plan */
#define EXACT_STEPS    4000000 /* over the number of kinds */

struct engine {
    const struct stow_problem *problem;
    const struct stow_solve_options *options;
    struct stow_solution *ret;
    struct stow_model m;
    struct stow_task stage, proof; /* all rows; those of the proof */
    uint32_t *level_of, levels;
    struct stow_pool pool;
    struct stow_workers *workers;
    struct stow_pricer pricer;
    struct stow_generator gen; /* of the root */
    struct stow_tree tree;
    struct stow_lift lift;
    struct stow_draft best;
    struct stow_score score;
    bool has_plan, has_gen;
    bool dived; /* the linear program has been asked for a plan */
    bool lost;  /* a plan that was given has no counterpart in the model */
    uint64_t improve_round;
    uint32_t given;    /* patterns of the plans that were given: the first ones of the pool */
    uint32_t absorbed; /* patterns of the pool that were looked at */
    double dive_gap;   /* between the linear program and its bound: the next dive is then */
    double dive_value; /* of the linear program at the last dive */
    double artificial, started, deadline;
    double bound_deadline; /* earlier: time is left to make a plan of what was found */
};

/* ---- setting up ------------------------------------------------------------------------------ */

static int compare_priorities(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return x > y ? -1 : x < y;
}

/* Levels: distinct priorities, the highest first. */
static int make_levels(struct engine *e)
{
    const struct stow_model *m = &e->m;
    STOW_AUTO(stow_free_local) int32_t *list = malloc((m->classes + 1) * sizeof(*list));

    e->level_of = calloc(m->classes + 1, sizeof(*e->level_of));
    if (!list || !e->level_of)
        return STOW_ENOMEM;
    memcpy(list, m->priority, m->classes * sizeof(*list));
    qsort(list, m->classes, sizeof(*list), compare_priorities);
    e->levels = 0;
    for (uint32_t i = 0; i < m->classes; i++)
        if (i == 0 || list[i] != list[e->levels - 1])
            list[e->levels++] = list[i];
    for (uint32_t k = 0; k < m->classes; k++)
        while (list[e->level_of[k]] != m->priority[k])
            e->level_of[k]++;
    if (e->levels == 0)
        e->levels = 1;
    return 0;
}

/* Far above what a pod can cost: the dearest node, ten times. */
static double dear(const struct stow_model *m)
{
    double most = 1;

    for (uint32_t g = 0; g < m->kinds; g++)
        most = fmax(most, (double)m->price[g] * 1e-9);
    return 10 * most;
}

static uint32_t processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 1 ? 1 : count > PROCESSORS_MAX ? PROCESSORS_MAX : (uint32_t)count;
}

static int set_up(struct engine *e)
{
    uint32_t threads = e->options->threads ? e->options->threads : processors();

    STOW_TRY(make_levels(e));
    STOW_TRY(stow_task_init(&e->stage, &e->m, e->levels, e->level_of));
    STOW_TRY(stow_task_init(&e->proof, &e->m, e->levels, e->level_of));
    e->proof.proof_only = true;
    stow_task_share(&e->proof);
    if (e->m.blocks)
        stow_blocks_follow(&e->stage, &e->best, &e->pool);
    e->artificial = dear(&e->m);
    e->workers = stow_workers_new(threads);
    if (!e->workers)
        return STOW_ENOMEM;
    return stow_pricer_init(&e->pricer, &e->m, e->workers);
}

static void clean_up(struct engine *e)
{
    stow_tree_done(&e->tree);
    stow_generator_done(&e->gen);
    stow_pricer_done(&e->pricer);
    stow_workers_free(e->workers);
    stow_lift_done(&e->lift);
    stow_draft_done(&e->best);
    stow_pool_done(&e->pool);
    stow_task_done(&e->stage);
    stow_task_done(&e->proof);
    stow_model_done(&e->m);
    free(e->level_of);
}

/* ---- clock and gap --------------------------------------------------------------------------- */

static bool late(const struct engine *e)
{
    return stow_clock_is_past(e->deadline);
}

/* The best bound: of the tree once there is one, else of the column generation. */
static double bound_now(const struct engine *e)
{
    double bound = e->tree.branches && e->tree.branch[0].solved
                       ? (double)stow_tree_bound(&e->tree)
                       : (e->has_gen && isfinite(e->gen.bound) ? e->gen.bound : 0);

    return bound > 0 ? (double)stow_lift_up(&e->lift, stow_whole_clamped(bound), NULL) : 0;
}

static bool close_enough(const struct engine *e)
{
    double bound = bound_now(e), cost = (double)e->score.cost;

    if (!e->has_plan)
        return false;
    stow_phases_reach(&e->ret->phases, cost > bound ? (cost - bound) / bound : 0,
                      stow_clock() - e->started);
    return cost - bound <= e->options->gap * bound;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static int set_lift(struct engine *e)
{
    stow_lift_done(&e->lift);
    return stow_lift_init(&e->lift, e->problem, e->score.cost);
}

/* Keeps a draft that is better than the best. */
static int consider(struct engine *e, const struct stow_draft *draft)
{
    struct stow_score score;

    stow_draft_score(draft, &e->pool, &e->stage, &score);
    if (e->has_plan && stow_score_compare(&score, &e->score) >= 0)
        return 0;
    if (!e->has_plan) {
        e->ret->first_plan_seconds = stow_clock() - e->started;
        e->ret->first_plan_cost = score.cost;
    }
    e->has_plan = true;
    e->score = score;
    STOW_TRY(stow_draft_copy(&e->best, draft));
    if (e->m.blocks)
        stow_blocks_follow(&e->stage, draft, &e->pool);
    return set_lift(e);
}

static bool leaves_out(const struct engine *e)
{
    for (uint32_t l = 0; l < 64; l++)
        if (e->score.left[l])
            return true;
    return false;
}

/* Dives that are made side by side. */
struct ways {
    struct stow_fineness way[2];
    uint32_t count;
};

static const struct ways first = {{{0, 3, 6}}, 1}, rough = {{{0, 3, 6}, {0, 3, 12}}, 2},
                         usual = {{{1, 3, 8}, {1, 3, 16}}, 2},
                         fine = {{{1, 3, 16}, {1, 10, 12}}, 2}, in_branch = {{{1, 10, 12}}, 1};

static int dive_into(struct engine *e, const struct stow_task *stage, const struct ways *how)
{
    const struct stow_dives in = {.stage = stage,
                                  .gen = &e->gen,
                                  .pool = &e->pool,
                                  .workers = e->workers,
                                  .artificial = e->artificial,
                                  .deadline = e->deadline};
    struct stow_draft draft = {0};
    int result = stow_dives_run(&in, how->way, how->count, &draft);

    e->dived = true;
    if (result == 0 || (result > 0 && !e->has_plan)) /* late: some pods are left out */
        result = consider(e, &draft);
    stow_draft_done(&draft);
    return result < 0 ? result : 0;
}

/* With the blocks of which the linear program has at least this part, unless the best plan has
 * them. */
static int dive_with_blocks(struct engine *e, double part, const struct ways *how)
{
    STOW_AUTO(stow_free_local) double *nodes = malloc((e->m.kinds + 1) * sizeof(*nodes));
    struct stow_task stage;
    int result;

    if (!nodes)
        return STOW_ENOMEM;
    STOW_TRY(stow_task_copy(&stage, &e->stage));
    stow_blocks_open(&stage);
    stow_master_nodes(&e->gen.master, nodes);
    stow_blocks_settle(&stage, nodes, part);
    result = e->has_plan && stow_blocks_same(&stage, &e->stage) ? 0 : dive_into(e, &stage, how);
    stow_task_done(&stage);
    return result;
}

static int dive(struct engine *e, const struct ways *how)
{
    double since = stow_clock();

    if (e->m.blocks) {
        STOW_TRY(dive_with_blocks(e, 0, how));
        STOW_TRY(dive_with_blocks(e, 0.5, how));
    }
    STOW_TRY(dive_into(e, &e->stage, how));
    stow_phases_add(&e->ret->phases, STOW_PHASE_DIVES, &since);
    return 0;
}

/* Each block the other way round: with limits, pods may find a place then that have none. */
static int flip_blocks(struct engine *e)
{
    for (uint32_t g = 0; g < e->m.kinds && !late(e); g++) {
        struct stow_task stage;
        int result = 0;

        if (!e->m.at_once[g])
            continue;
        STOW_TRY(stow_task_copy(&stage, &e->stage));
        if (stow_block_flip(&stage, g))
            result = dive_into(e, &stage, &usual);
        stow_task_done(&stage);
        STOW_TRY(result);
    }
    return 0;
}

/* Rounds of local search, until so many in a row were without success or the gap is reached. */
static int improve(struct engine *e, uint32_t idle_max)
{
    struct stow_improve in = {.stage = &e->stage,
                              .pool = &e->pool,
                              .workers = e->workers,
                              .y = e->gen.best_y,
                              .artificial = e->artificial,
                              .deadline = e->deadline};
    uint32_t idle = 0;

    while (idle < idle_max) {
        if (late(e) || close_enough(e))
            return 0;

        double since = stow_clock();
        int better = stow_improve_run(&in, &e->best, e->improve_round++);

        stow_phases_add(&e->ret->phases, STOW_PHASE_LOCAL, &since);
        if (better < 0)
            return better;
        idle = better ? 0 : idle + 1;
        if (!better)
            continue;
        e->ret->improvements++;
        stow_draft_score(&e->best, &e->pool, &e->stage, &e->score);
        STOW_TRY(set_lift(e));
    }
    return 0;
}

/* The plans given: kept when they are of use. */
static int take_starts(struct engine *e)
{
    for (uint32_t i = 0; i < e->options->starts; i++) {
        struct stow_draft draft = {0};
        int64_t cost;

        if (stow_packing_check(e->problem, &e->options->start[i], &cost, NULL, NULL) < 0)
            continue;

        int result = stow_answer_import(&e->stage, &e->options->start[i], &e->pool, &draft);

        if (result == 0)
            result = consider(e, &draft);
        e->lost |= result > 0;
        stow_draft_done(&draft);
        if (result < 0)
            return result;
    }
    e->given = e->pool.patterns;
    return 0;
}

/* ---- the root -------------------------------------------------------------------------------- */

/* The kind that holds a class cheapest per pod, of all or of the unlimited ones. */
static uint32_t cheapest_for(const struct engine *e, uint32_t k, bool unlimited)
{
    uint32_t best = STOW_MODEL_NONE;
    double least = INFINITY;

    for (uint32_t g = 0; g < e->m.kinds; g++) {
        uint32_t copies = stow_model_copies(&e->m, g)[k];

        if (copies == 0 || (unlimited && e->m.most[g] != STOW_PROBLEM_UNLIMITED))
            continue;
        if ((double)e->m.price[g] / copies < least) {
            least = (double)e->m.price[g] / copies;
            best = g;
        }
    }
    return best;
}

/* A node full of one class. */
static int add_single(struct engine *e, uint32_t k, uint32_t kind)
{
    if (kind == STOW_MODEL_NONE)
        return 0;

    struct stow_term term = {k, stow_model_copies(&e->m, kind)[k]};

    return stow_pool_add(&e->pool, kind, &term, 1) < 0 ? STOW_ENOMEM : 0;
}

/* All that is known so far, a full node per class, and empty nodes where some must be bought. */
static int add_seeds(struct engine *e)
{
    for (uint32_t k = 0; k < e->m.classes; k++) {
        STOW_TRY(add_single(e, k, cheapest_for(e, k, true)));
        STOW_TRY(add_single(e, k, cheapest_for(e, k, false)));
    }
    for (uint32_t g = 0; g < e->m.kinds; g++)
        if (e->m.least[g] && stow_pool_add(&e->pool, g, NULL, 0) < 0)
            return STOW_ENOMEM;

    STOW_AUTO(stow_free_local) uint32_t *list = malloc((e->pool.patterns + 1) * sizeof(*list));
    uint32_t n = 0;

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t p = e->given; p < e->pool.patterns; p++)
        list[n++] = p;
    return stow_generator_add(&e->gen, list, n);
}

/* The bound by resource prices as the first centre of the column generation. */
static int start_prices(struct engine *e)
{
    STOW_AUTO(stow_free_local) double *price = calloc(e->m.dims + 1, sizeof(*price));
    STOW_AUTO(stow_free_local) double *y = calloc(e->m.classes + 1, sizeof(*y));

    if (!y || !price || stow_resource_prices(&e->proof, price) < 0)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < e->m.classes; k++)
        for (uint32_t d = 0; d < e->m.dims; d++)
            y[k] += price[d] * (double)e->m.need[(size_t)k * e->m.dims + d];
    return stow_generator_start(&e->gen, y);
}

static int open_root(struct engine *e)
{
    if (e->has_gen)
        stow_generator_done(&e->gen);
    e->has_gen = true;
    STOW_TRY(stow_generator_init(&e->gen, &e->proof, &e->pool, &e->pricer, e->artificial));
    e->gen.phases = &e->ret->phases;
    e->gen.ease = EASE * e->options->gap;
    STOW_TRY(start_prices(e));
    if (e->m.classes >= EXCHANGE_MIN &&
        (double)e->m.classes * e->m.classes * e->m.kinds <= EXCHANGE_MAX)
        STOW_TRY(stow_master_add_exchanges(&e->gen.master));
    return add_seeds(e);
}

static int generate(struct engine *e, uint32_t effort, uint32_t effort_max, uint32_t rounds)
{
    struct stow_generate_limits limits = {.gap = e->options->gap / 16,
                                          .rounds = rounds,
                                          .effort = effort,
                                          .effort_max = effort_max,
                                          .deadline = e->bound_deadline};

    if (e->has_plan) /* no more than the gap asks for */
        limits.cutoff = (double)e->score.cost / (1 + e->options->gap);
    return stow_generate(&e->gen, &limits);
}

/* ---- pods left out --------------------------------------------------------------------------- */

/* What the best plan leaves out becomes what may be left out; 1 when that is something new. */
static int set_allowances(struct engine *e)
{
    int changed = 0;

    for (uint32_t l = 0; l < e->levels; l++) {
        uint32_t left = (uint32_t)e->score.left[l < 64 ? l : 63];

        changed |= left != e->proof.allowance[l];
        e->proof.allowance[l] = e->stage.allowance[l] = left;
    }
    return changed;
}

/* A few pods are settled for sure: every plan is tried.  1: it was. */
static int settle_few(struct engine *e)
{
    STOW_AUTO(stow_packing_done) struct stow_packing best = {0};
    STOW_AUTO(stow_packing_done) struct stow_packing found = {0};
    struct stow_draft draft = {0};
    bool all;
    int code;

    STOW_TRY(stow_answer_export(&e->m, &e->pool, &e->best, &best));
    code = stow_exact(e->problem, &best, EXACT_STEPS / (e->problem->kinds + 16), &found, &all);
    if (code <= 0)
        return code < 0 ? code : all;
    code = stow_answer_import(&e->stage, &found, &e->pool, &draft);
    if (code == 0)
        code = consider(e, &draft);
    stow_draft_done(&draft);
    return code < 0 ? code : all;
}

/* Whatever it costs: that comes later. */
static int leave_fewer(struct engine *e)
{
    const double seconds = LEFT_PART * e->options->seconds;
    struct stow_fewest f = {.stage = &e->stage,
                            .pool = &e->pool,
                            .pricer = &e->pricer,
                            .workers = e->workers,
                            .artificial = e->artificial,
                            .deadline = seconds > 0 ? e->started + seconds : 0};

    STOW_TRY(stow_fewest_run(&f, &e->best));
    stow_draft_score(&e->best, &e->pool, &e->stage, &e->score);
    return set_lift(e);
}

/* With limits: a first plan from a column generation that knows all rows, and as few pods left out
 * as can be found. */
static int settle_left_out(struct engine *e)
{
    int settled;

    if (stow_model_unlimited(&e->m) || (e->has_plan && !leaves_out(e)))
        return 0;
    e->proof.proof_only = false;
    STOW_TRY(open_root(e));
    STOW_TRY(generate(e, 0, 1, 400));
    STOW_TRY(dive(e, &fine));
    if (leaves_out(e))
        STOW_TRY(flip_blocks(e));
    settled = leaves_out(e) ? settle_few(e) : 1;
    if (settled == 0)
        settled = leave_fewer(e);
    if (settled < 0)
        return settled;
    e->proof.proof_only = true;
    set_allowances(e);
    return 0;
}

/* ---- branching ------------------------------------------------------------------------------- */

static int open_tree(struct engine *e, struct stow_tree *tree, bool blocks_only)
{
    STOW_TRY(stow_tree_init(tree, &e->proof));
    tree->blocks_only = blocks_only;
    tree->pool = &e->pool;
    tree->pricer = &e->pricer;
    tree->lift = &e->lift;
    tree->artificial = e->artificial;
    tree->deadline = e->deadline;
    tree->effort_max = STOW_EFFORTS - 1;
    return stow_tree_root(tree, &e->gen);
}

/* A plan from the limits of a branch: its numbers of nodes differ from those tried so far. */
static int dive_in_branch(struct engine *e, const struct stow_branch *b)
{
    struct stow_task stage;
    int result;

    STOW_TRY(stow_branch_task(b, &e->stage, &stage));
    stow_blocks_settle(&stage, b->nodes, 0.5);
    result = stow_task_reserve(&stage) ? dive_into(e, &stage, &in_branch) : 0;
    stow_task_done(&stage);
    return result;
}

static int run_tree(struct engine *e, struct stow_tree *tree, uint32_t branches)
{
    stow_tree_close(tree, e->score.cost);
    while (tree->branches < branches && !late(e) && !close_enough(e)) {
        uint32_t next = stow_tree_next(tree);

        if (next == UINT32_MAX)
            break;
        STOW_TRY(stow_tree_split(tree, next, e->score.cost));

        int64_t before = e->score.cost;

        STOW_TRY(dive_in_branch(e, &tree->branch[tree->branch[next].le]));
        STOW_TRY(dive_in_branch(e, &tree->branch[tree->branch[next].gt]));
        if (e->score.cost != before)
            stow_tree_close(tree, e->score.cost);
    }
    e->ret->branch_nodes += tree->branches;
    return 0;
}

/* Where kinds are missing that only an unlimited one makes superfluous, a branch that limits it
 * proves nothing: then only blocks, which are limited in any case, are split in the proof, and
 * other branches are for their plans only. */
static int scout(struct engine *e)
{
    struct stow_tree tree = {0};
    int result = open_tree(e, &tree, false);

    tree.effort_max = 1;
    if (result >= 0)
        result = run_tree(e, &tree, SCOUTS_MAX);
    stow_tree_done(&tree);
    return result;
}

static int branch(struct engine *e)
{
    stow_tree_done(&e->tree);
    STOW_TRY(open_tree(e, &e->tree, e->m.dominated));
    STOW_TRY(run_tree(e, &e->tree, BRANCHES_MAX));
    return e->m.dominated ? scout(e) : 0;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* Whether a dive is worth its time: the linear program leaves room for a much better plan, and it
 * is much nearer to its bound than at the last dive, or much lower and has no pattern to find. */
static bool is_promising(const struct engine *e)
{
    double value = e->gen.master.objective, cost = (double)e->score.cost;

    if (!e->dived)
        return true;
    if (cost - value <= 0.5 * e->options->gap * value)
        return false;
    if (value - e->gen.bound < e->dive_gap * value)
        return true;
    return (e->gen.late || e->gen.converged) && e->dive_value - value > DIVE_FALL * (cost - value);
}

/* Patterns that dives made become columns when they are nearly worth their price: they fit what is
 * left over, which pricing never looks at. */
static int absorb(struct engine *e)
{
    STOW_AUTO(stow_free_local)
    uint32_t *list = malloc((e->pool.patterns - e->absorbed + 1) * sizeof(*list));
    uint32_t n = 0;

    if (!list)
        return STOW_ENOMEM;
    for (; e->absorbed < e->pool.patterns; e->absorbed++) {
        const struct stow_pattern *p = &e->pool.pattern[e->absorbed];
        const struct stow_term *term = stow_pool_terms(&e->pool, e->absorbed);
        double worth = 0;

        for (uint32_t i = 0; i < p->terms; i++)
            worth += e->gen.master.y[term[i].class] * term[i].count;
        if (worth > ABSORB * (double)e->m.price[p->kind])
            list[n++] = e->absorbed;
    }
    return stow_generator_add(&e->gen, list, n);
}

/* How close the bound must be before the next dive. */
static void set_dive_gap(struct engine *e)
{
    double gap = 1 - e->gen.bound / e->gen.master.objective, last = DIVE_LAST * e->options->gap;

    e->dive_gap = fmin(DIVE_AGAIN * gap, DIVE_FIRST);
    if (e->dive_gap < last && gap > last)
        e->dive_gap = last;
}

/* Whether the plan is so good that little can make it better. */
static bool is_near(const struct engine *e)
{
    return (double)e->score.cost < (1 + IMPROVE_NEAR) * e->gen.master.objective;
}

/* The better the linear program is known, the closer a look is worth its time. */
static const struct ways *how_to_dive(const struct engine *e, uint32_t effort)
{
    const double value = e->gen.master.objective;

    if (!e->dived)
        return &first;
    if (value - e->gen.bound < DIVE_CLOSE * value)
        return &fine;
    return effort < STOW_EFFORT_PROOF ? &rough : &usual;
}

/* A dive where a better plan is in sight. */
static int dive_if_promising(struct engine *e, uint32_t effort)
{
    if (!is_promising(e))
        return 0;
    set_dive_gap(e);
    e->dive_value = e->gen.master.objective;
    STOW_TRY(dive(e, how_to_dive(e, effort)));
    if (is_near(e))
        STOW_TRY(improve(e, IMPROVE_FEW));
    return absorb(e);
}

/* Exchanges help the bound and say nothing about plans: they go when the bound is good. */
static bool is_primal_next(const struct engine *e)
{
    const struct stow_master *master = &e->gen.master;

    return master->exchanges && master->objective - e->gen.bound < EXCHANGE_GAP * master->objective;
}

/* A part of the column generation, then a plan if one is in sight; 1: close enough, or late. */
static int search_part(struct engine *e, uint32_t effort, uint32_t rounds)
{
    STOW_TRY(generate(e, effort, effort, rounds));
    if (is_primal_next(e))
        return stow_master_drop_exchanges(&e->gen.master);
    if (e->has_plan && (late(e) || close_enough(e)))
        return 1;
    STOW_TRY(dive_if_promising(e, effort));
    return late(e) || close_enough(e);
}

/* Parts, of growing length where rounds are quick, until no pattern is missing with this effort; as
 * above. */
static int search_with(struct engine *e, uint32_t effort)
{
    for (uint32_t rounds = ROUNDS_FIRST;; rounds += effort < STOW_EFFORT_PROOF ? rounds / 2 : 0) {
        int done = search_part(e, effort, rounds);

        if (done || e->gen.converged || e->gen.late || e->gen.failed)
            return done;
    }
}

/* Column generation and plans with growing effort, until they meet. */
static int search_root(struct engine *e)
{
    static const uint32_t efforts[] = {0, 1, 2, 3};

    STOW_TRY(open_root(e));
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
static uint32_t patience(const struct engine *e)
{
    const uint64_t rounds = IMPROVE_IDLE * e->score.nodes;

    return rounds < IMPROVE_LEAST ? IMPROVE_LEAST
           : rounds > UINT32_MAX  ? UINT32_MAX
                                  : (uint32_t)rounds;
}

/* Before branching, which settles what has few nodes. */
static uint32_t patience_before(const struct engine *e)
{
    const uint64_t rounds = e->score.nodes / IMPROVE_PART;

    return rounds > IMPROVE_ROOT ? IMPROVE_ROOT : (uint32_t)rounds;
}

/* The whole search for as many pods as the best plan places. */
static int search_once(struct engine *e)
{
    double since;

    STOW_TRY(search_root(e));
    STOW_TRY(improve(e, patience_before(e)));
    since = stow_clock();
    STOW_TRY(branch(e));
    stow_phases_add(&e->ret->phases, STOW_PHASE_BRANCHES, &since);
    return close_enough(e) || late(e) ? 0 : improve(e, patience(e));
}

static int search(struct engine *e)
{
    STOW_TRY(take_starts(e));
    STOW_TRY(settle_left_out(e));
    do { /* each time fewer pods are left out, so it ends; and the bound is for what the plan places
          */
        STOW_TRY(search_once(e));
    } while (set_allowances(e));
    e->ret->settled = close_enough(e) || !(late(e) || e->gen.late || e->gen.failed);
    e->ret->failed = e->gen.failed && !close_enough(e);
    return 0;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* A bound above the cost of a plan cannot be: then a proof is wrong, and nobody may see it.  Where
 * time was up before there was a plan, nothing is placed, and the bound is for as many pods. */
static int write_bound(struct engine *e, struct stow_err *err)
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

static int write_left(struct engine *e, struct stow_err *err)
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

static int write_answer(struct engine *e, struct stow_err *err)
{
    struct stow_solution *ret = e->ret;

    if (stow_answer_export(&e->m, &e->pool, &e->best, &ret->plan) < 0 ||
        stow_answer_proof(&e->tree, &ret->proof) < 0)
        return stow_fail_memory(err);
    if (e->lost) /* the answer might be worse than it: nobody may believe otherwise */
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
    struct engine e = {.problem = problem, .options = options, .ret = ret};

    memset(ret, 0, sizeof(*ret));
    e.started = stow_clock();
    e.deadline = options->seconds > 0 ? e.started + options->seconds : 0;
    e.bound_deadline = options->seconds > 0 ? e.started + PLAN_FROM * options->seconds : 0;
    STOW_TRY(stow_model_make(problem, &e.m, err));

    int result = set_up(&e);

    if (result >= 0)
        result = search(&e);
    if (result >= 0)
        result = write_answer(&e, err);
    else
        stow_fail_memory(err);
    clean_up(&e);
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
