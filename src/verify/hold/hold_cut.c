/* hold_cut.c - multipliers for what is left: many bounds, each of them one number per level.
 *
 * Any multipliers p >= 0 bound what the items from a level on can add to a set, for the same reason
 * as in hold.c:
 *
 *     sum of worth * q  <=  p * left + tail,    tail = sum over these items of most * max(0, gain)
 *
 * Those of the whole node say little about a set that has used up its memory and leaves half of its
 * cores.  The multipliers of its own relaxation are the best there are, and nearly as good for all
 * sets that leave much the same.  So the search learns: of the sets of a level the one with the
 * best prospects is asked for its multipliers, these are tried on all of them, and so on until that
 * shuts out few.  Sets of later levels meet the same cuts, as the tails are known for all levels.
 *
 * Why not a relaxation per set: it costs hundreds of times as much as trying all cuts on one.
 *
 * Sums fit in 64 bits: prices are kept so low that all room together comes to a quarter of LARGEST,
 * and scale (hold.c) keeps all items together below LARGEST. */
#include <math.h>
#include <stdlib.h>

#include <stowage/error.h>

#include "verify/hold/hold_internal.h"

#define POOR 3  /* cuts in a row that shut out little: enough */
#define PART 16 /* of the labels, that a cut should shut out */

void stow_hold_cuts_done(struct stow_hold_work *work)
{
    for (uint32_t i = 0; i < STOW_HOLD_CUTS; i++)
        free(work->cut[i].tail);
}

/* The place of another cut: a free one, or that of the cut which has been idle for longest. */
static struct stow_hold_cut *find_place(struct stow_hold_work *work)
{
    struct stow_hold_cut *place = &work->cut[0];

    if (work->cuts < STOW_HOLD_CUTS)
        return &work->cut[work->cuts];
    for (uint32_t i = 1; i < work->cuts; i++)
        if (work->cut[i].used < place->used)
            place = &work->cut[i];
    return place;
}

static void set_prices(struct stow_hold_cut *cut, const struct stow_core *c, const double *lambda)
{
    for (uint32_t d = 0; d < c->dims; d++) {
        const double price = lambda[d] * (double)c->scale;
        const double highest = STOW_HOLD_LARGEST / 4 / c->dims / (double)(c->room[d] + 1);

        cut->price[d] = llround(price < highest ? price : highest);
    }
}

static void set_tails(struct stow_hold_cut *cut, const struct stow_core *c)
{
    cut->tail[c->items] = 0;
    for (uint32_t i = c->items; i > 0; i--) {
        const int64_t *need = c->need + (size_t)(i - 1) * c->dims;
        int64_t gain = c->scale * c->worth[i - 1];

        for (uint32_t d = 0; d < c->dims; d++)
            gain -= cut->price[d] * need[d];
        cut->tail[i - 1] = cut->tail[i] + (gain > 0 ? gain * c->most[i - 1] : 0);
    }
}

/* The multipliers of the most that items from a level on can add to a set that leaves this.  NULL:
 * out of memory. */
static struct stow_hold_cut *add_cut(struct stow_hold_work *work, uint32_t level,
                                     const int64_t *left)
{
    const struct stow_core *c = &work->core;
    const struct stow_hold rest = {.dims = c->dims,
                                   .items = c->items - level,
                                   .room = left,
                                   .need = c->need + (size_t)level * c->dims,
                                   .worth = c->worth + level,
                                   .most = c->most + level};
    struct stow_hold_cut *cut = find_place(work);
    double lambda[STOW_HOLD_DIMS];

    if (!cut->tail || c->items > cut->cap) {
        int64_t *grown = realloc(cut->tail, ((size_t)c->items + 1) * sizeof(*grown));

        if (!grown)
            return NULL;
        cut->tail = grown;
        cut->cap = c->items;
    }
    stow_hold_relax(&rest, lambda);
    set_prices(cut, c, lambda);
    set_tails(cut, c);
    cut->used = 0; /* if it turns out to be good for nothing, it is the next to go */
    work->cuts += cut == &work->cut[work->cuts];
    return cut;
}

int stow_hold_cuts_start(struct stow_hold_work *work)
{
    work->cuts = 0;
    work->uses = 0;
    return add_cut(work, 0, work->core.room) ? STOW_OK : STOW_ENOMEM;
}

/* Keeps the labels of a level that a cut leaves open; returns how many it does not. */
static uint32_t shut_out(struct stow_hold_work *work, struct stow_hold_cut *cut, uint32_t level,
                         struct stow_hold_batch *b)
{
    const struct stow_core *c = &work->core;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < b->count; i++) {
        const int64_t *left = b->left + (size_t)i * c->dims;
        const int64_t rest = stow_hold_cut_rest(cut, c, level, left);

        if (rest < c->scale * (c->target - b->worth[i]))
            continue;
        b->rest[i] = rest < b->rest[i] ? rest : b->rest[i]; /* one that was asked stays as it is */
        stow_hold_move(b, kept++, i);
    }

    const uint32_t gone = b->count - kept;

    b->count = kept;
    if (gone)
        cut->used = ++work->uses;
    return gone;
}

/* The label that could be worth most, of those that were not asked; b->count: all were. */
static uint32_t most_promising(const struct stow_core *c, const struct stow_hold_batch *b)
{
    uint32_t best = b->count;
    int64_t most = 0;

    for (uint32_t i = 0; i < b->count; i++) {
        const int64_t prospect = stow_hold_prospect(b, c, i);

        if (b->rest[i] < 0 || prospect <= most)
            continue;
        most = prospect;
        best = i;
    }
    return best;
}

int stow_hold_learn(struct stow_hold_work *work, uint32_t level, struct stow_hold_batch *b)
{
    if (level == work->core.items)
        return STOW_OK;
    for (uint32_t poor = 0; poor < POOR && b->count >= work->sizes.few;) {
        const uint32_t best = most_promising(&work->core, b), count = b->count;

        if (best == count)
            break;

        const int64_t *left = b->left + (size_t)best * b->dims;
        struct stow_hold_cut *cut = add_cut(work, level, left);

        if (!cut)
            return STOW_ENOMEM;
        b->rest[best] = ~stow_hold_cut_rest(cut, &work->core, level, left);
        poor = shut_out(work, cut, level, b) <= count / PART ? poor + 1 : 0;
    }
    return STOW_OK;
}
