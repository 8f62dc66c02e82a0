/* committed.c - which nodes of a bill take what is committed.
 *
 * The first N nodes of a type in a region cost what was agreed, in this order: nodes whose price is
 * not known, then those with the highest price, then by name.  So what is left to pay is the least
 * there can be.  Of several agreements on one type and region the highest price is used first:
 * what is unused costs the least.  New nodes of a group of committed nodes (model/commitments.h)
 * cost nothing but the group's fee per node: theirs is owed already. */
#include "price/committed.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/commitments.h"

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
    b->fee = s->group[s->node[node].group].fee;
    b->committed = price;
    if (__builtin_add_overflow(price, b->fee, &b->price))
        b->price = INT64_MAX;
    b->list = STOW_MONEY_UNKNOWN;
    b->discount = 0;
    b->other_currency = (struct stow_str){0};
    b->stale = b->one_moment = false;
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

static void commit_one(const struct stow_snapshot *s, struct stow_bill *bill, uint32_t first,
                       struct taker *taker)
{
    uint32_t takers = 0;

    for (stow_node_id i = 0; i < s->nodes; i++)
        if (!stow_node_is_fresh(s, &s->node[i]) && stow_commitment_find(s, &s->node[i]) == first)
            taker[takers++] = (struct taker){
                bill->node[i].price == STOW_MONEY_UNKNOWN ? INT64_MAX : bill->node[i].price, i};
    qsort(taker, takers, sizeof(*taker), compare_takers);
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

    STOW_AUTO(stow_free_local) struct taker *taker = calloc(s->nodes + 1, sizeof(*taker));

    bill->commitment = stow_arena_zalloc(&bill->arena, s->commitments * sizeof(*bill->commitment));
    if (!taker || !bill->commitment)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (s->group[s->node[i].group].commitment)
            take(s, bill, i, 0);
    if (!in_currency(s, bill)) /* what is agreed in another currency is not in this bill */
        return STOW_OK;
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
