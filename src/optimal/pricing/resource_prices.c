/* resource_prices.c - the fluid problem (fluid.h) of a task.
 *
 * Its bound is weaker than the bound by patterns, and it starts that one: a class whose price is
 * what its resources cost already satisfies the condition for every kind. */
#include "optimal/pricing/resource_prices.h"

#include <stdlib.h>

#include "base/vec.h"
#include "optimal/pricing/fluid.h"

static bool is_free(const struct stow_task *s, uint32_t g)
{
    return s->price[g] == 0 && s->most[g] != STOW_PROBLEM_UNLIMITED;
}

/* Needs of all pods less what is free. */
static void demands(const struct stow_task *s, double *demand)
{
    const struct stow_model *m = s->m;

    for (uint32_t d = 0; d < m->dims; d++) {
        demand[d] = 0;
        for (uint32_t k = 0; k < m->classes; k++)
            demand[d] += (double)m->need[(size_t)k * m->dims + d] *
                         (s->shared ? m->demand[k] : s->demand[k]);
        for (uint32_t g = 0; g < m->kinds; g++)
            if (is_free(s, g))
                demand[d] -= (double)m->capacity[(size_t)g * m->dims + d] * s->most[g];
    }
}

int stow_resource_prices(const struct stow_task *s, double *ret_price)
{
    STOW_AUTO(stow_free_local) double *demand = malloc(((size_t)s->m->dims + 1) * sizeof(*demand));
    STOW_AUTO(stow_free_local)
    uint32_t *offer = malloc(((size_t)s->m->kinds + 1) * sizeof(*offer));
    uint32_t offers = 0;

    if (!demand || !offer)
        return STOW_ENOMEM;
    demands(s, demand);
    for (uint32_t g = 0; g < s->m->kinds; g++)
        if (!is_free(s, g))
            offer[offers++] = g;
    return stow_fluid_prices(&(struct stow_fluid){.dims = s->m->dims,
                                                  .offers = offers,
                                                  .demand = demand,
                                                  .offer = offer,
                                                  .capacity = s->m->capacity,
                                                  .price = s->price},
                             ret_price);
}
