/* Unit tests of pods that are alike, of their order, of the fast path's choice, of tiers. */
#include "tests/unit/load.h"

#include "scale/rules/equivalence.h"
#include "scale/rules/estimate.h"
#include "scale/rules/fastpath.h"
#include "scale/tiers.h"

#define OWNER(kind, rest) "ownerReferences: [{kind: " kind ", controller: true, " rest "}]"

#define POD(name, meta, spec) \
    "---\nkind: Pod\nmetadata: {name: " name ", " meta "}\nspec: {" spec "}\n"

#define REPLICA(name, spec) POD(name, OWNER("ReplicaSet", "name: web, uid: u1"), spec)

/* How many groups all pods of a document make. */
static uint32_t groups_of(const char *text)
{
    struct stow_snapshot *s = load_yaml(text);
    STOW_AUTO(stow_equivalence_done) struct stow_equivalence e = {0};
    stow_pod_id pod[64];
    uint32_t seen = 0;

    assert_true(s->pods <= COUNT(pod));
    for (uint32_t i = 0; i < s->pods; i++)
        pod[i] = i;
    assert_int_equal(stow_equivalence_make(s, pod, s->pods, &e), STOW_OK);
    for (uint32_t i = 0; i < e.groups; i++) {
        assert_int_equal(e.group[i].first, seen);
        seen += e.group[i].count;
    }
    assert_int_equal(seen, s->pods);
    stow_snapshot_unref(s);
    return e.groups;
}

static void replicas_are_alike(void **ctx)
{
    (void)ctx;
    assert_int_equal(groups_of(REPLICA("a", "") REPLICA("b", "") REPLICA("c", "")), 1);
    assert_int_equal(groups_of("kind: List\nitems: []\n"), 0);
}

static void pods_without_a_controller_and_daemons_are_alone(void **ctx)
{
    (void)ctx;
    assert_int_equal(groups_of(POD("a", "labels: {}", "") POD("b", "labels: {}", "")), 2);
    assert_int_equal(groups_of(POD("a", OWNER("DaemonSet", "name: d, uid: u"), "")
                                   POD("b", OWNER("DaemonSet", "name: d, uid: u"), "")),
                     2);
    assert_int_equal(
        groups_of(
            POD("a",
                "annotations: {cluster-autoscaler.kubernetes.io/daemonset-pod: \"true\"}, " OWNER(
                    "ReplicaSet", "name: d, uid: u"),
                "") POD("b", OWNER("ReplicaSet", "name: d, uid: u"), "")),
        2);
}

static void what_differs_between_replicas_does_not_count(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        groups_of(REPLICA("a", "hostname: a, volumes: [{name: token-a, projected: {sources: []}}], "
                               "containers: [{name: c, env: [{name: E, value: one}]}]")
                      REPLICA("b", "hostname: b, volumes: [{name: token-b, projected: {}}], "
                                   "containers: [{name: c, env: []}]")),
        1);
}

static void volumes_priorities_and_labels_count(void **ctx)
{
    (void)ctx;
    assert_int_equal(groups_of(REPLICA("a", "volumes: [{name: v, emptyDir: {}}]")
                                   REPLICA("b", "volumes: [{name: w, emptyDir: {}}]") REPLICA(
                                       "c", "volumes: [{name: v, emptyDir: {}}]") REPLICA("d", "")),
                     3);
    assert_int_equal(groups_of(REPLICA("a", "volumes: [{name: v}, {name: w}]")
                                   REPLICA("b", "volumes: [{name: w}, {name: v}]")),
                     2);
    assert_int_equal(groups_of(REPLICA("a", "priority: 1") REPLICA("b", "priority: 2")), 2);
    assert_int_equal(
        groups_of(REPLICA("a", "") POD("b", "labels: {x: z}, " OWNER("ReplicaSet", "uid: u1"), "")),
        2);
}

static void without_a_uid_kind_name_and_namespace_tell_controllers_apart(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        groups_of(POD("a", OWNER("Job", "name: j"), "") POD("b", OWNER("Job", "name: j"), "") POD(
            "c", OWNER("ReplicaSet", "name: j"), "") POD("d", OWNER("Job", "name: k"), "")
                      POD("e", "namespace: x, " OWNER("Job", "name: j"), "")),
        4);
    assert_int_equal(groups_of(POD("a", OWNER("Job", "name: j, uid: u"), "") POD(
                         "b", "namespace: x, " OWNER("ReplicaSet", "name: k, uid: u"), "")),
                     1);
}

/* Twelve kinds of pods of one controller, each twice, then the first again. */
static void only_ten_kinds_of_a_controller_are_remembered(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    for (int i = 0; i < 25; i++)
        stow_buf_printf(&text,
                        "---\nkind: Pod\nmetadata: {name: p%02d, labels: {kind: k%d}, " OWNER(
                            "ReplicaSet", "name: r, uid: u") "}\n",
                        i, i / 2 % 12);
    stow_buf_char(&text, '\0');
    assert_int_equal(groups_of(text.ptr), 10 + 4);
    stow_buf_done(&text);
}

static void pods_made_of_a_template_are_alike(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        groups_of("kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web}\nspec: {replicas: "
                  "12, template: {spec: {containers: [{name: c}], volumes: [{name: v}]}}}\n"),
        1);
}

static void groups_stand_where_their_first_pod_stands(void **ctx)
{
    struct stow_snapshot *s = load_yaml(REPLICA("a", "") POD("b", "labels: {}", "") REPLICA("c", "")
                                            REPLICA("d", "priority: 9"));
    STOW_AUTO(stow_equivalence_done) struct stow_equivalence e = {0};
    const stow_pod_id pods[] = {3, 2, 1, 0}, expected[] = {3, 2, 0, 1};

    (void)ctx;
    assert_int_equal(stow_equivalence_make(s, pods, 4, &e), STOW_OK);
    assert_int_equal(e.groups, 3);
    assert_int_equal(e.group[1].first, 1);
    assert_int_equal(e.group[1].count, 2);
    assert_memory_equal(e.pod, expected, sizeof(expected));
    stow_snapshot_unref(s);
}

/* ---- order and fast path ----------------------------------------------------------------- */

#define NODE(amounts)   "kind: Node\nmetadata: {name: node}\nstatus: {capacity: {" amounts "}}\n"
#define WANTS(requests) "containers: [{name: c, resources: {requests: {" requests "}}}]"

struct asked {
    struct stow_snapshot *s;
    struct stow_equivalence e;
    uint32_t group[16];
};

static struct asked ask(const char *text)
{
    struct asked a = {.s = load_yaml(text)};
    stow_pod_id pod[16];

    for (uint32_t i = 0; i < 16; i++)
        a.group[i] = pod[i] = i;
    assert_true(a.s->pods <= 16);
    assert_int_equal(stow_equivalence_make(a.s, pod, a.s->pods, &a.e), STOW_OK);
    return a;
}

static void asked_done(struct asked *a)
{
    stow_equivalence_done(&a->e);
    stow_snapshot_unref(a->s);
}

static void a_node_without_a_resource_counts_nothing_for_it(void **ctx)
{
    STOW_AUTO(asked_done)
    struct asked a = ask(NODE("memory: 8Gi") POD("a", "labels: {}", WANTS("cpu: \"1\"")));
    const struct stow_cpu_and_memory need = {1000, 1}, room = {4000, 8}, none = {0, 8};

    (void)ctx;
    assert_true(stow_estimate_share(&need, &room) == 0.25 + 0.125);
    assert_true(stow_estimate_share(&need, &none) == 0.125);
    assert_int_equal(stow_fastpath_choose(a.s, &a.e, &a.s->node[0], a.group, 1), 0);
}

static void init_containers_do_not_guide_the_fast_path(void **ctx)
{
    STOW_AUTO(asked_done)
    struct asked a = ask(
        NODE("cpu: \"1\", memory: 8Gi") REPLICA(
            "a",
            "initContainers: [{name: i, resources: {requests: {cpu: \"1\"}}}], " WANTS("cpu: 100m"))
            REPLICA("b", "initContainers: [{name: i, resources: {requests: {cpu: \"1\"}}}], " WANTS(
                             "cpu: 100m")) POD("c", OWNER("Job", "name: j"), WANTS("cpu: 900m"))
                POD("d", OWNER("Job", "name: j"), WANTS("cpu: 900m")) POD("e", "labels: {}", ""));

    (void)ctx;
    assert_int_equal(stow_fastpath_choose(a.s, &a.e, &a.s->node[0], a.group, 3), 1);
}

static void spread_pods_and_pods_kept_apart_by_zone_never_take_the_fast_path(void **ctx)
{
    STOW_AUTO(asked_done)
    struct asked a =
        ask(NODE("cpu: \"1\"") POD("a", "labels: {}",
                                   "topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
                                   "kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}]")
                POD("b", "labels: {}",
                    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                    "[{topologyKey: zone}]}}"));

    (void)ctx;
    assert_true(stow_fastpath_choose(a.s, &a.e, &a.s->node[0], a.group, 2) == STOW_NONE);
    assert_true(stow_fastpath_choose(a.s, &a.e, &a.s->node[0], a.group, 0) == STOW_NONE);
}

/* ---- tiers ------------------------------------------------------------------------------- */

#define GROUP(name, pool, template)                                                  \
    "---\napiVersion: stowage.dev/v1alpha1\nkind: NodeGroup\nmetadata: {name: " name \
    "}\nspec: {priority: {pool: " pool ", template: " template "}}\n"

static void tiers_go_by_pool_then_by_template(void **ctx)
{
    struct stow_snapshot *s = load_yaml(GROUP("a", "1", "1") GROUP("b", "2", "-5") GROUP(
        "c", "1", "2") GROUP("d", "2", "-5") GROUP("e", "-1", "9"));
    const stow_group_id groups[] = {4, 3, 2, 1, 0}, expected[] = {3, 1, 2, 0, 4};
    STOW_AUTO(stow_tiers_done) struct stow_tiers t = {0};

    (void)ctx;
    assert_int_equal(stow_tiers_make(s, groups, 5, &t), STOW_OK);
    assert_int_equal(t.tiers, 4);
    assert_memory_equal(t.group, expected, sizeof(expected));
    assert_int_equal(t.tier[0].count, 2);
    assert_int_equal(t.tier[0].template, -5);
    assert_int_equal(t.tier[3].pool, -1);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replicas_are_alike),
        cmocka_unit_test(pods_without_a_controller_and_daemons_are_alone),
        cmocka_unit_test(what_differs_between_replicas_does_not_count),
        cmocka_unit_test(volumes_priorities_and_labels_count),
        cmocka_unit_test(without_a_uid_kind_name_and_namespace_tell_controllers_apart),
        cmocka_unit_test(only_ten_kinds_of_a_controller_are_remembered),
        cmocka_unit_test(pods_made_of_a_template_are_alike),
        cmocka_unit_test(groups_stand_where_their_first_pod_stands),
        cmocka_unit_test(a_node_without_a_resource_counts_nothing_for_it),
        cmocka_unit_test(init_containers_do_not_guide_the_fast_path),
        cmocka_unit_test(spread_pods_and_pods_kept_apart_by_zone_never_take_the_fast_path),
        cmocka_unit_test(tiers_go_by_pool_then_by_template),
    };

    return cmocka_run_group_tests_name("scale/equivalence", tests, NULL, NULL);
}
