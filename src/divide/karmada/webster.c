/* webster.c - Webster's method without going seat by seat.
 *
 * Problem
 * -------
 * Karmada gives out replicas one at a time: each to the party with the greatest
 * quotient weight / (2 seats + 1) as a double, ties to fewer seats, then by name.
 * A million replicas are a million rounds.
 *
 * Idea
 * ----
 * Write down for every party the quotients of its next seat, the one after it, and so
 * on.  Each list falls strictly: the quotients of one party differ by more than a
 * double rounds, and where two parties' quotients are equal, the order is by seats
 * and name.  So taking the best head N times takes the N best of all lists
 * together; and for any bar, those above the bar are a beginning of that order.
 * Choose a bar that about N quotients exceed, but never more; count for each party
 * by one division how many of its quotients do; give these seats at once.  What is
 * left goes seat by seat over a heap.
 *
 * The bar: with W the sum of the weights and n parties, half = W / (2 (N - n/2))
 * leaves each party at most half a seat above its share, so at most N in all, and at
 * least N - n.  With seats to start from shares do not add up so simply, and the bar
 * is found by halving.  Either way the counts are taken with the same division of
 * doubles that the heap compares, so the answer is the same to the last tie.
 *
 * Cost: O(n log n), whatever N; 60 n more with seats to start from. */
#include "divide/karmada/webster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/int128.h"
#include "base/intern.h"
#include "base/vec.h"

/* A party in the heap, with the quotient of its next seat. */
struct contender {
    double quotient;
    struct stow_webster_party *party;
};

static double quotient_at(const struct stow_webster_party *p, int64_t seats)
{
    return (double)p->weight / (double)(2 * seats + 1);
}

/* ---- seat by seat ------------------------------------------------------------------------ */

static bool comes_before(const struct contender *a, const struct contender *b,
                         enum stow_webster_tie tie)
{
    if (a->quotient != b->quotient)
        return a->quotient > b->quotient;
    if (a->party->seats != b->party->seats && tie <= STOW_TIE_DESCENDING)
        return a->party->seats < b->party->seats;
    return tie & 1 ? a->party->rank > b->party->rank : a->party->rank < b->party->rank;
}

static void sift_down(struct contender *heap, uint32_t count, uint32_t at,
                      enum stow_webster_tie tie)
{
    struct contender moving = heap[at];

    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_before(&heap[child + 1], &heap[child], tie))
            child++;
        if (!comes_before(&heap[child], &moving, tie))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void give_one_by_one(struct contender *heap, uint32_t count, int64_t seats,
                            enum stow_webster_tie tie)
{
    for (uint32_t i = 0; i < count; i++)
        heap[i].quotient = quotient_at(heap[i].party, heap[i].party->seats);
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(heap, count, i, tie);
    for (; seats > 0; seats--) {
        struct contender *best = &heap[0];

        best->party->seats++;
        best->quotient = quotient_at(best->party, best->party->seats);
        sift_down(heap, count, 0, tie);
    }
}

/* ---- all above a bar at once ------------------------------------------------------------- */

/* Seats of the party in all, once every quotient above the bar has got its seat. */
static int64_t seats_above(const struct stow_webster_party *p, double bar)
{
    double guess = ceil(((double)p->weight / bar - 1) / 2);
    int64_t seats = guess <= (double)p->seats ? p->seats
                    : guess < 9e15            ? (int64_t)guess
                                              : (int64_t)9e15;

    while (seats > p->seats && !(quotient_at(p, seats - 1) > bar))
        seats--;
    while (quotient_at(p, seats) > bar)
        seats++;
    return seats;
}

/* How many seats that gives, `limit` + 1 when more than `limit`. */
static int64_t count_above(const struct contender *heap, uint32_t count, double bar, int64_t limit)
{
    int64_t given = 0;

    for (uint32_t i = 0; i < count && given <= limit; i++)
        given += seats_above(heap[i].party, bar) - heap[i].party->seats;
    return given <= limit ? given : limit + 1;
}

/* A bar that at most `seats` quotients exceed and nearly as many do; 0: none is worth it. */
static double find_bar(const struct contender *heap, uint32_t count, int64_t seats)
{
    double weights = 0, low = 0, high = 0;
    bool started = false;

    if (seats <= (int64_t)count)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        double w = (double)heap[i].party->weight;

        weights += w;
        high = w > high ? w : high;
        started |= heap[i].party->seats != 0;
    }

    double bar = weights / (2 * ((double)seats - (double)count / 2));

    if (!started && count_above(heap, count, bar, seats) <= seats)
        return bar;
    for (int round = 0; round < 200; round++) { /* doubles run out of halves long before */
        double middle = low + (high - low) / 2;
        int64_t given = count_above(heap, count, middle, seats);

        if (given > seats)
            low = middle;
        else
            high = middle;
        if (given <= seats && seats - given <= (int64_t)count)
            break;
    }
    return high;
}

static int64_t give_above(struct contender *heap, uint32_t count, double bar)
{
    int64_t given = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t seats = seats_above(heap[i].party, bar);

        assert(seats >= heap[i].party->seats);
        given += seats - heap[i].party->seats;
        heap[i].party->seats = seats;
    }
    return given;
}

int stow_webster(struct stow_webster_party *party, uint32_t count, int64_t seats,
                 enum stow_webster_tie tie, struct stow_err *err)
{
    STOW_AUTO(stow_free_local) struct contender *heap = malloc((count + 1) * sizeof(*heap));
    uint32_t made = 0;

    if (!heap)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        if (party[i].weight > 0) /* others lose every comparison */
            heap[made++].party = &party[i];
    if (!made || seats <= 0)
        return STOW_OK;

    double bar = find_bar(heap, made, seats);

    if (bar > 0)
        seats -= give_above(heap, made, bar);
    assert(seats >= 0); /* no more than there are */
    give_one_by_one(heap, made, seats, tie);
    return STOW_OK;
}

enum stow_webster_tie stow_uid_tie(struct stow_str uid)
{
    uint32_t hash = 0x811C9DC5U;

    if (uid.len == 0)
        return STOW_TIE_ASCENDING;
    for (size_t i = 0; i < uid.len; i++)
        hash = (hash ^ (unsigned char)uid.ptr[i]) * 0x01000193U;
    return hash & 1 ? STOW_TIE_DESCENDING : STOW_TIE_ASCENDING;
}

/* ---- up to 1.15 -------------------------------------------------------------------------- */

struct share {
    int64_t weight, last;
    uint64_t lot;
    uint32_t at;
};

static int compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    if (x->last != y->last)
        return x->last < y->last ? 1 : -1;
    return (x->lot > y->lot) - (x->lot < y->lot);
}

int stow_take_by_weight(struct stow_webster_party *party, const int64_t *last, uint32_t count,
                        int64_t seats, uint64_t seed, struct stow_err *err)
{
    STOW_AUTO(stow_free_local) struct share *share = malloc((count + 1) * sizeof(*share));
    int64_t left = seats;
    stow_i128 sum = 0;

    if (!share)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t drawn[2] = {seed, party[i].rank};

        share[i] = (struct share){party[i].weight, last ? last[i] : 0,
                                  seed ? stow_hash(drawn, sizeof(drawn)) : party[i].rank, i};
        sum += party[i].weight;
    }
    if (sum <= 0)
        return STOW_OK;
    qsort(share, count, sizeof(*share), compare_shares);
    for (uint32_t i = 0; i < count; i++) {
        int64_t whole = (int64_t)((__extension__(__int128) party[i].weight) * seats / sum);

        party[i].seats += whole;
        left -= whole;
    }
    for (uint32_t i = 0; i < count && left > 0; i++, left--)
        party[share[i].at].seats++;
    return STOW_OK;
}
