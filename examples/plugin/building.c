/* building.c - a plugin: pods stay in their building and prefer nodes with few pods.
 *
 *     cc -shared -fPIC -o building.so building.c $(pkg-config --cflags stowage)
 *     stowage place --plugin building.so --policy policy.yaml -f cluster.yaml */
#include <stdio.h>
#include <string.h>

#include <stowage/rule.h>

static int check(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, uint8_t *fits, struct stow_err *err)
{
    const char *label = stow_rule_option_value(pod, "label");
    const char *wanted = stow_rule_pod_label(pod, label);

    (void)user, (void)err;
    for (uint32_t i = 0; wanted && i < count; i++) {
        const char *building = stow_rule_node_label(nodes, i, label);

        fits[i] = building && strcmp(building, wanted) == 0;
    }
    return STOW_OK;
}

static void detail(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                   char *text, size_t size)
{
    const char *building = stow_rule_node_label(nodes, 0, stow_rule_option_value(pod, "label"));

    (void)user;
    snprintf(text, size, "building %s", building ? building : "unknown");
}

/* 100 points for a node without pods, half of it with one, a third with two. */
static int score(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, double *points, struct stow_err *err)
{
    (void)user, (void)pod, (void)err;
    for (uint32_t i = 0; i < count; i++)
        points[i] = 100.0 / (1 + stow_rule_node_pods(nodes, i));
    return STOW_OK;
}

static const struct stow_rule_setting options[] = {{"label", "example.com/building"}, {NULL, NULL}};
static const struct stow_filter building = {sizeof(building),
                                            "building",
                                            "nodes of the pod's building",
                                            "node(s) in another building",
                                            .options = options,
                                            .check = check,
                                            .detail = detail};
static const struct stow_scorer few_pods = {sizeof(few_pods), "few-pods", "nodes with few pods",
                                            .sees = STOW_RULE_SEES_USE, .score = score};

STOW_PLUGIN
int stowage_plugin_open(struct stow_rules *rules, struct stow_err *err)
{
    STOW_TRY(stow_register_filter(rules, &building, err));
    return stow_register_scorer(rules, &few_pods, err);
}
