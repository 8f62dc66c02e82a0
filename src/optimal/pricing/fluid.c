/* fluid.c - what resources are worth if pods could be divided at will.
 *
 * Add up the requests of all pods, and allow fractions of nodes:
 *
 *     minimise  sum of price(g) * x(g)   such that   sum of capacity(g, r) * x(g) >= demand(r)
 *
 * The dual of this small linear program is a price per core, per GiB, per device and per pod at
 * which no node is worth more than it costs, and at which the demand is worth as much as possible.
 * No plan places the pods for less, and a person can check that with a calculator.  The bound is
 * weaker than that of patterns, because pods do not fill nodes exactly.
 *
 * The primal is solved, not the dual: lp.h minimises and its columns are cheap.  Resources are the
 * rows, and the dual prices of the rows are the answer. */
#include "optimal/pricing/fluid.h"

#include <assert.h>
#include <stdlib.h>

#include <stowage/error.h>
#include <stowage/export.h>

#include "base/vec.h"
#include "optimal/master/lp.h"

/* The columns of all offers, added at once: one by one, each would copy all before it. */
struct offer_columns {
    int *start, *row;
    double *value, *cost;
};

static void offer_columns_done(struct offer_columns *c)
{
    free(c->start);
    free(c->row);
    free(c->value);
    free(c->cost);
}

static void fill(const struct stow_fluid *f, const double *scale, const struct offer_columns *c)
{
    for (uint32_t i = 0; i < f->offers; i++) {
        const uint32_t g = f->offer ? f->offer[i] : i;
        const size_t first = (size_t)i * f->dims;

        assert(f->price[g] >= 0);
        c->cost[i] = (double)f->price[g] * 1e-9;
        c->start[i + 1] = (int)(first + f->dims);
        for (uint32_t d = 0; d < f->dims; d++) {
            const int64_t capacity = f->capacity[(size_t)g * f->dims + d];

            c->row[first + d] = (int)d;
            c->value[first + d] = capacity > 0 ? (double)capacity * scale[d] : 0;
        }
    }
}

static int add_offers(struct stow_lp *lp, const struct stow_fluid *f, const double *scale)
{
    const size_t offers = (size_t)f->offers + 1, size = offers * (f->dims + 1);
    STOW_AUTO(offer_columns_done)
    struct offer_columns c = {.start = calloc(offers, sizeof(*c.start)),
                              .row = malloc(size * sizeof(*c.row)),
                              .value = malloc(size * sizeof(*c.value)),
                              .cost = malloc(offers * sizeof(*c.cost))};

    if (!c.start || !c.row || !c.value || !c.cost)
        return STOW_ENOMEM;
    fill(f, scale, &c);
    return stow_lp_add(
        lp,
        &(struct stow_lp_columns){
            .count = f->offers, .start = c.start, .row = c.row, .value = c.value, .cost = c.cost});
}

static int solve(const struct stow_fluid *f, const double *scale, const double *lower,
                 const double *upper, double *ret_price)
{
    struct stow_lp *lp = stow_lp_new(f->dims, lower, upper);
    int result = lp ? add_offers(lp, f, scale) : STOW_ENOMEM;

    if (result >= 0)
        result = stow_lp_solve(lp, 0);
    for (uint32_t d = 0; result == 1 && d < f->dims; d++)
        ret_price[d] = stow_lp_dual(lp)[d] > 0 ? stow_lp_dual(lp)[d] * scale[d] * 1e9 : 0;
    stow_lp_free(lp);
    return result < 0 ? result : !result;
}

/* Rows are scaled so that 1 is asked for: bytes and cores side by side upset a solver. */
int stow_fluid_prices(const struct stow_fluid *fluid, double *ret_price)
{
    STOW_AUTO(stow_free_local)
    double *memory = calloc(3 * ((size_t)fluid->dims + 1), sizeof(double));
    double *scale = memory, *lower = memory + fluid->dims, *upper = lower + fluid->dims;

    if (!memory)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < fluid->dims; d++) {
        const double demand = fluid->demand[d];

        ret_price[d] = 0;
        scale[d] = demand > 1 ? 1 / demand : 1;
        lower[d] = demand > 1 ? 1 : demand > 0 ? demand : 0;
        upper[d] = STOW_LP_INFINITY;
    }
    if (!fluid->dims || !fluid->offers)
        return 1;
    return solve(fluid, scale, lower, upper, ret_price);
}
