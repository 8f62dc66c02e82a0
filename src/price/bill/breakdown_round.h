/* breakdown_round.h - parts of money, finer than can be paid, and how they are rounded. */
#ifndef STOW_PRICE_BILL_BREAKDOWN_ROUND_H
#define STOW_PRICE_BILL_BREAKDOWN_ROUND_H

#include "base/int128.h"
#include "model/values/money.h"

/* Money in 2^-64 of a billionth. */
typedef stow_u128 stow_fine;

static inline stow_fine stow_fine_of(stow_nano amount)
{
    return (stow_fine)amount << 64;
}

static inline void stow_fine_add(stow_fine *to, stow_fine amount)
{
    if (__builtin_add_overflow(*to, amount, to))
        *to = ~(stow_fine)0;
}

/* In whole billionths, rounded down. */
stow_nano stow_fine_floor(stow_fine amount);

/* One part of a whole, and where its whole billionths go. */
struct stow_fine_part {
    stow_fine amount;
    stow_nano *to;
    uint32_t order; /* of parts with equal remainders, the lowest comes first */
};

/* Rounds every part down and hands the billionths that are missing to `whole` out, one each, to
 * the parts with the largest remainders.  Sorts the parts. */
void stow_fine_round(struct stow_fine_part *part, uint32_t parts, stow_nano whole);

/* What the parts are together, to the nearest billionth. */
stow_nano stow_fine_whole(const struct stow_fine_part *part, uint32_t parts);

#endif
