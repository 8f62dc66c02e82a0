/* Unit tests of objects: kinds, lists, names, the same object twice, kinds nobody reads. */
#include "tests/unit/load.h"

#include "model/annotations.h"

#define NAMED(kind, name) \
    "{\"kind\":\"" kind "\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name "\"}}"
#define BARE(name) "{\"metadata\":{\"name\":\"" name "\"}}"

static void an_object_needs_a_kind(void **ctx)
{
    (void)ctx;
    refuse_json("{}", "1:1", "object has no kind; expected a Kubernetes object");
    refuse_json("{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}", "1:1", "has no kind");
    refuse_json("{\"kind\":null}", "1:9", ".kind: expected a string, found null");
    refuse_json("{\"kind\":[]}", "1:9", ".kind: expected a string, found a list");
    refuse_json("{\"kind\":\"Pod\",\"apiVersion\":1}", "1:28", ".apiVersion: expected a string");
    refuse_yaml("kind: Pod\napiVersion: 1\n", "2:13", ".apiVersion: expected a string");
    refuse_yaml("metadata: {name: a}\n---\nkind: X\n", "1:1", "has no kind");
}

static void an_object_needs_a_name(void **ctx)
{
    static const char *const kinds[][2] = {
        {"Pod", "v1"},
        {"Node", "v1"},
        {"Service", "v1"},
        {"Deployment", "apps/v1"},
        {"StatefulSet", "apps/v1"},
        {"ReplicaSet", "apps/v1"},
        {"DaemonSet", "apps/v1"},
        {"Job", "batch/v1"},
        {"CronJob", "batch/v1"},
        {"ReplicationController", "v1"},
        {"StorageClass", "storage.k8s.io/v1"},
        {"CSINode", "storage.k8s.io/v1"},
        {"VolumeAttachment", "storage.k8s.io/v1"},
        {"PodDisruptionBudget", "policy/v1"},
        {"PriorityClass", "scheduling.k8s.io/v1"},
        {"NodeGroup", "stowage.dev/v1alpha1"},
        {"PriceBook", "stowage.dev/v1alpha1"},
        {"Policy", "stowage.dev/v1alpha1"},
    };
    static const char *const without[] = {"", "metadata: {}\n", "metadata: ~\n",
                                          "metadata: {name: \"\"}\n", "metadata: {name: ~}\n"};

    (void)ctx;
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(without); i++) {
            char text[200], says[80];

            snprintf(text, sizeof(text), "# c\nkind: %s\napiVersion: %s\n%s", kinds[k][0],
                     kinds[k][1], without[i]);
            snprintf(says, sizeof(says), "%s has no name; expected metadata.name", kinds[k][0]);
            refuse_yaml(text, "2:1", says);
        }
}

static void what_only_others_name_may_be_without_a_name(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "{kind: Namespace, metadata: {labels: {a: b}}}\n---\n{kind: PersistentVolume}\n---\n"
        "{kind: PersistentVolumeClaim}\n---\n{kind: PersistentVolume, metadata: {name: v}}\n");

    (void)ctx;
    assert_int_equal(s->volumes, 1);
    assert_int_equal(s->namespaces + s->claims, 0);
    assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 1);
    assert_true(load_warns(s,
                           "skipped 3 objects without a name: Namespace (1), PersistentVolume (1), "
                           "PersistentVolumeClaim (1)"));
    stow_snapshot_unref(s);
}

static void names_have_a_length_and_no_nul(void **ctx)
{
    char *long_name = load_repeat("x", 254);
    char *text = load_fill(NAMED("Pod", "@"), long_name);

    (void)ctx;
    refuse_json(text, "1:52", "expected a name of at most 253 characters");
    free(text);
    long_name[253] = '\0';
    text = load_fill(NAMED("Pod", "@"), long_name);
    load_and_drop("test.json", stow_str_of(text));
    free(text);
    free(long_name);
    refuse_json(NAMED("Pod", "a\\u0000b"), "1:52", "expected a name");
}

static void kinds_belong_to_their_groups(void **ctx)
{
    struct stow_snapshot *s =
        load_json("{\"kind\":\"Pod\",\"apiVersion\":\"metrics.k8s.io/v1\",\"metadata\":{}}"
                  "{\"kind\":\"Node\",\"apiVersion\":\"v2beta1\",\"metadata\":{\"name\":\"a\"}}");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 0);
    assert_int_equal(stow_snapshot_count(s, STOW_NODES), 1);
    assert_true(load_warns(s, "skipped 1 object of kinds that are not used: "
                              "Pod.metrics.k8s.io (1)"));
    stow_snapshot_unref(s);
}

static void unknown_kinds_are_counted_in_one_warning(void **ctx)
{
    struct stow_snapshot *s =
        load_json("{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}{\"kind\":\"Widget\",\"x\":[{}]}"
                  "{\"kind\":\"List\",\"items\":[{\"kind\":\"Secret\"},{\"kind\":\"Zebra\"}]}");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 1);
    assert_string_equal(stow_snapshot_warning(s, 0),
                        "skipped 4 objects of kinds that are not used: Secret (2), Widget (1), "
                        "Zebra (1)");
    stow_snapshot_unref(s);
}

static void lists_have_their_items_before_or_behind_the_kind(void **ctx)
{
    static const char *const lists[] = {
        "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" NAMED("Pod", "a") "," NAMED(
            "Pod", "b") "]}",
        "{\"apiVersion\":\"v1\",\"items\":[" NAMED("Pod", "a") "," NAMED(
            "Pod", "b") "],\"kind\":\"List\"}",
        "{\"items\":[" NAMED("Pod", "a") "," NAMED("Pod", "b") "]}",
        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[" BARE("a") "," BARE("b") "]}",
        "{\"items\":[" BARE("a") "," BARE("b") "],\"kind\":\"PodList\",\"apiVersion\":\"v1\"}",
        "{\"items\":[" BARE("a") "," NAMED(
            "Pod", "b") ",null],\"apiVersion\":\"v1\","
                        "\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"\"}}",
        "{\"kind\":\"List\",\"items\":[{\"items\":[{\"items\":[" NAMED(
            "Pod", "a") "],\"kind\":\"List\"},"
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[" BARE(
                            "b") "]}],\"kind\":\"List\"}]}",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct stow_snapshot *s = load_json(lists[i]);

        assert_int_equal(stow_snapshot_count(s, STOW_PODS), 2);
        assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 0);
        assert_string_equal(stow_snapshot_pod_name(s, 0), "a");
        stow_snapshot_unref(s);
    }
}

static void lists_may_be_empty_or_of_other_groups(void **ctx)
{
    struct stow_snapshot *s = load_json(
        "{\"kind\":\"List\",\"items\":[]}{\"kind\":\"PodList\",\"items\":null}{\"kind\":\"List\"}"
        "{\"kind\":\"DeploymentList\",\"apiVersion\":\"apps/v1\",\"items\":[{\"metadata\":"
        "{\"name\":\"web\"},\"spec\":{\"replicas\":2,\"template\":{\"spec\":{}}}}]}"
        "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":[{},{}]}");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 2);
    assert_true(load_warns(s, "Secret (2)"));
    stow_snapshot_unref(s);
}

static void items_of_a_list_are_objects(void **ctx)
{
    (void)ctx;
    refuse_json("{\"kind\":\"List\",\"items\":[" NAMED("Pod", "a") ",5]}", "1:82",
                ".items[1]: expected an object, found a number");
    refuse_json("{\"kind\":\"List\",\"items\":{}}", "1:24",
                ".items: expected a list, found an object");
    refuse_json("{\"kind\":\"List\",\"items\":[" BARE("a") "]}", "1:25",
                ".items[0]: object has no kind");
    refuse_json("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{}]}", "1:46",
                ".items[0]: Pod has no name");
    refuse_json("{\"items\":[" NAMED("Pod", "a") "],\"items\":[]}", "1:69",
                "'items' is given twice");
}

static void the_last_of_two_objects_counts(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {x: first}}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: other}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, labels: {x: "
        "last}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 1}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 2}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 3}}}\n");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 2);
    assert_text(load_label(s, 0, "x"), "last");
    assert_int_equal(stow_snapshot_count(s, STOW_NODES), 1);
    assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_CPU), 3000);
    assert_true(load_warns(s, "pods given more than once: 1; the last one counts"));
    assert_true(load_warns(s, "nodes given more than once: 2; the last one counts"));
    stow_snapshot_unref(s);
}

/* Each object, and a field that makes a second one of its name another one. */
static void every_kind_given_twice_is_warned_about(void **ctx)
{
    static const char *const objects[][3] = {
        {"apiVersion: apps/v1, kind: Deployment, metadata: {name: a}", "spec: {replicas: 2}",
         "workloads given more than once: 1"},
        {"apiVersion: v1, kind: Service, metadata: {name: a}", "spec: {selector: {a: b}}",
         "services given more than once: 1"},
        {"apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}",
         "spec: {volumeName: v}", "volume claims"},
        {"apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}", "provisioner: d",
         "storage classes given"},
        {"apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: a}",
         "spec: {drivers: [{name: d, allocatable: {count: 1}}]}", "CSI nodes given"},
        {"apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}",
         "spec: {nodeName: w}", "volume attachments given"},
        {"apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}",
         "spec: {minAvailable: 1}", "budgets"},
        {"apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}", "value: 7",
         "priority classes given"},
        {"apiVersion: stowage.dev/v1alpha1, kind: NodeGroup, metadata: {name: a}",
         "spec: {minNodes: 1}", "node groups given"},
        {"apiVersion: stowage.dev/v1alpha1, kind: PriceBook, metadata: {name: a}", "spec: {}",
         "PriceBook 'a' was given more than once; the last one counts"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(objects); i++) {
        char text[300];

        snprintf(text, sizeof(text), "{%s}\n---\n{%s, %s}\n", objects[i][0], objects[i][0],
                 objects[i][1]);

        struct stow_snapshot *s = load_yaml(text);

        assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 1);
        assert_mentions(stow_snapshot_warning(s, 0), objects[i][2]);
        stow_snapshot_unref(s);
    }
}

static void what_is_given_twice_alike_is_not_worth_a_warning(void **ctx)
{
    static const char *const objects[] = {
        "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {b: c}}}\n",
        "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {capacity: {cpu: 1}}}\n",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 0}}\n",
        "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n",
        "{apiVersion: v1, kind: Service, metadata: {name: a}}\n",
        "{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}}\n",
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}}\n",
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}}\n",
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}}\n",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(objects); i++) {
        char text[300];

        snprintf(text, sizeof(text), "%s---\n%s", objects[i], objects[i]);

        struct stow_snapshot *s = load_yaml(text);

        assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 0);
        stow_snapshot_unref(s);
    }
}

#define NODE_AT(version, cpu) \
    "{kind: Node, metadata: {name: n1" version "}, status: {allocatable: {cpu: " cpu "}}}\n---\n"

static void the_newer_of_two_counts_wherever_it_stands(void **ctx)
{
    static const struct {
        const char *text, *says;
        int64_t cpu;
    } cases[] = {
        {NODE_AT(", resourceVersion: '12'", "1") NODE_AT(", resourceVersion: '9'", "2"),
         "nodes given more than once: 1; the one with the newest resourceVersion counts", 1},
        {NODE_AT(", resourceVersion: '9'", "1") NODE_AT(", resourceVersion: '12'", "2"),
         "newest resourceVersion counts", 2},
        {NODE_AT(", resourceVersion: '12'", "1") NODE_AT(", resourceVersion: '12'", "2"),
         "the last one counts", 2},
        {NODE_AT(", generation: 4", "1") NODE_AT(", generation: 3", "2"), "newest", 1},
        {NODE_AT(", resourceVersion: '12'", "1") NODE_AT("", "2"), "the last one counts", 2},
        {NODE_AT(", resourceVersion: '12'", "1") NODE_AT(", generation: 3", "2"), "the last", 2},
        {NODE_AT(", resourceVersion: x", "1") NODE_AT(", resourceVersion: '3'", "2"), "last", 2},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stow_snapshot *s = load_yaml(cases[i].text);

        assert_int_equal(stow_snapshot_count(s, STOW_NODES), 1);
        assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_CPU), cases[i].cpu * 1000);
        assert_true(load_warns(s, cases[i].says));
        stow_snapshot_unref(s);
    }
}

/* The names are equal; kind or namespace is not. */
static void objects_of_another_kind_or_namespace_are_others(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}\n---\n"
                  "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}}\n---\n"
                  "{apiVersion: v1, kind: Service, metadata: {name: a}}\n---\n"
                  "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}}\n---\n"
                  "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n");

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 0);
    assert_int_equal(s->workloads, 2);
    assert_int_equal(s->services, 2);
    stow_snapshot_unref(s);
}

static void annotations_are_shown_on_demand(void **ctx)
{
    static const char text[] =
        "{apiVersion: v1, kind: Pod, metadata: {name: a, annotations: {long: x, mine: \"1\", "
        "stowage.dev/x: \"2\", cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\"}}}";
    static const char *const keys[] = {"mine"};
    struct stow_snapshot *s = NULL;

    (void)ctx;
    assert_int_equal(stow_snapshot_load_text("t.yaml", text, sizeof(text) - 1, NULL, &s, NULL),
                     STOW_OK);
    assert_int_equal(stow_annotations_show(s, keys, 1), STOW_OK);
    assert_text(stow_label_text(s, s->pod[0].annotations, "mine"), "1");
    assert_text(stow_label_text(s, s->pod[0].annotations, "stowage.dev/x"), "2");
    assert_null(stow_label_text(s, s->pod[0].annotations, "long").ptr);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_needs_a_kind),
        cmocka_unit_test(an_object_needs_a_name),
        cmocka_unit_test(what_only_others_name_may_be_without_a_name),
        cmocka_unit_test(names_have_a_length_and_no_nul),
        cmocka_unit_test(kinds_belong_to_their_groups),
        cmocka_unit_test(unknown_kinds_are_counted_in_one_warning),
        cmocka_unit_test(lists_have_their_items_before_or_behind_the_kind),
        cmocka_unit_test(lists_may_be_empty_or_of_other_groups),
        cmocka_unit_test(items_of_a_list_are_objects),
        cmocka_unit_test(the_last_of_two_objects_counts),
        cmocka_unit_test(every_kind_given_twice_is_warned_about),
        cmocka_unit_test(what_is_given_twice_alike_is_not_worth_a_warning),
        cmocka_unit_test(the_newer_of_two_counts_wherever_it_stands),
        cmocka_unit_test(objects_of_another_kind_or_namespace_are_others),
        cmocka_unit_test(annotations_are_shown_on_demand),
    };

    return cmocka_run_group_tests_name("read/object", tests, NULL, NULL);
}
