/* Unit tests of the table of failures. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include <stowage/error.h>

static void fail_hands_the_code_back_and_records_the_sentence(void **ctx)
{
    struct stow_err err = {.line = 9, .col = 9, .file = "old"};

    (void)ctx;
    assert_int_equal(stow_fail(&err, STOW_EPARSE, "expected %s", "a number"), STOW_EPARSE);
    assert_int_equal(err.code, STOW_EPARSE);
    assert_string_equal(err.msg, "expected a number");
    assert_int_equal(err.line, 0);
    assert_string_equal(err.file, "");
}

static void no_place_for_the_message_is_fine(void **ctx)
{
    (void)ctx;
    assert_int_equal(stow_fail(NULL, STOW_EIO, "unread"), STOW_EIO);
    assert_int_equal(stow_wrap(NULL, STOW_EIO, "unread"), STOW_EIO);
    assert_int_equal(stow_fail_memory(NULL), STOW_ENOMEM);
}

static void wrap_puts_the_context_in_front(void **ctx)
{
    struct stow_err err;

    (void)ctx;
    stow_fail(&err, STOW_EPARSE, "expected a number");
    assert_int_equal(stow_wrap(&err, STOW_EPARSE, "pod %s", "web-0"), STOW_EPARSE);
    assert_string_equal(err.msg, "pod web-0: expected a number");
}

static void a_message_that_is_too_long_is_cut_not_overrun(void **ctx)
{
    struct stow_err err;

    (void)ctx;
    stow_fail(&err, STOW_EPARSE, "%*d", 4000, 1);
    assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
    stow_wrap(&err, STOW_EPARSE, "%*d", 4000, 1);
    assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
    stow_wrap(&err, STOW_EPARSE, "context");
    assert_int_equal(strncmp(err.msg, "context: ", 9), 0);
    assert_true(strlen(err.msg) < sizeof(err.msg));
}

static void format_shows_the_parts_that_are_known(void **ctx)
{
    struct stow_err err;
    char text[128];

    (void)ctx;
    stow_fail(&err, STOW_EPARSE, "expected a number");
    stow_err_format(&err, text, sizeof(text));
    assert_string_equal(text, "expected a number");
    snprintf(err.file, sizeof(err.file), "pods.yaml");
    stow_err_format(&err, text, sizeof(text));
    assert_string_equal(text, "pods.yaml: expected a number");
    err.line = 3;
    err.col = 7;
    stow_err_format(&err, text, sizeof(text));
    assert_string_equal(text, "pods.yaml:3:7: expected a number");
    stow_err_format(&err, text, 8);
    assert_string_equal(text, "pods.ya");
}

static void every_code_has_a_text_and_an_exit_status(void **ctx)
{
    (void)ctx;
#define CHECK(name, code, exit, http, grpc, text)      \
    assert_string_equal(stow_code_text(name), text);   \
    assert_int_equal(stow_code_exit(name), exit);      \
    assert_int_equal(stow_code_http(name), http);      \
    assert_int_equal(stow_code_grpc(name), grpc);      \
    assert_true(((name) == STOW_OK) == ((exit) == 0)); \
    assert_true((exit) >= 0 && (exit) <= 4);
    STOW_CODES(CHECK)
#undef CHECK
}

static void an_unknown_code_is_never_a_success(void **ctx)
{
    (void)ctx;
    assert_int_not_equal(stow_code_exit(-1000), 0);
    assert_int_not_equal(stow_code_http(-1000), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_hands_the_code_back_and_records_the_sentence),
        cmocka_unit_test(no_place_for_the_message_is_fine),
        cmocka_unit_test(wrap_puts_the_context_in_front),
        cmocka_unit_test(a_message_that_is_too_long_is_cut_not_overrun),
        cmocka_unit_test(format_shows_the_parts_that_are_known),
        cmocka_unit_test(every_code_has_a_text_and_an_exit_status),
        cmocka_unit_test(an_unknown_code_is_never_a_success),
    };

    return cmocka_run_group_tests_name("base/error", tests, NULL, NULL);
}
