/* cheapest.c - the cheapest division of one workload, spread constraints included.
 *
 * Without constraints
 * -------------------
 * The cheapest step first, filled, then the next: nothing else is cheaper.
 *
 * With constraints
 * ----------------
 * At most four clusters, at least two, of three regions: now a cheap cluster with little
 * room may have to make way for a more expensive one with more, and the question contains
 * subset sum.  It is settled in three stages, each of which is usually the last.
 *
 * 1. Give a replica a price of its own, x, and let every place keep what it hosts cheaper
 *    than x.  A place is then worth a number, the best choice of places is easy
 *    (cheapest_select.c), and x * replicas + the sum of worths is a lower bound.  As a
 *    function of x it is concave and made of straight lines, so the best x is found by
 *    walking to where the outermost lines cross.  Every choice met on the way, filled
 *    cheapest first, is a division.
 * 2. Places that no better division can have are dropped: those that enough others are
 *    better than in every respect, and those that lift the bound above the best
 *    division when they are forced into it.
 * 3. What is left is decided by a table over replicas (cheapest_table.c).
 *
 * Ties
 * ----
 * Of equally cheap divisions the one whose replicas come earliest in the order of places (the
 * sum of their positions is smallest).  The position is put after the price as its
 * last digits, so that "cheaper" settles ties as well. */
#include "divide/cost/cheapest.h"

#include <stdlib.h>
#include <string.h>

#include "divide/cost/cheapest_internal.h"

#define WALK_MAX   200 /* steps to the best price; a handful is usual */
#define FORCED_MAX 400 /* places for which forcing them in is tried */
#define BITS       124 /* of numbers that are computed with */

/* ---- setting up -------------------------------------------------------------------------- */

static uint32_t bits_of(uint64_t value)
{
    return value ? 64 - (uint32_t)__builtin_clzll(value) : 1;
}

static uint64_t size_of(stow_nano price)
{
    return price < 0 ? 0 - (uint64_t)price : (uint64_t)price;
}

static struct stow_cheap_axis axis_of(uint32_t min, uint32_t max, uint64_t all)
{
    struct stow_cheap_axis axis = {min, max, max >= all};

    if (axis.saturates)
        axis.size = min > 1 ? min : 1;
    return axis;
}

/* How many digits the order may take: products with replicas must stay within BITS. */
static int choose_scale(struct stow_cheap_work *w, struct stow_err *err)
{
    const struct stow_cheap_problem *p = w->p;
    uint64_t largest = 1;

    for (uint32_t i = 0; i < p->places; i++)
        for (uint32_t k = 0; k < p->place[i].steps; k++) {
            uint64_t size = size_of(p->step[p->place[i].step + k].price);

            largest = size > largest ? size : largest;
        }

    uint32_t replicas = bits_of((uint64_t)p->replicas), places = bits_of(p->places);
    uint32_t used = bits_of(largest) + 2 * replicas + places + 6;

    if (used > BITS)
        return stow_fail(err, STOW_ELIMIT, "prices and replicas are too large to be multiplied");
    w->scale = p->ties && used + replicas + places < BITS && replicas + places < 62
                   ? INT64_C(1) << (replicas + places)
                   : 1;
    return STOW_OK;
}

static void make_rungs(struct stow_cheap_work *w)
{
    for (uint32_t i = 0; i < w->p->places; i++) {
        const struct stow_cheap_place *place = &w->p->place[i];
        int64_t from = 0;

        w->first[i] = w->rungs;
        w->most[i] = place->most < w->p->replicas ? place->most : w->p->replicas;
        for (uint32_t k = 0; k < place->steps && from < w->most[i]; k++) {
            const struct stow_cheap_step *step = &w->p->step[place->step + k];
            int64_t to = step->capacity > w->most[i] - from ? w->most[i] : from + step->capacity;

            if (to == from)
                continue;
            w->rung[w->rungs] = (struct stow_cheap_rung){
                (stow_i128)step->price * w->scale + (w->scale > 1 ? i : 0), i, from, to};
            w->cheap[w->rungs] = w->rungs;
            w->rungs++;
            from = to;
        }
        w->most[i] = from < w->most[i] ? from : w->most[i];
        w->dropped[i] = w->most[i] < place->least || place->least < 1;
    }
    w->first[w->p->places] = w->rungs;
}

static int compare_rungs(const void *a, const void *b, void *context)
{
    const struct stow_cheap_rung *rung = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    if (rung[i].key != rung[j].key)
        return rung[i].key < rung[j].key ? -1 : 1;
    return (i > j) - (i < j);
}

static int open_work(struct stow_cheap_work *w, struct stow_err *err)
{
    uint32_t places = w->p->places, steps = 0;

    STOW_TRY(choose_scale(w, err));
    for (uint32_t i = 0; i < places; i++)
        steps += w->p->place[i].steps;
    w->rung = stow_cheap_alloc(w->arena, steps + 1, sizeof(*w->rung));
    w->first = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->first));
    w->cheap = stow_cheap_alloc(w->arena, steps + 1, sizeof(*w->cheap));
    w->dropped = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->dropped));
    w->most = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->most));
    w->chosen = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->chosen));
    w->wants = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->wants));
    w->worth = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->worth));
    w->best = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->best));
    w->held = stow_cheap_alloc(w->arena, w->p->regions + 1, sizeof(*w->held));
    if (!w->rung || !w->first || !w->cheap || !w->dropped || !w->most || !w->chosen || !w->wants ||
        !w->worth || !w->best || !w->held)
        return stow_fail_memory(err);
    make_rungs(w);
    qsort_r(w->cheap, w->rungs, sizeof(*w->cheap), compare_rungs, w->rung);
    w->cost = STOW_CHEAP_INFINITY;
    w->bound = -STOW_CHEAP_INFINITY;
    return STOW_OK;
}

stow_i128 stow_cheap_cost(const struct stow_cheap_work *w, uint32_t place, int64_t replicas)
{
    stow_i128 cost = 0;

    for (uint32_t i = w->first[place]; i < w->first[place + 1] && w->rung[i].from < replicas; i++)
        cost += w->rung[i].key *
                ((w->rung[i].to < replicas ? w->rung[i].to : replicas) - w->rung[i].from);
    return cost;
}

/* ---- a choice, filled -------------------------------------------------------------------- */

static void hold_least(struct stow_cheap_work *w, uint32_t i)
{
    w->wants[i] = w->p->place[i].least;
    if (w->by_region)
        w->held[w->p->place[i].region] = true;
}

/* Forced places hold their least; returns how many there are, and of how many regions. */
static uint32_t hold_forced(struct stow_cheap_work *w, uint32_t *ret_regions)
{
    uint32_t count = 0;

    *ret_regions = 0;
    for (uint32_t i = 0; w->by_region && i < w->p->regions; i++)
        w->held[i] = false;
    for (uint32_t i = 0; i < w->p->places; i++) {
        w->wants[i] = 0;
        if (!w->chosen[i] || !w->p->place[i].forced)
            continue;
        *ret_regions += w->by_region && !w->held[w->p->place[i].region];
        hold_least(w, i);
        count++;
    }
    return count;
}

/* The cheapest places hold their least until there are enough of them; first one per region, until
 * there are enough regions. */
static void hold_enough(struct stow_cheap_work *w)
{
    uint32_t regions, places = hold_forced(w, &regions);

    for (int pass = w->by_region ? 0 : 1; pass < 2; pass++)
        for (uint32_t i = 0; i < w->rungs; i++) {
            const struct stow_cheap_rung *rung = &w->rung[w->cheap[i]];
            uint32_t place = rung->place;

            if (rung->from > 0 || !w->chosen[place] || w->wants[place] > 0)
                continue;
            if (pass == 0 ? regions >= w->regions.min || w->held[w->p->place[place].region]
                          : places >= w->places.min)
                continue;
            hold_least(w, place);
            regions++;
            places++;
        }
}

/* The chosen places hold what they must, the rest goes to the cheapest; kept when it is the best so
 * far. */
static void fill_chosen(struct stow_cheap_work *w)
{
    int64_t left = w->p->replicas;
    stow_i128 cost = 0;

    hold_enough(w);
    for (uint32_t i = 0; i < w->p->places; i++) {
        left -= w->wants[i];
        cost += stow_cheap_cost(w, i, w->wants[i]);
    }
    if (left < 0)
        return;
    for (uint32_t i = 0; i < w->rungs && left > 0; i++) {
        const struct stow_cheap_rung *rung = &w->rung[w->cheap[i]];
        int64_t have = w->wants[rung->place];

        if (!w->chosen[rung->place] || have >= rung->to)
            continue;

        int64_t more = rung->to - have < left ? rung->to - have : left;

        w->wants[rung->place] += more;
        left -= more;
        cost += rung->key * more;
    }
    if (left == 0 && cost < w->cost) {
        w->cost = cost;
        memcpy(w->best, w->wants, w->p->places * sizeof(*w->best));
    }
}

/* Nothing is constrained but minima of single places. */
static bool is_plain(const struct stow_cheap_work *w)
{
    return w->places.saturates && w->places.min <= 1 && !w->by_region;
}

static void fill_plainly(struct stow_cheap_work *w)
{
    for (uint32_t i = 0; i < w->p->places; i++)
        w->chosen[i] = !w->dropped[i];
    fill_chosen(w);
    w->bound = w->cost;
}

/* ---- the best price of a replica --------------------------------------------------------- */

/* The lower bound at a price, as a straight line: its value there, and how it goes on. */
struct line {
    stow_i128 price, value;
    int64_t slope; /* replicas that are missing at this price */
};

static void weigh_places(struct stow_cheap_work *w, stow_i128 price)
{
    for (uint32_t i = 0; i < w->p->places; i++) {
        int64_t wants = w->p->place[i].least;

        if (w->dropped[i])
            continue;
        for (uint32_t k = w->first[i]; k < w->first[i + 1] && w->rung[k].key < price; k++)
            wants = w->rung[k].to > wants ? w->rung[k].to : wants;
        w->wants[i] = wants;
        w->worth[i] = stow_cheap_cost(w, i, wants) - price * wants;
    }
}

static bool draw_line(struct stow_cheap_work *w, stow_i128 price, struct line *ret)
{
    stow_i128 sum;
    int64_t hosted = 0;

    weigh_places(w, price);
    if (!stow_cheap_select(w, &sum))
        return false;
    for (uint32_t i = 0; i < w->p->places; i++)
        hosted += w->chosen[i] ? w->wants[i] : 0;
    *ret = (struct line){price, sum + price * w->p->replicas, w->p->replicas - hosted};
    if (ret->value > w->bound) {
        w->bound = ret->value;
        w->price = price;
    }
    fill_chosen(w);
    return true;
}

/* A price at which no replica too many is taken, and one at which none is missing. */
static bool enclose(struct stow_cheap_work *w, struct line *low, struct line *high)
{
    stow_i128 least = w->rung[w->cheap[0]].key, step = 1;

    for (uint32_t i = 0; i < w->rungs; i++)
        if (w->rung[i].key - least + 1 > step)
            step = w->rung[i].key - least + 1;
    if (!draw_line(w, least - 1, low) || low->slope < 0)
        return false;
    for (stow_i128 limit = step * (w->p->replicas + 1);; step *= 2) {
        if (!draw_line(w, least + step, high))
            return false;
        if (high->slope <= 0)
            return true;
        *low = *high;
        if (step > limit)
            return false;
    }
}

static void find_price(struct stow_cheap_work *w)
{
    struct line low, high, made;

    if (!enclose(w, &low, &high))
        return;
    for (uint32_t i = 0; i < WALK_MAX && low.slope > 0 && high.slope < 0; i++) {
        stow_i128 width = high.price - low.price;
        stow_i128 go = (high.value - low.value - high.slope * width) / (low.slope - high.slope);

        if (go <= 0 || go >= width || !draw_line(w, low.price + go, &made))
            return;
        if (made.slope == low.slope || made.slope == high.slope)
            return; /* on one of the two lines: this is where they cross */
        *(made.slope >= 0 ? &low : &high) = made;
    }
}

/* ---- dropping ---------------------------------------------------------------------------- */

static bool is_single(const struct stow_cheap_work *w, uint32_t i)
{
    return w->first[i + 1] == w->first[i] + 1 && w->p->place[i].least == 1;
}

/* Whether a is no worse than b in every respect. */
static bool beats(const struct stow_cheap_work *w, uint32_t a, uint32_t b)
{
    return !w->dropped[a] && is_single(w, a) && w->most[a] >= w->most[b] &&
           w->rung[w->first[a]].key < w->rung[w->first[b]].key &&
           (!w->by_region || w->p->place[a].region == w->p->place[b].region);
}

/* A place is needed only when fewer others than may be chosen are better. */
static void drop_beaten(struct stow_cheap_work *w)
{
    uint32_t enough = w->places.size;

    for (uint32_t b = 0; b < w->p->places && !w->places.saturates; b++) {
        uint32_t better = 0;

        if (w->dropped[b] || w->p->place[b].forced || !is_single(w, b))
            continue;
        for (uint32_t a = 0; a < w->p->places && better < enough; a++)
            better += a != b && beats(w, a, b);
        w->dropped[b] = better >= enough;
    }
}

/* Whether every division with the places forced in `as` costs more than the best one. */
static bool is_hopeless(struct stow_cheap_work *w, const struct stow_cheap_problem *as)
{
    const struct stow_cheap_problem *p = w->p;
    stow_i128 sum;

    w->p = as;
    bool found = stow_cheap_select(w, &sum);

    w->p = p;
    return !found || sum + w->price * p->replicas > w->cost;
}

static int drop_hopeless(struct stow_cheap_work *w, struct stow_err *err)
{
    uint32_t left = 0;
    struct stow_cheap_problem forced = *w->p;
    struct stow_cheap_place *place = stow_cheap_alloc(w->arena, w->p->places + 1, sizeof(*place));

    if (!place)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < w->p->places; i++)
        left += !w->dropped[i];
    if (left > FORCED_MAX || w->bound <= -STOW_CHEAP_INFINITY)
        return STOW_OK;
    memcpy(place, w->p->place, w->p->places * sizeof(*place));
    forced.place = place;
    weigh_places(w, w->price);
    for (uint32_t i = 0; i < w->p->places; i++) {
        if (w->dropped[i] || place[i].forced)
            continue;
        place[i].forced = true;
        w->dropped[i] = is_hopeless(w, &forced);
        place[i].forced = false;
    }
    return STOW_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* The most that an allowed choice holds; that choice, filled, is a first division. */
static int64_t find_room(struct stow_cheap_work *w)
{
    stow_i128 sum;

    for (uint32_t i = 0; i < w->p->places; i++)
        w->worth[i] = -(stow_i128)w->most[i];
    if (!stow_cheap_select(w, &sum))
        return 0;
    fill_chosen(w);
    return -sum < w->p->replicas ? (int64_t)-sum : w->p->replicas;
}

static int settle(struct stow_cheap_work *w, struct stow_err *err)
{
    if (w->cost == w->bound || !w->p->states_max)
        return STOW_OK;
    drop_beaten(w);
    STOW_TRY(drop_hopeless(w, err));

    int code = stow_cheap_table(w, err);

    STOW_TRY(code);
    if (code == 1)
        w->bound = w->cost;
    return STOW_OK;
}

/* Whether all that is forced has room. */
static bool forced_fit(const struct stow_cheap_work *w)
{
    for (uint32_t i = 0; i < w->p->places; i++)
        if (w->p->place[i].forced && w->dropped[i])
            return false;
    return true;
}

static void write_answer(const struct stow_cheap_work *w, struct stow_cheap_answer *ret)
{
    stow_i128 cost = 0;

    for (uint32_t i = 0; i < w->p->places; i++) {
        int64_t left = w->best[i];

        for (uint32_t k = 0; k < w->p->place[i].steps && left > 0; k++) {
            const struct stow_cheap_step *step = &w->p->step[w->p->place[i].step + k];
            int64_t here = step->capacity < left ? step->capacity : left;

            cost += (stow_i128)step->price * here;
            left -= here;
        }
    }
    ret->replicas = w->best;
    ret->cost = cost;
    ret->exact = w->cost == w->bound;
    ret->bound = w->bound / w->scale - (w->bound % w->scale < 0);
    if (ret->exact || ret->bound > cost)
        ret->bound = cost;
}

int stow_cheapest(const struct stow_cheap_problem *problem, struct stow_arena *arena,
                  struct stow_cheap_answer *ret, struct stow_err *err)
{
    struct stow_cheap_work w = {
        .p = problem,
        .arena = arena,
        .places = axis_of(problem->place_min, problem->place_max, problem->places),
        .regions = axis_of(problem->region_min, problem->region_max, problem->regions),
    };

    w.by_region = !w.regions.saturates || w.regions.min > 1;
    if (!w.by_region)
        w.regions = (struct stow_cheap_axis){0, 0, true};
    *ret = (struct stow_cheap_answer){0};
    STOW_TRY(open_work(&w, err));
    STOW_TRY(stow_cheap_select_init(&w, err));
    if (problem->replicas < 1 || !forced_fit(&w))
        return 0;
    ret->room = find_room(&w);
    if (ret->room < problem->replicas || w.cost >= STOW_CHEAP_INFINITY)
        return 0;
    if (is_plain(&w)) {
        fill_plainly(&w);
    } else {
        find_price(&w);
        STOW_TRY(settle(&w, err));
    }
    write_answer(&w, ret);
    return 1;
}
