/* prospect.c - many multipliers at once.
 *
 * Problem.  A search drops a partial pattern as soon as what can still be added is too little.  The
 * multipliers of the whole node say that badly: once a pod of eight devices is in, or out, other
 * resources are scarce.  Solving a relaxation per partial pattern says it well, and takes too long.
 *
 * Idea.  Any multipliers give a true bound for any remainder, at any level:
 *
 *     sum over the items to come of u * max(0, y - lambda * need)   +   lambda * what is left
 *
 * The sum depends on the level only.  So the multipliers found for one remainder bound all others
 * for a multiplication per resource; and the least over a few dozen of them, found for remainders
 * that looked best, comes close to the relaxation of each.  They stay good while prices move a
 * little, so each kind keeps its own from round to round.
 *
 * Where a table counts resources in whole units (counted.c) its bound counts too.
 *
 * What is left beyond all that the items to come could take is worth nothing.
 *
 * Rounding.  All copies of an item fit the node together, so none is worth more than the bound of
 * the node, and an item's part of a sum is wrong by a few times 1e-16 of that.  The margin allows
 * a thousand times as much for every item.  The parts of a sum are >= 0: one that is large because
 * of high multipliers is not the least. */
#include "optimal/pricing/prospect.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "base/lanes.h"
#include "base/vec.h"

#define MARGIN 1e-12 /* of the node's bound, for every item */
#define PLACES STOW_MULTIPLIERS

#define GROUPS (PLACES / STOW_LANES)

static_assert((GROUPS & (GROUPS - 1)) == 0 && PLACES % STOW_LANES == 0, "halved and halved again");

void stow_prospect_done(struct stow_prospect *p)
{
    free(p->rest);
    free(p->total);
    stow_sack_done(&p->tail);
    memset(p, 0, sizeof(*p));
}

static int reserve(double **array, size_t *cap, size_t want)
{
    if (want <= *cap)
        return 0;
    free(*array);
    *cap = 0;
    *array = malloc(want * sizeof(**array));
    if (!*array)
        return STOW_ENOMEM;
    *cap = want;
    return 0;
}

static int reserve_all(struct stow_prospect *p, const struct stow_sack *s)
{
    size_t levels = (size_t)s->n + 1;

    STOW_TRY(reserve(&p->rest, &p->rest_cap, levels * PLACES));
    STOW_TRY(reserve(&p->total, &p->total_cap, levels * (s->dims + 1)));
    if (p->tail.max < s->max || p->tail.dims_max < s->dims_max) {
        stow_sack_done(&p->tail);
        STOW_TRY(stow_sack_init(&p->tail, s->max, s->dims_max));
    }
    return 0;
}

static void fill_totals(struct stow_prospect *p)
{
    const struct stow_sack *s = p->s;
    double *total = p->total + (size_t)s->n * s->dims;

    memset(total, 0, s->dims * sizeof(*total));
    for (uint32_t level = s->n; level-- > 0;) {
        uint32_t i = s->order[level];

        total -= s->dims;
        for (uint32_t d = 0; d < s->dims; d++)
            total[d] = total[s->dims + d] + s->u[i] * s->need[(size_t)d * s->max + i];
    }
}

static void set_place(struct stow_prospect *p, uint32_t place, const double *lambda)
{
    const struct stow_sack *s = p->s;
    double sum = 0;

    for (uint32_t d = 0; d < s->dims; d++)
        p->lambda[d][place] = lambda[d];
    p->rest[(size_t)s->n * PLACES + place] = 0;
    for (uint32_t level = s->n; level-- > 0;) {
        uint32_t i = s->order[level];
        double gain = s->y[i];

        for (uint32_t d = 0; d < s->dims; d++)
            gain -= lambda[d] * s->need[(size_t)d * s->max + i];
        sum += gain > 0 ? gain * s->u[i] : 0;
        p->rest[(size_t)level * PLACES + place] = sum;
    }
}

/* Places that are not taken bound nothing. */
static void clear_places(struct stow_prospect *p)
{
    for (uint32_t d = 0; d < p->s->dims; d++)
        memset(p->lambda[d], 0, sizeof(p->lambda[d]));
    for (size_t i = 0; i < ((size_t)p->s->n + 1) * PLACES; i++)
        p->rest[i] = INFINITY;
}

int stow_prospect_open(struct stow_prospect *p, const struct stow_sack *s,
                       const struct stow_multipliers *known)
{
    STOW_TRY(reserve_all(p, s));
    p->s = s;
    p->margin = s->bound * MARGIN * (s->n + 4.0);
    fill_totals(p);
    clear_places(p);
    set_place(p, 0, s->lambda);
    for (uint32_t i = 1; i < known->count; i++)
        set_place(p, i, known->lambda + (size_t)i * s->dims);
    return 0;
}

STOW_KERNEL static double least_bound(const double *rest, const double (*lambda)[PLACES],
                                      const double *left, uint32_t dims)
{
    stow_lanes bound[GROUPS];

    for (uint32_t i = 0; i < GROUPS; i++) /* a sum stays in registers, a copy does not */
        bound[i] = ((const stow_lanes *)rest)[i] + 0.0;
    for (uint32_t d = 0; d < dims; d++) {
        const stow_lanes *price = (const stow_lanes *)lambda[d];

        for (uint32_t i = 0; i < GROUPS; i++)
            bound[i] += price[i] * left[d];
    }
    for (uint32_t half = GROUPS / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++)
            stow_lanes_lower(&bound[i], &bound[i + half]);
    return stow_lanes_least(&bound[0]);
}

static double by_table(const struct stow_sack *s, const struct stow_price_sheet *t, uint32_t level,
                       const double *left, const double *useful)
{
    double more = t->offset[level] + t->row[level][stow_sheet_cell(t, left)];

    for (uint32_t d = 0; d < s->dims; d++)
        more += t->lambda[d] * useful[d];
    return more;
}

/* What is left, as far as the items to come could take it. */
static void useful_part(const struct stow_prospect *p, uint32_t level, const double *left,
                        double *useful)
{
    const double *total = p->total + (size_t)level * p->s->dims;

    for (uint32_t d = 0; d < p->s->dims; d++)
        useful[d] = left[d] < total[d] ? left[d] : total[d];
}

double stow_prospect_of(const struct stow_prospect *p, uint32_t level, const double *left,
                        double enough)
{
    const struct stow_sack *s = p->s;
    double useful[STOW_SCARCE_MAX], least = INFINITY, more;

    enough -= p->margin;
    useful_part(p, level, left, useful);
    for (uint32_t j = 0; level >= s->small && j < s->tables && least > enough; j++)
        if (s->table[j].used) {
            more = by_table(s, &s->table[j], level, left, useful);
            least = more < least ? more : least;
        }
    if (least > enough) {
        more = least_bound(p->rest + (size_t)level * PLACES, p->lambda, useful, s->dims);
        least = more < least ? more : least;
    }
    return least + p->margin;
}

double stow_prospect_by(const struct stow_prospect *p, uint32_t place, uint32_t level,
                        const double *left)
{
    double useful[STOW_SCARCE_MAX], bound = p->rest[(size_t)level * PLACES + place];

    useful_part(p, level, left, useful);
    for (uint32_t d = 0; d < p->s->dims; d++)
        bound += p->lambda[d][place] * useful[d];
    return bound + p->margin;
}

/* The items to come, as many of each as still fit. */
static void load_tail(struct stow_prospect *p, uint32_t level, const double *left)
{
    const struct stow_sack *s = p->s;
    struct stow_sack *t = &p->tail;

    t->n = 0;
    t->dims = s->dims; /* there is memory for all */
    memcpy(t->cap, left, s->dims * sizeof(*left));
    for (; level < s->n; level++) {
        uint32_t i = s->order[level];

        t->u[t->n] = s->u[i];
        for (uint32_t d = 0; d < s->dims; d++) {
            double need = s->need[(size_t)d * s->max + i];

            t->need[(size_t)d * t->max + t->n] = need;
            if (need * t->u[t->n] > left[d])
                t->u[t->n] = floor(left[d] / need);
        }
        t->y[t->n] = s->y[i];
        t->n += t->u[t->n] >= 1;
    }
}

uint32_t stow_prospect_learn(struct stow_prospect *p, struct stow_multipliers *known,
                             uint32_t level, const double *left)
{
    uint32_t place;

    load_tail(p, level, left);
    stow_sack_solve(&p->tail);
    if (known->count == 0)
        known->count = 1; /* the first place is the sack's own */
    if (known->count < PLACES) {
        place = known->count++;
    } else {
        place = 1;
        for (uint32_t i = 2; i < PLACES; i++)
            if (known->used[i] < known->used[place])
                place = i;
    }
    known->used[place] = 0;
    memcpy(known->lambda + (size_t)place * p->s->dims, p->tail.lambda,
           p->s->dims * sizeof(*known->lambda));
    set_place(p, place, p->tail.lambda);
    return place;
}
