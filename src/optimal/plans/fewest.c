/* fewest.c - as few pods left out as limits allow.
 *
 * Problem.  When limits leave pods out, how many comes before what the others cost.  A search that
 * weighs both at once by large numbers sees neither: the bound is all penalties, and of two plans
 * the one with better patterns wins although the other one's nodes have more room.
 *
 * Idea.  Priority by priority, the highest first, a problem of its own: nodes are free, a pod of
 * this priority that is left out costs one, higher ones may leave out as many as is known to be
 * necessary, lower ones are not looked at.  That is the problem that the rest of the search knows
 * how to solve, with small numbers: patterns on demand, dives, local search, and branching on the
 * number of nodes of a kind, which is what matters here (one large node or three small ones).  It
 * ends early when the bound, rounded up to whole pods, is what the plan leaves out. */
#include "optimal/plans/fewest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "optimal/plans/dive.h"
#include "optimal/plans/improve.h"
#include "optimal/plans/tree.h"

#define POD          1000000000 /* what one costs: a unit of the currency, so that no rule rounds */
#define LEVELS_MAX   63
#define ROUNDS       400
#define IDLE_MAX     24 /* rounds of local search without success */
#define BRANCHES_MAX 200

struct level {
    const struct stow_fewest *f;
    struct stow_task task;
    struct stow_generator gen;
    struct stow_draft *best;
    struct stow_score score; /* of the best */
    uint32_t number;
};

static void level_done(struct level *l)
{
    stow_generator_done(&l->gen);
    stow_task_done(&l->task);
}

static uint64_t left_out(const struct level *l)
{
    return l->score.left[l->number];
}

/* What the problem of this priority has been brought down to. */
static int64_t cost_of(const struct level *l)
{
    return (int64_t)left_out(l) * POD;
}

/* Whether no plan leaves fewer, or there is no time to look for one. */
static bool is_done(const struct level *l, double bound)
{
    return left_out(l) == 0 || bound > (double)(cost_of(l) - POD) ||
           stow_clock_is_over(l->f->deadline);
}

static int consider(struct level *l, const struct stow_draft *draft)
{
    struct stow_score score;

    stow_draft_score(draft, l->f->pool, l->f->stage, &score);
    if (stow_score_compare(&score, &l->score) >= 0)
        return 0;
    l->score = score;
    return stow_draft_copy(l->best, draft);
}

/* ---- the problem ------------------------------------------------------------------------- */

static int make_task(struct level *l)
{
    const struct stow_model *m = l->f->stage->m;

    STOW_TRY(stow_task_copy(&l->task, l->f->stage));
    memset(l->task.price, 0, m->kinds * sizeof(*l->task.price));
    for (uint32_t i = 0; i < l->task.levels; i++) {
        const bool above = i < l->number;

        l->task.leave_price[i] = above ? -1 : i == l->number ? POD : 0;
        l->task.allowance[i] = above ? (uint32_t)l->score.left[i] : 0;
    }
    return 0;
}

/* Every pattern known so far is a column. */
static int open_generator(struct level *l)
{
    const struct stow_fewest *f = l->f;
    STOW_AUTO(stow_free_local) uint32_t *list = malloc((f->pool->patterns + 1) * sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t p = 0; p < f->pool->patterns; p++)
        list[p] = p;
    STOW_TRY(stow_generator_init(&l->gen, &l->task, f->pool, f->pricer, f->artificial));
    return stow_generator_add(&l->gen, list, f->pool->patterns);
}

/* ---- plans ------------------------------------------------------------------------------- */

static int dive(struct level *l, const struct stow_task *task, uint32_t rounds, uint32_t portion)
{
    struct stow_draft draft = {0};
    struct stow_dive d = {.stage = task,
                          .pool = l->f->pool,
                          .pricer = l->f->pricer,
                          .seed = l->gen.master.pattern,
                          .seeds = l->gen.master.patterns,
                          .effort = 1,
                          .rounds = rounds,
                          .portion = portion,
                          .artificial = l->f->artificial,
                          .deadline = l->f->deadline};
    int result = stow_dive_run(&d, &draft);

    if (result == 0)
        result = consider(l, &draft);
    stow_draft_done(&draft);
    return result < 0 ? result : 0;
}

static int improve(struct level *l)
{
    struct stow_improve in = {.stage = &l->task,
                              .pool = l->f->pool,
                              .workers = l->f->workers,
                              .y = l->gen.best_y,
                              .artificial = l->f->artificial,
                              .deadline = l->f->deadline};

    for (uint32_t idle = 0, round = 0; idle < IDLE_MAX && !is_done(l, l->gen.bound); round++) {
        int better = stow_improve_run(&in, l->best, round);

        if (better < 0)
            return better;
        stow_draft_score(l->best, l->f->pool, l->f->stage, &l->score);
        idle = better ? 0 : idle + 1;
    }
    return 0;
}

/* ---- branching --------------------------------------------------------------------------- */

static int dive_in_branch(struct level *l, const struct stow_branch *b)
{
    struct stow_task task;
    int result = stow_branch_task(b, &l->task, &task);

    if (result >= 0 && stow_task_reserve(&task))
        result = dive(l, &task, 10, 12);
    stow_task_done(&task);
    return result;
}

static int split(struct level *l, struct stow_tree *tree, uint32_t number)
{
    STOW_TRY(stow_tree_split(tree, number, cost_of(l)));
    STOW_TRY(dive_in_branch(l, &tree->branch[tree->branch[number].le]));
    STOW_TRY(dive_in_branch(l, &tree->branch[tree->branch[number].gt]));
    stow_tree_close(tree, cost_of(l));
    return 0;
}

static int run_tree(struct level *l, struct stow_tree *tree)
{
    STOW_TRY(stow_tree_root(tree, &l->gen));
    stow_tree_close(tree, cost_of(l));
    while (tree->branches < BRANCHES_MAX && !is_done(l, (double)stow_tree_bound(tree))) {
        uint32_t next = stow_tree_next(tree);

        if (next == UINT32_MAX)
            return 0;
        STOW_TRY(split(l, tree, next));
    }
    return 0;
}

static int branch(struct level *l)
{
    static const struct stow_lift whole_pods = {.unit = POD};
    struct stow_tree tree;
    int result = stow_tree_init(&tree, &l->task);

    tree.pool = l->f->pool;
    tree.pricer = l->f->pricer;
    tree.lift = &whole_pods;
    tree.artificial = l->f->artificial;
    tree.deadline = l->f->deadline;
    if (result >= 0)
        result = run_tree(l, &tree);
    stow_tree_done(&tree);
    return result;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int run_level(struct level *l)
{
    struct stow_generate_limits limits = {
        .gap = 1e-6, .rounds = ROUNDS, .effort = 0, .effort_max = 2, .deadline = l->f->deadline};

    STOW_TRY(make_task(l));
    STOW_TRY(open_generator(l));
    STOW_TRY(stow_generate(&l->gen, &limits));
    if (is_done(l, l->gen.bound))
        return 0;
    STOW_TRY(dive(l, &l->task, 3, 8));
    STOW_TRY(improve(l));
    return is_done(l, l->gen.bound) ? 0 : branch(l);
}

int stow_fewest_run(const struct stow_fewest *f, struct stow_draft *draft)
{
    struct stow_score score;

    stow_draft_score(draft, f->pool, f->stage, &score);
    for (uint32_t i = 0; i < f->stage->levels && i < LEVELS_MAX; i++) {
        struct level l = {.f = f, .best = draft, .score = score, .number = i};
        int result = left_out(&l) ? run_level(&l) : 0;

        level_done(&l);
        if (result < 0)
            return result;
        score = l.score;
    }
    return 0;
}
