/* Unit tests of profiles: the shipped ones, Policies, and kube-scheduler's own configuration. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/build.h"
#include "place/facts.h"
#include "place/profiles/profile.h"
#include "place/scorers/allocation.h"

static struct stow_profiles got;
static bool strictly; /* how files are read */
static struct stow_err err;

/* ---- helpers ----------------------------------------------------------------------------- */

/* Reads `text` as a file. */
static int read_named(const char *text, const char *name)
{
    char path[] = "/tmp/stowage-profile-XXXXXX";
    int file = mkstemp(path);
    size_t len = strlen(text);

    assert_true(file >= 0);
    assert_true(write(file, text, len) == (ssize_t)len);
    close(file);
    stow_profiles_done(&got);
    memset(&err, 0, sizeof(err));
    int code = stow_profiles_read(NULL, path, name, strictly, &got, &err);

    unlink(path);
    return code;
}

static void accept(const char *text)
{
    if (read_named(text, NULL) < 0) {
        print_error("line %u, column %u: %s\n", err.line, err.col, err.msg);
        fail();
    }
}

/* Refused as bad input, at a known place, with these words. */
static void refuse(const char *text, const char *phrase)
{
    assert_int_equal(read_named(text, NULL), STOW_EPARSE);
    assert_mentions(err.msg, phrase);
    assert_true(err.line > 0 && err.col > 0);
    assert_int_equal(got.count, 0);
}

/* Refused with --strict, and a warning with these words without. */
static void suspect(const char *text, const char *phrase, const char *warning)
{
    strictly = true;
    refuse(text, phrase);
    strictly = false;
    accept(text);
    assert_int_equal(got.warnings, 1);
    assert_mentions(got.warning[0], warning);
}

#define POLICY(spec) \
    "apiVersion: stowage.dev/v1alpha1\nkind: Policy\nmetadata: {name: ours}\nspec:\n" spec

#define KUBE(rest) \
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" rest

#define PROFILE(rest) KUBE("profiles:\n- schedulerName: mine\n" rest)

/* The names of the rules, in order, with one space between them. */
static const char *filters_of(const struct stow_profile *p)
{
    static char text[512];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < p->filters; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
                                 p->filter[i].rule->name);
    return text;
}

static const char *scorers_of(const struct stow_profile *p)
{
    static char text[512];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < p->scorers; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s*%g", i ? " " : "",
                                 p->scorer[i].rule->name, p->scorer[i].weight);
    return text;
}

static const char *ties_of(const struct stow_profile *p)
{
    static const char *const names[] = {"price", "rate", "name", "input-order"};
    static char text[64];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < p->ties; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
                                 names[p->tie[i]]);
    return text;
}

static void ship(const char *name)
{
    stow_profiles_done(&got);
    assert_int_equal(stow_profiles_builtin(name, &got, &err), STOW_OK);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.warnings, 0);
}

static const void *scorer_self(const char *name)
{
    for (uint32_t i = 0; i < got.profile[0].scorers; i++)
        if (strcmp(got.profile[0].scorer[i].rule->name, name) == 0)
            return got.profile[0].scorer[i].self;
    return NULL;
}

static int forget(void **ctx)
{
    (void)ctx;
    stow_profiles_done(&got);
    return 0;
}

#define KUBE_FILTERS                                                                         \
    "node-unschedulable node-name taint-toleration node-affinity node-ports "                \
    "node-resources-fit volume-restrictions node-volume-limits volume-zone topology-spread " \
    "inter-pod-affinity dynamic-resources"

#define KUBE_SCORERS                                                          \
    "taint-toleration*3 node-affinity*2 least-allocated*1 topology-spread*2 " \
    "inter-pod-affinity*2 dynamic-resources*2 balanced-allocation*1 image-locality*1"

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

/* ---- KubeSchedulerConfiguration ---------------------------------------------------------- */

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

    return cmocka_run_group_tests_name("place/profile", tests, NULL, NULL);
}
