/* Unit tests of the limits of an estimate. */
#include "tests/unit/unit.h"

#include "scale/rules/limit.h"

static void zero_is_no_limit_and_below_zero_is_nothing(void **ctx)
{
    (void)ctx;
    assert_int_equal(stow_limit_min(0, 0), 0);
    assert_int_equal(stow_limit_min(0, 7), 7);
    assert_int_equal(stow_limit_min(7, 0), 7);
    assert_int_equal(stow_limit_min(5, 10), 5);
    assert_int_equal(stow_limit_min(10, 5), 5);
    assert_int_equal(stow_limit_min(-10, 0), -1);
    assert_int_equal(stow_limit_min(3, -10), -1);
    assert_int_equal(stow_limit_min(-2, -3), -1);
}

static stow_node_limit room_of(const uint32_t *max, const uint32_t *target, uint32_t count)
{
    struct stow_size_room room = {0};

    for (uint32_t i = 0; i < count; i++)
        stow_size_room_add(&room, max[i], target[i]);
    return stow_limit_of_sizes(&room);
}

static void room_of_groups_is_added_up(void **ctx)
{
    const uint32_t max[] = {10, 10, 0, UINT32_MAX}, target[] = {4, 11, 5, 0};

    (void)ctx;
    assert_int_equal(room_of(max, target, 3), 6);
    assert_int_equal(room_of(max + 1, target + 1, 2), -1);
    assert_int_equal(room_of(max, target, 0), -1);
    assert_int_equal(room_of(max, target, 4), 0); /* the last one has no maximum */
}

static void the_cluster_has_a_limit_of_its_own(void **ctx)
{
    (void)ctx;
    assert_int_equal(stow_limit_of_cluster(10, 5), 5);
    assert_int_equal(stow_limit_of_cluster(0, 10), 0);
    assert_int_equal(stow_limit_of_cluster(10, 10), -1);
    assert_int_equal(stow_limit_of_cluster(5, 10), -1);
    assert_int_equal(stow_limit_of_cluster(-5, 0), -1);
}

static void a_limiter_without_limits_allows_everything(void **ctx)
{
    struct stow_limiter limiter = {0};

    (void)ctx;
    for (uint32_t i = 0; i < 5000; i++)
        assert_true(stow_limiter_allow(&limiter, INT64_MAX));
    assert_int_equal(limiter.added, 5000);
}

static void a_limiter_counts_what_it_allowed(void **ctx)
{
    struct stow_limiter limiter = {0};

    (void)ctx;
    stow_limiter_narrow(&limiter, 9, 0);
    stow_limiter_narrow(&limiter, 0, 60);
    stow_limiter_narrow(&limiter, 2, 90);
    stow_limiter_start(&limiter);
    assert_true(stow_limiter_allow(&limiter, 0));
    assert_true(stow_limiter_allow(&limiter, 60)); /* the limit itself is in time */
    assert_false(stow_limiter_allow(&limiter, 0));
    assert_int_equal(limiter.added, 2);
    stow_limiter_start(&limiter);
    assert_int_equal(limiter.added, 0);
    assert_false(stow_limiter_allow(&limiter, 61));
    assert_true(stow_limiter_allow(&limiter, 1));
}

static void one_threshold_that_allows_nothing_is_enough(void **ctx)
{
    struct stow_limiter time = {0}, nodes = {0};

    (void)ctx;
    stow_limiter_narrow(&time, 100, -1);
    stow_limiter_narrow(&time, 10, 3600);
    assert_false(stow_limiter_allow(&time, 0));
    stow_limiter_narrow(&nodes, -1, 0);
    stow_limiter_narrow(&nodes, 10, 0);
    assert_false(stow_limiter_allow(&nodes, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_no_limit_and_below_zero_is_nothing),
        cmocka_unit_test(room_of_groups_is_added_up),
        cmocka_unit_test(the_cluster_has_a_limit_of_its_own),
        cmocka_unit_test(a_limiter_without_limits_allows_everything),
        cmocka_unit_test(a_limiter_counts_what_it_allowed),
        cmocka_unit_test(one_threshold_that_allows_nothing_is_enough),
    };

    return cmocka_run_group_tests_name("scale/limit", tests, NULL, NULL);
}
