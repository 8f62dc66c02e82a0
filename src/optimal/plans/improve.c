/* improve.c - local search: take some nodes out, pack their pods again.
 *
 * Problem.  A dive ends with a few poor nodes: the last pods, badly matched.  They
 * cost more than all the rounding before.
 *
 * Idea.  Take out the nodes that are worth least for their price (at the prices per class of the
 * linear program) together with a few others, and let a dive pack their pods again.  Small
 * neighbourhoods are solved almost perfectly by column generation; different ones are tried in
 * turn, with numbers drawn from the round, so that a run can be repeated.  What is packed again has
 * few classes, and is made a problem of its own (narrow.c).
 *
 * A round makes ATTEMPTS attempts, each with its own pool and pricer, on as many threads as there
 * are, and takes the best one (the first of equals): the result does not depend on the threads. */
#include "optimal/plans/improve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "optimal/plans/narrow.h"

#define ATTEMPTS 4

static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* ---- which nodes go -------------------------------------------------------------------------- */

struct choice {
    const struct stow_improve *in;
    const struct stow_draft *draft;
    uint64_t seed;
    double *waste; /* per use: price less worth, per node, with some chance */
    uint32_t *out; /* per use: nodes that are taken out */
};

/* The waste of a node, made less certain the later the round. */
static void rate_uses(struct choice *c, double chance)
{
    uint64_t state = c->seed;

    for (uint32_t i = 0; i < c->draft->uses; i++) {
        uint32_t p = c->draft->use[i].pattern, kind = c->in->pool->pattern[p].kind;
        double price = (double)c->in->stage->m->price[kind];
        double part = price > 0 ? (price - stow_pool_worth(c->in->pool, p, c->in->y)) / price : 0;
        double dice = (double)(draw(&state) >> 11) * 0x1p-53;

        c->waste[i] = (part > 0 ? part : 0) + chance * dice;
    }
}

static void choose_nodes(struct choice *c, uint32_t nodes)
{
    memset(c->out, 0, c->draft->uses * sizeof(*c->out));
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t best = UINT32_MAX;

        for (uint32_t i = 0; i < c->draft->uses; i++)
            if (c->out[i] < c->draft->use[i].times &&
                (best == UINT32_MAX || c->waste[i] > c->waste[best]))
                best = i;
        if (best == UINT32_MAX)
            return;
        c->out[best]++;
        c->waste[best] *= 0.7; /* rather another type of node next */
    }
}

/* ---- one attempt ----------------------------------------------------------------------------- */

struct attempt {
    const struct stow_improve *in;
    const struct stow_draft *draft;
    uint64_t number;
    struct stow_narrow rest; /* what is to be packed again */
    struct stow_pool pool;   /* patterns of the new nodes, in its classes */
    struct stow_term *term;  /* room for one pattern */
    struct stow_draft found;
    struct stow_score before, after; /* of the nodes taken out, and of the new ones */
    uint32_t *out;
    bool better;
    int result;
};

/* What the kept nodes leave: demand, limits, rows. */
static int stage_without(struct attempt *a)
{
    struct stow_task rest;
    int result;

    STOW_TRY(stow_task_copy(&rest, a->in->stage));
    for (uint32_t i = 0; i < a->draft->uses; i++)
        if (a->draft->use[i].times > a->out[i])
            stow_task_take(&rest, a->in->pool, a->draft->use[i].pattern,
                           a->draft->use[i].times - a->out[i]);
    result = stow_narrow_open(&a->rest, &rest);
    stow_task_done(&rest);
    return result;
}

/* Adds a pattern to a pool whose classes have other numbers, in the same order. */
static int64_t translate(const struct stow_pool *from, uint32_t p, const uint32_t *class,
                         struct stow_pool *to, struct stow_term *room)
{
    const struct stow_term *term = stow_pool_terms(from, p);

    for (uint32_t i = 0; i < from->pattern[p].terms; i++)
        room[i] = (struct stow_term){class[term[i].class], term[i].count};
    return stow_pool_add(to, from->pattern[p].kind, room, from->pattern[p].terms);
}

/* Adds the patterns taken out to the attempt's own pool, as seeds; scores them as they were. */
static int seed_attempt(struct attempt *a, uint32_t **ret_seed, uint32_t *ret_seeds)
{
    const struct stow_narrow *rest = &a->rest;
    struct stow_draft old = {0};
    uint32_t *seed = calloc(a->draft->uses + 1, sizeof(*seed)), seeds = 0;
    int result = seed ? 0 : STOW_ENOMEM;

    for (uint32_t i = 0; result >= 0 && i < a->draft->uses; i++) {
        uint32_t p = a->draft->use[i].pattern;

        if (!a->out[i])
            continue;

        int64_t made = translate(a->in->pool, p, rest->place, &a->pool, a->term);

        result = made < 0 ? (int)made : stow_draft_add(&old, (uint32_t)made, a->out[i]);
        if (result >= 0)
            seed[seeds++] = (uint32_t)made;
    }
    if (result >= 0)
        stow_draft_score(&old, &a->pool, &rest->task, &a->before);
    stow_draft_done(&old);
    *ret_seed = seed;
    *ret_seeds = seeds;
    return result;
}

static int pack_anew(struct attempt *a)
{
    const struct stow_task *rest = &a->rest.task;
    struct stow_pricer pricer = {0};
    uint32_t *seed = NULL, seeds = 0;
    int result = stow_pricer_init(&pricer, rest->m, NULL);

    if (result >= 0)
        result = seed_attempt(a, &seed, &seeds);
    if (result >= 0) {
        struct stow_dive dive = {.stage = rest,
                                 .pool = &a->pool,
                                 .pricer = &pricer,
                                 .seed = seed,
                                 .seeds = seeds,
                                 .effort = 1,
                                 .rounds = 12,
                                 .portion = 24,
                                 .artificial = a->in->artificial,
                                 .deadline = a->in->deadline};

        result = stow_dive_run(&dive, &a->found);
    }
    if (result == 0) {
        stow_draft_score(&a->found, &a->pool, rest, &a->after);
        a->better = stow_score_compare(&a->after, &a->before) < 0;
    }
    free(seed);
    stow_pricer_done(&pricer);
    return result;
}

/* From two nodes up: most attempts are small. */
static uint32_t size_of_attempt(uint64_t number)
{
    static const uint32_t sizes[] = {3, 6, 2, 10, 4, 8, 5, 16};

    return sizes[number % (sizeof(sizes) / sizeof(sizes[0]))];
}

static void try_one(void *context, uint32_t thread, uint32_t i)
{
    struct attempt *a = (struct attempt *)context + i;
    struct choice c = {a->in, a->draft, a->number * UINT64_C(0x2545F4914F6CDD1D) + 1, NULL, NULL};

    (void)thread;
    a->term = malloc((a->in->stage->m->classes + 1) * sizeof(*a->term));
    c.waste = calloc(a->draft->uses + 1, sizeof(*c.waste));
    c.out = a->out = calloc(a->draft->uses + 1, sizeof(*a->out));
    if (!c.waste || !a->out || !a->term) {
        a->result = STOW_ENOMEM;
    } else {
        rate_uses(&c, a->number < ATTEMPTS ? 0.0 : 0.02);
        choose_nodes(&c, size_of_attempt(a->number));
        a->result = stage_without(a);
        if (a->result >= 0)
            a->result = pack_anew(a);
    }
    free(c.waste);
}

/* ---- a round --------------------------------------------------------------------------------- */

/* Puts the attempt's nodes in the place of those it took out. */
static int accept(const struct attempt *a, struct stow_pool *pool, struct stow_draft *draft)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < draft->uses; i++) {
        draft->use[i].times -= a->out[i];
        if (draft->use[i].times)
            draft->use[kept++] = draft->use[i];
    }
    draft->uses = kept;
    for (uint32_t i = 0; i < a->found.uses; i++) {
        uint32_t p = a->found.use[i].pattern;
        int64_t made = translate(&a->pool, p, a->rest.class, pool, a->term);

        if (made < 0)
            return (int)made;
        STOW_TRY(stow_draft_add(draft, (uint32_t)made, a->found.use[i].times));
    }
    return 1;
}

/* By how much an attempt gains: pods first, then money. */
static bool gains_more(const struct attempt *a, const struct attempt *b)
{
    for (uint32_t l = 0; l < 64; l++) {
        int64_t x = (int64_t)(a->before.left[l] - a->after.left[l]);
        int64_t y = (int64_t)(b->before.left[l] - b->after.left[l]);

        if (x != y)
            return x > y;
    }
    return a->before.cost - a->after.cost > b->before.cost - b->after.cost;
}

int stow_improve_run(const struct stow_improve *in, struct stow_draft *draft, uint64_t round)
{
    struct attempt attempt[ATTEMPTS];
    const struct attempt *best = NULL;
    int result = 0;

    for (uint32_t i = 0; i < ATTEMPTS; i++)
        attempt[i] = (struct attempt){.in = in, .draft = draft, .number = round * ATTEMPTS + i};
    if (in->workers)
        stow_workers_run(in->workers, ATTEMPTS, try_one, attempt);
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        if (!in->workers)
            try_one(attempt, 0, i);
        if (attempt[i].result < 0)
            result = attempt[i].result;
        else if (attempt[i].better && (!best || gains_more(&attempt[i], best)))
            best = &attempt[i];
    }
    if (result == 0 && best)
        result = accept(best, in->pool, draft);
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        stow_narrow_done(&attempt[i].rest);
        stow_pool_done(&attempt[i].pool);
        stow_draft_done(&attempt[i].found);
        free(attempt[i].term);
        free(attempt[i].out);
    }
    return result;
}
