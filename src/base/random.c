/* random.c - numbers that look random and follow from a seed alone.
 *
 * SplitMix64: the state counts in steps of the golden ratio, and each count is
 * mixed by two multiplications.  Eight bytes of state, a period of 2^64, and even
 * the seeds 0, 1, 2, ... (which people use) give unrelated numbers from the first
 * one on.  Not for secrets. */
#include "base/random.h"

uint64_t stow_random_next(struct stow_random *random)
{
    uint64_t x = random->state += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t stow_random_below(struct stow_random *random, uint64_t count)
{
    /* 2^64 mod count numbers are too many for an even division: the lowest are drawn again. */
    const uint64_t extra = -count % count;
    uint64_t drawn;

    do {
        drawn = stow_random_next(random);
    } while (drawn < extra);
    return drawn % count;
}
