/* dives.c - several dives side by side, each with a way of its own.
 *
 * Problem.  Which plan a dive ends with is a matter of luck: of two that look equally closely one
 * may be a whole node better, and nothing tells beforehand which.  And a dive is a chain of small
 * linear programs, of which a second processor has nothing.
 *
 * Idea.  Dives that know nothing of one another, each with its own pool of patterns and its own
 * pricing, share the threads; the best plan is taken.  They start from the columns that are nearly
 * worth their price, since the others would only slow the linear programs down.  What is worth its
 * price of the patterns that they made on the way is kept, whichever plan is. */
#include "optimal/plans/dives.h"

#include <stdlib.h>

#include "base/vec.h"

#define NEAR   0.03  /* of its price: what a column may be too expensive to start from */
#define WORTHY 0.999 /* of its price: patterns that are worth it are kept */

struct attempt {
    const struct stow_dives *in;
    const struct stow_fineness *way;
    const struct stow_task *stage;
    struct stow_pool pool;
    struct stow_draft draft;
    uint32_t seeds;
    int result;
};

/* Copies the columns that are nearly worth their price into the attempt's own pool. */
static int take_seeds(struct attempt *a)
{
    const struct stow_master *t = &a->in->gen->master;
    const struct stow_pool *pool = a->in->pool;
    const double *reduced = t->patterns ? stow_lp_reduced(t->lp) + t->fixed : NULL;

    for (uint32_t c = 0; c < t->patterns; c++) {
        const uint32_t p = t->pattern[c], kind = pool->pattern[p].kind;
        const double price = (double)t->stage->m->price[kind];

        if (price > 0 && reduced[c] * 1e9 > NEAR * price)
            continue;
        if (stow_pool_add(&a->pool, kind, stow_pool_terms(pool, p), pool->pattern[p].terms) < 0)
            return STOW_ENOMEM;
    }
    a->seeds = a->pool.patterns;
    return 0;
}

static int dive(struct attempt *a, struct stow_pricer *pricer)
{
    STOW_AUTO(stow_free_local) uint32_t *seed = malloc((a->seeds + 1) * sizeof(*seed));

    if (!seed)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < a->seeds; i++)
        seed[i] = i;
    return stow_dive_run(&(struct stow_dive){.stage = a->stage,
                                             .pool = &a->pool,
                                             .pricer = pricer,
                                             .seed = seed,
                                             .seeds = a->seeds,
                                             .effort = a->way->effort,
                                             .rounds = a->way->rounds,
                                             .portion = a->way->portion,
                                             .artificial = a->in->artificial,
                                             .deadline = a->in->deadline},
                         &a->draft);
}

static void try_one(void *context, uint32_t thread, uint32_t i)
{
    struct attempt *a = (struct attempt *)context + i;
    struct stow_pricer pricer = {0};

    (void)thread;
    a->result = stow_pricer_init(&pricer, a->stage->m, NULL);
    if (a->result >= 0)
        a->result = take_seeds(a);
    if (a->result >= 0)
        a->result = dive(a, &pricer);
    stow_pricer_done(&pricer);
}

static int64_t share(const struct attempt *a, uint32_t p)
{
    const struct stow_pattern *pattern = &a->pool.pattern[p];

    return stow_pool_add(a->in->pool, pattern->kind, stow_pool_terms(&a->pool, p), pattern->terms);
}

/* They fit what is left over, which pricing never looks at. */
static int share_worthy(const struct attempt *a)
{
    for (uint32_t p = a->seeds; p < a->pool.patterns; p++) {
        const double price = (double)a->stage->m->price[a->pool.pattern[p].kind];

        if (stow_pool_worth(&a->pool, p, a->in->gen->master.y) > WORTHY * price && share(a, p) < 0)
            return STOW_ENOMEM;
    }
    return 0;
}

static int share_plan(const struct attempt *a, struct stow_draft *ret)
{
    for (uint32_t i = 0; i < a->draft.uses; i++) {
        const int64_t p = share(a, a->draft.use[i].pattern);

        if (p < 0)
            return STOW_ENOMEM;
        STOW_TRY(stow_draft_add(ret, (uint32_t)p, a->draft.use[i].times));
    }
    return 0;
}

/* The best of those with a result; NULL: there is none. */
static const struct attempt *best_of(const struct attempt *attempt, uint32_t count, int result)
{
    const struct attempt *best = NULL;
    struct stow_score score, least = {.cost = 0};

    for (const struct attempt *a = attempt; a < attempt + count; a++) {
        if (a->result != result)
            continue;
        stow_draft_score(&a->draft, &a->pool, a->stage, &score);
        if (best && stow_score_compare(&score, &least) >= 0)
            continue;
        best = a;
        least = score;
    }
    return best;
}

static int conclude(const struct attempt *attempt, uint32_t count, struct stow_draft *ret)
{
    const struct attempt *best = best_of(attempt, count, 0);

    for (uint32_t i = 0; i < count; i++) {
        if (attempt[i].result < 0)
            return attempt[i].result;
        STOW_TRY(share_worthy(&attempt[i]));
    }
    if (best)
        return share_plan(best, ret);
    STOW_TRY(share_plan(best_of(attempt, count, 1), ret));
    return 1;
}

int stow_dives_run(const struct stow_dives *in, const struct stow_fineness *way, uint32_t ways,
                   struct stow_draft *ret)
{
    struct attempt *attempt = calloc(ways, sizeof(*attempt));
    int result;

    if (!attempt)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < ways; i++)
        attempt[i] = (struct attempt){.in = in, .way = &way[i], .stage = in->stage[i]};
    stow_workers_run(in->workers, ways, try_one, attempt);
    result = conclude(attempt, ways, ret);
    for (uint32_t i = 0; i < ways; i++) {
        stow_pool_done(&attempt[i].pool);
        stow_draft_done(&attempt[i].draft);
    }
    free(attempt);
    return result;
}
