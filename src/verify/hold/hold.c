/* hold.c - what one node can be worth: multipliers first, then what they leave open.
 *
 * Any multipliers p >= 0 per unit of room bound the worth of every set that fits:
 *
 *     sum of worth * q  <=  sum of p * room + sum of most * max(0, gain)
 *
 * with gain = worth - p * need.
 *
 * Proof: add p * (room - need) >= 0 to the left side.  One pass over the items, in whole numbers,
 * so the multipliers (relax.c) may be as rough as they like.  That settles most nodes.
 *
 * Where it does not, it still tells what a counterexample must look like.  The bound exceeds the
 * worth of a set by its losses: p for every unit of room left empty, the gain of every copy of a
 * gainful item that is missing, the loss of every copy of another that is there.  A set worth more
 * than the limit can lose no more than a budget.  So items that gain more than the budget are in
 * it, items that lose more are not; the room shrinks, other multipliers fit better, and this is
 * repeated until nothing moves.  What then remains is searched (hold_search.c), between bounds of
 * what the rest of a set can add (hold_cut.c, hold_table.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stowage/error.h>

#include "base/int128.h"
#include "base/vec.h"
#include "verify/hold/hold_internal.h"

#define ROUNDS 1000 /* each takes something away */

double stow_hold_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct stow_hold_work *stow_hold_work_new(void)
{
    struct stow_hold_work *work = calloc(1, sizeof(*work));

    if (work)
        work->sizes = (struct stow_hold_sizes){.soon = 1 << 9,
                                               .later = 1 << 12,
                                               .cells = 1 << 22,
                                               .dense = 1 << 22,
                                               .batch = 1 << 17,
                                               .few = 4,
                                               .compare = 16};
    return work;
}

void stow_hold_work_free(struct stow_hold_work *work)
{
    if (!work)
        return;
    free(work->core.need);
    free(work->core.worth);
    free(work->core.most);
    free(work->core.gain);
    stow_hold_tables_done(work);
    stow_hold_cuts_done(work);
    stow_hold_search_done(work);
    free(work);
}

uint32_t stow_hold_searches(const struct stow_hold_work *work)
{
    return work->searches;
}

/* ---- taking the question apart ----------------------------------------------------------- */

static int load(struct stow_core *c, const struct stow_hold *hold)
{
    const size_t items = (size_t)hold->items + 1;

    if (items > c->item_cap) {
        c->item_cap = 0; /* until all of it is there */
        free(c->need);
        free(c->worth);
        free(c->most);
        free(c->gain);
        c->need = malloc(items * STOW_HOLD_DIMS * sizeof(*c->need));
        c->worth = malloc(items * sizeof(*c->worth));
        c->most = malloc(items * sizeof(*c->most));
        c->gain = malloc(items * sizeof(*c->gain));
        if (!c->need || !c->worth || !c->most || !c->gain)
            return STOW_ENOMEM;
        c->item_cap = items;
    }
    c->dims = hold->dims;
    c->items = hold->items;
    c->base = 0;
    memcpy(c->room, hold->room, hold->dims * sizeof(*c->room));
    memcpy(c->need, hold->need, (size_t)hold->items * hold->dims * sizeof(*c->need));
    memcpy(c->worth, hold->worth, hold->items * sizeof(*c->worth));
    memcpy(c->most, hold->most, hold->items * sizeof(*c->most));
    return STOW_OK;
}

/* Copies beyond what fits are not copies; items without copies go. */
static void drop_items(struct stow_core *c)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < c->items; i++) {
        const int64_t *need = c->need + (size_t)i * c->dims;
        int64_t most = c->most[i];

        for (uint32_t d = 0; d < c->dims; d++)
            if (need[d] > 0 && c->room[d] / need[d] < most)
                most = c->room[d] / need[d];
        if (most <= 0)
            continue;
        memmove(c->need + (size_t)kept * c->dims, need, c->dims * sizeof(*need));
        c->worth[kept] = c->worth[i];
        c->most[kept++] = (uint32_t)most;
    }
    c->items = kept;
}

/* A dimension in which everything fits together limits nothing. */
static bool limits(const struct stow_core *c, uint32_t d)
{
    stow_i128 all = 0;

    for (uint32_t i = 0; i < c->items; i++)
        all += (stow_i128)c->need[(size_t)i * c->dims + d] * c->most[i];
    return all > c->room[d];
}

static int64_t common_unit(const struct stow_core *c, uint32_t d)
{
    int64_t unit = 0;

    for (uint32_t i = 0; i < c->items && unit != 1; i++) {
        int64_t a = c->need[(size_t)i * c->dims + d];

        while (a) {
            const int64_t rest = unit % a;

            unit = a;
            a = rest;
        }
    }
    return unit ? unit : 1;
}

/* Keeps the dimensions that limit, each in the largest unit that divides all needs. */
static void drop_dims(struct stow_core *c)
{
    uint32_t keep[STOW_HOLD_DIMS], kept = 0;
    int64_t unit[STOW_HOLD_DIMS];

    for (uint32_t d = 0; d < c->dims; d++)
        if (limits(c, d)) {
            unit[kept] = common_unit(c, d);
            keep[kept++] = d;
        }
    for (uint32_t i = 0; i < c->items; i++)
        for (uint32_t k = 0; k < kept; k++) /* never writes what is still to be read */
            c->need[(size_t)i * kept + k] = c->need[(size_t)i * c->dims + keep[k]] / unit[k];
    for (uint32_t k = 0; k < kept; k++)
        c->room[k] = c->room[keep[k]] / unit[k];
    c->dims = kept;
}

/* ---- multipliers ------------------------------------------------------------------------- */

/* How finely the multipliers may be cut so that sums fit; 0: not at all. */
static int64_t choose_scale(const struct stow_core *c, const double *lambda)
{
    double bound = 1;
    int64_t scale = INT64_C(1) << 30;

    for (uint32_t d = 0; d < c->dims; d++)
        bound += lambda[d] * (double)c->room[d];
    for (uint32_t i = 0; i < c->items; i++)
        bound += (double)c->worth[i] * c->most[i];
    while (scale && bound * (double)scale > STOW_HOLD_LARGEST)
        scale /= 2;
    return scale;
}

/* Fills scale, price, gain and budget; false: the numbers are too large. */
static bool price_room(struct stow_core *c, int64_t limit)
{
    const struct stow_hold hold = {c->dims, c->items, c->room, c->need, c->worth, c->most};
    double lambda[STOW_HOLD_DIMS];
    stow_i128 bound = 0;

    stow_hold_relax(&hold, lambda);
    c->scale = choose_scale(c, lambda);
    if (!c->scale)
        return false;
    for (uint32_t d = 0; d < c->dims; d++) {
        c->price[d] = llround(lambda[d] * (double)c->scale);
        bound += (stow_i128)c->price[d] * c->room[d];
    }
    for (uint32_t i = 0; i < c->items; i++) {
        stow_i128 gain = (stow_i128)c->scale * c->worth[i];

        for (uint32_t d = 0; d < c->dims; d++)
            gain -= (stow_i128)c->price[d] * c->need[(size_t)i * c->dims + d];
        c->gain[i] = (int64_t)gain;
        bound += gain > 0 ? gain * c->most[i] : 0;
    }

    c->target = limit + 1 - c->base; /* worth > limit means worth >= limit + 1 */

    const stow_i128 budget = bound - (stow_i128)c->scale * c->target;

    c->budget = budget < -1                             ? -1
                : budget > (stow_i128)STOW_HOLD_LARGEST ? (int64_t)STOW_HOLD_LARGEST
                                                        : (int64_t)budget;
    return bound < (stow_i128)4 * (stow_i128)STOW_HOLD_LARGEST;
}

/* What every set within the budget has, is taken; what none can have, goes.  false: they do not fit
 * together, so there is no such set. */
static bool fix(struct stow_core *c, bool *ret_changed)
{
    for (uint32_t i = 0; i < c->items; i++) {
        const int64_t gain = c->gain[i];
        const int64_t copies = gain ? c->budget / (gain > 0 ? gain : -gain) : INT64_MAX;

        if (copies >= c->most[i])
            continue;
        *ret_changed = true;
        if (gain < 0) {
            c->most[i] = (uint32_t)copies;
            continue;
        }

        const int64_t taken = c->most[i] - copies;

        for (uint32_t d = 0; d < c->dims; d++)
            c->room[d] -= taken * c->need[(size_t)i * c->dims + d];
        c->base += taken * c->worth[i];
        c->most[i] = (uint32_t)copies;
    }
    for (uint32_t d = 0; d < c->dims; d++)
        if (c->room[d] < 0)
            return false;
    return true;
}

/* An answer, or -1: the core is what is left open. */
static int narrow(struct stow_core *c, int64_t limit)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        bool changed = false;

        drop_items(c);
        drop_dims(c);
        drop_items(c);
        if (c->base > limit)
            return STOW_HOLD_EXCEEDS;
        if (!price_room(c, limit))
            return STOW_HOLD_UNSETTLED;
        if (c->budget < 0)
            return STOW_HOLD_WITHIN;
        if (c->items == 0 || c->dims == 0)
            return STOW_HOLD_EXCEEDS; /* all of it fits, so the bound is what it is worth */
        if (!fix(c, &changed))
            return STOW_HOLD_WITHIN;
        if (!changed)
            return -1;
    }
    return STOW_HOLD_UNSETTLED;
}

/* ---- the order of items ------------------------------------------------------------------ */

static double share(const struct stow_core *c, uint32_t item)
{
    double most = 0;

    for (uint32_t d = 0; d < c->dims; d++) {
        const double part = (double)c->need[(size_t)item * c->dims + d] / (double)(c->room[d] + 1);

        most = part > most ? part : most;
    }
    return most;
}

static void swap(struct stow_core *c, uint32_t a, uint32_t b)
{
    const int64_t worth = c->worth[a], gain = c->gain[a];
    const uint32_t most = c->most[a];

    for (uint32_t d = 0; d < c->dims; d++) {
        int64_t *x = &c->need[(size_t)a * c->dims + d], *y = &c->need[(size_t)b * c->dims + d];
        const int64_t need = *x;

        *x = *y;
        *y = need;
    }
    c->worth[a] = c->worth[b];
    c->worth[b] = worth;
    c->gain[a] = c->gain[b];
    c->gain[b] = gain;
    c->most[a] = c->most[b];
    c->most[b] = most;
}

/* Large ones first: they leave few ways, and small ones fill what is left. */
static void order_items(struct stow_core *c)
{
    for (uint32_t i = 0; i < c->items; i++) {
        uint32_t best = i;
        double most = share(c, i);

        for (uint32_t j = i + 1; j < c->items; j++)
            if (share(c, j) > most) {
                most = share(c, j);
                best = j;
            }
        if (best != i)
            swap(c, i, best);
    }
}

/* ---- the answer -------------------------------------------------------------------------- */

/* Looks among the best sets of each level, where there are many: that settles most nodes, and finds
 * most sets that are worth too much. */
static int search_soon(struct stow_hold_work *work, double deadline)
{
    return stow_hold_search(work, work->sizes.soon, false, deadline);
}

/* With cuts alone first; then with tables of one or two dimensions and more sets.  The dense table,
 * which takes a tenth of a second or more, is for the few that are left: those whose price leaves
 * next to nothing. */
static int search(struct stow_hold_work *work, double deadline)
{
    int answer, settled;

    work->tables = 0;
    work->dense = NULL;
    answer = search_soon(work, deadline);
    if (answer != STOW_HOLD_UNSETTLED)
        return answer;
    settled = stow_hold_tabulate(work);
    if (settled)
        return settled < 0 ? settled : STOW_HOLD_WITHIN;
    answer = stow_hold_search(work, work->sizes.later, true, deadline);
    if (answer != STOW_HOLD_UNSETTLED)
        return answer;
    settled = stow_hold_tabulate_densely(work, deadline);
    if (settled)
        return settled < 0 ? settled : STOW_HOLD_WITHIN;
    answer = search_soon(work, deadline);
    if (answer != STOW_HOLD_UNSETTLED)
        return answer;
    return stow_hold_search(work, UINT32_MAX, true, deadline);
}

int stow_hold_ask(struct stow_hold_work *work, const struct stow_hold *hold, int64_t limit,
                  double deadline)
{
    if (limit < 0)
        return STOW_HOLD_EXCEEDS; /* the empty set is worth 0 */
    if (load(&work->core, hold) < 0)
        return STOW_ENOMEM;

    const int answer = narrow(&work->core, limit);

    if (answer >= 0)
        return answer;
    work->searches++;

    order_items(&work->core);
    return search(work, deadline);
}
