/* weigh.h - what a node of each group weighs when plans are compared: its price, and what risk and
 * priorities add to it. */
#ifndef STOW_SCALE_WEIGH_H
#define STOW_SCALE_WEIGH_H

#include "scale/session.h"

#define STOW_UNKNOWN_RATE 300000000 /* interruptions per 30 days in 10^-9, where none is known */

struct stow_weights {
    stow_nano *price; /* per group; STOW_MONEY_UNKNOWN: not for sale */
    bool *spot;       /* per group */
    bool *guessed;    /* per group: its rate of interruption is not known */
    uint32_t *tier;   /* per group: 0 is the highest pair of priorities */
    uint32_t tiers;
    const uint32_t *home; /* per class of the yard: the only tier whose new nodes its pods may be
                             on for now; NULL: any */
    const bool *closed;   /* per group: no pod may be on new nodes of it for now; NULL: none */
    bool weighed;         /* some weight is not the price */
};

/* Whether new nodes of a group can be bought.  Prices in which a group is not for sale know that:
 * it cannot grow, or nothing is known of its price. */
static inline bool stow_is_for_sale(const stow_nano *price, stow_group_id group)
{
    return price[group] != STOW_MONEY_UNKNOWN;
}

/* Whether pods of a class may be on new nodes of a group for now (`w` NULL: always). */
static inline bool stow_weights_allow(const struct stow_weights *w, uint32_t class,
                                      stow_group_id group)
{
    return !w ||
           ((!w->home || w->home[class] == w->tier[group]) && (!w->closed || !w->closed[group]));
}

/* In `arena`.  Nothing is for sale without a price. */
int stow_weigh(struct stow_scale *scale, struct stow_arena *arena, struct stow_weights *ret,
               struct stow_err *err);

/* price * (1 + lambda * L), rounded up to a nano-unit: lambda = -ln(1 - rate) / 720 interruptions
 * per hour, L hours lost at each. */
stow_nano stow_weigh_risk(stow_nano price, int64_t rate, int64_t hours_lost);

#endif
