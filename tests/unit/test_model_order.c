/* Unit tests of order: objects sorted by name whatever the order of the input, each name once. */
#include "tests/unit/load.h"

static void pods_are_sorted_by_namespace_and_name(void **ctx)
{
    static const char *const pods[][2] = {{"b", "x"}, {"a", "n10"}, {"default", "a"}, {"a", "n2"},
                                          {"b", "a"}, {"a", "n1"},  {"a-b", "x"},     {"a", "N1"}};
    static const char *const want[] = {"a/N1",  "a/n1", "a/n10", "a/n2",
                                       "a-b/x", "b/a",  "b/x",   "default/a"};
    struct stow_buf text = {0};

    (void)ctx;
    for (size_t i = 0; i < COUNT(pods); i++)
        stow_buf_printf(&text,
                        "---\n{apiVersion: v1, kind: Pod, metadata: {namespace: %s, name: %s}}\n",
                        pods[i][0], pods[i][1]);

    struct stow_snapshot *s = load_str("test.yaml", stow_buf_str(&text));

    for (uint32_t i = 0; i < COUNT(want); i++) {
        char got[64];

        snprintf(got, sizeof(got), "%s/%s", stow_snapshot_pod_namespace(s, i),
                 stow_snapshot_pod_name(s, i));
        assert_string_equal(got, want[i]);
    }
    stow_snapshot_unref(s);
    stow_buf_done(&text);
}

static void nodes_are_sorted_and_found_by_name(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    for (int i = 0; i < 100; i++)
        stow_buf_printf(&text, "---\n{apiVersion: v1, kind: Node, metadata: {name: node%d}}\n",
                        i * 37 % 100);

    struct stow_snapshot *s = load_str("test.yaml", stow_buf_str(&text));

    for (uint32_t i = 0; i < 100; i++) {
        struct stow_str name = stow_str_of(stow_snapshot_node_name(s, i));

        assert_int_equal(stow_node_find(s, name), i);
        assert_true(i == 0 ||
                    stow_str_cmp(stow_str_of(stow_snapshot_node_name(s, i - 1)), name) < 0);
    }
    assert_int_equal(stow_node_find(s, STOW_STR("node100")), STOW_NONE);
    assert_int_equal(stow_node_find(s, STOW_STR("")), STOW_NONE);
    assert_int_equal(stow_node_find(s, STOW_STR("zzz")), STOW_NONE);
    stow_snapshot_unref(s);
    stow_buf_done(&text);
}

static void resources_are_the_fixed_ones_then_scalars_by_name(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: "
                  "[{resources: {requests: "
                  "{x.io/z: 1, hugepages-2Mi: 1, cpu: 1, dropped: 1, a.io/b: 1}}}]}}\n---\n"
                  "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: "
                  "{b.io/c: 1, pods: 3}}}\n");
    static const char *const want[] = {"cpu",    "memory", "ephemeral-storage", "pods",
                                       "a.io/b", "b.io/c", "hugepages-2Mi",     "x.io/z"};

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_RESOURCES), COUNT(want));
    for (uint32_t i = 0; i < COUNT(want); i++)
        assert_string_equal(stow_snapshot_resource_name(s, i), want[i]);
    stow_snapshot_unref(s);
}

static void equal_specs_are_one_spec(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeSelector: {x: w, z: w}, "
        "containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi}}}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{resources: "
        "{requests: "
        "{memory: 1024Mi, cpu: 1000m}}, name: other}], nodeSelector: {z: w, x: w}}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {containers: [{resources: "
        "{requests: "
        "{memory: 1024Mi, cpu: 1001m}}}], nodeSelector: {z: w, x: w}}}\n");

    (void)ctx;
    assert_int_equal(s->pod[0].spec, s->pod[1].spec);
    assert_int_not_equal(s->pod[0].spec, s->pod[2].spec);
    assert_int_equal(stow_snapshot_count(s, STOW_POD_SPECS), 2);
    stow_snapshot_unref(s);
}

static void a_snapshot_is_shared_by_reference(void **ctx)
{
    struct stow_snapshot *s = load_yaml("{apiVersion: v1, kind: Node, metadata: {name: n1}}\n");
    struct stow_snapshot *same = stow_snapshot_ref(s);

    (void)ctx;
    assert_ptr_equal(s, same);
    stow_snapshot_unref(s);
    assert_string_equal(stow_snapshot_node_name(same, 0), "n1");
    assert_true(stow_snapshot_bytes(same) > 0);
    stow_snapshot_unref(same);
    stow_snapshot_unref(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_are_sorted_by_namespace_and_name),
        cmocka_unit_test(nodes_are_sorted_and_found_by_name),
        cmocka_unit_test(resources_are_the_fixed_ones_then_scalars_by_name),
        cmocka_unit_test(equal_specs_are_one_spec),
        cmocka_unit_test(a_snapshot_is_shared_by_reference),
    };

    return cmocka_run_group_tests_name("model/order", tests, NULL, NULL);
}
