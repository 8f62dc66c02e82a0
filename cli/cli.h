/* cli.h - what a verb of the command looks like.
 *
 * One constant table per verb holds everything that parsing, `--help`, the man
 * pages and shell completion need; verbs.c lists them.  A verb's file has its
 * table and its run function, and prints only through here and output.h. */
#ifndef STOW_CLI_H
#define STOW_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <stowage/error.h>

#include "base/str.h"

struct stow_cli_option {
    const char *name;          /* long name without dashes; NULL ends the table */
    char letter;               /* short name, or 0 */
    const char *argument;      /* "FILE", or NULL for a flag; FILE and DIR are completed as paths */
    const char *choices;       /* "table|wide|json", or NULL: anything; checked, and completed */
    const char *fallback;      /* default shown in the help, or NULL */
    const char *help;          /* one sentence, lower case, no final stop */
    const char *also;          /* another long name for it, as other commands have it, or NULL */
    const char *const *offers; /* values to complete, not checked; ended by NULL; or NULL: none */
    bool repeats;              /* may be given several times */
    bool commas;               /* and commas separate values */
    bool optional;             /* the argument may be left out (--explain[=POD]); as a word of its
                                  own it is taken only by verbs without arguments */
};

struct stow_cli_example {
    const char *command; /* NULL ends the table */
    const char *why;
};

struct stow_cli;

/* `arguments` says what stands behind the options, and how many are taken: "TYPE" one, "FILE..."
 * one or more, "[VERB]" one or none, "[FILE...]" any number, "TYPE FILE..." two or more,
 * "bash|zsh|fish" one of these words. */
struct stow_cli_verb {
    const char *name;        /* NULL ends the table */
    const char *summary;     /* one line of `stowage help`: lower case, no final stop */
    const char *arguments;   /* or NULL: none are taken */
    const char *description; /* paragraphs, separated by empty lines */
    const struct stow_cli_option *options; /* the verbs below take them too */
    const struct stow_cli_verb *verbs;     /* verbs below this one (price list), or NULL */
    const struct stow_cli_example *examples;
    int (*run)(struct stow_cli *cli, struct stow_err *err); /* NULL when it has verbs */
    bool hidden; /* works, but is not in the list of verbs */
};

/* The call being served: what was typed, parsed against the table. */

/* The option's argument, or its fallback, or NULL; of a repeated one the last.  An optional
 * argument that was left out is "". */
const char *stow_cli_value(const struct stow_cli *cli, const char *option);
bool stow_cli_given(const struct stow_cli *cli, const char *option);
uint32_t stow_cli_values(const struct stow_cli *cli, const char *option, const char *const **ret);
uint32_t stow_cli_arguments(const struct stow_cli *cli, const char *const **ret);

/* Whether stdout is a terminal that wants colours (--color, --no-color, NO_COLOR, TERM). */
bool stow_cli_colours(const struct stow_cli *cli);

/* Whether stdout is a terminal: a person reads along. */
bool stow_cli_watched(const struct stow_cli *cli);

/* "stowage: warning: ..." on stderr; silent with --quiet. */
void stow_cli_warn(const struct stow_cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What the user can do next, shown below the error that is about to be returned. */
void stow_cli_hint(struct stow_cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a finished answer to stdout; an error when that fails.  A reader that has gone away
 * (`stowage ... | head`) is not a failure. */
int stow_cli_print(struct stow_cli *cli, struct stow_str text, struct stow_err *err);

/* clang-format off */
/* Shared option rows, for the tables of verbs. */
#define STOW_CLI_FILES                                                                          \
    {.name = "file", .letter = 'f', .also = "filename", .argument = "FILE", .repeats = true,    \
     .commas = true,                                                                            \
     .help = "read objects from this file, folder, archive or - (standard input); commas "      \
             "separate several"},                                                               \
    {.name = "skip-unreadable",                                                                 \
     .help = "leave out files that cannot be read, and list them, instead of an error"}
/* Which pods (of divide: workloads) are asked about; `what` they are. */
#define STOW_CLI_CHOICE(what)                                                                   \
    {.name = "namespace", .letter = 'n', .argument = "NAME",                                    \
     .help = "only " what " of this namespace are asked about; others stay as they are"},       \
    {.name = "selector", .letter = 'l', .argument = "SELECTOR",                                 \
     .help = "only " what " with these labels: a=b,c!=d,e in (x,y),!f,g"},                      \
    {.name = "all-namespaces", .letter = 'A', .help = what " of all namespaces: the default"}
#define STOW_CLI_OUTPUT STOW_CLI_OUTPUT_AND("")
/* ... of a verb that knows more forms than all others: STOW_CLI_OUTPUT_AND("|scaling-advice"). */
#define STOW_CLI_OUTPUT_AND(more)                                                               \
    {.name = "output", .letter = 'o', .argument = "FORMAT",                                     \
     .choices = "table|wide|json|yaml|csv|markdown|html" more, .fallback = "table",                           \
     .help = "form of the answer"}
#define STOW_CLI_BOOK                                                                           \
    {.name = "book", .argument = "DIR",                                                         \
     .help = "price book folder, or none; else STOWAGE_BOOK, else the user's data folder"}
/* clang-format on */

extern const struct stow_cli_verb *const stow_cli_verbs[]; /* verbs.c; ended by NULL */

#endif
