/* cost.c - what the new nodes cost and weigh, asked again and added up again.
 *
 * A node's price is its group's, else the books', or with --price-model gce the autoscaler's
 * model's; fees per node come on top.  Weights: a spot node weighs price * (1 + lambda * L) with
 * --risk, rounded up to a nano-unit, and a node d pairs of priorities below the highest weighs d *
 * P more with --priority-price.  Everything else is addition. */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "place/filters/open_claim.h"
#include "price/models/gce.h"
#include "verify/audit.h"

#define UNKNOWN_RATE    0.30 /* of interruption per 30 days */
#define HOURS_PER_MONTH 720
#define GAP_TOLERANCE   1e-6 /* gaps are written with six decimals at least */

/* ---- prices ------------------------------------------------------------------------------ */

static stow_nano model_price(const struct stow_audit *a, stow_group_id group)
{
    const double price = stow_gce_node_price(&a->bare.s, &a->bare.s.node[a->bare.fresh[group]]);
    stow_nano amount = isfinite(price) ? stow_nano_of_double(price) : STOW_MONEY_UNKNOWN;

    if (amount == STOW_MONEY_UNKNOWN || amount < 0 ||
        __builtin_add_overflow(amount, a->s->group[group].fee, &amount))
        return STOW_MONEY_UNKNOWN;
    return amount;
}

static stow_nano price_of(const struct stow_audit *a, stow_group_id group)
{
    const struct stow_node_bill *bill = &a->bill.node[a->bare.fresh[group]];

    if (a->s->group[group].price != STOW_MONEY_UNKNOWN)
        return bill->price;
    if (a->options->gce_prices)
        return model_price(a, group);
    return bill->price;
}

/* ---- weights ----------------------------------------------------------------------------- */

static bool is_above(const struct stow_group *a, const struct stow_group *b)
{
    if (a->pool_priority != b->pool_priority)
        return a->pool_priority > b->pool_priority;
    return a->template_priority > b->template_priority;
}

static bool for_sale(const struct stow_audit *a, stow_group_id g)
{
    return a->grows[g] && a->price[g] != STOW_MONEY_UNKNOWN;
}

uint32_t stow_audit_steps_down(const struct stow_audit *a, stow_group_id group)
{
    const struct stow_snapshot *s = a->s;
    uint32_t steps = 0;

    for (stow_group_id g = 0; g < s->groups; g++) {
        bool first = for_sale(a, g) && is_above(&s->group[g], &s->group[group]);

        for (stow_group_id h = 0; h < g && first; h++)
            first = !for_sale(a, h) || is_above(&s->group[h], &s->group[g]) ||
                    is_above(&s->group[g], &s->group[h]);
        steps += first;
    }
    return steps;
}

static stow_nano with_risk(const struct stow_audit *a, stow_nano price, int64_t rate)
{
    const int64_t sure = STOW_NANO_PER_UNIT; /* ln 0 is not a number: the next rate below counts */
    const double share = rate < 0 ? UNKNOWN_RATE : (double)(rate < sure ? rate : sure - 1) * 1e-9;
    const double lambda = -log1p(-share) / HOURS_PER_MONTH;
    const long double weight =
        (long double)price *
        (1 + (long double)lambda * (long double)a->options->hours_lost * 1e-9L);

    return weight < 9.2e18L ? (stow_nano)ceill(weight) : INT64_MAX / 4;
}

static stow_nano weigh(const struct stow_audit *a, stow_group_id group)
{
    const stow_node_id fresh = a->bare.fresh[group];
    stow_nano weight = a->price[group], more;

    if (a->options->risk && a->money[fresh].capacity_type == STOW_CAPACITY_SPOT)
        weight = with_risk(a, weight, a->money[fresh].rate);
    if (a->options->priority_price == STOW_MONEY_UNKNOWN)
        return weight;
    if (__builtin_mul_overflow(a->options->priority_price, stow_audit_steps_down(a, group),
                               &more) ||
        __builtin_add_overflow(weight, more, &weight))
        return INT64_MAX / 4;
    return weight;
}

int stow_audit_price_groups(struct stow_audit *a, struct stow_err *err)
{
    const struct stow_verify_options *o = a->options;

    if (o->risk || o->max_spot_share != STOW_MONEY_UNKNOWN || o->min_durable)
        STOW_TRY(
            stow_node_money_make(&a->bare.s, a->in->books, a->in->bill, &a->bill, &a->money, err));
    for (stow_group_id g = 0; g < a->s->groups; g++)
        a->price[g] = a->grows[g] ? price_of(a, g) : STOW_MONEY_UNKNOWN;
    for (stow_group_id g = 0; g < a->s->groups; g++) {
        a->weight[g] = for_sale(a, g) ? weigh(a, g) : STOW_MONEY_UNKNOWN;
        a->weighs |= a->weight[g] != a->price[g];
    }
    return STOW_OK;
}

/* ---- sums -------------------------------------------------------------------------------- */

struct sums {
    stow_i128 cost, weighed;
    struct stow_money_sum sum; /* the same as `cost`, which shows whether it fits */
};

static void check_node(struct stow_audit *a, uint32_t i, struct sums *sums)
{
    const struct stow_told_node *node = &a->told.node[i];
    const stow_nano told = node->price.given ? node->price.amount : STOW_MONEY_UNKNOWN;
    char is[STOW_MONEY_TEXT], said[STOW_MONEY_TEXT];

    if (a->group_of[i] == STOW_NONE)
        return;

    const stow_nano price = a->price[a->group_of[i]];

    if (told != price)
        stow_audit_wrong(a, STOW_VERIFY_COST,
                         node->price.given ? node->price.token : node->name.token,
                         "a node of %.*s costs %s per hour, not %s", STOW_FMT(node->group.text),
                         stow_money_exact(price, is), stow_money_exact(told, said));
    stow_money_sum_add(&sums->sum, price);
    if (price == STOW_MONEY_UNKNOWN)
        return;
    sums->cost += price;
    sums->weighed += a->weight[a->group_of[i]];
}

static void check_sum(struct stow_audit *a, const struct stow_told_money *told, stow_nano is,
                      const char *what)
{
    char right[STOW_MONEY_TEXT], said[STOW_MONEY_TEXT];

    if (told->amount != is)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->token, "%s is %s per hour, not %s", what,
                         stow_money_exact(is, right), stow_money_exact(told->amount, said));
}

/* What is not known of the cost is said. */
static void check_unknown(struct stow_audit *a, const struct stow_money_sum *sum)
{
    const struct stow_told *told = &a->told;

    const int64_t unpriced = told->nodes ? sum->unknown : 0;

    if (told->unpriced >= 0 && told->unpriced != unpriced)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->unpriced_token,
                         "%lld new nodes have no price, not %lld", (long long)unpriced,
                         (long long)told->unpriced);
    if (unpriced && stow_audit_is_optimal(a))
        stow_audit_wrong(a, STOW_VERIFY_COST, told->cost.token,
                         "an optimal plan buys nothing whose price is not known");
    if (told->at_least != stow_money_sum_is_least(sum))
        stow_audit_wrong(a, STOW_VERIFY_COST, told->cost.token,
                         told->at_least ? "the cost is not a minimum: leave out atLeast"
                                        : "some prices are not known: atLeast has to be true");
}

static void check_budget(struct stow_audit *a, stow_i128 cost)
{
    const stow_nano budget = a->options->budget;
    char text[STOW_MONEY_TEXT];

    if (budget != STOW_MONEY_UNKNOWN && cost > budget)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, a->told.cost.token,
                         "the new nodes cost more than the budget of %s per hour",
                         stow_money_exact(budget, text));
}

/* A decimal number as a double: only ever compared with a tolerance. */
static bool read_real(struct stow_str text, double *ret)
{
    size_t at = 0;
    double value = 0, unit = 1;
    int64_t exponent = 0;

    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
        value = value * 10 + (text.ptr[at] - '0');
    if (at == 0)
        return false;
    if (at < text.len && text.ptr[at] == '.')
        for (at++; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
            value += (text.ptr[at] - '0') * (unit /= 10);
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E') &&
        !stow_str_int((struct stow_str){text.ptr + at + 1, text.len - at - 1}, &exponent))
        return false;
    if (at < text.len && text.ptr[at] != 'e' && text.ptr[at] != 'E')
        return false;
    *ret = value * pow(10, (double)exponent);
    return true;
}

/* What keeps the plan's cost from being compared with the bound; NULL: nothing. */
static const char *no_gap(const struct stow_audit *a)
{
    if (stow_audit_is_priced_only(a))
        return "prices that matter are not known";
    for (stow_pod_id i = 0; i < a->s->pods; i++)
        if (a->node_of[i] != STOW_NONE && stow_pod_open_claim(a->s, &a->s->pod[i]).name)
            return "the location of volumes of pods is not known";
    for (stow_node_id i = a->real; i < a->all.s.nodes; i++)
        if (a->s->group[a->all.s.node[i].group].unsure_of_daemons)
            return "the requests of DaemonSets on new nodes are not known (the DaemonSets are not "
                   "given)";
    return NULL;
}

/* gap = cost / bound - 1. */
void stow_audit_gap(struct stow_audit *a, stow_nano cost)
{
    const struct stow_told *told = &a->told;
    const stow_nano bound = told->bound.amount;
    double said;

    if (!told->has_bound || cost == STOW_MONEY_UNKNOWN)
        return;
    a->out->bound = bound;
    if (bound > cost)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->bound.token,
                         "the bound is above the plan's own cost");
    if (no_gap(a)) {
        if (told->gap.text.ptr)
            stow_audit_wrong(a, STOW_VERIFY_COST, told->gap.token, "%s, and a gap is stated",
                             no_gap(a));
        return;
    }
    if (bound == 0 && cost > 0) {
        if (told->gap.text.ptr)
            stow_audit_wrong(a, STOW_VERIFY_COST, told->gap.token,
                             "there is no gap to a bound of 0");
        return;
    }
    a->out->gap = bound ? (double)(cost - bound) / (double)bound : 0;
    if (!told->gap.text.ptr)
        return;
    if (!read_real(told->gap.text, &said) || !(fabs(said - a->out->gap) <= GAP_TOLERANCE))
        stow_audit_wrong(a, STOW_VERIFY_COST, told->gap.token, "the gap is %.9f, not %.*s",
                         a->out->gap, STOW_FMT(told->gap.text));
}

static void check_weighed(struct stow_audit *a, stow_nano weighed)
{
    if (a->told.weighed.given) {
        check_sum(a, &a->told.weighed, weighed, "the weighed cost");
        a->out->weighed = weighed;
    } else if (a->weighs && stow_audit_is_optimal(a)) {
        stow_audit_wrong(a, STOW_VERIFY_COST, a->told.cost.token,
                         "with these options nodes are weighed, and the plan has no weighed cost");
    }
}

/* A plan that buys nothing, because what would take its pods has no price, states no cost. */
static int find_no_cost(struct stow_audit *a, struct stow_money_sum *sum, struct stow_err *err)
{
    bool lacks = false;

    if (a->told.nodes || a->told.cost.amount != STOW_MONEY_UNKNOWN)
        return STOW_OK;
    STOW_TRY(stow_audit_lacks_price(a, &lacks, err));
    if (lacks)
        stow_money_sum_add(sum, STOW_MONEY_UNKNOWN);
    return STOW_OK;
}

static bool rests_on_moments(const struct stow_audit *a)
{
    for (uint32_t i = 0; i < a->told.nodes; i++)
        if (a->group_of[i] != STOW_NONE && a->bill.node[a->bare.fresh[a->group_of[i]]].one_moment)
            return true;
    return false;
}

static void say_cost(struct stow_audit *a, const struct stow_money_sum *sum, stow_nano cost)
{
    const struct stow_told *told = &a->told;
    char text[STOW_MONEY_TEXT];

    if (cost == STOW_MONEY_UNKNOWN && !told->nodes)
        stow_audit_holds(a, STOW_VERIFY_COST,
                         "no new nodes: the price of groups that would take pods is not known");
    else if (cost == STOW_MONEY_UNKNOWN)
        stow_audit_holds(a, STOW_VERIFY_COST, "%u new node%s, whose price is not known",
                         told->nodes, told->nodes == 1 ? "" : "s");
    else
        stow_audit_holds(a, STOW_VERIFY_COST, "%u new node%s for %s%s %.*s per hour%s", told->nodes,
                         told->nodes == 1 ? "" : "s",
                         stow_money_sum_is_least(sum) ? "at least " : "",
                         stow_money_short(cost, text), STOW_FMT(a->bill.currency),
                         rests_on_moments(a) ? ", based on " STOW_ONE_MOMENT : "");
}

int stow_audit_cost(struct stow_audit *a, struct stow_err *err)
{
    const struct stow_told *told = &a->told;
    struct sums sums = {0};

    for (uint32_t i = 0; i < told->nodes; i++)
        check_node(a, i, &sums);
    if (sums.cost > INT64_MAX || sums.weighed > INT64_MAX)
        return stow_fail(err, STOW_EPARSE, "the cost of the plan is too large to be counted");

    STOW_TRY(find_no_cost(a, &sums.sum, err));

    const stow_nano cost = stow_money_sum_least(&sums.sum);

    a->out->cost = sums.sum;
    check_sum(a, &told->cost, cost, "the cost of the new nodes");
    if (told->currency.text.ptr && !stow_str_eq(told->currency.text, a->bill.currency))
        stow_audit_wrong(a, STOW_VERIFY_COST, told->currency.token, "prices are in %.*s, not %.*s",
                         STOW_FMT(a->bill.currency), STOW_FMT(told->currency.text));
    check_unknown(a, &sums.sum);
    check_weighed(a, (stow_nano)sums.weighed);
    stow_audit_gap(a, told->weighed.given || !told->nodes ? (stow_nano)sums.weighed : cost);
    check_budget(a, sums.cost);
    say_cost(a, &sums.sum, cost);
    return STOW_OK;
}
