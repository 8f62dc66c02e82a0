/* Unit tests of reading Karmada's objects: what is kept, what the webhooks would do, what is
 * refused and where. */
#include "tests/unit/load.h"

#include "model/fleet/fleet.h"

#define CLUSTER(name, spec)                                                          \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name \
    "}\nspec:\n" spec

#define POLICY(placement)                                                                    \
    "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p}\n" \
    "spec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n  "              \
    "placement:\n" placement

#define BINDING(spec)                                                                        \
    "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web-x}\n" \
    "spec:\n  resource: {apiVersion: apps/v1, kind: Deployment, name: web}\n" spec

static const struct stow_propagation *placement(const struct stow_snapshot *s)
{
    return stow_propagation_get(s, s->propagation[0].placement);
}

/* ---- clusters ---------------------------------------------------------------------------- */

static void a_cluster_keeps_what_decisions_look_at(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(CLUSTER("m1", "  provider: aws\n  region: r\n  zone: z1\n  syncMode: Pull\n"
                                "  taints: [{key: k, effect: NoSchedule}]\n"
                                "status:\n"
                                "  conditions: [{type: Ready, status: \"False\"}]\n"
                                "  nodeSummary: {totalNum: 3, readyNum: 2}\n"
                                "  resourceSummary: {allocatable: {cpu: 4}}\n"));
    const struct stow_cluster *c = &s->cluster[0];
    uint32_t count;

    (void)ctx;
    assert_int_equal(s->clusters, 1);
    assert_text(stow_text(s, c->provider), "aws");
    assert_text(stow_label_text(s, c->fields, "region"), "r");
    assert_text(stow_text(s, STOW_LIST(s, c->zones, stow_sym, &count)[0]), "z1");
    assert_int_equal(c->flags,
                     STOW_CLUSTER_HAS_SUMMARY | STOW_CLUSTER_NOT_READY | STOW_CLUSTER_PULL);
    assert_int_equal(c->nodes, 3);
    assert_int_equal(c->ready_nodes, 2);
    stow_snapshot_unref(s);
}

static void grades_are_sorted_and_the_first_starts_at_nothing(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(CLUSTER("m1", "  resourceModels:\n"
                                "  - {grade: 1, ranges: [{name: cpu, min: 2, max: 4}]}\n"
                                "  - {grade: 0, ranges: [{name: cpu, min: 1, max: 2}]}\n"));
    uint32_t count, ranges;
    const struct stow_grade *grade = STOW_LIST(s, s->cluster[0].models, struct stow_grade, &count);
    const struct stow_exact *min = STOW_LIST(s, grade[0].min, struct stow_exact, &ranges);

    (void)ctx;
    assert_int_equal(count, 2);
    assert_int_equal(grade[0].grade, 0);
    assert_int_equal(min[0].lo, 0);
    stow_snapshot_unref(s);
}

static void models_with_gaps_are_refused(void **ctx)
{
    (void)ctx;
    refuse_yaml(CLUSTER("m1", "  resourceModels:\n"
                              "  - {grade: 0, ranges: [{name: cpu, min: 0, max: 2}]}\n"
                              "  - {grade: 1, ranges: [{name: cpu, min: 3, max: 4}]}\n"),
                "7:5", "expected no gap");
    refuse_yaml(CLUSTER("m1", "  resourceModels:\n"
                              "  - {grade: 0, ranges: [{name: cpu, min: 0, max: 2}]}\n"
                              "  - {grade: 0, ranges: [{name: cpu, min: 2, max: 4}]}\n"),
                "7:5", "given twice");
    refuse_yaml(CLUSTER("m1", "  resourceModels:\n"
                              "  - {grade: 0, ranges: [{name: cpu, min: 0, max: 2}]}\n"
                              "  - {grade: 1, ranges: [{name: memory, min: 2, max: 4}]}\n"),
                "7:5", "grade 1 has 'memory'");
    refuse_yaml(CLUSTER("m1", "  resourceModels:\n"
                              "  - {grade: 0, ranges: [{name: cpu, min: 2, max: 2}]}\n"),
                "6:25", "not above min");
}

/* ---- policies ---------------------------------------------------------------------------- */

static void webhook_defaults_are_set_in_policies(void **ctx)
{
    struct stow_snapshot *s = load_yaml(POLICY("    replicaScheduling: {}\n"
                                               "    spreadConstraints: [{maxGroups: 2}]\n"));
    const struct stow_propagation *p = placement(s);
    uint32_t count;
    const struct stow_spread_constraint *spread =
        STOW_LIST(s, p->spread, struct stow_spread_constraint, &count);

    (void)ctx;
    assert_int_equal(p->type, STOW_SCHEDULING_DIVIDED);
    assert_int_equal(p->preference, STOW_PREFERENCE_WEIGHTED);
    assert_int_equal(count, 1);
    assert_int_equal(spread[0].field, STOW_SPREAD_CLUSTER);
    assert_int_equal(spread[0].min_groups, 1);
    stow_snapshot_unref(s);
}

static void what_the_webhook_refuses_is_refused_in_its_place(void **ctx)
{
    static const struct {
        const char *placement, *place, *says;
    } cases[] = {
        {"    spreadConstraints: [{spreadByField: cluster, minGroups: 3, maxGroups: 2}]\n", "7:75",
         "expected at least minGroups, 3"},
        {"    spreadConstraints: [{spreadByField: cluster, maxGroups: 0}]\n", "7:61",
         "maxGroups is 0"},
        {"    spreadConstraints: [{spreadByField: cluster}]\n", "7:25", "maxGroups is missing"},
        {"    spreadConstraints: [{spreadByField: cluster, minGroups: -1, maxGroups: 1}]\n", "7:61",
         "-1"},
        {"    spreadConstraints: [{spreadByField: region, maxGroups: 1}]\n", "7:24",
         "expected a constraint on cluster"},
        {"    spreadConstraints: [{maxGroups: 1}, {spreadByField: cluster, maxGroups: 2}]\n",
         "7:41", "constrained twice"},
        {"    spreadConstraints: [{spreadByField: cluster, spreadByLabel: x, maxGroups: 2}]\n",
         "7:25", "expected one of them"},
        {"    clusterAffinity: {fieldSelector: {matchExpressions: [{key: rack, operator: In, "
         "values: [a]}]}}\n",
         "7:64", "expected provider, region or zone"},
        {"    clusterAffinity: {fieldSelector: {matchExpressions: [{key: zone, operator: "
         "Exists}]}}\n",
         "7:80", "expected In or NotIn"},
        {"    clusterTolerations: [{key: a, operator: Gt, value: \"1\"}]\n", "7:25",
         "expected Equal or Exists"},
        {"    clusterAffinity: {}\n    clusterAffinities: [{affinityName: a}]\n", "8:24",
         "both given"},
        {"    clusterAffinities: [{affinityName: a}, {affinityName: a}]\n", "7:59", "given twice"},
        {"    clusterAffinities: [{affinityName: "
         "a1234567890123456789012345678901x}]\n",
         "7:40", "1 to 32"},
        {"    clusterAffinities: [{affinityName: a, clusterNames: [x], overflowAffinities: "
         "[{affinityName: b, clusterNames: [w]}]}]\n",
         "7:24", "Aggregated or with dynamicWeight"},
        {"    replicaScheduling: {replicaDivisionPreference: Aggregated}\n    clusterAffinities: "
         "[{affinityName: a, overflowAffinities: [{affinityName: b, clusterNames: [w]}]}]\n",
         "8:25", "selects all clusters"},
        {"    replicaScheduling: {replicaDivisionPreference: Cheapest}\n", "7:52",
         "expected one of Weighted, Aggregated, CostOptimized"},
        {"    replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {}, "
         "weight: 0}]}}\n",
         "7:91", "1"},
        {"    replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {}}]}}\n",
         "7:63", "weight is missing"},
        {"    replicaScheduling: {weightPreference: {dynamicWeight: Free}}\n", "7:59",
         "expected AvailableReplicas"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stow_buf text = {0};

        stow_buf_printf(&text, "%s%s", POLICY(""), cases[i].placement);
        refuse_at("test.yaml", stow_buf_str(&text), cases[i].place, cases[i].says);
        stow_buf_done(&text);
    }
}

static void bindings_are_taken_as_karmada_made_them(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(BINDING("  placement:\n    spreadConstraints: [{spreadByField: zone}]\n"
                          "    clusterAffinity: {fieldSelector: {matchExpressions: [{key: "
                          "rack, operator: Exists}]}}\n"));

    (void)ctx;
    assert_int_equal(s->bindings, 1);
    stow_snapshot_unref(s);
    refuse_yaml(BINDING("  clusters: [{name: a, replicas: 1}, {name: a, replicas: 2}]\n"), "6:38",
                "given twice");
    refuse_yaml(BINDING("  replicas: -1\n"), "6:13", "-1");
    refuse_yaml("apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"
                "metadata: {name: x}\nspec: {}\n",
                "1:1", "expected spec.resource");
}

/* ---- bindings that are implied ----------------------------------------------------------- */

#define DEPLOYMENT                                                                        \
    "---\napiVersion: apps/v1\nkind: Deployment\n"                                        \
    "metadata: {name: Web:1, uid: u-1, labels: {app: web}}\nspec:\n  replicas: 3\n"       \
    "  template: {spec: {containers: [{name: a, resources: {requests: {cpu: 1}, limits: " \
    "{cpu: 2, memory: 1Gi}}}]}}\n"

static void a_workload_without_a_binding_gets_one_from_its_policy(void **ctx)
{
    struct stow_snapshot *s = load_yaml(POLICY(
        "    clusterAffinity: {clusterNames: [m1]}\n") "---\n" CLUSTER("m1", "  {}\n") DEPLOYMENT);
    const struct stow_binding *b = &s->binding[0];
    uint32_t count;

    (void)ctx;
    assert_int_equal(s->bindings, 1);
    assert_string_equal(b->name, "web.1-deployment");
    assert_text(stow_text(s, b->object_uid), "u-1");
    assert_int_equal(b->replicas, 3);
    assert_int_equal(b->placement, s->propagation[0].placement);
    assert_true(b->flags & STOW_BINDING_IMPLIED);
    STOW_LIST(s, b->requests, struct stow_exact, &count);
    assert_int_equal(count, 2);                             /* memory has a limit only */
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 0); /* they run in the members */
    stow_snapshot_unref(s);
}

static void the_closer_policy_wins(void **ctx)
{
#define OTHER(kind, name, priority, selector)                                                \
    "---\napiVersion: policy.karmada.io/v1alpha1\nkind: " kind "\nmetadata: {name: " name    \
    "}\nspec:\n  priority: " priority "\n  resourceSelectors: [{apiVersion: apps/v1, kind: " \
    "Deployment" selector "}]\n"
    static const struct {
        const char *policies, *wins;
    } cases[] = {
        {OTHER("PropagationPolicy", "a", "0", "")
             OTHER("PropagationPolicy", "b", "0", ", name: \"Web:1\""),
         "b"},
        {OTHER("PropagationPolicy", "a", "0", "")
             OTHER("PropagationPolicy", "b", "0", ", labelSelector: {matchLabels: {app: web}}"),
         "b"},
        {OTHER("PropagationPolicy", "a", "1", "")
             OTHER("PropagationPolicy", "b", "0", ", name: \"Web:1\""),
         "a"},
        {OTHER("ClusterPropagationPolicy", "a", "9", ", name: \"Web:1\"")
             OTHER("PropagationPolicy", "b", "0", ""),
         "b"},
        {OTHER("PropagationPolicy", "b", "0", "") OTHER("PropagationPolicy", "a", "0", ""), "a"},
        {OTHER("PropagationPolicy", "a", "0", ", name: other")
             OTHER("ClusterPropagationPolicy", "c", "0", ", namespace: default"),
         "c"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stow_buf text = {0};

        stow_buf_printf(&text, "%s%s%s", CLUSTER("m1", "  {}\n"), DEPLOYMENT, cases[i].policies);

        struct stow_snapshot *s = load_str("test.yaml", stow_buf_str(&text));

        assert_int_equal(s->bindings, 1);
        assert_string_equal(s->propagation[s->binding[0].policy].name, cases[i].wins);
        stow_snapshot_unref(s);
        stow_buf_done(&text);
    }
}

static void a_given_binding_is_the_only_one(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        CLUSTER("m1", "  {}\n") "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: "
                                "web}\nspec: {replicas: 1}\n---\n" BINDING("  replicas: 5\n"));

    (void)ctx;
    assert_int_equal(s->bindings, 1);
    assert_int_equal(s->binding[0].replicas, 5);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_keeps_what_decisions_look_at),
        cmocka_unit_test(grades_are_sorted_and_the_first_starts_at_nothing),
        cmocka_unit_test(models_with_gaps_are_refused),
        cmocka_unit_test(webhook_defaults_are_set_in_policies),
        cmocka_unit_test(what_the_webhook_refuses_is_refused_in_its_place),
        cmocka_unit_test(bindings_are_taken_as_karmada_made_them),
        cmocka_unit_test(a_workload_without_a_binding_gets_one_from_its_policy),
        cmocka_unit_test(the_closer_policy_wins),
        cmocka_unit_test(a_given_binding_is_the_only_one),
    };

    return cmocka_run_group_tests_name("divide/read", tests, NULL, NULL);
}
