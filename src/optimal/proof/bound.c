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
 * Pods left out.  For each priority the most expensive of those that may be missing do not count:
 * whatever is left out instead, the sum over the rest is no smaller.
 *
 * Families.  How many pods of a family are of each of its classes is what comes out cheapest at the
 * prices (family.h); where pods may be left out, all of them where they are cheapest.  That scales
 * with the prices like everything else.
 *
 * Exactness.  t is a fraction cost / worth of two integers, y is scaled and rounded down in 128
 * bits, the prices of limits are rounded up; scaled y is at most t * y in every class, so no
 * pattern is worth more than t * worth(g).  A price of a row is for a unit of it (a core, a GiB):
 * what a node pays is rounded down, what the limit takes off is rounded up.  Sums are exact.
 *
 * Sizes.  Where there is no plan, prices can be as large as one likes, and products of large
 * prices fit nothing.  But a part of a proof proves that part of the bound: all prices times 1/2
 * leave every condition true.  So prices are brought down before anything is multiplied, and a leaf
 * whose bound is far above the best plan is brought down to about that cost, which closes it as
 * well. Nothing is cut off, and nothing wraps. */
#include "optimal/proof/bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "base/whole.h"
#include "optimal/proof/family.h"

#define TOP    0x1p60              /* of prices and worths: products of two fit 128 bits */
#define LITTLE INT64_C(1000000000) /* nano-units: far more than rounding takes off a bound */

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
    const int64_t *y = *(const int64_t *const *)context;
    uint32_t x = *(const uint32_t *)a, z = *(const uint32_t *)b;

    return y[x] != y[z] ? (y[x] > y[z] ? -1 : 1) : (x < z ? -1 : x > z);
}

/* Whether pods of a priority may be left out. */
static bool may_leave(const struct stow_task *s, uint32_t level)
{
    return s->leave_price[level] >= 0 || s->allowance[level] > 0;
}

/* How many pods of each class of a family there are, at the least. */
static void share_out(const struct stow_task *s, const struct stow_problem_family *f,
                      const int64_t *y, uint32_t *asked)
{
    const uint32_t *class_of = s->m->class_of + f->first;
    int64_t price[STOW_FAMILY_MAX];
    uint32_t cap[STOW_FAMILY_MAX], share[STOW_FAMILY_MAX], level = 0;

    for (uint32_t i = 0; i < f->classes; i++) {
        const bool taken = class_of[i] != STOW_MODEL_NONE;

        price[i] = taken ? y[class_of[i]] : 0;
        cap[i] = taken ? s->m->problem->class[f->first + i].cap : 0;
        level = taken ? s->level_of[class_of[i]] : level;
    }
    if ((may_leave(s, level) || stow_family_least(f, price, cap, share) < 0) &&
        stow_family_cheapest(f, price, cap, share) < 0)
        return; /* nothing takes any of them */
    for (uint32_t i = 0; i < f->classes; i++)
        if (class_of[i] != STOW_MODEL_NONE)
            asked[class_of[i]] = share[i];
}

/* Per class how many pods must be placed: all but the most expensive that may be left out. */
static int placed_counts(const struct stow_task *s, const int64_t *y, uint32_t *placed)
{
    const struct stow_model *m = s->m;
    STOW_AUTO(stow_free_local) uint32_t *order = malloc((m->classes + 1) * sizeof(*order));
    STOW_AUTO(stow_free_local) uint32_t *spare = malloc((s->levels + 1) * sizeof(*spare));

    if (!order || !spare)
        return STOW_ENOMEM;
    memcpy(placed, s->demand, m->classes * sizeof(*placed));
    for (uint32_t i = 0; i < m->problem->families && s->shared; i++)
        share_out(s, &m->problem->family[i], y, placed);
    memcpy(spare, s->allowance, s->levels * sizeof(*spare));
    for (uint32_t k = 0; k < m->classes; k++)
        order[k] = k;
    qsort_r(order, m->classes, sizeof(*order), dearest_first, (void *)&y);
    for (uint32_t i = 0; i < m->classes; i++) {
        uint32_t k = order[i], *rest = &spare[s->level_of[k]];
        uint32_t out = s->leave_price[s->level_of[k]] >= 0 ? 0 : placed[k];

        out = out < *rest ? out : *rest;
        *rest -= out;
        placed[k] -= out;
    }
    return 0;
}

/* The same of prices in doubles. */
static int placed_at(const struct stow_task *s, const double *y, uint32_t *placed)
{
    const uint32_t classes = s->m->classes;
    STOW_AUTO(stow_free_local) int64_t *whole = malloc((classes + 1) * sizeof(*whole));

    if (!whole)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < classes; k++)
        whole[k] = stow_whole_clamped(y[k]);
    return placed_counts(s, whole, placed);
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
    if (!w->corner || !w->placed || placed_at(s, p->y, w->placed) < 0)
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
 * is not a plan), the prices are taken as they are. */
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

int stow_bound_estimate(const struct stow_task *stage, const struct stow_prices *prices,
                        double *ret_bound, double *ret_scale)
{
    struct walk w;
    const int code = walk_init(&w, stage, prices);

    *ret_bound = -INFINITY;
    *ret_scale = 0;
    if (code >= 0) {
        const struct corner *c = best_corner(&w, ret_bound);

        *ret_scale = c ? c->at : 0;
    }
    walk_done(&w);
    return code;
}

/* ---- life ------------------------------------------------------------------------------------ */

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

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Prices whose products with one another fit 128 bits, in memory of their own. */
struct tame {
    struct stow_prices prices;
    double *memory, top; /* the largest of y and worth */
};

static double largest(const struct stow_task *s, const struct stow_prices *p)
{
    const struct stow_model *m = s->m;
    double top = 0;

    for (uint32_t k = 0; k < m->classes; k++)
        top = fmax(top, p->y[k]);
    for (uint32_t g = 0; g < m->kinds; g++)
        top = fmax(top, fmax(p->worth[g], cost_of(s, p->w_row, g) - (double)s->price[g]));
    for (uint32_t r = 0; r < m->rows; r++)
        top = fmax(top, p->w_row[r]);
    return top;
}

/* A power of two, so that nothing but the whole part is lost, each time against the bound. */
static int tame(struct tame *t, const struct stow_task *s, const struct stow_prices *p)
{
    const struct stow_model *m = s->m;
    const double top = largest(s, p);
    const int shift = top > TOP ? -ilogb(top / TOP) - 1 : 0;

    t->memory = malloc(((size_t)m->classes + m->rows + m->kinds + 1) * sizeof(*t->memory));
    if (!t->memory)
        return STOW_ENOMEM;

    double *y = t->memory, *w_row = y + m->classes, *worth = w_row + m->rows;

    t->top = 1;
    for (uint32_t k = 0; k < m->classes; k++)
        t->top = fmax(t->top, y[k] = floor(ldexp(p->y[k], shift)));
    for (uint32_t r = 0; r < m->rows; r++)
        w_row[r] = ceil(ldexp(p->w_row[r], shift));
    for (uint32_t g = 0; g < m->kinds; g++)
        t->top = fmax(t->top, worth[g] = ceil(ldexp(p->worth[g], shift)));
    t->prices = (struct stow_prices){y, w_row, worth};
    return 0;
}

/* ---- factors --------------------------------------------------------------------------------- */

/* The factor as a fraction, part / whole: both are at most about 2^62, so that products fit. */
struct factor {
    stow_i128 part, whole;
};

static stow_i128 times(const struct factor *f, stow_i128 price)
{
    return price * f->part / f->whole;
}

static stow_i128 times_up(const struct factor *f, stow_i128 price)
{
    return (price * f->part + f->whole - 1) / f->whole;
}

/* What rows let a node cost beyond its price. */
static stow_i128 paid_by_rows(const struct stow_task *s, const int64_t *w_row, uint32_t g)
{
    stow_i128 cost = 0;

    for (uint32_t r = 0; r < s->m->rows; r++)
        cost += (stow_i128)w_row[r] * s->m->amount[(size_t)r * s->m->kinds + g] / s->m->row_unit[r];
    return cost;
}

/* The smaller of a factor and what one more kind allows. */
static void lower_to(struct factor *f, stow_i128 part, stow_i128 whole)
{
    if (whole > 0 && part * f->whole < f->part * whole)
        *f = (struct factor){part, whole};
}

/* What the kinds without a limit and pods that are left out at a price allow.  `worth`: per kind.
 */
static void lower_to_unlimited(const struct stow_task *s, const struct stow_leaf *leaf,
                               const int64_t *worth, struct factor *f)
{
    for (uint32_t g = 0; g < s->m->kinds; g++)
        if (s->most[g] == STOW_PROBLEM_UNLIMITED)
            lower_to(f, s->price[g] + paid_by_rows(s, leaf->w_row, g), worth[g]);
    for (uint32_t k = 0; k < s->m->classes; k++)
        if (s->leave_price[s->level_of[k]] >= 0 && s->demand[k])
            lower_to(f, s->leave_price[s->level_of[k]], leaf->y[k]);
}

/* The factor of a corner. */
static struct factor factor_at(const struct stow_task *s, const struct stow_leaf *leaf,
                               const int64_t *worth, const struct corner *at)
{
    if (!at)
        return (struct factor){0, 1};
    if (at->kind == UINT32_MAX)
        return (struct factor){1, 1};
    if (at->kind < s->m->kinds)
        return (struct factor){s->price[at->kind] + paid_by_rows(s, leaf->w_row, at->kind),
                               worth[at->kind]};
    return (struct factor){s->leave_price[s->level_of[at->kind - s->m->kinds]],
                           leaf->y[at->kind - s->m->kinds]};
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Prices of the limits of one kind; returns what they add to the bound. */
static stow_i128 settle_kind(const struct stow_task *s, uint32_t g, stow_i128 worth,
                             struct stow_leaf *leaf)
{
    const stow_i128 slack = s->price[g] + paid_by_rows(s, leaf->w_row, g) - worth;
    const bool unlimited = s->most[g] == STOW_PROBLEM_UNLIMITED;

    assert(!unlimited || slack >= 0);
    assert(slack < INT64_MAX && slack > -INT64_MAX);
    leaf->w_most[g] = slack < 0 ? (int64_t)-slack : 0;
    leaf->w_least[g] = slack > 0 && s->least[g] ? (int64_t)slack : 0;
    return (stow_i128)s->least[g] * leaf->w_least[g] -
           (unlimited ? 0 : (stow_i128)s->most[g] * leaf->w_most[g]);
}

/* Scales y, prices the limits of kinds; the bound.  w_row stays what it is.  `placed`: room. */
static int settle(const struct stow_task *s, uint32_t *placed, const int64_t *worth,
                  const struct factor *f, struct stow_leaf *leaf, stow_i128 *ret)
{
    stow_i128 sum = 0;

    for (uint32_t k = 0; k < s->m->classes; k++)
        leaf->y[k] = (int64_t)times(f, leaf->y[k]);
    STOW_TRY(placed_counts(s, leaf->y, placed));
    for (uint32_t k = 0; k < s->m->classes; k++)
        sum += (stow_i128)leaf->y[k] * placed[k];
    for (uint32_t r = 0; r < s->m->rows; r++)
        sum -=
            ((stow_i128)leaf->w_row[r] * s->limit[r] + s->m->row_unit[r] - 1) / s->m->row_unit[r];
    for (uint32_t g = 0; g < s->m->kinds; g++)
        sum += settle_kind(s, g, times_up(f, worth[g]), leaf);
    *ret = sum;
    return 0;
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

/* So much of a bound that what is left of it is at most `most`. */
static struct factor part_of(stow_i128 bound, stow_i128 most)
{
    while (bound > STOW_WHOLE_MAX) {
        bound /= 2;
        most /= 2;
    }
    return (struct factor){most, bound};
}

/* A part of a proof is one of a part of the bound: what a node may be worth shrinks with what its
 * pods are worth, and its own price, which does not shrink, leaves room for rounding. */
static int shrink(const struct stow_task *s, uint32_t *placed, int64_t *allowed, struct factor f,
                  struct stow_leaf *leaf, stow_i128 *ret)
{
    for (uint32_t g = 0; g < s->m->kinds; g++)
        allowed[g] = (int64_t)(s->price[g] + paid_by_rows(s, leaf->w_row, g) + leaf->w_most[g] -
                               leaf->w_least[g]);
    for (uint32_t r = 0; r < s->m->rows; r++)
        leaf->w_row[r] = (int64_t)times_up(&f, leaf->w_row[r]);
    lower_to_unlimited(s, leaf, allowed, &f);
    return settle(s, placed, allowed, &f, leaf, ret);
}

/* Brings a bound down to about twice `most`, when it is above that: none above `most` is of use,
 * and where there is no plan at all it can be anything. */
static int finish(const struct stow_task *s, uint32_t *placed, int64_t *scratch, stow_i128 bound,
                  int64_t most, struct stow_leaf *leaf)
{
    const int64_t enough = most + (most > LITTLE ? most : LITTLE);

    if (bound > enough)
        STOW_TRY(shrink(s, placed, scratch, part_of(bound, enough), leaf, &bound));
    if (bound < 0)
        clear_leaf(s->m, leaf);
    else
        leaf->bound = (int64_t)bound;
    return 0;
}

static int certify(const struct walk *w, double top, int64_t most, int64_t *worth,
                   struct stow_leaf *ret)
{
    const struct stow_task *s = w->s;
    double about;
    const struct corner *best = best_corner(w, &about);
    stow_i128 bound;

    for (uint32_t k = 0; k < s->m->classes; k++)
        ret->y[k] = stow_whole(w->p->y[k]);
    for (uint32_t r = 0; r < s->m->rows; r++)
        ret->w_row[r] = stow_whole(w->p->w_row[r]);
    for (uint32_t g = 0; g < s->m->kinds; g++)
        worth[g] = stow_whole(w->p->worth[g]);

    struct factor f = factor_at(s, ret, worth, best);

    lower_to_unlimited(s, ret, worth, &f);
    lower_to(&f, stow_whole(TOP), stow_whole(top)); /* what comes out is no larger than TOP */
    STOW_TRY(settle(s, w->placed, worth, &f, ret, &bound));
    return finish(s, w->placed, worth, bound, most, ret);
}

int stow_bound_certify(const struct stow_task *stage, const struct stow_prices *prices,
                       int64_t most, struct stow_leaf *ret)
{
    struct walk w = {0};
    struct tame t = {0};
    STOW_AUTO(stow_free_local)
    int64_t *worth = malloc((stage->m->kinds + 1) * sizeof(*worth));
    int result = worth ? tame(&t, stage, prices) : STOW_ENOMEM;

    if (result >= 0)
        result = walk_init(&w, stage, &t.prices);
    if (result >= 0)
        result = certify(&w, t.top, most, worth, ret);
    walk_done(&w);
    free(t.memory);
    return result;
}

/* How much more of a row the nodes that must be bought take than there is. */
static stow_i128 missing_of(const struct stow_task *s, uint32_t r)
{
    stow_i128 sum = -(stow_i128)s->limit[r];

    for (uint32_t g = 0; g < s->m->kinds; g++)
        sum += (stow_i128)s->m->amount[(size_t)r * s->m->kinds + g] * s->least[g];
    return sum;
}

int stow_bound_by_row(const struct stow_task *s, int64_t most, struct stow_leaf *ret)
{
    uint32_t r = 0;

    while (r < s->m->rows && !(stow_task_row_counts(s, r) && missing_of(s, r) > 0))
        r++;
    if (r == s->m->rows)
        return 0;

    const size_t numbers = (size_t)s->m->classes + s->m->rows + s->m->kinds + 1;
    STOW_AUTO(stow_free_local) double *memory = calloc(numbers, sizeof(*memory));

    if (!memory)
        return STOW_ENOMEM;

    double *w_row = memory + s->m->classes;
    const struct stow_prices prices = {memory, w_row, w_row + s->m->rows};

    w_row[r] = ceil(((double)most + (double)LITTLE) * (double)s->m->row_unit[r] /
                    (double)missing_of(s, r));
    STOW_TRY(stow_bound_certify(s, &prices, most, ret));
    return 1;
}

int stow_leaf_take(const struct stow_task *stage, const struct stow_leaf *from, stow_i128 bound,
                   int64_t most, struct stow_leaf *to)
{
    const struct stow_model *m = stage->m;
    STOW_AUTO(stow_free_local) uint32_t *placed = malloc((m->classes + 1) * sizeof(*placed));
    STOW_AUTO(stow_free_local) int64_t *scratch = malloc((m->kinds + 1) * sizeof(*scratch));

    if (!placed || !scratch)
        return STOW_ENOMEM;
    memcpy(to->y, from->y, m->classes * sizeof(*to->y));
    memcpy(to->w_row, from->w_row, m->rows * sizeof(*to->w_row));
    memcpy(to->w_most, from->w_most, m->kinds * sizeof(*to->w_most));
    memcpy(to->w_least, from->w_least, m->kinds * sizeof(*to->w_least));
    return finish(stage, placed, scratch, bound, most, to);
}
