/* Unit tests of workloads: which become pending pods, how many, and whose pods are whose. */
#include "tests/unit/load.h"

#define TEMPLATE                                                                  \
    "template: {metadata: {labels: {app: web}}, spec: {priority: 7, containers: " \
    "[{name: c, resources: {requests: {cpu: 100m}}}]}}"
#define WORKLOAD(version, kind, name, spec)                                                        \
    "---\n{apiVersion: " version ", kind: " kind ", metadata: {name: " name "}, spec: {" spec "}}" \
    "\n"
#define DEPLOYMENT(name, spec)  WORKLOAD("apps/v1", "Deployment", name, spec ", " TEMPLATE)
#define REPLICA_SET(name, spec) WORKLOAD("apps/v1", "ReplicaSet", name, spec ", " TEMPLATE)
#define JOB(spec)               WORKLOAD("batch/v1", "Job", "job", spec TEMPLATE)
#define CRON_JOB(spec) \
    WORKLOAD("batch/v1", "CronJob", "cron", spec "jobTemplate: {spec: {" TEMPLATE "}}")
#define DAEMON_SET(spec) \
    WORKLOAD("apps/v1", "DaemonSet", "ds", "template: {spec: {containers: [{name: c}]" spec "}}")
#define POD(name, meta) "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name meta "}}\n"
#define OWNED(kind, name) \
    ", ownerReferences: [{kind: " kind ", name: " name ", uid: u, controller: true}]"
#define NODE(name, more)                                                                        \
    "---\n{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {at: " name "}}" more \
    "}"                                                                                         \
    "\n"

/* The names of all pods, in order, joined by spaces. */
static void pods_are(const char *text, const char *names)
{
    struct stow_snapshot *s = load_yaml(text);
    struct stow_buf got = {0};

    for (uint32_t i = 0; i < stow_snapshot_count(s, STOW_PODS); i++)
        stow_buf_printf(&got, "%s%s", i ? " " : "", stow_snapshot_pod_name(s, i));
    if (!stow_str_is(stow_buf_str(&got), names))
        fail_msg("%s\n'%.*s', expected '%s'", text, STOW_FMT(stow_buf_str(&got)), names);
    stow_buf_done(&got);
    stow_snapshot_unref(s);
}

static void a_workload_without_pods_makes_them(void **ctx)
{
    (void)ctx;
    pods_are(DEPLOYMENT("web", "replicas: 3"), "web-0 web-1 web-2");
    pods_are(DEPLOYMENT("web", "replicas: 0"), "");
    pods_are(DEPLOYMENT("web", "paused: true"), "web-0"); /* one, as the API server fills in */
    pods_are(WORKLOAD("apps/v1", "StatefulSet", "db", "replicas: 2, " TEMPLATE), "db-0 db-1");
    pods_are(REPLICA_SET("rs", "replicas: 2"), "rs-0 rs-1");
    pods_are(WORKLOAD("v1", "ReplicationController", "rc", "replicas: 2, " TEMPLATE), "rc-0 rc-1");
    pods_are(WORKLOAD("apps/v1", "Deployment", "bare", "replicas: 2"), "");
}

static void pods_are_made_from_the_template(void **ctx)
{
    struct stow_snapshot *s = load_yaml(DEPLOYMENT("web", "replicas: 2"));

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS_PENDING), 2);
    assert_text(load_label(s, 1, "app"), "web");
    assert_int_equal(stow_snapshot_pod_request(s, 1, STOW_RESOURCE_CPU), 100);
    assert_int_equal(s->pod[1].priority, 7);
    assert_true(s->pod[1].flags & STOW_POD_GENERATED);
    assert_int_equal(s->pod[0].spec, s->pod[1].spec);
    assert_int_equal(s->pod[0].owner, s->pod[1].owner);
    assert_string_equal(stow_snapshot_pod_namespace(s, 0), "default");
    stow_snapshot_unref(s);
}

static void jobs_run_what_is_left_of_them(void **ctx)
{
    (void)ctx;
    pods_are(JOB(""), "job-0");
    pods_are(JOB("parallelism: 3, completions: 2, "), "job-0 job-1");
    pods_are(JOB("parallelism: 2, completions: 9, "), "job-0 job-1");
    pods_are(JOB("parallelism: 2, "), "job-0 job-1");
    pods_are(JOB("parallelism: 0, "), "");
    pods_are(JOB("suspend: true, "), "");
    pods_are("---\n{apiVersion: batch/v1, kind: Job, metadata: {name: job}, spec: {parallelism: 3, "
             "completions: 5, " TEMPLATE "}, status: {succeeded: 4}}\n",
             "job-0");
    pods_are("---\n{apiVersion: batch/v1, kind: Job, metadata: {name: job}, spec: {" TEMPLATE
             "}, status: {completionTime: x}}\n",
             "");
    pods_are(CRON_JOB(""), "cron-0");
    pods_are(CRON_JOB("suspend: true, "), "");
}

static void a_workload_whose_pods_are_given_makes_none(void **ctx)
{
    (void)ctx;
    pods_are(DEPLOYMENT("web", "replicas: 3") POD("p", OWNED("ReplicaSet", "web-7d4f8c9b6")), "p");
    pods_are(DEPLOYMENT("web", "replicas: 1") POD("p", OWNED("ReplicaSet", "web-a-7d4f8c9b6")),
             "p web-0");
    pods_are(DEPLOYMENT("web", "replicas: 1") POD("p", OWNED("StatefulSet", "web")), "p web-0");
    pods_are(REPLICA_SET("rs", "replicas: 3") POD("p", OWNED("ReplicaSet", "rs")), "p");
    pods_are(JOB("") POD("p", OWNED("Job", "job")), "p");
    pods_are(CRON_JOB("") POD("p", OWNED("Job", "cron-28912345")), "p");
    pods_are(CRON_JOB("") POD("p", OWNED("Job", "job")), "cron-0 p");
    pods_are(DEPLOYMENT("web", "replicas: 1")
                 POD("p", ", namespace: other" OWNED("ReplicaSet", "web-7d4f8c9b6")),
             "web-0 p");
}

static void bare_pods_belong_to_who_selects_them(void **ctx)
{
    (void)ctx;
    pods_are(DEPLOYMENT("web", "selector: {matchLabels: {app: web}}")
                 POD("p", ", labels: {app: web}"),
             "p");
    pods_are(DEPLOYMENT("web", "selector: {matchLabels: {app: web}}")
                 POD("p", ", labels: {app: db}"),
             "p web-0");
    pods_are(DEPLOYMENT("web", "selector: {matchLabels: {app: web}}")
                 POD("p", ", labels: {app: web}" OWNED("ReplicaSet", "other-1")),
             "p web-0");
    pods_are(DEPLOYMENT("web", "selector: {}") POD("p", ""), "p web-0");
    pods_are(DEPLOYMENT("web", "selector: {matchLabels: {app: web}}")
                 POD("p", ", namespace: other, labels: {app: web}"),
             "web-0 p");
}

static void a_workload_in_a_workload_counts_once(void **ctx)
{
    (void)ctx;
    pods_are(DEPLOYMENT("web", "replicas: 2") "---\n{apiVersion: apps/v1, kind: ReplicaSet, "
                                              "metadata: {name: web-1" OWNED(
                                                  "Deployment",
                                                  "web") "}, spec: {replicas: 2, " TEMPLATE "}}\n",
             "web-0 web-1");
    pods_are(DEPLOYMENT("web", "replicas: 1") "---\n{apiVersion: apps/v1, kind: ReplicaSet, "
                                              "metadata: {name: r" OWNED(
                                                  "Rollout",
                                                  "web") "}, spec: {replicas: 1, " TEMPLATE "}}\n",
             "r-0 web-0");
    pods_are("---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1" OWNED(
                 "Deployment", "web") "}, spec: {replicas: 2, " TEMPLATE "}}\n",
             "web-1-0 web-1-1");
    /* a Job in the input stands for its CronJob */
    pods_are(CRON_JOB("") "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j" OWNED(
                 "CronJob", "cron") "}, spec: {" TEMPLATE "}}\n",
             "j-0");
}

static void no_pod_is_lost_to_another_of_its_name(void **ctx)
{
    (void)ctx;
    pods_are(DEPLOYMENT("web", "replicas: 2") WORKLOAD("apps/v1", "StatefulSet", "web",
                                                       "replicas: 1, " TEMPLATE) POD("web-0", ""),
             "web-0 web-0-2 web-0-3 web-1");
    pods_are(DEPLOYMENT("web", "replicas: 1") POD("web-0", ", namespace: other"), "web-0 web-0");
    pods_are(NODE("'0'", "") DEPLOYMENT("ds", "replicas: 1") DAEMON_SET(""), "ds-0 ds-0-2");
}

static void a_daemon_runs_on_every_node_it_fits(void **ctx)
{
    (void)ctx;
    pods_are(NODE("n1", "") NODE("n2", "") DAEMON_SET(""), "ds-n1 ds-n2");
    pods_are(NODE("n1", "") NODE("n2", "") DAEMON_SET(", nodeSelector: {at: n2}"), "ds-n2");
    pods_are(NODE("n1", ", spec: {taints: [{key: k, effect: NoSchedule}]}") NODE("n2", "")
                 DAEMON_SET(""),
             "ds-n2");
    pods_are(NODE("n1", ", spec: {taints: [{key: k, effect: NoSchedule}]}")
                 DAEMON_SET(", tolerations: [{operator: Exists}]"),
             "ds-n1");
    pods_are(NODE("n1", ", spec: {unschedulable: true, taints: [{key: "
                        "node.kubernetes.io/unschedulable, effect: NoSchedule}, {key: "
                        "node.kubernetes.io/not-ready, effect: NoExecute}]}") DAEMON_SET(""),
             "ds-n1");
    pods_are(NODE("n1", ", spec: {taints: [{key: node.kubernetes.io/network-unavailable, effect: "
                        "NoSchedule}]}") DAEMON_SET(""),
             "");
    pods_are(NODE("n1", ", spec: {taints: [{key: node.kubernetes.io/network-unavailable, effect: "
                        "NoSchedule}]}") DAEMON_SET(", hostNetwork: true"),
             "ds-n1");
    pods_are(NODE("n1", "") DAEMON_SET("") POD("p", OWNED("DaemonSet", "ds")), "p");
    pods_are(DAEMON_SET(""), "");
}

static void a_daemons_pod_fits_its_own_node_only(void **ctx)
{
    struct stow_snapshot *s = load_yaml(NODE("n1", "") NODE("n2", "") DAEMON_SET(
        ", affinity: {nodeAffinity: "
        "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: at, operator: Exists}]}]}}}"));
    uint32_t count;
    const struct stow_node_term *term =
        STOW_LIST(s, stow_spec(s, s->pod[1].spec)->node_required, struct stow_node_term, &count);

    (void)ctx;
    assert_int_equal(stow_snapshot_count(s, STOW_PODS), 2);
    assert_int_equal(count, 1);
    assert_int_not_equal(term->expressions, 0);

    const struct stow_requirement *field =
        STOW_LIST(s, term->fields, struct stow_requirement, &count);

    assert_int_equal(field->key, STOW_SYM_METADATA_NAME);
    assert_int_equal(*STOW_LIST(s, field->values, stow_sym, &count), s->node[1].symbol);
    stow_snapshot_unref(s);
}

static void priorities_come_from_the_pod_or_its_class(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
        "1000}\n---\n"
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: "
        "5, "
        "globalDefault: true}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {priorityClassName: high}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {priorityClassName: high, "
        "priority: -3}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: c}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: d}, spec: {priorityClassName: gone}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: e}, spec: {priorityClassName: "
        "system-node-critical}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: f}, spec: {priorityClassName: "
        "system-cluster-critical}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: g}, spec: {priority: 0}}\n");
    static const int32_t want[] = {1000, -3, 5, 0, 2000001000, 2000000000, 0};

    (void)ctx;
    for (uint32_t i = 0; i < COUNT(want); i++)
        assert_int_equal(s->pod[i].priority, want[i]);
    stow_snapshot_unref(s);
}

static void other_kinds_are_workloads_by_their_form(void **ctx)
{
#define OTHER(kind, name, more, spec)                                                     \
    "---\n{apiVersion: example.com/v1, kind: " kind ", metadata: {name: " name more "}, " \
    "spec: {" spec "}}\n"

    (void)ctx;
    pods_are(OTHER("Widget", "w", "", "replicas: 2, " TEMPLATE), "w-0 w-1");
    pods_are(OTHER("Widget", "w", "", TEMPLATE), "");
    pods_are(OTHER("Widget", "w", "", "replicas: 2, template: {spec: {image: x}}"), "");
    pods_are(OTHER("Widget", "w", "", "replicas: two, " TEMPLATE), "");
    pods_are(OTHER("Widget", "w", "", "replicas: 2, template: []"), "");
    pods_are(OTHER("A", "w", "", "replicas: 1, " TEMPLATE)
                 OTHER("B", "w", "", "replicas: 1, " TEMPLATE),
             "w-0 w-0-2");
    pods_are(OTHER("Widget", "w", "", "replicas: 2, " TEMPLATE) POD("p", OWNED("Widget", "w")),
             "p");
    pods_are(OTHER("Widget", "w", "", "replicas: 2, " TEMPLATE)
                 POD("p", ", labels: {app: web, x: w}" OWNED("Other", "o")),
             "p");
    /* circles end */
    pods_are(OTHER("A", "a", OWNED("B", "b"), "replicas: 1, " TEMPLATE)
                 OTHER("B", "b", OWNED("A", "a"), "replicas: 1, " TEMPLATE),
             "");
#undef OTHER
}

static void a_rollout_is_a_deployment_of_argo(void **ctx)
{
#define ROLLOUT(name, spec) WORKLOAD("argoproj.io/v1alpha1", "Rollout", name, spec)

    (void)ctx;
    pods_are(ROLLOUT("r", TEMPLATE), "r-0");
    pods_are(ROLLOUT("r", "replicas: 2, " TEMPLATE) POD("p", OWNED("ReplicaSet", "r-5d9f")), "p");
    pods_are(ROLLOUT("r", "replicas: 2, workloadRef: {kind: Deployment, name: d}")
                 DEPLOYMENT("d", "replicas: 3"),
             "r-0 r-1");
    pods_are(ROLLOUT("r", "replicas: 2, workloadRef: {kind: Deployment, name: gone}"), "");
    pods_are(ROLLOUT("r", "replicas: 2, workloadRef: {kind: Deployment, name: d}, " TEMPLATE)
                 DEPLOYMENT("d", "replicas: 1"),
             "d-0 r-0 r-1"); /* its own template counts */
#undef ROLLOUT
}

static void operators_make_stateful_sets(void **ctx)
{
#define OPERATED(kind, name, spec) WORKLOAD("monitoring.coreos.com/v1", kind, name, spec)

    (void)ctx;
    pods_are(OPERATED("Prometheus", "k", ""), "prometheus-k-0");
    pods_are(OPERATED("Prometheus", "k", "shards: 2, replicas: 2"),
             "prometheus-k-0 prometheus-k-1 prometheus-k-shard-1-0 prometheus-k-shard-1-1");
    pods_are(OPERATED("Prometheus", "k", "replicas: 0"), "");
    pods_are(OPERATED("Alertmanager", "m", "replicas: 2"), "alertmanager-m-0 alertmanager-m-1");
    pods_are(OPERATED("ThanosRuler", "t", ""), "thanos-ruler-t-0");
    pods_are(OPERATED("PrometheusAgent", "a", ""), "prom-agent-a-0");
    pods_are(OPERATED("PrometheusAgent", "a", "mode: DaemonSet") NODE("n1", ""), "prom-agent-a-n1");
    pods_are(OPERATED("Prometheus", "k", "replicas: 3")
                 WORKLOAD("apps/v1", "StatefulSet", "prometheus-k", "replicas: 1, " TEMPLATE),
             "prometheus-k-0");
    pods_are(OPERATED("Prometheus", "k", "replicas: 3")
                 POD("p", OWNED("StatefulSet", "prometheus-k")),
             "p");
    pods_are("{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: k}}", "");
#undef OPERATED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workload_without_pods_makes_them),
        cmocka_unit_test(pods_are_made_from_the_template),
        cmocka_unit_test(jobs_run_what_is_left_of_them),
        cmocka_unit_test(a_workload_whose_pods_are_given_makes_none),
        cmocka_unit_test(bare_pods_belong_to_who_selects_them),
        cmocka_unit_test(a_workload_in_a_workload_counts_once),
        cmocka_unit_test(other_kinds_are_workloads_by_their_form),
        cmocka_unit_test(a_rollout_is_a_deployment_of_argo),
        cmocka_unit_test(operators_make_stateful_sets),
        cmocka_unit_test(no_pod_is_lost_to_another_of_its_name),
        cmocka_unit_test(a_daemon_runs_on_every_node_it_fits),
        cmocka_unit_test(a_daemons_pod_fits_its_own_node_only),
        cmocka_unit_test(priorities_come_from_the_pod_or_its_class),
    };

    return cmocka_run_group_tests_name("model/expand", tests, NULL, NULL);
}
