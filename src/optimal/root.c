/* root.c - the column generation of the whole problem, and how few pods must be left out.
 *
 * Exchanges are for problems of many classes, and where finding out which class can stand for which
 * takes no more than a second. */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "optimal/answer.h"
#include "optimal/plans/exact.h"
#include "optimal/plans/fewest.h"
#include "optimal/pricing/resource_prices.h"
#include "optimal/solver.h"

#define EXCHANGE_MIN 16      /* classes; fewer settle soon, and exactly */
#define EXCHANGE_MAX 1e9     /* pairs of them times kinds: finding out takes a second */
#define EASE         0.3     /* of the gap: what the bound may lose by discounts */
#define LEFT_PART    0.4     /* of the time, for how few pods must be left out */
#define EXACT_STEPS  4000000 /* over the number of kinds */

/* ---- the root -------------------------------------------------------------------------------- */

/* The kind that holds a class cheapest per pod, of all or of the unlimited ones. */
static uint32_t cheapest_for(const struct stow_solver *e, uint32_t k, bool unlimited)
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

/* Patterns to start from. */
struct seeds {
    uint32_t *list, count, cap;
};

/* Whether it is new or not: what a plan that was given uses is a seed only where it is one of ours.
 */
static int add_seed(struct seeds *seeds, int64_t pattern)
{
    uint32_t *made = pattern < 0 ? NULL : STOW_PUSH(&seeds->list, &seeds->count, &seeds->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (uint32_t)pattern;
    return 0;
}

/* A node full of one class. */
static int add_single(struct stow_solver *e, uint32_t k, uint32_t kind, struct seeds *seeds)
{
    if (kind == STOW_MODEL_NONE)
        return 0;

    struct stow_term term = {k, stow_model_copies(&e->m, kind)[k]};

    return add_seed(seeds, stow_pool_add(&e->pool, kind, &term, 1));
}

/* All that is known so far, a full node per class, and empty nodes where some must be bought. */
static int list_seeds(struct stow_solver *e, struct seeds *seeds)
{
    for (uint32_t p = e->given; p < e->pool.patterns; p++)
        STOW_TRY(add_seed(seeds, p));
    for (uint32_t k = 0; k < e->m.classes; k++) {
        STOW_TRY(add_single(e, k, cheapest_for(e, k, true), seeds));
        STOW_TRY(add_single(e, k, cheapest_for(e, k, false), seeds));
    }
    for (uint32_t g = 0; g < e->m.kinds; g++)
        if (e->m.least[g])
            STOW_TRY(add_seed(seeds, stow_pool_add(&e->pool, g, NULL, 0)));
    return 0;
}

static int add_seeds(struct stow_solver *e)
{
    struct seeds seeds = {0};
    int result = list_seeds(e, &seeds);

    if (result >= 0)
        result = stow_generator_add(&e->gen, seeds.list, seeds.count);
    free(seeds.list);
    return result;
}

/* The bound by resource prices as the first centre of the column generation. */
static int start_prices(struct stow_solver *e)
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

int stow_solver_open_root(struct stow_solver *e)
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

int stow_solver_generate(struct stow_solver *e, uint32_t effort, uint32_t effort_max,
                         uint32_t rounds)
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
int stow_solver_allow(struct stow_solver *e)
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
static int settle_few(struct stow_solver *e)
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
        code = stow_solver_consider(e, &draft);
    stow_draft_done(&draft);
    return code < 0 ? code : all;
}

/* Whatever it costs: that comes later. */
static int leave_fewer(struct stow_solver *e)
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
    return stow_solver_set_lift(e);
}

/* With limits: a first plan from a column generation that knows all rows, and as few pods left out
 * as can be found. */
int stow_solver_settle_left_out(struct stow_solver *e)
{
    int settled;

    if (stow_model_unlimited(&e->m) || (e->has_plan && !stow_solver_leaves_out(e)))
        return 0;
    e->proof.proof_only = false;
    STOW_TRY(stow_solver_open_root(e));
    STOW_TRY(stow_solver_generate(e, 0, 1, 400));
    STOW_TRY(stow_solver_dive(e, &stow_ways_fine));
    if (stow_solver_leaves_out(e))
        STOW_TRY(stow_solver_flip_blocks(e));
    settled = stow_solver_leaves_out(e) ? settle_few(e) : 1;
    if (settled == 0)
        settled = leave_fewer(e);
    if (settled < 0)
        return settled;
    e->proof.proof_only = true;
    stow_solver_allow(e);
    return 0;
}
