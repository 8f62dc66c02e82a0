/* prop_verify.c - the verifier accepts what holds and refuses everything else.
 *
 * Random instances so small that everything can be tried: all patterns of every node, all plans.
 * The best plan comes from trying, the proof from raising prices until some pattern of some node
 * stands against each of them; so a price that is one nano-unit higher, a bound one higher, an
 * amount, a name, a pod more or less is wrong, and must be found.  Resources are absent from some
 * nodes and not asked for by some pods: those never limit each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "price/pricing.h"
#include "read/tape.h"
#include "tests/property/property.h"
#include "verify/verify.h"

#define CLASSES   3
#define COPIES    3
#define GROUPS    3
#define NODES     2
#define PATTERNS  64 /* (COPIES + 1) ^ CLASSES */
#define USED      10
#define NEW_MAX   9
#define NEVER     INT64_MAX
#define PRICE_MAX INT64_C(50000000000) /* of a class that nothing limits */

enum { CPU, MEMORY, GPU, SLOTS, RESOURCES };

struct place {
    int64_t room[RESOURCES]; /* milli-cores, GiB, devices, pods */
    bool tainted;
};

struct instance {
    uint32_t classes, groups, nodes;
    struct {
        int64_t need[RESOURCES];
        uint32_t count;
        int selector; /* a group's label, -1: none */
        bool tolerates, alone;
        int32_t priority;
    } class[CLASSES];
    struct {
        struct place place;
        int64_t overhead; /* milli-cores */
        int64_t price, fee;
        uint32_t max, min; /* max UINT32_MAX: no limit */
    } group[GROUPS];
    struct place node[NODES];
    uint32_t total;      /* --max-nodes-total, 0: none */
    int64_t quota;       /* of cores, new nodes only; 0: none */
    bool taken[CLASSES]; /* something could take one alone */
};

/* ---- random instances -------------------------------------------------------------------- */

static struct place random_place(struct chance *c)
{
    return (struct place){
        .room = {INT64_C(500) * (1 + chance_below(c, 8)), 1 + chance_below(c, 8),
                 chance_one_in(c, 2) ? 0 : 1 + chance_below(c, 3),
                 chance_one_in(c, 4) ? 1 + chance_below(c, 3) : 20},
        .tainted = chance_one_in(c, 6),
    };
}

static void make_instance(struct instance *in, struct chance *c)
{
    memset(in, 0, sizeof(*in));
    in->classes = 1 + chance_below(c, CLASSES);
    in->groups = 1 + chance_below(c, GROUPS);
    in->nodes = chance_one_in(c, 2) ? chance_below(c, NODES + 1) : 0;
    for (uint32_t i = 0; i < in->classes; i++) {
        in->class[i].need[CPU] = chance_one_in(c, 6) ? 0 : INT64_C(250) * (1 + chance_below(c, 8));
        in->class[i].need[MEMORY] = chance_one_in(c, 6) ? 0 : 1 + chance_below(c, 3);
        in->class[i].need[GPU] = chance_one_in(c, 3) ? 1 + chance_below(c, 2) : 0;
        in->class[i].need[SLOTS] = 1;
        in->class[i].count = 1 + chance_below(c, COPIES);
        in->class[i].selector = chance_one_in(c, 6) ? (int)chance_below(c, in->groups) : -1;
        in->class[i].tolerates = chance_one_in(c, 2);
        in->class[i].alone = chance_one_in(c, 5);
        in->class[i].priority = (int32_t)chance_below(c, 2);
    }
    for (uint32_t g = 0; g < in->groups; g++) {
        in->group[g].place = random_place(c);
        in->group[g].overhead = chance_one_in(c, 4) ? 100 : 0;
        in->group[g].price = INT64_C(100000000) * (1 + chance_below(c, 60));
        in->group[g].price += chance_one_in(c, 3) ? chance_below(c, 1000000) : 0;
        in->group[g].fee = chance_one_in(c, 4) ? INT64_C(50000000) : 0;
        in->group[g].max = chance_one_in(c, 2) ? 1 + chance_below(c, 4) : UINT32_MAX;
        in->group[g].min = chance_one_in(c, 6) ? 1 : 0;
    }
    for (uint32_t n = 0; n < in->nodes; n++)
        in->node[n] = random_place(c);
    in->total = chance_one_in(c, 6) ? in->nodes + 3 + chance_below(c, 3) : 0;
    in->quota = chance_one_in(c, 6) ? INT64_C(1000) * (4 + chance_below(c, 20)) : 0;
}

static int64_t full_price(const struct instance *in, uint32_t g)
{
    return in->group[g].price + in->group[g].fee;
}

/* ---- patterns ---------------------------------------------------------------------------- */

static void counts_of(uint32_t pattern, uint32_t count[CLASSES])
{
    for (uint32_t k = 0; k < CLASSES; k++, pattern /= COPIES + 1)
        count[k] = pattern % (COPIES + 1);
}

static uint32_t pattern_of(const uint32_t count[CLASSES])
{
    uint32_t pattern = 0;

    for (uint32_t k = CLASSES; k > 0; k--)
        pattern = pattern * (COPIES + 1) + count[k - 1];
    return pattern;
}

/* `group` GROUPS: an existing node. */
static bool admits(const struct instance *in, const struct place *place, uint32_t group, uint32_t k)
{
    if (in->class[k].selector >= 0 && (uint32_t)in->class[k].selector != group)
        return false;
    return !place->tainted || in->class[k].tolerates;
}

static bool holds_pattern(const struct instance *in, const struct place *place, uint32_t group,
                          uint32_t pattern)
{
    uint32_t count[CLASSES];
    const int64_t overhead = group < GROUPS ? in->group[group].overhead : 0;

    counts_of(pattern, count);
    for (uint32_t k = 0; k < CLASSES; k++)
        if (count[k] && (k >= in->classes || count[k] > in->class[k].count ||
                         !admits(in, place, group, k) || (in->class[k].alone && count[k] > 1)))
            return false;
    for (uint32_t r = 0; r < RESOURCES; r++) {
        int64_t sum = 0;

        for (uint32_t k = 0; k < in->classes; k++)
            sum += count[k] * in->class[k].need[r];
        if (sum > 0 && sum > place->room[r] - (r == CPU ? overhead : 0))
            return false;
    }
    return true;
}

static bool on_group(const struct instance *in, uint32_t g, uint32_t pattern)
{
    return holds_pattern(in, &in->group[g].place, g, pattern);
}

static bool on_node(const struct instance *in, uint32_t n, uint32_t pattern)
{
    return holds_pattern(in, &in->node[n], GROUPS, pattern);
}

static void find_taken(struct instance *in)
{
    for (uint32_t k = 0; k < in->classes; k++) {
        uint32_t one[CLASSES] = {0};

        one[k] = 1;
        for (uint32_t g = 0; g < in->groups; g++)
            in->taken[k] |= on_group(in, g, pattern_of(one));
        for (uint32_t n = 0; n < in->nodes; n++)
            in->taken[k] |= on_node(in, n, pattern_of(one));
    }
}

/* ---- the best plan ----------------------------------------------------------------------- */

struct best {
    const struct instance *in;
    int64_t cost[PATTERNS][USED][USED][USED]; /* of placing what is left; 0: not known, else + 1 */
};

struct plan {
    uint32_t nodes;
    struct {
        uint32_t group, pattern;
    } node[NEW_MAX + GROUPS];
    uint32_t on_node[NODES]; /* patterns */
    uint32_t left[CLASSES];  /* pods that are not placed */
    int64_t cost;
};

static bool allowed(const struct instance *in, const uint32_t used[GROUPS])
{
    uint32_t sum = 0;
    int64_t cores = 0;

    for (uint32_t g = 0; g < in->groups; g++) {
        sum += used[g];
        cores += used[g] * in->group[g].place.room[CPU];
        if (used[g] > in->group[g].max || used[g] >= USED)
            return false;
    }
    return sum <= NEW_MAX && (!in->total || sum + in->nodes <= in->total) &&
           (!in->quota || cores <= in->quota);
}

/* What is still to be bought for minNodes; NEVER: it is not allowed. */
static int64_t fill_up(const struct instance *in, const uint32_t used[GROUPS])
{
    uint32_t filled[GROUPS] = {used[0], used[1], used[2]};
    int64_t cost = 0;

    for (uint32_t g = 0; g < in->groups; g++)
        if (filled[g] < in->group[g].min) {
            cost += (in->group[g].min - filled[g]) * full_price(in, g);
            filled[g] = in->group[g].min;
        }
    return allowed(in, filled) ? cost : NEVER;
}

static uint32_t without(uint32_t from, uint32_t pattern, bool *ret_fits)
{
    uint32_t a[CLASSES], b[CLASSES];

    counts_of(from, a);
    counts_of(pattern, b);
    *ret_fits = true;
    for (uint32_t k = 0; k < CLASSES; k++) {
        *ret_fits &= b[k] <= a[k];
        a[k] -= b[k] <= a[k] ? b[k] : 0;
    }
    return pattern_of(a);
}

static int64_t buy(struct best *b, uint32_t left, const uint32_t used[GROUPS])
{
    int64_t *known = &b->cost[left][used[0]][used[1]][used[2]];
    int64_t least = left ? NEVER : fill_up(b->in, used);

    if (*known)
        return *known - 1;
    for (uint32_t g = 0; g < b->in->groups && left; g++) {
        uint32_t more[GROUPS] = {used[0], used[1], used[2]};

        more[g]++;
        if (!allowed(b->in, more))
            continue;
        for (uint32_t p = 1; p < PATTERNS; p++) {
            bool fits;
            const uint32_t rest = without(left, p, &fits);

            if (!fits || !on_group(b->in, g, p))
                continue;

            const int64_t cost = buy(b, rest, more);

            if (cost < NEVER - 1 && cost + full_price(b->in, g) < least)
                least = cost + full_price(b->in, g);
        }
    }
    *known = least == NEVER ? NEVER : least + 1;
    return *known - 1;
}

static void add_node(struct plan *plan, uint32_t group, uint32_t pattern)
{
    plan->node[plan->nodes].group = group;
    plan->node[plan->nodes++].pattern = pattern;
}

/* Follows the costs that `buy` knows. */
static void retrace(struct best *b, uint32_t left, uint32_t used[GROUPS], struct plan *plan)
{
    while (left) {
        const int64_t is = buy(b, left, used);
        bool found = false;

        for (uint32_t g = 0; g < b->in->groups && !found; g++)
            for (uint32_t p = 1; p < PATTERNS && !found; p++) {
                bool fits;
                const uint32_t rest = without(left, p, &fits);
                uint32_t more[GROUPS] = {used[0], used[1], used[2]};

                more[g]++;
                if (!fits || !on_group(b->in, g, p) || !allowed(b->in, more) ||
                    buy(b, rest, more) >= NEVER - 1 ||
                    buy(b, rest, more) + full_price(b->in, g) != is)
                    continue;
                found = true;
                used[g]++;
                left = rest;
                add_node(plan, g, p);
            }
        if (!found)
            return;
    }
    for (uint32_t g = 0; g < b->in->groups; g++)
        for (; used[g] < b->in->group[g].min; used[g]++)
            add_node(plan, g, 0);
}

/* The best plan for these pods; false: there is none. */
static bool best_plan(const struct instance *in, const uint32_t demand[CLASSES], struct plan *ret)
{
    struct best *b = calloc(1, sizeof(*b));
    const uint32_t all = pattern_of(demand), none[GROUPS] = {0};
    int64_t least = NEVER - 1;

    if (!b)
        return false;
    b->in = in;
    memset(ret, 0, sizeof(*ret));
    for (uint32_t p = 0; p < PATTERNS; p++)
        for (uint32_t q = 0; q < PATTERNS; q++) {
            bool first, second;
            const uint32_t rest = without(without(all, p, &first), q, &second);

            if (!first || !second || (p && (in->nodes < 1 || !on_node(in, 0, p))) ||
                (q && (in->nodes < 2 || !on_node(in, 1, q))) || buy(b, rest, none) >= least)
                continue;
            least = buy(b, rest, none);
            ret->on_node[0] = p;
            ret->on_node[1] = q;
        }
    ret->cost = least;
    if (least < NEVER - 1) {
        uint32_t used[GROUPS] = {0};
        bool fits;

        retrace(b, without(without(all, ret->on_node[0], &fits), ret->on_node[1], &fits), used,
                ret);
    }
    free(b);
    return least < NEVER - 1;
}

/* ---- proofs ------------------------------------------------------------------------------ */

struct leaf {
    int64_t y[CLASSES];
    int64_t w_node[NODES], w_max[GROUPS], w_min[GROUPS], w_total, w_quota; /* quota: per core */
    int64_t w_most, w_least;                                               /* of the split */
    int64_t value;
};

struct proof {
    bool split;
    uint32_t group, at;  /* of the split */
    struct leaf leaf[2]; /* le, gt; or the only one */
    int64_t tree, lifted, unit;
    bool has_lift, reachable;
    int64_t core_price, resources;
};

/* What a node of a group may be worth; `side` 0 le, 1 gt, -1: no split. */
static int64_t worth_of_group(const struct instance *in, const struct proof *p,
                              const struct leaf *l, uint32_t g, int side)
{
    int64_t worth = full_price(in, g) + l->w_max[g] - l->w_min[g] + l->w_total +
                    in->group[g].place.room[CPU] * l->w_quota / 1000;

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
            if (on_group(in, g, pattern) && !is_closed(p, g, side)) {
                const int64_t slack = worth_of_group(in, p, l, g, side) - value_of(l, pattern);

                most = slack / count[k] < most ? slack / count[k] : most;
            }
        for (uint32_t n = 0; n < in->nodes; n++)
            if (on_node(in, n, pattern)) {
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

static int64_t quota_left(const struct instance *in)
{
    return in->quota;
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
    sum -= (quota_left(in) * l->w_quota + 999) / 1000;
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
        l->w_min[g] = in->group[g].min ? random_price(c) % (full_price(in, g) / 2) : 0;
    }
    l->w_total = in->total ? random_price(c) : 0;
    l->w_quota = in->quota ? random_price(c) : 0;
    if (side == 0)
        l->w_most = random_price(c);
    if (side == 1)
        l->w_least = random_price(c) % (full_price(in, p->group) / 2);
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
        takes |= on_group(in, g, pattern);
    return takes;
}

/* The smallest sum of prices from `value` on, by trying all of them; the last price fills up. */
static int64_t next_sum(const struct instance *in, int64_t value)
{
    int64_t least = NEVER, price[GROUPS] = {value, value, value};

    for (uint32_t g = 0; g < in->groups; g++)
        if (group_matters(in, g))
            price[g] = full_price(in, g);
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
            takes |= on_group(in, g, pattern);
        if (takes && full_price(in, g) * 1000 / room < p->core_price)
            p->core_price = full_price(in, g) * 1000 / room;
    }
    for (uint32_t k = 0; k < in->classes; k++)
        worth[k] = in->class[k].need[CPU] * p->core_price;
    for (uint32_t n = 0; n < in->nodes; n++) {
        bool takes = false;

        for (uint32_t pattern = 1; pattern < PATTERNS; pattern++)
            takes |= on_node(in, n, pattern);
        free += takes ? in->node[n].room[CPU] * p->core_price : 0;
    }

    const int64_t value = sum_over_pods(in, plan, worth) - free;

    p->resources = value > 0 ? value / 1000 : 0;
}

static void make_proof(const struct instance *in, const struct plan *plan, struct chance *c,
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
        unit = group_matters(in, g) ? gcd(unit, full_price(in, g)) : unit;
    p->unit = unit;
    p->lifted = p->tree;
    p->has_lift = p->tree > 0 && unit > 0 && chance_one_in(c, 2);
    p->reachable = p->has_lift && unit >= 1000 && chance_one_in(c, 2);
    if (p->has_lift)
        p->lifted = p->reachable ? next_sum(in, p->tree) : (p->tree + unit - 1) / unit * unit;
    price_cores(in, plan, p);
}

/* ---- text -------------------------------------------------------------------------------- */

static void money(struct stow_buf *to, int64_t amount)
{
    const uint64_t size = amount < 0 ? (uint64_t)-amount : (uint64_t)amount;

    stow_buf_printf(to, "\"%s%llu.%09llu\"", amount < 0 ? "-" : "",
                    (unsigned long long)(size / 1000000000),
                    (unsigned long long)(size % 1000000000));
}

static void place_text(struct stow_buf *to, const struct place *p)
{
    stow_buf_printf(to,
                    "\"spec\":{\"taints\":[%s]},\"status\":{\"allocatable\":{\"cpu\":\"%lldm\","
                    "\"memory\":\"%lldGi\",\"pods\":\"%lld\"",
                    p->tainted ? "{\"key\":\"t\",\"effect\":\"NoSchedule\"}" : "",
                    (long long)p->room[CPU], (long long)p->room[MEMORY], (long long)p->room[SLOTS]);
    if (p->room[GPU])
        stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%lld\"", (long long)p->room[GPU]);
    stow_buf_text(to, "}}");
}

static void group_text(struct stow_buf *to, const struct instance *in, uint32_t g)
{
    stow_buf_printf(to,
                    ",{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
                    "\"metadata\":{\"name\":\"g%u\"},\"spec\":{\"minNodes\":%u,",
                    g, in->group[g].min);
    if (in->group[g].max != UINT32_MAX)
        stow_buf_printf(to, "\"maxNodes\":%u,", in->group[g].max);
    if (in->group[g].overhead)
        stow_buf_printf(to, "\"daemonOverhead\":{\"cpu\":\"%lldm\"},",
                        (long long)in->group[g].overhead);
    stow_buf_text(to, "\"pricePerHour\":");
    money(to, in->group[g].price);
    stow_buf_text(to, ",\"feePerNodeHour\":");
    money(to, in->group[g].fee);
    stow_buf_printf(to, ",\"template\":{\"metadata\":{\"labels\":{\"is\":\"g%u\"}},", g);
    place_text(to, &in->group[g].place);
    stow_buf_text(to, "}}}");
}

static void pod_text(struct stow_buf *to, const struct instance *in, uint32_t k, uint32_t i)
{
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu"};
    static const char *const units[] = {"m", "Gi", ""};
    bool any = false;

    stow_buf_printf(to,
                    ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"c%u-%u\","
                    "\"namespace\":\"default\",\"labels\":{\"app\":\"c%u\"}},\"spec\":{"
                    "\"priority\":%d,",
                    k, i, k, in->class[k].priority);
    if (in->class[k].selector >= 0)
        stow_buf_printf(to, "\"nodeSelector\":{\"is\":\"g%d\"},", in->class[k].selector);
    if (in->class[k].tolerates)
        stow_buf_text(to, "\"tolerations\":[{\"operator\":\"Exists\"}],");
    stow_buf_text(to, "\"containers\":[{\"name\":\"m\",\"image\":\"i\",");
    if (in->class[k].alone)
        stow_buf_printf(to, "\"ports\":[{\"containerPort\":80,\"hostPort\":%u}],", 8000 + k);
    stow_buf_text(to, "\"resources\":{\"requests\":{");
    for (uint32_t r = 0; r < 3; r++)
        if (in->class[k].need[r]) {
            stow_buf_printf(to, "%s\"%s\":\"%lld%s\"", any ? "," : "", names[r],
                            (long long)in->class[k].need[r], units[r]);
            any = true;
        }
    stow_buf_text(to, "}}}]}}");
}

static void cluster_text(struct stow_buf *to, const struct instance *in)
{
    stow_buf_text(to, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\","
                      "\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}");
    for (uint32_t g = 0; g < in->groups; g++)
        group_text(to, in, g);
    for (uint32_t n = 0; n < in->nodes; n++) {
        stow_buf_printf(to,
                        ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":"
                        "\"n%u\",\"labels\":{\"kubernetes.io/hostname\":\"n%u\"}},",
                        n, n);
        place_text(to, &in->node[n]);
        stow_buf_char(to, '}');
    }
    for (uint32_t k = 0; k < in->classes; k++)
        for (uint32_t i = 0; i < in->class[k].count; i++)
            pod_text(to, in, k, i);
    stow_buf_text(to, "]}");
}

/* What is changed in a plan before it is written. */
enum change {
    RIGHT,
    POD_TWICE,
    POD_MISSING,
    POD_UNKNOWN,
    NODE_UNKNOWN,
    GROUP_UNKNOWN,
    SAME_NAMES,
    PRICE_OFF,
    COST_OFF,
    SIZE_OFF,
    GAP_OFF,
    CURRENCY_OFF,
    FOR_OFF,
    BOUND_OFF,
    NO_PROOF,
    LEAF_OFF,
    Y_RAISED,
    AMOUNT_OFF,
    LIMIT_PRICE_OFF,
    BRANCH_MISSING,
    SPLIT_OFF,
    LIFT_OFF,
    UNIT_OFF,
    CLASS_SHORT,
    CLASS_TWICE,
    RESOURCES_OFF,
    CORES_OFF,
    CHANGES
};

struct writing {
    const struct instance *in;
    const struct plan *plan;
    const struct proof *proof;
    enum change change;
    struct stow_buf *to;
    uint32_t next[CLASSES]; /* the next pod of each class */
    bool done;              /* the change was made */
};

static bool change_here(struct writing *w, enum change change)
{
    if (w->change != change || w->done)
        return false;
    w->done = true;
    return true;
}

static int64_t off(struct writing *w, enum change change, int64_t amount)
{
    return change_here(w, change) ? amount + 1 : amount;
}

static bool leaves_out(const struct plan *plan)
{
    return plan->left[0] || plan->left[1] || plan->left[2];
}

static void pods_of_pattern(struct writing *w, uint32_t pattern)
{
    uint32_t count[CLASSES];
    bool any = false;

    counts_of(pattern, count);
    for (uint32_t k = 0; k < w->in->classes; k++)
        for (uint32_t i = 0; i < count[k]; i++) {
            const uint32_t pod = w->next[k]++;

            if (change_here(w, POD_MISSING))
                continue;
            stow_buf_printf(w->to, "%s\"default/%s%u-%u\"", any ? "," : "",
                            change_here(w, POD_UNKNOWN) ? "x" : "c", k, pod);
            any = true;
            if (change_here(w, POD_TWICE))
                stow_buf_printf(w->to, ",\"default/c%u-%u\"", k, pod);
        }
}

static void new_nodes(struct writing *w)
{
    uint32_t number[GROUPS] = {0};

    for (uint32_t i = 0; i < w->plan->nodes; i++) {
        const uint32_t g = w->plan->node[i].group;

        stow_buf_printf(w->to,
                        "%s{\"name\":\"g%u-%u\",\"group\":\"%s%u\",\"pricePerHour\":", i ? "," : "",
                        g, number[g] && change_here(w, SAME_NAMES) ? 0 : number[g],
                        change_here(w, GROUP_UNKNOWN) ? "x" : "g", g);
        number[g]++;
        money(w->to, off(w, PRICE_OFF, full_price(w->in, g)));
        stow_buf_text(w->to, ",\"pods\":[");
        pods_of_pattern(w, w->plan->node[i].pattern);
        stow_buf_text(w->to, "]}");
    }
}

static void existing_nodes(struct writing *w)
{
    bool any = false;

    for (uint32_t n = 0; n < w->in->nodes; n++) {
        if (!w->plan->on_node[n])
            continue;
        stow_buf_printf(w->to, "%s{\"name\":\"%s%u\",\"pods\":[", any ? "," : "",
                        change_here(w, NODE_UNKNOWN) ? "x" : "n", n);
        pods_of_pattern(w, w->plan->on_node[n]);
        stow_buf_text(w->to, "]}");
        any = true;
    }
}

static void groups(struct writing *w)
{
    bool any = false;

    for (uint32_t g = 0; g < w->in->groups; g++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < w->plan->nodes; i++)
            count += w->plan->node[i].group == g;
        if (!count)
            continue;
        stow_buf_printf(w->to, "%s{\"group\":\"g%u\",\"from\":0,\"to\":%lld}", any ? "," : "", g,
                        (long long)off(w, SIZE_OFF, count));
        any = true;
    }
}

static void unplaced(struct writing *w)
{
    bool any = false;

    for (uint32_t k = 0; k < w->in->classes; k++)
        for (; w->next[k] < w->in->class[k].count; w->next[k]++) {
            stow_buf_printf(w->to, "%s{\"pod\":\"default/c%u-%u\",\"reasons\":[]}", any ? "," : "",
                            k, w->next[k]);
            any = true;
        }
}

static void classes(struct writing *w)
{
    bool any = false;

    for (uint32_t k = 0; k < w->in->classes; k++) {
        bool first = true;

        if (!w->in->taken[k])
            continue;
        stow_buf_printf(w->to, "%s{\"pods\":[", any ? "," : "");
        any = true;
        for (uint32_t i = 0; i < w->in->class[k].count; i++) {
            if (change_here(w, CLASS_SHORT))
                continue;
            stow_buf_printf(w->to, "%s\"default/c%u-%u\"", first ? "" : ",", k, i);
            first = false;
            if (change_here(w, CLASS_TWICE))
                stow_buf_printf(w->to, ",\"default/c%u-%u\"", k, i);
        }
        stow_buf_text(w->to, "],\"pricePerHour\":");
        money(w->to, w->proof->leaf[0].y[k]);
        stow_buf_char(w->to, '}');
    }
}

/* A row of limits; none without a price. */
static void limit(struct writing *w, const char *start, int64_t amount, int64_t price, bool *any)
{
    if (!price)
        return;
    stow_buf_printf(w->to, "%s{%s,\"amount\":%lld,\"pricePerHour\":", *any ? "," : "", start,
                    (long long)off(w, AMOUNT_OFF, amount));
    money(w->to, amount ? off(w, LIMIT_PRICE_OFF, price) : price); /* 0 times a price is 0 */
    stow_buf_char(w->to, '}');
    *any = true;
}

static void group_limits(struct writing *w, const struct leaf *l, bool *any)
{
    char start[64];

    for (uint32_t g = 0; g < w->in->groups; g++) {
        snprintf(start, sizeof(start), "\"limit\":\"maxNodes\",\"group\":\"g%u\"", g);
        limit(w, start, w->in->group[g].max, l->w_max[g], any);
        snprintf(start, sizeof(start), "\"limit\":\"minNodes\",\"group\":\"g%u\"", g);
        limit(w, start, -(int64_t)w->in->group[g].min, l->w_min[g], any);
    }
    for (uint32_t n = 0; n < w->in->nodes; n++) {
        snprintf(start, sizeof(start), "\"limit\":\"node\",\"nodes\":[\"n%u\"]", n);
        limit(w, start, 1, l->w_node[n], any);
    }
}

static void limits(struct writing *w, const struct leaf *l, int side)
{
    char start[64];
    bool any = false;

    group_limits(w, l, &any);
    limit(w, "\"limit\":\"nodesTotal\"", (int64_t)w->in->total - w->in->nodes, l->w_total, &any);
    if (l->w_quota) {
        stow_buf_printf(w->to,
                        "%s{\"limit\":\"quota\",\"resource\":\"cpu\",\"amount\":\"%lldm\","
                        "\"pricePerHour\":",
                        any ? "," : "", (long long)quota_left(w->in));
        money(w->to, l->w_quota);
        stow_buf_char(w->to, '}');
        any = true;
    }
    snprintf(start, sizeof(start), "\"limit\":\"%s\",\"group\":\"g%u\"",
             side == 0 ? "atMost" : "atLeast", w->proof->group);
    if (side >= 0)
        limit(w, start, side == 0 ? (int64_t)w->proof->at : -(int64_t)w->proof->at - 1,
              side == 0 ? l->w_most : l->w_least, &any);
}

static void leaf(struct writing *w, const struct leaf *l, int side)
{
    int64_t more = 0;
    bool any = false;

    stow_buf_text(w->to, "{\"prices\":[");
    for (uint32_t k = 0; k < w->in->classes; k++) {
        if (!w->in->taken[k])
            continue;

        const bool tight = l->y[k] < PRICE_MAX && !leaves_out(w->plan);
        const int64_t raise = tight && change_here(w, Y_RAISED);

        stow_buf_text(w->to, any ? "," : "");
        any = true;
        money(w->to, l->y[k] + raise);
        more += raise * w->in->class[k].count;
    }
    stow_buf_text(w->to, "],\"limits\":[");
    limits(w, l, side);
    stow_buf_text(w->to, "],\"perHour\":");
    money(w->to, off(w, LEAF_OFF, l->value + more));
    stow_buf_char(w->to, '}');
}

static void tree(struct writing *w)
{
    const struct proof *p = w->proof;

    if (!p->split) {
        leaf(w, &p->leaf[0], -1);
        return;
    }
    stow_buf_printf(w->to, "{\"split\":{\"group\":\"g%u\",\"at\":%u},\"le\":", p->group,
                    (uint32_t)off(w, SPLIT_OFF, p->at));
    leaf(w, &p->leaf[0], 0);
    if (!change_here(w, BRANCH_MISSING)) {
        stow_buf_text(w->to, ",\"gt\":");
        leaf(w, &p->leaf[1], 1);
    }
    stow_buf_char(w->to, '}');
}

static void proof(struct writing *w)
{
    const struct proof *p = w->proof;

    stow_buf_text(w->to, ",\"proof\":{\"classes\":[");
    classes(w);
    stow_buf_text(w->to, "],\"tree\":");
    tree(w);
    if (p->has_lift) {
        stow_buf_printf(w->to, ",\"lift\":{\"rule\":\"%s\",",
                        p->reachable ? "reachable" : "common-divisor");
        if (!p->reachable) {
            stow_buf_text(w->to, "\"unit\":");
            money(w->to, off(w, UNIT_OFF, p->unit));
            stow_buf_char(w->to, ',');
        }
        stow_buf_text(w->to, "\"perHour\":");
        money(w->to, off(w, LIFT_OFF, p->lifted));
        stow_buf_char(w->to, '}');
    }
    stow_buf_text(w->to, ",\"resources\":{\"prices\":{\"cpu\":");
    money(w->to, off(w, CORES_OFF, p->core_price));
    stow_buf_text(w->to, ",\"memory\":\"0\"},\"perHour\":");
    money(w->to, off(w, RESOURCES_OFF, p->resources));
    stow_buf_text(w->to, "}}");
}

static void bound(struct writing *w)
{
    const int64_t value = w->proof->lifted > 0 ? w->proof->lifted : 0;
    const int64_t told = off(w, BOUND_OFF, value);
    const bool all = !leaves_out(w->plan) ^ change_here(w, FOR_OFF);

    stow_buf_text(w->to, ",\"bound\":{\"perHour\":");
    money(w->to, told);
    if (value > 0)
        stow_buf_printf(w->to, ",\"gap\":%.7f",
                        (double)(w->plan->cost - value) / (double)value +
                            (change_here(w, GAP_OFF) ? 0.0001 : 0));
    stow_buf_printf(w->to, ",\"method\":\"pattern-lp\",\"for\":\"%s\"}", all ? "all" : "as-many");
    if (!change_here(w, NO_PROOF))
        proof(w);
}

static void plan_text(struct writing *w)
{
    stow_buf_text(w->to, "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"ScalePlan\","
                         "\"strategy\":\"optimal\",\"cost\":{\"perHour\":");
    money(w->to, off(w, COST_OFF, w->plan->cost));
    stow_buf_printf(w->to, ",\"currency\":\"%s\"},\"newNodes\":[",
                    change_here(w, CURRENCY_OFF) ? "EUR" : "USD");
    new_nodes(w);
    stow_buf_text(w->to, "],\"existingNodes\":[");
    existing_nodes(w);
    stow_buf_text(w->to, "],\"groups\":[");
    groups(w);
    stow_buf_text(w->to, "],\"unplaced\":[");
    unplaced(w);
    stow_buf_char(w->to, ']');
    bound(w);
    stow_buf_char(w->to, '}');
}

/* ---- asking ------------------------------------------------------------------------------ */

static int ask(const struct instance *in, struct stow_str cluster, struct stow_str plan,
               struct stow_verdicts *verdicts, struct stow_err *err)
{
    const struct stow_verify_quota quota = {STOW_SYM_CPU, STOW_STR("cpu"), in->quota};
    int64_t existing = 0;
    struct stow_verify_options options = {
        .max_nodes_total = in->total,
        .quota = &quota,
        .quotas = in->quota != 0,
        .budget = STOW_MONEY_UNKNOWN,
        .priority_price = STOW_MONEY_UNKNOWN,
        .max_spot_share = STOW_MONEY_UNKNOWN,
    };
    const struct stow_bill_options bill = {.now = 0};
    struct stow_snapshot *s = NULL;
    struct stow_books books = {0};
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};
    char *padded = calloc(plan.len + STOW_TAPE_PADDING, 1);
    struct stow_verify_quota whole = quota;
    int code =
        padded ? stow_snapshot_load_text("cluster.json", cluster.ptr, cluster.len, NULL, &s, err)
               : STOW_ENOMEM;

    for (uint32_t n = 0; n < in->nodes; n++) /* quotas count existing nodes, too */
        existing += in->node[n].room[CPU];
    whole.amount += existing;
    options.quota = &whole;
    if (code >= 0) {
        memcpy(padded, plan.ptr, plan.len);
        code = stow_tape_open(&tape, "plan.json", padded, plan.len, err);
    }
    if (code >= 0) {
        const struct stow_verify_input input = {.s = s, .books = &books, .bill = &bill};

        code = stow_verify(&input, &options, &tape, verdicts, err);
    }
    if (code >= 0)
        code = stow_verdicts_code(verdicts);
    stow_snapshot_unref(s);
    free(padded);
    return code;
}

/* 1: as it should be, 0: not; -1: this change is not possible here. */
static int try_change(const struct instance *in, const struct plan *plan,
                      const struct proof *proof_, struct stow_str cluster, enum change change)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct writing w = {.in = in, .plan = plan, .proof = proof_, .change = change, .to = &text};
    struct stow_verdicts verdicts = {0};
    struct stow_err err = {0};
    int code, right;

    plan_text(&w);
    if (text.failed)
        return 0;
    if (change != RIGHT && !w.done)
        return -1;
    code = ask(in, cluster, stow_buf_str(&text), &verdicts, &err);
    right = code == (change == RIGHT ? STOW_OK : change == NO_PROOF ? STOW_ETIME : STOW_EWRONG);
    if (!right)
        property_fails("change %d: code %d: %s\n# %.*s\n# %.*s", (int)change, code,
                       verdicts.findings ? verdicts.finding[0].text : err.msg, STOW_FMT(cluster),
                       STOW_FMT(stow_buf_str(&text)));
    stow_verdicts_done(&verdicts);
    return right;
}

/* The first pod of some node goes to the node before it, where it does not fit. */
static bool overfill(const struct instance *in, struct plan *plan)
{
    for (uint32_t i = 0; i < plan->nodes; i++)
        for (uint32_t j = 0; j < plan->nodes; j++) {
            uint32_t from[CLASSES], to[CLASSES];

            counts_of(plan->node[i].pattern, from);
            counts_of(plan->node[j].pattern, to);
            for (uint32_t k = 0; k < in->classes && i != j; k++) {
                if (!from[k] || to[k] == COPIES)
                    continue;
                from[k]--;
                to[k]++;
                if (!on_group(in, plan->node[j].group, pattern_of(to))) {
                    plan->node[i].pattern = pattern_of(from);
                    plan->node[j].pattern = pattern_of(to);
                    return true;
                }
                from[k]++;
                to[k]--;
            }
        }
    return false;
}

/* A change that does not matter here, so that nothing has to refuse it. */
static bool is_harmless(const struct instance *in, const struct proof *p, enum change change)
{
    int64_t cores = 0;

    for (uint32_t k = 0; k < in->classes; k++)
        cores += in->taken[k] ? in->class[k].need[CPU] : 0;
    if (change == CORES_OFF) /* nobody asks for cores, or no group sells them */
        return p->core_price == INT64_C(9000000000) || cores == 0;
    return change == SPLIT_OFF && !p->leaf[0].w_most && !p->leaf[1].w_least;
}

static void choose_demand(const struct instance *in, struct chance *c, uint32_t demand[CLASSES],
                          uint32_t left[CLASSES])
{
    const bool drops = chance_one_in(c, 4);

    for (uint32_t k = 0; k < CLASSES; k++) {
        demand[k] = k < in->classes && in->taken[k] ? in->class[k].count : 0;
        left[k] = drops && demand[k] ? chance_below(c, demand[k] + 1) : 0;
        demand[k] -= left[k];
    }
}

static bool holds(uint64_t seed)
{
    struct chance c = {seed};
    struct instance in;
    struct plan plan;
    struct proof p;
    uint32_t demand[CLASSES], left[CLASSES];
    STOW_AUTO(stow_buf_done) struct stow_buf cluster = {0};
    bool fine = true;

    make_instance(&in, &c);
    find_taken(&in);
    choose_demand(&in, &c, demand, left);
    if (!best_plan(&in, demand, &plan))
        return true; /* limits leave pods out: another seed */
    memcpy(plan.left, left, sizeof(left));
    make_proof(&in, &plan, &c, &p);
    if (p.lifted > plan.cost)
        return property_fails("the bound %lld is above the cheapest plan %lld", (long long)p.lifted,
                              (long long)plan.cost);
    cluster_text(&cluster, &in);
    for (int change = RIGHT; change < CHANGES && fine; change++)
        if (!is_harmless(&in, &p, (enum change)change))
            fine = try_change(&in, &plan, &p, stow_buf_str(&cluster), (enum change)change) != 0;
    if (fine && overfill(&in, &plan)) {
        STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
        struct writing w = {.in = &in, .plan = &plan, .proof = &p, .to = &text};
        struct stow_verdicts verdicts = {0};
        struct stow_err err = {0};

        plan_text(&w);
        if (ask(&in, stow_buf_str(&cluster), stow_buf_str(&text), &verdicts, &err) != STOW_EWRONG)
            fine = property_fails("one pod too many is accepted");
        stow_verdicts_done(&verdicts);
    }
    return fine;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"plans-that-hold-are-accepted-and-others-refused", holds, 200},
    };

    return property_main(list, 1, argc, argv);
}
