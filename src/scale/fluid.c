/* fluid.c - what resources are worth if pods were a liquid.
 *
 * Pour all requests together, and buy nodes by the litre:
 *
 *     minimise  sum of price(g) * x(g)   such that   sum of capacity(g, r) * x(g) >= demand(r)
 *
 * The dual of this small linear program is a price per resource at which no node is worth more
 * than it costs, and at which what is asked for is worth as much as can be.  Whoever sells below
 * these prices does not exist, so nobody gets the pods a place for less: a bound that needs no
 * more than a calculator.  It is weak where pods do not fit well. */
#include "scale/fluid.h"

#include <stdlib.h>

#include "base/vec.h"
#include "optimal/lp.h"

/* Rows are scaled so that 1 is asked for: bytes and cores side by side upset a solver. */
static int fill(struct stow_lp *lp, const struct stow_fluid *f, const double *scale)
{
    const int start[2] = {0, (int)f->dims};
    STOW_AUTO(stow_free_local) double *value = calloc(f->dims + 1, sizeof(*value));
    STOW_AUTO(stow_free_local) int *row = calloc(f->dims + 1, sizeof(*row));

    if (!value || !row)
        return STOW_ENOMEM;
    for (uint32_t g = 0; g < f->offers; g++) {
        const double cost = (double)f->price[g] * 1e-9;
        const struct stow_lp_columns column = {
            .count = 1, .start = start, .row = row, .value = value, .cost = &cost};

        for (uint32_t d = 0; d < f->dims; d++) {
            const int64_t has = f->capacity[(size_t)g * f->dims + d];

            row[d] = (int)d;
            value[d] = has > 0 ? (double)has * scale[d] : 0;
        }
        STOW_TRY(stow_lp_add(lp, &column));
    }
    return STOW_OK;
}

static int solve(const struct stow_fluid *f, const double *scale, const double *lower,
                 const double *upper, double *ret_price)
{
    struct stow_lp *lp = stow_lp_new(f->dims, lower, upper);
    int result = lp ? fill(lp, f, scale) : STOW_ENOMEM;

    if (result >= 0)
        result = stow_lp_solve(lp, 0);
    for (uint32_t d = 0; result == 1 && d < f->dims; d++)
        ret_price[d] = stow_lp_dual(lp)[d] > 0 ? stow_lp_dual(lp)[d] * scale[d] * 1e9 : 0;
    stow_lp_free(lp);
    return result < 0 ? result : STOW_OK;
}

int stow_fluid_prices(const struct stow_fluid *fluid, double *ret_price)
{
    STOW_AUTO(stow_free_local)
    double *memory = calloc(3 * ((size_t)fluid->dims + 1), sizeof(double));
    double *scale = memory, *lower = memory + fluid->dims, *upper = lower + fluid->dims;

    if (!memory)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < fluid->dims; d++) {
        ret_price[d] = 0;
        scale[d] = fluid->demand[d] > 0 ? 1 / (double)fluid->demand[d] : 1;
        lower[d] = fluid->demand[d] > 0;
        upper[d] = STOW_LP_INFINITY;
    }
    if (!fluid->dims || !fluid->offers)
        return STOW_OK;
    return solve(fluid, scale, lower, upper, ret_price);
}
