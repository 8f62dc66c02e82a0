/* resources.c - the certificate that fits on a napkin: a price per core, GiB, device and pod slot
 * that no group undercuts.
 *
 * If  sum of c * room(g) <= price(g)  for every group that can take a pending pod, then whatever is
 * put on a new node of g is worth no more than the node costs; what goes to existing nodes is worth
 * no more than the free room there.  So every plan costs at least what the requests of the pods to
 * place are worth, less that free room.  Amounts are milli-cores, bytes and devices, prices are per
 * core and GiB: everything is multiplied by 1000 * 2^30 and stays whole. */
#include <stdlib.h>

#include "base/vec.h"
#include "verify/proof/bound.h"

#define WHOLE ((stow_i128)1000 << 30)

struct tariff {
    stow_i128 *price; /* per dimension: of one unit, times WHOLE */
};

static void tariff_done(struct tariff *t)
{
    free(t->price);
}

/* `ret` is all 0. */
static bool read_tariff(struct stow_proving *p, struct tariff *ret)
{
    struct stow_audit *a = p->a;
    const struct stow_berths *b = &p->berths;

    for (uint32_t i = 0; i < a->told.resources; i++) {
        const struct stow_told_price *told = &a->told.resource[i];
        const stow_sym sym = stow_intern_find(&a->s->text, told->resource.text);
        const stow_resource_id id =
            sym == STOW_INTERN_FAILED ? STOW_NONE : stow_resource_find(a->s, sym);
        stow_i128 per_unit = WHOLE;

        if (id == STOW_NONE) {
            stow_audit_wrong(a, STOW_VERIFY_RESOURCES, told->resource.token,
                             "there is no resource %.*s in the input",
                             STOW_FMT(told->resource.text));
            return false;
        }
        if (id == STOW_RESOURCE_CPU)
            per_unit /= 1000;
        else if (stow_resource_in_bytes(a->s, id))
            per_unit >>= 30;
        for (uint32_t d = 0; d < b->dims; d++) /* what no pod asks for is worth nothing */
            if (b->resource[d] == id)
                ret->price[d] = per_unit * told->price;
    }
    return true;
}

/* Prices and amounts come from files: products may be absurd.  Clamped upwards, which only refuses.
 */
static stow_i128 value_of(const struct stow_proving *p, const struct tariff *t,
                          const int64_t *amount)
{
    stow_i128 sum = 0, product;

    for (uint32_t d = 0; d < p->berths.dims; d++) {
        if (__builtin_mul_overflow(t->price[d], (stow_i128)amount[d], &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return STOW_I128_MAX / 4;
    }
    return sum < STOW_I128_MAX / 4 ? sum : STOW_I128_MAX / 4;
}

static void check_groups(struct stow_proving *p, const struct tariff *t)
{
    struct stow_audit *a = p->a;
    const struct stow_berths *b = &p->berths;

    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (b->takes[g] && b->of_group[g] != STOW_NONE &&
            value_of(p, t, b->berth[b->of_group[g]].room) > WHOLE * a->weight[g])
            stow_audit_wrong(a, STOW_VERIFY_RESOURCES, a->told.resources_token,
                             "at these resource prices a node of %s is worth more than it costs",
                             a->s->group[g].name);
}

/* The free room of existing nodes that could take a pending pod. */
static stow_i128 free_value(const struct stow_proving *p, const struct tariff *t)
{
    const struct stow_berths *b = &p->berths;
    stow_i128 sum = 0;

    for (stow_node_id i = 0; i < p->a->real; i++)
        if (b->of_node[i] != STOW_NONE &&
            __builtin_add_overflow(sum, value_of(p, t, b->berth[b->of_node[i]].room), &sum))
            return STOW_I128_MAX / 4;
    return sum;
}

/* Items of a class ask for the same; where a class mixes, the least counts. */
static stow_i128 class_value(const struct stow_proving *p, const struct tariff *t, uint32_t class)
{
    const struct stow_berths *b = &p->berths;
    stow_i128 least = -1;

    for (uint32_t i = 0; i < b->items; i++) {
        if (b->item[i].class != class)
            continue;

        const stow_i128 value = value_of(p, t, b->item[i].need);

        least = least < 0 || value < least ? value : least;
    }
    return least < 0 ? 0 : least;
}

int stow_audit_resources(struct stow_proving *p, struct stow_err *err)
{
    struct stow_audit *a = p->a;
    const stow_nano told = a->told.resources_per_hour.amount;
    STOW_AUTO(tariff_done)
    struct tariff t = {calloc((size_t)p->berths.dims + 1, sizeof(*t.price))};
    STOW_AUTO(stow_free_local) stow_i128 *worth = calloc((size_t)p->levies + 1, sizeof(*worth));
    char text[STOW_MONEY_TEXT];

    if (!worth || !t.price)
        return stow_fail_memory(err);
    if (!read_tariff(p, &t))
        return STOW_OK;
    check_groups(p, &t);
    for (uint32_t i = 0; i < p->levies; i++)
        worth[i] = class_value(p, &t, p->levy[i].class);

    const stow_i128 value = stow_levy_sum(p, worth, NULL) - free_value(p, &t);

    if (told > 0 && WHOLE * told > value)
        stow_audit_wrong(a, STOW_VERIFY_RESOURCES, a->told.resources_per_hour.token,
                         "the resource prices prove less than %s per hour",
                         stow_money_exact(told, text));
    a->out->resources_bound = told;
    stow_audit_holds(
        a, STOW_VERIFY_RESOURCES,
        "no %sgroup undercuts the resource prices: every plan%s costs at least %s per hour",
        stow_audit_is_priced_only(a) ? "priced " : "",
        stow_audit_is_priced_only(a) ? " of such groups" : "", stow_money_short(told, text));
    return STOW_OK;
}
