/* Unit tests of profiles from kube-scheduler's own configuration. */
#include "tests/unit/profiles.h"

#include "model/build.h"
#include "place/facts.h"
#include "place/scorers/allocation.h"

static void a_bare_configuration_is_kube_default(void **ctx)
{
    (void)ctx;
    accept(KUBE(""));
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS);
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    assert_string_equal(ties_of(got.profile), "name");
    assert_null(got.profile->scheduler_name);
    assert_int_equal(got.warnings, 0);
    accept(PROFILE(""));
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    assert_string_equal(got.profile->name, "mine");
}

static void multi_point_replaces_in_place_and_appends(void **ctx)
{
    (void)ctx;
    /* Replaced in place, its weight too; in both lists: last; no weight: 1. */
    accept(PROFILE("  plugins:\n    multiPoint:\n"
                   "      disabled: [{name: NodeAffinity}, {name: ImageLocality}]\n"
                   "      enabled: [{name: NodeAffinity, weight: 9}, {name: TaintToleration}]\n"));
    assert_string_equal(filters_of(got.profile),
                        "node-unschedulable node-name taint-toleration node-ports "
                        "node-resources-fit volume-restrictions node-volume-limits volume-zone "
                        "topology-spread inter-pod-affinity dynamic-resources "
                        "node-affinity");
    assert_string_equal(scorers_of(got.profile),
                        "taint-toleration*1 least-allocated*1 topology-spread*2 "
                        "inter-pod-affinity*2 dynamic-resources*2 balanced-allocation*1 "
                        "node-affinity*9");
}

static void a_point_orders_its_own_entries_first(void **ctx)
{
    (void)ctx;
    accept(PROFILE("  plugins:\n    score:\n"
                   "      disabled: [{name: TaintToleration}, {name: NodeResourcesFit}]\n"
                   "      enabled: [{name: ImageLocality, weight: 4},\n"
                   "                {name: NodeResourcesFit, weight: 0}]\n"));
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS);
    assert_string_equal(scorers_of(got.profile),
                        "image-locality*4 least-allocated*1 node-affinity*2 topology-spread*2 "
                        "inter-pod-affinity*2 dynamic-resources*2 balanced-allocation*1");
}

static void a_star_leaves_what_is_listed(void **ctx)
{
    (void)ctx;
    accept(PROFILE("  plugins:\n    score:\n      disabled: [{name: '*'}]\n"
                   "      enabled: [{name: NodeResourcesFit, weight: 8}, {name: NodeAffinity}]\n"));
    assert_string_equal(scorers_of(got.profile), "least-allocated*8 node-affinity*1");
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS);
}

static void disabling_a_filter_leaves_the_score(void **ctx)
{
    (void)ctx;
    accept(PROFILE("  plugins: {filter: {disabled: [{name: InterPodAffinity}]}}\n"));
    assert_mentions(scorers_of(got.profile), "inter-pod-affinity*2");
    assert_null(strstr(filters_of(got.profile), "inter-pod-affinity"));
}

static void node_affinity_without_its_filter_still_pins(void **ctx)
{
    (void)ctx;
    accept(PROFILE("  plugins: {filter: {disabled: [{name: NodeAffinity}]}}\n"));
    assert_mentions(filters_of(got.profile), "node-affinity");
    accept(PROFILE("  plugins:\n    filter: {disabled: [{name: NodeAffinity}]}\n"
                   "    preFilter: {disabled: [{name: NodeAffinity}]}\n"));
    assert_null(strstr(filters_of(got.profile), "node-affinity"));
}

static void a_score_without_its_pre_score_is_refused(void **ctx)
{
    (void)ctx;
    refuse(PROFILE("  plugins: {score: {enabled: [{name: NodeResourcesFitPlus, weight: 2}]},\n"
                   "            preScore: {disabled: [{name: TaintToleration}]}}\n"),
           "preScore");
    refuse(PROFILE("  plugins: {multiPoint: {disabled: [{name: '*'}]},\n"
                   "            score: {enabled: [{name: ScarceResourceAvoidance}]}}\n"),
           "ScarceResourceAvoidance");
    refuse(PROFILE("  plugins: {preFilter: {disabled: [{name: NodeResourcesFit}]}}\n"),
           "preFilter");
    accept(PROFILE("  plugins: {preScore: {disabled: [{name: NodeResourcesFit}]}}\n"));
}

static void koordinators_plugins_are_known(void **ctx)
{
    (void)ctx;
    accept(PROFILE(
        "  plugins:\n"
        "    multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}]}\n"
        "    preScore: {enabled: [{name: NodeResourcesFitPlus}, {name: ScarceResourceAvoidance}]}\n"
        "    score: {enabled: [{name: NodeResourcesFitPlus, weight: 2},\n"
        "                      {name: ScarceResourceAvoidance}]}\n"
        "  pluginConfig:\n"
        "  - name: NodeResourcesFitPlus\n"
        "    args: {resources: {cpu: {type: '', weight: -3}, pods: {}}}\n"
        "  - {name: ScarceResourceAvoidance, args: {resources: [nvidia.com/gpu, "
        "nvidia.com/gpu]}}\n"));
    assert_string_equal(scorers_of(got.profile),
                        "node-resources-fit-plus*2 scarce-resource-avoidance*1");
    assert_int_equal(got.profile->filters, 0);
    suspect(PROFILE("  pluginConfig:\n  - name: NodeResourcesFitPlus\n"
                    "    args: {resources: {cpu: {kind: MostAllocated}}}\n"),
            "kind", "unknown field 'kind' has no effect");
}

static void lists_of_plugins_are_checked(void **ctx)
{
    (void)ctx;
    refuse(PROFILE("  plugins: {score: {enabled: [{name: NodeName}]}}\n"), "no extension point");
    refuse(PROFILE("  plugins: {score: {enabled: [{name: NodeAffinity}, {name: NodeAffinity}]}}\n"),
           "twice");
    refuse(PROFILE("  plugins: {filter: {disabled: [{name: NodeName}, {name: NodeName}]}}\n"),
           "twice");
    refuse(PROFILE("  plugins: {score: {enabled: [{weight: 1}]}}\n"), "without a name");
    suspect(PROFILE("  plugins: {score: {enable: []}}\n"), "enabled", "unknown field 'enable'");
    suspect(PROFILE("  plugins: {scores: {}}\n"), "multiPoint", "unknown field 'scores'");
    refuse(PROFILE("  plugins: {multiPoint: {disabled: [{name: '*'}]}}\n"), "empty");
    accept(PROFILE("  plugins: {queueSort: {enabled: [{name: PrioritySort}]},\n"
                   "            postFilter: {disabled: [{name: DefaultPreemption}]},\n"
                   "            bind: {enabled: [{name: DefaultBinder}]}}\n"));
}

static void the_strategy_chooses_the_scorer(void **ctx)
{
    (void)ctx;
    accept(PROFILE(
        "  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
        "      scoringStrategy:\n        type: MostAllocated\n"
        "        resources: [{name: cpu, weight: 0}, {name: nvidia.com/gpu, weight: 5}]\n"));
    assert_mentions(scorers_of(got.profile), "most-allocated*1 topology-spread");

    const struct stow_allocation *own = scorer_self("most-allocated");

    assert_int_equal(own->resources.count, 2);
    assert_int_equal(own->resources.item[0].weight, 1);
    assert_int_equal(own->resources.item[1].weight, 5);
    accept(
        PROFILE("  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
                "      scoringStrategy:\n        type: RequestedToCapacityRatio\n"
                "        requestedToCapacityRatio:\n"
                "          shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]\n"));
    assert_mentions(scorers_of(got.profile), "requested-to-capacity-ratio*1");
}

#define FIT(args) PROFILE("  pluginConfig:\n  - name: NodeResourcesFit\n    args: " args "\n")

static void args_of_the_fit_are_validated(void **ctx)
{
    (void)ctx;
    refuse(FIT("{scoringStrategy: {type: Packed}}"), "scoringStrategy.type");
    refuse(FIT("{scoringStrategy: {resources: []}}"), "scoringStrategy.type");
    refuse(FIT("{scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 101}]}}"),
           "resources[0].weight");
    refuse(FIT("{scoringStrategy: {type: LeastAllocated, requestedToCapacityRatio: {}}}"), "only");
    refuse(FIT("{scoringStrategy: {type: RequestedToCapacityRatio}}"), "needs");
    refuse(FIT("{scoringStrategy: {type: RequestedToCapacityRatio,"
               " requestedToCapacityRatio: {shape: []}}}"),
           "at least one");
    refuse(FIT("{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio:"
               " {shape: [{utilization: 50, score: 1}, {utilization: 50, score: 2}]}}}"),
           "increase");
    refuse(FIT("{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio:"
               " {shape: [{utilization: 50, score: 11}]}}}"),
           "0 to 10");
    refuse(FIT("{ignoredResources: ['a/b/c']}"), "ignoredResources[0]");
    refuse(FIT("{ignoredResourceGroups: ['example.com/x']}"), "no '/'");
    suspect(FIT("{ignoredResource: []}"), "ignoredResources", "'ignoredResource' has no effect");
    refuse(FIT("{kind: NodeAffinityArgs}"), "NodeResourcesFitArgs");
    refuse(FIT("{apiVersion: v1}"), "kubescheduler");
    accept(FIT("{ignoredResources: [example.com/x], ignoredResourceGroups: [example.com]}"));
    accept(FIT("null"));
}

static void other_args_are_validated(void **ctx)
{
    (void)ctx;
    refuse(PROFILE("  pluginConfig:\n  - name: InterPodAffinity\n"
                   "    args: {hardPodAffinityWeight: 101}\n"),
           "100");
    refuse(PROFILE("  pluginConfig:\n  - name: NodeResourcesBalancedAllocation\n"
                   "    args: {resources: [{name: cpu, weight: 2}]}\n"),
           "must be 1");
    refuse(PROFILE("  pluginConfig:\n  - name: NodeResourcesBalancedAllocation\n"
                   "    args: {resources: [{name: cpu}, {name: cpu}]}\n"),
           "twice");
    refuse(PROFILE("  pluginConfig:\n  - name: PodTopologySpread\n"
                   "    args: {defaultConstraints: [{maxSkew: 1, topologyKey: a,"
                   " whenUnsatisfiable: ScheduleAnyway}]}\n"),
           "defaultingType");
    refuse(PROFILE("  pluginConfig:\n  - name: PodTopologySpread\n"
                   "    args: {defaultingType: Some}\n"),
           "System, List");
    suspect(PROFILE("  pluginConfig:\n  - {name: NodeName, args: {a: 1}}\n"), "no args", "'a'");
    refuse(PROFILE("  pluginConfig:\n  - {name: NodeAffinity}\n  - {name: NodeAffinity}\n"),
           "second");
    accept(PROFILE(
        "  pluginConfig:\n  - name: DefaultPreemption\n"
        "    args: {minCandidateNodesPercentage: 5}\n"
        "  - name: PodTopologySpread\n"
        "    args: {defaultingType: List, defaultConstraints: []}\n"
        "  - name: InterPodAffinity\n"
        "    args: {hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true}\n"));
}

static void several_profiles_are_told_apart_by_name(void **ctx)
{
    static const char two[] = KUBE("profiles:\n- schedulerName: default-scheduler\n"
                                   "- schedulerName: packing\n"
                                   "  plugins: {score: {disabled: [{name: ImageLocality}]}}\n");
    struct stow_snapshot *s = stow_snapshot_new();
    struct stow_pod_spec spec = {0};
    struct stow_subject pod = {.s = s, .spec = &spec};

    (void)ctx;
    accept(two);
    assert_int_equal(got.count, 2);
    assert_ptr_equal(stow_profiles_for(&got, &pod), &got.profile[0]);
    spec.scheduler = stow_intern_text(&s->text, STOW_STR("packing"));
    assert_ptr_equal(stow_profiles_for(&got, &pod), &got.profile[1]);
    spec.scheduler = stow_intern_text(&s->text, STOW_STR("another"));
    assert_null(stow_profiles_for(&got, &pod));
    assert_int_equal(read_named(two, "packing"), STOW_OK);
    assert_int_equal(got.count, 1);
    assert_ptr_equal(stow_profiles_for(&got, &pod), &got.profile[0]);
    assert_true(read_named(two, "nobody") < 0);
    stow_snapshot_unref(s);
    refuse(KUBE("profiles: [{schedulerName: a}, {schedulerName: a}]\n"), "second profile");
    refuse(KUBE("profiles: [{schedulerName: a}, {}]\n"), "schedulerName");
}

static void what_has_no_effect_is_warned_about(void **ctx)
{
    (void)ctx;
    accept(KUBE("percentageOfNodesToScore: 50\nparallelism: 4\n"
                "extenders: [{urlPrefix: 'http://x', filterVerb: filter}]\n"
                "leaderElection: {leaderElect: true}\n"
                "profiles: [{percentageOfNodesToScore: 10}]\n"));
    assert_int_equal(got.warnings, 3);
    refuse("apiVersion: kubescheduler.config.k8s.io/v2\nkind: KubeSchedulerConfiguration\n",
           "v1beta3");
    refuse("apiVersion: componentconfig/v1alpha1\nkind: KubeSchedulerConfiguration\n", "v1beta3");
    refuse("kind: KubeSchedulerConfiguration\n", "v1beta3");
    refuse(KUBE("percentageOfNodesToScore: 101\n"), "100");
    suspect(KUBE("profile: []\n"), "profiles", ":3:1: unknown field 'profile' has no effect");
    refuse(KUBE("") "---\n" POLICY("  {}\n"), "one of the two");
}

static void a_plugin_that_is_not_simulated_is_a_warning(void **ctx)
{
    (void)ctx;
    suspect(PROFILE("  plugins: {score: {enabled: [{name: NetworkOverhead, weight: 5}]},\n"
                    "            filter: {enabled: [{name: NetworkOverhead}]}}\n"
                    "  pluginConfig:\n  - {name: NetworkOverhead, args: {anything: [1]}}\n"),
            "NetworkOverhead is not simulated",
            "not simulated: NetworkOverhead (filter, score of profile mine)");
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS);
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    suspect(PROFILE("  plugins: {preFilter: {enabled: [{name: Coscheduling}]}}\n"), "Coscheduling",
            "not simulated: Coscheduling (preFilter of profile mine)");
    suspect(PROFILE("  plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}\n"), "Coscheduling",
            "not simulated: Coscheduling (multiPoint of profile mine)");
    suspect(PROFILE("  pluginConfig:\n  - {name: Coscheduling, args: {}}\n"), "Coscheduling",
            "not simulated: Coscheduling (pluginConfig of profile mine)");
    refuse(PROFILE("  plugins: {score: {enabled: [{name: Mine}, {name: Mine}]}}\n"), "twice");
    refuse(PROFILE("  pluginConfig: [{name: Mine}, {name: Mine}]\n"), "second pluginConfig");
}

static void a_plugin_without_a_say_is_nothing(void **ctx)
{
    static const char config[] = PROFILE(
        "  plugins:\n"
        "    queueSort: {enabled: [{name: QOSSort}], disabled: [{name: '*'}]}\n"
        "    postFilter: {enabled: [{name: QOSSort}]}\n"
        "    permit: {enabled: [{name: Coscheduling}]}\n"
        "    unreserve: {enabled: [{name: Coscheduling}]}\n"
        "    score: {disabled: [{name: NodePreferAvoidPods}, {name: "
        "NodeResourcesLeastAllocated}]}\n"
        "  pluginConfig:\n  - {name: QOSSort, args: {a: 1}}\n  - {name: NodePreferAvoidPods}\n");

    (void)ctx;
    accept(config);
    assert_int_equal(got.warnings, 0);
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    strictly = true;
    accept(config);
    strictly = false;
}

#define VERSION(version, rest)                                                                \
    "apiVersion: kubescheduler.config.k8s.io/" version "\nkind: KubeSchedulerConfiguration\n" \
    "profiles:\n- schedulerName: mine\n" rest

static void old_versions_have_their_own_defaults(void **ctx)
{
    (void)ctx;
    accept(VERSION("v1beta3", ""));
    assert_int_equal(got.warnings, 0);
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    accept(VERSION("v1beta2", ""));
    assert_int_equal(got.warnings, 1);
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS);
    assert_string_equal(scorers_of(got.profile),
                        "taint-toleration*1 node-affinity*1 least-allocated*1 topology-spread*2 "
                        "inter-pod-affinity*1 dynamic-resources*2 balanced-allocation*1 "
                        "image-locality*1");
    /* Without multiPoint a point's own entries take the place of the defaults. */
    accept(VERSION("v1beta2", "  plugins: {score: {enabled: [{name: ImageLocality, weight: 4},\n"
                              "      {name: NodeResourcesFit, weight: 3}]}}\n"));
    assert_mentions(scorers_of(got.profile), "node-affinity*1 least-allocated*3 topology-spread*2");
    assert_mentions(scorers_of(got.profile), "image-locality*4");
}

static void v1beta1_has_a_plugin_for_each_strategy(void **ctx)
{
    (void)ctx;
    accept(VERSION("v1beta1", ""));
    assert_mentions(scorers_of(got.profile), "least-allocated*1");
    accept(
        VERSION("v1beta1",
                "  plugins:\n    score:\n"
                "      disabled: [{name: NodeResourcesLeastAllocated}]\n"
                "      enabled: [{name: NodeResourcesMostAllocated, weight: 7},\n"
                "                {name: RequestedToCapacityRatio}]\n"
                "  pluginConfig:\n"
                "  - name: NodeResourcesMostAllocated\n"
                "    args: {resources: [{name: cpu, weight: 3}]}\n"
                "  - name: RequestedToCapacityRatio\n"
                "    args: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}],\n"
                "           resources: [{name: memory, weight: 2}]}\n"));
    assert_null(strstr(scorers_of(got.profile), "least-allocated"));
    assert_mentions(scorers_of(got.profile), "most-allocated*7 requested-to-capacity-ratio*1");
    assert_int_equal(
        ((const struct stow_allocation *)scorer_self("most-allocated"))->resources.count, 1);
    refuse(VERSION("v1beta1", "  plugins: {score: {enabled: [{name: NodeResourcesFit}]}}\n"),
           "no extension point");
    suspect(PROFILE("  plugins: {score: {enabled: [{name: NodeResourcesMostAllocated}]}}\n"),
            "NodeResourcesMostAllocated", "not simulated: NodeResourcesMostAllocated");
    /* Constraints are a list there. */
    accept(VERSION("v1beta1", "  pluginConfig:\n  - name: PodTopologySpread\n"
                              "    args: {defaultConstraints: [{maxSkew: 1, topologyKey: a,"
                              " whenUnsatisfiable: ScheduleAnyway}]}\n"));
}

static void limits_of_single_disks_are_known(void **ctx)
{
    (void)ctx;
    accept(PROFILE("  plugins: {multiPoint: {enabled: [{name: EBSLimits}, {name: GCEPDLimits},\n"
                   "            {name: AzureDiskLimits}]}}\n"));
    assert_int_equal(got.warnings, 0);
}

#define MAP(rest) "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata:\n" rest
#define MAPPED(rest)                                   \
    "    apiVersion: kubescheduler.config.k8s.io/v1\n" \
    "    kind: KubeSchedulerConfiguration\n    profiles:\n" rest

static void config_maps_are_looked_into(void **ctx)
{
    static const char json[] =
        "{\"kind\": \"ConfigMapList\", \"apiVersion\": \"v1\", \"items\": [{\"metadata\": {}},"
        " {\"metadata\": {\"name\": \"config\"}, \"data\": {\"x\": \"{\\\"apiVersion\\\": "
        "\\\"kubescheduler.config.k8s.io/v1\\\", \\\"kind\\\": "
        "\\\"KubeSchedulerConfiguration\\\"}\"}}]}";

    (void)ctx;
    accept(MAP("  other: some text\n  any-key: |\n" MAPPED("    - schedulerName: mine\n")));
    assert_string_equal(got.profile->name, "mine");
    accept("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\njust text\n---\n" MAP(
        "  config.yaml: |\n" MAPPED("    - schedulerName: mine\n")));
    assert_string_equal(got.profile->name, "mine");
    accept("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n"
           "  metadata: {name: config}\n  data:\n    a.yaml: |\n"
           "      kind: KubeSchedulerConfiguration\n"
           "      apiVersion: kubescheduler.config.k8s.io/v1beta3\n");
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    accept(json);
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    refuse(MAP("  config.yaml: |\n" MAPPED("    - schedulerName: mine\n      plugins: 7\n")),
           "object");
    assert_mentions(err.file, "ConfigMap config, key config.yaml");
    assert_int_equal(err.line, 5);
    refuse(MAP("  config.yaml: |\n    volcano: yes\n"), "found none");
    refuse(MAP("  config.yaml: |\n    KubeSchedulerConfiguration: [\n"), "");
}

static void several_configurations_are_put_together(void **ctx)
{
    struct stow_snapshot *s = stow_snapshot_new();
    struct stow_pod_spec spec = {0};
    struct stow_subject pod = {.s = s, .spec = &spec};

    (void)ctx;
    accept(KUBE("") "---\n" PROFILE(""));
    assert_int_equal(got.count, 2);
    assert_ptr_equal(stow_profiles_for(&got, &pod), &got.profile[0]);
    spec.scheduler = stow_intern_text(&s->text, STOW_STR("mine"));
    assert_ptr_equal(stow_profiles_for(&got, &pod), &got.profile[1]);
    stow_snapshot_unref(s);
    refuse(KUBE("") "---\n" KUBE(""), "second profile of the scheduler default-scheduler");
}

static void weights_that_overflow_totals_are_refused(void **ctx)
{
    (void)ctx;
    refuse(PROFILE("  plugins: {score: {enabled: [{name: NodeAffinity, weight: 2147483647}]}}\n"),
           "add up");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, forget)
    const struct CMUnitTest tests[] = {
        TEST(a_bare_configuration_is_kube_default),
        TEST(multi_point_replaces_in_place_and_appends),
        TEST(a_point_orders_its_own_entries_first),
        TEST(a_star_leaves_what_is_listed),
        TEST(disabling_a_filter_leaves_the_score),
        TEST(node_affinity_without_its_filter_still_pins),
        TEST(a_score_without_its_pre_score_is_refused),
        TEST(koordinators_plugins_are_known),
        TEST(lists_of_plugins_are_checked),
        TEST(the_strategy_chooses_the_scorer),
        TEST(args_of_the_fit_are_validated),
        TEST(other_args_are_validated),
        TEST(several_profiles_are_told_apart_by_name),
        TEST(what_has_no_effect_is_warned_about),
        TEST(a_plugin_that_is_not_simulated_is_a_warning),
        TEST(a_plugin_without_a_say_is_nothing),
        TEST(old_versions_have_their_own_defaults),
        TEST(v1beta1_has_a_plugin_for_each_strategy),
        TEST(limits_of_single_disks_are_known),
        TEST(config_maps_are_looked_into),
        TEST(several_configurations_are_put_together),
        TEST(weights_that_overflow_totals_are_refused),
    };

    return cmocka_run_group_tests_name("place/profile_kube", tests, NULL, NULL);
}
