/* tree.c - branching on the number of nodes of a kind.
 *
 * Problem.  On small instances the bound of the linear program and the best plan are a few prices
 * apart, and neither is wrong: a node cannot be bought in part.
 *
 * Idea.  The number of nodes of a kind is whole: at most 3, or at least 4.  Both halves are the
 * same problem with narrower limits, which column generation knows how to price (bound.c), and
 * pricing a node stays the knapsack it was; that is why branching is on these numbers and not on
 * patterns. Best bound first: the smallest bound of all leaves is the bound of the whole, so it
 * grows with every split.  A leaf is closed when its bound, lifted to the next cost a plan can have
 * (lift.c), reaches the cost of the best plan.
 *
 * Where a kind stands for others that it makes superfluous (dominance.c), the number is that of all
 * of them together.
 *
 * It ends, closed or not, when all numbers are whole in every leaf: then only different packings
 * of the same nodes are left, of which this says nothing.
 *
 * A block (blocks.h) is split into none and all: any number in between is as far from being bought
 * as a broken one.
 *
 * Every leaf keeps the prices that prove its bound; together with the splits they are the proof. */
#include "optimal/plans/tree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "optimal/proof/blocks.h"

#define MOST    (INT64_MAX / 4) /* that a plan may cost (scale/sums.c) */
#define RAISE   8               /* of the price of what is missing, where it is too low */
#define RAISES  4               /* until it is given up */
#define MISSING 1e-6            /* pods */
#define QUICK   1               /* effort for a new branch */
#define ROUGH   0.3             /* of the gap: a bound may be so far below its linear program */

/* ---- life ------------------------------------------------------------------------------------ */

static int init_branch(struct stow_branch *b, const struct stow_model *m, const uint32_t *least,
                       const uint32_t *most)
{
    b->least = malloc((m->kinds + 1) * sizeof(*b->least));
    b->most = malloc((m->kinds + 1) * sizeof(*b->most));
    b->nodes = calloc(m->kinds + 1, sizeof(*b->nodes));
    b->fractional = UINT32_MAX;
    if (!b->least || !b->most || !b->nodes)
        return STOW_ENOMEM;
    memcpy(b->least, least, m->kinds * sizeof(*b->least));
    memcpy(b->most, most, m->kinds * sizeof(*b->most));
    return stow_leaf_init(&b->leaf, m);
}

static int64_t add_branch(struct stow_tree *tree, const uint32_t *least, const uint32_t *most)
{
    struct stow_branch *b = STOW_PUSH(&tree->branch, &tree->branches, &tree->branch_cap);

    if (!b || init_branch(b, tree->stage->m, least, most) < 0)
        return STOW_ENOMEM;
    return tree->branches - 1;
}

int stow_tree_init(struct stow_tree *tree, const struct stow_task *stage)
{
    *tree = (struct stow_tree){.stage = stage};
    return add_branch(tree, stage->least, stage->most) < 0 ? STOW_ENOMEM : 0;
}

void stow_tree_done(struct stow_tree *tree)
{
    for (uint32_t i = 0; i < tree->branches; i++) {
        free(tree->branch[i].least);
        free(tree->branch[i].most);
        free(tree->branch[i].nodes);
        stow_leaf_done(&tree->branch[i].leaf);
    }
    free(tree->branch);
    memset(tree, 0, sizeof(*tree));
}

int stow_branch_task(const struct stow_branch *b, const struct stow_task *whole,
                     struct stow_task *ret)
{
    STOW_TRY(stow_task_copy(ret, whole));
    memcpy(ret->least, b->least, whole->m->kinds * sizeof(*b->least));
    memcpy(ret->most, b->most, whole->m->kinds * sizeof(*b->most));
    return 0;
}

/* ---- looking --------------------------------------------------------------------------------- */

static bool is_open(const struct stow_tree *tree, const struct stow_branch *b)
{
    return !b->is_split && !b->closed &&
           (b->fractional != UINT32_MAX || (tree->refines && !b->refined));
}

uint32_t stow_tree_next(const struct stow_tree *tree)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < tree->branches; i++)
        if (is_open(tree, &tree->branch[i]) &&
            (best == UINT32_MAX || tree->branch[i].leaf.bound < tree->branch[best].leaf.bound))
            best = i;
    return best;
}

int64_t stow_tree_bound(const struct stow_tree *tree)
{
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < tree->branches; i++)
        if (!tree->branch[i].is_split && tree->branch[i].leaf.bound < least)
            least = tree->branch[i].leaf.bound;
    return least;
}

void stow_tree_close(struct stow_tree *tree, int64_t cost)
{
    for (uint32_t i = 0; i < tree->branches; i++)
        if (stow_lift_up(tree->lift, tree->branch[i].leaf.bound, NULL) >= cost)
            tree->branch[i].closed = true;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* How far a number of nodes is from one that can be bought. */
static double distance(const struct stow_task *stage, uint32_t g, double nodes)
{
    const bool block = stage->m->at_once[g];
    const double whole = block && stage->most[g] ? stage->most[g] : 1;
    const double part = nodes - whole * floor(nodes / whole);

    if (block && !stow_block_is_open(stage, g))
        return 0;
    return part < whole / 2 ? part : whole - part;
}

/* Nodes that cost nothing and take nothing of a limit may as well all be had: to split them says
 * nothing. */
static bool is_free(const struct stow_model *m, uint32_t g)
{
    for (uint32_t r = 0; r < m->rows; r++)
        if (m->amount[(size_t)r * m->kinds + g])
            return false;
    return m->price[g] == 0;
}

/* The kind whose number of nodes is farthest from one that can be bought; expensive ones count
 * more. */
static void find_fractional(const struct stow_tree *tree, struct stow_branch *b,
                            const struct stow_generator *gen)
{
    const struct stow_model *m = gen->stage->m;
    double most = 0;

    stow_master_nodes(&gen->master, b->nodes);
    b->fractional = UINT32_MAX;
    for (uint32_t g = 0; g < m->kinds; g++) {
        const double far = distance(gen->stage, g, b->nodes[g]);

        if (far > 1e-5 && far * ((double)m->price[g] + 1) > most && !is_free(m, g) &&
            (!tree->blocks_only || stow_block_is_open(gen->stage, g))) {
            most = far * ((double)m->price[g] + 1);
            b->fractional = g;
        }
    }
}

/* The linear program leaves pods out, for less than the best plan costs: in truth there may be no
 * plan at all here. */
static bool seems_possible(const struct stow_generator *gen, int64_t cost)
{
    return gen->converged && gen->master.missing > MISSING && gen->bound < (double)cost;
}

/* Column generation for a branch: all patterns known that it allows, then what is missing. */
static int generate(struct stow_tree *tree, struct stow_generator *gen, uint32_t effort,
                    int64_t cost)
{
    struct stow_generate_limits limits = {.gap = 1e-9,
                                          .rounds = 500,
                                          .effort = QUICK,
                                          .effort_max = effort,
                                          .cutoff = (double)cost,
                                          .deadline = tree->deadline};

    STOW_AUTO(stow_free_local) uint32_t *list = malloc((tree->pool->patterns + 1) * sizeof(*list));
    uint32_t n = 0;

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t p = 0; p < tree->pool->patterns; p++)
        if (gen->stage->most[tree->pool->pattern[p].kind])
            list[n++] = p;
    STOW_TRY(stow_generator_add(gen, list, n));
    STOW_TRY(stow_generate(gen, &limits));
    for (uint32_t i = 0; i < RAISES && seems_possible(gen, cost); i++) {
        STOW_TRY(stow_master_raise(&gen->master, RAISE));
        STOW_TRY(stow_generate(gen, &limits));
    }
    return 0;
}

static int certify(struct stow_tree *tree, struct stow_generator *gen, struct stow_branch *b,
                   const struct stow_task *stage, int64_t most)
{
    struct stow_prices prices = {gen->best_y, gen->best_w, gen->best_worth};

    if (isfinite(gen->bound))
        STOW_TRY(stow_bound_certify(stage, &prices, most, &b->leaf));
    if (gen->master.lp && stow_master_solve(&gen->master, tree->deadline) == 1)
        find_fractional(tree, b, gen);
    b->value = gen->master.objective;
    tree->rounds += gen->rounds;
    b->solved = true;
    return 0;
}

/* Prices that hold for the whole hold for a half, whose limits are narrower: when they prove more
 * than its own, they are taken. */
static int inherit(const struct stow_branch *from, const struct stow_task *stage, int64_t cost,
                   struct stow_leaf *to)
{
    stow_i128 bound = from->leaf.bound;

    for (uint32_t g = 0; g < stage->m->kinds; g++) {
        if (from->leaf.w_most[g])
            bound += (stow_i128)(from->most[g] - stage->most[g]) * from->leaf.w_most[g];
        bound += (stow_i128)(stage->least[g] - from->least[g]) * from->leaf.w_least[g];
    }
    return bound > to->bound ? stow_leaf_take(stage, &from->leaf, bound, cost, to) : 0;
}

/* The bound of a branch, and where to go on. */
static int search(struct stow_tree *tree, struct stow_generator *gen, struct stow_branch *b,
                  const struct stow_task *stage, int64_t cost)
{
    const uint32_t effort = b->refined ? STOW_EFFORTS - 1 : QUICK;
    const int closed = stow_bound_by_row(stage, cost, &b->leaf);

    b->solved = closed > 0;
    if (closed)
        return closed;
    STOW_TRY(generate(tree, gen, effort, cost));
    return certify(tree, gen, b, stage, cost);
}

/* `before`: a branch whose bound holds here as well. */
static int solve_branch(struct stow_tree *tree, uint32_t number, const struct stow_branch *before,
                        int64_t cost)
{
    struct stow_task stage;
    struct stow_generator gen = {0};
    struct stow_branch *b = &tree->branch[number];
    int result = stow_branch_task(b, tree->stage, &stage);

    if (result >= 0)
        result = stow_generator_init(&gen, &stage, tree->pool, tree->pricer, tree->artificial);
    if (result >= 0)
        result = search(tree, &gen, b, &stage, cost);
    if (result >= 0)
        result = inherit(before, &stage, cost, &b->leaf);
    stow_generator_done(&gen);
    stow_task_done(&stage);
    return result;
}

/* A half of a branch; its bound is at least that of the whole. */
static int64_t make_half(struct stow_tree *tree, uint32_t from, bool above, uint32_t at)
{
    uint32_t kind = tree->branch[from].fractional;
    int64_t half = add_branch(tree, tree->branch[from].least, tree->branch[from].most);

    if (half < 0)
        return half;
    if (above)
        tree->branch[half].least[kind] =
            tree->stage->m->at_once[kind] ? tree->branch[half].most[kind] : at + 1;
    else
        tree->branch[half].most[kind] = at;
    return half;
}

int stow_tree_split(struct stow_tree *tree, uint32_t number, int64_t cost)
{
    const struct stow_branch *whole = &tree->branch[number];
    const uint32_t kind = whole->fractional;
    assert(number < tree->branches && !whole->is_split && kind < tree->stage->m->kinds);
    uint32_t at = tree->stage->m->at_once[kind] ? 0 : (uint32_t)floor(whole->nodes[kind]);
    int64_t le = make_half(tree, number, false, at);
    int64_t gt = le < 0 ? le : make_half(tree, number, true, at);

    if (le < 0 || gt < 0)
        return STOW_ENOMEM;
    STOW_TRY(solve_branch(tree, (uint32_t)le, &tree->branch[number], cost));
    STOW_TRY(solve_branch(tree, (uint32_t)gt, &tree->branch[number], cost));

    struct stow_branch *b = &tree->branch[number];

    b->is_split = true;
    b->kind = kind;
    b->at = at;
    b->le = (uint32_t)le;
    b->gt = (uint32_t)gt;
    stow_tree_close(tree, cost);
    return 0;
}

bool stow_tree_is_rough(const struct stow_tree *tree, uint32_t number, int64_t cost)
{
    const struct stow_branch *b = &tree->branch[number];
    const double bound = (double)b->leaf.bound;

    return tree->refines && !b->refined &&
           (b->fractional == UINT32_MAX || b->value - bound > ROUGH * ((double)cost - bound));
}

int stow_tree_refine(struct stow_tree *tree, uint32_t number, int64_t cost)
{
    struct stow_branch *b = &tree->branch[number], before = *b;
    int result;

    assert(number < tree->branches && !before.refined);
    b->refined = true;
    memset(&b->leaf, 0, sizeof(b->leaf));
    result = stow_leaf_init(&b->leaf, tree->stage->m);
    if (result >= 0)
        result = solve_branch(tree, number, &before, cost);
    stow_leaf_done(&before.leaf);
    stow_tree_close(tree, cost);
    return result;
}

int stow_tree_root(struct stow_tree *tree, struct stow_generator *gen)
{
    tree->branch[0].refined = true;
    return certify(tree, gen, &tree->branch[0], tree->stage, MOST);
}
