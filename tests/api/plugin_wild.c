/* A plugin whose scorer breaks its promises. */
#include <stowage/rule.h>

static int score(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, double *points, struct stow_err *err)
{
    (void)user, (void)pod, (void)nodes, (void)err;
    for (uint32_t i = 0; i < count; i++)
        points[i] = 250;
    return STOW_OK;
}

static const struct stow_scorer wild = {
    .size = sizeof(wild), .name = "wild", .summary = "too many points", .score = score};

STOW_PLUGIN
int stowage_plugin_open(struct stow_rules *rules, struct stow_err *err)
{
    return stow_register_scorer(rules, &wild, err);
}
