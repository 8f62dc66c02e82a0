/* Unit tests of the command from words to exit status, with verbs of our own. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test_cli_verbs.h"

static char *results, *messages;
static int fail_with;

/* Answers with one node, or fails with the code that the test has set. */
static int run_inspect(struct stow_cli *cli, struct stow_err *err)
{
    stow_cli_warn(cli, "%s is odd\n", "n\t1");
    if (fail_with) {
        stow_fail(err, fail_with, "no good");
        snprintf(err->file, sizeof(err->file), "a\n.yaml");
        err->line = 3;
        err->col = 7;
        return fail_with;
    }
    return stow_cli_print(cli,
                          stow_cli_colours(cli) ? stow_cli_str_of("\033[1mNODE\033[0m\n")
                                                : stow_cli_str_of("NODE\n"),
                          err);
}

static int run_list(struct stow_cli *cli, struct stow_err *err)
{
    (void)cli;
    (void)err;
    return STOW_EWRONG; /* a failure without a message still is one */
}

static int forget(void **ctx)
{
    (void)ctx;
    free(results);
    free(messages);
    results = messages = NULL;
    fail_with = 0;
    return 0;
}

static int run_into(const char *line, FILE *out)
{
    char copy[512];
    const char *word[32];
    int words = 0;
    size_t size;
    FILE *said;

    free(messages);
    messages = NULL;
    said = open_memstream(&messages, &size);
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *at = strtok(copy, " "); at && words < 32; at = strtok(NULL, " "))
        word[words++] = at;

    int status = stow_cli_main(test_verbs, words, word, out, said);

    fclose(said);
    return status;
}

static int run(const char *line)
{
    size_t size;
    FILE *out;

    free(results);
    results = NULL;
    out = open_memstream(&results, &size);

    int status = run_into(line, out);

    fclose(out);
    return status;
}

static void warnings_go_to_messages_unless_quiet(void **ctx)
{
    (void)ctx;
    assert_int_equal(run("inspect"), 0);
    assert_string_equal(messages, "stowage: warning: n\\t1 is odd\\n\n");
    assert_string_equal(results, "NODE\n");
    assert_int_equal(run("inspect --quiet"), 0);
    assert_string_equal(messages, "");
}

static void errors_name_the_place_the_next_step_and_have_their_status(void **ctx)
{
    (void)ctx;
    fail_with = STOW_EPARSE;
    assert_int_equal(run("inspect -q"), 3);
    assert_string_equal(messages, "stowage: error: a\\n.yaml:3:7: no good\n"
                                  "stowage: hint: fix the input at that position and run the "
                                  "command again\n");
    assert_string_equal(results, "");
    fail_with = STOW_ETIME;
    assert_int_equal(run("inspect -q"), 4);
    fail_with = STOW_ENOMEM;
    assert_int_equal(run("inspect -q"), 1);
}

static void a_failure_without_a_message_is_not_silent(void **ctx)
{
    (void)ctx;
    assert_int_equal(run("price list"), 1);
    assert_string_equal(messages, "stowage: error: does not hold\n");
}

static void wrong_usage_has_status_2(void **ctx)
{
    (void)ctx;
    assert_int_equal(run("inspect --nope"), 2);
    assert_string_equal(messages, "stowage: error: unknown option --nope\n"
                                  "stowage: hint: 'stowage inspect --help' shows the usage\n");
    assert_int_equal(run("price"), 2);
    assert_int_equal(run("help nothing"), 2);
    assert_string_equal(results, "");
}

static void a_full_device_is_an_error(void **ctx)
{
    FILE *full = fopen("/dev/full", "w");

    (void)ctx;
    assert_non_null(full);
    assert_int_equal(run_into("-q inspect", full), 1);
    assert_non_null(strstr(messages, "stowage: error: cannot write the output: "));
    fclose(full);
}

static void a_reader_that_left_is_no_error(void **ctx)
{
    int ends[2];

    (void)ctx;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);

    FILE *out = fdopen(ends[1], "w");

    assert_int_equal(run_into("-q inspect", out), 0);
    assert_string_equal(messages, "");
    fclose(out);
}

static void colours_are_for_terminals_or_on_demand(void **ctx)
{
    (void)ctx;
    assert_int_equal(run("inspect -q"), 0);
    assert_null(strchr(results, '\033'));
    assert_int_equal(run("inspect -q --color=always"), 0);
    assert_non_null(strchr(results, '\033'));
    assert_int_equal(run("inspect -q --color=always --no-color"), 0);
    assert_null(strchr(results, '\033'));
    assert_int_equal(run("inspect -q --color never"), 0);
    assert_null(strchr(results, '\033'));
}

static void the_version_is_told_in_two_ways(void **ctx)
{
    (void)ctx;
    assert_int_equal(run("version"), 0);
    assert_memory_equal(results, "stowage ", 8);

    char *first = results;

    results = NULL;
    assert_int_equal(run("--version"), 0);
    assert_memory_equal(results, first, strlen(results)); /* the verb adds dates of prices */
    free(first);
}

static void help_lists_verbs_options_and_examples(void **ctx)
{
    (void)ctx;
    assert_int_equal(run(""), 0);
    assert_non_null(strstr(results, "  price       the price book\n"));
    assert_null(strstr(results, "  man "));
    assert_int_equal(run("help inspect"), 0);
    assert_non_null(strstr(results, "Usage: stowage inspect [OPTION]... [NAME]\n"));
    assert_non_null(strstr(results, "  -o, --output FORMAT"));
    assert_non_null(strstr(results, "table, wide, json, yaml, csv,"));
    assert_non_null(strstr(results, "      --explain[=POD]"));
    assert_non_null(strstr(results, "repeated)\n"));
    assert_non_null(strstr(results, "\n  kept as - it is\n"));
    assert_non_null(strstr(results, "  # the bill of a cluster\n  stowage inspect -f shop.yaml\n"));
}

static void every_way_to_ask_for_help_gives_the_same(void **ctx)
{
    static const char *const lines[] = {"price list --help", "price list -h", "-h price list",
                                        "price --help list"};
    (void)ctx;
    assert_int_equal(run("help price list"), 0);

    char *first = results;

    results = NULL;
    assert_non_null(strstr(first, "--book DIR")); /* from the verb above */
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(run(lines[i]), 0);
        assert_string_equal(results, first);
    }
    free(first);
}

static bool begins(struct stow_cli_str line, const char *with)
{
    return line.len >= strlen(with) && memcmp(line.ptr, with, strlen(with)) == 0;
}

static void help_fits_its_screen(void **ctx)
{
    static const uint32_t widths[] = {40, 60, 80, 100};

    (void)ctx;
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};
        struct stow_cli cli = {.verbs = test_verbs, .path = {&inspect}, .depth = 1};
        struct stow_cli_str rest;

        stow_cli_help(&cli, &text, widths[i], false);
        rest = stow_cli_buf_str(&text);
        while (rest.len) {
            struct stow_cli_str line = stow_cli_str_cut(rest, '\n', &rest);

            if (!begins(line, "  stowage") && !begins(line, "stowage inspect -") &&
                !begins(line, "Usage"))
                assert_true(line.len <= widths[i]);
        }
    }
}

static void man_pages_escape_what_roff_would_obey(void **ctx)
{
    (void)ctx;
    assert_int_equal(run("man inspect"), 0);
    assert_memory_equal(results, ".TH STOWAGE-INSPECT 1 ", 22);
    assert_non_null(strstr(results, "\n\\&.Second paragraph.\n"));
    assert_non_null(strstr(results, "\n.nf\n  kept as \\- it is\n.fi\n"));
    assert_non_null(strstr(results, "\\fB\\-\\-output\\fR \\fIFORMAT\\fR\n"));
    assert_int_equal(run("man"), 0);
    assert_non_null(strstr(results, ".BR stowage\\-price (1)\nthe price book\n"));
    assert_int_equal(run("man price"), 0);
    assert_non_null(strstr(results, ".SS import\nstowage price import [OPTION]... FILE...\n"));
    assert_int_equal(run("man prize"), 2);
}

static void man_pages_are_written_into_a_folder(void **ctx)
{
    char dir[] = "/tmp/stowage-test-XXXXXX", line[64], path[64];
    static const char *const pages[] = {"stowage.1",       "stowage-inspect.1",
                                        "stowage-price.1", "stowage-completion.1",
                                        "stowage-help.1",  "stowage-version.1"};

    (void)ctx;
    assert_non_null(mkdtemp(dir));
    snprintf(line, sizeof(line), "man --into %s", dir);
    assert_int_equal(run(line), 0);
    assert_string_equal(results, "");
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, pages[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(dir), 0); /* nothing else was written */
    assert_int_equal(run(line), 1);
}

static void completion_knows_verbs_options_choices_and_files(void **ctx)
{
    (void)ctx;
    assert_int_equal(run("completion bash"), 0);
    assert_non_null(strstr(results, "'price/import') path='price/import' ;;\n"));
    assert_non_null(strstr(results, "'inspect -o' | 'inspect --output') "
                                    "words='table wide json yaml csv markdown html' files= ;;\n"));
    assert_non_null(strstr(results, "'inspect -f' | 'inspect --filename' | 'inspect --file') "
                                    "words='' files=yes ;;\n"));
    assert_non_null(strstr(results, "'completion') words='bash zsh fish' options="));
    assert_non_null(strstr(results, "'inspect --profile') words='fast careful' files= ;;\n"));
    assert_null(strstr(results, "'man'"));
    assert_int_equal(run("completion zsh"), 0);
    assert_non_null(strstr(results, "'(-o --output)-o+[output format]:FORMAT:"
                                    "(table wide json yaml csv markdown html)'"));
    assert_non_null(strstr(results, "say why, \\[of\\] one pod\\: '\\''it'\\''"));
    assert_non_null(strstr(results, "'--profile=[by which rules]:NAME:(fast careful)'"));
    assert_int_equal(run("completion fish"), 0);
    assert_non_null(strstr(results,
                           "complete -c stowage -n '__stowage_at \"inspect\"' -s f -l file "
                           "-l filename -r -F -d "));
    assert_non_null(strstr(results, "-d 'say why, [of] one pod: \\'it\\''"));
    assert_non_null(strstr(results, "-l profile -x -a 'fast careful' -d 'by which rules'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(warnings_go_to_messages_unless_quiet, forget),
        cmocka_unit_test_teardown(errors_name_the_place_the_next_step_and_have_their_status,
                                  forget),
        cmocka_unit_test_teardown(a_failure_without_a_message_is_not_silent, forget),
        cmocka_unit_test_teardown(wrong_usage_has_status_2, forget),
        cmocka_unit_test_teardown(a_full_device_is_an_error, forget),
        cmocka_unit_test_teardown(a_reader_that_left_is_no_error, forget),
        cmocka_unit_test_teardown(colours_are_for_terminals_or_on_demand, forget),
        cmocka_unit_test_teardown(the_version_is_told_in_two_ways, forget),
        cmocka_unit_test_teardown(help_lists_verbs_options_and_examples, forget),
        cmocka_unit_test_teardown(every_way_to_ask_for_help_gives_the_same, forget),
        cmocka_unit_test_teardown(help_fits_its_screen, forget),
        cmocka_unit_test_teardown(man_pages_escape_what_roff_would_obey, forget),
        cmocka_unit_test_teardown(man_pages_are_written_into_a_folder, forget),
        cmocka_unit_test_teardown(completion_knows_verbs_options_choices_and_files, forget),
    };

    signal(SIGPIPE, SIG_IGN); /* as main does */
    return cmocka_run_group_tests_name("cli/run", tests, NULL, NULL);
}
