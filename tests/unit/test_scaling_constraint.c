/* Unit tests of what is read for scaling: ScalingConstraints, the priority expander's ConfigMap,
 * NodeGroups that cannot be. */
#include "tests/unit/load.h"

#include "price/bill/bill.h"

#define CONSTRAINT(pools)                                               \
    "apiVersion: sa.gardener.cloud/v1alpha1\nkind: ScalingConstraint\n" \
    "metadata: {name: advice, namespace: shoot}\nspec:\n  consumerID: me\n  nodePools:\n" pools

#define POOL(rest) \
    "  - {name: a, region: eu-west-1, availabilityZones: [eu-west-1a, eu-west-1b], " rest "}\n"

#define TEMPLATE(name, rest) \
    "{name: " name ", architecture: arm64, instanceType: m6g.large, " rest "}"

#define PLAIN TEMPLATE("t", "capacity: {cpu: \"2\", memory: 8Gi}")

#define GROUP(spec) \
    "apiVersion: stowage.dev/v1alpha1\nkind: NodeGroup\nmetadata: {name: g}\nspec:\n" spec

static struct stow_str label(const struct stow_snapshot *s, stow_blob labels, const char *key)
{
    struct stow_str text = stow_label_text(s, labels, key);

    return text.ptr ? text : STOW_STR("(none)");
}

#define HAS(s, labels, key, value) assert_true(stow_str_is(label((s), (labels), (key)), (value)))

/* ---- ScalingConstraint ------------------------------------------------------------------- */

static void every_pool_template_and_zone_is_a_group(void **ctx)
{
    struct stow_snapshot *s = load_yaml(CONSTRAINT(POOL("priority: 3, nodeTemplates: [" TEMPLATE(
        "t",
        "priority: 7, capacity: "
        "{cpu: \"2\"}") ", " TEMPLATE("u", "capacity: {cpu: \"4\"}") "]") "  - {name: b, region: "
                                                                          "eu-west-1, "
                                                                          "availabilityZones: [z], "
                                                                          "nodeTemplates: [" PLAIN
                                                                          "]}\n"));
    static const char *const names[] = {"a/t/eu-west-1a", "a/t/eu-west-1b", "a/u/eu-west-1a",
                                        "a/u/eu-west-1b", "b/t/z"};

    (void)ctx;
    assert_int_equal(s->groups, COUNT(names));
    for (uint32_t i = 0; i < s->groups; i++)
        assert_string_equal(s->group[i].name, names[i]);
    assert_int_equal(s->group[0].pool_priority, 3);
    assert_int_equal(s->group[0].template_priority, 7);
    assert_int_equal(s->group[2].template_priority, 0);

    const struct stow_origin *first = &s->origin[s->group[0].origin];
    const struct stow_origin *other = &s->origin[s->group[3].origin];
    const struct stow_origin *last = &s->origin[s->group[4].origin];

    assert_string_equal(first->constraint, "advice");
    assert_string_equal(stow_text(s, first->namespace).ptr, "shoot");
    assert_string_equal(stow_text(s, other->template).ptr, "u");
    assert_string_equal(stow_text(s, other->zone).ptr, "eu-west-1b");
    assert_string_equal(stow_text(s, other->instance_type).ptr, "m6g.large");
    assert_string_equal(stow_text(s, last->pool).ptr, "b");
    assert_int_equal(first->pool_id, other->pool_id);
    assert_int_not_equal(first->pool_id, last->pool_id);
    assert_true(first->quota == STOW_NONE);
    stow_snapshot_unref(s);
}

static void the_node_is_the_one_that_the_planner_makes(void **ctx)
{
    struct stow_snapshot *s = load_yaml(CONSTRAINT(
        POOL("taints: [{key: k, value: v, effect: NoSchedule}], "
             "labels: {team: x, topology.kubernetes.io/zone: wrong}, "
             "annotations: {stowage.dev/note: why, other.io/z: w}, nodeTemplates: [" PLAIN "]")));
    const struct stow_node *fresh = &s->fresh[1];
    const struct stow_origin *origin = &s->origin[s->group[1].origin];
    uint32_t count;

    (void)ctx;
    HAS(s, fresh->labels, "node.kubernetes.io/instance-type", "m6g.large");
    HAS(s, fresh->labels, "kubernetes.io/arch", "arm64");
    HAS(s, fresh->labels, "kubernetes.io/os", "linux");
    HAS(s, fresh->labels, "topology.kubernetes.io/region", "eu-west-1");
    HAS(s, fresh->labels, "topology.kubernetes.io/zone", "eu-west-1b");
    HAS(s, fresh->labels, "topology.ebs.csi.aws.com/zone", "eu-west-1b");
    HAS(s, fresh->labels, "sa.gardener.cloud/node-pool-name", "a");
    HAS(s, fresh->labels, "sa.gardener.cloud/node-template-name", "t");
    HAS(s, fresh->labels, "kubernetes.io/hostname", "~a/t/eu-west-1b");
    HAS(s, fresh->labels, "team", "x");
    HAS(s, fresh->annotations, "stowage.dev/note", "why");
    HAS(s, fresh->annotations, "other.io/z", "(none)");
    HAS(s, origin->bare_labels, "team", "(none)");
    HAS(s, origin->bare_labels, "kubernetes.io/arch", "arm64");
    HAS(s, origin->bare_labels, "kubernetes.io/hostname", "~a/t/eu-west-1b");
    assert_int_equal(origin->bare_annotations, 0);
    STOW_LIST(s, fresh->taints, struct stow_taint, &count);
    assert_int_equal(count, 1);
    stow_snapshot_unref(s);
}

static void reserves_are_taken_off_and_may_take_too_much(void **ctx)
{
    struct stow_snapshot *s = load_yaml(CONSTRAINT(POOL("nodeTemplates: [" TEMPLATE(
        "t", "capacity: {cpu: \"2\", memory: 1Gi}, kubeReservedCapacity: {cpu: 80m, memory: 1Gi, "
             "pid: 20k}, systemReservedCapacity: {cpu: 20m, memory: 1Mi}") "]")));
    const struct stow_node *fresh = &s->fresh[0];
    stow_sym pid = stow_intern_find(&s->text, STOW_STR("pid"));

    (void)ctx;
    assert_int_equal(stow_resource_amount(s, fresh->allocatable, STOW_RESOURCE_CPU), 1900);
    assert_int_equal(stow_resource_amount(s, fresh->allocatable, STOW_RESOURCE_MEMORY), -(1 << 20));
    assert_int_equal(stow_resource_amount(s, fresh->allocatable, STOW_RESOURCE_PODS), 110);
    assert_int_equal(stow_resource_amount(s, fresh->capacity, STOW_RESOURCE_CPU), 2000);
    assert_true(stow_resource_find(s, pid) == STOW_NONE);
    stow_snapshot_unref(s);
}

static void a_quota_is_kept_and_pods_may_be_stated(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(CONSTRAINT(POOL("quota: {cpu: \"64\"}, nodeTemplates: [" TEMPLATE(
            "t", "capacity: {cpu: \"2\", pods: \"29\"}") "]")));

    (void)ctx;
    assert_int_equal(
        stow_resource_amount(s, s->origin[s->group[0].origin].quota, STOW_RESOURCE_CPU), 64000);
    assert_int_equal(stow_resource_amount(s, s->fresh[0].allocatable, STOW_RESOURCE_PODS), 29);
    stow_snapshot_unref(s);
}

#define MINE(name, type)                                                                     \
    "---\nkind: Node\nmetadata:\n  name: " name "\n  labels: "                               \
    "{sa.gardener.cloud/node-pool-name: a, sa.gardener.cloud/node-template-name: t, "        \
    "node.kubernetes.io/instance-type: " type ", topology.kubernetes.io/region: eu-west-1, " \
    "topology.kubernetes.io/zone: eu-west-1a}\nstatus: {capacity: {cpu: \"2\"}}\n"

static void nodes_with_the_same_five_labels_are_the_groups(void **ctx)
{
    struct stow_snapshot *s = load_yaml(CONSTRAINT(POOL("nodeTemplates: [" PLAIN "]")) MINE(
        "p", "m6g.large") MINE("q", "m6g.large") MINE("r", "m6g.xlarge"));

    (void)ctx;
    assert_string_equal(s->group[0].name, "a/t/eu-west-1a");
    assert_int_equal(s->group[0].current_nodes, 2);
    assert_int_equal(s->group[1].current_nodes, 0);
    assert_true(s->group[s->node[2].group].implied);
    stow_snapshot_unref(s);
}

static void a_node_of_a_pool_that_says_too_little_is_named(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        CONSTRAINT(POOL("nodeTemplates: [" PLAIN "]")) "---\nkind: Node\nmetadata: {name: lost, "
                                                       "labels: {sa.gardener.cloud/node-pool-name: "
                                                       "a}}\n"
                                                       "status: {capacity: {cpu: 2}}\n");

    (void)ctx;
    assert_int_equal(s->warnings, 1);
    assert_non_null(strstr(s->warning[0], "1; the first is 'lost', without 'node.kubernetes.io/"));
    stow_snapshot_unref(s);
}

static void the_price_is_found_without_a_provider(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        CONSTRAINT(POOL("nodeTemplates: [" PLAIN "]")) MINE("p", "m6g.large")
            MINE("r", "m6g.xlarge") "---\napiVersion: stowage.dev/v1alpha1\nkind: PriceBook\n"
                                    "metadata: {name: b}\nspec:\n  currency: USD\n  prices:\n"
                                    "  - {provider: aws, region: eu-west-1, instanceType: "
                                    "m6g.large, pricePerHour: \"0.086\"}\n"
                                    "  - {provider: aws, region: eu-west-1, instanceType: "
                                    "m6g.xlarge, pricePerHour: \"0.172\"}\n");
    struct stow_bill_options options = {.now = INT64_MAX};
    struct stow_books books;
    struct stow_bill bill;
    struct stow_err err;

    (void)ctx;
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &s->book, STOW_LAYER_DOCUMENTS), STOW_OK);
    assert_int_equal(stow_bill_make(s, &books, &options, &bill, &err), STOW_OK);
    assert_int_equal(bill.node[0].price, 86000000);
    assert_int_equal(bill.node[1].price, 172000000); /* its type and region tell the provider */
    stow_bill_done(&bill);
    stow_books_done(&books);
    stow_snapshot_unref(s);
}

static void what_a_constraint_must_have_is_asked_for(void **ctx)
{
    (void)ctx;
    refuse_yaml(CONSTRAINT("  - {region: r, availabilityZones: [z], nodeTemplates: [" PLAIN "]}\n"),
                "7:5", "node pool of a ScalingConstraint has no name");
    refuse_yaml(CONSTRAINT("  - {name: a, availabilityZones: [z], nodeTemplates: [" PLAIN "]}\n"),
                "7:5", "node pool 'a' of a ScalingConstraint has no region");
    refuse_yaml(CONSTRAINT("  - {name: a, region: r, nodeTemplates: [" PLAIN "]}\n"), "7:5",
                "has no zones; expected at least one in `availabilityZones`");
    refuse_yaml(CONSTRAINT("  - {name: a, region: r, availabilityZones: [\" \"], nodeTemplates: "
                           "[" PLAIN "]}\n"),
                "7:5", "has a blank zone");
    refuse_yaml(CONSTRAINT(POOL("priority: 1")), "7:5", "has no templates");
    refuse_yaml(CONSTRAINT(POOL("nodeTemplates: [{name: \"\", architecture: x}]")), "7:95",
                "node template of a ScalingConstraint has no name");
    refuse_yaml(CONSTRAINT(POOL("nodeTemplates: [{name: t, architecture: \" \"}]")), "7:95",
                "node template 't' of a ScalingConstraint has no architecture");
    refuse_yaml(CONSTRAINT(POOL("nodeTemplates: [{name: t, architecture: x}]")), "7:95",
                "has no instanceType; expected one such as \"m5.large\"");
    refuse_yaml(CONSTRAINT(POOL("nodeTemplates: [" TEMPLATE("t", "capacity: {cpu: 0}") "]")),
                "7:95", "has no cpu; expected capacity with `cpu` above 0");
    refuse_yaml("apiVersion: sa.gardener.cloud/v1alpha1\nkind: ScalingConstraint\n"
                "metadata: {name: x}\nspec: {nodePools: []}\n",
                "1:1", "'x' has no node pools; expected spec.nodePools");
    refuse_yaml("apiVersion: sa.gardener.cloud/v1alpha1\nkind: ScalingConstraint\nspec: {}\n",
                "1:1", "ScalingConstraint has no name");
}

/* ---- ConfigMap --------------------------------------------------------------------------- */

static void the_priorities_are_kept_wherever_the_name_stands(void **ctx)
{
    struct stow_snapshot *s = load_json(
        "{\"apiVersion\":\"v1\",\"data\":{\"priorities\":\"10:\\n- "
        "a\\n\"},\n\"kind\":\"ConfigMap\","
        "\"metadata\":{\"name\":\"cluster-autoscaler-priority-expander\",\"namespace\":\"ks\"}}");

    (void)ctx;
    assert_string_equal(s->priorities, "10:\n- a\n");
    assert_string_equal(s->priorities_from,
                        "ConfigMap 'ks/cluster-autoscaler-priority-expander' in test.json:1");
    assert_int_equal(s->warnings, 0);
    stow_snapshot_unref(s);
}

static void other_config_maps_are_passed_over(void **ctx)
{
    struct stow_snapshot *s = load_yaml("kind: ConfigMap\nmetadata: {name: other}\n"
                                        "data: {priorities: {not: text}}\n---\nkind: ConfigMap\n");

    (void)ctx;
    assert_null(s->priorities);
    assert_int_equal(s->warnings, 0);
    stow_snapshot_unref(s);
}

#define PRIORITIES(namespace, data)                                                 \
    "---\nkind: ConfigMap\nmetadata: {name: cluster-autoscaler-priority-expander, " \
    "namespace: " namespace "}\ndata: " data "\n"

static void the_last_of_several_counts_and_an_empty_one_is_named(void **ctx)
{
    struct stow_snapshot *s = load_yaml(PRIORITIES("a", "{priorities: first}") PRIORITIES(
        "b", "{priorities: second}") PRIORITIES("c", "{other: x}"));

    (void)ctx;
    assert_string_equal(s->priorities, "second");
    assert_int_equal(s->warnings, 2);
    assert_non_null(strstr(s->warning[0], "the last one counts, that of namespace 'b'"));
    assert_non_null(strstr(s->warning[1], "'c/cluster-autoscaler-priority-expander' has no data"));
    stow_snapshot_unref(s);
    refuse_yaml(PRIORITIES("a", "{priorities: [1]}"), "4:20", "expected a string, found a list");
}

/* ---- NodeGroups that cannot be ----------------------------------------------------------- */

static void a_template_gives_no_more_than_it_has(void **ctx)
{
    (void)ctx;
    refuse_yaml(GROUP("  template:\n    status:\n      capacity: {cpu: \"2\", memory: 4Gi}\n"
                      "      allocatable: {cpu: \"2\", memory: 5Gi}\n"),
                "8:20", "NodeGroup 'g': template.status.allocatable has more memory than");
    load_and_drop("test.yaml", stow_str_of("kind: Node\nmetadata: {name: one}\nstatus: {capacity: "
                                           "{cpu: \"2\"}, allocatable: {cpu: \"3\"}}\n"));
}

static void a_template_has_cpu(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(GROUP("  template: {status: {allocatable: {cpu: \"3\"}}}\n"));

    (void)ctx;
    assert_int_equal(stow_resource_amount(s, s->fresh[0].capacity, STOW_RESOURCE_CPU), 3000);
    stow_snapshot_unref(s);
    refuse_yaml(GROUP("  template: {status: {capacity: {memory: 4Gi}}}\n"), "5:13",
                "NodeGroup 'g': the template has no cpu");
    refuse_yaml(GROUP("  template: {status: {capacity: {cpu: 0, memory: 4Gi}}}\n"), "5:13",
                "the template has no cpu, and it names no instance type; expected");
    load_and_drop("test.yaml", stow_str_of(GROUP("  minNodes: 1\n")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pool_template_and_zone_is_a_group),
        cmocka_unit_test(the_node_is_the_one_that_the_planner_makes),
        cmocka_unit_test(reserves_are_taken_off_and_may_take_too_much),
        cmocka_unit_test(a_quota_is_kept_and_pods_may_be_stated),
        cmocka_unit_test(nodes_with_the_same_five_labels_are_the_groups),
        cmocka_unit_test(a_node_of_a_pool_that_says_too_little_is_named),
        cmocka_unit_test(the_price_is_found_without_a_provider),
        cmocka_unit_test(what_a_constraint_must_have_is_asked_for),
        cmocka_unit_test(the_priorities_are_kept_wherever_the_name_stands),
        cmocka_unit_test(other_config_maps_are_passed_over),
        cmocka_unit_test(the_last_of_several_counts_and_an_empty_one_is_named),
        cmocka_unit_test(a_template_gives_no_more_than_it_has),
        cmocka_unit_test(a_template_has_cpu),
    };

    return cmocka_run_group_tests_name("read/scaling", tests, NULL, NULL);
}
