/* Unit tests of the map of priorities: how it is read, what it matches, where it is refused. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scale/rules/priority.h"
#include "scale/rules/regex.h"
#include "tests/unit/load.h"

static struct stow_priorities *read_map(const char *text)
{
    struct stow_priorities *p = NULL;
    struct stow_err err = {0};

    if (stow_priorities_read(stow_str_of(text), &p, &err) < 0)
        fail_msg("%s: refused at %u:%u: %s", text, err.line, err.col, err.msg);
    return p;
}

#define NONE INT64_MIN

static int64_t match(const struct stow_priorities *p, const char *group)
{
    int64_t priority = NONE;
    int found = stow_priorities_match(p, stow_str_of(group), &priority, NULL);

    assert_in_range(found, 0, 1);
    assert_true(found == (priority != NONE));
    return priority;
}

static int64_t match_once(const char *map, const char *group)
{
    struct stow_priorities *p = read_map(map);
    const int64_t priority = match(p, group);

    stow_priorities_free(p);
    return priority;
}

/* Refused at "LINE:COLUMN" with a message that says so. */
static void refuse(const char *text, const char *place, const char *says)
{
    struct stow_priorities *p = NULL;
    struct stow_err err = {0};
    char got[32];

    assert_int_equal(stow_priorities_read(stow_str_of(text), &p, &err), STOW_EPARSE);
    assert_null(p);
    assert_string_equal(err.file, "");
    snprintf(got, sizeof(got), "%u:%u", err.line, err.col);
    if (strcmp(got, place) != 0 || !strstr(err.msg, says))
        fail_msg("%s\nexpected %s ... %s\ngot %s %s", text, place, says, got, err.msg);
}

static void expressions_are_searched_anywhere_in_the_name(void **ctx)
{
    struct stow_priorities *p = read_map("10:\n"
                                         "  - .*t2\\.large.*\n"
                                         "  - t3\\.large\n"
                                         "50:\n"
                                         "  - m4\\.4xlarge\n"
                                         "-7:\n"
                                         "  - ^exact$\n");

    (void)ctx;
    assert_int_equal(match(p, "my-asg.t2.large"), 10);
    assert_int_equal(match(p, "my-asg.t3.large"), 10);
    assert_int_equal(match(p, "my-asg.m4.4xlarge-x"), 50);
    assert_int_equal(match(p, "exact"), -7);
    assert_int_equal(match(p, "inexact"), NONE);
    assert_int_equal(match(p, ""), NONE);
    stow_priorities_free(p);
}

static void the_highest_of_several_matches_is_given(void **ctx)
{
    struct stow_priorities *p = read_map("{-3: [a], 7: [ab], 0: [abc], 5: [\"\"]}");

    (void)ctx;
    assert_int_equal(match(p, "abc"), 7);
    assert_int_equal(match(p, "zzz"), 5);
    stow_priorities_free(p);
}

static void keys_may_be_written_as_yaml_writes_integers(void **ctx)
{
    (void)ctx;
    assert_int_equal(match_once("0x10: [a]", "a"), 16);
    assert_int_equal(match_once("+5: [a]", "a"), 5);
    assert_int_equal(match_once("\"8\": [a]", "a"), 8);
    assert_int_equal(match_once("{\"-8\": [\"a\"]}", "a"), -8);
    assert_int_equal(match_once("9223372036854775807: [a]", "a"), INT64_MAX);
    assert_int_equal(match_once("-9223372036854775807: [a]", "a"), -INT64_MAX);
}

static void lists_may_be_empty_and_items_numbers(void **ctx)
{
    (void)ctx;
    assert_int_equal(match_once("{5: [], 3: [a]}", "a"), 3);
    assert_int_equal(match_once("5:\n3: [a]\n", "a"), 3);
    assert_int_equal(match_once("5: [42]", "node-42"), 5);
    assert_int_equal(match_once("{}", "a"), NONE);
}

static void keys_that_are_no_integers_are_refused(void **ctx)
{
    (void)ctx;
    refuse("10: [a]\nhigh: [b]\n", "2:1", "expected a whole number as priority (10, -5)");
    refuse("1.5: [a]", "1:1", "found '1.5'");
    refuse("true: [a]", "1:1", "found 'true'");
    refuse("9223372036854775808: [a]", "1:1", "whole number");
}

static void a_priority_given_twice_is_refused(void **ctx)
{
    (void)ctx;
    refuse("10: [a]\n5: [b]\n10: [c]\n", "3:1", "priority 10 is given twice, first in line 1");
    refuse("-4: [a]\n\"-4\": [b]\n", "2:1", "priority -4 is given twice");
}

static void what_is_no_list_of_texts_is_refused(void **ctx)
{
    (void)ctx;
    refuse("10: spot.*\n", "1:5", "expected a list");
    refuse("10: {a: b}\n", "1:5", "expected a list");
    refuse("10:\n  - [a]\n", "2:5", "expected");
    refuse("10:\n  - a\n  - yes\n", "3:5", "expected");
    refuse("10:\n  - a\n  -\n", "3:4", "expected");
    refuse("- 10\n- 20\n", "1:1", "expected an object");
    refuse("just a text", "1:1", "expected an object");
}

static void an_empty_text_is_refused(void **ctx)
{
    (void)ctx;
    refuse("", "1:1", "the map of priorities is empty");
    refuse("# nothing here\n", "1:1", "the map of priorities is empty");
    refuse("null\n", "1:1", "the map of priorities is empty");
    refuse("10: [a]\n---\n11: [b]\n", "3:1", "one map of priorities");
}

static void broken_yaml_is_refused_with_its_place(void **ctx)
{
    (void)ctx;
    refuse("10:\n  - \"open\n", "3:1", "malformed YAML");
    refuse("10:\n\t- a\n", "2:1", "malformed YAML");
}

static void expressions_that_re2_refuses_are_named(void **ctx)
{
    (void)ctx;
    refuse("10:\n  - fine\n20:\n  - a(?!b)\n", "4:5", "RE2 refuses the expression 'a(?!b)'");
    refuse("10: [\"(a)\\\\1\"]", "1:6", "invalid escape sequence: \\1");
    refuse("10: [\"*a\"]", "1:6", "no argument for repetition operator");
    refuse("10: [\"(a\"]", "1:6", "missing )");
    refuse("10: [\"a{2000}\"]", "1:6", "'a{2000}'");
    refuse("10: [\"((((a{99}){99}){99}){99})\"]", "1:6", "RE2 refuses");
}

static void any_byte_is_refused_as_in_go(void **ctx)
{
    (void)ctx;
    refuse("10: ['a\\C']", "1:6", "invalid escape sequence: \\C");
    refuse("10: ['\\Qx\\E\\C']", "1:6", "\\C");
    assert_int_equal(match_once("10: ['\\Q\\C\\E']", "x\\Cx"), 10);
    assert_int_equal(match_once("10: ['\\\\C']", "\\C"), 10);
    assert_int_equal(match_once("10: ['\\Q\\']", "a\\b"), 10);
}

static void long_expressions_are_refused(void **ctx)
{
    char *part = load_repeat("a", STOW_REGEX_MAX_TEXT + 1);
    char *text = load_fill("10: [@]", part);

    (void)ctx;
    refuse(text, "1:6", "longer than 65536 bytes");
    free(text);
    free(part);
}

static void maps_that_are_too_large_are_refused(void **ctx)
{
    char *text = load_repeat("# a comment line\n", 70000);
    struct stow_priorities *p = NULL;

    (void)ctx;
    assert_int_equal(stow_priorities_read(stow_str_of(text), &p, NULL), STOW_ELIMIT);
    free(text);
}

/* Time in proportion to the text: a back-tracking search would not come back. */
static void a_nasty_expression_does_not_take_ages(void **ctx)
{
    char *name = load_repeat("a", 5000);

    (void)ctx;
    assert_int_equal(match_once("10: ['(a*)*(a|aa)+(.*a){20}b$']", name), NONE);
    free(name);
}

static void names_may_hold_anything(void **ctx)
{
    struct stow_priorities *p = read_map("10: ['\xc3\xa4.$']");
    int64_t priority = 0;

    (void)ctx;
    assert_int_equal(match(p, "x\xc3\xa4\xc3\xb6"), 10);
    assert_int_equal(stow_priorities_match(p, (struct stow_str){"a\0\xff", 3}, &priority, NULL), 0);
    assert_int_equal(stow_priorities_match(p, (struct stow_str){NULL, 0}, &priority, NULL), 0);
    stow_priorities_free(p);
    stow_priorities_free(NULL);
}

/* Fills all memory that a process may have and leaves so many pages. */
static void leave_pages(size_t pages)
{
    static void *page[1 << 14];
    const struct rlimit limit = {64 << 20, 64 << 20};
    size_t count = 0;

    setrlimit(RLIMIT_AS, &limit);
    while (malloc(1 << 16)) /* cppcheck-suppress leakNoVarFunctionCall */
        continue;
    while (count < sizeof(page) / sizeof(page[0]) && (page[count] = malloc(4000)))
        count++;
    while (malloc(16)) /* cppcheck-suppress leakNoVarFunctionCall */
        continue;
    while (pages-- && count)
        free(page[--count]);
}

static int compile_with(size_t pages)
{
    static const char text[] = "(a(b(c|d)*e)+f)?|\\p{Greek}+|[^x-z]|abcde|abcdf|x{50}";
    struct stow_regex *regex = NULL;
    char why[128];

    leave_pages(pages);
    return (int)stow_regex_new(text, sizeof(text) - 1, &regex, why, sizeof(why));
}

/* In processes of their own.  The sanitizers need more addresses than such a process has. */
static void without_memory_nothing_ends_the_process(void **ctx)
{
    (void)ctx;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    for (size_t pages = 0; pages < 64; pages++) {
        int status = -1;
        const pid_t child = fork();

        if (child == 0)
            _exit(compile_with(pages));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_in_range(WEXITSTATUS(status), STOW_REGEX_OK, STOW_REGEX_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_searched_anywhere_in_the_name),
        cmocka_unit_test(the_highest_of_several_matches_is_given),
        cmocka_unit_test(keys_may_be_written_as_yaml_writes_integers),
        cmocka_unit_test(lists_may_be_empty_and_items_numbers),
        cmocka_unit_test(keys_that_are_no_integers_are_refused),
        cmocka_unit_test(a_priority_given_twice_is_refused),
        cmocka_unit_test(what_is_no_list_of_texts_is_refused),
        cmocka_unit_test(an_empty_text_is_refused),
        cmocka_unit_test(broken_yaml_is_refused_with_its_place),
        cmocka_unit_test(expressions_that_re2_refuses_are_named),
        cmocka_unit_test(any_byte_is_refused_as_in_go),
        cmocka_unit_test(long_expressions_are_refused),
        cmocka_unit_test(maps_that_are_too_large_are_refused),
        cmocka_unit_test(a_nasty_expression_does_not_take_ages),
        cmocka_unit_test(names_may_hold_anything),
        cmocka_unit_test(without_memory_nothing_ends_the_process),
    };

    return cmocka_run_group_tests_name("scale/priority", tests, NULL, NULL);
}
