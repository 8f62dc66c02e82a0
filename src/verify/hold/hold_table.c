/* hold_table.c - what the rest of a node can add, by what is left of some dimensions.
 *
 * Multipliers alone let a node hold half a device and a third of a large pod.  So some dimensions
 * are counted in whole units (hold_shape.c) and the others priced: for given prices the best set is
 * found exactly, by a table over the units, item by item.  It bounds the worth of every set for any
 * prices.
 *
 * There are two sorts.  Small tables count one dimension, together with the smallest one (devices)
 * where that is small; the best prices of the others are looked for one dimension at a time: when
 * the best set uses more of it than there is, its price rises, else it falls.  The dense table
 * counts all that it can.  On a node of 96 cores and 8 devices, which costs exactly as much as two
 * nodes of half its size, multipliers were 3.8 % above what pods can be worth, small tables 1.5 %,
 * and a dense one of three million cells 0.03 %: a search between those ends after a second,
 * between the others after a minute.
 *
 * Rows hold losses, not worths.  Against prices of all dimensions, those counted too, a set loses
 * the price of each unit left empty, the gain of each copy of a gainful item that is missing, and
 * the loss of each copy of another that is there.  What matters is between nothing and the most
 * that may be lost, so 16 bits are enough; what is beyond stays beyond, and lines of a row where
 * nothing else is left, which are most of them, are passed over.  Losses are rounded down to steps.
 *
 * The rows serve the search (hold_search.c) afterwards: what items from a level on can add. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/error.h>

#include "base/kernel.h"
#include "verify/hold/hold_internal.h"

#define ROW_MAX   (1u << 16) /* cells of a row */
#define SMALL     64         /* units of a dimension that goes with every other */
#define TRIALS    8          /* of prices per dimension */
#define HOPELESS  UINT16_MAX /* steps: more is lost than may be */
#define DENSE_MAX (1u << 25) /* cells of all rows of a dense table */

void stow_hold_tables_done(struct stow_hold_work *work)
{
    for (uint32_t i = 0; i < STOW_HOLD_TABLES; i++) {
        free(work->table[i].row);
        free(work->table[i].tail);
    }
}

/* ---- which tables ------------------------------------------------------------------------ */

static void choose_tables(struct stow_hold_work *work)
{
    const struct stow_core *c = &work->core;
    const size_t share = work->sizes.cells / (c->items + 2);
    const size_t cells = share < ROW_MAX ? share : ROW_MAX;
    uint32_t small = 0;

    for (uint32_t d = 1; d < c->dims; d++)
        if (c->room[d] < c->room[small])
            small = d;

    const bool both = c->room[small] <= SMALL && c->dims > 1;

    work->tables = 0;
    for (uint32_t d = 0; d < c->dims && work->tables < STOW_HOLD_TABLES - 1; d++) {
        struct stow_hold_table *t = &work->table[work->tables];

        if (both && d == small)
            continue;
        t->shape = (struct stow_hold_shape){.cells = 1};
        if (both)
            stow_hold_shape_add(&t->shape, c, small, SMALL + 1);
        stow_hold_shape_add(&t->shape, c, d, cells / t->shape.cells);
        t->stride = 1;
        work->tables++;
    }
}

static bool is_counted(const struct stow_hold_table *t, uint32_t d)
{
    for (uint32_t i = 0; i < t->shape.dims; i++)
        if (t->shape.dim[i] == d)
            return true;
    return false;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* What a copy adds beyond the prices of what it needs, as far as the table counts that. */
static int64_t gain_of(const struct stow_hold_table *t, const struct stow_core *c, uint32_t item)
{
    const int64_t *need = c->need + (size_t)item * c->dims;
    const struct stow_hold_shape *s = &t->shape;
    int64_t gain = c->scale * c->worth[item];

    for (uint32_t d = 0; d < c->dims; d++)
        gain -= t->price[d] * need[d];
    for (uint32_t i = 0; i < s->dims; i++)
        gain += t->price[s->dim[i]] * (need[s->dim[i]] % s->unit[i]);
    return gain;
}

/* Some copies of an item on their way into a row. */
struct chunk {
    const struct stow_hold_shape *shape;
    uint16_t *row, *line; /* and memory for one line of it */
    bool *live;           /* per line: whether it has an entry below HOPELESS */
    size_t length;        /* of a line */
    size_t need[STOW_HOLD_DIMS];
    uint16_t cost; /* of taking them, or of leaving them ... */
    bool gains;    /* ... if they gain */
};

STOW_KERNEL static bool leave_line(uint16_t *row, size_t count, uint16_t cost)
{
    const uint16_t top = HOPELESS - cost;
    uint16_t least = HOPELESS;

    for (size_t i = 0; i < count; i++) {
        row[i] = (uint16_t)((row[i] < top ? row[i] : top) + cost);
        least = row[i] < least ? row[i] : least;
    }
    return least < HOPELESS;
}

STOW_KERNEL static bool take_or_pay(uint16_t *row, const uint16_t *from, size_t count,
                                    uint16_t cost)
{
    const uint16_t top = HOPELESS - cost;
    uint16_t least = HOPELESS;

    for (size_t i = 0; i < count; i++) {
        const uint16_t without = (uint16_t)((row[i] < top ? row[i] : top) + cost);

        row[i] = without < from[i] ? without : from[i];
        least = row[i] < least ? row[i] : least;
    }
    return least < HOPELESS;
}

STOW_KERNEL static bool pay_or_leave(uint16_t *row, const uint16_t *from, size_t count,
                                     uint16_t cost)
{
    const uint16_t top = HOPELESS - cost;
    uint16_t least = HOPELESS;

    for (size_t i = 0; i < count; i++) {
        const uint16_t with = (uint16_t)((from[i] < top ? from[i] : top) + cost);

        row[i] = with < row[i] ? with : row[i];
        least = row[i] < least ? row[i] : least;
    }
    return least < HOPELESS;
}

/* One line, with the chunk from what another one was without it, if there is room. */
static void put_line(const struct chunk *k, size_t to, size_t from, bool fits)
{
    const size_t need = k->shape->dims ? k->need[k->shape->dims - 1] : 0;
    uint16_t *row = k->row + to * k->length;
    const uint16_t *before = k->row + from * k->length;
    const size_t count = fits && need < k->length && k->live[from] ? k->length - need : 0;
    bool live = false;

    if (!count && (!k->live[to] || !k->gains))
        return;
    if (from == to && count) {
        memcpy(k->line, before, count * sizeof(*before));
        before = k->line;
    }
    if (k->gains) {
        live = leave_line(row, k->length - count, k->cost);
        live |= take_or_pay(row + k->length - count, before, count, k->cost);
    } else {
        live = k->live[to];
        live |= pay_or_leave(row + k->length - count, before, count, k->cost);
    }
    k->live[to] = live;
}

/* The lines of a part of a row: the dimensions from `dim` on.  From the end, so that what is read
 * was not written: a cell without the chunk is before the one with it. */
static void put_part(const struct chunk *k, uint32_t dim, size_t lines, size_t to, size_t from,
                     bool fits)
{
    const struct stow_hold_shape *s = k->shape;

    if (dim + 1 >= s->dims) {
        put_line(k, to, from, fits);
        return;
    }
    lines /= s->units[dim];
    for (size_t i = s->units[dim]; i > 0; i--) {
        const bool room = fits && i > k->need[dim];

        if (room || k->gains)
            put_part(k, dim + 1, lines, to + (i - 1) * lines,
                     room ? from + (i - 1 - k->need[dim]) * lines : 0, room);
    }
}

/* Copies come in chunks of 1, 2, 4, ...: every number of them is a sum of some. */
static void add_item(const struct stow_hold_table *t, const struct stow_core *c, uint32_t item,
                     struct chunk *k)
{
    const struct stow_hold_shape *s = &t->shape;
    const int64_t *need = c->need + (size_t)item * c->dims;
    const int64_t gain = gain_of(t, c, item);
    int64_t left = c->most[item];

    k->gains = gain > 0;
    for (int64_t chunk = 1; left > 0; chunk *= 2) {
        const int64_t copies = chunk < left ? chunk : left;
        const int64_t steps = (gain > 0 ? gain : -gain) * copies / t->step;

        k->cost = steps < HOPELESS ? (uint16_t)steps : HOPELESS;
        for (uint32_t i = 0; i < s->dims; i++)
            k->need[i] = (size_t)(copies * (need[s->dim[i]] / s->unit[i]));
        put_part(k, 0, s->cells / k->length, 0, 0, true);
        left -= copies;
    }
}

/* Without items all that is left is lost. */
static void start_part(const struct stow_hold_table *t, uint32_t dim, size_t cells, uint16_t *row,
                       int64_t lost)
{
    const struct stow_hold_shape *s = &t->shape;

    if (dim == s->dims) {
        row[0] = (uint16_t)(lost / t->step < HOPELESS ? lost / t->step : HOPELESS);
        return;
    }
    cells /= s->units[dim];
    for (size_t i = 0; i < s->units[dim]; i++)
        start_part(t, dim + 1, cells, row + i * cells,
                   lost + t->price[s->dim[dim]] * s->unit[dim] * (int64_t)i);
}

static void keep_row(struct stow_hold_table *t, uint32_t level, const uint16_t *row, int64_t tail)
{
    if (level % t->stride)
        return;
    t->tail[level / t->stride] = tail;
    memcpy(t->row + level / t->stride * t->shape.cells, row, t->shape.cells * sizeof(*row));
}

/* false: out of time. */
static bool fill(struct stow_hold_table *t, const struct stow_core *c, double deadline)
{
    const struct stow_hold_shape *s = &t->shape;
    const size_t rows = (size_t)c->items / t->stride + 1;
    struct chunk k = {
        .shape = s, .row = t->row + rows * s->cells, .length = s->dims ? s->units[s->dims - 1] : 1};
    int64_t tail = 0;

    k.line = k.row + s->cells;
    k.live = (bool *)(k.line + k.length);
    memset(k.live, true, s->cells / k.length);
    start_part(t, 0, s->cells, k.row, 0);
    keep_row(t, c->items, k.row, tail);
    for (uint32_t level = c->items; level > 0; level--) {
        const int64_t gain = gain_of(t, c, level - 1);

        if (stow_hold_late(deadline))
            return false;
        add_item(t, c, level - 1, &k);
        tail += gain > 0 ? gain * c->most[level - 1] : 0;
        keep_row(t, level - 1, k.row, tail);
    }
    return true;
}

/* ---- prices ------------------------------------------------------------------------------ */

static size_t cell_of(const struct stow_hold_shape *s, const int64_t *units)
{
    size_t cell = 0;

    for (uint32_t i = 0; i < s->dims; i++)
        cell = cell * s->units[i] + (size_t)units[i];
    return cell;
}

/* How many copies of an item the best set of the table has, where it leaves this many units to the
 * items from there on; these are taken off. */
static uint32_t take_best(const struct stow_hold_table *t, const struct stow_core *c, uint32_t item,
                          int64_t *left)
{
    const struct stow_hold_shape *s = &t->shape;
    const uint16_t *next = t->row + (size_t)(item + 1) * s->cells;
    const double gain = (double)gain_of(t, c, item) / (double)t->step;
    const int64_t *need = c->need + (size_t)item * c->dims;
    uint32_t best = 0, copies = 0;
    double most = -INFINITY;
    bool fits = true;

    for (; fits; copies++) {
        const double value = gain * copies - next[cell_of(s, left)];

        best = value > most ? copies : best;
        most = value > most ? value : most;
        for (uint32_t i = 0; i < s->dims; i++) {
            left[i] -= need[s->dim[i]] / s->unit[i];
            fits &= left[i] >= 0;
        }
        fits &= copies < c->most[item];
    }
    for (uint32_t i = 0; i < s->dims; i++)
        left[i] += (copies - best) * (need[s->dim[i]] / s->unit[i]);
    return best;
}

/* What the best set of the table uses of a dimension. */
static double used(const struct stow_hold_table *t, const struct stow_core *c, uint32_t d)
{
    int64_t left[STOW_HOLD_DIMS];
    double sum = 0;

    for (uint32_t i = 0; i < t->shape.dims; i++)
        left[i] = (int64_t)t->shape.units[i] - 1;
    for (uint32_t i = 0; i < c->items; i++)
        sum += (double)c->need[(size_t)i * c->dims + d] * take_best(t, c, i, left);
    return sum;
}

/* The bound of the table for the whole core. */
static int64_t root(const struct stow_hold_table *t, const struct stow_core *c)
{
    return stow_hold_rest(t, c, 0, c->room);
}

/* In steps of what may be lost at the table's prices.  false: out of time. */
static bool refill(struct stow_hold_table *t, const struct stow_core *c, double deadline)
{
    int64_t most = 0;

    for (uint32_t d = 0; d < c->dims; d++)
        most += t->price[d] * c->room[d];
    for (uint32_t i = 0; i < c->items; i++) {
        const int64_t gain = gain_of(t, c, i);

        most += gain > 0 ? gain * c->most[i] : 0;
    }

    const int64_t budget = most - c->scale * c->target;

    t->step = budget > 0 ? budget / (HOPELESS - 1) + 1 : 1;
    return fill(t, c, deadline);
}

/* A price to start from where the relaxation has none. */
static int64_t first_price(const struct stow_core *c, uint32_t d)
{
    const int64_t share = c->scale * (c->target / 50 + 1) / (c->room[d] + 1);

    return c->price[d] ? c->price[d] : share;
}

/* Looks for the price of one dimension that lowers the bound most.  true: low enough. */
static bool tune(struct stow_hold_table *t, const struct stow_core *c, uint32_t d)
{
    const int64_t highest = (int64_t)(STOW_HOLD_LARGEST / 4) / c->dims / (c->room[d] + 1);
    const int64_t enough = c->scale * c->target;
    int64_t low = 0, high = -1, best = t->price[d], least = root(t, c);

    for (uint32_t i = 0; i < TRIALS && least >= enough; i++) {
        if (used(t, c, d) > (double)c->room[d])
            low = t->price[d];
        else
            high = t->price[d];
        if (high >= 0 && high - low <= high / 512)
            break;

        const int64_t next =
            high < 0 ? low + low / 2 + first_price(c, d) / 4 + 1 : low + (high - low) / 2;

        if (next == t->price[d] || next > highest)
            break;
        t->price[d] = next;
        refill(t, c, 0);
        if (root(t, c) < least) {
            least = root(t, c);
            best = t->price[d];
        }
    }
    if (best != t->price[d]) {
        t->price[d] = best;
        refill(t, c, 0);
    }
    return least < enough;
}

/* ---- tables ------------------------------------------------------------------------------ */

static int reserve(struct stow_hold_table *t, const struct stow_core *c)
{
    const struct stow_hold_shape *s = &t->shape;
    const size_t rows = (size_t)c->items / t->stride + 1,
                 line = s->dims ? s->units[s->dims - 1] : 1;
    const size_t need = (rows + 1) * s->cells + line + s->cells / line; /* one for work */

    if (need > t->cap) {
        free(t->row);
        t->row = malloc(need * sizeof(*t->row));
        t->cap = t->row ? need : 0;
    }
    if (rows > t->tail_cap) {
        free(t->tail);
        t->tail = malloc(rows * sizeof(*t->tail));
        t->tail_cap = t->tail ? rows : 0;
    }
    return t->cap && t->tail_cap ? STOW_OK : STOW_ENOMEM;
}

/* 1: made; 0: out of time. */
static int make(struct stow_hold_table *t, const struct stow_core *c, double deadline)
{
    if (reserve(t, c) < 0)
        return STOW_ENOMEM;
    memcpy(t->price, c->price, c->dims * sizeof(*t->price));
    return refill(t, c, deadline);
}

int stow_hold_tabulate(struct stow_hold_work *work)
{
    const struct stow_core *c = &work->core;

    choose_tables(work);
    for (uint32_t i = 0; i < work->tables; i++) {
        struct stow_hold_table *t = &work->table[i];

        if (make(t, c, 0) < 0)
            return STOW_ENOMEM;
        if (root(t, c) < c->scale * c->target)
            return 1;
        for (uint32_t d = 0; d < c->dims; d++)
            if (!is_counted(t, d) && tune(t, c, d))
                return 1;
    }
    return 0;
}

int stow_hold_tabulate_densely(struct stow_hold_work *work, double deadline)
{
    const struct stow_core *c = &work->core;
    struct stow_hold_table *t = &work->table[STOW_HOLD_TABLES - 1];

    stow_hold_shape_choose(&t->shape, c, work->sizes.dense);
    t->stride = (uint32_t)((size_t)c->items * t->shape.cells / DENSE_MAX) + 1;

    const int made = make(t, c, deadline);

    if (made <= 0)
        return made;
    work->dense = t;
    return root(t, c) < c->scale * c->target;
}
