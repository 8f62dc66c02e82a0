/* family.c - the cheapest way to share pods out over domains.
 *
 * Problem.  "At most one more in a zone than in another" is a rule over many nodes, and a pattern
 * is about one.  But a node is in one zone.  So a pod gets a price per zone, patterns stay what
 * they were, and a plan is worth at least what its pods are worth where they are.
 *
 * Idea.  Whichever way a plan shares the pods of a family out, it is one that the rule allows: the
 * bound takes the cheapest of these, family by family.  With maxSkew s and a smallest count of L,
 * every domain that is there for sure has at least L, and none that gets a pod more than L + s; so
 * for each L the cheapest domains are filled up.  A domain that only a purchase brings may stay
 * away, and has no least count.  All L that fit are tried; where they are too many, all at once:
 * that allows more, and is a bound, too. */
#include "optimal/proof/family.h"

#include <string.h>

#define LEVELS_MAX 1024 /* smallest counts that are tried one by one */

/* How many may be in a domain when the smallest count is from `low` to `high`. */
struct range {
    int64_t low, high;
};

static int64_t least_of(const struct stow_problem_family *f, uint32_t i, int64_t low)
{
    return f->exists[i] && low > f->held[i] ? low - f->held[i] : 0;
}

static int64_t most_of(const struct stow_problem_family *f, uint32_t i, uint32_t cap, int64_t high)
{
    const int64_t most = high + f->max_skew - f->held[i];

    return most < 0 ? 0 : most < cap ? most : cap;
}

/* The cheapest member that has room for more; UINT32_MAX: none. */
static uint32_t find_cheapest(const struct stow_problem_family *f, const int64_t *price,
                              const int64_t *room)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < f->classes; i++)
        if (room[i] > 0 && (best == UINT32_MAX || price[i] < price[best]))
            best = i;
    return best;
}

/* Every member gets its least, then the cheapest are filled up; < 0: there are too many or too few
 * pods for that. */
static stow_i128 fill(const struct stow_problem_family *f, const int64_t *price,
                      const uint32_t *cap, const struct range *level, uint32_t *ret)
{
    int64_t room[STOW_FAMILY_MAX], left = f->count;
    stow_i128 sum = 0;

    for (uint32_t i = 0; i < f->classes; i++) {
        const int64_t least = level ? least_of(f, i, level->low) : 0;

        room[i] = (level ? most_of(f, i, cap[i], level->high) : cap[i]) - least;
        if (room[i] < 0 || least > left)
            return -1;
        ret[i] = (uint32_t)least;
        left -= least;
        sum += (stow_i128)price[i] * least;
    }
    while (left) {
        const uint32_t i = find_cheapest(f, price, room);

        if (i == UINT32_MAX)
            return -1;

        const int64_t some = room[i] < left ? room[i] : left;

        ret[i] += (uint32_t)some;
        sum += (stow_i128)price[i] * some;
        left -= some;
        room[i] = 0;
    }
    return sum;
}

/* The smallest counts that leave enough room above, and ask for no more pods than there are. */
static bool find_levels(const struct stow_problem_family *f, const uint32_t *cap, struct range *ret)
{
    int64_t low = 0, high = f->count, top = 0;

    for (uint32_t i = 0; i < f->classes; i++)
        top = f->held[i] > top ? f->held[i] : top;
    high += top; /* more are never asked for, nor allowed */
    if (high > f->level_most)
        high = f->level_most;
    for (int64_t most = high; low < most;) {
        const int64_t mid = low + (most - low) / 2;
        int64_t room = 0;

        for (uint32_t i = 0; i < f->classes; i++)
            room += most_of(f, i, cap[i], mid);
        if (room >= f->count)
            most = mid;
        else
            low = mid + 1;
    }
    for (int64_t least = low; least < high;) {
        const int64_t mid = least + (high - least + 1) / 2;
        int64_t asked = 0;

        for (uint32_t i = 0; i < f->classes; i++)
            asked += least_of(f, i, mid);
        if (asked <= f->count)
            least = mid;
        else
            high = mid - 1;
    }
    *ret = (struct range){low, high};
    return low <= high;
}

bool stow_family_levels(const struct stow_problem_family *f, const uint32_t *cap, int64_t *ret_low,
                        int64_t *ret_high)
{
    struct range all;
    const bool any = find_levels(f, cap, &all);

    *ret_low = all.low;
    *ret_high = all.high;
    return any;
}

static stow_i128 fill_evenly(const struct stow_problem_family *f, const int64_t *price,
                             const uint32_t *cap, uint32_t *ret)
{
    struct range all;
    uint32_t share[STOW_FAMILY_MAX];
    stow_i128 best = -1;

    if (!find_levels(f, cap, &all))
        return -1;
    if (all.high - all.low >= LEVELS_MAX)
        return fill(f, price, cap, &all, ret);
    for (int64_t level = all.low; level <= all.high; level++) {
        const stow_i128 sum = fill(f, price, cap, &(struct range){level, level}, share);

        if (sum < 0 || (best >= 0 && sum >= best))
            continue;
        best = sum;
        memcpy(ret, share, f->classes * sizeof(*ret));
    }
    return best;
}

stow_i128 stow_family_cheapest(const struct stow_problem_family *f, const int64_t *price,
                               const uint32_t *cap, uint32_t *ret)
{
    uint32_t best = UINT32_MAX;

    memset(ret, 0, f->classes * sizeof(*ret));
    for (uint32_t i = 0; i < f->classes; i++)
        if (cap[i] && (best == UINT32_MAX || price[i] < price[best]))
            best = i;
    if (best == UINT32_MAX)
        return -1;
    ret[best] = f->count;
    return (stow_i128)price[best] * f->count;
}

static bool is_bound(const struct stow_problem_family *f)
{
    for (uint32_t i = 0; i < f->classes; i++)
        if (f->exists[i])
            return true;
    return f->level_most != INT64_MAX;
}

stow_i128 stow_family_least(const struct stow_problem_family *f, const int64_t *price,
                            const uint32_t *cap, uint32_t *ret)
{
    if (f->together)
        return stow_family_cheapest(f, price, cap, ret);
    return f->max_skew && is_bound(f) ? fill_evenly(f, price, cap, ret)
                                      : fill(f, price, cap, NULL, ret);
}
