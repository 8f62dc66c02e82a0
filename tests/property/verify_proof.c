/* verify_proof.c - a proof by raising prices until some pattern of some node stands against each of
 * them: one nano-unit more would be wrong. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/verify_instance.h"

/* What a node of a group may be worth; `side` 0 le, 1 gt, -1: no split. */
static int64_t worth_of_group(const struct instance *in, const struct proof *p,
                              const struct leaf *l, uint32_t g, int side)
{
    int64_t worth = instance_price(in, g) + l->w_max[g] - l->w_min[g] + l->w_total +
                    instance_counts(in, &in->group[g].place) * l->w_quota / instance_unit(in);

    if (side >= 0 && p->group == g)
        worth += side == 0 ? l->w_most : -l->w_least;
    return worth;
}

/* Groups of which nothing can be bought need no price. */
static bool is_closed(const struct proof *p, uint32_t g, int side)
{
    return side == 0 && p->group == g && p->at == 0;
}

static int64_t value_of(const struct leaf *l, uint32_t pattern)
{
    uint32_t count[CLASSES];
    int64_t sum = 0;

    counts_of(pattern, count);
    for (uint32_t k = 0; k < CLASSES; k++)
        sum += count[k] * l->y[k];
    return sum;
}

/* Lifts y of a class as far as all patterns allow. */
static void raise_price(const struct instance *in, const struct proof *p, struct leaf *l,
                        uint32_t k, int side)
{
    int64_t most = PRICE_MAX - l->y[k];

    for (uint32_t pattern = 1; pattern < PATTERNS; pattern++) {
        uint32_t count[CLASSES];

        counts_of(pattern, count);
        if (!count[k])
            continue;
        for (uint32_t g = 0; g < in->groups; g++)
            if (fits_group(in, g, pattern) && !is_closed(p, g, side)) {
                const int64_t slack = worth_of_group(in, p, l, g, side) - value_of(l, pattern);

                most = slack / count[k] < most ? slack / count[k] : most;
            }
        for (uint32_t n = 0; n < in->nodes; n++)
            if (fits_node(in, n, pattern)) {
                const int64_t slack = l->w_node[n] - value_of(l, pattern);

                most = slack / count[k] < most ? slack / count[k] : most;
            }
    }
    l->y[k] += most;
}

static int64_t random_price(struct chance *c)
{
    return chance_one_in(c, 2) ? 0 : (int64_t)(chance_next(c) % 500000000);
}

static int compare_amounts(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Sum over the pods to place: of each priority as many as are placed, the smallest. */
static int64_t sum_over_pods(const struct instance *in, const struct plan *plan,
                             const int64_t worth[CLASSES])
{
    int64_t sum = 0;

    for (int32_t priority = 0; priority < 2; priority++) {
        int64_t all[CLASSES * COPIES] = {0};
        uint32_t count = 0, placed = 0;

        for (uint32_t k = 0; k < in->classes; k++)
            for (uint32_t i = 0; i < in->class[k].count; i++) {
                if (in->class[k].priority != priority || !in->taken[k])
                    continue;
                all[count++] = worth[k];
                placed += i >= plan->left[k];
            }
        qsort(all, count, sizeof(*all), compare_amounts);
        for (uint32_t i = 0; i < placed; i++)
            sum += all[i];
    }
    return sum;
}

static int64_t value_of_leaf(const struct instance *in, const struct plan *plan,
                             const struct proof *p, const struct leaf *l, int side)
{
    int64_t sum = sum_over_pods(in, plan, l->y);

    for (uint32_t n = 0; n < in->nodes; n++)
        sum -= l->w_node[n];
    for (uint32_t g = 0; g < in->groups; g++) {
        if (in->group[g].max != UINT32_MAX)
            sum -= in->group[g].max * l->w_max[g];
        sum += in->group[g].min * l->w_min[g];
    }
    if (in->total)
        sum -= (int64_t)(in->total - in->nodes) * l->w_total;
    sum -= (instance_quota(in) * l->w_quota + instance_unit(in) - 1) / instance_unit(in);
    if (side == 0)
        sum -= p->at * l->w_most;
    if (side == 1)
        sum += (int64_t)(p->at + 1) * l->w_least;
    return sum;
}

static void make_leaf(const struct instance *in, const struct plan *plan, struct proof *p,
                      struct chance *c, int side)
{
    struct leaf *l = &p->leaf[side > 0];
    const uint32_t from = chance_below(c, CLASSES);

    for (uint32_t n = 0; n < in->nodes; n++)
        l->w_node[n] = (int64_t)(chance_next(c) % 1000000000);
    for (uint32_t g = 0; g < in->groups; g++) {
        l->w_max[g] = in->group[g].max != UINT32_MAX ? random_price(c) : 0;
        l->w_min[g] = in->group[g].min ? random_price(c) % (instance_price(in, g) / 2) : 0;
    }
    l->w_total = in->total ? random_price(c) : 0;
    l->w_quota = in->quota ? random_price(c) : 0;
    if (side == 0)
        l->w_most = random_price(c);
    if (side == 1)
        l->w_least = random_price(c) % (instance_price(in, p->group) / 2);
    for (uint32_t i = 0; i < CLASSES; i++) {
        const uint32_t k = (from + i) % CLASSES;

        if (k < in->classes && in->taken[k])
            raise_price(in, p, l, k, side);
    }
    l->value = value_of_leaf(in, plan, p, l, side);
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a;
}

static bool group_matters(const struct instance *in, uint32_t g)
{
    bool takes = in->group[g].min > 0;

    for (uint32_t pattern = 1; pattern < PATTERNS; pattern++)
        takes |= fits_group(in, g, pattern);
    return takes;
}

/* The smallest sum of prices from `value` on, by trying all of them; the last price fills up. */
static int64_t next_sum(const struct instance *in, int64_t value)
{
    int64_t least = NEVER, price[GROUPS] = {value, value, value};

    for (uint32_t g = 0; g < in->groups; g++)
        if (group_matters(in, g))
            price[g] = instance_price(in, g);
        else
            price[g] = 0;
    for (uint32_t g = in->groups; g < GROUPS; g++)
        price[g] = 0;
    for (int64_t a = 0; a <= value + price[0]; a += price[0] ? price[0] : NEVER / 4)
        for (int64_t b = 0; a + b <= value + price[0] + price[1];
             b += price[1] ? price[1] : NEVER / 4) {
            const int64_t rest = value > a + b ? value - a - b : 0;
            const int64_t sum =
                a + b + (price[2] ? (rest + price[2] - 1) / price[2] * price[2] : 0);

            if (sum >= value && sum < least)
                least = sum;
        }
    return least;
}

/* cpu alone has a price: the largest that no group undercuts. */
static void price_cores(const struct instance *in, const struct plan *plan, struct proof *p)
{
    int64_t worth[CLASSES] = {0}, free = 0;

    p->core_price = INT64_C(9000000000);
    for (uint32_t g = 0; g < in->groups; g++) {
        const int64_t room = in->group[g].place.room[CPU] - in->group[g].overhead;
        bool takes = false;

        for (uint32_t pattern = 1; pattern < PATTERNS; pattern++)
            takes |= fits_group(in, g, pattern);
        if (takes && instance_price(in, g) * 1000 / room < p->core_price)
            p->core_price = instance_price(in, g) * 1000 / room;
    }
    for (uint32_t k = 0; k < in->classes; k++)
        worth[k] = in->class[k].need[CPU] * p->core_price;
    for (uint32_t n = 0; n < in->nodes; n++) {
        bool takes = false;

        for (uint32_t pattern = 1; pattern < PATTERNS; pattern++)
            takes |= fits_node(in, n, pattern);
        free += takes ? in->node[n].room[CPU] * p->core_price : 0;
    }

    const int64_t value = sum_over_pods(in, plan, worth) - free;

    p->resources = value > 0 ? value / 1000 : 0;
}

void proof_make(const struct instance *in, const struct plan *plan, struct chance *c,
                struct proof *p)
{
    int64_t unit = 0;

    memset(p, 0, sizeof(*p));
    p->split = chance_one_in(c, 3);
    p->group = chance_below(c, in->groups);
    p->at = chance_below(c, 3);
    make_leaf(in, plan, p, c, p->split ? 0 : -1);
    p->tree = p->leaf[0].value;
    if (p->split) {
        make_leaf(in, plan, p, c, 1);
        p->tree = p->leaf[1].value < p->tree ? p->leaf[1].value : p->tree;
    }
    for (uint32_t g = 0; g < in->groups; g++)
        unit = group_matters(in, g) ? gcd(unit, instance_price(in, g)) : unit;
    p->unit = unit;
    p->lifted = p->tree;
    p->has_lift = p->tree > 0 && unit > 0 && chance_one_in(c, 2);
    p->reachable = p->has_lift && unit >= 1000 && chance_one_in(c, 2);
    if (p->has_lift)
        p->lifted = p->reachable ? next_sum(in, p->tree) : (p->tree + unit - 1) / unit * unit;
    price_cores(in, plan, p);
}
