/* test_cli_verbs.h - the verbs that the tests of the command line use. */
#ifndef TESTS_UNIT_CLI_VERBS_H
#define TESTS_UNIT_CLI_VERBS_H

#include "cli/builtin.h"
#include "cli/call.h"
#include "cli/output.h"

static int run_inspect(struct stow_cli *cli, struct stow_err *err);
static int run_list(struct stow_cli *cli, struct stow_err *err);

static const char *const profiles[] = {"fast", "careful", NULL};

static const struct stow_cli_option inspect_options[] = {
    STOW_CLI_FILES,
    STOW_CLI_OUTPUT,
    {.name = "explain", .argument = "POD", .optional = true, .help = "say why, [of] one pod: 'it'"},
    {.name = "region", .argument = "NAME", .help = "where no object states one"},
    {.name = "profile", .argument = "NAME", .offers = profiles, .help = "by which rules"},
    {.name = "strict", .letter = 's', .help = "any bad row is an error"},
    {0},
};

static const struct stow_cli_option price_options[] = {STOW_CLI_BOOK, {0}};

static const struct stow_cli_option list_options[] = {STOW_CLI_OUTPUT, {0}};

static const struct stow_cli_example inspect_examples[] = {
    {"stowage inspect -f shop.yaml", "the bill of a cluster"},
    {"stowage inspect -f a.json -f b.json -o json", "two files, for a program"},
    {0},
};

static const struct stow_cli_verb price_verbs[] = {
    {.name = "list", .summary = "all prices", .options = list_options, .run = run_list},
    {.name = "get", .summary = "one price", .arguments = "TYPE", .run = run_list},
    {.name = "import", .summary = "read prices", .arguments = "FILE...", .run = run_list},
    {0},
};

static const struct stow_cli_verb inspect = {
    .name = "inspect",
    .summary = "what is in these files and what it costs",
    .arguments = "[NAME]",
    .description = "First paragraph, which is long enough that it has to be broken somewhere near "
                   "the right edge of a screen.\n\n  kept as - it is\n\n.Second paragraph.",
    .options = inspect_options,
    .examples = inspect_examples,
    .run = run_inspect,
};

static const struct stow_cli_verb price = {
    .name = "price",
    .summary = "the price book",
    .options = price_options,
    .verbs = price_verbs,
};

static const struct stow_cli_verb *const test_verbs[] = {
    &inspect,       &price, &stow_verb_completion, &stow_verb_help, &stow_verb_version,
    &stow_verb_man, NULL,
};

#endif
