/* bound.c - Farley's bound, with limits.
 *
 * Problem.  Column generation has prices y per class long before no pattern is worth more than its
 * node costs.  Prices that violate that prove nothing as they stand.
 *
 * Idea.  Scale them down.  Let worth(g) be no less than what any pattern of kind g is worth at y.
 * For a factor t the scaled prices satisfy the condition of an unlimited kind when
 * t * worth(g) <= cost(g) = price(g) + sum of amount * w(row).  For a kind of which there are at
 * most n the violation t * worth(g) - cost(g) may instead be paid n times (its limit gets that
 * price); for a kind of which at least m must be bought the slack is earned m times.  So
 *
 *     bound(t) = t * sum of y * demand - sum of limit * w
 *                + sum over g of  least(g) * slack(g)      where slack(g) = cost(g) - t * worth(g)
 * >= 0 most(g) * slack(g)       where it is < 0
 *
 * is a true lower bound for every t from 0 to the smallest cost(g) / worth(g) of the unlimited
 * kinds.  It is concave and piecewise linear in t: walk up the break points until it falls.
 *
 * Pods left out.  For each priority the dearest of those that may be missing do not count: whatever
 * is left out instead, the sum over the rest is no smaller.
 *
 * Exactness.  t is a fraction cost / worth of two integers, y is scaled and rounded down in 128
 * bits, the prices of limits are rounded up; scaled y is at most t * y in every class, so no
 * pattern is worth more than t * worth(g).  A price of a row is for a unit of it (a core, a GiB):
 * what a node pays is rounded down, what the limit takes off is rounded up.  Sums are exact. */
#include "optimal/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"

/* ---- the walk -------------------------------------------------------------------------------- */

struct corner {
    double at;   /* factor from which the kind violates */
    double fall; /* what the slope loses there; infinite: the end */
    uint32_t kind;
};

static int by_factor(const void *a, const void *b)
{
    const struct corner *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static double cost_of(const struct stow_task *s, const double *w_row, uint32_t g)
{
    double cost = (double)s->price[g];

    for (uint32_t r = 0; r < s->m->rows; r++)
        if (w_row[r] > 0)
            cost += w_row[r] * (double)s->m->amount[(size_t)r * s->m->kinds + g] /
                    (double)s->m->row_unit[r];
    return cost;
}

static int dearest_first(const void *a, const void *b, void *context)
{
    const double *y = *(const double *const *)context;
    uint32_t x = *(const uint32_t *)a, z = *(const uint32_t *)b;

    return y[x] != y[z] ? (y[x] > y[z] ? -1 : 1) : (x < z ? -1 : x > z);
}

/* Per class how many pods must be placed: all but the dearest that may be left out. */
static int placed_counts(const struct stow_task *s, const double *y, uint32_t *placed)
{
    const struct stow_model *m = s->m;
    STOW_AUTO(stow_free_local) uint32_t *order = malloc((m->classes + 1) * sizeof(*order));
    STOW_AUTO(stow_free_local) uint32_t *spare = malloc((s->levels + 1) * sizeof(*spare));

    if (!order || !spare)
        return STOW_ENOMEM;
    memcpy(spare, s->allowance, s->levels * sizeof(*spare));
    for (uint32_t k = 0; k < m->classes; k++)
        order[k] = k;
    qsort_r(order, m->classes, sizeof(*order), dearest_first, &y);
    for (uint32_t i = 0; i < m->classes; i++) {
        uint32_t k = order[i], *rest = &spare[s->level_of[k]];
        uint32_t out = s->leave_price[s->level_of[k]] >= 0 ? 0 : s->demand[k];

        out = out < *rest ? out : *rest;
        *rest -= out;
        placed[k] = s->demand[k] - out;
    }
    return 0;
}

struct walk {
    const struct stow_task *s;
    const struct stow_prices *p;
    struct corner *corner;
    uint32_t corners;
    uint32_t *placed;
    double start, slope; /* at factor 0 */
};

/* A pod that may be left out at a price is a kind of its own: y must not exceed it. */
static void add_leaving(struct walk *w)
{
    const struct stow_task *s = w->s;

    for (uint32_t k = 0; k < s->m->classes; k++) {
        int64_t price = s->leave_price[s->level_of[k]];

        if (price >= 0 && w->p->y[k] > 0 && s->demand[k])
            w->corner[w->corners++] =
                (struct corner){(double)price / w->p->y[k], INFINITY, s->m->kinds + k};
    }
}

static void add_kinds(struct walk *w)
{
    const struct stow_task *s = w->s;

    for (uint32_t g = 0; g < s->m->kinds; g++) {
        double cost = cost_of(s, w->p->w_row, g), worth = w->p->worth[g];
        bool unlimited = s->most[g] == STOW_PROBLEM_UNLIMITED;

        w->start += s->least[g] * cost;
        w->slope -= s->least[g] * worth;
        if (worth > 0)
            w->corner[w->corners++] = (struct corner){
                cost / worth, unlimited ? INFINITY : (s->most[g] - s->least[g]) * worth, g};
    }
}

static int walk_init(struct walk *w, const struct stow_task *s, const struct stow_prices *p)
{
    *w = (struct walk){.s = s, .p = p};
    w->corner = malloc(((size_t)s->m->kinds + s->m->classes + 1) * sizeof(*w->corner));
    w->placed = malloc((s->m->classes + 1) * sizeof(*w->placed));
    if (!w->corner || !w->placed || placed_counts(s, p->y, w->placed) < 0)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < s->m->classes; k++)
        w->slope += p->y[k] * w->placed[k];
    for (uint32_t r = 0; r < s->m->rows; r++)
        w->start -= p->w_row[r] * (double)s->limit[r] / (double)s->m->row_unit[r];
    add_kinds(w);
    add_leaving(w);
    qsort(w->corner, w->corners, sizeof(*w->corner), by_factor);
    return 0;
}

static void walk_done(struct walk *w)
{
    free(w->corner);
    free(w->placed);
}

/* The corner at which the bound is largest; NULL: at factor 0.  When it grows without end (there
 * is no plan), the prices are taken as they are. */
static const struct corner *best_corner(const struct walk *w, double *ret_bound)
{
    static const struct corner as_they_are = {1, 0, UINT32_MAX};
    const struct corner *best = NULL;
    double bound = w->start, slope = w->slope, at = 0;

    for (uint32_t i = 0; i < w->corners && slope > 0; i++) {
        best = &w->corner[i];
        bound += slope * (best->at - at);
        at = best->at;
        slope -= best->fall;
    }
    if (slope > 0 && at < 1) {
        bound += slope * (1 - at);
        best = &as_they_are;
    }
    *ret_bound = bound;
    return best;
}

double stow_bound_estimate(const struct stow_task *stage, const struct stow_prices *prices,
                           double *ret_scale)
{
    struct walk w;
    double bound = -INFINITY;

    *ret_scale = 0;
    if (walk_init(&w, stage, prices) >= 0) {
        const struct corner *c = best_corner(&w, &bound);

        *ret_scale = c ? c->at : 0;
    }
    walk_done(&w);
    return bound;
}

/* ---- in integers ----------------------------------------------------------------------------- */

int stow_leaf_init(struct stow_leaf *leaf, const struct stow_model *m)
{
    *leaf = (struct stow_leaf){0};
    leaf->y = calloc(m->classes + 1, sizeof(*leaf->y));
    leaf->w_row = calloc(m->rows + 1, sizeof(*leaf->w_row));
    leaf->w_most = calloc(m->kinds + 1, sizeof(*leaf->w_most));
    leaf->w_least = calloc(m->kinds + 1, sizeof(*leaf->w_least));
    if (leaf->y && leaf->w_row && leaf->w_most && leaf->w_least)
        return 0;
    stow_leaf_done(leaf);
    return STOW_ENOMEM;
}

void stow_leaf_done(struct stow_leaf *leaf)
{
    free(leaf->y);
    free(leaf->w_row);
    free(leaf->w_most);
    free(leaf->w_least);
    *leaf = (struct stow_leaf){0};
}

/* The factor as a fraction, part / whole. */
struct factor {
    stow_i128 part, whole;
};

static stow_i128 exact_cost(const struct stow_task *s, const double *w_row, uint32_t g)
{
    stow_i128 cost = s->price[g];

    for (uint32_t r = 0; r < s->m->rows; r++)
        cost += (stow_i128)w_row[r] * s->m->amount[(size_t)r * s->m->kinds + g] / s->m->row_unit[r];
    return cost;
}

/* The smaller of a factor and what one more kind allows. */
static void lower_to(struct factor *f, stow_i128 part, double worth)
{
    stow_i128 whole = (stow_i128)worth;

    if (whole > 0 && part * f->whole < f->part * whole)
        *f = (struct factor){part, whole};
}

static struct factor exact_factor(const struct walk *w, const struct corner *best)
{
    const struct stow_task *s = w->s;
    struct factor f = {0, 1};

    if (!best)
        return f;
    f.part = 1;
    if (best->kind == UINT32_MAX)
        return f;
    if (best->kind < s->m->kinds)
        f = (struct factor){exact_cost(s, w->p->w_row, best->kind),
                            (stow_i128)w->p->worth[best->kind]};
    else
        f = (struct factor){s->leave_price[s->level_of[best->kind - s->m->kinds]],
                            (stow_i128)w->p->y[best->kind - s->m->kinds]};
    for (uint32_t g = 0; g < s->m->kinds; g++)
        if (s->most[g] == STOW_PROBLEM_UNLIMITED)
            lower_to(&f, exact_cost(s, w->p->w_row, g), w->p->worth[g]);
    for (uint32_t k = 0; k < s->m->classes; k++)
        if (s->leave_price[s->level_of[k]] >= 0 && s->demand[k])
            lower_to(&f, s->leave_price[s->level_of[k]], w->p->y[k]);
    return f;
}

/* Prices of the limits of one kind; returns what they add to the bound. */
static stow_i128 settle_kind(const struct walk *w, const struct factor *f, uint32_t g,
                             struct stow_leaf *ret)
{
    const struct stow_task *s = w->s;
    stow_i128 worth = ((stow_i128)w->p->worth[g] * f->part + f->whole - 1) / f->whole;
    stow_i128 slack = exact_cost(s, w->p->w_row, g) - worth;

    ret->w_most[g] = slack < 0 ? (int64_t)-slack : 0;
    ret->w_least[g] = slack > 0 && s->least[g] ? (int64_t)slack : 0;
    if (s->most[g] == STOW_PROBLEM_UNLIMITED)
        ret->w_most[g] = 0; /* exact_factor saw to it */
    return (stow_i128)s->least[g] * ret->w_least[g] -
           (s->most[g] == STOW_PROBLEM_UNLIMITED ? 0 : (stow_i128)s->most[g] * ret->w_most[g]);
}

/* No price at all proves that nothing costs less than nothing. */
static void clear_leaf(const struct stow_model *m, struct stow_leaf *leaf)
{
    memset(leaf->y, 0, m->classes * sizeof(*leaf->y));
    memset(leaf->w_row, 0, m->rows * sizeof(*leaf->w_row));
    memset(leaf->w_most, 0, m->kinds * sizeof(*leaf->w_most));
    memset(leaf->w_least, 0, m->kinds * sizeof(*leaf->w_least));
    leaf->bound = 0;
}

static void certify(const struct walk *w, struct stow_leaf *ret)
{
    const struct stow_task *s = w->s;
    double bound;
    struct factor f = exact_factor(w, best_corner(w, &bound));
    stow_i128 sum = 0;

    for (uint32_t k = 0; k < s->m->classes; k++) {
        ret->y[k] = (int64_t)((stow_i128)w->p->y[k] * f.part / f.whole);
        sum += (stow_i128)ret->y[k] * w->placed[k];
    }
    for (uint32_t r = 0; r < s->m->rows; r++) {
        ret->w_row[r] = (int64_t)w->p->w_row[r];
        sum -= ((stow_i128)ret->w_row[r] * s->limit[r] + s->m->row_unit[r] - 1) / s->m->row_unit[r];
    }
    for (uint32_t g = 0; g < s->m->kinds; g++)
        sum += settle_kind(w, &f, g, ret);
    if (sum < 0)
        clear_leaf(s->m, ret);
    else
        ret->bound = sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

int stow_bound_certify(const struct stow_task *stage, const struct stow_prices *prices,
                       struct stow_leaf *ret)
{
    struct walk w;
    int result = walk_init(&w, stage, prices);

    if (result >= 0)
        certify(&w, ret);
    walk_done(&w);
    return result;
}
