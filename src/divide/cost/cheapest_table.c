/* cheapest_table.c - the cheapest division by a table over replicas.
 *
 * Regions one after another, in each its places one after another.  A state is how many
 * regions and places are chosen and how many replicas they hold; its entry the least that
 * costs.  Two planes: `out`, before the region at hand, and `in`, with at least one of its
 * places chosen.  A place extends both into a new `in`: over `out` it opens the region.
 *
 * A place may hold any number of replicas between its least and its most, at a cost
 * that is straight between steps.  For one straight piece the best predecessor of every
 * state is a minimum over a sliding window, so a piece costs a few operations per
 * state and not one per number of replicas. */
#include "divide/cost/cheapest_internal.h"

#define FROM_OUT   1u /* the place opens its region */
#define SAME_ROW   2u /* as many regions as before: beyond their minimum all are alike */
#define SAME_COUNT 4u /* likewise places */
#define FROM_BITS  3

struct table {
    struct stow_cheap_work *w;
    uint32_t *place; /* those that are not dropped, by region */
    uint32_t places;
    uint32_t columns; /* replicas + 1 */
    size_t states;
    stow_i128 *out, *in, *made;
    uint32_t *from;    /* [place][state]: replicas << FROM_BITS and the flags; 0: not chosen */
    bool *opened;      /* [place][state], at the last place of a region: the region is used */
    bool closed;       /* a forced place of the region is passed: it cannot be opened any more */
    uint32_t *window;  /* replicas, for the sliding minimum */
    stow_i128 *height; /* of those */
};

/* A straight piece of what a place costs: from `lo` replicas to `hi`. */
struct piece {
    int64_t lo, hi;
    stow_i128 base, slope;
};

static size_t state_of(const struct table *t, uint32_t regions, uint32_t places)
{
    return ((size_t)regions * (t->w->places.size + 1) + places) * t->columns;
}

/* ---- making it --------------------------------------------------------------------------- */

static void list_places(struct table *t)
{
    const struct stow_cheap_work *w = t->w;
    uint32_t regions = w->by_region ? w->p->regions : 1;

    for (uint32_t region = 0; region < regions; region++)
        for (uint32_t i = 0; i < w->p->places; i++)
            if (!w->dropped[i] && (!w->by_region || w->p->place[i].region == region))
                t->place[t->places++] = i;
}

static int open_table(struct table *t, struct stow_err *err)
{
    struct stow_cheap_work *w = t->w;

    t->place = stow_cheap_alloc(w->arena, w->p->places + 1, sizeof(*t->place));
    if (!t->place)
        return stow_fail_memory(err);
    list_places(t);
    if (w->p->replicas >= UINT32_MAX >> FROM_BITS)
        return 0;
    t->columns = (uint32_t)w->p->replicas + 1;
    t->states = (size_t)(w->regions.size + 1) * (w->places.size + 1) * t->columns;
    if (t->states * ((uint64_t)t->places + 8) > w->p->states_max)
        return 0;
    t->out = stow_cheap_alloc(w->arena, t->states, sizeof(*t->out));
    t->in = stow_cheap_alloc(w->arena, t->states, sizeof(*t->in));
    t->made = stow_cheap_alloc(w->arena, t->states, sizeof(*t->made));
    t->from = stow_cheap_alloc(w->arena, t->states * t->places, sizeof(*t->from));
    t->opened = stow_cheap_alloc(w->arena, t->states * t->places, sizeof(*t->opened));
    t->window = stow_cheap_alloc(w->arena, t->columns, sizeof(*t->window));
    t->height = stow_cheap_alloc(w->arena, t->columns, sizeof(*t->height));
    if (!t->out || !t->in || !t->made || !t->from || !t->opened || !t->window || !t->height)
        return stow_fail_memory(err);
    for (size_t i = 0; i < t->states; i++)
        t->out[i] = t->in[i] = STOW_CHEAP_INFINITY;
    t->out[0] = 0;
    return 1;
}

/* ---- a place ----------------------------------------------------------------------------- */

/* to[r] = the least of source[r - x] and what x replicas cost, over the x of a piece. */
static void slide(struct table *t, const struct piece *piece, const stow_i128 *source,
                  stow_i128 *to, uint32_t *from, uint32_t flags)
{
    uint32_t head = 0, tail = 0;

    for (int64_t r = piece->lo; r < t->columns; r++) {
        int64_t enters = r - piece->lo;

        if (source[enters] < STOW_CHEAP_INFINITY) {
            stow_i128 height = source[enters] - piece->slope * enters;

            while (tail > head && t->height[tail - 1] >= height)
                tail--;
            t->height[tail] = height;
            t->window[tail++] = (uint32_t)enters;
        }
        while (tail > head && t->window[head] < r - piece->hi)
            head++;
        if (tail == head)
            continue;

        stow_i128 cost = t->height[head] + piece->slope * (r - piece->lo) + piece->base;

        if (cost < to[r]) {
            to[r] = cost;
            from[r] = (uint32_t)(r - t->window[head]) << FROM_BITS | flags;
        }
    }
}

/* All predecessors with this many regions and places, for one piece. */
static void extend(struct table *t, const struct piece *piece, uint32_t regions, uint32_t places,
                   uint32_t *from)
{
    const struct stow_cheap_work *w = t->w;
    int64_t count = stow_cheap_next(&w->places, places, 1);
    int64_t opens = w->by_region ? stow_cheap_next(&w->regions, regions, 1) : regions;
    uint32_t flags = count == places ? SAME_COUNT : 0;
    size_t source = state_of(t, regions, places);

    if (count < 0)
        return;

    size_t to = state_of(t, regions, (uint32_t)count);

    slide(t, piece, t->in + source, t->made + to, from + to, flags | SAME_ROW);
    if (opens < 0 || t->closed)
        return;
    to = state_of(t, (uint32_t)opens, (uint32_t)count);
    slide(t, piece, t->out + source, t->made + to, from + to,
          flags | FROM_OUT | (opens == regions ? SAME_ROW : 0));
}

static void add_place(struct table *t, uint32_t number)
{
    const struct stow_cheap_work *w = t->w;
    uint32_t place = t->place[number];
    uint32_t *from = t->from + t->states * number;
    int64_t least = w->p->place[place].least;

    for (size_t i = 0; i < t->states; i++) {
        t->made[i] = w->p->place[place].forced ? STOW_CHEAP_INFINITY : t->in[i];
        from[i] = 0;
    }
    for (uint32_t k = w->first[place]; k < w->first[place + 1]; k++) {
        const struct stow_cheap_rung *rung = &w->rung[k];
        int64_t lo = rung->from > least ? rung->from : least;

        if (rung->to < lo)
            continue;

        struct piece piece = {lo, rung->to, stow_cheap_cost(w, place, lo), rung->key};

        for (uint32_t r = 0; r <= w->regions.size; r++)
            for (uint32_t c = 0; c <= w->places.size; c++)
                extend(t, &piece, r, c, from);
    }

    stow_i128 *old = t->in;

    t->in = t->made;
    t->made = old;
}

/* ---- a region ---------------------------------------------------------------------------- */

static bool ends_region(const struct table *t, uint32_t number)
{
    const struct stow_cheap_place *place = t->w->p->place;

    return number + 1 == t->places || (t->w->by_region && place[t->place[number]].region !=
                                                              place[t->place[number + 1]].region);
}

static void end_region(struct table *t, uint32_t number)
{
    bool *opened = t->opened + t->states * number;

    for (size_t i = 0; i < t->states; i++) {
        opened[i] = t->closed || t->in[i] < t->out[i];
        if (opened[i])
            t->out[i] = t->in[i];
        t->in[i] = STOW_CHEAP_INFINITY;
    }
    t->closed = false;
}

static void fill_table(struct table *t)
{
    for (uint32_t i = 0; i < t->places; i++) {
        add_place(t, i);
        t->closed |= t->w->p->place[t->place[i]].forced;
        if (ends_region(t, i))
            end_region(t, i);
    }
}

/* ---- reading it -------------------------------------------------------------------------- */

struct place_in_table {
    uint32_t regions, places;
    int64_t replicas;
};

static bool find_best(const struct table *t, struct place_in_table *ret, stow_i128 *ret_cost)
{
    const struct stow_cheap_work *w = t->w;
    stow_i128 best = STOW_CHEAP_INFINITY;

    for (uint32_t r = w->by_region ? w->regions.min : 0; r <= w->regions.size; r++)
        for (uint32_t c = w->places.min; c <= w->places.size; c++) {
            stow_i128 cost = t->out[state_of(t, r, c) + (size_t)w->p->replicas];

            if (cost >= best)
                continue;
            best = cost;
            *ret = (struct place_in_table){r, c, w->p->replicas};
        }
    *ret_cost = best;
    return best < STOW_CHEAP_INFINITY;
}

static void read_back(const struct table *t, struct place_in_table at)
{
    bool inside = false;

    for (uint32_t i = t->places; i-- > 0;) {
        size_t state = state_of(t, at.regions, at.places) + (size_t)at.replicas;

        if (ends_region(t, i))
            inside = t->opened[t->states * i + state];

        uint32_t from = inside ? t->from[t->states * i + state] : 0;

        if (!from)
            continue;
        t->w->best[t->place[i]] = from >> FROM_BITS;
        at.replicas -= from >> FROM_BITS;
        at.regions -= !(from & SAME_ROW);
        at.places -= !(from & SAME_COUNT);
        inside = !(from & FROM_OUT);
    }
}

int stow_cheap_table(struct stow_cheap_work *w, struct stow_err *err)
{
    struct table t = {.w = w};
    struct place_in_table at = {0, 0, 0};
    stow_i128 cost;
    int code = open_table(&t, err);

    if (code != 1 || !t.out)
        return code;
    fill_table(&t);
    if (!find_best(&t, &at, &cost) || cost >= w->cost)
        return 1; /* what is there is the best */
    w->cost = cost;
    for (uint32_t i = 0; i < w->p->places; i++)
        w->best[i] = 0;
    read_back(&t, at);
    return 1;
}
