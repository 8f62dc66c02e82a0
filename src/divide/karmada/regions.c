/* regions.c - the best combination of groups, without enumerating them.
 *
 * Problem
 * -------
 * Karmada sorts the groups (fewest clusters first, then the greater weight, then the
 * name) and walks every increasing sequence of them.  A walk is recorded, and not
 * continued, as soon as it has at least `target` clusters and `min` to `max`
 * groups.  Of all records the best is that with the greatest weight, then the most
 * clusters, then the first recorded.  60 groups with up to 6 of them are fifty
 * million records.
 *
 * Idea
 * ----
 * Whether a sequence is a record depends on two numbers only: before its last group it
 * had n groups and s clusters, and either n < min or s < target (else it would
 * have ended there); with it, it has enough of both.  So the best way on from "at
 * group i, n chosen, s clusters so far" does not depend on which groups were
 * chosen: best(i, n, s) is the better of leaving group i out and taking it.
 * Clusters count up to `target` only.  Weights and clusters add up, so the
 * greatest pair is found backwards.
 *
 * First recorded means smallest sequence of indices, and no record begins with
 * another.  So, going forwards, group i is taken wherever taking it is as good as
 * leaving it out.
 *
 * Then Karmada prefers a record that is the beginning of the best one, both in
 * order of weight: these are at most as many as the best has groups, and are
 * tested one by one.
 *
 * Once n has reached `min` it only matters for `max`.  Where no record can be longer than
 * `max`, because even the smallest groups have enough clusters by then, n stays at
 * `min`.
 *
 * Cost: groups x n x target, one byte each. */
#include "divide/karmada/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define CELLS_MAX ((uint64_t)1 << 31)

/* The better of two has more weight, then more clusters. */
struct worth {
    int64_t weight, value;
    bool possible;
};

struct search {
    const struct stow_group_choice *group; /* as given */
    uint32_t *order;                       /* sorted as Karmada does */
    uint32_t count;
    int64_t min, max, target;
    uint32_t counts, sums; /* states: numbers chosen, clusters so far */
    bool saturates;        /* numbers above `min` are all alike */
    struct worth *best;    /* [n * sums + s] of the group after */
    bool *take;            /* [(i * counts + n) * sums + s] */
};

static int compare_groups(const void *a, const void *b, void *context)
{
    const struct stow_group_choice *list = context;
    const struct stow_group_choice *x = &list[*(const uint32_t *)a],
                                   *y = &list[*(const uint32_t *)b];

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_weights(const void *a, const void *b, void *context)
{
    const struct stow_group_choice *list = context;
    const struct stow_group_choice *x = &list[*(const uint32_t *)a],
                                   *y = &list[*(const uint32_t *)b];

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* ---- states ------------------------------------------------------------------------------ */

static uint32_t next_sum(const struct search *f, uint32_t sum, uint32_t i)
{
    int64_t with = (int64_t)sum + f->group[f->order[i]].value;

    return (uint32_t)(with < f->target ? with : f->target);
}

static uint32_t next_count(const struct search *f, uint32_t n)
{
    return f->saturates && n + 1 == f->counts ? n : n + 1;
}

static bool is_better(const struct worth *a, const struct worth *b)
{
    if (!a->possible || !b->possible)
        return a->possible;
    return a->weight != b->weight ? a->weight > b->weight : a->value > b->value;
}

/* What taking group i is worth when n are chosen and have `sum` clusters. */
static struct worth worth_of_taking(const struct search *f, uint32_t i, uint32_t n, uint32_t sum)
{
    const struct stow_group_choice *g = &f->group[f->order[i]];
    uint32_t with = next_sum(f, sum, i), now = next_count(f, n);
    bool ends = with >= f->target && (int64_t)n + 1 >= f->min;
    struct worth w = {0, 0, true};

    if (!ends) {
        if (!f->saturates && (int64_t)n + 1 >= f->max)
            return (struct worth){0, 0, false};
        w = f->best[now * f->sums + with];
    }
    w.weight += g->weight;
    w.value += g->value;
    return w;
}

/* ---- the search -------------------------------------------------------------------------- */

/* Fills best() of group i from that of group i + 1, in place: a state looks at states with at least
 * its own n and s, so the greatest come last. */
static void step_back(struct search *f, uint32_t i)
{
    for (uint32_t n = 0; n < f->counts; n++)
        for (uint32_t sum = 0; sum < f->sums; sum++) {
            size_t at = (size_t)n * f->sums + sum;
            struct worth taken = worth_of_taking(f, i, n, sum);
            bool take = taken.possible && !is_better(&f->best[at], &taken);

            f->take[(size_t)i * f->counts * f->sums + at] = take;
            if (take)
                f->best[at] = taken;
        }
}

static uint32_t walk_forth(const struct search *f, uint32_t *ret)
{
    uint32_t made = 0, n = 0, sum = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        if (!f->take[((size_t)i * f->counts + n) * f->sums + sum])
            continue;
        ret[made++] = i;
        sum = next_sum(f, sum, i);
        n = next_count(f, n);
        if (sum >= f->target && (int64_t)made >= f->min)
            break;
    }
    return made;
}

/* ---- records that begin the best one ----------------------------------------------------- */

static int compare_indices(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Whether the walk over these places (of f->order) ends with the last of them. */
static bool is_record(const struct search *f, uint32_t *place, uint32_t count)
{
    int64_t sum = 0;

    qsort(place, count, sizeof(*place), compare_indices);
    for (uint32_t i = 0; i < count; i++) {
        if (sum >= f->target && (int64_t)i >= f->min)
            return false;
        sum += f->group[f->order[place[i]]].value;
    }
    return sum >= f->target && (int64_t)count >= f->min && (int64_t)count <= f->max;
}

/* The shortest beginning of `chosen` (groups in order of weight) that is a record itself: Karmada
 * comes across all of them, and each one replaces a longer one. */
static uint32_t shorten(const struct search *f, const uint32_t *chosen, uint32_t count,
                        const uint32_t *place_of, uint32_t *room)
{
    for (uint32_t length = 1; length < count; length++) {
        for (uint32_t i = 0; i < length; i++)
            room[i] = place_of[chosen[i]];
        if (is_record(f, room, length))
            return length;
    }
    return count;
}

/* ---- setting up -------------------------------------------------------------------------- */

/* The most groups a record can have: `min`, or one more than the fewest clusters allow while they
 * are short of `target`. */
static int64_t longest_record(const struct search *f)
{
    int64_t sum = 0, count = 0;

    while (count < (int64_t)f->count && sum < f->target)
        sum += f->group[f->order[count++]].value;
    return f->min > count ? f->min : count;
}

static void size_states(struct search *f)
{
    int64_t counts = f->max - 1;

    f->saturates = f->max >= longest_record(f);
    if (f->saturates)
        counts = f->min;
    f->counts = (uint32_t)counts + 1;
    f->sums = (uint32_t)f->target + 1;
}

/* Too few groups, or too few clusters in the largest of them. */
static bool is_hopeless(const struct search *f)
{
    int64_t values = 0;

    for (int64_t i = 0; i < f->max && i < (int64_t)f->count; i++)
        values += f->group[f->order[f->count - 1 - (uint32_t)i]].value;
    return f->min > f->max || f->min > (int64_t)f->count || values < f->target;
}

static int search(struct search *f, uint32_t *ret, struct stow_err *err)
{
    size_t states = (size_t)f->counts * f->sums;

    if ((uint64_t)states * f->count > CELLS_MAX)
        return stow_fail(err, STOW_ELIMIT,
                         "spreading over %u groups with %lld clusters is too large a search",
                         f->count, (long long)f->target);

    STOW_AUTO(stow_free_local) struct worth *best = calloc(states, sizeof(*best));
    STOW_AUTO(stow_free_local) bool *take = calloc(states, f->count);
    STOW_AUTO(stow_free_local) uint32_t *room = calloc(2 * (size_t)f->count, sizeof(*room));

    if (!best || !take || !room)
        return stow_fail_memory(err);
    f->best = best;
    f->take = take;
    for (uint32_t i = f->count; i-- > 0;)
        step_back(f, i);

    uint32_t made = best[0].possible ? walk_forth(f, room) : 0;

    for (uint32_t i = 0; i < made; i++)
        ret[i] = f->order[room[i]];
    if (made)
        qsort_r(ret, made, sizeof(*ret), compare_weights, (void *)f->group);
    for (uint32_t i = 0; i < f->count; i++)
        room[f->count + f->order[i]] = i;
    return (int)shorten(f, ret, made, room + f->count, room);
}

int stow_choose_groups(const struct stow_group_choice *group, uint32_t count, int64_t min,
                       int64_t max, int64_t target, uint32_t *ret, struct stow_err *err)
{
    struct search f = {.group = group,
                       .count = count,
                       .min = min > 0 ? min : 0,
                       .max = max,
                       .target = target > 0 ? target : 0};

    if (f.max < 1 || (f.min == 0 && f.target == 0))
        return 0;

    STOW_AUTO(stow_free_local) uint32_t *order = calloc(count + 1, sizeof(*order));

    if (!order)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof(*order), compare_groups, (void *)group);
    f.order = order;
    if (is_hopeless(&f))
        return 0;
    size_states(&f);
    return search(&f, ret, err);
}
