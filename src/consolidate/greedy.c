/* greedy.c - fewer and cheaper nodes, one or two at a time.
 *
 * A node, the most expensive first, is emptied onto the others; what does not fit there goes to new
 * nodes if those cost less than it did.  In a small cluster a node stays only if there is no way at
 * all to empty it onto the others.  Then pairs of nodes in the same way: two for one, two for
 * three, whatever is cheaper.  Until nothing helps any more, or the time is over.
 *
 * This is the floor under what the solver finds, and it mends what the solver's answer loses when
 * rules over several pods are put back in. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"

#define PAIRED_NODES 48 /* the most expensive ones: there are 1128 pairs of them */

struct greedy {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    uint32_t *node; /* those that may go, most expensive first */
    uint32_t nodes;
    struct stow_pod_list pods, rest;
    struct stow_seat *seat; /* of the pods */
    uint32_t seat_cap;
};

static void greedy_done(struct greedy *g)
{
    free(g->node);
    free(g->pods.pod);
    free(g->rest.pod);
    free(g->seat);
}

stow_i128 stow_deck_weight(const struct stow_consolidating *c)
{
    return (stow_i128)c->deck.cost + (stow_i128)c->disruption_price * (stow_i128)c->deck.moved;
}

static bool is_over(const struct greedy *g)
{
    return g->deck->failed || stow_clock_is_past(g->c->until);
}

/* ---- one attempt ------------------------------------------------------------------------- */

/* Groups keep their minNodes, commitments are used. */
static bool may_shrink(const struct greedy *g, const uint32_t *node, uint32_t count)
{
    const struct stow_deck *deck = g->deck;

    for (uint32_t i = 0; i < count; i++) {
        const stow_group_id group = stow_deck_group(deck, node[i]);
        uint32_t going = 0;

        if (!stow_commitment_lets_go(g->c, node, i, node[i]))
            return false;
        if (group == STOW_NONE || g->c->s->group[group].implied)
            continue;
        for (uint32_t j = 0; j < count; j++)
            going += stow_deck_group(deck, node[j]) == group;
        if (deck->session->size[group] < going + g->c->s->group[group].min_nodes)
            return false;
    }
    return true;
}

/* Nodes to remove, and what there is before. */
struct attempt {
    struct greedy *g;
    const uint32_t *node;
    uint32_t count;
    stow_i128 weight;
    stow_nano cost;
};

/* The nodes go, if that pays and every rule holds; else they stay as they are. */
static bool pays(void *context)
{
    const struct attempt *a = context;
    struct stow_deck *deck = a->g->deck;
    const stow_nano least = a->g->c->options->min_saving;
    const uint32_t mark = stow_deck_mark(deck);
    bool good;

    for (uint32_t i = 0; i < a->count; i++)
        stow_deck_shut(deck, a->node[i]);
    good = a->cost - deck->cost >= (least > 1 ? least : 1) &&
           stow_deck_weight(a->g->c) < a->weight && stow_deck_holds(deck);
    if (!good)
        stow_deck_rollback(deck, mark);
    return good;
}

/* The nodes are drained and their pods evicted; false: out of memory. */
static bool empty_out(struct greedy *g, const uint32_t *node, uint32_t count, enum stow_drain how)
{
    struct stow_deck *deck = g->deck;

    g->pods.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        stow_deck_drain(deck, node[i], how);
        deck->failed |= stow_deck_gather(deck, node[i], &g->pods) < 0;
    }
    stow_deck_sort(deck, &g->pods);
    deck->failed |=
        stow_vec_reserve(&g->seat, &g->seat_cap, g->pods.count + 1, sizeof(*g->seat)) < 0;
    for (uint32_t i = 0; i < g->pods.count && !deck->failed; i++) {
        g->seat[i] = (struct stow_seat){.pod = g->pods.pod[i], .to = STOW_NONE};
        stow_deck_evict(deck, g->pods.pod[i]);
    }
    return !deck->failed;
}

/* The pods that were evicted go to other nodes, what is left to new ones. */
static bool seat_pods(struct greedy *g, stow_nano worth, bool buying)
{
    struct stow_deck *deck = g->deck;
    const uint32_t done = stow_deck_seat_plainly(deck, g->seat, g->pods.count, !buying);

    g->rest.count = 0;
    if (done < g->pods.count && !buying)
        return false;
    for (uint32_t i = done; i < g->pods.count && !deck->failed; i++) {
        stow_pod_id *left = STOW_PUSH(&g->rest.pod, &g->rest.count, &g->rest.cap);

        deck->failed |= !left;
        if (left)
            *left = g->seat[i].pod;
    }
    return !deck->failed && (!g->rest.count || stow_consolidate_buy(g->c, &g->rest, worth));
}

/* One node that could pay, its pods placed in any way there is. */
static bool search_node(struct greedy *g, const struct attempt *a, enum stow_drain how)
{
    const uint32_t mark = stow_deck_mark(g->deck);
    const struct stow_acceptance accept = {pays, (void *)a};
    const stow_nano price = stow_deck_price(g->deck, a->node[0]);

    if (price <= 0 || price < g->c->options->min_saving || !empty_out(g, a->node, 1, how) ||
        (stow_i128)price <= (stow_i128)g->c->disruption_price *
                                stow_deck_running(g->deck, g->pods.pod, g->pods.count) ||
        !stow_deck_seat_all(g->deck, g->seat, g->pods.count, &accept)) {
        stow_deck_rollback(g->deck, mark);
        return false;
    }
    return true;
}

/* One node, where others make room for its pods. */
static bool swap_node(struct greedy *g, const struct attempt *a)
{
    const uint32_t mark = stow_deck_mark(g->deck);

    if (empty_out(g, a->node, 1, stow_drain_of(g->c)) &&
        stow_deck_seat_swapping(g->deck, g->seat, g->pods.count) && pays((void *)a))
        return true;
    stow_deck_rollback(g->deck, mark);
    return false;
}

/* Removes the nodes if that pays. */
static bool try_nodes(struct greedy *g, const uint32_t *node, uint32_t count, bool buying)
{
    struct stow_deck *deck = g->deck;
    const uint32_t mark = stow_deck_mark(deck);
    struct attempt a = {g, node, count, stow_deck_weight(g->c), deck->cost};
    stow_nano worth = 0;

    if (!may_shrink(g, node, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        worth += stow_deck_price(deck, node[i]);
    if (empty_out(g, node, count, stow_drain_of(g->c)) && seat_pods(g, worth, buying) && pays(&a))
        return true;
    stow_deck_rollback(deck, mark);
    if (count > 1 || buying)
        return false;
    return search_node(g, &a, stow_drain_of(g->c)) ||
           (g->c->waits &&
            search_node(g, &a, STOW_DRAIN_CORDONED)) || /* that counts to minDomains */
           swap_node(g, &a);
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

int stow_consolidate_single(struct stow_consolidating *c, uint32_t *at, bool *ret)
{
    STOW_AUTO(greedy_done) struct greedy g = {.c = c, .deck = &c->deck};

    *ret = false;
    STOW_TRY(list_nodes(&g));
    while (*at < g.nodes && !*ret && !is_over(&g))
        *ret = try_nodes(&g, &g.node[(*at)++], 1, false);
    return c->deck.failed ? STOW_ENOMEM : STOW_OK;
}
