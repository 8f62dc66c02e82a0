/* committed.c - which nodes of a bill take what is committed.
 *
 * The first N nodes of a type in a region cost what was agreed, in this order: nodes whose price is
 * not known, then those with the highest price, then by name.  So what is left to pay is the least
 * there can be.  Of several agreements on one type and region the highest price is used first:
 * what is unused costs the least.  New nodes of a group of committed nodes
 * (model/prices/commitments.h) cost nothing but the group's fee per node: theirs is owed already.
 *
 * Where nodes may go, a commitment is of whichever stay.  So what a node weighs there is not what
 * the bill says of it.  Where more nodes come under a commitment than it has places, and all of
 * them have the same price, each weighs that price, and the places take off a fixed credit.  That
 * is the bill as long as no fewer nodes are left than there are places, and never more than it.
 * Where all of them have a place, they weigh nothing. */
#include "price/bill/committed.h"

#include <stdlib.h>

#include "base/int128.h"
#include "base/vec.h"
#include "model/prices/commitments.h"

/* A node that may take a place, and what it costs otherwise. */
struct taker {
    stow_nano price; /* INT64_MAX: not known */
    stow_node_id node;
};

static int compare_takers(const void *a, const void *b)
{
    const struct taker *x = a, *y = b;

    if (x->price != y->price)
        return x->price > y->price ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void take(const struct stow_snapshot *s, struct stow_bill *bill, stow_node_id node,
                 stow_nano price)
{
    struct stow_node_bill *b = &bill->node[node];

    b->origin = STOW_PRICE_OF_COMMITMENT;
    b->uncommitted = b->price;
    b->fee = s->group[s->node[node].group].fee;
    b->committed = price;
    if (__builtin_add_overflow(price, b->fee, &b->price))
        b->price = INT64_MAX;
    b->list = STOW_MONEY_UNKNOWN;
    b->discount = 0;
    b->other_currency = (struct stow_str){0};
    b->stale = b->one_moment = false;
    b->collected = NULL;
}

/* The first nodes take the first places. */
static void share_out(const struct stow_snapshot *s, struct stow_bill *bill, uint32_t first,
                      const struct taker *taker, uint32_t takers)
{
    uint32_t at = 0;

    for (uint32_t i = first; i < s->commitments && s->commitment[i].first == first; i++)
        for (; at < takers && bill->commitment[i].used < bill->commitment[i].nodes; at++) {
            take(s, bill, taker[at].node, s->commitment[i].price);
            bill->commitment[i].used++;
        }
}

/* What a node costs, its group's fee aside. */
static stow_nano bare_price(const struct stow_node_bill *b)
{
    return b->price == STOW_MONEY_UNKNOWN ? INT64_MAX : b->price - b->fee;
}

static bool any_upcoming(const struct stow_snapshot *s, uint32_t first)
{
    for (uint32_t i = 0; i < s->upcomings; i++)
        if (stow_commitment_find(s, &s->upcoming[i]) == first)
            return true;
    return false;
}

/* Whether a new node that comes under it costs more than those that exist. */
static bool any_higher(const struct stow_snapshot *s, const struct stow_bill *bill, uint32_t first,
                       stow_nano price)
{
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (stow_node_is_fresh(s, &s->node[i]) && bill->node[i].price != STOW_MONEY_UNKNOWN &&
            bare_price(&bill->node[i]) > price && stow_commitment_find(s, &s->node[i]) == first)
            return true;
    return false;
}

/* Whether more nodes come under it than it has places, and what that means. */
static void find_credit(const struct stow_snapshot *s, struct stow_bill *bill, uint32_t first,
                        const struct taker *taker, uint32_t takers)
{
    const uint32_t nodes = stow_committed_nodes(s, first);
    const bool same = takers && taker[0].price == taker[takers - 1].price &&
                      taker[0].price != INT64_MAX && !any_upcoming(s, first) &&
                      !any_higher(s, bill, first, taker[0].price);
    struct stow_bill_commitment *c = &bill->commitment[first];

    if (takers <= nodes)
        return;
    c->shared = same && !__builtin_mul_overflow(taker[0].price, (stow_nano)nodes, &c->credit);
    c->mixed = !c->shared;
}

static void commit_one(const struct stow_snapshot *s, struct stow_bill *bill, uint32_t first,
                       struct taker *taker)
{
    uint32_t takers = 0;

    for (stow_node_id i = 0; i < s->nodes; i++) {
        if (stow_node_is_fresh(s, &s->node[i]) || stow_commitment_find(s, &s->node[i]) != first)
            continue;
        taker[takers++] = (struct taker){bare_price(&bill->node[i]), i};
        bill->node[i].commitment = first + 1;
        bill->node[i].uncommitted = bill->node[i].price;
    }
    qsort(taker, takers, sizeof(*taker), compare_takers);
    find_credit(s, bill, first, taker, takers);
    share_out(s, bill, first, taker, takers);
}

static bool in_currency(const struct stow_snapshot *s, const struct stow_bill *bill)
{
    return stow_str_eq(stow_intern_get(&s->book.text, s->book.currency), bill->currency);
}

int stow_bill_commit(const struct stow_snapshot *s, struct stow_bill *bill)
{
    if (!s->commitments)
        return STOW_OK;

    bill->commitment = stow_arena_zalloc(&bill->arena, s->commitments * sizeof(*bill->commitment));
    if (!bill->commitment)
        return STOW_ENOMEM;
    if (!in_currency(s, bill)) /* what is agreed in another currency is not in this bill */
        return STOW_OK;

    STOW_AUTO(stow_free_local) struct taker *taker = calloc(s->nodes + 1, sizeof(*taker));

    if (!taker)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (s->group[s->node[i].group].commitment)
            take(s, bill, i, 0);
    bill->commitments = s->commitments;
    for (uint32_t i = 0; i < s->commitments; i++)
        bill->commitment[i] = (struct stow_bill_commitment){
            .instance_type = stow_text(s, s->commitment[i].instance_type),
            .region = stow_text(s, s->commitment[i].region),
            .nodes = s->commitment[i].nodes,
            .price = s->commitment[i].price,
        };
    for (uint32_t i = 0; i < s->commitments; i++)
        if (s->commitment[i].first == i)
            commit_one(s, bill, i, taker);
    return STOW_OK;
}

stow_nano stow_bill_weight(const struct stow_bill *bill, stow_node_id node)
{
    const struct stow_node_bill *b = &bill->node[node];

    if (b->commitment && bill->commitment[b->commitment - 1].shared)
        return b->uncommitted;
    return b->price == STOW_MONEY_UNKNOWN ? b->price : b->price - b->committed;
}

stow_nano stow_bill_unused(const struct stow_bill *bill)
{
    stow_nano unused = 0;

    for (uint32_t i = 0; i < bill->commitments; i++)
        stow_add_clamped(&unused, stow_unused_fee(&bill->commitment[i]));
    return unused;
}

stow_nano stow_bill_fees(const struct stow_bill *bill)
{
    stow_nano fees = 0;

    for (uint32_t i = 0; i < bill->commitments; i++) {
        const struct stow_bill_commitment *c = &bill->commitment[i];
        stow_nano all;

        if (__builtin_mul_overflow(c->price, (stow_nano)c->nodes, &all))
            all = INT64_MAX;
        stow_add_clamped(&fees, all);
    }
    return fees;
}

stow_nano stow_bill_owed(const struct stow_bill *bill)
{
    stow_nano owed = stow_bill_fees(bill);

    for (uint32_t i = 0; i < bill->commitments; i++)
        owed -= bill->commitment[i].credit;
    return owed;
}
