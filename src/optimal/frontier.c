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
 * binary search per number of devices that is no smaller.
 *
 * Where the others come to too many combinations each is compared with the last few only; that
 * forgets less, and nothing wrong. */
#include "optimal/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void stow_frontier_done(struct stow_frontier *f)
{
    for (uint32_t i = 0; i < STOW_FRONTIER_STAIRS; i++) {
        free(f->stair[i].first);
        free(f->stair[i].second);
    }
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
    for (uint32_t a = 0; a < f->stairs; a++)
        for (uint32_t b = 0; b < f->stairs; b++)
            f->covers[a][b] = has_as_much(f, a, b);
}

void stow_frontier_clear(struct stow_frontier *f)
{
    for (uint32_t i = 0; i < f->stairs; i++)
        f->stair[i].count = 0;
    f->admitted = 0;
}

/* The first step that has at least so much of the first resource. */
static uint32_t step_at(const struct stow_stair *s, double first)
{
    uint32_t low = 0, high = s->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (s->first[middle] >= first)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Puts a point that is above the stair on it; those below it go.  Without memory it is left out,
 * which costs time only. */
static void put(struct stow_stair *s, uint32_t at, double first, double second)
{
    uint32_t from = at, to = at;

    if (stow_vec_reserve(&s->first, &s->cap, s->count + 1, sizeof(*s->first)) < 0 ||
        stow_vec_reserve(&s->second, &s->second_cap, s->count + 1, sizeof(*s->second)) < 0)
        return;
    while (from > 0 && s->second[from - 1] <= second)
        from--;
    to += to < s->count && s->first[to] == first; /* then it is lower */
    memmove(s->first + from + 1, s->first + to, (s->count - to) * sizeof(*s->first));
    memmove(s->second + from + 1, s->second + to, (s->count - to) * sizeof(*s->second));
    s->first[from] = first;
    s->second[from] = second;
    s->count = s->count - (to - from) + 1;
}

static bool no_more(const double *a, const double *b, uint32_t dims)
{
    for (uint32_t d = 0; d < dims; d++)
        if (a[d] > b[d])
            return false;
    return true;
}

static bool admit_by_recent(struct stow_frontier *f, const double *left)
{
    uint32_t n = f->admitted < STOW_FRONTIER_RECENT ? f->admitted : STOW_FRONTIER_RECENT;

    for (uint32_t i = 0; i < n; i++)
        if (no_more(left, f->recent[i], f->dims))
            return false;
    memcpy(f->recent[f->admitted++ % STOW_FRONTIER_RECENT], left, f->dims * sizeof(*left));
    return true;
}

bool stow_frontier_admit(struct stow_frontier *f, const double *left)
{
    double first = f->dims > 0 ? left[0] : 0, second = f->dims > 1 ? left[1] : 0, at = 0;

    if (f->stairs == 0)
        return admit_by_recent(f, left);
    for (uint32_t d = 2; d < f->dims; d++)
        at += f->step[d] * left[d];
    for (uint32_t i = (uint32_t)at; i < f->stairs; i++) {
        const struct stow_stair *s = &f->stair[i];
        uint32_t step;

        if (!f->covers[i][(uint32_t)at] || s->count == 0)
            continue;
        step = step_at(s, first);
        if (step < s->count && s->second[step] >= second)
            return false;
    }

    struct stow_stair *own = &f->stair[(uint32_t)at];

    put(own, step_at(own, first), first, second);
    return true;
}
