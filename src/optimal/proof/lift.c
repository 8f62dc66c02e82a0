/* lift.c - lower bounds rounded up to what a plan can cost.
 *
 * With few prices the total cannot take just any value: three groups at 0.3060, 0.3456 and 0.4536
 * only cost multiples of 0.0036.  A bound of 11.2331 therefore proves 11.2356, and on small
 * instances that is often all that is missing.  Two rules, the weaker one first:
 *
 *   common divisor   up to the next multiple of the greatest common divisor of the prices;
 *   reachable        up to the next sum that the prices can form with any counts: a table with a
 * bit per multiple, as for making change with coins.
 *
 * Both look at every kind that can take a pod or has a minimum, limits left out: more kinds and
 * more counts only make more sums. */
#include "optimal/proof/lift.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"

#define SUMS_MAX  (UINT64_C(1) << 22)
#define KINDS_MAX 64 /* with more prices nearly every multiple can be reached */

static bool takes(const struct stow_problem *p, uint32_t g, uint32_t k)
{
    if ((!p->class[k].count && !p->class[k].cap) || !stow_problem_allows(&p->kind[g], k))
        return false;
    for (uint32_t d = 0; d < p->dims; d++)
        if (p->class[k].need[d] > 0 && p->class[k].need[d] > p->kind[g].capacity[d])
            return false;
    return true;
}

/* Whether a plan may buy the kind. */
static bool matters(const struct stow_problem *p, uint32_t g)
{
    if (p->kind[g].price == 0)
        return false;
    if (p->kind[g].least > 0)
        return true;
    for (uint32_t k = 0; k < p->classes; k++)
        if (takes(p, g, k))
            return true;
    return false;
}

/* What is paid at once: for a node, or for all of a block, which a plan may cost (scale/sums.c). */
static int64_t coin(const struct stow_problem_kind *kind)
{
    return kind->at_once ? kind->price * kind->most : kind->price;
}

static bool bit(const uint64_t *set, uint64_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static void add_coin(struct stow_lift *lift, uint64_t coin)
{
    for (uint64_t i = coin; i <= lift->sums_most; i++)
        if (bit(lift->sums, i - coin))
            lift->sums[i / 64] |= UINT64_C(1) << (i % 64);
}

static int fill_sums(struct stow_lift *lift, const struct stow_problem *p, uint32_t kinds,
                     int64_t most)
{
    if (lift->unit == 0 || kinds > KINDS_MAX || (uint64_t)(most / lift->unit) >= SUMS_MAX)
        return 0;
    lift->sums_most = (uint64_t)(most / lift->unit);
    lift->sums = calloc(lift->sums_most / 64 + 1, sizeof(*lift->sums));
    if (!lift->sums)
        return STOW_ENOMEM;
    lift->sums[0] = 1;
    for (uint32_t g = 0; g < p->kinds; g++)
        if (matters(p, g) && coin(&p->kind[g]))
            add_coin(lift, (uint64_t)(coin(&p->kind[g]) / lift->unit));
    return 0;
}

int stow_lift_init(struct stow_lift *lift, const struct stow_problem *p, int64_t most)
{
    uint32_t kinds = 0;

    *lift = (struct stow_lift){0};
    for (uint32_t g = 0; g < p->kinds; g++)
        if (matters(p, g)) {
            lift->unit = stow_gcd(lift->unit, coin(&p->kind[g]));
            kinds++;
        }
    return fill_sums(lift, p, kinds, most);
}

void stow_lift_done(struct stow_lift *lift)
{
    free(lift->sums);
    *lift = (struct stow_lift){0};
}

int64_t stow_lift_up(const struct stow_lift *lift, int64_t bound, enum stow_lift_rule *ret_rule)
{
    enum stow_lift_rule rule = STOW_LIFT_NONE;
    int64_t up = bound;

    if (lift->unit > 1 && bound > 0 && bound <= INT64_MAX - lift->unit && bound % lift->unit) {
        up = (bound / lift->unit + 1) * lift->unit;
        rule = STOW_LIFT_COMMON_DIVISOR;
    }
    if (lift->sums && up > 0) {
        uint64_t at = (uint64_t)(up / lift->unit);

        while (at < lift->sums_most && !bit(lift->sums, at))
            at++;
        if (at <= lift->sums_most && bit(lift->sums, at) && (int64_t)at * lift->unit > up) {
            up = (int64_t)at * lift->unit;
            rule = STOW_LIFT_REACHABLE;
        }
    }
    assert(up >= bound);
    if (ret_rule)
        *ret_rule = rule;
    return up;
}
