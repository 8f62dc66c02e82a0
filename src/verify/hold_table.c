/* hold_table.c - what the rest of a node can add, by what is left of one or two dimensions.
 *
 * Multipliers alone let a node hold half a device and a third of a large pod.  So one or two
 * dimensions are counted in whole units and the others priced: for given prices the best set is
 * found exactly, by a table over the units, item by item.  It bounds the worth of every set for any
 * prices; the best prices are looked for one dimension at a time: when the best set uses more of it
 * than there is, its price rises, else it falls.
 *
 * Which: every dimension on its own, together with the smallest one (devices) where that is small.
 * What has too many units for a table is counted in larger ones, needs and room rounded down:
 * still a bound, but a need of 250 in units of 95 counts a quarter too little.  So the unit is the
 * one of those small enough that cuts off least.
 *
 * The rows serve the search (hold_search.c) afterwards: what items from a level on can add. */
#include <stdlib.h>
#include <string.h>

#include <stowage/error.h>

#include "base/kernel.h"
#include "verify/hold_parts.h"

#define ROW_MAX    (1u << 16) /* cells of a row */
#define SMALL      64         /* units of a dimension that goes with every other */
#define TRIALS     8          /* of prices per dimension */
#define CANDIDATES 4096       /* of units */

void stow_hold_tables_done(struct stow_hold_work *work)
{
    for (uint32_t i = 0; i < STOW_HOLD_TABLES; i++)
        free(work->table[i].row);
}

/* ---- which tables ------------------------------------------------------------------------ */

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

static int64_t choose_unit(const struct stow_core *c, uint32_t d, size_t units)
{
    const int64_t first = c->room[d] / (int64_t)units + 1;
    int64_t best = first;
    double least = first == 1 ? 0 : roughness(c, d, first);

    for (int64_t unit = first + 1; unit < first + CANDIDATES && least > 0; unit++) {
        const double rough = roughness(c, d, unit);

        if (rough < least) {
            least = rough;
            best = unit;
        }
    }
    return best;
}

static void count_dim(struct stow_hold_table *t, const struct stow_core *c, uint32_t d,
                      size_t units)
{
    const int64_t unit = choose_unit(c, d, units ? units : 1);

    t->dim[t->dims] = d;
    t->unit[t->dims] = unit;
    t->units[t->dims++] = (size_t)(c->room[d] / unit) + 1;
}

static void choose_tables(struct stow_hold_work *work)
{
    const struct stow_core *c = &work->core;
    const size_t share = work->sizes.cells / (c->items + 2);
    const size_t cells = share < ROW_MAX ? share : ROW_MAX;
    uint32_t small = 0;

    for (uint32_t d = 1; d < c->dims; d++)
        if (c->room[d] < c->room[small])
            small = d;
    work->tables = 0;
    for (uint32_t d = 0; d < c->dims && work->tables < STOW_HOLD_TABLES; d++) {
        struct stow_hold_table *t = &work->table[work->tables];
        const bool both = c->room[small] <= SMALL && c->dims > 1;

        if (both && d == small)
            continue;
        t->dims = 0;
        if (both)
            count_dim(t, c, small, SMALL + 1);
        count_dim(t, c, d, both ? cells / t->units[0] : cells);
        t->cells = t->dims > 1 ? t->units[0] * t->units[1] : t->units[0];
        work->tables++;
    }
}

static bool is_counted(const struct stow_hold_table *t, uint32_t d)
{
    for (uint32_t i = 0; i < t->dims; i++)
        if (t->dim[i] == d)
            return true;
    return false;
}

/* ---- rows -------------------------------------------------------------------------------- */

STOW_KERNEL static void take_chunk(int32_t *row, const int32_t *from, size_t count, int32_t gain)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t with = from[i] + gain;

        row[i] = with > row[i] ? with : row[i];
    }
}

/* Some copies of an item at once; `before` is the row without them. */
static void take(const struct stow_hold_table *t, int32_t *row, const int32_t *before,
                 const size_t *need, int32_t gain)
{
    const bool two = t->dims > 1;
    const size_t lines = two ? t->units[0] : 1, line = t->units[t->dims - 1];
    const size_t skip = two ? need[0] : 0, shift = need[t->dims - 1];

    for (size_t i = skip; i < lines && shift < line; i++)
        take_chunk(row + i * line + shift, before + (i - skip) * line, line - shift, gain);
}

/* What a copy adds beyond the prices of what it needs. */
static int64_t net_worth(const struct stow_hold_table *t, const struct stow_core *c, uint32_t item)
{
    int64_t net = c->scale * c->worth[item];

    for (uint32_t d = 0; d < c->dims; d++)
        net -= t->price[d] * c->need[(size_t)item * c->dims + d];
    return net;
}

/* Copies come in chunks of 1, 2, 4, ...: every number of them is a sum of some. */
static void add_item(const struct stow_hold_table *t, const struct stow_core *c, uint32_t item,
                     int32_t *row, int32_t *scratch)
{
    const int64_t net = net_worth(t, c, item);
    int64_t left = net > 0 ? c->most[item] : 0;

    for (int64_t chunk = 1; left > 0; chunk *= 2) {
        const int64_t copies = chunk < left ? chunk : left;
        const int64_t gain = net > INT64_MAX / 4 / copies ? INT64_MAX / 4 : net * copies;
        const int64_t steps = (gain + t->step - 1) / t->step;
        size_t need[2] = {0};

        for (uint32_t i = 0; i < t->dims; i++)
            need[i] = (size_t)(copies * (c->need[(size_t)item * c->dims + t->dim[i]] / t->unit[i]));
        memcpy(scratch, row, t->cells * sizeof(*row));
        take(t, row, scratch, need, steps < STOW_HOLD_ROW_MAX ? (int32_t)steps : STOW_HOLD_ROW_MAX);
        for (size_t i = 0; i < t->cells && steps > STOW_HOLD_ROW_MAX / 64; i++)
            row[i] = row[i] < STOW_HOLD_ROW_MAX ? row[i] : STOW_HOLD_ROW_MAX;
        left -= copies;
    }
}

static void fill(struct stow_hold_table *t, const struct stow_core *c)
{
    int32_t *scratch = t->row + ((size_t)c->items + 1) * t->cells;

    memset(t->row + (size_t)c->items * t->cells, 0, t->cells * sizeof(*t->row));
    for (uint32_t i = c->items; i > 0; i--) {
        int32_t *row = t->row + (size_t)(i - 1) * t->cells;

        memcpy(row, row + t->cells, t->cells * sizeof(*row));
        add_item(t, c, i - 1, row, scratch);
        for (size_t k = 0; k < t->cells; k++)
            row[k] = row[k] < STOW_HOLD_ROW_MAX ? row[k] : STOW_HOLD_ROW_MAX;
    }
}

/* ---- prices ------------------------------------------------------------------------------ */

/* What the best set of the table uses of a dimension. */
static double used(const struct stow_hold_table *t, const struct stow_core *c, uint32_t d)
{
    int64_t left[2] = {(int64_t)t->units[0] - 1, t->dims > 1 ? (int64_t)t->units[1] - 1 : 0};
    const size_t line = t->dims > 1 ? t->units[1] : 1;
    double sum = 0;

    for (uint32_t i = 0; i < c->items; i++) {
        const int32_t *next = t->row + (size_t)(i + 1) * t->cells;
        const double net = (double)net_worth(t, c, i) / (double)t->step;
        const int64_t *need = c->need + (size_t)i * c->dims;
        const int64_t a = need[t->dim[0]] / t->unit[0];
        const int64_t b = t->dims > 1 ? need[t->dim[1]] / t->unit[1] : 0;
        uint32_t best = 0;
        double most = -1;

        for (uint32_t k = 0; k <= c->most[i] && a * k <= left[0] && b * k <= left[1]; k++) {
            const size_t cell = (size_t)(left[0] - a * k) * line + (size_t)(left[1] - b * k);
            const double value = net * k + next[cell];

            if (value > most) {
                most = value;
                best = k;
            }
        }
        left[0] -= a * best;
        left[1] -= b * best;
        sum += (double)need[d] * best;
    }
    return sum;
}

/* The bound of the table for the whole core. */
static int64_t root(const struct stow_hold_table *t, const struct stow_core *c)
{
    return stow_hold_rest(t, c, 0, c->room);
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
    int64_t low = 0, high = -1, best = t->price[d], least = root(t, c);
    const int64_t enough = c->scale * c->target;

    for (uint32_t i = 0; i < TRIALS && least >= enough; i++) {
        if (used(t, c, d) > (double)c->room[d])
            low = t->price[d];
        else
            high = t->price[d];
        if (high >= 0 && high - low <= high / 512)
            break;

        const int64_t next =
            high < 0 ? low + low / 2 + first_price(c, d) / 4 + 1 : low + (high - low) / 2;

        if (next == t->price[d])
            break;
        t->price[d] = next;
        fill(t, c);
        if (root(t, c) < least) {
            least = root(t, c);
            best = t->price[d];
        }
    }
    if (best != t->price[d]) {
        t->price[d] = best;
        fill(t, c);
    }
    return least < enough;
}

static int make(struct stow_hold_table *t, const struct stow_core *c)
{
    const size_t need = ((size_t)c->items + 2) * t->cells;

    if (need > t->cap) {
        free(t->row);
        t->row = malloc(need * sizeof(*t->row));
        t->cap = t->row ? need : 0;
        if (!t->row)
            return STOW_ENOMEM;
    }
    for (uint32_t d = 0; d < c->dims; d++)
        t->price[d] = is_counted(t, d) ? 0 : c->price[d];
    t->step = (c->budget + c->scale * c->target) / (STOW_HOLD_ROW_MAX / 8) + 1;
    fill(t, c);
    return STOW_OK;
}

int stow_hold_tabulate(struct stow_hold_work *work)
{
    const struct stow_core *c = &work->core;

    choose_tables(work);
    for (uint32_t i = 0; i < work->tables; i++) {
        struct stow_hold_table *t = &work->table[i];

        if (make(t, c) < 0)
            return STOW_ENOMEM;
        if (root(t, c) < c->scale * c->target)
            return 1;
        for (uint32_t d = 0; d < c->dims; d++)
            if (!is_counted(t, d) && tune(t, c, d))
                return 1;
    }
    return 0;
}
