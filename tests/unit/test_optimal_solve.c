/* Unit tests of whole problems whose answer is known. */
#include "tests/unit/unit.h"

#include <string.h>

#include "optimal/solve.h"

static struct stow_solution solve(const struct stow_problem *p, const struct stow_packing *start)
{
    struct stow_solve_options options = {.threads = 2, .start = start, .starts = start ? 1 : 0};
    struct stow_solution s;
    struct stow_err err;

    assert_int_equal(stow_solve(p, &options, &s, &err), 0);
    return s;
}

/* Three pods of 2 cores and 8 GiB; 72 for a node of two, 120 for a node of four. */
static const int64_t web[] = {2000, 8192, 1}, np1[] = {4000, 16384, 110},
                     np2[] = {8000, 32768, 110};
static const struct stow_problem_class webs[] = {{.need = web, .count = 3}};
static const struct stow_problem_kind pools[] = {
    {.capacity = np1, .price = INT64_C(72000000000), .most = STOW_PROBLEM_UNLIMITED},
    {.capacity = np2, .price = INT64_C(120000000000), .most = STOW_PROBLEM_UNLIMITED},
};

static void one_large_node_beats_two_small_ones_and_it_is_proved(void **ctx)
{
    struct stow_problem p = {.dims = 3, .classes = 1, .kinds = 2, .class = webs, .kind = pools};
    struct stow_solution s = solve(&p, NULL);

    (void)ctx;
    assert_int_equal(s.plan.loads, 1);
    assert_int_equal(s.plan.load[0].kind, 1);
    assert_int_equal(s.cost, INT64_C(120000000000));
    assert_int_equal(s.bound, s.cost);
    assert_true(s.all && s.settled && s.gap == 0);
    stow_solution_done(&s);
}

static void a_start_that_is_the_best_is_kept(void **ctx)
{
    struct stow_problem p = {.dims = 3, .classes = 1, .kinds = 2, .class = webs, .kind = pools};
    struct stow_packing start = {0};
    const struct stow_term term = {0, 3};

    (void)ctx;
    assert_int_equal(stow_packing_add(&start, 1, 1, &term, 1), 0);

    struct stow_solution s = solve(&p, &start);

    assert_int_equal(s.cost, INT64_C(120000000000));
    stow_solution_done(&s);
    stow_packing_done(&start);
}

static void pods_of_a_higher_priority_come_first(void **ctx)
{
    const struct stow_problem_class classes[] = {{.need = web, .count = 2, .priority = 0},
                                                 {.need = web, .count = 2, .priority = 100}};
    struct stow_problem_kind few[] = {pools[0]};

    (void)ctx;
    few[0].most = 1;

    struct stow_problem p = {.dims = 3, .classes = 2, .kinds = 1, .class = classes, .kind = few};
    struct stow_solution s = solve(&p, NULL);

    assert_int_equal(s.left[0], 2);
    assert_int_equal(s.left[1], 0);
    assert_false(s.all);
    stow_solution_done(&s);
}

static void what_fits_nowhere_is_said_to_fit_nowhere(void **ctx)
{
    const int64_t huge[] = {64000, 1, 1};
    const struct stow_problem_class classes[] = {{.need = huge, .count = 5},
                                                 {.need = web, .count = 1}};
    struct stow_problem p = {.dims = 3, .classes = 2, .kinds = 2, .class = classes, .kind = pools};
    struct stow_solution s = solve(&p, NULL);

    (void)ctx;
    assert_true(s.nowhere[0] && !s.nowhere[1] && s.all);
    assert_int_equal(s.left[0], 5);
    assert_int_equal(s.cost, INT64_C(72000000000));
    stow_solution_done(&s);
}

static void a_resource_not_asked_for_never_limits(void **ctx)
{
    const int64_t plain[] = {1000, 0}, node[] = {4000, -5};
    const struct stow_problem_class classes[] = {{.need = plain, .count = 8}};
    const struct stow_problem_kind kinds[] = {
        {.capacity = node, .price = 10, .most = STOW_PROBLEM_UNLIMITED}};
    struct stow_problem p = {.dims = 2, .classes = 1, .kinds = 1, .class = classes, .kind = kinds};
    struct stow_solution s = solve(&p, NULL);

    (void)ctx;
    assert_int_equal(s.cost, 20);
    assert_int_equal(s.bound, 20);
    stow_solution_done(&s);
}

static void nothing_to_place_costs_nothing(void **ctx)
{
    struct stow_problem p = {.dims = 3, .kinds = 2, .kind = pools};
    struct stow_solution s = solve(&p, NULL);

    (void)ctx;
    assert_int_equal(s.plan.loads, 0);
    assert_int_equal(s.cost, 0);
    stow_solution_done(&s);
}

#define RING 200

/* Classes on a ring: each asks for one of the resource that it shares with the one before, and one
 * of that which it shares with the next.  A node has one of each, so two neighbours do not fit. */
static int solve_ring(uint32_t resources, struct stow_solution *s, struct stow_err *err)
{
    static int64_t need[RING][RING], capacity[RING];
    static struct stow_problem_class class[RING];
    const struct stow_problem_kind kind = {
        .capacity = capacity, .price = 1000000000, .most = STOW_PROBLEM_UNLIMITED};
    const struct stow_problem p = {
        .dims = resources, .classes = resources, .kinds = 1, .class = class, .kind = &kind};
    const struct stow_solve_options options = {.threads = 1};

    memset(need, 0, sizeof(need));
    for (uint32_t k = 0; k < resources; k++) {
        need[k][k] = need[k][(k + 1) % resources] = capacity[k] = 1;
        class[k] = (struct stow_problem_class){.need = need[k], .count = 1};
    }
    return stow_solve(&p, &options, s, err);
}

static void many_resources_can_run_out(void **ctx)
{
    static const uint32_t even[] = {4, 14, 16, 40, 126};
    struct stow_solution s;
    struct stow_err err;

    (void)ctx;
    for (size_t i = 0; i < sizeof(even) / sizeof(even[0]); i++) {
        assert_int_equal(solve_ring(even[i], &s, &err), 0);
        assert_true(s.all);
        assert_int_equal(s.cost, 2000000000);
        assert_int_equal(s.bound, 2000000000);
        stow_solution_done(&s);
    }
    assert_int_equal(solve_ring(RING, &s, &err), STOW_ELIMIT);
    assert_non_null(strstr(err.msg, "can run out"));
}

static void wrong_problems_are_refused(void **ctx)
{
    struct stow_problem_kind bad[] = {pools[0]};
    struct stow_problem p = {.dims = 3, .classes = 1, .kinds = 1, .class = webs, .kind = bad};
    struct stow_solve_options options = {0};
    struct stow_solution s;
    struct stow_err err;

    (void)ctx;
    bad[0].price = -1;
    assert_int_equal(stow_solve(&p, &options, &s, &err), STOW_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_large_node_beats_two_small_ones_and_it_is_proved),
        cmocka_unit_test(a_start_that_is_the_best_is_kept),
        cmocka_unit_test(pods_of_a_higher_priority_come_first),
        cmocka_unit_test(what_fits_nowhere_is_said_to_fit_nowhere),
        cmocka_unit_test(a_resource_not_asked_for_never_limits),
        cmocka_unit_test(nothing_to_place_costs_nothing),
        cmocka_unit_test(many_resources_can_run_out),
        cmocka_unit_test(wrong_problems_are_refused),
    };

    return cmocka_run_group_tests_name("optimal/solve", tests, NULL, NULL);
}
