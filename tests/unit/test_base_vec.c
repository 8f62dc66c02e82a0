/* Unit tests of growing arrays. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"

struct list {
    int64_t *number;
    uint32_t numbers, number_cap;
};

static void pushed_elements_are_cleared_and_kept(void **ctx)
{
    struct list list = {0};

    (void)ctx;
    for (int64_t i = 0; i < 1000; i++) {
        int64_t *made = STOW_PUSH(&list.number, &list.numbers, &list.number_cap);

        assert_non_null(made);
        assert_int_equal(*made, 0);
        *made = i;
    }
    assert_int_equal(list.numbers, 1000);
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(list.number[i], i);
    free(list.number);
}

static void reserve_makes_room_once(void **ctx)
{
    struct list list = {0};

    (void)ctx;
    assert_int_equal(stow_vec_reserve(&list.number, &list.number_cap, 100, sizeof(int64_t)), 0);
    assert_true(list.number_cap >= 100);

    const int64_t *before = list.number;

    assert_int_equal(stow_vec_reserve(&list.number, &list.number_cap, 50, sizeof(int64_t)), 0);
    assert_ptr_equal(list.number, before);
    free(list.number);
}

static void growth_that_fails_changes_nothing(void **ctx)
{
    struct list list = {0};

    (void)ctx;
    assert_non_null(STOW_PUSH(&list.number, &list.numbers, &list.number_cap));

    const int64_t *before = list.number;
    const uint32_t cap = list.number_cap;

    assert_true(stow_vec_reserve(&list.number, &list.number_cap, UINT32_MAX, SIZE_MAX / 2) < 0);
    assert_ptr_equal(list.number, before);
    assert_int_equal(list.number_cap, cap);
    free(list.number);
}

static void a_full_count_is_refused(void **ctx)
{
    int64_t *number = NULL;
    uint32_t numbers = UINT32_MAX, cap = UINT32_MAX;

    (void)ctx;
    assert_null(STOW_PUSH(&number, &numbers, &cap));
    assert_true(numbers == UINT32_MAX);
}

static char *made_and_handed_over(void)
{
    STOW_AUTO(stow_free_local) char *text = malloc(8);

    assert_non_null(text);
    memcpy(text, "kept", 5);
    return stow_take(&text);
}

static void take_hands_a_local_over_and_cleanup_frees_the_rest(void **ctx)
{
    char *text = made_and_handed_over();
    STOW_AUTO(stow_free_local) char *dropped = malloc(8); /* the leak checker watches */

    (void)ctx;
    assert_string_equal(text, "kept");
    assert_non_null(dropped);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushed_elements_are_cleared_and_kept),
        cmocka_unit_test(reserve_makes_room_once),
        cmocka_unit_test(growth_that_fails_changes_nothing),
        cmocka_unit_test(a_full_count_is_refused),
        cmocka_unit_test(take_hands_a_local_over_and_cleanup_frees_the_rest),
    };

    return cmocka_run_group_tests_name("base/vec", tests, NULL, NULL);
}
