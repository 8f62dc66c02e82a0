/* lift.c - sums of prices: what no plan's cost can be between.
 *
 * A plan's cost is a sum of node prices, so the next such sum is a bound when a smaller number is.
 * All sums are multiples of the prices' greatest common divisor; which multiples can be reached is
 * the coin problem.  Modulo the smallest price p there are p classes, and of each only the smallest
 * sum matters: adding p to it gives all the others.  One price after another is let in, walking
 * each cycle of residues twice, which finds these smallest sums in p steps per price.  */
#include "verify/proof/lift.h"

#include <stdbool.h>
#include <stdlib.h>

#include <stowage/export.h>

#include "base/int128.h"
#include "base/vec.h"

#define RESIDUES_MAX 20000000 /* entries of the table */
#define STEPS_MAX    2e9

stow_nano stow_lift_unit(const stow_nano *price, uint32_t count)
{
    stow_nano unit = 0;

    for (uint32_t i = 0; i < count; i++)
        unit = stow_gcd(unit, price[i]);
    return unit;
}

stow_i128 stow_lift_multiple(stow_i128 value, stow_nano unit)
{
    if (value <= 0)
        return 0;
    return (value + unit - 1) / unit * unit;
}

/* Lets one price in: smallest[r] is the smallest sum that is r modulo p, -1: none yet. */
static void let_in(int64_t *smallest, int64_t p, int64_t price)
{
    const int64_t step = price % p, cycles = stow_gcd(p, step ? step : p);

    for (int64_t start = 0; start < cycles; start++) {
        int64_t at = start, best = -1;

        for (int64_t i = 0; i < 2 * (p / cycles); i++) {
            if (best >= 0 && (smallest[at] < 0 || best < smallest[at]))
                smallest[at] = best;
            best = smallest[at] < 0 ? -1 : smallest[at] + price;
            at = (at + step) % p;
        }
    }
}

static stow_i128 next_sum(const int64_t *smallest, int64_t p, stow_i128 value)
{
    stow_i128 least = -1;

    for (int64_t r = 0; r < p; r++) {
        stow_i128 sum = smallest[r];

        if (sum < 0)
            continue;
        if (sum < value)
            sum += (value - sum + p - 1) / p * p;
        if (least < 0 || sum < least)
            least = sum;
    }
    return least;
}

int stow_lift_reachable(const stow_nano *price, uint32_t count, stow_i128 value, stow_i128 *ret)
{
    const stow_nano unit = stow_lift_unit(price, count);
    int64_t p = INT64_MAX;

    *ret = value > 0 ? value : 0;
    for (uint32_t i = 0; i < count; i++)
        if (price[i] > 0 && price[i] / unit < p)
            p = price[i] / unit;
    if (value <= 0 || unit == 0)
        return 0;
    if (p > RESIDUES_MAX || (double)p * count > STEPS_MAX)
        return 1;

    STOW_AUTO(stow_free_local) int64_t *smallest = calloc((size_t)p, sizeof(*smallest));

    if (!smallest)
        return STOW_ENOMEM;
    for (int64_t r = 0; r < p; r++)
        smallest[r] = r ? -1 : 0;
    for (uint32_t i = 0; i < count; i++)
        if (price[i] / unit % p) /* a multiple of the smallest adds nothing */
            let_in(smallest, p, price[i] / unit);
    *ret = next_sum(smallest, p, (value + unit - 1) / unit) * unit;
    return 0;
}
