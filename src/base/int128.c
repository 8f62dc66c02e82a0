/* int128.c - the one operation that needs more than 128 bits. */
#include "base/int128.h"

#include <assert.h>

/* Long multiplication and division at once, bit by bit of `a` from the top: `rest` is what is left
 * of (bits so far) * part after whole parts went into the quotient.  As part <= whole, twice the
 * rest plus part is below three times whole, so at most two subtractions follow each bit.  Halving
 * first keeps everything within 128 bits as long as whole is below 2^126. */
uint64_t stow_scale_down(uint64_t a, stow_u128 part, stow_u128 whole)
{
    uint64_t quotient = 0;
    stow_u128 rest = 0;

    assert(whole > 0 && part <= whole);
    while (whole >> 125) { /* beyond any real sum; the last bits do not matter there */
        whole >>= 1;
        part >>= 1;
    }
    for (int bit = 63; bit >= 0; bit--) {
        rest = rest * 2 + (a >> bit & 1 ? part : 0);
        quotient *= 2;
        while (rest >= whole) {
            rest -= whole;
            quotient++;
        }
    }
    return quotient;
}
