/* Unit tests of the objects written for Karmada and Open Cluster Management. */
#include "tests/unit/karmada_story.h"

#define DIVIDED "replicaScheduling: {replicaDivisionPreference: Aggregated}"

/* A binding as Karmada keeps it; `more` goes into its spec. */
#define BINDING(replicas, placement, more)                                                   \
    "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"                          \
    "metadata:\n"                                                                            \
    "  name: web-deployment\n  namespace: shop\n  generation: 4\n  resourceVersion: '77'\n"  \
    "  managedFields: [{manager: x}]\n"                                                      \
    "  labels: {propagationpolicy.karmada.io/permanent-id: some-id}\n"                       \
    "spec:\n"                                                                                \
    "  resource: {apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}\n"      \
    "  replicas: " replicas "\n"                                                             \
    "  replicaRequirements: {resourceRequest: {cpu: '8'}}\n"                                 \
    "  placement: {" placement "}\n"                                                         \
    "  conflictResolution: Abort\n" more "status:\n"                                         \
    "  aggregatedStatus: [{clusterName: a, applied: true}]\n"                                \
    "  conditions:\n"                                                                        \
    "  - {type: FullyApplied, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}\n" \
    "  - {type: Scheduled, status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z'}\n"    \
    "---\n"

static void says(const struct written *w, const char *expected)
{
    const struct stow_str got = stow_buf_str(&w->text);

    if (w->code < 0 || !stow_str_is(got, expected)) {
        print_error("expected:\n%s\ngot (%s):\n%.*s\n", expected, w->err.msg, STOW_FMT(got));
        fail();
    }
}

static void has(const struct written *w, const char *part)
{
    const struct stow_str got = stow_buf_str(&w->text);

    if (w->code < 0 || !stow_str_contains(got, stow_str_of(part))) {
        print_error("expected: %s\ngot (%s):\n%.*s\n", part, w->err.msg, STOW_FMT(got));
        fail();
    }
}

static void has_not(const struct written *w, const char *part)
{
    assert_int_equal(w->code, STOW_OK);
    if (w->text.len)
        assert_false(stow_str_contains(stow_buf_str(&w->text), stow_str_of(part)));
}

static void warns(const struct written *w, const char *part)
{
    for (uint32_t i = 0; i < w->out.warnings; i++)
        if (strstr(w->out.warning[i], part))
            return;
    print_error("no warning with: %s\n", part);
    for (uint32_t i = 0; i < w->out.warnings; i++)
        print_error("warning: %s\n", w->out.warning[i]);
    fail();
}

static void fails(const struct written *w, int code, const char *part)
{
    if (w->code != code || !strstr(w->err.msg, part)) {
        print_error("expected %d: %s\ngot %d: %s\n", code, part, w->code, w->err.msg);
        fail();
    }
    assert_int_equal(w->text.len, 0);
}

static void quiet(const struct written *w)
{
    for (uint32_t i = 0; i < w->out.warnings; i++)
        print_error("warning: %s\n", w->out.warning[i]);
    assert_int_equal(w->out.warnings, 0);
}

/* ---- propagation-policy ------------------------------------------------------------------ */

static void the_story_as_weights(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12"), STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    says(&w, "apiVersion: policy.karmada.io/v1alpha1\n"
             "kind: PropagationPolicy\n"
             "metadata:\n"
             "  name: web-deployment\n"
             "  namespace: shop\n"
             "spec:\n"
             "  resourceSelectors:\n"
             "  - apiVersion: apps/v1\n"
             "    kind: Deployment\n"
             "    namespace: shop\n"
             "    name: web\n"
             "  placement:\n"
             "    clusterAffinity:\n"
             "      clusterNames:\n"
             "      - a\n"
             "      - b\n"
             "    replicaScheduling:\n"
             "      replicaSchedulingType: Divided\n"
             "      replicaDivisionPreference: Weighted\n"
             "      weightPreference:\n"
             "        staticWeightList:\n"
             "        - targetCluster:\n"
             "            clusterNames:\n"
             "            - b\n"
             "          weight: 10\n"
             "        - targetCluster:\n"
             "            clusterNames:\n"
             "            - a\n"
             "          weight: 2\n");
    quiet(&w);
    done(&w);
}

static void a_cluster_without_replicas_is_not_named(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("7"), STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "      - b\n    replicaScheduling");
    has_not(&w, "- a\n");
    done(&w);
}

static const char former_policy[] =
    BOTH_CLUSTERS WEB("12") "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\n"
                            "metadata:\n"
                            "  name: old\n  namespace: shop\n  uid: u\n  resourceVersion: '5'\n"
                            "  labels: {team: x, propagationpolicy.karmada.io/permanent-id: id}\n"
                            "spec:\n"
                            "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n"
                            "  priority: 7\n"
                            "  propagateDeps: true\n"
                            "  placement:\n"
                            "    clusterTolerations: [{key: k, operator: Exists}]\n"
                            "    spreadConstraints: [{spreadByField: cluster, minGroups: 2, "
                            "maxGroups: 2}]\n"
                            "    replicaScheduling: {replicaDivisionPreference: Aggregated}\n";

static void other_fields_of_the_policy_are_kept(void **ctx)
{
    struct written w = put(former_policy, STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "  priority: 7\n  propagateDeps: true\n");
    has(&w, "  labels:\n    team: x\nspec:");
    has(&w, "    clusterTolerations:\n    - key: k\n      operator: Exists\n");
    has_not(&w, "permanent-id");
    has_not(&w, "resourceVersion");
    done(&w);
}

static void spread_constraints_are_not_beside_weights(void **ctx)
{
    struct written w = put(former_policy, STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has_not(&w, "spreadConstraints");
    warns(&w, "shop/web: its spread constraints are kept by the counts");
    done(&w);
}

static void a_policy_in_the_way_is_warned_about(void **ctx)
{
    struct written w = put(former_policy, STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    warns(&w, "shop/web: PropagationPolicy old also selects it");
    done(&w);
}

static void a_duplicated_workload_stays_duplicated(void **ctx)
{
    struct written w = put(BOTH_CLUSTERS WEB("3"), STOW_KARMADA_POLICY, STOW_DIVIDE_DUPLICATED, 0);

    (void)ctx;
    has(&w, "      - a\n      - b\n    replicaScheduling:\n"
            "      replicaSchedulingType: Duplicated\n");
    has_not(&w, "weight");
    done(&w);
}

static void no_replicas_have_no_weights(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("0"), STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    fails(&w, STOW_EWRONG,
          "-o propagation-policy: nothing can be written: shop/web: left out: it has no replicas");
    done(&w);
}

static void what_does_not_fit_is_left_out(void **ctx)
{
    struct written w = put(
        BOTH_CLUSTERS WEB("31") "apiVersion: apps/v1\nkind: Deployment\n"
                                "metadata: {name: tiny, namespace: shop}\nspec: {replicas: 1}\n",
        STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "name: tiny-deployment");
    has_not(&w, "web");
    warns(&w, "shop/web: left out: Unschedulable: ");
    done(&w);
}

static void a_long_name_is_cut(void **ctx)
{
    struct written w = put(
        BOTH_CLUSTERS "apiVersion: apps/v1\nkind: Deployment\n"
                      "metadata: {name: a123456789b123456789c123456789d123456789e123456789f-x}\n"
                      "spec: {replicas: 1}\n",
        STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "  name: a123456789b123456789c123456789d123456789e123456789f-x-"); /* 63 characters */
    warns(&w, "Karmada takes no more than 63 characters");
    done(&w);
}

static void an_object_of_the_cluster_has_a_policy_of_the_cluster(void **ctx)
{
    struct written w = put(
        BOTH_CLUSTERS "apiVersion: work.karmada.io/v1alpha2\nkind: ClusterResourceBinding\n"
                      "metadata: {name: reader-clusterrole}\n"
                      "spec:\n"
                      "  resource: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, "
                      "name: 'Sys:reader'}\n"
                      "  clusters: [{name: a}]\n"
                      "  placement: {clusterAffinity: {clusterNames: [a]}}\n",
        STOW_KARMADA_POLICY, STOW_DIVIDE_AS_PLACED, 0);

    (void)ctx;
    has(&w, "kind: ClusterPropagationPolicy\nmetadata:\n  name: sys.reader-clusterrole\nspec:\n");
    has(&w, "replicaSchedulingType: Duplicated");
    done(&w);
}

/* ---- overflow ---------------------------------------------------------------------------- */

static void the_story_as_tiers(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12"), STOW_KARMADA_OVERFLOW, STOW_DIVIDE_COST_OPTIMIZED, 18);

    (void)ctx;
    has(&w, "  placement:\n"
            "    clusterAffinities:\n"
            "    - affinityName: price-0\n"
            "      clusterNames:\n"
            "      - b\n"
            "      overflowAffinities:\n"
            "      - affinityName: price-1\n"
            "        clusterNames:\n"
            "        - a\n"
            "    replicaScheduling:\n"
            "      replicaSchedulingType: Divided\n"
            "      replicaDivisionPreference: Aggregated\n");
    quiet(&w);
    done(&w);
}

static void tiers_are_for_later_replicas_too(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("0"), STOW_KARMADA_OVERFLOW, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "affinityName: price-1");
    done(&w);
}

static void older_versions_have_no_tiers(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12"), STOW_KARMADA_OVERFLOW, STOW_DIVIDE_COST_OPTIMIZED, 17);

    (void)ctx;
    fails(&w, STOW_EINVAL, "-o overflow: Karmada 1.17 has no overflow affinities; expected 1.18");
    done(&w);
}

static void equal_prices_are_one_tier(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12") "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\n"
                                    "metadata: {name: c, annotations: "
                                    "{stowage.dev/price-per-replica-hour: '0.30'}}\n"
                                    "---\n"
                                    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\n"
                                    "metadata: {name: unknown}\n",
            STOW_KARMADA_OVERFLOW, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "price-0\n      clusterNames:\n      - b\n      - c\n");
    has(&w, "price-1\n        clusterNames:\n        - a\n");
    has(&w, "price-2\n        clusterNames:\n        - unknown\n");
    done(&w);
}

static void duplicated_workloads_have_no_tiers(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12"), STOW_KARMADA_OVERFLOW, STOW_DIVIDE_DUPLICATED, 0);

    (void)ctx;
    fails(&w, STOW_EWRONG, "all its clusters get all replicas");
    done(&w);
}

static void spread_constraints_stay_beside_tiers(void **ctx)
{
    struct written w = put(former_policy, STOW_KARMADA_OVERFLOW, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "    spreadConstraints:\n    - spreadByField: cluster\n");
    warns(&w, "shop/web: Karmada keeps its spread constraints in an order of its own");
    done(&w);
}

/* ---- resource-binding -------------------------------------------------------------------- */

static void a_binding_as_a_scheduler_writes_it(void **ctx)
{
    struct written w = put(BOTH_CLUSTERS BINDING("12", DIVIDED,
                                                 "  schedulerName: stowage\n"
                                                 "  clusters: [{name: a, replicas: 12}]\n"),
                           STOW_KARMADA_BINDING, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    says(&w, "apiVersion: work.karmada.io/v1alpha2\n"
             "kind: ResourceBinding\n"
             "metadata:\n"
             "  name: web-deployment\n"
             "  namespace: shop\n"
             "  generation: 4\n"
             "  resourceVersion: \"77\"\n"
             "  labels:\n"
             "    propagationpolicy.karmada.io/permanent-id: some-id\n"
             "  annotations:\n"
             "    policy.karmada.io/applied-placement: "
             "\"{\\\"replicaScheduling\\\":{\\\"replicaDivisionPreference\\\":"
             "\\\"Aggregated\\\"}}\"\n"
             "spec:\n"
             "  resource:\n"
             "    apiVersion: apps/v1\n"
             "    kind: Deployment\n"
             "    namespace: shop\n"
             "    name: web\n"
             "  replicas: 12\n"
             "  replicaRequirements:\n"
             "    resourceRequest:\n"
             "      cpu: \"8\"\n"
             "  placement:\n"
             "    replicaScheduling:\n"
             "      replicaDivisionPreference: Aggregated\n"
             "  conflictResolution: Abort\n"
             "  schedulerName: stowage\n"
             "  clusters:\n"
             "  - name: a\n"
             "    replicas: 2\n"
             "  - name: b\n"
             "    replicas: 10\n"
             "status:\n"
             "  aggregatedStatus:\n"
             "  - clusterName: a\n"
             "    applied: true\n"
             "  conditions:\n"
             "  - type: FullyApplied\n"
             "    status: \"True\"\n"
             "    lastTransitionTime: \"2026-01-01T00:00:00Z\"\n"
             "  - lastTransitionTime: \"2026-01-02T00:00:00Z\"\n"
             "    message: Binding has been scheduled successfully.\n"
             "    reason: Success\n"
             "    status: \"True\"\n"
             "    type: Scheduled\n"
             "  lastScheduledTime: \"2026-11-01T12:00:00Z\"\n"
             "  schedulerObservedGeneration: 5\n");
    quiet(&w);
    done(&w);
}

static void an_unchanged_binding_keeps_its_generation(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS BINDING("3", DIVIDED,
                                  "  clusters: [{name: b, replicas: 3}, {name: a, replicas: 3}]\n"),
            STOW_KARMADA_BINDING, STOW_DIVIDE_DUPLICATED, 0);

    (void)ctx;
    has(&w, "schedulerObservedGeneration: 4\n");
    has(&w, "  - name: b\n    replicas: 3\n  - name: a\n"); /* in the order it had */
    warns(&w, "shop/web: its schedulerName is default-scheduler");
    done(&w);
}

static void a_failure_is_told_in_the_condition(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS BINDING("99", DIVIDED, "  clusters: [{name: a, replicas: 12}]\n"),
            STOW_KARMADA_BINDING, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "  - name: a\n    replicas: 12\nstatus");
    has(&w, "  - lastTransitionTime: \"2026-11-01T12:00:00Z\"\n");
    has(&w, "    reason: Unschedulable\n    status: \"False\"\n");
    has_not(&w, "lastScheduledTime");
    has_not(&w, "applied-placement");
    done(&w);
}

static void clusters_that_do_not_match_are_cleared(void **ctx)
{
    struct written w = put(BOTH_CLUSTERS BINDING("2", "clusterAffinity: {clusterNames: [gone]}",
                                                 "  clusters: [{name: a, replicas: 2}]\n"),
                           STOW_KARMADA_BINDING, STOW_DIVIDE_AS_PLACED, 0);

    (void)ctx;
    has(&w, "  clusters: []\n");
    has(&w, "    reason: NoClusterFit\n");
    done(&w);
}

static void a_binding_is_not_invented(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12"), STOW_KARMADA_BINDING, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    fails(&w, STOW_EINVAL,
          "-o resource-binding: shop/web has no ResourceBinding among the objects");
    done(&w);
}

static void the_term_that_decided_is_noted(void **ctx)
{
    struct written w = put(BOTH_CLUSTERS BINDING("2",
                                                 "clusterAffinities: [{affinityName: first, "
                                                 "clusterNames: [a]}], " DIVIDED,
                                                 ""),
                           STOW_KARMADA_BINDING, STOW_DIVIDE_AS_PLACED, 0);

    (void)ctx;
    has(&w, "schedulerObservingAffinityName: first\n");
    done(&w);
}

/* ---- workload-rebalancer ----------------------------------------------------------------- */

static const char moved[] =
    BOTH_CLUSTERS BINDING("12", DIVIDED, "  clusters: [{name: a, replicas: 12}]\n");

static void what_moves_is_rebalanced(void **ctx)
{
    struct written w = put(moved, STOW_KARMADA_REBALANCER, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata:\n"
            "  name: stowage-");
    has(&w, "spec:\n  workloads:\n  - apiVersion: apps/v1\n    kind: Deployment\n"
            "    namespace: shop\n    name: web\n");
    has_not(&w, "namespace: default");
    quiet(&w);
    done(&w);
}

static void the_same_decision_has_the_same_name(void **ctx)
{
    struct written one = put(moved, STOW_KARMADA_REBALANCER, STOW_DIVIDE_COST_OPTIMIZED, 0);
    struct written two = put(moved, STOW_KARMADA_REBALANCER, STOW_DIVIDE_COST_OPTIMIZED, 0);
    struct written other = put(moved, STOW_KARMADA_REBALANCER, STOW_DIVIDE_STATIC_WEIGHT, 0);

    (void)ctx;
    assert_true(stow_str_eq(stow_buf_str(&one.text), stow_buf_str(&two.text)));
    assert_false(stow_str_eq(stow_buf_str(&one.text), stow_buf_str(&other.text)));
    done(&one);
    done(&two);
    done(&other);
}

static void nothing_moved_is_nothing_to_rebalance(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS BINDING("12", DIVIDED, "  clusters: [{name: b, replicas: 12}]\n"),
            STOW_KARMADA_REBALANCER, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    assert_int_equal(w.code, STOW_OK);
    assert_int_equal(w.text.len, 0);
    warns(&w, "nothing to rebalance");
    done(&w);
}

/* ---- placement-score --------------------------------------------------------------------- */

static void the_cheapest_has_a_hundred(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12"), STOW_KARMADA_PLACEMENT_SCORE, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    says(&w, "apiVersion: cluster.open-cluster-management.io/v1alpha1\n"
             "kind: AddOnPlacementScore\n"
             "metadata:\n"
             "  name: stowage\n"
             "  namespace: a\n"
             "status:\n"
             "  scores:\n"
             "  - name: cost\n"
             "    value: -100\n"
             "  validUntil: \"2026-11-01T13:00:00Z\"\n"
             "---\n"
             "apiVersion: cluster.open-cluster-management.io/v1alpha1\n"
             "kind: AddOnPlacementScore\n"
             "metadata:\n"
             "  name: stowage\n"
             "  namespace: b\n"
             "status:\n"
             "  scores:\n"
             "  - name: cost\n"
             "    value: 100\n"
             "  validUntil: \"2026-11-01T13:00:00Z\"\n");
    done(&w);
}

/* The score of a third cluster beside 0.3 and 0.5. */
static void score_is(const char *price, const char *score)
{
    struct stow_buf yaml = {0}, part = {0};

    stow_buf_printf(&yaml,
                    BOTH_CLUSTERS WEB("12") "apiVersion: cluster.karmada.io/v1alpha1\n"
                                            "kind: Cluster\nmetadata: {name: c, annotations: "
                                            "{stowage.dev/price-per-replica-hour: '%s'}}\n",
                    price);
    stow_buf_char(&yaml, '\0');
    stow_buf_printf(&part, "namespace: c\nstatus:\n  scores:\n  - name: cost\n    value: %s\n",
                    score);
    stow_buf_char(&part, '\0');

    struct written w = put(yaml.ptr, STOW_KARMADA_PLACEMENT_SCORE, STOW_DIVIDE_COST_OPTIMIZED, 0);

    has(&w, part.ptr);
    done(&w);
    stow_buf_done(&yaml);
    stow_buf_done(&part);
}

static void scores_are_rounded_to_the_even_one(void **ctx)
{
    (void)ctx;
    score_is("0.4", "0");
    score_is("0.3005", "100");  /* 99.5 */
    score_is("0.3015", "98");   /* 98.5 */
    score_is("0.4995", "-100"); /* -99.5 */
    score_is("0.4985", "-98");  /* -98.5 */
    score_is("0.4005", "0");    /* -0.5 */
    score_is("0.301500001", "98");
    score_is("0.301499999", "99");
}

static void without_a_price_there_is_no_score(void **ctx)
{
    struct written w =
        put(BOTH_CLUSTERS WEB("12") "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\n"
                                    "metadata: {name: c}\n",
            STOW_KARMADA_PLACEMENT_SCORE, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has_not(&w, "namespace: c\n");
    warns(&w, "c: no score: it has no price");
    done(&w);
}

static void equal_prices_have_a_hundred_each(void **ctx)
{
    struct written w =
        put("apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\n"
            "metadata: {name: a, annotations: {stowage.dev/price-per-replica-hour: '0.5'}}\n"
            "---\n" WEB("1"),
            STOW_KARMADA_PLACEMENT_SCORE, STOW_DIVIDE_COST_OPTIMIZED, 0);

    (void)ctx;
    has(&w, "value: 100\n");
    done(&w);
}

/* ---- limits ------------------------------------------------------------------------------ */

/* A fleet of so many clusters, each with its own price. */
static struct written put_many(uint32_t clusters, enum stow_karmada_form form)
{
    struct stow_buf yaml = {0};

    for (uint32_t i = 0; i < clusters; i++)
        stow_buf_printf(&yaml,
                        "--- {\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                        "\"metadata\":{\"name\":\"a-cluster-with-a-long-name-%u\",\"annotations\":{"
                        "\"stowage.dev/price-per-replica-hour\":\"0.1%06u\"}},\"status\":{"
                        "\"apiEnablements\":[{\"groupVersion\":\"apps/v1\",\"resources\":[{"
                        "\"kind\":\"Deployment\"}]}],\"resourceSummary\":{\"allocatable\":{"
                        "\"cpu\":\"8\",\"pods\":\"9\"}}}}\n",
                        i, i);
    stow_buf_printf(&yaml,
                    "--- {\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{"
                    "\"name\":\"web\",\"namespace\":\"shop\"},\"spec\":{\"replicas\":%u,"
                    "\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","
                    "\"resources\":{\"requests\":{\"cpu\":\"8\"}}}]}}}}\n",
                    clusters);
    stow_buf_char(&yaml, '\0');
    assert_false(yaml.failed);

    struct written w = put(yaml.ptr, form, STOW_DIVIDE_COST_OPTIMIZED, 0);

    stow_buf_done(&yaml);
    return w;
}

static void weights_fit_an_annotation(void **ctx)
{
    struct written few = put_many(1500, STOW_KARMADA_POLICY);
    struct written many = put_many(3000, STOW_KARMADA_POLICY);

    (void)ctx;
    has(&few, "- a-cluster-with-a-long-name-1499\n");
    fails(&many, STOW_EWRONG, "Karmada keeps it in an annotation of at most 262144");
    done(&few);
    done(&many);
}

static void there_are_a_thousand_tiers_at_most(void **ctx)
{
    struct written w = put_many(1200, STOW_KARMADA_OVERFLOW);

    (void)ctx;
    has(&w, "affinityName: price-999\n");
    has_not(&w, "affinityName: price-1000\n");
    has(&w, "- a-cluster-with-a-long-name-1199\n");
    warns(&w, "shop/web: its clusters have 1200 prices");
    done(&w);
}

/* ---- names of forms ---------------------------------------------------------------------- */

static void every_form_has_a_name(void **ctx)
{
    static const char *const names[STOW_KARMADA_FORMS] = {"propagation-policy", "overflow",
                                                          "resource-binding", "workload-rebalancer",
                                                          "placement-score"};

    (void)ctx;
    for (int i = 0; i < STOW_KARMADA_FORMS; i++) {
        enum stow_karmada_form form = STOW_KARMADA_FORMS;

        assert_true(stow_karmada_form_parse(stow_str_of(names[i]), &form));
        assert_int_equal(form, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_story_as_weights),
        cmocka_unit_test(a_cluster_without_replicas_is_not_named),
        cmocka_unit_test(other_fields_of_the_policy_are_kept),
        cmocka_unit_test(spread_constraints_are_not_beside_weights),
        cmocka_unit_test(a_policy_in_the_way_is_warned_about),
        cmocka_unit_test(a_duplicated_workload_stays_duplicated),
        cmocka_unit_test(no_replicas_have_no_weights),
        cmocka_unit_test(what_does_not_fit_is_left_out),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(an_object_of_the_cluster_has_a_policy_of_the_cluster),
        cmocka_unit_test(the_story_as_tiers),
        cmocka_unit_test(tiers_are_for_later_replicas_too),
        cmocka_unit_test(older_versions_have_no_tiers),
        cmocka_unit_test(equal_prices_are_one_tier),
        cmocka_unit_test(duplicated_workloads_have_no_tiers),
        cmocka_unit_test(spread_constraints_stay_beside_tiers),
        cmocka_unit_test(a_binding_as_a_scheduler_writes_it),
        cmocka_unit_test(an_unchanged_binding_keeps_its_generation),
        cmocka_unit_test(a_failure_is_told_in_the_condition),
        cmocka_unit_test(clusters_that_do_not_match_are_cleared),
        cmocka_unit_test(a_binding_is_not_invented),
        cmocka_unit_test(the_term_that_decided_is_noted),
        cmocka_unit_test(what_moves_is_rebalanced),
        cmocka_unit_test(the_same_decision_has_the_same_name),
        cmocka_unit_test(nothing_moved_is_nothing_to_rebalance),
        cmocka_unit_test(the_cheapest_has_a_hundred),
        cmocka_unit_test(scores_are_rounded_to_the_even_one),
        cmocka_unit_test(without_a_price_there_is_no_score),
        cmocka_unit_test(equal_prices_have_a_hundred_each),
        cmocka_unit_test(weights_fit_an_annotation),
        cmocka_unit_test(there_are_a_thousand_tiers_at_most),
        cmocka_unit_test(every_form_has_a_name),
    };

    return cmocka_run_group_tests_name("explain/karmada-out", tests, NULL, NULL);
}
