/* price_sets.c - workloads of several components on a cluster whose nodes are known.
 *
 * A set is one of each component's pods; it counts when all of it fits (first_fit.h).  What is free
 * on a node is written as exact amounts, which that simulation reads. */
#include <stdlib.h>

#include "base/vec.h"
#include "divide/cost/price.h"
#include "divide/karmada/first_fit.h"
#include "divide/members/translate.h"
#include "model/build.h"

static void collect_done(struct stow_collect *list)
{
    free(list->items);
}

/* Amounts by resource id into a list; `pods` are counted by slots. */
static stow_blob write_free(struct stow_snapshot *s, const int64_t *amount)
{
    STOW_AUTO(collect_done) struct stow_collect list = {0};

    for (stow_resource_id r = 0; r < s->resources; r++) {
        const stow_i128 unit = r == STOW_RESOURCE_CPU ? 1000000 : 1000000000;
        struct stow_exact *kept;

        if (amount[r] <= 0 || r == STOW_RESOURCE_PODS)
            continue;
        kept = STOW_COLLECT(&list, struct stow_exact);
        if (!kept)
            return STOW_INTERN_FAILED;
        *kept = stow_exact_of(s->resource[r], amount[r] * unit);
    }
    if (list.count)
        stow_exact_sort(list.items, list.count);
    return stow_intern_blob(&s->blob, list.items, list.count * sizeof(struct stow_exact));
}

static int fit_node(struct stow_snapshot *s, stow_node_id node, int64_t *amount,
                    struct stow_fit_node *ret)
{
    for (size_t r = 0; r < s->resources; r++)
        amount[r] = s->allocatable[r * s->nodes + node] - s->requested[r * s->nodes + node];
    *ret = (struct stow_fit_node){
        .free = write_free(s, amount),
        .pods = s->allocatable[(size_t)STOW_RESOURCE_PODS * s->nodes + node] - s->pods_on[node],
        .count = 1,
        .node = &s->node[node],
    };
    return ret->free == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int fit_group(struct stow_snapshot *s, stow_group_id group, int64_t *amount,
                     struct stow_fit_node *ret)
{
    stow_resource_amounts(s, s->fresh[group].allocatable, amount);
    for (size_t r = 0; r < s->resources; r++)
        amount[r] -= s->overhead[r * s->groups + group];
    *ret = (struct stow_fit_node){
        .free = write_free(s, amount),
        .pods = amount[STOW_RESOURCE_PODS],
        .count = stow_group_free_size(s, group),
        .node = &s->fresh[group],
    };
    return ret->free == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

int stow_member_fit_nodes(const struct stow_member *member, struct stow_fit_node *ret,
                          uint32_t *ret_count, struct stow_err *err)
{
    struct stow_snapshot *s = member->s;
    STOW_AUTO(stow_free_local) int64_t *amount = calloc((size_t)s->resources + 1, sizeof(*amount));

    *ret_count = 0;
    if (!amount)
        return stow_fail_memory(err);
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (fit_node(s, i, amount, &ret[(*ret_count)++]) < 0)
            return stow_fail_memory(err);
    for (stow_group_id i = 0; member->provisionable && i < s->groups; i++)
        if (stow_group_free_size(s, i) > 0 && fit_group(s, i, amount, &ret[(*ret_count)++]) < 0)
            return stow_fail_memory(err);
    return STOW_OK;
}

int stow_member_sets(const struct stow_member *member, const struct stow_snapshot *fleet,
                     const struct stow_binding *binding, int64_t *ret, struct stow_err *err)
{
    struct stow_snapshot *s = member->s;
    struct stow_fit_question q = {.limit = INT32_MAX};

    (void)STOW_LIST(fleet, binding->components, struct stow_component, &q.components);

    STOW_AUTO(stow_free_local)
    struct stow_component *component = calloc((size_t)q.components + 1, sizeof(*component));
    STOW_AUTO(stow_free_local)
    struct stow_fit_node *node = calloc((size_t)s->nodes + s->groups + 1, sizeof(*node));

    if (!component || !node)
        return stow_fail_memory(err);
    STOW_TRY(stow_translate_components(fleet, s, binding, component, err));
    STOW_TRY(stow_member_fit_nodes(member, node, &q.nodes, err));
    q.node = node;
    q.component = component;
    return stow_first_fit(s, &q, ret, err);
}
