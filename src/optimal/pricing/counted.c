/* counted.c - some resources counted in units, all of them priced.
 *
 * Problem.  The relaxation cuts pods: half a GPU here, the other half there.  On nodes with a few
 * devices, or with room for a few pods only, its bound is several percent too high, and no search
 * that relies on it ends.
 *
 * Idea.  Divide a resource into units, round what pods need down and what the node has down: every
 * pattern that fits also fits in units.  The best set of pods that fits in units is found exactly
 * by a table over the units.  Where a unit is the smallest amount the rounding loses nothing; where
 * it is rough, the resource is priced as well: multipliers lambda >= 0 are charged for the true
 * needs and credited for the true capacity.  Both are valid, so their combination is, and they help
 * each other: units see that two large pods do not fit side by side, prices see the small ones.
 *
 * The best multipliers are found by cutting planes: each table yields a set of pods, whose value
 * and needs bound the function from below, and a linear program over these sets (one row per priced
 * resource) says where to look next.  It is column generation once more, inside one node.
 *
 * The rows of the table, one per item, serve the search as bounds afterwards (prospect.c): row i
 * holds, for each number of units left, the best that items i, i + 1, ... can add.  Large items,
 * which come first, have no rows: with one of them in, other resources are scarce, and multipliers
 * that suit both suit neither.
 *
 * A table has a limited number of cells.  The first sheet divides them evenly among the resources
 * that matter; where that is rough, a second and a third one count one resource finely and leave
 * the other to its price.  The smallest bound of all sheets counts.
 *
 * Cost: items * cells per table, at most CUTS times; once or twice when prices moved little. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "optimal/pricing/knapsack.h"

#define CUTS     STOW_SACK_CUTS
#define CLOSE    1e-4
#define MARGIN   1e-12
#define NOTABLE  0.02   /* of the bound: resources of less weight are not worth counting */
#define NEAR     0.0005 /* sheets whose bound is within that of the best are of use */
#define REVIEW   10     /* times after which all sheets are tried again */
#define LARGE    0.2    /* of the capacity: a need that makes a resource worth counting */
#define DIMS_MAX STOW_SCARCE_MAX

/* ---- which resources, in which units --------------------------------------------------------- */

/* The part of their needs that items of at least one unit lose in counting, on average. */
static double roughness(const struct stow_sack *s, uint32_t d, int64_t unit)
{
    const double *need = s->need + (size_t)d * s->max;
    double lost = 0;
    uint32_t asking = 0;

    for (uint32_t i = 0; i < s->n; i++)
        if (need[i] >= (double)unit) {
            lost += (double)((int64_t)need[i] % unit) / need[i];
            asking++;
        }
    return asking ? lost / asking : 1;
}

/* The unit that loses least, such that the node has at most `units` of it and at least half. */
static int64_t choose_unit(const struct stow_sack *s, uint32_t d, int64_t units)
{
    int64_t cap = (int64_t)s->cap[d], first = (cap + units - 1) / units, best = first;
    int64_t step = first / 24 > 1 ? first / 24 : 1;
    double least = INFINITY;

    if (cap <= units)
        return 1;
    for (int64_t unit = first; unit <= 2 * first; unit += step) {
        double lost = roughness(s, d, unit);

        if (lost < least) {
            least = lost;
            best = unit;
        }
    }
    return best;
}

static bool is_notable(const struct stow_sack *s, uint32_t d)
{
    const double *need = s->need + (size_t)d * s->max;

    if (s->cap[d] < 1)
        return false;
    if (s->lambda[d] * s->cap[d] > NOTABLE * s->bound)
        return true;
    for (uint32_t i = 0; i < s->n; i++)
        if (need[i] > LARGE * s->cap[d])
            return true;
    return false;
}

/* The notable resources, those with the fewest smallest units first; at most STOW_SHEET_DIMS. */
static uint32_t list_dims(const struct stow_sack *s, uint32_t *list)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < s->dims; d++) {
        uint32_t at = n;

        if (!is_notable(s, d))
            continue;
        while (at > 0 && s->cap[list[at - 1]] > s->cap[d])
            at--;
        if (at == STOW_SHEET_DIMS)
            continue;
        n += n < STOW_SHEET_DIMS;
        memmove(list + at + 1, list + at, (n - at - 1) * sizeof(*list));
        list[at] = d;
    }
    return n;
}

static void count_dim(const struct stow_sack *s, struct stow_price_sheet *t, uint32_t d,
                      double units)
{
    uint32_t at = t->dims++;

    t->counted[at] = d;
    t->unit[at] = choose_unit(s, d, units < 1 ? 1 : (int64_t)units);
    t->per_unit[at] = 1 / (double)t->unit[at];
    t->units[at] = (uint32_t)((int64_t)s->cap[d] / t->unit[at]);
}

static void set_strides(struct stow_price_sheet *t)
{
    size_t stride = 1;

    for (uint32_t i = t->dims; i-- > 0;) {
        t->stride[i] = stride;
        stride *= (size_t)t->units[i] + 1;
    }
}

/* Counts the listed resources, with an even share of the cells for each. */
static void make_sheet(const struct stow_sack *s, struct stow_price_sheet *t, const uint32_t *list,
                       uint32_t n, double cells)
{
    t->dims = 0;
    for (uint32_t i = 0; i < n && cells > 2; i++) {
        count_dim(s, t, list[i], pow(cells, 1.0 / (n - i)) - 1);
        cells /= t->units[i] + 1;
    }
    set_strides(t);
}

/* The even sheet, and one for each rough resource that leaves out the other rough ones. */
static void choose_sheets(struct stow_sack *s, uint32_t cells)
{
    uint32_t list[STOW_SHEET_DIMS], fine[STOW_SHEET_DIMS], exact = 0;
    uint32_t n = list_dims(s, list);
    const struct stow_price_sheet *even = &s->table[0];

    make_sheet(s, &s->table[0], list, n, cells);
    s->tables = 1;
    while (exact < even->dims && even->unit[exact] == 1)
        fine[exact] = list[exact], exact++;
    for (uint32_t i = exact; i < even->dims && even->dims - exact > 1; i++) {
        if (s->tables == STOW_SACK_TABLES)
            return;
        fine[exact] = list[i];
        make_sheet(s, &s->table[s->tables++], fine, exact + 1, cells);
    }
}

/* Counted in the smallest unit, so that a price would say nothing new. */
static bool counted_exactly(const struct stow_price_sheet *t, uint32_t d)
{
    for (uint32_t i = 0; i < t->dims; i++)
        if (t->counted[i] == d)
            return t->unit[i] == 1;
    return false;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Three numbers of units, the last one side by side in memory; what is not counted is 0. */
struct grid {
    uint32_t at[STOW_SHEET_DIMS];
};

static struct grid grid_of(const struct stow_price_sheet *t)
{
    struct grid g = {{0}};

    for (uint32_t i = 0; i < t->dims; i++)
        g.at[STOW_SHEET_DIMS - t->dims + i] = t->units[i];
    return g;
}

static struct grid take_of(const struct stow_sack *s, const struct stow_price_sheet *t, uint32_t i)
{
    struct grid g = {{0}};

    for (uint32_t j = 0; j < t->dims; j++) {
        int64_t need = (int64_t)s->need[(size_t)t->counted[j] * s->max + i];

        g.at[STOW_SHEET_DIMS - t->dims + j] = (uint32_t)(need / t->unit[j]);
    }
    return g;
}

static bool within(const struct grid *g, const struct grid *t, uint64_t times)
{
    return t->at[0] * times <= g->at[0] && t->at[1] * times <= g->at[1] &&
           t->at[2] * times <= g->at[2];
}

static size_t cell_of(const struct grid *g, const struct grid *at)
{
    return ((size_t)at->at[0] * (g->at[1] + 1) + at->at[1]) * (g->at[2] + 1) + at->at[2];
}

static size_t cells_of(const struct grid *g)
{
    return cell_of(g, g) + 1;
}

/* to = max(keep, from + gain).  `to` may be `keep`; `from` overlaps neither. */
STOW_KERNEL static void raise_cells(double *to, const double *keep, const double *restrict from,
                                    uint32_t n, double gain)
{
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (uint32_t c = 0; c < n; c++)
        to[c] = from[c] + gain > keep[c] ? from[c] + gain : keep[c];
}

/* How the cells of one line depend on others. */
struct raise {
    double *to;         /* the row that is written */
    const double *keep; /* what it would be without the item: another row, or the same */
    double gain;
    bool again; /* the item may be taken any number of times: read what was written */
};

/* Within one line, `step` cells apart, in blocks that do not overlap: upward each cell may be used
 * again, downward none is used twice. */
static void raise_line(const struct raise *r, size_t line, uint32_t cells, uint32_t step)
{
    double *to = r->to + line;
    const double *keep = r->keep + line;
    uint32_t head = step < cells ? step : cells;

    if (to != keep)
        memcpy(to, keep, head * sizeof(*to));
    if (r->again) {
        for (uint32_t c = step; c < cells; c += step)
            raise_cells(to + c, keep + c, to + c - step, cells - c < step ? cells - c : step,
                        r->gain);
    } else if (to != keep) {
        if (cells > step)
            raise_cells(to + step, keep + step, keep, cells - step, r->gain);
    } else {
        for (uint32_t end = cells; end > step;) {
            uint32_t n = end - step < step ? end - step : step;

            end -= n;
            raise_cells(to + end, keep + end, to + end - step, n, r->gain);
        }
    }
}

/* A line that takes from another line, or from none. */
static void raise_from(const struct raise *r, size_t line, uint32_t cells, uint32_t step,
                       size_t shift)
{
    const double *from = (r->again ? r->to : r->keep) + line + step - shift;

    if (r->to != r->keep)
        memcpy(r->to + line, r->keep + line, (step < cells ? step : cells) * sizeof(double));
    if (cells > step)
        raise_cells(r->to + line + step, r->keep + line + step, from, cells - step, r->gain);
}

/* All lines, upward or downward as above; those that have no line to take from are copied. */
static void raise_row(const struct raise *r, const struct grid *g, const struct grid *t)
{
    uint32_t width = g->at[2] + 1, lines = (g->at[0] + 1) * (g->at[1] + 1);
    size_t shift = cell_of(g, t);

    for (uint32_t i = 0; i < lines; i++) {
        uint32_t j = r->again || r->to != r->keep ? i : lines - 1 - i;
        size_t line = (size_t)j * width;

        if (j / (g->at[1] + 1) < t->at[0] || j % (g->at[1] + 1) < t->at[1]) {
            if (r->to != r->keep)
                memcpy(r->to + line, r->keep + line, width * sizeof(double));
        } else if (t->at[0] == 0 && t->at[1] == 0) {
            raise_line(r, line, width, t->at[2]);
        } else {
            raise_from(r, line, width, t->at[2], shift);
        }
    }
}

/* row = the best of `next` with up to this many copies of an item. */
static void add_item(double *row, const double *next, const struct grid *g, const struct grid *t,
                     double gain, uint32_t copies)
{
    struct raise r = {row, next, gain, !within(g, t, (uint64_t)copies + 1)};

    if (r.again) {
        raise_row(&r, g, t);
        return;
    }
    for (uint32_t part = 1; copies; part *= 2) { /* 1, 2, 4, ... copies at once */
        uint32_t times = part < copies ? part : copies;
        struct grid some = {{t->at[0] * times, t->at[1] * times, t->at[2] * times}};

        r.gain = gain * times;
        raise_row(&r, g, &some);
        r.keep = row;
        copies -= times;
    }
}

static bool is_nothing(const struct grid *t)
{
    return !t->at[0] && !t->at[1] && !t->at[2];
}

/* All rows for the reduced values at hand. */
static void fill_rows(const struct stow_sack *s, struct stow_price_sheet *t)
{
    struct grid g = grid_of(t);
    size_t cells = cells_of(&g);
    double *row = t->cell;

    memset(row, 0, cells * sizeof(*row));
    t->row[s->n] = row;
    t->offset[s->n] = 0;
    for (uint32_t level = s->n; level-- > s->small;) {
        uint32_t i = s->order[level];
        struct grid take = take_of(s, t, i);

        t->row[level] = t->row[level + 1];
        t->offset[level] = t->offset[level + 1];
        if (t->reduced[i] <= 0)
            continue;
        if (is_nothing(&take)) {
            t->offset[level] += t->reduced[i] * s->u[i];
            continue;
        }
        row += cells;
        add_item(row, t->row[level + 1], &g, &take, t->reduced[i], (uint32_t)s->u[i]);
        t->row[level] = row;
    }
}

static int reserve_cells(const struct stow_sack *s, struct stow_price_sheet *t)
{
    struct grid g = grid_of(t);
    size_t cells = ((size_t)s->n + 2) * cells_of(&g);

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

/* ---- multipliers ----------------------------------------------------------------------------- */

/* Reduced values, rows and bound for multipliers. */
static double evaluate(const struct stow_sack *s, struct stow_price_sheet *t, const double *lambda)
{
    double bound = 0, all = 0;

    memcpy(t->reduced, s->y, s->n * sizeof(*t->reduced));
    for (uint32_t d = 0; d < s->dims; d++) {
        const double *need = s->need + (size_t)d * s->max;

        t->lambda[d] = counted_exactly(t, d) ? 0 : lambda[d];
        bound += t->lambda[d] * s->cap[d];
        for (uint32_t i = 0; t->lambda[d] > 0 && i < s->n; i++)
            t->reduced[i] -= t->lambda[d] * need[i];
    }
    for (uint32_t i = 0; i < s->n; i++)
        all += s->u[i] * s->y[i];
    fill_rows(s, t);
    bound += t->row[s->small][stow_sheet_cell(t, s->cap)] + t->offset[s->small];
    return bound + (bound + all) * MARGIN;
}

/* How many copies of an item the best set has with this many units left. */
static uint32_t copies_chosen(const struct stow_sack *s, const struct stow_price_sheet *table,
                              uint32_t level, const struct grid *left)
{
    struct grid g = grid_of(table), t = take_of(s, table, s->order[level]);
    uint32_t i = s->order[level], best = 0;
    const double *next = table->row[level + 1] + cell_of(&g, left);
    double most = *next;

    if (table->reduced[i] <= 0)
        return 0;
    if (is_nothing(&t))
        return (uint32_t)s->u[i];
    for (uint32_t q = 1; q <= s->u[i] && within(left, &t, q); q++) {
        double value = *(next - q * cell_of(&g, &t)) + q * table->reduced[i];

        if (value > most) {
            most = value;
            best = q;
        }
    }
    return best;
}

/* Adds the best set of the last table to the cuts: its value, its needs, one of it at most. */
static void add_cut(const struct stow_sack *s, const struct stow_price_sheet *table,
                    struct stow_sack *cuts)
{
    struct grid left = grid_of(table);
    uint32_t c = cuts->n++;

    cuts->y[c] = 0;
    cuts->u[c] = 1;
    for (uint32_t d = 0; d < s->dims; d++)
        cuts->need[(size_t)d * cuts->max + c] = 0;
    for (uint32_t level = s->small; level < s->n; level++) {
        uint32_t i = s->order[level], q = copies_chosen(s, table, level, &left);
        struct grid t = take_of(s, table, i);

        cuts->y[c] += s->y[i] * q;
        for (uint32_t d = 0; q && d < s->dims; d++)
            if (!counted_exactly(table, d))
                cuts->need[(size_t)d * cuts->max + c] += s->need[(size_t)d * s->max + i] * q;
        for (uint32_t j = 0; !is_nothing(&t) && j < STOW_SHEET_DIMS; j++)
            left.at[j] -= q * t.at[j];
    }
    cuts->need[(size_t)s->dims * cuts->max + c] = 1; /* one set per node */
}

static void open_cuts(const struct stow_sack *s, struct stow_sack *cuts)
{
    cuts->n = 0;
    cuts->dims = s->dims + 1;
    memcpy(cuts->cap, s->cap, s->dims * sizeof(*cuts->cap));
    cuts->cap[s->dims] = 1;
}

/* Cutting planes from the given multipliers; leaves the best ones with their rows. */
static void tune(const struct stow_sack *s, struct stow_price_sheet *t, struct stow_sack *cuts,
                 const double *start, uint32_t rounds)
{
    const size_t size = s->dims * sizeof(double);
    double best[DIMS_MAX], lambda[DIMS_MAX], least = INFINITY;
    bool last = false;

    open_cuts(s, cuts);
    memset(best, 0, size);
    memcpy(lambda, start, size);
    for (uint32_t round = 0; round < rounds; round++) {
        double bound = evaluate(s, t, lambda);

        last = bound < least;
        if (last) {
            least = bound;
            memcpy(best, lambda, size);
        }
        if (rounds == 1)
            break;
        add_cut(s, t, cuts);
        stow_sack_solve(cuts);
        if (least - cuts->bound <= CLOSE * least)
            break;
        memcpy(lambda, cuts->lambda, size);
    }
    t->bound = last ? least : evaluate(s, t, best);
}

/* ---- all sheets ------------------------------------------------------------------------------ */

/* Which sheets are near the best one; the others are left out for some time. */
static void note_useful(const struct stow_sack *s, struct stow_sack_state *state)
{
    double least = INFINITY;

    for (uint32_t j = 0; j < s->tables; j++)
        least = s->table[j].bound < least ? s->table[j].bound : least;
    state->useful = 0;
    for (uint32_t j = 0; j < s->tables; j++)
        if (s->table[j].bound <= least * (1 + NEAR))
            state->useful |= 1u << j;
}

static int evaluate_sheet(struct stow_sack *s, uint32_t j, struct stow_sack_state *state,
                          struct stow_sack *cuts, uint32_t rounds)
{
    struct stow_price_sheet *t = &s->table[j];
    double *kept = state->table_lambda + (size_t)j * s->dims;

    STOW_TRY(reserve_cells(s, t));
    if (t->dims)
        tune(s, t, cuts, state->table_warm[j] ? kept : s->lambda, rounds);
    else
        t->bound = evaluate(s, t, s->lambda);
    t->used = true;
    memcpy(kept, t->lambda, s->dims * sizeof(*kept));
    state->table_warm[j] = true;
    return 0;
}

int stow_sack_tighten(struct stow_sack *s, struct stow_sack_state *state, struct stow_sack *cuts,
                      uint32_t cells)
{
    bool all = state->age % REVIEW == 0;

    choose_sheets(s, cells);
    for (uint32_t j = 0; j < s->tables; j++)
        s->table[j].used = false;
    for (uint32_t j = 0; j < s->tables; j++)
        if (all || s->tables == 1 || state->useful >> j & 1)
            STOW_TRY(evaluate_sheet(s, j, state, cuts, all || !state->table_warm[j] ? CUTS : 1));
    if (all)
        note_useful(s, state);
    state->age++;
    return 0;
}
