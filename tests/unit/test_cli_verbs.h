/* test_cli_verbs.h - the verbs that the tests of the command line use. */
#ifndef TESTS_UNIT_CLI_VERBS_H
#define TESTS_UNIT_CLI_VERBS_H

#include "cli/builtin.h"
#include "cli/call.h"

static int run_inspect(struct stow_cli *cli, struct stow_err *err);
static int run_list(struct stow_cli *cli, struct stow_err *err);

#define OUTPUT                                                                    \
    {                                                                             \
        .name = "output", .letter = 'o', .argument = "FORMAT",                    \
        .choices = "table|wide|json|yaml|csv|markdown|html", .fallback = "table", \
        .help = "output format"                                                   \
    }

static const char *const profiles[] = {"fast", "careful", NULL};

static const struct stow_option inspect_options[] = {
    {.name = "file",
     .letter = 'f',
     .also = "filename",
     .argument = "FILE",
     .repeats = true,
     .commas = true,
     .help = "read objects from this file"},
    OUTPUT,
    {.name = "explain", .argument = "POD", .optional = true, .help = "say why, [of] one pod: 'it'"},
    {.name = "region", .argument = "NAME", .help = "where no object states one"},
    {.name = "profile", .argument = "NAME", .offers = profiles, .help = "by which rules"},
    {.name = "strict", .letter = 's', .help = "any bad row is an error"},
    {0},
};

static const struct stow_option price_options[] = {
    {.name = "book", .argument = "DIR", .help = "price book folder"}, {0}};

static const struct stow_option list_options[] = {OUTPUT, {0}};

static const struct stow_example inspect_examples[] = {
    {"stowage inspect -f shop.yaml", "the bill of a cluster"},
    {"stowage inspect -f a.json -f b.json -o json", "two files, for a program"},
    {0},
};

static const struct stow_verb price_verbs[] = {
    {.name = "list", .summary = "all prices", .options = list_options},
    {.name = "get", .summary = "one price", .arguments = "TYPE"},
    {.name = "import", .summary = "read prices", .arguments = "FILE..."},
    {0},
};

static const struct stow_verb inspect = {
    .name = "inspect",
    .summary = "show what a cluster costs and how much of it is wasted",
    .arguments = "[NAME]",
    .description = "First paragraph, which is long enough that it has to be broken somewhere near "
                   "the right edge of a screen.\n\n  kept as - it is\n\n.Second paragraph.",
    .options = inspect_options,
    .examples = inspect_examples,
};

static const struct stow_verb price = {
    .name = "price",
    .summary = "the price book",
    .options = price_options,
    .verbs = price_verbs,
};

static const struct stow_cli_verb test_verbs[] = {
    {&inspect, run_inspect},
    {&price, run_list},
    {&stow_verb_completion, stow_cli_run_completion},
    {&stow_verb_help, stow_cli_run_help},
    {&stow_verb_version, stow_cli_run_version},
    {&stow_verb_man, stow_cli_run_man},
    {NULL, NULL},
};

#endif
