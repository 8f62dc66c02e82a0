/* single.c - one workload after another, each the cheapest on what is left. */
#include "divide/joint/joint_internal.h"

/* What workloads hold is theirs until it is their turn; where a cluster has several sites, it is
 * not known on which, and it counts as free. */
static void reserve(const struct stow_joint *j, struct stow_joint_plan *plan,
                    const struct stow_joint_workload *w, int64_t sign)
{
    const struct stow_joint_problem *p = j->p;

    for (uint32_t i = 0; i < w->shares; i++) {
        const struct stow_joint_share *share = &p->share[w->share + i];
        uint32_t site = STOW_JOINT_NONE, count = 0;

        for (uint32_t k = w->option; k < w->option + w->options; k++)
            if (p->site[p->option[k].site].cluster == share->cluster) {
                site = p->option[k].site;
                count++;
            }
        if (count != 1)
            continue;
        for (uint32_t u = p->site[site].use; u < p->site[site].use + p->site[site].uses; u++)
            plan->free[p->use[u].row] -= sign * share->held * w->request[p->use[u].resource];
    }
}

int stow_joint_one_by_one(struct stow_joint *j, int64_t *ret, struct stow_err *err)
{
    struct stow_joint_plan plan;
    stow_nano *price = stow_arena_alloc(j->arena, (j->cells + 1) * sizeof(*price));

    STOW_TRY(stow_plan_open(j, &plan, err));
    if (!price)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < j->cells; i++)
        price[i] = j->cell[i].price;
    for (uint32_t i = 0; i < j->p->workloads; i++)
        reserve(j, &plan, &j->p->workload[i], 1);
    for (uint32_t i = 0; i < j->p->workloads; i++) {
        reserve(j, &plan, &j->p->workload[i], -1);
        if (j->party_of[i] != STOW_JOINT_NONE)
            STOW_TRY(stow_plan_divide(j, &plan, &j->party[j->party_of[i]], price, err));
    }
    return stow_joint_hand_out(j, plan.replicas, ret, err);
}
