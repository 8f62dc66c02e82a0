/* cheapest_select.c - the best choice of places when every place has one number.
 *
 * Once replicas have a price of their own (cheapest.c), a place is worth a number and the
 * choice is: at least this many places, at most this many, of at least and at most this many
 * regions, with the smallest sum.  Without regions that is the head of a sorted list.
 * With regions and no limits on places it is the head of the sorted regions.  With both
 * it is a small table: regions one after another, how many of them and how many places
 * so far; within a region the best places come first, so a number of places is enough. */
#include <stdlib.h>

#include "divide/cost/cheapest_internal.h"

static int compare_places(const void *a, const void *b, void *context)
{
    const struct stow_cheap_work *w = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct stow_cheap_place *x = &w->p->place[i], *y = &w->p->place[j];

    if (w->by_region && x->region != y->region)
        return x->region < y->region ? -1 : 1;
    if (x->forced != y->forced)
        return x->forced ? -1 : 1;
    if (w->worth[i] != w->worth[j])
        return w->worth[i] < w->worth[j] ? -1 : 1;
    return (i > j) - (i < j);
}

/* Places that count, in order; returns how many. */
static uint32_t sort_places(struct stow_cheap_work *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->p->places; i++) {
        w->chosen[i] = false;
        if (!w->dropped[i])
            w->order[count++] = i;
    }
    qsort_r(w->order, count, sizeof(*w->order), compare_places, w);
    return count;
}

/* ---- places only ------------------------------------------------------------------------- */

static bool select_places(struct stow_cheap_work *w, uint32_t count, stow_i128 *ret_sum)
{
    stow_i128 sum = 0;
    uint32_t made = 0;

    for (; made < count; made++) {
        uint32_t i = w->order[made];
        bool needed = made < w->places.min || w->p->place[i].forced;

        if (!needed && w->worth[i] >= 0)
            break;
        if (stow_cheap_next(&w->places, made, 1) < 0) {
            if (w->p->place[i].forced)
                return false;
            break;
        }
        w->chosen[i] = true;
        sum += w->worth[i];
    }
    *ret_sum = sum;
    return made >= w->places.min;
}

/* ---- regions only ------------------------------------------------------------------------ */

/* Finds the regions in `order`; of each the number of places that is best when it is free. */
static uint32_t find_ranges(struct stow_cheap_work *w, uint32_t count)
{
    uint32_t ranges = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_cheap_place *place = &w->p->place[w->order[i]];

        if (i == 0 || place->region != w->p->place[w->order[i - 1]].region)
            w->range[ranges++] = (struct stow_cheap_range){.first = i};

        struct stow_cheap_range *r = &w->range[ranges - 1];

        r->forced += place->forced;
        if (r->count++ == 0 || place->forced || w->worth[w->order[i]] < 0) {
            r->best = r->count;
            r->worth += w->worth[w->order[i]];
        }
    }
    return ranges;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct stow_cheap_range *x = a, *y = b;

    if ((x->forced > 0) != (y->forced > 0))
        return x->forced > 0 ? -1 : 1;
    if (x->worth != y->worth)
        return x->worth < y->worth ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static void choose_range(struct stow_cheap_work *w, const struct stow_cheap_range *r,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        w->chosen[w->order[r->first + i]] = true;
}

static bool select_regions(struct stow_cheap_work *w, uint32_t ranges, stow_i128 *ret_sum)
{
    stow_i128 sum = 0;
    uint32_t made = 0;

    qsort(w->range, ranges, sizeof(*w->range), compare_ranges);
    for (; made < ranges; made++) {
        const struct stow_cheap_range *r = &w->range[made];

        if (made >= w->regions.min && !r->forced && r->worth >= 0)
            break;
        if (stow_cheap_next(&w->regions, made, 1) < 0) {
            if (r->forced)
                return false;
            break;
        }
        choose_range(w, r, r->best);
        sum += r->worth;
    }
    *ret_sum = sum;
    return made >= w->regions.min;
}

/* ---- both -------------------------------------------------------------------------------- */

static size_t plane(const struct stow_cheap_work *w)
{
    return (size_t)(w->regions.size + 1) * (w->places.size + 1);
}

static size_t at(const struct stow_cheap_work *w, uint32_t region, uint32_t regions,
                 uint32_t places)
{
    return plane(w) * region + (size_t)regions * (w->places.size + 1) + places;
}

/* From one state before the region to all that lead out of it. */
static void extend(struct stow_cheap_work *w, uint32_t region, uint32_t regions, uint32_t places)
{
    const struct stow_cheap_range *r = &w->range[region];
    stow_i128 sum = w->table[at(w, region, regions, places)];
    int64_t next = stow_cheap_next(&w->regions, regions, 1);

    for (uint32_t k = 0; k <= r->count; k++) {
        int64_t count = stow_cheap_next(&w->places, places, k);

        if (k > 0)
            sum += w->worth[w->order[r->first + k - 1]];
        if (count < 0 || (k > 0 && next < 0))
            break;
        if (k > r->best && places + k > w->places.min)
            break; /* more than the best ones only where places are missing */
        if (k < r->forced)
            continue;

        size_t to = at(w, region + 1, k ? (uint32_t)next : regions, (uint32_t)count);

        if (sum < w->table[to]) {
            w->table[to] = sum;
            w->taken[to] = k;
        }
    }
}

/* The state that a state came from, one region before: the one whose sum fits. */
static bool came_from(const struct stow_cheap_work *w, uint32_t region, const uint32_t state[2],
                      uint32_t ret[2])
{
    uint32_t k = w->taken[at(w, region + 1, state[0], state[1])];
    stow_i128 sum = w->table[at(w, region + 1, state[0], state[1])];

    for (uint32_t i = 0; i < k; i++)
        sum -= w->worth[w->order[w->range[region].first + i]];
    for (uint32_t r = 0; r <= w->regions.size; r++)
        for (uint32_t c = 0; c <= w->places.size; c++)
            if (w->table[at(w, region, r, c)] == sum &&
                (k ? stow_cheap_next(&w->regions, r, 1) : (int64_t)r) == (int64_t)state[0] &&
                stow_cheap_next(&w->places, c, k) == (int64_t)state[1]) {
                ret[0] = r;
                ret[1] = c;
                return true;
            }
    return false;
}

static bool select_both(struct stow_cheap_work *w, uint32_t ranges, stow_i128 *ret_sum)
{
    uint32_t best[2] = {0, 0};
    stow_i128 sum = STOW_CHEAP_INFINITY;

    for (size_t i = 0; i < plane(w) * (ranges + 1); i++)
        w->table[i] = STOW_CHEAP_INFINITY;
    w->table[0] = 0;
    for (uint32_t region = 0; region < ranges; region++)
        for (uint32_t r = 0; r <= w->regions.size; r++)
            for (uint32_t c = 0; c <= w->places.size; c++)
                if (w->table[at(w, region, r, c)] < STOW_CHEAP_INFINITY)
                    extend(w, region, r, c);
    for (uint32_t r = w->regions.min; r <= w->regions.size; r++)
        for (uint32_t c = w->places.min; c <= w->places.size; c++)
            if (w->table[at(w, ranges, r, c)] < sum) {
                sum = w->table[at(w, ranges, r, c)];
                best[0] = r;
                best[1] = c;
            }
    if (sum >= STOW_CHEAP_INFINITY)
        return false;
    for (uint32_t region = ranges; region-- > 0;) {
        choose_range(w, &w->range[region], w->taken[at(w, region + 1, best[0], best[1])]);
        if (!came_from(w, region, best, best))
            return false;
    }
    *ret_sum = sum;
    return true;
}

/* ---- which ------------------------------------------------------------------------------- */

static bool places_are_free(const struct stow_cheap_work *w)
{
    return w->places.saturates && w->places.min <= 1;
}

int stow_cheap_select_init(struct stow_cheap_work *w, struct stow_err *err)
{
    uint32_t places = w->p->places;

    w->order = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->order));
    w->range = stow_cheap_alloc(w->arena, places + 1, sizeof(*w->range));
    if (!w->order || !w->range)
        return stow_fail_memory(err);
    if (!w->by_region || places_are_free(w))
        return STOW_OK;

    size_t cells = plane(w) * ((size_t)w->p->regions + 1);

    if (cells > STOW_CHEAP_STATES)
        return stow_fail(err, STOW_ELIMIT, "spread constraints over too many clusters");
    w->table = stow_cheap_alloc(w->arena, cells, sizeof(*w->table));
    w->taken = stow_cheap_alloc(w->arena, cells, sizeof(*w->taken));
    return w->table && w->taken ? STOW_OK : stow_fail_memory(err);
}

bool stow_cheap_select(struct stow_cheap_work *w, stow_i128 *ret_sum)
{
    uint32_t count = sort_places(w);

    if (!w->by_region)
        return select_places(w, count, ret_sum);

    uint32_t ranges = find_ranges(w, count);

    return places_are_free(w) ? select_regions(w, ranges, ret_sum)
                              : select_both(w, ranges, ret_sum);
}
