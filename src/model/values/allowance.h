/* allowance.h - how much of something there may be: a number, a share of what there is, or money.
 */
#ifndef STOW_MODEL_VALUES_ALLOWANCE_H
#define STOW_MODEL_VALUES_ALLOWANCE_H

#include <stdint.h>

enum stow_allowance_kind {
    STOW_ALLOW_ANY, /* any amount */
    STOW_ALLOW_COUNT,
    STOW_ALLOW_SHARE, /* in 10^-9 of what there is, rounded up */
    STOW_ALLOW_MONEY, /* in 10^-9 per hour */
};

struct stow_allowance {
    enum stow_allowance_kind kind;
    int64_t amount;
};

#endif
