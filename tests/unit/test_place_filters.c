/* Unit tests of the filters that look at one node: one fact per test, in the words of the rules. */
#include "tests/unit/asking.h"

/* ---- node-unschedulable, node-name ------------------------------------------------------- */

#define CORDONED NODE("w", "spec: {unschedulable: true}") NODE("free", "")

static void a_cordoned_node_takes_nobody(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_unschedulable, CORDONED POD(""));
    assert_true(passes(&a, "free"));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "node(s) were unschedulable");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void a_toleration_of_the_cordon_lets_in(void **ctx)
{
    static const struct {
        const char *yaml;
        bool passes;
    } cases[] = {
        {CORDONED POD("tolerations: [{operator: Exists}]"), true},
        {CORDONED POD("tolerations: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]"),
         true},
        {CORDONED POD(
             "tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists, effect: "
             "NoExecute}]"),
         false},
        {CORDONED POD("tolerations: [{key: node.kubernetes.io/unschedulable, value: x}]"), false},
        {CORDONED POD("tolerations: [{key: other, operator: Exists}]"), false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct asking a;

        ask(&a, &stow_filter_node_unschedulable, cases[i].yaml);
        assert_int_equal(passes(&a, "w"), cases[i].passes);
        ask_end(&a);
    }
}

static void a_pod_that_names_a_node_goes_nowhere_else(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_name, NODE("w", "") NODE("m", "") POD("nodeName: w"));
    assert_true(passes(&a, "w"));
    assert_false(passes(&a, "m"));
    assert_string_equal(reason(&a), "node(s) didn't match the requested node name");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
    ask(&a, &stow_filter_node_name, NODE("w", "") POD(""));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
}

/* ---- taint-toleration -------------------------------------------------------------------- */

#define TAINTED(taints) NODE("w", "spec: {taints: [" taints "]}")

static bool tolerates(const char *yaml)
{
    struct asking a;

    ask(&a, &stow_filter_taint_toleration, yaml);
    bool yes = passes(&a, "w");

    ask_end(&a);
    return yes;
}

static void only_the_hard_effects_keep_away(void **ctx)
{
    (void)ctx;
    assert_true(tolerates(TAINTED("{key: a, effect: PreferNoSchedule}") POD("")));
    assert_false(tolerates(TAINTED("{key: a, effect: NoSchedule}") POD("")));
    assert_false(tolerates(TAINTED("{key: a, effect: NoExecute}") POD("")));
}

static void every_hard_taint_must_be_tolerated(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_taint_toleration,
        TAINTED("{key: a, effect: NoSchedule}, {key: gpu, value: yes-please, effect: NoExecute}")
            NODE("m", "") POD("tolerations: [{key: a, operator: Exists}]"));
    assert_true(passes(&a, "m"));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "node(s) had untolerated taint(s)");
    assert_string_equal(detail(&a), "gpu=yes-please:NoExecute");
    ask_end(&a);
}

static void an_empty_key_with_equal_compares_values(void **ctx)
{
    (void)ctx;
    assert_true(tolerates(TAINTED("{key: a, value: v, effect: NoSchedule}")
                              POD("tolerations: [{value: v}]")));
    assert_false(tolerates(TAINTED("{key: a, value: v, effect: NoSchedule}")
                               POD("tolerations: [{value: w}]")));
}

static void numbers_are_compared_only_when_asked_to(void **ctx)
{
    struct stow_err err;
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_taint_toleration,
              TAINTED("{key: a, value: \"9\", effect: NoSchedule}")
                  POD("tolerations: [{key: a, operator: Gt, value: \"8\"}]"),
              NULL);
    ask_prepare(&a);
    assert_false(passes(&a, "w"));
    assert_true(set_option(&a, "comparisonOperators", "true", &err) >= 0);
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

/* ---- node-affinity ----------------------------------------------------------------------- */

#define REQUIRES(terms)                                                          \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: "                                                       \
    "[" terms "]}}}"
#define EXPRESSION(e) REQUIRES("{matchExpressions: [" e "]}")
#define PIN(names)    "{key: metadata.name, operator: In, values: [" names "]}"

static void a_term_that_does_not_parse_matches_nothing(void **ctx)
{
    static const char *const expressions[] = {
        "{key: zone, operator: NotIn, values: []}",
        "{key: zone, operator: In, values: []}",
        "{key: zone, operator: Exists, values: [a]}",
        "{key: other, operator: DoesNotExist, values: [a]}",
        "{key: other, operator: NotIn, values: [\"not a value\"]}",
        "{key: other, operator: NotIn, values: [-a]}",
        "{key: \"no key\", operator: DoesNotExist}",
        "{key: Upper.example/a, operator: DoesNotExist}",
        "{key: cores, operator: Gt, values: [many]}",
        "{key: cores, operator: Gt, values: [\"1\", \"2\"]}",
        "{key: cores, operator: Gt, values: [\"-1\"]}",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(expressions); i++) {
        char *yaml =
            load_fill(LABELLED("w", "zone: a, cores: \"8\"") POD(EXPRESSION("@")), expressions[i]);
        struct asking a;

        ask(&a, &stow_filter_node_affinity, yaml);
        if (passes(&a, "w"))
            fail_msg("%s matches", expressions[i]);
        assert_mentions(detail(&a), "valid selector");
        ask_end(&a);
        free(yaml);
    }
}

static void a_broken_term_does_not_spoil_the_others(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        LABELLED("w", "zone: a")
            POD(REQUIRES("{matchExpressions: [{key: zone, operator: In, values: []}]}, "
                         "{matchExpressions: [{key: zone, operator: Exists}]}")));
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void an_empty_list_of_terms_matches_nothing(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity, LABELLED("w", "zone: a") POD(REQUIRES("")));
    assert_int_equal(a.prepared, STOW_PREPARED);
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "node(s) didn't match Pod's node affinity/selector");
    ask_end(&a);
}

static void the_missing_label_is_named(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        LABELLED("w", "zone: a") POD("nodeSelector: {zone: a, disk: ssd}"));
    assert_false(passes(&a, "w"));
    assert_string_equal(detail(&a), "wants disk=ssd");
    ask_end(&a);
}

#define FOUR NODE("n1", "") NODE("n2", "") NODE("n3", "") NODE("n4", "")

static void pins_are_united_over_terms_and_cut_within_one(void **ctx)
{
    struct asking a;
    uint32_t pins;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        FOUR POD(REQUIRES("{matchFields: [" PIN("n3") "]}, {matchFields: [" PIN("n3, n1") ", " PIN(
            "n1, n2") "]}, {matchFields: [" PIN("elsewhere") "]}")));

    const stow_node_id *pin = stow_filter_node_affinity.pins(a.prep, &pins);

    assert_int_equal(a.prepared, STOW_PREPARED);
    assert_non_null(pin);
    assert_int_equal(pins, 2);
    assert_string_equal(a.s->node[pin[0]].name, "n1");
    assert_string_equal(a.s->node[pin[1]].name, "n3");
    assert_true(passes(&a, "n3"));
    assert_false(passes(&a, "n2"));
    assert_false(passes(&a, "n1")); /* its term has two values, which is no selector */
    ask_end(&a);
}

static void a_term_without_a_name_unpins(void **ctx)
{
    struct asking a;
    uint32_t pins;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        FOUR POD(REQUIRES("{matchFields: [" PIN(
            "n3") "]}, "
                  "{matchExpressions: [{key: zone, operator: DoesNotExist}]}")));
    assert_null(stow_filter_node_affinity.pins(a.prep, &pins));
    assert_true(passes(&a, "n1"));
    ask_end(&a);
}

static void pins_that_conflict_refuse_the_pod(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        FOUR POD(REQUIRES("{matchFields: [" PIN("n1") ", " PIN("n2") "]}")));
    assert_int_equal(a.prepared, STOW_PREPARED_NEVER);
    assert_false(passes(&a, "n1"));
    assert_string_equal(reason(&a), "pod affinity terms conflict");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void a_pin_to_a_node_that_is_not_there_is_no_conflict(void **ctx)
{
    struct asking a;
    uint32_t pins;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity, FOUR POD(REQUIRES("{matchFields: [" PIN("n9") "]}")));
    assert_int_equal(a.prepared, STOW_PREPARED);
    assert_non_null(stow_filter_node_affinity.pins(a.prep, &pins));
    assert_int_equal(pins, 0);
    assert_false(passes(&a, "n1"));
    ask_end(&a);
}

static void added_affinity_counts_for_every_pod(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_node_affinity,
              LABELLED("w", "zone: a, cores: \"8\"") LABELLED("m", "zone: b") POD(""), NULL);
    assert_true(set_option(&a, "addedAffinity",
                           "{\"requiredDuringSchedulingIgnoredDuringExecution\": "
                           "{\"nodeSelectorTerms\": [{\"matchExpressions\": ["
                           "{\"key\": \"cores\", \"operator\": \"Gt\", \"values\": [\"4\"]}, "
                           "{\"key\": \"zone\", \"operator\": \"NotIn\", \"values\": [\"b\"]}]}]}}",
                           &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "w"));
    assert_false(passes(&a, "m"));
    assert_string_equal(reason(&a), "node(s) didn't match scheduler-enforced node affinity");
    ask_end(&a);
}

static void added_affinity_that_does_not_parse_is_refused(void **ctx)
{
    static const char *const wrong[] = {
        "{\"required\": {}}",
        "{\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": "
        "[{\"matchExpressions\": [{\"key\": \"a b\", \"operator\": \"Exists\"}]}]}}",
        "{\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": "
        "[{\"matchExpressions\": [{\"key\": \"a\", \"operator\": \"In\"}]}]}}",
        "{\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": "
        "[{\"matchFields\": [{\"key\": \"a\", \"operator\": \"In\", \"values\": [\"b\"]}]}]}}",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct stow_err err = {0};
        struct asking a;

        ask_begin(&a, &stow_filter_node_affinity, NODE("w", "") POD(""), NULL);
        assert_int_equal(set_option(&a, "addedAffinity", wrong[i], &err), STOW_EPARSE);
        assert_true(err.msg[0]);
        ask_end(&a);
    }
}

/* ---- node-ports -------------------------------------------------------------------------- */

#define PORT(ip, port)   "containers: [{name: c, ports: [{hostIP: \"" ip "\", hostPort: " port "}]}]"
#define INIT(port, more) "initContainers: [{name: i, ports: [{hostPort: " port "}]" more "}]"

static bool port_free(const char *yaml)
{
    struct asking a;

    ask(&a, &stow_filter_node_ports, yaml);
    bool yes = passes(&a, "w");

    ask_end(&a);
    return yes;
}

static void ports_conflict_by_number_protocol_and_address(void **ctx)
{
    (void)ctx;
    assert_false(port_free(NODE("w", "") ON("w", "q", PORT("", "80")) POD(PORT("10.0.0.1", "80"))));
    assert_false(
        port_free(NODE("w", "") ON("w", "q", PORT("10.0.0.1", "80")) POD(PORT("0.0.0.0", "80"))));
    assert_true(
        port_free(NODE("w", "") ON("w", "q", PORT("10.0.0.1", "80")) POD(PORT("10.0.0.2", "80"))));
    assert_true(port_free(NODE("w", "") ON("w", "q", PORT("", "80")) POD(PORT("", "81"))));
    assert_true(
        port_free(NODE("w", "") NODE("m", "") ON("m", "q", PORT("", "80")) POD(PORT("", "80"))));
}

static void only_containers_that_stay_hold_ports(void **ctx)
{
    (void)ctx;
    assert_true(port_free(NODE("w", "") ON("w", "q", INIT("80", "")) POD(PORT("", "80"))));
    assert_false(port_free(NODE("w", "") ON("w", "q", INIT("80", ", restartPolicy: Always"))
                               POD(PORT("", "80"))));
    assert_true(port_free(NODE("w", "") ON("w", "q", PORT("", "80")) POD(INIT("80", ""))));
}

static void ended_pods_hold_no_ports(void **ctx)
{
    (void)ctx;
    assert_true(port_free(
        NODE("w", "") "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {nodeName: w, " PORT(
            "", "80") "}\nstatus: {phase: Failed}\n---\n" POD(PORT("", "80"))));
}

static void a_placed_pod_takes_its_ports(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_ports,
        NODE("w", "") "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {" PORT(
            "", "80") "}\n---\n" POD(PORT("", "80")));
    assert_true(passes(&a, "w"));
    stow_state_place(&a.state, pod_named(a.s, "q"), 0);
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    assert_string_equal(detail(&a), "port 80/TCP is taken by default/q");
    ask_end(&a);
}

/* ---- node-resources-fit ------------------------------------------------------------------ */

static void what_is_missing_is_told_in_numbers(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 4, memory: 8Gi, pods: 10") ON("w", "q", ASKS("cpu: 2500m"))
            POD(ASKS("cpu: 2, memory: 9Gi")));
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.count, 2);
    assert_string_equal(a.why.reason[0].text, "Insufficient cpu");
    assert_int_equal(a.why.reason[0].wanted, 2000);
    assert_int_equal(a.why.reason[0].free, 1500);
    assert_int_equal(a.why.reason[0].used, 2500);
    assert_int_equal(a.why.reason[0].capacity, 4000);
    assert_string_equal(a.why.reason[1].text, "Insufficient memory");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void a_full_node_can_be_helped(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 4, pods: 1") ON("w", "q", ASKS("cpu: 4")) POD(ASKS("cpu: 1")));
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.count, 2);
    assert_string_equal(a.why.reason[0].text, "Too many pods");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    ask_end(&a);
}

static void a_node_without_slots_is_not_unresolvable(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit, HAS("w", "cpu: 4") POD(""));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "Too many pods");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    ask_end(&a);
}

static void a_pod_that_asks_nothing_fits_an_overcommitted_node(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 1, pods: 10") ON("w", "q", ASKS("cpu: 2"))
            POD(ASKS("cpu: 0, example.com/a: 0, gpu: 7")));
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void a_resource_that_nobody_has_is_insufficient(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 1, pods: 10") POD(ASKS("example.com/unheard-of: 1")));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "Insufficient example.com/unheard-of");
    ask_end(&a);
}

static bool fits_ignoring(const char *option, const char *json, const char *amount)
{
    char *yaml = load_fill(HAS("w", "cpu: 1, pods: 10") POD(ASKS("@: 1")), amount);
    struct stow_err err = {0};
    struct asking a;

    ask_begin(&a, &stow_filter_node_resources_fit, yaml, NULL);
    assert_true(set_option(&a, option, json, &err) >= 0);
    ask_prepare(&a);
    bool yes = passes(&a, "w");

    ask_end(&a);
    free(yaml);
    return yes;
}

static void only_extended_resources_can_be_ignored(void **ctx)
{
    (void)ctx;
    assert_true(fits_ignoring("ignoredResources", "[\"a.io/x\", \"b.io/y\"]", "b.io/y"));
    assert_false(fits_ignoring("ignoredResources", "[\"b.io/y\"]", "b.io/z"));
    assert_false(fits_ignoring("ignoredResources", "[\"hugepages-2Mi\"]", "hugepages-2Mi"));
    assert_false(
        fits_ignoring("ignoredResources", "[\"kubernetes.io/thing\"]", "kubernetes.io/thing"));
    assert_true(fits_ignoring("ignoredResourceGroups", "[\"b.io\"]", "b.io/z"));
    assert_false(fits_ignoring("ignoredResourceGroups", "[\"b\"]", "b.io/z"));
    assert_false(fits_ignoring("ignoredResourceGroups", "null", "b.io/z"));
}

static void device_resources_count_only_where_a_node_lists_them(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_node_resources_fit,
              HAS("none", "pods: 10") HAS("few", "pods: 10, a.io/gpu: 1")
                  HAS("many", "pods: 10, a.io/gpu: 4") POD(ASKS("a.io/gpu: 2")),
              NULL);
    assert_true(set_option(&a, "deviceResources", "[\"a.io/gpu\"]", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "none"));
    assert_true(passes(&a, "many"));
    assert_false(passes(&a, "few"));
    ask_end(&a);
}

/* ---- the list ---------------------------------------------------------------------------- */

static void every_filter_is_found_by_its_name(void **ctx)
{
    (void)ctx;
    for (const struct stow_filter_rule *const *rule = stow_filters; *rule; rule++) {
        assert_ptr_equal(stow_filter_find(stow_str_of((*rule)->name)), *rule);
        assert_true((*rule)->summary && (*rule)->check && (*rule)->explain);
    }
    assert_null(stow_filter_find(STOW_STR("node")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cordoned_node_takes_nobody),
        cmocka_unit_test(a_toleration_of_the_cordon_lets_in),
        cmocka_unit_test(a_pod_that_names_a_node_goes_nowhere_else),
        cmocka_unit_test(only_the_hard_effects_keep_away),
        cmocka_unit_test(every_hard_taint_must_be_tolerated),
        cmocka_unit_test(an_empty_key_with_equal_compares_values),
        cmocka_unit_test(numbers_are_compared_only_when_asked_to),
        cmocka_unit_test(a_term_that_does_not_parse_matches_nothing),
        cmocka_unit_test(a_broken_term_does_not_spoil_the_others),
        cmocka_unit_test(an_empty_list_of_terms_matches_nothing),
        cmocka_unit_test(the_missing_label_is_named),
        cmocka_unit_test(pins_are_united_over_terms_and_cut_within_one),
        cmocka_unit_test(a_term_without_a_name_unpins),
        cmocka_unit_test(pins_that_conflict_refuse_the_pod),
        cmocka_unit_test(a_pin_to_a_node_that_is_not_there_is_no_conflict),
        cmocka_unit_test(added_affinity_counts_for_every_pod),
        cmocka_unit_test(added_affinity_that_does_not_parse_is_refused),
        cmocka_unit_test(ports_conflict_by_number_protocol_and_address),
        cmocka_unit_test(only_containers_that_stay_hold_ports),
        cmocka_unit_test(ended_pods_hold_no_ports),
        cmocka_unit_test(a_placed_pod_takes_its_ports),
        cmocka_unit_test(what_is_missing_is_told_in_numbers),
        cmocka_unit_test(a_full_node_can_be_helped),
        cmocka_unit_test(a_node_without_slots_is_not_unresolvable),
        cmocka_unit_test(a_pod_that_asks_nothing_fits_an_overcommitted_node),
        cmocka_unit_test(a_resource_that_nobody_has_is_insufficient),
        cmocka_unit_test(only_extended_resources_can_be_ignored),
        cmocka_unit_test(device_resources_count_only_where_a_node_lists_them),
        cmocka_unit_test(every_filter_is_found_by_its_name),
    };

    return cmocka_run_group_tests_name("place/filters", tests, NULL, NULL);
}
