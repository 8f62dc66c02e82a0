/* Unit tests of reading Karpenter's objects. */
#include "tests/unit/load.h"

#include "model/karpenter/pool.h"

#define CLASS_REF "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}"

#define POOL_OF(version, spec, template)                                               \
    "apiVersion: karpenter.sh/" version "\nkind: NodePool\n"                           \
    "metadata: {name: general, uid: u-1, annotations: {"                               \
    "karpenter.sh/nodepool-hash: \"77\"}}\nspec:\n  " spec                             \
    "\n  template:\n    metadata: {labels: {team: blue}, annotations: {note: kept}}\n" \
    "    spec: {" template "}\n"

#define POOL(spec, template) POOL_OF("v1", spec, CLASS_REF ", " template)

static struct stow_str text(const struct stow_snapshot *s, stow_sym sym)
{
    return stow_text(s, sym);
}

#define IS(s, sym, expected) assert_true(stow_str_is(text((s), (sym)), (expected)))

static void a_pool_keeps_what_its_claims_need(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        POOL("weight: 10",
             "expireAfter: Never, terminationGracePeriod: 1h30m, "
             "taints: [{key: a, value: b, effect: NoSchedule}], "
             "startupTaints: [{key: c, effect: NoExecute}], requirements: "
             "[{key: kubernetes.io/arch, operator: In, values: [arm64, amd64], minValues: 2}]"));
    const struct stow_node_pool *pool = &s->node_pool[0];
    uint32_t count;
    const struct stow_pool_requirement *r =
        STOW_LIST(s, pool->requirements, struct stow_pool_requirement, &count);

    (void)ctx;
    assert_int_equal(s->node_pools, 1);
    assert_string_equal(pool->name, "general");
    IS(s, pool->uid, "u-1");
    IS(s,
       stow_label_value(s, pool->own_annotations,
                        stow_intern_find(&s->text, STOW_STR(STOW_POOL_HASH))),
       "77");
    assert_true(stow_str_is(stow_label_text(s, pool->annotations, "note"), "kept"));
    assert_true(pool->expire_after.seconds == STOW_POOL_NEVER);
    assert_true(pool->termination_grace.seconds == 5400);
    IS(s, pool->termination_grace.text, "1h30m");
    assert_int_equal(count, 1);
    assert_int_equal(r[0].min_values, 2);
    STOW_LIST(s, r[0].values, stow_sym, &count);
    assert_int_equal(count, 2);
    assert_int_equal(pool->weight, 10);
    assert_int_equal(pool->replicas, -1);
    stow_snapshot_unref(s);
}

static void what_is_not_stated_is_filled_in(void **ctx)
{
    struct stow_snapshot *s = load_yaml(POOL("weight: 1", "requirements: []"));
    const struct stow_node_pool *pool = &s->node_pool[0];
    uint32_t count;
    const struct stow_pool_budget *b = STOW_LIST(s, pool->budgets, struct stow_pool_budget, &count);

    (void)ctx;
    assert_true(pool->expire_after.seconds == INT64_C(720) * 3600);
    assert_true(pool->consolidate_after.seconds == 0);
    assert_int_equal(pool->policy, STOW_POOL_WHEN_EMPTY_OR_UNDERUTILIZED);
    assert_int_equal(count, 1);
    assert_true(b[0].is_percent && b[0].number == 10 && !b[0].has_reasons && !b[0].schedule);
    stow_snapshot_unref(s);
}

static void budgets_are_kept_as_texts_and_numbers(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        POOL("disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s, budgets: "
             "[{nodes: \"5\", reasons: [Drifted]}, "
             "{nodes: \"0\", schedule: \"@daily\", duration: 8h, reasons: []}]}",
             "requirements: []"));
    const struct stow_node_pool *pool = &s->node_pool[0];
    uint32_t count;
    const struct stow_pool_budget *b = STOW_LIST(s, pool->budgets, struct stow_pool_budget, &count);

    (void)ctx;
    assert_int_equal(count, 2);
    assert_true(b[0].number == 5 && !b[0].is_percent && b[0].has_reasons && b[0].reasons);
    assert_true(b[1].duration.seconds == 8 * 3600 && b[1].has_reasons && !b[1].reasons);
    IS(s, b[1].schedule, "@daily");
    assert_int_equal(pool->policy, STOW_POOL_WHEN_EMPTY);
    assert_true(pool->consolidate_after.seconds == 30);
    stow_snapshot_unref(s);
}

static void v1beta1_means_the_same(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        POOL_OF("v1beta1", "disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 48h}",
                "nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, name: x}, "
                "kubelet: {maxPods: 20}, requirements: []"));
    const struct stow_node_pool *pool = &s->node_pool[0];

    (void)ctx;
    assert_true(pool->is_beta);
    assert_int_equal(pool->policy, STOW_POOL_WHEN_EMPTY_OR_UNDERUTILIZED);
    assert_true(pool->expire_after.seconds == 48 * 3600);
    IS(s, pool->class.group, "karpenter.k8s.aws");
    assert_int_equal(pool->class.kind, 0);
    assert_int_equal(pool->kubelet.max_pods, 20);
    stow_snapshot_unref(s);
}

/* ---- what the API server refuses --------------------------------------------------------- */

static void requirement_is_refused(const char *requirement, const char *why)
{
    char document[1024];

    snprintf(document, sizeof(document), POOL("weight: 1", "requirements: [%s]"), requirement);

    struct stow_err err = refuse_str("test.yaml", stow_str_of(document));

    if (!strstr(err.msg, why))
        fail_msg("%s: %s", requirement, err.msg);
}

static void requirements_that_cannot_be_are_refused(void **ctx)
{
    (void)ctx;
    requirement_is_refused("{key: a, operator: Like, values: [x]}", "expected one of In, NotIn");
    requirement_is_refused("{key: a, values: [x]}", "operator of 'a' is missing");
    requirement_is_refused("{operator: Exists}", "key of a requirement is missing");
    requirement_is_refused("{key: a, operator: In}", "In has no values");
    requirement_is_refused("{key: a, operator: Gt, values: [x]}", "Gt has the value \"x\"");
    requirement_is_refused("{key: a, operator: Lte, values: [\"-1\"]}", "whole number");
    requirement_is_refused("{key: a, operator: Gt, values: [\"1\", \"2\"]}", "2 values");
    requirement_is_refused("{key: a, operator: Exists, minValues: 51}", "from 1 to 50");
    requirement_is_refused("{key: a, operator: In, values: [x], minValues: 2}", "only 1 values");
}

static void pool_is_refused(const char *document, const char *why)
{
    struct stow_err err = refuse_str("test.yaml", stow_str_of(document));

    if (!strstr(err.msg, why))
        fail_msg("%s", err.msg);
}

static void pools_that_cannot_be_are_refused(void **ctx)
{
    (void)ctx;
    pool_is_refused(POOL("weight: 101", "requirements: []"), "from 1 to 100");
    pool_is_refused(POOL("weight: 1", "expireAfter: 1d, requirements: []"), "duration");
    pool_is_refused(POOL_OF("v1", "weight: 1", "requirements: []"), "no node class");
    pool_is_refused(POOL_OF("v1", "weight: 1", "nodeClassRef: {name: x}, requirements: []"),
                    "no group");
    pool_is_refused(POOL("weight: 1", "expireAfter: 1h"), "no requirements");
    pool_is_refused(
        POOL("disruption: {consolidationPolicy: WhenUnderutilized}", "requirements: []"),
        "value of v1beta1");
    pool_is_refused(POOL("disruption: {budgets: [{nodes: 101%}]}", "requirements: []"),
                    "percentage");
    pool_is_refused(POOL("disruption: {budgets: [{schedule: \"@daily\"}]}", "requirements: []"),
                    "without a duration");
    pool_is_refused(POOL("replicas: 2\n  weight: 3", "requirements: []"), "expected one of them");
    pool_is_refused(POOL("replicas: 2\n  limits: {cpu: 1}", "requirements: []"), "only `nodes`");
    pool_is_refused(POOL("weight: 1", "requirements: [], taints: [{key: a, effect: NoSchedule}], "
                                      "startupTaints: [{key: a, effect: NoSchedule}]"),
                    "given twice");
}

/* ---- the other kinds --------------------------------------------------------------------- */

static void node_classes_of_three_clouds(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: c}\n"
        "spec: {amiSelectorTerms: [{alias: bottlerocket@latest}], instanceStorePolicy: RAID0, "
        "kubelet: {maxPods: 42, evictionHard: {memory.available: 5%}}, blockDeviceMappings: "
        "[{deviceName: /dev/xvdb, ebs: {volumeSize: 50Gi}}]}\n"
        "status: {subnets: [{zone: z-b, zoneID: id-b}, {zone: z-a}, {zone: z-b}], "
        "capacityReservations: [{id: cr-1, instanceType: m5.large, availabilityZone: z-a, "
        "reservationType: default, state: active}, {id: cr-2, state: expiring}]}\n---\n"
        "apiVersion: karpenter.azure.com/v1beta1\nkind: AKSNodeClass\nmetadata: {name: c}\n"
        "spec: {imageFamily: Ubuntu, maxPods: 30, osDiskSizeGB: 64}\n---\n"
        "apiVersion: karpenter.k8s.gcp/v1alpha1\nkind: GCENodeClass\nmetadata: {name: c}\n"
        "spec: {kubeletConfiguration: {maxPods: 64}, disks: [{boot: true, sizeGiB: 60}]}\n"
        "status: {conditions: [{type: Ready, status: \"False\"}]}\n");
    const struct stow_node_class *class = s->node_class;
    uint32_t count;

    (void)ctx;
    assert_int_equal(s->node_classes, 3);
    IS(s, class[0].family, "bottlerocket");
    assert_true(class[0].raid0 && class[0].kubelet.max_pods == 42);
    STOW_LIST(s, class[0].zones, struct stow_class_zone, &count);
    assert_int_equal(count, 2);
    STOW_LIST(s, class[0].reservations, struct stow_class_reservation, &count);
    assert_int_equal(count, 1);
    assert_true(STOW_LIST(s, class[0].disks, struct stow_class_disk, &count)->bytes == INT64_C(50)
                                                                                           << 30);
    assert_int_equal(class[1].kubelet.max_pods, 30);
    assert_true(STOW_LIST(s, class[1].disks, struct stow_class_disk, &count)->bytes ==
                INT64_C(64000000000));
    assert_int_equal(class[2].kubelet.max_pods, 64);
    assert_true(class[2].not_ready && !class[0].not_ready);
    stow_snapshot_unref(s);
}

static void claims_and_overlays(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c, labels: "
        "{karpenter.sh/nodepool: p}}\nspec: {" CLASS_REF ", requirements: [], resources: "
        "{requests: {cpu: 1}}}\nstatus: {nodeName: node-1, capacity: {cpu: 2}, conditions: [{type: "
        "Launched, status: \"True\"}, {type: Initialized, status: \"False\"}]}\n---\n"
        "apiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {name: o}\nspec: "
        "{requirements: [], priceAdjustment: \"-12.5%\", weight: 7}\n");

    (void)ctx;
    assert_int_equal(s->node_claims, 1);
    assert_int_equal(s->node_claim[0].flags, STOW_MACHINE_CLAIM_LAUNCHED);
    IS(s, s->node_claim[0].node_name, "node-1");
    assert_int_equal(s->overlays, 1);
    IS(s, s->overlay[0].adjustment, "-12.5%");
    assert_int_equal(s->overlay[0].weight, 7);
    stow_snapshot_unref(s);
    pool_is_refused("apiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {name: o}\n"
                    "spec: {requirements: [], price: \"+1\"}\n",
                    "expected a price");
    pool_is_refused("apiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {name: o}\n"
                    "spec: {requirements: [], price: \"1\", priceAdjustment: \"+1\"}\n",
                    "expected one of them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_keeps_what_its_claims_need),
        cmocka_unit_test(what_is_not_stated_is_filled_in),
        cmocka_unit_test(budgets_are_kept_as_texts_and_numbers),
        cmocka_unit_test(v1beta1_means_the_same),
        cmocka_unit_test(requirements_that_cannot_be_are_refused),
        cmocka_unit_test(pools_that_cannot_be_are_refused),
        cmocka_unit_test(node_classes_of_three_clouds),
        cmocka_unit_test(claims_and_overlays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
