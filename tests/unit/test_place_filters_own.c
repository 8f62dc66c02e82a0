/* Unit tests of the filters that kube-scheduler does not have: types of disks and networks,
 * durability, limits, interruptions, prices. */
#include "tests/unit/asking.h"

/* ---- disk-type, network-type, durability ------------------------------------------------- */

#define ANNOTATED(kind, name, key, value)                                                        \
    "apiVersion: v1\nkind: " kind "\nmetadata: {name: " name ", annotations: {" key ": \"" value \
    "\"}}\nspec: {}\n---\n"
#define DISKS                                              \
    ANNOTATED("Node", "ssd", "ultron.io/disk-type", "SSD") \
    LABELLED("labelled", "ultron.io/disk-type: SSD")       \
    ANNOTATED("Node", "hdd", "ultron.io/disk-type", "HDD") NODE("untyped", "")

static void a_named_type_must_be_the_nodes(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_disk_type, DISKS ANNOTATED("Pod", "p", "ultron.io/disk-type", "SSD"));
    assert_true(passes(&a, "ssd"));
    assert_true(passes(&a, "labelled"));
    assert_false(passes(&a, "hdd"));
    assert_string_equal(detail(&a), "wants SSD, the node has HDD");
    assert_false(passes(&a, "untyped"));
    assert_string_equal(detail(&a), "wants SSD, the node states none");
    ask_end(&a);
}

static void a_pod_that_names_no_type_goes_anywhere(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_disk_type, DISKS POD(""));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
    ask(&a, &stow_filter_network_type, DISKS ANNOTATED("Pod", "p", "ultron.io/network-type", ""));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
}

static void a_soft_type_never_filters(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_network_type,
              NODE("w", "") ANNOTATED("Pod", "p", "ultron.io/network-type", "isolated"), NULL);
    ask_prepare(&a);
    assert_false(passes(&a, "w"));
    assert_true(set_option(&a, "mode", "\"soft\"", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "w"));
    assert_true(set_option(&a, "mode", "\"maybe\"", &err) < 0);
    assert_mentions(err.msg, "hard");
    ask_end(&a);
}

#define CAPACITIES                                               \
    LABELLED("durable", "karpenter.sh/capacity-type: on-demand") \
    LABELLED("spot", "karpenter.sh/capacity-type: spot")

static void important_pods_stay_off_spot(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_durability,
        CAPACITIES ANNOTATED("Pod", "p", "ultron.io/workload-priority", "PriorityHigh"));
    assert_true(passes(&a, "durable"));
    assert_false(passes(&a, "spot"));
    assert_string_equal(reason(&a), "node(s) were not durable");
    ask_end(&a);
    ask_begin(&a, &stow_filter_durability, CAPACITIES POD("priority: 1000"), NULL);
    ask_prepare(&a);
    assert_true(passes(&a, "spot"));
    assert_true(set_option(&a, "priorityThreshold", "1000", &err) >= 0);
    ask_prepare(&a);
    assert_false(passes(&a, "spot"));
    ask_end(&a);
}

/* ---- limits ------------------------------------------------------------------------------ */

#define BOUND(requests, limits) \
    "containers: [{name: c, resources: {requests: {" requests "}, limits: {" limits "}}}]"
#define EIGHT HAS("w", "cpu: 8, memory: 8Gi, pods: 100")

static bool within_limits(const char *taken, const char *pods)
{
    char *yaml = load_fill(EIGHT "@", pods);
    struct stow_err err = {0};
    struct asking a;

    ask_begin(&a, &stow_filter_limits, yaml, NULL);
    assert_true(set_option(&a, "taken", taken, &err) >= 0);
    ask_prepare(&a);
    bool yes = passes(&a, "w");

    ask_end(&a);
    free(yaml);
    return yes;
}

static void limits_must_be_free_and_requests_are_what_is_taken(void **ctx)
{
    (void)ctx;
    assert_true(within_limits("\"requests\"", ON("w", "q", BOUND("cpu: 6", "cpu: 8"))
                                                  POD(BOUND("cpu: 1", "cpu: 2"))));
    assert_false(within_limits("\"requests\"", ON("w", "q", BOUND("cpu: 7", "cpu: 8"))
                                                   POD(BOUND("cpu: 1", "cpu: 2"))));
    assert_false(within_limits("\"limits\"", ON("w", "q", BOUND("cpu: 1", "cpu: 7"))
                                                 POD(BOUND("cpu: 1", "cpu: 2"))));
    assert_true(within_limits("\"limits\"", ON("w", "q", BOUND("cpu: 1", "cpu: 6"))
                                                POD(BOUND("cpu: 1", "cpu: 2"))));
}

static void a_limit_that_is_not_set_does_not_filter(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_limits, EIGHT POD(ASKS("cpu: 99")));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
    ask(&a, &stow_filter_limits, EIGHT POD(BOUND("cpu: 99", "memory: 8Gi")));
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void limits_add_up_like_requests(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_limits,
        EIGHT POD(
            "initContainers: [{name: s, restartPolicy: Always, resources: {limits: {cpu: 1}}}, "
            "{name: i, resources: {limits: {cpu: 9}}}], containers: [{name: c, resources: "
            "{limits: {cpu: 2}}}, {name: d, resources: {requests: {cpu: 1}}}], overhead: "
            "{cpu: 500m}"));
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.count, 1);
    assert_int_equal(a.why.reason[0].wanted, 10500);
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void on_the_basis_of_requests_the_filter_is_idle(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_limits, EIGHT POD(BOUND("cpu: 1", "cpu: 99")), NULL);
    assert_true(set_option(&a, "fitBasis", "\"requests\"", &err) >= 0);
    ask_prepare(&a);
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
}

/* ---- max-interruption, max-price --------------------------------------------------------- */

/* In order of names: durable, spot, unknown. */
#define THREE CAPACITIES LABELLED("unknown", "karpenter.sh/capacity-type: spot")

static const struct stow_node_money known[] = {
    {.price = 2500000000, .rate = 900000000, .capacity_type = STOW_CAPACITY_ON_DEMAND},
    {.price = 2500000001, .rate = 150000000, .capacity_type = STOW_CAPACITY_SPOT},
    {.price = STOW_MONEY_UNKNOWN, .rate = -1, .capacity_type = STOW_CAPACITY_SPOT},
};

static void interruptions_are_limited_on_spot_and_unknown_does_not_pass(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_max_interruption, THREE POD(""), known);
    assert_true(a.rule->check_options(a.self, &err) < 0);
    assert_mentions(err.msg, "rate");
    assert_true(set_option(&a, "rate", "0.15", &err) >= 0);
    assert_true(a.rule->check_options(a.self, &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "durable"));
    assert_true(passes(&a, "spot"));
    assert_false(passes(&a, "unknown"));
    assert_mentions(reason(&a), "not known");
    assert_true(set_option(&a, "rate", "0.149999999", &err) >= 0);
    assert_false(passes(&a, "spot"));
    assert_string_equal(reason(&a), "node(s) were interrupted too often");
    assert_string_equal(detail(&a), "0.15 per 30 days, at most 0.149999999");
    assert_true(set_option(&a, "rate", "15", &err) < 0);
    ask_end(&a);
}

static void prices_are_limited_and_unknown_does_not_pass(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_max_price, THREE POD(""), known);
    assert_true(a.rule->check_options(a.self, &err) < 0);
    assert_true(set_option(&a, "perHour", "\"2.50\"", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "durable"));
    assert_false(passes(&a, "spot"));
    assert_string_equal(reason(&a), "node(s) were too expensive");
    assert_string_equal(detail(&a), "2.500000001 per hour, at most 2.50");
    assert_false(passes(&a, "unknown"));
    assert_mentions(reason(&a), "not known");
    assert_true(set_option(&a, "perHour", "\"cheap\"", &err) < 0);
    ask_end(&a);
}

static void without_prices_nothing_is_known(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_max_price, THREE POD(""), NULL);
    assert_true(set_option(&a, "perHour", "100", &err) >= 0);
    ask_prepare(&a);
    assert_false(passes(&a, "durable"));
    ask_end(&a);
    ask_begin(&a, &stow_filter_max_interruption, THREE POD(""), NULL);
    assert_true(set_option(&a, "rate", "1", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "durable"));
    assert_false(passes(&a, "spot"));
    ask_end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_type_must_be_the_nodes),
        cmocka_unit_test(a_pod_that_names_no_type_goes_anywhere),
        cmocka_unit_test(a_soft_type_never_filters),
        cmocka_unit_test(important_pods_stay_off_spot),
        cmocka_unit_test(limits_must_be_free_and_requests_are_what_is_taken),
        cmocka_unit_test(a_limit_that_is_not_set_does_not_filter),
        cmocka_unit_test(limits_add_up_like_requests),
        cmocka_unit_test(on_the_basis_of_requests_the_filter_is_idle),
        cmocka_unit_test(interruptions_are_limited_on_spot_and_unknown_does_not_pass),
        cmocka_unit_test(prices_are_limited_and_unknown_does_not_pass),
        cmocka_unit_test(without_prices_nothing_is_known),
    };

    return cmocka_run_group_tests_name("place/filters_own", tests, NULL, NULL);
}
