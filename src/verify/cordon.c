/* cordon.c - taints of nodes that are cordoned.
 *
 * Kubernetes taints a node that is cordoned (node.kubernetes.io/unschedulable), and spread
 * constraints that honour taints leave it out.  Lists of taints are interned, so those that a
 * cordon makes are made once, before copies of the snapshot are. */
#include "verify/cordon.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define CORDON STOW_STR("node.kubernetes.io/unschedulable")

static bool is_known(const struct stow_audit *a, stow_blob taints)
{
    for (uint32_t i = 0; i < a->cordons; i++)
        if (a->cordon[i].without == taints)
            return true;
    return false;
}

static int add(struct stow_audit *a, stow_blob taints, stow_sym key)
{
    uint32_t count;
    const struct stow_taint *had = STOW_LIST(a->s, taints, struct stow_taint, &count);
    STOW_AUTO(stow_free_local) struct stow_taint *list = NULL;
    struct stow_cordon *made;

    if (is_known(a, taints))
        return STOW_OK;
    list = calloc((size_t)count + 1, sizeof(*list));
    made = STOW_PUSH(&a->cordon, &a->cordons, &a->cordon_cap);
    if (!list || !made)
        return STOW_ENOMEM;
    if (count)
        memcpy(list, had, count * sizeof(*list));
    list[count] = (struct stow_taint){.key = key, .effect = STOW_EFFECT_NO_SCHEDULE};
    made->without = taints;
    made->with = stow_intern_blob(&a->own.blob, list, ((size_t)count + 1) * sizeof(*list));
    return made->with == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

int stow_audit_find_cordons(struct stow_audit *a)
{
    const stow_sym key = stow_intern_text(&a->own.text, CORDON);

    if (key == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < a->s->nodes; i++)
        STOW_TRY(add(a, a->s->node[i].taints, key));
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->s->group[g].has_fresh)
            STOW_TRY(add(a, a->s->fresh[g].taints, key));
    return STOW_OK;
}

void stow_audit_cordon(const struct stow_audit *a, struct stow_node *node)
{
    node->flags |= STOW_NODE_UNSCHEDULABLE;
    for (uint32_t i = 0; i < a->cordons; i++)
        if (a->cordon[i].without == node->taints) {
            node->taints = a->cordon[i].with;
            return;
        }
}
