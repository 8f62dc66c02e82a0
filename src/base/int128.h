/* int128.h - 128-bit integers without a pedantic warning at each use. */
#ifndef STOW_BASE_INT128_H
#define STOW_BASE_INT128_H

#include <stdint.h>

__extension__ typedef __int128 stow_i128;
__extension__ typedef unsigned __int128 stow_u128;

#define STOW_I128_MAX ((stow_i128)(~(stow_u128)0 >> 1))

/* *to += value, staying at the largest number when that does not fit. */
static inline void stow_add_clamped(int64_t *to, int64_t value)
{
    if (__builtin_add_overflow(*to, value, to))
        *to = INT64_MAX;
}

/* The greatest common divisor; 0 with a number is that number. */
static inline int64_t stow_gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* a * part / whole, rounded down, exactly.  whole > 0 and part <= whole. */
stow_u128 stow_scale_down(stow_u128 a, stow_u128 part, stow_u128 whole);

#endif
