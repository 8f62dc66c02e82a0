/* frontier.c - dominance between partial patterns.
 *
 * Problem.  Thousands of partial patterns of a node differ in little.  One that is worth no more
 * than another and leaves no more of any resource can be forgotten: whatever completes it completes
 * the other.  Comparing all with all takes too long.
 *
 * Idea.  Take them in the order of falling value, so that only what is left is to be compared.  Two
 * resources are plentiful (cpu and memory, in many small units), the others few (devices).  For
 * each number of devices left, the best pairs of the two form a stair: rising in one, falling in
 * the other.  A new pair is superfluous when the first step not left of it is not below it; one
 * binary search per number of devices that is no smaller.  The stairs to look at are the bits of a
 * word, so that those without a point cost nothing.
 *
 * Where the others come to too many combinations each is compared with the last few only; that
 * forgets less, and nothing wrong. */
#include "optimal/pricing/frontier.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "base/lanes.h"
#include "base/vec.h"

#define RECENT STOW_FRONTIER_RECENT

static_assert(RECENT % STOW_LANES == 0, "compared four at once");
static_assert(STOW_FRONTIER_STAIRS <= 64, "a bit of a word each");

void stow_frontier_done(struct stow_frontier *f)
{
    for (uint32_t i = 0; i < STOW_FRONTIER_STAIRS; i++)
        free(f->stair[i].tread);
    memset(f, 0, sizeof(*f));
}

/* How many of a resource's units the stair at `at` stands for. */
static uint32_t units_at(const struct stow_frontier *f, uint32_t d, uint32_t at)
{
    uint32_t next = d + 1 < f->dims ? f->step[d + 1] : f->stairs;

    return at % next / f->step[d];
}

static bool has_as_much(const struct stow_frontier *f, uint32_t a, uint32_t b)
{
    for (uint32_t d = 2; d < f->dims; d++)
        if (units_at(f, d, a) < units_at(f, d, b))
            return false;
    return true;
}

void stow_frontier_open(struct stow_frontier *f, uint32_t dims, const double *cap)
{
    double stairs = 1;

    f->dims = dims;
    for (uint32_t d = 2; d < dims; d++) {
        f->step[d] = (uint32_t)stairs;
        stairs *= cap[d] + 1;
        if (stairs > STOW_FRONTIER_STAIRS) {
            f->stairs = 0; /* too many */
            return;
        }
    }
    f->stairs = (uint32_t)stairs;
    for (uint32_t b = 0; b < f->stairs; b++) {
        f->above[b] = 0;
        for (uint32_t a = b + 1; a < f->stairs; a++)
            f->above[b] |= (uint64_t)has_as_much(f, a, b) << a;
    }
}

void stow_frontier_clear(struct stow_frontier *f)
{
    for (uint32_t i = 0; i < f->stairs; i++)
        f->stair[i].count = 0;
    f->taken = 0;
    for (uint32_t d = 0; f->stairs == 0 && d < f->dims; d++)
        for (uint32_t i = 0; i < RECENT; i++)
            f->recent[d][i] = -INFINITY;
    f->admitted = 0;
}

/* The first tread that has at least so much of the first resource. */
static uint32_t tread_at(const struct stow_stair *s, double first)
{
    uint32_t low = 0, high = s->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (s->tread[middle].first >= first)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Puts a point that is above the stair on it; those below it go.  Without memory it is left out,
 * which costs time only. */
static void put(struct stow_stair *s, uint32_t at, struct stow_tread made)
{
    uint32_t from = at, to = at;

    if (s->count == s->cap &&
        stow_vec_reserve(&s->tread, &s->cap, s->count + 1, sizeof(*s->tread)) < 0)
        return;
    while (from > 0 && s->tread[from - 1].second <= made.second)
        from--;
    to += to < s->count && s->tread[to].first == made.first; /* then it is lower */
    if (from + 1 != to && to < s->count)
        memmove(s->tread + from + 1, s->tread + to, (s->count - to) * sizeof(*s->tread));
    s->tread[from] = made;
    s->count = s->count - (to - from) + 1;
}

/* How much the nearest of the recent ones lacks to have as much of everything; 0: nothing. */
STOW_KERNEL static double least_lack(const double (*recent)[RECENT], const double *left,
                                     uint32_t dims)
{
    stow_lanes nearest = (stow_lanes){0} + INFINITY;

    for (uint32_t i = 0; i < RECENT; i += STOW_LANES) {
        stow_lanes lack = {0};

        for (uint32_t d = 0; d < dims; d++) {
            stow_lanes more = left[d] - *(const stow_lanes *)&recent[d][i];

            stow_lanes_raise(&lack, &more);
        }
        stow_lanes_lower(&nearest, &lack);
    }
    return stow_lanes_least(&nearest);
}

static bool admit_by_recent(struct stow_frontier *f, const double *left)
{
    uint32_t place = f->admitted % RECENT;

    if (f->admitted && least_lack((const double(*)[RECENT])f->recent, left, f->dims) <= 0)
        return false;
    for (uint32_t d = 0; d < f->dims; d++)
        f->recent[d][place] = left[d];
    f->admitted++;
    return true;
}

/* Whether a stair that holds something has as much of both.  Its ends often tell. */
static bool covers(const struct stow_stair *s, struct stow_tread point)
{
    return s->tread[0].second >= point.second && s->tread[s->count - 1].first >= point.first &&
           s->tread[tread_at(s, point.first)].second >= point.second;
}

bool stow_frontier_admit(struct stow_frontier *f, const double *left)
{
    struct stow_tread made = {f->dims > 0 ? left[0] : 0, f->dims > 1 ? left[1] : 0};
    double units = 0;

    if (f->stairs == 0)
        return admit_by_recent(f, left);
    for (uint32_t d = 2; d < f->dims; d++)
        units += f->step[d] * left[d];

    uint32_t at = (uint32_t)units;
    struct stow_stair *own = &f->stair[at];
    uint32_t place = tread_at(own, made.first);

    if (place < own->count && own->tread[place].second >= made.second)
        return false;
    for (uint64_t above = f->above[at] & f->taken; above; above &= above - 1)
        if (covers(&f->stair[__builtin_ctzll(above)], made))
            return false;
    put(own, place, made);
    f->taken |= (uint64_t)(own->count > 0) << at;
    return true;
}
