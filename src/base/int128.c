/* int128.c - the one operation that needs more than 128 bits. */
#include "base/int128.h"

#include <assert.h>

/* (*rest * 2^64 + digit) / whole: the next digit of a quotient; *rest, which is below `whole`,
 * becomes the new one.  The highest bit of `whole` is set, so that a guess by its upper half is at
 * most two too large (Knuth, The Art of Computer Programming 4.3.1, algorithm D). */
static uint64_t next_digit(stow_u128 *rest, uint64_t digit, stow_u128 whole)
{
    const uint64_t high = (uint64_t)(whole >> 64), low = (uint64_t)whole;
    stow_u128 guess = *rest / high, over = *rest % high;

    while (guess >> 64 || (over >> 64 == 0 && guess * low > (over << 64 | digit))) {
        guess--;
        over += high;
    }
    *rest = (over << 64 | digit) - guess * low; /* modulo 2^128; the difference is below `whole` */
    return (uint64_t)guess;
}

static int leading_zeros(stow_u128 number)
{
    const uint64_t high = (uint64_t)(number >> 64), low = (uint64_t)number;

    return high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
}

/* Long multiplication into four digits of 64 bits, then long division. */
stow_u128 stow_scale_down(stow_u128 a, stow_u128 part, stow_u128 whole)
{
    const uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a;
    const uint64_t b1 = (uint64_t)(part >> 64), b0 = (uint64_t)part;
    stow_u128 low = (stow_u128)a0 * b0, high = (stow_u128)a1 * b1, rest;
    const stow_u128 cross = (stow_u128)a1 * b0, other = (stow_u128)a0 * b1;
    int shift;
    uint64_t first;

    assert(part <= whole);
    if (part == whole)
        return a;
    high += (cross >> 64) + (other >> 64);
    high += __builtin_add_overflow(low, cross << 64, &low);
    high += __builtin_add_overflow(low, other << 64, &low);
    shift = leading_zeros(whole);
    whole <<= shift;
    rest = shift ? high << shift | low >> (128 - shift) : high;
    low <<= shift;
    first = next_digit(&rest, (uint64_t)(low >> 64), whole);
    return (stow_u128)first << 64 | next_digit(&rest, (uint64_t)low, whole);
}
