/* relax.c - the multipliers of one node: its linear relaxation, solved in doubles.
 *
 *     maximise sum of worth * q   such that   sum of need * q <= room,   0 <= q <= most
 *
 * A simplex with bounded variables over a basis of a few rows (one per dimension), kept as an
 * explicit inverse.  Its duals are the multipliers.  They need not be right: hold.c computes in
 * whole numbers what any multipliers prove, so rounding, or stopping early, can only make a proof
 * weaker. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/hold/hold.h"

#define TINY 1e-11

struct simplex {
    const struct stow_hold *h;
    uint32_t m; /* rows */
    double scale[STOW_HOLD_DIMS], worth_scale;
    double *inverse;                /* [row * m + column], of the basis */
    uint32_t basis[STOW_HOLD_DIMS]; /* an item, or items + row: a slack */
    double value[STOW_HOLD_DIMS];   /* of the basic variables */
    double dual[STOW_HOLD_DIMS];
    uint8_t *state; /* per item: 0 at 0, 1 at most, 2 basic */
    bool slack_in[STOW_HOLD_DIMS];
};

static double *row_of(const struct simplex *s, uint32_t row)
{
    return s->inverse + (size_t)row * s->m;
}

static double entry(const struct simplex *s, uint32_t item, uint32_t row)
{
    return (double)s->h->need[(size_t)item * s->m + row] * s->scale[row];
}

static double worth(const struct simplex *s, uint32_t item)
{
    return (double)s->h->worth[item] * s->worth_scale;
}

static void start(struct simplex *s)
{
    int64_t best = 1;

    for (uint32_t i = 0; i < s->h->items; i++)
        best = s->h->worth[i] > best ? s->h->worth[i] : best;
    s->worth_scale = 1 / (double)best;
    for (uint32_t d = 0; d < s->m; d++) {
        s->scale[d] = 1 / (double)(s->h->room[d] ? s->h->room[d] : 1);
        row_of(s, d)[d] = 1;
        s->basis[d] = s->h->items + d;
        s->slack_in[d] = true;
        s->value[d] = s->h->room[d] ? 1 : 0;
    }
}

static void find_duals(struct simplex *s)
{
    for (uint32_t d = 0; d < s->m; d++) {
        s->dual[d] = 0;
        for (uint32_t r = 0; r < s->m; r++)
            if (s->basis[r] < s->h->items)
                s->dual[d] += worth(s, s->basis[r]) * row_of(s, r)[d];
    }
}

static double reduced(const struct simplex *s, uint32_t item)
{
    double value = worth(s, item);

    for (uint32_t d = 0; d < s->m; d++)
        value -= s->dual[d] * entry(s, item, d);
    return value;
}

/* The variable whose change gains most; UINT32_MAX: none gains. */
static uint32_t choose(const struct simplex *s)
{
    uint32_t best = UINT32_MAX;
    double most = TINY;

    for (uint32_t i = 0; i < s->h->items; i++) {
        if (s->state[i] == 2)
            continue;

        const double gain = s->state[i] ? -reduced(s, i) : reduced(s, i);
        const double total =
            gain * (double)s->h->most[i]; /* of the whole step, if nothing stops it */

        if (gain > TINY && total > most) {
            most = total;
            best = i;
        }
    }
    for (uint32_t d = 0; d < s->m; d++)
        if (!s->slack_in[d] && -s->dual[d] > most) {
            most = -s->dual[d];
            best = s->h->items + d;
        }
    return best;
}

static double upper(const struct simplex *s, uint32_t variable)
{
    return variable < s->h->items ? (double)s->h->most[variable] : INFINITY;
}

/* The row that stops a step, UINT32_MAX: the variable's own bound. */
static uint32_t ratio(const struct simplex *s, uint32_t variable, const double *column, double sign,
                      double *ret_step)
{
    uint32_t row = UINT32_MAX;
    double step = upper(s, variable);

    for (uint32_t r = 0; r < s->m; r++) {
        const double change = sign * column[r]; /* the basic variable falls by this per unit */
        double room = INFINITY;

        if (change > TINY)
            room = s->value[r] / change;
        else if (change < -TINY)
            room = (upper(s, s->basis[r]) - s->value[r]) / -change;
        if (room < 0)
            room = 0;
        if (room < step) {
            step = room;
            row = r;
        }
    }
    *ret_step = step;
    return row;
}

static void leave(struct simplex *s, uint32_t row, double change)
{
    const uint32_t gone = s->basis[row];

    if (gone < s->h->items)
        s->state[gone] = change < 0; /* it rose to its bound, or fell to 0 */
    else
        s->slack_in[gone - s->h->items] = false;
}

static void pivot(struct simplex *s, uint32_t row, const double *column)
{
    for (uint32_t d = 0; d < s->m; d++)
        row_of(s, row)[d] /= column[row];
    for (uint32_t r = 0; r < s->m; r++)
        for (uint32_t d = 0; r != row && d < s->m; d++)
            row_of(s, r)[d] -= column[r] * row_of(s, row)[d];
}

/* One step; false: nothing gains any more. */
static bool step(struct simplex *s)
{
    double column[STOW_HOLD_DIMS], length;

    find_duals(s);

    const uint32_t in = choose(s);

    if (in == UINT32_MAX)
        return false;

    const bool item = in < s->h->items;
    const double sign = item && s->state[in] == 1 ? -1 : 1;

    for (uint32_t r = 0; r < s->m; r++) {
        column[r] = item ? 0 : row_of(s, r)[in - s->h->items];
        for (uint32_t d = 0; item && d < s->m; d++)
            column[r] += row_of(s, r)[d] * entry(s, in, d);
    }

    const uint32_t row = ratio(s, in, column, sign, &length);

    if (!(length < INFINITY))
        return false;
    for (uint32_t r = 0; r < s->m; r++)
        s->value[r] -= sign * column[r] * length;
    if (row == UINT32_MAX) {
        s->state[in] = s->state[in] == 0;
        return true;
    }
    leave(s, row, sign * column[row]);
    s->value[row] = (item && s->state[in] == 1 ? upper(s, in) : 0) + sign * length;
    s->basis[row] = in;
    if (item)
        s->state[in] = 2;
    else
        s->slack_in[in - s->h->items] = true;
    pivot(s, row, column);
    return true;
}

void stow_hold_relax(const struct stow_hold *hold, double lambda[STOW_HOLD_DIMS])
{
    const size_t entries = (size_t)hold->dims * hold->dims;
    struct simplex s = {.h = hold, .m = hold->dims};

    memset(lambda, 0, hold->dims * sizeof(*lambda));
    s.inverse = calloc(1, entries * sizeof(*s.inverse) + hold->items + 1);
    if (!s.inverse)
        return;
    s.state = (uint8_t *)(s.inverse + entries);
    start(&s);
    for (uint32_t i = 0; i < 20 * (hold->items + hold->dims) + 50 && step(&s);)
        i++;
    find_duals(&s);
    for (uint32_t d = 0; d < s.m; d++)
        lambda[d] = s.dual[d] > 0 ? s.dual[d] * s.scale[d] / s.worth_scale : 0;
    free(s.inverse);
}
