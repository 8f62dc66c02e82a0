/* chain.c - rankers one after another, and who is taken at the end.
 *
 * The chain is upstream's: a ranker gets what the one before kept, the first one
 * gets all (also when "all" is a single candidate); as soon as one is left it is
 * taken, and when none is left none is.
 *
 * Upstream then draws lots.  Here the same question must have the same answer, so
 * whoever is first in this order is taken:
 *
 *   1. the lower cost of all its nodes per hour; a cost that is not known is last
 *   2. fewer nodes
 *   3. more pods
 *   4. the group's name, bytewise
 *
 * Who wants lots says so: `random` at the end of the chain, with a seed.
 *
 * The runner-up is who the same chain would take if the best had never been among
 * the candidates.  The second in the order above would not do: the candidates it
 * compares are only those that the last ranker could not tell apart. */
#include "scale/rules/chain.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "scale/rules/rankers.h"

#define NOBODY UINT32_MAX

/* ---- names to rankers -------------------------------------------------------------------- */

static int fail_unknown(struct stow_str name, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf known = {0};
    struct stow_nearest nearest;

    stow_nearest_init(&nearest, name);
    for (const struct stow_ranker *const *r = stow_rankers; *r; r++) {
        stow_nearest_try(&nearest, stow_str_of((*r)->name));
        stow_buf_text(&known, r == stow_rankers ? "" : ", ");
        stow_buf_text(&known, (*r)->name);
    }
    if (known.failed)
        return stow_fail_memory(err);
    if (stow_nearest_found(&nearest))
        return stow_fail(err, STOW_EINVAL, "unknown strategy '%.*s'; did you mean '%.*s'? (%.*s)",
                         STOW_FMT(name), STOW_FMT(nearest.best), STOW_FMT(stow_buf_str(&known)));
    return stow_fail(err, STOW_EINVAL, "unknown strategy '%.*s'; expected one of %.*s",
                     STOW_FMT(name), STOW_FMT(stow_buf_str(&known)));
}

static int add(struct stow_chain *chain, struct stow_str name, struct stow_err *err)
{
    const struct stow_ranker *ranker = stow_ranker_find(name);

    if (!ranker)
        return fail_unknown(name, err);
    for (uint32_t i = 0; i < chain->count; i++)
        if (chain->ranker[i] == ranker)
            return stow_fail(err, STOW_EINVAL, "strategy '%s' is given twice in one chain",
                             ranker->name);
    if (chain->count > 0 && chain->ranker[chain->count - 1]->last)
        return stow_fail(err, STOW_EINVAL,
                         "'%s' cannot follow '%s', which leaves nothing to choose from",
                         ranker->name, chain->ranker[chain->count - 1]->name);
    if (chain->count == STOW_CHAIN_MAX)
        return stow_fail(err, STOW_EINVAL, "more than %d strategies in one chain", STOW_CHAIN_MAX);
    chain->ranker[chain->count++] = ranker;
    return STOW_OK;
}

int stow_chain_parse(struct stow_str text, struct stow_chain *ret, struct stow_err *err)
{
    struct stow_chain chain = {0};
    struct stow_str rest = text;

    do {
        STOW_TRY(add(&chain, stow_str_cut(rest, ',', &rest), err));
    } while (rest.ptr);
    *ret = chain;
    return STOW_OK;
}

/* ---- the order at the end ---------------------------------------------------------------- */

/* Infinity when it is not known: that sorts last. */
static double cost_of(const struct stow_candidate *c)
{
    const double cost = c->node_price * c->nodes;

    return c->has_template && c->priced && !isnan(cost) ? cost : INFINITY;
}

static bool comes_before(const struct stow_candidate *a, const struct stow_candidate *b)
{
    const double cost_a = cost_of(a), cost_b = cost_of(b);

    if (cost_a < cost_b || cost_a > cost_b)
        return cost_a < cost_b;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes;
    if (a->pods != b->pods)
        return a->pods > b->pods;
    return stow_str_cmp(a->group, b->group) < 0;
}

static uint32_t first_of(const struct stow_candidate *all, const uint32_t *kept, uint32_t count)
{
    uint32_t best = count ? kept[0] : NOBODY;

    for (uint32_t i = 1; i < count; i++)
        if (comes_before(&all[kept[i]], &all[best]))
            best = kept[i];
    return best;
}

/* ---- running ----------------------------------------------------------------------------- */

struct run {
    const struct stow_chain *chain;
    const struct stow_rank_context *ctx;
    const struct stow_candidate *all;
    uint32_t all_count;
    struct stow_arena *arena;
    struct stow_err *err;
    uint32_t *kept; /* room for everybody */
    uint32_t count;
};

/* Everybody but `without`. */
static void fill(struct run *run, uint32_t without)
{
    run->count = 0;
    for (uint32_t i = 0; i < run->all_count; i++)
        if (i != without)
            run->kept[run->count++] = i;
}

static struct stow_rank_mark *new_marks(const struct run *run)
{
    return stow_arena_zalloc(run->arena, (size_t)run->all_count * sizeof(struct stow_rank_mark));
}

static int ask(struct run *run, const struct stow_ranker *ranker, struct stow_rank_mark *mark)
{
    STOW_TRY(ranker->keep(run->ctx, run->all, run->kept, &run->count, mark, run->err));
    return STOW_OK;
}

/* Asks one ranker and writes down what it did. */
static int record(struct run *run, const struct stow_ranker *ranker, struct stow_chain_step *step)
{
    *step = (struct stow_chain_step){.ranker = ranker, .mark = new_marks(run)};
    if (!step->mark)
        return stow_fail_memory(run->err);
    STOW_TRY(ask(run, ranker, step->mark));
    step->kept = stow_arena_copy(run->arena, run->kept, run->count * sizeof(*run->kept));
    if (!step->kept)
        return stow_fail_memory(run->err);
    step->kept_count = run->count;
    return STOW_OK;
}

static int find_best(struct run *run, struct stow_chain_result *result)
{
    fill(run, NOBODY);
    for (uint32_t i = 0; i < run->chain->count; i++) {
        STOW_TRY(record(run, run->chain->ranker[i], &result->step[i]));
        result->steps = i + 1;
        if (run->count <= 1)
            break;
    }
    result->best = first_of(run->all, run->kept, run->count);
    return STOW_OK;
}

static int find_runner_up(struct run *run, struct stow_chain_result *result)
{
    struct stow_rank_mark *mark = new_marks(run);

    if (!mark)
        return stow_fail_memory(run->err);
    fill(run, result->best);
    for (uint32_t i = 0; i < run->chain->count; i++) {
        STOW_TRY(ask(run, run->chain->ranker[i], mark));
        if (run->count <= 1)
            break;
    }
    result->runner_up = first_of(run->all, run->kept, run->count);
    return STOW_OK;
}

int stow_chain_run(const struct stow_chain *chain, const struct stow_rank_context *ctx,
                   const struct stow_candidate *all, uint32_t count, struct stow_arena *arena,
                   struct stow_chain_result *ret, struct stow_err *err)
{
    struct stow_chain_result result = {.best = NOBODY, .runner_up = NOBODY};
    struct run run = {
        .chain = chain,
        .ctx = ctx,
        .all = all,
        .all_count = count,
        .arena = arena,
        .err = err,
        .kept = stow_arena_alloc(arena, count * sizeof(*run.kept)),
    };

    if (!run.kept)
        return stow_fail_memory(err);
    STOW_TRY(find_best(&run, &result));
    if (result.best != NOBODY)
        STOW_TRY(find_runner_up(&run, &result));
    *ret = result;
    return STOW_OK;
}
