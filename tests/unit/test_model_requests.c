/* Unit tests of what a pod asks for; random pods against a slow reference are in tests/property. */
#include "tests/unit/load.h"

#include "model/pods/requests.h"

#define GI (INT64_C(1) << 30)
#define MI (INT64_C(1) << 20)

/* The spec as it stands there: what the API server would add to it is another matter. */
static struct stow_snapshot *pod(const char *spec)
{
    static const struct stow_load_options as_given = {.size = sizeof(as_given), .as_given = true};
    char *text = load_fill("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {@}\n", spec);
    struct stow_snapshot *s = NULL;

    assert_int_equal(stow_snapshot_load_text("test.yaml", text, strlen(text), &as_given, &s, NULL),
                     STOW_OK);
    free(text);
    return s;
}

/* The request of a resource by name; -1 when the scheduler counts no such resource. */
static int64_t asks(const struct stow_snapshot *s, const char *name)
{
    for (uint32_t r = 0; r < stow_snapshot_count(s, STOW_RESOURCES); r++)
        if (strcmp(stow_snapshot_resource_name(s, r), name) == 0)
            return stow_snapshot_pod_request(s, 0, r);
    return -1;
}

static void check(const char *spec, int64_t cpu, int64_t memory, int64_t nonzero_cpu,
                  int64_t nonzero_memory)
{
    struct stow_snapshot *s = pod(spec);
    const struct stow_demand *d = &s->demand[s->pod[0].spec];

    if (asks(s, "cpu") != cpu || asks(s, "memory") != memory || d->nonzero_cpu != nonzero_cpu ||
        d->nonzero_memory != nonzero_memory)
        fail_msg("{%s}: cpu %lld, memory %lld, with defaults %lld, %lld", spec,
                 (long long)asks(s, "cpu"), (long long)asks(s, "memory"), (long long)d->nonzero_cpu,
                 (long long)d->nonzero_memory);
    stow_snapshot_unref(s);
}

static void containers_add_up_and_round_once(void **ctx)
{
    (void)ctx;
    check("containers: [{resources: {requests: {cpu: 100m, memory: 1Gi}}}, "
          "{resources: {requests: {cpu: 1500u, memory: 1}}}]",
          102, GI + 1, 102, GI + 1);
    check("containers: [{resources: {requests: {cpu: 0.4m, memory: 1}}}, "
          "{resources: {requests: {cpu: 0.4m, memory: 1}}}]",
          1, 2, 1, 2);
}

static void limits_are_no_requests(void **ctx)
{
    (void)ctx;
    check("containers: [{resources: {limits: {cpu: 1, memory: 1Gi}}}]", 0, 0, 100, 200 * MI);
}

static void init_containers_count_where_they_are_larger(void **ctx)
{
    (void)ctx;
    check("containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}], "
          "initContainers: [{resources: {requests: {cpu: 2, memory: 1Mi}}}, "
          "{resources: {requests: {cpu: 500m}}}]",
          2000, GI, 2000, GI);
}

static void sidecars_run_beside_everything_behind_them(void **ctx)
{
    (void)ctx;
    /* peak: first 1, then 1 + 2; run: 1 + 1 */
    check("containers: [{resources: {requests: {cpu: 1}}}], "
          "initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}, "
          "{resources: {requests: {cpu: 2}}}]",
          3000, 0, 3000, 600 * MI - 200 * MI);
    /* the large one before the sidecar does not meet it */
    check("containers: [{resources: {requests: {cpu: 1}}}], "
          "initContainers: [{resources: {requests: {cpu: 2}}}, "
          "{restartPolicy: Always, resources: {requests: {cpu: 1}}}]",
          2000, 0, 2000, 400 * MI);
    /* any other restart policy is none */
    check("containers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}], "
          "initContainers: [{restartPolicy: OnFailure, resources: {requests: {cpu: 2}}}]",
          2000, 0, 2000, 200 * MI);
}

static void pod_level_requests_replace_and_overhead_is_added_last(void **ctx)
{
    (void)ctx;
    check("containers: [{resources: {requests: {cpu: 4, memory: 1Gi}}}], "
          "resources: {requests: {cpu: 1}, limits: {cpu: 8, memory: 8Gi}}, "
          "overhead: {cpu: 250m, memory: 1Mi}",
          1250, GI + MI, 1250, GI + MI);
    check("containers: [{}], overhead: {cpu: 250m}", 250, 0, 350, 200 * MI);
}

static void defaults_fill_in_for_every_container(void **ctx)
{
    (void)ctx;
    check("containers: [{}, {}]", 0, 0, 200, 400 * MI);
    check("containers: []", 0, 0, 0, 0);
    check("", 0, 0, 0, 0);
    check("containers: [{resources: {requests: {cpu: 0, memory: \"0\"}}}]", 0, 0, 0, 0);
    check("containers: [{resources: {requests: {cpu: ~}}}]", 0, 0, 0, 200 * MI);
    check("initContainers: [{}]", 0, 0, 100, 200 * MI);
}

/* With requests of the pod itself a default is only for what nobody at all names. */
static void defaults_beside_pod_level_requests(void **ctx)
{
    (void)ctx;
    check("containers: [{}, {}], resources: {requests: {cpu: 1}}", 1000, 0, 1000, 400 * MI);
    check("containers: [{}, {resources: {requests: {memory: 1}}}], resources: {requests: {cpu: 1}}",
          1000, 1, 1000, 1);
    check("containers: [{}], resources: {requests: {cpu: 1}}, overhead: {memory: 5}", 1000, 5, 1000,
          5);
    check("containers: [{}], resources: {requests: {nvidia.com/gpu: 1}}", 0, 0, 100, 200 * MI);
}

static void names_the_scheduler_does_not_know_are_dropped(void **ctx)
{
    struct stow_snapshot *s =
        pod("containers: [{resources: {requests: {gpu: 1, nvidia.com/gpu: 2, hugepages-2Mi: 4Mi, "
            "ephemeral-storage: 1Gi}}}], resources: {requests: {hugepages-2Mi: 2Mi, "
            "nvidia.com/gpu: 9}}");

    (void)ctx;
    assert_int_equal(asks(s, "gpu"), -1);
    assert_int_equal(asks(s, "nvidia.com/gpu"), 2); /* no pod-level request for devices */
    assert_int_equal(asks(s, "hugepages-2Mi"), 2 * MI);
    assert_int_equal(asks(s, "ephemeral-storage"), GI);
    stow_snapshot_unref(s);
}

/* ---- resizing in place ------------------------------------------------------------------- */

static void check_resized(const char *status, int64_t cpu, int64_t memory)
{
    char *text =
        load_fill("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nstatus: {@}\n"
                  "spec: {containers: [{name: a, resources: {requests: {cpu: 2, memory: 1Gi}}}, "
                  "{name: b, resources: {requests: {cpu: 1}}}]}\n",
                  status);
    struct stow_snapshot *s = load_yaml(text);

    if (asks(s, "cpu") != cpu || asks(s, "memory") != memory)
        fail_msg("{%s}: cpu %lld, memory %lld", status, (long long)asks(s, "cpu"),
                 (long long)asks(s, "memory"));
    stow_snapshot_unref(s);
    free(text);
}

static void a_resize_counts_with_the_largest_of_its_figures(void **ctx)
{
    (void)ctx;
    check_resized("", 3000, GI);
    check_resized("containerStatuses: [{name: a, resources: {requests: {cpu: 3, memory: 1Mi}}}]",
                  4000, GI);
    check_resized("containerStatuses: [{name: a, allocatedResources: {cpu: 5}, "
                  "resources: {requests: {cpu: 3}}}]",
                  6000, GI);
    check_resized("containerStatuses: [{name: a, allocatedResources: {cpu: 5}}]", 3000, GI);
    check_resized("containerStatuses: [{name: other, resources: {requests: {cpu: 9}}}]", 3000, GI);
}

static void an_infeasible_resize_leaves_the_spec_out(void **ctx)
{
    static const char statuses[] =
        "containerStatuses: [{name: a, allocatedResources: {cpu: 1, memory: 1Gi}, "
        "resources: {requests: {cpu: 1500m, memory: 1Gi}}}], ";
    char text[400];

    (void)ctx;
    snprintf(text, sizeof(text), "%s resize: Infeasible", statuses);
    check_resized(text, 2500, GI);
    snprintf(text, sizeof(text),
             "%s conditions: [{type: PodResizePending, status: \"True\", reason: Infeasible}]",
             statuses);
    check_resized(text, 2500, GI);
    snprintf(text, sizeof(text),
             "%s conditions: [{type: PodResizePending, status: \"True\", reason: Deferred}]",
             statuses);
    check_resized(text, 3000, GI);
    snprintf(text, sizeof(text),
             "%s conditions: [{type: Ready, status: \"True\", reason: Infeasible}]", statuses);
    check_resized(text, 3000, GI);
}

/* ---- totals ------------------------------------------------------------------------------ */

static void nodes_hold_what_their_pods_ask_for(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 8}, "
        "allocatable: {cpu: 3920m, memory: 7.5Gi, pods: 29, gpu: 1}}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n1, containers: "
        "[{resources: {requests: {cpu: 1}}}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b, deletionTimestamp: x}, spec: {nodeName: "
        "n1, "
        "containers: [{resources: {requests: {cpu: 1, memory: 1}}}]}, status: {phase: "
        "Running}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {nodeName: n1, containers: "
        "[{resources: {requests: {cpu: 1}}}]}, status: {phase: Succeeded}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: d}, spec: {nodeName: n1, containers: "
        "[{resources: {requests: {cpu: 1}}}]}, status: {phase: Failed}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: e}, spec: {nodeName: lost}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: f}}\n");

    (void)ctx;
    assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_CPU), 3920);
    assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_MEMORY), 8053063680);
    assert_int_equal(stow_snapshot_count(s, STOW_RESOURCES), STOW_RESOURCE_FIXED);
    assert_int_equal(stow_snapshot_requested(s, 0, STOW_RESOURCE_CPU), 2000);
    assert_int_equal(stow_snapshot_requested(s, 0, STOW_RESOURCE_PODS), 2);
    assert_int_equal(s->nonzero_memory[0], 200 * MI + 1);
    assert_int_equal(stow_snapshot_count(s, STOW_PODS_RUNNING), 3);
    assert_int_equal(stow_snapshot_count(s, STOW_PODS_PENDING), 1);
    assert_int_equal(stow_snapshot_pod_node(s, 4), UINT32_MAX);
    assert_true(load_warns(s, "pods bound to nodes that are not in the input: 1"));
    stow_snapshot_unref(s);
}

static void allocatable_falls_back_on_capacity_only_when_absent(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 8}}}\n---\n"
        "{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {capacity: {cpu: 8}, "
        "allocatable: {}}}\n");

    (void)ctx;
    assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_CPU), 8000);
    assert_int_equal(stow_snapshot_allocatable(s, 1, STOW_RESOURCE_CPU), 0);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_add_up_and_round_once),
        cmocka_unit_test(limits_are_no_requests),
        cmocka_unit_test(init_containers_count_where_they_are_larger),
        cmocka_unit_test(sidecars_run_beside_everything_behind_them),
        cmocka_unit_test(pod_level_requests_replace_and_overhead_is_added_last),
        cmocka_unit_test(defaults_fill_in_for_every_container),
        cmocka_unit_test(defaults_beside_pod_level_requests),
        cmocka_unit_test(names_the_scheduler_does_not_know_are_dropped),
        cmocka_unit_test(a_resize_counts_with_the_largest_of_its_figures),
        cmocka_unit_test(an_infeasible_resize_leaves_the_spec_out),
        cmocka_unit_test(nodes_hold_what_their_pods_ask_for),
        cmocka_unit_test(allocatable_falls_back_on_capacity_only_when_absent),
    };

    return cmocka_run_group_tests_name("model/requests", tests, NULL, NULL);
}
