/* whole.h - from a double to an integer, and nowhere else.
 *
 * A cast of a double that is no int64_t is undefined: in practice it wraps, and a price becomes
 * negative.  Who converts says which he means: a number that is known to be whole and in range, or
 * one of any size of which the nearest will do. */
#ifndef STOW_BASE_WHOLE_H
#define STOW_BASE_WHOLE_H

#include <assert.h>
#include <math.h>
#include <stdint.h>

#define STOW_WHOLE_MAX (INT64_C(1) << 62) /* sums and differences of two still fit */

/* A whole number from 0 on that is known to fit. */
static inline int64_t stow_whole(double value)
{
    assert(value >= 0 && value <= (double)STOW_WHOLE_MAX && value == floor(value));
    return (int64_t)value;
}

/* Rounded down, and cut to what fits; 0 for what is not a number. */
static inline int64_t stow_whole_clamped(double value)
{
    if (!(fabs(value) < (double)STOW_WHOLE_MAX))
        return value > 0 ? STOW_WHOLE_MAX : value < 0 ? -STOW_WHOLE_MAX : 0;
    return (int64_t)floor(value);
}

#endif
