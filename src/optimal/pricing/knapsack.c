/* knapsack.c - bounding and relaxing the knapsack of one node.
 *
 * Problem.  Column generation asks, for every kind and in every round, whether some pattern is
 * worth more than the node costs.  There are hundreds of kinds and hundreds of rounds.
 *
 * Idea.  Any multipliers lambda >= 0, one per resource, bound what a node can be worth by
 * lambda * cap + sum of u * max(0, y - lambda * need): one pass over the classes.  The best
 * multipliers are the duals of the linear relaxation.  They move little between rounds, so each
 * kind keeps its own: most kinds are settled by the pass, and where it fails the relaxation goes
 * on from its last basis.  Only y changes between rounds, so that basis stays feasible and a few
 * pivots do.
 *
 * Why a simplex of our own: the problem has two to four rows and bounded columns.  A general
 * solver spends longer on being called than this one on solving.
 *
 * Rounding.  y, u, needs and capacities are whole numbers below 2^53, hence exact.  The sum in a
 * bound has at most classes + dims terms, each product and sum rounded once, and the parts are
 * >= 0; so its relative error is below (classes + 2 dims + 4) * 2^-53, and subtracting within
 * max(0, y - lambda * need) adds at most u * y * (dims + 1) * 2^-53 per class.  MARGIN covers both
 * many times over: it is taken of the bound plus the sum of all u * y.
 *
 * Cost.  O(classes * dims) for a check or a pivot. */
#include "optimal/pricing/knapsack.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN   1e-12
#define PIVOTS   400
#define TINY     1e-9
#define SETTLED  1e-7 /* of the value: a gain below that is none */
#define DIMS_MAX STOW_SCARCE_MAX

/* ---- memory ---------------------------------------------------------------------------------- */

static void table_done(struct stow_price_sheet *t)
{
    free(t->reduced);
    free(t->offset);
    free(t->row);
    free(t->cell);
}

void stow_sack_done(struct stow_sack *s)
{
    void *owned[] = {s->class, s->y,     s->u,    s->need, s->reduced, s->x,       s->count,
                     s->order, s->trial, s->left, s->key,  s->item_of, s->inverse, s->work};

    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
        free(owned[i]);
    for (uint32_t i = 0; i < STOW_SACK_TABLES; i++)
        table_done(&s->table[i]);
    memset(s, 0, sizeof(*s));
}

static bool table_init(struct stow_price_sheet *t, size_t levels)
{
    t->reduced = calloc(levels, sizeof(*t->reduced));
    t->offset = calloc(levels, sizeof(*t->offset));
    t->row = calloc(levels, sizeof(*t->row));
    return t->reduced && t->offset && t->row;
}

static bool allocate(struct stow_sack *s, size_t n)
{
    s->class = calloc(n, sizeof(*s->class));
    s->y = calloc(n, sizeof(*s->y));
    s->u = calloc(n, sizeof(*s->u));
    s->need = calloc(n * (s->dims + 1), sizeof(*s->need));
    s->reduced = calloc(n, sizeof(*s->reduced));
    s->x = calloc(n, sizeof(*s->x));
    s->count = calloc(n * STOW_SACK_PATTERNS, sizeof(*s->count));
    s->order = calloc(n, sizeof(*s->order));
    s->trial = calloc(n, sizeof(*s->trial));
    s->left = calloc(s->dims + 1, sizeof(*s->left));
    s->key = calloc(n, sizeof(*s->key));
    s->item_of = calloc(n, sizeof(*s->item_of));
    s->inverse = calloc((size_t)s->dims * s->dims + 1, sizeof(*s->inverse));
    s->work = calloc((size_t)s->dims * s->dims * 2 + 1, sizeof(*s->work));
    return s->class && s->y && s->u && s->need && s->reduced && s->x && s->count && s->order &&
           s->trial && s->left && s->key && s->item_of && s->inverse && s->work;
}

int stow_sack_init(struct stow_sack *s, uint32_t classes, uint32_t dims)
{
    *s = (struct stow_sack){.max = classes + 1, .dims = dims, .dims_max = dims, .classes = classes};
    assert(dims <= STOW_SCARCE_MAX);

    bool made = allocate(s, (size_t)classes + 1);

    for (uint32_t i = 0; made && i < STOW_SACK_TABLES; i++)
        made = table_init(&s->table[i], (size_t)classes + 2);
    if (made)
        return 0;
    stow_sack_done(s);
    return STOW_ENOMEM;
}

void stow_sack_state_open(struct stow_sack_state *state, uint32_t dims, double *numbers,
                          int32_t *basis, uint64_t *at_upper)
{
    *state = (struct stow_sack_state){.dims = dims,
                                      .lambda = numbers,
                                      .table_lambda = numbers + dims,
                                      .basis = basis,
                                      .at_upper = at_upper};
    state->known.lambda = numbers + (size_t)(1 + STOW_SACK_TABLES) * dims;
}

/* ---- bounds by multipliers ------------------------------------------------------------------- */

static double copies_within(const struct stow_sack_input *in, uint32_t k)
{
    return in->copies[k] < in->demand[k] ? in->copies[k] : in->demand[k];
}

static uint32_t dim_of(const struct stow_sack_input *in, uint32_t d)
{
    return in->dim ? in->dim[d] : d;
}

static const double *needs_of(const struct stow_sack_input *in, uint32_t d)
{
    return in->need_by_dim + (size_t)dim_of(in, d) * in->classes;
}

double stow_sack_check(const struct stow_sack_input *in, const double *lambda)
{
    double bound = 0, all = 0;

    for (uint32_t d = 0; d < in->dims; d++)
        bound += lambda[d] * (double)in->capacity[dim_of(in, d)];
    for (uint32_t k = 0; k < in->classes; k++) {
        double u = copies_within(in, k), gain = in->y[k];

        for (uint32_t d = 0; d < in->dims; d++)
            gain -= lambda[d] * needs_of(in, d)[k];
        bound += gain > 0 ? u * gain : 0;
        all += u * in->y[k];
    }
    return bound + (bound + all) * MARGIN;
}

/* The same over the items at hand; leaves the reduced values behind. */
static void price_items(struct stow_sack *s, const double *lambda)
{
    double bound = 0, all = 0;

    memcpy(s->reduced, s->y, s->n * sizeof(*s->reduced));
    for (uint32_t d = 0; d < s->dims; d++) {
        const double *need = s->need + (size_t)d * s->max;

        bound += lambda[d] * s->cap[d];
        for (uint32_t i = 0; i < s->n; i++)
            s->reduced[i] -= lambda[d] * need[i];
    }
    for (uint32_t i = 0; i < s->n; i++) {
        bound += s->reduced[i] > 0 ? s->u[i] * s->reduced[i] : 0;
        all += s->u[i] * s->y[i];
    }
    s->bound = bound + (bound + all) * MARGIN;
}

/* ---- loading --------------------------------------------------------------------------------- */

void stow_sack_load(struct stow_sack *s, const struct stow_sack_input *in)
{
    s->n = s->tables = 0;
    s->dims = in->dims;
    assert(s->dims <= s->dims_max);
    for (uint32_t d = 0; d < s->dims; d++)
        s->cap[d] = (double)in->capacity[dim_of(in, d)];
    for (uint32_t k = 0; k < in->classes; k++) {
        double u = copies_within(in, k);

        s->item_of[k] = UINT32_MAX;
        if (u < 1 || in->y[k] <= 0)
            continue;
        s->item_of[k] = s->n;
        s->class[s->n] = k;
        s->y[s->n] = in->y[k];
        s->u[s->n] = u;
        for (uint32_t d = 0; d < s->dims; d++)
            s->need[(size_t)d * s->max + s->n] = needs_of(in, d)[k];
        s->n++;
    }
}

static void move_item(struct stow_sack *s, uint32_t from, uint32_t to)
{
    s->class[to] = s->class[from];
    s->y[to] = s->y[from];
    s->u[to] = s->u[from];
    s->x[to] = s->x[from];
    s->reduced[to] = s->reduced[from];
    for (uint32_t d = 0; d < s->dims; d++)
        s->need[(size_t)d * s->max + to] = s->need[(size_t)d * s->max + from];
}

/* Every copy of an item whose multipliers say more than its price takes that much off the bound. */
void stow_sack_trim(struct stow_sack *s, double above)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        if (s->reduced[i] < 0) {
            double copies = floor((s->bound - above) / -s->reduced[i]);

            if (copies < 1)
                continue;
            s->u[i] = copies < s->u[i] ? copies : s->u[i];
        }
        move_item(s, i, kept++);
    }
    s->n = kept;
}

static int by_reduced(const void *a, const void *b, void *context)
{
    const struct stow_sack *s = context;
    double x = s->reduced[*(const uint32_t *)a], y = s->reduced[*(const uint32_t *)b];

    if (x != y)
        return x > y ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

bool stow_sack_focus(struct stow_sack *s, uint32_t items)
{
    uint32_t kept = 0;

    if (s->n <= items)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        s->order[i] = i;
    qsort_r(s->order, s->n, sizeof(*s->order), by_reduced, s);
    memset(s->trial, 0, s->n * sizeof(*s->trial));
    for (uint32_t i = 0; i < items; i++)
        s->trial[s->order[i]] = 1;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->trial[i])
            move_item(s, i, kept++);
    s->n = kept;
    return true;
}

/* ---- the relaxation: a bounded primal simplex with one row per resource ---------------------- */

struct simplex {
    struct stow_sack *s;
    uint32_t rows;
    int32_t basis[DIMS_MAX]; /* item, or -1 - dim */
    double *inverse;         /* [row * rows + column], of the basis */
    double basic[DIMS_MAX];  /* values of the basic variables */
    double lambda[DIMS_MAX];
    uint32_t *upper; /* per item: 1 at its upper bound (the scratch array trial) */
};

static double entry(const struct simplex *t, int32_t var, uint32_t row)
{
    if (var < 0)
        return (uint32_t)(-1 - var) == row ? 1 : 0;
    return t->s->need[(size_t)row * t->s->max + (uint32_t)var];
}

static double upper_of(const struct simplex *t, int32_t var)
{
    return var < 0 ? INFINITY : t->s->u[var];
}

static double *row_of(const struct simplex *t, uint32_t row)
{
    return t->inverse + (size_t)row * t->rows;
}

static void swap_rows(double *a, double *b, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        double keep = a[j];

        a[j] = b[j];
        b[j] = keep;
    }
}

/* Gauss-Jordan with row pivoting on the matrix of the basis; false: singular. */
static bool invert(struct simplex *t)
{
    double *work = t->s->work;
    const size_t n = t->rows, width = 2 * n;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            work[i * width + j] = entry(t, t->basis[j], i);
            work[i * width + n + j] = i == j;
        }
    for (uint32_t c = 0; c < n; c++) {
        uint32_t best = c;
        double *pivots = work + c * width;

        for (uint32_t i = c + 1; i < n; i++)
            if (fabs(work[i * width + c]) > fabs(work[best * width + c]))
                best = i;
        if (fabs(work[best * width + c]) < TINY)
            return false;
        swap_rows(work + best * width, pivots, 2 * t->rows);
        for (uint32_t j = 2 * t->rows; j-- > c;)
            pivots[j] /= pivots[c];
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 2 * t->rows; i != c && j-- > c;)
                work[i * width + j] -= work[i * width + c] * pivots[j];
    }
    for (uint32_t i = 0; i < n; i++)
        memcpy(row_of(t, i), work + i * width + n, n * sizeof(double));
    return true;
}

static void basic_values(struct simplex *t)
{
    const struct stow_sack *s = t->s;
    double rest[DIMS_MAX];

    for (uint32_t d = 0; d < t->rows; d++) {
        rest[d] = s->cap[d];
        for (uint32_t i = 0; i < s->n; i++)
            if (t->upper[i])
                rest[d] -= s->u[i] * s->need[(size_t)d * s->max + i];
    }
    for (uint32_t i = 0; i < t->rows; i++) {
        t->basic[i] = 0;
        for (uint32_t d = 0; d < t->rows; d++)
            t->basic[i] += row_of(t, i)[d] * rest[d];
    }
}

static bool feasible(const struct simplex *t)
{
    for (uint32_t i = 0; i < t->rows; i++)
        if (!(t->basic[i] >= -1e-7 && t->basic[i] <= upper_of(t, t->basis[i]) + 1e-7))
            return false;
    return true;
}

static void start_cold(struct simplex *t)
{
    memset(t->upper, 0, t->s->n * sizeof(*t->upper));
    for (uint32_t d = 0; d < t->rows; d++)
        t->basis[d] = -1 - (int32_t)d;
    memset(t->inverse, 0, (size_t)t->rows * t->rows * sizeof(*t->inverse));
    for (uint32_t d = 0; d < t->rows; d++) {
        row_of(t, d)[d] = 1;
        t->basic[d] = t->s->cap[d];
    }
}

/* The basis of the last round, when it still means something. */
static bool start_warm(struct simplex *t, const struct stow_sack_state *state)
{
    const struct stow_sack *s = t->s;

    for (uint32_t i = 0; i < s->n; i++)
        t->upper[i] = state->at_upper[s->class[i] / 64] >> (s->class[i] % 64) & 1;
    for (uint32_t d = 0; d < t->rows; d++) {
        int32_t var = state->basis[d];

        if (var >= 0 && s->item_of[var] == UINT32_MAX)
            return false;
        t->basis[d] = var >= 0 ? (int32_t)s->item_of[var] : var;
        if (var >= 0)
            t->upper[s->item_of[var]] = 0;
    }
    if (!invert(t))
        return false;
    basic_values(t);
    return feasible(t);
}

static void multipliers(struct simplex *t)
{
    for (uint32_t d = 0; d < t->rows; d++) {
        t->lambda[d] = 0;
        for (uint32_t i = 0; i < t->rows; i++)
            if (t->basis[i] >= 0)
                t->lambda[d] += t->s->y[t->basis[i]] * row_of(t, i)[d];
    }
}

/* The variable whose move gains most if it goes all the way; INT32_MIN: none. */
static int32_t entering(struct simplex *t, double least)
{
    const struct stow_sack *s = t->s;
    int32_t best = INT32_MIN;
    double most = least;

    for (uint32_t i = 0; i < s->n; i++) {
        double gain = (t->upper[i] ? -s->reduced[i] : s->reduced[i]) * s->u[i];

        if (gain > most) {
            most = gain;
            best = (int32_t)i;
        }
    }
    for (uint32_t d = 0; d < t->rows; d++)
        if (-t->lambda[d] * s->cap[d] > most) {
            most = -t->lambda[d] * s->cap[d];
            best = -1 - (int32_t)d;
        }
    for (uint32_t i = 0; i < t->rows; i++)
        if (t->basis[i] == best)
            return INT32_MIN; /* only rounding could say so */
    return best;
}

/* How far the entering variable goes; *ret_row is the row that stops it, or rows: its own bound. */
static double ratio(const struct simplex *t, const double *column, double sign, int32_t var,
                    uint32_t *ret_row)
{
    double step = upper_of(t, var);

    *ret_row = t->rows;
    for (uint32_t i = 0; i < t->rows; i++) {
        double rate = column[i] * sign, room = INFINITY;

        if (rate > TINY)
            room = t->basic[i] / rate;
        else if (rate < -TINY)
            room = (upper_of(t, t->basis[i]) - t->basic[i]) / -rate;
        if (room < step) {
            step = room > 0 ? room : 0;
            *ret_row = i;
        }
    }
    return step;
}

static void replace(struct simplex *t, uint32_t row, const double *column)
{
    double pivot = column[row];

    for (uint32_t d = 0; d < t->rows; d++)
        row_of(t, row)[d] /= pivot;
    for (uint32_t i = 0; i < t->rows; i++)
        for (uint32_t d = 0; i != row && d < t->rows; d++)
            row_of(t, i)[d] -= column[i] * row_of(t, row)[d];
}

/* False: nothing bounds the step, which only rounding can bring about. */
static bool pivot(struct simplex *t, int32_t var)
{
    double column[DIMS_MAX], sign = var >= 0 && t->upper[var] ? -1 : 1;
    uint32_t row;

    for (uint32_t i = 0; i < t->rows; i++) {
        column[i] = 0;
        for (uint32_t d = 0; d < t->rows; d++)
            column[i] += row_of(t, i)[d] * entry(t, var, d);
    }

    double step = ratio(t, column, sign, var, &row);

    if (row == t->rows && var < 0)
        return false;
    for (uint32_t i = 0; i < t->rows; i++)
        t->basic[i] -= step * sign * column[i];
    if (row == t->rows) { /* from one bound to the other */
        t->upper[var] = !t->upper[var];
        return true;
    }

    int32_t leaves = t->basis[row];
    bool at_upper = column[row] * sign < 0; /* it grew until it met its bound */

    t->basic[row] = sign > 0 ? step : t->s->u[var] - step;
    t->basis[row] = var;
    if (leaves >= 0)
        t->upper[leaves] = at_upper;
    if (var >= 0)
        t->upper[var] = 0;
    replace(t, row, column);
    return true;
}

static void keep_state(const struct simplex *t, struct stow_sack_state *state)
{
    const struct stow_sack *s = t->s;

    memset(state->at_upper, 0, (s->classes + 63) / 64 * sizeof(*state->at_upper));
    for (uint32_t i = 0; i < s->n; i++)
        if (t->upper[i])
            state->at_upper[s->class[i] / 64] |= UINT64_C(1) << (s->class[i] % 64);
    for (uint32_t d = 0; d < t->rows; d++)
        state->basis[d] = t->basis[d] >= 0 ? (int32_t)s->class[t->basis[d]] : t->basis[d];
    memcpy(state->lambda, s->lambda, t->rows * sizeof(*state->lambda));
    state->warm = true;
}

static void take_solution(struct simplex *t)
{
    struct stow_sack *s = t->s;

    for (uint32_t d = 0; d < t->rows; d++)
        s->lambda[d] = t->lambda[d] > 0 ? t->lambda[d] : 0;
    price_items(s, s->lambda);
    for (uint32_t i = 0; i < s->n; i++)
        s->x[i] = t->upper[i] ? s->u[i] : 0;
    for (uint32_t i = 0; i < t->rows; i++)
        if (t->basis[i] >= 0)
            s->x[t->basis[i]] = t->basic[i];
}

static void iterate(struct simplex *t)
{
    for (uint32_t round = 0; round < PIVOTS; round++) {
        multipliers(t);
        price_items(t->s, t->lambda);

        int32_t var = entering(t, SETTLED * fabs(t->s->bound) + TINY);

        if (var == INT32_MIN || !pivot(t, var))
            break;
    }
    take_solution(t);
}

/* The rest is filled in by the start. */
static void open_simplex(struct simplex *t, struct stow_sack *s)
{
    t->s = s;
    t->rows = s->dims;
    t->upper = s->trial;
    t->inverse = s->inverse;
}

void stow_sack_solve(struct stow_sack *s)
{
    struct simplex t;

    open_simplex(&t, s);
    start_cold(&t);
    iterate(&t);
}

void stow_sack_relax(struct stow_sack *s, struct stow_sack_state *state)
{
    struct simplex t;

    open_simplex(&t, s);
    if (!state->warm || !start_warm(&t, state))
        start_cold(&t);
    iterate(&t);
    keep_state(&t, state);
}
