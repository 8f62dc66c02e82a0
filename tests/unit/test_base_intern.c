/* Unit tests of interning. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "base/intern.h"

static void equal_texts_get_equal_handles(void **ctx)
{
    struct stow_intern table = {0};
    const stow_sym web = stow_intern_text(&table, STOW_STR("web"));
    char again[] = {'w', 'e', 'b', '!'};

    (void)ctx;
    assert_int_equal(stow_intern_text(&table, (struct stow_str){again, 3}), web);
    assert_int_not_equal(stow_intern_text(&table, STOW_STR("web!")), web);
    stow_intern_done(&table);
}

static void handle_zero_is_the_empty_text_whatever_comes_first(void **ctx)
{
    struct stow_intern table = {0};

    (void)ctx;
    assert_int_not_equal(stow_intern_text(&table, STOW_STR("first")), 0);
    assert_int_equal(stow_intern_text(&table, STOW_STR("")), 0);
    assert_int_equal(stow_intern_blob(&table, NULL, 0), 0);
    assert_int_equal(stow_intern_get(&table, 0).len, 0);
    stow_intern_done(&table);
}

static void a_handle_gives_its_text_back_ended_by_nul(void **ctx)
{
    struct stow_intern table = {0};
    const stow_sym zone = stow_intern_text(&table, (struct stow_str){"eu-west-1a,rest", 10});

    (void)ctx;
    assert_text(stow_intern_get(&table, zone), "eu-west-1a");
    assert_string_equal(stow_intern_get(&table, zone).ptr, "eu-west-1a");
    stow_intern_done(&table);
}

static void a_handle_from_elsewhere_reads_as_empty(void **ctx)
{
    struct stow_intern table = {0};

    (void)ctx;
    assert_int_equal(stow_intern_get(&table, 77).len, 0);
    assert_int_equal(stow_intern_get(&table, STOW_INTERN_FAILED).len, 0);
    stow_intern_done(&table);
}

static void handles_and_bytes_survive_growth(void **ctx)
{
    struct stow_intern table = {0};
    stow_sym sym[5000];
    char text[32];

    (void)ctx;
    for (int i = 0; i < 5000; i++) {
        snprintf(text, sizeof(text), "pod-%d", i);
        sym[i] = stow_intern_text(&table, stow_str_of(text));
        assert_int_equal(sym[i], i + 1);
    }
    for (int i = 0; i < 5000; i++) {
        snprintf(text, sizeof(text), "pod-%d", i);
        assert_int_equal(stow_intern_text(&table, stow_str_of(text)), sym[i]);
        assert_text(stow_intern_get(&table, sym[i]), text);
    }
    assert_true(stow_intern_bytes(&table) > (size_t)5000 * 6);
    stow_intern_done(&table);
}

static void find_looks_without_adding(void **ctx)
{
    struct stow_intern table = {0};

    (void)ctx;
    assert_int_equal(stow_intern_find(&table, STOW_STR("web")), STOW_INTERN_FAILED);
    assert_int_equal(stow_intern_find(&table, STOW_STR("")), 0);

    const stow_sym web = stow_intern_text(&table, STOW_STR("web"));

    assert_int_equal(stow_intern_find(&table, STOW_STR("web")), web);
    assert_int_equal(stow_intern_find(&table, STOW_STR("api")), STOW_INTERN_FAILED);
    stow_intern_done(&table);
}

static void blobs_are_aligned_and_may_hold_any_bytes(void **ctx)
{
    struct stow_intern table = {0};
    const uint64_t pair[2] = {0, 7}, other[2] = {0, 8};
    const stow_blob first = stow_intern_blob(&table, pair, sizeof(pair));

    (void)ctx;
    stow_intern_text(&table, STOW_STR("x"));
    assert_int_not_equal(stow_intern_blob(&table, other, sizeof(other)), first);
    assert_int_equal(stow_intern_blob(&table, pair, sizeof(pair)), first);
    assert_int_equal((uintptr_t)stow_intern_get(&table, first).ptr % 8, 0);
    assert_memory_equal(stow_intern_get(&table, first).ptr, pair, sizeof(pair));
    stow_intern_done(&table);
}

static void the_hash_depends_on_every_byte_and_the_length(void **ctx)
{
    unsigned char bytes[70] = {0};

    (void)ctx;
    for (size_t len = 1; len < sizeof(bytes); len++) {
        const uint64_t before = stow_hash(bytes, len);

        assert_true(before != stow_hash(bytes, len - 1));
        for (size_t i = 0; i < len; i++) {
            bytes[i] = 1;
            assert_true(stow_hash(bytes, len) != before);
            bytes[i] = 0;
        }
    }
}

static void a_fork_knows_all_and_adds_for_itself(void **state)
{
    struct stow_intern table = {0}, fork, empty;
    char text[16];

    (void)state;
    assert_int_equal(stow_intern_fork(&table, &empty), 0); /* of nothing */
    assert_true(stow_intern_text(&empty, STOW_STR("a")) != STOW_INTERN_FAILED);
    for (int i = 0; i < 200; i++) {
        snprintf(text, sizeof(text), "text %d", i);
        assert_int_equal(stow_intern_text(&table, stow_str_of(text)), i + 1);
    }
    assert_int_equal(stow_intern_fork(&table, &fork), 0);
    assert_int_equal(stow_intern_text(&fork, STOW_STR("text 150")), 151);
    assert_int_equal(stow_intern_text(&fork, STOW_STR("only here")), 201);
    assert_true(stow_str_is(stow_intern_get(&fork, 7), "text 6"));
    assert_int_equal(stow_intern_find(&table, STOW_STR("only here")), STOW_INTERN_FAILED);
    assert_int_equal(stow_intern_text(&table, STOW_STR("only there")), 201);
    stow_intern_done(&fork);
    stow_intern_done(&empty);
    assert_true(stow_str_is(stow_intern_get(&table, 200), "text 199"));
    stow_intern_done(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_get_equal_handles),
        cmocka_unit_test(handle_zero_is_the_empty_text_whatever_comes_first),
        cmocka_unit_test(a_handle_gives_its_text_back_ended_by_nul),
        cmocka_unit_test(a_handle_from_elsewhere_reads_as_empty),
        cmocka_unit_test(handles_and_bytes_survive_growth),
        cmocka_unit_test(find_looks_without_adding),
        cmocka_unit_test(blobs_are_aligned_and_may_hold_any_bytes),
        cmocka_unit_test(the_hash_depends_on_every_byte_and_the_length),
        cmocka_unit_test(a_fork_knows_all_and_adds_for_itself),
    };

    return cmocka_run_group_tests_name("base/intern", tests, NULL, NULL);
}
