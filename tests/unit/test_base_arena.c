/* Unit tests of the arena. */
#include "tests/unit/unit.h"

#include "base/arena.h"

static void an_untouched_arena_holds_no_memory(void **ctx)
{
    struct stow_arena arena = {0};

    (void)ctx;
    assert_int_equal(arena.total_bytes, 0);
    stow_arena_reset(&arena);
    stow_arena_done(&arena);
}

static void allocations_are_aligned_even_after_text(void **ctx)
{
    struct stow_arena arena = {0};

    (void)ctx;
    for (size_t len = 0; len < 20; len++) {
        assert_non_null(stow_arena_text(&arena, (struct stow_str){"abcdefghijklmnopqrst", len}));
        assert_int_equal((uintptr_t)stow_arena_alloc(&arena, 1 + len) % 8, 0);
    }
    stow_arena_done(&arena);
}

static void text_is_copied_and_ended(void **ctx)
{
    struct stow_arena arena = {0};
    char source[] = "web-0";
    const char *kept = stow_arena_text(&arena, stow_str_of(source));

    (void)ctx;
    source[0] = 'x';
    assert_string_equal(kept, "web-0");
    assert_string_equal(stow_arena_text(&arena, (struct stow_str){NULL, 0}), "");
    stow_arena_done(&arena);
}

static void zalloc_clears_memory_used_before(void **ctx)
{
    struct stow_arena arena = {0};
    static const unsigned char zero[64];

    (void)ctx;
    memset(stow_arena_alloc(&arena, 64), 0xff, 64);
    stow_arena_reset(&arena);
    assert_memory_equal(stow_arena_zalloc(&arena, 64), zero, 64);
    stow_arena_done(&arena);
}

static void earlier_allocations_survive_growth(void **ctx)
{
    struct stow_arena arena = {0};
    int *number[2000];

    (void)ctx;
    for (int i = 0; i < 2000; i++) {
        number[i] = stow_arena_alloc(&arena, sizeof(int) * (size_t)(1 + i % 50));
        assert_non_null(number[i]);
        *number[i] = i;
    }
    for (int i = 0; i < 2000; i++)
        assert_int_equal(*number[i], i);
    stow_arena_done(&arena);
}

static void one_large_allocation_gets_its_own_chunk(void **ctx)
{
    struct stow_arena arena = {0};
    const size_t large = 5u << 20;
    char *made = stow_arena_alloc(&arena, large);

    (void)ctx;
    assert_non_null(made);
    memset(made, 1, large);
    assert_true(arena.total_bytes >= large);
    stow_arena_done(&arena);
    assert_int_equal(arena.total_bytes, 0);
}

static void an_impossible_size_is_refused(void **ctx)
{
    struct stow_arena arena = {0};

    (void)ctx;
    assert_non_null(stow_arena_alloc(&arena, 10));
    assert_null(stow_arena_alloc(&arena, SIZE_MAX));
    assert_null(stow_arena_alloc(&arena, SIZE_MAX - 16));
    assert_non_null(stow_arena_alloc(&arena, 10));
    stow_arena_done(&arena);
}

static void printf_takes_short_and_long_texts(void **ctx)
{
    struct stow_arena arena = {0};

    (void)ctx;
    assert_string_equal(stow_arena_printf(&arena, "%s/%d", "default", 7), "default/7");

    const char *wide = stow_arena_printf(&arena, "%*d", 1000, 42);

    assert_int_equal(strlen(wide), 1000);
    assert_string_equal(wide + 998, "42");
    stow_arena_done(&arena);
}

static void reset_keeps_one_chunk_for_the_next_round(void **ctx)
{
    struct stow_arena arena = {0};

    (void)ctx;
    for (int i = 0; i < 100; i++)
        assert_non_null(stow_arena_alloc(&arena, 1000));
    stow_arena_reset(&arena);

    const size_t kept = arena.total_bytes;

    assert_true(kept > 0);
    assert_non_null(stow_arena_alloc(&arena, 1000));
    assert_int_equal(arena.total_bytes, kept);
    stow_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_untouched_arena_holds_no_memory),
        cmocka_unit_test(allocations_are_aligned_even_after_text),
        cmocka_unit_test(text_is_copied_and_ended),
        cmocka_unit_test(zalloc_clears_memory_used_before),
        cmocka_unit_test(earlier_allocations_survive_growth),
        cmocka_unit_test(one_large_allocation_gets_its_own_chunk),
        cmocka_unit_test(an_impossible_size_is_refused),
        cmocka_unit_test(printf_takes_short_and_long_texts),
        cmocka_unit_test(reset_keeps_one_chunk_for_the_next_round),
    };

    return cmocka_run_group_tests_name("base/arena", tests, NULL, NULL);
}
