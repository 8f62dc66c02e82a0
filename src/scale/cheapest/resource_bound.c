/* resource_bound.c - the bound that a person can check: a price per core, GiB, device and pod.
 *
 * At these prices (optimal/pricing/fluid.h) no group sells a node for less than its resources are
 * worth.  So the requests of the pods that are placed, less what existing nodes have free, cost at
 * least what they are worth.  The prices are whole nano-units: the sums are made in integers. */
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"
#include "optimal/pricing/fluid.h"
#include "scale/cheapest/proof_internal.h"

/* Milli-cores, bytes and devices per unit that a price is for. */
static int64_t unit_of(const struct stow_proof_job *p, stow_resource_id r)
{
    if (r == STOW_RESOURCE_CPU)
        return 1000;
    return stow_resource_in_bytes(p->yard->s, r) ? INT64_C(1) << 30 : 1;
}

/* Sum of price * amount, in 1 / (1000 * 2^30) of a nano-unit, over all resources. */
static stow_i128 worth(const struct stow_proof_job *p, const stow_nano *price,
                       const int64_t *amount)
{
    stow_i128 sum = 0;

    for (uint32_t d = 0; d < p->yard->resource_dims; d++) {
        const stow_resource_id r = p->yard->resource[d];
        const stow_i128 factor = ((stow_i128)1000 << 30) / unit_of(p, r);

        if (amount[d] > 0)
            sum += (stow_i128)price[r] * amount[d] * factor;
    }
    return sum;
}

static bool undercut(const struct stow_proof_job *p, const stow_nano *price, int64_t *amount)
{
    const struct stow_yard *yard = p->yard;

    for (uint32_t k = 0; k < p->whole->problem.kinds; k++) {
        const stow_group_id group = p->whole->kind[k].group;

        if (group == STOW_NONE)
            continue;
        for (uint32_t d = 0; d < yard->resource_dims; d++)
            amount[d] =
                stow_state_allocatable(yard->state, yard->resource[d], yard->group[group].fresh);
        if (worth(p, price, amount) > ((stow_i128)p->weights->price[group] * 1000) << 30)
            return true;
    }
    return false;
}

/* What is asked for and what can be bought, as a fluid problem: prices per unit of the yard's
 * amounts. */
static int find_fluid(struct stow_proof_job *p, double *price)
{
    const struct stow_yard *yard = p->yard;
    const uint32_t kinds = p->whole->problem.kinds, dims = yard->resource_dims;
    int64_t *capacity = stow_proof_job_take(p, (size_t)kinds * dims, sizeof(*capacity));
    int64_t *demand = stow_proof_job_take(p, dims, sizeof(*demand));
    double *asked = stow_proof_job_take(p, dims, sizeof(*asked));
    stow_nano *paid = stow_proof_job_take(p, kinds, sizeof(*paid));
    uint32_t offers = 0;

    if (!capacity || !demand || !asked || !paid)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->classes; i++)
        for (uint32_t d = 0; d < dims; d++)
            demand[d] += yard->class[stow_proof_job_class(p, i)].need[d] *
                         p->session->class_put[stow_proof_job_class(p, i)];
    for (uint32_t k = 0; k < kinds; k++) {
        const struct stow_kind_source *kind = &p->whole->kind[k];

        if (kind->group != STOW_NONE)
            paid[offers] = p->weights->price[kind->group];
        for (uint32_t d = 0; d < dims; d++) {
            if (kind->group != STOW_NONE)
                capacity[(size_t)offers * dims + d] = stow_state_allocatable(
                    yard->state, yard->resource[d], yard->group[kind->group].fresh);
            else if (p->whole->problem.kind[k].capacity[d] > 0)
                demand[d] -= p->whole->problem.kind[k].capacity[d] * kind->nodes;
        }
        offers += kind->group != STOW_NONE;
    }
    for (uint32_t d = 0; d < dims; d++)
        asked[d] = (double)demand[d];
    return stow_fluid_prices(
        &(struct stow_fluid){
            .dims = dims, .offers = offers, .demand = asked, .capacity = capacity, .price = paid},
        price);
}

/* Whole nano-units per core, GiB, device and slot that no group undercuts: the nearest ones if they
 * will do, else a little less. */
static int price_resources(struct stow_proof_job *p, stow_nano *price)
{
    int64_t *amount = stow_proof_job_take(p, p->yard->resource_dims, sizeof(*amount));
    double *fluid = stow_proof_job_take(p, p->yard->resource_dims, sizeof(*fluid));
    double scale = 1;

    if (!amount || !fluid)
        return STOW_ENOMEM;
    STOW_TRY(find_fluid(p, fluid));
    for (uint32_t tries = 0; tries < 30; tries++) {
        for (uint32_t d = 0; d < p->yard->resource_dims; d++) {
            const stow_resource_id r = p->yard->resource[d];
            const double c = fluid[d] * (double)unit_of(p, r) * scale;

            price[r] = c > 0 && c < 4e18 ? stow_whole_clamped(c + (tries == 0 ? 0.5 : 0)) : 0;
        }
        if (!undercut(p, price, amount))
            return STOW_OK;
        if (tries > 0)
            scale *= 1 - 1e-9 * (double)(UINT64_C(1) << tries);
    }
    memset(price, 0, p->yard->s->resources * sizeof(*price));
    return STOW_OK;
}

int stow_proof_job_price_resources(struct stow_proof_job *p)
{
    const struct stow_yard *yard = p->yard;
    stow_nano *price = stow_proof_job_take(p, yard->s->resources, sizeof(*price));
    int64_t *free = stow_proof_job_take(p, yard->dims, sizeof(*free));
    stow_i128 sum;

    if (!price || !free)
        return STOW_ENOMEM;
    STOW_TRY(price_resources(p, price));
    for (uint32_t i = 0; i < p->classes; i++) {
        const struct stow_yard_class *class = &yard->class[stow_proof_job_class(p, i)];
        const stow_i128 value = worth(p, price, class->need);

        p->unit[i] = (struct stow_proof_unit){class->priority, i, class->pods, value,
                                              value * (stow_i128) class->pods};
    }
    sum = stow_proof_job_sum(p);
    for (uint32_t k = 0; k < p->whole->problem.kinds; k++)
        if (p->whole->kind[k].group == STOW_NONE)
            sum -= worth(p, price, p->whole->problem.kind[k].capacity) * p->whole->kind[k].nodes;
    p->plan->proof.resource_price = price;
    p->plan->proof.resource_bound = sum <= 0 ? 0 : (stow_nano)(sum / ((stow_i128)1000 << 30));
    return STOW_OK;
}
