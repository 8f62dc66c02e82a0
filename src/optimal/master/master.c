/* master.c - builds the linear program and reads its prices. */
#include "optimal/master/master.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "optimal/proof/family.h"

#define NANO      1e9
#define PRICE_MAX 4e18

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t families(const struct stow_task *s)
{
    return s->shared ? s->m->problem->families : 0;
}

static void number_rows(struct stow_master *t)
{
    const struct stow_task *s = t->stage;

    t->rows = s->m->classes;
    for (uint32_t g = 0; g < s->m->kinds; g++)
        t->kind_row[g] = stow_task_kind_limited(s, g) ? t->rows++ : UINT32_MAX;
    for (uint32_t r = 0; r < s->m->rows; r++)
        t->row_row[r] = stow_task_row_counts(s, r) ? t->rows++ : UINT32_MAX;
    for (uint32_t l = 0; l < s->levels; l++)
        t->level_row[l] = s->allowance[l] > 0 && s->leave_price[l] < 0 ? t->rows++ : UINT32_MAX;
    for (uint32_t f = 0; f < families(s); f++) {
        const struct stow_problem_family *family = &s->m->problem->family[f];

        t->family_row[f] = t->rows;
        t->rows += 1 + (family->max_skew ? 2 * family->classes : 0);
    }
}

static void find_shared(struct stow_master *t)
{
    const struct stow_model *m = t->stage->m;

    for (uint32_t k = 0; k < m->problem->classes && t->stage->shared; k++)
        if (m->problem->class[k].cap && m->class_of[k] != STOW_MODEL_NONE)
            t->is_shared[m->class_of[k]] = true;
}

/* From the family's first row on.  A domain that has too many already may have none of the pods:
 * its row must not ask for a larger smallest count than there can be. */
static void bound_family(const struct stow_problem *p, const struct stow_problem_family *f,
                         double *lower, double *upper)
{
    uint32_t cap[STOW_FAMILY_MAX];
    int64_t low = 0, high;

    lower[0] = f->count;
    for (uint32_t i = 0; i < f->classes; i++)
        cap[i] = p->class[f->first + i].cap;
    if (f->max_skew)
        stow_family_levels(f, cap, &low, &high);
    for (uint32_t i = 0; i < f->classes && f->max_skew; i++) {
        const int64_t more = f->max_skew - f->held[i];

        upper[1 + 2 * i] = (double)(more > -low ? more : -low);
        upper[2 + 2 * i] = f->exists[i] ? (double)f->held[i] : STOW_LP_INFINITY;
    }
}

/* Rows are divided by their largest amount: bytes and nano-units beside counts of 1 would ask too
 * much of the solver's tolerances. */
static double row_scale(const struct stow_model *m, uint32_t r)
{
    double most = 1;

    for (uint32_t g = 0; g < m->kinds; g++)
        if ((double)m->amount[(size_t)r * m->kinds + g] > most)
            most = (double)m->amount[(size_t)r * m->kinds + g];
    return 1 / most;
}

static void bound_rows(const struct stow_master *t, double *lower, double *upper)
{
    const struct stow_task *s = t->stage;

    for (uint32_t i = 0; i < t->rows; i++) {
        lower[i] = i >= s->m->classes ? -STOW_LP_INFINITY : t->is_shared[i] ? 0 : s->demand[i];
        upper[i] = STOW_LP_INFINITY;
    }
    for (uint32_t g = 0; g < s->m->kinds; g++)
        if (t->kind_row[g] != UINT32_MAX) {
            lower[t->kind_row[g]] = s->least[g] ? s->least[g] : -STOW_LP_INFINITY;
            if (s->most[g] != STOW_PROBLEM_UNLIMITED)
                upper[t->kind_row[g]] = s->most[g];
        }
    for (uint32_t r = 0; r < s->m->rows; r++)
        if (t->row_row[r] != UINT32_MAX)
            upper[t->row_row[r]] = (double)s->limit[r] * row_scale(s->m, r);
    for (uint32_t l = 0; l < s->levels; l++)
        if (t->level_row[l] != UINT32_MAX)
            upper[t->level_row[l]] = s->allowance[l];
    for (uint32_t f = 0; f < families(s); f++)
        bound_family(s->m->problem, &s->m->problem->family[f], lower + t->family_row[f],
                     upper + t->family_row[f]);
}

static int make_lp(struct stow_master *t)
{
    STOW_AUTO(stow_free_local) double *lower = malloc((t->rows + 1) * sizeof(*lower));
    STOW_AUTO(stow_free_local) double *upper = malloc((t->rows + 1) * sizeof(*upper));

    if (!lower || !upper)
        return STOW_ENOMEM;
    bound_rows(t, lower, upper);
    t->lp = stow_lp_new(t->rows, lower, upper);
    return t->lp ? 0 : STOW_ENOMEM;
}

int stow_master_restate(struct stow_master *t)
{
    STOW_AUTO(stow_free_local) double *lower = malloc((t->rows + 1) * sizeof(*lower));
    STOW_AUTO(stow_free_local) double *upper = malloc((t->rows + 1) * sizeof(*upper));

    if (!lower || !upper)
        return STOW_ENOMEM;
    bound_rows(t, lower, upper);
    for (uint32_t i = 0; i < t->rows; i++)
        STOW_TRY(stow_lp_set_row(t->lp, i, lower[i], upper[i]));
    return 0;
}

int stow_master_remove(struct stow_master *t, const bool *out)
{
    STOW_AUTO(stow_free_local) int *list = malloc((t->patterns + 1) * sizeof(*list));
    uint32_t n = 0, kept = 0;

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t c = 0; c < t->patterns; c++)
        if (out[c])
            list[n++] = (int)(t->fixed + c);
    if (n)
        STOW_TRY(stow_lp_remove(t->lp, list, n));
    for (uint32_t c = 0; c < t->patterns; c++)
        if (!out[c])
            t->pattern[kept++] = t->pattern[c];
    t->patterns = kept;
    return 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A batch of columns in the scratch arrays. */
struct batch {
    struct stow_master *t;
    uint32_t columns, entries, costs, starts;
};

static int open_column(struct batch *b, double cost)
{
    struct stow_master *t = b->t;
    int *start = STOW_PUSH(&t->start, &b->starts, &t->start_cap);
    double *price = STOW_PUSH(&t->cost, &b->costs, &t->cost_cap);

    if (!start || !price)
        return STOW_ENOMEM;
    *start = (int)b->entries;
    *price = cost;
    b->columns++;
    return 0;
}

static int add_entry(struct batch *b, uint32_t row, double value)
{
    struct stow_master *t = b->t;
    uint32_t again = b->entries;
    int *index = STOW_PUSH(&t->index, &b->entries, &t->index_cap);
    double *to = STOW_PUSH(&t->value, &again, &t->value_cap);

    if (!index || !to)
        return STOW_ENOMEM;
    *index = (int)row;
    *to = value;
    return 0;
}

static int close_batch(struct batch *b)
{
    struct stow_master *t = b->t;
    int *start = STOW_PUSH(&t->start, &b->starts, &t->start_cap);

    if (!start)
        return STOW_ENOMEM;
    *start = (int)b->entries;
    if (b->columns == 0)
        return 0;
    return stow_lp_add(t->lp, &(struct stow_lp_columns){.count = b->columns,
                                                        .start = t->start,
                                                        .row = t->index,
                                                        .value = t->value,
                                                        .cost = t->cost});
}

/* In plans, a pod of a higher priority is missed more.  Bounds are for what a plan places: there
 * nothing may be missing, and one price for all of it keeps prices of the proof small. */
static double level_weight(const struct stow_task *s, uint32_t level)
{
    uint32_t below = s->proof_only ? 0 : s->levels - 1 - level;

    return pow(8, below < 6 ? below : 6);
}

static double missing_cost(const struct stow_master *t, uint32_t k)
{
    return t->artificial * level_weight(t->stage, t->stage->level_of[k]);
}

int stow_master_raise(struct stow_master *t, double times)
{
    t->artificial *= times;
    for (uint32_t k = 0; k < t->stage->m->classes; k++)
        STOW_TRY(stow_lp_set_cost(t->lp, k, missing_cost(t, k)));
    return 0;
}

/* s(class), where pods of its priority may be left out. */
static int add_leaving(struct batch *b, uint32_t k)
{
    const struct stow_master *t = b->t;
    const struct stow_task *s = t->stage;
    uint32_t level = s->level_of[k];
    bool priced = s->leave_price[level] >= 0;

    if (!priced && t->level_row[level] == UINT32_MAX)
        return 0;
    STOW_TRY(open_column(b, priced ? (double)s->leave_price[level] / NANO : 0));
    STOW_TRY(add_entry(b, k, 1));
    return priced ? 0 : add_entry(b, t->level_row[level], 1);
}

/* n(class), the number `i` of its family. */
static int add_share(struct batch *b, const struct stow_problem_family *f, uint32_t row, uint32_t i)
{
    const uint32_t k = b->t->stage->m->class_of[f->first + i];

    if (k == STOW_MODEL_NONE)
        return 0;
    STOW_TRY(open_column(b, 0));
    STOW_TRY(add_entry(b, k, -1));
    STOW_TRY(add_entry(b, row, 1));
    if (!f->max_skew)
        return 0;
    STOW_TRY(add_entry(b, row + 1 + 2 * i, 1));
    return add_entry(b, row + 2 + 2 * i, -1);
}

/* L of a family. */
static int add_level(struct batch *b, const struct stow_problem_family *f, uint32_t row)
{
    STOW_TRY(open_column(b, 0));
    for (uint32_t i = 0; i < f->classes; i++) {
        STOW_TRY(add_entry(b, row + 1 + 2 * i, -1));
        STOW_TRY(add_entry(b, row + 2 + 2 * i, 1));
    }
    return 0;
}

/* What families share out: n of each class, then L. */
static int add_shares(struct batch *b)
{
    const struct stow_master *t = b->t;

    for (uint32_t n = 0; n < families(t->stage); n++) {
        const struct stow_problem_family *f = &t->stage->m->problem->family[n];

        for (uint32_t i = 0; i < f->classes; i++)
            STOW_TRY(add_share(b, f, t->family_row[n], i));
        if (f->max_skew)
            STOW_TRY(add_level(b, f, t->family_row[n]));
    }
    return 0;
}

/* No more of a class than can be asked for, and no larger smallest count than can be. */
static int bound_shares(struct stow_master *t, uint32_t column)
{
    const struct stow_model *m = t->stage->m;

    for (uint32_t n = 0; n < families(t->stage); n++) {
        const struct stow_problem_family *f = &m->problem->family[n];

        for (uint32_t i = 0; i < f->classes; i++)
            if (m->class_of[f->first + i] != STOW_MODEL_NONE)
                STOW_TRY(stow_lp_set_upper(t->lp, column++, m->problem->class[f->first + i].cap));
        if (f->max_skew && f->level_most < INT64_MAX)
            STOW_TRY(stow_lp_set_upper(t->lp, column, (double)f->level_most));
        column += f->max_skew != 0;
    }
    return 0;
}

/* a(class) for all, then s(class) where pods may be left out, then what families share. */
static int add_fixed(struct stow_master *t)
{
    const struct stow_task *s = t->stage;
    struct batch b = {.t = t};

    for (uint32_t k = 0; k < s->m->classes; k++) {
        STOW_TRY(open_column(&b, missing_cost(t, k)));
        STOW_TRY(add_entry(&b, k, 1));
    }
    for (uint32_t k = 0; k < s->m->classes; k++)
        STOW_TRY(add_leaving(&b, k));

    const uint32_t first = b.columns;

    STOW_TRY(add_shares(&b));
    t->fixed = b.columns;
    STOW_TRY(close_batch(&b));
    return bound_shares(t, first);
}

/* A pod of class a can be wherever one of class b can, and asks for no more. */
static bool replaces(const struct stow_model *m, uint32_t a, uint32_t b)
{
    for (uint32_t d = 0; d < m->dims; d++)
        if (m->need[(size_t)a * m->dims + d] > m->need[(size_t)b * m->dims + d])
            return false;
    for (uint32_t g = 0; g < m->kinds; g++)
        if (stow_model_copies(m, g)[b] && !stow_model_copies(m, g)[a])
            return false;
    return true;
}

static bool same_needs(const struct stow_model *m, uint32_t a, uint32_t b)
{
    return memcmp(m->need + (size_t)a * m->dims, m->need + (size_t)b * m->dims,
                  m->dims * sizeof(*m->need)) == 0;
}

/* Whether some class stands between a and b, so that two other exchanges do the same. */
static bool between(const bool *can, uint32_t n, uint32_t a, uint32_t b)
{
    for (uint32_t c = 0; c < n; c++)
        if (c != a && c != b && can[(size_t)a * n + c] && can[(size_t)c * n + b])
            return true;
    return false;
}

static int add_exchange(struct batch *b, uint32_t small, uint32_t large)
{
    STOW_TRY(open_column(b, 0));
    STOW_TRY(add_entry(b, small, 1));
    return add_entry(b, large, -1);
}

int stow_master_add_exchanges(struct stow_master *t)
{
    const struct stow_model *m = t->stage->m;
    uint32_t n = m->classes;
    STOW_AUTO(stow_free_local) bool *can = calloc((size_t)n * n + 1, sizeof(*can));
    struct batch b = {.t = t};

    if (!can)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            can[(size_t)i * n + j] = i != j && replaces(m, i, j) && !same_needs(m, i, j);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (can[(size_t)i * n + j] && !between(can, n, i, j))
                STOW_TRY(add_exchange(&b, i, j));
    t->exchange = t->fixed;
    t->exchanges = b.columns;
    t->fixed += b.columns;
    return close_batch(&b);
}

int stow_master_drop_exchanges(struct stow_master *t)
{
    for (uint32_t i = 0; i < t->exchanges; i++)
        STOW_TRY(stow_lp_set_upper(t->lp, t->exchange + i, 0));
    t->exchanges = 0;
    return 0;
}

static double column_cost(const struct stow_master *t, uint32_t kind)
{
    return ((double)t->stage->price[kind] - t->discount[kind]) / NANO;
}

int stow_master_discount(struct stow_master *t, uint32_t kind, double discount)
{
    t->discount[kind] = discount;
    for (uint32_t c = 0; c < t->patterns; c++)
        if (t->pool->pattern[t->pattern[c]].kind == kind)
            STOW_TRY(stow_lp_set_cost(t->lp, t->fixed + c, column_cost(t, kind)));
    return 0;
}

static int add_pattern(struct batch *b, uint32_t p)
{
    struct stow_master *t = b->t;
    const struct stow_model *m = t->stage->m;
    const struct stow_pattern *pattern = &t->pool->pattern[p];
    const struct stow_term *term = stow_pool_terms(t->pool, p);

    assert(p < t->pool->patterns && pattern->kind < m->kinds);
    STOW_TRY(open_column(b, column_cost(t, pattern->kind)));
    for (uint32_t i = 0; i < pattern->terms; i++)
        STOW_TRY(add_entry(b, term[i].class, term[i].count));
    if (t->kind_row[pattern->kind] != UINT32_MAX)
        STOW_TRY(add_entry(b, t->kind_row[pattern->kind], 1));
    for (uint32_t r = 0; r < m->rows; r++) {
        int64_t amount = m->amount[(size_t)r * m->kinds + pattern->kind];

        if (t->row_row[r] != UINT32_MAX && amount)
            STOW_TRY(add_entry(b, t->row_row[r], (double)amount * row_scale(m, r)));
    }
    return 0;
}

int stow_master_add(struct stow_master *t, const uint32_t *pattern, uint32_t count)
{
    struct batch b = {.t = t};

    if (stow_vec_reserve(&t->pattern, &t->pattern_cap, t->patterns + count + 1,
                         sizeof(*t->pattern)) < 0)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(add_pattern(&b, pattern[i]));
    STOW_TRY(close_batch(&b));
    for (uint32_t i = 0; i < count; i++)
        t->pattern[t->patterns++] = pattern[i];
    return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

int stow_master_init(struct stow_master *t, const struct stow_task *stage, struct stow_pool *pool,
                     double artificial)
{
    const struct stow_model *m = stage->m;

    *t = (struct stow_master){.stage = stage, .pool = pool, .artificial = artificial};
    t->kind_row = calloc(m->kinds + 1, sizeof(*t->kind_row));
    t->row_row = calloc(m->rows + 1, sizeof(*t->row_row));
    t->level_row = calloc(stage->levels + 1, sizeof(*t->level_row));
    t->family_row = calloc(families(stage) + 1, sizeof(*t->family_row));
    t->is_shared = calloc(m->classes + 1, sizeof(*t->is_shared));
    t->y = calloc(m->classes + 1, sizeof(*t->y));
    t->w_row = calloc(m->rows + 1, sizeof(*t->w_row));
    t->w_kind = calloc(m->kinds + 1, sizeof(*t->w_kind));
    t->discount = calloc(m->kinds + 1, sizeof(*t->discount));
    if (!t->discount || !t->kind_row || !t->row_row || !t->level_row || !t->y || !t->w_row ||
        !t->w_kind || !t->family_row || !t->is_shared)
        return STOW_ENOMEM;
    find_shared(t);
    number_rows(t);
    STOW_TRY(make_lp(t));
    return add_fixed(t);
}

void stow_master_done(struct stow_master *t)
{
    stow_lp_free(t->lp);
    free(t->kind_row);
    free(t->row_row);
    free(t->level_row);
    free(t->family_row);
    free(t->is_shared);
    free(t->pattern);
    free(t->y);
    free(t->w_row);
    free(t->w_kind);
    free(t->discount);
    free(t->start);
    free(t->index);
    free(t->value);
    free(t->cost);
    memset(t, 0, sizeof(*t));
}

/* ---- solving --------------------------------------------------------------------------------- */

static double positive(double value)
{
    return value > 0 ? value : 0;
}

/* Of a unit of the row, in whole nano-units; any price proves something, so an absurd one may be
 * cut to what an integer holds. */
static double row_price(const struct stow_master *t, uint32_t r, double dual)
{
    const struct stow_model *m = t->stage->m;

    return fmin(round(positive(-dual) * row_scale(m, r) * (double)m->row_unit[r] * NANO),
                PRICE_MAX);
}

static void read_prices(struct stow_master *t)
{
    const struct stow_task *s = t->stage;
    const double *dual = stow_lp_dual(t->lp);

    for (uint32_t k = 0; k < s->m->classes; k++)
        t->y[k] = floor(positive(dual[k]) * NANO);
    for (uint32_t g = 0; g < s->m->kinds; g++)
        t->w_kind[g] = t->kind_row[g] == UINT32_MAX ? 0 : -dual[t->kind_row[g]] * NANO;
    for (uint32_t r = 0; r < s->m->rows; r++)
        t->w_row[r] = t->row_row[r] == UINT32_MAX ? 0 : row_price(t, r, dual[t->row_row[r]]);
}

int stow_master_solve(struct stow_master *t, double deadline)
{
    const double left = deadline > 0 ? deadline - stow_clock() : 0;
    int result;

    if (t->rows == 0 || t->fixed + t->patterns == 0)
        return 1; /* nothing to place: all prices are 0 */
    result = deadline > 0 && left <= 0 ? 0 : stow_lp_solve(t->lp, left);
    if (result <= 0)
        return result;
    t->objective = stow_lp_objective(t->lp) * NANO;
    read_prices(t);
    t->missing = 0;
    for (uint32_t k = 0; k < t->stage->m->classes; k++)
        t->missing += stow_lp_primal(t->lp)[k];
    return 1;
}

const double *stow_master_x(const struct stow_master *t)
{
    const double *x = stow_lp_primal(t->lp);

    return x ? x + t->fixed : NULL; /* nothing to place: no columns */
}

double stow_master_spent(const struct stow_master *t, uint32_t kind)
{
    const double *x = stow_master_x(t);
    double nodes = 0;

    for (uint32_t c = 0; c < t->patterns; c++)
        if (t->pool->pattern[t->pattern[c]].kind == kind)
            nodes += x[c];
    return nodes * (double)t->stage->price[kind];
}

double stow_master_row_cost(const struct stow_task *s, const double *w_row, uint32_t kind)
{
    double cost = 0;

    for (uint32_t r = 0; r < s->m->rows; r++)
        cost += w_row[r] * (double)s->m->amount[(size_t)r * s->m->kinds + kind] /
                (double)s->m->row_unit[r];
    return cost;
}
