/* consolidate_greedy.c - fewer and cheaper nodes, one or two at a time.
 *
 * A node, the dearest first, is emptied onto the others; what does not fit there goes to new nodes
 * if those cost less than it did.  Then pairs of nodes in the same way: two for one, two for
 * three, whatever is cheaper.  Until nothing helps any more, or the time is over.
 *
 * This is the floor under what the solver finds, and it mends what the solver's answer loses when
 * rules over several pods are put back in. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/consolidate_parts.h"

#define PAIRED_NODES 48 /* the dearest ones: there are 1128 pairs of them */

struct greedy {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    uint32_t *node; /* those that may go, dearest first */
    uint32_t nodes;
    struct stow_pod_list pods, rest;
};

static void greedy_done(struct greedy *g)
{
    free(g->node);
    free(g->pods.pod);
    free(g->rest.pod);
}

stow_i128 stow_deck_weight(const struct stow_consolidating *c)
{
    return (stow_i128)c->deck.cost +
           (stow_i128)c->options->disruption_price * (stow_i128)c->deck.moved;
}

static bool is_over(const struct greedy *g)
{
    return g->deck->failed || stow_clock_seconds() > g->c->until;
}

/* ---- one attempt ------------------------------------------------------------------------- */

/* Groups keep their minNodes. */
static bool may_shrink(const struct greedy *g, const uint32_t *node, uint32_t count)
{
    const struct stow_deck *deck = g->deck;

    for (uint32_t i = 0; i < count; i++) {
        const stow_group_id group = stow_deck_group(deck, node[i]);
        uint32_t going = 0;

        if (group == STOW_NONE || g->c->s->group[group].implied)
            continue;
        for (uint32_t j = 0; j < count; j++)
            going += stow_deck_group(deck, node[j]) == group;
        if (deck->session->size[group] < going + g->c->s->group[group].min_nodes)
            return false;
    }
    return true;
}

/* The pods of the nodes go to other nodes, what is left to new ones. */
static bool empty_out(struct greedy *g, const uint32_t *node, uint32_t count, bool buying)
{
    struct stow_deck *deck = g->deck;
    stow_nano worth = 0;

    g->pods.count = g->rest.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        worth += stow_deck_price(deck, node[i]);
        deck->failed |= stow_deck_gather(deck, node[i], &g->pods) < 0;
    }
    stow_deck_sort(deck, &g->pods);
    for (uint32_t i = 0; i < g->pods.count && !deck->failed; i++) {
        const uint32_t to = stow_deck_find(deck, g->pods.pod[i]);
        stow_pod_id *left;

        if (to != STOW_NONE) {
            stow_deck_move(deck, g->pods.pod[i], to);
            continue;
        }
        left = buying ? STOW_PUSH(&g->rest.pod, &g->rest.count, &g->rest.cap) : NULL;
        deck->failed |= buying && !left;
        if (!left)
            return false;
        *left = g->pods.pod[i];
    }
    return !deck->failed && (!g->rest.count || stow_consolidate_buy(g->c, &g->rest, worth));
}

/* Removes the nodes if that pays. */
static bool try_nodes(struct greedy *g, const uint32_t *node, uint32_t count, bool buying)
{
    struct stow_deck *deck = g->deck;
    const uint32_t mark = stow_deck_mark(deck);
    const stow_i128 weight = stow_deck_weight(g->c);
    const stow_nano cost = deck->cost, least = g->c->options->min_saving;
    bool pays;

    if (!may_shrink(g, node, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        stow_deck_drain(deck, node[i], stow_drain_of(g->c->options));
    pays = empty_out(g, node, count, buying);
    for (uint32_t i = 0; i < count && pays; i++)
        stow_deck_shut(deck, node[i]);
    pays = pays && cost - deck->cost >= (least > 1 ? least : 1) &&
           stow_deck_weight(g->c) < weight && stow_deck_holds(deck);
    if (!pays)
        stow_deck_rollback(deck, mark);
    return pays;
}

/* ---- all of them ------------------------------------------------------------------------- */

static uint32_t pods_on(const struct stow_deck *deck, uint32_t node)
{
    uint32_t count = 0;

    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod])
        count++;
    return count;
}

static int dearest_first(const void *a, const void *b, void *greedy)
{
    const struct stow_deck *deck = ((const struct greedy *)greedy)->deck;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const stow_nano price_x = stow_deck_price(deck, x), price_y = stow_deck_price(deck, y);
    uint32_t pods_x, pods_y;

    if (price_x != price_y)
        return price_x < price_y ? 1 : -1;
    pods_x = pods_on(deck, x);
    pods_y = pods_on(deck, y);
    if (pods_x != pods_y)
        return pods_x > pods_y ? 1 : -1;
    return (x > y) - (x < y);
}

static int list_nodes(struct greedy *g)
{
    const struct stow_deck *deck = g->deck;

    free(g->node);
    g->nodes = 0;
    g->node = malloc((deck->yard->nodes + 1) * sizeof(*g->node));
    if (!g->node)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < deck->yard->nodes; i++)
        if (!deck->gone[i] && (i >= deck->there || (i < deck->yard->real && deck->may_go[i])))
            g->node[g->nodes++] = i;
    qsort_r(g->node, g->nodes, sizeof(*g->node), dearest_first, g);
    return STOW_OK;
}

static int pass_over_nodes(struct greedy *g, bool buying, bool *ret_found)
{
    STOW_TRY(list_nodes(g));
    for (uint32_t i = 0; i < g->nodes && !is_over(g); i++)
        *ret_found |= try_nodes(g, &g->node[i], 1, buying);
    return STOW_OK;
}

/* Ends with the first pair that pays: the singles come again then. */
static int pass_over_pairs(struct greedy *g, bool *ret_found)
{
    uint32_t count;

    STOW_TRY(list_nodes(g));
    count = g->nodes < PAIRED_NODES ? g->nodes : PAIRED_NODES;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count && !*ret_found && !is_over(g); j++) {
            const uint32_t pair[] = {g->node[i], g->node[j]};

            *ret_found |= try_nodes(g, pair, 2, true);
        }
    return STOW_OK;
}

int stow_consolidate_greedy(struct stow_consolidating *c, bool buying)
{
    STOW_AUTO(greedy_done) struct greedy g = {.c = c, .deck = &c->deck};
    bool found = true;

    while (found && !is_over(&g)) {
        found = false;
        STOW_TRY(pass_over_nodes(&g, false, &found));
        if (!found && buying)
            STOW_TRY(pass_over_nodes(&g, true, &found));
        if (!found && buying)
            STOW_TRY(pass_over_pairs(&g, &found));
    }
    return c->deck.failed ? STOW_ENOMEM : STOW_OK;
}
