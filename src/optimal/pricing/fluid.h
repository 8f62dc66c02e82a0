/* fluid.h - what resources are worth if pods could be divided at will. */
#ifndef STOW_OPTIMAL_PRICING_FLUID_H
#define STOW_OPTIMAL_PRICING_FLUID_H

#include <stdint.h>

struct stow_fluid {
    uint32_t dims, offers;
    const double *demand;  /* per resource: asked for, less what is free; may be below 0 */
    const uint32_t *offer; /* which rows of `capacity` and `price` are for sale; NULL: the first */
    const int64_t *capacity; /* [row * dims + resource] */
    const int64_t *price;    /* per row, in nano-units */
};

/* Prices per unit of each resource, in nano-units, that no offer undercuts (up to rounding), such
 * that what is asked for is worth as much as possible; writes dims doubles.  1: not solved, and all
 * are 0; < 0: out of memory. */
int stow_fluid_prices(const struct stow_fluid *fluid, double *ret_price);

#endif
