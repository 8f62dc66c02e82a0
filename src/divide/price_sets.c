/* price_sets.c - workloads of several components on a cluster whose nodes are known.
 *
 * A set is one of each component's pods; it counts when all of it fits (first_fit.h).  What is free
 * on a node is written as exact amounts, which that simulation reads. */
#include <stdlib.h>

#include "base/vec.h"
#include "divide/first_fit.h"
#include "divide/price.h"
#include "divide/translate.h"
#include "model/build.h"

static void collect_done(struct stow_collect *list)
{
    free(list->items);
}

static int free_on(struct stow_snapshot *s, stow_node_id node, struct stow_fit_node *ret)
{
    STOW_AUTO(collect_done) struct stow_collect list = {0};

    for (size_t r = 0; r < s->resources; r++) {
        const size_t at = r * s->nodes + node;
        const int64_t room = s->allocatable[at] - s->requested[at];
        const stow_i128 unit = r == STOW_RESOURCE_CPU ? 1000000 : 1000000000;
        struct stow_exact *kept;

        if (room <= 0 || r == STOW_RESOURCE_PODS)
            continue;
        kept = STOW_COLLECT(&list, struct stow_exact);
        if (!kept)
            return STOW_ENOMEM;
        *kept = stow_exact_of(s->resource[r], room * unit);
    }
    if (list.count)
        stow_exact_sort(list.items, list.count);
    *ret = (struct stow_fit_node){
        .free = stow_intern_blob(&s->blob, list.items, list.count * sizeof(struct stow_exact)),
        .pods = s->allocatable[(size_t)STOW_RESOURCE_PODS * s->nodes + node] - s->pods_on[node],
        .count = 1,
        .node = &s->node[node],
    };
    return ret->free == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

int stow_member_sets(const struct stow_member *member, const struct stow_snapshot *fleet,
                     const struct stow_binding *binding, int64_t *ret, struct stow_err *err)
{
    struct stow_snapshot *s = member->s;
    uint32_t count;

    (void)STOW_LIST(fleet, binding->components, struct stow_component, &count);

    STOW_AUTO(stow_free_local)
    struct stow_component *component = calloc((size_t)count + 1, sizeof(*component));
    STOW_AUTO(stow_free_local)
    struct stow_fit_node *node = calloc((size_t)s->nodes + 1, sizeof(*node));

    if (!component || !node)
        return stow_fail_memory(err);
    STOW_TRY(stow_translate_components(fleet, s, binding, component, err));
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (free_on(s, i, &node[i]) < 0)
            return stow_fail_memory(err);
    return stow_first_fit(s,
                          &(struct stow_fit_question){.node = node,
                                                      .nodes = s->nodes,
                                                      .component = component,
                                                      .components = count,
                                                      .limit = INT32_MAX},
                          ret, err);
}
