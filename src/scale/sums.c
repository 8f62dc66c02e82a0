/* sums.c - whether what nodes cost can be added up.
 *
 * Money is a 64-bit number of nano-units, so a sum ends at 9.2 thousand million per hour.  A sum
 * that is silently cut off makes a plan look cheap, or a proof wrong.  No strategy buys more nodes
 * than there are pods, what minNodes asks for and what comes at once with a node: the most that
 * these can cost is known before anything is bought.  A quarter of the range is for sums of plans;
 * the rest is there so that differences and roundings in between need no thought. */
#include "base/int128.h"
#include "scale/session.h"

#define MOST_MONEY (INT64_MAX / 4)

/* Nodes of the group that come beside the one that a pod asks for. */
static uint32_t beside(const struct stow_session *session, stow_group_id group)
{
    const struct stow_group *g = &session->scale->s->group[group];
    const uint32_t to = g->scaling == STOW_SCALING_ZERO_OR_MAX ? g->max_nodes : g->min_nodes;

    return to > session->size[group] ? to - session->size[group] : 0;
}

/* The most expensive group, if a plan could come to more than the most; STOW_NONE: none can. */
static stow_group_id find_too_dear(const struct stow_session *session, const stow_nano *price)
{
    const struct stow_scale *scale = session->scale;
    stow_group_id top = STOW_NONE;
    stow_i128 most = 0;

    for (stow_group_id g = 0; g < scale->s->groups; g++) {
        if (!session->grows[g] || price[g] == STOW_MONEY_UNKNOWN)
            continue;
        most += (stow_i128)price[g] * beside(session, g);
        if (top == STOW_NONE || price[g] > price[top])
            top = g;
    }
    if (top == STOW_NONE || most + (stow_i128)price[top] * session->ground->pendings < MOST_MONEY)
        return STOW_NONE;
    return top;
}

int stow_session_adds_up(const struct stow_session *session, const stow_nano *weight,
                         struct stow_err *err)
{
    const stow_nano *price = weight ? weight : session->scale->paid;
    const stow_group_id group = find_too_dear(session, price);
    const uint32_t pods = session->ground->pendings;
    char money[STOW_MONEY_TEXT];

    if (group == STOW_NONE)
        return STOW_OK;
    return stow_fail(err, weight ? STOW_EINVAL : STOW_EPARSE,
                     "NodeGroup '%s' %s %s per hour: with %u pending pod%s that could come to more "
                     "than can be added up (%lld); %s",
                     session->scale->s->group[group].name, weight ? "weighs" : "costs",
                     stow_money_short(price[group], money), pods, pods == 1 ? "" : "s",
                     (long long)(MOST_MONEY / STOW_NANO_PER_UNIT),
                     weight ? "lower --hours-lost or --priority-price"
                            : "state prices in a larger unit of money");
}
