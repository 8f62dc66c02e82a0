/* Unit tests of linear programs. */
#include "tests/unit/unit.h"

#include "optimal/master/lp.h"

/* Cover 3 and 2 with columns (1, 0), (0, 1), (1, 1) at 2, 3, 4. */
static struct stow_lp *open_cover(void)
{
    static const double lower[] = {3, 2}, upper[] = {STOW_LP_INFINITY, STOW_LP_INFINITY};
    static const int start[] = {0, 1, 2, 4}, row[] = {0, 1, 0, 1};
    static const double value[] = {1, 1, 1, 1}, cost[] = {2, 3, 4};
    struct stow_lp *lp = stow_lp_new(2, lower, upper);

    assert_non_null(lp);
    assert_int_equal(
        stow_lp_add(lp,
                    &(struct stow_lp_columns){
                        .count = 3, .start = start, .row = row, .value = value, .cost = cost}),
        0);
    return lp;
}

static void the_optimum_and_its_prices_are_found(void **ctx)
{
    struct stow_lp *lp = open_cover();

    (void)ctx;
    assert_int_equal(stow_lp_solve(lp, 0), 1);
    assert_close(stow_lp_objective(lp), 10, 1e-9); /* two of the third, one of the first */
    assert_close(stow_lp_primal(lp)[0], 1, 1e-9);
    assert_close(stow_lp_primal(lp)[2], 2, 1e-9);
    assert_close(stow_lp_dual(lp)[0], 2, 1e-9);
    assert_close(stow_lp_dual(lp)[1], 2, 1e-9);
    assert_close(stow_lp_reduced(lp)[1], 1, 1e-9);
    stow_lp_free(lp);
}

static void columns_can_be_added_and_taken_out_of_use(void **ctx)
{
    struct stow_lp *lp = open_cover();
    const int start[] = {0, 2}, row[] = {0, 1};
    const double value[] = {3, 2}, cost[] = {5};

    (void)ctx;
    assert_int_equal(stow_lp_solve(lp, 0), 1);
    assert_int_equal(
        stow_lp_add(lp,
                    &(struct stow_lp_columns){
                        .count = 1, .start = start, .row = row, .value = value, .cost = cost}),
        0);
    assert_int_equal(stow_lp_solve(lp, 0), 1);
    assert_close(stow_lp_objective(lp), 5, 1e-9);
    assert_int_equal(stow_lp_set_upper(lp, 3, 0), 0);
    assert_int_equal(stow_lp_solve(lp, 0), 1);
    assert_close(stow_lp_objective(lp), 10, 1e-9);
    stow_lp_free(lp);
}

static void rows_can_be_changed_until_nothing_is_feasible(void **ctx)
{
    struct stow_lp *lp = open_cover();

    (void)ctx;
    assert_int_equal(stow_lp_set_row(lp, 0, 5, STOW_LP_INFINITY), 0);
    assert_int_equal(stow_lp_solve(lp, 0), 1);
    assert_close(stow_lp_objective(lp), 14, 1e-9);
    assert_int_equal(stow_lp_set_row(lp, 0, -STOW_LP_INFINITY, -1), 0);
    assert_int_equal(stow_lp_solve(lp, 0), 0);
    stow_lp_free(lp);
}

static void no_columns_is_no_solution(void **ctx)
{
    const double lower[] = {0}, upper[] = {1};
    struct stow_lp *lp = stow_lp_new(1, lower, upper);

    (void)ctx;
    assert_non_null(lp);
    assert_int_equal(stow_lp_solve(lp, 0), 0);
    stow_lp_free(lp);
    stow_lp_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_optimum_and_its_prices_are_found),
        cmocka_unit_test(columns_can_be_added_and_taken_out_of_use),
        cmocka_unit_test(rows_can_be_changed_until_nothing_is_feasible),
        cmocka_unit_test(no_columns_is_no_solution),
    };

    return cmocka_run_group_tests_name("optimal/lp", tests, NULL, NULL);
}
