/* hold_table.c - losses that cannot be avoided, by what is left of one, two or three dimensions.
 *
 * For some dimensions, counted in whole units, row(level)[left] is the least that the items from a
 * level on must lose: gainful copies that are missing, others that are there, and the price of what
 * stays empty of the counted dimensions.  The other dimensions are priced: whatever stays empty
 * there is not counted, which only lowers it.  Rows follow from the next by trying each number of
 * copies, in chunks of 1, 2, 4, ... so that each is one pass over the row.
 *
 * Which: every dimension on its own, together with the smallest one (devices) where the table stays
 * small; all of them at once where they are few enough.  What has too many units is counted in
 * larger ones, needs and room rounded down: still a bound, though a poorer one. */
#include <stdlib.h>
#include <string.h>

#include <stowage/error.h>

#include "base/kernel.h"
#include "verify/hold_parts.h"

#define CELLS_MAX  (1u << 20) /* of a row */
#define TABLE_MAX  (3u << 23) /* cells of a table: 100 MB */
#define LOSS_STEPS (1 << 22)  /* of the budget */
#define LOSS_MAX   (1 << 28)

void stow_hold_tables_done(struct stow_hold_work *work)
{
    for (uint32_t i = 0; i < STOW_HOLD_TABLES; i++)
        free(work->table[i].row);
}

/* ---- which tables ------------------------------------------------------------------------ */

static size_t row_limit(const struct stow_core *c)
{
    const size_t share = TABLE_MAX / (c->items + 1);

    return share < CELLS_MAX ? share : CELLS_MAX;
}

static void set_dims(struct stow_tally_table *t, const struct stow_core *c, const uint32_t *dim,
                     uint32_t dims)
{
    size_t stride = 1;

    t->dims = dims;
    for (uint32_t i = 0; i < dims; i++) {
        t->dim[i] = dim[i];
        t->unit[i] = 1;
    }
    for (;;) { /* halve what has most units until it fits */
        uint32_t largest = 0;

        t->cells = 1;
        for (uint32_t i = 0; i < dims; i++) {
            t->units[i] = (size_t)(c->room[dim[i]] / t->unit[i]) + 1;
            t->cells = t->units[i] > SIZE_MAX / t->cells ? SIZE_MAX : t->cells * t->units[i];
            largest = t->units[i] > t->units[largest] ? i : largest;
        }
        if (t->cells <= row_limit(c))
            break;
        t->unit[largest] *= 2;
    }
    for (uint32_t i = dims; i > 0; i--) {
        t->stride[i - 1] = stride;
        stride *= t->units[i - 1];
    }
}

/* Cells of a row that counts these dimensions exactly. */
static double exact_cells(const struct stow_core *c, const uint32_t *dim, uint32_t dims)
{
    double cells = 1;

    for (uint32_t i = 0; i < dims; i++)
        cells *= (double)c->room[dim[i]] + 1;
    return cells;
}

static uint32_t smallest_dim(const struct stow_core *c)
{
    uint32_t best = 0;

    for (uint32_t d = 1; d < c->dims; d++)
        if (c->room[d] < c->room[best])
            best = d;
    return best;
}

static void choose_tables(struct stow_hold_work *work)
{
    const struct stow_core *c = &work->core;
    const uint32_t all[] = {0, 1, 2}, small = smallest_dim(c);

    work->tables = 0;
    if (c->dims <= 3 && exact_cells(c, all, c->dims) <= (double)row_limit(c)) {
        set_dims(&work->table[work->tables++], c, all, c->dims);
        return;
    }
    for (uint32_t d = 0; d < c->dims && work->tables < STOW_HOLD_TABLES; d++) {
        const uint32_t pair[] = {d, small};
        const bool both = d != small && exact_cells(c, pair, 2) <= (double)row_limit(c);

        if (d == small && c->dims > 1 && c->room[small] <= 64)
            continue; /* it is in the others */
        set_dims(&work->table[work->tables++], c, pair, both ? 2 : 1);
    }
}

/* ---- rows -------------------------------------------------------------------------------- */

/* The price of what stays empty. */
static void fill_last(const struct stow_core *c, struct stow_tally_table *t, int32_t *row)
{
    size_t at[3] = {0};

    for (size_t cell = 0; cell < t->cells; cell++) {
        int64_t loss = 0;

        for (uint32_t i = 0; i < t->dims; i++)
            loss += t->unit[i] == 1 ? c->price[t->dim[i]] * (int64_t)at[i] : 0;
        loss /= t->step;
        row[cell] = loss < LOSS_MAX ? (int32_t)loss : LOSS_MAX;
        for (uint32_t i = t->dims; i > 0 && ++at[i - 1] == t->units[i - 1]; i--)
            at[i - 1] = 0;
    }
}

/* row[i] = min(row[i], row[i - shift] + cost), downwards: each chunk at most once. */
STOW_KERNEL static void take_chunk(int32_t *row, const int32_t *from, size_t count, int32_t cost)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t with = from[i] + cost;

        row[i] = with < row[i] ? with : row[i];
    }
}

/* One chunk of an item over a row of up to three dimensions.  `before` is the row without it. */
static void take(const struct stow_tally_table *t, int32_t *row, const int32_t *before,
                 const size_t *need, int32_t cost)
{
    const size_t first = t->dims > 2 ? t->units[0] : 1,
                 second = t->dims > 1 ? t->units[t->dims - 2] : 1;
    const size_t last = t->units[t->dims - 1], shift = need[t->dims - 1];
    const size_t skip0 = t->dims > 2 ? need[0] : 0, skip1 = t->dims > 1 ? need[t->dims - 2] : 0;

    if (shift >= last)
        return;
    for (size_t i = skip0; i < first; i++)
        for (size_t j = skip1; j < second; j++) {
            const size_t to = (i * second + j) * last,
                         from = ((i - skip0) * second + j - skip1) * last;

            take_chunk(row + to + shift, before + from, last - shift, cost);
        }
}

static int add_item(const struct stow_core *c, struct stow_tally_table *t, uint32_t item,
                    int32_t *row, int32_t *scratch)
{
    const int64_t gain = c->gain[item], size = gain < 0 ? -gain : gain;
    const int64_t each = size / t->step; /* rounded down, either way */
    int64_t left = c->most[item];

    for (size_t i = 0; i < t->cells && gain > 0; i++) {
        const int64_t all = row[i] + each * c->most[item];

        row[i] = all < LOSS_MAX ? (int32_t)all : LOSS_MAX;
    }
    for (int64_t chunk = 1; left > 0; chunk *= 2) {
        const int64_t copies = chunk < left ? chunk : left;
        const int64_t cost = copies * each < LOSS_MAX ? copies * each : LOSS_MAX;
        size_t need[3];

        for (uint32_t i = 0; i < t->dims; i++)
            need[i] = (size_t)(copies * (c->need[(size_t)item * c->dims + t->dim[i]]) / t->unit[i]);
        memcpy(scratch, row, t->cells * sizeof(*row));
        take(t, row, scratch, need, (int32_t)(gain > 0 ? -cost : cost));
        left -= copies;
    }
    return STOW_OK;
}

static int fill(struct stow_core *c, struct stow_tally_table *t)
{
    const size_t need = (c->items + 2) * t->cells;

    if (need > t->cap) {
        free(t->row);
        t->row = malloc(need * sizeof(*t->row));
        t->cap = t->row ? need : 0;
        if (!t->row)
            return STOW_ENOMEM;
    }
    t->step = c->budget / LOSS_STEPS + 1;

    int32_t *scratch = t->row + (c->items + 1) * t->cells;

    fill_last(c, t, t->row + c->items * t->cells);
    for (uint32_t i = c->items; i > 0; i--) {
        int32_t *row = t->row + (i - 1) * t->cells;

        memcpy(row, row + t->cells, t->cells * sizeof(*row));
        add_item(c, t, i - 1, row, scratch);
    }
    return STOW_OK;
}

/* ---- the order of items ------------------------------------------------------------------ */

static double share(const struct stow_core *c, uint32_t item)
{
    double most = 0;

    for (uint32_t d = 0; d < c->dims; d++) {
        const double part = (double)c->need[(size_t)item * c->dims + d] / (double)(c->room[d] + 1);

        most = part > most ? part : most;
    }
    return most;
}

static void swap(struct stow_core *c, uint32_t a, uint32_t b)
{
    const int64_t worth = c->worth[a], gain = c->gain[a];
    const uint32_t most = c->most[a];

    for (uint32_t d = 0; d < c->dims; d++) {
        int64_t *x = &c->need[(size_t)a * c->dims + d], *y = &c->need[(size_t)b * c->dims + d];
        const int64_t need = *x;

        *x = *y;
        *y = need;
    }
    c->worth[a] = c->worth[b];
    c->worth[b] = worth;
    c->gain[a] = c->gain[b];
    c->gain[b] = gain;
    c->most[a] = c->most[b];
    c->most[b] = most;
}

/* Large ones first: they leave few ways, and small ones fill what is left. */
static void order_items(struct stow_core *c)
{
    for (uint32_t i = 0; i < c->items; i++) {
        uint32_t best = i;

        for (uint32_t j = i + 1; j < c->items; j++)
            if (share(c, j) > share(c, best))
                best = j;
        if (best != i)
            swap(c, i, best);
    }
}

int stow_hold_tabulate(struct stow_hold_work *work)
{
    order_items(&work->core);
    choose_tables(work);
    for (uint32_t i = 0; i < work->tables; i++)
        if (fill(&work->core, &work->table[i]) < 0)
            return STOW_ENOMEM;
    return STOW_OK;
}
