/* seat.c - places for pods that have been evicted.
 *
 * All pods that a step moves leave their nodes at once, as a drain evicts them, and then find their
 * places one after the other.  What fits depends on who came before: spreading counts, and rooms
 * fill.  Two ways: plainly, each pod in its turn where it fits best, again and again until no pod
 * moves any more; and, where there are few nodes, by search over all orders and all nodes.
 *
 * The search goes from state to state; a state is how many pods of each sort (a class, and the node
 * that it must go to if that is given) are on each node, whatever order led there.  So each is seen
 * once.  A state in which some pod has room nowhere leads nowhere.  What a search may cost is
 * limited by itself and for all of them together, in questions, so that answers do not depend on
 * the clock.
 *
 * Where no node has room as it is, a pod of another node can make some: it leaves for a third node,
 * and one that was evicted takes its place. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"
#include "scale/yard/rules.h"

#define SEARCHED_NODES 48 /* with more of them a plain way is there, or a search ends too early */
#define SEARCH_ASKS    40000 /* of one search: 10 ms; 8 pods on 5 nodes need 10000 at most */
#define SEARCHED_PODS  64    /* that is how deep it goes */
#define STATES         32768 /* places in the table of states: a power of two */
#define SWAP_ASKS      4000
#define SWAP_DEPTH     2 /* pods that leave one after the other, each for the next */

/* ---- plainly ----------------------------------------------------------------------------- */

static uint32_t place_for(struct stow_deck *deck, const struct stow_seat *seat)
{
    if (seat->fixed)
        return stow_deck_fits(deck, seat->pod, seat->to) ? seat->to : STOW_NONE;
    return stow_deck_find(deck, seat->pod);
}

/* The seat comes after those that are taken; the others keep their order. */
static void bring_forward(struct stow_seat *seat, uint32_t to, uint32_t from)
{
    const struct stow_seat taken = seat[from];

    memmove(seat + to + 1, seat + to, (from - to) * sizeof(*seat));
    seat[to] = taken;
}

static bool is_plain(const struct stow_deck *deck, stow_pod_id pod)
{
    return deck->yard->class[deck->yard->class_of[pod]].plain;
}

uint32_t stow_deck_seat_plainly(struct stow_deck *deck, struct stow_seat *seat, uint32_t count,
                                bool whole)
{
    uint32_t done = 0, before = count;

    while (done < count && done != before && !deck->failed) {
        const bool again = before != count;

        before = done;
        for (uint32_t i = done; i < count && !deck->failed; i++) {
            const bool plain = is_plain(deck, seat[i].pod); /* others that come do not help it */
            const uint32_t to = plain && again ? STOW_NONE : place_for(deck, &seat[i]);

            if (to == STOW_NONE && plain && whole)
                return done;
            if (to == STOW_NONE)
                continue;
            seat[i].to = to;
            stow_deck_move(deck, seat[i].pod, to);
            bring_forward(seat, done++, i);
        }
    }
    return done;
}

/* ---- by search --------------------------------------------------------------------------- */

/* Pods that are alike, and go to the same node if that is given. */
struct sort {
    uint32_t first, left; /* in the seats; this many are not placed */
};

struct search {
    struct stow_deck *deck;
    struct stow_seat *seat; /* those of a sort are neighbours */
    uint32_t count;
    struct sort *sort;
    uint32_t sorts;
    struct stow_seat *found; /* in the order in which they were placed */
    uint64_t *seen;          /* states, by hash; 0: free */
    uint32_t asks;           /* that are left */
    const struct stow_acceptance *accept;
};

static void search_done(struct search *s)
{
    free(s->sort);
    free(s->found);
    free(s->seen);
}

static int by_sort(const void *a, const void *b, void *deck)
{
    const uint32_t *class_of = ((const struct stow_deck *)deck)->yard->class_of;
    const struct stow_seat *x = a, *y = b;
    const uint32_t class_x = class_of[x->pod], class_y = class_of[y->pod];

    if (class_x != class_y)
        return class_x < class_y ? -1 : 1;
    if (x->fixed && x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->pod > y->pod) - (x->pod < y->pod);
}

static bool is_same_sort(const struct search *s, uint32_t a, uint32_t b)
{
    const uint32_t *class_of = s->deck->yard->class_of;

    return class_of[s->seat[a].pod] == class_of[s->seat[b].pod] &&
           (!s->seat[a].fixed || s->seat[a].to == s->seat[b].to);
}

static bool open_search(struct search *s)
{
    s->sort = malloc((s->count + 1) * sizeof(*s->sort));
    s->found = malloc((s->count + 1) * sizeof(*s->found));
    s->seen = calloc(STATES, sizeof(*s->seen));
    if (!s->sort || !s->found || !s->seen) {
        s->deck->failed = true;
        return false;
    }
    if (s->count > 1)
        qsort_r(s->seat, s->count, sizeof(*s->seat), by_sort, s->deck);
    for (uint32_t i = 0; i < s->count; i++) {
        if (i == 0 || !is_same_sort(s, i - 1, i))
            s->sort[s->sorts++] = (struct sort){.first = i};
        s->sort[s->sorts - 1].left++;
    }
    return true;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* A pod of the sort on the node, as a part of the state's hash: parts are added. */
static uint64_t part_of_state(uint32_t sort, uint32_t node)
{
    return mix(((uint64_t)(sort + 1) << 32) + node + 1);
}

/* Notes the state; false: it was seen before. */
static bool is_new(struct search *s, uint64_t state)
{
    const uint64_t key = state ? state : 1;
    uint32_t at = (uint32_t)(key & (STATES - 1));

    for (uint32_t i = 0; i < STATES; i++, at = (at + 1) & (STATES - 1)) {
        if (s->seen[at] == key)
            return false;
        if (!s->seen[at]) {
            s->seen[at] = key;
            return true;
        }
    }
    return false; /* full: it ends */
}

static bool may_ask(struct search *s)
{
    if (!s->asks || !s->deck->asks)
        return false;
    s->asks--;
    s->deck->asks--;
    return true;
}

/* Rules over several pods left aside. */
static bool has_room(const struct search *s, const struct stow_seat *seat)
{
    const struct stow_deck *deck = s->deck;
    const uint32_t class = deck->yard->class_of[seat->pod];

    if (seat->fixed)
        return stow_yard_room(deck->yard, class, seat->to) > 0;
    for (uint32_t node = 0; node < deck->yard->nodes; node++)
        if (stow_deck_is_open(deck, node) && stow_yard_room(deck->yard, class, node) > 0)
            return true;
    return false;
}

static bool have_room(const struct search *s)
{
    for (uint32_t i = 0; i < s->sorts; i++)
        if (s->sort[i].left && !has_room(s, &s->seat[s->sort[i].first]))
            return false;
    return true;
}

static bool go_on(struct search *s, uint32_t placed, uint64_t state);

/* The next pod of a sort on a node, and all the others after it. */
static bool try_place(struct search *s, uint32_t placed, uint64_t state, uint32_t sort,
                      uint32_t node)
{
    struct sort *of = &s->sort[sort];
    const struct stow_seat *next = &s->seat[of->first + of->left - 1];
    const uint32_t mark = stow_deck_mark(s->deck);

    if (!may_ask(s) || !stow_deck_fits(s->deck, next->pod, node))
        return false;
    stow_deck_move(s->deck, next->pod, node);
    s->found[placed] = (struct stow_seat){next->pod, node, next->fixed};
    of->left--;
    if (go_on(s, placed + 1, state + part_of_state(sort, node)))
        return true;
    of->left++;
    stow_deck_rollback(s->deck, mark);
    return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as there are pods on a node of a small cluster */
static bool go_on(struct search *s, uint32_t placed, uint64_t state)
{
    if (placed == s->count)
        return s->accept->ask(s->accept->context);
    if (s->deck->failed || !is_new(s, state) || !have_room(s))
        return false;
    for (uint32_t i = 0; i < s->sorts; i++) {
        const struct stow_seat *seat = &s->seat[s->sort[i].first];

        if (!s->sort[i].left)
            continue;
        for (uint32_t node = seat->fixed ? seat->to : 0;
             node < (seat->fixed ? seat->to + 1 : s->deck->yard->nodes); node++)
            if (stow_deck_is_open(s->deck, node) && try_place(s, placed, state, i, node))
                return true;
    }
    return false;
}

bool stow_deck_seat_all(struct stow_deck *deck, struct stow_seat *seat, uint32_t count,
                        const struct stow_acceptance *accept)
{
    STOW_AUTO(search_done)
    struct search s = {
        .deck = deck, .seat = seat, .count = count, .asks = SEARCH_ASKS, .accept = accept};

    if (deck->yard->nodes > SEARCHED_NODES || count > SEARCHED_PODS || !open_search(&s) ||
        !go_on(&s, 0, 0))
        return false;
    memcpy(seat, s.found, count * sizeof(*seat));
    return true;
}

/* ---- by swapping ------------------------------------------------------------------------- */

struct swapping {
    struct stow_deck *deck;
    uint32_t asks; /* that are left */
};

static bool swap_in(struct swapping *s, stow_pod_id pod, uint32_t depth);

/* To a node that takes it as it is, or that another pod leaves for it. */
static bool settle_pod(struct swapping *s, stow_pod_id pod, uint32_t depth)
{
    const uint32_t to = stow_deck_find(s->deck, pod);

    if (to == STOW_NONE)
        return depth && swap_in(s, pod, depth - 1);
    stow_deck_move(s->deck, pod, to);
    return true;
}

/* The pod takes the place of another, which finds one elsewhere. */
static bool take_place(struct swapping *s, stow_pod_id pod, stow_pod_id other, uint32_t depth)
{
    struct stow_deck *deck = s->deck;
    const uint32_t mark = stow_deck_mark(deck), node = deck->at[other];

    s->asks--;
    stow_deck_evict(deck, other);
    if (stow_deck_fits(deck, pod, node)) {
        stow_deck_move(deck, pod, node);
        if (settle_pod(s, other, depth))
            return true;
    }
    stow_deck_rollback(deck, mark);
    return false;
}

/* Whether a pod of the node before this one is of the same class. */
static bool is_met(const struct stow_deck *deck, stow_pod_id pod, uint32_t node)
{
    const uint32_t *class_of = deck->yard->class_of;

    for (stow_pod_id i = deck->first[node]; i != pod; i = deck->next[i])
        if (class_of[i] == class_of[pod])
            return true;
    return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): SWAP_DEPTH deep */
static bool swap_in(struct swapping *s, stow_pod_id pod, uint32_t depth)
{
    struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < deck->yard->nodes; node++) {
        stow_pod_id next;

        if (!stow_deck_is_open(deck, node))
            continue;
        for (stow_pod_id other = deck->first[node]; other != STOW_NONE; other = next) {
            next = deck->next[other];
            if (deck->failed || !s->asks)
                return false;
            if (!deck->pinned[other] && !is_met(deck, other, node) &&
                deck->yard->class_of[other] != deck->yard->class_of[pod] &&
                take_place(s, pod, other, depth))
                return true;
        }
    }
    return false;
}

bool stow_deck_seat_swapping(struct stow_deck *deck, struct stow_seat *seat, uint32_t count)
{
    const uint32_t mark = stow_deck_mark(deck);
    struct swapping s = {deck, deck->asks < SWAP_ASKS ? deck->asks : SWAP_ASKS};
    const uint32_t asks = s.asks;
    bool all = deck->yard->nodes <= SEARCHED_NODES;

    for (uint32_t i = 0; i < count && all; i++)
        all = settle_pod(&s, seat[i].pod, SWAP_DEPTH);
    deck->asks -= asks - s.asks;
    if (!all)
        stow_deck_rollback(deck, mark);
    return all;
}
