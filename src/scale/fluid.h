/* fluid.h - what resources are worth if pods were a liquid. */
#ifndef STOW_SCALE_FLUID_H
#define STOW_SCALE_FLUID_H

#include <stdint.h>

#include "model/money.h"

struct stow_fluid {
    uint32_t dims, offers;
    const int64_t *demand;   /* per resource: asked for, less what is free; may be below 0 */
    const int64_t *capacity; /* [offer * dims + resource]: all that pods and daemons can have */
    const stow_nano *price;  /* per offer */
};

/* Prices per unit of each resource that no offer undercuts (up to rounding), such that what is
 * asked for is worth as much as possible.  All 0 when there is nothing to say; < 0: out of memory.
 */
int stow_fluid_prices(const struct stow_fluid *fluid, double *ret_price);

#endif
