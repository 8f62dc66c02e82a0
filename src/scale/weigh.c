/* weigh.c - what a node of each group weighs: its price, and what risk and priorities add to it.
 *
 * A spot node is interrupted lambda = -ln(1 - rate) / 720 times per hour (rate: the fraction of
 * instances interrupted within 30 days), and each time L hours of its work are lost and done
 * again: it weighs price * (1 + lambda * L).  A rate of 1 would be interrupted infinitely often; it
 * counts as 0.999999999, as it does in the price book (price/risk.c).  A step down the priorities
 * of groups weighs P, when a price for it is given.  Weights steer the choice; what is paid stays
 * the price. */
#include "scale/weigh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

stow_nano stow_weigh_risk(stow_nano price, int64_t rate, int64_t hours_lost)
{
    const int64_t share = rate < STOW_NANO_PER_UNIT ? rate : STOW_NANO_PER_UNIT - 1;
    const double lambda = -log1p(-(double)share * 1e-9) / 720;
    const long double weight =
        (long double)price * (1 + (long double)lambda * (long double)hours_lost * 1e-9L);

    if (!(weight < 9.2e18L))
        return INT64_MAX / 4;
    return (stow_nano)ceill(weight);
}

/* ---- priorities of groups ---------------------------------------------------------------- */

static int compare_tiers(const void *a, const void *b)
{
    const struct stow_group *x = *(const struct stow_group *const *)a;
    const struct stow_group *y = *(const struct stow_group *const *)b;

    if (x->pool_priority != y->pool_priority)
        return x->pool_priority < y->pool_priority ? 1 : -1;
    return (x->template_priority < y->template_priority) -
           (x->template_priority > y->template_priority);
}

static int find_tiers(const struct stow_scale *scale, struct stow_weights *ret)
{
    const struct stow_snapshot *s = scale->s;
    STOW_AUTO(stow_free_local)
    const struct stow_group **list = calloc(s->groups + 1, sizeof(struct stow_group *));
    uint32_t count = 0;

    if (!list)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (scale->grows[g] && ret->price[g] != STOW_MONEY_UNKNOWN)
            list[count++] = &s->group[g];
    qsort((void *)list, count, sizeof(void *), compare_tiers);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || compare_tiers((const void *)&list[i - 1], (const void *)&list[i]) != 0)
            ret->tiers++;
        ret->tier[list[i] - s->group] = ret->tiers - 1;
    }
    return STOW_OK;
}

static void weigh_tiers(const struct stow_scale *scale, struct stow_weights *ret)
{
    for (stow_group_id g = 0; g < scale->s->groups; g++) {
        stow_nano more;

        if (ret->price[g] == STOW_MONEY_UNKNOWN || !ret->tier[g])
            continue;
        ret->weighed |= scale->options.priority_price != 0;
        if (__builtin_mul_overflow(scale->options.priority_price, ret->tier[g], &more) ||
            __builtin_add_overflow(ret->price[g], more, &ret->price[g]))
            ret->price[g] = INT64_MAX / 4;
    }
    ret->tiers = ret->tiers ? 1 : 0;
    memset(ret->tier, 0, scale->s->groups * sizeof(*ret->tier));
}

/* ---- risk -------------------------------------------------------------------------------- */

static void weigh_spot(const struct stow_scale *scale, struct stow_weights *ret)
{
    const struct stow_node_money *money = scale->money;

    for (stow_group_id g = 0; g < scale->s->groups; g++) {
        const stow_node_id fresh = scale->extension.fresh[g];

        if (!scale->grows[g] || money[fresh].capacity_type != STOW_CAPACITY_SPOT)
            continue;
        ret->spot[g] = true;
        ret->guessed[g] = money[fresh].rate < 0;
        if (!scale->options.risk || ret->price[g] == STOW_MONEY_UNKNOWN)
            continue;
        ret->price[g] =
            stow_weigh_risk(ret->price[g], ret->guessed[g] ? STOW_UNKNOWN_RATE : money[fresh].rate,
                            scale->options.hours_lost);
        ret->weighed = true;
    }
}

int stow_weigh(struct stow_scale *scale, struct stow_arena *arena, struct stow_weights *ret,
               struct stow_err *err)
{
    const size_t groups = (size_t)scale->s->groups + 1;

    *ret = (struct stow_weights){0};
    ret->price = stow_arena_zalloc(arena, groups * sizeof(*ret->price));
    ret->spot = stow_arena_zalloc(arena, groups * sizeof(*ret->spot));
    ret->guessed = stow_arena_zalloc(arena, groups * sizeof(*ret->guessed));
    ret->tier = stow_arena_zalloc(arena, groups * sizeof(*ret->tier));
    if (!ret->price || !ret->spot || !ret->guessed || !ret->tier)
        return stow_fail_memory(err);
    for (stow_group_id g = 0; g < scale->s->groups; g++)
        ret->price[g] = scale->grows[g] ? scale->price[g].price : STOW_MONEY_UNKNOWN;
    weigh_spot(scale, ret);
    if (find_tiers(scale, ret) < 0)
        return stow_fail_memory(err);
    if (scale->options.has_priority_price)
        weigh_tiers(scale, ret);
    return STOW_OK;
}
