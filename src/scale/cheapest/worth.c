/* worth.c - how good a plan is: pods left out by priority, then (groups in order) pods per step of
 * the order, then what it weighs, then the number of nodes. */
#include "scale/cheapest/worth.h"

#include <string.h>

#include "optimal/levels.h"

int stow_ruler_make(const struct stow_session *session, const struct stow_weights *weights,
                    struct stow_arena *arena, struct stow_ruler *ret)
{
    const struct stow_yard *yard = session->yard;

    *ret = (struct stow_ruler){.session = session, .weights = weights};
    ret->level = stow_arena_alloc(arena, (yard->classes + 1) * sizeof(*ret->level));
    if (!ret->level)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard->classes; i++)
        ret->level[i] = yard->class[i].priority;
    ret->levels = stow_levels_make(ret->level, yard->classes);
    return STOW_OK;
}

int stow_worth_make(const struct stow_ruler *ruler, struct stow_arena *arena,
                    struct stow_worth *ret)
{
    *ret = (struct stow_worth){0};
    ret->left = stow_arena_zalloc(arena, (ruler->levels + 1) * sizeof(*ret->left));
    ret->on = stow_arena_zalloc(arena, (ruler->weights->tiers + 1) * sizeof(*ret->on));
    return ret->left && ret->on ? STOW_OK : STOW_ENOMEM;
}

/* Nodes that are there are as good as those of the first step. */
static void count_tiers(const struct stow_ruler *ruler, struct stow_worth *to)
{
    const struct stow_session *session = ruler->session;
    const struct stow_yard *yard = session->yard;
    const struct stow_weights *weights = ruler->weights;

    memset(to->on, 0, (weights->tiers + 1) * sizeof(*to->on));
    for (uint32_t i = 0; i < session->puts && weights->tiers > 1; i++) {
        const uint32_t node = session->put[i].node;
        const bool new = node >= yard->real;

        to->on[new ? weights->tier[yard->group_of[node - yard->real]] : 0] += session->put[i].count;
    }
}

void stow_worth_measure(const struct stow_ruler *ruler, struct stow_worth *ret)
{
    const struct stow_session *session = ruler->session;
    const struct stow_yard *yard = session->yard;

    ret->weight = 0;
    ret->nodes = yard->nodes - yard->real;
    memset(ret->left, 0, ruler->levels * sizeof(*ret->left));
    for (uint32_t i = 0; i < yard->classes; i++)
        ret->left[stow_level_of(ruler->level, ruler->levels, yard->class[i].priority)] +=
            yard->class[i].pods - session->class_put[i];
    for (uint32_t node = yard->real; node < yard->nodes; node++) {
        const stow_nano weight = ruler->weights->price[yard->group_of[node - yard->real]];

        ret->weight += weight == STOW_MONEY_UNKNOWN ? 0 : weight;
    }
    count_tiers(ruler, ret);
}

void stow_worth_copy(const struct stow_ruler *ruler, const struct stow_worth *from,
                     struct stow_worth *to)
{
    memcpy(to->left, from->left, ruler->levels * sizeof(*to->left));
    memcpy(to->on, from->on, (ruler->weights->tiers + 1) * sizeof(*to->on));
    to->weight = from->weight;
    to->nodes = from->nodes;
}

uint64_t stow_worth_left(const struct stow_ruler *ruler, const struct stow_worth *worth)
{
    uint64_t left = 0;

    for (uint32_t i = 0; i < ruler->levels; i++)
        left += worth->left[i];
    return left;
}

int stow_worth_compare(const struct stow_ruler *ruler, const struct stow_worth *a,
                       const struct stow_worth *b)
{
    for (uint32_t i = 0; i < ruler->levels; i++)
        if (a->left[i] != b->left[i])
            return a->left[i] < b->left[i] ? -1 : 1;
    for (uint32_t i = 0; i < ruler->weights->tiers && ruler->weights->tiers > 1; i++)
        if (a->on[i] != b->on[i])
            return a->on[i] > b->on[i] ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return (a->nodes > b->nodes) - (a->nodes < b->nodes);
}
