/* limits.c - how far the steps of a consolidation may go.
 *
 * Operators want small steps: few nodes more than there were at any time (or little money above
 * what was paid), few pods that move at once, and never a bill above the first one.  Limits are
 * given as amounts or as shares of the cluster; here they become numbers.
 *
 * Nodes at any time are a limit of the session like --max-nodes-total, so that whoever buys a node
 * asks for it and the solver knows it.  The others are asked for where steps are taken
 * (moves.c). */
#include "consolidate/consolidate_internal.h"

/* Rounded up. */
static uint32_t share_of(int64_t nano, uint32_t all)
{
    const stow_i128 amount = ((stow_i128)nano * all + STOW_NANO_PER_UNIT - 1) / STOW_NANO_PER_UNIT;

    return amount >= STOW_NONE ? STOW_NONE - 1 : (uint32_t)amount;
}

static uint32_t count_of(const struct stow_allowance *allowance, uint32_t all)
{
    switch (allowance->kind) {
    case STOW_ALLOW_COUNT:
        return allowance->amount >= STOW_NONE ? STOW_NONE - 1 : (uint32_t)allowance->amount;
    case STOW_ALLOW_SHARE:
        return share_of(allowance->amount, all);
    case STOW_ALLOW_ANY:
    case STOW_ALLOW_MONEY:
        break;
    }
    return STOW_NONE;
}

static uint32_t count_running(const struct stow_consolidating *c)
{
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < c->s->pods; i++)
        count += stow_pod_counts(&c->s->pod[i]) && c->s->pod[i].node != STOW_NONE;
    return count;
}

int stow_consolidate_limits(struct stow_consolidating *c)
{
    const struct stow_consolidate_options *o = c->options;
    struct stow_step_limits *limits = &c->ret->limits;
    const struct stow_limit surge = {
        .resource = STOW_NONE,
        .says = "--max-surge allows no more nodes at a time",
        .left = (int64_t)c->session.yard->real,
    };

    limits->nodes = count_of(&o->surge, c->s->nodes);
    limits->cost = o->surge.kind == STOW_ALLOW_MONEY ? o->surge.amount : STOW_MONEY_UNKNOWN;
    limits->moves = count_of(&o->moves, count_running(c));
    limits->moves_all = c->moves_all = count_of(&o->moves_all, count_running(c));
    if (limits->moves == 0)
        limits->moves = 1;
    limits->any = o->surge.kind != STOW_ALLOW_ANY || o->moves.kind != STOW_ALLOW_ANY;
    c->initial = c->deck.cost;
    if (limits->nodes != STOW_NONE) {
        STOW_TRY(stow_session_limit(&c->session, &surge));
        c->surge = c->session.limits - 1;
    }
    stow_consolidate_hold(c, false);
    return STOW_OK;
}

void stow_consolidate_hold(struct stow_consolidating *c, bool limited)
{
    const struct stow_step_limits *limits = &c->ret->limits;
    const bool rises = limited && c->options->surge.kind != STOW_ALLOW_ANY;
    stow_nano peak = INT64_MAX;

    if (limits->nodes != STOW_NONE) { /* the last of the session's: there or not */
        c->session.limits = c->surge + limited;
        c->session.limit[c->surge].left = limits->nodes;
    }
    if (limited && limits->cost != STOW_MONEY_UNKNOWN &&
        __builtin_add_overflow(c->initial, limits->cost, &peak))
        peak = INT64_MAX;
    c->reach = (struct stow_leeway){
        .limited = limited,
        .moves = limited && limits->moves != STOW_NONE ? limits->moves : UINT32_MAX,
        .peak = peak,
        .ceiling = rises ? c->initial : INT64_MAX,
    };
}
