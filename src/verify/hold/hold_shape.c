/* hold_shape.c - what a table counts, and in which units.
 *
 * A table that counts every dimension in the unit of its needs would say exactly what a node can be
 * worth; milli-cores times mebibytes are too many cells.  Larger units round needs and room down:
 * still a bound, and how good it is depends on how much of the needs they cut off.  Memory comes in
 * whole gibibytes but for a few pods, cores in halves: some units cut off next to nothing, and are
 * found among the common divisors of two needs.
 *
 * So: for every dimension the unit that cuts off least, for every number of units; then, over all
 * dimensions, the numbers of units whose product is within the cells and that lose least in all.  A
 * dimension that is not counted has a price instead, which loses about as much as a unit that cuts
 * off a thirtieth. */
#include <math.h>
#include <string.h>

#include "verify/hold/hold_internal.h"

#define PARTS        4 /* of a factor of two, in which numbers of units are distinguished */
#define SIZES        (30 * PARTS + 1)
#define SAMPLE       80   /* items whose needs are compared in pairs */
#define LOSS_PRICED  0.03 /* of a dimension that is not counted */
#define LOSS_WITHOUT 0.01 /* ... and has no price: it was no limit so far */

/* Per size: the best unit that makes no more units than that; 0: there is none. */
struct choice {
    int64_t unit[SIZES];
    double lost[SIZES];
};

/* What a unit cuts off the needs, on average and relative to them. */
static double roughness(const struct stow_core *c, uint32_t d, int64_t unit)
{
    double lost = 0;

    for (uint32_t i = 0; i < c->items; i++) {
        const int64_t need = c->need[(size_t)i * c->dims + d];

        if (need)
            lost += (double)(need % unit) / (double)need;
    }
    return lost / c->items;
}

static uint32_t size_of(double units)
{
    return (uint32_t)ceil(PARTS * log2(units) - 1e-9);
}

static void consider(struct choice *choice, const struct stow_core *c, uint32_t d, int64_t unit)
{
    const int64_t units = c->room[d] / unit + 1;
    const uint32_t size = size_of((double)units);

    if (size >= SIZES || choice->unit[size] == unit)
        return;

    const double lost = roughness(c, d, unit);

    if (!choice->unit[size] || lost < choice->lost[size]) {
        choice->unit[size] = unit;
        choice->lost[size] = lost;
    }
}

static int64_t common(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void consider_divisors(struct choice *choice, const struct stow_core *c, uint32_t d)
{
    const uint32_t step = c->items / SAMPLE + 1;

    for (uint32_t i = 0; i < c->items; i += step)
        for (uint32_t j = i; j < c->items; j += step) {
            const int64_t unit =
                common(c->need[(size_t)i * c->dims + d], c->need[(size_t)j * c->dims + d]);

            if (unit)
                consider(choice, c, d, unit);
        }
}

static void choose_units(struct choice *choice, const struct stow_core *c, uint32_t d)
{
    memset(choice, 0, sizeof(*choice));
    for (uint32_t size = PARTS; size < SIZES; size++) {
        const int64_t unit = c->room[d] / (int64_t)exp2((double)size / PARTS) + 1;

        consider(choice, c, d, unit);
        if (unit == 1)
            break;
    }
    consider_divisors(choice, c, d);
    choice->unit[0] = 0;
    for (uint32_t size = 1; size < SIZES; size++)
        if (choice->unit[size - 1] &&
            (!choice->unit[size] || choice->lost[size - 1] <= choice->lost[size])) {
            choice->unit[size] = choice->unit[size - 1];
            choice->lost[size] = choice->lost[size - 1];
        }
}

/* ---- one dimension, or all of them ------------------------------------------------------- */

static void count(struct stow_hold_shape *shape, const struct stow_core *c, uint32_t dim,
                  int64_t unit)
{
    const size_t units = (size_t)(c->room[dim] / unit) + 1;
    uint32_t at = shape->dims++;

    for (; at > 0 && shape->units[at - 1] > units; at--) {
        shape->dim[at] = shape->dim[at - 1];
        shape->unit[at] = shape->unit[at - 1];
        shape->units[at] = shape->units[at - 1];
    }
    shape->dim[at] = dim;
    shape->unit[at] = unit;
    shape->units[at] = units;
    shape->cells *= units;
}

/* The largest size within a number of units. */
static uint32_t size_within(size_t units)
{
    const double size = PARTS * log2((double)(units ? units : 1)) + 1e-9;

    return size < SIZES - 1 ? (uint32_t)size : SIZES - 1;
}

void stow_hold_shape_add(struct stow_hold_shape *shape, const struct stow_core *c, uint32_t dim,
                         size_t units)
{
    const uint32_t size = size_within(units);
    struct choice choice;

    choose_units(&choice, c, dim);
    if (choice.unit[size])
        count(shape, c, dim, choice.unit[size]);
}

/* What is lost at least by the dimensions so far, per size of them all. */
struct plan {
    double lost[SIZES];
    int64_t unit[STOW_HOLD_DIMS][SIZES]; /* the choice that leads there; 0: it is not counted */
    uint32_t size[STOW_HOLD_DIMS][SIZES];
};

static void plan_dim(struct plan *plan, const struct choice *choice, const struct stow_core *c,
                     uint32_t d, uint32_t most)
{
    const double without = c->price[d] ? LOSS_PRICED : LOSS_WITHOUT;
    double before[SIZES];

    memcpy(before, plan->lost, sizeof(before));
    for (uint32_t all = 0; all <= most; all++) {
        plan->lost[all] = before[all] + without;
        plan->unit[d][all] = 0;
        plan->size[d][all] = 0;
        for (uint32_t size = 1; size <= all; size++) {
            const double lost = before[all - size] + choice->lost[size];

            if (!choice->unit[size] || lost >= plan->lost[all])
                continue;
            plan->lost[all] = lost;
            plan->unit[d][all] = choice->unit[size];
            plan->size[d][all] = size;
        }
    }
}

void stow_hold_shape_choose(struct stow_hold_shape *shape, const struct stow_core *c, size_t cells)
{
    uint32_t size = size_within(cells);
    struct choice choice;
    struct plan plan;

    memset(plan.lost, 0, sizeof(plan.lost));
    for (uint32_t d = 0; d < c->dims; d++) {
        choose_units(&choice, c, d);
        plan_dim(&plan, &choice, c, d, size);
    }
    *shape = (struct stow_hold_shape){.cells = 1};
    for (uint32_t d = c->dims; d > 0; d--) {
        if (plan.unit[d - 1][size])
            count(shape, c, d - 1, plan.unit[d - 1][size]);
        size -= plan.size[d - 1][size];
    }
}
