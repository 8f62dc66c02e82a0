/* Unit tests of profiles: the shipped ones and Policies. */
#include "tests/unit/profiles.h"

#include "model/build.h"
#include "place/facts.h"
#include "place/scorers/allocation.h"

/* ---- shipped profiles -------------------------------------------------------------------- */

static void kube_default_is_the_schedulers_own(void **ctx)
{
    (void)ctx;
    ship("kube-default");
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS);
    assert_string_equal(scorers_of(got.profile), KUBE_SCORERS);
    assert_string_equal(ties_of(got.profile), "name");
}

static void ultron_has_its_filters_and_one_scorer(void **ctx)
{
    (void)ctx;
    ship("ultron");
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS " storage disk-type network-type");
    assert_string_equal(scorers_of(got.profile), "ultron*1");
    assert_string_equal(ties_of(got.profile), "price rate name");
}

static void cheapest_differs_from_ultron_in_the_score_only(void **ctx)
{
    (void)ctx;
    ship("cheapest");
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS " storage disk-type network-type");
    assert_string_equal(scorers_of(got.profile), "ultron*1");
    assert_string_equal(ties_of(got.profile), "price rate name");
}

static void gpu_cluster_replaces_the_resource_scores(void **ctx)
{
    (void)ctx;
    ship("gpu-cluster");
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS);
    assert_string_equal(scorers_of(got.profile),
                        "taint-toleration*3 node-affinity*2 topology-spread*2 "
                        "inter-pod-affinity*2 dynamic-resources*2 image-locality*1 "
                        "node-resources-fit-plus*1 scarce-resource-avoidance*5");
    assert_string_equal(ties_of(got.profile), "price rate name");
}

static void an_unknown_shipped_name_is_refused(void **ctx)
{
    (void)ctx;
    assert_true(stow_profiles_builtin("nobody", &got, &err) < 0);
    assert_mentions(err.msg, "nobody");
    assert_int_equal(got.count, 0);
}

/* ---- Policies ---------------------------------------------------------------------------- */

static void a_policy_changes_what_it_starts_from(void **ctx)
{
    (void)ctx;
    accept(POLICY("  profile: kube-default\n"
                  "  filters:\n"
                  "  - {name: node-ports, enabled: false}\n"
                  "  - {name: max-price, perHour: '2.50'}\n"
                  "  scorers:\n"
                  "  - {name: image-locality, enabled: false}\n"
                  "  - {resources: [{name: cpu, weight: 3}], name: least-allocated, weight: 2.5}\n"
                  "  - {name: most-allocated}\n"));
    assert_string_equal(got.profile->name, "ours");
    assert_string_equal(filters_of(got.profile),
                        "node-unschedulable node-name taint-toleration node-affinity "
                        "node-resources-fit volume-restrictions node-volume-limits volume-zone "
                        "topology-spread inter-pod-affinity dynamic-resources "
                        "max-price");
    assert_string_equal(scorers_of(got.profile),
                        "taint-toleration*3 node-affinity*2 least-allocated*2.5 "
                        "topology-spread*2 inter-pod-affinity*2 dynamic-resources*2 "
                        "balanced-allocation*1 most-allocated*1");
    assert_string_equal(ties_of(got.profile), "name");

    const struct stow_allocation *own = scorer_self("least-allocated");

    assert_int_equal(own->resources.count, 1);
    assert_string_equal(own->resources.item[0].name, "cpu");
    assert_int_equal(own->resources.item[0].weight, 3);
}

static void a_policy_may_start_from_nothing(void **ctx)
{
    (void)ctx;
    accept(POLICY("  filters: [{name: node-name}]\n"));
    assert_string_equal(filters_of(got.profile), "node-name");
    assert_int_equal(got.profile->scorers, 0);
    assert_string_equal(ties_of(got.profile), "price rate name");
}

static void an_empty_policy_is_refused(void **ctx)
{
    (void)ctx;
    refuse(POLICY("  tieBreak: [name]\n"), "empty");
    refuse("apiVersion: stowage.dev/v1alpha1\nkind: Policy\nmetadata: {name: a}\n", "empty");
}

static void unknown_names_are_refused_with_what_is_known(void **ctx)
{
    (void)ctx;
    refuse(POLICY("  filters: [{name: nodeports}]\n"), "node-ports");
    assert_mentions(err.msg, "max-price");
    assert_int_equal(err.line, 5);
    refuse(POLICY("  scorers: [{name: cheapest}]\n"), "image-locality");
    refuse(POLICY("  scorers: [{name: least-allocated, resource: []}]\n"), "expected resources");
    refuse(POLICY("  filters: [{name: node-name, mode: hard}]\n"), "node-name has no options");
    refuse(POLICY("  filters: [{name: node-name, weight: 1}]\n"), "no options");
    refuse(POLICY("  filter: []\n"), "filters");
    refuse(POLICY("  profile: nobody\n"), "gpu-cluster");
    refuse(POLICY("  keys: {disk: [a]}\n"), "diskType");
    refuse("apiVersion: stowage.dev/v1\nkind: Policy\nmetadata: {name: a}\n", "v1alpha1");
}

static void a_weight_must_be_a_number(void **ctx)
{
    (void)ctx;
    refuse(POLICY("  scorers: [{name: least-allocated, weight: heavy}]\n"), "number");
    refuse(POLICY("  scorers: [{name: least-allocated, weight: '2'}]\n"), "number");
    refuse(POLICY("  scorers: [{name: least-allocated, weight: -1}]\n"), "from 0");
    refuse(POLICY("  scorers: [{name: least-allocated, weight: 1e300}]\n"), "from 0");
    accept(POLICY("  scorers: [{name: least-allocated, weight: 0}]\n"));
}

static void the_same_rule_or_option_twice_is_refused(void **ctx)
{
    (void)ctx;
    refuse(POLICY("  filters: [{name: node-name}, {name: node-name}]\n"), "twice");
    refuse("{\"apiVersion\": \"stowage.dev/v1alpha1\", \"kind\": \"Policy\", \"metadata\": "
           "{\"name\": \"a\"}, \"spec\": {\"scorers\": [{\"name\": \"least-allocated\", "
           "\"resources\": [], \"resources\": []}]}}",
           "twice");
}

static void what_is_taken_out_has_no_options(void **ctx)
{
    (void)ctx;
    refuse(
        POLICY("  profile: ultron\n  filters: [{name: disk-type, enabled: false, mode: soft}]\n"),
        "enabled: false");
    refuse(POLICY("  filters: [{name: disk-type, enabled: 'no'}]\n"), "true or false");
}

static void taking_out_what_is_not_there_is_warned_about(void **ctx)
{
    (void)ctx;
    accept(POLICY("  profile: kube-default\n  filters: [{name: storage, enabled: false}]\n"));
    assert_int_equal(got.warnings, 1);
    assert_mentions(got.warning[0], "storage");
}

static void policies_of_one_file_build_on_each_other(void **ctx)
{
    static const char text[] = POLICY("  profile: base\n  scorers: [{name: image-locality, weight: "
                                      "7}]\n") "---\n"
                                               "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "
                                               "other}\n---\n"
                                               "apiVersion: stowage.dev/v1alpha1\nkind: "
                                               "Policy\nmetadata: {name: base}\n"
                                               "spec: {filters: [{name: node-name}], tieBreak: "
                                               "[interruption-rate]}\n";

    (void)ctx;
    assert_int_equal(read_named(text, "ours"), STOW_OK);
    assert_string_equal(filters_of(got.profile), "node-name");
    assert_string_equal(scorers_of(got.profile), "image-locality*7");
    assert_string_equal(ties_of(got.profile), "rate name");
    assert_int_equal(read_named(text, "base"), STOW_OK);
    assert_int_equal(got.profile->scorers, 0);

    refuse(text, "ours, base");
    assert_true(read_named(text, "third") < 0);
    assert_mentions(err.msg, "third");
}

static void a_cycle_is_refused(void **ctx)
{
    (void)ctx;
    refuse(POLICY("  profile: ours\n  filters: [{name: node-name}]\n"), "starts from itself");
    assert_int_equal(
        read_named(POLICY("  profile: b\n") "---\n"
                                            "apiVersion: stowage.dev/v1alpha1\nkind: Policy\n"
                                            "metadata: {name: b}\nspec: {profile: c}\n---\n"
                                            "apiVersion: stowage.dev/v1alpha1\nkind: Policy\n"
                                            "metadata: {name: c}\nspec: {profile: ours}\n",
                   "ours"),
        STOW_EPARSE);
    assert_mentions(err.msg, "starts from itself");
    assert_int_equal(err.line, 15);
}

static void names_of_policies_are_checked(void **ctx)
{
    (void)ctx;
    refuse("apiVersion: stowage.dev/v1alpha1\nkind: Policy\nspec: {}\n", "no name");
    refuse("apiVersion: stowage.dev/v1alpha1\nkind: Policy\nmetadata: {name: ultron}\n",
           "built-in");
    refuse(POLICY("  {}\n") "---\n" POLICY("  {}\n"), "second Policy ours");
    refuse("apiVersion: v1\nkind: Pod\n", "found none");
}

static void policies_may_stand_in_a_list(void **ctx)
{
    (void)ctx;
    accept("apiVersion: v1\nkind: List\nitems:\n"
           "- apiVersion: stowage.dev/v1alpha1\n  kind: Policy\n  metadata: {name: a}\n"
           "  spec: {filters: [{name: node-name}]}\n");
    assert_string_equal(filters_of(got.profile), "node-name");
}

static void the_tie_break_ends_by_name(void **ctx)
{
    (void)ctx;
    accept(POLICY("  filters: [{name: node-name}]\n  tieBreak: [interruption-rate, price]\n"));
    assert_string_equal(ties_of(got.profile), "rate price name");
    accept(POLICY("  filters: [{name: node-name}]\n  tieBreak: []\n"));
    assert_string_equal(ties_of(got.profile), "name");
    refuse(POLICY("  tieBreak: [cost]\n"), "interruption-rate");
    refuse(POLICY("  tieBreak: [name, name]\n"), "twice");
}

static void sections_of_other_verbs_are_left_alone(void **ctx)
{
    (void)ctx;
    accept(POLICY("  filters: [{name: node-name}]\n  price: {rules: current}\n"
                  "  nru: {rules: document}\n  costOptimized: {rules: kep-literal}\n"
                  "  divide: {limits: []}\n"));
}

static void keys_come_with_the_profile(void **ctx)
{
    const char *names[4];
    struct stow_snapshot *s = stow_snapshot_new();
    uint32_t count;

    (void)ctx;
    accept(POLICY("  profile: ultron\n"
                  "  keys: {diskType: [example.com/disk, ultron.io/disk-type], priority: [p]}\n"
                  "  priorityThreshold: 1000\n"));
    assert_int_equal(stow_profile_annotations(got.profile, names, 4), 3);
    assert_string_equal(names[0], "example.com/disk");
    assert_string_equal(names[2], "p");
    assert_true(got.profile->has_priority_threshold);
    assert_int_equal(got.profile->priority_threshold, 1000);
    assert_null(got.profile->keys.storage.name);

    stow_blob before = s->keys.network_type;

    assert_int_equal(stow_profile_set_keys(got.profile, s, &err), STOW_OK);
    const stow_sym *disk = STOW_LIST(s, s->keys.disk_type, stow_sym, &count);

    assert_int_equal(count, 2);
    assert_text(stow_text(s, disk[0]), "example.com/disk");
    assert_int_equal(s->keys.network_type, before);
    stow_snapshot_unref(s);
}

/* ---- what ultron's options set elsewhere ------------------------------------------------- */

static void modes_of_ultron_set_filters_and_ties(void **ctx)
{
    (void)ctx;
    accept(POLICY("  scorers: [{name: ultron, mode: literal}]\n"));
    assert_string_equal(filters_of(got.profile), "disk-type network-type limits");
    assert_string_equal(ties_of(got.profile), "input-order name");
    assert_int_equal(
        read_named(
            POLICY("  profile: first\n  scorers: [{name: ultron}]\n") "---\n"
                                                                      "apiVersion: "
                                                                      "stowage.dev/v1alpha1\nkind: "
                                                                      "Policy\nmetadata: {name: "
                                                                      "first}\n"
                                                                      "spec: {scorers: [{name: "
                                                                      "ultron, mode: paper}]}\n",
            "ours"),
        STOW_OK);
    assert_string_equal(filters_of(got.profile), "disk-type network-type");
    assert_string_equal(ties_of(got.profile), "price rate name");
}

static void switches_of_ultron_win_over_its_mode(void **ctx)
{
    (void)ctx;
    accept(POLICY("  scorers:\n  - {name: ultron, diskMode: soft, networkMode: hard, tie: name,\n"
                  "     mode: literal, fitBasis: requests, priority: required}\n"));
    assert_string_equal(filters_of(got.profile), "network-type durability");
    assert_string_equal(ties_of(got.profile), "name");
    accept(POLICY("  profile: ultron\n  scorers: [{name: ultron, diskMode: soft}]\n"));
    assert_string_equal(filters_of(got.profile), KUBE_FILTERS " storage network-type");
    refuse(POLICY("  scorers: [{name: ultron, diskMode: firm}]\n"), "hard, soft");
}

static void a_filter_of_the_policy_wins_over_a_mode(void **ctx)
{
    (void)ctx;
    accept(POLICY("  filters: [{name: disk-type, enabled: false}]\n  tieBreak: [price]\n"
                  "  scorers: [{name: ultron, mode: literal}]\n"));
    assert_string_equal(filters_of(got.profile), "network-type limits");
    assert_string_equal(ties_of(got.profile), "price name");
    refuse(POLICY("  filters: [{name: disk-type, mode: hard}]\n"
                  "  scorers: [{name: ultron, diskMode: soft}]\n"),
           "both given");
}

static void the_priority_threshold_reaches_the_rules(void **ctx)
{
    (void)ctx;
    accept(POLICY("  filters: [{name: durability}]\n  priorityThreshold: 7\n"));
    const struct stow_importance *own = got.profile->filter[0].self;

    assert_true(own->by_value);
    assert_int_equal(own->threshold, 7);
    accept(POLICY("  filters: [{name: durability, priorityThreshold: 9}]\n"
                  "  priorityThreshold: 7\n"));
    own = got.profile->filter[0].self;
    assert_int_equal(own->threshold, 9);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, forget)
    const struct CMUnitTest tests[] = {
        TEST(kube_default_is_the_schedulers_own),
        TEST(ultron_has_its_filters_and_one_scorer),
        TEST(cheapest_differs_from_ultron_in_the_score_only),
        TEST(gpu_cluster_replaces_the_resource_scores),
        TEST(an_unknown_shipped_name_is_refused),
        TEST(a_policy_changes_what_it_starts_from),
        TEST(a_policy_may_start_from_nothing),
        TEST(an_empty_policy_is_refused),
        TEST(unknown_names_are_refused_with_what_is_known),
        TEST(a_weight_must_be_a_number),
        TEST(the_same_rule_or_option_twice_is_refused),
        TEST(what_is_taken_out_has_no_options),
        TEST(taking_out_what_is_not_there_is_warned_about),
        TEST(policies_of_one_file_build_on_each_other),
        TEST(a_cycle_is_refused),
        TEST(names_of_policies_are_checked),
        TEST(policies_may_stand_in_a_list),
        TEST(the_tie_break_ends_by_name),
        TEST(sections_of_other_verbs_are_left_alone),
        TEST(keys_come_with_the_profile),
        TEST(modes_of_ultron_set_filters_and_ties),
        TEST(switches_of_ultron_win_over_its_mode),
        TEST(a_filter_of_the_policy_wins_over_a_mode),
        TEST(the_priority_threshold_reaches_the_rules),
    };

    return cmocka_run_group_tests_name("place/profile", tests, NULL, NULL);
}
