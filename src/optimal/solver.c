/* solver.c - the state of one search: clock, gap, and the best plan so far. */
#include "optimal/solver.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "base/whole.h"
#include "optimal/answer.h"
#include "optimal/levels.h"
#include "optimal/plans/improve.h"
#include "optimal/proof/blocks.h"

#define PROCESSORS_MAX 64 /* beyond that threads have nothing to share */

const struct stow_ways stow_ways_rough = {{{0, 3, 6}}, 1},
                       stow_ways_usual = {{{1, 3, 8}, {1, 3, 16}}, 2},
                       stow_ways_fine = {{{1, 3, 16}, {1, 10, 12}}, 2},
                       stow_ways_in_halves = {{{1, 10, 12}, {1, 10, 12}}, 2};

/* ---- setting up ------------------------------------------------------------------------------ */

static int make_levels(struct stow_solver *e)
{
    const struct stow_model *m = &e->m;
    STOW_AUTO(stow_free_local) int32_t *list = malloc((m->classes + 1) * sizeof(*list));

    e->level_of = calloc(m->classes + 1, sizeof(*e->level_of));
    if (!list || !e->level_of)
        return STOW_ENOMEM;
    memcpy(list, m->priority, m->classes * sizeof(*list));
    e->levels = stow_levels_make(list, m->classes);
    for (uint32_t k = 0; k < m->classes; k++)
        e->level_of[k] = stow_level_of(list, e->levels, m->priority[k]);
    if (e->levels == 0)
        e->levels = 1;
    return 0;
}

/* Far above what a pod can cost: the most expensive node, ten times. */
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

int stow_solver_open(struct stow_solver *e)
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

void stow_solver_close(struct stow_solver *e)
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

bool stow_solver_late(const struct stow_solver *e)
{
    return stow_clock_is_over(e->deadline);
}

/* The best bound: of the tree once there is one, else of the column generation. */
static double bound_now(const struct stow_solver *e)
{
    double bound = e->tree.branches && e->tree.branch[0].solved
                       ? (double)stow_tree_bound(&e->tree)
                       : (e->has_gen && isfinite(e->gen.bound) ? e->gen.bound : 0);

    return bound > 0 ? (double)stow_lift_up(&e->lift, stow_whole_clamped(bound), NULL) : 0;
}

bool stow_solver_is_done(const struct stow_solver *e)
{
    double bound = bound_now(e), cost = (double)e->score.cost;

    if (!e->has_plan)
        return false;
    if (bound > 0 && !stow_solver_leaves_out(e))
        stow_tell_bound(e->options->listener, stow_whole_clamped(floor(bound)));
    stow_phases_reach(&e->ret->phases, cost > bound ? (cost - bound) / bound : 0,
                      stow_clock() - e->started);
    return cost - bound <= e->options->gap * bound;
}

/* ---- plans ----------------------------------------------------------------------------------- */

int stow_solver_set_lift(struct stow_solver *e)
{
    stow_lift_done(&e->lift);
    return stow_lift_init(&e->lift, e->problem, e->score.cost);
}

/* Keeps a draft that is better than the best. */
int stow_solver_consider(struct stow_solver *e, const struct stow_draft *draft)
{
    struct stow_score score;

    stow_draft_score(draft, &e->pool, &e->stage, &score);
    assert(score.cost >= 0);
    if (e->has_plan && stow_score_compare(&score, &e->score) >= 0)
        return 0;
    if (!e->has_plan) {
        e->ret->first_plan_seconds = stow_clock() - e->started;
        e->ret->first_plan_cost = score.cost;
    }
    e->has_plan = true;
    e->score = score;
    if (!stow_solver_leaves_out(e))
        stow_tell_plan(e->options->listener, score.cost);
    STOW_TRY(stow_draft_copy(&e->best, draft));
    if (e->m.blocks)
        stow_blocks_follow(&e->stage, draft, &e->pool);
    return stow_solver_set_lift(e);
}

bool stow_solver_leaves_out(const struct stow_solver *e)
{
    for (uint32_t l = 0; l < 64; l++)
        if (e->score.left[l])
            return true;
    return false;
}

int stow_solver_dive_into(struct stow_solver *e, const struct stow_task *stage,
                          const struct stow_ways *how)
{
    return stow_solver_dive_apart(e, (const struct stow_task *[]){stage, stage}, how);
}

int stow_solver_dive_apart(struct stow_solver *e, const struct stow_task *const *stage,
                           const struct stow_ways *how)
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
        result = stow_solver_consider(e, &draft);
    stow_draft_done(&draft);
    return result < 0 ? result : 0;
}

/* With the blocks of which the linear program has at least this part, unless the best plan has
 * them. */
static int dive_with_blocks(struct stow_solver *e, double part, const struct stow_ways *how)
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
    result = e->has_plan && stow_blocks_same(&stage, &e->stage)
                 ? 0
                 : stow_solver_dive_into(e, &stage, how);
    stow_task_done(&stage);
    return result;
}

/* The linear programs of a dive are most of it; one thread makes its ways one after the other. */
static double dive_work(const struct stow_solver *e, const struct stow_ways *how)
{
    const uint32_t threads = e->workers ? stow_workers_count(e->workers) : 1;

    return pow(e->gen.master.patterns + 1, 1.5) * (how->count > threads ? how->count : 1);
}

double stow_solver_dive_seconds(const struct stow_solver *e, const struct stow_ways *how)
{
    return e->dive_pace * dive_work(e, how);
}

int stow_solver_dive(struct stow_solver *e, const struct stow_ways *how)
{
    double since = stow_clock();
    const double started = since, work = dive_work(e, how);

    if (e->m.blocks) {
        STOW_TRY(dive_with_blocks(e, 0, how));
        STOW_TRY(dive_with_blocks(e, 0.5, how));
    }
    STOW_TRY(stow_solver_dive_into(e, &e->stage, how));
    stow_phases_add(&e->ret->phases, STOW_PHASE_DIVES, &since);
    e->dive_pace = (since - started) / work;
    return 0;
}

/* Each block the other way round: with limits, pods may find a place then that have none. */
int stow_solver_flip_blocks(struct stow_solver *e)
{
    for (uint32_t g = 0; g < e->m.kinds && !stow_solver_late(e); g++) {
        struct stow_task stage;
        int result = 0;

        if (!e->m.at_once[g])
            continue;
        STOW_TRY(stow_task_copy(&stage, &e->stage));
        if (stow_block_flip(&stage, g))
            result = stow_solver_dive_into(e, &stage, &stow_ways_usual);
        stow_task_done(&stage);
        STOW_TRY(result);
    }
    return 0;
}

/* Rounds of local search, until this many in a row were without success or the gap is reached. */
int stow_solver_improve(struct stow_solver *e, uint32_t idle_max)
{
    struct stow_improve in = {.stage = &e->stage,
                              .pool = &e->pool,
                              .workers = e->workers,
                              .y = e->gen.best_y,
                              .artificial = e->artificial,
                              .deadline = e->deadline};
    uint32_t idle = 0;

    while (idle < idle_max) {
        if (stow_solver_late(e) || stow_solver_is_done(e))
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
        STOW_TRY(stow_solver_set_lift(e));
    }
    return 0;
}

/* The plans given: kept when they are of use. */
int stow_solver_take_starts(struct stow_solver *e)
{
    for (uint32_t i = 0; i < e->options->starts; i++) {
        struct stow_draft draft = {0};
        int64_t cost;

        if (stow_packing_check(e->problem, &e->options->start[i], &cost, NULL, NULL) < 0)
            continue;

        int result = stow_answer_import(&e->stage, &e->options->start[i], &e->pool, &draft);

        if (result == 0)
            result = stow_solver_consider(e, &draft);
        e->lost |= result > 0;
        stow_draft_done(&draft);
        if (result < 0)
            return result;
    }
    e->given = e->pool.patterns;
    return 0;
}
