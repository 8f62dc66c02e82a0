/* lift.h - sums of prices: what no plan's cost can be between. */
#ifndef STOW_VERIFY_PROOF_LIFT_H
#define STOW_VERIFY_PROOF_LIFT_H

#include "base/int128.h"
#include "model/values/money.h"

/* The greatest common divisor; 0 of none. */
stow_nano stow_lift_unit(const stow_nano *price, uint32_t count);

/* The smallest multiple of unit that is not below value; unit > 0. */
stow_i128 stow_lift_multiple(stow_i128 value, stow_nano unit);

/* The smallest sum of prices (each any number of times) that is not below value.  0: it was found;
 * 1: it would take too much memory or time; < 0: out of memory. */
int stow_lift_reachable(const stow_nano *price, uint32_t count, stow_i128 value, stow_i128 *ret);

#endif
