/* verify_instance.c - random problems so small that everything can be tried: all patterns of every
 * node, all plans. */
#include "tests/property/verify_instance.h"

#include <stdlib.h>
#include <string.h>

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

void instance_make(struct instance *in, struct chance *c)
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
    in->of_memory = chance_one_in(c, 2);
}

int64_t instance_counts(const struct instance *in, const struct place *place)
{
    return in->of_memory ? place->room[MEMORY] * 1024 : place->room[CPU];
}

int64_t instance_unit(const struct instance *in)
{
    return in->of_memory ? 1024 : 1000;
}

int64_t instance_price(const struct instance *in, uint32_t g)
{
    return in->group[g].price + in->group[g].fee;
}

/* ---- patterns ---------------------------------------------------------------------------- */

void counts_of(uint32_t pattern, uint32_t count[CLASSES])
{
    for (uint32_t k = 0; k < CLASSES; k++, pattern /= COPIES + 1)
        count[k] = pattern % (COPIES + 1);
}

uint32_t pattern_of(const uint32_t count[CLASSES])
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

bool fits_group(const struct instance *in, uint32_t g, uint32_t pattern)
{
    return holds_pattern(in, &in->group[g].place, g, pattern);
}

bool fits_node(const struct instance *in, uint32_t n, uint32_t pattern)
{
    return holds_pattern(in, &in->node[n], GROUPS, pattern);
}

void instance_find_taken(struct instance *in)
{
    for (uint32_t k = 0; k < in->classes; k++) {
        uint32_t one[CLASSES] = {0};

        one[k] = 1;
        for (uint32_t g = 0; g < in->groups; g++)
            in->taken[k] |= fits_group(in, g, pattern_of(one));
        for (uint32_t n = 0; n < in->nodes; n++)
            in->taken[k] |= fits_node(in, n, pattern_of(one));
    }
}

/* ---- the best plan ----------------------------------------------------------------------- */

struct best {
    const struct instance *in;
    int64_t cost[PATTERNS][USED][USED][USED]; /* of placing what is left; 0: not known, else + 1 */
};

static bool allowed(const struct instance *in, const uint32_t used[GROUPS])
{
    uint32_t sum = 0;
    int64_t counted = 0;

    for (uint32_t g = 0; g < in->groups; g++) {
        sum += used[g];
        counted += used[g] * instance_counts(in, &in->group[g].place);
        if (used[g] > in->group[g].max || used[g] >= USED)
            return false;
    }
    return sum <= NEW_MAX && (!in->total || sum + in->nodes <= in->total) &&
           (!in->quota || counted <= in->quota);
}

/* What is still to be bought for minNodes; NEVER: it is not allowed. */
static int64_t fill_up(const struct instance *in, const uint32_t used[GROUPS])
{
    uint32_t filled[GROUPS] = {used[0], used[1], used[2]};
    int64_t cost = 0;

    for (uint32_t g = 0; g < in->groups; g++)
        if (filled[g] < in->group[g].min) {
            cost += (in->group[g].min - filled[g]) * instance_price(in, g);
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

            if (!fits || !fits_group(b->in, g, p))
                continue;

            const int64_t cost = buy(b, rest, more);

            if (cost < NEVER - 1 && cost + instance_price(b->in, g) < least)
                least = cost + instance_price(b->in, g);
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
                if (!fits || !fits_group(b->in, g, p) || !allowed(b->in, more) ||
                    buy(b, rest, more) >= NEVER - 1 ||
                    buy(b, rest, more) + instance_price(b->in, g) != is)
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
bool instance_best_plan(const struct instance *in, const uint32_t demand[CLASSES], struct plan *ret)
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

            if (!first || !second || (p && (in->nodes < 1 || !fits_node(in, 0, p))) ||
                (q && (in->nodes < 2 || !fits_node(in, 1, q))) || buy(b, rest, none) >= least)
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

int64_t instance_quota(const struct instance *in)
{
    return in->quota;
}

bool plan_leaves_out(const struct plan *plan)
{
    return plan->left[0] || plan->left[1] || plan->left[2];
}
