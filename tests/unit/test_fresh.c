/* Unit tests of nodes that do not exist yet: fresh ones, those on their way, daemon pods. */
#include "tests/unit/load.h"

#include "model/build.h"

#define NODE(name, rest)                                                \
    "---\napiVersion: v1\nkind: Node\n"                                 \
    "metadata: {name: " name ", labels: {kubernetes.io/hostname: " name \
    ", stowage.dev/node-group: web, disk: ssd}}\n" rest "\n"

#define READY(name) NODE(name, "status: {capacity: {cpu: \"4\", memory: 8Gi, pods: \"20\"}}")

#define GROUP(name, spec)                                                            \
    "---\napiVersion: stowage.dev/v1alpha1\nkind: NodeGroup\nmetadata: {name: " name \
    "}\nspec: {" spec "}\n"

#define TEMPLATE                                                                \
    "template: {metadata: {labels: {kubernetes.io/hostname: old, disk: ssd}}, " \
    "spec: {taints: [{key: team, value: a, effect: NoSchedule}]}, "             \
    "status: {capacity: {cpu: \"2\", memory: 4Gi, pods: \"10\"}, "              \
    "allocatable: {cpu: 1900m, memory: 3Gi, pods: \"10\"}}}"

#define DAEMON_SET(name, requests, rest)                                    \
    "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: " name     \
    ", namespace: kube-system}\nspec: {selector: {matchLabels: {app: " name \
    "}}, template: {metadata: {labels: {app: " name                         \
    "}}, spec: {containers: [{name: c, resources: {requests: {" requests "}}}]" rest "}}}\n"

static stow_group_id group_of(const struct stow_snapshot *s, const char *name)
{
    for (stow_group_id i = 0; i < s->groups; i++)
        if (strcmp(s->group[i].name, name) == 0)
            return i;
    fail();
    return STOW_NONE;
}

static int64_t overhead(const struct stow_snapshot *s, const char *group, stow_resource_id r)
{
    return s->overhead[(size_t)r * s->groups + group_of(s, group)];
}

static void host_is(const struct stow_snapshot *s, const struct stow_node *node, const char *name)
{
    assert_string_equal(node->name, name);
    assert_string_equal(stow_text(s, node->symbol).ptr, name);
    assert_string_equal(stow_label_text(s, node->labels, "kubernetes.io/hostname").ptr, name);
}

#define CSI(node, drivers)                                                      \
    "---\napiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: " node \
    "}\nspec: {drivers: [" drivers "]}\n"
#define TWO   "{name: d, allocatable: {count: 2}}"
#define THREE "{name: d, allocatable: {count: 3}}"
#define E     "{name: e, allocatable: {count: 1}}"

static void new_nodes_take_the_volumes_that_all_others_take(void **ctx)
{
    static const struct {
        const char *csi;
        uint32_t limits;
    } cases[] = {
        {"", 0},
        {CSI("a", TWO) CSI("b", TWO), 1},
        {CSI("a", TWO), 1},                       /* b has none yet */
        {CSI("a", TWO) CSI("b", "{name: d}"), 1}, /* nor here */
        {CSI("a", TWO) CSI("b", THREE), 0},
        {CSI("a", TWO ", " E) CSI("b", E ", " TWO), 2}, /* in another order */
        {CSI("a", TWO ", " E) CSI("b", TWO), 0},
        {CSI("elsewhere", TWO), 0},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char yaml[2000];
        uint32_t count;

        snprintf(yaml, sizeof(yaml), READY("a") READY("b") GROUP("web", "currentNodes: 3") "%s",
                 cases[i].csi);

        struct stow_snapshot *s = load_yaml(yaml);

        STOW_LIST(s, s->fresh[0].volume_limits, struct stow_volume_limit, &count);
        assert_int_equal(count, cases[i].limits);
        assert_int_equal(s->upcoming[0].volume_limits, s->fresh[0].volume_limits);
        stow_snapshot_unref(s);
    }
}

static void a_template_becomes_a_node_with_a_name_of_its_own(void **ctx)
{
    struct stow_snapshot *s = load_yaml(GROUP("web", TEMPLATE));
    const struct stow_node *fresh = &s->fresh[0];
    int64_t amount[STOW_RESOURCE_FIXED];
    uint32_t count;

    (void)ctx;
    assert_true(s->group[0].has_fresh);
    host_is(s, fresh, "~web");
    assert_string_equal(stow_label_text(s, fresh->labels, "disk").ptr, "ssd");
    assert_int_equal(fresh->group, 0);
    STOW_LIST(s, fresh->taints, struct stow_taint, &count);
    assert_int_equal(count, 1);
    stow_resource_amounts(s, fresh->allocatable, amount);
    assert_int_equal(amount[STOW_RESOURCE_CPU], 1900);
    assert_int_equal(amount[STOW_RESOURCE_PODS], 10);
    stow_resource_amounts(s, fresh->capacity, amount);
    assert_int_equal(amount[STOW_RESOURCE_CPU], 2000);
    assert_int_equal(s->upcomings, 0);
    stow_snapshot_unref(s);
}

static void without_a_template_the_first_ready_node_is_the_model(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        NODE("a",
             "status: {capacity: {cpu: \"1\"}, conditions: [{type: Ready, status: \"False\"}]}")
            NODE("b", "spec: {unschedulable: true, providerID: \"aws:///x\", taints: ["
                      "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}, "
                      "{key: ToBeDeletedByClusterAutoscaler, effect: NoSchedule}, "
                      "{key: DeletionCandidateOfClusterAutoscaler, effect: PreferNoSchedule}, "
                      "{key: team, value: a, effect: NoSchedule}]}\n"
                      "status: {capacity: {cpu: \"3\"}, images: [{names: [web], sizeBytes: 5}]}")
                GROUP("web", "minNodes: 1"));
    const struct stow_node *fresh = &s->fresh[0];
    int64_t amount[STOW_RESOURCE_FIXED];
    uint32_t count;
    const struct stow_taint *taints = STOW_LIST(s, fresh->taints, struct stow_taint, &count);

    (void)ctx;
    assert_int_equal(s->groups, 1);
    assert_true(s->group[0].has_fresh);
    host_is(s, fresh, "~web");
    assert_int_equal(count, 1);
    assert_string_equal(stow_text(s, taints[0].key).ptr, "team");
    assert_int_equal(fresh->flags, 0);
    assert_int_equal(fresh->images, 0);
    assert_string_equal(stow_text(s, fresh->provider_id).ptr, "aws:///x");
    stow_resource_amounts(s, fresh->allocatable, amount);
    assert_int_equal(amount[STOW_RESOURCE_CPU], 3000);
    stow_snapshot_unref(s);
}

static void a_node_that_stays_is_the_model_rather_than_one_on_its_way(void **ctx)
{
    static const char *const keys[] = {
        "node.kubernetes.io/not-ready",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.cloudprovider.kubernetes.io/shutdown",
        "karpenter.sh/disrupted",
        "karpenter.sh/disruption",
        "karpenter.sh/unregistered",
        "startup-taint.cluster-autoscaler.kubernetes.io/net",
        "status-taint.cluster-autoscaler.kubernetes.io/gpu",
        "ignore-taint.cluster-autoscaler.kubernetes.io/net",
        "node.cilium.io/agent-not-ready",
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char text[2048];
        uint32_t count;
        struct stow_snapshot *s;

        snprintf(text, sizeof(text),
                 NODE("a", "spec: {taints: [{key: %s, effect: NoSchedule}]}") "%s", keys[i],
                 GROUP("web", "minNodes: 1"));
        s = load_yaml(text);
        STOW_LIST(s, s->fresh[0].taints, struct stow_taint, &count);
        assert_int_equal(count, 0);
        stow_snapshot_unref(s);

        snprintf(text, sizeof(text),
                 NODE("a", "spec: {taints: [{key: %s, effect: NoSchedule}, {key: by-hand, effect: "
                           "NoSchedule}]}") "%s",
                 keys[i], READY("b") GROUP("web", "minNodes: 1"));
        s = load_yaml(text);
        STOW_LIST(s, s->fresh[0].taints, struct stow_taint, &count);
        assert_int_equal(count, 0);
        stow_snapshot_unref(s);
    }
}

static void an_implied_group_has_a_fresh_node_but_is_implied(void **ctx)
{
    struct stow_snapshot *s = load_yaml(READY("a"));

    (void)ctx;
    assert_true(s->group[0].implied && s->group[0].has_fresh);
    host_is(s, &s->fresh[0], "~web");
    stow_snapshot_unref(s);
}

static void a_group_without_template_and_ready_node_has_none(void **ctx)
{
    struct stow_snapshot *s = load_yaml(GROUP("web", "currentNodes: 2"));

    (void)ctx;
    assert_false(s->group[0].has_fresh);
    assert_int_equal(s->upcomings, 0);
    assert_int_equal(s->warnings, 1);
    assert_non_null(strstr(s->warning[0], "'web' expects 2 more nodes"));
    stow_snapshot_unref(s);
}

static void nodes_on_their_way_are_counted_from_the_nodes_given(void **ctx)
{
    struct stow_snapshot *s = load_yaml(READY("a") GROUP("web", "currentNodes: 3, " TEMPLATE) GROUP(
        "batch", "currentNodes: 1, " TEMPLATE) GROUP("less", "currentNodes: 0, " TEMPLATE));

    (void)ctx;
    assert_int_equal(s->upcomings, 3);
    host_is(s, &s->upcoming[0], "~batch-0");
    host_is(s, &s->upcoming[1], "~web-0");
    host_is(s, &s->upcoming[2], "~web-1");
    assert_int_equal(s->upcoming[2].group, group_of(s, "web"));
    assert_int_equal(s->group[group_of(s, "web")].current_nodes, 3);
    stow_snapshot_unref(s);
}

static void a_size_far_above_the_nodes_given_is_refused(void **ctx)
{
    (void)ctx;
    load_and_drop("test.yaml", stow_str_of(GROUP("web", "currentNodes: 100000, " TEMPLATE)));
    refuse_yaml(GROUP("web", "currentNodes: 100001"), "5:22", "'web' is 100001, more than 100000");
}

static void daemon_sets_that_would_run_there_are_added_up(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("web", TEMPLATE) DAEMON_SET("logs", "cpu: 100m, memory: 10Mi",
                                          ", tolerations: [{operator: Exists}]")
            DAEMON_SET("net", "cpu: 50m", ", tolerations: [{operator: Exists}]")
                DAEMON_SET("shy", "cpu: 700m", "")
                    DAEMON_SET("hdd", "cpu: 800m",
                               ", tolerations: [{operator: Exists}], nodeSelector: {disk: hdd}"));

    (void)ctx;
    assert_int_equal(overhead(s, "web", STOW_RESOURCE_CPU), 150);
    assert_int_equal(overhead(s, "web", STOW_RESOURCE_MEMORY), 10 << 20);
    assert_int_equal(overhead(s, "web", STOW_RESOURCE_PODS), 2);
    stow_snapshot_unref(s);
}

static void a_given_overhead_is_taken_as_it_is(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(GROUP("web", "daemonOverhead: {cpu: 10m, example.com/fpga: 1}, " TEMPLATE)
                      GROUP("none", "daemonOverhead: {}, " TEMPLATE)
                          DAEMON_SET("logs", "cpu: 100m", ", tolerations: [{operator: Exists}]"));
    stow_sym fpga = stow_intern_find(&s->text, STOW_STR("example.com/fpga"));

    (void)ctx;
    assert_int_equal(overhead(s, "web", STOW_RESOURCE_CPU), 10);
    assert_int_equal(overhead(s, "web", STOW_RESOURCE_PODS), 0);
    assert_int_equal(overhead(s, "web", stow_resource_find(s, fpga)), 1);
    assert_int_equal(overhead(s, "none", STOW_RESOURCE_CPU), 0);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_becomes_a_node_with_a_name_of_its_own),
        cmocka_unit_test(new_nodes_take_the_volumes_that_all_others_take),
        cmocka_unit_test(without_a_template_the_first_ready_node_is_the_model),
        cmocka_unit_test(a_node_that_stays_is_the_model_rather_than_one_on_its_way),
        cmocka_unit_test(an_implied_group_has_a_fresh_node_but_is_implied),
        cmocka_unit_test(a_group_without_template_and_ready_node_has_none),
        cmocka_unit_test(nodes_on_their_way_are_counted_from_the_nodes_given),
        cmocka_unit_test(a_size_far_above_the_nodes_given_is_refused),
        cmocka_unit_test(daemon_sets_that_would_run_there_are_added_up),
        cmocka_unit_test(a_given_overhead_is_taken_as_it_is),
    };

    return cmocka_run_group_tests_name("model/fresh", tests, NULL, NULL);
}
