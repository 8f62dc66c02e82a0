/* Unit tests of what scaling reads of a Policy. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scale/policy.h"

static struct stow_scale_policy got;
static struct stow_err err;

#define POLICY(name, spec) \
    "apiVersion: stowage.dev/v1alpha1\nkind: Policy\nmetadata: {name: " name "}\nspec:\n" spec

static int read_named(const char *text, const char *name)
{
    char path[] = "/tmp/stowage-policy-XXXXXX";
    int file = mkstemp(path);
    size_t len = strlen(text);

    assert_true(file >= 0);
    assert_true(write(file, text, len) == (ssize_t)len);
    close(file);
    stow_scale_policy_done(&got);
    memset(&err, 0, sizeof(err));
    int code = stow_scale_policy_read(path, name, &got, &err);

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

static void refuse(const char *text, const char *phrase)
{
    assert_int_equal(read_named(text, NULL), STOW_EPARSE);
    assert_mentions(err.msg, phrase);
    assert_true(err.line > 0 && err.col > 0);
    assert_int_equal(got.weights, 0);
}

static int done(void **ctx)
{
    (void)ctx;
    stow_scale_policy_done(&got);
    return 0;
}

static void a_policy_that_says_nothing_leaves_the_defaults(void **ctx)
{
    (void)ctx;
    accept(POLICY("p", "  profile: kube-default\n"));
    assert_false(got.price_proposal);
    assert_int_equal(got.nru_rules, STOW_NRU_DOCUMENT);
    assert_int_equal(got.nru_scorer, STOW_NRU_LEAST_COST);
    assert_int_equal(got.weights, 0);
}

static void both_sections_are_read(void **ctx)
{
    (void)ctx;
    accept(POLICY("p",
                  "  price: {rules: proposal}\n"
                  "  nru: {rules: pr158, scorer: least-waste,\n"
                  "        weights: {memory: 0.5 per GiB, cpu: 6 per core,\n"
                  "                  nvidia.com/gpu: 1e2/device, hugepages-2Mi: 3 per byte}}\n"));
    assert_true(got.price_proposal);
    assert_int_equal(got.nru_rules, STOW_NRU_PR158);
    assert_int_equal(got.nru_scorer, STOW_NRU_LEAST_WASTE);
    assert_int_equal(got.weights, 4);
    assert_string_equal(got.weight[0].resource, "cpu");
    assert_int_equal(got.weight[0].unit, STOW_NRU_CORE);
    assert_string_equal(got.weight[1].resource, "hugepages-2Mi");
    assert_string_equal(got.weight[2].resource, "memory");
    assert_int_equal(got.weight[2].nano, 500000000);
    assert_int_equal(got.weight[2].unit, STOW_NRU_GIB);
    assert_true(got.weight[3].nano == INT64_C(100000000000));
}

static void a_weight_without_a_unit_is_told_which_one_is_missing(void **ctx)
{
    (void)ctx;
    refuse(POLICY("p", "  nru: {weights: {cpu: 6}}\n"), "has no unit; expected, for instance, "
                                                        "'6 per core'");
    refuse(POLICY("p", "  nru: {weights: {memory: \"1\"}}\n"), "'1 per GiB'");
    refuse(POLICY("p", "  nru: {weights: {memory: 1 per}}\n"), "has no unit");
}

static void a_unit_must_fit_its_resource(void **ctx)
{
    (void)ctx;
    refuse(POLICY("p", "  nru: {weights: {cpu: 6 per GiB}}\n"), "cpu is not measured per 'GiB'");
    refuse(POLICY("p", "  nru: {weights: {memory: 1 per core}}\n"), "'per GiB' or 'per byte'");
    refuse(POLICY("p", "  nru: {weights: {nvidia.com/gpu: 1 per byte}}\n"), "'per device'");
    refuse(POLICY("p", "  nru: {weights: {memory: 1 per gib}}\n"), "per 'gib'");
    refuse(POLICY("p", "  nru: {weights: {pods: 1 per device}}\n"), "pods cannot be weighed");
}

static void a_weight_is_an_exact_decimal_within_limits(void **ctx)
{
    (void)ctx;
    refuse(POLICY("p", "  nru: {weights: {cpu: -1 per core}}\n"), "is not a weight");
    refuse(POLICY("p", "  nru: {weights: {cpu: six per core}}\n"), "is not a weight");
    refuse(POLICY("p", "  nru: {weights: {cpu: 0.0000000001 per core}}\n"), "nine decimals");
    refuse(POLICY("p", "  nru: {weights: {cpu: 1000000001 per core}}\n"), "is not a weight");
    accept(POLICY("p", "  nru: {weights: {cpu: 1000000000 per core, memory: 0 per GiB}}\n"));
    assert_true(got.weight[0].nano == STOW_NRU_NANO_MAX);
}

static void unknown_words_are_refused_with_those_that_are_known(void **ctx)
{
    (void)ctx;
    refuse(POLICY("p", "  price: {rules: old}\n"), "expected current, proposal");
    refuse(POLICY("p", "  nru: {rules: poc}\n"), "expected document, main, pr158");
    refuse(POLICY("p", "  nru: {scorer: cheapest}\n"), "expected least-cost, least-waste");
    refuse(POLICY("p", "  nru: {weight: {}}\n"), "weight");
    refuse(POLICY("p", "  price: {rule: current}\n"), "rule");
}

static void a_policy_has_the_sections_of_the_one_it_starts_from(void **ctx)
{
    static const char two[] =
        POLICY("child",
               "  profile: parent\n  nru: {scorer: least-waste,\n"
               "        weights: {cpu: 5 per core}}\n") "---\n" POLICY("parent",
                                                                       "  profile: kube-default\n  "
                                                                       "price: {rules: proposal}\n"
                                                                       "  nru: {rules: main, "
                                                                       "weights: {cpu: 7 per core, "
                                                                       "memory: 2 per GiB}}\n");

    (void)ctx;
    assert_int_equal(read_named(two, "child"), STOW_OK);
    assert_true(got.price_proposal);
    assert_int_equal(got.nru_rules, STOW_NRU_MAIN);
    assert_int_equal(got.nru_scorer, STOW_NRU_LEAST_WASTE);
    assert_int_equal(got.weights, 2);
    assert_true(got.weight[0].nano == INT64_C(5000000000));
    assert_true(got.weight[1].nano == INT64_C(2000000000));
    assert_int_equal(read_named(two, "parent"), STOW_OK);
    assert_int_equal(got.nru_scorer, STOW_NRU_LEAST_COST);
    refuse(two, "say which one");
    assert_int_equal(read_named(two, "nobody"), STOW_EPARSE);
}

static void a_policy_that_starts_from_itself_is_refused(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        read_named(POLICY("a", "  profile: b\n") "---\n" POLICY("b", "  profile: a\n"), "a"),
        STOW_EPARSE);
    assert_mentions(err.msg, "starts from itself");
}

static void a_scheduler_configuration_has_neither_section(void **ctx)
{
    (void)ctx;
    accept("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
    assert_false(got.price_proposal);
    assert_int_equal(got.weights, 0);
}

static void policies_in_lists_are_found(void **ctx)
{
    (void)ctx;
    accept("apiVersion: v1\nkind: List\nitems:\n- apiVersion: stowage.dev/v1alpha1\n"
           "  kind: Policy\n  metadata: {name: p}\n  spec: {price: {rules: proposal}}\n");
    assert_true(got.price_proposal);
}

static void standard_input_is_refused(void **ctx)
{
    struct stow_scale_policy policy;

    (void)ctx;
    assert_int_equal(stow_scale_policy_read("-", NULL, &policy, &err), STOW_EINVAL);
}

static void weights_of_the_command_line_replace_those_of_the_policy(void **ctx)
{
    (void)ctx;
    accept(POLICY("p", "  nru: {weights: {cpu: 6 per core}}\n"));
    assert_int_equal(stow_scale_policy_weigh(&got, STOW_STR("cpu=9/core"), &err), STOW_OK);
    assert_int_equal(stow_scale_policy_weigh(&got, STOW_STR("memory=0.25 per GiB"), &err), STOW_OK);
    assert_int_equal(got.weights, 2);
    assert_true(got.weight[0].nano == INT64_C(9000000000));
    assert_int_equal(got.weight[1].nano, 250000000);
    assert_true(stow_scale_policy_weigh(&got, STOW_STR("cpu"), &err) < 0);
    assert_mentions(err.msg, "RESOURCE=NUMBER/UNIT");
    assert_true(stow_scale_policy_weigh(&got, STOW_STR("=6/core"), &err) < 0);
    assert_true(stow_scale_policy_weigh(&got, STOW_STR("cpu=6"), &err) < 0);
    assert_mentions(err.msg, "6 per core");
    assert_int_equal(got.weights, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_policy_that_says_nothing_leaves_the_defaults, done),
        cmocka_unit_test_teardown(both_sections_are_read, done),
        cmocka_unit_test_teardown(a_weight_without_a_unit_is_told_which_one_is_missing, done),
        cmocka_unit_test_teardown(a_unit_must_fit_its_resource, done),
        cmocka_unit_test_teardown(a_weight_is_an_exact_decimal_within_limits, done),
        cmocka_unit_test_teardown(unknown_words_are_refused_with_those_that_are_known, done),
        cmocka_unit_test_teardown(a_policy_has_the_sections_of_the_one_it_starts_from, done),
        cmocka_unit_test_teardown(a_policy_that_starts_from_itself_is_refused, done),
        cmocka_unit_test_teardown(a_scheduler_configuration_has_neither_section, done),
        cmocka_unit_test_teardown(policies_in_lists_are_found, done),
        cmocka_unit_test_teardown(standard_input_is_refused, done),
        cmocka_unit_test_teardown(weights_of_the_command_line_replace_those_of_the_policy, done),
    };

    return cmocka_run_group_tests_name("scale/policy", tests, NULL, NULL);
}
