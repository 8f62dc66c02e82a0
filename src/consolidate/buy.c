/* buy.c - new nodes for a few pods, found without the solver.
 *
 * Two ways, and the cheaper of them: as long as one node can take all that is left, the cheapest
 * such; else, and in the second way always, the node that costs least for the size of the pods it
 * takes. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"

struct buying {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    stow_pod_id *rest; /* pods without a place, large ones first */
    uint32_t rests;
    stow_nano limit; /* to stay below */
    bool whole;      /* one node for all where that is possible */
};

/* A group that is being considered: what one node of it takes. */
struct offer {
    stow_group_id group;
    stow_nano price;
    uint32_t pods;
    int64_t size;
};

static int64_t size_of(const struct stow_yard *yard, stow_pod_id pod)
{
    const struct stow_yard_class *class = &yard->class[yard->class_of[pod]];
    int64_t sum = 1;

    for (uint32_t i = 0; i < class->dims; i++) {
        const int64_t most = stow_yard_largest(yard, class->dim[i]);

        if (most > 0)
            sum += (int64_t)((stow_i128) class->need[class->dim[i]] * 1000000 / most);
    }
    return sum;
}

/* Puts what fits on a node and takes it off the list. */
static void fill(struct buying *b, uint32_t node, struct offer *ret)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < b->rests; i++) {
        const stow_pod_id pod = b->rest[i];

        if (!stow_deck_fits(b->deck, pod, node)) {
            b->rest[left++] = pod;
            continue;
        }
        stow_deck_move(b->deck, pod, node);
        ret->pods++;
        ret->size += size_of(b->deck->yard, pod);
    }
    b->rests = left;
}

/* What a node of the group would take; nothing stays changed. */
static bool sound_out(struct buying *b, stow_group_id group, struct offer *ret)
{
    const uint32_t mark = stow_deck_mark(b->deck), count = b->rests;
    STOW_AUTO(stow_free_local) stow_pod_id *kept = malloc((count + 1) * sizeof(*kept));
    uint32_t node;

    *ret = (struct offer){group, b->c->group_price[group], 0, 0};
    if (!kept) {
        b->deck->failed = true;
        return false;
    }
    memcpy(kept, b->rest, count * sizeof(*kept));
    node = stow_deck_add(b->deck, group);
    if (node != STOW_NONE)
        fill(b, node, ret);
    stow_deck_rollback(b->deck, mark);
    memcpy(b->rest, kept, count * sizeof(*kept));
    b->rests = count;
    return ret->pods > 0;
}

static bool is_better(const struct buying *b, const struct offer *x, const struct offer *y)
{
    const bool all_x = x->pods == b->rests, all_y = y->pods == b->rests;

    if (b->whole && all_x != all_y)
        return all_x;
    if (b->whole && all_x)
        return x->price < y->price;
    return (stow_i128)x->price * y->size < (stow_i128)y->price * x->size;
}

static bool could_take_any(const struct buying *b, stow_group_id group)
{
    for (uint32_t i = 0; i < b->rests; i++)
        if (stow_yard_fresh_room(b->deck->yard, b->deck->yard->class_of[b->rest[i]], group))
            return true;
    return false;
}

static bool choose(struct buying *b, stow_nano spent, struct offer *ret)
{
    const struct stow_consolidating *c = b->c;
    bool found = false;

    for (stow_group_id g = 0; g < c->s->groups; g++) {
        struct offer offer;

        if (stow_consolidate_is_late(c))
            return false;
        if (c->group_price[g] == STOW_MONEY_UNKNOWN || c->group_price[g] >= b->limit - spent ||
            !could_take_any(b, g) || !stow_session_may_add(b->deck->session, g, NULL))
            continue;
        if (!sound_out(b, g, &offer) || (found && !is_better(b, &offer, ret)))
            continue;
        *ret = offer;
        found = true;
    }
    return found;
}

/* Buys until nothing is left; false: not possible below the limit. */
static bool buy_all(struct buying *b, const struct stow_pod_list *pods, bool whole,
                    stow_nano *ret_spent)
{
    stow_nano spent = 0;

    memcpy(b->rest, pods->pod, pods->count * sizeof(*b->rest));
    b->rests = pods->count;
    b->whole = whole;
    while (b->rests) {
        struct offer offer;
        uint32_t node;

        if (!choose(b, spent, &offer))
            return false;
        node = stow_deck_add(b->deck, offer.group);
        if (node == STOW_NONE)
            return false;
        fill(b, node, &offer);
        spent += offer.price;
    }
    *ret_spent = spent;
    return true;
}

bool stow_consolidate_buy(struct stow_consolidating *c, const struct stow_pod_list *pods,
                          stow_nano limit)
{
    STOW_AUTO(stow_free_local)
    stow_pod_id *rest = malloc((pods->count + 1) * sizeof(*rest));
    struct buying b = {.c = c, .deck = &c->deck, .rest = rest, .limit = limit};
    const uint32_t mark = stow_deck_mark(&c->deck);
    stow_nano spent[2];
    bool can[2];

    if (!rest) {
        c->deck.failed = true;
        return false;
    }
    for (int i = 0; i < 2; i++) {
        can[i] = buy_all(&b, pods, i == 0, &spent[i]);
        stow_deck_rollback(&c->deck, mark);
    }
    if (!can[0] && !can[1])
        return false;
    return buy_all(&b, pods, can[0] && (!can[1] || spent[0] <= spent[1]), &spent[0]);
}
