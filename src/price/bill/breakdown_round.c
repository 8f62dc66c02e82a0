/* breakdown_round.c - parts of money, finer than can be paid, and how they are rounded.
 *
 * Amounts are computed in 2^-64 of a billionth, each of them rounded down: after a million steps
 * 2^-44 of a billionth may be missing.  So that this decides nothing, an amount is first taken to
 * the nearest 2^-24 of a billionth: what is a whole number in fractions is one here, and equal
 * remainders are equal. */
#include "price/bill/breakdown_round.h"

#include <stdlib.h>

#define GRAIN ((stow_fine)1 << 40)

static stow_fine cleaned(stow_fine amount)
{
    stow_fine_add(&amount, GRAIN / 2);
    return amount - amount % GRAIN;
}

static stow_nano clamped(stow_fine whole)
{
    return whole > INT64_MAX ? INT64_MAX : (stow_nano)whole;
}

stow_nano stow_fine_floor(stow_fine amount)
{
    return clamped(cleaned(amount) >> 64);
}

stow_nano stow_fine_whole(const struct stow_fine_part *part, uint32_t parts)
{
    stow_fine sum = (stow_fine)1 << 63;

    for (uint32_t i = 0; i < parts; i++)
        stow_fine_add(&sum, cleaned(part[i].amount));
    return clamped(sum >> 64);
}

static int compare_remainders(const void *a, const void *b)
{
    const struct stow_fine_part *x = a, *y = b;
    const uint64_t first = (uint64_t)cleaned(x->amount), second = (uint64_t)cleaned(y->amount);

    if (first != second)
        return first > second ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

void stow_fine_round(struct stow_fine_part *part, uint32_t parts, stow_nano whole)
{
    for (uint32_t i = 0; i < parts; i++) {
        *part[i].to = stow_fine_floor(part[i].amount);
        whole = whole > *part[i].to ? whole - *part[i].to : 0;
    }
    if (whole > 0)
        qsort(part, parts, sizeof(*part), compare_remainders);
    for (uint32_t i = 0; i < parts && i < whole; i++)
        stow_add_clamped(part[i].to, 1);
}
