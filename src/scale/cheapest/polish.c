/* polish.c - node by node, what can be made better of the best plan. */
#include "scale/cheapest/cheapest_internal.h"
#include "scale/cheapest/merge.h"
#include "scale/cheapest/pull.h"

#define SWAPS_TRIED 400 /* nodes times groups: other groups are tried for each node */
#define SWAPS_MAX   50  /* cheaper groups in a row */

/* The same for fewer nodes. */
static int try_fewer(struct stow_planning *p, const struct stow_formulate_options *scope)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch by_node = {0};
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};
    uint32_t fewer = 0;

    if ((uint64_t)p->best.sketch.nodes * p->best.sketch.nodes * p->session->scale->s->groups >
            20000000 ||
        stow_planning_is_late(p))
        return STOW_OK;
    stow_planning_clear(p);
    STOW_TRY(stow_sketch_by_node(&p->best.sketch, &by_node));
    STOW_TRY(stow_sketch_merge(p->session, scope, &by_node, &sketch, &fewer));
    return fewer ? stow_planning_try_sorted(p, scope, &sketch, false) : STOW_OK;
}

/* A copy with one node of another group. */
static int swap_group(const struct stow_sketch *from, uint32_t node, stow_group_id group,
                      struct stow_sketch *ret)
{
    for (uint32_t i = 0; i < from->nodes; i++)
        STOW_TRY(stow_sketch_add_node(ret, i == node ? group : from->node[i].group,
                                      from->node[i].there));
    for (uint32_t i = 0; i < from->loads; i++) {
        STOW_TRY(stow_sketch_add_load(ret, from->load[i].class, from->load[i].count));
        ret->load[i] = from->load[i];
    }
    return STOW_OK;
}

/* 1: the plan is better with one node of a cheaper group. */
static int try_swap(struct stow_planning *p, const struct stow_formulate_options *scope,
                    const struct stow_sketch *plan, uint32_t node)
{
    const struct stow_snapshot *s = p->session->scale->s;
    const stow_nano *price = p->weights.price;
    const stow_group_id group = plan->node[node].group;

    if (group == STOW_NONE || s->group[group].min_nodes)
        return 0;
    for (stow_group_id g = 0; g < s->groups; g++) {
        STOW_AUTO(stow_sketch_done) struct stow_sketch other = {0};
        const stow_nano before = p->best.worth.weight;

        if (!stow_is_for_sale(price, g) || price[g] >= price[group])
            continue;
        STOW_TRY(swap_group(plan, node, g, &other));
        STOW_TRY(stow_planning_try(p, scope, &other, false));
        if (p->best.worth.weight < before)
            return 1;
    }
    return 0;
}

/* Rules over several nodes make plans that no pattern knows of: node by node, whether a cheaper one
 * would do as well. */
static int try_cheaper(struct stow_planning *p, const struct stow_formulate_options *scope)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch plan = {0};
    int better = 1;

    for (uint32_t round = 0; better == 1 && round < SWAPS_MAX && !stow_planning_is_late(p);
         round++) {
        stow_sketch_done(&plan);
        STOW_TRY(stow_planning_show_best(p));
        STOW_TRY(stow_sketch_of_session(p->session, &plan));
        if ((uint64_t)plan.nodes * p->session->scale->s->groups > SWAPS_TRIED)
            return STOW_OK;
        better = 0;
        for (uint32_t i = 0; i < plan.nodes && better == 0 && !stow_planning_is_late(p); i++)
            better = try_swap(p, scope, &plan, i);
    }
    return better < 0 ? better : STOW_OK;
}

/* The same with as many pods as possible on nodes that are there. */
static int try_pulled(struct stow_planning *p, const struct stow_formulate_options *scope)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch by_node = {0};
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};
    uint32_t moved = 0;

    if ((uint64_t)p->best.sketch.loads * p->yard->real > 20000000 || stow_planning_is_late(p))
        return STOW_OK;
    stow_planning_clear(p);
    STOW_TRY(stow_sketch_by_node(&p->best.sketch, &by_node));
    STOW_TRY(stow_sketch_pull(p->session, scope, &by_node, &sketch, &moved));
    return moved ? stow_planning_try_sorted(p, scope, &sketch, true) : STOW_OK;
}

int stow_planning_polish(struct stow_planning *p, const struct stow_formulate_options *scope,
                         const struct stow_solving *whole)
{
    if (stow_planning_has_rules(p) && !stow_planning_is_within(p, whole, 0) &&
        !stow_planning_is_late(p)) {
        STOW_TRY(try_cheaper(p, scope));
        STOW_TRY(stow_plan_every(p, scope, whole->solution.bound));
    }
    STOW_TRY(try_fewer(p, scope));
    return try_pulled(p, scope);
}
