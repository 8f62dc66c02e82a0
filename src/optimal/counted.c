/* counted.c - one or two resources counted exactly, the others priced.
 *
 * Problem.  The relaxation cuts pods: half a GPU here, the other half there.  On nodes with a few
 * devices or few cores its bound is several percent too high, and no search that relies on it ends.
 *
 * Idea.  Price all resources but one or two.  For given multipliers of the others the best set of
 * pods that respects the counted ones in whole units is solved exactly by a table over the units.
 * That bounds the node's worth for every choice of multipliers; the best choice is found by cutting
 * planes: each table yields a set of pods, whose value and needs bound the function from below, and
 * a linear program over these sets (two or three rows) says where to look next.  It is column
 * generation once more, inside one node.
 *
 * The rows of the table, one per item, serve the search as bounds afterwards (search.c): row i
 * holds, for each number of units left, the best that items i, i + 1, ... can add.  Where three
 * resources matter (devices, cpu, memory) there are two tables: devices and cpu exactly with memory
 * priced, devices and memory exactly with cpu priced.
 *
 * Units.  A table must be small, so a resource may have to be counted in larger units, needs and
 * capacity rounded down: valid, but a need of 250 in units of 95 counts a quarter too little, and
 * then the bound is worth nothing.  So the unit is the one that divides the needs best, and a
 * resource for which all are bad stays priced.
 *
 * Cost: items * cells per table, at most CUTS times; once or twice when prices moved little. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "optimal/knapsack.h"

#define CUTS     STOW_SACK_CUTS
#define CLOSE    1e-6
#define MARGIN   1e-12
#define NOTABLE  0.02 /* of the bound: resources of less weight are not worth counting */
#define ROUGH    0.02 /* what units may cut off the needs on average */
#define DIMS_MAX STOW_PROBLEM_DIMS_MAX

/* ---- which resources
 * ------------------------------------------------------------------------------ */

/* The part of their needs that items lose when counted in a unit, on average. */
static double roughness(const struct stow_sack *s, uint32_t d, double unit)
{
    const double *need = s->need + (size_t)d * s->max;
    double lost = 0;
    uint32_t asking = 0;

    for (uint32_t i = 0; i < s->n; i++)
        if (need[i] > 0) {
            lost += fmod(need[i], unit) / need[i];
            asking++;
        }
    return asking ? lost / asking : 0;
}

/* The unit that loses least among powers of two and round decimals, such that the node has at most
 * `units` of it; 0: all are too rough. */
static double choose_unit(const struct stow_sack *s, uint32_t d, double units)
{
    static const double round_numbers[] = {1, 2, 2.5, 5};
    double best = 0, least = ROUGH;

    if (s->cap[d] <= units)
        return 1;
    for (double power = 2; power <= s->cap[d]; power *= 2)
        if (s->cap[d] / power <= units && roughness(s, d, power) < least) {
            best = power;
            least = roughness(s, d, power);
        }
    for (double ten = 10; ten <= s->cap[d]; ten *= 10)
        for (int j = 0; j < 4; j++) {
            double unit = ten * round_numbers[j];

            if (s->cap[d] / unit <= units && roughness(s, d, unit) < least) {
                best = unit;
                least = roughness(s, d, unit);
            }
        }
    return best;
}

static bool counts(const struct stow_sheet *t, uint32_t d)
{
    return (t->dims > 0 && t->counted[0] == d) || (t->dims > 1 && t->counted[1] == d);
}

/* The notable resource with the smallest capacity that is not refused; dims: none. */
static uint32_t next_dim(const struct stow_sack *s, const bool *refused)
{
    uint32_t best = s->dims;

    for (uint32_t d = 0; d < s->dims; d++)
        if (!refused[d] && s->cap[d] >= 1 && s->lambda[d] * s->cap[d] > NOTABLE * s->bound &&
            (best == s->dims || s->cap[d] < s->cap[best]))
            best = d;
    return best;
}

/* Counts the smallest resources that are not refused, as many as there is room for. */
static void choose_dims(const struct stow_sack *s, struct stow_sheet *t, bool *refused,
                        double cells)
{
    t->dims = 0;
    for (uint32_t d; cells > 1 && t->dims < 2 && (d = next_dim(s, refused)) < s->dims;) {
        double unit = choose_unit(s, d, cells - 1);
        uint32_t at = t->dims;

        refused[d] = true;
        if (unit == 0)
            continue;
        t->counted[at] = d;
        t->unit[at] = unit;
        t->per_unit[at] = 1 / unit;
        t->units[at] = (uint32_t)(s->cap[d] / unit);
        t->dims++;
        cells /= t->units[at] + 1;
    }
}

/* The second table: without the resource that the first one counts last. */
static void choose_tables(struct stow_sack *s, uint32_t cells)
{
    bool refused[DIMS_MAX] = {false};
    struct stow_sheet *first = &s->table[0], *second = &s->table[1];

    choose_dims(s, first, refused, cells);
    s->tables = 1;
    if (first->dims == 0)
        return;
    memset(refused, 0, sizeof(refused));
    refused[first->counted[first->dims - 1]] = true;
    choose_dims(s, second, refused, cells);
    s->tables += second->dims >= first->dims;
}

/* ---- the table
 * ------------------------------------------------------------------------------------ */

/* A row is `outer` + 1 times `inner` + 1 cells; what an item takes of both. */
struct grid {
    uint32_t outer, inner;
};

struct take {
    uint32_t outer, inner;
};

static struct grid grid_of(const struct stow_sheet *t)
{
    if (t->dims == 2)
        return (struct grid){t->units[0], t->units[1]};
    return (struct grid){0, t->dims ? t->units[0] : 0};
}

static uint32_t units_needed(const struct stow_sack *s, const struct stow_sheet *t, uint32_t at,
                             uint32_t i)
{
    double need = s->need[(size_t)t->counted[at] * s->max + i];

    return t->unit[at] == 1 ? (uint32_t)need : (uint32_t)floor(need / t->unit[at]);
}

static struct take take_of(const struct stow_sack *s, const struct stow_sheet *t, uint32_t i)
{
    if (t->dims == 2)
        return (struct take){units_needed(s, t, 0, i), units_needed(s, t, 1, i)};
    return (struct take){0, t->dims ? units_needed(s, t, 0, i) : 0};
}

/* to = max(to, from + gain), for cells that do not overlap. */
STOW_KERNEL static void raise_cells(double *restrict to, const double *restrict from, uint32_t n,
                                    double gain)
{
    for (uint32_t c = 0; c < n; c++)
        to[c] = from[c] + gain > to[c] ? from[c] + gain : to[c];
}

/* The same within one line, `step` cells apart, in blocks that do not overlap: upward each cell
 * may be used again, downward none is used twice. */
static void raise_line(double *line, uint32_t cells, uint32_t step, double gain, bool again)
{
    if (again) {
        for (uint32_t c = step; c < cells; c += step)
            raise_cells(line + c, line + c - step, cells - c < step ? cells - c : step, gain);
        return;
    }
    for (uint32_t end = cells; end > step;) {
        uint32_t n = end - step < step ? end - step : step;

        end -= n;
        raise_cells(line + end, line + end - step, n, gain);
    }
}

/* Takes the item once, or any number of times. */
static void raise_row(double *row, struct grid g, struct take t, double gain, bool again)
{
    size_t width = (size_t)g.inner + 1;

    if (t.outer == 0) {
        for (uint32_t o = 0; o <= g.outer; o++)
            raise_line(row + o * width, g.inner + 1, t.inner, gain, again);
        return;
    }
    for (uint32_t j = t.outer; j <= g.outer; j++) {
        uint32_t o = again ? j : g.outer + t.outer - j; /* upward or downward, as above */

        raise_cells(row + o * width + t.inner, row + (o - t.outer) * width, g.inner + 1 - t.inner,
                    gain);
    }
}

static bool within(struct grid g, struct take t, uint64_t times)
{
    return t.outer * times <= g.outer && t.inner * times <= g.inner;
}

static void add_item(double *row, struct grid g, struct take t, double gain, uint32_t copies)
{
    if (!within(g, t, (uint64_t)copies + 1)) {
        raise_row(row, g, t, gain, true);
        return;
    }
    for (uint32_t part = 1; copies; part *= 2) { /* 1, 2, 4, ... copies at once */
        uint32_t times = part < copies ? part : copies;

        raise_row(row, g, (struct take){t.outer * times, t.inner * times}, gain * times, false);
        copies -= times;
    }
}

static size_t cells_of(struct grid g)
{
    return ((size_t)g.outer + 1) * ((size_t)g.inner + 1);
}

/* All rows for the reduced values at hand. */
static void fill_rows(const struct stow_sack *s, struct stow_sheet *t)
{
    struct grid g = grid_of(t);
    size_t cells = cells_of(g);
    double *row = t->cell;

    memset(row, 0, cells * sizeof(*row));
    t->row[s->n] = row;
    t->offset[s->n] = 0;
    for (uint32_t level = s->n; level-- > 0;) {
        uint32_t i = s->order[level];
        struct take take = take_of(s, t, i);

        t->row[level] = t->row[level + 1];
        t->offset[level] = t->offset[level + 1];
        if (t->reduced[i] <= 0)
            continue;
        if (take.outer == 0 && take.inner == 0) {
            t->offset[level] += t->reduced[i] * s->u[i];
            continue;
        }
        if (!within(g, take, 1))
            continue; /* the units are rough: it fits, but its rounded need is never above */
        row += cells;
        memcpy(row, t->row[level + 1], cells * sizeof(*row));
        add_item(row, g, take, t->reduced[i], (uint32_t)s->u[i]);
        t->row[level] = row;
    }
}

static int reserve_cells(const struct stow_sack *s, struct stow_sheet *t)
{
    size_t cells = ((size_t)s->n + 2) * cells_of(grid_of(t));

    if (cells <= t->cell_cap)
        return 0;
    free(t->cell);
    t->cell_cap = 0;
    t->cell = malloc(cells * sizeof(*t->cell));
    if (!t->cell)
        return STOW_ENOMEM;
    t->cell_cap = cells;
    return 0;
}

/* ---- multipliers
 * ------------------------------------------------------------------------------------ */

/* Reduced values, rows and bound for multipliers. */
static double evaluate(const struct stow_sack *s, struct stow_sheet *t, const double *lambda)
{
    double bound = 0, all = 0;

    memcpy(t->reduced, s->y, s->n * sizeof(*t->reduced));
    for (uint32_t d = 0; d < s->dims; d++) {
        const double *need = s->need + (size_t)d * s->max;

        t->lambda[d] = counts(t, d) ? 0 : lambda[d];
        bound += t->lambda[d] * s->cap[d];
        for (uint32_t i = 0; t->lambda[d] > 0 && i < s->n; i++)
            t->reduced[i] -= t->lambda[d] * need[i];
    }
    for (uint32_t i = 0; i < s->n; i++)
        all += s->u[i] * s->y[i];
    fill_rows(s, t);
    bound += t->row[0][stow_sheet_cell(t, s->cap)] + t->offset[0];
    return bound + (bound + all) * MARGIN;
}

/* How many copies of an item the best set has with so many units left. */
static uint32_t copies_chosen(const struct stow_sack *s, const struct stow_sheet *table,
                              uint32_t level, struct grid left)
{
    size_t width = (size_t)grid_of(table).inner + 1;
    uint32_t i = s->order[level], best = 0;
    struct take t = take_of(s, table, i);
    const double *next = table->row[level + 1];
    double most = next[left.outer * width + left.inner];

    if (table->reduced[i] <= 0)
        return 0;
    if (t.outer == 0 && t.inner == 0)
        return (uint32_t)s->u[i];
    for (uint32_t q = 1; q <= s->u[i] && within(left, t, q); q++) {
        double value = next[(left.outer - q * t.outer) * width + left.inner - q * t.inner] +
                       q * table->reduced[i];

        if (value > most) {
            most = value;
            best = q;
        }
    }
    return best;
}

/* Adds the best set of the last table to the cuts: its value, its needs, one of it at most. */
static void add_cut(const struct stow_sack *s, const struct stow_sheet *table,
                    struct stow_sack *cuts)
{
    struct grid left = grid_of(table);
    uint32_t c = cuts->n++;

    cuts->y[c] = 0;
    cuts->u[c] = 1;
    for (uint32_t d = 0; d < s->dims; d++)
        cuts->need[(size_t)d * cuts->max + c] = 0;
    for (uint32_t level = 0; level < s->n; level++) {
        uint32_t i = s->order[level], q = copies_chosen(s, table, level, left);
        struct take t = take_of(s, table, i);

        cuts->y[c] += s->y[i] * q;
        for (uint32_t d = 0; q && d < s->dims; d++)
            if (!counts(table, d))
                cuts->need[(size_t)d * cuts->max + c] += s->need[(size_t)d * s->max + i] * q;
        left.outer -= q * t.outer;
        left.inner -= q * t.inner;
    }
    cuts->need[(size_t)table->counted[0] * cuts->max + c] = 1; /* one set per node */
}

static void open_cuts(const struct stow_sack *s, const struct stow_sheet *t, struct stow_sack *cuts)
{
    cuts->n = 0;
    memcpy(cuts->cap, s->cap, s->dims * sizeof(*cuts->cap));
    cuts->cap[t->counted[0]] = 1;
}

/* Cutting planes from the given multipliers; leaves the best ones with their rows. */
static void tune(const struct stow_sack *s, struct stow_sheet *t, struct stow_sack *cuts,
                 const double *start, double enough)
{
    double best[DIMS_MAX], lambda[DIMS_MAX], least = INFINITY;
    bool last = false;

    open_cuts(s, t, cuts);
    memcpy(lambda, start, sizeof(lambda));
    for (uint32_t round = 0; round < CUTS; round++) {
        double bound = evaluate(s, t, lambda);

        last = bound < least;
        if (last) {
            least = bound;
            memcpy(best, lambda, sizeof(best));
        }
        if (least <= enough)
            break;
        add_cut(s, t, cuts);
        stow_sack_solve(cuts);
        if (least - cuts->bound <= CLOSE * least)
            break;
        memcpy(lambda, cuts->lambda, sizeof(lambda));
    }
    t->bound = last ? least : evaluate(s, t, best);
}

/* ---- preparing the search
 * ------------------------------------------------------------------------------ */

static double share(const struct stow_sack *s, uint32_t i)
{
    double most = 0;

    for (uint32_t d = 0; d < s->dims; d++) {
        double need = s->need[(size_t)d * s->max + i];

        if (need > 0 && need / s->cap[d] > most)
            most = need / s->cap[d];
    }
    return most;
}

static int by_key(const void *a, const void *b, void *context)
{
    const double *key = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return key[x] != key[y] ? (key[x] > key[y] ? -1 : 1) : (x < y ? -1 : x > y);
}

/* Large items first; before them those that ask for a counted resource of which there is little. */
static void sort_items(struct stow_sack *s)
{
    const struct stow_sheet *t = &s->table[0];
    bool few = t->dims && s->cap[t->counted[0]] <= 32;

    for (uint32_t i = 0; i < s->n; i++) {
        s->order[i] = i;
        s->key[i] = share(s, i);
        if (few)
            s->key[i] += 2 * s->need[(size_t)t->counted[0] * s->max + i];
    }
    qsort_r(s->order, s->n, sizeof(*s->order), by_key, s->key);
}

int stow_sack_tighten(struct stow_sack *s, struct stow_sack_state *state, struct stow_sack *cuts,
                      double enough, uint32_t cells)
{
    choose_tables(s, cells);
    sort_items(s);
    for (uint32_t j = 0; j < s->tables && s->bound > enough; j++) {
        struct stow_sheet *t = &s->table[j];

        STOW_TRY(reserve_cells(s, t));
        if (t->dims)
            tune(s, t, cuts, state->table_warm[j] ? state->table_lambda[j] : s->lambda, enough);
        else
            t->bound = evaluate(s, t, s->lambda);
        memcpy(state->table_lambda[j], t->lambda, sizeof(t->lambda));
        state->table_warm[j] = true;
        if (t->bound < s->bound)
            s->bound = t->bound;
    }
    return 0;
}
