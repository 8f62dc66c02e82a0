/* margin.h - what one more pod costs, as far as the prices of a proof can say it. */
#ifndef STOW_SCALE_CHEAPEST_MARGIN_H
#define STOW_SCALE_CHEAPEST_MARGIN_H

#include "scale/weigh.h"

struct stow_margin {
    struct stow_session *session; /* holds the plan */
    const struct stow_weights *weights;
    bool *open;     /* per group: one more node of it may be bought */
    stow_nano left; /* of the budget; INT64_MAX: there is none */
    bool crowded;   /* limits leave out pods that would fit a new node */
    bool shares;    /* of spot nodes are asked for */
};

/* In the session's arena; < 0: out of memory. */
int stow_margin_open(struct stow_margin *ret, struct stow_session *session,
                     const struct stow_weights *weights);

/* From the price of a class in the proof to what one more of its pods costs per hour;
 * STOW_MONEY_UNKNOWN: there is no room for it.  < 0: out of memory. */
int stow_margin_price(struct stow_margin *margin, uint32_t class, stow_nano *price);

#endif
