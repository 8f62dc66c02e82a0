/* pool.c - finding Karpenter's objects, and the words they use. */
#include "model/karpenter/pool.h"

const char *const stow_pool_operator_name[STOW_POOL_OPERATORS + 1] = {
    [STOW_POOL_IN] = "In",         [STOW_POOL_NOT_IN] = "NotIn",
    [STOW_POOL_EXISTS] = "Exists", [STOW_POOL_NOT_EXISTS] = "DoesNotExist",
    [STOW_POOL_GT] = "Gt",         [STOW_POOL_LT] = "Lt",
    [STOW_POOL_GTE] = "Gte",       [STOW_POOL_LTE] = "Lte",
    [STOW_POOL_OPERATORS] = NULL,
};

const char *const stow_pool_policy_name[STOW_POOL_POLICIES + 1] = {
    [STOW_POOL_WHEN_EMPTY_OR_UNDERUTILIZED] = "WhenEmptyOrUnderutilized",
    [STOW_POOL_WHEN_EMPTY] = "WhenEmpty",
    [STOW_POOL_BALANCED] = "Balanced",
    [STOW_POOL_POLICIES] = NULL,
};

const struct stow_node_pool *stow_node_pool_find(const struct stow_snapshot *s,
                                                 struct stow_str name)
{
    for (uint32_t i = 0; i < s->node_pools; i++)
        if (stow_str_is(name, s->node_pool[i].name))
            return &s->node_pool[i];
    return NULL;
}

const struct stow_node_pool *stow_group_pool(const struct stow_snapshot *s, stow_group_id group)
{
    const uint32_t origin = s->group[group].origin;
    const uint32_t at = origin == STOW_NONE ? STOW_NONE : s->origin[origin].node_pool;

    return at == STOW_NONE ? NULL : &s->node_pool[at];
}

static const struct {
    const char *group, *kind;
} forms[STOW_CLASS_FORMS] = {
    [STOW_CLASS_EC2] = {"karpenter.k8s.aws", "EC2NodeClass"},
    [STOW_CLASS_AKS] = {"karpenter.azure.com", "AKSNodeClass"},
    [STOW_CLASS_GCE] = {"karpenter.k8s.gcp", "GCENodeClass"},
};

const char *stow_class_group(enum stow_class_form form)
{
    return forms[form].group;
}

const char *stow_class_kind(enum stow_class_form form)
{
    return forms[form].kind;
}
