/* round.c - one pattern of a node, quickly: the relaxation rounded down, then filled up.
 *
 * The relaxation of a knapsack has as many broken numbers as there are scarce resources; all the
 * rest is whole.  So what it holds in whole pods is nearly all of a pattern, and the little room
 * that is left goes to the most expensive pods that fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimal/pricing/knapsack.h"

static double fitting(const struct stow_sack *s, const double *left, uint32_t i)
{
    double copies = s->u[i];

    for (uint32_t d = 0; d < s->dims; d++) {
        double need = s->need[(size_t)d * s->max + i];

        if (need > 0 && left[d] < copies * need)
            copies = floor(left[d] / need);
    }
    return copies;
}

static void take(const struct stow_sack *s, double *left, uint32_t i, double copies)
{
    for (uint32_t d = 0; d < s->dims; d++)
        left[d] -= copies * s->need[(size_t)d * s->max + i];
}

int stow_sack_by_key(const void *a, const void *b, void *context)
{
    const double *key = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return key[x] != key[y] ? (key[x] > key[y] ? -1 : 1) : (x < y ? -1 : x > y);
}

static double value_of(const struct stow_sack *s, const uint32_t *count)
{
    double value = 0;

    for (uint32_t i = 0; i < s->n; i++)
        value += s->y[i] * count[i];
    return value;
}

void stow_sack_round(struct stow_sack *s)
{
    double *left = s->left;

    memcpy(left, s->cap, s->dims * sizeof(*left));
    for (uint32_t i = 0; i < s->n; i++) {
        double whole = floor(s->x[i] + 1e-6), fit = fitting(s, left, i);

        s->count[i] = (uint32_t)(whole < 0 ? 0 : whole > fit ? fit : whole);
        take(s, left, i, s->count[i]);
        s->order[i] = i;
    }
    qsort_r(s->order, s->n, sizeof(*s->order), stow_sack_by_key, s->y);
    for (uint32_t j = 0; j < s->n; j++) {
        uint32_t i = s->order[j];
        double more = fitting(s, left, i), room = s->u[i] - s->count[i];

        more = more < room ? more : room;
        s->count[i] += (uint32_t)more;
        take(s, left, i, more);
    }
    s->value = value_of(s, s->count);
    s->patterns = 1;
}

void stow_sack_round_with(struct stow_sack *s, uint32_t item, double copies)
{
    take(s, s->cap, item, copies);
    s->u[item] -= copies;
    stow_sack_solve(s);
    stow_sack_round(s);
    s->u[item] += copies;
    take(s, s->cap, item, -copies);
    s->count[item] += (uint32_t)copies;
    s->value += copies * s->y[item];
}
