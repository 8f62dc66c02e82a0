/* Unit tests of groups: who claims a node, and what becomes of the rest. */
#include "tests/unit/load.h"

#define GROUP(name, spec)                                                                   \
    "---\n{apiVersion: stowage.dev/v1alpha1, kind: NodeGroup, metadata: {name: " name "}, " \
    "spec: {" spec "}}\n"
#define NODE(name, labels) \
    "---\n{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {" labels "}}}\n"

/* The group of each node, in order, joined by spaces. */
static void groups_are(const char *text, const char *names)
{
    struct stow_snapshot *s = load_yaml(text);
    struct stow_buf got = {0};

    for (uint32_t i = 0; i < stow_snapshot_count(s, STOW_NODES); i++)
        stow_buf_printf(&got, "%s%s", i ? " " : "",
                        stow_snapshot_group_name(s, stow_snapshot_node_group(s, i)));
    assert_text(stow_buf_str(&got), names);
    for (uint32_t i = 1; i < stow_snapshot_count(s, STOW_GROUPS); i++)
        assert_true(strcmp(stow_snapshot_group_name(s, i - 1), stow_snapshot_group_name(s, i)) < 0);
    stow_buf_done(&got);
    stow_snapshot_unref(s);
}

static void a_group_claims_what_its_selector_matches(void **ctx)
{
    (void)ctx;
    groups_are(GROUP("g", "nodeSelector: {pool: a, zone: z}") NODE("n1", "pool: a, zone: z")
                   NODE("n2", "pool: a") NODE("n3", "pool: a, zone: z, x: w"),
               "g (ungrouped) g");
    groups_are(GROUP("g", "") NODE("n1", "stowage.dev/node-group: g"), "g"); /* the default */
    groups_are(GROUP("g", "nodeSelector: {}") NODE("n1", "pool: a"), "(ungrouped)");
}

static void the_first_by_name_wins_where_several_claim(void **ctx)
{
    (void)ctx;
    groups_are(GROUP("b", "nodeSelector: {pool: a}") GROUP("a", "nodeSelector: {pool: a}")
                   NODE("n1", "pool: a"),
               "a");
    groups_are(
        GROUP("b", "nodeSelector: {pool: a}") NODE("n1", "pool: a, karpenter.sh/nodepool: k"), "b");
}

static void other_nodes_are_grouped_by_their_provisioner_or_type(void **ctx)
{
    static const char *const labels[] = {
        "stowage.dev/node-group",
        "karpenter.sh/nodepool",
        "eks.amazonaws.com/nodegroup",
        "cloud.google.com/gke-nodepool",
        "kubernetes.azure.com/agentpool",
        "karpenter.sh/provisioner-name",
        "alpha.eksctl.io/nodegroup-name",
        "kops.k8s.io/instancegroup",
        "doks.digitalocean.com/node-pool",
        "worker.gardener.cloud/pool",
        "ibm-cloud.kubernetes.io/worker-pool-name",
        "k8s.scaleway.com/pool-name",
        "lke.linode.com/pool-id",
        "k8s.ovh.net/nodepool",
        "vke.vultr.com/node-pool",
        "kubernetes.civo.com/civo-node-pool",
        "node.exoscale.net/nodepool-id",
        "alibabacloud.com/nodepool-id",
        "cce.cloud.com/cce-nodepool",
        "hypershift.openshift.io/nodePool",
        "giantswarm.io/machine-pool",
        "hcloud/node-group",
        "agentpool",
        "node.cluster.x-k8s.io/pool",
        "node.kubernetes.io/instance-type",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(labels); i++) {
        char text[400];

        snprintf(text, sizeof(text), NODE("n1", "%s: first, %s: second"), labels[i],
                 labels[i + 1 < COUNT(labels) ? i + 1 : i - 1]);
        groups_are(text, i + 1 < COUNT(labels) ? "first" : "second");
        snprintf(text, sizeof(text), NODE("n1", "%s: only"), labels[i]);
        groups_are(text, "only");
        snprintf(text, sizeof(text), NODE("n1", "%s: \"\""), labels[i]);
        groups_are(text, "(ungrouped)");
    }
    groups_are(NODE("n1", "beta.kubernetes.io/instance-type: m5.large"), "m5.large");
}

static void annotations_name_a_pool_where_no_label_does(void **ctx)
{
#define ANNOTATED(annotations, labels)                                        \
    "---\n{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {" labels \
    "}, annotations: {" annotations "}}}\n"

    (void)ctx;
    groups_are(ANNOTATED("cluster.x-k8s.io/owner-name: md-0-58d9b, cluster.x-k8s.io/owner-kind: "
                         "MachineSet",
                         "node.kubernetes.io/instance-type: t"),
               "md-0-58d9b");
    groups_are(
        ANNOTATED("machine.openshift.io/machine: openshift-machine-api/shop-7x-worker-a-fjks4", ""),
        "shop-7x-worker-a");
    groups_are(
        ANNOTATED("machine.openshift.io/machine: single", "node.kubernetes.io/instance-type: t"),
        "t");
    groups_are(ANNOTATED("oci.oraclecloud.com/node-pool-id: ocid1.nodepool.x", ""),
               "ocid1.nodepool.x");
    groups_are(ANNOTATED("cluster.x-k8s.io/owner-name: set", "agentpool: pool"), "pool");
#undef ANNOTATED
}

static void a_group_counts_its_nodes_unless_it_says_how_many(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("a", "nodeSelector: {p: a}") GROUP("b", "nodeSelector: {p: b}, currentNodes: 9")
            GROUP("c", "") NODE("n1", "p: a") NODE("n2", "p: a") NODE("n3", "p: b")
                NODE("n4", "node.kubernetes.io/instance-type: bb"));

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_GROUPS), 4);
    assert_int_equal(s->group[0].current_nodes, 2);
    assert_int_equal(s->group[1].current_nodes, 9);
    assert_string_equal(s->group[2].name, "bb");
    assert_true(s->group[2].implied && s->group[2].exists);
    assert_int_equal(s->group[2].current_nodes, 1);
    assert_true(s->group[2].price == STOW_MONEY_UNKNOWN && s->group[2].rate == -1);
    assert_int_equal(s->group[3].current_nodes, 0);
    assert_false(s->group[3].implied);
    stow_snapshot_unref(s);
}

static void a_type_that_many_nodes_share_is_one_group(void **ctx)
{
    struct stow_buf text = {0};
    struct stow_snapshot *s;

    (void)ctx;
    for (int i = 0; i < 300; i++)
        stow_buf_printf(&text, NODE("n%d", "node.kubernetes.io/instance-type: t%d"), i, i % 7);
    s = load_str("test.yaml", stow_buf_str(&text));
    assert_int_equal(stow_snapshot_count(s, STOW_GROUPS), 7);
    for (uint32_t i = 0; i < 300; i++) {
        struct stow_str type =
            stow_label_text(s, s->node[i].labels, "node.kubernetes.io/instance-type");

        assert_text(type, stow_snapshot_group_name(s, stow_snapshot_node_group(s, i)));
    }
    stow_snapshot_unref(s);
    stow_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_claims_what_its_selector_matches),
        cmocka_unit_test(the_first_by_name_wins_where_several_claim),
        cmocka_unit_test(other_nodes_are_grouped_by_their_provisioner_or_type),
        cmocka_unit_test(annotations_name_a_pool_where_no_label_does),
        cmocka_unit_test(a_group_counts_its_nodes_unless_it_says_how_many),
        cmocka_unit_test(a_type_that_many_nodes_share_is_one_group),
    };

    return cmocka_run_group_tests_name("model/groups", tests, NULL, NULL);
}
