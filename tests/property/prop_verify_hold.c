/* prop_verify_hold.c - what one node can be worth, against trying every set; and sums of prices. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/property.h"
#include "verify/hold/hold_internal.h"
#include "verify/proof/lift.h"

#define ITEMS 40
#define DIMS  4

/* Sizes that lead small nodes through everything that large ones go through: no tables and cuts
 * from every label; coarse tables at once; few of both; cuts of the whole node only. */
static const struct stow_hold_sizes sizes[] = {
    {.soon = UINT32_MAX, .cells = 1, .dense = 1, .batch = 1 << 17, .few = 1, .compare = 2},
    {.soon = 1, .cells = 1000, .dense = 64, .batch = 64, .few = 1, .compare = 2},
    {.soon = 8, .cells = 1 << 16, .dense = 1 << 12, .batch = 100, .few = 3, .compare = 8},
    {.soon = 2, .cells = 1 << 14, .dense = 500, .batch = 1 << 12, .few = UINT32_MAX, .compare = 16},
    {.soon = 1, .cells = 1, .dense = 1 << 18, .batch = 1 << 10, .few = UINT32_MAX, .compare = 16},
};

struct sack {
    struct stow_hold hold;
    int64_t room[DIMS], need[ITEMS * DIMS], worth[ITEMS];
    uint32_t most[ITEMS];
};

/* Needs and room of very different sizes, as milli-cores, bytes and devices are; worth close to
 * what the needs are worth, so that the relaxation alone decides little. */
static void make_sack(struct sack *k, struct chance *c, uint32_t items)
{
    static const int64_t unit[DIMS] = {1, 250, INT64_C(1) << 20, 1};

    memset(k, 0, sizeof(*k));
    k->hold =
        (struct stow_hold){1 + chance_below(c, DIMS), items, k->room, k->need, k->worth, k->most};
    for (uint32_t d = 0; d < k->hold.dims; d++)
        k->room[d] =
            unit[d] * (2 + chance_below(c, d == 3 ? 6 : 60)) + chance_below(c, 2) * (unit[d] / 3);
    for (uint32_t i = 0; i < k->hold.items; i++) {
        double share = 0;

        for (uint32_t d = 0; d < k->hold.dims; d++) {
            int64_t *need = &k->need[(size_t)i * k->hold.dims + d];

            *need = chance_one_in(c, 3) ? 0 : unit[d] * (1 + chance_below(c, d == 3 ? 3 : 20));
            if (chance_one_in(c, 8))
                *need += chance_below(c, (uint32_t)unit[d]);
            share += (double)*need / (double)k->room[d];
        }
        k->worth[i] = (int64_t)(share * 1e9) + chance_below(c, 50000000) + 1;
        k->most[i] = 1 + (items > 5 ? chance_one_in(c, 4) : chance_below(c, 4));
    }
}

static int64_t best(const struct sack *k, uint32_t item, int64_t *left)
{
    const int64_t *need = k->need + (size_t)item * k->hold.dims;
    int64_t most = 0, taken = 0;
    uint32_t copies = 0;

    if (item == k->hold.items)
        return 0;
    for (bool fits = true; fits; copies++) {
        const int64_t value = taken + best(k, item + 1, left);

        most = value > most ? value : most;
        fits = copies < k->most[item];
        for (uint32_t d = 0; d < k->hold.dims; d++)
            fits &= need[d] <= left[d];
        for (uint32_t d = 0; d < k->hold.dims && fits; d++)
            left[d] -= need[d];
        taken += fits ? k->worth[item] : 0;
        if (!fits)
            break;
    }
    for (uint32_t d = 0; d < k->hold.dims; d++)
        left[d] += need[d] * copies;
    return most;
}

static bool settles(struct stow_hold_work *work, const struct sack *k, int64_t most, uint64_t seed)
{
    const struct {
        int64_t limit;
        int answer;
    } cases[] = {
        {most, STOW_HOLD_WITHIN},        {most - 1, STOW_HOLD_EXCEEDS},
        {most + 1000, STOW_HOLD_WITHIN}, {most / 2, most ? STOW_HOLD_EXCEEDS : STOW_HOLD_WITHIN},
        {most * 2, STOW_HOLD_WITHIN},    {-1, STOW_HOLD_EXCEEDS},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int answer = stow_hold_ask(work, &k->hold, cases[i].limit, 0);

        if (answer != cases[i].answer)
            return property_fails("seed %llu: the best is %lld; asked about %lld: %d, not %d",
                                  (unsigned long long)seed, (long long)most,
                                  (long long)cases[i].limit, answer, cases[i].answer);
    }
    return true;
}

static bool holds_are_exact(uint64_t seed)
{
    struct chance c = {seed};
    struct sack k;
    int64_t left[DIMS];
    struct stow_hold_work *work = stow_hold_work_new();
    bool fine = work != NULL;

    for (uint32_t i = 0; i < 5 && fine; i++) {
        make_sack(&k, &c, 1 + chance_below(&c, i < 3 ? 5 : 12));
        memcpy(left, k.room, sizeof(left));

        const int64_t most = best(&k, 0, left);
        const struct stow_hold_sizes usual = work->sizes;

        fine = settles(work, &k, most, seed);
        for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]) && fine; n++) {
            work->sizes = sizes[n];
            fine = settles(work, &k, most, seed);
        }
        work->sizes = usual;
    }
    stow_hold_work_free(work);
    return fine;
}

/* What a node too large for trying every set is worth: a set worth more than a limit is found or
 * there is none, so halving the range ends at it. */
static int64_t search_best(struct stow_hold_work *work, const struct sack *k)
{
    int64_t low = -1, high = 0;

    for (uint32_t i = 0; i < k->hold.items; i++)
        high += k->worth[i] * k->most[i];
    while (high - low > 1) { /* it exceeds low, and not high */
        const int64_t middle = low + (high - low) / 2;

        if (stow_hold_ask(work, &k->hold, middle, 0) == STOW_HOLD_EXCEEDS)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static bool all_ways_agree(uint64_t seed)
{
    struct chance c = {seed};
    struct sack k;
    struct stow_hold_work *work = stow_hold_work_new();
    bool fine = work != NULL;

    make_sack(&k, &c, 13 + chance_below(&c, ITEMS - 13));

    const int64_t most = fine ? search_best(work, &k) : 0;

    for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]) && fine; n++) {
        work->sizes = sizes[n];
        fine = settles(work, &k, most, seed);
    }
    stow_hold_work_free(work);
    return fine;
}

/* ---- nodes whose price leaves nothing ---------------------------------------------------- */

/* Devices, cores and memory: few enough for a table of every amount, and of each half. */
#define DEVICES 8
#define CORES   120
#define MEMORY  120
#define CLASSES 110
#define PRICE   4000000000

struct tight {
    struct stow_hold hold;
    int64_t room[3], need[CLASSES * 3], worth[CLASSES];
    uint32_t most[CLASSES];
};

typedef int64_t table[DEVICES + 1][CORES + 1][MEMORY + 1];

/* Classes as of training jobs: most ask for a device. */
static void make_classes(struct tight *k, struct chance *c, uint32_t classes)
{
    memset(k, 0, sizeof(*k));
    k->hold = (struct stow_hold){3, classes, k->room, k->need, k->worth, k->most};
    k->room[0] = DEVICES / 2;
    k->room[1] = CORES / 2;
    k->room[2] = MEMORY / 2;
    for (uint32_t i = 0; i < classes; i++) {
        int64_t *need = k->need + (size_t)i * 3;

        need[0] = chance_one_in(c, 4) ? 0 : chance_one_in(c, 8) ? 2 : 1;
        need[1] = 1 + (int64_t)chance_below(c, need[0] ? 24 : 30);
        need[2] = 1 + (int64_t)chance_below(c, need[0] ? 24 : 30);
        k->most[i] = 1 + chance_below(c, DEVICES);
    }
}

static void add_class(const struct tight *k, uint32_t class, table best)
{
    const int64_t *need = k->need + (size_t) class * 3;

    for (uint32_t copy = 0; copy < k->most[class]; copy++)
        for (int64_t x = k->room[0]; x >= need[0]; x--)
            for (int64_t y = k->room[1]; y >= need[1]; y--)
                for (int64_t z = k->room[2]; z >= need[2]; z--) {
                    const int64_t with =
                        best[x - need[0]][y - need[1]][z - need[2]] + k->worth[class];

                    best[x][y][z] = with > best[x][y][z] ? with : best[x][y][z];
                }
}

/* What the node is worth, amount by amount. */
static int64_t tabulated_best(const struct tight *k, table best)
{
    memset(best, 0, sizeof(table));
    for (uint32_t i = 0; i < k->hold.items; i++)
        add_class(k, i, best);
    return best[k->room[0]][k->room[1]][k->room[2]];
}

/* Class by class, each is worth as much as it can be without any set being worth more than a price:
 * then thousands of sets are worth almost as much. */
static void make_tight(struct tight *k, table best)
{
    memset(best, 0, sizeof(table));
    for (uint32_t i = 0; i < k->hold.items; i++) {
        const int64_t *need = k->need + (size_t)i * 3;
        int64_t left[3] = {k->room[0], k->room[1], k->room[2]}, worth = PRICE;

        for (uint32_t copies = 1; copies <= k->most[i]; copies++) {
            for (uint32_t d = 0; d < 3; d++)
                left[d] -= need[d];
            if (left[0] < 0 || left[1] < 0 || left[2] < 0)
                break;

            const int64_t share = (PRICE - best[left[0]][left[1]][left[2]]) / copies;

            worth = share < worth ? share : worth;
        }
        k->worth[i] = worth;
        add_class(k, i, best);
        k->worth[i] += !worth; /* it must be worth something */
    }
}

/* The same in odd amounts, which no unit divides: a little less than what is there. */
static void make_odd(struct tight *k, struct chance *c)
{
    static const int64_t factor[3] = {1, 9973, 65521};

    for (uint32_t d = 1; d < 3; d++) {
        for (uint32_t i = 0; i < k->hold.items; i++)
            k->need[(size_t)i * 3 + d] =
                k->need[(size_t)i * 3 + d] * factor[d] - (int64_t)chance_below(c, 7);
        k->room[d] *= factor[d];
    }
}

static bool tight_nodes_are_settled(uint64_t seed)
{
    static table best;
    struct chance c = {seed};
    struct tight k;
    struct stow_hold_work *work = stow_hold_work_new();
    bool fine = work != NULL;

    make_classes(&k, &c, 20 + chance_below(&c, CLASSES - 20));
    make_tight(&k, best);
    for (uint32_t d = 0; d < 3; d++)
        k.room[d] *= 2;

    const int64_t most = tabulated_best(&k, best);

    for (int round = 0; round < 2 && fine; round++) {
        const int within = stow_hold_ask(work, &k.hold, most, 0);
        const int exceeds = stow_hold_ask(work, &k.hold, most - 1, 0);

        if (within != STOW_HOLD_WITHIN || exceeds != STOW_HOLD_EXCEEDS)
            fine = property_fails("seed %llu: the best is %lld; asked about it: %d, and less: %d",
                                  (unsigned long long)seed, (long long)most, within, exceeds);
        make_odd(&k, &c); /* so little less that not one pod more fits */
    }
    stow_hold_work_free(work);
    return fine;
}

/* ---- sums of prices ---------------------------------------------------------------------- */

#define SUM_MAX 3000

static bool sums_are_exact(uint64_t seed)
{
    struct chance c = {seed};
    stow_nano price[4];
    const uint32_t count = 1 + chance_below(&c, 4);
    const int64_t factor = 1 + (int64_t)chance_below(&c, 5);
    bool can[SUM_MAX + 1] = {true};

    for (uint32_t i = 0; i < count; i++)
        price[i] = factor * (1 + chance_below(&c, 60));
    for (int64_t sum = 1; sum <= SUM_MAX; sum++)
        for (uint32_t i = 0; i < count; i++)
            can[sum] |= sum >= price[i] && can[sum - price[i]];
    for (uint32_t i = 0; i < 20; i++) {
        const int64_t value = chance_below(&c, SUM_MAX / 2);
        int64_t next = value;
        stow_i128 found;

        while (next < SUM_MAX && !can[next])
            next++;
        if (stow_lift_reachable(price, count, value, &found) != 0 || found != next)
            return property_fails("the next sum from %lld on is %lld, not %lld", (long long)value,
                                  (long long)next, (long long)found);
        if (stow_lift_multiple(value, stow_lift_unit(price, count)) > found)
            return property_fails("a common divisor lifts above what can be reached");
    }
    return true;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"what-a-node-can-be-worth-is-exact", holds_are_exact, 150},
        {"all-ways-to-a-nodes-worth-agree", all_ways_agree, 40},
        {"tight-nodes-of-many-classes-are-settled", tight_nodes_are_settled, 9},
        {"sums-of-prices-are-exact", sums_are_exact, 300},
    };

    return property_main(list, 4, argc, argv);
}
