/* Unit tests of what may move: budgets as Kubernetes works them out. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include <stowage/snapshot.h>

#include "consolidate/movable.h"

/* So many pods of the app on a node, so many that wait, and a budget over them. */
static uint32_t allowed(uint32_t running, uint32_t pending, const char *spec, const char *status)
{
    char text[8192];
    int at = snprintf(text, sizeof(text),
                      "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}\n"
                      "{\"kind\":\"PodDisruptionBudget\",\"apiVersion\":\"policy/v1\",\"metadata\":"
                      "{\"name\":\"b\",\"namespace\":\"d\"},\"spec\":{%s,\"selector\":"
                      "{\"matchLabels\":{\"app\":\"a\"}}}%s}\n",
                      spec, status);
    struct stow_snapshot *s;
    struct stow_err err;
    uint32_t result;

    for (uint32_t i = 0; i < running + pending; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at,
                       "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p%u\","
                       "\"namespace\":\"d\",\"labels\":{\"app\":\"a\"}},\"spec\":{%s"
                       "\"containers\":[]}}\n",
                       i, i < running ? "\"nodeName\":\"n\"," : "");
    assert_true(stow_snapshot_load_text("t.json", text, (size_t)at, NULL, &s, &err) >= 0);
    assert_int_equal(s->budgets, 1);
    result = stow_budget_allows(s, &s->budget[0]);
    stow_snapshot_unref(s);
    return result;
}

static void a_number_that_must_stay_leaves_the_rest(void **ctx)
{
    (void)ctx;
    assert_int_equal(allowed(5, 0, "\"minAvailable\":2", ""), 3);
    assert_int_equal(allowed(2, 0, "\"minAvailable\":2", ""), 0);
    assert_int_equal(allowed(1, 0, "\"minAvailable\":2", ""), 0);
}

static void a_number_that_may_go_counts_those_that_are_not_there(void **ctx)
{
    (void)ctx;
    assert_int_equal(allowed(5, 0, "\"maxUnavailable\":2", ""), 2);
    assert_int_equal(allowed(5, 1, "\"maxUnavailable\":2", ""), 1);
    assert_int_equal(allowed(5, 2, "\"maxUnavailable\":2", ""), 0);
    assert_int_equal(allowed(3, 0, "\"maxUnavailable\":0", ""), 0);
}

static void shares_are_rounded_up_both_ways(void **ctx)
{
    (void)ctx;
    assert_int_equal(allowed(7, 0, "\"minAvailable\":\"50%\"", ""), 3);   /* 3.5: 4 must stay */
    assert_int_equal(allowed(7, 0, "\"maxUnavailable\":\"50%\"", ""), 4); /* 3.5: 4 may go */
    assert_int_equal(allowed(3, 0, "\"minAvailable\":\"100%\"", ""), 0);
    assert_int_equal(allowed(3, 0, "\"maxUnavailable\":\"1%\"", ""), 1);
}

static void the_status_comes_first(void **ctx)
{
    (void)ctx;
    assert_int_equal(allowed(5, 0, "\"minAvailable\":5", ",\"status\":{\"disruptionsAllowed\":3}"),
                     3);
    assert_int_equal(allowed(5, 0, "\"minAvailable\":1", ",\"status\":{\"disruptionsAllowed\":0}"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_must_stay_leaves_the_rest),
        cmocka_unit_test(a_number_that_may_go_counts_those_that_are_not_there),
        cmocka_unit_test(shares_are_rounded_up_both_ways),
        cmocka_unit_test(the_status_comes_first),
    };

    return cmocka_run_group_tests_name("scale/movable", tests, NULL, NULL);
}
