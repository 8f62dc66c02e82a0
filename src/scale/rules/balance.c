/* balance.c - new nodes divided over similar groups.
 *
 * One node at a time goes to the smallest group.  Groups stand in a row, smallest
 * first, equals in order of their names (upstream: in any order); a finger moves
 * along the groups of equal size and back to the start of the row.  A group that
 * is full changes places with the first one and the row starts after it: all
 * between the two have the same size, so the row stays sorted.  Who gets the nodes
 * that do not divide evenly depends on those exchanges, so they are done as
 * upstream does them and not computed by a formula.
 *
 * Cost: the number of nodes plus the number of groups; sorting is quadratic, and
 * the groups that are alike are few. */
#include <string.h>

#include "scale/rules/similar.h"

/* The row: shares[i].slot is who stands at place i. */
struct row {
    struct stow_group_share *shares;
    uint32_t start, finger, end;
};

static struct stow_group_share *at(const struct row *row, uint32_t place)
{
    return &row->shares[row->shares[place].slot];
}

static void exchange(const struct row *row, uint32_t a, uint32_t b)
{
    const uint32_t who = row->shares[a].slot;

    row->shares[a].slot = row->shares[b].slot;
    row->shares[b].slot = who;
}

static bool stands_before(const struct stow_group_share *a, const struct stow_group_share *b)
{
    return a->current != b->current ? a->current < b->current : strcmp(a->name, b->name) < 0;
}

/* Those that can grow, sorted; returns the room that they have together. */
static uint64_t line_up(struct row *row, uint32_t count)
{
    uint64_t room = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct stow_group_share *share = &row->shares[i];

        share->target = share->current;
        if (share->current >= share->max)
            continue;
        room += share->max - share->current;
        row->shares[row->end].slot = i;
        for (uint32_t k = row->end++; k > 0 && stands_before(at(row, k), at(row, k - 1)); k--)
            exchange(row, k, k - 1);
    }
    return room;
}

/* Gives a node to the group under the finger or, when that is full, takes it out of the row; then
 * moves the finger.  Returns the nodes given. */
static uint32_t step(struct row *row)
{
    struct stow_group_share *share = at(row, row->finger);
    const bool fits = share->target < share->max;

    if (fits)
        share->target++;
    else
        exchange(row, row->start++, row->finger);
    if (row->finger + 1 < row->end &&
        at(row, row->finger)->target > at(row, row->finger + 1)->target)
        row->finger++;
    else
        row->finger = row->start;
    return fits;
}

uint32_t stow_balance(struct stow_group_share *shares, uint32_t count, uint32_t nodes)
{
    struct row row = {.shares = shares};
    const uint64_t room = line_up(&row, count);
    const uint32_t give = nodes < room ? nodes : (uint32_t)room;

    for (uint32_t given = 0; given < give;)
        given += step(&row);
    return give;
}
