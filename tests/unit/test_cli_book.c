/* Unit tests of where the price book is. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "cli/book.h"

static void the_folder_is_found_by_option_then_environment(void **ctx)
{
    struct stow_cli_buf got = {0};

    (void)ctx;
    setenv("STOWAGE_BOOK", "/env", 1);
    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("HOME", "/home/x", 1);
    assert_int_equal(stow_cli_book_folder("/opt", &got, NULL), 1);
    assert_string_equal(got.ptr, "/opt");
    assert_int_equal(stow_cli_book_folder("none", &got, NULL), 0);
    assert_int_equal(stow_cli_book_folder(NULL, &got, NULL), 1);
    assert_string_equal(got.ptr, "/env");
    setenv("STOWAGE_BOOK", "none", 1);
    assert_int_equal(stow_cli_book_folder(NULL, &got, NULL), 0);
    unsetenv("STOWAGE_BOOK");
    assert_int_equal(stow_cli_book_folder(NULL, &got, NULL), 1);
    assert_string_equal(got.ptr, "/data/stowage");
    setenv("XDG_DATA_HOME", "relative", 1);
    assert_int_equal(stow_cli_book_folder(NULL, &got, NULL), 1);
    assert_string_equal(got.ptr, "/home/x/.local/share/stowage");
    unsetenv("HOME");
    assert_int_equal(stow_cli_book_folder(NULL, &got, NULL), 0);
    stow_cli_buf_done(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_is_found_by_option_then_environment),
    };

    return cmocka_run_group_tests_name("cli/book", tests, NULL, NULL);
}
