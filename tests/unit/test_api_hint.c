/* test_api_hint.c - hints name only options that exist. */
#include "tests/unit/load.h"

#include "api/hint.h"

static bool sound(const char *verb, const char *text)
{
    const struct stow_verb *path[STOW_VERB_DEPTH];
    uint32_t depth = stow_verb_path(verb, path);

    assert_true(depth > 0);
    return stow_hint_names_options(path, depth, text);
}

static void options_are_those_of_the_verb(void **ctx)
{
    (void)ctx;
    assert_true(sound("scale", "give more threads (--threads 4), or --compare=a,b"));
    assert_false(sound("inspect", "give more threads: --threads 4"));
    assert_false(sound("scale", "add --no-such-option"));
    assert_true(sound("scale", "split the input"));
    assert_true(sound("price list", "add --family m5"));
}

static void a_quoted_command_has_options_of_its_own(void **ctx)
{
    (void)ctx;
    assert_true(sound("inspect", "try: `stowage scale --threads 4`"));
    assert_false(sound("scale", "try: `stowage inspect --threads 4`"));
    assert_true(sound("price get", "`stowage price list --family m5` lists types"));
    assert_true(sound("price get", STOW_HINT_OTHER_PROGRAM "another --no-such-option"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_those_of_the_verb),
        cmocka_unit_test(a_quoted_command_has_options_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
