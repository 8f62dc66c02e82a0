/* resource_prices.c - the fluid problem: what resources are worth if pods were a liquid.
 *
 *     maximise   sum of c(d) * (needs of all pods - room of the nodes that cost nothing)
 *     such that  sum of c(d) * capacity(g, d) <= price(g)   for every kind that costs something
 *
 * Every plan costs at least that much, and a person can check it: a price per core, per GiB, per
 * device and slot, at which no kind is worth more than it costs.  It is weaker than the bound by
 * patterns, and it starts that one: a class whose price is what its resources cost already
 * satisfies the condition for every kind.
 *
 * Solved as its dual, because lp.h minimises and its columns are cheap: the kinds are columns, the
 * resources rows, and the prices of the rows are the answer. */
#include "optimal/resource_prices.h"

#include <stdlib.h>

#include "base/vec.h"
#include "optimal/lp.h"

/* Needs of all pods less what stands ready. */
static void demands(const struct stow_task *s, double *lower)
{
    const struct stow_model *m = s->m;

    for (uint32_t d = 0; d < m->dims; d++) {
        lower[d] = 0;
        for (uint32_t k = 0; k < m->classes; k++)
            lower[d] += (double)m->need[(size_t)k * m->dims + d] *
                        (s->shared ? m->demand[k] : s->demand[k]);
        for (uint32_t g = 0; g < m->kinds; g++)
            if (s->price[g] == 0 && s->most[g] != STOW_PROBLEM_UNLIMITED)
                lower[d] -= (double)m->capacity[(size_t)g * m->dims + d] * s->most[g];
    }
}

/* One column per kind that costs something or cannot run out, scaled by the resource's demand. */
static int add_kinds(struct stow_lp *lp, const struct stow_task *s, const double *scale)
{
    const struct stow_model *m = s->m;
    STOW_AUTO(stow_free_local) int *row = malloc((m->dims + 1) * sizeof(*row));
    STOW_AUTO(stow_free_local) double *value = malloc((m->dims + 1) * sizeof(*value));
    int start[2] = {0, (int)m->dims};

    if (!row || !value)
        return STOW_ENOMEM;

    for (uint32_t g = 0; g < m->kinds; g++) {
        double cost = (double)s->price[g] * 1e-9;

        if (s->price[g] == 0 && s->most[g] != STOW_PROBLEM_UNLIMITED)
            continue;
        for (uint32_t d = 0; d < m->dims; d++) {
            row[d] = (int)d;
            value[d] = (double)m->capacity[(size_t)g * m->dims + d] * scale[d];
        }
        STOW_TRY(stow_lp_add(
            lp, &(struct stow_lp_columns){
                    .count = 1, .start = start, .row = row, .value = value, .cost = &cost}));
    }
    return 0;
}

int stow_resource_prices(const struct stow_task *s, double *ret_price)
{
    const size_t size = (s->m->dims + 1) * sizeof(double);
    STOW_AUTO(stow_free_local) double *lower = malloc(size);
    STOW_AUTO(stow_free_local) double *upper = malloc(size);
    STOW_AUTO(stow_free_local) double *scale = malloc(size);

    if (!lower || !upper || !scale)
        return STOW_ENOMEM;
    demands(s, lower);
    for (uint32_t d = 0; d < s->m->dims; d++) {
        scale[d] = lower[d] > 1 ? 1 / lower[d] : 1;
        lower[d] = lower[d] > 1 ? 1 : lower[d] > 0 ? lower[d] : 0;
        upper[d] = STOW_LP_INFINITY;
        ret_price[d] = 0;
    }

    struct stow_lp *lp = stow_lp_new(s->m->dims, lower, upper);
    int result = lp ? add_kinds(lp, s, scale) : STOW_ENOMEM;

    if (result >= 0)
        result = stow_lp_solve(lp, 0);
    for (uint32_t d = 0; result == 1 && d < s->m->dims; d++)
        ret_price[d] = stow_lp_dual(lp)[d] > 0 ? stow_lp_dual(lp)[d] * scale[d] * 1e9 : 0;
    stow_lp_free(lp);
    return result < 0 ? result : !result;
}
