/* exact.h - integers as doubles, for loops that vector units can run; why the answers are exact is
 * written in allocation.c. */
#ifndef STOW_PLACE_SCORERS_EXACT_H
#define STOW_PLACE_SCORERS_EXACT_H

#include <stdint.h>
#include <string.h>

/* By its bits: for 0 <= x < 2^52. */
static inline double stow_exact_double(int64_t x)
{
    uint64_t bits = (uint64_t)x | 0x4330000000000000u;
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value - 0x1p52;
}

/* For 0 <= x < 2^31. */
static inline double stow_whole_part(double x)
{
    return (double)(int32_t)x;
}

#endif
