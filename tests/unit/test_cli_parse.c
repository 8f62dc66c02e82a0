/* Unit tests of the command line parser: what is taken, what is refused, what is suggested. */
#include "tests/unit/unit.h"

#include "tests/unit/test_cli_verbs.h"

static struct stow_cli cli;
static struct stow_err err;

static int run_inspect(struct stow_cli *c, struct stow_err *e)
{
    (void)c;
    (void)e;
    return STOW_OK;
}

static int run_list(struct stow_cli *c, struct stow_err *e)
{
    (void)c;
    (void)e;
    return STOW_OK;
}

static int start(void **ctx)
{
    (void)ctx;
    cli = (struct stow_cli){.verbs = test_verbs, .results = stdout, .messages = stderr};
    err = (struct stow_err){0};
    return 0;
}

static int finish(void **ctx)
{
    (void)ctx;
    stow_cli_done(&cli);
    return 0;
}

/* Parses words given as one text, separated by blanks. */
static int parse(const char *line)
{
    static char copy[512];
    const char *word[32];
    int words = 0;

    finish(NULL);
    start(NULL);
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *at = strtok(copy, " "); at && words < 32; at = strtok(NULL, " "))
        word[words++] = at;
    return stow_cli_parse(&cli, words, word, &err);
}

static void refused(const char *line, const char *message, const char *hint)
{
    assert_int_equal(parse(line), STOW_EINVAL);
    assert_string_equal(err.msg, message);
    assert_string_equal(err.hint[0] ? err.hint : cli.hint, hint);
}

#define INSPECT_HELP "'stowage inspect --help' shows the usage"

static void options_take_their_value_in_five_ways(void **ctx)
{
    static const char *const lines[] = {"inspect --output=json", "inspect --output json",
                                        "inspect -o json", "inspect -ojson", "inspect -o=json"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(parse(lines[i]), STOW_OK);
        assert_string_equal(stow_cli_value(&cli, "output"), "json");
        assert_true(stow_cli_given(&cli, "output"));
    }
}

static void an_option_not_given_has_its_fallback(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("inspect"), STOW_OK);
    assert_string_equal(stow_cli_value(&cli, "output"), "table");
    assert_null(stow_cli_value(&cli, "region"));
    assert_null(stow_cli_value(&cli, "no-such-option"));
    assert_false(stow_cli_given(&cli, "output"));
}

static void flags_can_stand_in_one_word(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("inspect -qsf a.yaml"), STOW_OK);
    assert_true(stow_cli_given(&cli, "quiet"));
    assert_true(stow_cli_given(&cli, "strict"));
    assert_string_equal(stow_cli_value(&cli, "file"), "a.yaml");
    assert_int_equal(parse("inspect -qsfa.yaml"), STOW_OK);
    assert_string_equal(stow_cli_value(&cli, "file"), "a.yaml");
}

static void values_of_a_repeated_option_stay_together_and_in_order(void **ctx)
{
    const char *const *values;

    (void)ctx;
    assert_int_equal(parse("inspect -f a -o wide -f b -s --file=c -f -"), STOW_OK);
    assert_int_equal(stow_cli_values(&cli, "file", &values), 4);
    assert_string_equal(values[0], "a");
    assert_string_equal(values[1], "b");
    assert_string_equal(values[2], "c");
    assert_string_equal(values[3], "-");
    assert_string_equal(stow_cli_value(&cli, "output"), "wide");
    assert_int_equal(stow_cli_values(&cli, "region", &values), 0);
}

static void commas_separate_files(void **ctx)
{
    const char *const *values;

    (void)ctx;
    assert_int_equal(parse("inspect -f a,b -f c --filename=d,\"e,f\"\"\",g"), STOW_OK);
    assert_int_equal(stow_cli_values(&cli, "file", &values), 6);
    assert_string_equal(values[0], "a");
    assert_string_equal(values[1], "b");
    assert_string_equal(values[2], "c");
    assert_string_equal(values[3], "d");
    assert_string_equal(values[4], "e,f\"");
    assert_string_equal(values[5], "g");
    assert_int_equal(parse("inspect -f a,,b"), STOW_EINVAL);
    assert_int_equal(parse("inspect --region a,b"), STOW_OK);
    assert_string_equal(stow_cli_value(&cli, "region"), "a,b");
}

static void options_stand_before_and_after_arguments(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("-q price --book x import a -q b"), STOW_OK);
    assert_string_equal(stow_cli_verb(&cli)->name, "import");
    assert_string_equal(stow_cli_value(&cli, "book"), "x");
    assert_int_equal(cli.arguments, 2);
    assert_string_equal(cli.argument[0], "a");
    assert_string_equal(cli.argument[1], "b");
}

static void two_dashes_end_the_options(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("price import -- -f --help"), STOW_OK);
    assert_int_equal(cli.arguments, 2);
    assert_string_equal(cli.argument[1], "--help");
    assert_false(stow_cli_given(&cli, "help"));
}

static void an_optional_value_must_be_attached(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("inspect --explain name"), STOW_OK);
    assert_string_equal(stow_cli_value(&cli, "explain"), "");
    assert_int_equal(cli.arguments, 1);
    assert_int_equal(parse("inspect --explain=web-0"), STOW_OK);
    assert_string_equal(stow_cli_value(&cli, "explain"), "web-0");
}

static void options_of_the_verb_above_are_taken_below(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("price list --book none -o csv"), STOW_OK);
    assert_string_equal(stow_cli_value(&cli, "book"), "none");
}

static void a_flag_may_be_given_twice_a_value_may_not(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("-q inspect -q -s -s"), STOW_OK);
    refused("inspect -o json -o json", "option --output is given twice: 'json' and 'json'",
            "it takes one value; leave one of them out");
    refused("inspect --explain --explain=a", "option --explain is given twice: '' and 'a'",
            "it takes one value; leave one of them out");
}

static void unknown_verbs_are_refused_with_a_suggestion(void **ctx)
{
    (void)ctx;
    refused("inspct", "'inspct' is not a verb", "did you mean 'inspect'?");
    refused("insp", "'insp' is not a verb", "did you mean 'inspect'?");
    refused("pirce list", "'pirce' is not a verb", "did you mean 'price'?");
    refused("frobnicate", "'frobnicate' is not a verb", "'stowage --help' shows the usage");
    refused("price lst", "'lst' is not a verb of 'price'", "did you mean 'list'?");
}

static void a_hidden_verb_works_but_is_not_suggested(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("man price"), STOW_OK);
    refused("mann", "'mann' is not a verb", "'stowage --help' shows the usage");
}

static void unknown_options_are_refused_with_a_suggestion(void **ctx)
{
    (void)ctx;
    refused("inspect --ouptut json", "unknown option --ouptut", "did you mean --output?");
    refused("inspect --out=json", "unknown option --out", "did you mean --output?");
    refused("inspect --xyz", "unknown option --xyz", INSPECT_HELP);
    refused("inspect -x", "unknown option -x", INSPECT_HELP);
    refused("inspect -sx", "unknown option -x", INSPECT_HELP);
    refused("inspect -output json", "a long option needs two dashes: -output",
            "did you mean --output?");
}

static void options_of_a_verb_do_not_stand_before_it(void **ctx)
{
    (void)ctx;
    refused("--file x inspect", "unknown option --file",
            "options of a verb come after it: 'stowage help' lists the verbs");
}

static void a_missing_value_is_refused(void **ctx)
{
    (void)ctx;
    refused("inspect --file", "option --file needs an argument FILE", INSPECT_HELP);
    refused("inspect -f", "option --file needs an argument FILE", INSPECT_HELP);
    refused("inspect --file --strict", "option --file needs an argument FILE",
            "attach a value that begins with -: --file=--strict");
    assert_int_equal(parse("inspect --file=--strict"), STOW_OK);
    assert_int_equal(parse("inspect --region -5"), STOW_OK);
    assert_string_equal(stow_cli_value(&cli, "region"), "-5");
}

static void a_value_for_a_flag_is_refused(void **ctx)
{
    (void)ctx;
    refused("inspect --strict=yes", "option --strict takes no argument", INSPECT_HELP);
}

static void a_value_must_be_among_the_choices(void **ctx)
{
    (void)ctx;
    refused("inspect -o jsn",
            "option --output takes table, wide, json, yaml, csv, markdown or html, not 'jsn'",
            "did you mean json?");
    refused("inspect --output=",
            "option --output takes table, wide, json, yaml, csv, markdown or html, not ''",
            INSPECT_HELP);
    refused("completion bass", "'completion' takes bash, zsh or fish, not 'bass'",
            "did you mean bash?");
}

static void arguments_are_counted(void **ctx)
{
    (void)ctx;
    refused("price get", "'get' needs an argument: TYPE",
            "'stowage price get --help' shows the usage");
    refused("price get a b", "one argument too many for 'get': 'b'",
            "'stowage price get --help' shows the usage");
    refused("price list a", "'list' takes no arguments: 'a'",
            "'stowage price list --help' shows the usage");
    refused("price import", "'import' needs an argument: FILE",
            "'stowage price import --help' shows the usage");
    assert_int_equal(parse("inspect"), STOW_OK);
    assert_int_equal(parse("inspect a"), STOW_OK);
    refused("inspect a b", "one argument too many for 'inspect': 'b'", INSPECT_HELP);
}

static void a_verb_with_verbs_needs_one(void **ctx)
{
    (void)ctx;
    refused("price", "'price' needs a verb: list, get, import",
            "'stowage price --help' shows the usage");
}

static void help_and_version_need_nothing_else(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse("price get --help"), STOW_OK);
    assert_int_equal(parse("price -h"), STOW_OK);
    assert_int_equal(parse("--version"), STOW_OK);
    assert_int_equal(parse(""), STOW_OK);
    assert_null(stow_cli_verb(&cli));
}

static bool suggests(const char *typed, const char *first, const char *second)
{
    const char *const names[] = {first, second};

    const char *meant = stow_suggest(typed, names, 2);

    return meant && strcmp(meant, first) == 0;
}

static void only_one_near_name_is_suggested(void **ctx)
{
    (void)ctx;
    assert_true(suggests("scael", "scale", "place"));
    assert_true(suggests("divdie", "divide", "price"));
    assert_false(suggests("bat", "bar", "bag"));     /* equally near */
    assert_false(suggests("xyz", "scale", "place")); /* neither is near */
    assert_false(suggests("", "list", "get"));
    assert_true(suggests("consolidation", "consolidate", "completion"));
    assert_false(suggests("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b", "c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(options_take_their_value_in_five_ways, start, finish),
        cmocka_unit_test_setup_teardown(an_option_not_given_has_its_fallback, start, finish),
        cmocka_unit_test_setup_teardown(flags_can_stand_in_one_word, start, finish),
        cmocka_unit_test_setup_teardown(values_of_a_repeated_option_stay_together_and_in_order,
                                        start, finish),
        cmocka_unit_test_setup_teardown(commas_separate_files, start, finish),
        cmocka_unit_test_setup_teardown(options_stand_before_and_after_arguments, start, finish),
        cmocka_unit_test_setup_teardown(two_dashes_end_the_options, start, finish),
        cmocka_unit_test_setup_teardown(an_optional_value_must_be_attached, start, finish),
        cmocka_unit_test_setup_teardown(options_of_the_verb_above_are_taken_below, start, finish),
        cmocka_unit_test_setup_teardown(a_flag_may_be_given_twice_a_value_may_not, start, finish),
        cmocka_unit_test_setup_teardown(unknown_verbs_are_refused_with_a_suggestion, start, finish),
        cmocka_unit_test_setup_teardown(a_hidden_verb_works_but_is_not_suggested, start, finish),
        cmocka_unit_test_setup_teardown(unknown_options_are_refused_with_a_suggestion, start,
                                        finish),
        cmocka_unit_test_setup_teardown(options_of_a_verb_do_not_stand_before_it, start, finish),
        cmocka_unit_test_setup_teardown(a_missing_value_is_refused, start, finish),
        cmocka_unit_test_setup_teardown(a_value_for_a_flag_is_refused, start, finish),
        cmocka_unit_test_setup_teardown(a_value_must_be_among_the_choices, start, finish),
        cmocka_unit_test_setup_teardown(arguments_are_counted, start, finish),
        cmocka_unit_test_setup_teardown(a_verb_with_verbs_needs_one, start, finish),
        cmocka_unit_test_setup_teardown(help_and_version_need_nothing_else, start, finish),
        cmocka_unit_test(only_one_near_name_is_suggested),
    };

    return cmocka_run_group_tests_name("cli/parse", tests, NULL, NULL);
}
