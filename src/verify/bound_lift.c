/* bound_lift.c - what a bound is raised to because costs are sums of prices (lift.h). */
#include <stdlib.h>

#include "base/vec.h"
#include "verify/proof/bound.h"
#include "verify/proof/lift.h"

/* What is paid for at once: a node, or all nodes of a group that scales at once. */
static stow_nano coin(const struct stow_audit *a, stow_group_id g)
{
    const struct stow_group *group = &a->s->group[g];

    if (group->scaling != STOW_SCALING_ZERO_OR_MAX || group->max_nodes == STOW_NONE)
        return a->weight[g];
    return group->max_nodes > group->current_nodes
               ? stow_bound_clamp((stow_i128)a->weight[g] *
                                  (group->max_nodes - group->current_nodes))
               : 0;
}

/* Prices of the groups that a plan has reason to buy from. */
static uint32_t list_prices(const struct stow_proving *p, stow_nano *ret)
{
    const struct stow_audit *a = p->a;
    uint32_t count = 0;

    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->weight[g] != STOW_MONEY_UNKNOWN &&
            (p->berths.takes[g] ||
             (!a->standing && a->s->group[g].current_nodes < a->s->group[g].min_nodes)))
            ret[count++] = coin(a, g);
    for (stow_node_id i = 0; a->standing && i < a->real; i++)
        if (p->berths.of_node[i] != STOW_NONE && a->standing->price[i] > 0)
            ret[count++] = a->standing->price[i];
    return count;
}

static int lift_by_rule(struct stow_proving *p, const stow_nano *price, uint32_t count,
                        stow_i128 value, stow_i128 *ret)
{
    struct stow_audit *a = p->a;
    const struct stow_told *told = &a->told;
    const stow_nano unit = stow_lift_unit(price, count);
    char text[STOW_MONEY_TEXT];

    *ret = value;
    if (stow_str_is(told->lift_rule.text, "reachable")) {
        const int code = stow_lift_reachable(price, count, value, ret);

        if (code == 1) {
            stow_audit_unsettled(a, STOW_VERIFY_BOUND, told->lift_token,
                                 "not settled: which sums the prices can form");
            *ret = told->lift_per_hour.amount;
        }
        return code < 0 ? code : STOW_OK;
    }
    if (!stow_str_is(told->lift_rule.text, "common-divisor")) {
        stow_audit_wrong(a, STOW_VERIFY_BOUND, told->lift_rule.token, "there is no rule %.*s",
                         STOW_FMT(told->lift_rule.text));
        return 1;
    }
    if (unit > 0)
        *ret = stow_lift_multiple(value, unit);
    if (!told->lift_unit.given || told->lift_unit.amount != unit) {
        stow_audit_wrong(
            a, STOW_VERIFY_BOUND, told->lift_unit.given ? told->lift_unit.token : told->lift_token,
            "the greatest common divisor of the prices is %s", stow_money_exact(unit, text));
        return 1;
    }
    return 0;
}

static int check_lift(struct stow_proving *p, stow_i128 *value)
{
    struct stow_audit *a = p->a;
    STOW_AUTO(stow_free_local)
    stow_nano *price = calloc((size_t)a->s->groups + a->real + 1, sizeof(*price));
    stow_i128 lifted;
    char text[STOW_MONEY_TEXT];

    if (!price)
        return STOW_ENOMEM;

    const int code = lift_by_rule(p, price, list_prices(p, price), *value, &lifted);

    if (code)
        return code < 0 ? code : STOW_OK;
    if (lifted != a->told.lift_per_hour.amount)
        stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.lift_per_hour.token,
                         "the next sum of prices is %s per hour",
                         stow_money_exact(stow_bound_clamp(lifted), text));
    *value = lifted;
    return STOW_OK;
}

int stow_bound_lift(struct stow_proving *p, stow_i128 *value)
{
    return p->a->told.has_lift ? check_lift(p, value) : STOW_OK;
}
