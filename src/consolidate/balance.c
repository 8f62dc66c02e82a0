/* balance.c - consolidationPolicy Balanced: what a step saves against what it disrupts.
 *
 * Karpenter approves a change if the share that it saves of what the nodes of the pool cost is at
 * least half the share that it disrupts of them.  To remove a node disrupts as much as to evict one
 * pod, and its pods in addition (disruption.h).  What is saved together is divided among pools by
 * what the nodes cost that go.  Nodes without pods to move go for another reason, Empty, and are
 * not weighed.
 *
 * A step is weighed as things are when it begins, and together with the steps that prepare it: they
 * are one change.  The rule only forbids, so a bound without it holds. */
#include <inttypes.h>
#include <stdio.h>

#include "consolidate/consolidate_internal.h"
#include "model/karpenter/disruption.h"
#include "model/karpenter/pool.h"

static bool is_weighed(const struct stow_consolidating *c, uint32_t pool)
{
    return pool != STOW_NONE && c->s->node_pool[pool].policy == STOW_POOL_BALANCED;
}

/* The pool of a node that is there or new; STOW_NONE: it has none. */
static uint32_t pool_at(const struct stow_consolidating *c, uint32_t node)
{
    const struct stow_deck *deck = &c->deck;
    const struct stow_node_pool *pool;

    if (node < c->s->nodes)
        return c->pools.counted[node] ? c->pools.of[node] : STOW_NONE;
    if (node < deck->yard->real || node >= deck->yard->nodes)
        return STOW_NONE;
    pool = stow_group_pool(c->s, stow_deck_group(deck, node));
    return pool ? (uint32_t)(pool - c->s->node_pool) : STOW_NONE;
}

/* 0: not known, or nothing; such a node is left out, with its pods. */
static stow_nano price_at(const struct stow_consolidating *c, uint32_t node)
{
    return node < c->s->nodes ? c->price[node] : c->group_price[stow_deck_group(&c->deck, node)];
}

static bool counts(const struct stow_consolidating *c, const struct stow_step_start *now,
                   uint32_t node, uint32_t pool)
{
    return node != STOW_NONE && pool_at(c, node) == pool && price_at(c, node) > 0 &&
           !(node < c->s->nodes && now->gone[node]);
}

/* All nodes of a pool, and the pods on them. */
static void weigh_pool(const struct stow_consolidating *c, const struct stow_step_start *now,
                       uint32_t pool, struct stow_balance *to)
{
    const uint32_t real = c->deck.yard->real;

    for (uint32_t i = 0; i < real + now->news; i++)
        if (counts(c, now, i, pool)) {
            to->cost += price_at(c, i);
            to->most += STOW_EVICTION;
        }
    for (stow_pod_id i = 0; i < c->s->pods; i++)
        if (c->pools.eviction[i] > 0 && counts(c, now, stow_step_start_at(c, now, i), pool))
            to->most += c->pools.eviction[i];
}

/* Of the nodes of a pool that go, what is disrupted. */
static stow_i128 disruption_of(const struct stow_consolidating *c,
                               const struct stow_step_start *now,
                               const struct stow_step_change *change, uint32_t pool)
{
    stow_i128 sum = 0;

    for (uint32_t n = 0; n < change->removes; n++) {
        const uint32_t node = change->remove[n];

        if (pool_at(c, node) != pool || c->pools.is_empty[node])
            continue;
        sum += STOW_EVICTION;
        for (stow_pod_id i = 0; i < c->s->pods; i++)
            if (c->pools.eviction[i] > 0 && stow_step_start_at(c, now, i) == node)
                sum += c->pools.eviction[i];
    }
    return sum;
}

/* The part of the saving that is the pool's: by what its nodes cost that go. */
static stow_i128 saving_of(const struct stow_consolidating *c,
                           const struct stow_step_change *change, uint32_t pool)
{
    stow_i128 all = 0, own = 0, saving = change->saving;

    for (uint32_t i = 0; i < change->removes; i++) {
        const uint32_t node = change->remove[i];

        if (node < c->s->nodes && c->pools.is_empty[node] && c->pools.of[node] != STOW_NONE) {
            saving -= c->price[node]; /* it goes in any case */
            continue;
        }
        all += price_at(c, node);
        own += pool_at(c, node) == pool ? price_at(c, node) : 0;
    }
    return own == all ? saving : saving * own / all;
}

/* "4.2%" */
static const char *percent(stow_i128 part, stow_i128 of, char text[32])
{
    const int64_t tenths = of ? (int64_t)(part * 1000 / of) : 0;

    snprintf(text, 32, "%" PRId64 ".%" PRId64 "%%", tenths / 10, tenths % 10);
    return text;
}

static const char *text_of(struct stow_consolidating *c, uint32_t pool,
                           const struct stow_balance *b)
{
    char saved[32], disrupted[32];

    if (b->saving <= 0)
        return stow_arena_printf(
            &c->ret->arena, "would save nothing for NodePool '%s' (consolidationPolicy: Balanced)",
            c->s->node_pool[pool].name);
    return stow_arena_printf(&c->ret->arena,
                             "would save %s of what NodePool '%s' costs and disrupt %s of it: "
                             "its consolidationPolicy, Balanced, wants at least half as much",
                             percent(b->saving, b->cost, saved), c->s->node_pool[pool].name,
                             percent(b->disrupted, b->most, disrupted));
}

bool stow_balance_approves(struct stow_consolidating *c, const struct stow_step_start *now,
                           const struct stow_step_change *change, const char **ret_why)
{
    for (uint32_t p = 0; c->pools.eviction && p < c->s->node_pools; p++) {
        struct stow_balance balance = {0};

        balance.disrupted = is_weighed(c, p) ? disruption_of(c, now, change, p) : 0;
        if (!balance.disrupted)
            continue;
        balance.saving = saving_of(c, change, p);
        weigh_pool(c, now, p, &balance);
        if (stow_disruption_is_balanced(&balance))
            continue;
        if (ret_why)
            *ret_why = text_of(c, p, &balance);
        return false;
    }
    return true;
}
